#include "opcat/filter/repair_edges.hpp"

#include "opcat/base/work.hpp"
#include "opcat/semver/blang_range.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace opcat {
namespace {

using Nodes = std::vector<NodeId>;

// The nodes that a search has seen. A new search begins in constant time, and each node of a skipRange is
// looked at once per search, however many ranges cover it.
class SeenNodes {
public:
    explicit SeenNodes(const PackageGraph& graph)
        : graph_(graph), seen_(graph.nodes.size()), passed_(graph.by_version.size() + 1),
          next_(passed_.size()) {}
    void clear() { ++search_; }
    // Returns true if it was not there.
    bool insert(NodeId node) {
        if (seen_[node] == search_) return false;
        seen_[node] = search_;
        return true;
    }

    // Visits each new entry from which an edge leads directly to this one.
    template <class Visit>
    void for_each_new_source(const GraphEntry& entry, const Visit& visit) {
        const auto visit_if_new = [&](NodeId node) {
            if (insert(node)) visit(node);
        };
        if (entry.replaces != no_node) visit_if_new(entry.replaces);
        for (const NodeId skip : graph_.skips_of(entry)) visit_if_new(skip);
        if (entry.skip_range == no_range) return;
        for (const RankInterval& interval : graph_.skip_ranges[entry.skip_range].covers)
            for (uint32_t rank = next_from(interval.begin); rank < interval.end; rank = next_from(rank)) {
                pass(rank, rank + 1);
                visit_if_new(graph_.by_version[rank]);
            }
    }

private:
    // The first rank from there on that no range has passed.
    uint32_t next_from(uint32_t rank) {
        uint32_t found = rank;
        while (passed_[found] == search_) found = next_[found];
        while (passed_[rank] == search_) {
            const uint32_t after = next_[rank];
            next_[rank] = found;
            rank = after;
        }
        return found;
    }
    void pass(uint32_t rank, uint32_t next) {
        passed_[rank] = search_;
        next_[rank] = next;
    }

    const PackageGraph& graph_;
    std::vector<uint32_t> seen_;   // by node: the last search that has seen it
    std::vector<uint32_t> passed_; // by rank: the last search in which a range has passed it
    std::vector<uint32_t> next_;   // by rank that is passed: a higher one; all between are passed
    uint32_t search_ = 1;
};

bool has(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void add(std::vector<std::string>& names, std::string_view name) {
    if (!has(names, name)) names.emplace_back(name);
}

// An edge from a single version, which does not count as a skip: a skipRange that covers it. False if the
// syntax cannot express it.
bool cover(std::string& range, const semver::Version& version) {
    semver::Version bare = version;
    bare.build.clear(); // ignored in ranges
    const std::string longer = range.empty() ? bare.to_string() : range + " || " + bare.to_string();
    const auto parsed = semver::BlangRange::parse(longer);
    if (!parsed || !parsed->contains(bare)) return false;
    range = longer;
    return true;
}

// Versions that lead to an entry, in some of the channels, directly or through dropped versions only.
struct Sources {
    Nodes direct;
    Nodes bridged;
};

class PackageRepair {
public:
    PackageRepair(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                  const std::vector<bool>& kept)
        : graph_(graph), channels_(channels), kept_(kept), seen_(graph) {}

    bool kept(NodeId node) const { return kept_[node]; }

    // Through entries of these channels.
    Sources find_sources(NodeId node, std::span<const ChannelGraph* const> in) {
        Sources sources;
        seen_.clear();
        seen_.insert(node);
        Nodes queue{node};
        for (size_t i = 0; i < queue.size(); ++i) {
            const auto visit = [&](NodeId from) {
                if (kept_[from])
                    (i == 0 ? sources.direct : sources.bridged).push_back(from);
                else
                    queue.push_back(from);
            };
            for (const ChannelGraph* channel : in)
                if (const GraphEntry* const entry = channel->find(queue[i]))
                    seen_.for_each_new_source(*entry, visit);
        }
        work_.take_or_throw(2 * (queue.size() + sources.direct.size() + sources.bridged.size()),
                            "finding the upgrades that filtered channels have to keep");
        return sources;
    }

    // Paths of OLM v1 that change from one channel to another on a dropped version: for each channel and
    // entry, the additional predecessors.
    std::map<std::pair<const ChannelGraph*, NodeId>, Nodes> find_ways_between_channels() {
        std::map<std::pair<const ChannelGraph*, NodeId>, Nodes> ways;
        const std::vector<const ChannelGraph*> all = graph_.all_channels();
        // The search takes time: each node asks for all its sources.
        if (all.size() == 1) return ways;
        if (all.size() == channels_.size() && std::ranges::all_of(kept_, [](bool one) { return one; }))
            return ways;
        for (NodeId node = 0; node < graph_.nodes.size(); ++node) {
            if (!kept_[node]) continue;
            Sources wanted = find_sources(node, all);
            wanted.bridged.insert(wanted.bridged.end(), wanted.direct.begin(), wanted.direct.end());
            std::set<NodeId> missing(wanted.bridged.begin(), wanted.bridged.end());
            for (const ChannelGraph* channel : channels_) {
                if (missing.empty() || !channel->find(node)) continue;
                const Sources there = find_sources(node, std::span(&channel, 1));
                for (const Nodes* nodes : {&there.direct, &there.bridged})
                    for (const NodeId from : *nodes) missing.erase(from);
            }
            for (const NodeId from : missing)
                for (const ChannelGraph* channel : channels_)
                    if (channel->find(node) && !channel->find(from)) {
                        ways[{channel, node}].push_back(from);
                        break;
                    }
        }
        return ways;
    }

    const PackageGraph& graph() const { return graph_; }

private:
    const PackageGraph& graph_;
    std::span<const ChannelGraph* const> channels_;
    const std::vector<bool>& kept_;
    SeenNodes seen_;
    Work work_;
};

class ChannelRepair {
public:
    using WaysBetweenChannels = std::map<std::pair<const ChannelGraph*, NodeId>, Nodes>;

    ChannelRepair(PackageRepair& package, const ChannelGraph& channel, const WaysBetweenChannels& ways)
        : package_(package), graph_(package.graph()), channel_(channel), ways_(ways),
          replaced_(graph_.nodes.size(), no_node), below_(graph_.nodes.size(), no_node),
          depth_(graph_.nodes.size()) {
        for (const GraphEntry& entry : channel.entries) {
            if (!package.kept(entry.node) || channel.find(entry.node) != &entry) continue;
            result_.entries.push_back(as_it_is(entry));
            replaced_[entry.node] = entry.replaces;
        }
        result_.channel = &channel;
    }

    void run() {
        const bool touched = result_.entries.size() != channel_.entries.size() ||
                             std::any_of(ways_.begin(), ways_.end(),
                                         [&](const auto& way) { return way.first.first == &channel_; });
        if (!touched || result_.entries.empty()) {
            if (!old_chain().empty()) result_.head = channel_.entries[old_chain().front()].node;
            return;
        }
        result_.changed = true;
        find_chain();
        // The chain first: what is beside it must not close a cycle with it.
        for (RepairedEntry& entry : result_.entries)
            if (is_on_chain(entry.node)) repair_on_chain(entry);
        for (RepairedEntry& entry : result_.entries)
            if (!is_on_chain(entry.node)) repair_beside_chain(entry);
        for (RepairedEntry& entry : result_.entries) free_head(entry);
        skip_what_was_skipped();
    }

    const RepairedChannel& result() const { return result_; }

    // Versions to remove in addition, because OLM classic's paths could not be preserved otherwise.
    Nodes impossible() const {
        Nodes nodes = in_the_way_;
        for (const auto& [from, to] : unclear_)
            if (!leads_to(from, to)) nodes.push_back(from == result_.head ? to : from);
        return nodes;
    }

private:
    RepairedEntry as_it_is(const GraphEntry& entry) const {
        RepairedEntry copy{
            entry.node, std::string(entry.source->replaces), {}, std::string(entry.source->skip_range)};
        for (const Text& skip : entry.source->skips) copy.skips.emplace_back(skip);
        return copy;
    }

    // OLM classic resolves nothing in a channel that it cannot order.
    std::span<const uint32_t> old_chain() const {
        return channel_.problem == ChainProblem::none ? std::span(channel_.chain)
                                                      : std::span<const uint32_t>();
    }

    std::string_view name(NodeId node) const { return graph_.nodes[node].name; }
    bool is_entry(NodeId node) const { return channel_.find(node) != nullptr; }

    // The rest of the chain. If nothing is left, the highest entry to which no other one leads is the head:
    // OLM classic led to none of them.
    void find_chain() {
        NodeId above = no_node;
        uint32_t length = 0;
        for (const uint32_t place : old_chain()) {
            const NodeId node = channel_.entries[place].node;
            if (!package_.kept(node)) {
                if (above != no_node) dropped_below_[above].push_back(place);
                continue;
            }
            if (above == no_node)
                result_.head = node;
            else
                below_[above] = node;
            depth_[node] = ++length;
            above = node;
        }
        if (above != no_node) return;
        chain_is_new_ = true;
        std::pair<bool, uint32_t> best;
        for (const RepairedEntry& entry : result_.entries) {
            const auto rank = rank_as_head(entry.node);
            if (result_.head != no_node && rank <= best) continue;
            result_.head = entry.node;
            best = rank;
        }
        depth_[result_.head] = 1;
    }

    std::pair<bool, uint32_t> rank_as_head(NodeId node) {
        const Sources sources = package_.find_sources(node, one());
        const auto none = [&](const Nodes& nodes) {
            return std::none_of(nodes.begin(), nodes.end(), [&](NodeId from) { return is_entry(from); });
        };
        return {none(sources.direct) && none(sources.bridged), graph_.nodes[node].rank};
    }

    std::span<const ChannelGraph* const> one() const { return std::span(&result_.channel, 1); }

    // Includes predecessors from other channels.
    Sources sources_of(NodeId node) {
        Sources sources = package_.find_sources(node, one());
        if (const auto more = ways_.find({&channel_, node}); more != ways_.end())
            sources.bridged.insert(sources.bridged.end(), more->second.begin(), more->second.end());
        std::ranges::sort(sources.bridged, std::greater(),
                          [&](NodeId from) { return graph_.nodes[from].rank; });
        return sources;
    }

    bool is_on_chain(NodeId node) const { return depth_[node] > 0; }
    // Compares two nodes of the chain.
    bool is_at_or_below(NodeId lower, NodeId upper) const { return depth_[lower] >= depth_[upper]; }

    // OLM classic sees all edges here.
    void repair_on_chain(RepairedEntry& entry) {
        const Sources sources = sources_of(entry.node);
        if (const NodeId next = below_[entry.node]; next != no_node && entry.replaces != name(next)) {
            if (!entry.replaces.empty()) add(entry.skips, entry.replaces);
            std::erase(entry.skips, name(next));
            replace(entry, next);
        }
        for (const NodeId from : sources.bridged) {
            if (is_on_chain(from) && is_at_or_below(from, entry.node)) continue;
            if (is_entry(from) && !classic_leads_to(from, entry.node))
                unclear_.emplace_back(from, entry.node);
            else
                lead(from, entry);
        }
        take_over_ranges(entry);
        if (!chain_is_new_) return;
        for (const NodeId from : sources.direct)
            if (is_entry(from)) in_the_way_.push_back(from);
    }

    // What the skipRanges of dropped entries cover that were between this one and the next one that stays.
    void take_over_ranges(RepairedEntry& entry) {
        std::string last; // most ranges of a channel begin alike, and each covers the ones below
        for (const uint32_t place : dropped_below_[entry.node]) {
            const std::string range(channel_.entries[place].source->skip_range);
            if (range == last || semver::joined_ranges(last, range) == last) continue;
            last = range;
            entry.skip_range = semver::joined_ranges(entry.skip_range, range);
        }
    }

    // Only OLM v1 sees the edges.
    void repair_beside_chain(RepairedEntry& entry) {
        const GraphEntry& source = *channel_.find(entry.node);
        bool vacant =
            source.replaces != no_node && !package_.kept(source.replaces) && is_entry(source.replaces);
        if (vacant) {
            add(entry.skips, std::exchange(entry.replaces, {}));
            replaced_[entry.node] = no_node;
        }
        for (const NodeId from : sources_of(entry.node).bridged) {
            if (vacant && from != result_.head && ends_without(entry.node, from)) {
                replace(entry, from);
                vacant = false;
            } else {
                lead(from, entry);
            }
        }
    }

    // Returns true if what OLM classic follows from there ends, without passing `node`: in a cycle it
    // installs nothing.
    bool ends_without(NodeId node, NodeId from) const {
        for (size_t steps = 0; from != no_node; ++steps) {
            if (from == node || steps == result_.entries.size()) return false;
            from = replaced_[from];
        }
        return true;
    }

    void replace(RepairedEntry& entry, NodeId lower) {
        entry.replaces = name(lower);
        replaced_[entry.node] = lower;
    }

    void lead(NodeId from, RepairedEntry& to) {
        const auto& version = graph_.nodes[from].version;
        if (!is_on_chain(from))
            add(to.skips, name(from));
        else if (!version || !cover(to.skip_range, version->version))
            unclear_.emplace_back(from, to.node);
    }

    // Nothing may replace or skip the head.
    void free_head(RepairedEntry& entry) {
        const std::string_view head = name(result_.head);
        const bool names_head = entry.replaces == head || has(entry.skips, head);
        if (!names_head) return;
        if (entry.replaces == head) entry.replaces.clear();
        std::erase(entry.skips, head);
        if (entry.node != result_.head) lead(result_.head, entry);
    }

    void skip_what_was_skipped() {
        std::set<std::string_view> skipped;
        for (const RepairedEntry& entry : result_.entries)
            skipped.insert(entry.skips.begin(), entry.skips.end());
        std::vector<std::pair<RepairedEntry*, NodeId>> to_add;
        for (RepairedEntry& entry : result_.entries) {
            if (is_on_chain(entry.node) || skipped.contains(name(entry.node))) continue;
            to_add.emplace_back(find_skipper(entry), entry.node);
            if (to_add.back().first == &entry) result_.still_skipped.push_back(entry.node);
        }
        for (const auto& [skipper, node] : to_add) add(skipper->skips, name(node));
    }

    // The lowest entry of the chain to which OLM classic leads from it; else the entry itself.
    RepairedEntry* find_skipper(RepairedEntry& entry) {
        RepairedEntry* lowest = &entry;
        if (chain_is_new_) return lowest;
        for (RepairedEntry& other : result_.entries)
            if (is_on_chain(other.node) && classic_leads_to(entry.node, other.node) &&
                (lowest == &entry || is_at_or_below(other.node, lowest->node)))
                lowest = &other;
        return lowest;
    }

    // In the channel as it was, by entries of the chain.
    bool classic_leads_to(NodeId from, NodeId to) {
        if (chain_is_new_) return false;
        auto [known, is_new] = classic_sources_.try_emplace(to);
        if (is_new) {
            Nodes queue{to};
            SeenNodes seen(graph_);
            for (size_t i = 0; i < queue.size(); ++i)
                if (was_on_chain(queue[i]))
                    seen.for_each_new_source(*channel_.find(queue[i]),
                                             [&](NodeId node) { queue.push_back(node); });
            known->second.insert(queue.begin() + 1, queue.end());
        }
        return known->second.contains(from);
    }

    bool was_on_chain(NodeId node) {
        if (on_old_chain_.empty())
            for (const uint32_t place : old_chain()) on_old_chain_.insert(channel_.entries[place].node);
        return on_old_chain_.contains(node);
    }

    // In the channel as it has become, by all entries.
    bool leads_to(NodeId from, NodeId to) const {
        std::map<std::string_view, const RepairedEntry*> entries;
        for (const RepairedEntry& entry : result_.entries) entries.emplace(name(entry.node), &entry);
        std::set<std::string_view> seen{name(to)};
        std::vector<std::string_view> queue{name(to)};
        for (size_t i = 0; i < queue.size(); ++i) {
            const auto found = entries.find(queue[i]);
            if (found == entries.end()) continue;
            const RepairedEntry& entry = *found->second;
            const auto visit = [&](std::string_view node) {
                if (seen.insert(node).second) queue.push_back(node);
            };
            if (!entry.replaces.empty()) visit(entry.replaces);
            for (const std::string& skip : entry.skips) visit(skip);
            const auto range = semver::BlangRange::parse(entry.skip_range);
            if (entry.skip_range.empty() || !range) continue;
            for (const RepairedEntry& other : result_.entries)
                if (const auto& version = graph_.nodes[other.node].version;
                    version && range->contains(version->version))
                    visit(name(other.node));
        }
        return seen.contains(name(from));
    }

    PackageRepair& package_;
    const PackageGraph& graph_;
    const ChannelGraph& channel_;
    const WaysBetweenChannels& ways_;
    RepairedChannel result_;
    Nodes replaced_;                                        // by each node's entry, in result_
    Nodes below_;                                           // of each node on the new chain, the next one
    std::map<NodeId, std::vector<uint32_t>> dropped_below_; // places of entries between these two
    std::vector<uint32_t> depth_; // of each node on the new chain: 1 is the head; 0: not on it
    bool chain_is_new_ = false;   // there is nothing left of the old one
    std::set<NodeId> on_old_chain_;
    std::map<NodeId, std::set<NodeId>> classic_sources_;
    std::vector<std::pair<NodeId, NodeId>> unclear_; // an edge that is not there, as OLM classic would see it
    Nodes in_the_way_; // entries that lead to a new head, to which OLM classic led from nowhere
};

} // namespace

RepairedPackage repair_edges(const PackageGraph& graph, std::span<const ChannelGraph* const> channels,
                             std::vector<bool> kept) {
    RepairedPackage result;
    for (bool done = false; !done;) {
        done = true;
        result.channels.clear();
        PackageRepair package(graph, channels, kept);
        const auto ways = package.find_ways_between_channels();
        Nodes impossible;
        for (const ChannelGraph* channel : channels) {
            ChannelRepair repair(package, *channel, ways);
            repair.run();
            if (repair.result().entries.empty()) continue;
            result.channels.push_back(repair.result());
            const Nodes more = repair.impossible();
            impossible.insert(impossible.end(), more.begin(), more.end());
        }
        for (const NodeId node : impossible) {
            if (!kept[node]) continue;
            kept[node] = done = false;
            result.given_up.push_back(node);
        }
    }
    return result;
}

} // namespace opcat
