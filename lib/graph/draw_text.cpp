#include "opcat/base/colours.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/olm/v1_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {
namespace {

std::string first_line(std::string_view text) {
    return escape_controls(text.substr(0, text.find('\n')));
}

class ChannelText {
public:
    ChannelText(const PackageView& view, const ChannelGraph& channel, const TextStyle& style,
                std::string& out)
        : view_(view), graph_(*view.package), channel_(channel), c_(colours(style.colour)), out_(out),
          on_lane_(graph_.nodes.size()), drawn_(graph_.nodes.size()) {
        if (style.next_steps == OlmGeneration::classic) next_ = classic_next_steps(graph_, channel);
        if (style.next_steps == OlmGeneration::v1) next_ = v1_next_steps(graph_, view.channels);
        for (const GraphEntry& entry : channel.entries) {
            note_width(entry.node);
            if (entry.replaces != no_node) note_width(entry.replaces);
            for (const NodeId skip : graph_.skips_of(entry)) note_width(skip);
        }
        name_width_ = std::min<size_t>(name_width_, 60);
    }

    void draw() {
        draw_title();
        for (const uint32_t head : channel_.heads) draw_lane(channel_.entries[head], "");
        // Entries that cannot be reached from a head: cycles of replaces.
        bool titled = false;
        for (const GraphEntry& entry : channel_.entries) {
            if (drawn_[entry.node]) continue;
            if (!titled && !channel_.heads.empty())
                out_ += fmt::format("  {}not reached from the head:{}\n", c_.bold_red, c_.reset);
            titled = true;
            draw_lane(entry, "");
        }
    }

private:
    void note_width(NodeId id) {
        name_width_ = std::max(name_width_, display_width(escape_controls(graph_.nodes[id].name)));
    }

    void draw_title() {
        out_ += fmt::format("\n  {}channel {}{}{}", c_.bold, escape_controls(channel_.name), c_.reset,
                            channel_.is_default ? " (default)" : "");
        if (channel_.entries.empty()) {
            out_ += fmt::format(", {}empty{}\n", c_.bold_red, c_.reset);
            return;
        }
        out_ += fmt::format(", {}", counted(channel_.entries.size(), "version"));
        if (channel_.problem != ChainProblem::none)
            out_ += fmt::format(", {}broken: {}{}", c_.bold_red, describe(channel_.problem), c_.reset);
        if (channel_.deprecation)
            out_ += fmt::format(", {}deprecated: {}{}", c_.yellow, first_line(channel_.deprecation->message),
                                c_.reset);
        out_ += '\n';
    }

    // Down along `replaces`, up to an entry that is drawn already.
    void draw_lane(const GraphEntry& top, std::string_view indent) {
        std::vector<const GraphEntry*> lane;
        NodeId end = no_node;
        for (const GraphEntry* entry = &top; entry;) {
            if (drawn_[entry->node] || on_lane_[entry->node]) {
                end = entry->node;
                break;
            }
            on_lane_[entry->node] = true;
            lane.push_back(entry);
            end = entry->replaces;
            entry = entry->replaces == no_node ? nullptr : channel_.find(entry->replaces);
            if (entry) end = no_node;
        }
        for (size_t i = 0; i < lane.size(); ++i) {
            const GraphEntry& entry = *lane[i];
            draw_node(fmt::format("  {}{}", indent, symbol(entry.node)), entry.node);
            drawn_[entry.node] = true;
            const bool last = i + 1 == lane.size() && end == no_node;
            draw_edges(entry, fmt::format("  {}{}", indent, last ? "" : "│"), last);
        }
        if (end == no_node) return;
        if (on_lane_[end] || drawn_[end])
            out_ += fmt::format("  {}╰─ {}\n", indent,
                                drawn_[end] && channel_.find(end) ? fmt::format("{} (above)", name(end))
                                                                  : name(end));
        else
            draw_node(fmt::format("  {}{}", indent, symbol(end)), end);
        drawn_[end] = true;
    }

    // The skipRange, and what the entry skips and is not on the lane.
    void draw_edges(const GraphEntry& entry, const std::string& lane, bool last) {
        std::vector<NodeId> branches;
        for (const NodeId skip : graph_.skips_of(entry))
            if (!on_lane_[skip] && !drawn_[skip]) {
                branches.push_back(skip);
                drawn_[skip] = true;
            }
        std::stable_sort(branches.begin(), branches.end(), [&](NodeId a, NodeId b) {
            return v1_prefers_version(graph_.nodes[a], graph_.nodes[b]);
        });
        if (entry.skip_range != no_range)
            out_ += fmt::format("{}{} {}skipRange {}{}\n", lane, lane.size() > 2 && !last ? "" : " ", c_.dim,
                                escape_controls(entry.source->skip_range), c_.reset);
        for (size_t i = 0; i < branches.size(); ++i) {
            const std::string_view corner = last && i + 1 == branches.size() ? "╰─" : "├─";
            const std::string before =
                lane.ends_with("│") ? lane.substr(0, lane.size() - std::string_view("│").size()) : lane;
            draw_node(fmt::format("{}{}{}", before, corner, symbol(branches[i])), branches[i]);
        }
    }

    static bool v1_prefers_version(const GraphNode& a, const GraphNode& b) {
        if (!a.version || !b.version) return a.version.has_value() && !b.version;
        return *b.version < *a.version;
    }

    std::string_view symbol(NodeId id) const {
        if (graph_.nodes[id].is_virtual()) return "◌";
        return channel_.is_skipped(id) ? "○" : "●";
    }

    std::string name(NodeId id) const { return escape_controls(graph_.nodes[id].name); }

    void draw_node(std::string_view before, NodeId id) {
        const GraphNode& node = graph_.nodes[id];
        const GraphEntry* const entry = channel_.find(id);
        const bool head = channel_.is_head(id);
        std::vector<std::string> marks;
        if (head) marks.push_back(fmt::format("{}head{}", c_.bold_green, c_.reset));
        if (channel_.is_skipped(id)) marks.emplace_back("skipped");
        if (!entry && !node.is_virtual()) marks.emplace_back("in other channels only");
        if (node.is_virtual()) marks.emplace_back("not in the catalog");
        if (node.deprecation)
            marks.push_back(fmt::format("{}deprecated: {}{}", c_.yellow,
                                        first_line(node.deprecation->message), c_.reset));
        if (const std::string day = support_end(view_, node); !day.empty())
            marks.push_back(fmt::format("supported until {}", day));
        if (!next_.empty() && next_[id] != no_node) marks.push_back(fmt::format("→ {}", name(next_[id])));
        const std::string shown = name(id);
        const std::string_view colour = head                                           ? c_.bold_green
                                        : node.is_virtual() || channel_.is_skipped(id) ? c_.dim
                                                                                       : std::string_view();
        const size_t used = display_width(before) + display_width(shown);
        const size_t column = name_width_ + 8;
        out_ += fmt::format("{} {}{}{}", before, colour, shown, colour.empty() ? "" : c_.reset);
        if (!marks.empty())
            out_ += fmt::format("{}{}", std::string(used < column ? column - used : 2, ' '),
                                fmt::join(marks, ", "));
        out_ += '\n';
    }

    const PackageView& view_;
    const PackageGraph& graph_;
    const ChannelGraph& channel_;
    const Colours c_;
    std::string& out_;
    std::vector<bool> on_lane_;
    std::vector<bool> drawn_;
    std::vector<NodeId> next_;
    size_t name_width_ = 0;
};

} // namespace

std::string draw_text(const GraphView& view, const TextStyle& style) {
    const Colours c = colours(style.colour);
    std::string out;
    bool any_virtual = false;
    for (const PackageView& package : view) {
        const PackageGraph& graph = *package.package;
        if (!out.empty()) out += '\n';
        out += fmt::format("{}{}{}: {}, {}", c.bold, escape_controls(graph.name), c.reset,
                           counted(graph.channels.size(), "channel"),
                           counted(static_cast<size_t>(std::count_if(
                                       graph.nodes.begin(), graph.nodes.end(),
                                       [](const GraphNode& node) { return !node.is_virtual(); })),
                                   "version"));
        if (graph.deprecation)
            out += fmt::format(", {}deprecated: {}{}", c.yellow, first_line(graph.deprecation->message),
                               c.reset);
        out += '\n';
        for (const ChannelGraph* channel : package.channels)
            ChannelText(package, *channel, style, out).draw();
        any_virtual = any_virtual || std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                                 [](const GraphNode& node) { return node.is_virtual(); });
    }
    out += fmt::format("\n{}● version   ○ skipped: classic never installs it for new users{}{}{}\n", c.dim,
                       any_virtual ? "   ◌ only named by edges" : "",
                       style.next_steps ? "   → what it is upgraded to next" : "", c.reset);
    return out;
}

} // namespace opcat
