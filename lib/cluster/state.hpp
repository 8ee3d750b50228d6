// Which Operator Lifecycle Manager a cluster has, and what the objects of an operator or a catalog add up to
// (docs/spec/cluster.md).
#pragma once

#include "opcat/cluster/objects.hpp"

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

// What the API groups of a cluster tell.
struct Served {
    bool classic = false;
    bool packages = false; // OLM classic's PackageManifests
    bool v1 = false;
    bool cert_manager = false;
    bool openshift = false;

    static Served of(const std::set<std::string>& groups);
    bool has(Olm olm) const { return olm == Olm::none || (olm == Olm::classic ? classic : v1); }
};

// ---- operators, whichever OLM installed them

enum class Health : uint8_t {
    working, // on the way; nothing is wrong yet
    ready,   // as it was asked for, and running
    waits,   // for somebody's approval
    failing  // will not get on by itself, or says that it cannot
};

std::string_view to_string(Health health);

// One moment. What it says may be over a second later (docs/spec/cluster.md, section 4): `hold` is
// how long it must last before it is a fact.
struct OperatorState {
    Olm olm = Olm::classic;
    std::string package;
    std::string ns;      // where it is installed
    std::string name;    // of the Subscription or ClusterExtension; empty: it has none
    std::string channel; // as asked for; may be empty
    std::string range;   // of versions, as asked for (v1)
    std::string catalog; // "namespace/name", or its name alone (v1); may be empty

    std::string installed; // name of the CSV or bundle that is there; may be empty
    std::string version;   // its version
    bool running = false;  // what is installed works
    std::string next;      // the CSV that would come next, or is coming; empty: none known
    std::string plan;      // the InstallPlan that matters
    bool manual = false;   // upgrades wait for approval

    Health health = Health::working;
    std::chrono::milliseconds hold{0};
    // When what speaks for this health came about, by the cluster's clock; nothing: the cluster does not
    // tell.
    std::optional<std::chrono::system_clock::time_point> since;
    std::string reason; // of `failing` and `waits`: a stable word for programs ("resolution-failed")
    std::string stage;  // what is being done, for people: "unpacking the bundle"
    std::string cause;  // why it is failing or waits, in OLM's words where it has some; else empty

    std::vector<std::string> deprecations;
    std::vector<std::string> webhooks; // that it brought
    std::vector<std::string> notes;    // what else is worth knowing
};

// What fails for less than its `hold`, which is normal in healthy runs, counts as being worked on.
void disregard_young_failure(OperatorState& state, std::chrono::system_clock::time_point now);

// "2026-01-31T12:00:00Z"; nothing if it is not a time.
std::optional<std::chrono::system_clock::time_point> time_of(std::string_view text);

// Containers of a pod that cannot run, or a pod that has no place: "pod a: container b: CrashLoopBackOff: …".
// Empty if nothing is wrong with it.
std::string trouble_of_pod(const Object& pod);

// Whether all replicas that a Deployment wants are available, and if not, what it says itself.
struct Availability {
    bool available = false;
    std::string words; // "Deployment shop/controller: 0 of 1 available: Deployment does not have minimum …"
};
Availability availability_of(const Object& deployment);

// ---- catalogs (sections 2.5 and 3.2)

// Whether a catalog on a cluster is served, and if not, why.
struct CatalogState {
    Olm olm = Olm::classic;
    std::string ns; // empty for a ClusterCatalog
    std::string name;
    std::string image;  // or the address that serves it
    std::string digest; // what is served of it, where the cluster says it
    int64_t priority = 0;
    Health health = Health::working; // never `waits`
    std::chrono::milliseconds hold{0};
    std::string word;  // the cluster's own: "READY", "Serving", "TRANSIENT_FAILURE"
    std::string cause; // why it is not ready

    std::string full_name() const { return ns.empty() ? name : ns + "/" + name; }
};

// `pods` are those of the catalog (label olm.catalogSource), or more.
CatalogState state_of_catalog_source(const Object& catalog, std::span<const Object> pods);
CatalogState state_of_cluster_catalog(const Object& catalog);

// ---- OLM v1 (sections 3.2 to 3.4 and 5)

// `deployments` and `pods` are those of the extension, or more: OLM v1's standard features do not look at
// them, so that a crashing operator is "installed" to it.
OperatorState state_of_extension(const Object& extension, std::span<const Object> deployments,
                                 std::span<const Object> pods);

// The package that a ClusterExtension is for.
std::string package_of(const Object& extension);

// The label by which OLM v1 knows what belongs to an extension.
inline constexpr const char* owner_name_label = "olm.operatorframework.io/owner-name";

} // namespace opcat::cluster
