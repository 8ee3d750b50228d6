#include "reports/report.hpp"

#include "findings.hpp"
#include "rule_links.hpp"

#include <algorithm>

namespace opcat {

namespace fs = std::filesystem;

std::optional<ReportFormat> find_report_format(std::string_view name) {
    const auto found = std::find(std::begin(report_format_names), std::end(report_format_names), name);
    if (found == std::end(report_format_names)) return std::nullopt;
    return static_cast<ReportFormat>(found - std::begin(report_format_names));
}

std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context) {
    switch (format) {
    case ReportFormat::text: {
        std::string text;
        for (const Diagnostic& finding : findings)
            text += with_rule_link(to_text(finding, context.style), finding.rule, context.rules_page);
        return text;
    }
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
