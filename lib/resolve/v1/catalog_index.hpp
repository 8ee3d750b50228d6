// A catalog, ready for many questions.
#pragma once

#include "catalog/catalog.hpp"
#include "olm/package_graph.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat::olmv1 {

class CatalogIndex {
public:
    // Of a catalog that was read, or of one that could not be: see load_failure.hpp.
    explicit CatalogIndex(Catalog catalog);
    explicit CatalogIndex(std::string failure) : failure_(std::move(failure)) {}
    CatalogIndex(const CatalogIndex&) = delete;
    CatalogIndex& operator=(const CatalogIndex&) = delete;

    // Why there is nothing to be had from the catalog, in OLM's words; empty if all is well.
    const std::string& failure() const { return failure_; }
    // nullptr if the catalog has no blob for the package, of whatever schema. The graph of a package is built
    // when it is first asked for. May be called from several threads.
    const PackageGraph* find(std::string_view package) const;
    // In byte order.
    std::vector<std::string_view> package_names() const;

private:
    struct Package {
        PackageIndex blobs;
        mutable std::once_flag built;
        mutable PackageGraph graph;
    };

    Catalog catalog_; // what the packages point into
    std::unordered_map<std::string_view, Package> packages_;
    std::string failure_;
};

} // namespace opcat::olmv1
