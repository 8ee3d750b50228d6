// All operators and catalogs of a cluster or a namespace: their health, their figures, and the causes of
// failures.
#pragma once

#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/resolve/v1/ocp_upgrade_report.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::cluster {

// A catalog that is not ready, and what it blocks.
struct CatalogOutage {
    const CatalogState* catalog = nullptr;
    bool everyone = false;              // every namespace, or every extension that names no catalog
    std::vector<std::string> operators; // "namespace/package" of those that install from it
};

struct ClusterSnapshot {
    std::vector<OperatorState> operators;
    std::vector<CatalogState> catalogs;
    std::vector<std::string> unread; // what could not be read and why; the rest is valid nevertheless
    bool all_operators = true;       // false: those of one OLM could not be read
    // What they were read from.
    ClassicObjects classic;
    std::vector<Object> extensions;
    std::vector<Object> cluster_catalogs; // none if they may not be read

    std::vector<CatalogOutage> outages() const;
};

// Throws KubectlError if the operators of neither OLM can be read.
ClusterSnapshot read_cluster(const Kubectl& kubectl, const Served& served, const Scope& scope);

// What is to be asked about each operator before an upgrade of OpenShift (resolve/v1/ocp_upgrade.hpp), by the
// OLM that upgrades it: OLM classic asks each ClusterServiceVersion, also one that is being installed.
std::vector<olmv1::OperatorQuestion> upgrade_questions(const ClusterSnapshot& found,
                                                       const olmv1::OlmRelease& release);

// The namespace whose catalogs all namespaces see, a setting of OLM: one of the usual ones that has some, or
// else the one in the arguments of OLM's Deployments. Empty if unknown.
std::string global_namespace(const Kubectl& kubectl, const std::vector<Object>& catalog_sources);

// The objects that state_of_subscription reads, without copied CSVs: an operator for all namespaces has one
// copy in each, of some hundred KiB. Kinds in `optional_kinds` that cannot be read are left out and removed
// from it, so that the next call does not request them again. Throws KubectlError.
ClassicObjects list_classic(const Kubectl& kubectl, const Scope& scope,
                            std::vector<const char*>& optional_kinds);

// OperatorConditions and CatalogSources: users who administer a namespace may often not list them.
std::vector<const char*> optional_classic_kinds();

// All that matters to the operators of a namespace; catalogs and OperatorGroups of other namespaces as far as
// the user may see them. Throws KubectlError.
ClassicObjects read_classic(const Kubectl& kubectl, const std::string& ns);

// The pods of catalogs, which tell what content the cluster serves: those of all namespaces, or of `ns` if
// the user may see no others; else none. Throws KubectlError.
std::vector<Object> catalog_pods(const Kubectl& kubectl, const std::string& ns);

// The ClusterExtension that installs a package, with any name; or else the one with the package's name.
// Throws KubectlError.
std::optional<Object> find_extension(const Kubectl& kubectl, const std::string& package);

// The figures of OLM classic's own metrics, if the cluster's state contains them, in the text format of
// Prometheus (docs/spec/cluster.md). Figures of objects that were not read are left out. Counters that only
// OLM's processes keep (csv_upgrade_count, installplan_warnings_total, olm_resolution_duration_seconds,
// subscription_sync_total) are missing.
std::string prometheus_text(const ClassicObjects& objects);
// Returns true if it leaves none out for missing rights.
bool has_all_figures(const ClassicObjects& objects);

// Why an operator makes no progress, from its objects, events, pods and jobs. Sentences, most significant
// first, without the state's own cause; each may have several lines. Objects that the user may not read are
// left out.
std::vector<std::string> diagnose(const Kubectl& kubectl, const OperatorState& state);

// The same for a CatalogSource that does not become ready.
std::vector<std::string> diagnose_catalog(const Kubectl& kubectl, const std::string& ns,
                                          const std::string& name);

} // namespace opcat::cluster
