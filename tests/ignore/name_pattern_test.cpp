#include "opcat/ignore/ignore_rules.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

bool matches(std::string_view pattern, std::string_view name) {
    uint64_t steps = 0;
    const auto parsed = NamePattern::parse(pattern);
    return parsed && parsed->matches(name, steps);
}

} // namespace

TEST_CASE("name patterns match whole names") {
    struct {
        std::string_view pattern, name;
        bool expected;
    } const cases[] = {
        {"a.yaml", "a.yaml", true},
        {"a.yaml", "a.yamlx", false},
        {"a.yaml", "xa.yaml", false},
        {"A", "a", false},
        {"*", "", true},
        {"*", ".hidden", true},
        {"*.yaml", ".yaml", true},
        {"*.yaml", "a.yaml.yaml", true},
        {"*.yaml", "a.yaml.json", false},
        {"a*b*c", "a--b--b--c", true},
        {"a*b*c", "a--c--b", false},
        {"a**b", "axxb", true},
        {"*a", "ba", true},
        {"a*", "a", true},
        {"*ab", "aab", true},
        {"?", "a", true},
        {"?", "", false},
        {"?", "ab", false},
        {"?", "é", true},
        {"?", "\xff", true},
        {"??", "é", false},
        {"*?", "é", true},
        {"[abc]", "b", true},
        {"[abc]", "d", false},
        {"[a-c]x", "bx", true},
        {"[a-c]x", "dx", false},
        {"[c-a]", "b", false},
        {"[^a-c]", "d", true},
        {"[^a-c]", "b", false},
        {"[à-ü]", "é", true},
        {"[à-ü]", "e", false},
        {"[\ufffd]", "\xff", true},
        {"[!a]", "b", false},
        {"[!a]", "a", true},
        {"[!a]", "!", true},
        {"[\\]]", "]", true},
        {"[a\\-z]", "-", true},
        {"[a\\-z]", "k", false},
        {"[*]", "*", true},
        {"[*]", "a", false},
        {"[[:alpha:]]", "a", false},
        {"[[:alpha:]]", "a]", true},
        {"a]", "a]", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"\\a", "a", true},
        {"\\\\", "\\", true},
    };
    for (const auto& c : cases) {
        CAPTURE(c.pattern);
        CAPTURE(c.name);
        CHECK(matches(c.pattern, c.name) == c.expected);
    }
}

TEST_CASE("malformed name patterns are refused") {
    for (const std::string_view pattern : {"\\", "a\\", "[", "[a", "[a-", "[a-]", "[-a]", "[]", "[]a]", "[^]",
                                           "[^]a]", "x[", "[a\\", "[\xff]", "*[z-"}) {
        CAPTURE(pattern);
        CHECK_FALSE(NamePattern::parse(pattern));
    }
}

TEST_CASE("matching takes no more than name times pattern steps") {
    std::string pattern;
    for (int i = 0; i < 100; ++i) pattern += "a*";
    pattern += 'b';
    const std::string name(255, 'a');
    uint64_t steps = 0;
    CHECK_FALSE(NamePattern::parse(pattern)->matches(name, steps));
    CHECK(steps <= (name.size() + 1) * (pattern.size() + 1));
}
