// Which Operator Lifecycle Manager a cluster has, and the state of an operator or a catalog from its objects
// (docs/spec/cluster.md).
#pragma once

#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/revisions.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

enum class Olm : uint8_t { classic, v1, none };

std::string_view to_string(Olm olm);

// What is known from the API groups of a cluster.
struct Served {
    bool classic = false;
    bool packages = false; // OLM classic's PackageManifests
    bool v1 = false;
    bool cert_manager = false;
    bool openshift = false;

    static Served of(const std::set<std::string>& groups);
};

// ---- operators, whichever OLM installed them

enum class Health : uint8_t {
    working, // in progress; nothing is wrong yet
    ready,   // as requested, and running
    waits,   // for an approval
    failing  // will not recover by itself, or says that it cannot
};

std::string_view to_string(Health health);

// The state at one moment. It may be outdated a second later (docs/spec/cluster.md, section 4): `hold` is how
// long it must last before it counts.
struct OperatorState {
    Olm olm = Olm::classic;
    std::string package;
    std::string ns;      // where it is installed
    std::string name;    // of the Subscription or ClusterExtension; empty: it has none
    std::string channel; // as requested; may be empty
    std::string range;   // of versions, as requested (v1)
    std::string catalog; // "namespace/name", or its name alone (v1); may be empty

    std::string installed; // name of the existing CSV or bundle; may be empty
    std::string version;   // its version
    bool running = false;  // the installed version works
    std::string next;      // the next CSV, or the one in progress; empty: unknown
    std::string plan;      // the InstallPlan that matters
    bool manual = false;   // upgrades wait for approval

    Health health = Health::working;
    std::chrono::milliseconds hold{0};
    // Since when there is evidence for this health, by the cluster's clock; nothing: the cluster does not
    // say.
    std::optional<std::chrono::system_clock::time_point> since;
    std::string reason; // of `failing` and `waits`: a stable word for programs ("resolution-failed")
    std::string stage;  // what is being done, for people: "unpacking the bundle"
    std::string cause;  // why it fails or waits, in OLM's words if it has some; else empty

    std::vector<Revision> revisions; // experimental feature set of OLM v1
    std::vector<std::string> deprecations;
    std::vector<std::string> webhooks; // that it brought
    std::vector<std::string> notes;    // what else is worth knowing
    std::string stale_resolution;      // why the failure of the resolution that OLM reports is out of date
    bool waits_for_catalog = false;    // that is starting
    bool without_upgrades = false;     // its catalog does not exist, or does not have the installed version
};

// A failure that is shorter than its `hold`, which is normal in healthy runs, counts as progress.
void disregard_young_failure(OperatorState& state, std::chrono::system_clock::time_point now);

// "2026-01-31T12:00:00Z"; nothing if it is not a valid time.
std::optional<std::chrono::system_clock::time_point> time_of(std::string_view text);

// Returns the finalizers for which the deletion of an object waits: "a, b and c"; empty if it has none.
std::string finalizers_of(const Object& object);

// For an object that is being deleted: its state fails if that takes long, because of its finalizers.
void note_deletion(const Object& object, OperatorState& state);

// Containers of a pod that cannot run, or a pod that cannot be scheduled: "pod a: container b:
// CrashLoopBackOff: …". Empty if nothing is wrong.
std::string trouble_of_pod(const Object& pod);

// The availability of a Deployment: true if all wanted replicas are available, else with the Deployment's own
// reason.
struct Availability {
    bool available = false;
    std::string words; // "Deployment shop/controller: 0 of 1 available: Deployment does not have minimum …"
};
Availability availability_of(const Object& deployment);

// ---- catalogs (sections 2.5 and 3.2)

// The state of a catalog: if the cluster serves it, and if not, why.
struct CatalogState {
    Olm olm = Olm::classic;
    std::string ns; // empty for a ClusterCatalog
    std::string name;
    std::string image;  // or the address that serves it
    std::string digest; // the content that is served, if the cluster reports it
    int64_t priority = 0;
    Health health = Health::working; // never `waits`
    std::chrono::milliseconds hold{0};
    bool is_unreachable = false; // it fails, and nothing but its silence shows that
    std::string word;            // the cluster's own: "READY", "Serving", "TRANSIENT_FAILURE"
    std::string cause;           // why it is not ready

    // Returns true if operators can be installed from it, also if newer content cannot be read.
    bool is_served() const { return health == Health::ready || word == "Serving"; }
    // OLM v1: somebody has disabled it.
    bool is_disabled() const { return word == "UserSpecifiedUnavailable"; }
    std::string full_name() const { return ns.empty() ? name : ns + "/" + name; }
};

// `pods` may include those of other catalogs (label olm.catalogSource).
CatalogState state_of_catalog_source(const Object& catalog, std::span<const Object> pods);
CatalogState state_of_cluster_catalog(const Object& catalog);

// ---- OLM v1 (sections 3.2 to 3.4 and 5)

// `deployments` and `pods` may include others. OLM v1's standard features ignore them, so that a crashing
// operator counts as "installed" there. `sets`: the revisions of all extensions, as far as they are known.
OperatorState state_of_extension(const Object& extension, std::span<const Object> deployments,
                                 std::span<const Object> pods, std::span<const Object> sets = {});

// The package that a ClusterExtension is for.
std::string package_of(const Object& extension);
// The catalog that a ClusterExtension's selector names; empty: none.
std::string catalog_of(const Object& extension);

// The label that marks the objects of an extension for OLM v1.
inline constexpr const char* owner_name_label = "olm.operatorframework.io/owner-name";

} // namespace opcat::cluster
