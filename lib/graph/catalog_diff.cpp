#include "opcat/graph/catalog_diff.hpp"

#include "opcat/base/colours.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/graph/json.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

namespace opcat {

namespace {

std::string json_of(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

// What a bundle's properties say, by type, whatever their order.
std::map<std::string_view, std::multiset<std::string>> properties_of(const Bundle& bundle) {
    std::map<std::string_view, std::multiset<std::string>> properties;
    Arena arena;
    for (const Property& property : bundle.properties)
        properties[property.type].insert(property.value ? json_of(normalised(*property.value, arena))
                                                        : std::string());
    return properties;
}

void add_if_changed(std::vector<std::string>& details, std::string_view what, std::string_view before,
                    std::string_view after) {
    if (before == after) return;
    if (before.empty())
        details.push_back(fmt::format("{} is now {}", what, after));
    else if (after.empty())
        details.push_back(fmt::format("{} was {} and is gone", what, before));
    else
        details.push_back(fmt::format("{} was {} and is {}", what, before, after));
}

std::string_view message_of(const DeprecationEntry* deprecation) {
    return deprecation ? deprecation->message.text : std::string_view();
}

void add_deprecation(std::vector<std::string>& details, const DeprecationEntry* before,
                     const DeprecationEntry* after) {
    if (!before && after) details.push_back(fmt::format("deprecated: {}", on_one_line(after->message)));
    if (before && !after) details.emplace_back("no longer deprecated");
    if (before && after && message_of(before) != message_of(after))
        details.push_back(fmt::format("another deprecation message: {}", on_one_line(after->message)));
}

class PackageComparison {
public:
    PackageComparison(const PackageGraph& before, const PackageGraph& after)
        : before_(before), after_(after) {}

    std::vector<Change> run() {
        compare_package();
        compare_channels();
        compare_bundles();
        return std::move(changes_);
    }

private:
    void add(ChangeKind kind, std::string subject, std::vector<std::string> details = {}) {
        if (kind == ChangeKind::changed && details.empty()) return;
        changes_.push_back({kind, std::move(subject), std::move(details)});
    }

    void compare_package() {
        std::vector<std::string> details;
        const auto text = [](const PackageGraph& graph, Text Package::*field) {
            return graph.package ? (graph.package->*field).text : std::string_view();
        };
        add_if_changed(details, "default channel", text(before_, &Package::default_channel),
                       text(after_, &Package::default_channel));
        if (text(before_, &Package::description) != text(after_, &Package::description))
            details.emplace_back("another description");
        if (before_.package && after_.package) {
            const auto icon = [](const PackageGraph& graph) {
                const auto& one = graph.package->icon;
                return one ? std::pair(one->base64.value_or(""), one->media_type)
                           : std::pair<std::string_view, std::string_view>();
            };
            if (icon(before_) != icon(after_)) details.emplace_back("another icon");
        }
        add_deprecation(details, before_.deprecation, after_.deprecation);
        add(ChangeKind::changed, "package", std::move(details));
    }

    void compare_channels() {
        for (const ChannelGraph& channel : before_.channels)
            if (!after_.find_channel(channel.name))
                add(ChangeKind::removed, fmt::format("channel {}", channel.name));
        for (const ChannelGraph& channel : after_.channels) {
            const ChannelGraph* const old = before_.find_channel(channel.name);
            if (!old)
                add(ChangeKind::added, fmt::format("channel {}", channel.name),
                    {counted(channel.entries.size(), "version")});
            else
                add(ChangeKind::changed, fmt::format("channel {}", channel.name), compare(*old, channel));
        }
    }

    std::vector<std::string> compare(const ChannelGraph& old, const ChannelGraph& now) const {
        std::vector<std::string> details;
        add_deprecation(details, old.deprecation, now.deprecation);
        const auto head = [](const PackageGraph& graph, const ChannelGraph& channel) {
            return channel.head() == no_node ? std::string_view() : graph.nodes[channel.head()].name;
        };
        add_if_changed(details, "head", head(before_, old), head(after_, now));
        std::map<std::string_view, const ChannelEntry*> old_entries;
        for (const GraphEntry& entry : old.entries) old_entries[entry.source->name] = entry.source;
        std::set<std::string_view> kept;
        for (const GraphEntry& entry : now.entries) {
            const auto found = old_entries.find(entry.source->name);
            if (found == old_entries.end()) {
                details.push_back(
                    fmt::format("new entry {}{}", entry.source->name.text, edges_in_words(*entry.source)));
                continue;
            }
            kept.insert(found->first);
            compare(*found->second, *entry.source, details);
        }
        for (const GraphEntry& entry : old.entries)
            if (!kept.contains(entry.source->name))
                details.push_back(fmt::format("entry {} is gone", entry.source->name.text));
        return details;
    }

    static std::string edges_in_words(const ChannelEntry& entry) {
        std::vector<std::string> words;
        if (!entry.replaces.empty()) words.push_back(fmt::format("replaces {}", entry.replaces.text));
        const std::vector<std::string_view> skips(entry.skips.begin(), entry.skips.end());
        if (!skips.empty()) words.push_back(fmt::format("skips {}", fmt::join(skips, ", ")));
        if (!entry.skip_range.empty()) words.push_back(fmt::format("skipRange {}", entry.skip_range.text));
        return words.empty() ? std::string() : fmt::format(": {}", fmt::join(words, "; "));
    }

    static void compare(const ChannelEntry& old, const ChannelEntry& now, std::vector<std::string>& details) {
        const std::string prefix = std::string(now.name) + ": ";
        add_if_changed(details, prefix + "replaces", old.replaces, now.replaces);
        add_if_changed(details, prefix + "skipRange", old.skip_range, now.skip_range);
        const std::set<std::string_view> before(old.skips.begin(), old.skips.end());
        const std::set<std::string_view> after(now.skips.begin(), now.skips.end());
        for (const std::string_view skip : after)
            if (!before.contains(skip)) details.push_back(fmt::format("{}now skips {}", prefix, skip));
        for (const std::string_view skip : before)
            if (!after.contains(skip)) details.push_back(fmt::format("{}no longer skips {}", prefix, skip));
    }

    void compare_bundles() {
        for (const GraphNode& node : before_.nodes) {
            if (node.is_virtual()) continue;
            const GraphNode* const now = find(after_, node.name);
            if (!now) add(ChangeKind::removed, fmt::format("bundle {}", node.name));
        }
        for (const GraphNode& node : after_.nodes) {
            if (node.is_virtual()) continue;
            const GraphNode* const old = find(before_, node.name);
            if (!old)
                add(ChangeKind::added, fmt::format("bundle {}", node.name),
                    node.version_text.empty() ? std::vector<std::string>()
                                              : std::vector{fmt::format("version {}", node.version_text)});
            else
                add(ChangeKind::changed, fmt::format("bundle {}", node.name), compare(*old, node));
        }
    }

    static const GraphNode* find(const PackageGraph& graph, std::string_view name) {
        const auto found = graph.node_by_name.find(name);
        if (found == graph.node_by_name.end() || graph.nodes[found->second].is_virtual()) return nullptr;
        return &graph.nodes[found->second];
    }

    static std::vector<std::string> compare(const GraphNode& old, const GraphNode& now) {
        std::vector<std::string> details;
        add_deprecation(details, old.deprecation, now.deprecation);
        add_if_changed(details, "version", old.version_text, now.version_text);
        add_if_changed(details, "image", old.bundle->image, now.bundle->image);
        Arena arena;
        if (json_of(to_value(*old.bundle, arena)) == json_of(to_value(*now.bundle, arena))) return details;
        const auto before = properties_of(*old.bundle);
        const auto after = properties_of(*now.bundle);
        for (const auto& [type, values] : after) {
            const auto found = before.find(type);
            if (found == before.end())
                details.push_back(fmt::format("new property {}", type));
            else if (found->second != values)
                details.push_back(fmt::format("another value of property {}", type));
        }
        for (const auto& [type, values] : before)
            if (!after.contains(type)) details.push_back(fmt::format("property {} is gone", type));
        const auto images = [](const Bundle& bundle) {
            std::multiset<std::pair<std::string_view, std::string_view>> all;
            for (const RelatedImage& image : bundle.related_images) all.emplace(image.name, image.image);
            return all;
        };
        if (images(*old.bundle) != images(*now.bundle)) details.emplace_back("other related images");
        return details;
    }

    const PackageGraph& before_;
    const PackageGraph& after_;
    std::vector<Change> changes_;
};

// One of them may be nullptr: the package was added or removed. No changes: nothing.
std::optional<PackageChanges> find_changes(const PackageGraph* before, const PackageGraph* after) {
    assert(before || after);
    if (!before) return PackageChanges{after->name, ChangeKind::added, {}};
    if (!after) return PackageChanges{before->name, ChangeKind::removed, {}};
    PackageChanges changes{after->name, ChangeKind::changed, PackageComparison(*before, *after).run()};
    if (changes.changes.empty()) return std::nullopt;
    return changes;
}

} // namespace

std::string_view to_string(RegressionKind kind) {
    switch (kind) {
    case RegressionKind::stranded:
        return "stranded";
    case RegressionKind::ambiguous:
        return "ambiguous";
    case RegressionKind::removed:
        return "removed";
    case RegressionKind::default_channel:
        return "default-channel";
    case RegressionKind::skipped:
        return "skipped";
    case RegressionKind::z_stream:
        return "z-stream";
    case RegressionKind::deprecated:
        return "deprecated";
    }
    return {};
}

std::span<const RegressionKind> all_regression_kinds() {
    static constexpr std::array kinds{RegressionKind::stranded,  RegressionKind::ambiguous,
                                      RegressionKind::removed,   RegressionKind::default_channel,
                                      RegressionKind::skipped,   RegressionKind::z_stream,
                                      RegressionKind::deprecated};
    return kinds;
}

CatalogDiff diff_catalogs(const UpgradeGraph& before, const UpgradeGraph& after) {
    CatalogDiff diff;
    Work work;
    size_t i = 0;
    size_t j = 0;
    while (i < before.packages.size() || j < after.packages.size()) {
        const PackageGraph* old = i < before.packages.size() ? &before.packages[i] : nullptr;
        const PackageGraph* now = j < after.packages.size() ? &after.packages[j] : nullptr;
        if (old && now && old->name != now->name) {
            if (old->name < now->name)
                now = nullptr;
            else
                old = nullptr;
        }
        i += old ? 1 : 0;
        j += now ? 1 : 0;
        if (auto changes = find_changes(old, now)) diff.packages.push_back(*std::move(changes));
        find_regressions(old, now, work, diff.regressions);
    }
    std::stable_sort(
        diff.regressions.begin(), diff.regressions.end(), [](const Regression& a, const Regression& b) {
            return std::tuple(a.package, a.kind, a.channel) < std::tuple(b.package, b.kind, b.channel);
        });
    return diff;
}

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

std::string in_cell(std::string_view text) {
    return markdown_code(text, true);
}

std::string in_cell(const std::vector<std::string_view>& names) {
    return listed(names, 8, [](std::string_view name) { return in_cell(name); });
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
    if (diff.regressions.empty()) return out;
    out += fmt::format("\n{}\n", c.paint(c.bold, "regressions"));
    for (const Regression& regression : diff.regressions) {
        out +=
            fmt::format("  {} {}: {}\n", c.paint(c.bold_red, fmt::format("[{}]", to_string(regression.kind))),
                        escape_controls(regression.package), escape_controls(regression.message));
        if (regression.where) out += fmt::format("      {}\n", c.paint(c.dim, place_of(regression.where)));
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
    if (diff.regressions.empty()) {
        out += "\nNo installed version is affected.\n";
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
                           escape_html(escape_controls(package.package)),
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
    Json document = {{"schema", "opcat.diff.v1"}, {"packages", Json::array()}, {"harms", Json::array()}};
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
        document["harms"].push_back(std::move(json));
    }
    return as_document(document);
}

} // namespace opcat
