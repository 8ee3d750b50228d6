#include "opcat/resolve/classic/plan.hpp"
#include "world.hpp"

#include <map>
#include <utility>

using namespace opcat;
using namespace opcat::classic;

namespace {

struct Planned {
    Resolution resolution;
    Plan plan;
};

Planned planned(const World& world) {
    Planned p{resolve(world.request()), {}};
    p.plan = plan_of(world.request(), p.resolution);
    return p;
}

} // namespace

TEST_CASE("an operator without a Subscription gets one, named after its source") {
    World world;
    world.catalog("main", operator_yaml("red", requires_api("K")) + operator_yaml("k", provides("K")));
    world.subscription("red", "stable");
    const Planned p = planned(world);
    CHECK(p.plan.install_plan);
    CHECK_FALSE(p.plan.manual);
    REQUIRE(p.plan.new_subscriptions.size() == 1);
    CHECK(p.plan.new_subscriptions[0].name == "k-stable-main-olm");
    REQUIRE(p.plan.updated.size() == 1);
    CHECK(p.plan.updated[0].first->name == "red");
    CHECK(p.plan.updated[0].second == "red.v1");

    // And the next resolution finds it installed, owned by that Subscription.
    World next = world;
    next.cluster = carried_out(world.request(), p.plan);
    CHECK(next.answer().empty());
    REQUIRE(next.cluster.subscriptions.size() == 2);
    CHECK(next.cluster.subscriptions[1].installed_csv == "k.v1");
    CHECK_FALSE(planned(next).plan.does_something());
}

TEST_CASE("a Subscription without channel or catalog covers an operator of its package") {
    World world;
    world.catalog("main", operator_yaml("red"));
    world.subscription("red", "\"\"");
    CHECK(planned(world).plan.new_subscriptions.empty());
    CHECK(planned(world).plan.updated.size() == 1);
}

TEST_CASE("a Subscription to another channel or catalog does not cover an operator") {
    // Who depends on k gets it from another channel, or catalog, than the Subscription to k asks for.
    for (const bool other_catalog : {false, true}) {
        World world;
        world.catalog("main", operator_yaml("red", requires_api("K")) + package_yaml("k", "stable") +
                                  channel_yaml("k", "stable", "{name: k.v1}") +
                                  bundle_yaml("k", "k.v1", "1.0.0") +
                                  (other_catalog ? std::string()
                                                 : channel_yaml("k", "fast", "{name: k.v2}") +
                                                       bundle_yaml("k", "k.v2", "2.0.0", provides("K"))));
        if (other_catalog)
            world.catalog("more", package_yaml("k", "stable") + channel_yaml("k", "stable", "{name: k.v2}") +
                                      bundle_yaml("k", "k.v2", "2.0.0", provides("K")));
        world.subscription("red", "stable");
        const Resolution resolution = resolve(world.request());
        REQUIRE(resolution.operators.size() == 2);
        Subscription to_k = *resolution.subscriptions.at(0);
        to_k.package = "k";
        Resolution with_subscription = resolution;
        with_subscription.subscriptions.push_back(&to_k);
        const Plan plan = plan_of(world.request(), with_subscription);
        REQUIRE(plan.new_subscriptions.size() == 1);
        CHECK(plan.new_subscriptions[0].entry->name == "k.v2");
        CHECK(plan.updated.size() == 1);
    }
}

TEST_CASE("no plan is needed if all Subscriptions have their operators") {
    World world;
    world.catalog("main", operator_yaml("red"));
    world.subscription("red", "stable");
    // The CSV is there, and the Subscription points at it, but does not know yet that it is installed.
    world.cluster.subscriptions[0].current_csv = "red.v1";
    world.installed("red.v1", "1.0.0", R"([{"type":"other","value":1}])");
    const Planned p = planned(world);
    CHECK(p.resolution.operators.size() == 1);
    CHECK(p.plan.bundles.empty());
    CHECK_FALSE(p.plan.install_plan);
}

TEST_CASE("one Subscription with manual approval makes the plan manual") {
    World world;
    world.catalog("main", operator_yaml("red") + operator_yaml("blue"));
    world.subscription("red", "stable");
    world.subscription("blue", "stable", "blue.v1");
    world.installed("blue.v1", "1.0.0");
    world.cluster.subscriptions[1].manual = true;
    CHECK(planned(world).plan.manual);
}

TEST_CASE("an upgrade replaces the old version") {
    World world;
    world.catalog("main", package_yaml("a", "stable") +
                              channel_yaml("a", "stable", "{name: a.v2, replaces: a.v1}, {name: a.v1}") +
                              bundle_yaml("a", "a.v1", "1.0.0") + bundle_yaml("a", "a.v2", "2.0.0"));
    world.subscription("a", "stable", "a.v1");
    world.installed("a.v1", "1.0.0");
    const Planned p = planned(world);
    REQUIRE(p.plan.bundles.size() == 1);
    CHECK(p.plan.bundles[0]->replaces == "a.v1");
    const ClusterState next = carried_out(world.request(), p.plan);
    REQUIRE(next.csvs.size() == 1);
    CHECK(next.csvs[0].name == "a.v2");
    CHECK(next.csvs[0].replaces == "a.v1");
}

TEST_CASE("an upgrade changes neither other operators of the namespace, nor those of others, nor copies") {
    World world;
    world.catalog("main", package_yaml("a", "stable") +
                              channel_yaml("a", "stable", "{name: a.v2, replaces: a.v1}, {name: a.v1}") +
                              bundle_yaml("a", "a.v1", "1.0.0") + bundle_yaml("a", "a.v2", "2.0.0") +
                              operator_yaml("b"));
    world.subscription("b", "stable", "b.v1");
    world.installed("b.v1", "1.0.0");
    world.subscription("a", "stable", "a.v1");
    world.installed("a.v1", "1.0.0");
    ClusterServiceVersion elsewhere = world.cluster.csvs.back();
    elsewhere.ns = "other";
    world.cluster.csvs.push_back(elsewhere);
    ClusterServiceVersion copy = world.cluster.csvs[1];
    copy.copied = true;
    world.cluster.csvs.push_back(copy);
    Subscription other = world.cluster.subscriptions.back();
    other.ns = "other";
    world.cluster.subscriptions.insert(world.cluster.subscriptions.begin(), other);

    const Planned p = planned(world);
    const ClusterState next = carried_out(world.request(), p.plan);
    std::string csvs;
    for (const ClusterServiceVersion& csv : next.csvs)
        csvs += fmt::format("{}/{}{} ", csv.ns, csv.name, csv.copied ? " (copy)" : "");
    CHECK(csvs == "ns/b.v1 other/a.v1 ns/a.v1 (copy) ns/a.v2 ");
    std::string subscriptions;
    for (const Subscription& s : next.subscriptions)
        subscriptions += fmt::format("{}/{}: {} ", s.ns, s.name, s.installed_csv);
    CHECK(subscriptions == "other/a: a.v1 ns/b: b.v1 ns/a: a.v2 ");
}

namespace {

// What OLM writes when it carries out a plan, told apart from carried_out: it knows packages only.
ClusterState written_by_olm(const ClusterState& before, const Plan& plan) {
    const auto package_of = [](std::string_view csv) { return csv.substr(0, csv.find('.')); };
    World after;
    after.cluster.catalog_sources = before.catalog_sources;
    std::map<std::string, std::pair<std::string, std::string>, std::less<>>
        csvs; // by package: name and version
    for (const ClusterServiceVersion& csv : before.csvs)
        csvs[std::string(package_of(csv.name))] = {csv.name, csv.version};
    for (const ResolvedOperator* resolved : plan.bundles)
        csvs[std::string(resolved->entry->package)] = {std::string(resolved->entry->name),
                                                       resolved->entry->version_text()};
    const auto subscribe = [&](const std::string& package, const std::string& channel) {
        const auto csv = csvs.find(package);
        after.subscription(package, channel, csv == csvs.end() ? std::string() : csv->second.first);
    };
    for (const Subscription& s : before.subscriptions) subscribe(s.package, s.channel);
    for (const PlannedSubscription& s : plan.new_subscriptions)
        subscribe(std::string(s.entry->package), std::string(s.entry->channel));
    for (const auto& [package, csv] : csvs)
        after.installed(
            csv.first, csv.second,
            fmt::format(R"([{{"type":"olm.package","value":{{"packageName":"{}","version":"{}"}}}}])",
                        package, csv.second));
    return std::move(after.cluster);
}

std::string words_for(const Planned& p) {
    std::string words = p.resolution.error;
    for (const ResolvedOperator* resolved : p.plan.bundles)
        words += fmt::format(" {}<{}", resolved->entry->name, resolved->replaces);
    return words;
}

} // namespace

TEST_CASE("steps that are simulated are those after the objects that OLM writes, with several operators") {
    uint32_t state = 60;
    const auto below = [&](uint32_t limit) { // any sequence does
        state = state * 1664525U + 1013904223U;
        return (state >> 16U) % limit;
    };
    for (int turn = 0; turn < 200; ++turn) {
        CAPTURE(turn);
        World world;
        std::string yaml;
        const uint32_t operators = 1 + below(4);
        std::vector<uint32_t> lengths;
        for (uint32_t i = 0; i < operators; ++i) {
            const std::string package(1, static_cast<char>('a' + i));
            const uint32_t length = lengths.emplace_back(1 + below(4));
            std::string entries;
            for (uint32_t v = 1; v <= length; ++v) {
                entries += fmt::format("{}{{name: {}.v{}", v > 1 ? ", " : "", package, v);
                if (v > 1) entries += fmt::format(", replaces: {}.v{}", package, v - 1);
                entries += "}";
                // Some require the one before, of which there may be no Subscription yet.
                const std::string needs =
                    i > 0 && below(3) == 0
                        ? requires_package(std::string(1, static_cast<char>('a' + i - 1)), ">=1.0.0")
                        : "";
                yaml +=
                    bundle_yaml(package, fmt::format("{}.v{}", package, v), fmt::format("{}.0.0", v), needs);
            }
            yaml += package_yaml(package, "stable") + channel_yaml(package, "stable", entries);
        }
        world.catalog("main", yaml);
        for (uint32_t i = 0; i < operators; ++i) {
            const std::string package(1, static_cast<char>('a' + i));
            if (below(4) == 0) continue; // no Subscription
            const uint32_t version = below(lengths[i] + 1);
            const std::string installed =
                version > 0 ? fmt::format("{}.v{}", package, version) : std::string();
            world.subscription(package, "stable", installed);
            if (version > 0) world.installed(installed, fmt::format("{}.0.0", version));
            // An InstallPlan for the next version exists, and is not carried out yet.
            if (version < lengths[i] && below(2) == 0)
                world.cluster.subscriptions.back().current_csv = fmt::format("{}.v{}", package, version + 1);
        }
        World real = world;
        for (int round = 0; round < 12; ++round) {
            const Planned simulated = planned(world);
            const Planned again = planned(real);
            CHECK(words_for(simulated) == words_for(again));
            if (!simulated.plan.does_something()) break;
            world.cluster = carried_out(world.request(), simulated.plan);
            real.cluster = written_by_olm(real.cluster, again.plan);
        }
        // Nothing of what OLM has made itself may be in the way.
        CHECK(planned(world).resolution.error.empty());
    }
}
