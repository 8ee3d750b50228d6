#include "opcat/graph/definition_changes.hpp"

#include "opcat/base/error.hpp"
#include "opcat/kube/crd_changes.hpp"

#include <utility>

namespace opcat {

DefinitionsByName definitions_of(const Bundle& bundle) {
    DefinitionsByName all;
    for (const Property& property : bundle.properties) {
        auto object = bundle_object_in(property);
        if (!object || !object->problem.empty() || object->kind != "CustomResourceDefinition") continue;
        std::string name(kube::Fields(object->value).text("metadata", "name"));
        all.emplace(std::move(name), *std::move(object));
    }
    return all;
}

NodeId predecessor_of(const PackageGraph& package, const ChannelGraph& channel, const GraphEntry& entry) {
    if (entry.replaces != no_node) return entry.replaces;
    NodeId newest = no_node;
    const auto offer = [&](NodeId id) {
        const GraphNode& node = package.nodes[id];
        if (id == entry.node || !node.version || !channel.find(id)) return;
        if (newest == no_node || *package.nodes[newest].version < *node.version) newest = id;
    };
    for (const NodeId skip : package.skips_of(entry)) offer(skip);
    if (entry.skip_range == no_range) return newest;
    // Versions of other channels may lie between: so many are passed over.
    size_t left = 1000;
    const std::vector<RankInterval>& covers = package.skip_ranges[entry.skip_range].covers;
    for (auto covered = covers.rbegin(); covered != covers.rend(); ++covered)
        for (uint32_t rank = covered->end; rank > covered->begin; --rank) {
            if (left-- == 0) return newest;
            const NodeId known = newest;
            offer(package.by_version[rank - 1]);
            if (newest != known) return newest;
        }
    return newest;
}

std::vector<UnsafeDefinition> unsafe_definitions(const DefinitionsByName& before,
                                                 const DefinitionsByName& after) {
    std::vector<UnsafeDefinition> unsafe;
    for (const auto& [name, definition] : before) {
        const auto successor = after.find(name);
        if (successor == after.end()) continue;
        try {
            auto changes = kube::unsafe_changes(definition.value, successor->second.value);
            if (!changes.empty()) unsafe.push_back({name, std::move(changes)});
        } catch (const Error& error) {
            unsafe.push_back({name, {}, error.what()});
        }
    }
    return unsafe;
}

} // namespace opcat
