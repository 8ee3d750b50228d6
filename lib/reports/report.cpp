#include "opcat/reports/report.hpp"

#include "opcat/base/file_uri.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace opcat {

namespace fs = std::filesystem;

std::vector<NotChecked> not_checked_in(const LeftOut& left_out) {
    std::vector<NotChecked> all;
    if (left_out.unread_bundles)
        all.push_back(
            {"rules about bundles", "the bundles of the template are not read: --resolve-images pulls them"});
    all.insert(all.end(), left_out.not_checked.begin(), left_out.not_checked.end());
    return all;
}

std::optional<ReportFormat> find_report_format(std::string_view name) {
    const auto found = std::find(std::begin(report_format_names), std::end(report_format_names), name);
    if (found == std::end(report_format_names)) return std::nullopt;
    return static_cast<ReportFormat>(found - std::begin(report_format_names));
}

bool is_for_people(ReportFormat format) {
    return format == ReportFormat::text || format == ReportFormat::concise || format == ReportFormat::github;
}

namespace {

// The line and column of a finding are only known after all of its file has been read: each file by one
// thread.
void look_at_files(const Diagnostics& findings, ThreadPool& pool) {
    std::vector<const SourceFile*> files;
    for (const Diagnostic& finding : findings)
        if (finding.where && (files.empty() || files.back() != finding.where.file))
            files.push_back(finding.where.file);
    pool.for_each(files.size(), [&](size_t i) { files[i]->position(0); });
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// `text`, which begins with a place, with that as a hyperlink (OSC 8) to the file.
std::string with_file_link(std::string text, const Location& where, const std::string& host) {
    std::error_code ignored;
    const std::string place = place_of(where);
    const size_t at = text.find(place);
    const fs::path path = where ? fs::absolute(where.file->path(), ignored) : fs::path();
    if (at == text.npos || !where || !fs::exists(path, ignored)) return text;
    std::string uri = uri_of_path(path.lexically_normal().generic_string());
    uri.insert(uri.find("//") + 2, host);
    text.replace(at, place.size(), fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", uri, place));
    return text;
}

template <class Shown>
std::string findings_as_text(const Diagnostics& findings, const ReportContext& context, ThreadPool& pool,
                             Shown shown) {
    look_at_files(findings, pool);
    const std::string host = context.has_links ? host_name() : "";
    constexpr size_t portion = 8;
    std::vector<std::string> texts((findings.size() + portion - 1) / portion);
    pool.for_each(texts.size(), [&](size_t i) {
        for (size_t k = i * portion; k < std::min(findings.size(), (i + 1) * portion); ++k) {
            std::string text = shown(findings[k]);
            if (context.has_links)
                text = with_file_link(with_rule_link(std::move(text), findings[k].rule, context.rules_page),
                                      findings[k].where, host);
            texts[i] += text;
        }
    });
    std::string all;
    for (const std::string& text : texts) all += text;
    return all;
}

bool folds(ReportFormat format) {
    return is_for_people(format) || format == ReportFormat::json;
}

std::string report_of(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                      ThreadPool& pool) {
    switch (format) {
    case ReportFormat::text:
        return findings_as_text(findings, context, pool,
                                [&](const Diagnostic& d) { return to_text(d, context.style); });
    case ReportFormat::concise:
        return findings_as_text(findings, context, pool, as_one_line);
    case ReportFormat::json:
        return findings_as_json(findings, context.subjects, context.left_out);
    case ReportFormat::sarif:
        return findings_as_sarif(findings, context);
    case ReportFormat::github:
        return findings_as_github(findings, context);
    case ReportFormat::gitlab:
        return findings_as_gitlab(findings, context);
    case ReportFormat::junit:
        return findings_as_junit(findings, context);
    case ReportFormat::tekton:
        return findings_as_tekton(findings, context);
    }
    return {};
}

} // namespace

std::string make_report(ReportFormat format, const Diagnostics& findings, const ReportContext& context,
                        ThreadPool& pool) {
    if (context.each || !folds(format)) return report_of(format, findings, context, pool);
    return report_of(format, fold_alike(findings, context.subjects), context, pool);
}

std::string as_one_line(const Diagnostic& finding) {
    const std::string place = place_of(finding.where);
    return fmt::format("{}{}{}: {} [{}]{}\n", place, place.empty() ? "" : ": ", to_string(finding.severity),
                       escape_controls(finding.message), finding.rule,
                       finding.count > 1 && !finding.is_rest ? fmt::format(" ({} times)", finding.count)
                                                             : "");
}

std::string with_rule_link(std::string finding, std::string_view rule, std::string_view page) {
    const std::string id = fmt::format("[{}]\n", rule);
    const size_t at = finding.find(id);
    if (page.empty() || at == finding.npos) return finding;
    constexpr std::string_view begin = "\x1b]8;;";
    constexpr std::string_view end = "\x1b\\";
    finding.replace(at, id.size(), fmt::format("[{0}{2}#{3}{1}{3}{0}{1}]\n", begin, end, page, rule));
    return finding;
}

std::string report_path(const std::string& shown, const fs::path& root) {
    const fs::path path = fs::absolute(shown).lexically_normal();
    const fs::path relative = path.lexically_relative(root);
    if (relative.empty() || *relative.begin() == "..") return path.generic_string();
    return relative.generic_string();
}

} // namespace opcat
