#include "opcat/edit/proof.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace opcat::edit {
namespace {

// The version at which upgrades from another one end in a channel, and the number of steps.
struct Way {
    std::string_view end; // empty: the version stays
    size_t steps = 0;

    friend bool operator==(const Way&, const Way&) = default;
};

// Of each version. Upgrades in a circle end where they come to a version again. Linear.
std::vector<Way> ways_along(const PackageGraph& graph, const std::vector<NodeId>& next) {
    std::vector<Way> ways(next.size());
    std::vector<NodeId> seen_from(next.size(), no_node); // the version from which it was seen first
    std::vector<NodeId> path;
    for (NodeId first = 0; first < next.size(); ++first) {
        NodeId at = first;
        for (path.clear(); seen_from[at] == no_node; at = next[at]) {
            seen_from[at] = first;
            if (next[at] == no_node) break;
            path.push_back(at);
        }
        if (next[at] != no_node && seen_from[at] == first) {
            const auto circle = std::find(path.begin(), path.end(), at);
            for (auto one = circle; one != path.end(); ++one)
                ways[*one] = {graph.nodes[*one].name, static_cast<size_t>(path.end() - circle)};
            path.erase(circle, path.end());
        }
        for (; !path.empty(); path.pop_back()) {
            const NodeId from = path.back();
            const Way& rest = ways[next[from]];
            ways[from] = {rest.steps == 0 ? graph.nodes[next[from]].name : rest.end, rest.steps + 1};
        }
    }
    return ways;
}

struct Ways {
    Way classic;
    Way v1;

    friend bool operator==(const Ways&, const Ways&) = default;
};

// Returns where upgrades end for every version that a channel knows, by its name.
std::map<std::string_view, Ways> ways_in(const PackageGraph& graph, const ChannelGraph& channel) {
    std::map<std::string_view, Ways> ways;
    const std::vector<Way> classic = ways_along(graph, classic_next_steps(graph, channel));
    const ChannelGraph* const channels[] = {&channel};
    const std::vector<Way> v1 = ways_along(graph, v1_next_steps(graph, channels));
    for (const GraphEntry& entry : channel.entries)
        ways[graph.nodes[entry.node].name] = {classic[entry.node], v1[entry.node]};
    return ways;
}

// Returns true if upgrades in a channel are what they were.
bool has_same_edges(const PackageGraph& before, const ChannelGraph& was, const PackageGraph& after,
                    const ChannelGraph& is) {
    const auto text = [](const Text& one, const Text& other) { return one.text == other.text; };
    return std::ranges::equal(was.entries, is.entries, [&](const GraphEntry& a, const GraphEntry& b) {
        const GraphNode& old = before.nodes[a.node];
        const GraphNode& now = after.nodes[b.node];
        return text(a.source->name, b.source->name) && text(a.source->replaces, b.source->replaces) &&
               text(a.source->skip_range, b.source->skip_range) &&
               std::ranges::equal(a.source->skips, b.source->skips, text) && old.version == now.version &&
               old.is_virtual() == now.is_virtual() && !old.deprecation == !now.deprecation;
    });
}

std::string steps_of(const std::set<size_t>& steps) {
    if (steps == std::set<size_t>{1}) return "directly";
    return fmt::format("in {} steps", fmt::join(steps, " or "));
}

// Users that come to the same end, with the steps of all of them.
struct Travellers {
    std::vector<std::string_view> from;
    std::set<size_t> classic;
    std::set<size_t> v1;
};

void describe_channel(const PackageGraph& before, const PackageGraph& after, const ChannelGraph& channel,
                      std::vector<std::string>& effects) {
    const ChannelGraph* const was_channel = before.find_channel(channel.name);
    if (!was_channel || has_same_edges(before, *was_channel, after, channel)) return;
    const std::map<std::string_view, Ways> old = ways_in(before, *was_channel);
    std::map<std::pair<std::string_view, std::string_view>, Travellers> by_end;
    for (const auto& [name, ways] : ways_in(after, channel)) {
        const auto was = old.find(name);
        if (was == old.end() || was->second == ways) continue;
        Travellers& travellers = by_end[{ways.classic.end, ways.v1.end}];
        travellers.from.push_back(name);
        travellers.classic.insert(ways.classic.steps);
        travellers.v1.insert(ways.v1.steps);
    }
    constexpr size_t most = 6;
    for (const auto& [end, of_end] : by_end) {
        const Travellers& travellers = of_end; // clang 14 captures no binding
        const auto part = [&](std::string_view olm, std::string_view where, const std::set<size_t>& steps) {
            if (where.empty()) return fmt::format("{}: they stay", olm);
            if (travellers.from.front() == where) return fmt::format("{}: without end", olm);
            return fmt::format("{}: {} {}", olm, where, steps_of(steps));
        };
        const std::string steps = travellers.classic == travellers.v1
                                      ? steps_of(travellers.v1)
                                      : fmt::format("OLM classic {}, OLM v1 {}", steps_of(travellers.classic),
                                                    steps_of(travellers.v1));
        const bool circles = travellers.from.front() == end.first;
        effects.push_back(end.first == end.second && !end.first.empty() && !circles
                              ? fmt::format("{}: users of {} get {} ({})", channel.name,
                                            listed(travellers.from, most), end.first, steps)
                              : fmt::format("{}: users of {} ({}; {})", channel.name,
                                            listed(travellers.from, most),
                                            part("OLM classic", end.first, travellers.classic),
                                            part("OLM v1", end.second, travellers.v1)));
    }
}

std::string_view remedy_for(RegressionKind kind, std::span<const RegressionKind> intended) {
    switch (kind) {
    case RegressionKind::stranded:
        if (std::ranges::equal(intended, meant_by_deprecate))
            return "deprecate the channel or the package in its place: OLM v1 avoids only bundles";
        return "add a release that leads them on: opcat edit add --skip-range RANGE, or --take-along NAMES";
    case RegressionKind::z_stream:
        return "add a release that takes them along: opcat edit add --take-along NAMES";
    case RegressionKind::default_channel:
        return "--default-channel NAME says which one it is to be";
    default:
        return {};
    }
}

// Returns true if a channel is gone that nobody has been told to leave.
bool loses_users_unannounced(const Regression& regression, const UpgradeGraph& before,
                             const PackageGraph* now) {
    if (regression.kind != RegressionKind::removed || regression.channel.empty() ||
        (now && now->find_channel(regression.channel)))
        return false;
    const PackageGraph* const package = before.find(regression.package);
    const ChannelGraph* const gone = package ? package->find_channel(regression.channel) : nullptr;
    return gone && !gone->entries.empty() && !gone->deprecation && !package->deprecation;
}

// Those of opm that were not there before.
void find_new_errors(const Diagnostics& before, const Diagnostics& after, Proof& proof) {
    std::multiset<std::pair<std::string_view, std::string_view>> known;
    for (const Diagnostic& finding : before) known.emplace(finding.rule, finding.message);
    for (const Diagnostic& finding : after) {
        if (const auto same = known.find({finding.rule, finding.message}); same != known.end()) {
            known.erase(same);
            continue;
        }
        proof.objections.push_back({fmt::format("{} [{}]", finding.message, finding.rule), finding.help});
    }
}

std::vector<ParsedDocument> with_others(std::vector<ParsedDocument> documents, const OtherFiles& others) {
    for (const auto& text : others.texts)
        for (const Value& document : text->documents()) documents.push_back({&text->file(), document});
    return documents;
}

// The documents of a catalog before and after, with those of files that are not edited.
struct Versions {
    std::vector<ParsedDocument> before;
    std::vector<ParsedDocument> after;
};

Versions versions_of(const CatalogText& catalog, std::span<const NewText> texts, const OtherFiles& others) {
    Versions versions;
    for (const EditedText& text : catalog.texts())
        for (const Value& document : text.documents())
            if (!catalog.is_new()) versions.before.push_back({&text.file(), document});
    for (const NewText& text : texts)
        versions.after.insert(versions.after.end(), text.documents.begin(), text.documents.end());
    versions.before = with_others(std::move(versions.before), others);
    versions.after = with_others(std::move(versions.after), others);
    return versions;
}

std::string_view package_of(const ParsedDocument& document) {
    return BlobText{document.value, 0}.package();
}

bool is_about_ways(const ParsedDocument& document) {
    const std::string_view schema = BlobText{document.value, 0}.schema();
    return schema == schema::channel || schema == schema::package;
}

// A document of no package stays: what it means is not known. Returns true if a channel or a package changes:
// other changes leave the ways of users as they are.
bool keep_changed_packages(Versions& versions) {
    using Place = std::pair<const SourceFile*, uint32_t>;
    const auto place = [](const ParsedDocument& one) { return Place(one.file, one.value.offset()); };
    std::map<Place, const ParsedDocument*> changed; // at first those that are gone
    for (const ParsedDocument& one : versions.before) changed.emplace(place(one), &one);
    std::set<std::string_view> packages{""};
    bool changes_ways = false;
    const auto add = [&](const ParsedDocument& one) {
        packages.insert(package_of(one));
        changes_ways |= is_about_ways(one);
    };
    for (const ParsedDocument& one : versions.after)
        if (changed.erase(place(one)) == 0) add(one);
    for (const auto& [where, gone] : changed) add(*gone);
    const auto is_of_others = [&](const ParsedDocument& one) { return !packages.contains(package_of(one)); };
    std::erase_if(versions.before, is_of_others);
    std::erase_if(versions.after, is_of_others);
    return changes_ways;
}

} // namespace

Proof prove(const CatalogText& catalog, std::span<const NewText> texts, const OtherFiles& others,
            const std::function<void(LoadedCatalog&)>& open_template,
            std::span<const RegressionKind> intended, ThreadPool& pool) {
    Proof proof;
    Versions versions = versions_of(catalog, texts, others);
    LoadedCatalog whole = load_parsed(versions.before);
    const bool changes_ways =
        catalog.template_kind() ? !catalog.is_semver() : keep_changed_packages(versions);
    LoadedCatalog before = load_parsed(versions.before);
    LoadedCatalog after = load_parsed(versions.after);
    if (catalog.template_kind()) {
        open_template(whole);
        open_template(before);
        open_template(after);
    }
    const bool has_users = std::ranges::any_of(
        before.catalog.channels, [](const Channel& channel) { return !channel.entries.empty(); });
    const auto make_unknown = [&](std::string why) {
        proof.hides_ways = changes_ways && has_users;
        proof.unknown = "the catalog has errors already" + std::move(why);
    };
    if (!others.unreadable.empty() || has_errors(whole.diagnostics)) {
        make_unknown(others.unreadable.empty() ? ": `opcat validate` shows them" : ": " + others.unreadable);
        return proof;
    }
    const Diagnostics old_errors = find_errors(whole, pool);
    find_new_errors(old_errors, find_errors(after, pool), proof);
    if (!old_errors.empty())
        make_unknown(", which `opcat validate` shows (of one in several files, name the directory)");
    if (has_errors(after.diagnostics)) return proof;
    if (after.bundles_unknown && after.catalog.channels.empty()) {
        proof.unknown = "the channels of a semver template follow from its bundles, which were not read";
        return proof;
    }
    const UpgradeGraph old = build_upgrade_graph(before.catalog, pool);
    const UpgradeGraph now = build_upgrade_graph(after.catalog, pool);
    bool leaves_some = false;
    for (const Regression& regression :
         diff_catalogs({before.catalog, old}, {after.catalog, now}).regressions) {
        std::string what = regression.channel.empty()
                               ? regression.message
                               : fmt::format("{}: {}", regression.channel, regression.message);
        const PackageGraph* const package = now.find(regression.package);
        const bool surprises = loses_users_unannounced(regression, old, package);
        leaves_some |= regression.kind == RegressionKind::stranded ||
                       (regression.kind == RegressionKind::removed && !regression.channel.empty() &&
                        !(package && package->find_channel(regression.channel)));
        if (!surprises && std::ranges::find(intended, regression.kind) != intended.end())
            proof.accepted.push_back(std::move(what));
        else
            proof.objections.push_back(
                {std::move(what), surprises ? "deprecate it first (opcat edit deprecate channel NAME), and "
                                              "remove it in a later release"
                                            : std::string(remedy_for(regression.kind, intended))});
    }
    proof.leaves_nobody_behind = !leaves_some && proof.unknown.empty();
    proof.trusts_names = after.bundles_unknown;
    for (const PackageGraph& package : now.packages)
        if (const PackageGraph* const was = old.find(package.name))
            for (const ChannelGraph& channel : package.channels)
                describe_channel(*was, package, channel, proof.effects);
    return proof;
}

} // namespace opcat::edit
