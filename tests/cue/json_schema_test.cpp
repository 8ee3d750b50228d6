#include "opcat/cue/json_schema.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace opcat;
using namespace opcat::cue;
using Json = nlohmann::ordered_json;

namespace {

// The schema of #X.
std::string json_schema(const std::string& text) {
    const auto file = std::make_shared<SourceFile>("test.cue", text);
    Diagnostics problems;
    const auto schema = Schema::compile(file, problems);
    REQUIRE(schema);
    const JsonSchemaCase only{.schema = &*schema, .definition = schema->find("X")};
    return Json::parse(to_json_schema(std::span(&only, 1), "test"))["$defs"]["X"].dump();
}

} // namespace

TEST_CASE("regular expressions of RE2 in ECMAScript's syntax") {
    const struct {
        std::string_view re2;
        std::string_view ecma;
    } cases[] = {
        {"^[a-z]+$", "^[a-z]+$"},
        {R"(\Av\d+\z)", R"(^v\d+$)"},
        {R"([\w.\-]+)", R"([\w.\-]+)"},
        {"a.b", R"(a[^\n]b)"}, // RE2's dot matches a carriage return
        {"[.]", "[.]"},
        {R"(\s\S)", R"([\t\n\f\r ][^\t\n\f\r ])"}, // of ASCII only
        {R"([\s,])", R"([\t\n\f\r ,])"},
        {"(?P<name>a)", "(?<name>a)"},
        {"(?:a|b)", "(?:a|b)"},
        {R"(\pL\p{Lu}\p{Greek}\PN)", R"(\p{L}\p{Lu}\p{Script=Greek}\P{N})"},
        {R"([\p{^Greek}\P{^Nd}\p{Any}])", R"([\P{Script=Greek}\p{Nd}\p{Any}])"},
        {R"(\x{1F600}\x41\a)", R"(\u{1F600}\x41\x07)"},
        {"a{2}b{1,}c{1,3}", "a{2}b{1,}c{1,3}"},
        {"a{,3}{x}", R"(a\{,3\}\{x\})"}, // not repetitions
        {"a]", R"(a\])"},
        {R"(\-\_\@\/)", R"(-_@\/)"}, // escapes that ECMAScript does not know
        {R"(\bword\B)", R"(\bword\B)"},
        {"^a*$", "^a*$"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.re2);
        CHECK(to_ecma_expression(c.re2).value_or("none") == c.ecma);
    }
}

TEST_CASE("regular expressions without an equivalent") {
    for (const std::string_view re2 : {"(?i)a", "[[:alpha:]]", "[]a]", R"(\Qa.b\E)", R"(\C)", R"([\S])", "^*",
                                       "$+", R"(\b?)", R"(\A{2})", "a\\", R"(\p)"}) {
        CAPTURE(re2);
        CHECK_FALSE(to_ecma_expression(re2).has_value());
    }
}

TEST_CASE("limits and the names of fields in JSON Schema's words") {
    const std::pair<std::string, std::string> cases[] = {
        {"import \"strings\"\n#X: {a: strings.MinRunes(2) & strings.MaxRunes(5)}",
         R"({"type":"object","properties":{"a":{"type":"string","minLength":2,"maxLength":5}},"required":["a"],"additionalProperties":false})"},
        {"import \"list\"\n#X: {a: [...int] & list.MinItems(1) & list.MaxItems(3) & list.UniqueItems()}",
         R"({"type":"object","properties":{"a":{"type":"array","minItems":1,"maxItems":3,"uniqueItems":true,"items":{"type":"integer"}}},"required":["a"],"additionalProperties":false})"},
        {"#X: {a: !~\"^a\" & != \"b\" & !=\"\"}",
         R"({"type":"object","properties":{"a":{"type":"string","not":{"pattern":"^a"},"allOf":[{"not":{"const":"b"}}],"minLength":1}},"required":["a"],"additionalProperties":false})"},
        {"#X: {a: >\"b\" & =~\"(?i)c\"}",
         R"({"type":"object","properties":{"a":{"type":"string","$comment":"not expressed here: >\"b\"; not expressed here: =~\"(?i)c\""}},"required":["a"],"additionalProperties":false})"},
        {"#X: int8", R"({"type":"integer","minimum":-128,"maximum":127})"},
        {"#X: true", R"({"const":true})"},
        {"#X: null | -1.5 | \"a\"", R"({"enum":[null,-1.5,"a"]})"},
        {"#X: *\"a\" | \"b\"", R"({"enum":["a","b"],"default":"a"})"},
        {"#X: *3 | int", R"({"anyOf":[{"const":3},{"type":"integer"}],"default":3})"},
        {"#X: *1 | *2 | 3", R"({"enum":[1,2,3]})"}, // none of the two is the default
        {"#X: [int, string]",
         R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2,"items":false})"},
        {"#X: [int, ...bool]",
         R"({"type":"array","prefixItems":[{"type":"integer"}],"minItems":1,"items":{"type":"boolean"}})"},
        {"import \"list\"\n#X: [int, ...] & list.MinItems(2)",
         R"({"type":"array","minItems":2,"prefixItems":[{"type":"integer"}],"allOf":[{"minItems":1}]})"},
        {"#X: {a: >\"b\"}",
         R"({"type":"object","properties":{"a":{"type":"string","$comment":"not expressed here: >\"b\""}},"required":["a"],"additionalProperties":false})"},
        {"#X: {a: !=null}",
         R"({"type":"object","properties":{"a":{"type":["boolean","number","string","array","object"]}},"required":["a"],"additionalProperties":false})"},
        {"#X: {[=~\"^x-\"]: int, a?: string}",
         R"({"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false})"},
        {"#X: {[\"a.b\" | \"c\"]: bool}",
         R"({"type":"object","patternProperties":{"^a\\.b$|^c$":{"type":"boolean"}},"additionalProperties":false})"},
        {"#X: {[string]: string}", R"({"type":"object","additionalProperties":{"type":"string"}})"},
        {"#X: {[=~\"(?i)a\"]: int}",
         R"({"type":"object","$comment":"not expressed here: the names of other fields"})"},
        {"#X: {[=~\"^a\"]: int, [=~\"b$\"]: >1}",
         R"({"type":"object","patternProperties":{"^a":{"type":"integer"},"b$":{"type":"number","exclusiveMinimum":1}},"additionalProperties":false})"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.first);
        CHECK(json_schema(c.first) == c.second);
    }
}
