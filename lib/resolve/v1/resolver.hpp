// What OLM v1 would install: the resolver of operator-controller, step by step
// (../shared/design/resolve-v1.md).
#pragma once

#include "resolve/v1/query.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::olmv1 {

// A ClusterCatalog.
struct NamedCatalog {
    std::string name;
    const CatalogIndex* index = nullptr;
    int32_t priority = 0;
    Labels labels;            // besides the one with its name, which every catalog has
    bool unavailable = false; // its availabilityMode
};

// The labels of a catalog with the one that carries its name.
Labels all_labels(const NamedCatalog& catalog);

struct Choice {
    const NamedCatalog* catalog = nullptr;
    const PackageGraph* package = nullptr;
    const PackageBundle* bundle = nullptr;
    std::string version;
    std::optional<std::string> release; // there only with the gate BundleReleaseSupport
    // What OLM reports as deprecated: the blob it looked at last, which can be another catalog's.
    const Deprecations* deprecations = nullptr;
    const NamedCatalog* deprecations_of = nullptr;
};

// What one catalog has to offer.
struct CatalogAnswer {
    enum class State : uint8_t { walked, not_selected, unavailable, without_package };
    const NamedCatalog* catalog = nullptr;
    State state = State::walked;
    const PackageGraph* package = nullptr;        // of a catalog that was walked
    std::vector<const PackageBundle*> candidates; // what passed, best first
};

struct Resolution {
    // Why there is no choice; `none` if there is one.
    enum class Failure : uint8_t {
        none,
        request,    // the selector or the range is invalid
        catalog,    // one cannot be read
        installed,  // the installed version cannot be read
        crash,      // OLM dies of a skipRange
        no_bundle,  // nothing passes
        ambiguous,  // several catalogs offer something
        version,    // the best bundle's version cannot be read
        dependency, // the best bundle has a dependency, which OLM v1 does not support
    };
    Failure failure = Failure::none;
    std::string error; // OLM's, word for word (except for a crash)
    std::optional<Choice> choice;
    std::optional<Choice> unvalidated;   // with Failure::dependency: what would have been chosen
    std::vector<CatalogAnswer> catalogs; // in the order given; up to the one that ended it all

    // The catalogs whose offers are left after deprecation and priority, as indices into `catalogs`.
    std::vector<size_t> offering;
};

// Refers to what it is given.
Resolution resolve(const Request& request, std::span<const NamedCatalog> catalogs);

} // namespace opcat::olmv1
