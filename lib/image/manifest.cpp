#include "opcat/image/manifest.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::image {
namespace {

using Json = nlohmann::json;

constexpr size_t max_layers = 1000;
constexpr size_t max_index_entries = 10'000;

Json parse_object(std::string_view bytes, std::string_view what) {
    auto json = parse_shallow_json<Json>(bytes);
    if (!json || !json->is_object()) {
        if (looks_like_html(bytes))
            throw Error(fmt::format("{} is an HTML page", what),
                        "there may be a proxy or a login page between this machine and the registry");
        throw Error(fmt::format("{} is not a JSON object", what));
    }
    return *std::move(json);
}

const Json& member(const Json& object, const char* name) {
    static const Json absent;
    const auto at = object.find(name);
    return at == object.end() ? absent : *at;
}

std::string string_member(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

Descriptor read_descriptor(const Json& json, std::string_view what) {
    if (!json.is_object()) throw Error(fmt::format("{} is missing or no object", what));
    Descriptor descriptor{string_member(json, "digest"), 0, string_member(json, "mediaType")};
    const Json& size = member(json, "size");
    if (!is_sha256(descriptor.digest))
        throw Error(fmt::format("the digest of {} is \"{}\", not \"sha256:\" and 64 hexadecimal digits", what,
                                printable(descriptor.digest)));
    if (!size.is_number_unsigned()) throw Error(fmt::format("the size of {} is not a number", what));
    descriptor.size = size.get<uint64_t>();
    return descriptor;
}

std::map<std::string, std::string> read_strings(const Json& json) {
    std::map<std::string, std::string> strings;
    if (json.is_object())
        for (const auto& [key, value] : json.items())
            if (value.is_string()) strings.emplace(key, value.get<std::string>());
    return strings;
}

std::optional<Platform> read_platform(const Json& json) {
    if (!json.is_object()) return std::nullopt;
    Platform platform{string_member(json, "os"), string_member(json, "architecture"),
                      string_member(json, "variant")};
    if (platform.os.empty() && platform.architecture.empty()) return std::nullopt;
    return platform;
}

std::string media_type_of(const Json& json, std::string_view otherwise) {
    std::string type = string_member(json, "mediaType");
    return type.empty() ? std::string(otherwise) : type;
}

Index read_index(const Json& json) {
    const Json& manifests = member(json, "manifests");
    if (!manifests.is_array()) throw Error("the image index has no list of manifests");
    if (manifests.size() > max_index_entries)
        throw Error(fmt::format("the image index has {} entries, more than the limit of {}", manifests.size(),
                                max_index_entries));
    Index index{{}, media_type_of(json, media_type::index)};
    for (const Json& entry : manifests)
        index.entries.push_back({read_descriptor(entry, "an entry of the image index"),
                                 read_platform(member(entry, "platform")),
                                 read_strings(member(entry, "annotations"))});
    return index;
}

Manifest read_manifest(const Json& json) {
    const Json& layers = member(json, "layers");
    if (!layers.is_array()) throw Error("the manifest has no list of layers");
    if (layers.size() > max_layers)
        throw Error(
            fmt::format("the manifest has {} layers, more than the limit of {}", layers.size(), max_layers));
    Manifest manifest{read_descriptor(member(json, "config"), "the configuration in the manifest"),
                      {},
                      media_type_of(json, media_type::manifest),
                      read_strings(member(json, "annotations"))};
    for (size_t i = 0; i < layers.size(); ++i)
        manifest.layers.push_back(read_descriptor(layers[i], fmt::format("layer {} in the manifest", i + 1)));
    return manifest;
}

// Metadata that builders add next to an image: not an image to run.
bool is_image(const IndexEntry& entry) {
    return !entry.annotations.contains("vnd.docker.reference.type") &&
           !(entry.platform && entry.platform->os == "unknown");
}

bool serves(const Platform& offered, const Platform& wanted) {
    return offered.os == wanted.os && offered.architecture == wanted.architecture &&
           (wanted.variant.empty() || offered.variant == wanted.variant);
}

// Returns true if every processor of this machine's architecture can run it: a variant such as amd64/v2 asks
// for more.
bool runs_here(const Platform& offered) {
    const bool usual = offered.variant.empty() || offered.architecture == "arm" ||
                       (offered.architecture == "arm64" && offered.variant == "v8");
    return usual && serves(offered, Platform::here());
}

std::string list_platforms(const Index& index) {
    std::string text;
    for (const IndexEntry& entry : index.entries)
        if (is_image(entry) && entry.platform && text.size() < 200)
            text += (text.empty() ? "" : ", ") + printable(entry.platform->to_string());
    return text.empty() ? "its images name no platform" : "its images are for " + text;
}

} // namespace

std::string_view accepted_manifests() {
    return "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, "
           "application/vnd.docker.distribution.manifest.v2+json, "
           "application/vnd.docker.distribution.manifest.list.v2+json";
}

bool is_sha256(std::string_view digest) {
    constexpr std::string_view prefix = "sha256:";
    return digest.size() == prefix.size() + 64 && digest.starts_with(prefix) &&
           digest.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
}

std::variant<Manifest, Index> parse_manifest(std::string_view bytes) {
    const Json json = parse_object(bytes, "the manifest");
    if (member(json, "schemaVersion") == 1)
        throw Error("the manifest is of Docker's schema 1, which is no longer supported",
                    "push the image again with a current tool");
    // A document that could be read as either must not depend on who reads it (CVE-2021-41190).
    if (json.contains("manifests") && (json.contains("layers") || json.contains("config")))
        throw Error("the manifest has both layers and manifests, so it is ambiguous");
    const std::string type = string_member(json, "mediaType");
    const bool says_index =
        type.find("index") != std::string::npos || type.find(".list.") != std::string::npos;
    if (json.contains("manifests") || says_index) return read_index(json);
    return read_manifest(json);
}

namespace {

Json to_json(const Descriptor& descriptor) {
    return {{"mediaType", descriptor.media_type}, {"digest", descriptor.digest}, {"size", descriptor.size}};
}

std::string to_text(Json json, const Annotations& annotations) {
    if (!annotations.empty()) json["annotations"] = annotations;
    return as_line(json);
}

} // namespace

std::string write_manifest(const Manifest& manifest, const Annotations& annotations) {
    Json layers = Json::array();
    for (const Descriptor& layer : manifest.layers) layers.push_back(to_json(layer));
    return to_text({{"schemaVersion", 2},
                    {"mediaType", manifest.media_type},
                    {"config", to_json(manifest.config)},
                    {"layers", std::move(layers)}},
                   annotations);
}

std::string write_index(const Index& index, const Annotations& annotations) {
    Json manifests = Json::array();
    for (const IndexEntry& entry : index.entries) {
        Json& json = manifests.emplace_back(to_json(entry.manifest));
        if (entry.platform) {
            json["platform"] = {{"os", entry.platform->os}, {"architecture", entry.platform->architecture}};
            if (!entry.platform->variant.empty()) json["platform"]["variant"] = entry.platform->variant;
        }
        if (!entry.annotations.empty()) json["annotations"] = entry.annotations;
    }
    return to_text(
        {{"schemaVersion", 2}, {"mediaType", index.media_type}, {"manifests", std::move(manifests)}},
        annotations);
}

const std::string& media_type_of(const std::variant<Manifest, Index>& document) {
    return std::visit([](const auto& one) -> const std::string& { return one.media_type; }, document);
}

Config parse_config(std::string_view bytes) {
    const Json json = parse_object(bytes, "the image configuration");
    const Json& settings = member(json, "config");
    Config config{read_platform(json), read_strings(member(settings, "Labels"))};
    for (const char* const name : {"Entrypoint", "Cmd"})
        if (const Json& words = member(settings, name); words.is_array() && !words.empty())
            config.has_command = true;
    const Json& diff_ids = member(member(json, "rootfs"), "diff_ids");
    if (!diff_ids.is_array()) return config;
    for (const Json& id : diff_ids)
        if (id.is_string() && is_sha256(id.get_ref<const std::string&>()))
            config.diff_ids.push_back(id.get<std::string>());
    return config;
}

const IndexEntry& choose(const Index& index, const PlatformChoice& choice, std::string& warning) {
    const auto find = [&](const auto& fits) {
        const auto found =
            std::find_if(index.entries.begin(), index.entries.end(),
                         [&](const IndexEntry& entry) { return is_image(entry) && fits(entry); });
        return found == index.entries.end() ? nullptr : &*found;
    };
    const Platform wanted = choice.wanted.value_or(Platform::here());
    const IndexEntry* found = find([&](const IndexEntry& entry) {
        return entry.platform &&
               (choice.wanted ? serves(*entry.platform, wanted) : runs_here(*entry.platform));
    });
    if (found) return *found;
    if (!choice.wanted) found = find([](const IndexEntry& entry) { return !entry.platform; });
    if (found) return *found;
    if (choice.wanted || !choice.or_first)
        throw Error(
            fmt::format("the index has no image for {}; {}", wanted.to_string(), list_platforms(index)));
    found = find([](const IndexEntry&) { return true; });
    if (!found) throw Error("the image index holds no image");
    warning = fmt::format("there is no image for {}; the one for {} is used", wanted.to_string(),
                          printable(found->platform->to_string()));
    return *found;
}

void check_platform(const Config& config, const Platform& wanted) {
    if (!config.platform) return;
    const Platform& is = *config.platform;
    if (is.os != wanted.os || is.architecture != wanted.architecture)
        throw Error(
            fmt::format("the image is for {}/{}, not for {}", is.os, is.architecture, wanted.to_string()));
}

Manifest choose_image(std::string& bytes, const PlatformChoice& choice, const GetManifest& get_manifest,
                      std::string& warning) {
    for (int depth = 0;; ++depth) {
        auto document = parse_manifest(bytes);
        if (auto* const manifest = std::get_if<Manifest>(&document)) return std::move(*manifest);
        if (depth == max_nested_indexes) throw Error(nested_too_deep);
        bytes = get_manifest(choose(std::get<Index>(document), choice, warning).manifest);
    }
}

Contents read_contents(std::string manifest, const PlatformChoice& platform, const GetDocument& get_document,
                       const std::function<void(const std::string&)>& check) {
    Contents contents;
    const auto get_manifest = [&](const Descriptor& wanted) {
        return get_document(Document::manifest, wanted);
    };
    Manifest single = choose_image(manifest, platform, get_manifest, contents.warning);
    if (check) check(manifest);
    contents.digest = "sha256:" + sha256_hex(manifest);
    contents.config = parse_config(get_document(Document::config, single.config));
    contents.layers = std::move(single.layers);
    contents.annotations = std::move(single.annotations);
    if (platform.wanted) check_platform(contents.config, *platform.wanted);
    return contents;
}

} // namespace opcat::image
