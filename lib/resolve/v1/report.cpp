#include "opcat/resolve/v1/report.hpp"

#include "opcat/base/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace opcat::olmv1 {
namespace {

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
            json["deprecation"] = notice_json(*notice, false);
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

Json outcome_json(const UpgradeOutcome& outcome) {
    Json json = {{"what", to_string(outcome.kind)}};
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

} // namespace

ResolveReport report_on(std::string extension, const Request& request, const Resolution& resolution,
                        std::span<const NamedCatalog> catalogs, bool to_end) {
    ResolveReport report{std::move(extension),         request, resolution,
                         explain(request, resolution), {},      std::nullopt};
    if (resolution.choice) report.install = judge_install(request, *resolution.choice);
    if (to_end) report.path = follow_upgrades(request, catalogs);
    if (report.fails()) report.suggestions = suggest(request, catalogs, resolution);
    return report;
}

std::vector<std::string> unknown_channels(const Request& request, std::span<const NamedCatalog> catalogs) {
    std::vector<std::string> unknown;
    if (request.channels.size() < 2) return unknown;
    const auto has = [&](const std::string& channel) {
        return std::ranges::any_of(catalogs, [&](const NamedCatalog& catalog) {
            const PackageGraph* const package =
                catalog.unavailable ? nullptr : catalog.index->find(request.package);
            return package && package->find_channel(channel);
        });
    };
    for (const std::string& channel : request.channels)
        if (!has(channel)) unknown.push_back(channel);
    return unknown;
}

std::string_view to_string(UpgradeOutcome::Kind kind) {
    return kind == UpgradeOutcome::Kind::stays   ? "stays"
           : kind == UpgradeOutcome::Kind::moves ? "moves"
                                                 : "stuck";
}

std::string_view to_string(const OutcomeChange& change) {
    switch (change.kind) {
    case OutcomeChange::Kind::same:
        return "same";
    case OutcomeChange::Kind::changed:
        return change.is_worse() ? "worse" : "changed";
    case OutcomeChange::Kind::added:
        return "added";
    case OutcomeChange::Kind::removed:
        return change.is_worse() ? "worse" : "removed";
    }
    return "";
}

Json choice_json(const Choice& choice) {
    Json json = {{"bundle", choice.bundle->name()}, {"version", choice.version}};
    if (choice.release) json["release"] = *choice.release;
    json["catalog"] = choice.catalog->name;
    return json;
}

Json to_json(const Request& request, const Choice& choice, const InstallVerdict& verdict) {
    const OlmRelease& release = request.installer->release;
    Json json = {{"olmRelease", release.version()}, {"featureSet", release.feature_set()}};
    if (verdict.refusal.empty())
        json["unknown"] = verdict.unknown;
    else
        json["error"] = refusal_message(choice.bundle->name(), choice.version, *request.installer, verdict);
    return json;
}

Json notice_json(const DeprecationNotice& notice, bool with_entries) {
    Json json = {{"catalog", notice.catalog}};
    if (with_entries) json["entries"] = notice.entries;
    if (notice.package) json["package"] = *notice.package;
    for (const auto& [name, message] : notice.channels) json["channels"][std::string(name)] = message;
    if (notice.bundle) json["bundle"] = *notice.bundle;
    if (notice.installed) json["installed"] = *notice.installed;
    return json;
}

std::string reports_as_json(const std::vector<ResolveReport>& reports) {
    Json json = {{"schema", "opcat.resolve-v1.v1"}, {"resolutions", Json::array()}};
    for (const ResolveReport& report : reports) json["resolutions"].push_back(report_json(report));
    return as_document(json);
}

std::string outcomes_as_json(const Request& request, const std::vector<UpgradeOutcome>& outcomes,
                             const std::vector<OutcomeChange>* changes) {
    Json json = {{"schema", "opcat.resolve-v1-all-installed.v1"},
                 {"package", request.package},
                 {"installed", Json::array()}};
    if (changes) {
        for (const OutcomeChange& change : *changes) {
            Json row = installed_json(change.after->installed);
            row["change"] = to_string(change);
            if (change.before) row["before"] = outcome_json(*change.before);
            row["now"] = outcome_json(*change.after);
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

} // namespace opcat::olmv1
