#include "opcat/cluster/status_report.hpp"

#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {

namespace {

std::string or_dash(const std::string& text) {
    return text.empty() ? "-" : escape_controls(text);
}

std::string state_words(const OperatorState& state) {
    switch (state.health) {
    case Health::ready:
        return "ready";
    case Health::waits:
        return fmt::format("waits for approval of {}", state.next);
    case Health::working:
        return state.stage;
    case Health::failing:
        return state.reason;
    }
    return {};
}

} // namespace

std::string step_of(const OperatorState& state) {
    switch (state.olm) {
    case Olm::classic:
        if (state.health == Health::ready)
            return state.installed + ": Succeeded, " +
                   (state.stage.empty() ? "waiting to see whether it lasts" : state.stage);
        if (state.health == Health::waits) return state.cause;
        break;
    case Olm::v1:
        if (state.health == Health::ready)
            return state.installed + ": installed, waiting to see whether it lasts";
        if (state.stage == "retrying") return "OLM tries again: " + state.cause;
        break;
    case Olm::none:
        if (state.health == Health::ready) return "all Deployments are available";
        return state.stage;
    }
    return state.health == Health::failing && state.stage.empty() ? "trouble: " + state.cause : state.stage;
}

std::string advice_for(const OperatorState& state) {
    struct Advice {
        std::string_view reason;
        std::string_view text; // {0} package, {1} namespace, {2} the catalog's, {3} the installed one
    };
    static constexpr Advice advices[] = {
        {"needs-approval", "opcat approve {0} -n {1}"},
        {"resolution-failed", "opcat resolve classic -n {1} --from-cluster explains it"},
        {"unpack-failed",
         "once the cluster can pull the bundle's image, this lets OLM try again: kubectl delete "
         "jobs -n {2} -l operatorframework.io/bundle-unpack-ref"},
        {"install-plan-failed",
         "OLM does not try again: remove the cause, then opcat uninstall {0} -n {1} and "
         "opcat install {0} -n {1}; custom resources stay"},
        {"csv-missing", "opcat uninstall {0} -n {1}, then opcat install {0} -n {1}"},
        {"no-operator-group", "opcat install {0} -n {1} --create-operator-group"},
        {"several-operator-groups",
         "keep one: kubectl delete operatorgroups.operators.coreos.com NAME -n {1}"},
        {"upgrade-blocked",
         "when the operator allows it, it continues by itself; kubectl edit "
         "operatorconditions.operators.coreos.com {3} -n {1} overrides it (spec.overrides)"},
    };
    if (!state.stale_resolution.empty())
        return fmt::format("opcat upgrade {} -n {} makes OLM resolve again", state.package, state.ns);
    if (state.reason.empty() && state.without_upgrades)
        return state.olm == Olm::classic
                   ? fmt::format(
                         "opcat upgrade {} -n {} --catalog [NAMESPACE/]NAME moves it to another catalog",
                         state.package, state.ns)
                   : fmt::format("opcat upgrade {} --catalog NAME moves it to another catalog",
                                 state.package);
    if (state.olm != Olm::classic) return {};
    for (const Advice& advice : advices)
        if (advice.reason == state.reason)
            return fmt::format(fmt::runtime(advice.text), state.package, state.ns,
                               state.catalog.substr(0, state.catalog.find('/')), state.installed);
    return {};
}

std::string operators_as_rows(std::span<const OperatorState> states) {
    std::string text = "PACKAGE\tNAMESPACE\tOLM\tVERSION\tCHANNEL\tCATALOG\tSTATE\n";
    for (const OperatorState& state : states)
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\n", or_dash(state.package), or_dash(state.ns), to_string(state.olm),
            or_dash(state.version),
            or_dash(state.channel.empty() && !state.range.empty() ? "version " + state.range : state.channel),
            or_dash(state.catalog), or_dash(state_words(state)));
    return text;
}

std::string details_of(const OperatorState& state) {
    std::string text;
    if (!state.cause.empty()) text += "  " + for_terminal(state.cause, 6) + "\n";
    if (state.health == Health::failing && !state.version.empty())
        text += fmt::format("  {} {}\n", state.installed, state.running ? "runs on" : "does not run");
    const auto is_active = [](const Revision& revision) { return !revision.archived; };
    const auto active = std::count_if(state.revisions.begin(), state.revisions.end(), is_active);
    for (const Revision& revision : state.revisions)
        if (is_active(revision) && (active > 1 || revision.is_rolling_out()))
            text += "  " + for_terminal(revision.describe(), 6) + "\n";
    for (const std::string& deprecation : state.deprecations)
        text += "  deprecated: " + for_terminal(deprecation, 6) + "\n";
    for (const std::string& note : state.notes) text += "  note: " + note + "\n";
    for (const std::string& webhook : state.webhooks) text += "  brought " + webhook + "\n";
    if (const std::string advice = advice_for(state); !advice.empty()) text += "  help: " + advice + "\n";
    if (text.empty()) return {};
    // A namespace may have several Subscriptions for a package.
    const bool has_own_name = state.olm == Olm::classic && !state.package.empty() && !state.name.empty() &&
                              state.name != state.package;
    return escape_controls_in_lines(
        fmt::format("\n{}{}{}:\n{}", state.ns.empty() ? "" : state.ns + "/",
                    state.package.empty() ? state.name : state.package,
                    has_own_name ? fmt::format(" (Subscription {})", state.name) : std::string(), text));
}

std::string outage_as_text(const CatalogOutage& outage) {
    std::string text =
        fmt::format("\ncatalog {} is not ready ({})", outage.catalog->full_name(), outage.catalog->word);
    if (!outage.catalog->cause.empty()) text += ": " + for_terminal(outage.catalog->cause, 6);
    text += "\n";
    if (outage.everyone)
        text += outage.catalog->olm == Olm::classic
                    ? "  until then, nothing is resolved in any namespace\n"
                    : "  until then, OLM v1 resolves only extensions that name another catalog\n";
    if (!outage.operators.empty()) {
        text += "  holds up";
        for (size_t i = 0; i < outage.operators.size(); ++i)
            text += (i > 0 ? ", " : " ") + outage.operators[i];
        text += "\n";
    }
    return escape_controls_in_lines(text);
}

namespace {

Json to_json(const Revision& revision) {
    Json json{{"name", revision.name},
              {"state", revision.archived       ? "archived"
                        : revision.rolled_out   ? "rolled-out"
                        : revision.is_failing() ? "failing"
                                                : "rolling-out"}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    if (revision.number > 0) json["number"] = revision.number;
    add("bundle", revision.bundle);
    add("version", revision.version);
    json["phases"] = Json::array();
    for (const Revision::Phase& phase : revision.phases)
        json["phases"].push_back({{"name", phase.name}, {"objects", phase.objects}});
    add("phase", revision.phase);
    add("reason", revision.reason);
    add("message", revision.message);
    add("waitsFor", revision.waits_for);
    return json;
}

Json to_json(const OperatorState& state) {
    Json json{{"package", state.package},          {"namespace", state.ns},
              {"olm", to_string(state.olm)},       {"name", state.name},
              {"health", to_string(state.health)}, {"running", state.running}};
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) json[key] = value;
    };
    add("installed", state.installed);
    add("version", state.version);
    add("next", state.next);
    add("channel", state.channel);
    add("versions", state.range);
    add("catalog", state.catalog);
    add("installPlan", state.plan);
    add("reason", state.reason);
    add("stage", state.stage);
    add("cause", state.cause);
    if (!state.revisions.empty()) {
        json["revisions"] = Json::array();
        for (const Revision& revision : state.revisions) json["revisions"].push_back(to_json(revision));
    }
    json["deprecations"] = state.deprecations;
    json["webhooks"] = state.webhooks;
    json["notes"] = state.notes;
    return json;
}

Json to_json(const CatalogState& state) {
    Json json{{"name", state.name}};
    if (!state.ns.empty()) json["namespace"] = state.ns;
    json["olm"] = to_string(state.olm);
    json["image"] = state.image;
    if (!state.digest.empty()) json["digest"] = state.digest;
    json["priority"] = state.priority;
    json["health"] = to_string(state.health);
    json["state"] = state.word;
    if (!state.cause.empty()) json["cause"] = state.cause;
    return json;
}

} // namespace

Json snapshot_as_json(const ClusterSnapshot& snapshot) {
    Json json{{"schema", "opcat.status.v1"}, {"operators", Json::array()}, {"catalogs", Json::array()}};
    for (const OperatorState& state : snapshot.operators) json["operators"].push_back(to_json(state));
    const std::vector<CatalogOutage> outages = snapshot.outages();
    for (const CatalogState& catalog : snapshot.catalogs) {
        Json one = to_json(catalog);
        for (const CatalogOutage& outage : outages)
            if (outage.catalog == &catalog) {
                one["holdsUpEveryone"] = outage.everyone;
                one["holdsUp"] = outage.operators;
            }
        json["catalogs"].push_back(std::move(one));
    }
    json["unread"] = snapshot.unread;
    return json;
}

} // namespace opcat::cluster
