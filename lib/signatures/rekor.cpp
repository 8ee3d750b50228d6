#include "opcat/signatures/rekor.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/signatures/strict_json.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace opcat::signatures {
namespace {

// Every double up to here is exact, so the canonical form writes such an integer as it is.
constexpr int64_t max_exact_integer = int64_t{1} << 53;

std::string decoded_base64(const std::string& text, std::string_view what) {
    auto bytes = decode_base64(text);
    if (!bytes) throw Error(fmt::format("{} in the log's bundle is not base64", what));
    return *std::move(bytes);
}

int64_t exact_integer(const StrictJson& json, const Value& object, std::string_view key) {
    const Value& value = *object.find(key);
    if (value.kind() != Value::Kind::integer || value.integer() < 0 || value.integer() > max_exact_integer)
        json.fail(value, fmt::format("{} is not a number that the log uses", key));
    return value.integer();
}

// A text that needs no escapes.
std::string plain_text(const StrictJson& json, const Value& object, std::string_view key) {
    const std::string text = json.text(object, key);
    if (std::any_of(text.begin(), text.end(),
                    [](char c) { return c < 0x20 || c > 0x7e || c == '"' || c == '\\'; }))
        json.fail(*object.find(key), fmt::format("{} is not a text that the log uses", key));
    return text;
}

// The entry's own text for `path`; empty if it has none.
std::string entry_text(const nlohmann::json& entry, const char* path) {
    const nlohmann::json::json_pointer pointer(path);
    return entry.contains(pointer) && entry[pointer].is_string() ? entry[pointer].get<std::string>()
                                                                 : std::string();
}

void check_entry(const std::string& body, std::string_view key_or_certificate, std::string_view signature,
                 std::string_view payload) {
    const auto entry = parse_shallow_json<nlohmann::json>(body);
    if (!entry || entry_text(*entry, "/kind") != "hashedrekord" ||
        entry_text(*entry, "/apiVersion") != "0.0.1")
        throw Error("the log's entry is not a hashedrekord of version 0.0.1");
    const std::string key =
        decoded_base64(entry_text(*entry, "/spec/signature/publicKey/content"), "the public key");
    if (only_pem_block(key, "the public key in the log") != key_or_certificate)
        throw Error("the log's entry is about another key");
    if (decoded_base64(entry_text(*entry, "/spec/signature/content"), "the signature") != signature)
        throw Error("the log's entry is about another signature");
    if (entry_text(*entry, "/spec/data/hash/algorithm") != "sha256" ||
        ascii_lower(entry_text(*entry, "/spec/data/hash/value")) != sha256_hex(payload))
        throw Error("the log's entry is about another claim");
}

} // namespace

int64_t time_of_log_entry(std::string_view bundle, std::span<const PublicKey> log_keys,
                          std::string_view key_or_certificate, std::string_view signature,
                          std::string_view payload) {
    const StrictJson json("the log's bundle", bundle);
    json.require_keys(json.root(), {"SignedEntryTimestamp", "Payload"});
    const std::string promise =
        decoded_base64(json.text(json.root(), "SignedEntryTimestamp"), "the SignedEntryTimestamp");
    const Value& signed_part = *json.root().find("Payload");
    json.require_keys(signed_part, {"body", "integratedTime", "logID", "logIndex"});
    const std::string body = plain_text(json, signed_part, "body");
    const int64_t time = exact_integer(json, signed_part, "integratedTime");
    // The canonical form (RFC 8785) of these four members.
    const std::string canonical =
        fmt::format(R"({{"body":"{}","integratedTime":{},"logID":"{}","logIndex":{}}})", body, time,
                    plain_text(json, signed_part, "logID"), exact_integer(json, signed_part, "logIndex"));
    if (std::none_of(log_keys.begin(), log_keys.end(),
                     [&](const PublicKey& key) { return key.has_signed(canonical, promise); }))
        throw Error("the log's bundle is not signed by the log");
    check_entry(decoded_base64(body, "the entry"), key_or_certificate, signature, payload);
    return time;
}

} // namespace opcat::signatures
