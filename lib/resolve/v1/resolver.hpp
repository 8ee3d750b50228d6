// What OLM v1 would install: the resolver of operator-controller, step by step
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

// A catalog, ready for many questions.
class CatalogIndex {
public:
    // Of a catalog that was read, or of one that could not be: see load_failure.hpp.
    explicit CatalogIndex(Catalog catalog);
    explicit CatalogIndex(std::string failure) : failure_(std::move(failure)) {}
    CatalogIndex(const CatalogIndex&) = delete;
    CatalogIndex& operator=(const CatalogIndex&) = delete;

    // Why nothing is available from the catalog, in OLM's words; empty if all is well.
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

// What a catalog says is deprecated, as it concerns one request.
struct DeprecationNotice {
    std::string_view catalog; // that says so; with priorities it may be another than the bundle's
    size_t entries = 0;       // of all of the package
    std::optional<std::string_view> package;
    std::map<std::string_view, std::string_view> channels; // those requested, or all if none is
    std::optional<std::string_view> bundle;                // the chosen one
    std::optional<std::string_view> installed;             // the installed one

    bool says_something() const { return package || !channels.empty() || bundle || installed; }
};

// Nothing if the catalog has no olm.deprecations blob for the package. Refers to the choice's catalog. Of
// several entries about one thing the last counts.
std::optional<DeprecationNotice> deprecation_notice(const Request& request, const Choice& choice);

} // namespace opcat::olmv1
