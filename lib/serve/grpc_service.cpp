#include "opcat/serve/grpc_service.hpp"

#include "opcat/base/text.hpp"
#include "opcat/serve/protobuf.hpp"
#include "opcat/serve/reflection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <optional>

namespace opcat::serve {
namespace {

// The string fields 1, 2, … of a request; nothing if it cannot be decoded.
using Strings = std::array<std::string_view, 4>;

std::optional<Strings> decode_strings(std::string_view message) {
    Strings strings;
    protobuf::Reader reader(message);
    while (const auto field = reader.next()) {
        if (!field->has_bytes || field->number > strings.size()) continue; // one that we do not know
        if (!is_valid_utf8(field->bytes)) return std::nullopt;
        strings[field->number - 1] = field->bytes;
    }
    if (reader.failed()) return std::nullopt;
    return strings;
}

Api api_in(const Strings& strings) {
    return {std::string(strings[0]), std::string(strings[1]), std::string(strings[2])};
}

using Registry = RegistrySnapshot;

struct Method {
    std::string_view path;
    GrpcAnswer (*answer)(const Registry& registry, const Strings& request);
};

constexpr Method registry_methods[] = {
    {"/api.Registry/ListPackages", [](const Registry& r, const Strings&) { return r.list_packages(); }},
    {"/api.Registry/GetPackage", [](const Registry& r, const Strings& s) { return r.get_package(s[0]); }},
    {"/api.Registry/ListBundles", [](const Registry& r, const Strings&) { return r.list_bundles(); }},
    {"/api.Registry/GetBundle",
     [](const Registry& r, const Strings& s) { return r.get_bundle(s[0], s[1], s[2]); }},
    {"/api.Registry/GetBundleForChannel",
     [](const Registry& r, const Strings& s) { return r.get_bundle_for_channel(s[0], s[1]); }},
    {"/api.Registry/GetBundleThatReplaces",
     [](const Registry& r, const Strings& s) { return r.get_bundle_that_replaces(s[0], s[1], s[2]); }},
    {"/api.Registry/GetChannelEntriesThatReplace",
     [](const Registry& r, const Strings& s) { return r.get_channel_entries_that_replace(s[0]); }},
    {"/api.Registry/GetChannelEntriesThatProvide",
     [](const Registry& r, const Strings& s) { return r.get_channel_entries_that_provide(api_in(s)); }},
    {"/api.Registry/GetLatestChannelEntriesThatProvide",
     [](const Registry& r, const Strings& s) {
         return r.get_latest_channel_entries_that_provide(api_in(s));
     }},
    {"/api.Registry/GetDefaultBundleThatProvides",
     [](const Registry& r, const Strings& s) { return r.get_default_bundle_that_provides(api_in(s)); }},
};

constexpr std::string_view custom_schemas = "/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas";
constexpr std::string_view health_check = "/grpc.health.v1.Health/Check";
constexpr std::string_view health_watch = "/grpc.health.v1.Health/Watch";
constexpr std::string_view reflection_paths[] = {
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"};

const Method* find_method(std::string_view path) {
    const auto* const found = std::find_if(std::begin(registry_methods), std::end(registry_methods),
                                           [&](const Method& method) { return method.path == path; });
    return found == std::end(registry_methods) ? nullptr : found;
}

GrpcAnswer undecodable() {
    return failure(GrpcStatus::internal, "the request cannot be decoded");
}

GrpcAnswer unknown_method(std::string_view path) {
    return failure(GrpcStatus::unimplemented,
                   fmt::format("there is no method {}", printable(path.substr(0, 200))));
}

} // namespace

bool needs_catalog(std::string_view path) {
    return path == custom_schemas || find_method(path);
}

bool is_health_check(std::string_view path) {
    return path == health_check;
}

bool is_conversation(std::string_view path) {
    return std::find(std::begin(reflection_paths), std::end(reflection_paths), path) !=
           std::end(reflection_paths);
}

std::string_view method_name(std::string_view path) {
    const auto without_package = [](std::string_view known) {
        const size_t slash = known.rfind('/');
        return known.substr(known.rfind('.', slash) + 1);
    };
    if (const Method* const method = find_method(path)) return without_package(method->path);
    for (const std::string_view known : {custom_schemas, health_check, health_watch, reflection_paths[0]})
        if (path == known) return without_package(known);
    return is_conversation(path) ? without_package(reflection_paths[0]) : "other";
}

std::string health_message(Serving serving) {
    constexpr uint64_t is_serving = 1;
    constexpr uint64_t is_not_serving = 2;
    std::string message;
    protobuf::append_number(message, 1, serving == Serving::ready ? is_serving : is_not_serving);
    return message;
}

GrpcAnswer answer_call(const GrpcCall& call, const std::shared_ptr<const RegistrySnapshot>& snapshot,
                       Serving serving) {
    if (is_conversation(call.path)) {
        auto response = reflection_response(call.message);
        if (!response) return undecodable();
        GrpcAnswer answer;
        answer.add_message(*response);
        return answer;
    }
    const Method* const method = find_method(call.path);
    const bool is_health = call.path == health_check || call.path == health_watch;
    if (!method && !is_health && call.path != custom_schemas) return unknown_method(call.path);
    const auto request = decode_strings(call.message);
    if (!request) return undecodable();
    if (is_health) { // of every service: all have the same state
        GrpcAnswer answer;
        answer.add_message(health_message(serving));
        answer.stays_open = call.path == health_watch;
        return answer;
    }
    if (!snapshot) return failure(GrpcStatus::unavailable, "the catalog is not loaded");
    if (method) return method->answer(*snapshot, *request);
    if (!call.acknowledges_experimental) return {};
    return snapshot->list_package_custom_schemas((*request)[0], (*request)[1]);
}

} // namespace opcat::serve
