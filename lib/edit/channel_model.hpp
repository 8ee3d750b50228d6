// A channel as the edges that it is to have, and how they differ from those that its text has.
#pragma once

#include "opcat/base/work.hpp"
#include "opcat/edit/bundle_versions.hpp"
#include "opcat/edit/catalog_text.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace opcat::edit {

// So that names are found without a copy of them.
struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using NameSet = std::unordered_set<std::string, NameHash, std::equal_to<>>;

// Names in an order. A file may have one twice; what is added is added once.
class SkipList {
public:
    SkipList() = default;
    explicit SkipList(const std::vector<std::string>& names);

    auto begin() const { return names_.begin(); }
    auto end() const { return names_.end(); }
    size_t size() const { return names_.size(); }
    bool empty() const { return names_.empty(); }
    bool contains(std::string_view name) const { return index_.find(name) != index_.end(); }

    void add(std::string_view name);
    void erase(std::string_view name);
    // Adds those of another list after the own ones, but for an empty one and `but_not`.
    void add_all(const SkipList& other, std::string_view but_not);
    // The same. Linear in the own ones if they are fewer: along a chain, lists go from entry to entry.
    void add_all(SkipList&& other, std::string_view but_not);

private:
    std::deque<std::string> names_;
    NameSet index_;
};

struct EntryModel {
    std::string name = {};
    std::string replaces = {};
    SkipList skips = {};
    std::string skip_range = {};
    std::optional<size_t> index = {}; // in the text; nothing: it is new
    bool removed = false;
    std::optional<semver::Version> version = {}; // for entries of a channel

    void add_skip(std::string_view other); // once, and not itself
    // Gives users all that another entry gave them by its skips and its skipRange, as far as they are lower
    // than this one.
    void take_over(const EntryModel& other, const BundleVersions& versions);
    void take_over(EntryModel&& other, const BundleVersions& versions);
    void take_over_range(const std::string& other, const BundleVersions& versions);
};

// As a new entry of a channel.
Value to_value(const EntryModel& entry, Arena& arena);

// Names of entries are those that the file has.
class ChannelModel {
public:
    // The versions must outlive it.
    ChannelModel(const BlobText& channel, const BundleVersions& versions);

    std::string_view name() const { return channel_.name(); }
    const std::vector<EntryModel>& entries() const { return entries_; }
    // nullptr: there is none, or it is removed.
    EntryModel* find(std::string_view name);
    // What OLM classic installs next for users of an entry; nullptr: nothing.
    EntryModel* next_of(std::string_view name);
    const EntryModel* find(std::string_view name) const;
    // The entry that nothing replaces or skips; nullptr if there is none, or if there are several.
    const EntryModel* head() const;
    const BundleVersions& versions() const { return *versions_; }
    EntryModel& add(EntryModel entry);
    // Throws Error [limit] if the channel takes too many steps in all. Looking at an entry is one.
    void take_work(uint64_t steps);

    // Leaves an entry out. What replaced it replaces what it replaced and skips it, so that everybody moves
    // on as before: its users, and those who had it as the next step. If nothing did, what skips it takes
    // these along. The first entry of a chain stays as a name only. Linear; throws Error [limit].
    void remove(std::string_view name);
    // Sends users of the entry to `to`, and offers it to nobody any more; the entry stays in the channel.
    void retract(std::string_view name, EntryModel& to);
    bool is_skipped(std::string_view name) const;

    // Puts the differences into the text.
    void write(CatalogText& catalog) const;

private:
    // The entries that OLM classic installs, the head first; none without a single head.
    std::vector<const EntryModel*> chain() const;

    BlobText channel_;
    const BundleVersions* versions_; // not null
    std::vector<EntryModel> entries_;
    std::unordered_map<std::string, std::vector<size_t>, NameHash, std::equal_to<>> by_name_;
    Work work_;
};

// The bundle that a user names, by its name or its version, among the entries of a package's channels. Throws
// RequestError with the nearest names.
std::string required_entry(const CatalogText& catalog, std::string_view package, const std::string& text);
// All names of entries in the channels of a package, each once, ascending by version where they have one.
std::vector<std::string> entry_names(const CatalogText& catalog, std::string_view package);

// The one package of a file where the user names none. Throws RequestError if there are several.
std::string required_package(const CatalogText& catalog, const std::string& wanted);

} // namespace opcat::edit
