#include "opcat/image/referrers.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace opcat::image {
namespace {

using Json = nlohmann::json;

constexpr std::string_view algorithm = "sha256";
constexpr size_t max_referrers = 10'000;

std::string text_of(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Annotations annotations_of(const Json& object) {
    Annotations annotations;
    if (const auto at = object.find("annotations"); at != object.end() && at->is_object())
        for (const auto& [key, value] : at->items())
            if (value.is_string()) annotations.emplace(key, value.get<std::string>());
    return annotations;
}

std::optional<Json> object_in(std::string_view text) {
    auto json = parse_shallow_json<Json>(text);
    if (!json || !json->is_object()) return std::nullopt;
    return json;
}

} // namespace

std::string tag_of_digest(const std::string& digest) {
    std::string tag = digest;
    std::replace(tag.begin(), tag.end(), ':', '-');
    return tag;
}

std::optional<std::string> digest_of_tag(std::string_view tag) {
    std::string digest(tag);
    if (tag.size() <= algorithm.size() || tag[algorithm.size()] != '-') return std::nullopt;
    digest[algorithm.size()] = ':';
    return is_sha256(digest) ? std::optional(digest) : std::nullopt;
}

std::optional<std::string> subject_of(std::string_view manifest) {
    const auto json = object_in(manifest);
    if (!json || !json->contains("subject") || !(*json)["subject"].is_object()) return std::nullopt;
    const std::string digest = text_of((*json)["subject"], "digest");
    return is_sha256(digest) ? std::optional(digest) : std::nullopt;
}

Referrer referrer_of(const std::string& manifest) {
    const Json json = object_in(manifest).value_or(Json::object());
    Referrer referrer{{"sha256:" + sha256_hex(manifest), manifest.size(), text_of(json, "mediaType")},
                      text_of(json, "artifactType"),
                      annotations_of(json)};
    if (referrer.manifest.media_type.empty()) referrer.manifest.media_type = media_type::manifest;
    if (referrer.artifact_type.empty() && json.contains("config") && json["config"].is_object())
        referrer.artifact_type = text_of(json["config"], "mediaType");
    return referrer;
}

std::optional<std::vector<Referrer>> parse_referrers(std::string_view index) {
    const auto json = object_in(index);
    if (!json || !json->contains("manifests") || !(*json)["manifests"].is_array()) return std::nullopt;
    std::vector<Referrer> referrers;
    for (const Json& entry : (*json)["manifests"]) {
        if (referrers.size() == max_referrers)
            throw Error(fmt::format("the index of referrers has more than {} entries", max_referrers));
        const std::string digest = entry.is_object() ? text_of(entry, "digest") : std::string();
        if (!is_sha256(digest)) throw Error("the index of referrers has an entry without a digest of sha256");
        const auto size = entry.find("size");
        referrers.push_back(
            {{digest, size != entry.end() && size->is_number_unsigned() ? size->get<uint64_t>() : 0,
              text_of(entry, "mediaType")},
             text_of(entry, "artifactType"),
             annotations_of(entry)});
    }
    return referrers;
}

std::string write_referrers(const std::vector<Referrer>& referrers) {
    Json manifests = Json::array();
    for (const Referrer& referrer : referrers) {
        Json& entry = manifests.emplace_back(Json{{"mediaType", referrer.manifest.media_type},
                                                  {"digest", referrer.manifest.digest},
                                                  {"size", referrer.manifest.size}});
        if (!referrer.artifact_type.empty()) entry["artifactType"] = referrer.artifact_type;
        if (!referrer.annotations.empty()) entry["annotations"] = referrer.annotations;
    }
    return as_line(
        Json{{"schemaVersion", 2}, {"mediaType", media_type::index}, {"manifests", std::move(manifests)}});
}

bool is_signature(const Referrer& referrer) {
    constexpr std::array<std::string_view, 3> types{"application/vnd.dev.cosign.artifact.sig.",
                                                    "application/vnd.dev.sigstore.bundle",
                                                    "application/vnd.cncf.notary.signature"};
    return std::any_of(types.begin(), types.end(),
                       [&](std::string_view type) { return referrer.artifact_type.starts_with(type); });
}

} // namespace opcat::image
