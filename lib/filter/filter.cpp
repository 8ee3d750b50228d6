#include "opcat/filter/filter.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/filter/assemble.hpp"
#include "opcat/filter/repair_edges.hpp"
#include "opcat/filter/selection.hpp"
#include "opcat/graph/unmet_requirements.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace opcat {
namespace {

constexpr std::string_view why_given_up =
    "any graph that keeps OLM v1's upgrades from there gives OLM classic "
    "upgrades that it did not have";

// The remaining parts of one package.
struct PackagePlan {
    const PackageGraph* graph = nullptr;
    std::vector<const ChannelGraph*> channels;
    std::vector<bool> kept; // by node
};

std::vector<const ChannelGraph*> find_channels(const PackageGraph& graph, const PackageSelection& selection) {
    if (selection.channels.empty()) return graph.all_channels();
    std::set<std::string_view> wanted(selection.channels.begin(), selection.channels.end());
    std::vector<const ChannelGraph*> found;
    std::vector<std::string_view> known;
    for (const ChannelGraph& channel : graph.channels) {
        known.push_back(channel.name);
        if (wanted.erase(channel.name) > 0) found.push_back(&channel);
    }
    if (!wanted.empty()) {
        const std::string near = did_you_mean(*wanted.begin(), known);
        throw RequestError(
            fmt::format("package {} has no channel {}", graph.name, go_quote(*wanted.begin())),
            near.empty() && known.size() <= 8 ? fmt::format("it has {}", fmt::join(known, ", ")) : near);
    }
    return found;
}

bool is_selected(const GraphNode& node, const PackageSelection& selection) {
    return selection.versions.empty() ||
           (node.version && std::any_of(selection.versions.begin(), selection.versions.end(),
                                        [&](const VersionSelection& range) {
                                            return range.constraints.check(node.version->version);
                                        }));
}

// For a range that selects nothing: the prerelease that it leaves out because it names none, or what there
// is.
std::string describe_versions(const PackageGraph& graph, const PackagePlan& plan,
                              const PackageSelection& selection) {
    std::set<NodeId> there;
    for (const ChannelGraph* channel : plan.channels)
        for (const GraphEntry& entry : channel->entries) there.insert(entry.node);
    const GraphNode* lowest = nullptr;
    const GraphNode* highest = nullptr;
    for (const NodeId id : graph.by_version) {
        if (!there.contains(id)) continue;
        const GraphNode& node = graph.nodes[id];
        if (!lowest) lowest = &node;
        highest = &node;
        semver::Version release = node.version->version;
        if (release.prerelease.empty()) continue;
        release.prerelease.clear();
        for (const VersionSelection& range : selection.versions)
            if (range.constraints.check(release))
                return fmt::format("{} is a prerelease, and only a range that names one contains any: write "
                                   "={}, or >={} for it and later ones",
                                   node.version_text, node.version_text, node.version_text);
    }
    return lowest ? fmt::format("there are {} to {}", lowest->version_text, highest->version_text)
                  : std::string();
}

PackagePlan plan_package(const PackageGraph& graph, const PackageSelection& selection) {
    PackagePlan plan{&graph, find_channels(graph, selection), std::vector<bool>(graph.nodes.size())};
    bool any = false;
    for (const ChannelGraph* channel : plan.channels)
        for (const GraphEntry& entry : channel->entries) {
            const GraphNode& node = graph.nodes[entry.node];
            if (!node.is_virtual() && is_selected(node, selection)) plan.kept[entry.node] = any = true;
        }
    if (!any && !selection.versions.empty())
        throw RequestError(fmt::format("no version of {} is in the range {}", graph.name,
                                       go_quote(selection.versions.front().text)),
                           describe_versions(graph, plan, selection));
    return plan;
}

class Filter {
public:
    Filter(const Catalog& catalog, const Selection& selection, bool with_dependencies, ThreadPool& pool)
        : catalog_(catalog), selection_(selection), with_dependencies_(with_dependencies), pool_(pool),
          graph_(build_upgrade_graph(catalog, pool)), storage_(std::make_shared<CatalogStorage>()),
          arena_(storage_->arenas.emplace_back()) {}

    FilteredCatalog run() {
        find_packages();
        return assemble_plans();
    }

    FilteredCatalog run_without(const std::unordered_set<const Bundle*>& bundles) {
        for (const PackageGraph& graph : graph_.packages) {
            if (!graph.package) continue;
            PackagePlan plan = plan_package(graph, {});
            for (NodeId node = 0; node < graph.nodes.size(); ++node)
                if (bundles.contains(graph.nodes[node].bundle)) plan.kept[node] = false;
            if (std::find(plan.kept.begin(), plan.kept.end(), true) != plan.kept.end())
                plans_.emplace(graph.name, std::move(plan));
        }
        images_matter_ = false; // bundles may go because of them
        FilteredCatalog rest = assemble_plans();
        if (rest.diagnostics.empty()) rest.diagnostics = find_errors(rest.catalog, pool_);
        return rest;
    }

private:
    FilteredCatalog assemble_plans() {
        if (!check()) return std::move(result_);
        for (const auto& [name, plan] : plans_) keep_package(plan);
        list_unmet();
        result_.catalog = assemble(catalog_, kept_, storage_);
        list_dropped_packages();
        return std::move(result_);
    }

    void find_packages() {
        std::vector<std::string_view> known;
        for (const PackageGraph& package : graph_.packages) known.push_back(package.name);
        std::set<std::string_view> packages;
        for (const auto& [name, selection] : selection_.packages) {
            const PackageGraph* const package = graph_.find(name);
            if (!package || !package->package) throw unknown_package(name, known);
            plans_.emplace(package->name, plan_package(*package, selection));
            packages.insert(package->name);
        }
        if (!selection_.excluded.empty()) keep_all_but_excluded(known, packages);
        if (!with_dependencies_ && selection_.excluded.empty()) return;
        const auto is_kept = [&](const Bundle& bundle) {
            const PackagePlan& plan = plans_.at(bundle.package);
            const auto node = plan.graph->node_by_name.find(bundle.name);
            return node != plan.graph->node_by_name.end() && plan.kept[node->second];
        };
        Dependencies dependencies = find_dependencies(catalog_, packages, is_kept);
        result_.report.missing_dependencies = std::move(dependencies.missing);
        for (const std::string_view name : dependencies.packages) {
            const PackageGraph* const package = graph_.find(name);
            if (!package || plans_.contains(name)) continue;
            if (selection_.excluded.contains(std::string(name)))
                result_.report.missing_dependencies.push_back(
                    fmt::format("kept versions require package {}, which is excluded", name));
            else
                plans_.emplace(package->name, plan_package(*package, {}));
        }
    }

    static RequestError unknown_package(std::string_view name, const std::vector<std::string_view>& known) {
        if (std::find(known.begin(), known.end(), name) != known.end())
            return RequestError(
                fmt::format("package {} has no olm.package blob in the catalog", go_quote(name)),
                "write one with its default channel");
        return RequestError(fmt::format("the catalog does not have package {}", go_quote(name)),
                            did_you_mean(name, known));
    }

    void keep_all_but_excluded(const std::vector<std::string_view>& known,
                               std::set<std::string_view>& packages) {
        for (const std::string& name : selection_.excluded)
            if (!graph_.find(name)) throw unknown_package(name, known);
        for (const PackageGraph& package : graph_.packages) {
            if (!package.package || selection_.excluded.contains(std::string(package.name))) continue;
            plans_.emplace(package.name, plan_package(package, {}));
            packages.insert(package.name);
        }
    }

    bool is_planned(std::string_view package) const { return plans_.contains(package); }

    // The packages before any changes.
    bool check() {
        Catalog whole;
        const auto copy = [&](const auto& from, auto& to) {
            std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                         [&](const auto& blob) { return is_planned(package_of(blob)); });
        };
        copy(catalog_.packages, whole.packages);
        copy(catalog_.channels, whole.channels);
        copy(catalog_.bundles, whole.bundles);
        copy(catalog_.deprecations, whole.deprecations);
        result_.diagnostics = find_errors(whole, pool_);
        if (!images_matter_)
            std::erase_if(result_.diagnostics,
                          [](const Diagnostic& finding) { return finding.rule == "image-reference"; });
        return result_.diagnostics.empty();
    }

    static std::string_view package_of(const Package& package) { return package.name; }
    static std::string_view package_of(const Blob& blob) { return blob.package; }

    Text made(std::string_view text) { return {arena_.copy(text), 0}; }

    ChannelEntry to_entry(const RepairedEntry& repaired, const PackageGraph& graph) {
        ChannelEntry entry;
        entry.name = made(graph.nodes[repaired.node].name);
        entry.replaces = made(repaired.replaces);
        std::vector<Text> skips;
        for (const std::string& skip : repaired.skips) skips.push_back(made(skip));
        entry.skips = arena_.copy(std::span<const Text>(skips));
        entry.skip_range = made(repaired.skip_range);
        return entry;
    }

    KeptChannel to_kept(const RepairedChannel& repaired, const PackageGraph& graph) {
        KeptChannel channel{repaired.channel->channel, {}, repaired.changed};
        if (repaired.changed)
            for (const RepairedEntry& entry : repaired.entries)
                channel.entries.push_back(to_entry(entry, graph));
        return channel;
    }

    // The channel whose head is the highest; of several the first by name. Channels from which OLM classic
    // installs nothing come last.
    static const RepairedChannel& best_channel(const RepairedPackage& repaired, const PackageGraph& graph) {
        const auto height = [&](const RepairedChannel& channel) {
            return channel.head == no_node ? std::optional<uint32_t>() : graph.nodes[channel.head].rank;
        };
        return *std::max_element(
            repaired.channels.begin(), repaired.channels.end(),
            [&](const RepairedChannel& a, const RepairedChannel& b) { return height(a) < height(b); });
    }

    void keep_package(const PackagePlan& plan) {
        const PackageGraph& graph = *plan.graph;
        const RepairedPackage repaired = repair_edges(graph, plan.channels, plan.kept);
        if (repaired.channels.empty())
            throw RequestError(
                fmt::format("none of the selected versions of {} can be kept: {}", graph.name, why_given_up),
                "select more versions of it");
        KeptPackage kept{graph.package, std::string(graph.package->default_channel), {}, {}};
        FilteredPackage report;
        report.name = graph.name;
        report.is_dependency = with_dependencies_ && !selection_.packages.contains(report.name);
        report.old_default_channel = kept.default_channel;
        std::set<std::string_view> channels;
        std::set<std::string_view> named;
        for (const RepairedChannel& channel : repaired.channels) {
            channels.insert(channel.channel->name);
            kept.channels.push_back(to_kept(channel, graph));
            for (const RepairedEntry& entry : channel.entries) {
                kept.bundles.insert(graph.nodes[entry.node].bundle);
                named.insert(entry.replaces);
                named.insert(entry.skips.begin(), entry.skips.end());
            }
            report_channel(channel, graph, report);
        }
        if (!channels.contains(kept.default_channel))
            kept.default_channel = best_channel(repaired, graph).channel->name;

        report.new_default_channel = kept.default_channel;
        for (const ChannelGraph& channel : graph.channels)
            if (!channels.contains(channel.name)) report.dropped_channels.emplace_back(channel.name);
        for (const GraphNode& node : graph.nodes) {
            if (node.is_virtual()) {
                if (!named.contains(node.name)) report.left_behind.emplace_back(node.name);
                continue;
            }
            if (kept.bundles.contains(node.bundle))
                ++report.versions;
            else
                report.dropped_versions.emplace_back(node.name);
        }
        for (const NodeId node : repaired.given_up) report.given_up.emplace_back(graph.nodes[node].name);
        result_.report.kept.push_back(std::move(report));
        kept_.emplace(graph.name, std::move(kept));
    }

    static void report_channel(const RepairedChannel& channel, const PackageGraph& graph,
                               FilteredPackage& report) {
        const auto name = [&](NodeId node) {
            return node == no_node ? std::string() : std::string(graph.nodes[node].name);
        };
        const ChannelGraph& old = *channel.channel;
        FilteredPackage::Channel change{std::string(old.name),
                                        name(old.problem == ChainProblem::none ? old.head() : no_node),
                                        name(channel.head),
                                        {}};
        for (const NodeId node : channel.still_skipped) change.still_skipped.push_back(name(node));
        if (change.old_head != change.new_head || !change.still_skipped.empty())
            report.channels.push_back(std::move(change));
    }

    // What kept versions require, and only dropped ones meet.
    void list_unmet() {
        const std::vector<UnmetRequirement> before = unmet_requirements(graph_);
        std::set<std::string> lines;
        for (const UnmetRequirement& one :
             unmet_requirements(graph_, [&](const PackageGraph&package, const GraphNode&node) {
                 const auto kept = kept_.find(package.name);
                 return kept != kept_.end() && kept->second.bundles.contains(node.bundle);
             })) {
            if (std::ranges::binary_search(before, one) ||
                selection_.excluded.contains(std::string(one.required)))
                continue;
            lines.insert(is_planned(one.required)
                             ? fmt::format("kept versions of {} require {} {}, and no such version is kept",
                                           one.package, one.required, one.range)
                             : fmt::format("kept versions of {} require package {}, which is dropped "
                                           "(--with-dependencies keeps it)",
                                           one.package, one.required));
        }
        result_.report.missing_dependencies.insert(result_.report.missing_dependencies.end(), lines.begin(),
                                                   lines.end());
    }

    void list_dropped_packages() {
        for (const PackageGraph& package : graph_.packages)
            if (!is_planned(package.name)) result_.report.dropped_packages.emplace_back(package.name);
    }

    const Catalog& catalog_;
    const Selection& selection_;
    const bool with_dependencies_;
    bool images_matter_ = true;
    ThreadPool& pool_;
    const UpgradeGraph graph_;
    std::shared_ptr<CatalogStorage> storage_; // of what is made here
    Arena& arena_;
    std::map<std::string_view, PackagePlan> plans_;
    KeptPackages kept_;
    FilteredCatalog result_;
};

} // namespace

FilteredCatalog filter_catalog(const Catalog& catalog, const Selection& selection, bool with_dependencies,
                               ThreadPool& pool) {
    return Filter(catalog, selection, with_dependencies, pool).run();
}

FilteredCatalog without_bundles(const Catalog& catalog, const std::unordered_set<const Bundle*>& bundles,
                                ThreadPool& pool) {
    return Filter(catalog, {}, false, pool).run_without(bundles);
}

namespace {

constexpr size_t most = 20; // of the names in a line

using Lines = std::vector<std::string>;

void describe_channel(const FilteredPackage& package, const FilteredPackage::Channel& channel, Lines& out) {
    if (channel.old_head != channel.new_head)
        out.push_back(fmt::format("{}/{}: OLM classic now installs {}, {}", package.name, channel.name,
                                  channel.new_head,
                                  channel.old_head.empty() ? "and installed nothing from this channel before"
                                                           : "not " + channel.old_head));
    if (!channel.still_skipped.empty())
        out.push_back(fmt::format("{}/{}: OLM classic still leaves out {}, which a dropped version skipped",
                                  package.name, channel.name, listed(channel.still_skipped, most)));
}

bool is_dropped(const std::string& channel, const FilteredPackage& package) {
    const auto& dropped = package.dropped_channels;
    return std::find(dropped.begin(), dropped.end(), channel) != dropped.end();
}

void describe_package(const FilteredPackage& package, Lines& out) {
    if (package.is_dependency)
        out.push_back(fmt::format("{}: kept, as a kept version requires it", package.name));
    if (!package.dropped_channels.empty())
        out.push_back(fmt::format("{}: dropped {}: {}", package.name,
                                  counted(package.dropped_channels.size(), "channel"),
                                  listed(package.dropped_channels, most)));
    if (!package.dropped_versions.empty())
        out.push_back(fmt::format(
            "{}: dropped {} of {} versions: {}", package.name, package.dropped_versions.size(),
            package.dropped_versions.size() + package.versions, listed(package.dropped_versions, most)));
    if (!package.left_behind.empty())
        out.push_back(fmt::format("{}: no edge leads on any more from {}, of which the catalog has no bundle",
                                  package.name, listed(package.left_behind, most)));
    if (!package.given_up.empty())
        out.push_back(fmt::format("{}: {} could not be kept: {}", package.name,
                                  listed(package.given_up, most), why_given_up));
    if (package.old_default_channel != package.new_default_channel)
        out.push_back(fmt::format("{}: the default channel is now {}, {}", package.name,
                                  package.new_default_channel,
                                  is_dropped(package.old_default_channel, package)
                                      ? fmt::format("as {} is dropped", package.old_default_channel)
                                      : "not " + package.old_default_channel));
    for (const FilteredPackage::Channel& channel : package.channels) describe_channel(package, channel, out);
}

} // namespace

std::string to_text(const FilterReport& report) {
    Lines lines;
    if (!report.dropped_packages.empty())
        lines.push_back(fmt::format("dropped {}: {}", counted(report.dropped_packages.size(), "package"),
                                    listed(report.dropped_packages, most)));
    for (const FilteredPackage& package : report.kept) describe_package(package, lines);
    lines.insert(lines.end(), report.missing_dependencies.begin(), report.missing_dependencies.end());
    lines.insert(lines.end(), report.repairs.begin(), report.repairs.end());
    if (lines.empty()) lines.emplace_back("nothing was dropped");
    std::string out;
    for (const std::string& line : lines) out += escape_controls(line) + '\n';
    return out;
}

} // namespace opcat
