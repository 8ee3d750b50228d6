#include "opcat/planning/request.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace opcat::planning {

MinorVersion read_openshift_version(std::string_view what, const std::string& text) {
    const auto version = olmv1::minor_version_of_cluster(text);
    if (version) return *version;
    throw RequestError(fmt::format("{} {} is not a version: {}", what, text, version.error()),
                       "write it as `oc get clusterversion` prints it: 4.18.3, or 4.18");
}

std::vector<Stop> stops_between(const MinorVersion& from, const MinorVersion& to, bool eus,
                                const std::deque<PlatformCatalog>& catalogs) {
    constexpr size_t most = 64;
    if (!olmv1::is_older(from, to))
        throw RequestError(
            fmt::format("OpenShift {} is not later than {}", to.to_string(), from.to_string()),
            olmv1::is_same_release(from, to) && from != to ? "OpenShift 4.23 and 5.0 are one release" : "");
    std::vector<Stop> stops{{from, {}}};
    while (olmv1::is_older(stops.back().version, to)) {
        if (stops.size() > most)
            throw RequestError(fmt::format("there are more than {} minor versions from OpenShift {} to {}",
                                           most, from.to_string(), to.to_string()),
                               "name the version that is really meant");
        MinorVersion next = olmv1::next_version(stops.back().version);
        if (olmv1::is_same_release(next, to)) next = to;
        stops.push_back({next, {}});
    }
    if (!olmv1::is_same_release(stops.back().version, to))
        throw RequestError(
            fmt::format("OpenShift {} does not come after {}", to.to_string(), from.to_string()),
            "after 4.23, which is 5.0, comes 5.1");
    for (size_t i = 0; i < stops.size(); ++i) {
        Stop& stop = stops[i];
        for (const PlatformCatalog& catalog : catalogs)
            if (olmv1::is_same_release(catalog.version, stop.version)) stop.catalogs.push_back(&catalog);
        stop.passing =
            eus && i > 0 && i + 1 < stops.size() && stop.version.major == 4 && stop.version.minor % 2 == 1;
    }
    return stops;
}

std::string InstalledOperator::describe() const {
    if (!bundle.empty()) return bundle;
    if (package.empty()) return given;
    return version ? fmt::format("{} {}", package, version->to_legacy_string()) : package;
}

void apply_range(InstalledOperator& installed, std::string_view range) {
    if (range.empty()) return;
    const auto version = semver::VersionRelease::parse_legacy(range);
    installed.by_hand = version && installed.version && *version == *installed.version;
    if (!installed.by_hand)
        installed.unknown =
            fmt::format("its range of versions is \"{}\": which upgrades that lets through is not "
                        "planned",
                        range);
}

void refuse_repeated(std::span<const InstalledOperator> named, std::span<const InstalledOperator> read) {
    std::set<std::pair<std::string_view, std::string_view>> seen; // package and namespace
    for (const InstalledOperator& one : read) {
        seen.emplace(one.package, one.ns);
        seen.emplace(one.package, ""); // any of them may be meant
    }
    for (const InstalledOperator& one : named) {
        const std::string_view name = one.package.empty() ? one.given : one.package;
        if (!seen.emplace(name, one.ns).second)
            throw RequestError(
                one.ns.empty() ? fmt::format("{} is named twice", name)
                               : fmt::format("{} is named twice in namespace {}", name, one.ns),
                "name each operator once; a namespace tells those of several namespaces apart");
    }
}

namespace {

std::set<std::string_view> channels_of(const std::string& package, std::span<const Stop> stops) {
    std::set<std::string_view> names;
    for (const Stop& stop : stops)
        for (const PlatformCatalog* catalog : stop.catalogs)
            if (const PackageGraph* const graph = catalog->index->find(package))
                for (const ChannelGraph& channel : graph->channels) names.insert(channel.name);
    return names;
}

} // namespace

void complete(InstalledOperator& installed, std::span<const Stop> stops) {
    if (!installed.unknown.empty()) return;
    const auto give_up = [&](std::string why, std::string hint = {}) {
        installed.unknown = std::move(why);
        installed.unknown_hint = std::move(hint);
    };
    if (installed.package.empty()) return give_up("its package is not known");
    if (installed.bundle.empty() && !installed.version)
        return give_up("its version is not known", "name it: NAME@VERSION");
    if (installed.names_no_channel) {
        const std::set<std::string_view> all = channels_of(installed.package, stops);
        if (all.size() > 1)
            return give_up(
                fmt::format("its Subscription names no channel, so OLM takes upgrades from each of {}",
                            listed(all)),
                "name its channel in the Subscription");
        installed.channels.assign(all.begin(), all.end());
    }
    for (const PlatformCatalog* catalog : stops.front().catalogs) {
        const PackageGraph* const graph = catalog->index->find(installed.package);
        if (!graph) continue;
        if (!installed.bundle.empty()) {
            const auto found = graph->node_by_name.find(installed.bundle);
            if (found == graph->node_by_name.end()) continue;
            const GraphNode& node = graph->nodes[found->second];
            if (!installed.version) installed.version = node.version;
            if (node.version && !node.is_virtual() && !(*installed.version == *node.version))
                return give_up(fmt::format("{} is version {} in {}, and {} is installed", node.name,
                                           node.version_text, catalog->reference,
                                           installed.version->to_legacy_string()),
                               "correct the version, or the name of the bundle");
            continue;
        }
        const RankInterval ranks = graph->ranks_of(*installed.version);
        std::vector<NodeId> nodes;
        for (uint32_t rank = ranks.begin; rank < ranks.end; ++rank)
            if (!graph->nodes[graph->by_version[rank]].is_virtual()) nodes.push_back(graph->by_version[rank]);
        if (nodes.size() > 1)
            return give_up(fmt::format("several bundles have version {}, such as {} and {}",
                                       installed.version->to_legacy_string(), graph->nodes[nodes[0]].name,
                                       graph->nodes[nodes[1]].name),
                           "name the bundle");
        if (nodes.size() == 1) installed.bundle = graph->nodes[nodes[0]].name;
    }
}

} // namespace opcat::planning
