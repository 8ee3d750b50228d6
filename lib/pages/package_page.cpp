#include "opcat/base/text.hpp"
#include "opcat/graph/contents.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

namespace opcat::pages {
namespace {

std::string head_of(const PackageGraph& graph, const ChannelGraph& channel) {
    const NodeId head = channel.head();
    if (head != no_node) return bundle_link(graph, head, "");
    return fmt::format("<span class=\"warn\">{}</span>", channel.problem == ChainProblem::none
                                                             ? "no head"
                                                             : escape_html(describe(channel.problem)));
}

std::string channels_table(const PackageGraph& graph) {
    std::string out = "<table>\n<thead><tr><th scope=\"col\">Channel</th><th scope=\"col\">Head</th>"
                      "<th scope=\"col\" class=\"number\">Versions</th></tr></thead>\n<tbody>\n";
    for (const ChannelGraph* const channel : newest_first(graph, graph.all_channels()))
        out += fmt::format(
            "<tr><th scope=\"row\"><code>{}</code> {}{}{}</th><td>{}</td><td class=\"number\">{}</td></tr>\n",
            escape_html(channel->name), channel->is_default ? badge("default", "good") : "",
            channel->deprecation ? badge("deprecated", "deprecated") : "",
            channel->deprecation
                ? fmt::format("<p class=\"message\">{}</p>", escape_html(channel->deprecation->message))
                : "",
            head_of(graph, *channel), channel->entries.size());
    return out + "</tbody>\n</table>\n";
}

// All versions, the newest first; then those whose version cannot be read.
std::vector<NodeId> newest_first(const PackageGraph& graph) {
    std::vector<NodeId> nodes;
    for (auto node = graph.by_version.rbegin(); node != graph.by_version.rend(); ++node)
        if (!graph.nodes[*node].is_virtual()) nodes.push_back(*node);
    for (NodeId node = 0; node < graph.nodes.size(); ++node)
        if (!graph.nodes[node].is_virtual() && !graph.nodes[node].version) nodes.push_back(node);
    return nodes;
}

std::string channel_badges(const PackageGraph& graph, NodeId node) {
    constexpr size_t most = 8;
    std::string out;
    const auto entries = graph.entries_of(node);
    for (const NodeEntry& of : entries.first(std::min(most, entries.size()))) {
        const bool head = of.channel->is_head(node);
        out += badge(std::string(of.channel->name) + (head ? " (head)" : ""), head ? "good" : "") + " ";
    }
    if (entries.size() > most) out += fmt::format("and {} more", entries.size() - most);
    if (entries.empty()) out += badge("in no channel", "bad");
    return out;
}

std::string versions_table(const PackageGraph& graph, std::span<const NodeId> nodes) {
    std::string out =
        "<table class=\"versions\">\n<thead><tr><th scope=\"col\">Version</th><th scope=\"col\">Channels</th>"
        "</tr></thead>\n<tbody>\n";
    for (const NodeId node : nodes) {
        const GraphNode& bundle = graph.nodes[node];
        out += fmt::format(
            "<tr class=\"item\"><th scope=\"row\">{} <small>{}</small> {}</th><td>{}</td></tr>\n",
            bundle_link(graph, node, ""),
            bundle.name.ends_with(bundle.version_text) ? "" : escape_html(bundle.version_text),
            bundle.deprecation ? badge("deprecated", "deprecated") : "", channel_badges(graph, node));
    }
    return out + "</tbody>\n</table>\n";
}

// "3.17"; empty: the version cannot be read.
std::string minor_of(const GraphNode& node) {
    if (!node.version) return {};
    return fmt::format("{}.{}", node.version->version.major, node.version->version.minor);
}

// A long list is folded by minor versions, of which the newest is open.
std::string versions(const PackageGraph& graph) {
    constexpr size_t longest = 20;
    const std::vector<NodeId> nodes = newest_first(graph);
    if (nodes.size() <= longest) return versions_table(graph, nodes);
    std::string out;
    for (size_t begin = 0; begin < nodes.size();) {
        const std::string minor = minor_of(graph.nodes[nodes[begin]]);
        size_t end = begin + 1;
        while (end < nodes.size() && minor_of(graph.nodes[nodes[end]]) == minor) ++end;
        out += fmt::format("<details class=\"minor\"{}><summary><h3>{}</h3> <small>{}</small></summary>\n{}"
                           "</details>\n",
                           begin == 0 ? " open" : "", minor.empty() ? "no valid version" : minor,
                           counted(end - begin, "version"),
                           versions_table(graph, std::span(nodes).subspan(begin, end - begin)));
        begin = end;
    }
    return out;
}

std::string_view badge_class(readiness::Verdict verdict) {
    return verdict == readiness::Verdict::ready       ? "good"
           : verdict == readiness::Verdict::not_ready ? "bad"
                                                      : "";
}

// Says if OLM v1 installs the bundle that it would choose, and why not.
std::string readiness_section(const CatalogPages& catalog, const PackageGraph& graph) {
    const olmv1::OlmRelease release;
    const PackageBundle* const choice = readiness::choice_of_v1(graph, release);
    if (!choice) return {};
    const readiness::BundleReadiness ready = catalog.readiness_of(*choice->bundle);
    std::string out = fmt::format("<h2 id=\"olm-v1\">OLM v1</h2>\n<p>{} {} <small>{}</small></p>\n",
                                  badge(to_string(ready.verdict), badge_class(ready.verdict)),
                                  bundle_link(graph, choice->node, ""), escape_html(release.describe()));
    if (!ready.reasons.empty()) out += "<ul>\n";
    for (const readiness::Reason& reason : ready.reasons)
        out += fmt::format(
            "<li>{} <code>{}</code>{}</li>\n", escape_html(reason.message), reason.rule,
            reason.since.empty() ? "" : fmt::format(" <small>{}</small>", escape_html(reason.since)));
    if (!ready.reasons.empty()) out += "</ul>\n";
    if (!ready.not_checked.empty())
        out += fmt::format("<p><small>not in the catalog, and therefore not checked: {}</small></p>\n",
                           escape_html(fmt::format("{}", fmt::join(ready.not_checked, ", "))));
    return out;
}

} // namespace

Page package_page(const CatalogPages& catalog, const PackagePages& package) {
    const PackageGraph& graph = *package.graph;
    const Presentation& said = package.said;
    const std::string name = escape_html(package.name());
    std::string main =
        fmt::format("<div class=\"title\">{}<div><h1>{}</h1><p class=\"sub\">{}{} {}</p></div></div>\n",
                    icon_image(package.name(), package.icon_link), escape_html(package.title()),
                    package.title() == package.name() ? "" : fmt::format("<code>{}</code>", name),
                    said.provider.empty() ? "" : " by " + outside_link(said.provider_url, said.provider),
                    graph.deprecation ? badge("deprecated", "deprecated") : "");
    if (graph.deprecation)
        main += fmt::format("<p class=\"message\">{}</p>\n", escape_html(graph.deprecation->message));
    if (!said.summary.empty()) main += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(said.summary));
    if (!graph.package) main += "<p class=\"warn\">The catalog has no olm.package blob of this name.</p>\n";

    main += "<p class=\"actions\"><a class=\"button\" href=\"graph.html\">Upgrade graph</a>";
    if (const Bundle* const head = graph.default_head())
        main += fmt::format(" <a href=\"bundles/{}.html#install\">Install {}</a>", file_name(head->name),
                            escape_html(head->name));
    if (!package.findings.empty())
        main += fmt::format(" <a href=\"#findings\">{}</a>", counted(package.findings.size(), "finding"));
    main += "</p>\n<h2>Channels</h2>\n" + channels_table(graph) + "<h2>Upgrades</h2>\n";
    if (catalog.use() == Use::server)
        main += path_form(package, "path.html", {});
    else
        main += "<p>The page of each version shows its upgrades, and why OLM takes them.</p>\n";
    main += readiness_section(catalog, graph);
    if (package.lifecycle) main += support_table(*package.lifecycle);
    main += "<h2>Versions</h2>\n" + search_status("version") + versions(graph);
    if (!package.findings.empty()) {
        constexpr size_t most = 200;
        main += "<h2 id=\"findings\">Findings</h2>\n" + findings_list(package.findings, most);
    }
    const std::string description = said.description.empty() && graph.package
                                        ? std::string(graph.package->description.text)
                                        : said.description;
    if (!description.empty())
        main +=
            fmt::format("<h2>Description</h2>\n<div class=\"prose\">{}</div>\n", escape_html(description));
    const std::string root(root_from_package);
    return {html_type,
            whole_page({.title = std::string(package.name()),
                        .root = root,
                        .above = {{"Home", root + "index.html"}, {catalog.name(), "../../index.html"}},
                        .search = "Search versions"},
                       main)};
}

Page graph_page(const CatalogPages& catalog, const PackagePages& package) {
    const GraphView view{{package.graph, package.graph->all_channels(), package.lifecycle}};
    return {html_type,
            draw_html(view, check_health(view), fmt::format("{} — {}", package.name(), catalog.name()),
                      OlmGeneration::classic, {.assets = root_from_package, .back = "index.html"})};
}

} // namespace opcat::pages
