#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/go_sort.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/semver/blang_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace opcat {
namespace {

using Names = std::unordered_set<std::string_view>;
using Versions = std::unordered_map<std::string_view, semver::Version>;

constexpr std::string_view head =
    "graph LR\n"
    "  classDef deprecated fill:#E8960F\n"
    "  classDef skipped stroke:#FF0000,stroke-width:4px\n"
    "  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px\n";

// Versions by bundle name; of several bundles of one name the first counts, whatever their packages.
Versions read_versions(const Catalog& catalog, Diagnostics& diagnostics) {
    Versions versions;
    for (const Bundle& bundle : catalog.bundles) {
        if (versions.contains(bundle.name)) continue;
        check_properties(bundle, diagnostics);
        const auto count = std::count_if(bundle.properties.begin(), bundle.properties.end(),
                                         [](const Property& p) { return p.type == property_type::package; });
        if (count != 1) {
            diagnostics.push_back(
                error("package-property", bundle.at(bundle.name),
                      fmt::format(
                          "bundle \"{}\" has {} olm.package properties and must have exactly one to be drawn",
                          bundle.name.text, count == 0 ? "no" : std::to_string(count))));
            continue;
        }
        const auto property = package_property(bundle);
        const Text text = property ? property->version : Text{};
        auto version = semver::Version::parse(text);
        if (version)
            versions.emplace(bundle.name, *std::move(version));
        else
            diagnostics.push_back(error("bundle-version", text.empty() ? bundle.start() : bundle.at(text),
                                        fmt::format("bundle \"{}\" has no version that can be read: {}",
                                                    bundle.name.text, version.error().message)));
    }
    std::erase_if(diagnostics, [](const Diagnostic& d) { return d.severity != Severity::error; });
    return versions;
}

struct Entry {
    std::string_view name;
    std::string_view replaces;
    std::vector<std::string_view> skips;
    std::string_view skip_range;
    const ChannelEntry* source;

    bool leads_nowhere() const { return replaces.empty() && skips.empty() && skip_range.empty(); }
};

Entry with_all_edges(const ChannelEntry& source) {
    Entry entry{source.name, source.replaces, {}, source.skip_range, &source};
    entry.skips.assign(source.skips.begin(), source.skips.end());
    return entry;
}

class Drawing {
public:
    Drawing(const Catalog& catalog, const MermaidOptions& options, Versions versions,
            Diagnostics& diagnostics)
        : catalog_(catalog), options_(options), versions_(std::move(versions)), diagnostics_(diagnostics) {
        if (!options.minimum_edge.empty()) {
            const auto found = versions_.find(options.minimum_edge);
            if (found == versions_.end()) throw_unknown_edge();
            minimum_ = found->second;
        }
        for (const Deprecations& deprecations : catalog.deprecations)
            for (const DeprecationEntry& entry : deprecations.entries) {
                if (entry.schema == schema::package) deprecated_packages_.insert(deprecations.package);
                if (entry.schema == schema::channel) deprecated_channels_.insert(entry.name);
                if (entry.schema == schema::bundle) deprecated_bundles_.insert(entry.name);
            }
    }

    std::string draw() {
        std::vector<const Channel*> channels;
        for (const Channel& channel : catalog_.channels) channels.push_back(&channel);
        go_sort(std::span(channels),
                [](const Channel* a, const Channel* b) { return a->name.text < b->name.text; });
        const auto with_minimum = std::find_if(channels.begin(), channels.end(), [&](const Channel* channel) {
            return std::any_of(
                channel->entries.begin(), channel->entries.end(), [&](const ChannelEntry& entry) {
                    return !options_.minimum_edge.empty() && entry.name == options_.minimum_edge;
                });
        });
        // A channel of no package limits the drawing to none.
        const std::string_view package_of_minimum =
            with_minimum == channels.end() ? std::string_view() : (*with_minimum)->package.text;
        for (const Channel* channel : channels) {
            if (!options_.package.empty() && channel->package != options_.package) continue;
            if (!options_.channel.empty() && channel->name != options_.channel) continue;
            if (!package_of_minimum.empty() && channel->package != package_of_minimum) continue;
            const std::vector<Entry> entries = entries_to_draw(*channel);
            if (!entries.empty() || (options_.package.empty() && options_.minimum_edge.empty()))
                draw_channel(*channel, entries);
        }
        return assemble();
    }

private:
    [[noreturn]] void throw_unknown_edge() const {
        std::vector<std::string_view> names;
        for (const auto& [name, version] : versions_) names.push_back(name);
        std::sort(names.begin(), names.end());
        throw RequestError(fmt::format("unknown minimum edge name: {}", go_quote(options_.minimum_edge)),
                           did_you_mean(options_.minimum_edge, names));
    }

    // Returns the version of a bundle; 0.0.0 for a name without a bundle.
    const semver::Version& version_of(std::string_view name) const {
        static const semver::Version none;
        const auto found = versions_.find(name);
        return found == versions_.end() ? none : found->second;
    }
    bool is_new_enough(std::string_view name) const { return version_of(name) >= minimum_; }

    // Without what is older than the minimum. An entry that loses all its edges by that is left out.
    std::vector<Entry> entries_to_draw(const Channel& channel) const {
        std::vector<Entry> entries;
        for (const ChannelEntry& source : channel.entries) {
            const Entry whole = with_all_edges(source);
            if (options_.minimum_edge.empty()) {
                entries.push_back(whole);
                continue;
            }
            Entry entry{whole.name, {}, {}, {}, &source};
            if (entry.name == options_.minimum_edge) {
                entries.push_back(entry);
                continue;
            }
            if (!whole.replaces.empty() && is_new_enough(whole.replaces)) entry.replaces = whole.replaces;
            std::copy_if(whole.skips.begin(), whole.skips.end(), std::back_inserter(entry.skips),
                         [&](std::string_view skip) { return is_new_enough(skip); });
            if (!whole.skip_range.empty()) {
                const auto range = semver::BlangRange::parse(whole.skip_range);
                if (range && range->contains(minimum_)) entry.skip_range = whole.skip_range;
            }
            if (!entry.leads_nowhere() || (whole.leads_nowhere() && is_new_enough(entry.name)))
                entries.push_back(std::move(entry));
        }
        return entries;
    }

    void draw_channel(const Channel& channel, const std::vector<Entry>& entries) {
        std::string& out = text_of_package_[channel.package];
        const std::string id = fmt::format("{}-{}", channel.package.text, channel.name.text);
        out += fmt::format("    %% channel {}\n    subgraph {}[{}]\n", go_quote(channel.name), id,
                           go_quote(channel.name));
        if (deprecated_packages_.contains(channel.package)) deprecated_package_ = channel.package;
        if (deprecated_channels_.contains(channel.name)) deprecated_channel_ids_.push_back(id);

        std::vector<const Entry*> newest_first;
        newest_first.reserve(entries.size());
        for (const Entry& entry : entries) newest_first.push_back(&entry);
        go_sort(std::span(newest_first),
                [&](const Entry* a, const Entry* b) { return version_of(a->name) > version_of(b->name); });
        std::vector<const Entry*> ascending = newest_first;
        std::ranges::sort(ascending, {}, [&](const Entry* entry) -> const semver::Version& {
            return version_of(entry->name);
        });
        const auto node = [&](std::string_view name) {
            return fmt::format("{}-{}[{}]", id, name, go_quote(name));
        };
        Names skipped;
        for (const Entry* entry : newest_first) {
            const std::string to = node(entry->name);
            out += fmt::format("      {}\n", to);
            classify(fmt::format("{}-{}", id, entry->name), deprecated_bundles_.contains(entry->name),
                     skipped.contains(entry->name));
            for (const std::string_view skip : entry->skips) {
                out += fmt::format("      {}-- skip --> {}\n", node(skip), to);
                count_link(options_.classic_semantics && !skipped.insert(skip).second);
            }
            // As in opm, skips of the same entry count here, but those of entries further down do not.
            const bool is_skipped = skipped.contains(entry->name);
            if (!entry->skip_range.empty())
                draw_skip_range(channel, *entry, ascending, is_skipped, node, out);
            if (!entry->replaces.empty()) {
                out += fmt::format("      {}-- replace --> {}\n", node(entry->replaces), to);
                count_link(is_skipped);
            }
        }
        out += "    end\n";
    }

    template <typename Node>
    void draw_skip_range(const Channel& channel, const Entry& entry, std::span<const Entry* const> ascending,
                         bool is_skipped, const Node& node, std::string& out) {
        const auto range = semver::BlangRange::parse(entry.skip_range);
        if (!range) {
            diagnostics_.push_back(
                warning("skip-range-syntax", channel.at(entry.source->skip_range),
                        fmt::format("ignoring the skipRange of {}: {}", entry.name, range.error().message)));
            return;
        }
        const std::string to =
            fmt::format("-- \"skipRange({})\" --> {}\n", entry.skip_range, node(entry.name));
        std::vector<const Entry*> covered;
        for (const auto [begin, end] :
             range->ranks_in(ascending.size(), [&](size_t i) -> const semver::Version& {
                 return version_of(ascending[i]->name);
             }))
            covered.insert(covered.end(), ascending.begin() + begin, ascending.begin() + end);
        std::ranges::sort(covered); // in the order of the channel
        for (const Entry* const from : covered) {
            out += fmt::format("      {}{}", node(from->name), to);
            count_link(is_skipped);
        }
    }

    void classify(std::string id, bool deprecated, bool skipped) {
        if (deprecated && skipped)
            deprecated_skipped_ids_.insert(std::move(id));
        else if (deprecated)
            deprecated_ids_.insert(std::move(id));
        else if (skipped)
            skipped_ids_.insert(std::move(id));
    }

    void count_link(bool leads_to_skipped) {
        if (leads_to_skipped) skipped_links_.push_back(links_);
        ++links_;
    }

    std::string assemble() const {
        std::string text(head);
        for (const auto& [package, drawing] : text_of_package_)
            text += fmt::format("  %% package {0}\n  subgraph {0}\n{1}  end\n", go_quote(package), drawing);
        if (!deprecated_package_.empty()) text += fmt::format("style {} fill:#989695\n", deprecated_package_);
        for (const std::string& id : deprecated_channel_ids_)
            text += fmt::format("style {} fill:#DCD0FF\n", id);
        const auto put_class = [&](const auto& ids, std::string_view name) {
            if (!ids.empty()) text += fmt::format("class {} {}\n", fmt::join(ids, ","), name);
        };
        put_class(deprecated_ids_, "deprecated");
        put_class(deprecated_skipped_ids_, "deprecatedskipped");
        put_class(skipped_ids_, "skipped");
        if (!skipped_links_.empty())
            text += fmt::format("linkStyle {} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;\n",
                                fmt::join(skipped_links_, ","));
        return text;
    }

    const Catalog& catalog_;
    const MermaidOptions& options_;
    const Versions versions_;
    Diagnostics& diagnostics_;
    semver::Version minimum_; // 0.0.0: all but its prereleases
    Names deprecated_packages_, deprecated_channels_, deprecated_bundles_;

    std::map<std::string_view, std::string> text_of_package_;
    std::string_view deprecated_package_; // opm marks only the last one
    std::vector<std::string> deprecated_channel_ids_;
    std::multiset<std::string> deprecated_ids_, skipped_ids_, deprecated_skipped_ids_;
    size_t links_ = 0;
    std::vector<size_t> skipped_links_;
};

} // namespace

MermaidGraph draw_mermaid(const Catalog& catalog, const MermaidOptions& options) {
    MermaidGraph graph;
    Versions versions = read_versions(catalog, graph.diagnostics);
    if (graph.diagnostics.empty())
        graph.text = Drawing(catalog, options, std::move(versions), graph.diagnostics).draw();
    return graph;
}

} // namespace opcat
