#include "world.hpp"

using namespace opcat::classic;

namespace {

// The answer to a Subscription to channel stable of package a with these entries.
std::string answer_with(const std::string& entries, const std::vector<std::string>& names) {
    World world;
    std::string yaml = package_yaml("a", "stable") + channel_yaml("a", "stable", entries);
    for (size_t i = 0; i < names.size(); ++i)
        yaml += bundle_yaml("a", names[i], fmt::format("{}.0.0", i + 1));
    world.catalog("main", yaml);
    world.subscription("a", "stable");
    return world.answer();
}

} // namespace

TEST_CASE("the head of a channel is the entry that no other replaces or skips") {
    CHECK(answer_with("{name: a.v1}, {name: a.v2, replaces: a.v1}", {"a.v1", "a.v2"}) == "a.v2");
    CHECK(answer_with("{name: a.v1}, {name: a.v2, skips: [a.v1]}", {"a.v1", "a.v2"}) == "a.v2");
    // The replaced entry may be missing.
    CHECK(answer_with("{name: a.v2, replaces: a.v1}", {"a.v2"}) == "a.v2");
}

TEST_CASE("channels without an order are refused, in OLM's words") {
    CHECK(answer_with("{name: a.v1, replaces: a.v2}, {name: a.v2, replaces: a.v1}", {"a.v1", "a.v2"}) ==
          "no channel heads (entries not replaced by another entry) found in channel \"stable\" of package "
          "\"a\"");
    CHECK(answer_with(
              "{name: a.v3, replaces: a.v1}, {name: a.v1, replaces: a.v2}, {name: a.v2, replaces: a.v1}",
              {"a.v1", "a.v2", "a.v3"}) == "a cycle exists in the chain of replacement beginning with "
                                           "\"a.v3\" in channel \"stable\" of package \"a\"");
    CHECK(answer_with("{name: a.v1}, {name: a.v2, replaces: a.v1}, {name: a.w1}", {"a.v1", "a.v2", "a.w1"}) ==
          "a unique replacement chain within a channel is required to determine the relative order between "
          "channel "
          "entries, but 2 replacement chains were found in channel \"stable\" of package \"a\": a.v2...a.v1, "
          "a.w1");
}

TEST_CASE("a Subscription without a catalog sees all of them: equal names are skipped together") {
    const std::string yaml = package_yaml("a", "stable") +
                             channel_yaml("a", "stable", "{name: a.v1}, {name: a.v2, skips: [a.v1]}") +
                             bundle_yaml("a", "a.v1", "1.0.0") + bundle_yaml("a", "a.v2", "2.0.0");
    World world;
    world.catalog("one", yaml);
    world.catalog("two", yaml);
    world.manifests(
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {namespace: ns, "
        "name: a}\nspec: {name: a, channel: stable}\n");
    CHECK(world.answer().ends_with(
        "3 replacement chains were found in channel \"stable\" of package \"a\": [], a.v2, "
        "a.v2"));
}
