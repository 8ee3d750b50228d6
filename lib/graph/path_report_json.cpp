#include "graph/json.hpp"
#include "graph/path_report.hpp"

namespace opcat {
namespace {

Json steps_as_json(const PackageGraph& graph, Installed from, const std::vector<PathStep>& steps) {
    Json list = Json::array();
    for (const PathStep& step : steps) {
        Json why = Json::array();
        for (const EdgeOrigin& edge : step.edges)
            why.push_back({{"kind", to_string(edge.kind)},
                           {"channel", edge.channel->name},
                           {"text", describe(graph, edge, from)},
                           {"at", place_as_json(edge.where())}});
        list.push_back({{"to", graph.nodes[step.to].name},
                        {"version", graph.nodes[step.to].version_text},
                        {"why", why}});
        from = installed_node(graph, step.to);
    }
    return list;
}

std::string_view end_as_text(WalkEnd end) {
    switch (end) {
    case WalkEnd::no_successor:
        return "noSuccessor";
    case WalkEnd::held_back:
        return "heldBack";
    case WalkEnd::refused:
        return "refused";
    case WalkEnd::loop:
        return "loop";
    case WalkEnd::unordered:
        return "unordered";
    }
    return {};
}

template <typename Way>
void put_way(Json& json, const PathReport& report, const Way& way) {
    json["arrives"] = way.arrives;
    json["steps"] = steps_as_json(*report.question.view.package, report.question.from, way.walk.steps);
    json["end"] = end_as_text(way.walk.end);
    if (!way.no_path) return;
    json["reason"] = way.no_path->reason;
    json["alternatives"] = way.no_path->alternatives;
}

} // namespace

std::string path_report_as_json(const PathReport& report) {
    const PackageGraph& graph = *report.question.view.package;
    const Installed& from = report.question.from;
    Json document = {{"schema", "opcat.path.v1"}, {"package", graph.name}, {"from", describe(graph, from)}};
    if (report.question.to != no_node) document["to"] = graph.nodes[report.question.to].name;
    document["arrives"] = report.arrives();
    if (!report.classic.empty()) {
        document["classic"] = Json::array();
        for (const ClassicWay& way : report.classic) {
            Json json = {{"channel", way.channel->name}};
            put_way(json, report, way);
            if (!way.difference.empty()) json["difference"] = way.difference;
            document["classic"].push_back(std::move(json));
        }
    }
    if (report.v1) {
        put_way(document["v1"], report, *report.v1);
        document["v1"]["ambiguous"] = report.v1->ambiguous;
    }
    if (report.question.to != no_node)
        document["shortest"] = report.shortest ? steps_as_json(graph, from, *report.shortest) : Json(nullptr);
    return as_document(document);
}

} // namespace opcat
