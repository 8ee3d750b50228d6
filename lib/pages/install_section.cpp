// The objects that install a version with each OLM, to copy.
#include "opcat/base/text.hpp"
#include "opcat/cluster/offline_install.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/parts.hpp"
#include "opcat/semver/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace opcat::pages {
namespace {

// Those from which OLM classic installs it, the newest first, and the default channel before all.
std::vector<const ChannelGraph*> channels_with(const PackageGraph& graph, NodeId node) {
    std::vector<const ChannelGraph*> channels;
    for (const ChannelGraph* const channel : newest_first(graph, graph.all_channels()))
        if (channel->is_on_chain(node)) channels.push_back(channel);
    std::stable_partition(channels.begin(), channels.end(),
                          [](const ChannelGraph* channel) { return channel->is_default; });
    return channels;
}

std::string objects_to_copy(const std::vector<cluster::Object>& objects) {
    std::string yaml;
    for (const cluster::Object& object : objects) yaml += "---\n" + kube::to_yaml(object.value());
    return "<pre class=\"copy\"><code>" + escape_html(yaml) + "</code></pre>\n";
}

std::string field(std::string_view label, std::string_view name, std::string_view value) {
    return fmt::format("<label>{} <input name=\"{}\" value=\"{}\" autocomplete=\"off\"></label>\n", label,
                       name, escape_html(value));
}

// The texts that depend on the cluster.
struct Target {
    std::string ns;
    std::string catalog;
    std::string catalog_ns;
};

std::string form(const std::vector<const ChannelGraph*>& channels, const ChannelGraph* chosen,
                 const Target& target) {
    std::string options;
    for (const ChannelGraph* const channel : channels)
        options +=
            fmt::format("<option{}>{}\n", channel == chosen ? " selected" : "", escape_html(channel->name));
    // The address of the page itself.
    return "<form class=\"ask\" action=\"#install\" method=\"get\">\n" +
           (options.empty() ? std::string()
                            : "<label>Channel <select name=\"channel\">" + options + "</select></label>\n") +
           field("Namespace", "namespace", target.ns) +
           field("Catalog on the cluster", "catalog", target.catalog) +
           field("Its namespace (OLM classic)", "catalogNamespace", target.catalog_ns) +
           "<button>Update</button>\n</form>\n";
}

std::string classic_objects(const GraphNode& node, const PackageGraph& graph, NodeId id,
                            const ChannelGraph* channel, const Target& target,
                            const std::vector<std::string>& install_modes) {
    std::string out = "<h3>OLM classic</h3>\n";
    if (!channel) return out + "<p class=\"warn\">OLM classic does not install it from any channel.</p>\n";
    if (!cluster::supports_mode(install_modes, "OwnNamespace") &&
        !cluster::supports_mode(install_modes, "AllNamespaces"))
        out += "<p class=\"warn\">The operator watches neither its own namespace nor all: name the "
               "namespaces in "
               "<code>targetNamespaces</code> of the OperatorGroup.</p>\n";
    const bool is_head = channel->is_head(id);
    if (!is_head)
        out +=
            "<p>Upgrades wait for approval, so that OLM stays at this version, which is not the head of the "
            "channel.</p>\n";
    return out + objects_to_copy(cluster::subscription_with_group({.package = std::string(graph.name),
                                                                   .ns = target.ns,
                                                                   .channel = std::string(channel->name),
                                                                   .catalog = target.catalog,
                                                                   .catalog_ns = target.catalog_ns,
                                                                   .starting_csv = std::string(node.name),
                                                                   .manual = !is_head},
                                                                  install_modes));
}

std::string v1_objects(const readiness::BundleReadiness& ready, const PackageGraph& graph,
                       const GraphNode& node, const ChannelGraph* channel, const Target& target) {
    std::string out = "<h3>OLM v1</h3>\n";
    if (ready.verdict == readiness::Verdict::not_ready && !ready.reasons.empty())
        out += fmt::format("<p class=\"warn\">OLM v1 does not install it: {}.</p>\n",
                           escape_html(ready.reasons.front().message));
    const std::string name(graph.name);
    cluster::ExtensionSpec wanted{.name = name,
                                  .package = name,
                                  .ns = target.ns,
                                  .service_account = cluster::installer_name(name),
                                  .catalogs = cluster::named_catalog(target.catalog)};
    if (semver::is_admitted_by_cluster_extension(node.version_text))
        wanted.version = node.version_text;
    else
        out += "<p class=\"warn\">A ClusterExtension cannot name this version.</p>\n";
    if (channel) wanted.channels = {std::string(channel->name)};
    return out +
           fmt::format("<p>Releases of OLM v1 before 1.{} install with the rights of the account, which "
                       "<code>opcat install --olm v1 -o yaml</code> derives on a cluster; later ones ignore "
                       "it.</p>\n",
                       olmv1::first_without_account) +
           objects_to_copy(cluster::extension_with_account(wanted));
}

} // namespace

std::string install_section(const CatalogPages& catalog, const PackagePages& package, NodeId id,
                            const Presentation& said, const FormFields& asked) {
    const PackageGraph& graph = *package.graph;
    const std::vector<const ChannelGraph*> channels = channels_with(graph, id);
    const auto named = std::find_if(channels.begin(), channels.end(), [&](const ChannelGraph* channel) {
        return channel->name == asked.channel;
    });
    const ChannelGraph* const channel = named != channels.end() ? *named
                                        : channels.empty()      ? nullptr
                                                                : channels.front();
    const auto or_else = [](const std::string& text, std::string_view otherwise) {
        return text.empty() ? std::string(otherwise) : text;
    };
    const Target target{or_else(asked.ns, graph.name), or_else(asked.catalog, catalog.name()),
                        or_else(asked.catalog_ns, "olm")};
    const GraphNode& node = graph.nodes[id];
    const std::string parts = (catalog.use() == Use::server
                                   ? form(channels, channel, target)
                                   : "<p>Put in the names that the catalog and the namespaces have on your "
                                     "cluster.</p>\n") +
                              classic_objects(node, graph, id, channel, target, said.install_modes) +
                              v1_objects(catalog.readiness_of(*node.bundle), graph, node, channel, target);
    const bool is_asked = !asked.channel.empty() || !asked.ns.empty() || !asked.catalog.empty();
    return fmt::format(
        "<details id=\"install\"{}><summary><h2>Install this version</h2></summary>\n{}</details>\n",
        is_asked ? " open" : "", parts);
}

} // namespace opcat::pages
