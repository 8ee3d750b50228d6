#include "opcat/base/listed.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using opcat::listed;

TEST_CASE("lists in sentences have a word before the last item, and say how many are left out") {
    using Items = std::vector<std::string>;
    struct Case {
        Items items;
        size_t most;
        std::string_view text;
    };
    const Case cases[] = {
        {{}, 3, ""},
        {{"a"}, 3, "a"},
        {{"a", "b"}, 3, "a and b"},
        {{"a", "b", "c"}, 3, "a, b and c"},
        {{"a", "b", "c", "d"}, 3, "a, b, c and 1 more"},
        {{"a", "b", "c"}, 1, "a and 2 more"},
    };
    for (const Case& c : cases) CHECK(listed(c.items, c.most) == c.text);
    CHECK(listed(Items{"a", "b", "c"}, SIZE_MAX, {}, "or") == "a, b or c");
    CHECK(listed(Items{"a", "b", "c"}, 2, {}, "or") == "a, b or 1 more");
    CHECK(listed(std::set<int>{3, 1, 2}, SIZE_MAX, [](int n) { return std::to_string(n); }) == "1, 2 and 3");
}
