#include "opcat/policy/upgrade_graph.hpp"

#include "opcat/policy/python_versions.hpp"

#include <fmt/format.h>

namespace opcat::policy {
namespace {

// Sorted with an order that may contradict itself: texts that are not versions are compared as texts.
Bundles bundles_of(const Operator& owner, const std::string& channel) {
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

void add_skip_range(const OperatorBundle& bundle, const BundlesByVersion& versions, Edges& edges) {
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
        if (range->contains(replaced->semantic())) edges.connect(replaced, &bundle);
}

void add_replaces(const OperatorBundle& bundle, const BundlesByVersion& versions, Edges& edges) {
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
        if (replaced != versions.end()) edges.connect(replaced->second, &bundle);
    }
}

Edges edges_of(const Operator& owner, const Bundles& bundles) {
    const PythonValue strategy = owner.config().get("updateGraph", PythonValue::of("replaces-mode"));
    const std::string mode = strategy.text() ? *strategy.text() : "";
    Edges edges;
    if (mode == "semver-mode") {
        for (size_t i = 1; i < bundles.size(); ++i) edges.connect(bundles[i - 1], bundles[i]);
        return edges;
    }
    if (mode != "replaces-mode")
        throw GraphError{fmt::format("{}: unsupported updateGraph value: {}", owner.text(), strategy.str())};
    BundlesByVersion versions;
    for (const OperatorBundle* const bundle : bundles) versions[bundle->csv_version()] = bundle;
    for (const OperatorBundle* const bundle : bundles) add_skip_range(*bundle, versions, edges);
    for (const OperatorBundle* const bundle : bundles) add_replaces(*bundle, versions, edges);
    return edges;
}

} // namespace

PythonValue skip_range_of(const OperatorBundle& bundle) {
    return bundle.csv().get("metadata", empty_dict()).get("annotations", empty_dict()).get("olm.skipRange");
}

void Edges::connect(const OperatorBundle* from, const OperatorBundle* to) {
    Targets& targets = targets_[from];
    if (targets.known.insert(to).second) targets.in_order.push_back(to);
}

const Bundles* Edges::from(const OperatorBundle* replaced) const {
    const auto found = targets_.find(replaced);
    return found == targets_.end() ? nullptr : &found->second.in_order;
}

const Bundles& ChannelGraph::bundles() const {
    return bundles_.get([&] { return bundles_of(owner_, channel_); });
}

const Edges& ChannelGraph::edges() const {
    return edges_.get([&] {
        try {
            return edges_of(owner_, bundles());
        } catch (const PythonError& error) {
            if (error.is_value_error()) throw GraphError{error.message()};
            throw;
        }
    });
}

const Bundles& ChannelGraph::dangling() const {
    return dangling_.get([&] {
        const Edges& graph = edges();
        Bundles dangling;
        for (const OperatorBundle* const bundle : bundles())
            if (!graph.from(bundle) && !bundle->is_like(*bundles().back())) dangling.push_back(bundle);
        return dangling;
    });
}

const ChannelGraph& Operator::channel(const std::string& name) const {
    std::shared_ptr<const ChannelGraph>& graph = channels_[name];
    if (!graph) graph = std::make_shared<const ChannelGraph>(*this, name);
    return *graph;
}

} // namespace opcat::policy
