// The parts of a cluster that OLM reads, from manifests as `kubectl get -o yaml` prints them; and the
// manifests of a bundle in its catalog.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"
#include "opcat/kube/object.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::classic {

using kube::Fields;
using kube::Object;

struct CatalogSource : Object {
    int64_t priority = 0;
};

struct Subscription : Object {
    std::string package;
    std::string channel;
    std::string source;
    std::string source_namespace;
    std::string starting_csv;
    bool manual = false; // installPlanApproval
    std::string installed_csv;
    std::string current_csv;
};

struct ClusterServiceVersion : Object {
    std::string version; // as it is written
    std::string replaces;
    std::string phase;
    bool copied = false;
};

struct OperatorGroup : Object {};

// Objects in the order of the manifests.
struct ClusterState {
    std::vector<CatalogSource> catalog_sources;
    std::vector<Subscription> subscriptions;
    std::vector<ClusterServiceVersion> csvs;
    std::vector<OperatorGroup> operator_groups;
    std::vector<Object> operator_conditions;
    std::vector<Object> install_plans;
    std::vector<Object> crds;
    std::vector<Object> namespaces;
    std::vector<Object> olm_configs;
    std::vector<Object> others; // custom resources among them

    std::vector<std::shared_ptr<const SourceFile>> files; // that findings refer to
};

// Returns true if a ClusterServiceVersion is a copy that OLM makes in the namespaces that an operator
// watches.
bool is_copied(const Object& csv);

// Returns true for OLM's own package server, which no Subscription upgrades, but what upgrades OLM.
bool is_of_olm(const Object& csv);

// Those that run although no Subscription is about them, in their order. What another one replaces is of an
// upgrade, and not among them; those that replace each other are. O(n log n).
std::vector<const ClusterServiceVersion*> unsubscribed_csvs(const ClusterState& cluster);

// Returns true if upgrades go on from failed operators of this OperatorGroup.
bool fails_forward(const Object& group);

// The usual namespaces whose catalogs every namespace sees, most significant first. Which it is is a setting
// of OLM.
inline constexpr const char* usual_global_namespaces[] = {"openshift-marketplace", "olm",
                                                          "operator-lifecycle-manager"};
// The first of them among these; empty if there is none.
std::string usual_global_namespace(const std::set<std::string>& namespaces);
// For namespace `ns` of a cluster whose setting is not known: a usual one that has CatalogSources, or else
// any other that has some, or else `ns`.
std::string likely_global_namespace(const ClusterState& cluster, const std::string& ns);

// Adds the objects of a file: documents of YAML or JSON, and the items of Lists. Unreadable parts are
// reported in `findings`.
void read_manifests(std::shared_ptr<const SourceFile> file, ClusterState& cluster, Diagnostics& findings);

// Adds an object, or those of a List.
void add_object(const Object& object, ClusterState& cluster, Diagnostics& findings);

// Removes objects that are given twice, as in the directories of a must-gather. If those of OLM differ,
// nobody knows which one the cluster has: a finding. Others that differ stay.
void remove_repeated(ClusterState& cluster, Diagnostics& findings);

// The manifests in olm.bundle.object properties; nothing for a bundle whose manifests are only in its image.
std::optional<ClusterState> objects_of(const Bundle& bundle);

// What an install plan applies in addition to the ClusterServiceVersion, as "Kind name", definitions first;
// nothing for a bundle whose manifests are only in its image.
std::vector<std::string> other_manifests_of(const Bundle& bundle);

// The install modes that the CSV supports ("OwnNamespace", …); nothing if the catalog does not say.
std::optional<std::set<std::string>> install_modes_of(const Bundle& bundle);

// The same of an operator that is installed.
std::optional<std::set<std::string>> install_modes_of(const ClusterServiceVersion& csv);

// The oldest version of Kubernetes that the CSV accepts; empty if the CSV or the catalog does not say.
std::string min_kube_version_of(const Bundle& bundle);

} // namespace opcat::classic
