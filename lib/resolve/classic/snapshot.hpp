// The resolver's candidates: bundles of catalogs, once per channel, and installed operators.
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/version.hpp"

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat::classic {

struct CatalogKey {
    std::string ns;
    std::string name;

    // The installed operators of a namespace form a catalog, too.
    static CatalogKey existing(std::string ns) { return {std::move(ns), "@existing"}; }
    bool is_existing() const { return name == "@existing"; }
    // "namespace/name"
    std::string to_string() const { return ns + '/' + name; }
    friend auto operator<=>(const CatalogKey&, const CatalogKey&) = default;
};

struct Gvk {
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    friend auto operator<=>(const Gvk&, const Gvk&) = default;
};

// The API that a property or a constraint names.
Gvk gvk_of(const Value& value);

struct EntryProperty {
    std::string_view type;
    Value value;
    Location where;
};

struct PackageProperty {
    std::string_view name;
    std::optional<semver::Version> version; // if it parses strictly
};

// The content of an entry, which is the same in all channels of a bundle.
struct Facts {
    std::vector<EntryProperty> properties;
    std::vector<Gvk> gvks; // with repetitions
    std::vector<PackageProperty> packages;
    std::vector<std::string_view> labels;
    bool deprecated = false; // olm.deprecated
};
// Of the properties.
void find_facts(Facts& facts);
// Of a bundle of a catalog, as its registry serves it. They refer to the catalog and to `memory`.
std::shared_ptr<const Facts> facts_of(const Bundle& bundle, Arena& memory);

struct Snapshot;

struct Entry {
    std::string_view name;
    std::string_view replaces;
    std::span<const Text> skips;
    std::optional<semver::BlangRange> skip_range;
    std::optional<semver::Version> version;
    std::string_view package;
    std::string_view channel;
    bool default_channel = false;
    std::shared_ptr<const Facts> facts;
    const Snapshot* snapshot = nullptr;
    const Bundle* bundle = nullptr;             // of a catalog
    const ClusterServiceVersion* csv = nullptr; // of what is installed
    const Subscription* subscription = nullptr; // the one that owns the CSV
    Location where;

    bool is_existing() const { return csv != nullptr; }
    std::string version_text() const { return version ? version->to_string() : std::string(); }
    // How the resolver names it: "catalog/namespace/channel/name".
    std::string identifier() const;
};

// The entries of a catalog, in its order; or why there are none.
struct Snapshot {
    CatalogKey key;
    int64_t priority = 0;
    std::vector<Entry> entries;
    std::string error; // empty: none

    // Positions of entries.
    std::unordered_map<std::string_view, std::vector<uint32_t>> by_name;
    std::unordered_map<std::string_view, std::vector<uint32_t>> by_package;
    std::unordered_map<std::string, std::vector<uint32_t>> by_gvk; // key_of

    // What entries refer to, in addition to the cluster.
    const Catalog* catalog = nullptr; // of a CatalogSource
    std::shared_ptr<const void> owner;
    std::shared_ptr<Arena> arena = std::make_shared<Arena>();
    std::vector<std::shared_ptr<const SourceFile>> files;

    void build_index();
    static std::string key_of(const Gvk& gvk);
};

// A catalog as its registry serves it. It must outlive the result, unless there is an owner that keeps it.
std::shared_ptr<const Snapshot> catalog_snapshot(const CatalogKey& key, const Catalog& catalog,
                                                 std::shared_ptr<const void> owner = {});

// The operators that are installed in a namespace. `cluster` must outlive the result.
std::shared_ptr<const Snapshot> existing_snapshot(const std::string& ns, const ClusterState& cluster);

} // namespace opcat::classic
