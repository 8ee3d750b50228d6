#include "opcat/mirror/update_graph.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/http.hpp"
#include "opcat/image/manifest.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <system_error>

namespace opcat {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* channels_of_release = "io.openshift.upgrades.graph.release.channels";
constexpr size_t most_releases = 100'000;

std::string text_of(const Json& object, const char* name) {
    const auto at = object.is_object() ? object.find(name) : object.end();
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// "a,b" has "b".
bool lists(std::string_view names, std::string_view name) {
    while (true) {
        const size_t comma = names.find(',');
        if (names.substr(0, comma) == name) return true;
        if (comma == names.npos) return false;
        names.remove_prefix(comma + 1);
    }
}

std::string channels_of(const Json& node) {
    const auto metadata = node.find("metadata");
    return metadata == node.end() ? std::string() : text_of(*metadata, channels_of_release);
}

const Json& array_in(const Json& object, const char* name) {
    static const Json none = Json::array();
    const auto at = object.find(name);
    if (at == object.end()) return none;
    if (!at->is_array()) throw Error(fmt::format("{} is not a list", name));
    return *at;
}

size_t index_in(const Json& edge, size_t which, size_t size) {
    if (!edge.is_array() || edge.size() != 2 || !edge[which].is_number_unsigned() ||
        edge[which].get<uint64_t>() >= size)
        throw Error("an edge does not name two of the releases");
    return edge[which].get<size_t>();
}

std::string how_to_save(const std::string& architecture, const std::string& channel) {
    return fmt::format(
        "the update service answers with it, for a file for --releases: curl -H 'Accept: application/json' "
        "'https://api.openshift.com/api/upgrades_info/graph?channel={}&arch={}'",
        channel, architecture);
}

} // namespace

UpdateGraph UpdateGraph::parse(std::string_view text, const std::string& channel) {
    const auto json = parse_shallow_json<Json>(text);
    if (!json || !json->is_object() || !json->contains("nodes"))
        throw Error("it is not an update graph: a JSON object with nodes and edges");
    const Json& nodes = array_in(*json, "nodes");
    if (nodes.size() > most_releases) throw Error("it has too many releases");
    UpdateGraph graph;
    std::vector<std::optional<size_t>> places; // in the graph, of the nodes
    for (const Json& node : nodes) {
        places.emplace_back();
        if (!node.is_object()) throw Error("a node is not an object");
        const std::string channels = channels_of(node);
        if (!channels.empty() && !lists(channels, channel)) continue;
        graph.names_channel |= !channels.empty();
        const std::string version = text_of(node, "version");
        const auto parsed = semver::Version::parse(version);
        if (!parsed) throw Error(fmt::format("\"{}\" is not the version of a release", printable(version)));
        places.back() = graph.releases.size();
        graph.releases.push_back({*parsed, text_of(node, "payload")});
        if (graph.releases.back().image.empty())
            throw Error(fmt::format("the release {} has no payload", printable(version)));
    }
    graph.updates.resize(graph.releases.size());
    for (const Json& edge : array_in(*json, "edges")) {
        const auto from = places[index_in(edge, 0, places.size())];
        const auto to = places[index_in(edge, 1, places.size())];
        if (from && to) graph.updates[*from].push_back(*to);
    }
    for (std::vector<size_t>& targets : graph.updates)
        std::sort(targets.begin(), targets.end(), [&](size_t a, size_t b) {
            return std::is_gt(graph.releases[a].version <=> graph.releases[b].version);
        });
    return graph;
}

std::optional<size_t> UpdateGraph::find(const semver::Version& version) const {
    const auto at = std::find_if(releases.begin(), releases.end(),
                                 [&](const Release& release) { return release.version == version; });
    return at == releases.end() ? std::nullopt : std::optional(static_cast<size_t>(at - releases.begin()));
}

namespace {

bool is_older(const UpdateGraph::Release& a, const UpdateGraph::Release& b) {
    return a.version < b.version;
}

} // namespace

const semver::Version& UpdateGraph::least() const {
    return std::min_element(releases.begin(), releases.end(), is_older)->version;
}

const semver::Version& UpdateGraph::most() const {
    return std::max_element(releases.begin(), releases.end(), is_older)->version;
}

std::vector<size_t> UpdateGraph::shortest_path(size_t from, size_t to) const {
    std::vector<std::optional<size_t>> before(releases.size());
    before[from] = from;
    for (std::deque<size_t> open{from}; !open.empty() && !before[to]; open.pop_front())
        for (const size_t next : updates[open.front()]) {
            if (before[next]) continue;
            before[next] = open.front();
            open.push_back(next);
        }
    std::vector<size_t> path;
    if (!before[to]) return path;
    for (size_t at = to; at != from; at = *before[at]) path.push_back(at);
    path.push_back(from);
    std::reverse(path.begin(), path.end());
    return path;
}

UpdateGraphs::UpdateGraphs(std::string place, image::Options options)
    : place_(std::move(place)), options_(std::move(options)) {}

const UpdateGraph& UpdateGraphs::get(const std::string& architecture, const std::string& channel) {
    auto& known = known_[{architecture, channel}];
    if (known) return *known;
    try {
        UpdateGraph graph = UpdateGraph::parse(read(architecture, channel), channel);
        if (graph.releases.empty()) throw Error("it has no release of the channel");
        std::error_code absent;
        graph.is_assumed =
            !graph.names_channel && !image::is_http_url(place_) && !fs::is_directory(place_, absent);
        known = std::make_unique<const UpdateGraph>(std::move(graph));
    } catch (const Error& error) {
        known.reset();
        throw error.with_message(fmt::format("cannot use the update graph of {} for {} from {}: {}", channel,
                                             architecture, place_, error.what()));
    }
    return *known;
}

std::string UpdateGraphs::read(const std::string& architecture, const std::string& channel) const {
    if (!image::is_http_url(place_)) {
        fs::path path = place_;
        std::error_code absent;
        if (fs::is_directory(path, absent)) path /= fmt::format("{}-{}.json", architecture, channel);
        if (!fs::exists(path, absent))
            throw Error(fmt::format("{} does not exist", path.string()), how_to_save(architecture, channel));
        return std::string(read_file(path, path.string(), image::max_document_size * 4)->bytes());
    }
    image::HttpClient client(options_);
    image::HttpRequest request;
    request.url = image::Url::parse(fmt::format("{}{}channel={}&arch={}", place_,
                                                place_.find('?') == std::string::npos ? '?' : '&',
                                                image::url_escape(channel), image::url_escape(architecture)));
    request.accept = "application/json";
    request.retries = options_.retries;
    try {
        image::HttpResponse answer = client.send(request);
        if (answer.status == 200) return std::move(answer.body);
        throw Error(fmt::format("the update service answers with {}", answer.status),
                    how_to_save(architecture, channel));
    } catch (const image::TransferError& error) {
        throw Error(fmt::format("the update service does not answer: {}", error.what()),
                    how_to_save(architecture, channel));
    }
}

} // namespace opcat
