#include "graph/path_report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

NodeId head_of(const ChannelGraph& channel) {
    return channel.heads.size() == 1 ? channel.entries[channel.heads.front()].node : no_node;
}

bool is_a_head(const ChannelGraph& channel, NodeId node) {
    return std::any_of(channel.heads.begin(), channel.heads.end(),
                       [&](uint32_t head) { return channel.entries[head].node == node; });
}

// Where somebody who has it installed may be subscribed: channels that it is in, or else that lead on from
// it, or else the default channel.
std::vector<const ChannelGraph*> channels_for(const PathQuestion& question) {
    const PackageGraph& graph = *question.view.package;
    std::vector<const ChannelGraph*> channels;
    const auto add_if = [&](auto fits) {
        if (channels.empty())
            std::copy_if(question.view.channels.begin(), question.view.channels.end(),
                         std::back_inserter(channels), fits);
    };
    add_if([&](const ChannelGraph* channel) {
        return question.from.node != no_node && channel->find(question.from.node) &&
               (question.to == no_node || channel->find(question.to));
    });
    add_if([&](const ChannelGraph* channel) {
        return classic_successors(graph, *channel, question.from).next != no_node;
    });
    add_if([&](const ChannelGraph* channel) {
        return channel->is_default || question.view.channels.size() == 1;
    });
    if (channels.empty()) channels = question.view.channels;
    std::stable_partition(channels.begin(), channels.end(),
                          [](const ChannelGraph* channel) { return channel->is_default; });
    return channels;
}

bool has_arrived(const Walk& walk, const Installed& from, NodeId target) {
    return target != no_node && (from.node == target || walk.passes(target)) && walk.end != WalkEnd::refused;
}

} // namespace

bool PathReport::arrives() const {
    return (v1 && v1->arrives) ||
           std::any_of(classic.begin(), classic.end(), [](const ClassicWay& way) { return way.arrives; });
}

PathReport find_paths(PathQuestion question) {
    PathReport report{std::move(question), {}, std::nullopt, std::nullopt};
    const PathQuestion& q = report.question;
    const PackageGraph& graph = *q.view.package;
    const V1Successors v1_first = v1_successors(graph, q.view.channels, q.from);
    if (q.olm != Olm::v1) {
        for (const ChannelGraph* channel : channels_for(q)) {
            ClassicWay way{channel, walk_classic(graph, *channel, q.from), false, std::nullopt, {}};
            const NodeId target = q.to == no_node ? head_of(*channel) : q.to;
            way.arrives = has_arrived(way.walk, q.from, target);
            if (!way.arrives && channel->problem != ChainProblem::none)
                way.no_path = NoPath{fmt::format("OLM classic cannot order channel \"{}\": {}", channel->name,
                                                 describe(channel->problem)),
                                     {}};
            else if (!way.arrives && target != no_node)
                way.no_path = explain_no_path(graph, {{channel}, true}, q.from, target);
            if (!q.olm && channel->problem == ChainProblem::none)
                way.difference =
                    explain_difference(graph, classic_successors(graph, *channel, q.from), v1_first, q.from);
            report.classic.push_back(std::move(way));
        }
    }
    if (q.olm != Olm::classic) {
        V1Way way{walk_v1(graph, q.view.channels, q.from), false, std::nullopt, v1_first.ambiguous};
        if (q.to != no_node) {
            way.arrives = has_arrived(way.walk, q.from, q.to);
            if (!way.arrives) way.no_path = explain_no_path(graph, {q.view.channels, false}, q.from, q.to);
        } else {
            const NodeId last = way.walk.last(q.from.node);
            way.arrives = way.walk.end != WalkEnd::loop && way.walk.end != WalkEnd::refused &&
                          last != no_node &&
                          std::any_of(q.view.channels.begin(), q.view.channels.end(),
                                      [&](const ChannelGraph* channel) { return is_a_head(*channel, last); });
        }
        report.v1 = std::move(way);
    }
    if (q.to != no_node)
        report.shortest = ShortestPaths(graph, {q.view.channels, q.olm == Olm::classic}, q.to).path(q.from);
    return report;
}

} // namespace opcat
