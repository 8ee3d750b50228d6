#include "opcat/base/json.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/graph/json.hpp"
#include "opcat/olm/v1_rules.hpp"

namespace opcat {
namespace {

Json name_or_null(const PackageGraph& graph, NodeId id) {
    return id == no_node ? Json(nullptr) : Json(graph.nodes[id].name);
}

Json nodes_as_json(const PackageView& view) {
    const PackageGraph& graph = *view.package;
    const std::vector<NodeId> v1 = v1_next_steps(graph, view.channels);
    Json nodes = Json::array();
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const GraphNode& node = graph.nodes[id];
        Json json = {{"name", node.name}, {"version", node.version_text}};
        if (node.is_virtual()) json["virtual"] = true;
        if (node.deprecation) json["deprecated"] = node.deprecation->message.text;
        if (const std::string day = support_end(view, node); !day.empty()) json["supportEnds"] = day;
        if (node.bundle) json["image"] = node.bundle->image.text;
        json["at"] = place_as_json(node.where);
        json["nextV1"] = name_or_null(graph, v1[id]);
        nodes.push_back(std::move(json));
    }
    return nodes;
}

Json channel_as_json(const PackageGraph& graph, const ChannelGraph& channel) {
    const std::vector<NodeId> next = classic_next_steps(graph, channel);
    const auto name = [&](uint32_t place) { return Json(graph.nodes[channel.entries[place].node].name); };
    Json json = {{"name", channel.name}, {"default", channel.is_default}};
    if (channel.deprecation) json["deprecated"] = channel.deprecation->message.text;
    json["heads"] = Json::array();
    for (const uint32_t head : channel.heads) json["heads"].push_back(name(head));
    json["chain"] = Json::array();
    for (const uint32_t place : channel.chain) json["chain"].push_back(name(place));
    if (channel.problem != ChainProblem::none) json["problem"] = describe(channel.problem);
    json["entries"] = Json::array();
    for (size_t i = 0; i < channel.entries.size(); ++i) {
        const GraphEntry& entry = channel.entries[i];
        Json one = {{"name", graph.nodes[entry.node].name},
                    {"skipped", static_cast<bool>(channel.skipped[i])}};
        if (entry.skip_range != no_range) one["skipRange"] = entry.source->skip_range.text;
        one["at"] = place_as_json(channel.channel->at(entry.source->name));
        one["nextClassic"] = name_or_null(graph, next[entry.node]);
        json["entries"].push_back(std::move(one));
    }
    json["edges"] = Json::array();
    for (const Edge& edge : edges_of(graph, channel))
        json["edges"].push_back({{"from", graph.nodes[edge.from].name},
                                 {"to", graph.nodes[edge.to].name},
                                 {"kind", to_string(edge.origin.kind)},
                                 {"at", place_as_json(edge.origin.where())}});
    return json;
}

} // namespace

std::string draw_json(const GraphView& view, const Diagnostics& findings) {
    Json document = {{"schema", "opcat.graph.v1"}, {"packages", Json::array()}};
    for (const PackageView& package : view) {
        const PackageGraph& graph = *package.package;
        Json json = {{"name", graph.name}};
        if (graph.package) json["defaultChannel"] = graph.package->default_channel.text;
        if (graph.deprecation) json["deprecated"] = graph.deprecation->message.text;
        json["nodes"] = nodes_as_json(package);
        json["channels"] = Json::array();
        for (const ChannelGraph* channel : package.channels)
            json["channels"].push_back(channel_as_json(graph, *channel));
        document["packages"].push_back(std::move(json));
    }
    document["findings"] = Json::array();
    for (const Diagnostic& finding : findings) document["findings"].push_back(finding_as_json(finding));
    return as_document(document);
}

} // namespace opcat
