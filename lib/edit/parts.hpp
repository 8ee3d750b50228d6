// Parts that the verbs share: entries of channels as a file has them, new entries, and the deprecations of a
// package.
#pragma once

#include "opcat/edit/catalog_text.hpp"
#include "opcat/edit/edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::edit {

// An entry as a file has it.
struct EntryText {
    const Value* value;
    size_t index;

    std::string_view text(std::string_view field) const;
    std::string_view name() const { return text("name"); }
    std::string_view replaces() const { return text("replaces"); }
    std::vector<std::string_view> skips() const;
};
std::vector<EntryText> entries_of(const BlobText& channel);

// The channel of a package. Throws RequestError with the nearest names.
BlobText required_channel(const CatalogText& catalog, std::string_view package, std::string_view channel);

// Those that a user names, each once.
std::vector<std::string> each_once(const std::vector<std::string>& names);

// Adds entries for bundles of one package to a channel, the lowest version first; a channel that is missing
// is made. Without a choice each goes above what is older and below what is newer, and a patch release takes
// all users of its minor version to it.
void add_entries(CatalogText& catalog, std::string_view channel, const std::vector<Release>& releases,
                 const EdgeChoice& choice, std::vector<std::string>& done);

// ---- the olm.deprecations blob of a package, of which there is at most one

// Makes or changes the deprecation of an object; `name` is empty for the package.
void set_deprecation(CatalogText& catalog, std::string_view package, std::string_view schema,
                     std::string_view name, std::string_view message);

// Takes it back. Returns whether there was one.
bool remove_deprecation(CatalogText& catalog, std::string_view package, std::string_view schema,
                        std::string_view name);

// The same for several bundles at once.
void remove_deprecations(CatalogText& catalog, std::string_view package, std::string_view schema,
                         const std::vector<std::string>& names);

} // namespace opcat::edit
