// The list of a catalog's packages, with what files/pages.js needs to search and filter it.
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/package_words.hpp"
#include "opcat/pages/parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace opcat::pages {
namespace {

using Json = nlohmann::ordered_json;

// "Database, Monitoring" as it is in a ClusterServiceVersion.
Json categories_of(const Presentation& said) {
    Json categories = Json::array();
    for (std::string_view rest = said.categories; !rest.empty();) {
        const size_t comma = std::min(rest.find(','), rest.size());
        if (std::string one = on_one_line(rest.substr(0, comma)); !one.empty())
            categories.push_back(std::move(one));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return categories;
}

// Returns which part is deprecated for users who name only the package; empty: none.
std::string_view deprecated_part(const PackageGraph& graph) {
    if (graph.deprecation) return "deprecated";
    const ChannelGraph* const channel = graph.default_channel();
    if (!channel) return {};
    if (channel->deprecation) return "default channel deprecated";
    const NodeId head = channel->head();
    return head != no_node && graph.nodes[head].deprecation ? "newest version deprecated" : "";
}

std::string_view worst_finding(const PackagePages& package) {
    const auto worst = std::min_element(
        package.findings.begin(), package.findings.end(),
        [](const PageFinding* a, const PageFinding* b) { return a->severity < b->severity; });
    return worst == package.findings.end() ? "none" : to_string((*worst)->severity);
}

// Returns the values by which the list can be filtered: the label of a filter, and the package's values.
std::string facts_of(const PackagePages& package) {
    const auto texts = [](std::string_view text) {
        return text.empty() ? Json::array() : Json::array({text});
    };
    const Presentation& said = package.said;
    return as_line(Json{
        {"Category", categories_of(said)},
        {"Provider", texts(said.provider)},
        {"Capability", texts(said.capabilities)},
        {"Install mode", said.install_modes},
        {"OLM v1", texts(package.v1 ? to_string(*package.v1) : std::string_view())},
        {"Deprecated", texts(deprecated_part(*package.graph).empty() ? "no" : "yes")},
        {"Findings", texts(worst_finding(package))},
    });
}

std::string package_item(const PackagePages& package, const std::string& catalog_folder) {
    constexpr size_t longest = 160;
    const PackageGraph& graph = *package.graph;
    const std::string folder = catalog_folder + "packages/" + package.folder + "/";
    const Bundle* const head = graph.default_head();
    const auto property = head ? package_property(*head) : std::nullopt;
    std::string summary = package.said.summary;
    if (summary.empty())
        summary = first_words(package.said.description.empty() && graph.package
                                  ? graph.package->description.text
                                  : std::string_view(package.said.description),
                              longest);
    const bool is_data = package.icon_link.starts_with("data:");
    const std::string_view deprecated = deprecated_part(graph);
    return fmt::format(
        "<li class=\"item card\" data-package=\"{}\" data-facts=\"{}\">\n<a "
        "href=\"{}index.html\">{}<span><b>{}</b> "
        "<small>{}</small></span></a>\n"
        "<p>{}</p>\n<p class=\"meta\">{}{}{}{}</p>\n</li>\n",
        package.folder, escape_html(facts_of(package)), folder,
        icon_image(package.name(),
                   package.icon_link.empty() || is_data ? package.icon_link : folder + package.icon_link),
        escape_html(package.title()),
        escape_html(std::string(package.title() == package.name() ? "" : package.name()) +
                    (package.said.provider.empty() ? "" : " by " + package.said.provider)),
        escape_html(first_words(summary, longest)), property ? badge(property->version.text, "good") : "",
        badge(counted(graph.channels.size(), "channel")),
        deprecated.empty() ? "" : badge(deprecated, "deprecated"), findings_badge(package.findings));
}

} // namespace

std::string package_list(const CatalogPages& catalog, const std::string& folder) {
    std::string out = fmt::format("<ul class=\"cards\" data-catalog=\"{}\" data-words=\"{}words.js\">\n",
                                  escape_html(catalog.name()), folder);
    for (const PackagePages& package : catalog.packages()) out += package_item(package, folder);
    return out + "</ul>\n";
}

std::string words_script(const CatalogPages& catalog) {
    Json packages = Json::object();
    for (const PackagePages& package : catalog.packages()) {
        std::map<int, std::set<std::string>, std::greater<>> by_weight;
        for (const WordField& field : word_fields(*package.graph, package.said))
            for (std::string& word : words_in(field.text)) by_weight[field.weight].insert(std::move(word));
        Json& fields = packages[package.folder] = Json::array();
        for (const auto& [weight, words] : by_weight) fields.push_back(Json::array({weight, words}));
    }
    return "opcat_words(" + as_line(Json(catalog.name())) + ", " + as_line(packages) + ");\n";
}

} // namespace opcat::pages
