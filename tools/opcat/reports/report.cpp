#include "reports/report.hpp"

#include "help/rule_links.hpp"
#include "terminal/findings.hpp"

#include <algorithm>

namespace opcat {

namespace fs = std::filesystem;

std::optional<ReportFormat> find_report_format(std::string_view name) {
    const auto found = std::find(std::begin(report_format_names), std::end(report_format_names), name);
    if (found == std::end(report_format_names)) return std::nullopt;
    return static_cast<ReportFormat>(found - std::begin(report_format_names));
}

namespace {

// Where findings stand in a file can only be told after a look at all of it, which is taken of each file by
// one thread.
void look_at_files(const Diagnostics& findings, ThreadPool& pool) {
    std::vector<const SourceFile*> files;
    for (const Diagnostic& finding : findings)
        if (finding.where && (files.empty() || files.back() != finding.where.file))
            files.push_back(finding.where.file);
    pool.for_each(files.size(), [&](size_t i) { files[i]->position(0); });
}

std::string findings_as_text(const Diagnostics& findings, const ReportContext& context, ThreadPool& pool) {
    look_at_files(findings, pool);
    const std::vector<const Diagnostic*> ordered = errors_last(findings);
    constexpr size_t portion = 8;
    std::vector<std::string> texts((findings.size() + portion - 1) / portion);
    pool.for_each(texts.size(), [&](size_t i) {
        for (size_t k = i * portion; k < std::min(findings.size(), (i + 1) * portion); ++k)
            texts[i] +=
                with_rule_link(to_text(*ordered[k], context.style), ordered[k]->rule, context.rules_page);
    });
    std::string all;
    for (const std::string& text : texts) all += text;
    return all;
}

} // namespace

std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                        ThreadPool& pool) {
    switch (format) {
    case ReportFormat::text:
        return findings_as_text(findings, context, pool);
    case ReportFormat::json:
        return findings_as_json(findings);
    case ReportFormat::sarif:
        return findings_as_sarif(findings, context);
    case ReportFormat::github:
        return findings_as_github(findings, context);
    case ReportFormat::junit:
        return findings_as_junit(findings, context);
    }
    return {};
}

std::string report_path(const std::string& shown, const fs::path& root) {
    const fs::path path = fs::absolute(shown).lexically_normal();
    const fs::path relative = path.lexically_relative(root);
    if (relative.empty() || *relative.begin() == "..") return path.generic_string();
    return relative.generic_string();
}

} // namespace opcat
