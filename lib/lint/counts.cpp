#include "opcat/lint/counts.hpp"

#include "opcat/base/text.hpp"

#include <set>
#include <string_view>

namespace opcat {

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

} // namespace opcat
