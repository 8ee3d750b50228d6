#include "cluster/v1_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::cluster {
namespace {

using namespace std::chrono_literals;

// Between the steps of an upgrade all conditions say "done" for a moment.
constexpr auto hold_ready = 2s;
// Healthy runs retry for some milliseconds; real failures retry for ever.
constexpr auto hold_retrying = 5s;
constexpr auto hold_final = 1s;
constexpr auto hold_bad_pods = 20s;

void fail(OperatorState& state, std::string reason, std::string cause, std::chrono::milliseconds hold) {
    state.health = Health::failing;
    state.reason = std::move(reason);
    state.cause = std::move(cause);
    state.hold = hold;
}

// Deployments that are not there yet, in words; what is wrong with their pods in `trouble`.
std::string waiting_for(const OperatorState& state, std::span<const Json> deployments,
                        std::span<const Json> pods, std::string& trouble) {
    for (const Json& deployment : deployments) {
        if (label(deployment, owner_name_label) != state.name) continue;
        const Availability availability = availability_of(deployment);
        if (availability.available) continue;
        if (const Json* const labels = find(deployment, {"spec", "selector", "matchLabels"}))
            for (const Json& pod : pods) {
                const Json* const have = find(pod, {"metadata", "labels"});
                if (namespace_of(pod) == namespace_of(deployment) && have && satisfies(*have, *labels) &&
                    trouble.empty())
                    trouble = trouble_of_pod(pod);
            }
        return availability.words;
    }
    return {};
}

} // namespace

std::string package_of(const Json& extension) {
    return text(extension, {"spec", "source", "catalog", "packageName"});
}

OperatorState state_of_extension(const Json& extension, std::span<const Json> deployments,
                                 std::span<const Json> pods) {
    OperatorState state;
    state.olm = Olm::v1;
    state.name = name_of(extension);
    state.ns = text(extension, {"spec", "namespace"});
    state.package = package_of(extension);
    state.range = text(extension, {"spec", "source", "catalog", "version"});
    for (const std::string& channel : strings(extension, {"spec", "source", "catalog", "channels"}))
        state.channel += (state.channel.empty() ? "" : ",") + channel;
    state.catalog = text(extension, {"spec", "source", "catalog", "selector", "matchLabels",
                                     "olm.operatorframework.io/metadata.name"});
    state.installed = text(extension, {"status", "install", "bundle", "name"});
    state.version = text(extension, {"status", "install", "bundle", "version"});
    for (const char* type : {"PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"})
        if (const Condition deprecated = condition(extension, type); deprecated.is_true())
            state.deprecations.push_back(deprecated.message);

    const Condition progressing = condition(extension, "Progressing");
    const Condition installed = condition(extension, "Installed");
    const bool seen = progressing.observed_generation >= number(extension, {"metadata", "generation"});
    std::string trouble;
    const std::string waiting = waiting_for(state, deployments, pods, trouble);
    state.running = installed.is_true() && waiting.empty();

    if (is_terminating(extension)) {
        state.stage = "being deleted";
    } else if (progressing.status.empty() || !seen) {
        state.stage = "waiting for OLM to look at it";
    } else if (progressing.reason == "Retrying") {
        fail(state, "retrying", "Retrying: " + progressing.message, hold_retrying);
        state.stage = "retrying";
    } else if (!progressing.is_true()) {
        std::string reason = "blocked";
        if (progressing.reason == "InvalidConfiguration") reason = "invalid-configuration";
        if (progressing.reason == "ProgressDeadlineExceeded") reason = "progress-deadline-exceeded";
        fail(state, std::move(reason), progressing.reason + ": " + progressing.message, hold_final);
    } else if (!trouble.empty()) {
        fail(state, "pods-failing", trouble, hold_bad_pods);
        state.stage = waiting;
    } else if (progressing.reason == "RollingOut") {
        state.stage = progressing.message;
    } else if (!installed.is_true() || state.installed.empty()) {
        state.stage = installed.message.empty() ? "installing" : installed.message;
    } else if (!waiting.empty()) {
        state.stage = "waiting for " + waiting;
    } else {
        state.health = Health::ready;
        state.hold = hold_ready;
    }
    return state;
}

} // namespace opcat::cluster
