#include "opcat/mirror/beyond_plan.hpp"

#include "opcat/filter/filter.hpp"
#include "opcat/filter/request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace opcat {
namespace {

using planning::NeededBundle;
using ByChannel = std::map<std::string, std::vector<const NeededBundle*>>;
using ByPackage = std::map<std::string, ByChannel>;

const GraphNode& node_of(const NeededBundle& one) {
    return one.package->nodes[one.package->node_by_name.at(one.bundle->name.text)];
}

bool is_lower(const NeededBundle* a, const NeededBundle* b) {
    const auto& one = node_of(*a).version;
    const auto& other = node_of(*b).version;
    return one && other && *one < *other;
}

CatalogRequest request_for(const ByPackage& packages) {
    CatalogRequest request;
    for (const auto& [name, channels] : packages) {
        RequestedPackage package{.name = name};
        package.default_channel = channels.begin()->first;
        for (const auto& [channel, bundles] : channels) {
            const auto [least, most] = std::minmax_element(bundles.begin(), bundles.end(), is_lower);
            package.channels.push_back(
                {channel,
                 {std::string(node_of(**least).version_text), std::string(node_of(**most).version_text)}});
        }
        request.packages.push_back(std::move(package));
    }
    return request;
}

} // namespace

BeyondPlan kept_beyond(const planning::ClusterPlan& plan, ThreadPool& pool) {
    std::map<const planning::PlatformCatalog*, ByPackage> needed;
    std::set<std::pair<std::string_view, std::string_view>> names;
    const std::vector<NeededBundle> all = planning::bundles_on_the_way(plan);
    for (const NeededBundle& one : all) {
        names.emplace(one.bundle->package, one.bundle->name);
        if (!one.channel.empty())
            needed[one.catalog][std::string(one.package->name)][one.channel].push_back(&one);
    }
    BeyondPlan beyond;
    for (const auto& [catalog, packages] : needed) {
        const FilteredCatalog kept =
            filter_catalog(catalog->index->catalog(), request_for(packages), false, pool);
        if (has_errors(kept.diagnostics))
            beyond.refusals.push_back(fmt::format("oc-mirror refuses the part of the image set about {}: {}",
                                                  catalog->reference, kept.diagnostics.front().message));
        for (const Bundle& bundle : kept.catalog.bundles)
            if (!names.contains({bundle.package, bundle.name}))
                beyond.bundles.push_back(fmt::format("{}: {}", catalog->reference, bundle.name.text));
    }
    return beyond;
}

} // namespace opcat
