// The answers of the Operator Registry API, decoded field by field. Covers lib/serve/bundle_message.cpp and
// lib/serve/csv_document.cpp.
#include "catalog_text.hpp"
#include "opcat/serve/grpc_service.hpp"
#include "opcat/serve/protobuf.hpp"
#include "opcat/serve/registry_snapshot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

using namespace opcat;
using namespace opcat::serve;

namespace {

std::shared_ptr<const RegistrySnapshot> registry_of(const auto& text) {
    return RegistrySnapshot::make(std::make_shared<CatalogDocument>(load_valid(text).catalog, 0, test_pool()),
                                  test_pool(),
                                  [](const LoadedCatalog& part) { return part.diagnostics.empty(); });
}

const RegistrySnapshot& registry() {
    static const auto snapshot = registry_of(two_packages);
    return *snapshot;
}

std::vector<std::string> messages_of(const GrpcAnswer& answer) {
    std::string body;
    for (const std::string_view piece : answer.pieces()) body += piece;
    std::vector<std::string> messages;
    for (size_t at = 0; at < body.size();) {
        size_t size = 0;
        for (size_t i = 1; i < 5; ++i) size = size << 8U | static_cast<uint8_t>(body[at + i]);
        messages.push_back(body.substr(at + 5, size));
        at += 5 + size;
    }
    return messages;
}

// The texts of a field, with commas between them.
std::string field(const std::string& message, uint32_t number) {
    std::string texts;
    protobuf::Reader reader(message);
    while (const auto one = reader.next())
        if (one->number == number) texts += (texts.empty() ? "" : ",") + std::string(one->bytes);
    REQUIRE_FALSE(reader.failed());
    return texts;
}

std::string only_field(const GrpcAnswer& answer, uint32_t number) {
    const auto messages = messages_of(answer);
    REQUIRE(messages.size() == 1);
    return field(messages[0], number);
}

// "channel package bundle replaces", one for each.
std::vector<std::string> entries_of(const GrpcAnswer& answer) {
    std::vector<std::string> rows;
    for (const std::string& message : messages_of(answer))
        rows.push_back(field(message, 2) + ' ' + field(message, 1) + ' ' + field(message, 3) + ' ' +
                       field(message, 4));
    return rows;
}

using Rows = std::vector<std::string>;
const Api gizmo_api{"example.com", "v1", "Gizmo"};

} // namespace

TEST_CASE("packages are listed by name, and have their channels by name") {
    const auto messages = messages_of(registry().list_packages());
    REQUIRE(messages.size() == 2);
    CHECK(field(messages[0], 1) == "gizmo");
    CHECK(field(messages[1], 1) == "widget");
    const auto package = messages_of(registry().get_package("gizmo"));
    REQUIRE(package.size() == 1);
    CHECK(field(package[0], 3) == "stable");
    CHECK(field(package[0], 2).find("alpha") < field(package[0], 2).find("stable"));
}

TEST_CASE("bundles are listed by channel, package and name, with their edges and without manifests") {
    Rows rows;
    for (const std::string& m : messages_of(registry().list_bundles()))
        rows.push_back(field(m, 3) + ' ' + field(m, 2) + ' ' + field(m, 1) + " r=" + field(m, 13) +
                       " s=" + field(m, 14) + " o=" + field(m, 5));
    CHECK(rows == Rows{"alpha gizmo gizmo.v1.1.0 r= s= o=", "stable gizmo gizmo.v1.0.0 r= s= o=",
                       "stable gizmo gizmo.v1.1.0 r=gizmo.v1.0.0 s=gizmo.v1.0.0,gizmo.v0.9.0 o=",
                       "stable widget widget.v1 r= s= o={\"kind\":\"Service\"}"});
}

TEST_CASE("a bundle has its fields, its CSV and no edges") {
    const GrpcAnswer bundle = registry().get_bundle("gizmo", "stable", "gizmo.v1.1.0");
    CHECK(only_field(bundle, 6) == "registry.example/gizmo:v1.1.0");
    CHECK(only_field(bundle, 9) == "1.1.0");
    CHECK(only_field(bundle, 10) == "<1.1.0");
    CHECK(only_field(bundle, 13).empty());
    CHECK(only_field(bundle, 4).starts_with("{\"kind\":\"ClusterServiceVersion\",\"apiVersion\":\"operators."
                                            "coreos.com/v1alpha1\",\"metadata\":{\"name\":\"gizmo.v1.1.0\","
                                            "\"annotations\":{\"a\":\"1\",\"b\":\"2\"}}"));
    CHECK(only_field(bundle, 4).find(
              "\"displayName\":\"\\u003cGizmo\\u003e\",\"description\":\"Makes gizmos\"") !=
          std::string::npos);
    CHECK(only_field(bundle, 5) == only_field(bundle, 4));
    CHECK(only_field(bundle, 12).find("{\"packageName\":\"gizmo\",\"version\":\"1.1.0\"}") !=
          std::string::npos);
    CHECK(only_field(bundle, 11).find("{\"packageName\":\"widget\",\"version\":\">=1\"}") !=
          std::string::npos);
    CHECK(only_field(registry().get_bundle("gizmo", "stable", "gizmo.v1.0.0"), 15).ends_with("too old"));
    CHECK(only_field(registry().get_bundle_for_channel("gizmo", "stable"), 1) == "gizmo.v1.1.0");
    CHECK(only_field(registry().get_bundle_that_replaces("gizmo.v0.9.0", "gizmo", "stable"), 1) ==
          "gizmo.v1.1.0");
}

TEST_CASE("entries that replace and provide") {
    CHECK(entries_of(registry().get_channel_entries_that_replace("gizmo.v1.0.0")) ==
          Rows{"stable gizmo gizmo.v1.1.0 gizmo.v1.0.0"});
    CHECK(entries_of(registry().get_channel_entries_that_provide(gizmo_api)) ==
          Rows{"alpha gizmo gizmo.v1.1.0 ", "stable gizmo gizmo.v1.1.0 gizmo.v1.0.0",
               "stable gizmo gizmo.v1.1.0 gizmo.v0.9.0", "stable widget widget.v1 "});
    CHECK(entries_of(registry().get_latest_channel_entries_that_provide(gizmo_api)) ==
          Rows{"alpha gizmo gizmo.v1.1.0 ", "stable gizmo gizmo.v1.1.0 gizmo.v1.0.0",
               "stable widget widget.v1 "});
    CHECK(only_field(registry().get_default_bundle_that_provides(gizmo_api), 3) == "stable");
}

TEST_CASE("failures have opm's words") {
    const auto reported = [](const GrpcAnswer& answer) {
        CHECK(answer.status == GrpcStatus::unknown);
        return answer.message;
    };
    CHECK(reported(registry().get_package("a\n")) == "package \"a\\n\" not found");
    CHECK(reported(registry().get_bundle("gizmo", "x", "y")) == "package \"gizmo\", channel \"x\" not found");
    CHECK(reported(registry().get_bundle("gizmo", "alpha", "y")) ==
          "package \"gizmo\", channel \"alpha\", bundle \"y\" not found");
    CHECK(reported(registry().get_bundle_that_replaces("y", "x", "z")) == "package x not found");
    CHECK(reported(registry().get_bundle_that_replaces("y", "gizmo", "alpha")) ==
          "no entry found for package \"gizmo\", channel \"alpha\"");
    CHECK(reported(registry().get_channel_entries_that_replace("y")) ==
          "no channel entries found that replace y");
    CHECK(reported(registry().get_channel_entries_that_provide({"g", "v", "k"})) ==
          "no channel entries found that provide group:\"g\" version:\"v\" kind:\"k\"");
}

TEST_CASE("blobs of other schemas are structs, for clients that use the experiment") {
    const auto answer = registry().list_package_custom_schemas("example.note", "gizmo");
    CHECK(messages_of(answer).size() == 1);
    CHECK(messages_of(registry().list_package_custom_schemas("example.note", "")).empty());
    CHECK(registry().list_package_custom_schemas("", "").status == GrpcStatus::invalid_argument);
    CHECK(registry().list_package_custom_schemas("a/b", "").status == GrpcStatus::invalid_argument);
    CHECK(registry().list_package_custom_schemas("a", "b/c").status == GrpcStatus::invalid_argument);
}

TEST_CASE("two properties with metadata cannot be served") {
    const LoadedCatalog loaded =
        load_valid("{schema: olm.bundle, name: a, package: b, properties: [{type: "
                   "olm.csv.metadata, value: {}}, {type: olm.csv.metadata, value: {}}]}");
    CHECK(find_serving_errors(loaded.catalog).size() == 1);
}

TEST_CASE("calls are answered by their path") {
    const std::shared_ptr<const RegistrySnapshot> snapshot = registry().shared_from_this();
    const auto status = [&](std::string path, std::string message) {
        return answer_call({std::move(path), std::move(message)}, snapshot, Serving::ready).status;
    };
    CHECK(status("/api.Registry/ListPackages", "") == GrpcStatus::ok);
    CHECK(status("/api.Registry/GetPackage", "\x0a\x05gizmo") == GrpcStatus::ok);
    CHECK(status("/api.Registry/GetPackage", "\xff") == GrpcStatus::internal);
    CHECK(status("/api.Registry/GetPackage", "\x0a\x01\xff") == GrpcStatus::internal);
    CHECK(status("/api.Registry/Nothing", "") == GrpcStatus::unimplemented);
    CHECK(status("", "") == GrpcStatus::unimplemented);
    CHECK(answer_call({"/api.Registry/ListPackages", ""}, nullptr, Serving::loading).status ==
          GrpcStatus::unavailable);
    CHECK(messages_of(answer_call({"/grpc.health.v1.Health/Check", ""}, nullptr, Serving::loading)) ==
          std::vector<std::string>{"\x08\x02"});
    CHECK(method_name("/api.Registry/GetPackage") == "Registry/GetPackage");
    CHECK(method_name("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo") ==
          "ServerReflection/ServerReflectionInfo");
    CHECK(method_name("/made/up") == "other");
}

TEST_CASE("manifests are the same although they do not all fit into memory at once") {
    constexpr size_t bundles = 9;
    std::string text = "{schema: olm.package, name: large, defaultChannel: stable}\n---\n"
                       "{schema: olm.channel, package: large, name: stable, entries: [{name: large.v0}";
    for (size_t i = 1; i < bundles; ++i)
        text += fmt::format(", {{name: large.v{}, replaces: large.v{}}}", i, i - 1);
    text += "]}\n";
    for (size_t i = 0; i < bundles; ++i)
        text += fmt::format(
            "---\n{{schema: olm.bundle, package: large, name: large.v{0}, image: r.example/l:{0}, "
            "properties: [{{type: olm.package, value: {{packageName: large, version: {0}.0.0}}}}, "
            "{{type: olm.csv.metadata, value: {{description: {1}}}}}]}}\n",
            i, std::string(size_t{2} << 20, static_cast<char>('a' + i)));
    const auto large = registry_of(text);
    for (int round = 0; round < 2; ++round)
        for (size_t i = 0; i < bundles; ++i) {
            const std::string csv =
                only_field(large->get_bundle("large", "stable", fmt::format("large.v{}", i)), 4);
            CHECK(csv.find(std::string(1000, static_cast<char>('a' + i))) != std::string::npos);
        }
}

TEST_CASE("a blob that no client could read is not sent") {
    const auto with_levels = [](size_t levels) {
        const std::string text = R"({"schema":"deep","package":"gizmo","value":)" + std::string(levels, '[') +
                                 std::string(levels, ']') + "}";
        return registry_of(text)->list_package_custom_schemas("deep", "gizmo");
    };
    CHECK(with_levels(500).status == GrpcStatus::ok);
    CHECK(with_levels(1001).status == GrpcStatus::resource_exhausted);
    CHECK(with_levels(1001).message == "a blob is nested more than 1000 levels deep");
}
