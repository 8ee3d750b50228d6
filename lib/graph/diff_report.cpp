#include "base/text.hpp"
#include "graph/catalog_diff.hpp"
#include "graph/json.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

std::string_view word(ChangeKind kind) {
    switch (kind) {
    case ChangeKind::added:
        return "added";
    case ChangeKind::removed:
        return "removed";
    case ChangeKind::changed:
        return "changed";
    }
    return {};
}

char sign(ChangeKind kind) {
    return kind == ChangeKind::added ? '+' : kind == ChangeKind::removed ? '-' : '~';
}

// Text inside of markdown, also in a cell of a table: nothing in it is markup.
std::string in_markdown(std::string_view text) {
    std::string out;
    for (const char c : escape_controls(text)) {
        if (std::string_view("\\`*_{}[]<>#|~!&").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string in_code(std::string_view text) {
    std::string out = "`";
    for (const char c : escape_controls(text)) out += c == '`' ? '\'' : c == '|' ? '/' : c;
    return out + "`";
}

std::string in_cell(const std::vector<std::string_view>& names) {
    constexpr size_t most = 8;
    std::string text;
    for (size_t i = 0; i < names.size() && i < most; ++i) text += (i > 0 ? ", " : "") + in_code(names[i]);
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    return text;
}

} // namespace

std::string diff_as_text(const CatalogDiff& diff, bool colour) {
    const auto paint = [&](std::string_view code, std::string_view text) {
        return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
    };
    const auto painted_sign = [&](ChangeKind kind) {
        const std::string_view code = kind == ChangeKind::added     ? "32"
                                      : kind == ChangeKind::removed ? "31"
                                                                    : "33";
        return paint(code, std::string(1, sign(kind)));
    };
    std::string out;
    for (const PackageChanges& package : diff.packages) {
        out +=
            fmt::format("{} {}{}\n", painted_sign(package.kind), paint("1", escape_controls(package.package)),
                        package.kind == ChangeKind::changed ? "" : fmt::format(" ({})", word(package.kind)));
        for (const Change& change : package.changes) {
            out += fmt::format("  {} {}\n", painted_sign(change.kind), escape_controls(change.subject));
            for (const std::string& detail : change.details)
                out += fmt::format("      {}\n", escape_controls(detail));
        }
    }
    if (diff.packages.empty()) out += "no changes\n";
    if (diff.harms.empty()) return out;
    out += fmt::format("\n{}\n", paint("1", "whom it hurts"));
    for (const Harm& harm : diff.harms) {
        out += fmt::format("  {} {}: {}\n", paint("1;31", fmt::format("[{}]", to_string(harm.kind))),
                           escape_controls(harm.package), escape_controls(harm.message));
        if (harm.where) out += fmt::format("      {}\n", paint("2", place_of(harm.where)));
    }
    return out;
}

std::string diff_as_markdown(const CatalogDiff& diff) {
    size_t added = 0;
    size_t removed = 0;
    for (const PackageChanges& package : diff.packages) {
        added += package.kind == ChangeKind::added ? 1 : 0;
        removed += package.kind == ChangeKind::removed ? 1 : 0;
    }
    std::string out = "## Catalog changes\n\n";
    if (diff.packages.empty()) return out + "No changes.\n";
    out += fmt::format("{}: {} added, {} removed, {} changed.\n", counted(diff.packages.size(), "package"),
                       added, removed, diff.packages.size() - added - removed);
    if (diff.harms.empty()) {
        out += "\nNo installed version is hurt.\n";
    } else {
        out += "\n### Whom it hurts\n\n| | package | what | installed versions |\n|---|---|---|---|\n";
        for (const Harm& harm : diff.harms)
            out += fmt::format("| **{}** | {} | {} | {} |\n", to_string(harm.kind), in_code(harm.package),
                               in_markdown(harm.message), in_cell(harm.installed));
    }
    out += "\n### What changed\n";
    for (const PackageChanges& package : diff.packages) {
        if (package.kind != ChangeKind::changed) {
            out += fmt::format("\n- package {} {}\n", in_code(package.package), word(package.kind));
            continue;
        }
        out += fmt::format("\n<details><summary>{}: {}</summary>\n\n", in_markdown(package.package),
                           counted(package.changes.size(), "change"));
        for (const Change& change : package.changes) {
            out += fmt::format("- {}: {}\n", in_markdown(change.subject), word(change.kind));
            for (const std::string& detail : change.details)
                out += fmt::format("  - {}\n", in_markdown(detail));
        }
        out += "\n</details>\n";
    }
    return out;
}

std::string diff_as_json(const CatalogDiff& diff) {
    Json document = {{"schema", "opcat.diff.v1"}, {"packages", Json::array()}, {"harms", Json::array()}};
    for (const PackageChanges& package : diff.packages) {
        Json changes = Json::array();
        for (const Change& change : package.changes)
            changes.push_back(
                {{"kind", word(change.kind)}, {"subject", change.subject}, {"details", change.details}});
        document["packages"].push_back(
            {{"name", package.package}, {"kind", word(package.kind)}, {"changes", std::move(changes)}});
    }
    for (const Harm& harm : diff.harms) {
        Json json = {{"kind", to_string(harm.kind)}, {"package", harm.package}};
        if (!harm.channel.empty()) json["channel"] = harm.channel;
        json["message"] = harm.message;
        json["installed"] = harm.installed;
        if (harm.where) json["at"] = place_as_json(harm.where);
        document["harms"].push_back(std::move(json));
    }
    return as_document(document);
}

} // namespace opcat
