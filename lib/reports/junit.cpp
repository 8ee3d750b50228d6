#include "opcat/base/text.hpp"
#include "opcat/reports/report.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat {
namespace {

// For text and attributes. XML 1.0 has no way to write most control characters.
std::string xml(std::string_view text) {
    std::string out;
    for (const std::string_view character : utf8_characters(text)) {
        if (character == "&")
            out += "&amp;";
        else if (character == "<")
            out += "&lt;";
        else if (character == ">")
            out += "&gt;";
        else if (character == "\"")
            out += "&quot;";
        else if (character == "\n")
            out += '\n';
        else if (character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf")
            out += '?'; // U+FFFE and U+FFFF are not characters in XML
        else
            out += escape_controls(character);
    }
    return out;
}

std::string test_case(std::string_view rule, const Diagnostics& broken, const ReportContext& context) {
    std::string errors;
    std::string others;
    size_t count = 0;
    for (const Diagnostic& finding : broken) {
        count += finding.severity == Severity::error ? 1 : 0;
        (finding.severity == Severity::error ? errors : others) += to_text(finding, {});
    }
    std::string text = fmt::format("    <testcase classname=\"opcat\" name=\"{}\"", xml(rule));
    if (broken.front().where)
        text +=
            fmt::format(" file=\"{}\"", xml(report_path(broken.front().where.file->path(), context.root)));
    text += ">\n";
    if (!errors.empty())
        text += fmt::format("      <failure type=\"error\" message=\"{}\">{}</failure>\n",
                            xml(counted(count, "error")), xml(errors));
    if (!others.empty()) text += fmt::format("      <system-out>{}</system-out>\n", xml(others));
    return text + "    </testcase>\n";
}

} // namespace

std::string findings_as_junit(const Diagnostics& findings, const ReportContext& context) {
    std::map<std::string_view, Diagnostics> by_rule;
    for (const Diagnostic& finding : findings) by_rule[finding.rule].push_back(finding);
    std::string cases;
    size_t failures = 0;
    // Some readers take a run without tests for one that failed.
    cases += "    <testcase classname=\"opcat\" name=\"all other rules\"/>\n";
    for (const auto& [rule, broken] : by_rule) {
        cases += test_case(rule, broken, context);
        failures += has_errors(broken) ? 1 : 0;
    }
    const std::vector<NotChecked> skipped = not_checked_in(context.left_out);
    for (const NotChecked& one : skipped)
        cases += fmt::format("    <testcase classname=\"opcat\" name=\"{}\">\n      <skipped "
                             "message=\"{}\"/>\n    </testcase>\n",
                             xml(one.check), xml(one.why));
    const std::string counts =
        fmt::format("name=\"opcat validate\" tests=\"{}\" failures=\"{}\" skipped=\"{}\"",
                    by_rule.size() + 1 + skipped.size(), failures, skipped.size());
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite {0}>\n{1}"
                       "  </testsuite>\n</testsuites>\n",
                       counts, cases);
}

} // namespace opcat
