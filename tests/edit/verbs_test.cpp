// Covers lib/edit: the verbs, and what the proof says about them. tests/cli/test_edit.py has the files.
#include "../load_text.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/edit/channel_model.hpp"
#include "opcat/edit/edit.hpp"
#include "opcat/edit/proof.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <random>
#include <string>

using namespace opcat;
using namespace opcat::edit;

namespace {

struct Entry {
    std::string name;
    std::string rest = {};
};

std::string channel(const std::string& name, const std::vector<Entry>& entries) {
    std::string text = fmt::format("---\nschema: olm.channel\npackage: foo\nname: {}\nentries:\n", name);
    for (const Entry& entry : entries)
        text += fmt::format("- name: foo.v{}\n{}", entry.name,
                            entry.rest.empty() ? "" : "  " + entry.rest + "\n");
    return text;
}

std::string bundle(const std::string& version) {
    return fmt::format("---\nschema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: r.example/foo:v{0}\n"
                       "properties:\n- type: olm.package\n  value: {{packageName: foo, version: {0}}}\n",
                       version);
}

const std::string package = "---\nschema: olm.package\nname: foo\ndefaultChannel: stable\n";

// A chain in which each version replaces the one before.
std::string chain(const std::vector<std::string>& versions) {
    std::vector<Entry> entries;
    for (const std::string& version : versions)
        entries.push_back({version, entries.empty() ? "" : "replaces: foo.v" + entries.back().name});
    std::string text = package + channel("stable", entries);
    for (const std::string& version : versions) text += bundle(version);
    return text;
}

CatalogText opened(const std::string& text) {
    std::vector<EditedText> texts;
    texts.emplace_back(std::make_shared<SourceFile>("c.yaml", text));
    return CatalogText("c.yaml", std::move(texts));
}

Proof proof_of(const CatalogText& before, const CatalogText& now) {
    ThreadPool pool(1);
    return prove(
        before, now.after(), {}, [](LoadedCatalog&) {}, {}, pool);
}

Proof proof_of(const std::string& before, const std::string& now) {
    return proof_of(opened(before), opened(now));
}

std::string after(const std::string& text, const std::function<void(Edit&)>& verb) {
    Edit edit;
    edit.catalogs.push_back(opened(text));
    verb(edit);
    CHECK(!edit.done.empty());
    return std::string(edit.catalogs.front().after().front().file->bytes());
}

// A release whose blob a catalog would get.
AddRequest adding(const std::string& version, const std::string& to = "stable") {
    static const LoadedCatalog loaded = load_text(bundle("9.9.9"));
    AddRequest request;
    request.release = {.image = "r.example/foo:v" + version,
                       .name = "foo.v" + version,
                       .package = "foo",
                       .version = version};
    request.release.blob =
        std::shared_ptr<const Value>(std::shared_ptr<void>(), &loaded.catalog.bundles[0].value);
    request.channels = {to};
    return request;
}

std::string edges_of(const std::string& text, const std::string& version, const std::string& in = "stable") {
    const LoadedCatalog loaded = load_text(text);
    for (const Channel& one : loaded.catalog.channels)
        for (const ChannelEntry& entry : one.entries)
            if (one.name == in && entry.name == "foo.v" + version) {
                std::string edges(entry.replaces.text);
                for (const Text& skip : entry.skips) edges += fmt::format(" -{}", skip.text);
                return edges + (entry.skip_range.empty() ? "" : fmt::format(" {}", entry.skip_range.text));
            }
    return "absent";
}

} // namespace

TEST_CASE("a release goes above what is older and below what is newer") {
    const std::string text = chain({"1.0.0", "1.1.0", "1.1.1", "2.0.0"});
    const auto add_one = [&](const std::string& version) {
        return after(text, [&](Edit& edit) { add(edit, adding(version)); });
    };
    CHECK(edges_of(add_one("2.1.0"), "2.1.0") == "foo.v2.0.0");
    // A hotfix of an old minor version: users of all of it get it, and then the newer one.
    const std::string hotfix = add_one("1.1.2");
    CHECK(edges_of(hotfix, "1.1.2") == "foo.v1.0.0 -foo.v1.1.0 -foo.v1.1.1");
    CHECK(edges_of(hotfix, "2.0.0") == "foo.v1.1.2");
    const std::string oldest = add_one("0.9.0");
    CHECK(edges_of(oldest, "0.9.0") == "");
    CHECK(edges_of(oldest, "1.0.0") == "foo.v0.9.0");
    CHECK(edges_of(add_one("2.0.1"), "2.0.1") == "foo.v2.0.0");
}

TEST_CASE("what the user says about edges counts, then what the bundle says") {
    const std::string text = chain({"1.0.0", "1.1.0"});
    AddRequest request = adding("1.2.0");
    request.release.replaces = "foo.v1.0.0";
    request.release.skips = {"foo.v1.1.0"};
    CHECK(edges_of(after(text, [&](Edit& edit) { add(edit, request); }), "1.2.0") ==
          "foo.v1.0.0 -foo.v1.1.0");
    request.edges.take_along = ">=1.0.0 <1.2.0";
    CHECK(edges_of(after(text, [&](Edit& edit) { add(edit, request); }), "1.2.0") ==
          "foo.v1.1.0 >=1.0.0 <1.2.0");
    request.edges = {.replaces = "", .skips = {}, .skip_range = "", .take_along = "foo.v1.0.0"};
    CHECK(edges_of(after(text, [&](Edit& edit) { add(edit, request); }), "1.2.0") ==
          "foo.v1.1.0 -foo.v1.0.0");
    request.edges.take_along = "foo.v1.0.1";
    CHECK_THROWS_AS(after(text, [&](Edit& edit) { add(edit, request); }), RequestError);
    request.edges = {.replaces = "", .skips = {}, .skip_range = "", .take_along = "", .none = true};
    CHECK(edges_of(after(text, [&](Edit& edit) { add(edit, request); }), "1.2.0") == "");
}

TEST_CASE("a removed release leaves everybody the way that they had") {
    const std::string text = chain({"1.0.0", "1.1.0", "1.2.0"});
    const std::string now = after(text, [](Edit& edit) { remove_bundles(edit, "", {"1.1.0"}); });
    CHECK(edges_of(now, "1.1.0") == "absent");
    CHECK(edges_of(now, "1.2.0") == "foo.v1.0.0 -foo.v1.1.0");
    CHECK(now.find("r.example/foo:v1.1.0") == std::string::npos);
    const std::string fewer = after(text, [](Edit& edit) { remove_bundles(edit, "foo", {"<1.2.0"}); });
    CHECK(edges_of(fewer, "1.2.0") == "foo.v1.0.0 -foo.v1.1.0");
    CHECK_THROWS_AS(after(text, [](Edit& edit) { remove_bundles(edit, "", {">=1.0.0"}); }), RequestError);
    CHECK_THROWS_AS(after(text, [](Edit& edit) { remove_bundles(edit, "", {"3.0.0"}); }), RequestError);
}

TEST_CASE("a retracted release is upgraded away, and nobody gets it") {
    const std::string text = chain({"1.0.0", "1.1.0", "1.2.0"});
    const std::string now = after(text, [](Edit& edit) { retract(edit, "", "1.1.0", "", "Loses data."); });
    CHECK(edges_of(now, "1.2.0") == "foo.v1.0.0 -foo.v1.1.0");
    CHECK(edges_of(now, "1.1.0") == "foo.v1.0.0");
    CHECK(now.find("message: Loses data.") != std::string::npos);
    // The head has no successor: an earlier release takes its place.
    CHECK_THROWS_AS(after(text, [](Edit& edit) { retract(edit, "", "1.2.0", "", ""); }), RequestError);
    const std::string back = after(text, [](Edit& edit) { retract(edit, "", "1.2.0", "1.1.0", ""); });
    CHECK(edges_of(back, "1.1.0") == "foo.v1.0.0 -foo.v1.2.0");
    CHECK(edges_of(back, "1.2.0") == "");
}

TEST_CASE("edges are repaired for those whom only they name") {
    const auto edited = [](const std::vector<Entry>& entries, const std::function<void(Edit&)>& verb) {
        std::string text = package + channel("stable", entries);
        for (const Entry& entry : entries) text += bundle(entry.name);
        std::string now = after(text, verb);
        CHECK(proof_of(text, now).leaves_nobody_behind);
        return now;
    };
    const LoadedCatalog patch = load_text(bundle("1.1.2"));
    const auto add_patch = [&](Edit& edit) {
        AddRequest request = adding("1.1.2");
        request.release.blob =
            std::shared_ptr<const Value>(std::shared_ptr<void>(), &patch.catalog.bundles[0].value);
        add(edit, request);
    };
    const std::vector<Entry> chain{{"1.0.0"}, {"1.1.0", "replaces: foo.v1.0.0"}};
    const auto with = [&](const std::string& rest) {
        std::vector<Entry> more = chain;
        more.push_back({"1.1.1", "replaces: foo.v1.1.0\n  " + rest});
        return more;
    };
    // What leaves the chain gives its users to the patch release.
    CHECK(edges_of(edited(with("skips: [foo.v1.0.5]"), add_patch), "1.1.2") ==
          "foo.v1.0.0 -foo.v1.0.5 -foo.v1.1.0 -foo.v1.1.1");
    CHECK(edges_of(edited(with("skipRange: '>=1.0.0 <1.1.1'"), add_patch), "1.1.2") ==
          "foo.v1.0.0 -foo.v1.1.0 -foo.v1.1.1 >=1.0.0 <1.1.1");
    // The only one that led on was skipped.
    CHECK(edges_of(edited({{"1.0.0", "replaces: foo.v0.9.0"}, {"1.1.0", "skips: [foo.v1.0.0]"}},
                          [](Edit& edit) { remove_bundles(edit, "", {"1.0.0"}); }),
                   "1.1.0") == " -foo.v1.0.0 -foo.v0.9.0");
}

TEST_CASE("users of a retracted release get what OLM installs next") {
    const std::string text = package +
                             channel("stable", {{"1.0.0", "replaces: foo.v0.9.0"},
                                                {"1.1.0", "replaces: foo.v1.0.0"},
                                                {"1.1.1", "replaces: foo.v1.0.0\n  skips: [foo.v1.1.0]"}}) +
                             bundle("1.0.0") + bundle("1.1.0") + bundle("1.1.1");
    const auto retracted = [&](const std::string& version, const std::string& to) {
        return after(text, [&](Edit& edit) { retract(edit, "", version, to, ""); });
    };
    for (const char* const to : {"", "1.1.1"}) {
        const std::string now = retracted("1.0.0", to);
        CHECK(edges_of(now, "1.1.1") == "foo.v0.9.0 -foo.v1.1.0 -foo.v1.0.0");
        CHECK(edges_of(now, "1.1.0") == "foo.v1.0.0"); // it was skipped already
        CHECK(proof_of(text, now).leaves_nobody_behind);
    }
    CHECK(edges_of(retracted("1.1.0", ""), "1.1.1") == "foo.v1.0.0 -foo.v1.1.0");
    CHECK_THROWS_AS(retracted("1.0.0", "1.1.0"), RequestError); // which nobody gets
    const std::string back = retracted("1.1.1", "1.0.0");
    CHECK(edges_of(back, "1.0.0") == "foo.v0.9.0 -foo.v1.1.1 -foo.v1.1.0");
    CHECK(edges_of(back, "1.1.0") == "");
}

TEST_CASE("a range that goes back covers nothing above its new entry") {
    const std::string text =
        package +
        channel("stable", {{"1.1.0"},
                           {"1.2.0", "replaces: foo.v1.1.0"},
                           {"2.0.0", "replaces: foo.v1.2.0\n  skipRange: '>=1.1.0 <2.0.0'"}}) +
        bundle("1.1.0") + bundle("1.2.0") + bundle("2.0.0");
    const std::string now = after(text, [](Edit& edit) { retract(edit, "", "2.0.0", "1.1.0", ""); });
    CHECK(edges_of(now, "1.1.0") == " -foo.v2.0.0");
    CHECK(edges_of(now, "1.2.0") == "foo.v1.1.0 >=1.1.0 <2.0.0 <1.2.0");
    CHECK(proof_of(text, now).leaves_nobody_behind);
}

TEST_CASE("an image is removed only if its tag tells whose it is") {
    const std::string head = "schema: olm.template.basic\nentries:\n";
    const auto of = [](const std::string& name) {
        return fmt::format("- {{schema: olm.package, name: {0}, defaultChannel: stable}}\n"
                           "- schema: olm.channel\n  package: {0}\n  name: stable\n  entries:\n"
                           "  - name: {0}.v1.0.0\n  - name: {0}.v1.1.0\n    replaces: {0}.v1.0.0\n",
                           name);
    };
    const auto image = [](const std::string& text) {
        return "- {schema: olm.bundle, image: " + text + "}\n";
    };
    const std::string foo = image("r.example/foo:v1.0.0") + image("r.example/foo:v1.1.0");
    const std::string bar = image("r.example/bar:v1.0.0") + image("r.example/bar:v1.1.0");
    const std::string pinned = image("r.example/foo@sha256:" + std::string(64, '1'));
    const auto removing = [](Edit& edit) { remove_bundles(edit, "foo", {"1.0.0"}); };
    CHECK(after(head + of("foo") + foo, removing).find("foo:v1.0.0") == std::string::npos);
    for (const std::string& unclear : {of("foo") + of("bar") + foo + bar,
                                       of("foo") + of("bar") + bar + image("r.example/foo:v1.1.0") + pinned,
                                       of("foo") + pinned + image("r.example/foo:v1.1.0")})
        CHECK_THROWS_AS(after(head + unclear, removing), RequestError);
    // Somebody has removed it before.
    const std::string now =
        after(head + of("foo") + of("bar") + image("r.example/foo:v1.1.0") + bar, removing);
    CHECK(now.find("foo.v1.0.0\n  - name") == std::string::npos);
    CHECK(now.find("r.example/bar:v1.0.0") != std::string::npos);
    const auto staged = [](Edit& edit) {
        change_images(edit, "foo", [](const std::string& old) { return std::optional("s.example/" + old); });
    };
    CHECK(after(head + of("foo") + foo, staged).find("s.example/r.example/foo:v1.1.0") != std::string::npos);
    CHECK_THROWS_AS(after(head + of("foo") + of("bar") + foo + bar, staged), RequestError);
}

TEST_CASE("a release that is older than a pruned channel keeps the way of those who are gone") {
    const std::string text =
        package + channel("stable", {{"2.0.0", "replaces: foo.v1.0.0"}}) + bundle("2.0.0");
    const auto with = [&](const std::string& version) {
        const LoadedCatalog blob = load_text(bundle(version));
        return after(text, [&](Edit& edit) {
            AddRequest request = adding(version);
            request.channels = {"stable", "stable"}; // a channel that is named twice is one
            request.release.blob =
                std::shared_ptr<const Value>(std::shared_ptr<void>(), &blob.catalog.bundles[0].value);
            add(edit, request);
        });
    };
    const std::string older = with("0.9.0");
    CHECK(edges_of(older, "0.9.0") == "");
    CHECK(edges_of(older, "2.0.0") == "foo.v0.9.0 -foo.v1.0.0");
    CHECK(proof_of(text, older).leaves_nobody_behind);
    const std::string back = with("1.0.0");
    CHECK(edges_of(back, "1.0.0") == "");
    CHECK(edges_of(back, "2.0.0") == "foo.v1.0.0");
    CHECK(proof_of(text, back).leaves_nobody_behind);
}

TEST_CASE("a hotfix goes below what is newer also if it takes users along") {
    AddRequest request = adding("1.0.1");
    request.edges.take_along = ">=1.0.0 <1.0.1";
    const std::string now = after(chain({"1.0.0", "1.1.0"}), [&](Edit& edit) { add(edit, request); });
    CHECK(edges_of(now, "1.0.1") == "foo.v1.0.0 >=1.0.0 <1.0.1");
    CHECK(edges_of(now, "1.1.0") == "foo.v1.0.1");
}

TEST_CASE("a promoted release is in the other channel above what is older") {
    const std::string text = chain({"1.0.0", "1.1.0", "1.2.0"}) + channel("slow", {{"1.0.0"}}) + "";
    const std::string now = after(text, [](Edit& edit) { promote(edit, "", {">1.0.0"}, {"slow", "new"}); });
    CHECK(edges_of(now, "1.1.0", "slow") == "foo.v1.0.0");
    CHECK(edges_of(now, "1.2.0", "slow") == "foo.v1.1.0");
    CHECK(edges_of(now, "1.2.0", "new") == "foo.v1.1.0");
}

TEST_CASE("a substitutes template is edited in its entries, and its substitutions stay") {
    const std::string text = R"(# ours
schema: olm.template.substitutes
entries:
- {schema: olm.package, name: foo, defaultChannel: stable}
- schema: olm.channel
  package: foo
  name: stable
  entries:
  - {name: foo.v1.0.0}
  - name: foo.v1.1.0   # good
    replaces: foo.v1.0.0
- schema: olm.bundle
  package: foo
  name: foo.v1.0.0
  image: r.example/foo:v1.0.0
  properties:
  - {type: olm.package, value: {packageName: foo, version: 1.0.0}}
- schema: olm.bundle
  package: foo
  name: foo.v1.1.0
  image: r.example/foo:v1.1.0
  properties:
  - {type: olm.package, value: {packageName: foo, version: 1.1.0}}
substitutions:
- {name: r.example/foo:v1.1.0-fixed, base: foo.v1.1.0} # why
)";
    // The whole blob: bundles in such a template are not only images.
    const std::string added = after(text, [](Edit& edit) { add(edit, adding("1.2.0")); });
    CHECK(added.find("  - name: foo.v1.2.0\n    replaces: foo.v1.1.0\n") != std::string::npos);
    CHECK(added.find("version: 9.9.9") != std::string::npos); // of the blob that `adding` has
    const std::string substitutions = text.substr(text.find("substitutions:"));
    const std::pair<const char*, std::function<void(Edit&)>> verbs[] = {
        {"add", [](Edit& edit) { add(edit, adding("1.2.0")); }},
        {"promote", [](Edit& edit) { promote(edit, "", {"1.1.0"}, {"fast"}); }},
        {"remove", [](Edit& edit) { remove_bundles(edit, "", {"1.0.0"}); }},
        {"deprecate",
         [](Edit& edit) {
             deprecate(edit, "", {schema::channel, "stable"}, "Old.");
         }},
        {"rename", [](Edit& edit) { rename_channel(edit, "", "stable", "steady"); }},
        {"retract", [](Edit& edit) { retract(edit, "", "1.0.0", "", ""); }}};
    for (const auto& [name, verb] : verbs) {
        CAPTURE(name);
        const std::string now = after(text, verb);
        CHECK(now != text);
        CHECK(now.starts_with("# ours\nschema: olm.template.substitutes\nentries:\n"));
        CHECK(now.ends_with(substitutions));
    }
    CHECK(after(after(text, [](Edit& edit) { rename_channel(edit, "", "stable", "steady"); }),
                [](Edit& edit) { rename_channel(edit, "", "steady", "stable"); }) == text);
    CHECK(after(after(text,
                      [](Edit& edit) {
                          deprecate(edit, "", {schema::package, ""}, "Old.");
                      }),
                [](Edit& edit) {
                    deprecate(edit, "", {schema::package, ""}, "");
                }) == text);
}

TEST_CASE("an edit and its inverse leave the file as it was") {
    const std::string text = chain({"1.0.0", "1.1.0"});
    const auto both = [&](const std::function<void(Edit&)>& there, const std::function<void(Edit&)>& back) {
        return after(after(text, there), back);
    };
    CHECK(both(
              [](Edit& edit) {
                  deprecate(edit, "", {schema::channel, "stable"}, "Old.");
              },
              [](Edit& edit) {
                  deprecate(edit, "", {schema::channel, "stable"}, "");
              }) == text);
    CHECK(both([](Edit& edit) { rename_channel(edit, "", "stable", "steady"); },
               [](Edit& edit) { rename_channel(edit, "", "steady", "stable"); }) == text);
    CHECK(both([](Edit& edit) { create_channel(edit, "", "x", "stable"); },
               [](Edit& edit) { remove_channel(edit, "", "x", ""); }) == text);
    const auto images = [](std::string_view from, std::string_view to) {
        return [from, to](Edit& edit) {
            change_images(edit, {}, [&](const std::string& image) -> std::optional<std::string> {
                if (!image.starts_with(from)) return std::nullopt;
                return std::string(to) + image.substr(from.size());
            });
        };
    };
    CHECK(both(images("r.example/", "s.example/x/"), images("s.example/x/", "r.example/")) == text);
}

TEST_CASE("the proof says who gets what, and objects where users are left behind") {
    const std::string text = chain({"1.0.0", "1.1.0"});
    const std::string more = chain({"1.0.0", "1.1.0", "1.2.0"});
    const Proof good = proof_of(text, more);
    CHECK(good.objections.empty());
    REQUIRE(good.effects.size() == 1);
    CHECK(good.effects[0] == "stable: users of foo.v1.0.0 and foo.v1.1.0 get foo.v1.2.0 (in 1 or 2 steps)");
    CHECK(!proof_of(more, text).objections.empty());
    // A bundle without an entry: opm refuses that.
    CHECK(!proof_of(text, text + bundle("1.5.0")).objections.empty());
    // A channel without a name, whosever it is: opm loads nothing of it.
    const std::string refused = "---\nschema: olm.channel\nname: [stable]\n";
    CHECK(!proof_of(text + refused, more + refused).unknown.empty());
}

TEST_CASE("errors that the catalog has already, in whatever package, make the proof unknown") {
    for (const char* const other : {"---\nschema: olm.channel\npackage: bar\nname: [stable]\n",
                                    "---\nschema: olm.package\nname: bar\n"}) {
        Edit edit;
        edit.catalogs.push_back(opened(chain({"1.0.0", "1.1.0"}) + other));
        create_channel(edit, "foo", "fast", "stable");
        const Proof proof = proof_of(edit.catalogs.front(), edit.catalogs.front());
        CHECK_FALSE(proof.leaves_nobody_behind);
        CHECK_FALSE(proof.unknown.empty());
        CHECK(proof.objections.empty());
    }
}

TEST_CASE("both OLMs take every user of a random chain to the new head") {
    std::mt19937 random(11); // NOLINT(cert-msc51-cpp,bugprone-random-generator-seed): the same each time
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> versions;
        unsigned minor = 0;
        unsigned patch = 0;
        for (size_t i = 0; i < 2 + random() % 8; ++i) {
            if (random() % 2 == 0) {
                ++minor;
                patch = 0;
            }
            versions.push_back(fmt::format("1.{}.{}", minor, patch++));
        }
        const std::string next =
            random() % 2 == 0 ? fmt::format("1.{}.{}", minor, patch) : fmt::format("1.{}.0", minor + 1);
        const std::string text = chain(versions);
        CAPTURE(text);
        AddRequest request = adding(next);
        const LoadedCatalog blob = load_text(bundle(next));
        request.release.blob =
            std::shared_ptr<const Value>(std::shared_ptr<void>(), &blob.catalog.bundles[0].value);
        const std::string now = after(text, [&](Edit& edit) { add(edit, request); });
        const Proof proof = proof_of(text, now);
        CHECK(proof.objections.empty());
        CHECK(proof.unknown.empty());
    }
}

TEST_CASE("lists of skips that go from entry to entry are those that are copied") {
    std::mt19937 random(3); // NOLINT(cert-msc51-cpp,bugprone-random-generator-seed): the same lists each time
    const auto any_list = [&](size_t most) {
        std::vector<std::string> names;
        for (size_t i = random() % (most + 1); i > 0; --i) names.push_back(std::string(random() % 8, 'a'));
        return SkipList(names);
    };
    const auto texts = [](const SkipList& list) {
        return std::vector<std::string>(list.begin(), list.end());
    };
    for (int round = 0; round < 2000; ++round) {
        CAPTURE(round);
        const SkipList own = any_list(3);
        SkipList other = any_list(9);
        SkipList copied = own;
        copied.add_all(std::as_const(other), "aaa");
        SkipList moved = own;
        moved.add_all(std::move(other), "aaa");
        REQUIRE(texts(moved) == texts(copied));
        for (const std::string& name : copied) REQUIRE(moved.contains(name));
    }
}

TEST_CASE("a long chain is removed, and promoted, in steps that grow with what is written") {
    std::vector<std::string> versions;
    versions.reserve(3000);
    for (size_t i = 0; i < 3000; ++i) versions.push_back(fmt::format("1.{}.0", i));
    const std::string removed =
        after(chain(versions), [](Edit& edit) { remove_bundles(edit, "foo", {"<1.2999.0"}); });
    const LoadedCatalog left = load_text(removed);
    REQUIRE(left.catalog.channels[0].entries.size() == 1);
    const ChannelEntry& entry = left.catalog.channels[0].entries[0];
    CHECK(entry.replaces == "foo.v1.0.0");
    REQUIRE(entry.skips.size() == 2998); // those that are gone, the last one first
    CHECK(entry.skips.front() == "foo.v1.2998.0");
    CHECK(entry.skips.back() == "foo.v1.1.0");

    versions.clear();
    for (size_t i = 0; i < 300; ++i) versions.push_back(fmt::format("1.0.{}", i));
    const std::string promoted = after(chain(versions) + channel("fast", {{"1.0.0"}}),
                                       [](Edit& edit) { promote(edit, "foo", {">1.0.0"}, {"fast"}); });
    const LoadedCatalog now = load_text(promoted);
    REQUIRE(now.catalog.channels[1].entries.size() == 300);
    CHECK(edges_of(promoted, "1.0.3", "fast") == "foo.v1.0.2 -foo.v1.0.0 -foo.v1.0.1");
    CHECK(now.catalog.channels[1].entries.back().skips.size() == 298);
}

TEST_CASE("a change that takes too many steps is refused") {
    const CatalogText catalog = opened(chain({"1.0.0", "1.1.0"}));
    const BundleVersions versions(catalog, "foo");
    ChannelModel model(catalog.channels("foo").front(), versions);
    model.take_work(Work::most);
    CHECK_THROWS_WITH_AS(model.take_work(1), doctest::Contains("[limit]"), Error);
    CHECK_THROWS_WITH_AS(model.remove("foo.v1.0.0"), doctest::Contains("the change of channel stable"),
                         Error);
}
