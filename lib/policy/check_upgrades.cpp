// The upgrade graph that operatorcert makes of an operator's bundles (operator_repo/core.py), and its checks.
#include "opcat/policy/python_versions.hpp"
#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace opcat::policy {
namespace {

using Bundles = std::vector<const OperatorBundle*>;
// From each bundle that is replaced to those that replace it.
using Edges = std::map<const OperatorBundle*, Bundles>;

// What Python raises and a check reports as its own finding.
struct GraphError {
    std::string message;
};

// Sorted with an order that may contradict itself: versions that are none are compared as texts.
Bundles channel_bundles(const Operator& owner, const std::string& channel) {
    Bundles sorted;
    for (const OperatorBundle& bundle : owner.bundles()) {
        if (!bundle.channels().contains(channel)) continue;
        size_t low = 0;
        for (size_t high = sorted.size(); low < high;) {
            const size_t middle = (low + high) / 2;
            if (bundle.is_before(*sorted[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(low), &bundle);
    }
    return sorted;
}

void connect(Edges& edges, const OperatorBundle* from, const OperatorBundle* to) {
    Bundles& targets = edges[from];
    if (std::find(targets.begin(), targets.end(), to) == targets.end()) targets.push_back(to);
}

std::map<std::string, const OperatorBundle*> by_version(const Bundles& bundles) {
    std::map<std::string, const OperatorBundle*> versions;
    for (const OperatorBundle* const bundle : bundles) versions[bundle->csv_version()] = bundle;
    return versions;
}

PythonValue skip_range_of(const OperatorBundle& bundle) {
    return bundle.csv().get("metadata", empty_dict()).get("annotations", empty_dict()).get("olm.skipRange");
}

void add_skip_range(const OperatorBundle& bundle,
                    const std::map<std::string, const OperatorBundle*>& versions, Edges& edges) {
    const PythonValue text = skip_range_of(bundle);
    if (!text.is_true()) return;
    std::optional<NpmRange> range;
    try {
        range.emplace(text.text_for("split"));
    } catch (const PythonError& error) {
        if (!error.is_value_error()) throw;
        return; // it is ignored
    }
    for (const auto& [version, replaced] : versions)
        if (range->contains(semantic_version(version))) connect(edges, replaced, &bundle);
}

void add_replaces(const OperatorBundle& bundle, const std::map<std::string, const OperatorBundle*>& versions,
                  Edges& edges) {
    const PythonValue spec = bundle.csv().get("spec", empty_dict());
    PythonList previous = spec.get("skips", empty_list()).each();
    previous.push_back(spec.get("replaces"));
    for (const PythonValue& name : previous) name.hashable();
    for (const PythonValue& name : previous) {
        if (name.is_none()) continue;
        if (!name.contains("."))
            throw GraphError{fmt::format("{} has invalid 'replaces' field: '{}'", bundle.text(), name.str())};
        const std::string& text = name.text_for("split");
        const size_t begin = text.find_first_not_of('v', text.find('.') + 1);
        const auto replaced = versions.find(begin == std::string::npos ? "" : text.substr(begin));
        if (replaced != versions.end()) connect(edges, replaced->second, &bundle);
    }
}

Edges build_graph(const Operator& owner, const std::string& channel) {
    const Bundles bundles = channel_bundles(owner, channel);
    const PythonValue strategy = owner.config().get("updateGraph", PythonValue::of("replaces-mode"));
    const std::string mode = strategy.text() ? *strategy.text() : "";
    Edges edges;
    if (mode == "semver-mode") {
        for (size_t i = 1; i < bundles.size(); ++i) connect(edges, bundles[i - 1], bundles[i]);
        return edges;
    }
    if (mode != "replaces-mode")
        throw GraphError{fmt::format("{}: unsupported updateGraph value: {}", owner.text(), strategy.str())};
    const std::map<std::string, const OperatorBundle*> versions = by_version(bundles);
    for (const OperatorBundle* const bundle : bundles) add_skip_range(*bundle, versions, edges);
    for (const OperatorBundle* const bundle : bundles) add_replaces(*bundle, versions, edges);
    return edges;
}

// Throws GraphError and PythonError.
Edges upgrade_graph(const Operator& owner, const std::string& channel) {
    try {
        return build_graph(owner, channel);
    } catch (const PythonError& error) {
        if (error.is_value_error()) throw GraphError{error.message()};
        throw;
    }
}

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
            const auto found = edges_.find(step.bundle);
            if (found == edges_.end() || step.next == found->second.size()) {
                on_path.erase(step.bundle);
                path.pop_back();
                continue;
            }
            const OperatorBundle* const neighbour = found->second[step.next++];
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

// Where the CSV has a field of its spec, if it can be read.
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
            const Edges edges = upgrade_graph(owner, channel);
            CycleSearch search(edges);
            for (const OperatorBundle* const bundle : channel_bundles(owner, channel)) {
                const auto cycle = edges.contains(bundle) ? search.from(bundle) : std::nullopt;
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
    const Operator& owner = bundle.owner();
    for (const std::string& channel : channels_of(bundle)) {
        const Bundles bundles = channel_bundles(owner, channel);
        try {
            const Edges edges = upgrade_graph(owner, channel);
            std::vector<std::string> dangling;
            const OperatorBundle* first = nullptr;
            for (const OperatorBundle* const one : bundles) {
                if (edges.contains(one) || one->is_like(*bundles.back())) continue;
                dangling.push_back(one->text());
                if (!first) first = one;
            }
            if (first)
                findings.error(fmt::format("Channel {} has dangling bundles: {{{}}}", channel,
                                           fmt::join(dangling, ", ")),
                               first->csv_file().start());
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
        if (channel_bundles(bundle.owner(), channel).size() != 1)
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
    std::map<std::string, const OperatorBundle*> versions;
    for (const OperatorBundle& one : owner.bundles()) versions[one.csv_version()] = &one;
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
