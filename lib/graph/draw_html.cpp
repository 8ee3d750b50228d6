#include "graph_page.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/graph/json.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/core.h>

#include <unordered_map>

namespace opcat {
namespace {

// Members have short names: there is one object for each entry of each channel. The script page/graph.js
// says what they are.
class PageData {
public:
    Json write(const GraphView& view, const Diagnostics& findings, std::string_view title, OlmGeneration olm,
               std::string_view back) {
        Json packages = Json::array();
        for (const PackageView& package : view) packages.push_back(package_as_json(package));
        Json list = Json::array();
        for (const Diagnostic& finding : findings)
            list.push_back({{"severity", to_string(finding.severity)},
                            {"rule", finding.rule},
                            {"message", finding.message},
                            {"at", place(finding.where)}});
        return {{"title", title},
                {"back", back},
                {"olm", to_string(olm)},
                {"packages", std::move(packages)},
                {"findings", std::move(list)},
                {"files", files_}};
    }

private:
    // [file, line]
    Json place(const Location& where) {
        if (!where) return nullptr;
        const auto [found, is_new] = file_numbers_.try_emplace(where.file, files_.size());
        if (is_new) files_.push_back(where.file->path());
        return Json::array({found->second, where.file->position(where.offset).line});
    }

    Json package_as_json(const PackageView& view) {
        const PackageGraph& graph = *view.package;
        Json json = {{"name", graph.name}};
        if (graph.deprecation) json["deprecated"] = graph.deprecation->message.text;
        Json nodes = Json::array();
        const std::vector<NodeId> v1 = v1_next_steps(graph, view.channels);
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            const GraphNode& node = graph.nodes[id];
            Json one = {{"n", node.name},
                        {"v", node.version_text},
                        {"k", node.version ? Json(node.rank) : Json(nullptr)}};
            if (node.is_virtual()) one["virtual"] = true;
            if (node.deprecation) one["deprecated"] = node.deprecation->message.text;
            if (std::string day = support_end(view, node); !day.empty()) one["ends"] = std::move(day);
            if (v1[id] != no_node) one["next"] = v1[id];
            if (node.bundle && dependency_refused_by_v1(*node.bundle)) one["refused"] = true;
            nodes.push_back(std::move(one));
        }
        json["nodes"] = std::move(nodes);
        json["ranges"] = Json::array();
        for (const SkipRange& range : graph.skip_ranges) {
            Json covers = Json::array();
            for (const RankInterval& interval : range.covers)
                covers.push_back(Json::array({interval.begin, interval.end}));
            json["ranges"].push_back({{"t", range.text}, {"c", std::move(covers)}});
        }
        json["channels"] = Json::array();
        for (const ChannelGraph* channel : newest_first(graph, view.channels))
            json["channels"].push_back(channel_as_json(graph, *channel));
        return json;
    }

    Json channel_as_json(const PackageGraph& graph, const ChannelGraph& channel) {
        const std::vector<NodeId> next = classic_next_steps(graph, channel);
        Json json = {{"name", channel.name}, {"default", channel.is_default}};
        if (channel.deprecation) json["deprecated"] = channel.deprecation->message.text;
        if (channel.problem != ChainProblem::none) json["problem"] = describe(channel.problem);
        json["heads"] = Json::array();
        for (const uint32_t head : channel.heads) json["heads"].push_back(channel.entries[head].node);
        json["entries"] = Json::array();
        for (size_t i = 0; i < channel.entries.size(); ++i) {
            const GraphEntry& entry = channel.entries[i];
            Json one = {{"i", entry.node}};
            if (entry.replaces != no_node) one["r"] = entry.replaces;
            if (entry.skip_count > 0) one["s"] = graph.skips_of(entry);
            if (entry.skip_range != no_range) one["g"] = entry.skip_range;
            if (channel.skipped[i]) one["skipped"] = true;
            if (const Location where = channel.channel->at(entry.source->name)) {
                one["at"] = place(where);
                put_lines(one, graph, channel, entry);
            }
            json["entries"].push_back(std::move(one));
        }
        json["next"] = runs_of(next);
        return json;
    }

    // [first node, the next of it, number of nodes with this next]: a channel knows few of a package's nodes,
    // and a skipRange covers many of them.
    static Json runs_of(const std::vector<NodeId>& next) {
        Json runs = Json::array();
        for (NodeId id = 0; id < next.size();) {
            const NodeId first = id++;
            if (next[first] == no_node) continue;
            while (id < next.size() && next[id] == next[first]) ++id;
            runs.push_back(Json::array({first, next[first], id - first}));
        }
        return runs;
    }

    // The lines of its edges, which are all in the file of the entry.
    static void put_lines(Json& json, const PackageGraph& graph, const ChannelGraph& channel,
                          const GraphEntry& entry) {
        const auto line = [&](EdgeKind kind, uint32_t skip = 0) {
            const Location where = EdgeOrigin{kind, &channel, &entry, skip}.where();
            return where.file->position(where.offset).line;
        };
        if (entry.replaces != no_node) json["rl"] = line(EdgeKind::replaces);
        if (entry.skip_range != no_range) json["gl"] = line(EdgeKind::skip_range);
        if (entry.skip_count == 0) return;
        std::vector<uint32_t> lines;
        for (uint32_t i = 0; i < graph.skips_of(entry).size(); ++i) lines.push_back(line(EdgeKind::skips, i));
        json["sl"] = std::move(lines);
    }

    std::vector<std::string> files_;
    std::unordered_map<const SourceFile*, size_t> file_numbers_;
};

// JSON inside of a script element must not end it.
std::string in_script(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    for (const char c : json) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

void replace_mark(std::string& page, std::string_view mark, std::string_view text) {
    const size_t at = page.find(mark);
    if (at != page.npos) page.replace(at, mark.size(), text);
}

// A name with hidden characters must not look like another name in the page, nor turn its text around.
void escape_hidden(Json& data) {
    if (data.is_string())
        data = escape_controls_in_lines(data.get_ref<const std::string&>());
    else if (data.is_structured())
        for (Json& child : data) escape_hidden(child);
}

} // namespace

std::string_view graph_style() {
    return embedded::graph_css;
}

std::string_view graph_script() {
    return embedded::graph_js;
}

std::string draw_html(const GraphView& view, const Diagnostics& findings, std::string_view title,
                      OlmGeneration olm, const PagePlace& place) {
    Json data = PageData().write(view, findings, title, olm, place.back);
    escape_hidden(data);
    std::string page(embedded::graph_html);
    const auto put = [&](std::string_view inside, std::string_view link, std::string_view mark) {
        replace_mark(page, mark, place.assets.empty() ? std::string(inside) : std::string(link));
    };
    put(fmt::format("<style>\n{}</style>", graph_style()),
        fmt::format(
            "<link rel=\"icon\" href=\"{0}opcat.svg\">\n<link rel=\"stylesheet\" href=\"{0}graph.css\">",
            place.assets),
        "<!-- graph.css -->");
    put(fmt::format("<script>\n{}</script>", graph_script()),
        fmt::format("<script src=\"{}graph.js\"></script>", place.assets), "<!-- graph.js -->");
    // Last, because only this part is not ours: text in it that looks like a mark stays.
    replace_mark(page, "/* data */", in_script(as_line(data)));
    return page;
}

} // namespace opcat
