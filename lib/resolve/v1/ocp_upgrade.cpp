#include "opcat/resolve/v1/ocp_upgrade.hpp"

#include "opcat/olm/paths.hpp"
#include "opcat/resolve/v1/install_rules.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::olmv1 {
namespace {

using WayOut = UpgradeBlock::WayOut;

// OLM classic goes on by itself, step by step, in the channel of the Subscription: in which one does it
// arrive soonest? One that has the installed bundle is preferred, then the default channel.
std::optional<WayOut> way_of_classic(const InstalledOperator& installed, const BundleTest& is_goal) {
    const PackageGraph& graph = *installed.package;
    std::optional<WayOut> best;
    bool best_has_it = false;
    const Installed start = installed_node(graph, installed.bundle->node);
    for (const ChannelGraph& channel : graph.channels) {
        WayOut way{{}, channel.name};
        bool arrives = false;
        const PackageBundle* last = nullptr;
        for (const PathStep& step : walk_classic(graph, channel, start).steps) {
            const auto bundle = std::find_if(graph.bundles.begin(), graph.bundles.end(),
                                             [&](const PackageBundle& one) { return one.node == step.to; });
            if (bundle == graph.bundles.end()) break; // only the channel names it
            last = &*bundle;
            if (arrives) continue;
            way.steps.push_back(last);
            arrives = is_goal(*last);
        }
        if (!arrives) continue;
        if (!is_goal(*last)) way.beyond = last;
        const bool has_it =
            std::any_of(channel.entries.begin(), channel.entries.end(),
                        [&](const GraphEntry& entry) { return entry.node == installed.bundle->node; });
        const bool better =
            !best || has_it > best_has_it ||
            (has_it == best_has_it && (way.steps.size() < best->steps.size() ||
                                       (way.steps.size() == best->steps.size() && channel.is_default)));
        if (!better) continue;
        best = std::move(way);
        best_has_it = has_it;
    }
    return best;
}

// Why the operator would be left alone by the catalogs of the next version; empty if it would not be.
std::string why_gone(const InstalledOperator& installed, const AskedOlms& olms,
                     std::span<const NamedCatalog> catalogs) {
    bool has_package = false;
    for (const NamedCatalog& catalog : catalogs) {
        const PackageGraph* const package = catalog.index->find(installed.package->name);
        if (!package) continue;
        has_package = true;
        Installed from;
        from.name = installed.bundle->name();
        if (const BundleVersion& version = installed.bundle->version(false)) from.version = *version;
        if (const auto node = package->node_by_name.find(from.name); node != package->node_by_name.end())
            from.node = node->second;
        if ((olms.classic && is_known_to(*package, from, OlmGeneration::classic)) ||
            (olms.v1 && is_known_to(*package, from, OlmGeneration::v1)))
            return {};
    }
    return has_package ? "have its package, but neither this version nor an upgrade from it"
                       : "do not have its package";
}

} // namespace

bool is_known_to(const PackageGraph& package, const Installed& installed, OlmGeneration olm) {
    const auto is_upgrade = [&](const ChannelGraph& channel, const GraphEntry& entry) {
        const GraphNode& to = package.nodes[entry.node];
        return olm == OlmGeneration::v1 && to.bundle &&
               !edges_from(package, channel, entry, installed).empty() && known_refusal(*to.bundle).empty();
    };
    return std::ranges::any_of(package.channels, [&](const ChannelGraph& channel) {
        return std::ranges::any_of(channel.entries,
                                   [&](const GraphEntry& entry) {
                                       return entry.node == installed.node || is_upgrade(channel, entry);
                                   }) ||
               (olm == OlmGeneration::classic && channel.problem == ChainProblem::none &&
                classic_successors(package, channel, installed).next != no_node);
    });
}

const PackageBundle* newest_that_allows(const PackageGraph& package, const MinorVersion& version,
                                        const Installer& installer, const Bundle* installed) {
    const PackageBundle* newest = nullptr;
    for (const PackageBundle& bundle : package.bundles)
        if (bundle.legacy && bundle.bundle != installed && can_be_installed(bundle, installer) &&
            allows(max_openshift_version(*bundle.bundle), version) &&
            (!newest || *bundle.legacy > *newest->legacy))
            newest = &bundle;
    return newest;
}

UpgradeBlock check_upgrade(const InstalledOperator& installed, const MinorVersion& cluster,
                           const AskedOlms& olms, std::span<const NamedCatalog> next,
                           const std::optional<MaxOpenShift>& own_max) {
    const MaxOpenShift max = own_max ? *own_max : max_openshift_version(*installed.bundle->bundle);
    UpgradeBlock block;
    block.installed = installed;
    const MinorVersion goal = next_version(cluster);
    const auto allows_goal = [&](const MaxOpenShift& one) { return allows(one, goal); };
    const BundleTest does_not_block = [&](const PackageBundle& bundle) {
        return &bundle == installed.bundle ? allows_goal(max)
                                           : allows_goal(max_openshift_version(*bundle.bundle));
    };
    if (max) block.max = *max;
    if (allows_goal(max)) {
        if (!next.empty()) block.error = why_gone(installed, olms, next);
        if (!block.error.empty()) {
            block.kind = UpgradeBlock::Kind::gone;
            block.error = fmt::format("the catalogs of OpenShift {} {}", goal.to_string(), block.error);
        }
        return block;
    }
    block.kind = max ? UpgradeBlock::Kind::blocks : UpgradeBlock::Kind::invalid;
    if (!max) block.error = max.error();
    if (olms.classic) block.classic = way_of_classic(installed, does_not_block);
    if (!olms.v1) return block;
    Request request;
    request.package = installed.package->name;
    request.installed = as_installed(*installed.bundle, false);
    request.installer = Installer{.release = olms.release};
    if (WayOut way{shortest_path(request, *installed.package, does_not_block)}; !way.steps.empty()) {
        block.v1 = std::move(way);
        return block;
    }
    block.forced = newest_that_allows(*installed.package, goal, *request.installer, installed.bundle->bundle);
    return block;
}

} // namespace opcat::olmv1
