#include "cluster/catalog_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::cluster {
namespace {

using namespace std::chrono_literals;

// A registry that is starting refuses connections, too.
constexpr auto hold_failing = 20s;
constexpr auto hold_final = 2s;

} // namespace

CatalogState state_of_catalog_source(const Json& catalog, std::span<const Json> pods) {
    CatalogState state;
    state.ns = namespace_of(catalog);
    state.name = name_of(catalog);
    state.image = text(catalog, {"spec", "image"});
    if (state.image.empty()) state.image = text(catalog, {"spec", "address"});
    state.priority = number(catalog, {"spec", "priority"});
    state.word = text(catalog, {"status", "connectionState", "lastObservedState"});
    const std::string reason = text(catalog, {"status", "reason"});
    const std::string message = text(catalog, {"status", "message"});
    if (state.word == "READY") {
        state.health = Health::ready;
        return state;
    }
    for (const Json& pod : pods) {
        if (namespace_of(pod) != state.ns || label(pod, "olm.catalogSource") != state.name) continue;
        state.cause = trouble_of_pod(pod);
        if (state.cause.empty()) continue;
        state.health = Health::failing;
        state.hold = hold_failing;
        return state;
    }
    if (!message.empty()) {
        state.health = Health::failing;
        state.hold = hold_failing;
        state.cause = reason.empty() ? message : reason + ": " + message;
    } else if (state.word == "TRANSIENT_FAILURE") {
        state.health = Health::failing;
        state.hold = hold_failing;
        state.cause = fmt::format("its registry does not answer at {}",
                                  text(catalog, {"status", "connectionState", "address"}));
    }
    if (state.word.empty()) state.word = "no state yet";
    return state;
}

CatalogState state_of_cluster_catalog(const Json& catalog) {
    CatalogState state;
    state.olm = Olm::v1;
    state.name = name_of(catalog);
    state.image = text(catalog, {"spec", "source", "image", "ref"});
    state.digest = text(catalog, {"status", "resolvedSource", "image", "ref"});
    state.priority = number(catalog, {"spec", "priority"});
    const Condition progressing = condition(catalog, "Progressing");
    const Condition serving = condition(catalog, "Serving");
    const bool seen = progressing.observed_generation >= number(catalog, {"metadata", "generation"});
    state.word = serving.is_true() ? "Serving" : serving.reason.empty() ? "no state yet" : serving.reason;
    if (!seen || progressing.status.empty()) {
        state.cause = "catalogd has not looked at it yet";
    } else if (progressing.reason == "Retrying" || !progressing.is_true()) {
        state.health = Health::failing;
        state.hold = progressing.reason == "Retrying" ? hold_failing : hold_final;
        state.cause = progressing.reason + ": " + progressing.message;
        // What was there before is served on, and installs from it work.
        if (serving.is_true()) state.cause += " (the old content is still served)";
    } else if (serving.is_true()) {
        state.health = Health::ready;
    } else if (serving.reason == "UserSpecifiedUnavailable") {
        state.health = Health::failing;
        state.hold = hold_final;
        state.cause = "UserSpecifiedUnavailable: " + serving.message;
    }
    return state;
}

} // namespace opcat::cluster
