#include "terminal/findings.hpp"

#include "help/markdown.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace opcat {
namespace {

// Members keep the order in which they are written here.
using Json = nlohmann::ordered_json;

Json position(const SourceFile& file, uint32_t offset) {
    const Position at = file.position(offset);
    return {{"line", at.line}, {"column", at.column}, {"offset", offset}};
}

void add_place(Json& object, const Location& where) {
    if (!where) return;
    object["file"] = where.file->path();
    object["range"] = {{"start", position(*where.file, where.offset)},
                       {"end", position(*where.file, where.offset + where.length)}};
}

void log_finding(const Diagnostic& finding, const Session& session) {
    Session::LogValues values{{"rule", std::string(finding.rule)}};
    if (finding.where) {
        const Position at = finding.where.file->position(finding.where.offset);
        values.emplace_back("file", fmt::format("{}:{}:{}", finding.where.file->path(), at.line, at.column));
    }
    if (!finding.help.empty()) values.emplace_back("help", finding.help);
    session.log(to_string(finding.severity), finding.message, values);
}

} // namespace

void print_findings(const Diagnostics& findings, const Session& session) {
    const DiagnosticStyle style{session.colour_on_stderr(), session.width_of_stderr()};
    const std::string page = style.colour && style.width > 0 ? rules_page() : std::string();
    const Severity least = session.options.quiet ? Severity::error : Severity::warning;
    for (const Diagnostic& finding : findings) {
        if (finding.severity > least) continue;
        if (session.options.json_log)
            log_finding(finding, session);
        else
            session.print_drawing(with_rule_link(to_text(finding, style), finding.rule, page));
    }
}

bool report_findings(const Diagnostics& findings, Session& session) {
    print_findings(findings, session);
    const FindingCounts counts = count_findings(findings);
    if (counts.errors == 0) return true;
    session.exit_status = std::max<int>(session.exit_status, exit_status_of(counts));
    return false;
}

FindingCounts count_findings(const Diagnostics& findings) {
    FindingCounts counts;
    std::set<std::string_view> files;
    for (const Diagnostic& finding : findings) {
        switch (finding.severity) {
        case Severity::error:
            counts.errors += finding.count;
            counts.unreadable += finding.rule == "file";
            counts.limited += finding.rule == "limit";
            break;
        case Severity::warning:
            counts.warnings += finding.count;
            break;
        case Severity::note:
            counts.notes += finding.count;
            break;
        }
        if (finding.where) files.insert(finding.where.file->path());
    }
    counts.files = files.size();
    return counts;
}

ExitStatus exit_status_of(const FindingCounts& counts) {
    if (counts.unreadable + counts.limited > 0) return exit_environment;
    return counts.errors > 0 ? exit_findings : exit_ok;
}

std::string describe(const FindingCounts& counts) {
    std::string text;
    const auto add = [&](size_t count, std::string_view what) {
        if (count == 0) return;
        if (!text.empty()) text += ", ";
        text += counted(count, what);
    };
    add(counts.errors, "error");
    add(counts.warnings, "warning");
    add(counts.notes, "note");
    if (!text.empty() && counts.files > 0) text += " in " + counted(counts.files, "file");
    return text;
}

Json summary_of(const Diagnostics& findings, const LeftOut& left_out) {
    const FindingCounts counts = count_findings(findings);
    return {{"errors", counts.errors},
            {"warnings", counts.warnings},
            {"notes", counts.notes},
            {"consequences", left_out.explained},
            {"suppressed", left_out.suppressed},
            {"known", left_out.known}};
}

std::string findings_as_json(const Diagnostics& findings, const Subjects& subjects, const LeftOut& left_out) {
    Json list = Json::array();
    for (const Diagnostic& finding : findings) {
        Json object{
            {"rule", finding.rule}, {"severity", to_string(finding.severity)}, {"message", finding.message}};
        if (const auto package = subjects.of(finding.where).package; !package.empty())
            object["package"] = package;
        if (finding.count > 1) object["count"] = finding.count;
        add_place(object, finding.where);
        for (const Note& note : finding.notes) {
            Json entry{{"message", note.message}};
            add_place(entry, note.where);
            object["notes"].push_back(std::move(entry));
        }
        if (!finding.help.empty()) object["help"] = finding.help;
        list.push_back(std::move(object));
    }
    return as_document(Json{{"schema", "opcat.findings.v1"},
                            {"summary", summary_of(findings, left_out)},
                            {"findings", std::move(list)}});
}

} // namespace opcat
