// Covers lib/resolve/classic/rounds.cpp, lib/resolve/classic/subscribe.cpp and, with
// tests/cli/test_resolve_classic.py, lib/resolve/classic/report_text.cpp.
#include "opcat/resolve/classic/report.hpp"
#include "opcat/resolve/classic/subscribe.hpp"
#include "world.hpp"

using namespace opcat::classic;

namespace {

std::string shop_yaml() {
    return package_yaml("shop", "stable") +
           channel_yaml("shop", "stable", "{name: shop.v2, replaces: shop.v1}, {name: shop.v1}") +
           bundle_yaml("shop", "shop.v1", "1.0.0") + bundle_yaml("shop", "shop.v2", "2.0.0");
}

std::string text_of(const Rounds& all) {
    std::string text;
    for (const Round& round : all.rounds) text += to_text(round) + "--\n";
    return text;
}

} // namespace

TEST_CASE("rounds go on until nothing is to be done") {
    World world;
    world.catalog("main", shop_yaml());
    world.subscription("shop", "stable", {}, "main", "shop.v1");
    const Request request = world.request();
    CHECK(resolve_rounds(request, {}).rounds.size() == 1);

    const Rounds all = resolve_rounds(request, {.to_end = true});
    CHECK(all.after.size() + 1 == all.rounds.size());
    for (const Round& round : all.rounds) CHECK(!round.fails());
    const std::string text = text_of(all);
    INFO(text);
    CHECK(text.find("  install  shop.v1  package shop, channel stable, catalog olm/main\n") ==
          text.find("  install"));
    CHECK(
        text.find("  upgrade  shop.v2  package shop, channel stable, catalog olm/main, replaces shop.v1\n") !=
        text.npos);
    CHECK(text.ends_with("OLM would change nothing\n  keep     shop.v2  Subscription shop\n--\n"));
}

TEST_CASE("a round that fails is the last one") {
    World world;
    world.catalog("main", shop_yaml());
    world.subscription("shop", "beta");
    const Rounds all = resolve_rounds(world.request(), {.to_end = true});
    REQUIRE(all.rounds.size() == 1);
    CHECK(all.rounds.front().fails());
    CHECK(!all.rounds.front().failure.empty());
    CHECK(to_text(all.rounds.front()).starts_with("OLM would resolve nothing in this namespace.\n"));
}

TEST_CASE("a new Subscription takes the catalog of the highest priority, and of several the first by name") {
    World world;
    world.catalog("b", shop_yaml(), 1);
    world.catalog("a", shop_yaml(), 1);
    world.catalog("low", shop_yaml() + package_yaml("other", "stable"), 0);
    const auto catalogs = world.request().catalogs;
    CHECK(assume_subscription("ns", {"shop", "stable", "shop.v1"}, catalogs, world.cluster));
    REQUIRE(world.cluster.subscriptions.size() == 1);
    CHECK(world.cluster.subscriptions[0].source == "a");
    CHECK(world.cluster.subscriptions[0].starting_csv == "shop.v1");

    // There is one for each package.
    CHECK(assume_subscription("ns", {"shop", "fast", ""}, catalogs, world.cluster));
    REQUIRE(world.cluster.subscriptions.size() == 1);
    CHECK(world.cluster.subscriptions[0].channel == "fast");
    CHECK(!assume_subscription("ns", {"shpo", "", ""}, catalogs, world.cluster));
    CHECK(without_catalog("ns", world.cluster, catalogs) == nullptr);
    CHECK(without_catalog("ns", world.cluster, catalogs.subspan(2)) == &world.cluster.subscriptions[0]);

    assume_catalog_source({"olm", "a"}, 7, world.cluster);
    assume_catalog_source({"olm", "new"}, std::nullopt, world.cluster);
    REQUIRE(world.cluster.catalog_sources.size() == 4);
    CHECK(world.cluster.catalog_sources[1].priority == 7);
    CHECK(world.cluster.catalog_sources[3].name == "new");
    CHECK(channels_of("shop", catalogs) == std::vector<std::string_view>{"stable"});
}
