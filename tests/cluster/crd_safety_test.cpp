#include "opcat/cluster/objects.hpp"
#include "opcat/kube/crd.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace opcat::cluster;
using opcat::kube::unsafe_changes;

namespace {

Object crd(const char* scope, const char* version, Json schema) {
    return object_of({{"spec",
                       {{"scope", scope},
                        {"versions", Json::array({{{"name", version},
                                                   {"schema", {{"openAPIV3Schema", std::move(schema)}}}}})}}},
                      {"status", {{"storedVersions", {"v1"}}}}});
}

Json object_with(Json properties) {
    return {{"type", "object"}, {"properties", std::move(properties)}};
}

} // namespace

TEST_CASE("changes of a CustomResourceDefinition that OLM v1 refuses are found, in its words") {
    const Json before = object_with(
        {{"spec", object_with({{"size", {{"type", "integer"}}}})}, {"status", {{"type", "object"}}}});
    const Object current = crd("Namespaced", "v1", before);
    using Words = std::vector<std::string>;
    CHECK(unsafe_changes(current, current).empty());
    // More fields do no harm.
    Json more = before;
    more["properties"]["spec"]["properties"]["colour"] = {{"type", "string"}};
    CHECK(unsafe_changes(current, crd("Namespaced", "v1", more)).empty());

    Json removed = before;
    removed["properties"].erase("status");
    CHECK(unsafe_changes(current, crd("Namespaced", "v1", removed)) ==
          Words{"existingFieldRemoval: removed field : v1.^.status"});
    CHECK(unsafe_changes(current, crd("Cluster", "v1", before)) ==
          Words{"scope: scope changed : \"Namespaced\" -> \"Cluster\""});
    CHECK(unsafe_changes(current, crd("Namespaced", "v2", before)) ==
          Words{"storedVersionRemoval: stored versions removed : [v1]"});

    Json stricter = before;
    stricter["properties"]["spec"]["required"] = {"colour"};
    stricter["properties"]["spec"]["properties"]["size"]["maximum"] = 5;
    CHECK(unsafe_changes(current, crd("Namespaced", "v1", stricter)) ==
          Words{"v1: ^.spec.size: maximum: maximum constraint added when there was none previously : 5",
                "v1: ^.spec: required: new required fields: [colour]"});

    const auto with_colours = [&](Json colours) {
        Json schema = more;
        if (!colours.empty())
            schema["properties"]["spec"]["properties"]["colour"]["enum"] = std::move(colours);
        return crd("Namespaced", "v1", schema);
    };
    const Object two = with_colours({"red", "blue"});
    CHECK(unsafe_changes(two, with_colours({"blue", "green", "red"})).empty());
    CHECK(unsafe_changes(two, with_colours({})).empty());
    CHECK(unsafe_changes(two, with_colours({"red"})) ==
          Words{"v1: ^.spec.colour: enum: allowed enum values removed : [\"blue\"]"});
    CHECK(unsafe_changes(two, with_colours({"green"})) ==
          Words{"v1: ^.spec.colour: enum: allowed enum values removed : [\"blue\" \"red\"]"});
    CHECK(unsafe_changes(with_colours({}), with_colours({"red"})) ==
          Words{"v1: ^.spec.colour: enum: enum constraint added when there was none previously : [\"red\"]"});
}

TEST_CASE("changes of a field that OLM v1 refuses are found, in its words") {
    struct Case {
        Json before, after;
        std::vector<std::string> words;
    };
    const Case cases[] = {
        {{{"type", "integer"}}, {{"type", "string"}}, {"type: type changed : \"integer\" -> \"string\""}},
        {{{"maximum", 5}}, {{"maximum", 4.5}}, {"maximum: maximum decreased : 5 -> 4.5"}},
        {{{"minimum", 1}}, {{"minimum", 2}}, {"minimum: minimum increased : 1 -> 2"}},
        // crdify has the words "maximum" and "minimum" for all bounds.
        {{{"maxLength", 5}}, {{"maxLength", 3}}, {"maxLength: maximum decreased : 5 -> 3"}},
        {{{"minItems", 0}}, {{"minItems", 1}}, {"minItems: minimum increased : 0 -> 1"}},
        {Json::object(),
         {{"maxProperties", 3}},
         {"maxProperties: maximum constraint added when there was none previously : 3"}},
        {Json::object(),
         {{"minLength", 1}},
         {"minLength: minimum constraint added when there was none previously : 1"}},
        // Wider bounds, and none, do no harm.
        {{{"maximum", 5}, {"minimum", 2}}, {{"maximum", 6}, {"minimum", 1}}, {}},
        {{{"maximum", 5}, {"minimum", 2}}, Json::object(), {}},
        {Json::object(),
         {{"default", "a"}},
         {R"(default: default added when there was none previously : "\"a\"")"}},
        {{{"default", 1}}, Json::object(), {R"(default: default value removed : "1")"}},
        {{{"default", {{"a", 1}}}},
         {{"default", {{"a", 2}}}},
         {R"(default: default value changed : "{\"a\":1}" -> "{\"a\":2}")"}},
        {{{"default", 1}}, {{"default", 1}}, {}},
    };
    const auto of = [](const Json& field) { return crd("Namespaced", "v1", object_with({{"size", field}})); };
    const auto items_of = [](const Json& field) { return crd("Namespaced", "v1", {{"items", field}}); };
    for (const Case& c : cases) {
        CAPTURE(c.before.dump());
        CAPTURE(c.after.dump());
        std::vector<std::string> of_field;
        std::vector<std::string> of_items;
        for (const std::string& words : c.words) {
            of_field.push_back("v1: ^.size: " + words);
            of_items.push_back("v1: ^.items: " + words);
        }
        CHECK(unsafe_changes(of(c.before), of(c.after)) == of_field);
        CHECK(unsafe_changes(items_of(c.before), items_of(c.after)) == of_items);
    }
    CHECK(unsafe_changes(items_of({{"type", "string"}}), crd("Namespaced", "v1", Json::object())) ==
          std::vector<std::string>{"existingFieldRemoval: removed field : v1.^.items"});
    const auto names_of = [](const Json& schema) {
        return crd("Namespaced", "v1", {{"additionalProperties", schema}});
    };
    CHECK(unsafe_changes(names_of({{"type", "string"}}), names_of(true)) ==
          std::vector<std::string>{"existingFieldRemoval: removed field : v1.^.additionalProperties"});
}
