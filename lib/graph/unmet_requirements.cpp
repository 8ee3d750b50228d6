#include "opcat/graph/unmet_requirements.hpp"

#include "opcat/catalog/properties.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/semver/blang_range.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace opcat {
namespace {

using AscendingVersions = std::vector<const semver::Version*>;

bool has_version_in(const AscendingVersions& versions, std::string_view range) {
    if (range.empty()) return !versions.empty();
    const auto parsed = semver::BlangRange::parse(range);
    if (!parsed) return true; // a mistake of its own
    return !parsed
                ->ranks_in(versions.size(), [&](size_t i) -> const semver::Version& { return *versions[i]; })
                .empty();
}

} // namespace

std::vector<UnmetRequirement> unmet_requirements(const UpgradeGraph& graph, const IsKept& is_kept) {
    const auto is_there = [&](const PackageGraph& package, const GraphNode& node) {
        return !node.is_virtual() && (!is_kept || is_kept(package, node));
    };
    std::map<std::string_view, AscendingVersions> versions_of; // of packages that are required
    const auto versions_in = [&](std::string_view name) -> const AscendingVersions& {
        const auto [at, is_new] = versions_of.try_emplace(name);
        const PackageGraph* const package = is_new ? graph.find(name) : nullptr;
        if (!package) return at->second;
        for (const NodeId id : package->by_version)
            if (const GraphNode& node = package->nodes[id]; is_there(*package, node))
                at->second.push_back(&node.version->version);
        return at->second;
    };
    std::vector<UnmetRequirement> unmet;
    std::map<std::pair<std::string_view, std::string_view>, bool> known; // by package and range
    for (const PackageGraph& package : graph.packages)
        for (const GraphNode& node : package.nodes) {
            if (!is_there(package, node)) continue;
            for (const Property& property : node.bundle->properties) {
                if (property.type != property_type::package_required || !property.value ||
                    !property.value->is_object())
                    continue;
                const std::string_view required = field_text(*property.value, "packageName");
                const std::string_view range = field_text(*property.value, "versionRange");
                if (required.empty()) continue;
                const auto [at, is_new] = known.try_emplace({required, range}, false);
                if (is_new) at->second = has_version_in(versions_in(required), range);
                if (!at->second) unmet.push_back({package.name, node.name, required, range});
            }
        }
    std::ranges::sort(unmet);
    unmet.erase(std::unique(unmet.begin(), unmet.end()), unmet.end());
    return unmet;
}

} // namespace opcat
