// What an operator's objects on a cluster add up to, whichever OLM made them.
#pragma once

#include "cluster/generation.hpp"
#include "cluster/json.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

enum class Health : uint8_t {
    working, // on the way; nothing is wrong yet
    ready,   // as it was asked for, and running
    waits,   // for somebody's approval
    failing  // will not get on by itself, or says that it cannot
};

std::string_view to_string(Health health);

// One moment. What it tells may be over a second later (../shared/design/cluster.md, section 4): `hold` is
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
    std::string reason; // of `failing` and `waits`: a stable word for programs ("resolution-failed")
    std::string stage;  // what is being done, for people: "unpacking the bundle"
    std::string cause;  // why it is failing or waits, in OLM's words where it has some; else empty

    std::vector<std::string> deprecations;
    std::vector<std::string> webhooks; // that it brought
    std::vector<std::string> notes;    // what else is worth knowing
};

// Containers of a pod that cannot run, or a pod that has no place: "pod a: container b: CrashLoopBackOff: …".
// Empty if nothing is wrong with it.
std::string trouble_of_pod(const Json& pod);

// Whether all replicas that a Deployment wants are available, and if not, what it says itself.
struct Availability {
    bool available = false;
    std::string words; // "Deployment shop/controller: 0 of 1 available: Deployment does not have minimum …"
};
Availability availability_of(const Json& deployment);

} // namespace opcat::cluster
