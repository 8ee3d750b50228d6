// A resolution for programs: docs/resolve-json.md.
#include "base/text.hpp"
#include "resolve.hpp"
#include "resolve/v1/deprecation.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

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

std::string_view name_of(Journey::End end) {
    return end == Journey::End::stays ? "stays" : end == Journey::End::fails ? "fails" : "circles";
}

Json choice_json(const Choice& choice) {
    Json json = {{"bundle", choice.bundle->name()}, {"version", choice.version}};
    if (choice.release) json["release"] = *choice.release;
    json["catalog"] = choice.catalog->name;
    return json;
}

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

Json journey_json(const Journey& journey) {
    Json hops = Json::array();
    for (const Hop& hop : journey.hops) {
        Json json = choice_json(hop.choice);
        if (!hop.edge.empty()) json["edge"] = hop.edge;
        hops.push_back(std::move(json));
    }
    Json json = {{"hops", std::move(hops)}, {"end", name_of(journey.end)}};
    if (!journey.error.empty()) json["error"] = journey.error;
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
    if (report.journey) json["journey"] = journey_json(*report.journey);
    return json;
}

} // namespace

std::string reports_as_json(const std::vector<ResolveReport>& reports) {
    Json json = {{"schema", "opcat.resolve-v1.v1"}, {"resolutions", Json::array()}};
    for (const ResolveReport& report : reports) json["resolutions"].push_back(report_json(report));
    return as_document(json);
}

} // namespace opcat
