// A catalog, ready for many questions: its blobs by package, versions and ranges read.
#pragma once

#include "catalog/catalog.hpp"
#include "catalog/load.hpp"
#include "resolve/v1/bundle_version.hpp"
#include "semver/blang_range.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat::olmv1 {

struct IndexedEntry {
    const Channel* channel;
    const ChannelEntry* entry;
    std::optional<semver::BlangRange> skip_range; // nothing if there is none, or it cannot be read
};

struct IndexedBundle {
    const Bundle* bundle;
    bool deprecated = false; // by the package's first olm.deprecations blob, the only one OLM looks at
    const Property* unsupported = nullptr; // the first property that keeps OLM v1 from installing the bundle
    std::vector<IndexedEntry> entries;     // that name the bundle, in all channels, in the catalog's order

    std::string_view name() const { return bundle->name; }
    const BundleVersion& version(bool release_support) const {
        return release_support && with_release ? *with_release : legacy;
    }

    BundleVersion legacy;
    std::optional<BundleVersion> with_release; // where the gate makes a difference
};

// All blobs of one package, each kind in the catalog's order.
struct IndexedPackage {
    std::string_view name;
    std::vector<const Channel*> channels;
    std::vector<IndexedBundle> bundles;
    const Deprecations* deprecations = nullptr; // the first blob
};

class CatalogIndex {
public:
    // Of a catalog that was read, or of one that could not be: see load_failure.hpp.
    explicit CatalogIndex(Catalog catalog);
    explicit CatalogIndex(std::string failure) : failure_(std::move(failure)) {}
    CatalogIndex(const CatalogIndex&) = delete;
    CatalogIndex& operator=(const CatalogIndex&) = delete;

    // Why there is nothing to be had from the catalog, in OLM's words; empty if all is well.
    const std::string& failure() const { return failure_; }
    // nullptr if the catalog has no blob for the package, of whatever schema.
    const IndexedPackage* find(std::string_view package) const;
    // In byte order.
    std::vector<std::string_view> package_names() const;

private:
    Catalog catalog_; // what the packages point into
    std::unordered_map<std::string_view, IndexedPackage> packages_;
    std::string failure_;
};

} // namespace opcat::olmv1
