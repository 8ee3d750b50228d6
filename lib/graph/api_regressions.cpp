// Finds releases that harm objects of users: they lack an API, or narrow a definition.
#include "opcat/base/listed.hpp"
#include "opcat/graph/catalog_diff.hpp"
#include "opcat/graph/definition_changes.hpp"
#include "opcat/kube/crd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opcat {
namespace {

constexpr size_t most_in_sentence = 4; // in a sentence

// "Foo example.com/v1" of all APIs that a bundle provides.
std::set<std::string> apis_of(const Bundle& bundle, const DefinitionsByName& definitions) {
    std::set<std::string> apis;
    const auto add = [&](std::string_view kind, std::string_view group, std::string_view version) {
        apis.insert(fmt::format("{} {}/{}", kind, group, version));
    };
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::gvk || !property.value || !property.value->is_object()) continue;
        const kube::Fields api(*property.value);
        add(api.text("kind"), api.text("group"), api.text("version"));
    }
    for (const auto& [name, object] : definitions) {
        const kube::Fields crd(object.value);
        for (const auto& [version, what] : kube::versions_of(crd))
            if (what.served) add(crd.text("spec", "names", "kind"), crd.text("spec", "group"), version);
    }
    return apis;
}

class EdgeSearch {
public:
    EdgeSearch(const PackageGraph& before, const PackageGraph& after, Definitions definitions)
        : before_(before), after_(after), definitions_(definitions) {}

    std::vector<EdgeRegression> run() {
        std::set<std::pair<NodeId, NodeId>> seen;
        for (const ChannelGraph& channel : after_.channels)
            for (const GraphEntry& entry : channel.entries) {
                const NodeId from = predecessor_of(after_, channel, entry);
                if (from != no_node && seen.emplace(from, entry.node).second)
                    check(channel.name, from, entry.node);
            }
        // Two bundles without a catalog.
        if (before_.channels.empty() && after_.channels.empty() && before_.bundles.size() == 1 &&
            after_.bundles.size() == 1 && before_.bundles[0].name() != after_.bundles[0].name())
            compare({}, before_.bundles[0].node, true, *before_.bundles[0].bundle, after_.bundles[0].node);
        return std::move(found_);
    }

private:
    static const Bundle* bundle_in(const PackageGraph& graph, std::string_view name) {
        const auto found = graph.node_by_name.find(name);
        return found == graph.node_by_name.end() ? nullptr : graph.nodes[found->second].bundle;
    }

    // Edges that the old catalog had are not this change's.
    bool had_edge(std::string_view from, std::string_view to) const {
        const auto old_from = before_.node_by_name.find(from);
        const auto old_to = before_.node_by_name.find(to);
        if (old_from == before_.node_by_name.end() || old_to == before_.node_by_name.end()) return false;
        return std::ranges::any_of(before_.entries_of(old_to->second), [&](const NodeEntry& entry) {
            const auto skips = before_.skips_of(*entry.entry);
            const GraphNode& node = before_.nodes[old_from->second];
            return entry.entry->replaces == old_from->second ||
                   std::ranges::find(skips, old_from->second) != skips.end() ||
                   (node.version && before_.covers(*entry.entry, node.version->version));
        });
    }

    void check(std::string_view channel, NodeId from, NodeId to) {
        const GraphNode& node = after_.nodes[from];
        const GraphNode& successor = after_.nodes[to];
        if (successor.is_virtual() || had_edge(node.name, successor.name)) return;
        if (!node.is_virtual())
            compare(channel, from, false, *node.bundle, to);
        else if (const Bundle* const gone = bundle_in(before_, node.name))
            compare(channel, before_.node_by_name.at(node.name), true, *gone, to);
    }

    void compare(std::string_view channel, NodeId from, bool from_before, const Bundle& old, NodeId to) {
        const Bundle& now = *after_.nodes[to].bundle;
        const auto add = [&](RegressionKind kind, std::string message) {
            found_.push_back({kind, channel, std::move(message), from, from_before, to});
        };
        const bool reads = definitions_ == Definitions::compared;
        const auto before = reads ? definitions_of(old) : DefinitionsByName();
        const auto after = reads ? definitions_of(now) : DefinitionsByName();
        const std::set<std::string> apis = apis_of(now, after);
        std::vector<std::string> gone;
        for (const std::string& api : apis_of(old, before))
            if (!apis.contains(api)) gone.push_back(api);
        if (!gone.empty())
            add(RegressionKind::api_removed, fmt::format("{} lacks {}, which {} provides", now.name.text,
                                                         listed(gone, most_in_sentence), old.name.text));
        // A definition that is too large to compare is not known to be safe.
        for (const UnsafeDefinition& unsafe : unsafe_definitions(before, after))
            add(RegressionKind::crd_narrowed,
                fmt::format("{} has a definition {} that cannot safely replace that of {}: {}", now.name.text,
                            unsafe.name, old.name.text,
                            unsafe.changes.empty() ? unsafe.unknown
                                                   : listed(unsafe.changes, most_in_sentence)));
    }

    const PackageGraph& before_;
    const PackageGraph& after_;
    Definitions definitions_;
    std::vector<EdgeRegression> found_;
};

} // namespace

std::vector<EdgeRegression> find_api_regressions(const PackageGraph& before, const PackageGraph& after,
                                                 Definitions definitions) {
    return EdgeSearch(before, after, definitions).run();
}

} // namespace opcat
