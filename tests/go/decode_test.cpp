// Covers lib/go.
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"

#include <doctest/doctest.h>

#include <tuple>

using namespace opcat;
using namespace opcat::go;

namespace {

struct Parsed {
    explicit Parsed(std::string_view text) : file("test.json", text) {
        Diagnostic problem;
        uint32_t end = 0;
        const auto read = read_json(file, 0, arena, end, problem);
        REQUIRE_MESSAGE(read.has_value(), problem.message);
        value = *read;
    }
    SourceFile file;
    Arena arena;
    Value value;
};

using namespace opcat::go::types;

extern const Structure<8> node;
constexpr Structure<8> node{{{"name", string, unless_empty},
                             {"count", int32, unless_empty},
                             {"next", node},
                             {"children", list_of<node>, unless_empty},
                             {"labels", map_of<string>, unless_empty},
                             {"on", boolean, unless_empty},
                             {"free", any, unless_empty},
                             {"always"}}};
constexpr Structure schema_of_object{{{"type"}, {"required", list_of<string>}}};
constexpr Type schemas_or_one{.kind = Kind::schema_or_list, .element = &schema_of_object};
constexpr Type schema_or_flag{.kind = Kind::schema_or_boolean, .element = &schema_of_object};
constexpr Type schema_or_names{.kind = Kind::schema_or_strings, .element = &schema_of_object};
constexpr Structure scalars{{{"i", int32},
                             {"l", int64},
                             {"f", real},
                             {"t", go::types::time},
                             {"q", quantity},
                             {"p", int_or_string},
                             {"v", version},
                             {"b", base64},
                             {"r", release},
                             {"items", schemas_or_one},
                             {"extra", schema_or_flag},
                             {"needs", schema_or_names}}};
constexpr Structure leaf{{{"name", string, unless_empty},
                          {"count", int32, unless_empty},
                          {"labels", map_of<string>, unless_empty},
                          {"on", boolean, unless_empty},
                          {"free", any, unless_empty},
                          {"read", string, never},
                          {"always"}}};
constexpr Structure tree{
    {{"leaf", leaf}, {"leaves", list_of<leaf>, unless_empty}, {"last", leaf, unless_empty}}};

std::string misfit(const Type& type, std::string_view json, Route route = Route::text) {
    const Parsed parsed(json);
    const auto found = find_misfit(parsed.value, type, route);
    return found ? found->message() : "";
}

} // namespace

TEST_CASE("values fit where Go decodes them") {
    for (const std::string_view json :
         {R"({})", R"(null)", R"({"name": null, "count": null, "next": {"next": {"name": "x"}}})",
          R"({"children": [null, {"name": "y"}], "labels": {"a": "b", "c": null}, "unknown": [1]})"})
        CHECK_MESSAGE(misfit(node, json).empty(), json);
    for (const std::string_view json : {R"({"i": 2147483647, "l": -9223372036854775808, "f": 1.5})",
                                        R"({"i": 1.0})",
                                        R"({"t": "2024-02-29T12:00:00Z"})",
                                        R"({"t": "2023-01-01T00:00:00.123+01:00"})",
                                        R"({"q": "100m"})",
                                        R"({"q": 2})",
                                        R"({"q": "1.5Gi"})",
                                        R"({"q": "1e3"})",
                                        R"({"p": 80})",
                                        R"({"p": "http"})",
                                        R"({"v": "v1.2"})",
                                        R"({"b": "aGk="})",
                                        R"({"items": [{"type": "x"}]})",
                                        R"({"items": 5})",
                                        R"({"extra": false})",
                                        R"({"extra": {"required": ["a"]}})",
                                        R"({"needs": ["a"]})",
                                        R"({"needs": {}})",
                                        R"({"needs": 5})",
                                        R"({"t": "2020-01-01T1:02:03Z"})"})
        CHECK_MESSAGE(misfit(scalars, json).empty(), json);
}

TEST_CASE("the first value that Go refuses is named with its path") {
    CHECK(misfit(node, R"([])") == "it must be an object, not a list");
    CHECK(misfit(node, R"({"children": [{}, {"next": {"name": 5}}]})") ==
          "children[1].next.name must be a string, not a number");
    CHECK(misfit(node, R"({"labels": {"a": true}})") == "labels.a must be a string, not a boolean");
    CHECK(misfit(node, R"({"on": "true"})") == "on must be true or false, not a string");
    CHECK(misfit(node, R"({"count": 2147483648})") == "count must be a 32-bit integer, not a number");
    for (const std::string_view json :
         {R"({"i": 1.5})", R"({"l": 9223372036854775808})", R"({"t": ""})",
          R"({"t": "2023-02-29T00:00:00Z"})", R"({"t": "2023-01-01"})", R"({"q": "1 Gi"})", R"({"q": ""})",
          R"({"p": 1.5})", R"({"v": "latest"})", R"({"v": null})", R"({"b": "@"})", R"({"r": "a..b"})",
          R"({"items": {"type": 1}})", R"({"extra": "yes"})", R"({"needs": [1]})",
          R"({"t": "2020-01-01T001:02:03Z"})"})
        CHECK_MESSAGE(!misfit(scalars, json).empty(), json);
}

TEST_CASE("keys are case-sensitive only for Kubernetes") {
    CHECK_FALSE(misfit(node, R"({"NAME": 1})").empty());
    CHECK(misfit(node, R"({"NAME": 1})", Route::converter).empty());
}

TEST_CASE("a map keeps the last value of a repeated key, and text decodes each") {
    constexpr std::string_view json = R"({"name": 5, "next": {"count": "x"}, "next": null, "name": "n"})";
    CHECK(misfit(node, json, Route::map).empty());
    CHECK(misfit(node, json, Route::text) == "name must be a string, not a number");
    // Two spellings are two keys of a map.
    CHECK_FALSE(misfit(node, R"({"Name": 5, "name": "n"})", Route::map).empty());
    const Parsed parsed(R"({"name": [], "Name": {}, "on": 1})");
    CHECK(decode_error(parsed.value, type_named("property.GVK"), Route::map).empty());
    CHECK(decode_error(parsed.value, node, Route::map).starts_with("json: cannot unmarshal object"));
    CHECK(decode_error(parsed.value, node, Route::text).starts_with("json: cannot unmarshal array"));
}

TEST_CASE("all misfits and all keys without a field are found, in the order of the value") {
    const Parsed parsed(R"({"a": 1, "children": [{"b": 2, "name": 3}, 4], "free": {"c": 5}, "a": 6})");
    const Decoded decoded = decode(parsed.value, node, {.unknown_keys = UnknownKeys::list});
    REQUIRE(decoded.misfits.size() == 2);
    CHECK(decoded.misfits[0].message() == "children[0].name must be a string, not a number");
    CHECK(decoded.misfits[1].message("nodes") == "nodes.children[1] must be an object, not a number");
    std::string keys;
    for (const UnknownKey& unknown : decoded.unknown_keys) keys += unknown.key.string();
    CHECK(keys == "aba");
}

TEST_CASE("Go's error names the struct, the path of fields and the type") {
    const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
        {"required_api", R"({"group": 1})",
         "json: cannot unmarshal number into Go struct field .group of type string"},
        {"required_api", "[]",
         "json: cannot unmarshal array into Go value of type struct { Group string \"json:\\\"group\\\"\"; "
         "Version string \"json:\\\"version\\\"\"; Kind string \"json:\\\"kind\\\"\" }"},
        {"constraints.Constraint", R"({"all": {"constraints": [{}, true]}})",
         "json: cannot unmarshal bool into Go struct field CompoundConstraint.all.constraints of type "
         "constraints.Constraint"},
        {"constraints.Constraint", R"({"cel": {"rule": "x", "rules": 1}})", "json: unknown field \"rules\""},
        {"property.BundleObject", R"({"data": [1, 256]})",
         "json: cannot unmarshal number into Go struct field BundleObject.data of type uint8"},
    };
    for (const auto& [type, json, words] : cases) {
        const Parsed parsed(json);
        CHECK(decode_error(parsed.value, type_named(type), Route::map, UnknownKeys::refuse) == words);
    }
}

TEST_CASE("encoded values only have the type's fields") {
    Parsed parsed(
        R"({"zzz": 1, "Leaf": {"Name": "n", "read": "r", "count": 0, "labels": {}, "free": {"b": [1, "x"]}},
                      "leaves": [{"on": false}, null, {"on": true, "labels": {"k": null}, "free": null}]})");
    std::string json;
    append_compact_json(json, recode(parsed.value, tree, Route::map, parsed.arena));
    CHECK(json == R"({"leaf":{"name":"n","free":{"b":[1,"x"]},"always":""},)"
                  R"("leaves":[{"always":""},{"always":""},)"
                  R"({"labels":{"k":""},"on":true,"free":null,"always":""}],)"
                  R"("last":{"always":""}})"); // for Go a struct is never empty
}

TEST_CASE("scalars become strings where Go wants strings") {
    Parsed parsed(R"({"name": 18446744073709551615, "always": -7, "count": 1,
                      "labels": {"a": true, "b": 1.10, "c": null, "d": "x"}, "children": [{"name": false}]})");
    std::string json;
    append_compact_json(json, with_strings(parsed.value, node, parsed.arena));
    CHECK(json == R"({"name":"18446744073709551615","always":"-7","count":1,)"
                  R"("labels":{"a":"true","b":"1.1","c":null,"d":"x"},"children":[{"name":"false"}]})");
}

TEST_CASE("the types of the APIs are complete") {
    for (const std::string_view name :
         {"ClusterServiceVersion", "property.CSVMetadata", "CustomResourceDefinition",
          "CustomResourceDefinitionV1Beta1", "DeploymentSpec", "ObjectMeta"})
        CHECK(type_named(name).kind == Type::Kind::structure);
}
