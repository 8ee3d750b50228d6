#include "opcat/cluster/state.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <fmt/core.h>

#include <ctime>

namespace opcat::cluster {

std::string_view to_string(Olm olm) {
    switch (olm) {
    case Olm::classic:
        return "classic";
    case Olm::v1:
        return "v1";
    case Olm::none:
        return "none";
    }
    return {};
}

Served Served::of(const std::set<std::string>& groups) {
    return {.classic = groups.contains(resource::classic_group),
            .packages = groups.contains("packages.operators.coreos.com"),
            .v1 = groups.contains(resource::v1_group),
            .cert_manager = groups.contains("cert-manager.io"),
            .openshift = groups.contains("config.openshift.io")};
}

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

std::optional<std::chrono::system_clock::time_point> time_of(std::string_view text) {
    std::tm parts{};
    const std::string copy(text);
    const char* const end = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (!end || (*end != 'Z' && *end != '.')) return std::nullopt;
    // Other years are not times of a cluster, and the clock's numbers end in 2262.
    if (const int year = parts.tm_year + 1900; year < 1970 || year > 2200) return std::nullopt;
    return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

void disregard_young_failure(OperatorState& state, std::chrono::system_clock::time_point now) {
    if (state.health != Health::failing || !state.since) return;
    // A clock that is behind the cluster's gives no information.
    if (now < *state.since || now - *state.since >= state.hold) return;
    state.health = Health::working;
    if (state.stage.empty()) state.stage = state.cause;
}

std::string finalizers_of(const Object& object) {
    return listed(object.strings("metadata", "finalizers"));
}

void note_deletion(const Object& object, OperatorState& state) {
    // OLM removes its finalizers within seconds.
    constexpr auto hold_deletion = std::chrono::seconds(60);
    const std::string finalizers = finalizers_of(object);
    state.health = Health::failing;
    state.reason = "deletion-stuck";
    state.hold = hold_deletion;
    state.since = time_of(object.text("metadata", "deletionTimestamp"));
    state.stage = "being deleted";
    state.cause =
        fmt::format("{} is being deleted{}", object.describe(),
                    finalizers.empty() ? std::string() : " and waits for its finalizers: " + finalizers);
}

std::string trouble_of_pod(const Object& pod) {
    // A container that is being created waits, too.
    // The first back-off comes after one restart: a container that has waited once is in trouble until it is
    // ready.
    constexpr int64_t many_restarts = 2;
    const auto is_trouble = [](std::string_view reason) {
        return !reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing";
    };
    for (const char* statuses : {"initContainerStatuses", "containerStatuses"}) {
        for (const Fields status : pod.items("status", statuses)) {
            std::string reason(status.text("state", "waiting", "reason"));
            // Between two crashes it runs for a while.
            if (const int64_t restarts = status.number("restartCount");
                reason.empty() && !status.flag("ready") && restarts >= many_restarts &&
                status.number("lastState", "terminated", "exitCode") != 0)
                reason = fmt::format("restarted {} times", restarts);
            if (!is_trouble(reason)) continue;
            std::string words =
                fmt::format("pod {}: container {}: {}", pod.name, status.text("name"), reason);
            if (const std::string_view more = status.text("state", "waiting", "message"); !more.empty())
                words += fmt::format(": {}", more);
            if (const std::string_view last = status.text("lastState", "terminated", "reason"); !last.empty())
                words += fmt::format(" (it ended with {}, exit code {})", last,
                                     status.number("lastState", "terminated", "exitCode"));
            return words;
        }
    }
    const Condition scheduled = pod.condition("PodScheduled");
    if (scheduled.status == "False" && scheduled.reason == "Unschedulable")
        return fmt::format("pod {} has no node: {}", pod.name, scheduled.message);
    return {};
}

Availability availability_of(const Object& deployment) {
    const int64_t wanted = deployment.number_or(1, "spec", "replicas");
    const int64_t available = deployment.number("status", "availableReplicas");
    const int64_t updated = deployment.number("status", "updatedReplicas");
    const bool observed =
        deployment.number("status", "observedGeneration") >= deployment.number("metadata", "generation");
    if (observed && available >= wanted && updated >= wanted) return {true, {}};
    std::string words = fmt::format("{}: {} of {} available", deployment.describe(), available, wanted);
    // Old pods run until the new ones do.
    if (available >= wanted)
        words = fmt::format("{}: {} of {} of the new version", deployment.describe(), observed ? updated : 0,
                            wanted);
    for (const char* type : {"Progressing", "Available"}) {
        const Condition why = deployment.condition(type);
        if (why.status == "False" && !why.message.empty()) return {false, words + ": " + why.message};
    }
    return {false, words};
}

namespace {

using namespace std::chrono_literals;

// A registry that is starting refuses connections, too.
constexpr auto catalog_hold_failing = 20s;
// OLM reconnects with increasing pauses: half a minute passes although the pod runs.
constexpr auto catalog_hold_unreachable = 45s;
constexpr auto catalog_hold_final = 2s;

// A registry's message about an image that a retry will not find.
bool is_missing(std::string_view message) {
    for (const char* words : {"manifest unknown", "name unknown", "unauthorized", "no such host"})
        if (message.find(words) != message.npos) return true;
    return false;
}

} // namespace

CatalogState state_of_catalog_source(const Object& catalog, std::span<const Object> pods) {
    CatalogState state;
    state.ns = catalog.ns;
    state.name = catalog.name;
    state.image = catalog.text("spec", "image");
    if (state.image.empty()) state.image = catalog.text("spec", "address");
    state.priority = catalog.number("spec", "priority");
    state.word = catalog.text("status", "connectionState", "lastObservedState");
    const std::string_view reason = catalog.text("status", "reason");
    const std::string_view message = catalog.text("status", "message");
    if (state.word == "READY") {
        state.health = Health::ready;
        return state;
    }
    for (const Object& pod : pods) {
        if (pod.ns != state.ns || pod.label("olm.catalogSource") != state.name) continue;
        state.cause = trouble_of_pod(pod);
        if (state.cause.empty()) continue;
        state.health = Health::failing;
        state.hold = catalog_hold_failing;
        return state;
    }
    if (!message.empty()) {
        state.health = Health::failing;
        state.hold = catalog_hold_failing;
        state.cause = fmt::format("{}{}{}", reason, reason.empty() ? "" : ": ", message);
    } else if (state.word == "TRANSIENT_FAILURE") {
        state.health = Health::failing;
        state.hold = catalog_hold_unreachable;
        state.is_unreachable = true;
        state.cause = fmt::format("its registry does not answer at {}",
                                  catalog.text("status", "connectionState", "address"));
    }
    if (state.word.empty()) state.word = "no state yet";
    return state;
}

CatalogState state_of_cluster_catalog(const Object& catalog) {
    CatalogState state;
    state.olm = Olm::v1;
    state.name = catalog.name;
    state.image = catalog.text("spec", "source", "image", "ref");
    state.digest = catalog.text("status", "resolvedSource", "image", "ref");
    state.priority = catalog.number("spec", "priority");
    const Condition progressing = catalog.condition("Progressing");
    const Condition serving = catalog.condition("Serving");
    const bool seen = progressing.observed_generation >= catalog.number("metadata", "generation");
    state.word = serving.is_true()             ? "Serving"
                 : !serving.reason.empty()     ? serving.reason
                 : !progressing.reason.empty() ? progressing.reason
                                               : "no state yet";
    if (!seen || progressing.status.empty()) {
        state.cause = "catalogd has not looked at it yet";
    } else if (progressing.reason == "Retrying" || !progressing.is_true()) {
        state.health = Health::failing;
        const bool passes = progressing.reason == "Retrying" && !is_missing(progressing.message);
        state.hold = passes ? catalog_hold_failing : catalog_hold_final;
        state.cause = progressing.reason + ": " + progressing.message;
        // The earlier content is still served, and installs from it work.
        if (serving.is_true()) state.cause += " (the old content is still served)";
    } else if (serving.is_true()) {
        state.health = Health::ready;
    } else if (serving.reason == "UserSpecifiedUnavailable") {
        state.health = Health::failing;
        state.hold = catalog_hold_final;
        state.cause = "UserSpecifiedUnavailable: " + serving.message;
    }
    return state;
}

namespace {

using namespace std::chrono_literals;

// Between the steps of an upgrade all conditions say "done" for a moment.
constexpr auto extension_hold_ready = 2s;
// Healthy runs retry for some milliseconds; real failures retry forever.
constexpr auto extension_hold_retrying = 5s;
constexpr auto extension_hold_final = 1s;
constexpr auto extension_hold_bad_pods = 20s;

void fail(OperatorState& state, std::string reason, std::string cause, std::chrono::milliseconds hold) {
    state.health = Health::failing;
    state.reason = std::move(reason);
    state.cause = std::move(cause);
    state.hold = hold;
}

// Deployments that do not exist yet, in words; problems of their pods in `trouble`.
std::string waiting_for(const OperatorState& state, std::span<const Object> deployments,
                        std::span<const Object> pods, std::string& trouble) {
    for (const Object& deployment : deployments) {
        if (deployment.label(owner_name_label) != state.name) continue;
        const Availability availability = availability_of(deployment);
        if (availability.available) continue;
        if (const Fields selector = deployment.at("spec", "selector"))
            for (const Object& pod : pods)
                if (pod.ns == deployment.ns && kube::selects(selector, pod) && trouble.empty())
                    trouble = trouble_of_pod(pod);
        return availability.words;
    }
    return {};
}

} // namespace

std::string package_of(const Object& extension) {
    return std::string(extension.text("spec", "source", "catalog", "packageName"));
}

std::string catalog_of(const Object& extension) {
    return std::string(
        extension.text("spec", "source", "catalog", "selector", "matchLabels", olmv1::catalog_name_label));
}

namespace {

// The newest revision says why the extension does not progress, where the extension itself only says that.
void add_revisions(std::vector<Revision> revisions, OperatorState& state) {
    state.revisions = std::move(revisions);
    if (state.revisions.empty()) return;
    const Revision& last = state.revisions.back();
    if (!last.is_rolling_out() || last.waits_for.empty()) return;
    if (state.health == Health::working)
        state.stage += fmt::format("{}{}", state.stage.empty() ? "" : " ", last.waits_for);
    else if (state.health == Health::failing && state.cause.find(last.waits_for) == std::string::npos)
        state.cause += "\n" + last.waits_for;
}

} // namespace

OperatorState state_of_extension(const Object& extension, std::span<const Object> deployments,
                                 std::span<const Object> pods, std::span<const Object> sets) {
    OperatorState state;
    state.olm = Olm::v1;
    state.name = extension.name;
    state.ns = extension.text("spec", "namespace");
    state.package = package_of(extension);
    state.range = extension.text("spec", "source", "catalog", "version");
    for (const std::string& channel : extension.strings("spec", "source", "catalog", "channels"))
        state.channel += (state.channel.empty() ? "" : ",") + channel;
    state.catalog = catalog_of(extension);
    state.installed = extension.text("status", "install", "bundle", "name");
    state.version = extension.text("status", "install", "bundle", "version");
    for (const char* type : {"PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"})
        if (const Condition deprecated = extension.condition(type); deprecated.is_true())
            state.deprecations.push_back(deprecated.message);

    const Condition progressing = extension.condition("Progressing");
    const Condition installed = extension.condition("Installed");
    const bool seen = progressing.observed_generation >= extension.number("metadata", "generation");
    state.since = time_of(
        Fields::of_type(extension.items("status", "conditions"), "Progressing").text("lastTransitionTime"));
    std::string trouble;
    const std::string waiting = waiting_for(state, deployments, pods, trouble);
    if (state.name != state.package)
        state.notes.push_back(fmt::format("its ClusterExtension is called {}", state.name));
    state.running = installed.is_true() && waiting.empty();

    if (extension.is_terminating()) {
        note_deletion(extension, state);
    } else if (progressing.status.empty() || !seen) {
        state.stage = "waiting for OLM to look at it";
    } else if (progressing.reason == "Retrying") {
        fail(state, "retrying", "Retrying: " + progressing.message, extension_hold_retrying);
        state.stage = "retrying";
    } else if (!progressing.is_true()) {
        std::string reason = "blocked";
        if (progressing.reason == "InvalidConfiguration") reason = "invalid-configuration";
        if (progressing.reason == "ProgressDeadlineExceeded") reason = "progress-deadline-exceeded";
        fail(state, std::move(reason), progressing.reason + ": " + progressing.message, extension_hold_final);
    } else if (!trouble.empty()) {
        fail(state, "pods-failing", trouble, extension_hold_bad_pods);
        state.stage = waiting;
    } else if (progressing.reason == "RollingOut") {
        state.stage = progressing.message;
    } else if (!installed.is_true() || state.installed.empty()) {
        state.stage = installed.message.empty() ? "installing" : installed.message;
    } else if (!waiting.empty()) {
        state.stage = "waiting for " + waiting;
    } else {
        state.health = Health::ready;
        state.hold = extension_hold_ready;
    }
    add_revisions(revisions_of(extension, sets), state);
    return state;
}

} // namespace opcat::cluster
