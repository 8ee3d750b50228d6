// Covers lib/planning/search.cpp: every step of a plan is the choice of the operator's resolver, and there is
// no shorter way. Testdata, recorded catalogs, random installed versions.
#include "../choices.hpp"
#include "../olm/agreement.hpp"
#include "clusters.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <set>
#include <tuple>

namespace fs = std::filesystem;
using namespace opcat;
using namespace opcat::planning;

namespace {

const olmv1::MinorVersion first{4, 16};

// A way in the fewest steps, without anything that Search has: states by name, every channel as a target.
class NaiveSearch {
public:
    NaiveSearch(const std::vector<const PackageGraph*>& graphs, const InstalledOperator& operator_,
                bool by_hand)
        : graphs_(graphs), operator_(operator_), by_hand_(by_hand) {}

    // By hand, and in all.
    std::optional<std::pair<size_t, size_t>> fewest() {
        using State = std::tuple<size_t, std::string, std::string>; // stop, bundle, channel
        std::set<State> known;
        std::set<std::tuple<size_t, size_t, State>> open;
        open.insert(
            {0, 0, {0, operator_.bundle, operator_.channels.empty() ? "" : operator_.channels.front()}});
        while (!open.empty()) {
            const auto [hand, steps, state] = *open.begin();
            open.erase(open.begin());
            if (!known.insert(state).second) continue;
            const auto& [stop, bundle, in] = state;
            const PackageGraph& graph = *graphs_[stop];
            const Installed now = find(graph, bundle);
            const std::vector<NodeId> next = steps_from(graph, in, now);
            for (const NodeId to : next)
                open.insert({hand + by_hand_, steps + 1, {stop, std::string(graph.nodes[to].name), in}});
            if (!by_hand_ && !next.empty()) continue;
            const bool has_channel = in.empty() ? !is_classic() : graph.find_channel(in) != nullptr;
            const bool has_order =
                !is_classic() || !has_channel || graph.find_channel(in)->problem == ChainProblem::none;
            if (stop + 1 == graphs_.size() && has_channel && has_order) return std::pair(hand, steps);
            if (stop + 1 < graphs_.size() && may_leave(stop, bundle, in))
                open.insert({hand, steps, {stop + 1, bundle, in}});
            if (is_classic())
                for (const ChannelGraph& other : graph.channels)
                    if (other.problem == ChainProblem::none && other.name != in &&
                        (stop + 1 < graphs_.size() || may_end_in(graph, other, now)))
                        open.insert({hand + 1, steps + 1, {stop, bundle, std::string(other.name)}});
        }
        return std::nullopt;
    }

private:
    bool is_classic() const { return operator_.olm == OlmGeneration::classic; }

    static Installed find(const PackageGraph& graph, const std::string& bundle) {
        const auto node = graph.node_by_name.find(bundle);
        if (node != graph.node_by_name.end()) return installed_node(graph, node->second);
        return {no_node, bundle, {}};
    }

    // Nobody wants to end in a channel that has nothing for the version.
    bool may_end_in(const PackageGraph& graph, const ChannelGraph& channel, const Installed& now) const {
        return (now.node != no_node && channel.find(now.node)) ||
               !steps_from(graph, std::string(channel.name), now).empty();
    }

    // Of a version that only earlier catalogs have.
    Installed with_version(size_t stop, const std::string& bundle) const {
        Installed now = find(*graphs_[stop], bundle);
        for (const PackageGraph* graph : graphs_)
            if (const auto node = graph->node_by_name.find(bundle);
                node != graph->node_by_name.end() && !now.version)
                now.version = graph->nodes[node->second].version;
        return now;
    }

    std::vector<NodeId> steps_from(const PackageGraph& graph, const std::string& in, Installed now) const {
        const size_t stop =
            static_cast<size_t>(std::find(graphs_.begin(), graphs_.end(), &graph) - graphs_.begin());
        now = with_version(stop, std::string(now.name));
        std::vector<NodeId> steps;
        if (is_classic()) {
            const ChannelGraph* const channel = graph.find_channel(in);
            if (!channel || channel->problem != ChainProblem::none) return steps;
            const NodeId to = classic_successors(graph, *channel, now).next;
            if (to != no_node && !graph.nodes[to].is_virtual()) steps.push_back(to);
            return steps;
        }
        const V1Successors all = v1_successors(graph, graph.all_channels(), now);
        const auto can = [&](NodeId to) {
            return std::any_of(graph.bundles.begin(), graph.bundles.end(), [&](const PackageBundle& one) {
                return one.node == to && olmv1::can_be_installed(one, olmv1::Installer{});
            });
        };
        if (!by_hand_) {
            if (all.next != no_node && can(all.next)) steps.push_back(all.next);
            return steps;
        }
        for (const Successor& one : all.candidates) {
            const auto same =
                std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& node) {
                    return node.bundle && node.version == graph.nodes[one.node].version;
                });
            if (graph.nodes[one.node].version && same == 1 && can(one.node)) steps.push_back(one.node);
        }
        return steps;
    }

    // A bundle keeps what it declared in the catalog that it was installed from; names of one version do not
    // change what they declare in the catalogs of these tests.
    bool may_leave(size_t stop, const std::string& bundle, const std::string& in) const {
        const Bundle* blob = nullptr;
        for (size_t at = 0; at <= stop; ++at)
            if (const auto node = graphs_[at]->node_by_name.find(bundle);
                node != graphs_[at]->node_by_name.end())
                if (graphs_[at]->nodes[node->second].bundle) blob = graphs_[at]->nodes[node->second].bundle;
        if (!blob || !olmv1::allows(olmv1::max_openshift_version(*blob), {4, first.minor + stop + 1}))
            return false;
        const PackageGraph& next = *graphs_[stop + 1];
        if (next.bundles.empty() || !olmv1::is_known_to(next, with_version(stop + 1, bundle), operator_.olm))
            return false;
        const ChannelGraph* const channel = next.find_channel(in);
        return !is_classic() || !channel || channel->problem == ChainProblem::none;
    }

    const std::vector<const PackageGraph*>& graphs_;
    const InstalledOperator& operator_;
    bool by_hand_;
};

struct StepCheck {
    size_t plans = 0;
    size_t reached = 0;
    size_t steps = 0;
    std::vector<std::string> wrong;

    void check(const TestPlatforms& platforms,
               const std::vector<std::shared_ptr<const classic::Snapshot>>& snapshots,
               const InstalledOperator& asked) {
        ++plans;
        InstalledOperator one = asked;
        const uint64_t last = first.minor + platforms.catalogs.size() - 1;
        const auto stops = stops_between(first, {4, last}, false, platforms.catalogs);
        complete(one, stops);
        const OperatorPlan plan = plan_operator(one, stops, {*read_date("2026-11-28"), {}});
        std::vector<const PackageGraph*> graphs;
        for (const PlatformCatalog& catalog : platforms.catalogs) {
            graphs.push_back(catalog.index->find(one.package));
            if (!graphs.back()) return;
        }
        std::pair<size_t, size_t> count; // of steps by hand, and of all
        for (size_t at = 0; at < plan.stops.size(); ++at) {
            std::string now = plan.stops[at].arrives;
            for (const PlanStep& step : plan.stops[at].steps) {
                if (step.kind != PlanStep::Kind::stop_automatic) {
                    count.first += step.by_itself ? 0 : 1;
                    ++count.second;
                }
                if (step.kind != PlanStep::Kind::upgrade) continue;
                ++steps;
                const std::string chosen = choice_of_resolver(platforms.catalogs[at], snapshots[at],
                                                              *graphs[at], one, step, now, plan.stops[at]);
                if (chosen != step.to)
                    wrong.push_back(fmt::format("{} from {}: the plan says {}, the resolver {}", one.package,
                                                now, step.to, chosen));
                now = step.to;
            }
        }
        if (plan.verdict == Verdict::ok) ++reached;
        compare_with_naive(plan, one, graphs, count);
    }

private:
    static std::string choice_of_resolver(const PlatformCatalog& catalog,
                                          const std::shared_ptr<const classic::Snapshot>& snapshot,
                                          const PackageGraph& graph, const InstalledOperator& one,
                                          const PlanStep& step, const std::string& now, const OperatorStop&) {
        const auto node = graph.node_by_name.find(now);
        if (node == graph.node_by_name.end() || !graph.nodes[node->second].version)
            return step.to; // by its version
        const GraphNode& from = graph.nodes[node->second];
        if (one.olm == OlmGeneration::classic) {
            if (!test::is_served(graph)) return step.to;
            return test::chosen_by_classic(snapshot, graph, *graph.find_channel(step.channel), from);
        }
        const olmv1::NamedCatalog named{"catalog", catalog.index, 0, {}, false};
        olmv1::Request request{.package = one.package};
        if (!step.by_itself) request.version = step.version;
        request.installed =
            olmv1::InstalledBundle{std::string(from.name), from.version->to_legacy_string(), std::nullopt};
        const std::string chosen = test::chosen_by_v1(request, named);
        // What a range of Masterminds' syntax does not match as written.
        return !step.by_itself && chosen == "stays" ? step.to : chosen;
    }

    static std::string text_of(const std::pair<size_t, size_t>& count) {
        return fmt::format("{} steps by hand of {}", count.first, count.second);
    }

    void compare_with_naive(const OperatorPlan& plan, const InstalledOperator& one,
                            const std::vector<const PackageGraph*>& graphs, std::pair<size_t, size_t> count) {
        if (plan.verdict == Verdict::unknown) return;
        auto fewest = one.by_hand ? std::nullopt : NaiveSearch(graphs, one, false).fewest();
        if (!fewest) fewest = NaiveSearch(graphs, one, true).fewest();
        const std::string expected = fewest ? text_of(*fewest) : "no way";
        const std::string planned = plan.verdict == Verdict::ok ? text_of(count) : "no way";
        if (expected != planned)
            wrong.push_back(fmt::format("{} {} (channel {}, {}, {}): planned {}, possible {}", one.package,
                                        one.bundle, one.channels.empty() ? "" : one.channels[0],
                                        one.olm == OlmGeneration::classic ? "classic" : "v1",
                                        one.by_hand ? "by hand" : "by itself", planned, expected));
    }
};

void check_everything_installed(const TestPlatforms& platforms, StepCheck& check, size_t most,
                                unsigned seed) {
    std::vector<std::shared_ptr<const classic::Snapshot>> snapshots;
    for (const PlatformCatalog& catalog : platforms.catalogs)
        snapshots.push_back(classic::catalog_snapshot({"olm", "catalog"}, catalog.index->catalog()));
    std::vector<InstalledOperator> all;
    for (const std::string_view name : platforms.catalogs[0].index->package_names()) {
        const PackageGraph& graph = *platforms.catalogs[0].index->find(name);
        for (const ChannelGraph& channel : graph.channels)
            for (const GraphEntry& entry : channel.entries)
                for (const bool by_hand : {false, true}) {
                    const std::string bundle(graph.nodes[entry.node].name);
                    all.push_back(installed(std::string(name), bundle, {std::string(channel.name)},
                                            OlmGeneration::classic, by_hand));
                    all.push_back(installed(std::string(name), bundle, {}, OlmGeneration::v1, by_hand));
                }
    }
    test::Choices choices(seed);
    for (size_t i = 0; i < std::min(most, all.size()); ++i)
        check.check(platforms, snapshots, all.size() <= most ? all[i] : all[choices.below(all.size())]);
}

std::string first_wrong(const StepCheck& check) {
    return check.wrong.empty() ? "none" : check.wrong.front();
}

} // namespace

TEST_CASE("each step is the resolver's choice, and no way has fewer steps") {
    StepCheck check;
    check_everything_installed(stores(), check, SIZE_MAX, 1);
    // The same catalog at two versions, and an older one before a newer one.
    const fs::path catalogs = fs::path(OPCAT_TESTDATA) / "catalogs";
    const std::pair<const char*, const char*> pairs[] = {{"streams", "streams"},
                                                         {"gizmo-last-week", "gizmo"},
                                                         {"channel-left-behind", "channel-left-behind"},
                                                         {"skipped-on-the-way", "skipped-on-the-way"},
                                                         {"two-heads", "two-heads"},
                                                         {"hello", "hello"},
                                                         {"noted", "noted"}};
    for (const auto& [old, now] : pairs) {
        TestPlatforms platforms;
        platforms.add_directory(first, catalogs / old);
        platforms.add_directory({4, 17}, catalogs / now);
        check_everything_installed(platforms, check, SIZE_MAX, 1);
    }
    CHECK(first_wrong(check) == "none");
    CHECK(check.plans > 100);
    CHECK(check.reached > 50);
    CHECK(check.steps > 50);
}

TEST_CASE("each step in recorded catalogs is the resolver's choice, and no way has fewer steps" *
          doctest::test_suite("recorded")) {
    StepCheck check;
    const fs::path recorded = fs::path(OPCAT_SHARED) / "conformance/catalogs";
    for (const auto& [old, now] :
         {std::pair("community/v4.14", "community/v4.20"), std::pair("certified/v4.16", "certified/v4.20"),
          std::pair("community/v4.20", "community/v4.20")}) {
        TestPlatforms platforms;
        platforms.add_directory(first, recorded / old);
        platforms.add_directory({4, 17}, recorded / now);
        check_everything_installed(platforms, check, 400, 7);
    }
    CHECK(first_wrong(check) == "none");
    CHECK(check.plans == 1200);
    CHECK(check.reached > 300);
    CHECK(check.steps > 300);
}
