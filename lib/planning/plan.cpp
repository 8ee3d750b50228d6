#include "opcat/planning/plan.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/planning/search.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::planning {
namespace {

// Turns what a search found into the plan of one operator.
class Planner {
public:
    Planner(const InstalledOperator& installed, std::span<const Stop> stops, const PlanOptions& options,
            const Demands& demands)
        : installed_(installed), stops_(stops), options_(options),
          search_(installed, stops, options, demands) {}

    OperatorPlan run() {
        plan_.installed = installed_;
        if (const std::string why = why_unknown(); !why.empty()) {
            plan_.unknown = why;
            plan_.unknown_hint = installed_.unknown_hint;
            return std::move(plan_);
        }
        const bool starts_by_hand = installed_.by_hand;
        // Without work by hand rather than with it, and on supported versions rather than on others.
        std::vector<SearchMode> modes{{starts_by_hand, true}};
        if (!starts_by_hand) modes.push_back({true, true});
        modes.push_back({starts_by_hand, false});
        if (!starts_by_hand) modes.push_back({true, false});
        std::vector<SearchResult> failed;
        for (const SearchMode& mode : modes) {
            SearchResult result = search_.run(mode);
            if (result.arrived && !search_.gave_up()) {
                by_hand_ = mode.by_hand;
                describe_way(result.visits, *result.arrived);
                plan_.verdict = Verdict::ok;
                if (!installed_.held.empty() && has_upgrades()) {
                    plan_.verdict = Verdict::unknown;
                    plan_.unknown = fmt::format("when its upgrades go on is not known: {}", installed_.held);
                }
                if (!installed_.pending.empty() && !goes_with_pending()) {
                    plan_.verdict = Verdict::unknown;
                    plan_.unknown = fmt::format("an upgrade to {} has begun or waits for approval, and this "
                                                "way does not begin with it",
                                                installed_.pending);
                    plan_.unknown_hint = "plan again when it has ended, or when its InstallPlan is deleted";
                }
                if (const std::string why = why_one_does_not_run(); !why.empty()) {
                    plan_.verdict = Verdict::unknown;
                    plan_.unknown = why;
                }
                return std::move(plan_);
            }
            if (search_.gave_up()) {
                plan_.unknown = "there are too many ways to look at [limit]";
                return std::move(plan_);
            }
            if (!mode.supported_only) failed.push_back(std::move(result));
        }
        // By hand all is reached that is reached without, too.
        const bool automatic_is_as_good =
            failed.size() > 1 && failed.front().furthest_stop() == failed.back().furthest_stop();
        by_hand_ = !(automatic_is_as_good && !starts_by_hand);
        explain_end(failed.back(), automatic_is_as_good ? failed.front() : failed.back());
        return std::move(plan_);
    }

private:
    // An upgrade that has begun must be the first step. One that waits for an approval need not be made
    // before its stop, nor at all.
    bool goes_with_pending() const {
        for (const OperatorStop& stop : plan_.stops) {
            if (!stop.steps.empty())
                return stop.steps.front().kind == PlanStep::Kind::upgrade &&
                       stop.steps.front().to == installed_.pending;
            if (!installed_.pending_waits) return false;
        }
        return true;
    }

    std::string why_unknown() const {
        if (!installed_.unknown.empty()) return installed_.unknown;
        const std::string openshift = stops_.front().version.to_string();
        if (stops_.front().catalogs.empty())
            return fmt::format("no catalog is given for OpenShift {}", openshift);
        if (search_.is_classic())
            for (const Stop& stop : stops_)
                for (const PlatformCatalog* catalog : stop.catalogs)
                    if (!catalog->refusal.empty()) return catalog->refusal;
        if (search_.package(0).in_several)
            return fmt::format("several catalogs of OpenShift {} have package {}", openshift,
                               installed_.package);
        if (!search_.package(0).graph)
            return fmt::format("no catalog of OpenShift {} has package {}", openshift, installed_.package);
        return {};
    }

    bool has_upgrades() const {
        return std::any_of(plan_.stops.begin(), plan_.stops.end(), [](const OperatorStop& stop) {
            return std::any_of(stop.steps.begin(), stop.steps.end(),
                               [](const PlanStep& step) { return step.kind == PlanStep::Kind::upgrade; });
        });
    }

    // Why OLM classic installs a bundle that does not run then. The search does not look for ways around it.
    std::string why_one_does_not_run() const {
        if (!search_.is_classic()) return {};
        for (size_t i = 0; i < plan_.stops.size(); ++i)
            for (const PlanStep& step : plan_.stops[i].steps) {
                if (!step.bundle) continue;
                if (std::string why = too_old_kubernetes(i, *step.bundle); !why.empty())
                    return fmt::format("{} {}: OLM classic leaves it Pending", step.to, why);
                if (std::string why = unsupported_group(*step.bundle); !why.empty())
                    return fmt::format("{} fails with reason UnsupportedOperatorGroup: {}", step.to, why);
            }
        return {};
    }

    std::string too_old_kubernetes(size_t stop, const Bundle& bundle) const {
        const std::string least = classic::min_kube_version_of(bundle);
        if (least.empty()) return {};
        const auto needed = olmv1::minor_version_of_cluster(least);
        if (!needed || !semver::Version::parse(least.starts_with('v') ? least.substr(1) : least))
            return fmt::format("has minKubeVersion {}, which is not a version", least);
        const auto kubernetes = olmv1::kubernetes_of(stops_[stop].version);
        if (!kubernetes || !(*kubernetes < *needed)) return {};
        return fmt::format("needs Kubernetes {}, and OpenShift {} has {}", least, version_at(stop),
                           kubernetes->to_string());
    }

    std::string unsupported_group(const Bundle& bundle) const {
        if (!installed_.watched) return {};
        const auto modes = classic::install_modes_of(bundle);
        return modes ? classic::why_unsupported(*modes, *installed_.watched, installed_.ns) : std::string();
    }

    std::string bundle_name(const Place& place) const {
        const InstalledVersion& version = search_.version(place);
        return version.name.empty() ? installed_.describe() : std::string(version.name);
    }

    std::string channel_of(const Place& place) const {
        if (place.channel != own_channels || search_.is_classic())
            return std::string(search_.channel_name(place));
        return listed(installed_.channels);
    }

    void describe_way(const std::vector<Visit>& visits, uint32_t end) {
        std::vector<uint32_t> way{end};
        while (visits[way.back()].move != MoveKind::start) way.push_back(visits[way.back()].from);
        std::reverse(way.begin(), way.end());
        for (size_t i = 0; i < way.size(); ++i) {
            const Visit& visit = visits[way[i]];
            if (visit.move == MoveKind::start || visit.move == MoveKind::next_stop)
                arrive(visit.place);
            else
                add_step(visits[visit.from].place, visit);
            const bool leaves = i + 1 == way.size() || visits[way[i + 1]].move == MoveKind::next_stop;
            if (leaves) leave(visit.place);
        }
    }

    void arrive(const Place& place) {
        arrival_ = place;
        OperatorStop stop;
        stop.arrives = bundle_name(place);
        stop.catalog = search_.package(place.stop).catalog;
        const PackageGraph& graph = *search_.package(place.stop).graph;
        const Installed installed = search_.in_catalog(place);
        if (installed.node != no_node) stop.arrived = graph.nodes[installed.node].bundle;
        stop.stops_namespace = search_.is_classic() && place.channel != own_channels &&
                               (search_.channels_at(place).empty() || search_.has_no_order(place));
        // For an operator whose upgrades come by themselves: before any of them. What OLM v1 leaves where it
        // is needs no words.
        const bool ends_automatic = by_hand_ && !installed_.by_hand && place.stop == 0 &&
                                    (search_.is_classic() || search_.next(place) != no_node);
        warn_of_passed_exits(place, stop);
        if (ends_automatic) {
            PlanStep step;
            step.kind = PlanStep::Kind::stop_automatic;
            step.from = stop.arrives;
            step.to = stop.arrives;
            step.version = text_of_version(search_.version(place));
            step.channel = channel_of(place);
            step.package = &graph;
            step.reasons.emplace_back("upgrades that OLM makes by itself do not lead to the target");
            stop.steps.push_back(std::move(step));
        }
        plan_.stops.push_back(std::move(stop));
    }

    static std::string text_of_version(const InstalledVersion& version) {
        return version.version ? version.version->to_legacy_string() : std::string();
    }

    void add_step(const Place& from, const Visit& visit) {
        OperatorStop& stop = plan_.stops.back();
        const PackageGraph& graph = *search_.package(from.stop).graph;
        PlanStep step;
        step.package = &graph;
        step.channel = channel_of(visit.place);
        if (visit.move == MoveKind::switch_channel) {
            step.kind = PlanStep::Kind::switch_channel;
            step.from = channel_of(from);
            step.to = channel_of(visit.place);
            if (search_.channels_at(from).empty())
                step.reasons.push_back(step.from.empty() ? "the channel that is subscribed to is not known"
                                                         : fmt::format("channel {} does not exist in the "
                                                                       "catalog of OpenShift {}",
                                                                       step.from, version_at(from.stop)));
            else
                step.reasons.push_back(fmt::format("channel {} does not lead on", step.from));
        } else {
            const Installed before = search_.in_catalog(from);
            const NodeId to = graph.node_by_name.at(search_.version(visit.place).name);
            step.from = bundle_name(from);
            step.to = graph.nodes[to].name;
            step.version = text_of_version(search_.version(visit.place));
            step.bundle = graph.nodes[to].bundle;
            step.by_itself = !by_hand_;
            for (const EdgeOrigin& edge : search_.edges(from, to)) {
                std::string reason = opcat::describe(graph, edge, before);
                if (search_.channels_at(from).size() > 1)
                    reason += fmt::format(" (channel {})", edge.channel->name);
                if (std::find(step.reasons.begin(), step.reasons.end(), reason) == step.reasons.end())
                    step.reasons.push_back(std::move(reason));
            }
            if (step.reasons.empty()) step.reasons.emplace_back("has the version that is installed");
        }
        const bool follows = stop.after == stop.steps.size() && from.stop > 0;
        stop.steps.push_back(std::move(step));
        if (follows && stop.steps.back().by_itself) stop.after = stop.steps.size();
    }

    std::string version_at(size_t stop) const { return stops_[stop].version.to_string(); }

    void leave(const Place& place) {
        OperatorStop& stop = plan_.stops.back();
        stop.leaves = bundle_name(place);
        stop.leaves_version = text_of_version(search_.version(place));
        stop.channel = channel_of(place);
        if (place.stop + 1 < stops_.size() && !stop.steps.empty())
            if (const auto answer = search_.can_leave(arrival_); answer.obstacle)
                stop.obstacles.push_back(*answer.obstacle);
        if (by_hand_ && search_.is_classic())
            if (const NodeId next = search_.next(place); next != no_node)
                stop.waits = search_.package(place.stop).graph->nodes[next].name;
        warn_of_deprecations(place, stop);
        warn_of_support(place, stop);
        warn_of_unchecked(stop);
    }

    void warn_of_deprecations(const Place& place, OperatorStop& stop) const {
        const PackageGraph& graph = *search_.package(place.stop).graph;
        const auto warn = [&](std::string_view what, const DeprecationEntry* entry) {
            if (entry)
                stop.warnings.push_back(fmt::format("{} is deprecated in OpenShift {}: {}", what,
                                                    version_at(place.stop), on_one_line(entry->message)));
        };
        warn(fmt::format("package {}", graph.name), graph.deprecation);
        for (const ChannelGraph* channel : search_.channels_at(place))
            warn(fmt::format("channel {}", channel->name), channel->deprecation);
        if (const Installed installed = search_.in_catalog(place); installed.node != no_node)
            warn(graph.nodes[installed.node].name, graph.nodes[installed.node].deprecation);
    }

    void warn_of_support(const Place& place, OperatorStop& stop) const {
        const LifecycleVersion* const known = search_.lifecycle(place.stop, search_.version(place));
        if (!known) return;
        const std::string name = fmt::format("{} {}", installed_.package, known->name.text);
        const Support support = support_at(*known, options_.at);
        switch (support.state) {
        case Support::State::ended:
            stop.warnings.push_back(
                fmt::format("{} is out of support since {}", name, date_text(*support.ends)));
            break;
        case Support::State::supported:
            stop.support = fmt::format("{} until {}, all support until {}", support.phase->name.text,
                                       date_text(*support.phase->end), date_text(*support.ends));
            break;
        case Support::State::not_begun:
            stop.warnings.push_back(
                fmt::format("support of {} begins on {}", name, date_text(*support.begins)));
            break;
        case Support::State::unknown:
            stop.warnings.push_back(fmt::format("whether {} is supported is not known", name));
            break;
        }
        for (size_t at = place.stop; at < std::min<size_t>(place.stop + 2, stops_.size()); ++at)
            switch (declared_for(*known, stops_[at].version)) {
            case Compatibility::left_out:
                stop.warnings.push_back(
                    fmt::format("{} does not declare that it runs on OpenShift {}", name, version_at(at)));
                break;
            case Compatibility::unknown:
                stop.warnings.push_back(
                    fmt::format("whether {} declares that it runs on OpenShift {} is not known: its "
                                "platformCompatibility cannot be read",
                                name, version_at(at)));
                break;
            case Compatibility::undeclared:
            case Compatibility::declared:
                break;
            }
    }

    // Warns of facts that are not known, although they too decide if OLM v1 installs the steps.
    void warn_of_unchecked(OperatorStop& stop) const {
        if (search_.is_classic()) return;
        std::set<std::string_view> unknown;
        for (const PlanStep& step : stop.steps)
            if (step.bundle)
                for (const std::string_view what : olmv1::judge_install(olmv1::install_facts(*step.bundle),
                                                                        {.release = options_.olm_release})
                                                       .unknown)
                    unknown.insert(what);
        if (!unknown.empty())
            stop.warnings.push_back(fmt::format(
                "not checked: {}, which also decide whether OLM v1 installs it", listed(unknown)));
    }

    // OLM goes on by itself, and only a version that it passes has an edge to a newer one in another channel.
    void warn_of_passed_exits(const Place& arrival, OperatorStop& stop) {
        if (installed_.by_hand || !search_.is_classic()) return;
        const auto channels = search_.channels_at(arrival);
        if (channels.empty()) return;
        const PackageGraph& graph = *search_.package(arrival.stop).graph;
        std::vector<Place> passed{arrival};
        const bool circles = walk_ends_in_circle(arrival.version, [&](uint32_t) -> std::optional<uint32_t> {
            const NodeId next = search_.next(passed.back());
            if (next == no_node) return std::nullopt;
            passed.push_back(search_.after_upgrade(passed.back(), next));
            return passed.back().version;
        });
        if (circles || passed.size() < 2) return;
        const Place end = passed.back();
        const auto& newest = search_.version(end).version;
        for (const ChannelGraph& other : graph.channels) {
            if (&other == channels.front() || other.problem != ChainProblem::none) continue;
            const auto exit_from = [&](const Place& from) {
                const NodeId to = search_.next(search_.in_channel(from, other.name));
                const bool is_newer =
                    to != no_node && graph.nodes[to].version && newest && *graph.nodes[to].version > *newest;
                return is_newer ? to : no_node;
            };
            if (other.find(search_.in_catalog(end).node) || exit_from(end) != no_node) continue;
            for (const Place& from : passed) {
                const NodeId to = exit_from(from);
                if (to == no_node) continue;
                stop.warnings.push_back(fmt::format(
                    "the automatic upgrade in channel {} goes on to {}, which has no upgrade to channel {}: "
                    "only {} has one, to {}",
                    channels.front()->name, bundle_name(end), other.name, bundle_name(from),
                    graph.nodes[to].name));
                break;
            }
        }
        if (search_.gave_up())
            stop.warnings.emplace_back(
                "not all channels that automatic upgrades pass were looked at [limit]");
    }

    static int rank(const HopAnswer& answer) {
        if (!answer.unknown.empty()) return 100;
        return answer.obstacle ? static_cast<int>(answer.obstacle->kind) : -1;
    }

    // `all`: everything that can be reached. `shown`: the search whose way is described as far as it leads.
    void explain_end(const SearchResult& all, const SearchResult& shown) {
        const uint32_t furthest = all.furthest_stop();
        const bool is_last = furthest + 1 == stops_.size();
        HopAnswer best;
        int best_rank = -2;
        for (const Visit& visit : all.visits) {
            if (visit.place.stop != furthest || is_last) continue;
            HopAnswer answer = search_.can_leave(visit.place);
            if (const int its = rank(answer); its > best_rank) {
                best = std::move(answer);
                best_rank = its;
            }
        }
        const auto first = std::find_if(shown.visits.begin(), shown.visits.end(),
                                        [&](const Visit& visit) { return visit.place.stop == furthest; });
        describe_way(shown.visits, static_cast<uint32_t>(first - shown.visits.begin()));
        if (!best.unknown.empty()) {
            plan_.unknown = best.unknown;
            return;
        }
        plan_.verdict = Verdict::blocked;
        if (best.obstacle)
            plan_.blocked = *best.obstacle;
        else
            plan_.blocked = why_it_does_not_stay(first->place);
        if (!is_last) plan_.stops.back().obstacles = {plan_.blocked};
        plan_.way_out = way_out(first->place);
    }

    // At the last stop, or where all that is open leads nowhere.
    Obstacle why_it_does_not_stay(const Place& place) const {
        const std::string openshift = version_at(place.stop);
        if (search_.has_no_order(place))
            return {Obstacle::Kind::no_order,
                    fmt::format("channel {} of OpenShift {} {}", channel_of(place), openshift,
                                opcat::describe(search_.channels_at(place).front()->problem))};
        if (search_.channels_at(place).empty())
            return {Obstacle::Kind::channel_gone,
                    fmt::format("the catalog of OpenShift {} does not have channel {}, and no other channel "
                                "leads on from {}",
                                openshift, channel_of(place), bundle_name(place))};
        return {Obstacle::Kind::version_gone,
                fmt::format("in the catalog of OpenShift {} the upgrades from {} do not end", openshift,
                            bundle_name(place))};
    }

    std::string way_out(const Place& place) const {
        if (plan_.blocked.kind == Obstacle::Kind::max && !search_.is_classic()) {
            const PackageBundle* const forced =
                olmv1::newest_that_allows(*search_.package(place.stop).graph, stops_[place.stop + 1].version,
                                          {.release = options_.olm_release}, search_.version(place).bundle);
            if (forced)
                return fmt::format(
                    "no edge leads to a version that does not block; {} does not, and only "
                    "upgradeConstraintPolicy: SelfCertified allows it: verify the consequences "
                    "first",
                    forced->name());
        }
        if (plan_.blocked.kind == Obstacle::Kind::package_gone)
            return fmt::format(
                "there is none: uninstall the operator first, or add a catalog of OpenShift {} "
                "that has it",
                version_at(place.stop + 1));
        if (stops_[place.stop].passing)
            return fmt::format(
                "there is none without work on OpenShift {}: a plan without --eus may find one",
                version_at(place.stop));
        return "there is none in these catalogs: wait for an upgrade, or uninstall the operator first";
    }

    const InstalledOperator& installed_;
    std::span<const Stop> stops_;
    const PlanOptions& options_;
    Search search_;
    OperatorPlan plan_;
    Place arrival_;
    bool by_hand_ = false;
};

} // namespace

std::string_view to_string(PlanStep::Kind kind) {
    switch (kind) {
    case PlanStep::Kind::upgrade:
        return "upgrade";
    case PlanStep::Kind::switch_channel:
        return "switch-channel";
    case PlanStep::Kind::stop_automatic:
        return "stop-automatic";
    }
    return {};
}

std::string_view to_string(Obstacle::Kind kind) {
    switch (kind) {
    case Obstacle::Kind::max:
        return "maximum-version";
    case Obstacle::Kind::bad_max:
        return "unreadable-maximum-version";
    case Obstacle::Kind::package_gone:
        return "package-gone";
    case Obstacle::Kind::version_gone:
        return "version-gone";
    case Obstacle::Kind::channel_gone:
        return "channel-gone";
    case Obstacle::Kind::no_order:
        return "unordered-channel";
    case Obstacle::Kind::requirement:
        return "requirement";
    }
    return {};
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::ok:
        return "ok";
    case Verdict::blocked:
        return "blocked";
    case Verdict::unknown:
        return "unknown";
    }
    return {};
}

OperatorPlan plan_operator(const InstalledOperator& installed, std::span<const Stop> stops,
                           const PlanOptions& options, const Demands& demands) {
    return Planner(installed, stops, options, demands).run();
}

size_t ClusterPlan::count(Verdict of) const {
    return static_cast<size_t>(std::count_if(operators.begin(), operators.end(),
                                             [&](const auto& one) { return one->verdict == of; }));
}

std::vector<NeededBundle> bundles_on_the_way(const ClusterPlan& plan) {
    std::vector<NeededBundle> needed;
    std::set<std::pair<const PlatformCatalog*, const Bundle*>> seen;
    for (const auto& one : plan.operators)
        for (const OperatorStop& stop : one->stops) {
            const PackageGraph* const package = stop.catalog->index->find(one->installed.package);
            const auto add = [&](const Bundle* bundle, const std::string& wanted) {
                if (!bundle || !seen.emplace(stop.catalog, bundle).second) return;
                const NodeId node = package->node_by_name.at(bundle->name.text);
                const ChannelGraph* home = wanted.empty() ? nullptr : package->find_channel(wanted);
                if (home && !home->find(node)) home = nullptr;
                for (const ChannelGraph& channel : package->channels)
                    if (channel.find(node) && (!home || (channel.is_default && wanted.empty())))
                        home = &channel;
                needed.push_back(
                    {stop.catalog, package, bundle, home ? std::string(home->name) : std::string()});
            };
            std::string channel =
                one->installed.channels.size() == 1 ? one->installed.channels[0] : std::string();
            if (&stop != &one->stops.front()) channel = (&stop - 1)->channel;
            add(stop.arrived, channel);
            for (const PlanStep& step : stop.steps) add(step.bundle, step.channel);
        }
    return needed;
}

} // namespace opcat::planning
