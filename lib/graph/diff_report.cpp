// The difference of two catalogs as text, markdown and JSON.
#include "opcat/base/colours.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/catalog_diff.hpp"
#include "opcat/graph/json.hpp"

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

constexpr size_t most_listed = 8; // versions in a sentence

std::string in_cell(std::string_view text) {
    return markdown_code(text, true);
}

std::string in_cell(const std::vector<std::string_view>& names) {
    return listed(names, most_listed, [](std::string_view name) { return in_cell(name); });
}

} // namespace

std::string diff_as_text(const CatalogDiff& diff, bool colour) {
    const Colours c = colours(colour);
    const auto painted_sign = [&](ChangeKind kind) {
        const std::string_view its_colour = kind == ChangeKind::added     ? c.green
                                            : kind == ChangeKind::removed ? c.red
                                                                          : c.yellow;
        return c.paint(its_colour, std::string(1, sign(kind)));
    };
    std::string out;
    for (const PackageChanges& package : diff.packages) {
        out += fmt::format(
            "{} {}{}\n", painted_sign(package.kind), c.paint(c.bold, escape_controls(package.package)),
            package.kind == ChangeKind::changed ? "" : fmt::format(" ({})", word(package.kind)));
        for (const Change& change : package.changes) {
            out += fmt::format("  {} {}\n", painted_sign(change.kind), escape_controls(change.subject));
            for (const std::string& detail : change.details)
                out += fmt::format("      {}\n", escape_controls(detail));
        }
    }
    if (diff.packages.empty()) out += "no changes\n";
    if (!diff.upgrades.empty()) out += fmt::format("\n{}\n", c.paint(c.bold, "upgrades"));
    for (const UpgradeChange& upgrade : diff.upgrades)
        out += fmt::format("  {}: users of {} on {} upgrade to {}\n", escape_controls(upgrade.package),
                           escape_controls(listed(upgrade.from, most_listed)),
                           escape_controls(upgrade.channel), escape_controls(upgrade.to));
    const auto add_regressions = [&](const char* title, bool allowed) {
        bool is_first = true;
        for (const Regression& regression : diff.regressions) {
            if (regression.is_allowed != allowed) continue;
            if (is_first) out += fmt::format("\n{}\n", c.paint(c.bold, title));
            is_first = false;
            out += fmt::format(
                "  {} {}: {}\n",
                c.paint(allowed ? c.yellow : c.bold_red, fmt::format("[{}]", to_string(regression.kind))),
                escape_controls(regression.package), escape_controls(regression.message));
            if (regression.where)
                out += fmt::format("      {}\n", c.paint(c.dim, place_of(regression.where)));
        }
        return is_first;
    };
    if (add_regressions("regressions", false) && !diff.packages.empty()) out += "\nno regressions\n";
    add_regressions("allowed regressions", true);
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
    if (diff.regressions.empty()) {
        out += "\nNo regressions.\n";
    } else {
        out += "\n### Regressions\n\n| | package | what | installed versions |\n|---|---|---|---|\n";
        for (const Regression& regression : diff.regressions)
            out += fmt::format("| **{}** | {} | {} | {} |\n", to_string(regression.kind),
                               in_cell(regression.package), in_cell(regression.message),
                               in_cell(regression.installed));
    }
    out += "\n### What changed\n";
    for (const PackageChanges& package : diff.packages) {
        if (package.kind != ChangeKind::changed) {
            out += fmt::format("\n- package {} {}\n", markdown_code(package.package), word(package.kind));
            continue;
        }
        out += fmt::format("\n<details><summary><code>{}</code>: {}</summary>\n\n",
                           replace_all(escape_html(escape_controls(package.package)), "`", "&#96;"),
                           counted(package.changes.size(), "change"));
        for (const Change& change : package.changes) {
            out += fmt::format("- {}: {}\n", markdown_code(change.subject), word(change.kind));
            for (const std::string& detail : change.details)
                out += fmt::format("  - {}\n", markdown_code(detail));
        }
        out += "\n</details>\n";
    }
    return out;
}

std::string diff_as_json(const CatalogDiff& diff) {
    Json document = {{"schema", "opcat.diff.v1"},
                     {"packages", Json::array()},
                     {"regressions", Json::array()},
                     {"upgrades", Json::array()}};
    for (const PackageChanges& package : diff.packages) {
        Json changes = Json::array();
        for (const Change& change : package.changes)
            changes.push_back(
                {{"kind", word(change.kind)}, {"subject", change.subject}, {"details", change.details}});
        document["packages"].push_back(
            {{"name", package.package}, {"kind", word(package.kind)}, {"changes", std::move(changes)}});
    }
    for (const Regression& regression : diff.regressions) {
        Json json = {{"kind", to_string(regression.kind)}, {"package", regression.package}};
        if (!regression.channel.empty()) json["channel"] = regression.channel;
        json["message"] = regression.message;
        json["installed"] = regression.installed;
        if (regression.where) json["at"] = place_as_json(regression.where);
        if (regression.is_allowed) json["allowed"] = true;
        document["regressions"].push_back(std::move(json));
    }
    for (const UpgradeChange& upgrade : diff.upgrades)
        document["upgrades"].push_back({{"package", upgrade.package},
                                        {"channel", upgrade.channel},
                                        {"from", upgrade.from},
                                        {"to", upgrade.to}});
    return as_document(document);
}

} // namespace opcat
