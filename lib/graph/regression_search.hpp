// The search for regressions in one package, in two parts: what is gone or changed (regressions.cpp), and
// where the users of a channel arrive (channel_regressions.cpp).
#pragma once

#include "opcat/graph/catalog_diff.hpp"
#include "opcat/olm/paths.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

inline constexpr size_t most_named = 4; // bundles in a sentence

class RegressionSearch {
public:
    RegressionSearch(const PackageGraph& before, const PackageGraph& after, const DiffOptions& options,
                     Work& work, CatalogDiff& out)
        : before_(before), after_(after), options_(options), work_(work), out_(out.regressions),
          upgrades_(out.upgrades) {
        if (!options.installed) return;
        for (const InstalledVersion& version : *options.installed)
            if (version.package.empty() || version.package == before.name) installed_.push_back(&version);
        for (const InstalledVersion* one : installed_) {
            if (!one->name.empty())
                installed_names_.insert(one->name);
            else if (one->version)
                installed_versions_.insert(*one->version);
        }
    }
    void run();
    void report_package_removed();

private:
    bool is_allowed(std::string_view channel) const;
    // Returns true if all channels of a bundle are allowed, before and now.
    bool is_bundle_allowed(std::string_view name) const;
    void add(RegressionKind kind, std::string_view channel, std::string message,
             std::vector<std::string_view> installed, Location where);
    // One regression for those in other channels, one for those that are allowed. `say` makes the message.
    template <class Say>
    void add_apart(RegressionKind kind, const std::vector<std::string_view>& names, Say say, auto where_of) {
        for (const bool allowed : {false, true}) {
            std::vector<std::string_view> part;
            for (const std::string_view name : names)
                if ((!options_.allowed_channels.empty() && is_bundle_allowed(name)) == allowed)
                    part.push_back(name);
            if (part.empty()) continue;
            std::string message = say(part);
            const Location where = where_of(part.front());
            add(kind, {}, std::move(message), std::move(part), where);
        }
    }
    // Returns true if somebody may have the version installed.
    bool counts(const GraphNode& node) const;
    // Whoever may follow a channel of the old catalog: the versions in it, those that its edges name, and
    // those that users name.
    struct Follower {
        Installed before;
        Installed now;
        std::string_view name;
        std::optional<semver::VersionRelease> version;
        bool is_entry = true; // or a user names it
    };
    std::vector<Follower> followers_of(const ChannelGraph& old) const;
    static bool has_path(const ShortestPaths& paths, const Installed& from) {
        return from.node != no_node ? paths.distance(from.node).has_value() : paths.path(from).has_value();
    }
    bool chains_only() const { return options_.olm != OlmGeneration::v1; }
    // Returns the version to which a channel leads. OLM v1 needs no order: without a single head, this is the
    // highest version.
    static NodeId goal_of(const PackageGraph& graph, const ChannelGraph& channel, bool chains_only);
    static NodeId find(const PackageGraph& graph, std::string_view name) {
        const auto found = graph.node_by_name.find(name);
        return found == graph.node_by_name.end() ? no_node : found->second;
    }
    // The installed version of users of an old catalog's node, as the new catalog knows it.
    Installed in_new(const GraphNode& old) const;
    void check_default_channel();
    // Those who follow the new default channel from the head of the old one.
    void check_way_to_default(std::string_view old, std::string_view now);
    void check_removed();
    // Reports users of removed channels who had an upgrade, or were at a head, and now have neither.
    // Near-linear, except for versions that a catalog does not know: they take work.
    void check_left_alone();
    struct Leading {
        const PackageGraph& graph;
        std::set<NodeId> heads;
        std::vector<std::pair<const ChannelGraph*, const GraphEntry*>> ranges; // entries with a skipRange
        std::vector<NodeId> next;                                              // of each node
    };
    Leading leading_of(const PackageGraph& graph) const;
    bool leads_on(const Leading& leading, const Installed& user) const;
    static bool is_bundle(const PackageGraph& graph, std::string_view name) {
        const NodeId id = find(graph, name);
        return id != no_node && !graph.nodes[id].is_virtual();
    }
    void check_deprecated();
    // Each version of the old channel has exactly one path in the new one.
    void check_channel(const ChannelGraph& old, const ChannelGraph& now);
    // Followers of the old channel that had no path to its head: not a regression.
    std::vector<bool> without_path(const ChannelGraph& old, const std::vector<Follower>& followers,
                                   bool in_chains) const;
    // Returns for each node of the package where automatic upgrades end in a channel.
    static std::vector<NodeId> ends_of(const PackageGraph& graph, const ChannelGraph& channel,
                                       OlmGeneration olm);
    static std::vector<NodeId> v1_ends_of(const PackageGraph& graph,
                                          std::span<const ChannelGraph* const> channels);
    static std::vector<NodeId> ends_along(const std::vector<NodeId>& next);
    // The same for one follower in the new catalog, which may not name it; no_node: it stays, or there is no
    // end.
    NodeId end_of(const Follower& follower, const ChannelGraph& now, const std::vector<NodeId>& ends,
                  OlmGeneration olm);
    // OLM v1 looks at all channels unless an extension names some: versions that end lower now, although the
    // version where they ended is still offered.
    void check_without_channels();
    // OLM classic upgrades from the head to a lower entry that covers it, and back.
    void check_circles(const ChannelGraph& old, const ChannelGraph& now,
                       const std::vector<Follower>& followers);
    // Versions that no entry names, of which a skipRange was the only way.
    void check_ranges(const ChannelGraph& old, const ChannelGraph& now);
    void describe_upgrades(const ChannelGraph& old, const ChannelGraph& now,
                           const std::vector<Follower>& followers);
    // The highest installable version of each MAJOR.MINOR.
    std::map<std::pair<uint64_t, uint64_t>, NodeId> newest_of_streams(const ChannelGraph& channel) const;
    // On a chain the entry nearest to the head decides for OLM classic, so this only concerns OLM v1: two
    // bundles of one version.
    void check_ambiguous(const ChannelGraph& now, const std::vector<Follower>& followers);
    // Versions from which OLM v1 went up by itself to the head, and stops on the way now although there are
    // edges: at what it does not prefer, or does not install; or which it led to a higher version than it
    // does now. `reported` have no path at all.
    void check_held_back(const ChannelGraph& old, const ChannelGraph& now,
                         const std::vector<Follower>& followers, const std::set<std::string_view>& reported);
    std::string why_held_back(NodeId at, const ChannelGraph& channel) const;
    // A bundle skipped as bad in one channel and not in another, or no longer skipped.
    void check_skipped();
    // The images that a bundle needs, itself left out.
    static std::set<std::string_view> needed_images(const Bundle& bundle);
    void check_rewritten();
    void check_lost_apis(const GraphNode& node, const Bundle& was);
    void check_apis();
    const PackageGraph& before_;
    const PackageGraph& after_;
    const DiffOptions& options_;
    Work& work_;
    std::vector<Regression>& out_;
    std::vector<UpgradeChange>& upgrades_;
    std::vector<const InstalledVersion*> installed_; // of the package
    std::set<std::string_view> installed_names_;
    std::set<semver::VersionRelease> installed_versions_; // of those without a name
    std::set<std::string_view> led_on_less_;              // versions of which OLM v1's loss is reported
};

} // namespace opcat
