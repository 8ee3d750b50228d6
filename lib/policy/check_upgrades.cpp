// The checks of the upgrade graph.
#include "opcat/policy/static_checks.hpp"
#include "opcat/policy/upgrade_graph.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <vector>

namespace opcat::policy {
namespace {

// The first edge that closes a cycle, by a search in the order of versions.
class CycleSearch {
public:
    explicit CycleSearch(const Edges& edges) : edges_(edges) {}

    std::optional<std::pair<const OperatorBundle*, const OperatorBundle*>> from(const OperatorBundle* start) {
        std::vector<Step> path;
        if (!visited_.insert(start).second) return std::nullopt;
        path.push_back({start, 0});
        std::set<const OperatorBundle*> on_path{start};
        while (!path.empty()) {
            Step& step = path.back();
            const Bundles* const targets = edges_.from(step.bundle);
            if (!targets || step.next == targets->size()) {
                on_path.erase(step.bundle);
                path.pop_back();
                continue;
            }
            const OperatorBundle* const neighbour = (*targets)[step.next++];
            if (on_path.contains(neighbour)) return std::pair(step.bundle, neighbour);
            if (!visited_.insert(neighbour).second) continue;
            on_path.insert(neighbour);
            path.push_back({neighbour, 0});
        }
        return std::nullopt;
    }

private:
    struct Step {
        const OperatorBundle* bundle;
        size_t next;
    };
    const Edges& edges_;
    std::set<const OperatorBundle*> visited_;
};

std::set<std::string> channels_of(const OperatorBundle& bundle) {
    std::set<std::string> channels = bundle.channels();
    if (auto channel = bundle.default_channel()) channels.insert(*std::move(channel));
    return channels;
}

// Returns the place of a field in the spec of the CSV, if it can be read.
Location place(const OperatorBundle& bundle, std::string_view field) {
    try {
        const PythonValue* const spec = bundle.csv().find("spec");
        const PythonValue* const value = spec ? spec->find(field) : nullptr;
        return value ? bundle.csv_file().at(value->offset()) : bundle.csv_file().start();
    } catch (const PythonError&) {
        return bundle.annotations_file().start();
    }
}

} // namespace

void check_upgrade_graph_loop(const Operator& owner, Findings& findings) {
    std::set<std::string> channels;
    for (const OperatorBundle& bundle : owner.bundles()) channels.merge(channels_of(bundle));
    for (const std::string& channel : channels) {
        try {
            const ChannelGraph& graph = owner.channel(channel);
            CycleSearch search(graph.edges());
            for (const OperatorBundle* const bundle : graph.bundles()) {
                const auto cycle = graph.edges().from(bundle) ? search.from(bundle) : std::nullopt;
                if (!cycle) continue;
                findings.error(fmt::format("Upgrade graph loop detected: {} -> {}", cycle->first->text(),
                                           cycle->second->text()),
                               place(*cycle->second, "replaces"));
                break;
            }
        } catch (const GraphError& error) {
            return findings.error(error.message, owner.config_file().start());
        }
    }
}

void check_dangling_bundles(const OperatorBundle& bundle, Findings& findings) {
    for (const std::string& channel : channels_of(bundle)) {
        const ChannelGraph& graph = bundle.owner().channel(channel);
        graph.bundles(); // an exception here is not one of the graph
        try {
            std::vector<std::string> names;
            for (const OperatorBundle* const one : graph.dangling()) names.push_back(one->text());
            if (!names.empty())
                findings.error(
                    fmt::format("Channel {} has dangling bundles: {{{}}}", channel, fmt::join(names, ", ")),
                    graph.dangling().front()->csv_file().start());
        } catch (const GraphError& error) {
            return findings.error(error.message, place(bundle, "replaces"));
        }
    }
}

void check_pruned_graph(const OperatorBundle& bundle, Findings& findings) {
    const PythonValue replaces = bundle.csv().get("spec", empty_dict()).get("replaces");
    const PythonValue skip_range = skip_range_of(bundle);
    if (!skip_range.is_true() || replaces.is_true()) return;
    for (const std::string& channel : bundle.channels())
        if (bundle.owner().channel(channel).bundles().size() != 1)
            findings.warn(
                "olm.skipRange annotation is set but replaces field is not set in the CSV. The definition "
                "may lead to unintentional pruning of the update graph. "
                "https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-catalog/"
                "creating-an-update-graph/#skiprange. If this is intentional, you can skip the check by "
                "adding `/test skip check_pruned_graph` comment to a pull request.",
                bundle.csv_file().at(skip_range.offset()));
}

void check_replaces_availability(const OperatorBundle& bundle, Findings& findings) {
    const Operator& owner = bundle.owner();
    const PythonValue replaces = bundle.csv().get("spec", empty_dict()).get("replaces");
    if (!replaces.is_true()) return;
    const Location where = bundle.csv_file().at(replaces.offset());
    const std::string delimiter = replaces.contains(".v") ? ".v" : ".";
    const std::string& text = replaces.text_for("split");
    const size_t at = text.find(delimiter);
    if (at == std::string::npos) throw PythonError("IndexError", "list index out of range");
    const std::string version = text.substr(at + delimiter.size());
    if (version == bundle.csv_version())
        return findings.error(bundle.text() +
                                  " attempts to replace itself. Please set 'spec.replaces' field to a "
                                  "different version in the CSV.",
                              where);
    const BundlesByVersion& versions = owner.by_version();
    const auto replaced = versions.find(version);
    if (replaced == versions.end()) {
        std::vector<std::string> names;
        names.reserve(versions.size());
        for (const auto& [name, one] : versions) names.push_back(name);
        return findings.error(
            fmt::format(
                "{} attempts to replace version '{}' which does not exist in the submitted PR branch. "
                "Available versions: {}. If you are submitting multiple versions in sequence, make sure your "
                "fork is up to date with origin (rebased) before each submission to include all previously "
                "merged versions.",
                bundle.text(), version, python_repr(names)),
            where);
    }
    const PythonValue own = bundle.annotations().get(openshift_annotation);
    const PythonValue other = replaced->second->annotations().get(openshift_annotation);
    if (python_equal(own, other)) return;
    owner.repository().config().get("organization");
    findings.not_checked(
        fmt::format("{} and {} have different {} ({} and {}): which versions these are, the pipeline "
                    "asks catalog.redhat.com",
                    bundle.text(), replaced->second->text(), openshift_annotation, own.str(), other.str()));
}

} // namespace opcat::policy
