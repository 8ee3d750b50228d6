#include "opcat/planning/request.hpp"

#include "opcat/base/error.hpp"

#include <fmt/core.h>

#include <algorithm>

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

void complete(InstalledOperator& installed, std::span<const Stop> stops) {
    if (!installed.unknown.empty()) return;
    const auto give_up = [&](std::string why, std::string hint = {}) {
        installed.unknown = std::move(why);
        installed.unknown_hint = std::move(hint);
    };
    if (installed.package.empty()) return give_up("its package is not known");
    if (installed.bundle.empty() && !installed.version)
        return give_up("its version is not known", "name it: NAME@VERSION");
    for (const PlatformCatalog* catalog : stops.front().catalogs) {
        const PackageGraph* const graph = catalog->index->find(installed.package);
        if (!graph) continue;
        if (installed.in_default_channel)
            for (const ChannelGraph& channel : graph->channels)
                if (channel.is_default) installed.channels = {std::string(channel.name)};
        if (!installed.bundle.empty()) {
            const auto node = graph->node_by_name.find(installed.bundle);
            if (node != graph->node_by_name.end() && !installed.version)
                installed.version = graph->nodes[node->second].version;
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
