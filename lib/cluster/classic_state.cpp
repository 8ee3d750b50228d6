#include "cluster/classic_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace opcat::cluster {
namespace {

using namespace std::chrono_literals;

// How long something must last to be believed. Succeeded is often followed by Failed and Succeeded again
// within two seconds; resolution fails for a moment during upgrades and while a catalog starts.
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

const Json* find_named(const std::vector<Json>& objects, std::string_view name, std::string_view ns) {
    const auto found = std::find_if(objects.begin(), objects.end(), [&](const Json& object) {
        return name_of(object) == name && namespace_of(object) == ns;
    });
    return found == objects.end() ? nullptr : &*found;
}

bool is_owned_by(const Json& object, std::string_view kind, std::string_view name) {
    const Json& owners = array(object, {"metadata", "ownerReferences"});
    return std::any_of(owners.begin(), owners.end(), [&](const Json& owner) {
        return text(owner, {"kind"}) == kind && text(owner, {"name"}) == name;
    });
}

bool names_csv(const Json& plan, std::string_view csv) {
    const auto names = strings(plan, {"spec", "clusterServiceVersionNames"});
    return std::find(names.begin(), names.end(), csv) != names.end();
}

// A field of the olm.package property that a plan has of a CSV.
std::string of_package_property(const Json& plan, std::string_view csv, std::string_view field) {
    for (const Json& lookup : array(plan, {"status", "bundleLookups"})) {
        if (text(lookup, {"identifier"}) != csv) continue;
        const Json properties = Json::parse(text(lookup, {"properties"}), nullptr, false);
        for (const Json& property : array(properties, {"properties"}))
            if (text(property, {"type"}) == "olm.package") return text(property, {"value", field});
    }
    return {};
}

// The state in the making, with what it is made from.
class Reading {
public:
    Reading(const ClassicObjects& objects, const Json& subscription)
        : objects_(objects), subscription_(subscription) {
        state_.package = text(subscription, {"spec", "name"});
        state_.ns = namespace_of(subscription);
        state_.name = name_of(subscription);
        state_.channel = text(subscription, {"spec", "channel"});
        state_.catalog =
            text(subscription, {"spec", "sourceNamespace"}) + "/" + text(subscription, {"spec", "source"});
        state_.manual = text(subscription, {"spec", "installPlanApproval"}) == "Manual";
        state_.installed = text(subscription, {"status", "installedCSV"});
        plan_ = latest_plan(objects, subscription);
        if (plan_) state_.plan = name_of(*plan_);
        read_csvs();
        read_deprecations();
    }

    OperatorState read() {
        // Facts before conditions, and of the facts those that nothing comes after.
        if (!plan_failed() && !csv_tells() && !groups_wrong() && !csv_gone() && !unpack_failed() &&
            !resolution_failed() && !plan_waits())
            progress();
        add_catalog_note();
        add_upgradeable_note();
        return std::move(state_);
    }

private:
    void read_csvs() {
        const std::string current = text(subscription_, {"status", "currentCSV"});
        std::string planned = plan_ ? csv_in_plan(*plan_, subscription_) : std::string();
        if (planned.empty()) planned = current;
        planned_ = planned;
        if (planned != state_.installed) state_.next = planned;
        const Json* const installed = objects_.csv(state_.installed, state_.ns);
        // The Subscription says installed as soon as the CSV is there; the one that it replaces runs on.
        const Json* running = installed;
        if (installed && text(*installed, {"status", "phase"}) != "Succeeded")
            if (const Json* const old = objects_.csv(text(*installed, {"spec", "replaces"}), state_.ns))
                running = old;
        if (!running) running = replaced_by(planned);
        if (running) {
            const std::string phase = text(*running, {"status", "phase"});
            state_.running = phase == "Succeeded" || phase == "Replacing";
            if (running != installed && state_.running) {
                state_.next = planned;
                state_.installed = name_of(*running);
            }
            state_.version = version_of_csv(*running);
        }
        const Json* const coming = planned.empty() ? nullptr : objects_.csv(planned, state_.ns);
        csv_ = coming ? coming : installed;
    }

    const Json* replaced_by(const std::string& csv) const {
        const Json* const object = csv.empty() ? nullptr : objects_.csv(csv, state_.ns);
        return object ? objects_.csv(text(*object, {"spec", "replaces"}), state_.ns) : nullptr;
    }

    void read_deprecations() {
        for (const char* type : {"PackageDeprecated", "ChannelDeprecated", "BundleDeprecated"})
            if (const Condition deprecated = condition(subscription_, type); deprecated.is_true())
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

    // What the latest plan is for has come.
    bool arrived() const {
        return csv_ && name_of(*csv_) == planned_ && text(*csv_, {"status", "phase"}) == "Succeeded";
    }

    bool plan_failed() {
        if (!plan_ || arrived()) return false;
        const std::string phase = text(*plan_, {"status", "phase"});
        if (phase == "Failed") {
            const Condition installed = condition(*plan_, "Installed");
            std::string cause = installed.message;
            if (cause.empty()) cause = text(*plan_, {"status", "message"});
            return fail("install-plan-failed",
                        fmt::format("InstallPlan {} failed{}: {}", state_.plan,
                                    installed.reason.empty() ? "" : " (" + installed.reason + ")", cause),
                        hold_final);
        }
        const std::string message = text(*plan_, {"status", "message"});
        if (phase == "Installing" && !message.empty())
            return fail("install-plan-retrying", fmt::format("InstallPlan {}: {}", state_.plan, message),
                        hold_plan_retrying);
        return false;
    }

    // The CSV decides unless it is well, or there is none.
    bool csv_tells() {
        if (!csv_) return false;
        const std::string phase = text(*csv_, {"status", "phase"});
        const std::string reason = text(*csv_, {"status", "reason"});
        const std::string message = text(*csv_, {"status", "message"});
        const std::string said =
            fmt::format("{} is {}{}: {}", name_of(*csv_), phase, reason.empty() ? "" : "/" + reason, message);
        if (phase == "Failed") return fail("csv-failed", said, hold_failed_csv);
        if (phase == "Pending" && reason == "OperatorConditionNotUpgradeable")
            return fail("upgrade-blocked", said, hold_failed_csv);
        if (phase == "Pending" && reason == "RequirementsNotMet" && !missing_requirements().empty()) {
            fail("requirements-not-met", said + ": " + missing_requirements(), hold_requirements);
            state_.stage = "waiting for what " + name_of(*csv_) + " requires";
            return true;
        }
        if (phase == "Installing" || phase == "InstallReady" || phase == "Pending") {
            // The phase Failed lasts less than a second here; the history keeps it.
            for (const Json& past : array(*csv_, {"status", "conditions"}))
                if (text(past, {"reason"}) == "InstallCheckFailed")
                    return fail("install-timeout",
                                fmt::format("{} did not get ready in time ({}): {}", name_of(*csv_),
                                            text(past, {"message"}), message),
                                hold_final);
            if (const std::string trouble = trouble_of_pods(); !trouble.empty())
                return fail("pods-failing", trouble, hold_bad_pods);
        }
        if (phase == "Succeeded" || phase == "Replacing" || phase == "Deleting") return false;
        return work(phase.empty() ? "creating " + name_of(*csv_)
                                  : fmt::format("{}: {}{}", name_of(*csv_), phase,
                                                message.empty() ? "" : ": " + message));
    }

    std::string missing_requirements() const {
        std::string missing;
        for (const Json& requirement : array(*csv_, {"status", "requirementStatus"})) {
            const std::string status = text(requirement, {"status"});
            if (status == "Present") continue;
            missing += fmt::format("{}{} {} is {}", missing.empty() ? "" : ", ", text(requirement, {"kind"}),
                                   text(requirement, {"name"}), status);
            if (const std::string why = text(requirement, {"message"}); !why.empty())
                missing += " (" + why + ")";
        }
        return missing;
    }

    std::string trouble_of_pods() const {
        for (const Json& deployment : array(*csv_, {"spec", "install", "spec", "deployments"})) {
            const Json* const labels = find(deployment, {"spec", "selector", "matchLabels"});
            if (!labels) continue;
            for (const Json& pod : objects_.pods) {
                const Json* const have = find(pod, {"metadata", "labels"});
                if (namespace_of(pod) != state_.ns || !have || !satisfies(*have, *labels)) continue;
                if (std::string trouble = trouble_of_pod(pod); !trouble.empty()) return trouble;
            }
        }
        return {};
    }

    bool groups_wrong() {
        const auto groups = objects_.groups_in(state_.ns);
        if (groups.size() == 1 || arrived()) return false;
        // Nothing at all tells of this: no condition, no event.
        if (groups.empty())
            return fail(
                "no-operator-group",
                fmt::format("namespace {} has no OperatorGroup, so OLM does nothing there", state_.ns),
                hold_nothing_happens);
        std::string names;
        for (const Json* group : groups) names += (names.empty() ? "" : ", ") + name_of(*group);
        return fail("several-operator-groups",
                    fmt::format("namespace {} has {} OperatorGroups ({}), so OLM does nothing there: "
                                "MultipleOperatorGroupsFound",
                                state_.ns, groups.size(), names),
                    hold_nothing_happens);
    }

    bool csv_gone() {
        const bool complete = plan_ && text(*plan_, {"status", "phase"}) == "Complete";
        if (csv_ || state_.installed.empty() || !(complete || !plan_)) return false;
        return fail("csv-missing",
                    fmt::format("{} was deleted while its Subscription stayed; OLM does not install it again",
                                state_.installed),
                    hold_resolution);
    }

    bool unpack_failed() {
        const Condition failed = condition(subscription_, "BundleUnpackFailed");
        if (!failed.is_true()) return false;
        return fail("unpack-failed", fmt::format("{}: {}", failed.reason, failed.message), hold_final);
    }

    bool resolution_failed() {
        const Condition failed = condition(subscription_, "ResolutionFailed");
        if (!failed.is_true()) return false;
        const bool first = text(subscription_, {"status", "currentCSV"}).empty();
        return fail("resolution-failed", fmt::format("{}: {}", failed.reason, failed.message),
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
        const std::string phase = plan_ ? text(*plan_, {"status", "phase"}) : std::string();
        const bool at_latest = text(subscription_, {"status", "state"}) == "AtLatestKnown";
        if (arrived() && planned_ == text(subscription_, {"status", "installedCSV"})) {
            // Plan and Subscription say so some seconds later, and it must not depend on them for ever.
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
        const Condition unpacking = condition(subscription_, "BundleUnpacking");
        if (unpacking.is_true())
            work("unpacking the bundle" + (unpacking.message.empty() ? "" : ": " + unpacking.message));
        else
            work("resolving");
    }

    void add_catalog_note() {
        const std::string ns = text(subscription_, {"spec", "sourceNamespace"});
        const Json* const catalog = objects_.catalog(text(subscription_, {"spec", "source"}), ns);
        if (!catalog) return; // it may be where the user may not look
        const std::string seen = text(*catalog, {"status", "connectionState", "lastObservedState"});
        if (seen == "READY") return;
        state_.notes.push_back(
            fmt::format("catalog {} is {}", state_.catalog, seen.empty() ? "not served yet" : seen));
    }

    // An operator that says so keeps the next upgrade from beginning.
    void add_upgradeable_note() {
        const Json* const object = find_named(objects_.conditions, state_.installed, state_.ns);
        if (!object) return;
        // Overrides win over what the operator says.
        for (const char* list : {"overrides", "conditions"}) {
            for (const Json& one : array(*object, {"spec", list})) {
                if (text(one, {"type"}) != "Upgradeable") continue;
                if (text(one, {"status"}) == "False")
                    state_.notes.push_back(fmt::format("not upgradeable now: {} ({})", text(one, {"message"}),
                                                       text(one, {"reason"})));
                return;
            }
        }
    }

    const ClassicObjects& objects_;
    const Json& subscription_;
    const Json* plan_ = nullptr;
    std::string planned_;       // the CSV that the latest plan is for
    const Json* csv_ = nullptr; // that one, or what is installed
    OperatorState state_;
};

// A copy that OLM makes in the namespaces that an operator watches.
bool is_copied_csv(const Json& csv) {
    return !label(csv, "olm.copiedFrom").empty() || text(csv, {"status", "reason"}) == "Copied";
}

// An operator that runs without a Subscription.
OperatorState state_of_csv(const Json& csv) {
    OperatorState state;
    state.ns = namespace_of(csv);
    state.installed = name_of(csv);
    state.version = version_of_csv(csv);
    // Nothing but OLM's label tells the package.
    const std::string suffix = "." + state.ns;
    if (const Json* const labels = find(csv, {"metadata", "labels"}); labels && labels->is_object())
        for (const auto& member : labels->items())
            if (member.key().starts_with("operators.coreos.com/") && member.key().ends_with(suffix))
                state.package = member.key().substr(21, member.key().size() - 21 - suffix.size());
    if (state.package.empty()) state.package = state.installed.substr(0, state.installed.find('.'));
    const std::string phase = text(csv, {"status", "phase"});
    state.running = phase == "Succeeded";
    state.health = state.running ? Health::ready : phase == "Failed" ? Health::failing : Health::working;
    state.stage = phase;
    if (phase == "Failed") {
        state.reason = "csv-failed";
        state.cause =
            fmt::format("{}: {}", text(csv, {"status", "reason"}), text(csv, {"status", "message"}));
    }
    state.notes.emplace_back("no Subscription owns it: it gets no updates, and a new Subscription for the "
                             "package fails until it is deleted");
    return state;
}

} // namespace

void ClassicObjects::add(std::vector<Json> objects) {
    for (Json& object : objects) {
        const std::string kind = kind_of(object);
        if (kind == "Subscription")
            subscriptions.push_back(std::move(object));
        else if (kind == "InstallPlan")
            plans.push_back(std::move(object));
        else if (kind == "ClusterServiceVersion") {
            if (!is_copied_csv(object)) csvs.push_back(std::move(object));
        } else if (kind == "OperatorGroup")
            groups.push_back(std::move(object));
        else if (kind == "CatalogSource")
            catalogs.push_back(std::move(object));
        else if (kind == "OperatorCondition")
            conditions.push_back(std::move(object));
        else if (kind == "Pod")
            pods.push_back(std::move(object));
    }
}

std::vector<Json> ClassicObjects::for_resolution() const {
    std::vector<Json> all;
    for (const std::vector<Json>* some : {&subscriptions, &csvs, &groups, &catalogs, &conditions, &plans})
        all.insert(all.end(), some->begin(), some->end());
    return all;
}

const Json* ClassicObjects::subscription_of(std::string_view package, std::string_view ns) const {
    for (const Json& subscription : subscriptions)
        if (text(subscription, {"spec", "name"}) == package && namespace_of(subscription) == ns)
            return &subscription;
    return nullptr;
}

const Json* ClassicObjects::csv(std::string_view name, std::string_view ns) const {
    return name.empty() ? nullptr : find_named(csvs, name, ns);
}

const Json* ClassicObjects::catalog(std::string_view name, std::string_view ns) const {
    return find_named(catalogs, name, ns);
}

std::vector<const Json*> ClassicObjects::groups_in(std::string_view ns) const {
    std::vector<const Json*> found;
    for (const Json& group : groups)
        if (namespace_of(group) == ns) found.push_back(&group);
    return found;
}

std::string version_of_csv(const Json& csv) {
    return text(csv, {"spec", "version"});
}

std::string package_in_plan(const Json& plan, std::string_view csv) {
    return of_package_property(plan, csv, "packageName");
}

std::string version_in_plan(const Json& plan, std::string_view csv) {
    return of_package_property(plan, csv, "version");
}

bool waits_for_approval(const Json& plan) {
    return text(plan, {"status", "phase"}) == "RequiresApproval" && !flag(plan, {"spec", "approved"});
}

std::string csv_in_plan(const Json& plan, const Json& subscription) {
    const std::string package = text(subscription, {"spec", "name"});
    const auto names = strings(plan, {"spec", "clusterServiceVersionNames"});
    for (const std::string& name : names)
        if (package_in_plan(plan, name) == package) return name;
    for (const char* field : {"currentCSV", "installedCSV"})
        if (const std::string csv = text(subscription, {"status", field}); names_csv(plan, csv)) return csv;
    // A plan for one operator that is owned by this Subscription can be for nothing else.
    if (names.size() == 1 && is_owned_by(plan, "Subscription", name_of(subscription))) {
        const std::string other = package_in_plan(plan, names[0]);
        if (other.empty() || other == package) return names[0];
    }
    return {};
}

const Json* latest_plan(const ClassicObjects& objects, const Json& subscription) {
    const Json* latest = nullptr;
    for (const Json& plan : objects.plans) {
        if (namespace_of(plan) != namespace_of(subscription)) continue;
        if (csv_in_plan(plan, subscription).empty()) continue;
        if (!latest || number(plan, {"spec", "generation"}) > number(*latest, {"spec", "generation"}))
            latest = &plan;
    }
    return latest;
}

OperatorState state_of_subscription(const ClassicObjects& objects, const Json& subscription) {
    return Reading(objects, subscription).read();
}

std::vector<OperatorState> classic_states(const ClassicObjects& objects) {
    std::vector<OperatorState> states;
    std::set<std::pair<std::string, std::string>> owned;
    for (const Json& subscription : objects.subscriptions) {
        states.push_back(state_of_subscription(objects, subscription));
        for (const char* field : {"currentCSV", "installedCSV"})
            owned.emplace(namespace_of(subscription), text(subscription, {"status", field}));
        owned.emplace(states.back().ns, states.back().next);
        owned.emplace(states.back().ns, states.back().installed);
    }
    // In the middle of an upgrade the old one is owned by way of the new one.
    for (const Json& csv : objects.csvs)
        if (owned.contains({namespace_of(csv), name_of(csv)}))
            owned.emplace(namespace_of(csv), text(csv, {"spec", "replaces"}));
    for (const Json& csv : objects.csvs)
        if (!owned.contains({namespace_of(csv), name_of(csv)})) states.push_back(state_of_csv(csv));
    std::stable_sort(states.begin(), states.end(), [](const OperatorState& a, const OperatorState& b) {
        return std::tie(a.ns, a.package) < std::tie(b.ns, b.package);
    });
    return states;
}

std::string mode_of_group(const Json& group) {
    std::vector<std::string> targets = strings(group, {"spec", "targetNamespaces"});
    // With a selector only the status tells.
    if (targets.empty() && find(group, {"spec", "selector"})) {
        targets = strings(group, {"status", "namespaces"});
        std::erase(targets, std::string());
    }
    if (targets.empty()) return "AllNamespaces";
    if (targets.size() > 1) return "MultiNamespace";
    return targets[0] == namespace_of(group) ? "OwnNamespace" : "SingleNamespace";
}

} // namespace opcat::cluster
