// Catalogs without the bundles whose images could not be copied.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/filter/filter.hpp"

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace opcat {

// The bundles that need one of these images: pull specs, as bundles name them or in full.
std::unordered_set<const Bundle*> bundles_that_need(const std::set<std::string>& images,
                                                    const Catalog& catalog);

struct RestOfCatalog {
    FilteredCatalog rest;
    std::string
        why_not; // it cannot be published: "has no bundle left", or what is wrong with it; usually empty
};

struct ReducedCatalog {
    std::string name; // in the mirror
    FilterReport report;
};

// A catalog that cannot be mirrored without the bundles whose images failed.
struct CatalogLeftOut {
    std::string name; // in the mirror
    std::string why;  // RestOfCatalog::why_not
};

struct IncompleteCatalogs {
    std::vector<ReducedCatalog> reduced;
    std::vector<CatalogLeftOut> left_out; // that are not copied
};

RestOfCatalog rest_of(const Catalog& catalog, const std::unordered_set<const Bundle*>& without,
                      ThreadPool& pool);

} // namespace opcat
