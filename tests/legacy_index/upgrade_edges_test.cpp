#include "opcat/legacy_index/database.hpp"

#include <doctest/doctest.h>

using namespace opcat::legacy;

namespace {

EdgeRow row(int64_t id, std::string bundle, std::optional<int64_t> replaces, std::optional<int64_t> depth) {
    return {id, "p", "c", std::move(bundle), replaces, depth};
}

} // namespace

TEST_CASE("entries that are reached from the heads are replaced, others are skipped") {
    const auto edges =
        upgrade_edges({row(1, "c", 3, 0), row(2, "c", 4, 1), row(3, "b", 4, 1), row(4, "a", {}, 2)});
    CHECK(edges.at({"c", "p", "c"}).replaces == "b");
    CHECK(edges.at({"c", "p", "c"}).skips == std::vector<std::string>{"a"});
    CHECK(edges.at({"b", "p", "c"}).replaces == "a");
    CHECK(edges.at({"a", "p", "c"}).replaces.empty());
}

TEST_CASE("cycles and dangling rows do not loop forever") {
    const auto edges = upgrade_edges({row(1, "b", 2, 0), row(2, "a", 1, 0), row(3, "d", 99, {})});
    CHECK(edges.at({"b", "p", "c"}).replaces == "a");
    CHECK(edges.at({"a", "p", "c"}).replaces == "b");
    CHECK(edges.at({"d", "p", "c"}).replaces.empty());
    CHECK(upgrade_edges({}).empty());
}
