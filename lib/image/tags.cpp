#include "opcat/image/tags.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/referrers.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <variant>

namespace opcat::image {
namespace {

constexpr size_t max_pages_of_tags = 50; // 1,000 on each

// A repository without a tag counts as unknown in some registries, whatever it has under digests.
bool is_unknown_repository(const HttpResponse& answer) {
    if (answer.status != 404) return false;
    const auto json = parse_shallow_json<nlohmann::json>(answer.body);
    const nlohmann::json::json_pointer code("/errors/0/code");
    return json && json->contains(code) && json->at(code) == "NAME_UNKNOWN";
}

} // namespace

// `<URL>; rel="next"`. A registry behind a proxy may not know its own address, so the next page is asked for
// where this one came from.
std::optional<Url> next_page(const HttpResponse& answer) {
    const std::string link = answer.header("link");
    if (link.empty()) return std::nullopt;
    const size_t end = link.find('>');
    if (!link.starts_with('<') || end == link.npos)
        throw Error(fmt::format("{} does not say where its list goes on", answer.url.host));
    if (link.find("next", end) == link.npos) return std::nullopt;
    const std::string next = link.substr(1, end - 1);
    constexpr std::string_view before_host = "://";
    const size_t scheme = next.find(before_host);
    if (scheme == next.npos) return Url::parse(next, &answer.url);
    const size_t path = next.find('/', scheme + before_host.size());
    return Url::parse(path == next.npos ? "/" : next.substr(path), &answer.url);
}

std::optional<std::set<std::string>> list_tags(RegistryClient& client, const Endpoint& endpoint,
                                               const IsTag& wanted) {
    std::set<std::string> tags;
    RegistryRequest request{.path = "tags/list?n=1000"};
    for (size_t page = 0; page < max_pages_of_tags; ++page) {
        const HttpResponse answer = client.send(endpoint, request);
        if (is_unknown_repository(answer)) return tags;
        const auto json = parse_shallow_json<nlohmann::json>(answer.body);
        if (answer.status != 200 || !json || !json->is_object() || !json->contains("tags"))
            return std::nullopt;
        if (const auto list = json->find("tags"); list->is_array())
            for (const auto& tag : *list)
                if (tag.is_string() && wanted(tag.get_ref<const std::string&>()))
                    tags.insert(tag.get<std::string>());
        const auto next = next_page(answer);
        if (!next) return tags;
        request.url = *next;
    }
    return std::nullopt;
}

namespace {

// Adds what is in the index of a tag, and in the indexes in it, if they are there. Throws Error.
void add_entries(RegistryClient& client, const Endpoint& endpoint, const std::string& bytes,
                 const std::string& tag, int depth, std::map<std::string, std::string>& named) {
    const auto document = parse_manifest(bytes);
    const auto* const index = std::get_if<Index>(&document);
    if (!index) return;
    if (depth > max_nested_indexes) throw Error(nested_too_deep);
    for (const IndexEntry& entry : index->entries) {
        const std::string& type = entry.manifest.media_type;
        const bool may_be_index =
            type.empty() || type == media_type::index || type == media_type::docker_index;
        if (!named.emplace(entry.manifest.digest, tag).second || !may_be_index) continue;
        try {
            add_entries(client, endpoint, client.manifest(endpoint, entry.manifest.digest), tag, depth + 1,
                        named);
        } catch (const Error& error) {
            if (!error.absent()) throw;
        }
    }
}

} // namespace

std::optional<std::map<std::string, std::string>>
images_named_by(RegistryClient& client, const Endpoint& endpoint, const IsTag& wanted) {
    const auto tags = list_tags(client, endpoint, wanted);
    if (!tags) return std::nullopt;
    std::map<std::string, std::string> named;
    for (const std::string& tag : *tags) {
        try {
            const std::string bytes = client.manifest(endpoint, tag);
            const std::string digest = "sha256:" + sha256_hex(bytes);
            if (const auto subject = digest_of_tag(tag); subject && subject != digest) continue;
            named.emplace(digest, tag);
            add_entries(client, endpoint, bytes, tag, 0, named);
        } catch (const Error& error) {
            if (!error.absent()) throw;
        }
    }
    return named;
}

} // namespace opcat::image
