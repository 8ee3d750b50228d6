// The upgrade path from one version to another, by both OLMs, with reasons.
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat::pages {
namespace {

class Paths {
public:
    Paths(const PathReport& report, std::string_view folder)
        : report_(report), q_(report.question), graph_(*q_.view.package), folder_(folder) {}

    std::string write() {
        std::string out;
        const std::vector<PathGroup> groups = group_by_answer(
            report_.classic, [&](const ClassicPath& path) { return classic_answer(path, true); });
        for (const auto& [answer, paths] : groups) {
            const ClassicPath& first = *paths.front();
            const Walk shown = until_target(q_, first.walk);
            out += section("OLM classic", "subscribed to " + names_of(paths),
                           summary_in_words(q_, shown, first.arrives), kind_of(shown, first.arrives),
                           paths.size() == 1 ? classic_answer(first, false) : answer);
        }
        if (report_.v1) out += v1_section(*report_.v1);
        return "<div class=\"paths\">\n" + out + shortest() + "</div>\n";
    }

private:
    // Returns the style of a summary; a path that is cut is neither good nor bad.
    static std::string_view kind_of(const Walk& walk, bool arrives) {
        return walk.end == WalkEnd::cut ? "" : arrives ? "good" : "bad";
    }

    static std::string section(std::string_view olm, const std::string& where, std::string_view summary,
                               std::string_view kind, const std::string& answer) {
        return fmt::format("<section class=\"path\">\n<h3>{} <small>{}</small> {}</h3>\n{}</section>\n", olm,
                           where, badge(summary, kind), answer);
    }

    static std::string names_of(const std::vector<const ClassicPath*>& paths) {
        const auto name_of = [](const ClassicPath* path) {
            return fmt::format("<code>{}</code>{}", escape_html(path->channel->name),
                               path->channel->is_default ? " (default)" : "");
        };
        return listed(paths, 12, name_of, "or");
    }

    // The middle of a long path is folded. `channels`: of the steps, if users have to switch to them.
    std::string steps(const std::vector<PathStep>& path,
                      const std::vector<const ChannelGraph*>& channels = {}) const {
        if (path.empty()) return {};
        constexpr size_t most = 9;
        constexpr size_t first = 4;
        constexpr size_t last = 3;
        std::string out = fmt::format("<ol class=\"steps\">\n<li>{}</li>\n", start());
        Installed from = q_.from;
        for (size_t i = 0; i < path.size(); ++i) {
            const PathStep& step = path[i];
            const GraphNode& node = graph_.nodes[step.to];
            if (path.size() > most && i == first)
                out +=
                    fmt::format("<li class=\"folded\"><details><summary>{}</summary>\n<ol class=\"steps\">\n",
                                counted(path.size() - first - last, "more step"));
            if (path.size() > most && i == path.size() - last) out += "</ol></details></li>\n";
            const bool switches =
                i > 0 && i < channels.size() && channels[i] && channels[i] != channels[i - 1];
            out += fmt::format(
                "<li>{}{} <span class=\"why\">{}{}</span></li>\n", bundle_link(graph_, step.to, folder_),
                node.deprecation ? " " + badge("deprecated", "deprecated") : "",
                escape_html(why_in_words(graph_, step, from)),
                switches
                    ? escape_html(fmt::format("; for OLM classic, switch to channel {}", channels[i]->name))
                    : std::string());
            from = installed_node(graph_, step.to);
        }
        return out + "</ol>\n";
    }

    std::string start() const {
        return q_.from.node == no_node ? escape_html(describe(graph_, q_.from))
                                       : bundle_link(graph_, q_.from.node, folder_);
    }

    static std::string sentence(std::string_view text, std::string_view kind = {}) {
        if (text.empty()) return {};
        return fmt::format("<p{}>{}.</p>\n", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind),
                           escape_html(text));
    }

    std::string end(const Walk& walk, bool arrives) const {
        const bool is_bad = walk.end == WalkEnd::loop || walk.end == WalkEnd::refused;
        return sentence(end_in_words(q_, walk, arrives), is_bad ? "warn" : "");
    }

    // `for_several`: the words do not name the channel.
    std::string no_path(const std::optional<NoPath>& none, const ChannelGraph* channel,
                        bool for_several) const {
        if (!none) return {};
        const auto words = [&](const std::string& text) {
            return for_several && channel ? of_any_channel(text, *channel) : text;
        };
        std::string out = sentence("No path: " + words(none->reason), "warn");
        if (none->alternatives.empty()) return out;
        out += "<ul>\n";
        for (const std::string& alternative : none->alternatives)
            out += fmt::format("<li>{}</li>\n", escape_html(words(alternative)));
        return out + "</ul>\n";
    }

    std::string classic_answer(const ClassicPath& path, bool for_several) const {
        const Walk shown = until_target(q_, path.walk);
        std::string out = steps(shown.steps) + end(shown, path.arrives);
        if (path.arrives && q_.to == no_node)
            out += fmt::format("<p>{} is the head of the channel.</p>\n",
                               shown.steps.empty() ? start()
                                                   : bundle_link(graph_, shown.steps.back().to, folder_));
        out += no_path(path.no_path, path.channel, for_several);
        if (!path.difference.empty())
            out += sentence("OLM v1 differs: " + (for_several ? of_any_channel(path.difference, *path.channel)
                                                              : path.difference),
                            "help");
        return out;
    }

    std::string v1_section(const V1Path& path) const {
        const Walk shown = until_target(q_, path.walk);
        const bool arrives = path.arrives || (q_.to == no_node && !shown.steps.empty());
        std::string answer = steps(shown.steps) + end(shown, path.arrives);
        if (shown.steps.empty() && path.arrives && q_.to == no_node)
            answer += "<p>It stays: nothing newer is preferred.</p>\n";
        if (path.ambiguous)
            answer += sentence(
                "Several bundles have the version of the first step: OLM may install any of them", "warn");
        answer += no_path(path.no_path, nullptr, false);
        return section("OLM v1", "no channel named", summary_in_words(q_, shown, arrives),
                       kind_of(shown, path.arrives), answer);
    }

    // Worth showing if no OLM takes it by itself.
    std::string shortest() const {
        if (!report_.shortest || report_.shortest->empty() || report_.arrives()) return {};
        return section("Shortest path", "that edges allow, each step pinned by its version",
                       counted(report_.shortest->size(), "step"), "good",
                       steps(*report_.shortest, channels_of(*report_.shortest)));
    }

    const PathReport& report_;
    const PathQuestion& q_;
    const PackageGraph& graph_;
    std::string_view folder_;
};

} // namespace

std::string paths_as_html(const PathReport& report, std::string_view folder) {
    return Paths(report, folder).write();
}

std::string path_form(const PackagePages& package, std::string_view link, const FormFields& asked) {
    // A long list of suggestions is of no help, and as large as the rest of the page.
    constexpr size_t most = 500;
    const PackageGraph& graph = *package.graph;
    std::string names;
    const size_t count = std::min(most, graph.by_version.size());
    for (size_t i = 0; i < count; ++i)
        names +=
            fmt::format("<option value=\"{}\">",
                        escape_html(graph.nodes[graph.by_version[graph.by_version.size() - 1 - i]].name));
    return fmt::format(
        "<form class=\"ask\" action=\"{}\" method=\"get\">\n"
        "<label>From <input name=\"from\" list=\"versions\" required value=\"{}\" "
        "placeholder=\"1.2.3\" autocomplete=\"off\"></label>\n"
        "<label>To <input name=\"to\" list=\"versions\" value=\"{}\" placeholder=\"end of the upgrade "
        "path\" autocomplete=\"off\"></label>\n"
        "<button>Show upgrade path</button>\n<datalist id=\"versions\">{}</datalist>\n</form>\n",
        link, escape_html(asked.from), escape_html(asked.to), names);
}

Page path_page(const CatalogPages& catalog, const PackagePages& package, const FormFields& question) {
    const PackageGraph& graph = *package.graph;
    const std::string root(root_from_package);
    std::string main = "<h1>Upgrades of " + escape_html(package.title()) + "</h1>\n" +
                       path_form(package, "path.html", question);
    try {
        if (!question.from.empty()) {
            std::vector<KnownBundle> bundles;
            append_known_bundles(bundles, graph);
            PathQuestion asked{
                {&graph, graph.all_channels()},
                as_installed(graph, read_installed_name(question.from, bundles, GoneBundle::with_version)),
                no_node,
                std::nullopt};
            if (!question.to.empty())
                asked.to =
                    as_installed(graph, read_installed_name(question.to, bundles, GoneBundle::refused)).node;
            main += paths_as_html(find_paths(std::move(asked)), "");
        }
    } catch (const RequestError& error) {
        main += fmt::format("<p class=\"warn\">{}.{}</p>\n", escape_html(error.what()),
                            error.hint().empty() ? "" : " " + escape_html(error.hint()) + ".");
    }
    return {html_type, whole_page({.title = "Upgrades",
                                   .root = root,
                                   .above = {{"Home", root + "index.html"},
                                             {catalog.name(), "../../index.html"},
                                             {std::string(package.name()), "index.html"}},
                                   .search = {}},
                                  main)};
}

} // namespace opcat::pages
