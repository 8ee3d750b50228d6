#include "../catalog/catalog_text.hpp"
#include "opcat/compose/plan.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

constexpr std::string_view config_text = "name: all\n"
                                         "references:\n"
                                         "- {name: a, image: r.example/a:v1}\n"
                                         "- {name: b, image: r.example/b:v1}\n";

struct Case {
    const char* name;
    ComposeLock lock;
    bool update;
    ComposeStep::Change change; // of a
    std::string digest;
    bool up_to_date;
};

} // namespace

TEST_CASE("locked references stay, new ones are added, and updated ones follow their tag") {
    const SourceFile file("catalog.yaml", config_text);
    Arena arena;
    Diagnostics diagnostics;
    const auto config = read_compose_config(file, arena, diagnostics);
    REQUIRE(config);
    using enum ComposeStep::Change;
    const Pin current{"a", "r.example/a:v1", "now", "content"};
    Pin from_before = current;
    from_before.digest = "before";
    Pin edited = current;
    edited.content = "other";
    Pin other_image = current;
    other_image.image = "r.example/a:v0";
    const Case cases[] = {
        {"no lock", {}, false, added, "now", false},
        {"unchanged", {{current}}, false, none, "now", true},
        {"unchanged, to be updated", {{current}}, true, none, "now", true},
        {"the tag has moved", {{from_before}}, false, held, "before", true},
        {"the tag has moved, to be updated", {{from_before}}, true, moved, "now", false},
        {"the file was edited", {{edited}}, false, none, "now", false},
        {"another image", {{other_image}}, false, added, "now", false},
    };
    for (const Case& one : cases) {
        INFO(one.name);
        const ComposePlan plan = plan_compose(*config, {one.lock, {"now", "b"}, {"content", ""}},
                                              [&](std::string_view) { return one.update; });
        REQUIRE(plan.steps.size() == 2);
        CHECK(plan.steps[0].change == one.change);
        CHECK(plan.steps[0].digest == one.digest);
        CHECK(plan.steps[0].up_to_date == one.up_to_date);
        CHECK(plan.steps[1].change == added);
        CHECK(plan.removed.empty());
    }
    const ComposePlan plan = plan_compose(*config, {{{{"z", "", "", ""}}}, {"", ""}, {"", ""}},
                                          [](std::string_view) { return false; });
    CHECK(plan.removed == std::vector<std::string>{"z"});
    CHECK(describe_changes(plan).size() == 3);
}

TEST_CASE("a reference outside of registries is never up to date") {
    const SourceFile file("catalog.yaml", "name: all\nreferences: [{name: a, image: dir}]\n");
    Arena arena;
    Diagnostics diagnostics;
    const auto config = read_compose_config(file, arena, diagnostics);
    REQUIRE(config);
    const ComposePlan plan = plan_compose(*config, {{{{"a", "dir", "", "content"}}}, {""}, {"content"}},
                                          [](std::string_view) { return false; });
    CHECK(plan.steps[0].change == ComposeStep::Change::none);
    CHECK(!plan.steps[0].up_to_date);
}

TEST_CASE("a lock is read as it was written, in any order") {
    const ComposeLock lock{
        .pins = {{"a", "r.example/a:v1", "sha256:1", "sha256:2"}, {"b: #", "dir", "", "sha256:3"}},
        .catalog = "all"};
    const std::string text = to_text(lock);
    Diagnostics diagnostics;
    const auto again = read_compose_lock(SourceFile("catalog.lock", text), diagnostics);
    REQUIRE(again);
    CHECK(*again == lock);
    CHECK(again->find("b: #") == &again->pins[1]);
    CHECK(again->find("c") == nullptr);
    const auto turned =
        read_compose_lock(SourceFile("catalog.lock", "schema: opcat.compose-lock.v1\nreferences:\n"
                                                     "- {name: b}\n- {name: a}\n"),
                          diagnostics);
    REQUIRE(turned);
    CHECK(turned->pins[0].name == "a");
}

TEST_CASE("what is not a lock is an error") {
    for (const char* text : {"", "[]", "schema: opcat.compose-lock.v9\n", "references: []\n",
                             "schema: opcat.compose-lock.v1\nreferences: [{name: [a]}]\n"}) {
        INFO(text);
        Diagnostics diagnostics;
        CHECK(!read_compose_lock(SourceFile("catalog.lock", text), diagnostics));
        CHECK(!diagnostics.empty());
    }
}

TEST_CASE("a package of several references is an error that shows where each has it") {
    const SourceFile file("catalog.yaml", config_text);
    Arena arena;
    Diagnostics diagnostics;
    const auto config = read_compose_config(file, arena, diagnostics);
    REQUIRE(config);
    // Each catalog mentions the package in another kind of blob first.
    const std::pair<std::string, uint32_t> mentions[] = {
        {package(), 4},
        {channel("{name: a}"), 4},
        {bundle("a", "1.0.0"), 4},
        {"---\n{schema: olm.deprecations, package: foo, entries: []}\n", 4},
        {"---\n{schema: olm.channel, package: other, name: x, entries: []}\n" + channel("{name: a}"), 68},
    };
    for (const auto& [text, offset] : mentions) {
        CAPTURE(text);
        const LoadedCatalog first = load_text(package());
        const LoadedCatalog second = load_text(text);
        const ComposeSource sources[] = {{&config->references[0], &first.catalog},
                                         {&config->references[1], &second.catalog}};
        const Diagnostics found = check_sources(sources, file);
        REQUIRE(found.size() == 1);
        CHECK(found[0].message == "package \"foo\" comes from a (r.example/a:v1) and b (r.example/b:v1)");
        REQUIRE(found[0].notes.size() == 2);
        CHECK(found[0].notes[1].message == "in b it is");
        CHECK(found[0].notes[1].where.offset == offset);
    }
}
