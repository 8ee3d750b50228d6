#include "opcat/base/error.hpp"
#include "opcat/kube/crd_changes.hpp"

#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

using namespace opcat::kube;
using Json = nlohmann::ordered_json;

namespace {

Object crd(const char* scope, const char* version, Json schema) {
    const Json definition = {
        {"spec",
         {{"scope", scope},
          {"versions",
           Json::array({{{"name", version}, {"schema", {{"openAPIV3Schema", std::move(schema)}}}}})}}},
        {"status", {{"storedVersions", {"v1"}}}}};
    return parse_object(definition.dump(), "the definition");
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
    CHECK(unsafe_changes(two, with_colours({})) ==
          Words{"v1: ^.spec.colour: enum: allowed enum values removed : [\"blue\" \"red\"]"});
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
        {{{"minimum", 1}}, {{"minimum", 2000000}}, {"minimum: minimum increased : 1 -> 2e+06"}},
        {{{"minLength", 1}}, {{"minLength", 2000000}}, {"minLength: minimum increased : 1 -> 2000000"}},
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
        {Json::object(),
         {{"default", "<a>"}},
         {R"(default: default added when there was none previously : "\"\\u003ca\\u003e\"")"}},
        {{{"default", {{"a", 1}}}},
         {{"default", {{"a", 2}}}},
         {R"(default: default value changed : "{\"a\":1}" -> "{\"a\":2}")"}},
        {{{"default", 1}}, {{"default", 1}}, {}},
        {Json::object(), {{"pattern", "^a"}}, {R"(pattern: pattern added : "" -> "^a")"}},
        {{{"pattern", "^a"}}, {{"pattern", "^b"}}, {R"(pattern: pattern changed : "^a" -> "^b")"}},
        {{{"pattern", "^a"}}, Json::object(), {R"(pattern: pattern removed : "^a" -> "")"}},
        {Json::object(), {{"nullable", true}}, {"nullable: nullable added : false -> true"}},
        {{{"nullable", true}}, {{"nullable", false}}, {"nullable: nullable removed : true -> false"}},
        {{{"description", "a"}}, {{"description", "b"}}, {}},
        // What crdify does not know is refused.
        {{{"format", "int32"}, {"title", "a"}},
         {{"format", "int64"}, {"x-kubernetes-preserve-unknown-fields", false}},
         {"unhandled: unhandled changes found (format \"int32\" -> \"int64\"; title \"a\" -> unset; "
          "x-kubernetes-preserve-unknown-fields unset -> false)"}},
        // The API server does not store false.
        {{{"exclusiveMaximum", false}, {"x-kubernetes-validations", Json::array()}}, Json::object(), {}},
        {{{"x-unknown", 1}}, {{"x-unknown", 2}}, {}},
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
          std::vector<std::string>{"existingFieldRemoval: removed field : v1.^.additionalProperties",
                                   "v1: ^: unhandled: unhandled changes found (additionalProperties "
                                   "{\"type\":\"string\"} -> true)"});
}

TEST_CASE(
    "a change below a combination or additionalProperties is also an unhandled one of the whole field") {
    const auto words = [](const Json& before, const Json& after) {
        return fmt::format(
            "{}",
            fmt::join(unsafe_changes(crd("Namespaced", "v1", before), crd("Namespaced", "v1", after)), "\n"));
    };
    const auto described = [](const char* text) {
        return Json{
            {"additionalProperties", object_with({{"a", {{"type", "string"}, {"description", text}}}})}};
    };
    CHECK(words(described("one"), described("another")) ==
          "v1: ^: unhandled: unhandled changes found (additionalProperties.properties.a.description "
          "\"one\" -> \"another\")");
    const Json one = {{"anyOf", Json::array({{{"minimum", 1}}, {{"required", {"a"}}}})}};
    const Json other = {{"anyOf", Json::array({{{"minimum", 2}}, {{"required", {"b"}}}})}};
    CHECK(words(one, other) == "v1: ^.anyOf[0]: minimum: minimum increased : 1 -> 2\n"
                               "v1: ^.anyOf[1]: required: new required fields: [b]\n"
                               "v1: ^: unhandled: unhandled changes found (anyOf[0].minimum 1 -> 2; "
                               "anyOf[1].required [\"a\"] -> [\"b\"])");
    CHECK(words(one, {{"anyOf", Json::array({{{"minimum", 1}}})}}) ==
          "existingFieldRemoval: removed field : v1.^.anyOf[1]\n"
          "v1: ^: unhandled: unhandled changes found (anyOf [{\"minimum\":1},{\"required\":[\"a\"]}] -> "
          "[{\"minimum\":1}])");
    CHECK(words({{"not", {{"required", {"a"}}}}}, Json::object()) ==
          "existingFieldRemoval: removed field : v1.^.not\n"
          "v1: ^: unhandled: unhandled changes found (not {\"required\":[\"a\"]} -> unset)");
}

TEST_CASE("the alternatives of oneOf are a set, without their prose") {
    const auto words = [](const Json& before, const Json& after) {
        const auto field = [](const Json& alternatives) {
            return crd("Namespaced", "v1", {{"oneOf", alternatives}, {"title", "t"}});
        };
        std::string found;
        for (const std::string& change : unsafe_changes(field(before), field(after)))
            if (change.starts_with("v1: ^: ")) found += change.substr(7) + "\n";
        return found;
    };
    const Json a = {{"required", {"a"}}, {"description", "one"}};
    const Json b = {{"required", {"b"}}};
    Json reworded = a;
    reworded["description"] = "another";
    CHECK(words({a, b}, {b, reworded}).empty());
    CHECK(words({a, b}, Json::array({b})) == "oneOf: allowed oneOf schemas removed: [oneOf[0]]\n");
    CHECK(words({a, b}, {a, {{"minimum", 1}}}) == "oneOf: allowed oneOf schemas removed: [oneOf[1]]\n");
    CHECK(words(Json::array({b}), {b, a}) == "oneOf: allowed oneOf schemas added: [oneOf[1]]\n");
    CHECK(words(Json::array(), {a, b}) ==
          "oneOf: oneOf constraint added when there was none previously: [oneOf[0] oneOf[1]]\n");
}

TEST_CASE("definitions with very many schemas are not compared") {
    Json alternatives = Json::array();
    for (int i = 0; i < 2000; ++i) alternatives.push_back({{"minimum", i}});
    const Object huge = crd("Namespaced", "v1", {{"oneOf", alternatives}});
    CHECK_THROWS_WITH_AS(unsafe_changes(huge, huge), "the definition has too many schemas to compare",
                         opcat::Error);
}

TEST_CASE("served versions must not differ more than before, unless a webhook converts objects") {
    const auto definition = [](const Json& beta, const Json& stable, const char* strategy) {
        const auto version = [](const char* name, const Json& size) {
            return Json{{"name", name},
                        {"served", true},
                        {"schema", {{"openAPIV3Schema", object_with({{"size", size}})}}}};
        };
        const Json all = {{"spec",
                           {{"scope", "Namespaced"},
                            {"conversion", {{"strategy", strategy}}},
                            {"versions", Json::array({version("v10", {{"type", "integer"}}),
                                                      version("v2", stable), version("v2beta1", beta)})}}},
                          {"status", {{"storedVersions", {"v2"}}}}};
        return parse_object(all.dump(), "the definition");
    };
    const Json number = {{"type", "integer"}};
    const Json text = {{"type", "string"}};
    const Object same = definition(number, number, "None");
    CHECK(unsafe_changes(same, definition(number, number, "None")).empty());
    const Object differs = definition(text, number, "None");
    CHECK(unsafe_changes(differs, differs).empty());
    using Words = std::vector<std::string>;
    CHECK(unsafe_changes(same, differs) ==
          Words{R"(v2beta1 -> v10: ^.size: type: type changed : "string" -> "integer")",
                R"(v2beta1 -> v2: ^.size: type: type changed : "string" -> "integer")",
                R"(v2beta1: ^.size: type: type changed : "integer" -> "string")"});
    CHECK(unsafe_changes(same, definition(text, number, "Webhook")) ==
          Words{R"(v2beta1: ^.size: type: type changed : "integer" -> "string")"});
}
