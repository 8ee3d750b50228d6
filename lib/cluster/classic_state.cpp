#include "opcat/cluster/classic_state.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/cluster/resolution_failure.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace opcat::cluster {
namespace {

using namespace std::chrono_literals;

// The time that a state must last to count. Succeeded is often followed by Failed and Succeeded again within
// two seconds; resolution fails for a moment during upgrades and while a catalog starts.
constexpr auto hold_ready = 4s;
constexpr auto hold_conclusion = 20s;
constexpr auto hold_failed_csv = 5s;
constexpr auto hold_unsatisfiable_first = 4s;
constexpr auto hold_resolution = 15s;
constexpr auto hold_plan_retrying = 30s;
constexpr auto hold_requirements = 60s;
constexpr auto hold_bad_pods = 20s;
constexpr auto hold_nothing_happens = 10s;
constexpr auto hold_final = 2s;

// Sorts OLM's list of custom resources that a new schema refuses: their order changes with each of its
// attempts.
std::string in_fixed_order(std::string_view message) {
    constexpr std::string_view start = "updated validation is too restrictive: [[]";
    constexpr std::string_view between = ", []";
    const size_t list = message.find(start);
    const size_t end = message.rfind(']');
    if (list == message.npos || end < list + start.size()) return std::string(message);
    std::vector<std::string_view> parts;
    std::string_view rest = message.substr(list + start.size(), end - list - start.size());
    for (size_t at = 0; at != rest.npos;) {
        at = rest.find(between);
        parts.push_back(rest.substr(0, at));
        if (at != rest.npos) rest.remove_prefix(at + between.size());
    }
    std::sort(parts.begin(), parts.end());
    std::string text(message.substr(0, list + start.size()));
    for (size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) text += between;
        text += parts[i];
    }
    text += message.substr(end);
    return text;
}

// OLM's reason if a CSV was not ready within five minutes.
constexpr std::string_view install_check_failed = "InstallCheckFailed";

// Builds the state from the objects.
class Reading {
public:
    Reading(const ClassicObjects& objects, const Object& subscription)
        : objects_(objects), subscription_(subscription) {
        state_.package = subscription.text("spec", "name");
        state_.ns = subscription.ns;
        state_.name = subscription.name;
        state_.channel = subscription.text("spec", "channel");
        state_.catalog = fmt::format("{}/{}", subscription.text("spec", "sourceNamespace"),
                                     subscription.text("spec", "source"));
        state_.manual = subscription.text("spec", "installPlanApproval") == "Manual";
        state_.installed = subscription.text("status", "installedCSV");
        plan_ = latest_plan(objects, subscription);
        if (plan_) state_.plan = plan_->name;
        read_csvs();
        read_deprecations();
    }

    OperatorState read() {
        // Facts precede conditions, and the most recent fact counts.
        if (!plan_failed() && !csv_tells() && !groups_wrong() && !csv_gone() && !unpack_failed() &&
            !resolution_failed() && !plan_waits())
            progress();
        if (state_.reason == "resolution-failed")
            state_.since =
                time_of(Fields::of_type(subscription_.items("status", "conditions"), "ResolutionFailed")
                            .text("lastTransitionTime"));
        else if (csv_ && state_.reason != "deletion-stuck")
            state_.since = time_of(csv_->text("status", "lastTransitionTime"));
        // OLM has waited for minutes: neither its message nor its next attempt makes the failure recent.
        if (state_.reason == "install-timeout" || repeats_ ||
            (state_.reason == "csv-failed" && csv_->text("status", "reason") == install_check_failed))
            state_.since.reset();
        add_catalog_note();
        add_upgradeable_note();
        return std::move(state_);
    }

private:
    void read_csvs() {
        const std::string_view current = subscription_.text("status", "currentCSV");
        std::string planned = plan_ ? csv_in_plan(*plan_, subscription_) : std::string();
        if (planned.empty()) planned = current;
        planned_ = planned;
        if (planned != state_.installed) state_.next = planned;
        const Object* const installed = objects_.csv(state_.installed, state_.ns);
        // The Subscription says installed as soon as the CSV exists; the replaced one is still running.
        const Object* running = installed;
        if (installed && installed->text("status", "phase") != "Succeeded")
            if (const Object* const old = objects_.csv(installed->text("spec", "replaces"), state_.ns))
                running = old;
        if (!running) running = replaced_by(planned);
        if (running) {
            const std::string_view phase = running->text("status", "phase");
            state_.running = phase == "Succeeded" || phase == "Replacing";
            if (running != installed && state_.running) {
                state_.next = planned;
                state_.installed = running->name;
            }
            state_.version = version_of_csv(*running);
        } else if (installed_version_in_name()) {
            // The old one is gone already, and the Subscription does not say yet that the new one is there.
            state_.version = state_.installed.substr(state_.installed.find(".v") + 2);
        }
        const Object* const coming = planned.empty() ? nullptr : objects_.csv(planned, state_.ns);
        csv_ = coming ? coming : installed;
    }

    bool installed_version_in_name() const {
        const size_t at = state_.installed.find(".v");
        return at != std::string::npos && bool(semver::Version::parse(state_.installed.substr(at + 2)));
    }

    const Object* replaced_by(const std::string& csv) const {
        const Object* const object = csv.empty() ? nullptr : objects_.csv(csv, state_.ns);
        return object ? objects_.csv(object->text("spec", "replaces"), state_.ns) : nullptr;
    }

    void read_deprecations() {
        for (const char* type : {"PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"})
            if (const Condition deprecated = subscription_.condition(type); deprecated.is_true())
                state_.deprecations.push_back(deprecated.message);
    }

    bool fail(std::string reason, std::string cause, std::chrono::milliseconds hold) {
        state_.health = Health::failing;
        state_.reason = std::move(reason);
        state_.cause = std::move(cause);
        state_.hold = hold;
        return true;
    }

    bool work(std::string stage) {
        state_.health = Health::working;
        state_.stage = std::move(stage);
        return true;
    }

    // The CSV of the latest plan exists.
    bool arrived() const {
        return csv_ && csv_->name == planned_ && csv_->text("status", "phase") == "Succeeded";
    }

    bool plan_failed() {
        if (!plan_ || arrived()) return false;
        const std::string_view phase = plan_->text("status", "phase");
        if (phase == "Failed") {
            const Condition installed = plan_->condition("Installed");
            std::string cause = installed.message;
            if (cause.empty()) cause = plan_->text("status", "message");
            return fail("install-plan-failed",
                        fmt::format("InstallPlan {} failed{}: {}", state_.plan,
                                    installed.reason.empty() ? "" : " (" + installed.reason + ")", cause),
                        hold_final);
        }
        const std::string message = in_fixed_order(plan_->text("status", "message"));
        if (phase == "Installing" && !message.empty())
            return fail("install-plan-retrying", fmt::format("InstallPlan {}: {}", state_.plan, message),
                        hold_plan_retrying);
        return false;
    }

    // The CSV decides unless it is healthy or missing.
    bool csv_tells() {
        if (!csv_) return false;
        if (csv_->is_terminating()) {
            note_deletion(*csv_, state_);
            return true;
        }
        const std::string_view phase = csv_->text("status", "phase");
        const std::string_view reason = csv_->text("status", "reason");
        const std::string_view message = csv_->text("status", "message");
        const std::string said =
            fmt::format("{} is {}{}{}: {}", csv_->name, phase, reason.empty() ? "" : "/", reason, message);
        if (const std::string again = repeated_failure(); !again.empty() && phase != "Succeeded") {
            repeats_ = true;
            return fail("csv-failed", fmt::format("{} fails again and again: {}", csv_->name, again),
                        hold_final);
        }
        if (phase == "Failed") return fail("csv-failed", said, hold_failed_csv);
        if (phase == "Pending" && reason == "OperatorConditionNotUpgradeable")
            return fail("upgrade-blocked", said, hold_failed_csv);
        if (const std::string missing = missing_requirements();
            phase == "Pending" && reason == "RequirementsNotMet" && !missing.empty()) {
            // No cluster becomes newer while one waits.
            const bool stays = missing.find("requirement not met: minKubeVersion") != std::string::npos;
            fail("requirements-not-met", said + ": " + missing, stays ? hold_failed_csv : hold_requirements);
            state_.stage = "waiting for what " + csv_->name + " requires";
            return true;
        }
        if (phase == "Installing" || phase == "InstallReady" || phase == "Pending") {
            // The phase Failed lasts less than a second here; the history records it.
            for (const Fields past : csv_->items("status", "conditions"))
                if (past.text("reason") == install_check_failed)
                    return fail("install-timeout",
                                fmt::format("{} did not get ready in time ({}): {}", csv_->name,
                                            past.text("message"), message),
                                hold_final);
            if (const std::string trouble = trouble_of_pods(); !trouble.empty())
                return fail("pods-failing", trouble, hold_bad_pods);
        }
        if (phase == "Succeeded" || phase == "Replacing" || phase == "Deleting") return false;
        return work(phase.empty() ? "creating " + csv_->name
                                  : fmt::format("{}: {}{}", csv_->name, phase,
                                                message.empty() ? "" : fmt::format(": {}", message)));
    }

    // A failure that has occurred twice since the CSV last succeeded: OLM tries again and again within
    // seconds, which looks like progress. A healthy upgrade falls back once.
    std::string repeated_failure() const {
        std::set<std::string> seen;
        std::string repeated;
        for (const Fields past : csv_->items("status", "conditions")) {
            const std::string_view phase = past.text("phase");
            if (phase == "Succeeded") {
                seen.clear();
                repeated.clear();
            }
            if (phase != "Failed") continue;
            std::string failure = fmt::format("{}: {}", past.text("reason"), past.text("message"));
            if (!seen.insert(failure).second) repeated = std::move(failure);
        }
        return repeated;
    }

    std::string missing_requirements() const {
        std::string missing;
        for (const Fields requirement : csv_->items("status", "requirementStatus")) {
            const std::string_view status = requirement.text("status");
            if (status == "Present") continue;
            const std::string_view kind = requirement.text("kind");
            std::string one = fmt::format("{} {} is {}", kind, requirement.text("name"), status);
            if (const std::string_view why = requirement.text("message"); !why.empty())
                one += fmt::format(" ({})", why);
            // Its own minKubeVersion is the cause of the others.
            if (kind == "ClusterServiceVersion" && !missing.empty())
                missing = fmt::format("{}, {}", one, missing);
            else
                missing += (missing.empty() ? "" : ", ") + one;
        }
        return missing;
    }

    std::string trouble_of_pods() const {
        for (const Fields deployment : csv_->items("spec", "install", "spec", "deployments")) {
            const Fields selector = deployment.at("spec", "selector");
            if (!selector) continue;
            for (const Object& pod : objects_.pods) {
                if (pod.ns != state_.ns || !kube::selects(selector, pod)) continue;
                if (std::string trouble = trouble_of_pod(pod); !trouble.empty()) return trouble;
            }
        }
        return {};
    }

    bool groups_wrong() {
        const auto groups = objects_.groups_in(state_.ns);
        if (groups.size() == 1 || arrived()) return false;
        // No condition and no event reports this.
        if (groups.empty())
            return fail(
                "no-operator-group",
                fmt::format("namespace {} has no OperatorGroup, so OLM does nothing there", state_.ns),
                hold_nothing_happens);
        return fail("several-operator-groups",
                    fmt::format("namespace {} has {} OperatorGroups ({}), so OLM does nothing there: "
                                "MultipleOperatorGroupsFound",
                                state_.ns, groups.size(), listed(groups, 5, &Object::name)),
                    hold_nothing_happens);
    }

    bool csv_gone() {
        const bool complete = plan_ && plan_->text("status", "phase") == "Complete";
        if (csv_ || state_.installed.empty() || !(complete || !plan_)) return false;
        return fail("csv-missing",
                    fmt::format("{} was deleted while its Subscription stayed; OLM does not install it again",
                                state_.installed),
                    hold_resolution);
    }

    bool unpack_failed() {
        const Condition failed = subscription_.condition("BundleUnpackFailed");
        if (!failed.is_true()) return false;
        return fail("unpack-failed", fmt::format("{}: {}", failed.reason, failed.message), hold_final);
    }

    bool resolution_failed() {
        const Condition failed = subscription_.condition("ResolutionFailed");
        if (!failed.is_true()) return false;
        const ResolutionFailure judged = judge_resolution_failure(failed, state_.ns, objects_);
        const std::string words = fmt::format("{}: {}", failed.reason, failed.message);
        if (judged.standing == ResolutionFailure::Standing::stale) {
            state_.stale_resolution = judged.what;
            state_.notes.push_back(
                fmt::format("OLM still reports \"{}\", although {}; it does not resolve again by itself",
                            words, judged.what));
            if (arrived()) return false; // what is installed is as it should be
        }
        if (judged.standing == ResolutionFailure::Standing::starting) {
            state_.waits_for_catalog = true;
            state_.cause = words;
            return work("waiting for " + judged.what + ", which is starting");
        }
        if (judged.hold.count() > 0)
            return fail("resolution-failed", words,
                        std::max<std::chrono::milliseconds>(judged.hold, hold_resolution));
        const bool first = subscription_.text("status", "currentCSV").empty();
        return fail("resolution-failed", words,
                    first && failed.reason == "ConstraintsNotSatisfiable" ? hold_unsatisfiable_first
                                                                          : hold_resolution);
    }

    bool plan_waits() {
        if (!plan_ || !waits_for_approval(*plan_)) return false;
        state_.health = Health::waits;
        state_.reason = "needs-approval";
        state_.hold = hold_final;
        state_.cause = fmt::format("InstallPlan {} waits for approval", state_.plan);
        return true;
    }

    void progress() {
        const std::string_view phase = plan_ ? plan_->text("status", "phase") : std::string_view();
        const bool at_latest = subscription_.text("status", "state") == "AtLatestKnown";
        if (arrived() && planned_ == subscription_.text("status", "installedCSV")) {
            // Plan and Subscription report it some seconds later, and the state must not depend on them
            // forever.
            const bool concluded = at_latest && (!plan_ || phase == "Complete");
            state_.health = Health::ready;
            state_.hold = concluded ? hold_ready : hold_conclusion;
            state_.stage = concluded ? "" : "waiting for OLM to conclude";
            return;
        }
        if (plan_) {
            work(fmt::format("carrying out InstallPlan {}", state_.plan));
            return;
        }
        const Condition unpacking = subscription_.condition("BundleUnpacking");
        if (unpacking.is_true())
            work("unpacking the bundle" + (unpacking.message.empty() ? "" : ": " + unpacking.message));
        else
            work("resolving");
    }

    void add_catalog_note() {
        const std::string_view ns = subscription_.text("spec", "sourceNamespace");
        const Object* const catalog = objects_.catalog(subscription_.text("spec", "source"), ns);
        if (!catalog) {
            if (ns == subscription_.ns ? objects_.all_catalogs : objects_.catalogs_elsewhere) {
                state_.notes.push_back(
                    fmt::format("catalog {} does not exist: there are no upgrades", state_.catalog));
                state_.without_upgrades = true;
            }
            return;
        }
        const std::string_view seen = catalog->text("status", "connectionState", "lastObservedState");
        if (seen == "READY") return;
        state_.notes.push_back(
            fmt::format("catalog {} is {}", state_.catalog, seen.empty() ? "not served yet" : seen));
    }

    // An operator with this condition blocks the next upgrade.
    void add_upgradeable_note() {
        const Object* const object = kube::find_named(objects_.conditions, state_.installed, state_.ns);
        if (!object) return;
        // Overrides take precedence over the operator's own condition.
        for (const char* list : {"overrides", "conditions"}) {
            for (const Fields one : object->items("spec", list)) {
                if (one.text("type") != "Upgradeable") continue;
                if (one.text("status") == "False")
                    state_.notes.push_back(
                        fmt::format("not upgradeable now: {} ({})", one.text("message"), one.text("reason")));
                return;
            }
        }
    }

    const ClassicObjects& objects_;
    const Object& subscription_;
    const Object* plan_ = nullptr;
    bool repeats_ = false;        // the same failure again and again: its last time says nothing
    std::string planned_;         // the CSV that the latest plan is for
    const Object* csv_ = nullptr; // that one, or what is installed
    OperatorState state_;
};

// An operator that runs without a Subscription.
OperatorState state_of_csv(const Object& csv) {
    OperatorState state;
    state.ns = csv.ns;
    state.installed = csv.name;
    state.version = version_of_csv(csv);
    // Only OLM's label contains the package.
    const std::string suffix = "." + state.ns;
    for (const Member& label : csv.members("metadata", "labels"))
        if (const std::string_view key = label.key.string();
            key.starts_with("operators.coreos.com/") && key.ends_with(suffix))
            state.package = key.substr(21, key.size() - 21 - suffix.size());
    if (state.package.empty()) state.package = state.installed.substr(0, state.installed.find('.'));
    const std::string_view phase = csv.text("status", "phase");
    state.running = phase == "Succeeded";
    state.health = state.running ? Health::ready : phase == "Failed" ? Health::failing : Health::working;
    state.stage = phase;
    if (phase == "Failed") {
        state.reason = "csv-failed";
        state.cause = fmt::format("{}: {}", csv.text("status", "reason"), csv.text("status", "message"));
    }
    if (csv.is_terminating()) {
        note_deletion(csv, state);
        return state;
    }
    state.notes.emplace_back("no Subscription owns it: it gets no updates, and a new Subscription for the "
                             "package fails until it is deleted");
    return state;
}

} // namespace

OperatorState state_of_subscription(const ClassicObjects& objects, const Object& subscription) {
    return Reading(objects, subscription).read();
}

std::vector<OperatorState> classic_states(const ClassicObjects& objects) {
    std::vector<OperatorState> states;
    std::set<std::pair<std::string, std::string>> owned;
    for (const Object& subscription : objects.subscriptions) {
        states.push_back(state_of_subscription(objects, subscription));
        for (const char* field : {"currentCSV", "installedCSV"})
            owned.emplace(subscription.ns, subscription.text("status", field));
        owned.emplace(states.back().ns, states.back().next);
        owned.emplace(states.back().ns, states.back().installed);
    }
    // In the middle of an upgrade the old one is owned through the new one.
    for (const Object& csv : objects.csvs)
        if (owned.contains({csv.ns, csv.name})) owned.emplace(csv.ns, csv.text("spec", "replaces"));
    for (const Object& csv : objects.csvs)
        if (!owned.contains({csv.ns, csv.name})) states.push_back(state_of_csv(csv));
    std::stable_sort(states.begin(), states.end(), [](const OperatorState& a, const OperatorState& b) {
        return std::tie(a.ns, a.package) < std::tie(b.ns, b.package);
    });
    return states;
}

} // namespace opcat::cluster
