#include "opcat/mirror/can_start.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/olm/next_steps.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/semver/constraints.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <set>

namespace opcat {

StartState StartOfOperator::state() const {
    StartState state = StartState::good;
    for (const StartFault& fault : faults) {
        if (fault.state == StartState::bad) return StartState::bad;
        state = StartState::unknown;
    }
    return state;
}

namespace {

using Channels = std::vector<const ChannelGraph*>;

// What OLM v1 takes without edges: the highest version in the range.
std::vector<NodeId> highest(const PackageGraph& package, const Channels& channels,
                            const std::function<bool(NodeId)>& is_in_range) {
    std::vector<NodeId> best;
    for (const ChannelGraph* const channel : channels)
        for (const GraphEntry& entry : channel->entries) {
            const auto& version = package.nodes[entry.node].version;
            if (!version || !is_in_range(entry.node)) continue;
            if (!best.empty() && *package.nodes[best.front()].version < *version) best.clear();
            if (best.empty() || *package.nodes[best.front()].version == *version) best.push_back(entry.node);
        }
    return best;
}

// Where an installation begins, or what is installed is upgraded to, one after the other. May have more than
// OLM takes, and nothing that it takes is missing.
std::vector<NodeId> next_of(const PackageGraph& package, const Channels& channels, const ClusterOperator& one,
                            const Installed& installed) {
    std::vector<NodeId> next;
    const auto range = semver::Constraints::parse(one.range.empty() ? "*" : one.range);
    const auto is_in_range = [&](NodeId node) {
        const auto& version = package.nodes[node].version;
        return one.range.empty() || (version && range && range->check(version->version));
    };
    if (!one.is_classic && (one.installed.empty() || !one.needs_edges)) {
        next = highest(package, channels, is_in_range);
        if (one.installed.empty()) return next;
    }
    for (const ChannelGraph* const channel : channels) {
        if (one.installed.empty()) {
            const auto wish = package.node_by_name.find(one.wanted);
            if (one.wanted.empty())
                next.push_back(channel->head());
            else if (wish != package.node_by_name.end() && channel->find(wish->second))
                next.push_back(wish->second);
            continue;
        }
        for (const GraphEntry& entry : channel->entries)
            if (is_in_range(entry.node) && !edges_from(package, *channel, entry, installed).empty())
                next.push_back(entry.node);
        // Upgrades go on by themselves.
        if (one.is_classic)
            for (const PathStep& step : walk_classic(package, *channel, installed).steps)
                next.push_back(step.to);
    }
    if (one.is_classic || one.installed.empty()) return next;
    if (one.range.empty()) {
        for (const PathStep& step : walk_v1(package, channels, installed).steps) next.push_back(step.to);
        return next;
    }
    std::set<NodeId> seen(next.begin(), next.end());
    for (size_t i = 0; i < next.size(); ++i)
        for (const ChannelGraph* const channel : channels)
            for (const GraphEntry& entry : channel->entries)
                if (is_in_range(entry.node) && !seen.contains(entry.node) &&
                    !edges_from(package, *channel, entry, installed_node(package, next[i])).empty()) {
                    seen.insert(entry.node);
                    next.push_back(entry.node);
                }
    return next;
}

} // namespace

StartCheck::StartCheck(ClusterNeeds needs, std::string prefix)
    : needs_(std::move(needs)), prefix_(std::move(prefix)) {}

StartCheck::Place StartCheck::place_of(const std::string& image) const {
    const auto spec = PullSpec::parse(image);
    if (!spec || spec->registry().empty())
        return {{}, {StartState::bad, image, {}, "it is not a pull spec with a registry"}};
    std::vector<std::string> elsewhere;
    try {
        for (const image::Endpoint& endpoint : needs_.mirrors.endpoints(*spec)) {
            const std::string name = endpoint.spec.name();
            if (name.starts_with(prefix_ + "/")) {
                const std::string& digest = endpoint.spec.digest();
                return {digest.empty() ? fmt::format("{}:{}", name, endpoint.spec.reference())
                                       : fmt::format("{}@{}", name, digest),
                        {}};
            }
            if (endpoint.is_mirror) elsewhere.push_back(name);
        }
    } catch (const Error& error) {
        return {{}, {StartState::unknown, image, {}, error.what()}};
    }
    if (!elsewhere.empty())
        return {{}, {StartState::bad, image, {}, "the mirror sets lead to " + elsewhere.front()}};
    if (!needs_.has_mirror_sets)
        return {{}, {StartState::unknown, image, {}, "no mirror sets are among the objects of the cluster"}};
    if (needs_.is_partial)
        return {{}, {StartState::unknown, image, {}, "no mirror set that could be read covers it"}};
    return {{}, {StartState::bad, image, {}, "no mirror set covers it"}};
}

std::vector<std::pair<std::string, std::string>> StartCheck::catalogs() const {
    std::map<std::string, std::string> all;
    for (const ClusterOperator& one : needs_.operators)
        for (const std::string& image : one.catalogs)
            if (Place place = place_of(image); place.inside()) all.emplace(image, std::move(place.reference));
    return {all.begin(), all.end()};
}

void StartCheck::add(const std::string& image, const Catalog& content) {
    contents_[image] = &content;
}

void StartCheck::add_unreadable(const std::string& image, const Error& why) {
    unreadable_[image] = {why.absent() ? StartState::bad : StartState::unknown, image, {}, why.what()};
}

void StartCheck::add_bundle(const Bundle& bundle, Wanted& wanted) {
    const std::string name(std::string_view(bundle.name));
    if (const std::string_view image = bundle.image; !image.empty()) wanted.emplace_back(image, name);
    for (const RelatedImage& related : bundle.related_images)
        if (const std::string_view image = related.image; !image.empty()) wanted.emplace_back(image, name);
}

StartCheck::Found StartCheck::look_into(const Catalog& content, const ClusterOperator& one,
                                        StartOfOperator& start, Wanted& wanted, ThreadPool& pool) {
    Found found;
    const UpgradeGraph graph = build_upgrade_graph(content, pool);
    const PackageGraph* const package = graph.find(one.package);
    if (!package) return found;
    found.package = true;
    Installed installed{no_node, one.installed, {}};
    if (const auto at = package->node_by_name.find(one.installed); at != package->node_by_name.end())
        installed = installed_node(*package, at->second);
    else if (const auto version = semver::VersionRelease::parse_legacy(one.version))
        installed.version = *version;
    if (installed.node != no_node)
        if (const Bundle* const bundle = package->nodes[installed.node].bundle) {
            found.installed = true;
            add_bundle(*bundle, wanted);
        }
    std::vector<const ChannelGraph*> channels;
    for (const ChannelGraph& channel : package->channels)
        if (one.channels.empty() || std::ranges::find(one.channels, channel.name) != one.channels.end())
            channels.push_back(&channel);
    found.channel = !channels.empty();
    std::set<std::string> next;
    for (const NodeId node : next_of(*package, channels, one, installed)) {
        const Bundle* const bundle = node == no_node ? nullptr : package->nodes[node].bundle;
        if (bundle && node != installed.node && next.emplace(package->nodes[node].name).second)
            add_bundle(*bundle, wanted);
    }
    start.next.insert(start.next.end(), next.begin(), next.end());
    return found;
}

std::string StartCheck::why_unresolved(const ClusterOperator& one, const Found& found,
                                       const StartOfOperator& start) {
    const char* const stuck = one.is_classic ? ": OLM resolves nothing in the namespace" : "";
    if (!found.package) return fmt::format("no catalog in the mirror has package {}{}", one.package, stuck);
    if (!found.channel)
        return fmt::format("the catalog in the mirror has no channel {} of {}{}", listed(one.channels),
                           one.package, stuck);
    if (!one.range.empty() && !semver::Constraints::parse(one.range))
        return fmt::format("\"{}\" is not a range of versions", one.range);
    if (one.installed.empty() && start.next.empty())
        return fmt::format("the catalogs in the mirror have no bundle of {} to install", one.package);
    return {};
}

std::vector<StartOfOperator> StartCheck::run(MirrorCheck& mirror, bool verify, ThreadPool& pool) {
    std::vector<StartOfOperator> starts;
    std::vector<Wanted> wanted; // by operator
    for (const ClusterOperator& one : needs_.operators) {
        StartOfOperator start{one.name, one.package, one.installed, {}, 0, {}};
        auto& images = wanted.emplace_back();
        Found found;
        bool has_content = false;
        bool has_all_content = true;
        for (const std::string& catalog : one.catalogs) {
            if (Place place = place_of(catalog); !place.inside()) {
                has_all_content = false;
                start.faults.push_back(std::move(place.fault));
            } else if (const auto known = contents_.find(catalog); known != contents_.end()) {
                has_content = true;
                found.add(look_into(*known->second, one, start, images, pool));
                images.emplace_back(catalog, std::string());
            } else if (const auto failed = unreadable_.find(catalog); failed != unreadable_.end()) {
                has_all_content = false;
                start.faults.push_back(failed->second);
            }
        }
        if (!one.no_catalog.empty())
            start.faults.push_back({StartState::unknown, {}, one.installed, one.no_catalog});
        for (const std::string& image : one.images) images.emplace_back(image, one.installed);
        if (!one.installed.empty() && !found.installed && one.images.empty())
            start.faults.push_back(
                {StartState::unknown,
                 {},
                 one.installed,
                 "neither a catalog in the mirror nor a ClusterServiceVersion says which images "
                 "it has"});
        if (has_content && has_all_content)
            if (std::string why = why_unresolved(one, found, start); !why.empty())
                start.faults.push_back({StartState::bad,
                                        {},
                                        one.installed.empty() ? one.wanted : one.installed,
                                        std::move(why)});
        starts.push_back(std::move(start));
    }
    // Each image once, for all operators.
    std::map<std::string, Place> places;
    std::map<std::string, size_t> asked;
    std::vector<std::string> references;
    for (const auto& images : wanted)
        for (const auto& [image, bundle] : images) {
            const auto [at, is_new] = places.try_emplace(image);
            if (is_new) at->second = place_of(image);
            if (is_new && at->second.inside() &&
                asked.emplace(at->second.reference, references.size()).second)
                references.push_back(at->second.reference);
        }
    const std::vector<std::vector<PartFault>> found = mirror.look_at(references, verify, pool);
    for (size_t i = 0; i < starts.size(); ++i) {
        std::set<std::string> seen;
        for (const auto& [image, bundle] : wanted[i]) {
            if (!seen.insert(image).second) continue;
            ++starts[i].images;
            const Place& place = places.at(image);
            if (!place.inside()) {
                starts[i].faults.push_back(place.fault);
                starts[i].faults.back().bundle = bundle;
                continue;
            }
            for (const PartFault& fault : found[asked.at(place.reference)])
                starts[i].faults.push_back(
                    {fault.state == PartState::unknown ? StartState::unknown : StartState::bad, image, bundle,
                     fmt::format("{}{}{} in the mirror: {}", fault.part, fault.digest.empty() ? "" : " ",
                                 fault.digest, fault.why)});
        }
    }
    return starts;
}

std::string_view to_string(StartState state) {
    return state == StartState::good ? "yes" : state == StartState::bad ? "no" : "unknown";
}

std::string start_as_rows(const std::vector<StartOfOperator>& operators) {
    std::string rows = "STARTS\tOPERATOR\tINSTALLED\tNEXT\tIMAGES\n";
    for (const StartOfOperator& one : operators) {
        std::vector<std::string_view> next(one.next.begin(), one.next.end());
        rows +=
            fmt::format("{}\t{}\t{}\t{}\t{}\n", to_string(one.state()), escape_controls(one.name),
                        escape_controls(one.installed), escape_controls(shorten_list(next, 60)), one.images);
    }
    return rows;
}

std::string start_as_json(const std::vector<StartOfOperator>& operators) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const StartOfOperator& one : operators) {
        Json faults = Json::array();
        for (const StartFault& fault : one.faults)
            faults.push_back(Json{{"state", to_string(fault.state)},
                                  {"image", fault.image},
                                  {"bundle", fault.bundle},
                                  {"why", fault.why}});
        list.push_back(Json{{"operator", one.name},
                            {"package", one.package},
                            {"starts", to_string(one.state())},
                            {"installed", one.installed},
                            {"next", one.next},
                            {"images", one.images},
                            {"faults", std::move(faults)}});
    }
    return as_document(Json{{"schema", "opcat.mirror-start.v1"}, {"operators", std::move(list)}});
}

} // namespace opcat
