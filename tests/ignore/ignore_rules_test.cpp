#include "components.hpp"
#include "opcat/ignore/ignore_rules.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

bool ignored(std::string_view rules, std::string_view path) {
    uint64_t steps = 0;
    return IgnoreRules::parse(rules).verdict(components(path), steps) == IgnoreRules::Verdict::ignored;
}

struct Case {
    std::string_view rules, path;
    bool expected;
};

void check(std::span<const Case> cases) {
    for (const Case& c : cases) {
        CAPTURE(c.rules);
        CAPTURE(c.path);
        CHECK(ignored(c.rules, c.path) == c.expected);
    }
}

} // namespace

TEST_CASE("lines: blank ones and comments have no effect, blanks around a pattern are dropped") {
    const Case cases[] = {
        {"", "a", false},
        {"\n\n  \n", "a", false},
        {"#a", "#a", false},
        {"  # a", "a", false},
        {"\\#a", "#a", true},
        {"a#", "a#", true},
        {"a", "a", true},
        {"a\r\nb\r\n", "a", true},
        {"a\r\nb\r\n", "b", true},
        {"  a \t", "a", true},
        {"a   ", "a   ", false},
        {"a\\ ", "a ", false},
        {"a b", "a b", true},
        {"\u00a0a\u3000", "a", true},
        {"\xa0"
         "a",
         "a", false},
        {"\ufeffa", "a", false},
        {"\ufeffa", "\ufeffa", true},
    };
    check(cases);
}

TEST_CASE("negation: the last pattern that matches decides") {
    const Case cases[] = {
        {"*.yaml\n!a.yaml", "a.yaml", false},
        {"*.yaml\n!a.yaml", "b.yaml", true},
        {"!a.yaml\n*.yaml", "a.yaml", true},
        {"*\n!a\na", "a", true},
        {"\\!a", "!a", true},
        {"!!a", "!a", false},
        {"*\n!!a", "!a", false},
        {"*\n!", "a", true},
        {"*\n! a", "a", true},
        {"*\n! a", " a", false},
    };
    check(cases);
}

TEST_CASE("a later negation takes back what is below an ignored directory") {
    const Case cases[] = {
        {"dir\n!dir/a", "dir/a", false},  {"dir\n!dir/a", "dir/b", true},
        {"dir/\n!a", "dir/a", false},     {"*.yaml\n!dir", "dir/a.yaml", false},
        {"*.yaml\n!dir", "a.yaml", true}, {"*.yaml\n!/dir/", "dir/sub/a.yaml", false},
    };
    check(cases);
}

TEST_CASE("slashes: at the end for directories only, elsewhere the pattern is bound to its directory") {
    const Case cases[] = {
        {"build", "build", true},
        {"build", "x/build", true},
        {"build", "build/x/y", true},
        {"build", "build2", false},
        {"build/", "build", false},
        {"build/", "x/build", false},
        {"build/", "x/build/y", true},
        {"build/", "build/build", true},
        {"/build", "build", true},
        {"/build", "build/x", true},
        {"/build", "x/build", false},
        {"/build/", "build", false},
        {"/build/", "build/x", true},
        {"foo/bar", "foo/bar", true},
        {"foo/bar", "foo/bar/x", true},
        {"foo/bar", "foo", false},
        {"foo/bar", "x/foo/bar", false},
        {"foo/bar/", "foo/bar", false},
        {"foo/bar/", "foo/bar/x", true},
        {"foo//bar", "foo/bar", true},
        {"foo/*", "foo/bar/x", true},
        {"foo/*", "foo", false},
        {"*/x", "a/x", true},
        {"*/x", "a/b/x", false},
        {"*/x", "x", false},
        {"f*", "a/foo", true},
        {"/", "a", false},
        {"//", "a/b", false},
    };
    check(cases);
}

TEST_CASE("two stars match any number of directories") {
    const Case cases[] = {
        {"**/foo", "foo", true},
        {"**/foo", "a/b/foo", true},
        {"**/foo", "a/foo/b", true},
        {"**/foo", "a/food", false},
        {"**/foo/", "a/foo", false},
        {"**/foo/", "a/foo/b", true},
        {"**/foo/bar", "a/foo/bar", true},
        {"**/foo/bar", "foo/a/bar", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/x", false},
        {"a/**/b", "x/a/b", false},
        {"a/**", "a/b/c", true},
        {"a/**", "x/a/b", false},
        {"a/**/", "a/b", true},
        {"a/**/", "a", false},
        {"**", "a", true},
        {"**", "a/b", true},
        {"**/", "a", false},
        {"**/", "a/b", true},
        {"**/*", "a/b", true},
        {"**/**/x", "a/b/x", true},
        {"a/**/**/b", "a/b", true},
    };
    check(cases);
}

TEST_CASE("differences between opm and git are kept") {
    const Case cases[] = {
        {"a/**", "a", true},          // git: not the file itself
        {"/**", "a", false},          // git: everything
        {"**/a/b", "a/x/a/b", false}, // git: tried at each a
        {"a/b**", "a/bc", false},     // git: like a/b*
        {"a**b", "axb", true},        // without a slash it is like one star
        {"**//a", "x/a", false},      // the empty component undoes the stars
        {"[!a]", "b", false},         // git: a negated class
        {"[]a]", "]", false},         // git: a class of ] and a
        {"[[:digit:]]", "1", false},  // git: a named class
        {"a\\", "a\\", false},        // malformed
        {"a/[", "a/[", false},        // malformed
    };
    check(cases);
}

TEST_CASE("the documented example ignores everything but catalog files") {
    const std::string_view rules =
        "# Ignore everything except non-object .json and .yaml files\n**/*\n!*.json\n!*.yaml\n"
        "**/objects/*.json\n**/objects/*.yaml\n";
    const Case cases[] = {
        {rules, "README.md", true},
        {rules, "pkg/index.yaml", false},
        {rules, "pkg/index.json", false},
        {rules, "pkg/objects/csv.yaml", true},
        {rules, "pkg/objects/crd.json", true},
        {rules, "objects/sub/x.yaml", false},
    };
    check(cases);
}
