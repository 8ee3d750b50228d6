// A resolution for programs: docs/resolve-json.md.

#include "commands/resolve.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace olmv1;
using Json = nlohmann::ordered_json;

std::string_view name_of(Reason::Kind kind) {
    switch (kind) {
    case Reason::Kind::not_in_channel:
        return "not-in-channel";
    case Reason::Kind::unreadable_version:
        return "unreadable-version";
    case Reason::Kind::outside_range:
        return "outside-range";
    case Reason::Kind::no_edge:
        return "no-edge";
    case Reason::Kind::crash:
        return "crash";
    case Reason::Kind::deprecated:
        return "deprecated";
    case Reason::Kind::lower_version:
        return "lower-version";
    case Reason::Kind::version_not_comparable:
        return "version-not-comparable";
    case Reason::Kind::later_in_catalog:
        return "later-in-catalog";
    case Reason::Kind::deprecated_elsewhere_not:
        return "deprecated-elsewhere-not";
    case Reason::Kind::lower_priority:
        return "lower-priority";
    case Reason::Kind::ambiguous:
        return "ambiguous";
    case Reason::Kind::unsupported_dependency:
        return "unsupported-dependency";
    case Reason::Kind::aborted:
        return "aborted";
    }
    return "";
}

std::string_view name_of(UpgradePath::End end) {
    return end == UpgradePath::End::stays ? "stays" : end == UpgradePath::End::fails ? "fails" : "circles";
}

Json choice_json(const Choice& choice) {
    Json json = {{"bundle", choice.bundle->name()}, {"version", choice.version}};
    if (choice.release) json["release"] = *choice.release;
    json["catalog"] = choice.catalog->name;
    return json;
}

} // namespace

Json to_json(const Request& request, const Choice& choice, const InstallVerdict& verdict) {
    const OlmRelease& release = request.installer->release;
    Json json = {{"olmRelease", release.version()}, {"featureSet", release.feature_set()}};
    if (verdict.refusal.empty())
        json["unknown"] = verdict.unknown;
    else
        json["error"] = refusal_message(choice.bundle->name(), choice.version, *request.installer, verdict);
    return json;
}

namespace {

Json notice_json(const DeprecationNotice& notice) {
    Json json = {{"catalog", notice.catalog}};
    if (notice.package) json["package"] = *notice.package;
    for (const auto& [name, message] : notice.channels) json["channels"][std::string(name)] = message;
    if (notice.bundle) json["bundle"] = *notice.bundle;
    if (notice.installed) json["installed"] = *notice.installed;
    return json;
}

Json catalog_json(const CatalogExplanation& explanation, const Request& request) {
    const NamedCatalog& catalog = *explanation.answer->catalog;
    Json json = {{"name", catalog.name}, {"priority", catalog.priority}};
    if (!explanation.note.empty()) json["note"] = explanation.note;
    json["bundles"] = Json::array();
    for (const BundleVerdict& verdict : explanation.bundles) {
        Json reasons = Json::array();
        for (const Reason& reason : verdict.reasons)
            reasons.push_back({{"kind", name_of(reason.kind)}, {"text", reason.text}});
        json["bundles"].push_back({{"name", verdict.bundle->name()},
                                   {"version", version_or_mark(*verdict.bundle, request.release_support)},
                                   {"candidate", verdict.is_candidate},
                                   {"chosen", verdict.reasons.empty()},
                                   {"reasons", std::move(reasons)}});
    }
    return json;
}

Json path_json(const UpgradePath& path) {
    Json hops = Json::array();
    for (const UpgradePath::Step& step : path.steps) {
        Json json = choice_json(step.choice);
        if (!step.edge.empty()) json["edge"] = step.edge;
        hops.push_back(std::move(json));
    }
    Json json = {{"hops", std::move(hops)}, {"end", name_of(path.end)}};
    if (!path.error.empty()) json["error"] = path.error;
    return json;
}

Json report_json(const ResolveReport& report) {
    Json json = Json::object();
    if (!report.extension.empty()) json["clusterExtension"] = report.extension;
    json["package"] = report.request.package;
    const Resolution& resolution = report.resolution;
    if (resolution.choice) {
        json["choice"] = choice_json(*resolution.choice);
        if (const auto query = Query::compile(report.request))
            if (const std::string edge = describe_edge(*query, *resolution.choice); !edge.empty())
                json["choice"]["edge"] = edge;
        if (const auto notice = deprecation_notice(report.request, *resolution.choice);
            notice && notice->says_something())
            json["deprecation"] = notice_json(*notice);
        for (const PackageBundle* equal : equals_of_choice(report.request, resolution))
            json["choice"]["equals"].push_back(equal->name());
        if (report.install) json["install"] = to_json(report.request, *resolution.choice, *report.install);
    } else {
        json["error"] = resolution.error;
        if (resolution.unvalidated) json["unvalidated"] = choice_json(*resolution.unvalidated);
    }
    json["catalogs"] = Json::array();
    for (const CatalogExplanation& explanation : report.explanations)
        json["catalogs"].push_back(catalog_json(explanation, report.request));
    for (const Suggestion& suggestion : report.suggestions) {
        Json one = {{"change", suggestion.change}, {"gives", choice_json(suggestion.choice)}};
        if (!suggestion.remarks.empty()) one["remarks"] = suggestion.remarks;
        json["suggestions"].push_back(std::move(one));
    }
    if (report.path) json["journey"] = path_json(*report.path);
    return json;
}

} // namespace

std::string reports_as_json(const std::vector<ResolveReport>& reports) {
    Json json = {{"schema", "opcat.resolve-v1.v1"}, {"resolutions", Json::array()}};
    for (const ResolveReport& report : reports) json["resolutions"].push_back(report_json(report));
    return as_document(json);
}

// The table of `opcat resolve v1 --all-installed`.
namespace {

std::string_view name_of(UpgradeOutcome::Kind kind) {
    return kind == UpgradeOutcome::Kind::stays   ? "stays"
           : kind == UpgradeOutcome::Kind::moves ? "moves"
                                                 : "stuck";
}

std::string_view name_of(const OutcomeChange& change) {
    switch (change.kind) {
    case OutcomeChange::Kind::same:
        return "same";
    case OutcomeChange::Kind::changed:
        return change.is_worse() ? "worse" : "changed";
    case OutcomeChange::Kind::added:
        return "added";
    case OutcomeChange::Kind::removed:
        return "removed";
    }
    return "";
}

std::string version_of(const InstalledBundle& installed) {
    return installed.release && !installed.release->empty()
               ? fmt::format("{} release {}", installed.version, *installed.release)
               : installed.version;
}

// "stays", "moves to a.v2", "stuck".
std::string outcome_text(const UpgradeOutcome* outcome) {
    if (!outcome) return "-";
    if (outcome->kind != UpgradeOutcome::Kind::moves) return std::string(name_of(outcome->kind));
    return fmt::format("moves to {}", outcome->choice->bundle->name());
}

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::vector<UpgradeOutcome>& outcomes) {
    Rows rows = {{"INSTALLED", "VERSION", "WHAT HAPPENS", "WHY"}};
    for (const UpgradeOutcome& outcome : outcomes)
        rows.push_back(
            {outcome.installed.name, version_of(outcome.installed), outcome_text(&outcome), outcome.why});
    return rows;
}

Rows rows_of(const std::vector<OutcomeChange>& changes) {
    Rows rows = {{"INSTALLED", "VERSION", "BEFORE", "NOW", ""}};
    for (const OutcomeChange& change : changes) {
        const InstalledBundle& installed = (change.after ? change.after : change.before)->installed;
        rows.push_back({installed.name, version_of(installed), outcome_text(change.before),
                        outcome_text(change.after),
                        change.kind == OutcomeChange::Kind::same ? "" : std::string(name_of(change))});
    }
    return rows;
}

std::string markdown(const Rows& rows) {
    std::string text;
    for (const auto& row : rows) {
        text += "|";
        for (const std::string& cell : row) {
            std::string escaped;
            for (const char c : escape_controls(cell)) {
                if (c == '|' || c == '\\') escaped += '\\';
                escaped += c;
            }
            text += fmt::format(" {} |", escaped);
        }
        text += "\n";
        if (&row != &rows[0]) continue;
        for (size_t i = 0; i < row.size(); ++i) text += "|---";
        text += "|\n";
    }
    return text;
}

Json outcome_json(const UpgradeOutcome& outcome) {
    Json json = {{"what", name_of(outcome.kind)}};
    if (outcome.choice)
        json["to"] = {{"bundle", outcome.choice->bundle->name()},
                      {"version", outcome.choice->version},
                      {"catalog", outcome.choice->catalog->name}};
    if (!outcome.why.empty()) json["why"] = outcome.why;
    return json;
}

Json installed_json(const InstalledBundle& installed) {
    Json json = {{"bundle", installed.name}, {"version", installed.version}};
    if (installed.release) json["release"] = *installed.release;
    return json;
}

std::string as_json(const Request& request, const std::vector<UpgradeOutcome>& outcomes,
                    const std::vector<OutcomeChange>* changes) {
    Json json = {{"schema", "opcat.resolve-v1-all-installed.v1"},
                 {"package", request.package},
                 {"installed", Json::array()}};
    if (changes) {
        for (const OutcomeChange& change : *changes) {
            Json row = installed_json((change.after ? change.after : change.before)->installed);
            row["change"] = name_of(change);
            if (change.before) row["before"] = outcome_json(*change.before);
            if (change.after) row["now"] = outcome_json(*change.after);
            json["installed"].push_back(std::move(row));
        }
    } else {
        for (const UpgradeOutcome& outcome : outcomes) {
            Json row = installed_json(outcome.installed);
            row.update(outcome_json(outcome));
            json["installed"].push_back(std::move(row));
        }
    }
    return as_document(json);
}

} // namespace

std::string outcomes_as(Form format, const Request& request, const std::vector<UpgradeOutcome>& outcomes,
                        const std::vector<UpgradeOutcome>* before) {
    std::vector<OutcomeChange> changes;
    if (before) changes = compare(*before, outcomes);
    if (format == Form::json) return as_json(request, outcomes, before ? &changes : nullptr);
    const Rows rows = before ? rows_of(changes) : rows_of(outcomes);
    return format == Form::markdown ? markdown(rows) : aligned(rows);
}

// The report of a resolution for people.
namespace {

constexpr size_t few_bundles = 10;

std::string describe(const Choice& choice) {
    return fmt::format(
        "{} (version {}{}) from catalog {}", escape_controls(choice.bundle->name()), choice.version,
        choice.release ? fmt::format(", release {}", *choice.release) : std::string(), choice.catalog->name);
}

std::string joined(const std::vector<Reason>& reasons) {
    std::string text;
    for (const Reason& reason : reasons) text += (text.empty() ? "" : "; ") + reason.text;
    return text;
}

void append_notice(std::string& text, const DeprecationNotice& notice) {
    const auto line = [&](std::string_view what, std::string_view message) {
        text += fmt::format("  deprecated: {}: {}\n", what, message.empty() ? "(no message)" : message);
    };
    if (notice.package) line("the package", *notice.package);
    for (const auto& [name, message] : notice.channels) line(fmt::format("channel {}", name), message);
    if (notice.bundle) line("this bundle", *notice.bundle);
    if (notice.installed) line("the installed bundle", *notice.installed);
}

// What changes a refusal, or what is not known.
void append_install(std::string& text, const ResolveReport& report) {
    const Installer& installer = *report.request.installer;
    const InstallVerdict& verdict = *report.install;
    const std::string olm = installer.release.describe();
    if (verdict.refusal.empty()) {
        if (!verdict.unknown.empty())
            text += fmt::format("  not checked: {}, which also decide whether {} installs it\n",
                                listed(verdict.unknown), olm);
        if (verdict.needs_certificates)
            text +=
                "  its webhooks need certificates: from cert-manager, or on OpenShift from its service CA\n";
        return;
    }
    text += fmt::format("  this is about {}; --olm-release and --feature-set name another\n", olm);
    Installer other = installer;
    other.release.experimental = installer.release.minor >= first_with_feature_sets;
    const InstallVerdict elsewhere =
        judge_install(install_facts(*report.resolution.choice->bundle->bundle), other);
    if (!elsewhere.refusal.empty() && !elsewhere.needs_watch_namespace) return;
    text += fmt::format("  {}{}\n", other.release.describe(),
                        elsewhere.refusal.empty()
                            ? " does not refuse it for this"
                            : fmt::format(" needs the namespace to watch: {}", watch_field(other.release)));
}

void append_choice(std::string& text, const ResolveReport& report) {
    const Request& request = report.request;
    const Choice& choice = *report.resolution.choice;
    const InstalledBundle* const installed = request.installed ? &*request.installed : nullptr;
    const bool stays =
        installed && installed->name == choice.bundle->name() && installed->version == choice.version;
    if (report.fails())
        text += fmt::format("OLM chooses {}; installing it fails: {}\n", describe(choice),
                            report.install->refusal);
    else
        text += fmt::format("{}{}\n", stays ? "stays at " : "", describe(choice));
    if (const auto query = Query::compile(request); query && !stays)
        if (const std::string edge = describe_edge(*query, choice); !edge.empty())
            text += fmt::format("  {}\n", edge);
    if (const auto notice = deprecation_notice(request, choice)) append_notice(text, *notice);
    if (const std::string equals = describe_equals(request, report.resolution); !equals.empty())
        text += fmt::format("  not determined: {}\n", equals);
    if (report.install) append_install(text, report);
}

void append_catalog(std::string& text, const ResolveReport& report, const CatalogExplanation& explanation,
                    bool whole) {
    const NamedCatalog& catalog = *explanation.answer->catalog;
    text +=
        fmt::format("\ncatalog {}{}", catalog.name,
                    catalog.priority != 0 ? fmt::format(", priority {}", catalog.priority) : std::string());
    if (!explanation.note.empty()) {
        text += fmt::format(": {}\n", explanation.note);
        return;
    }
    const size_t candidates = explanation.answer->candidates.size();
    text += fmt::format(": {}, {} ruled out\n", counted(candidates, "candidate"),
                        explanation.bundles.size() - candidates);
    const size_t shown =
        whole ? explanation.bundles.size() : std::min(few_bundles, explanation.bundles.size());
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < shown; ++i) {
        const BundleVerdict& verdict = explanation.bundles[i];
        const bool chosen = verdict.reasons.empty();
        rows.push_back({fmt::format("  {}", verdict.is_candidate ? fmt::format("{}.", i + 1) : "-"),
                        std::string(verdict.bundle->name()),
                        version_or_mark(*verdict.bundle, report.request.release_support),
                        chosen ? "chosen" : joined(verdict.reasons)});
    }
    text += aligned(rows);
    if (shown < explanation.bundles.size())
        text += fmt::format("  and {} more: --explain shows all\n", explanation.bundles.size() - shown);
}

void append_suggestions(std::string& text, const std::vector<Suggestion>& suggestions) {
    if (suggestions.empty()) {
        text += "\nno change of the request would work\n";
        return;
    }
    text += "\nwhat would work:\n";
    for (const Suggestion& suggestion : suggestions) {
        text += fmt::format("  - {}\n      gives {}\n", suggestion.change, describe(suggestion.choice));
        if (!suggestion.remarks.empty()) text += fmt::format("      {}\n", suggestion.remarks);
    }
}

void append_path(std::string& text, const UpgradePath& path) {
    text += "\nthe whole path, with automatic upgrades:\n";
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < path.steps.size(); ++i) {
        const UpgradePath::Step& step = path.steps[i];
        rows.push_back({fmt::format("  {}.", i + 1), std::string(step.choice.bundle->name()),
                        step.choice.version, step.edge.empty() ? "installed" : step.edge});
    }
    text += aligned(rows);
    switch (path.end) {
    case UpgradePath::End::stays:
        text += path.steps.empty() ? "  it stays where it is\n" : "  and there it stays\n";
        break;
    case UpgradePath::End::fails:
        text += fmt::format("  and there it fails: {}\n", path.error);
        break;
    case UpgradePath::End::circles:
        text += "  and so on in a circle: it never comes to rest\n";
        break;
    }
}

} // namespace

std::string report_as_text(const ResolveReport& report, bool whole) {
    std::string text;
    if (!report.extension.empty()) text += fmt::format("ClusterExtension {}\n", report.extension);
    const Resolution& resolution = report.resolution;
    if (resolution.choice)
        append_choice(text, report);
    else
        text += resolution.error + "\n";
    for (const CatalogExplanation& explanation : report.explanations)
        append_catalog(text, report, explanation, whole || !resolution.choice);
    const bool needs_namespace = report.install && report.install->needs_watch_namespace;
    if (report.fails() && !(needs_namespace && report.suggestions.empty()))
        append_suggestions(text, report.suggestions);
    if (report.path) append_path(text, *report.path);
    return escape_controls_in_lines(text);
}

} // namespace opcat
