#include "opcat/graph/path_report.hpp"

#include "opcat/base/colours.hpp"
#include "opcat/base/diagnostic.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/json.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace opcat {
namespace {

// The channels to which users of the version may be subscribed: channels that contain it, or else that lead
// on from it, or else the default channel.
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
    const bool is_known = question.known && question.from.node != no_node;
    add_if([&](const ChannelGraph* channel) {
        return is_known ? question.known->classic(*channel)[question.from.node] != no_node
                        : classic_successors(graph, *channel, question.from).next != no_node;
    });
    add_if([&](const ChannelGraph* channel) {
        return channel->is_default || question.view.channels.size() == 1;
    });
    if (channels.empty()) channels = question.view.channels;
    std::stable_partition(channels.begin(), channels.end(),
                          [](const ChannelGraph* channel) { return channel->is_default; });
    return channels;
}

// Of several heads, which is a mistake, the one with the newest version; `node` is one of them.
NodeId newest_head(const PackageGraph& graph, const ChannelGraph& channel, NodeId node) {
    NodeId newest = node;
    for (const GraphEntry& entry : channel.entries) {
        const auto& version = graph.nodes[entry.node].version;
        const auto& known = graph.nodes[newest].version;
        if (channel.is_head(entry.node) && version && known && *known < *version) newest = entry.node;
    }
    return newest;
}

// Why OLM v1 does not install a bundle that it has chosen; empty: no reason is known.
std::string refusal_of(const PackageGraph& graph, NodeId node) {
    const Bundle* const bundle = graph.nodes[node].bundle;
    return bundle ? olmv1::known_refusal(*bundle) : std::string();
}

// Where OLM v1 does not install a bundle on the way to the target, the way ends.
void stop_at_refusal(const PackageGraph& graph, NodeId target, Walk& walk) {
    for (size_t i = 0; i < walk.steps.size(); ++i) {
        if (!refusal_of(graph, walk.steps[i].to).empty()) {
            walk.steps.erase(walk.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, walk.steps.end());
            walk.end = WalkEnd::refused;
            return;
        }
        if (walk.steps[i].to == target) return;
    }
}

bool has_arrived(const Walk& walk, const Installed& from, NodeId target) {
    return target != no_node && (from.node == target || walk.passes(target)) && walk.end != WalkEnd::refused;
}

} // namespace

void PathReport::refuse_classic(std::string why) {
    refusal = std::move(why);
    for (ClassicPath& path : classic) path.arrives = false;
}

bool PathReport::arrives() const {
    return (v1 && v1->arrives) ||
           std::any_of(classic.begin(), classic.end(), [](const ClassicPath& path) { return path.arrives; });
}

std::vector<PathGroup> group_by_answer(const std::vector<ClassicPath>& paths,
                                       const std::function<std::string(const ClassicPath&)>& answer_of) {
    std::vector<PathGroup> groups;
    std::unordered_map<std::string, size_t> known;
    for (const ClassicPath& path : paths) {
        const auto [at, is_new] = known.try_emplace(answer_of(path), groups.size());
        if (is_new) groups.emplace_back(at->first, std::vector<const ClassicPath*>());
        groups[at->second].second.push_back(&path);
    }
    return groups;
}

std::vector<const ChannelGraph*> channels_of(const std::vector<PathStep>& steps) {
    std::vector<const ChannelGraph*> channels;
    while (channels.size() < steps.size()) {
        // Those that have an edge for each step from here on, until none is left.
        std::vector<const ChannelGraph*> lasting;
        size_t end = channels.size();
        for (; end < steps.size(); ++end) {
            const std::unordered_set<const ChannelGraph*> before(lasting.begin(), lasting.end());
            std::vector<const ChannelGraph*> next;
            for (const EdgeOrigin& edge : steps[end].edges)
                if (end == channels.size() || before.contains(edge.channel)) next.push_back(edge.channel);
            if (next.empty()) break;
            lasting = std::move(next);
        }
        channels.resize(std::max(end, channels.size() + 1), lasting.empty() ? nullptr : lasting.front());
    }
    return channels;
}

PathReport find_paths(PathQuestion question) {
    PathReport report{std::move(question), {}, std::nullopt, std::nullopt, {}};
    const PathQuestion& q = report.question;
    const PackageGraph& graph = *q.view.package;
    const bool already_there = q.to != no_node && q.from.node == q.to;
    const bool is_known = q.known && q.from.node != no_node;
    const V1Successors v1_first = already_there ? V1Successors{}
                                  : is_known    ? q.known->v1_successors(q.from.node)
                                                : v1_successors(graph, q.view.channels, q.from);
    const auto classic_first = [&](const ChannelGraph& channel) {
        return is_known ? ClassicSuccessors{&channel, {}, q.known->classic(channel)[q.from.node]}
                        : classic_successors(graph, channel, q.from);
    };
    if (q.olm != OlmGeneration::v1) {
        for (const ChannelGraph* channel : channels_for(q)) {
            ClassicPath path{channel, {}, false, std::nullopt, {}};
            if (!already_there) path.walk = walk_classic(graph, *channel, q.from, q.most_steps, q.known);
            const NodeId target = q.to == no_node ? channel->head() : q.to;
            path.arrives = (already_there || channel->problem == ChainProblem::none) &&
                           has_arrived(path.walk, q.from, target);
            if (!path.arrives && channel->problem != ChainProblem::none)
                path.no_path = NoPath{fmt::format("OLM classic cannot order channel \"{}\": {}",
                                                  channel->name, describe(channel->problem)),
                                      {}};
            else if (!path.arrives && target != no_node && path.walk.end != WalkEnd::cut)
                path.no_path = explain_no_path(graph, {{channel}, true}, q.from, target);
            if (!q.olm && channel->problem == ChainProblem::none && !already_there)
                path.difference = explain_difference(graph, classic_first(*channel), v1_first, q.from);
            report.classic.push_back(std::move(path));
        }
    }
    if (q.olm != OlmGeneration::classic) {
        V1Path path{{}, false, std::nullopt, v1_first.ambiguous};
        if (!already_there) path.walk = walk_v1(graph, q.view.channels, q.from, q.most_steps, q.known);
        if (!q.known)
            stop_at_refusal(graph, q.to,
                            path.walk); // pages ask about all versions, and say it of each bundle
        if (q.to != no_node) {
            path.arrives = has_arrived(path.walk, q.from, q.to);
            if (!path.arrives && path.walk.end != WalkEnd::cut)
                path.no_path = explain_no_path(graph, {q.view.channels, false}, q.from, q.to);
        } else {
            const NodeId last = path.walk.last(q.from.node);
            const bool ends = path.walk.end != WalkEnd::loop && path.walk.end != WalkEnd::refused &&
                              path.walk.end != WalkEnd::cut && last != no_node;
            for (const ChannelGraph* channel : q.view.channels) {
                if (path.arrives || !ends || !channel->is_head(last)) continue;
                const NodeId newest = newest_head(graph, *channel, last);
                path.arrives = newest == last;
                if (!path.arrives)
                    path.no_path =
                        NoPath{fmt::format("channel \"{}\" has several heads, and no edge leads on to {}",
                                           channel->name, graph.nodes[newest].name),
                               {}};
            }
            if (path.arrives) path.no_path.reset();
        }
        report.v1 = std::move(path);
    }
    if (q.to != no_node)
        report.shortest =
            ShortestPaths(graph, {q.view.channels, q.olm == OlmGeneration::classic}, q.to).path(q.from);
    return report;
}

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
    case WalkEnd::cut:
        return "cut";
    }
    return {};
}

template <typename Path>
void put_path(Json& json, const PathReport& report, const Path& path) {
    json["arrives"] = path.arrives;
    json["steps"] = steps_as_json(*report.question.view.package, report.question.from, path.walk.steps);
    json["end"] = end_as_text(path.walk.end);
    if (!path.no_path) return;
    json["reason"] = path.no_path->reason;
    json["alternatives"] = path.no_path->alternatives;
}

} // namespace

std::string path_report_as_json(const PathReport& report) {
    const PackageGraph& graph = *report.question.view.package;
    const Installed& from = report.question.from;
    Json document = {{"schema", "opcat.path.v1"}, {"package", graph.name}, {"from", describe(graph, from)}};
    if (report.question.to != no_node) document["to"] = graph.nodes[report.question.to].name;
    document["arrives"] = report.arrives();
    if (!report.refusal.empty()) document["refused"] = report.refusal;
    if (!report.classic.empty()) {
        document["classic"] = Json::array();
        for (const ClassicPath& path : report.classic) {
            Json json = {{"channel", path.channel->name}};
            put_path(json, report, path);
            if (!path.difference.empty()) json["difference"] = path.difference;
            document["classic"].push_back(std::move(json));
        }
    }
    if (report.v1) {
        put_path(document["v1"], report, *report.v1);
        document["v1"]["ambiguous"] = report.v1->ambiguous;
    }
    if (report.question.to != no_node)
        document["shortest"] = report.shortest ? steps_as_json(graph, from, *report.shortest) : Json(nullptr);
    return as_document(document);
}

Walk until_target(const PathQuestion& question, const Walk& walk) {
    Walk shown = walk;
    const auto at = std::find_if(shown.steps.begin(), shown.steps.end(),
                                 [&](const PathStep& step) { return step.to == question.to; });
    if (question.to != no_node && at != shown.steps.end()) {
        shown.steps.erase(at + 1, shown.steps.end());
        shown.end = WalkEnd::no_successor;
    }
    return shown;
}

std::string summary_in_words(const PathQuestion& question, const Walk& walk, bool arrives) {
    if (walk.end == WalkEnd::cut) return counted(walk.steps.size(), "step") + " and more";
    if (!arrives)
        return walk.steps.empty() ? "no upgrade" : counted(walk.steps.size(), "step") + ", not there";
    if (walk.steps.empty()) return "already there";
    const auto at = std::find_if(walk.steps.begin(), walk.steps.end(),
                                 [&](const PathStep& step) { return step.to == question.to; });
    const bool all = question.to == no_node || at == walk.steps.end();
    return counted(all ? walk.steps.size() : static_cast<size_t>(at - walk.steps.begin()) + 1, "step");
}

std::string why_in_words(const PackageGraph& graph, const PathStep& step, const Installed& from) {
    std::string why;
    for (const EdgeOrigin& edge : step.edges) {
        const std::string text = describe(graph, edge, from);
        if (why.find(text) != why.npos) continue; // the same edge is in several channels
        if (!why.empty()) why += ", ";
        why += text;
    }
    return why;
}

std::string end_in_words(const PathQuestion& question, const Walk& walk, bool arrives) {
    const PackageGraph& graph = *question.view.package;
    const std::string last = walk.steps.empty() ? describe(graph, question.from)
                                                : std::string(graph.nodes[walk.steps.back().to].name);
    switch (walk.end) {
    case WalkEnd::loop:
        return fmt::format("and so on forever: it was at {} before", last);
    case WalkEnd::refused:
        return fmt::format("OLM v1 does not install {}: {}", last, refusal_of(graph, walk.steps.back().to));
    case WalkEnd::held_back:
        return fmt::format("it stays at {}: OLM v1 prefers it to everything that edges lead to", last);
    case WalkEnd::cut: // the summary says so
        return {};
    case WalkEnd::unordered:
    case WalkEnd::no_successor:
        break;
    }
    return arrives || walk.steps.empty() ? std::string() : fmt::format("nothing leads on from {}", last);
}

std::string of_any_channel(std::string text, const ChannelGraph& channel) {
    const std::string name = fmt::format("\"{}\"", escape_controls(channel.name));
    return replace_all(replace_all(std::move(text), "channel " + name, "any of these channels"),
                       " to " + name, " to any of these");
}

namespace {

class Report {
public:
    Report(const PathReport& report, bool colour)
        : report_(report), q_(report.question), graph_(*q_.view.package), c_(colours(colour)) {}

    std::string write() {
        out_ = fmt::format("{}{}{}: from {}", c_.bold, escape_controls(graph_.name), c_.reset, start());
        if (q_.to != no_node) out_ += fmt::format(" to {}", name(q_.to));
        out_ += '\n';
        if (q_.from.node == no_node)
            out_ += "  (a version that this catalog does not name: only a skipRange can cover it)\n";
        else if (graph_.nodes[q_.from.node].is_virtual())
            out_ += "  (not in this catalog: only edges name it)\n";
        else if (const DeprecationEntry* deprecation = graph_.nodes[q_.from.node].deprecation)
            out_ += fmt::format("  (deprecated: {})\n", escape_controls(on_one_line(deprecation->message)));
        write_classic();
        if (report_.v1) write_v1(*report_.v1);
        write_shortest();
        return std::move(out_);
    }

private:
    std::string name(NodeId id) const { return escape_controls(graph_.nodes[id].name); }
    std::string start() const { return escape_controls(describe(graph_, q_.from)); }

    // `channels`: of the steps, if users have to switch to them.
    void write_steps(const std::vector<PathStep>& steps,
                     const std::vector<const ChannelGraph*>& channels = {}) {
        size_t width = display_width(start());
        for (const PathStep& step : steps) width = std::max(width, display_width(name(step.to)) + 2);
        out_ += fmt::format("  {}\n", start());
        Installed from = q_.from;
        for (size_t i = 0; i < steps.size(); ++i) {
            const PathStep& step = steps[i];
            if (i > 0 && i < channels.size() && channels[i] != channels[i - 1] && channels[i])
                out_ += fmt::format("    {}switch to channel{} {}\n", c_.cyan, c_.reset,
                                    escape_controls(channels[i]->name));
            const std::string to = name(step.to);
            out_ += fmt::format("  → {}{}  {}  {}{}{}\n", to,
                                std::string(width - 2 - std::min(width - 2, display_width(to)), ' '),
                                escape_controls(why_in_words(graph_, step, from)), c_.dim,
                                step.edges.empty() || !with_places_ ? std::string()
                                                                    : place_of(step.edges.front().where()),
                                c_.reset);
            if (graph_.nodes[step.to].deprecation)
                out_ += fmt::format("      deprecated: {}\n",
                                    escape_controls(on_one_line(graph_.nodes[step.to].deprecation->message)));
            from = installed_node(graph_, step.to);
        }
    }

    void write_end(const Walk& walk, bool arrives) {
        const std::string end = escape_controls(end_in_words(q_, walk, arrives));
        const bool is_bad = walk.end == WalkEnd::loop || walk.end == WalkEnd::refused;
        if (!end.empty())
            out_ += fmt::format("  {}{}{}\n", is_bad ? c_.bold_red : "", end, is_bad ? c_.reset : "");
    }

    void write_no_path(const std::optional<NoPath>& none) {
        if (!none) return;
        out_ += fmt::format("  {}no path:{} {}\n", c_.bold_red, c_.reset, escape_controls(none->reason));
        for (const std::string& alternative : none->alternatives)
            out_ += fmt::format("  {}but:{} {}\n", c_.green, c_.reset, escape_controls(alternative));
    }

    // Channels that do not have the target are one group, whatever else they lead to.
    void write_classic() {
        const std::vector<PathGroup> groups = group_by_answer(report_.classic, [&](const ClassicPath& path) {
            return lacks_target(path) ? std::string()
                                      : of_any_channel(classic_answer(path, false), *path.channel);
        });
        for (const auto& [answer, paths] : groups) {
            const std::string text = paths.size() == 1 ? classic_answer(*paths.front(), true)
                                     : answer.empty()  ? without_target(paths)
                                                       : of_any_channel(classic_answer(*paths.front(), true),
                                                                        *paths.front()->channel);
            out_ += fmt::format("\n{}OLM classic{}, subscribed to channel {}: {}", c_.bold, c_.reset,
                                names_of(paths), text);
        }
    }

    bool lacks_target(const ClassicPath& path) const {
        return q_.to != no_node && path.no_path && q_.from.node != q_.to && !path.channel->find(q_.to);
    }

    // Returns the report about several channels that do not have the target.
    std::string without_target(const std::vector<const ClassicPath*>& paths) const {
        std::string text =
            fmt::format("no path\n  {}no path:{} {} is not an entry of any of these channels\n", c_.bold_red,
                        c_.reset, name(q_.to));
        for (const std::string& alternative : paths.front()->no_path->alternatives) {
            const bool is_common = std::all_of(paths.begin(), paths.end(), [&](const ClassicPath* path) {
                const auto& all = path->no_path->alternatives;
                return std::find(all.begin(), all.end(), alternative) != all.end();
            });
            if (is_common)
                text += fmt::format("  {}but:{} {}\n", c_.green, c_.reset, escape_controls(alternative));
        }
        return text;
    }

    static std::string names_of(const std::vector<const ClassicPath*>& paths) {
        const auto name_of = [](const ClassicPath* path) {
            return escape_controls(path->channel->name) + (path->channel->is_default ? " (default)" : "");
        };
        return listed(paths, 12, name_of, "or");
    }

    // The text after the name of the channel.
    std::string classic_answer(const ClassicPath& path, bool with_places) {
        std::string before;
        std::swap(out_, before);
        std::swap(with_places_, with_places);
        const Walk shown = until_target(q_, path.walk);
        out_ = summary_in_words(q_, shown, path.arrives) + '\n';
        if (!shown.steps.empty()) write_steps(shown.steps);
        write_end(shown, path.arrives);
        if (path.arrives && q_.to == no_node)
            out_ += fmt::format("  {} is the head of the channel\n",
                                shown.steps.empty() ? start() : name(shown.steps.back().to));
        write_no_path(path.no_path);
        if (!path.difference.empty())
            out_ += fmt::format("  OLM v1 differs: {}\n", escape_controls(path.difference));
        std::swap(with_places_, with_places);
        std::swap(out_, before);
        return before;
    }

    void write_v1(const V1Path& path) {
        const Walk shown = until_target(q_, path.walk);
        out_ += fmt::format(
            "\n{}OLM v1{}: {}\n", c_.bold, c_.reset,
            summary_in_words(q_, shown, path.arrives || (q_.to == no_node && !shown.steps.empty())));
        if (!shown.steps.empty()) write_steps(shown.steps);
        write_end(shown, path.arrives);
        if (path.ambiguous)
            out_ += "  several bundles have the version of the first step: OLM may install any of them\n";
        write_no_path(path.no_path);
    }

    // Only shown if it is not one of the paths above.
    void write_shortest() {
        if (!report_.shortest || report_.shortest->empty()) return;
        const size_t length = report_.shortest->size();
        const auto is_it = [&](const Walk& walk) {
            return until_target(q_, walk).steps.size() == length && walk.passes(q_.to);
        };
        if ((report_.v1 && is_it(report_.v1->walk)) ||
            std::any_of(report_.classic.begin(), report_.classic.end(),
                        [&](const ClassicPath& path) { return is_it(path.walk); }))
            return;
        // OLM v1 looks at all channels.
        const auto channels =
            q_.olm == OlmGeneration::v1 ? std::vector<const ChannelGraph*>() : channels_of(*report_.shortest);
        out_ += fmt::format(
            "\n{}Shortest path{} that edges allow, each step pinned by its version{}: {}\n", c_.bold,
            c_.reset,
            channels.empty() || !channels.front()
                ? std::string()
                : fmt::format(", subscribed to channel {}", escape_controls(channels.front()->name)),
            counted(length, "step"));
        write_steps(*report_.shortest, channels);
    }

    const PathReport& report_;
    const PathQuestion& q_;
    const PackageGraph& graph_;
    const Colours c_;
    std::string out_;
    bool with_places_ = true;
};

} // namespace

std::string path_report_as_text(const PathReport& report, bool colour) {
    return Report(report, colour).write();
}

} // namespace opcat
