// The difference of two catalogs for a comment of a forge.
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/diff_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

constexpr size_t most_characters = 59'000; // GitHub takes 65,536
constexpr size_t most_in_row = 8;
constexpr size_t most_mermaid_edges = 150; // GitHub refuses more than 500

std::string in_cell(std::string_view text) {
    return markdown_code(shorten(text, 500), true);
}

std::string in_cell(const std::vector<std::string_view>& names) {
    return listed(names, most_in_row, [](std::string_view name) { return in_cell(name); });
}

// In the title of what is folded, where markdown is not read.
std::string in_title(std::string_view text) {
    return fmt::format("<code>{}</code>",
                       replace_all(escape_html(escape_controls(shorten(text, 200))), "`", "&#96;"));
}

// Names in mermaid: it knows HTML, markdown and directives.
std::string in_mermaid(std::string_view name) {
    std::string text;
    for (const char c : shorten(name, 100)) {
        const bool is_plain = is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '.' ||
                              c == '-' || c == '+' || c == '_';
        text += is_plain ? c : '_';
    }
    return text;
}

std::string as_mermaid(const ComparedChannel& channel) {
    std::string text = "```mermaid\nflowchart BT\n";
    std::map<std::string_view, size_t> numbers;
    for (const ComparedVersion& version : channel.versions) {
        const size_t number = numbers.size();
        numbers.emplace(version.name, number);
        text += fmt::format("  v{}[\"{}\"]{}\n", number, in_mermaid(version.name),
                            version.is_before == version.is_after ? ""
                            : version.is_after                    ? ":::added"
                                                                  : ":::removed");
    }
    std::string styles;
    size_t count = 0;
    for (const ComparedEdge& edge : channel.edges) {
        text += fmt::format("  v{} {}|{}| v{}\n", numbers.at(edge.from), edge.change ? "==>" : "-->",
                            to_string(edge.kind), numbers.at(edge.to));
        if (edge.change)
            styles +=
                fmt::format("  linkStyle {} stroke:{}\n", count,
                            edge.change == ChangeKind::added ? "#1a7f37" : "#cf222e,stroke-dasharray:4");
        ++count;
    }
    text += "  classDef added stroke:#1a7f37,stroke-width:3px\n"
            "  classDef removed stroke:#cf222e,stroke-width:3px,stroke-dasharray:4\n";
    return text + styles + "```\n";
}

// A text that grows by pieces until it is full.
class Comment {
public:
    std::string text;
    size_t left_out = 0; // pieces

    // `closing`: what has to follow the pieces.
    bool add(const std::string& piece, size_t closing = 0) {
        if (left_out > 0 || text.size() + piece.size() + closing > most_characters) {
            ++left_out;
            return false;
        }
        text += piece;
        return true;
    }
};

std::string row_of(const Regression& regression, std::string_view catalog) {
    return fmt::format("| **{}** | {}{} | {} | {} |\n", to_string(regression.kind),
                       catalog.empty() ? "" : in_cell(catalog) + " ", in_cell(regression.package),
                       in_cell(regression.message), in_cell(regression.installed));
}

void add_regressions(const std::vector<NamedDiff>& diffs, bool allowed, Comment& comment) {
    bool is_first = true;
    for (const NamedDiff& one : diffs)
        for (const Regression& regression : one.diff.regressions) {
            if (regression.is_allowed != allowed) continue;
            if (is_first)
                comment.add(
                    fmt::format("\n### {}\n\n| | package | what | installed versions |\n|---|---|---|---|\n",
                                allowed ? "Allowed regressions" : "Regressions"));
            is_first = false;
            comment.add(row_of(regression, one.name));
        }
    if (is_first && !allowed) comment.add("\nNo regressions.\n");
}

void add_upgrades(const std::vector<NamedDiff>& diffs, Comment& comment) {
    size_t count = 0;
    for (const NamedDiff& one : diffs) count += one.diff.upgrades.size();
    if (count == 0) return;
    constexpr std::string_view end = "\n</details>\n";
    if (!comment.add(fmt::format("\n<details><summary>Upgrades of users: {}</summary>\n\n", count),
                     end.size()))
        return;
    for (const NamedDiff& one : diffs)
        for (const UpgradeChange& upgrade : one.diff.upgrades)
            comment.add(fmt::format("- {}: users of {} on {} upgrade to {}\n", markdown_code(upgrade.package),
                                    listed(upgrade.from, most_in_row,
                                           [](std::string_view name) { return markdown_code(name); }),
                                    markdown_code(upgrade.channel), markdown_code(upgrade.to)),
                        end.size());
    comment.text += end;
}

void add_changes(const PackageChanges& package, std::string_view catalog, Comment& comment) {
    if (package.changes.empty()) {
        comment.add(fmt::format("\n- package {}{} {}\n", catalog.empty() ? "" : markdown_code(catalog) + " ",
                                markdown_code(shorten(package.package, 200)), to_string(package.kind)));
        return;
    }
    const std::string name = (catalog.empty() ? "" : in_title(catalog) + " ") + in_title(package.package);
    constexpr std::string_view end = "\n</details>\n";
    if (!comment.add(fmt::format("\n<details><summary>{}: {}</summary>\n\n", name,
                                 counted(package.changes.size(), "change")),
                     end.size()))
        return;
    for (const Change& change : package.changes) {
        comment.add(
            fmt::format("- {}: {}\n", markdown_code(shorten(change.subject, 200)), to_string(change.kind)),
            end.size());
        for (const std::string& detail : change.details)
            comment.add(fmt::format("  - {}\n", markdown_code(shorten(detail, 500))), end.size());
    }
    comment.text += end;
}

} // namespace

std::string diff_as_markdown(const std::vector<NamedDiff>& diffs) {
    size_t counts[3] = {};
    size_t regressions = 0;
    size_t allowed = 0;
    for (const NamedDiff& one : diffs) {
        for (const PackageChanges& package : one.diff.packages) ++counts[static_cast<size_t>(package.kind)];
        for (const Regression& regression : one.diff.regressions)
            ++(regression.is_allowed ? allowed : regressions);
    }
    const size_t packages = counts[0] + counts[1] + counts[2];
    Comment comment{.text = "## Catalog changes\n\n"};
    const bool are_compared =
        std::ranges::all_of(diffs, [](const NamedDiff& one) { return one.diff.bundles_compared; });
    if (packages == 0)
        return comment.text +
               (are_compared ? "No changes.\n" : "No changes of channels. The bundles were not compared.\n");
    comment.add(fmt::format("{}: {} added, {} removed, {} changed. {}{}.\n", counted(packages, "package"),
                            counts[0], counts[1], counts[2], counted(regressions, "regression"),
                            allowed == 0 ? "" : fmt::format(", and {} allowed", allowed)));
    if (!are_compared) comment.add("The bundles were not compared.\n");
    add_regressions(diffs, false, comment);
    add_regressions(diffs, true, comment);
    add_upgrades(diffs, comment);
    for (const NamedDiff& one : diffs)
        for (const PackageChanges& package : one.diff.packages) add_changes(package, one.name, comment);
    for (const NamedDiff& one : diffs)
        for (const ComparedChannel& channel : one.channels) {
            if (channel.is_too_large || channel.edges.empty() || channel.edges.size() > most_mermaid_edges)
                continue;
            comment.add(fmt::format("\n<details><summary>Graph of {} {}{}</summary>\n\n{}\n</details>\n",
                                    in_title(channel.package), in_title(channel.channel),
                                    channel.left_out == 0 ? ""
                                                          : fmt::format(", without {} that did not change",
                                                                        counted(channel.left_out, "version")),
                                    as_mermaid(channel)));
        }
    if (comment.left_out > 0)
        comment.text += fmt::format("\n{} more lines and graphs are left out: `opcat diff` shows all.\n",
                                    comment.left_out);
    return comment.text;
}

} // namespace opcat
