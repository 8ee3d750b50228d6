// Covers lib/kube.
#include "opcat/document/json_reader.hpp"
#include "opcat/kube/crd.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;
using namespace opcat::kube;

namespace {

std::string check(std::string_view schema, std::string_view object) {
    const SourceFile schema_file("schema", schema);
    const SourceFile object_file("object", object);
    Arena arena;
    uint32_t end = 0;
    Diagnostic problem;
    const auto s = read_json(schema_file, 0, arena, end, problem);
    const auto o = read_json(object_file, 0, arena, end, problem);
    REQUIRE(s);
    REQUIRE(o);
    std::string text;
    for (const SchemaViolation& v : violations(*o, *s))
        text += (text.empty() ? "" : "; ") + v.path + " " + v.what;
    return text;
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
