#include "opcat/base/apart.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/draw.hpp"

#include <fmt/core.h>
#include <gvc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

namespace opcat {
namespace {

// A quoted string. Backslashes have meanings of their own in labels.
std::string dot_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : escape_controls(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

class Dot {
public:
    Dot(const PackageGraph& package, OlmGeneration olm, size_t number, std::string& out)
        : package_(package), olm_(olm), number_(number), out_(out) {}

    void draw(const ChannelGraph& channel, size_t channel_number) {
        out_ += fmt::format("    subgraph cluster_{}_{} {{\n      label={};\n", number_, channel_number,
                            dot_string(std::string(channel.name) + (channel.is_default ? " (default)" : "") +
                                       (channel.deprecation ? " (deprecated)" : "")));
        const auto edges = edges_of(package_, channel);
        std::vector<bool> drawn(package_.nodes.size());
        const auto node = [&](NodeId id) { return fmt::format("n{}_{}_{}", number_, channel_number, id); };
        const auto draw_node = [&](NodeId id) {
            if (drawn[id]) return;
            drawn[id] = true;
            out_ += fmt::format("      {} [label={}{}];\n", node(id), dot_string(package_.nodes[id].name),
                                attributes(channel, id));
        };
        for (const GraphEntry& entry : channel.entries) draw_node(entry.node);
        for (const Edge& edge : edges) draw_node(edge.from);
        for (const Edge& edge : edges) {
            if (edge.from == edge.to) continue;
            out_ += fmt::format("      {} -> {} [{}];\n", node(edge.from), node(edge.to),
                                attributes(channel, edge));
        }
        out_ += "    }\n";
    }

private:
    // Not skipped, and so what OLM classic may install.
    static bool is_installable(const ChannelGraph& channel, NodeId id) {
        return channel.find(id) && !channel.is_skipped(id);
    }

    std::string attributes(const ChannelGraph& channel, NodeId id) const {
        const GraphNode& node = package_.nodes[id];
        std::string text;
        std::string tooltip;
        if (node.is_virtual()) {
            text += ", style=\"rounded,dashed\", fontcolor=\"#6b7280\", color=\"#9ca3af\"";
            tooltip = "not in the catalog";
        } else if (node.deprecation) {
            text += ", fillcolor=\"#fde2b3\", color=\"#b45309\"";
            tooltip = "deprecated: " + std::string(node.deprecation->message);
        } else if (!is_installable(channel, id)) {
            text += ", fillcolor=\"#f3f4f6\", fontcolor=\"#4b5563\", color=\"#9ca3af\"";
            tooltip = "skipped";
        }
        if (channel.is_head(id)) {
            text += ", penwidth=2.5, color=\"#047857\"";
            tooltip += tooltip.empty() ? "head" : ", head";
        }
        if (!tooltip.empty()) text += ", tooltip=" + dot_string(tooltip);
        return text;
    }

    std::string attributes(const ChannelGraph& channel, const Edge& edge) const {
        const bool faint = olm_ == OlmGeneration::classic && !is_installable(channel, edge.to);
        const std::string_view colour = faint ? "#d1d5db" : "#374151";
        switch (edge.origin.kind) {
        case EdgeKind::replaces:
            return fmt::format("color=\"{}\", tooltip=\"replaces\"", colour);
        case EdgeKind::skips:
            return fmt::format("color=\"{}\", style=dashed, tooltip=\"skips\"", faint ? colour : "#b45309");
        case EdgeKind::skip_range:
            // A skipRange does not bend the order that other edges make.
            return fmt::format(
                "color=\"{}\", style=dotted, constraint={}, tooltip={}", faint ? colour : "#2563eb",
                edge.origin.entry->replaces == no_node,
                dot_string(fmt::format("skipRange {}", edge.origin.entry->source->skip_range.text)));
        }
        return {};
    }

    const PackageGraph& package_;
    OlmGeneration olm_;
    size_t number_;
    std::string& out_;
};

} // namespace

std::string draw_dot(const GraphView& view, OlmGeneration olm) {
    std::string out = "digraph upgrades {\n"
                      "  rankdir=LR;\n  compound=true;\n"
                      "  fontname=\"sans-serif\"; labelloc=b;\n";
    out += fmt::format("  label=\"as OLM {} sees it\";\n", to_string(olm));
    out += "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#374151\", "
           "fontname=\"sans-serif\", fontsize=11];\n"
           "  edge [arrowsize=0.7];\n";
    for (size_t i = 0; i < view.size(); ++i) {
        out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", i, dot_string(view[i].package->name));
        Dot dot(*view[i].package, olm, i, out);
        for (size_t j = 0; j < view[i].channels.size(); ++j) dot.draw(*view[i].channels[j], j);
        out += "  }\n";
    }
    return out + "}\n";
}

namespace {

constexpr std::string_view alternative = "use -o html or -o dot";

// Graphviz's library, for layouts that we do not compute ourselves; loaded once for many drawings. It is
// loaded on first use and not when the program starts, because it needs some thirty others, which would slow
// down every run, and opcat works without it.
class Graphviz {
public:
    Graphviz() {
        set_loudness_(AGMAX); // it writes to standard error by itself
        if (!context_) throw Error("cannot draw svg: Graphviz does not start");
    }

    std::string svg(const std::string& dot) const {
        const std::unique_ptr<Agraph_t, decltype(close_)> graph(read_(dot.c_str()), close_);
        if (!graph) throw Error("cannot draw svg: Graphviz cannot read the graph");
        if (layout_(context_.get(), graph.get(), "dot") != 0)
            throw Error("cannot draw svg: Graphviz cannot lay out the graph",
                        "its plugins may be missing: test it with `dot -V`");
        char* data = nullptr;
        unsigned size = 0;
        const int failed = render_(context_.get(), graph.get(), "svg", &data, &size);
        std::string svg = failed == 0 && data ? std::string(data, size) : std::string();
        if (data) free_data_(data);
        free_layout_(context_.get(), graph.get());
        if (svg.empty()) throw Error("cannot draw svg: Graphviz cannot write it");
        return svg;
    }

private:
    SharedLibrary graphs_{library::graphviz_graph, alternative};
    SharedLibrary layouts_{library::graphviz_layout, alternative};
    decltype(&::agmemread) read_ = OPCAT_FUNCTION(graphs_, agmemread);
    decltype(&::agclose) close_ = OPCAT_FUNCTION(graphs_, agclose);
    decltype(&::agseterr) set_loudness_ = OPCAT_FUNCTION(graphs_, agseterr);
    decltype(&::gvContext) make_context_ = OPCAT_FUNCTION(layouts_, gvContext);
    decltype(&::gvFreeContext) free_context_ = OPCAT_FUNCTION(layouts_, gvFreeContext);
    decltype(&::gvLayout) layout_ = OPCAT_FUNCTION(layouts_, gvLayout);
    decltype(&::gvFreeLayout) free_layout_ = OPCAT_FUNCTION(layouts_, gvFreeLayout);
    decltype(&::gvRenderData) render_ = OPCAT_FUNCTION(layouts_, gvRenderData);
    decltype(&::gvFreeRenderData) free_data_ = OPCAT_FUNCTION(layouts_, gvFreeRenderData);
    std::unique_ptr<GVC_t, decltype(free_context_)> context_{make_context_(), free_context_};
};

struct Picture {
    std::string view_box;
    std::string content; // what the svg element holds, and its end tag
    double width = 0, height = 0;
    double x = 0, y = 0;
};

// Ids get a prefix: several pictures become one document.
Picture as_picture(const std::string& svg, size_t number) {
    constexpr std::string_view mark = "viewBox=\"";
    const size_t root = svg.find("<svg ");
    const size_t box = svg.find(mark, std::min(root, svg.size()));
    const size_t box_end = box == svg.npos ? svg.npos : svg.find('"', box + mark.size());
    const size_t end = box_end == svg.npos ? svg.npos : svg.find('>', box_end);
    if (end == svg.npos)
        throw Error("cannot draw svg: what Graphviz writes has an unknown form", std::string(alternative));
    Picture picture;
    picture.view_box = svg.substr(box + mark.size(), box_end - box - mark.size());
    picture.content = replace_all(svg.substr(end + 1), " id=\"", fmt::format(" id=\"p{}_", number));
    // "0.00 0.00 WIDTH HEIGHT"
    const size_t height = picture.view_box.rfind(' ');
    const size_t width = height == svg.npos ? svg.npos : picture.view_box.rfind(' ', height - 1);
    if (width == svg.npos)
        throw Error("cannot draw svg: what Graphviz writes has an unknown form", std::string(alternative));
    picture.width = std::strtod(picture.view_box.c_str() + width, nullptr);
    picture.height = std::strtod(picture.view_box.c_str() + height, nullptr);
    return picture;
}

// In rows, from left to right in their order, so that the whole is about as wide as high.
std::string in_rows(std::vector<Picture> pictures) {
    constexpr double gap = 24;
    double area = 0, page_width = 0;
    for (const Picture& picture : pictures) {
        area += (picture.width + gap) * (picture.height + gap);
        page_width = std::max(page_width, picture.width);
    }
    page_width = std::max(page_width, std::sqrt(area) * 1.3);
    double x = 0, y = 0, row_height = 0, right = 0;
    for (Picture& picture : pictures) {
        if (x > 0 && x + picture.width > page_width) {
            x = 0;
            y += row_height + gap;
            row_height = 0;
        }
        picture.x = x;
        picture.y = y;
        x += picture.width + gap;
        row_height = std::max(row_height, picture.height);
        right = std::max(right, picture.x + picture.width);
    }
    const double bottom = y + row_height;
    std::string out =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
                    "<svg width=\"{0:.0f}pt\" height=\"{1:.0f}pt\" viewBox=\"0 0 {0:.2f} {1:.2f}\" "
                    "xmlns=\"http://www.w3.org/2000/svg\" "
                    "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n",
                    right, bottom);
    for (const Picture& picture : pictures)
        out += fmt::format(
            "<svg x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" viewBox=\"{}\">{}", picture.x,
            picture.y, picture.width, picture.height, picture.view_box, picture.content);
    return out + "</svg>\n";
}

} // namespace

namespace {

std::string draw_svg_here(const GraphView& view, OlmGeneration olm) {
    const Graphviz graphviz;
    if (view.size() < 2) return graphviz.svg(draw_dot(view, olm));
    std::vector<Picture> pictures;
    for (const PackageView& package : view)
        pictures.push_back(as_picture(graphviz.svg(draw_dot({package}, olm)), pictures.size()));
    return in_rows(std::move(pictures));
}

} // namespace

// The libraries of Graphviz end the process when they get no memory, no thread or no stack.
std::string draw_svg(const GraphView& view, OlmGeneration olm) {
    return run_apart([&] { return draw_svg_here(view, olm); }, "Graphviz",
                     "memory or stack may be short: see ulimit, or " + std::string(alternative));
}

} // namespace opcat
