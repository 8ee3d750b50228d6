// Covers lib/graph/diff_report.cpp, lib/graph/diff_markdown.cpp, lib/graph/diff_html.cpp and
// lib/graph/channel_changes.cpp.
#include "graph_builder.hpp"
#include "opcat/graph/channel_changes.hpp"
#include "opcat/graph/diff_report.hpp"

#include <fmt/format.h>

#include <optional>

using namespace opcat;
using namespace opcat::test;

namespace {

constexpr auto no_change = std::nullopt;

Regression regression(RegressionKind kind, std::string_view channel, std::string message, bool allowed) {
    return {kind, "foo", channel, std::move(message), {"foo.v1", "foo.v2"}, {}, allowed};
}

ComparedChannel compared_stable() {
    return {"foo",
            "stable",
            ChangeKind::changed,
            {{"foo.v3", false, true}, {"foo.v2", true, true}, {"foo.v1", true, false}},
            {{"foo.v1", "foo.v2", EdgeKind::replaces, no_change},
             {"foo.v2", "foo.v3", EdgeKind::skips, ChangeKind::added},
             {"foo.v1", "foo.v3", EdgeKind::skip_range, ChangeKind::removed}}};
}

// One of everything that a report can say.
NamedDiff whole_diff() {
    NamedDiff one;
    one.diff.packages = {
        {"bar", ChangeKind::added, {}},
        {"foo",
         ChangeKind::changed,
         {{ChangeKind::changed, "channel stable", {"head was foo.v2 and is foo.v3", "new entry foo.v3"}},
          {ChangeKind::added, "bundle foo.v3", {}},
          {ChangeKind::removed, "bundle foo.v1", {}}}},
        {"gone", ChangeKind::removed, {}}};
    one.diff.regressions = {regression(RegressionKind::stranded, "stable", "no way", false),
                            regression(RegressionKind::removed, "beta", "channel beta is gone", true),
                            regression(RegressionKind::rewritten, "", "foo.v2 has another image", false),
                            regression(RegressionKind::deprecated, "beta", "beta ends", true)};
    one.diff.upgrades = {{"foo", "stable", {"foo.v1", "foo.v2"}, "foo.v3"},
                         {"foo", "fast", {"foo.v2"}, "foo.v3"}};
    one.channels = {compared_stable()};
    return one;
}

// A channel is "NAME kind", its versions with + and -, and its edges with + and -.
std::string compare(const std::string& before, const std::string& after, const DiffOptions& options = {}) {
    const auto of = [](const std::string& yaml) { return yaml.empty() ? Graph() : graph_of(yaml); };
    const Graph old = of(before);
    const Graph now = of(after);
    std::string all;
    for (const ComparedChannel& channel : compare_channels(old.graph, now.graph, options)) {
        all += fmt::format("{} {}:", channel.channel, to_string(channel.kind));
        if (channel.is_too_large) all += " too large";
        if (channel.left_out > 0) all += fmt::format(" without {}", channel.left_out);
        for (const ComparedVersion& version : channel.versions)
            all += fmt::format(" {}{}", version.is_before ? version.is_after ? "" : "-" : "+", version.name);
        for (const ComparedEdge& edge : channel.edges)
            all += fmt::format("; {}{} {} {}",
                               !edge.change                        ? ""
                               : *edge.change == ChangeKind::added ? "+"
                                                                   : "-",
                               edge.to, to_string(edge.kind), edge.from);
        all += "\n";
    }
    return all;
}

// 1.0.0, 1.1.0, …, each of which replaces the one before.
std::string chain(int length) {
    std::string entries;
    for (int i = 0; i < length; ++i)
        entries += fmt::format("- {{name: foo.v1.{}.0{}}}\n", i,
                               i == 0 ? "" : fmt::format(", replaces: foo.v1.{}.0", i - 1));
    return catalog(entries, {});
}

} // namespace

TEST_CASE("the text names each change, upgrade and regression, and has each title once") {
    CHECK(diff_as_text(whole_diff().diff, false) == R"(+ bar (added)
~ foo
  ~ channel stable
      head was foo.v2 and is foo.v3
      new entry foo.v3
  + bundle foo.v3
  - bundle foo.v1
- gone (removed)

upgrades
  foo: users of foo.v1 and foo.v2 on stable upgrade to foo.v3
  foo: users of foo.v2 on fast upgrade to foo.v3

regressions
  [stranded] foo: no way
  [rewritten] foo: foo.v2 has another image

allowed regressions
  [removed] foo: channel beta is gone
  [deprecated] foo: beta ends
)");
    CHECK(diff_as_text({}, false) == "no changes\n");
}

TEST_CASE("colours on a terminal tell the kinds of changes and regressions apart") {
    const std::string text = diff_as_text(whole_diff().diff, true);
    for (const std::string_view part :
         {"\x1b[32m+\x1b[0m \x1b[1mbar\x1b[0m (added)", "\x1b[33m~\x1b[0m \x1b[1mfoo\x1b[0m\n",
          "\x1b[31m-\x1b[0m bundle foo.v1", "\x1b[1mregressions\x1b[0m", "\x1b[1;31m[stranded]\x1b[0m foo",
          "\x1b[33m[removed]\x1b[0m foo"})
        CHECK_MESSAGE(has(text, part), part);
}

TEST_CASE("a comment on a pull request has tables of regressions, and folds the rest") {
    CHECK(diff_as_markdown({whole_diff()}) == R"(## Catalog changes

3 packages: 1 added, 1 removed, 1 changed. 2 regressions, and 2 allowed.

### Regressions

| | package | what | installed versions |
|---|---|---|---|
| **stranded** | `foo` | `no way` | `foo.v1` and `foo.v2` |
| **rewritten** | `foo` | `foo.v2 has another image` | `foo.v1` and `foo.v2` |

### Allowed regressions

| | package | what | installed versions |
|---|---|---|---|
| **removed** | `foo` | `channel beta is gone` | `foo.v1` and `foo.v2` |
| **deprecated** | `foo` | `beta ends` | `foo.v1` and `foo.v2` |

<details><summary>Upgrades of users: 2</summary>

- `foo`: users of `foo.v1` and `foo.v2` on `stable` upgrade to `foo.v3`
- `foo`: users of `foo.v2` on `fast` upgrade to `foo.v3`

</details>

- package `bar` added

<details><summary><code>foo</code>: 3 changes</summary>

- `channel stable`: changed
  - `head was foo.v2 and is foo.v3`
  - `new entry foo.v3`
- `bundle foo.v3`: added
- `bundle foo.v1`: removed

</details>

- package `gone` removed

<details><summary>Graph of <code>foo</code> <code>stable</code></summary>

```mermaid
flowchart BT
  v0["foo.v3"]:::added
  v1["foo.v2"]
  v2["foo.v1"]:::removed
  v2 -->|replaces| v1
  v1 ==>|skips| v0
  v2 ==>|skipRange| v0
  classDef added stroke:#1a7f37,stroke-width:3px
  classDef removed stroke:#cf222e,stroke-width:3px,stroke-dasharray:4
  linkStyle 1 stroke:#1a7f37
  linkStyle 2 stroke:#cf222e,stroke-dasharray:4
```

</details>
)");
}

TEST_CASE("a comment about several catalogs names them") {
    NamedDiff named = whole_diff();
    named.name = "v4.18";
    const std::string text = diff_as_markdown({named, {"v4.19", {}, {}}});
    for (const std::string_view part :
         {"| **stranded** | `v4.18` `foo` |", "\n- package `v4.18` `bar` added\n",
          "<summary><code>v4.18</code> <code>foo</code>: 3 changes</summary>", "\n3 packages: "})
        CHECK_MESSAGE(has(text, part), part);
    CHECK_FALSE(has(text, "v4.19"));
    CHECK(has(diff_as_json({named}), R"("catalog": "v4.18")"));
}

TEST_CASE("a comment shows only graphs that a forge draws") {
    const auto with = [](auto change) {
        NamedDiff one = whole_diff();
        change(one.channels.front());
        return diff_as_markdown({one});
    };
    const auto of_edges = [&](size_t count) {
        return with([&](ComparedChannel& channel) { channel.edges.resize(count, channel.edges[0]); });
    };
    CHECK_FALSE(has(with([](ComparedChannel& channel) { channel.is_too_large = true; }), "mermaid"));
    CHECK_FALSE(has(of_edges(0), "mermaid"));
    CHECK(has(of_edges(150), "mermaid"));
    CHECK_FALSE(has(of_edges(151), "mermaid"));
    CHECK(has(with([](ComparedChannel& channel) { channel.left_out = 7; }),
              "<code>stable</code>, without 7 versions that did not change</summary>"));
    const std::string strange = with([](ComparedChannel& channel) {
        channel.versions[0].name = channel.edges[1].to = channel.edges[2].to = "azAZ09.-+_[`{@/:";
    });
    CHECK(has(strange, "v0[\"azAZ09.-+_______\"]"));
}

TEST_CASE("nothing follows in a comment after the first line that does not fit") {
    NamedDiff one = whole_diff();
    one.diff.packages[1].changes.resize(1);
    one.diff.packages[1].changes[0].details.assign(200, std::string(490, 'x'));
    const std::string text = diff_as_markdown({one});
    CHECK(text.size() > 58'000);
    CHECK(text.size() < 60'000);
    CHECK_FALSE(has(text, "package `gone`")); // it is short
    size_t shown = 0;
    for (size_t at = text.find("\n  - `x"); at != text.npos; at = text.find("\n  - `x", at + 1)) ++shown;
    CHECK(text.ends_with(
        fmt::format("\n</details>\n\n{} more lines and graphs are left out: `opcat diff` shows all.\n",
                    200 - shown + 2)));
}

TEST_CASE("JSON has the allowed regressions and the channel of each") {
    const std::string json = diff_as_json({whole_diff()});
    for (const std::string_view part : {R"(      "kind": "removed",
      "package": "foo",
      "channel": "beta",
      "message": "channel beta is gone",
      "installed": [
        "foo.v1",
        "foo.v2"
      ],
      "allowed": true
)",
                                        R"(      "kind": "rewritten",
      "package": "foo",
      "message": "foo.v2 has another image")"})
        CHECK_MESSAGE(has(json, part), part);
    CHECK_FALSE(has(json, "\"catalog\""));
    CHECK_FALSE(has(json, "\"at\""));
}

TEST_CASE("the page draws the old and the new graph, with each version at one height in both") {
    const struct {
        std::string_view what;
        ComparedEdge edge;
        std::string_view old_line, new_line; // empty: the graph does not have it
    } cases[] = {
        {"replaces to the next row is straight",
         {"foo.v1", "foo.v2", EdgeKind::replaces, no_change},
         "<path class=\"edge\" d=\"M96 59C96 59 96 45 96 45\" fill=\"none\" stroke=\"#848d97\" "
         "stroke-width=\"1.2\"><title>foo.v2 replaces foo.v1</title></path>"
         "<path d=\"M96 45l-4 6h8z\" fill=\"#848d97\"/>",
         "<path class=\"edge\" d=\"M96 59C96 59 96 45 96 45\""},
        {"replaces past a row is bent",
         {"foo.v1", "foo.v3", EdgeKind::replaces, ChangeKind::added},
         "",
         "<path class=\"edge added\" d=\"M96 59C64 59 64 19 96 19\" fill=\"none\" stroke=\"#1a7f37\" "
         "stroke-width=\"2.5\"><title>foo.v3 replaces foo.v1</title></path>"
         "<path d=\"M96 19l-4 6h8z\" fill=\"#1a7f37\"/>"},
        {"skips to the next row is bent",
         {"foo.v2", "foo.v3", EdgeKind::skips, ChangeKind::added},
         "",
         "<path class=\"edge added\" d=\"M96 33C73 33 73 19 96 19\" fill=\"none\" stroke=\"#1a7f37\" "
         "stroke-width=\"2.5\" stroke-dasharray=\"5 3\">"},
        {"an edge that is gone",
         {"foo.v1", "foo.v3", EdgeKind::skip_range, ChangeKind::removed},
         "<path class=\"edge removed\" d=\"M96 59C64 59 64 19 96 19\" fill=\"none\" stroke=\"#d1242f\" "
         "stroke-width=\"2.5\" stroke-dasharray=\"1.5 3\"><title>foo.v3 skipRange foo.v1</title>",
         ""},
        {"an edge back is downwards",
         {"foo.v3", "foo.v2", EdgeKind::replaces, no_change},
         "d=\"M96 19C96 19 96 33 96 33\" fill=\"none\" stroke=\"#848d97\" "
         "stroke-width=\"1.2\"><title>foo.v2 replaces foo.v3</title></path>"
         "<path d=\"M96 33l-4 -6h8z\" fill=\"#848d97\"/>",
         "<path d=\"M96 33l-4 -6h8z\" fill=\"#848d97\"/>"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        NamedDiff one = whole_diff();
        one.channels[0].edges = {c.edge};
        const std::string page = diff_as_html({one});
        const size_t middle = page.find("new graph of channel stable");
        REQUIRE(middle != page.npos);
        const auto check = [](const std::string& graph, std::string_view line) {
            CHECK(has(graph, "class=\"edge") == !line.empty());
            CHECK_MESSAGE(has(graph, line), graph);
        };
        check(page.substr(0, middle), c.old_line);
        check(page.substr(middle), c.new_line);
    }
    const std::string page = diff_as_html({whole_diff()});
    const std::string font = " font-family=\"ui-monospace,monospace\" font-size=\"13\" fill=";
    for (const std::string& part :
         {std::string("<svg width=\"168\" height=\"78\" viewBox=\"0 0 168 78\" role=\"img\" "
                      "aria-label=\"old graph of channel stable\">"),
          "<circle cx=\"96\" cy=\"13\" r=\"5\" fill=\"#1a7f37\"/><text x=\"108\" y=\"17\"" + font +
              "\"#1a7f37\">+ foo.v3<",
          "<circle cx=\"96\" cy=\"39\" r=\"5\" fill=\"#848d97\"/><text x=\"108\" y=\"43\"" + font +
              "\"currentColor\">foo.v2<",
          "<circle cx=\"96\" cy=\"65\" r=\"5\" fill=\"#d1242f\"/><text x=\"108\" y=\"69\"" + font +
              "\"#d1242f\">- foo.v1<"})
        CHECK_MESSAGE(has(page, part), part);
    CHECK_FALSE(has(page, ">- foo.v3<"));
    CHECK_FALSE(has(page, ">+ foo.v1<"));
}

TEST_CASE("the page has the sections that its diff has") {
    NamedDiff named = whole_diff();
    named.name = "v4.18";
    named.channels[0].left_out = 1;
    named.channels.push_back({"foo", "huge", ChangeKind::added, {}, {}, 0, true});
    NamedDiff quiet = whole_diff();
    quiet.diff.regressions.clear();
    quiet.diff.upgrades.clear();
    quiet.channels.clear();
    const struct {
        std::string page;
        std::vector<std::string_view> has, lacks;
    } cases[] = {
        {diff_as_html({named}),
         {"<h2 class=\"catalog\"><code>v4.18</code></h2>", "<h2>Regressions</h2>",
          "id=\"regressions\"><tr><th>Kind</th><th>Package</th><th>What</th><th>Affected versions</th></tr>\n"
          "<tr><td><b class=\"kind\">stranded</b></td><td>foo</td><td>no way</td><td><code>foo.v1</code> and "
          "<code>foo.v2</code></td></tr>\n<tr><td><b class=\"kind\">rewritten",
          "<h2>Allowed regressions</h2>", "id=\"allowed\"", "<h2>Upgrades of users</h2>",
          "<td>fast</td><td><code>foo.v2</code></td><td><code>foo.v3</code></td>",
          "<h3>foo <code>stable</code></h3>\n<p>1 version without a change left out.</p>",
          "<h3>foo <code>huge</code> (added)</h3>\n<p>The graph is too large to draw",
          "<b>foo</b> changed, 3 changes</summary>",
          "<li>channel stable: changed<ul>\n<li><code>head was foo.v2 and is foo.v3</code></li>", "<style>\n",
          "<h1>Catalog changes</h1>"},
         {"No changes", "No regressions", "<link"}},
        {diff_as_html({quiet}),
         {"<p>No regressions.</p>"},
         {"<h2>Regressions", "Allowed", "Upgrades of users", "Graphs of changed", "class=\"catalog\""}},
        {diff_as_html({whole_diff()}), {"<h2>What changed</h2>"}, {"left out", "too large", "(changed)"}},
        {diff_as_html({{"", {}, {}}}), {"<p>No changes.</p>"}, {"<h2>"}},
        {diff_as_html({}), {"<p>No changes.</p>"}, {"<h2>"}},
        {diff_as_html({}, {.assets = "../", .back = "index.html"}),
         {"<link rel=\"stylesheet\" href=\"../diff.css\">",
          "<h1><a href=\"index.html\">Catalog changes</a></h1>"},
         {"<style>"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.page);
        for (const std::string_view part : c.has) CHECK_MESSAGE(has(c.page, part), part);
        for (const std::string_view part : c.lacks) CHECK_MESSAGE(!has(c.page, part), part);
    }
}

TEST_CASE("channels are compared by their versions and edges") {
    const std::string_view one = "- name: foo.v1.0.0\n";
    const std::string_view two = "- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0}\n";
    const struct {
        std::string_view what;
        std::string before, after, result;
    } cases[] = {
        {"nothing changes", catalog(two, {}), catalog(two, {"1.0.0"}), ""},
        {"a version on top", catalog(one, {"1.0.0"}), catalog(two, {"1.0.0", "1.1.0"}),
         "stable changed: +foo.v1.1.0 foo.v1.0.0; +foo.v1.1.0 replaces foo.v1.0.0\n"},
        {"a version goes", catalog(two, {"1.0.0", "1.1.0"}), catalog(one, {"1.0.0"}),
         "stable changed: -foo.v1.1.0 foo.v1.0.0; -foo.v1.1.0 replaces foo.v1.0.0\n"},
        {"only an edge changes", catalog(two, {"1.0.0", "1.1.0"}),
         catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, skipRange: '<1.1.0'}\n", {"1.0.0", "1.1.0"}),
         "stable changed: foo.v1.1.0 foo.v1.0.0; +foo.v1.1.0 skipRange foo.v1.0.0; "
         "-foo.v1.1.0 replaces foo.v1.0.0\n"},
        {"one more edge, next to one that stays", catalog(two, {"1.0.0", "1.1.0"}),
         catalog("- name: foo.v1.0.0\n- {name: foo.v1.1.0, replaces: foo.v1.0.0, skips: [foo.v1.0.0]}\n",
                 {"1.0.0", "1.1.0"}),
         "stable changed: foo.v1.1.0 foo.v1.0.0; foo.v1.1.0 replaces foo.v1.0.0; "
         "+foo.v1.1.0 skips foo.v1.0.0\n"},
        {"another channel", catalog(one, {"1.0.0"}) + channel("old", one),
         catalog(one, {"1.0.0"}) + channel("new", one), "new added: +foo.v1.0.0\nold removed: -foo.v1.0.0\n"},
        {"a new package", "", catalog(one, {"1.0.0"}), "stable added: +foo.v1.0.0\n"},
        {"names without a version are last", catalog("- {name: foo.v1.0.0, replaces: aaa}\n", {"1.0.0"}), "",
         "stable removed: -foo.v1.0.0 -aaa; -foo.v1.0.0 replaces aaa\n"},
        {"of more than 40 versions, those at a change", chain(40), chain(41),
         "stable changed: without 39 +foo.v1.40.0 foo.v1.39.0; +foo.v1.40.0 replaces foo.v1.39.0\n"},
        {"more than 300 changed versions", chain(1), chain(301), "stable changed: too large\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.what);
        CHECK(compare(c.before, c.after) == c.result);
    }
    CHECK(compare(chain(39), chain(40)).starts_with("stable changed: +foo.v1.39.0 foo.v1.38.0 foo.v1.37.0 "));
    CHECK(compare(chain(1), chain(300)).starts_with("stable changed: +foo.v1.299.0 "));
    CHECK(compare("", catalog(one, {"1.0.0"}), {.packages = {"bar"}}).empty());
    CHECK_FALSE(compare("", catalog(one, {"1.0.0"}), {.packages = {"foo"}}).empty());
}
