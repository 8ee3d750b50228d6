// What people see of a resolution.
#include "base/text.hpp"
#include "resolve.hpp"
#include "resolve/v1/deprecation.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

using namespace olmv1;

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

void append_choice(std::string& text, const ResolveReport& report) {
    const Request& request = report.request;
    const Choice& choice = *report.resolution.choice;
    const InstalledBundle* const installed = request.installed ? &*request.installed : nullptr;
    const bool stays =
        installed && installed->name == choice.bundle->name() && installed->version == choice.version;
    text += fmt::format("{}{}\n", stays ? "stays at " : "", describe(choice));
    if (const auto query = Query::compile(request); query && !stays)
        if (const std::string edge = describe_edge(*query, choice); !edge.empty())
            text += fmt::format("  {}\n", edge);
    if (const auto notice = deprecation_notice(request, choice)) append_notice(text, *notice);
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
        text += "\nnothing that could be changed in the request would work\n";
        return;
    }
    text += "\nwhat would work:\n";
    for (const Suggestion& suggestion : suggestions) {
        text += fmt::format("  - {}\n      gives {}\n", suggestion.change, describe(suggestion.choice));
        if (!suggestion.remarks.empty()) text += fmt::format("      {}\n", suggestion.remarks);
    }
}

void append_journey(std::string& text, const Journey& journey) {
    text += "\nthe whole way, with automatic upgrades:\n";
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < journey.hops.size(); ++i) {
        const Hop& hop = journey.hops[i];
        rows.push_back({fmt::format("  {}.", i + 1), std::string(hop.choice.bundle->name()),
                        hop.choice.version, hop.edge.empty() ? "installed" : hop.edge});
    }
    text += aligned(rows);
    switch (journey.end) {
    case Journey::End::stays:
        text += journey.hops.empty() ? "  it stays where it is\n" : "  and there it stays\n";
        break;
    case Journey::End::fails:
        text += fmt::format("  and there it fails: {}\n", journey.error);
        break;
    case Journey::End::circles:
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
    if (!resolution.choice) append_suggestions(text, report.suggestions);
    if (report.journey) append_journey(text, *report.journey);
    return escape_controls_in_lines(text);
}

} // namespace opcat
