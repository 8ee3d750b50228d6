#include "cluster/operator_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::cluster {

std::string_view to_string(Health health) {
    switch (health) {
    case Health::working:
        return "working";
    case Health::ready:
        return "ready";
    case Health::waits:
        return "waits";
    case Health::failing:
        return "failing";
    }
    return {};
}

std::string trouble_of_pod(const Json& pod) {
    // A container that is being created waits, too.
    const auto is_trouble = [](const std::string& reason) {
        return !reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing";
    };
    for (const char* statuses : {"initContainerStatuses", "containerStatuses"}) {
        for (const Json& status : array(pod, {"status", statuses})) {
            const std::string reason = text(status, {"state", "waiting", "reason"});
            if (!is_trouble(reason)) continue;
            std::string words =
                fmt::format("pod {}: container {}: {}", name_of(pod), text(status, {"name"}), reason);
            if (const std::string more = text(status, {"state", "waiting", "message"}); !more.empty())
                words += ": " + more;
            if (const std::string last = text(status, {"lastState", "terminated", "reason"}); !last.empty())
                words += fmt::format(" (it ended with {}, exit code {})", last,
                                     number(status, {"lastState", "terminated", "exitCode"}));
            return words;
        }
    }
    const Condition scheduled = condition(pod, "PodScheduled");
    if (scheduled.status == "False" && scheduled.reason == "Unschedulable")
        return fmt::format("pod {} has no node: {}", name_of(pod), scheduled.message);
    return {};
}

Availability availability_of(const Json& deployment) {
    const int64_t wanted = number(deployment, {"spec", "replicas"}, 1);
    const int64_t available = number(deployment, {"status", "availableReplicas"});
    const int64_t updated = number(deployment, {"status", "updatedReplicas"});
    const bool observed = number(deployment, {"status", "observedGeneration"}) >=
                          number(deployment, {"metadata", "generation"});
    if (observed && available >= wanted && updated >= wanted) return {true, {}};
    std::string words = fmt::format("{}: {} of {} available", describe(deployment), available, wanted);
    // Old pods run on until new ones do.
    if (available >= wanted)
        words = fmt::format("{}: {} of {} of the new version", describe(deployment), observed ? updated : 0,
                            wanted);
    for (const char* type : {"Progressing", "Available"}) {
        const Condition why = condition(deployment, type);
        if (why.status == "False" && !why.message.empty()) return {false, words + ": " + why.message};
    }
    return {false, words};
}

} // namespace opcat::cluster
