// Decides if a Subscription's condition ResolutionFailed is still true. OLM classic does not resolve again by
// time: the condition stays for minutes after its cause is gone, until an object of the namespace changes
// (docs/spec/cluster.md, OLM classic).
#pragma once

#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace opcat::cluster {

struct ResolutionFailure {
    enum class Standing : uint8_t {
        holds,    // nothing speaks against it
        starting, // a catalog that the namespace sees is starting: `what` names it
        stale     // its cause is gone: `what` says so
    };
    Standing standing = Standing::holds;
    std::string what = {};
    // The time that it must last, because a catalog that is starting reports failures meanwhile.
    std::chrono::milliseconds hold{0};
};

// `failed`: the condition, which is true. Catalogs of other namespaces count as far as `objects` has them.
ResolutionFailure judge_resolution_failure(const Condition& failed, const std::string& ns,
                                           const ClassicObjects& objects);

// Makes OLM classic resolve a namespace again, by an annotation on this Subscription. Throws KubectlError.
void resolve_again(const Kubectl& kubectl, const Object& subscription);

// The same if the last resolution of the namespace failed and operators are left there: returns the
// Subscription, or nothing. Throws KubectlError.
std::optional<Object> resolve_rest_again(const Kubectl& kubectl, const std::string& ns);

} // namespace opcat::cluster
