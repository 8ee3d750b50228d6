// The weekly work on catalogs and templates, as changes that keep all other text (edited_files.hpp).
#pragma once

#include "opcat/document/value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::edit {

class CatalogText;

// The changes of one edit, and what was done in words. EditedFiles makes it (edited_files.hpp).
struct Edit {
    Edit();
    ~Edit();
    Edit(Edit&&) noexcept;
    Edit& operator=(Edit&&) noexcept;

    std::vector<CatalogText> catalogs; // or templates
    // "entry foo.v1.2.0 of channel stable replaces foo.v1.1.0: the channel's head".
    std::vector<std::string> done;

    bool is_changed() const;
};

// A bundle that is to be added. What is not known is empty.
struct Release {
    std::string image = {};
    std::string name = {};
    std::string package = {};
    std::string version = {};
    std::string replaces = {};
    std::vector<std::string> skips = {};
    std::string skip_range = {};
    // As `render` writes it: of a bundle that was loaded. A catalog needs it, a template only the image.
    std::shared_ptr<const Value> blob = {};
};

// Returns true if a user's words are a range of versions, and not names.
inline bool is_range(std::string_view words) {
    return words.find_first_of("<>=!") != words.npos;
}

// The edges of the new entry. Texts of users that are empty are not given.
struct EdgeChoice {
    std::string replaces = {};
    std::vector<std::string> skips = {};
    std::string skip_range = {};
    std::string take_along = {}; // a range, or names with commas between: users of these get the new one
    bool none = false;

    bool is_given() const {
        return none || !replaces.empty() || !skips.empty() || !skip_range.empty() || !take_along.empty();
    }
    // Throws RequestError if some of it would have no effect.
    void require_consistent() const;
};

struct AddRequest {
    Release release = {};
    std::vector<std::string> channels = {};
    EdgeChoice edges = {};
    std::string default_channel = {}; // of a package that has none yet; empty: the first of the channels
};

// All throw RequestError for names that are not there, with the nearest ones, and for what would change
// nothing; Error as EditedText.

// Adds a bundle to every catalog, and an entry to each of the channels; a channel that is missing is made.
// Without a choice the new entry replaces the channel's head, and if it is a patch release, all of its minor
// version (docs/releasing.md).
void add(Edit& edit, const AddRequest& request);
// The same for one of them.
void add(CatalogText& catalog, const AddRequest& request, std::vector<std::string>& done);

// ---- verbs on what is there. `package` may be empty where each file has one package.

// Adds entries for bundles to further channels, the lowest version first: each replaces the channel's head.
// Of a semver template, bundles are named by their images.
void promote(Edit& edit, const std::string& package, const std::vector<std::string>& bundles,
             const std::vector<std::string>& channels);

// A broken release: its users get `to` (empty: what replaces it), and it is deprecated with a message (empty:
// a usual one). It stays in its channels: startingCSV of OLM classic and a version of OLM v1 still install
// it.
void retract(Edit& edit, const std::string& package, const std::string& bundle, const std::string& to,
             const std::string& message);

// Removes bundles with their entries and deprecations, by name, version, or a range of versions. Edges are
// repaired so that users of others move on as before.
void remove_bundles(Edit& edit, const std::string& package, const std::vector<std::string>& bundles);

// Removes a channel, the bundles that are in no other, and its deprecation. The default channel can only go
// if another takes its place.
void remove_channel(Edit& edit, const std::string& package, const std::string& channel,
                    const std::string& default_channel);

// The subject of a deprecation: a package, a channel or a bundle.
struct Deprecated {
    std::string_view schema; // of the blob
    std::string name;        // empty for the package
};
// An empty message takes the deprecation back.
void deprecate(Edit& edit, const std::string& package, const Deprecated& what, const std::string& message);

void rename_channel(Edit& edit, const std::string& package, const std::string& from, const std::string& to);
// With the entries of another channel.
void create_channel(Edit& edit, const std::string& package, const std::string& name, const std::string& from);
void set_default_channel(Edit& edit, const std::string& package, const std::string& channel);

// Gives images other pull specs: those of the bundles of a package (empty: of all), and related ones.
// `change` returns the new pull spec, or nothing. Throws RequestError if it changes none.
void change_images(Edit& edit, const std::string& package,
                   const std::function<std::optional<std::string>(const std::string& image)>& change);

} // namespace opcat::edit
