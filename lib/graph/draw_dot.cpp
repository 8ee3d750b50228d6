#include "graph/draw_dot.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

// A quoted string. Backslashes have meanings of their own in labels.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : escape_controls(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

class Dot {
public:
    Dot(const PackageGraph& package, Olm olm, size_t number, std::string& out)
        : package_(package), olm_(olm), number_(number), out_(out) {}

    void draw(const ChannelGraph& channel, size_t channel_number) {
        out_ += fmt::format("    subgraph cluster_{}_{} {{\n      label={};\n", number_, channel_number,
                            quoted(std::string(channel.name) + (channel.is_default ? " (default)" : "") +
                                   (channel.deprecation ? " (deprecated)" : "")));
        const auto edges = edges_of(package_, channel);
        std::vector<bool> drawn(package_.nodes.size());
        const auto node = [&](NodeId id) { return fmt::format("n{}_{}_{}", number_, channel_number, id); };
        const auto draw_node = [&](NodeId id) {
            if (drawn[id]) return;
            drawn[id] = true;
            out_ += fmt::format("      {} [label={}{}];\n", node(id), quoted(package_.nodes[id].name),
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
    static bool on_chain(const ChannelGraph& channel, NodeId id) {
        const GraphEntry* const entry = channel.find(id);
        return entry && !channel.skipped[static_cast<size_t>(entry - channel.entries.data())];
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
        } else if (!on_chain(channel, id)) {
            text += ", fillcolor=\"#f3f4f6\", fontcolor=\"#4b5563\", color=\"#9ca3af\"";
            tooltip = "skipped";
        }
        const bool head = std::any_of(channel.heads.begin(), channel.heads.end(),
                                      [&](uint32_t i) { return channel.entries[i].node == id; });
        if (head) {
            text += ", penwidth=2.5, color=\"#047857\"";
            tooltip += tooltip.empty() ? "head" : ", head";
        }
        if (!tooltip.empty()) text += ", tooltip=" + quoted(tooltip);
        return text;
    }

    std::string attributes(const ChannelGraph& channel, const Edge& edge) const {
        const bool faint = olm_ == Olm::classic && !on_chain(channel, edge.to);
        const std::string_view colour = faint ? "#d1d5db" : "#374151";
        switch (edge.origin.kind) {
        case EdgeKind::replaces:
            return fmt::format("color=\"{}\", tooltip=\"replaces\"", colour);
        case EdgeKind::skips:
            return fmt::format("color=\"{}\", style=dashed, tooltip=\"skips\"", faint ? colour : "#b45309");
        case EdgeKind::skip_range:
            // Where other edges make the order, these do not bend it.
            return fmt::format(
                "color=\"{}\", style=dotted, constraint={}, tooltip={}", faint ? colour : "#2563eb",
                edge.origin.entry->replaces == no_node,
                quoted(fmt::format("skipRange {}", edge.origin.entry->source->skip_range.text)));
        }
        return {};
    }

    const PackageGraph& package_;
    Olm olm_;
    size_t number_;
    std::string& out_;
};

} // namespace

std::string draw_dot(const GraphView& view, Olm olm) {
    std::string out =
        "digraph upgrades {\n"
        "  rankdir=LR;\n  compound=true;\n"
        "  fontname=\"sans-serif\";\n"
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#374151\", "
        "fontname=\"sans-serif\", fontsize=11];\n"
        "  edge [arrowsize=0.7];\n";
    for (size_t i = 0; i < view.size(); ++i) {
        out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", i, quoted(view[i].package->name));
        Dot dot(*view[i].package, olm, i, out);
        for (size_t j = 0; j < view[i].channels.size(); ++j) dot.draw(*view[i].channels[j], j);
        out += "  }\n";
    }
    return out + "}\n";
}

} // namespace opcat
