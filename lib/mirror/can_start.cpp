#include "opcat/mirror/can_start.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/olm/next_steps.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/olm/paths.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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

bool StartCheck::look_into(const Catalog& content, const ClusterOperator& one, StartOfOperator& start,
                           Wanted& wanted, ThreadPool& pool) {
    const UpgradeGraph graph = build_upgrade_graph(content, pool);
    const PackageGraph* const package = graph.find(one.package);
    if (!package) return false;
    bool has_installed = false;
    Installed installed;
    if (const auto at = package->node_by_name.find(one.installed); at != package->node_by_name.end()) {
        installed = installed_node(*package, at->second);
    } else {
        installed.name = one.installed;
        const auto version = semver::VersionRelease::parse_legacy(one.version);
        if (version) installed.version = *version;
    }
    if (installed.node != no_node)
        if (const Bundle* const bundle = package->nodes[installed.node].bundle) {
            has_installed = true;
            add_bundle(*bundle, wanted);
        }
    std::set<std::string> next;
    const auto take = [&](NodeId node) {
        const Bundle* const bundle = node == no_node ? nullptr : package->nodes[node].bundle;
        if (bundle && node != installed.node && next.emplace(package->nodes[node].name).second)
            add_bundle(*bundle, wanted);
    };
    std::vector<const ChannelGraph*> channels;
    for (const ChannelGraph& channel : package->channels) {
        const bool is_wanted = one.channels.empty() ? (!one.is_classic || channel.is_default)
                                                    : std::find(one.channels.begin(), one.channels.end(),
                                                                channel.name) != one.channels.end();
        if (!is_wanted) continue;
        if (one.installed.empty()) {
            const auto wish = package->node_by_name.find(one.wanted);
            take(wish == package->node_by_name.end() ? channel.head() : wish->second);
            continue;
        }
        for (const GraphEntry& entry : channel.entries)
            if (!edges_from(*package, channel, entry, installed).empty()) take(entry.node);
        if (one.is_classic)
            for (const PathStep& step : walk_classic(*package, channel, installed).steps) take(step.to);
        channels.push_back(&channel);
    }
    // Upgrades go on by themselves.
    if (!one.is_classic && !one.installed.empty())
        for (const PathStep& step : walk_v1(*package, channels, installed).steps) take(step.to);
    const auto is_there = [&](const std::string& name) {
        return std::ranges::any_of(package->channels,
                                   [&](const ChannelGraph& channel) { return channel.name == name; });
    };
    if (one.is_classic && !one.installed.empty() && !one.channels.empty() &&
        std::ranges::none_of(one.channels, is_there))
        start.faults.push_back({StartState::bad,
                                {},
                                one.installed,
                                fmt::format("the catalog in the mirror has no channel {} of {}: OLM resolves "
                                            "nothing in the namespace",
                                            *one.channels.begin(), one.package)});
    start.next.insert(start.next.end(), next.begin(), next.end());
    return has_installed;
}

std::vector<StartOfOperator> StartCheck::run(MirrorCheck& mirror, bool verify, ThreadPool& pool) {
    std::vector<StartOfOperator> starts;
    std::vector<Wanted> wanted; // by operator
    for (const ClusterOperator& one : needs_.operators) {
        StartOfOperator start{one.name, one.package, one.installed, {}, 0, {}};
        auto& images = wanted.emplace_back();
        bool has_installed = false;
        bool has_content = false;
        for (const std::string& catalog : one.catalogs) {
            if (Place place = place_of(catalog); !place.inside()) {
                start.faults.push_back(std::move(place.fault));
            } else if (const auto known = contents_.find(catalog); known != contents_.end()) {
                has_content = true;
                has_installed = look_into(*known->second, one, start, images, pool) || has_installed;
                images.emplace_back(catalog, std::string());
            } else if (const auto failed = unreadable_.find(catalog); failed != unreadable_.end()) {
                start.faults.push_back(failed->second);
            }
        }
        if (!one.no_catalog.empty())
            start.faults.push_back({StartState::unknown, {}, one.installed, one.no_catalog});
        for (const std::string& image : one.images) images.emplace_back(image, one.installed);
        if (!one.installed.empty() && !has_installed && one.images.empty())
            start.faults.push_back(
                {StartState::unknown,
                 {},
                 one.installed,
                 "neither a catalog in the mirror nor a ClusterServiceVersion says which images "
                 "it has"});
        if (one.installed.empty() && has_content && start.next.empty())
            start.faults.push_back(
                {StartState::bad,
                 {},
                 one.wanted,
                 fmt::format("the catalogs in the mirror have no bundle of {} to install", one.package)});
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
