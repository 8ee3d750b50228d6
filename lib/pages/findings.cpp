#include "opcat/pages/findings.hpp"

#include "opcat/base/text.hpp"
#include "opcat/pages/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace opcat::pages {

std::vector<PageFinding> page_findings(const LintResult& result, std::string_view root) {
    std::vector<PageFinding> findings;
    for (const Diagnostic& finding : fold_alike(result.findings, result.subjects)) {
        const Subject subject = result.subjects.of(finding.where);
        std::string place = place_of(finding.where);
        if (place.starts_with(root)) place.erase(0, root.size());
        while (place.starts_with('/')) place.erase(0, 1);
        findings.push_back({.severity = finding.severity,
                            .rule = finding.rule,
                            .message = finding.message,
                            .help = finding.help,
                            .place = std::move(place),
                            .package = std::string(subject.package),
                            .schema = std::string(subject.schema),
                            .name = std::string(subject.name),
                            .count = finding.count,
                            .is_rest = finding.is_rest});
    }
    return findings;
}

std::vector<PageFinding> find_for_pages(const Source& source, ThreadPool& pool) {
    return page_findings(lint({{source}}, {}, pool), source.name());
}

std::string findings_in_words(std::span<const PageFinding> findings) {
    std::map<Severity, size_t> counts;
    for (const PageFinding& finding : findings) counts[finding.severity] += finding.count;
    std::string out;
    for (const auto& [severity, count] : counts)
        out += (out.empty() ? "" : ", ") + counted(count, to_string(severity));
    return out;
}

std::string findings_badge(const std::vector<const PageFinding*>& findings) {
    std::map<Severity, size_t> counts;
    for (const PageFinding* const finding : findings) counts[finding->severity] += finding->count;
    if (counts.empty()) return {};
    const std::string_view severity = to_string(counts.begin()->first);
    return badge(counted(counts.begin()->second, severity), severity);
}

std::string findings_list(const std::vector<const PageFinding*>& findings, size_t most) {
    std::vector<const PageFinding*> sorted = findings;
    std::stable_sort(sorted.begin(), sorted.end(), [](const PageFinding* a, const PageFinding* b) {
        return static_cast<int>(a->severity) < static_cast<int>(b->severity);
    });
    std::string out = "<ul class=\"findings\">\n";
    for (const PageFinding* const finding : std::span(sorted).first(std::min(most, sorted.size()))) {
        out += fmt::format("<li class=\"item\">{} <code>{}</code> {}",
                           badge(to_string(finding->severity), to_string(finding->severity)),
                           escape_html(finding->rule), escape_html(finding->message));
        if (finding->count > 1 && !finding->is_rest)
            out += fmt::format(" <small>({} alike)</small>", finding->count);
        if (!finding->help.empty())
            out += fmt::format("<p class=\"help\">{}</p>", escape_html(finding->help));
        if (!finding->place.empty())
            out += fmt::format("<p class=\"place\">{}</p>", escape_html(finding->place));
        out += "</li>\n";
    }
    out += "</ul>\n";
    if (sorted.size() > most)
        out += fmt::format("<p>{} more: <code>opcat validate</code> lists all of them.</p>\n",
                           sorted.size() - most);
    return out;
}

} // namespace opcat::pages
