// Answers of OLM v1 for people.
#include "opcat/base/listed.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::olmv1 {
namespace {

// ---- the table of --all-installed

std::string version_of(const InstalledBundle& installed) {
    return installed.release && !installed.release->empty()
               ? fmt::format("{} release {}", installed.version, *installed.release)
               : installed.version;
}

// "stays", "moves to a.v2", "stuck".
std::string outcome_text(const UpgradeOutcome* outcome) {
    if (!outcome) return "-";
    if (outcome->kind != UpgradeOutcome::Kind::moves) return std::string(to_string(outcome->kind));
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
        const InstalledBundle& installed = change.after->installed;
        rows.push_back({installed.name, version_of(installed), outcome_text(change.before),
                        outcome_text(change.after),
                        change.kind == OutcomeChange::Kind::same ? "" : std::string(to_string(change))});
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

} // namespace

std::string outcomes_as_text(const std::vector<UpgradeOutcome>& outcomes) {
    return aligned(rows_of(outcomes));
}

std::string outcomes_as_markdown(const std::vector<UpgradeOutcome>& outcomes) {
    return markdown(rows_of(outcomes));
}

std::string changes_as_text(const std::vector<OutcomeChange>& changes) {
    return aligned(rows_of(changes));
}

std::string changes_as_markdown(const std::vector<OutcomeChange>& changes) {
    return markdown(rows_of(changes));
}

// ---- the report of a resolution

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
        text += fmt::format("  deprecated: {}: {}\n", escape_controls(what),
                            message.empty() ? "(no message)" : for_terminal(std::string(message), 4));
    };
    if (notice.package) line("the package", *notice.package);
    for (const auto& [name, message] : notice.channels) line(fmt::format("channel {}", name), message);
    if (notice.bundle) line("this bundle", *notice.bundle);
    if (notice.installed) line("the installed bundle", *notice.installed);
}

// What changes a refusal, or what is not known.
void append_install(std::string& text, const ResolveReport& report, const ReportForm& form) {
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
    text += fmt::format("  this is about {}{}\n", olm,
                        form.for_another_release.empty() ? "" : "; " + form.for_another_release);
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

void append_choice(std::string& text, const ResolveReport& report, const ReportForm& form) {
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
    if (report.install) append_install(text, report, form);
}

void append_catalog(std::string& text, const ResolveReport& report, const CatalogExplanation& explanation,
                    const ReportForm& form) {
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
    const bool whole = form.whole || !report.resolution.choice;
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
        text += fmt::format("  and {} more{}\n", explanation.bundles.size() - shown,
                            form.for_all_bundles.empty() ? "" : ": " + form.for_all_bundles);
}

void append_suggestions(std::string& text, const std::vector<Suggestion>& suggestions) {
    if (suggestions.empty()) {
        text += "\nno change of the request would work\n";
        return;
    }
    text += "\nwhat would work:\n";
    for (const Suggestion& suggestion : suggestions) {
        text += fmt::format("  - {}\n      gives {}\n", escape_controls(suggestion.change),
                            describe(suggestion.choice));
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

std::string report_as_text(const ResolveReport& report, const ReportForm& form) {
    std::string text;
    if (!report.extension.empty()) text += fmt::format("ClusterExtension {}\n", report.extension);
    const Resolution& resolution = report.resolution;
    if (resolution.choice)
        append_choice(text, report, form);
    else
        text += resolution.error + "\n";
    for (const CatalogExplanation& explanation : report.explanations)
        append_catalog(text, report, explanation, form);
    const bool needs_namespace = report.install && report.install->needs_watch_namespace;
    if (report.fails() && !(needs_namespace && report.suggestions.empty()))
        append_suggestions(text, report.suggestions);
    if (report.path) append_path(text, *report.path);
    return escape_controls_in_lines(text);
}

} // namespace opcat::olmv1
