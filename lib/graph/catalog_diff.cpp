#include "opcat/graph/catalog_diff.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/blob_changes.hpp"
#include "opcat/graph/unmet_requirements.hpp"
#include "opcat/graph/value_diff.hpp"

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
        compare_deprecations();
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
        const auto add_replaced = [&](std::string_view what, bool had, bool has) {
            details.push_back(had && has ? fmt::format("another {}", what)
                              : has      ? fmt::format("new {}", what)
                                         : fmt::format("{} is gone", what));
        };
        const std::string_view told = text(before_, &Package::description);
        if (const std::string_view now = text(after_, &Package::description); now != told)
            add_replaced("description", !told.empty(), !now.empty());
        if (before_.package && after_.package) {
            const auto icon = [](const PackageGraph& graph) {
                const auto& one = graph.package->icon;
                return one ? std::pair(one->base64.value_or(""), one->media_type)
                           : std::pair<std::string_view, std::string_view>();
            };
            if (icon(before_) != icon(after_))
                add_replaced("icon", before_.package->icon.has_value(), after_.package->icon.has_value());
            add_package_changes(*before_.package, *after_.package, details);
        } else if (before_.package || after_.package) {
            details.emplace_back(after_.package ? "the olm.package blob is new"
                                                : "the olm.package blob is gone");
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
        add_channel_changes(*old.channel, *now.channel, details);
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

    // Those of objects that the package does not have, and what deprecations say besides.
    void compare_deprecations() {
        std::vector<std::string> details;
        add_deprecations_changes(
            before_.deprecations, after_.deprecations,
            [&](std::string_view schema, std::string_view name) {
                if (schema == schema::package) return true;
                const auto has = [&](const PackageGraph& graph) {
                    return schema == schema::channel ? graph.find_channel(name) != nullptr
                                                     : find(graph, name) != nullptr;
                };
                return (schema == schema::channel || schema == schema::bundle) && has(before_) && has(after_);
            },
            details);
        add(ChangeKind::changed, "deprecations", std::move(details));
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
        add_bundle_changes(*old.bundle, *now.bundle, details);
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
    case RegressionKind::unservable:
        return "unservable";
    case RegressionKind::stranded:
        return "stranded";
    case RegressionKind::ambiguous:
        return "ambiguous";
    case RegressionKind::package_removed:
        return "package-removed";
    case RegressionKind::removed:
        return "removed";
    case RegressionKind::unmet:
        return "unmet";
    case RegressionKind::rewritten:
        return "rewritten";
    case RegressionKind::image_changed:
        return "image-changed";
    case RegressionKind::api_removed:
        return "api-removed";
    case RegressionKind::crd_narrowed:
        return "crd-narrowed";
    case RegressionKind::default_channel:
        return "default-channel";
    case RegressionKind::skipped:
        return "skipped-again";
    case RegressionKind::z_stream:
        return "z-stream";
    case RegressionKind::deprecated:
        return "deprecated";
    }
    return {};
}

std::span<const RegressionKind> all_regression_kinds() {
    using enum RegressionKind;
    static constexpr std::array kinds{
        unservable,    stranded,    ambiguous,    package_removed, removed, unmet,    rewritten,
        image_changed, api_removed, crd_narrowed, default_channel, skipped, z_stream, deprecated};
    return kinds;
}

namespace {

// Blobs whose schemas have no meaning to opcat, by what identifies them; those of one name in their order.
using OtherBlobs =
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<const OtherBlob*>>;
OtherBlobs others_of(const Catalog& catalog) {
    OtherBlobs all;
    for (const OtherBlob& blob : catalog.others) all[{blob.package, blob.schema, blob.name}].push_back(&blob);
    return all;
}

using ChangesByPackage = std::map<std::string_view, PackageChanges>;

void compare_others(const Catalog& before, const Catalog& after, ChangesByPackage& changes) {
    const OtherBlobs old = others_of(before);
    const OtherBlobs now = others_of(after);
    const auto add = [&](const OtherBlob& blob, ChangeKind kind, std::vector<std::string> details) {
        PackageChanges& of_package =
            changes.try_emplace(blob.package, PackageChanges{blob.package, ChangeKind::changed, {}})
                .first->second;
        of_package.changes.push_back(
            {kind,
             blob.name.empty() ? blob.schema.text.empty() ? "blob without a schema" : std::string(blob.schema)
                               : fmt::format("{} {}", blob.schema.text, blob.name.text),
             std::move(details)});
    };
    for (const auto& [key, blobs] : now) {
        const auto found = old.find(key);
        for (size_t i = 0; i < blobs.size(); ++i) {
            if (found == old.end() || i >= found->second.size()) {
                add(*blobs[i], ChangeKind::added, {});
                continue;
            }
            std::vector<std::string> details;
            add_value_changes(found->second[i]->value, blobs[i]->value, "", details);
            if (!details.empty()) add(*blobs[i], ChangeKind::changed, std::move(details));
        }
    }
    for (const auto& [key, blobs] : old) {
        const auto found = now.find(key);
        for (size_t i = found == now.end() ? 0 : found->second.size(); i < blobs.size(); ++i)
            add(*blobs[i], ChangeKind::removed, {});
    }
}

} // namespace

namespace {

// What was met before, or is new. A package that neither catalog has may be in another one.
void find_unmet(const UpgradeGraph& before, const UpgradeGraph& after, CatalogDiff& diff) {
    const std::vector<UnmetRequirement> old = unmet_requirements(before);
    for (const UnmetRequirement& one : unmet_requirements(after)) {
        const bool is_there = after.find(one.required) != nullptr;
        if (std::ranges::binary_search(old, one) || (!is_there && !before.find(one.required))) continue;
        const PackageGraph& package = *after.find(one.package);
        const GraphNode& node = package.nodes[package.node_by_name.at(one.bundle)];
        diff.regressions.push_back(
            {.kind = RegressionKind::unmet,
             .package = one.package,
             .channel = {},
             .message = is_there ? fmt::format("{} requires {} {}, and the catalog has no such version",
                                               one.bundle, one.required, one.range)
                                 : fmt::format("{} requires {}, which is gone", one.bundle, one.required),
             .installed = {},
             .where = node.bundle->start(),
             .is_allowed = false});
    }
}

} // namespace

CatalogDiff diff_catalogs(const DiffedCatalog& before, const DiffedCatalog& after,
                          const DiffOptions& options) {
    const auto is_wanted = [&](std::string_view package) {
        return options.packages.empty() || options.packages.contains(package);
    };
    CatalogDiff diff;
    ChangesByPackage changes;
    Work work;
    size_t i = 0;
    size_t j = 0;
    const auto& old_packages = before.graph.packages;
    const auto& now_packages = after.graph.packages;
    while (true) {
        const PackageGraph* old = i < old_packages.size() ? &old_packages[i] : nullptr;
        const PackageGraph* now = j < now_packages.size() ? &now_packages[j] : nullptr;
        if (!old && !now) break;
        if (old && now && old->name != now->name) {
            if (old->name < now->name)
                now = nullptr;
            else
                old = nullptr;
        }
        i += old ? 1 : 0;
        j += now ? 1 : 0;
        if (!is_wanted(old ? old->name : now->name)) continue;
        if (auto found = find_changes(old, now)) {
            const std::string_view name = found->package;
            changes.emplace(name, *std::move(found));
        }
        find_regressions(old, now, options, work, diff);
    }
    find_unmet(before.graph, after.graph, diff);
    std::erase_if(diff.regressions, [&](const Regression& one) { return !is_wanted(one.package); });
    compare_others(before.catalog, after.catalog, changes);
    std::erase_if(changes, [&](const auto& of_package) { return !is_wanted(of_package.first); });
    for (auto& [name, of_package] : changes) diff.packages.push_back(std::move(of_package));
    std::stable_sort(
        diff.regressions.begin(), diff.regressions.end(), [](const Regression& a, const Regression& b) {
            return std::tuple(a.package, a.kind, a.channel) < std::tuple(b.package, b.kind, b.channel);
        });
    return diff;
}

} // namespace opcat
