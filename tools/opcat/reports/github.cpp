#include "base/text.hpp"
#include "reports/report.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

// The runner takes a line for a command; in the value of a property, ':' and ',' are special as well.
std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : text) {
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out;
}

std::string_view command_of(Severity severity) {
    return severity == Severity::note ? "notice" : to_string(severity);
}

// Readers see the annotated file, and only that.
std::string place_of(const Location& where, const SourceFile* annotated, const ReportContext& context) {
    if (!where) return {};
    const uint32_t line = where.file->position(where.offset).line;
    if (where.file == annotated) return fmt::format(" on line {}", line);
    return fmt::format(" at {}:{}", report_path(where.file->path(), context.root), line);
}

std::string message_of(const Diagnostic& finding, const ReportContext& context) {
    std::string text = finding.message;
    for (const Note& note : finding.notes)
        text += "\nnote: " + note.message + place_of(note.where, finding.where.file, context);
    if (!finding.help.empty()) text += "\nhelp: " + finding.help;
    // Line breaks are ours; anything else that commands a terminal is the catalog's.
    std::string safe;
    for (const std::string_view character : utf8_characters(text))
        safe += character == "\n" ? "\n" : escape_controls(character);
    return safe;
}

} // namespace

std::string findings_as_github(const Diagnostics& findings, const ReportContext& context) {
    std::string text;
    for (const Diagnostic& finding : findings) {
        std::string properties;
        if (finding.where) {
            const SourceFile& file = *finding.where.file;
            const Position start = file.position(finding.where.offset);
            const Position end = file.position(finding.where.offset + finding.where.length);
            properties =
                fmt::format("file={},line={},endLine={},",
                            escaped(report_path(file.path(), context.root), true), start.line, end.line);
            // Columns only count within one line.
            if (start.line == end.line)
                properties += fmt::format("col={},endColumn={},", start.column, end.column);
        }
        text += fmt::format("::{} {}title={}::{}\n", command_of(finding.severity), properties,
                            escaped(finding.rule, true), escaped(message_of(finding, context), false));
    }
    return text;
}

} // namespace opcat
