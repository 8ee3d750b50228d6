// Predicts what OLM v1 would install: the resolver of operator-controller, step by step
// (docs/spec/resolution-v1.md).
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat::olmv1 {

// A catalog, prepared for many requests.
class CatalogIndex {
public:
    // From a catalog that was read, or for one that could not be, with why.
    explicit CatalogIndex(Catalog catalog);
    explicit CatalogIndex(std::string failure) : failure_(std::move(failure)) {}
    CatalogIndex(const CatalogIndex&) = delete;
    CatalogIndex& operator=(const CatalogIndex&) = delete;

    // Why the catalog is not available, in OLM's words; empty if it is.
    const std::string& failure() const { return failure_; }
    // Without blobs if it is not available.
    const Catalog& catalog() const { return catalog_; }
    // nullptr if the catalog does not have a blob of the package, of any schema. The graph of a package is
    // built on first use. Thread-safe.
    const PackageGraph* find(std::string_view package) const;
    // In byte order.
    std::vector<std::string_view> package_names() const;

private:
    struct Package {
        PackageIndex blobs;
        mutable std::once_flag built;
        mutable PackageGraph graph;
    };

    Catalog catalog_; // memory of the packages
    std::unordered_map<std::string_view, Package> packages_;
    std::string failure_;
};

// A ClusterCatalog.
struct NamedCatalog {
    std::string name;
    const CatalogIndex* index = nullptr;
    int32_t priority = 0;
    Labels labels;            // in addition to the one with its name, which every catalog has
    bool unavailable = false; // its availabilityMode
};

// The labels of a catalog including the one with its name.
Labels all_labels(const NamedCatalog& catalog);

struct Choice {
    const NamedCatalog* catalog = nullptr;
    const PackageGraph* package = nullptr;
    const PackageBundle* bundle = nullptr;
    std::string version;
    std::optional<std::string> release; // only with the gate BundleReleaseSupport
    // The deprecations that OLM reports: those of the last blob that it read, which can be another catalog's.
    const Deprecations* deprecations = nullptr;
    const NamedCatalog* deprecations_of = nullptr;
};

// The candidates of one catalog.
struct CatalogAnswer {
    enum class State : uint8_t { walked, not_selected, unavailable, without_package };
    const NamedCatalog* catalog = nullptr;
    State state = State::walked;
    const PackageGraph* package = nullptr;        // of a catalog that was read
    std::vector<const PackageBundle*> candidates; // matching bundles, best first
};

struct Resolution {
    // Why there is no choice; `none` if there is one.
    enum class Failure : uint8_t {
        none,
        request,    // the selector or the range is invalid
        catalog,    // one cannot be read
        installed,  // the installed version is not valid
        crash,      // OLM crashes because of a skipRange
        no_bundle,  // nothing passes
        ambiguous,  // several catalogs have candidates
        version,    // the best bundle's version is not valid
        dependency, // the best bundle has a dependency, which OLM v1 does not support
    };
    Failure failure = Failure::none;
    std::string error; // OLM's, word for word (except for a crash)
    std::optional<Choice> choice;
    std::optional<Choice> unvalidated;   // with Failure::dependency: the bundle that would have been chosen
    std::vector<CatalogAnswer> catalogs; // in the given order; up to the one that ended the resolution

    // The catalogs that are left after deprecation and priority, as indices into `catalogs`.
    std::vector<size_t> offering;
};

// Refers to its arguments.
Resolution resolve(const Request& request, std::span<const NamedCatalog> catalogs);

// Why the resolver does not offer a bundle for a dependency, in OLM's words; empty: it has none.
std::string refused_dependency(const Bundle& bundle);

// The other candidates that OLM prefers as much as the choice, because their versions are equal: which of
// them it takes depends on the order in which the cluster serves the catalog's blobs, and that is not
// determined.
std::vector<const PackageBundle*> equals_of_choice(const Request& request, const Resolution& resolution);
// A sentence about them; empty if there are none.
std::string describe_equals(const Request& request, const Resolution& resolution);

// Returns what the request's installer does with the choice, as far as its catalog says; nothing without one.
std::optional<InstallVerdict> judge_install(const Request& request, const Choice& choice);
// "OLM chooses X; installing it fails: …"; empty if no reason is known, or without an installer.
std::string failed_choice(const Request& request, const Choice& choice);

// The deprecations in a catalog that concern one request.
struct DeprecationNotice {
    std::string_view catalog; // of the deprecation; with priorities it may differ from the bundle's
    size_t entries = 0;       // of all of the package
    std::optional<std::string_view> package;
    std::map<std::string_view, std::string_view> channels; // the requested ones, or all if none is
    std::optional<std::string_view> bundle;                // the chosen one
    std::optional<std::string_view> installed;             // the installed one

    bool says_something() const { return package || !channels.empty() || bundle || installed; }
};

// Nothing if the catalog has no olm.deprecations blob for the package. Refers to the choice's catalog. The
// last of several entries about one object counts.
std::optional<DeprecationNotice> deprecation_notice(const Request& request, const Choice& choice);

} // namespace opcat::olmv1
