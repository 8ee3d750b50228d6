#include "opcat/cue/json_schema.hpp"

#include <doctest/doctest.h>

using namespace opcat::cue;

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
