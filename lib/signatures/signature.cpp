#include "opcat/signatures/signature.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/signatures/strict_json.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <utility>

namespace opcat::signatures {
namespace {

using Json = nlohmann::json;

// A member that is a text; empty if there is none.
std::string text_in(const Json& object, const char* name) {
    const auto at = object.is_object() ? object.find(name) : object.end();
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::map<std::string, std::string> annotations_in(const Json& object) {
    std::map<std::string, std::string> annotations;
    const auto at = object.find("annotations");
    if (at == object.end() || !at->is_object()) return annotations;
    for (const auto& [name, value] : at->items())
        if (value.is_string()) annotations[name] = value.get<std::string>();
    return annotations;
}

// The packets with which the OpenPGP messages of container engines begin (RFC 4880, 4.2): compressed data,
// a one-pass signature, a signature.
bool begins_as_openpgp(std::string_view file) {
    constexpr std::string_view first_bytes = "\xa0\xa1\xa2\xa3\xc8\x90\x91\x92\x3d\xc4\x88\x89\x8a\x8b\xc2";
    return first_bytes.find(file.front()) != std::string_view::npos;
}

} // namespace

std::string SigstoreSignature::annotation(const std::string& name) const {
    const auto at = annotations.find(name);
    return at == annotations.end() ? std::string() : at->second;
}

Signature parse_stored_signature(std::string_view file) {
    if (file.empty()) throw Error("the file of the signature is empty");
    if (begins_as_openpgp(file)) return SimpleSignature{std::string(file)};
    const size_t line = file.find('\n');
    if (file.front() != '\0' || line == std::string_view::npos)
        throw Error("the file is neither an OpenPGP message nor a signature of sigstore");
    const std::string_view format = file.substr(1, line - 1);
    const std::string_view content = file.substr(line + 1);
    if (format == "simple-signing") return SimpleSignature{std::string(content)};
    if (format != "sigstore-json") throw Error("the file of the signature has an unknown format");
    const auto json = parse_shallow_json<Json>(content);
    if (!json || !json->is_object()) throw Error("the file of the signature is not JSON");
    auto payload = decode_base64(text_in(*json, "payload"));
    if (!payload) throw Error("the payload in the file of the signature is not base64");
    return SigstoreSignature{text_in(*json, "mimeType"), *std::move(payload), annotations_in(*json)};
}

std::vector<AttachedSignature> parse_attached_signatures(std::string_view manifest) {
    const auto json = parse_shallow_json<Json>(manifest);
    if (!json || !json->is_object() || !json->contains("layers") || !(*json)["layers"].is_array())
        throw Error("the manifest of the signatures has no layers");
    std::vector<AttachedSignature> found;
    for (const Json& layer : (*json)["layers"]) {
        const auto size = layer.is_object() ? layer.find("size") : layer.end();
        if (size == layer.end() || !size->is_number_unsigned())
            throw Error("the manifest of the signatures has a layer without a size");
        found.push_back({text_in(layer, "digest"),
                         size->get<uint64_t>(),
                         {text_in(layer, "mediaType"), {}, annotations_in(layer)}});
    }
    return found;
}

Claim parse_claim(std::string_view payload, ClaimForm form) {
    const bool is_simple = form == ClaimForm::simple;
    const StrictJson json("the signed claim", payload);
    const Value& root = json.root();
    json.require_keys(root, {"critical", "optional"});
    const Value& optional = *root.find("optional");
    if (is_simple || !optional.is_null()) {
        json.members(optional);
        if (const Value* const creator = optional.find("creator")) json.text(*creator);
        if (const Value* const time = optional.find("timestamp");
            time && (!time->is_number() || time->number() != std::floor(time->number())))
            json.fail(*time, "the timestamp is not an integer");
    }
    const Value& critical = *root.find("critical");
    json.require_keys(critical, {"type", "image", "identity"});
    if (json.text(critical, "type") !=
        (is_simple ? "atomic container signature" : "cosign container image signature"))
        json.fail(critical, "it is a claim of another type");
    const Value& image = *critical.find("image");
    json.require_keys(image, {"docker-manifest-digest"});
    const Value& identity = *critical.find("identity");
    json.require_keys(identity, {"docker-reference"});
    return {json.text(image, "docker-manifest-digest"), json.text(identity, "docker-reference")};
}

} // namespace opcat::signatures
