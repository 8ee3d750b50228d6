// The difference of two catalogs as text and JSON.
#include "opcat/graph/diff_report.hpp"

#include "opcat/base/colours.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/json.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

char sign(ChangeKind kind) {
    return kind == ChangeKind::added ? '+' : kind == ChangeKind::removed ? '-' : '~';
}

constexpr size_t most_listed = 8; // versions in a sentence

} // namespace

std::string_view to_string(ChangeKind kind) {
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
            package.kind == ChangeKind::changed ? "" : fmt::format(" ({})", to_string(package.kind)));
        for (const Change& change : package.changes) {
            out += fmt::format("  {} {}\n", painted_sign(change.kind), escape_controls(change.subject));
            for (const std::string& detail : change.details)
                out += fmt::format("      {}\n", escape_controls(detail));
        }
    }
    if (diff.packages.empty())
        out += diff.bundles_compared ? "no changes\n"
                                     : "no changes of channels; the bundles were not compared\n";
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
    if (!diff.packages.empty() && !diff.bundles_compared) out += "\nthe bundles were not compared\n";
    return out;
}

std::string diff_as_json(const std::vector<NamedDiff>& diffs) {
    Json document = {{"schema", "opcat.diff.v1"},
                     {"packages", Json::array()},
                     {"regressions", Json::array()},
                     {"upgrades", Json::array()}};
    if (!std::ranges::all_of(diffs, [](const NamedDiff& one) { return one.diff.bundles_compared; }))
        document["bundlesCompared"] = false;
    for (const auto& [name, diff, channels] : diffs) {
        const auto add = [&, &name = name](const char* list, Json json) {
            if (!name.empty()) json["catalog"] = name;
            document[list].push_back(std::move(json));
        };
        for (const PackageChanges& package : diff.packages) {
            Json changes = Json::array();
            for (const Change& change : package.changes)
                changes.push_back({{"kind", to_string(change.kind)},
                                   {"subject", change.subject},
                                   {"details", change.details}});
            add("packages", {{"name", package.package},
                             {"kind", to_string(package.kind)},
                             {"changes", std::move(changes)}});
        }
        for (const Regression& regression : diff.regressions) {
            Json json = {{"kind", to_string(regression.kind)}, {"package", regression.package}};
            if (!regression.channel.empty()) json["channel"] = regression.channel;
            json["message"] = regression.message;
            json["installed"] = regression.installed;
            if (regression.where) json["at"] = place_as_json(regression.where);
            if (regression.is_allowed) json["allowed"] = true;
            add("regressions", std::move(json));
        }
        for (const UpgradeChange& upgrade : diff.upgrades)
            add("upgrades", {{"package", upgrade.package},
                             {"channel", upgrade.channel},
                             {"from", upgrade.from},
                             {"to", upgrade.to}});
    }
    return as_document(document);
}

} // namespace opcat
