#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/planning/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

namespace opcat::planning {
namespace {

// In an ImageSetConfiguration a path is one only if it begins like one.
std::string reference_of(const PlatformCatalog& catalog) {
    std::error_code failed;
    const bool looks_like_path = catalog.reference.starts_with('/') || catalog.reference.starts_with('.');
    const bool is_path = std::filesystem::exists(catalog.reference, failed);
    return (is_path && !looks_like_path ? "./" : "") + catalog.reference;
}

// Strings of JSON are strings of YAML.
std::string yaml_string(std::string_view text) {
    return as_line(nlohmann::ordered_json(text));
}

struct Bounds {
    const GraphNode* least = nullptr;
    const GraphNode* most = nullptr;

    void add(const GraphNode& node) {
        if (!least || (node.version && least->version && *node.version < *least->version)) least = &node;
        if (!most || (node.version && most->version && *node.version > *most->version)) most = &node;
    }
};

using ByChannel = std::map<std::string, Bounds>;

struct PackageNeeds {
    const PackageGraph* package = nullptr;
    ByChannel channels;
};

std::string lines_of_package(const PackageNeeds& needs) {
    std::string text = fmt::format("    - name: {}\n", yaml_string(needs.package->name));
    const auto home = std::find_if(needs.package->channels.begin(), needs.package->channels.end(),
                                   [](const ChannelGraph& channel) { return channel.is_default; });
    // oc-mirror wants the default channel to be among those that it keeps.
    if (home == needs.package->channels.end() || !needs.channels.contains(std::string(home->name)))
        text += fmt::format("      defaultChannel: {}\n", yaml_string(needs.channels.begin()->first));
    text += "      channels:\n";
    for (const auto& [channel, bounds] : needs.channels)
        text += fmt::format("      - name: {}\n        minVersion: {}\n        maxVersion: {}\n",
                            yaml_string(channel), yaml_string(bounds.least->version_text),
                            yaml_string(bounds.most->version_text));
    return text;
}

} // namespace

std::string plan_as_image_set(const ClusterPlan& plan, const std::vector<std::string>& extra) {
    std::map<const PlatformCatalog*, std::map<std::string_view, PackageNeeds>> needs;
    std::string notes;
    for (const NeededBundle& needed : bundles_on_the_way(plan)) {
        const NodeId node = needed.package->node_by_name.at(needed.bundle->name.text);
        if (needed.channel.empty()) {
            notes += fmt::format("# not named: {}, which is in no channel of its catalog\n",
                                 escape_controls(needed.bundle->name));
            continue;
        }
        PackageNeeds& package = needs[needed.catalog][needed.package->name];
        package.package = needed.package;
        package.channels[needed.channel].add(needed.package->nodes[node]);
    }
    for (const auto& one : plan.operators)
        if (one->verdict != Verdict::ok)
            notes += fmt::format("# {} does not reach the target: only its way so far is here\n",
                                 escape_controls(title_of(one->installed)));
    for (const std::string& one : extra)
        notes += fmt::format("# in a range, but not on the way: {}\n", escape_controls(one));
    std::string text =
        notes +
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:";
    if (needs.empty()) return text + " []\n";
    text += "\n";
    std::vector<const PlatformCatalog*> order;
    for (const Stop& stop : plan.stops)
        for (const PlatformCatalog* catalog : stop.catalogs)
            if (needs.contains(catalog)) order.push_back(catalog);
    for (const PlatformCatalog* catalog : order) {
        text += fmt::format("  - catalog: {}\n    packages:\n", yaml_string(reference_of(*catalog)));
        for (const auto& [name, package] : needs.at(catalog)) text += lines_of_package(package);
    }
    return text;
}

} // namespace opcat::planning
