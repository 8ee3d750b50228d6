#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/parts.hpp"

#include <fmt/format.h>

namespace opcat::pages {

std::string bundle_link(const PackageGraph& graph, NodeId node, std::string_view folder) {
    const GraphNode& bundle = graph.nodes[node];
    const std::string name = escape_html(bundle.name);
    if (bundle.is_virtual())
        return fmt::format("<span class=\"gone\" title=\"not in the catalog\">{}</span>", name);
    return fmt::format("<a href=\"{}bundles/{}.html\">{}</a>", folder, file_name(bundle.name), name);
}

namespace {

constexpr std::string_view folder = "../"; // of the package, from here

std::string row(std::string_view name, std::string_view html) {
    return html.empty() ? std::string() : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string list(const std::vector<std::string>& items) {
    if (items.empty()) return {};
    std::string out = "<ul>\n";
    for (const std::string& item : items) out += "<li>" + item + "</li>\n";
    return out + "</ul>\n";
}

std::string joined(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) out += badge(text) + " ";
    return out;
}

// Returns the edges that lead to it in one channel.
std::string edges_to(const PackageGraph& graph, const NodeEntry& of) {
    const GraphEntry& entry = *of.entry;
    std::vector<std::string> edges;
    if (entry.replaces != no_node) edges.push_back("replaces " + bundle_link(graph, entry.replaces, folder));
    if (const auto skips = graph.skips_of(entry); !skips.empty()) {
        const auto link = [&](NodeId node) { return bundle_link(graph, node, folder); };
        edges.push_back("skips " + listed(skips, 60, link));
    }
    if (entry.skip_range != no_range)
        edges.push_back(
            fmt::format("skipRange <code>{}</code>", escape_html(graph.skip_ranges[entry.skip_range].text)));
    return edges.empty() ? "<p>It replaces and skips nothing.</p>\n" : list(edges);
}

std::string channels(const PackageGraph& graph, NodeId node) {
    std::string out;
    for (const NodeEntry& of : graph.entries_of(node)) {
        const ChannelGraph& channel = *of.channel;
        out += fmt::format(
            "<li><code>{}</code> {}{}{}{}\n{}</li>\n", escape_html(channel.name),
            channel.is_default ? badge("default") : "", channel.is_head(node) ? badge("head", "good") : "",
            channel.is_skipped(node) ? badge("skipped") : "",
            channel.deprecation ? badge("channel deprecated", "deprecated") : "", edges_to(graph, of));
    }
    return out.empty() ? "<p class=\"warn\">It is in no channel, so OLM classic never installs it.</p>\n"
                       : "<ul class=\"entries\">\n" + out + "</ul>\n";
}

// "PostgresCluster (postgres.example.com/v1)"
std::string api(const Value& value) {
    return fmt::format("{} <small>{}/{}</small>", escape_html(field_text(value, "kind")),
                       escape_html(field_text(value, "group")), escape_html(field_text(value, "version")));
}

struct Properties {
    std::vector<std::string> provides;
    std::vector<std::string> needs;
    std::vector<std::string> others;
};

Properties properties_of(const Bundle& bundle) {
    Properties found;
    for (const Property& property : bundle.properties) {
        const std::string_view type = property.type;
        if (!property.value || type == property_type::package || type == property_type::bundle_object ||
            type == property_type::csv_metadata)
            continue;
        const Value& value = *property.value;
        if (type == property_type::gvk) {
            found.provides.push_back(api(value));
        } else if (type == property_type::gvk_required) {
            found.needs.push_back(api(value));
        } else if (type == property_type::package_required) {
            found.needs.push_back(fmt::format("package <code>{}</code> {}",
                                              escape_html(field_text(value, "packageName")),
                                              escape_html(field_text(value, "versionRange"))));
        } else {
            std::string json;
            append_compact_json(json, value);
            auto& list = type == property_type::constraint || type == property_type::max_openshift_version
                             ? found.needs
                             : found.others;
            list.push_back(fmt::format("{} <code>{}</code>", escape_html(type), escape_html(json)));
        }
    }
    return found;
}

std::string about(const Presentation& said) {
    std::vector<std::string> links;
    for (const auto& [text, url] : said.links) links.push_back(outside_link(url, text));
    if (!said.repository.empty()) links.push_back(outside_link(said.repository, "Source code"));
    std::vector<std::string> maintainers;
    for (const auto& [name, address] : said.maintainers)
        maintainers.push_back(escape_html(address.empty() ? name : fmt::format("{} <{}>", name, address)));
    const std::string rows =
        row("Provider", outside_link(said.provider_url, said.provider)) +
        row("Capabilities", escape_html(said.capabilities)) + row("Maturity", escape_html(said.maturity)) +
        row("Kubernetes",
            said.min_kube_version.empty() ? "" : escape_html(said.min_kube_version) + " or newer") +
        row("Install modes", joined(said.install_modes)) + row("Categories", escape_html(said.categories)) +
        row("Keywords", joined(said.keywords)) + row("Links", list(links)) +
        row("Maintainers", list(maintainers));
    return rows.empty() ? std::string() : "<h2>About</h2>\n<dl>\n" + rows + "</dl>\n";
}

std::string related_images(const Bundle& bundle) {
    std::vector<std::string> images;
    for (const RelatedImage& image : bundle.related_images)
        images.push_back(
            fmt::format("{} <code>{}</code>", escape_html(image.name), escape_html(image.image)));
    if (images.empty()) return {};
    return fmt::format("<details><summary><h2>{}</h2></summary>\n{}</details>\n",
                       counted(images.size(), "related image"), list(images));
}

std::string upgrades(const PackagePages& package, NodeId node) {
    const PackageGraph& graph = *package.graph;
    std::string out;
    if (package.has_upgrades) {
        // Each bundle has a page: with whole paths they would be as large as the square of a catalog.
        constexpr size_t most_steps = 50;
        PathQuestion question{{&graph, graph.all_channels()},
                              installed_node(graph, node),
                              no_node,
                              std::nullopt,
                              most_steps,
                              package.steps ? &*package.steps : nullptr};
        out = paths_as_html(find_paths(std::move(question)), folder);
    } else {
        out = "<p class=\"warn\">Left out: the package has too many versions. <code>opcat graph "
              "--from</code> tells them.</p>\n";
    }
    return out + fmt::format("<p><a href=\"../graph.html#{}/{}\">Show it in the upgrade graph</a></p>\n",
                             escape_for_url(graph.name), escape_for_url(graph.nodes[node].name));
}

} // namespace

Page bundle_page(const CatalogPages& catalog, const PackagePages& package, NodeId node,
                 const FormFields& question) {
    const PackageGraph& graph = *package.graph;
    const GraphNode& about_it = graph.nodes[node];
    const Bundle& bundle = *about_it.bundle;
    const Presentation said = catalog.describe(bundle);
    std::string main = fmt::format(
        "<div class=\"title\">{}<div><h1>{}</h1><p class=\"sub\"><code>{}</code> {}</p></div></div>\n",
        icon_image(package.name(), package.icon_link.empty() || package.icon_link.starts_with("data:")
                                       ? package.icon_link
                                       : "../" + package.icon_link),
        escape_html((said.display_name.empty() ? std::string(package.name()) : said.display_name) + " " +
                    std::string(about_it.version_text)),
        escape_html(about_it.name), about_it.deprecation ? badge("deprecated", "deprecated") : "");
    if (about_it.deprecation)
        main += fmt::format("<p class=\"message\">{}</p>\n", escape_html(about_it.deprecation->message));
    if (!said.summary.empty()) main += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(said.summary));
    if (!bundle.image.empty())
        main += fmt::format("<p class=\"copy\"><code>{}</code></p>\n", escape_html(bundle.image));

    main += install_section(catalog, package, node, said, question);
    main += "<h2>Upgrades from this version</h2>\n" + upgrades(package, node);
    main += "<h2>Channels and edges to this version</h2>\n" + channels(graph, node);

    if (package.lifecycle) main += support_table(*package.lifecycle, &about_it);
    const Properties properties = properties_of(bundle);
    if (!properties.needs.empty()) main += "<h2>Requires</h2>\n" + list(properties.needs);
    if (!properties.provides.empty()) main += "<h2>Provides</h2>\n" + list(properties.provides);
    constexpr size_t most = 100;
    if (const auto findings = package.findings_of_bundles.find(about_it.name);
        findings != package.findings_of_bundles.end())
        main += "<h2>Findings</h2>\n" + findings_list(findings->second, most);
    main += about(said) + related_images(bundle);
    if (!properties.others.empty())
        main += "<details><summary><h2>Other properties</h2></summary>\n" + list(properties.others) +
                "</details>\n";
    if (!said.description.empty())
        main += fmt::format(
            "<details><summary><h2>Description</h2></summary>\n<div class=\"prose\">{}</div></details>\n",
            escape_html(said.description));
    const std::string root(root_from_bundle);
    return {html_type, whole_page({.title = std::string(about_it.name),
                                   .root = root,
                                   .above = {{"Home", root + "index.html"},
                                             {catalog.name(), "../../../index.html"},
                                             {std::string(package.name()), "../index.html"}},
                                   .search = {}},
                                  main)};
}

} // namespace opcat::pages
