// All operators and catalogs of a cluster, or of one namespace of it, and how they are.
#pragma once

#include "cluster/catalog_state.hpp"
#include "cluster/classic_state.hpp"
#include "cluster/kubectl.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::cluster {

// A catalog that is not ready and what cannot move because of it.
struct CatalogOutage {
    const CatalogState* catalog = nullptr;
    bool everyone = false;              // every namespace, or every extension that names no catalog
    std::vector<std::string> operators; // "namespace/package" of those that install from it
};

struct ClusterSnapshot {
    std::vector<OperatorState> operators;
    std::vector<CatalogState> catalogs;
    std::vector<std::string> unread; // what could not be looked at and why; the rest is good nevertheless
    ClassicObjects classic;          // what it was read from
    std::string global_ns;           // of the CatalogSources that every namespace sees

    std::vector<CatalogOutage> outages() const;
};

// Throws KubectlError if the operators themselves cannot be read.
ClusterSnapshot read_cluster(const Kubectl& kubectl, const Served& served, const Scope& scope);

// The namespace whose catalogs all namespaces see. Which one it is is a setting of OLM that no object tells:
// it is one of the usual ones that has some, or else empty.
std::string global_namespace(const std::vector<Json>& catalog_sources);

// The first of the usual ones that is among these; empty if none is.
std::string usual_global_namespace(const std::set<std::string>& namespaces);

// The usual ones, most telling first.
inline constexpr const char* usual_global_namespaces[] = {"openshift-marketplace", "olm",
                                                          "operator-lifecycle-manager"};

// The objects that state_of_subscription looks at, in one call. Without the copies of CSVs: an operator for
// all namespaces has one in each, of some hundred KiB. Throws KubectlError.
std::vector<Json> list_classic(const Kubectl& kubectl, const Scope& scope);

// All that matters to the operators of a namespace; catalogs of other namespaces as far as the user may see
// them. Throws KubectlError.
ClassicObjects read_classic(const Kubectl& kubectl, const std::string& ns);

// The ClusterExtension that installs a package, whatever its name; or else the one with the package's name.
// Throws KubectlError.
std::optional<Json> find_extension(const Kubectl& kubectl, const std::string& package);

} // namespace opcat::cluster
