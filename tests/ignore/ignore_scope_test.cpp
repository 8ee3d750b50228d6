#include "components.hpp"
#include "opcat/ignore/ignore_rules.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace opcat;

namespace {

// Whether `path` is ignored, given the text of the rules of each directory ("" is the root).
bool ignored_below(const std::map<std::string_view, std::string_view>& rules, std::string_view path) {
    const auto parts = components(path);
    IgnoreScope scope;
    for (size_t depth = 0; depth < parts.size(); ++depth) {
        const size_t length =
            depth == 0 ? 0 : parts[depth - 1].data() + parts[depth - 1].size() - path.data();
        const auto found = rules.find(path.substr(0, length));
        if (found != rules.end()) scope.set_rules(IgnoreRules::parse(found->second));
        if (depth + 1 < parts.size()) scope = scope.enter(parts[depth]);
    }
    uint64_t steps = 0;
    return scope.is_ignored(parts, steps);
}

} // namespace

TEST_CASE("rules apply below their own directory, relative to it") {
    CHECK(ignored_below({{"dir", "a"}}, "dir/a"));
    CHECK(ignored_below({{"dir", "a"}}, "dir/sub/a"));
    CHECK(ignored_below({{"dir", "/a"}}, "dir/a"));
    CHECK_FALSE(ignored_below({{"dir", "/a"}}, "dir/sub/a"));
    CHECK_FALSE(ignored_below({{"dir", "a"}}, "a"));
    CHECK_FALSE(ignored_below({{"dir", "dir"}}, "dir/a"));
    CHECK_FALSE(ignored_below({{"dir", "dir/a"}}, "dir/a"));
    CHECK(ignored_below({{"x/y", "z/*"}}, "x/y/z/a"));
}

TEST_CASE("deeper rules decide before higher ones") {
    CHECK_FALSE(ignored_below({{"", "a"}, {"dir", "!a"}}, "dir/a"));
    CHECK(ignored_below({{"", "a"}, {"dir", "!a"}}, "a"));
    CHECK_FALSE(ignored_below({{"", "dir"}, {"dir", "!a"}}, "dir/a"));
    CHECK(ignored_below({{"", "dir"}, {"dir", "!a"}}, "dir/b"));
    CHECK(ignored_below({{"", "a"}, {"x", "!a"}, {"x/y", "a"}}, "x/y/a"));
    CHECK_FALSE(ignored_below({{"", "a"}, {"x/y", "!a"}}, "x/y/a"));
    CHECK_FALSE(ignored_below({{"x", "y/"}, {"x/y", "!a"}}, "x/y/a"));
}

TEST_CASE("rules in a directory whose name sorts before .indexignore are weaker than those above") {
    CHECK(ignored_below({{"", "a"}, {".hidden", "!a"}}, ".hidden/a"));
    CHECK(ignored_below({{"", "a"}, {"-x", "!a"}}, "-x/a"));
    CHECK_FALSE(ignored_below({{"", "a"}, {".zip", "!a"}}, ".zip/a"));
    CHECK_FALSE(ignored_below({{"", "!a"}, {".hidden", "a"}}, ".hidden/a"));
    CHECK(ignored_below({{"", "a"}, {".hidden/x", "!a"}}, ".hidden/x/a"));
    CHECK_FALSE(ignored_below({{".hidden", "a"}, {".hidden/x", "!a"}}, ".hidden/x/a"));
    CHECK_FALSE(ignored_below({{"x", "a"}, {"x/y", "!a"}, {"x/y/.z", "!a"}}, "x/y/.z/a"));
    CHECK(ignored_below({{"x", "a"}, {"x/.a", "!a"}}, "x/.a/a"));
    CHECK(ignored_below({{"", "a"}, {"x/.a", "!a"}, {"x", "a"}}, "x/.a/a"));
    CHECK_FALSE(ignored_below({{"", "a"}, {"x/.a", "!a"}}, "x/.a/a"));
}

TEST_CASE("a directory called .indexignore is an ordinary directory") {
    CHECK_FALSE(ignored_below({}, ".indexignore/a"));
    CHECK_FALSE(ignored_below({}, "x/.indexignore/a"));
    CHECK(ignored_below({{"", ".indexignore"}}, "x/.indexignore/a"));
    CHECK(ignored_below({{".indexignore", "a"}}, ".indexignore/a"));
}
