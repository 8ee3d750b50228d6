// Covers lib/document/value.cpp, and what lib/graph says about changes of blobs: nothing is left out.
#include "graph_builder.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/graph/catalog_diff.hpp"

#include <filesystem>
#include <random>
#include <span>

using namespace opcat;
using namespace opcat::test;

namespace {

namespace fs = std::filesystem;

// A copy of a value in which one leaf, counted from 0, is another.
class OtherLeaf {
public:
    OtherLeaf(Arena& arena, size_t which) : arena_(arena), left_(which) {}

    Value of(const Value& value) {
        if (value.is_array() && !value.items().empty()) {
            std::vector<Value> items;
            for (const Value& item : value.items()) items.push_back(of(item));
            return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))));
        }
        if (value.is_object() && !value.members().empty()) {
            std::vector<Member> members;
            for (const Member& member : value.members()) {
                path_.push_back(member.key.string());
                members.push_back({member.key, of(member.value)});
                path_.pop_back();
            }
            return Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members))));
        }
        if (seen_++ != left_) return value;
        for (const std::string_view key : path_) changed_ += (changed_.empty() ? "" : ".") + std::string(key);
        if (value.is_string()) return Value::of(arena_.copy(std::string(value.string()) + "x"));
        if (value.is_boolean()) return Value::of(!value.boolean());
        if (value.kind() == Value::Kind::integer) return Value::of(value.integer() + 1);
        return Value::of("x");
    }

    size_t seen() const { return seen_; }
    const std::string& changed() const { return changed_; } // the path of the leaf

private:
    Arena& arena_;
    size_t left_;
    size_t seen_ = 0;
    std::vector<std::string_view> path_;
    std::string changed_;
};

// All documents as JSON, with one leaf of one of them changed.
struct Changed {
    std::string text;
    std::string path;
};
Changed with_other_leaf(const std::vector<Value>& documents, size_t document, size_t leaf) {
    Changed changed;
    Arena arena;
    for (size_t i = 0; i < documents.size(); ++i) {
        OtherLeaf other(arena, i == document ? leaf : SIZE_MAX);
        append_json(changed.text, other.of(documents[i]));
        if (i == document) changed.path = other.changed();
    }
    return changed;
}

void check_catalog_file(const fs::path& path, std::mt19937& random, size_t rounds, size_t& compared) {
    CAPTURE(path.string());
    const auto file = read_file(path, path.string());
    Diagnostics problems;
    Arena arena;
    std::vector<Value> documents;
    for (const DocumentRange& range : split_into_documents(*file, problems)) {
        Diagnostic problem;
        const auto root = read_document(*file, range, arena, problem);
        if (root && root->is_object()) documents.push_back(*root);
    }
    ThreadPool pool(1);
    const auto graph = [&](const std::string& text) {
        Graph made;
        made.loaded = load_text(text, "catalog.json");
        made.graph = build_upgrade_graph(made.loaded.catalog, pool);
        return made;
    };
    const auto diff = [](const Graph& a, const Graph& b) {
        return diff_catalogs({a.loaded.catalog, a.graph}, {b.loaded.catalog, b.graph});
    };
    const Graph before = graph(with_other_leaf(documents, SIZE_MAX, 0).text);
    if (!before.loaded.diagnostics.empty()) return;
    CHECK(diff(before, before).packages.empty());
    for (size_t i = 0; i < rounds; ++i) {
        const size_t document = random() % documents.size();
        OtherLeaf counting(arena, SIZE_MAX);
        counting.of(documents[document]);
        const Changed changed = with_other_leaf(documents, document, random() % counting.seen());
        const Graph after = graph(changed.text);
        if (!after.loaded.diagnostics.empty()) continue; // no catalog any more
        CAPTURE(changed.path);
        ++compared;
        CHECK(!diff(before, after).packages.empty());
        CHECK(!diff(after, before).packages.empty());
    }
}

} // namespace

TEST_CASE("any one leaf that changes is named") {
    std::mt19937 random(3); // NOLINT(cert-msc51-cpp,bugprone-random-generator-seed): the same each time
    size_t compared = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(OPCAT_TESTDATA) / "catalogs"))
        if (entry.path().extension() == ".yaml" || entry.path().extension() == ".json")
            check_catalog_file(entry.path(), random, 40, compared);
    CHECK(compared > 200);
}

TEST_SUITE("recorded") {
    TEST_CASE("any one leaf of a real catalog that changes is named") {
        const fs::path catalogs = fs::path(OPCAT_SHARED) / "conformance/catalogs/full";
        if (!fs::exists(catalogs)) std::exit(77); // reported as skipped
        std::mt19937 random(5); // NOLINT(cert-msc51-cpp,bugprone-random-generator-seed): the same each time
        size_t compared = 0;
        for (const auto& entry : fs::directory_iterator(catalogs))
            if (entry.path().extension() == ".yaml") check_catalog_file(entry.path(), random, 20, compared);
        CHECK(compared > 100);
    }
}

TEST_CASE("a change is a sentence with its path") {
    const auto details_of = [](const std::string& before, const std::string& after) {
        const std::string package = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";
        const auto of = [&](std::string_view more) { return graph_of(package + std::string(more)); };
        const Graph a = of(before);
        const Graph b = of(after);
        const CatalogDiff diff = diff_catalogs({a.loaded.catalog, a.graph}, {b.loaded.catalog, b.graph});
        std::string all;
        for (const PackageChanges& of_package : diff.packages)
            for (const Change& change : of_package.changes) {
                all += change.subject + ":";
                for (const std::string& detail : change.details) all += " " + detail + ";";
            }
        return all;
    };
    const auto with_property = [](std::string_view value) {
        return bundle("1.0.0", fmt::format("- type: olm.csv.metadata\n  value: {}\n", value));
    };
    CHECK(details_of(with_property("{minKubeVersion: 1.25.0}"), with_property("{minKubeVersion: 1.28.0}")) ==
          "bundle foo.v1.0.0: olm.csv.metadata: minKubeVersion was 1.25.0 and is 1.28.0;");
    CHECK(
        details_of(with_property("{installModes: [{type: AllNamespaces, supported: true}]}"),
                   with_property("{installModes: [{type: AllNamespaces, supported: false}]}")) ==
        "bundle foo.v1.0.0: olm.csv.metadata: installModes[AllNamespaces].supported was true and is false;");
    const auto with_manifest = [](std::string_view labels) {
        return bundle("1.0.0",
                      "- type: olm.bundle.object\n  value: {data: " +
                          encode_base64(fmt::format(
                              R"({{"kind":"ConfigMap","metadata":{{"name":"cm"}},"data":{{{}}}}})", labels)) +
                          "}\n");
    };
    CHECK(details_of(with_manifest(R"("a":"1")"), with_manifest(R"("a":"2")")) ==
          "bundle foo.v1.0.0: ConfigMap cm: data.a was 1 and is 2;");
    const std::string icon = "icon: {base64data: eA==, mediatype: image/png}\n";
    CHECK(details_of(icon, "") == "package: icon is gone;");
    CHECK(details_of("", icon) == "package: new icon;");
    CHECK(details_of("description: a\n", "description: b\n") == "package: another description;");
    CHECK(details_of("---\nschema: lifecycle\npackage: foo\nends: '2024'\n",
                     "---\nschema: lifecycle\npackage: foo\nends: '2025'\n") ==
          "lifecycle: ends was 2024 and is 2025;");
    CHECK(details_of("---\nschema: lifecycle\npackage: foo\nname: a\n", "") == "lifecycle a:");
    CHECK(details_of("properties:\n- {type: x, value: 1}\n", "properties:\n- {type: x, value: 2}\n") ==
          "package: properties[x].value was 1 and is 2;");
    CHECK(details_of("unknown: 1\n", "") == "package: unknown was 1 and is gone;");
    CHECK(details_of(bundle("1.0.0", "- {type: x, value: 1, note: a}\n"),
                     bundle("1.0.0", "- {type: x, value: 1, note: b}\n")) ==
          "bundle foo.v1.0.0: properties[1] note was a and is b;");
    CHECK(details_of(
              "---\nschema: olm.channel\npackage: foo\nname: stable\nentries: [{name: foo.v1.0.0, replaces: "
              "foo.v0.9.0}]\n" +
                  bundle("1.0.0"),
              "") == "channel stable:bundle foo.v1.0.0:");
    CHECK(details_of("list: [1, 2]\n", "list: [1]\n") == "package: list[1] was 2 and is gone;");
    CHECK(details_of("list: [1]\n", "list: [1, 2]\n") == "package: list[1] is now 2;");
    CHECK(
        details_of("---\nschema: olm.channel\npackage: foo\nname: stable\nentries: [{name: foo.v1}]\n",
                   "---\nschema: olm.channel\npackage: foo\nname: stable\nentries: [{name: foo.v1}, "
                   "{name: foo.v2, replaces: foo.v1, skips: [a, b], skipRange: <2.0.0}, {name: foo.v3}]\n") ==
        "channel stable: head was foo.v1 and is gone; new entry foo.v2: replaces foo.v1; skips a, b; "
        "skipRange <2.0.0; new entry foo.v3;");
}

TEST_CASE("who cannot follow to a new default channel is named") {
    const auto of = [](std::string_view default_channel, std::string_view edge) {
        std::string text = catalog("- name: foo.v1.0.0", {"1.0.0", "1.1.0"}) +
                           channel("next", fmt::format("- name: foo.v1.1.0{}", edge));
        text.replace(text.find("defaultChannel: stable"), 22,
                     fmt::format("defaultChannel: {}", default_channel));
        return graph_of(text);
    };
    const auto stranded = [&](std::string_view edge) {
        const Graph before = of("stable", edge);
        const Graph after = of("next", edge);
        size_t count = 0;
        for (const Regression& regression :
             diff_catalogs({before.loaded.catalog, before.graph}, {after.loaded.catalog, after.graph})
                 .regressions)
            count += regression.kind == RegressionKind::stranded ? 1 : 0;
        return count;
    };
    CHECK(stranded("") == 1);
    CHECK(stranded("\n  replaces: foo.v1.0.0") == 0);
    CHECK(stranded("\n  skipRange: '>=1.0.0 <1.1.0'") == 0);
}

TEST_CASE("an image that changes and an API that goes are regressions") {
    const auto of = [](std::string_view image, std::string_view api) {
        std::string text = catalog("- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0", {});
        text +=
            bundle("1.0.0", "- type: olm.gvk\n  value: {group: g.example, kind: Foo, version: v1alpha1}\n");
        text += bundle("1.1.0", api);
        text.replace(text.find("foo:v1.0.0"), 10, image);
        return graph_of(text);
    };
    const Graph first = graph_of(catalog("- name: foo.v1.0.0", {}) +
                                 bundle("1.0.0", "- type: olm.gvk\n  value: {group: g.example, kind: Foo, "
                                                 "version: v1alpha1}\n"));
    const auto regressions = [&](const Graph& before, const Graph& after) {
        std::string all;
        for (const Regression& regression :
             diff_catalogs({before.loaded.catalog, before.graph}, {after.loaded.catalog, after.graph})
                 .regressions)
            all += fmt::format("{}: {}; ", to_string(regression.kind), regression.message);
        return all;
    };
    CHECK(regressions(first, of("foo:v1.0.0", "")) ==
          "api-removed: foo.v1.1.0 lacks Foo g.example/v1alpha1, which foo.v1.0.0 provides; ");
    CHECK(regressions(first, of("foo:v1.0.0", "- type: olm.gvk\n  value: {group: g.example, kind: Foo, "
                                              "version: v1alpha1}\n")) == "");
    const Graph without = of("foo:v1.0.0", "");
    CHECK(regressions(without, of("foo:v1.0.x", "")) ==
          "rewritten: foo.v1.0.0 has another image: users who have it installed do not get that one; ");
}
