// Properties of random graphs, against brute force.
#include "graph_builder.hpp"
#include "opcat/graph/path_report.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <algorithm>
#include <random>
#include <set>

using namespace opcat;
using namespace opcat::test;

namespace {

std::string version(size_t i) {
    return fmt::format("{}.{}.0", i / 4, i % 4);
}

// Mostly a chain, with mistakes.
std::string random_catalog(std::mt19937& random) {
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    const size_t count = 2 + below(9);
    std::string text = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";
    for (const std::string_view name : {"stable", "fast"}) {
        std::string entries;
        for (size_t i = 0; i < count; ++i) {
            if (i > 0 && below(8) == 0) continue;
            entries += fmt::format("- name: foo.v{}\n", version(i));
            if (i > 0 && below(6) > 0)
                entries +=
                    fmt::format("  replaces: foo.v{}\n", version(below(5) == 0 ? below(count) : i - 1));
            if (below(4) == 0)
                entries += fmt::format("  skips: [foo.v{}, foo.v{}]\n", version(below(count)),
                                       version(below(count + 3)));
            if (below(4) == 0) {
                const char* const ranges[] = {"<{}",          ">=0.1.0 <{}",   "!{}",
                                              "{} || >1.2.0", "<0.2.0 || ={}", "nonsense {}"};
                entries += fmt::format("  skipRange: '{}'\n",
                                       fmt::format(fmt::runtime(ranges[below(6)]), version(i)));
            }
        }
        text += channel(name, entries);
    }
    for (size_t i = 0; i < count; ++i)
        if (below(12) > 0) text += bundle(version(i));
    if (below(2) == 0)
        text += fmt::format(
            "---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {{schema: olm.bundle, name: "
            "foo.v{}}}\n  message: old\n",
            version(below(count)));
    return text;
}

bool is_walkable(const Graph& g, const std::vector<const ChannelGraph*>& channels, NodeId from, NodeId to,
                 bool chains_only) {
    if (g.package().nodes[to].is_virtual()) return false;
    return std::any_of(channels.begin(), channels.end(), [&](const ChannelGraph* channel) {
        for (size_t i = 0; i < channel->entries.size(); ++i) {
            if (channel->entries[i].node != to) continue;
            const bool on_chain = channel->problem == ChainProblem::none &&
                                  std::count(channel->chain.begin(), channel->chain.end(), i) > 0;
            if (chains_only && !on_chain) continue;
            if (!edges_from(g.package(), *channel, channel->entries[i], installed_node(g.package(), from))
                     .empty())
                return true;
        }
        return false;
    });
}

} // namespace

TEST_CASE("properties of all graphs") {
    for (unsigned seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const std::string yaml = random_catalog(random);
        CAPTURE(yaml);
        const Graph g = graph_of(yaml);
        const PackageGraph& p = g.package();
        const auto nodes = static_cast<NodeId>(p.nodes.size());

        // A skipRange covers the versions that blang says.
        for (const SkipRange& range : p.skip_ranges)
            for (uint32_t rank = 0; rank < p.by_version.size(); ++rank) {
                const bool covered =
                    std::any_of(range.covers.begin(), range.covers.end(), [&](RankInterval interval) {
                        return interval.begin <= rank && rank < interval.end;
                    });
                CHECK(covered ==
                      (range.range && range.range->contains(p.nodes[p.by_version[rank]].version->version)));
            }

        // All next steps at once equal the single ones.
        for (const ChannelGraph* channel : g.all()) {
            const auto next = classic_next_steps(p, *channel);
            for (NodeId id = 0; id < nodes; ++id)
                CHECK(g.name(next[id]) ==
                      g.name(classic_successors(p, *channel, installed_node(p, id)).next));
        }
        for (const auto& channels : {g.all(), std::vector<const ChannelGraph*>{&g.channel()}}) {
            const auto next = v1_next_steps(p, channels);
            for (NodeId id = 0; id < nodes; ++id)
                CHECK(g.name(next[id]) == g.name(v1_successors(p, channels, installed_node(p, id)).next));
        }

        // What is known once about all versions equals the answer about each.
        uint64_t places = 1'000'000;
        const auto known = KnownSteps::of(p, places);
        REQUIRE(known);
        for (NodeId id = 0; id < nodes; ++id) {
            const V1Successors one = v1_successors(p, g.all(), installed_node(p, id));
            const V1Successors same = known->v1_successors(id);
            CHECK(g.name(same.next) == g.name(one.next));
            CHECK(same.held_back == one.held_back);
            CHECK(same.ambiguous == one.ambiguous);
            REQUIRE(same.candidates.empty() == one.candidates.empty());
            if (!one.candidates.empty())
                CHECK(g.name(same.candidates.front().node) == g.name(one.candidates.front().node));
            for (const size_t most : {size_t{2}, all_steps}) {
                const PathQuestion question{
                    {&p, g.all()}, installed_node(p, id), no_node, std::nullopt, most};
                PathQuestion with_known = question;
                with_known.known = &*known;
                CHECK(path_report_as_json(find_paths(with_known)) ==
                      path_report_as_json(find_paths(question)));
            }
        }
        uint64_t none_left = 3;
        CHECK(!KnownSteps::of(p, none_left));

        // Every successor of classic is one of v1; with one candidate that is higher and not deprecated they
        // agree.
        for (NodeId id = 0; id < nodes; ++id) {
            const Installed from = installed_node(p, id);
            const std::vector<const ChannelGraph*> channels{&g.channel()};
            const auto classic = classic_successors(p, g.channel(), from);
            const auto v1 = v1_successors(p, channels, from);
            for (const Successor& successor : classic.candidates)
                if (successor.node != id)
                    CHECK(std::any_of(v1.candidates.begin(), v1.candidates.end(),
                                      [&](const Successor& other) { return other.node == successor.node; }));
            if (classic.candidates.size() == 1 && v1.candidates.size() == 1 && !v1.held_back &&
                classic.candidates.front().node == v1.candidates.front().node)
                CHECK(classic.next == v1.next);
            if (classic.next == v1.next)
                CHECK(explain_difference(p, classic, v1, from).empty());
            else
                CHECK_FALSE(explain_difference(p, classic, v1, from).empty());
        }

        // A path consists of successors, and none is shorter; a missing path does not exist.
        for (const bool chains_only : {false, true}) {
            const EdgeScope scope{g.all(), chains_only};
            for (NodeId target = 0; target < nodes; ++target) {
                std::vector<int> distance(nodes, -1);
                distance[target] = 0;
                for (int round = 0; round < static_cast<int>(nodes); ++round)
                    for (NodeId a = 0; a < nodes; ++a)
                        for (NodeId b = 0; b < nodes; ++b)
                            if (distance[a] < 0 && distance[b] == round &&
                                is_walkable(g, scope.channels, a, b, chains_only))
                                distance[a] = round + 1;
                const ShortestPaths paths(p, scope, target);
                for (NodeId from = 0; from < nodes; ++from) {
                    const auto path = paths.path(installed_node(p, from));
                    REQUIRE(path.has_value() == (distance[from] >= 0));
                    if (!path) {
                        CHECK_FALSE(
                            explain_no_path(p, scope, installed_node(p, from), target).reason.empty());
                        continue;
                    }
                    CHECK(path->size() == static_cast<size_t>(distance[from]));
                    NodeId at = from;
                    for (const PathStep& step : *path) {
                        CHECK_FALSE(step.edges.empty());
                        CHECK(is_walkable(g, scope.channels, at, step.to, chains_only));
                        at = step.to;
                    }
                    CHECK(at == target);
                }
            }
        }

        // A walk goes from successor to successor and ends.
        for (NodeId id = 0; id < nodes; ++id) {
            for (const ChannelGraph* channel : g.all()) {
                const Walk walk = walk_classic(p, *channel, installed_node(p, id));
                CHECK(walk.steps.size() <= nodes);
                NodeId at = id;
                for (const PathStep& step : walk.steps) {
                    CHECK(classic_successors(p, *channel, installed_node(p, at)).next == step.to);
                    CHECK(is_walkable(g, {channel}, at, step.to, true));
                    at = step.to;
                }
            }
            const Walk walk = walk_v1(p, g.all(), installed_node(p, id));
            CHECK(walk.steps.size() <= nodes);
            NodeId at = id;
            for (const PathStep& step : walk.steps) {
                CHECK(v1_successors(p, g.all(), installed_node(p, at)).next == step.to);
                at = step.to;
            }
        }
    }
}

// OLM classic takes the successor nearest to the head, OLM v1 the highest: where the chain is in the order of
// versions and nothing is off it, that is the same one.
TEST_CASE("on a chain in the order of versions both OLMs choose the same upgrades") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
        const size_t count = 2 + below(12);
        std::string entries;
        std::string bundles;
        for (size_t i = 0; i < count; ++i) {
            entries += fmt::format("- name: foo.v{}\n", version(i));
            if (i > 0) entries += fmt::format("  replaces: foo.v{}\n", version(i - 1));
            if (below(2) == 0)
                entries += fmt::format("  skipRange: '>={} <{}'\n", version(below(i + 1)), version(i));
            bundles += bundle(version(i));
        }
        const Graph g = graph_of(catalog(entries, {}) + bundles);
        const std::vector<const ChannelGraph*> channels{&g.channel()};
        for (size_t i = 0; i < count; ++i)
            for (const std::string& from : {version(i), fmt::format("{}.{}.5", i / 4, i % 4)}) {
                CAPTURE(from);
                const Installed installed = installed_as(from, g);
                const NodeId classic = classic_successors(g.package(), g.channel(), installed).next;
                CHECK(g.name(classic) == g.name(v1_successors(g.package(), channels, installed).next));
                if (i + 1 < count && from == version(i)) CHECK(classic != no_node);
            }
    }
}
