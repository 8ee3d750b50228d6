// Covers lib/kube.
#include "opcat/kube/crd.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;
using namespace opcat::kube;

namespace {

std::string check(std::string_view schema, std::string_view object) {
    const Object s = parse_object(schema, "the schema");
    const Object o = parse_object(object, "the object");
    std::string text;
    Work work;
    const auto found = violations(o.value(), s.value(), work);
    for (const SchemaViolation& v : found.value()) text += (text.empty() ? "" : "; ") + v.path + " " + v.what;
    return text;
}

std::vector<std::string> pruned(std::string_view schema, std::string_view object) {
    const Object s = parse_object(schema, "the schema");
    const Object o = parse_object(object, "the object");
    Work work;
    return pruned_fields(o.value(), s.value(), work).value();
}

} // namespace

TEST_CASE("structural schemas: what is broken, and where") {
    struct Case {
        std::string_view schema, object, violations;
    };
    const Case cases[] = {
        {R"({"type":"object"})", R"({"any":1})", ""},
        {R"({"properties":{"a":{"type":"string"}}})", R"({"a":1})", "a must be of type string, not a number"},
        {R"({"properties":{"a":{"type":"integer"}}})", R"({"a":1.5})",
         "a must be of type integer, not a number"},
        {R"({"properties":{"a":{"type":"integer"}}})", R"({"a":2.0})", ""},
        {R"({"properties":{"a":{"type":"string","nullable":true}}})", R"({"a":null})", ""},
        {R"({"properties":{"a":{"type":"string"}}})", R"({"a":null})", "a must be of type string, not null"},
        {R"({"properties":{"a":{"x-kubernetes-int-or-string":true}}})", R"({"a":"80%"})", ""},
        {R"({"properties":{"a":{"x-kubernetes-int-or-string":true}}})", R"({"a":true})",
         "a must be an integer or a string"},
        {R"({"required":["a","b"]})", R"({"b":1})", "a is required"},
        {R"({"properties":{"a":{"enum":["x","y"]}}})", R"({"a":"z"})", R"(a must be one of ["x","y"])"},
        {R"({"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}})", R"({"a":1})",
         "a must not be less than 1"},
        {R"({"properties":{"a":{"multipleOf":5}}})", R"({"a":7})", "a must be a multiple of 5"},
        {R"({"properties":{"a":{"maxLength":2}}})", R"({"a":"äöü"})", "a must have at most 2 characters"},
        {R"({"properties":{"a":{"pattern":"^[a-z]+$"}}})", R"({"a":"A"})", "a must match ^[a-z]+$"},
        {R"({"properties":{"a":{"items":{"type":"string"},"maxItems":2}}})", R"({"a":["x",1]})",
         "a[1] must be of type string, not a number"},
        {R"({"properties":{"a":{"maxItems":1}}})", R"({"a":[1,2]})", "a must have at most 1 items"},
        {R"({"additionalProperties":{"type":"string"}})", R"({"x":1})",
         "x must be of type string, not a number"},
        {R"({"properties":{"a":{"type":"string"}}})", R"({"unknown":1})", ""},
        {R"({"properties":{"a":{"type":"number"}}})", R"({"a":1.5})", ""},
        {R"({"properties":{"a":{"type":"number"}}})", R"({"a":"1.5"})",
         "a must be of type number, not a string"},
        {R"({"properties":{"a":{"type":"quantity"}}})", R"({"a":1})", ""}, // Kubernetes has no such type
        {R"({"properties":{"a":{"enum":["x",{"b":1,"c":2}]}}})", R"({"a":{"c":2,"b":1}})", ""},
        {R"({"properties":{"a":{"minLength":3}}})", R"({"a":"äö"})", "a must have at least 3 characters"},
        {R"({"properties":{"a":{"minLength":2}}})", R"({"a":"äö"})", ""},
        {R"({"properties":{"a":{"minItems":2}}})", R"({"a":[1]})", "a must have at least 2 items"},
        {R"({"properties":{"a":{"minItems":1}}})", R"({"a":[1]})", ""},
        {R"({"properties":{"a":{"minProperties":2}}})", R"({"a":{"x":1}})", "a must have at least 2 members"},
        {R"({"properties":{"a":{"minProperties":1,"maxProperties":1}}})", R"({"a":{"x":1}})", ""},
        {R"({"properties":{"a":{"maxProperties":1}}})", R"({"a":{"x":1,"y":2}})",
         "a must have at most 1 members"},
        {R"({"anyOf":[{"required":["a"]},{"required":["b"]}]})", R"({"c":1})",
         " must be valid against one of the schemas of anyOf"},
        {R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1,"b":1})",
         " must be valid against exactly one of the schemas of oneOf"},
        {R"({"not":{"required":["a"]}})", R"({"a":1})", " must not be valid against the schema of not"},
        {R"({"allOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1})", "b is required"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.schema);
        CAPTURE(c.object);
        CHECK(check(c.schema, c.object) == c.violations);
    }
}

TEST_CASE("checks of a hostile schema are limited") {
    std::string schema = R"({"type":"string"})";
    for (int i = 0; i < 60; ++i)
        schema = fmt::format(R"({{"anyOf":[{0}],"allOf":[{0}]}})", schema.size() < 4000 ? schema : "{}");
    CHECK_NOTHROW(check(schema, "1"));
}

TEST_CASE("the API server drops fields that a schema does not contain") {
    struct Case {
        std::string_view schema, object;
        std::vector<std::string> fields;
    };
    const Case cases[] = {
        {R"({"properties":{"spec":{"properties":{"a":{}}}}})",
         R"({"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"spec":{"a":1,"b":2}})",
         {"spec.b"}},
        // Of an item, once.
        {R"({"properties":{"all":{"items":{"properties":{"a":{}}}}}})",
         R"({"all":[{"a":1,"b":1},{"b":2}]})",
         {"all.b"}},
        {R"({"properties":{"by_name":{"additionalProperties":{"properties":{"a":{}}}}}})",
         R"({"by_name":{"x":{"a":1,"b":2}}})",
         {"by_name.x.b"}},
        // A schema that is only "true" says nothing about what is below.
        {R"({"properties":{"any":{"additionalProperties":true}}})",
         R"({"any":{"x":1,"y":{"z":2}}})",
         {"any.y.z"}},
        {R"({"x-kubernetes-preserve-unknown-fields":true})", R"({"a":{"b":1},"c":[{"d":2}]})", {}},
        // What a schema does know is pruned as elsewhere.
        {R"({"x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"properties":{"b":{}}}}})",
         R"({"a":{"b":1,"c":2},"d":3})",
         {"a.c"}},
        {R"({"properties":{"a":{"x-kubernetes-preserve-unknown-fields":true}}})", R"({"a":[{"b":1}]})", {}},
        // An object within an object has what every object has.
        {R"({"properties":{"a":{"x-kubernetes-embedded-resource":true},"b":{"type":"object"}}})",
         R"({"a":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"spec":{}},"b":{"kind":"Pod"}})",
         {"a.spec", "b.kind"}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.schema);
        CAPTURE(c.object);
        CHECK(pruned(c.schema, c.object) == c.fields);
    }
    const Object many = parse_object(R"({"a":1,"b":{"c":1}})", "the object");
    Work work;
    CHECK(pruned_fields(many.value(), {}, work, 1).value() == std::vector<std::string>{"a"});
}

TEST_CASE("a definition of v1beta1 has one version with the common schema") {
    const Object crd = parse_object(
        R"({"spec":{"version":"v1","validation":{"openAPIV3Schema":{"type":"object"}}}})", "the definition");
    const CrdVersions versions = versions_of(crd);
    REQUIRE(versions.size() == 1);
    REQUIRE(versions.begin()->first == "v1");
    CHECK(versions.begin()->second.served);
    CHECK(versions.begin()->second.schema.text("type") == "object");
}

TEST_CASE("an object is completed as the API server does it before it validates") {
    struct Case {
        std::string_view schema, object, completed;
    };
    const Case cases[] = {
        {R"({"properties":{"a":{"default":1}}})", R"({})", R"({"a":1})"},
        {R"({"properties":{"a":{"default":1}}})", R"({"a":2})", R"({"a":2})"},
        {R"({"properties":{"a":{"default":1}}})", R"({"a":null})", R"({"a":1})"},
        {R"({"properties":{"a":{"type":"string"}}})", R"({"a":null})", R"({})"},
        {R"({"properties":{"a":{"nullable":true,"default":1}}})", R"({"a":null})", R"({"a":null})"},
        {R"({"properties":{"a":{"default":{},"properties":{"b":{"default":2}}}}})", R"({})",
         R"({"a":{"b":2}})"},
        {R"({"properties":{"a":{"items":{"properties":{"b":{"default":2}}}}}})", R"({"a":[{},{"b":3}]})",
         R"({"a":[{"b":2},{"b":3}]})"},
        {R"({"properties":{"a":{"items":{"type":"string"}}}})", R"({"a":[null]})", R"({"a":[null]})"},
        {R"({"additionalProperties":{"type":"string"}})", R"({"x":null,"y":"z"})", R"({"y":"z"})"},
        {R"({"type":"object"})", R"({"unknown":null})", R"({"unknown":null})"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.schema);
        CAPTURE(c.object);
        const Object s = parse_object(c.schema, "the schema");
        const Object o = parse_object(c.object, "the object");
        Arena arena;
        Work work;
        CHECK(to_text(with_defaults(o.value(), s.value(), arena, work).value()) == c.completed);
    }
}

TEST_CASE("comparing an object with a schema ends when the work is used up") {
    const auto repeated = [](std::string_view part, size_t count) {
        std::string list;
        for (size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + std::string(part);
        return list;
    };
    const auto numbered = [](std::string_view value, size_t count) {
        std::string list;
        for (size_t i = 0; i < count; ++i) list += fmt::format("{}\"f{}\":{}", i == 0 ? "" : ",", i, value);
        return list;
    };
    const std::string cases[][2] = {
        {fmt::format(R"({{"items":{{"anyOf":[{}]}}}})", repeated(R"({"type":"string"})", 5000)),
         fmt::format("[{}]", repeated(R"("a")", 5000))},
        {fmt::format(R"({{"items":{{"enum":[{}]}}}})", repeated("2", 5000)),
         fmt::format("[{}]", repeated("2", 5000))},
        {fmt::format(R"({{"items":{{"required":[{}]}}}})", repeated(R"("f0")", 5000)),
         fmt::format("[{{{}}}]", numbered("1", 5000))},
        {fmt::format(R"({{"properties":{{{}}}}})", numbered(R"({"type":"number"})", 5000)),
         fmt::format("{{{}}}", numbered("1", 5000))},
        {R"({"items":{"pattern":"((a{100}){100}){10}"}})", fmt::format("[{}]", repeated(R"("a")", 5000))},
    };
    for (const auto& [schema, object] : cases) {
        CAPTURE(schema.substr(0, 60));
        const Object s = parse_object(schema, "the schema");
        const Object o = parse_object(fmt::format(R"({{"a":{}}})", object), "the object");
        Work little(1'000'000);
        CHECK_FALSE(violations(o.at("a").value(), s.value(), little));
    }
    const Object s = parse_object(cases[3][0], "the schema");
    const Object o = parse_object(cases[3][1], "the object");
    Work little(1'000'000);
    Arena arena;
    CHECK_FALSE(pruned_fields(o.value(), s.value(), little));
    CHECK_FALSE(with_defaults(o.value(), s.value(), arena, little));
}
