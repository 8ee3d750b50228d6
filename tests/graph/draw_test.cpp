// Covers lib/graph.
#include "graph_builder.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/graph/contents.hpp"
#include "opcat/graph/draw.hpp"

#include <optional>

using namespace opcat;
using namespace opcat::test;

namespace {

const std::string two_streams =
    catalog(
        "- name: foo.v1.0.0\n  replaces: foo.v0.9.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n"
        "- name: foo.v1.2.0\n  replaces: foo.v1.0.0\n  skips: [foo.v1.1.0]\n  skipRange: '>=0.5.0 <1.2.0'",
        {"1.0.0", "1.1.0", "1.2.0"}) +
    "---\nschema: olm.deprecations\npackage: foo\nentries:\n"
    "- reference: {schema: olm.bundle, name: foo.v1.0.0}\n  message: |\n    old\n    and more\n";

} // namespace

TEST_CASE("the drawing for a terminal marks heads, skipped, deprecated and virtual entries") {
    const Graph g = graph_of(two_streams);
    CHECK(draw_text(select(g.graph, "", ""), {}) ==
          "foo: 1 channel, 3 versions\n"
          "\n"
          "  channel stable (default), 3 versions\n"
          "  ● foo.v1.2.0     head\n"
          "  │ skipRange >=0.5.0 <1.2.0\n"
          "  ├─○ foo.v1.1.0   skipped\n"
          "  ● foo.v1.0.0     deprecated: old\n"
          "  ◌ foo.v0.9.0     not in the catalog\n"
          "\n"
          "● version   ○ skipped: classic never installs it for new users   ◌ only named by edges\n");
    CHECK(has(draw_text(select(g.graph, "", ""), {false, OlmGeneration::classic}),
              "deprecated: old, → foo.v1.2.0"));
    CHECK(has(draw_text(select(g.graph, "", ""), {true, std::nullopt}), "\x1b[1;32mhead"));
}

TEST_CASE("broken channels are drawn, too") {
    const Graph heads = graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0", {"1.0.0", "2.0.0"}));
    CHECK(has(draw_text(select(heads.graph, "", ""), {}), "broken: it has several heads"));
    const Graph cycle = graph_of(
        catalog("- name: foo.v1.0.0\n  replaces: foo.v2.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
                {"1.0.0", "2.0.0"}));
    const std::string text = draw_text(select(cycle.graph, "", ""), {});
    CHECK(has(text, "broken: every entry is replaced or skipped"));
    CHECK(has(text, "╰─ foo.v1.0.0 (above)"));
    const Graph beside = graph_of(catalog("- name: foo.v3.0.0\n- name: foo.v1.0.0\n  replaces: foo.v2.0.0\n"
                                          "- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
                                          {"1.0.0", "2.0.0", "3.0.0"}));
    CHECK(has(draw_text(select(beside.graph, "", ""), {}), "  ● foo.v3.0.0     head\n"
                                                           "  not reached from the head:\n"
                                                           "  ● foo.v1.0.0\n"));
    const Graph empty = graph_of(catalog("- name: foo.v1.0.0", {"1.0.0"}) + channel("empty", "  []"));
    CHECK(has(draw_text(select(empty.graph, "", ""), {}), "\n  channel empty, empty\n"));
}

TEST_CASE("the line of the last entry ends where its skipRange is drawn") {
    const struct {
        std::string_view entries, drawn;
    } cases[] = {
        {"- {name: foo.v1.0.0, skipRange: '<1.0.0'}", "  ● foo.v1.0.0     head\n    skipRange <1.0.0\n"},
        {"- {name: foo.v2.0.0, replaces: foo.v1.0.0, skipRange: '<2.0.0'}\n- name: foo.v1.0.0",
         "  ● foo.v2.0.0     head\n  │ skipRange <2.0.0\n  ● foo.v1.0.0\n"},
        // The title is only over the first circle.
        {"- name: foo.v5.0.0\n- {name: foo.v1.0.0, replaces: foo.v2.0.0}\n- {name: foo.v2.0.0, replaces: "
         "foo.v1.0.0}\n- {name: foo.v3.0.0, replaces: foo.v4.0.0}\n- {name: foo.v4.0.0, replaces: "
         "foo.v3.0.0}",
         "  ╰─ foo.v1.0.0 (above)\n  ● foo.v3.0.0\n"},
    };
    for (const auto& c : cases) {
        const Graph g = graph_of(catalog(c.entries, {"1.0.0", "2.0.0", "3.0.0", "4.0.0", "5.0.0"}));
        const std::string text = draw_text(select(g.graph, "", ""), {});
        CHECK_MESSAGE(has(text, c.drawn), text);
    }
}

TEST_CASE("what an entry skips is drawn from the newest to the oldest, and the deprecation of a package next "
          "to its name") {
    const Graph g =
        graph_of(catalog("- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n"
                         "  skips: [gone, foo.v1.1.0, foo.v1.3.0, lost, foo.v1.2.0]\n"
                         "- name: foo.v1.3.0\n- name: foo.v1.2.0\n- name: foo.v1.1.0\n- name: foo.v1.0.0",
                         {"1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"}) +
                 "---\nschema: olm.deprecations\npackage: foo\nentries:\n"
                 "- reference: {schema: olm.package}\n  message: |\n    use bar\n    and more\n");
    CHECK(has(draw_text(select(g.graph, "", ""), {}), "foo: 1 channel, 5 versions, deprecated: use bar\n"
                                                      "\n"
                                                      "  channel stable (default), 5 versions\n"
                                                      "  ● foo.v2.0.0     head\n"
                                                      "  ├─○ foo.v1.3.0   skipped\n"
                                                      "  ├─○ foo.v1.2.0   skipped\n"
                                                      "  ├─○ foo.v1.1.0   skipped\n"
                                                      "  ├─◌ gone         not in the catalog\n"
                                                      "  ├─◌ lost         not in the catalog\n"
                                                      "  ● foo.v1.0.0\n"));
}

TEST_CASE("content of a catalog cannot control a terminal, a script or Graphviz") {
    const Graph g =
        graph_of(catalog("- name: \"foo</script>\\e[31m\\\"x\"\n  skipRange: '<1.0.0'", {"1.0.0"}));
    const GraphView view = select(g.graph, "", "");
    CHECK_FALSE(has(draw_text(view, {}), "\x1b"));
    const std::string html = draw_html(view, {}, "title", OlmGeneration::classic);
    CHECK(has(html, "foo\\u003c/script>"));
    CHECK(has(draw_dot(view, OlmGeneration::v1), "\\\"x"));
}

TEST_CASE("for Graphviz skipped versions are grey, and edges that OLM classic does not see are faint") {
    const Graph g = graph_of(two_streams);
    const std::string classic = draw_dot(select(g.graph, "", ""), OlmGeneration::classic);
    const std::string v1 = draw_dot(select(g.graph, "", ""), OlmGeneration::v1);
    for (const std::string_view part :
         {"label=\"foo.v1.2.0\", penwidth=2.5, color=\"#047857\", tooltip=\"head\"];",
          "label=\"foo.v1.1.0\", fillcolor=\"#f3f4f6\", fontcolor=\"#4b5563\", color=\"#9ca3af\", "
          "tooltip=\"skipped\"];",
          "[color=\"#d1d5db\", tooltip=\"replaces\"]", "[color=\"#374151\", tooltip=\"replaces\"]",
          "[color=\"#b45309\", style=dashed, tooltip=\"skips\"]"})
        CHECK_MESSAGE(has(classic, part), classic);
    CHECK_FALSE(has(v1, "#d1d5db"));
}

TEST_CASE("the data of a page has the problem of a channel and the line of each edge") {
    const Graph g = graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n"
                                     "- name: foo.v3.0.0",
                                     {"1.0.0", "2.0.0", "3.0.0"}) +
                             channel("good", "- name: foo.v1.0.0"));
    const std::string page = draw_html(select(g.graph, "", ""), {}, "title", OlmGeneration::v1);
    for (const std::string_view part : {"\"problem\":\"it has several heads\"", "\"rl\":11"})
        CHECK_MESSAGE(has(page, part), part);
    CHECK(page.find("\"problem\":\"") == page.rfind("\"problem\":\""));
    CHECK(page.find("\"rl\":1") == page.rfind("\"rl\":1"));
}

TEST_CASE("the page is one file without a network") {
    const Graph g = graph_of(two_streams);
    const std::string html = draw_html(select(g.graph, "", ""), {}, "my catalog", OlmGeneration::v1);
    CHECK(has(html, "\"title\":\"my catalog\""));
    CHECK(has(html, "\"olm\":\"v1\""));
    CHECK_FALSE(has(html, "/* data */"));
    CHECK_FALSE(has(html, "/* graph.css */"));
    CHECK_FALSE(has(html, "src="));
    CHECK_FALSE(has(html, "href="));
    CHECK_FALSE(has(html, "https://"));
}

TEST_CASE("the size of a page is not quadratic in the number of channels") {
    // An entry that covers all before it leads on from as many versions as there are.
    for (const bool has_range : {false, true}) {
        const auto page_size = [&](size_t channels) {
            std::string text = "schema: olm.package\nname: foo\ndefaultChannel: c0\n";
            for (size_t i = 0; i < channels; ++i)
                text += channel(fmt::format("c{}", i),
                                fmt::format("- name: foo.v1.0.{}", i) +
                                    (has_range ? fmt::format("\n  skipRange: <1.0.{}", i) : "")) +
                        bundle(fmt::format("1.0.{}", i));
            const Graph g = graph_of(text);
            return draw_html(select(g.graph, "", ""), {}, "many", OlmGeneration::v1).size();
        };
        const size_t empty = page_size(1);
        CHECK(page_size(800) - empty < 3 * (page_size(400) - empty));
    }
}

TEST_CASE("JSON names its version, all edges and what comes next") {
    const Graph g = graph_of(two_streams);
    const std::string json = draw_json(select(g.graph, "foo", "stable"), {});
    CHECK(has(json, "\"schema\": \"opcat.graph.v1\""));
    CHECK(has(json, "\"kind\": \"skipRange\""));
    CHECK(has(json, "\"nextClassic\": \"foo.v1.2.0\""));
    CHECK(count_edges(select(g.graph, "", "")) ==
          6); // three replaces, one skip, and 1.0.0 and 1.1.0 are covered
}

namespace {

// Nothing where Graphviz is not installed; other errors are failures.
std::optional<std::string> drawn_by_graphviz(const Graph& g, OlmGeneration olm) {
    try {
        return draw_svg(select(g.graph, "", ""), olm);
    } catch (const Error& error) {
        if (std::string_view(error.what()).find("cannot load a library") == std::string_view::npos) throw;
        MESSAGE("skipped: " << std::string(error.what()));
        return std::nullopt;
    }
}

} // namespace

TEST_CASE("Graphviz draws svg") {
    const Graph g = graph_of(two_streams);
    if (const auto svg = drawn_by_graphviz(g, OlmGeneration::classic)) CHECK(has(*svg, "<svg"));
}

TEST_CASE("packages of a whole catalog are drawn in several columns") {
    std::string yaml;
    for (int i = 0; i < 36; ++i)
        yaml += fmt::format(
            "---\nschema: olm.package\nname: p{0}\ndefaultChannel: stable\n---\n"
            "schema: olm.channel\npackage: p{0}\nname: stable\nentries: [{{name: p{0}.v1}}]\n---\n"
            "schema: olm.bundle\npackage: p{0}\nname: p{0}.v1\nimage: quay.io/p/p:v{0}\nproperties:\n"
            "- {{type: olm.package, value: {{packageName: p{0}, version: 1.0.0}}}}\n",
            i);
    const Graph g = graph_of(yaml);
    const auto svg = drawn_by_graphviz(g, OlmGeneration::v1);
    if (!svg) return;
    const auto size = [&](std::string_view name) {
        return std::stod(svg->substr(svg->find(std::string(name) + "=\"") + name.size() + 2));
    };
    CHECK(size("height") < 2 * size("width"));
    CHECK(size("width") < 4 * size("height"));
    size_t pictures = 0; // each with its own place
    for (size_t at = svg->find(" viewBox=\"0.00 0.00 "); at != svg->npos;
         at = svg->find(" viewBox=\"0.00 0.00 ", at + 1))
        ++pictures;
    CHECK(pictures == 36);
}

TEST_CASE("the display name of a package is that of its newest version, also without manifests") {
    const Graph g =
        graph_of(catalog("- name: foo.v1.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0", {}) +
                 bundle("1.0.0", "- {type: olm.csv.metadata, value: {displayName: Old}}\n") +
                 bundle("2.0.0", "- {type: olm.csv.metadata, value: {displayName: Foo for all}}\n"));
    CHECK(list_packages(g.graph, CsvSource::objects_and_metadata).at(0).display_name == "Foo for all");
    CHECK(list_packages(g.graph, CsvSource::objects).at(0).display_name == ""); // as opm lists it
    // A manifest without a kind is none that has a name.
    const Graph without_kind =
        graph_of(catalog("- name: foo.v1.0.0", {}) +
                 bundle("1.0.0", "- type: olm.bundle.object\n  value: {data: " +
                                     encode_base64(R"({"spec": {"displayName": "Wrong"}})") +
                                     "}\n- {type: olm.csv.metadata, value: {displayName: Right}}\n"));
    CHECK(list_packages(without_kind.graph, CsvSource::objects_and_metadata).at(0).display_name == "Right");
    for (const char* const entries : {"- name: foo.v9.0.0", "- {name: foo.v1.0.0, replaces: foo.v1.0.0}"}) {
        CAPTURE(entries); // the head has no bundle, or there is no head
        const Graph none = graph_of(catalog(entries, {"1.0.0"}));
        CHECK(list_packages(none.graph, CsvSource::objects_and_metadata).at(0).display_name == "");
    }
}

TEST_CASE("a package that has only bundles is not listed, and hides none after it") {
    const Graph g =
        graph_of("schema: olm.bundle\npackage: a\nname: a.v1.0.0\nimage: quay.io/a/a:v1.0.0\n"
                 "properties:\n- {type: olm.package, value: {packageName: a, version: 1.0.0}}\n---\n" +
                 catalog("- name: foo.v1.0.0", {"1.0.0"}));
    const auto rows = list_packages(g.graph, CsvSource::objects);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].package->name == "foo");
}

TEST_CASE("the first lifecycle of a package says how long its versions are supported") {
    const auto lifecycle = [](std::string_view package, std::string_view day) {
        return fmt::format(
            "---\nschema: io.openshift.operators.lifecycles.v1alpha1\npackage: {}\nversions:\n"
            "- name: '1.0'\n  phases:\n  - {{name: a, startDate: '2025-01-01', endDate: '{}'}}\n",
            package, day);
    };
    const Graph g = graph_of(catalog("- name: foo.v1.0.0", {"1.0.0"}) + "---\nschema: other\npackage: foo\n" +
                             lifecycle("bar", "2026-01-01") + lifecycle("foo", "2027-01-01") +
                             lifecycle("foo", "2028-01-01"));
    GraphView view = select(g.graph, "foo", "");
    add_lifecycles(view, g.loaded.catalog);
    CHECK(has(draw_text(view, {}), "foo.v1.0.0     head, supported until 2027-01-01\n"));
}

TEST_CASE("an unknown name gets suggestions") {
    const Graph g = graph_of(two_streams);
    CHECK_THROWS_WITH_AS(select(g.graph, "fou", ""), "there is no package \"fou\"", RequestError);
    CHECK_THROWS_WITH_AS(select(g.graph, "foo", "stabel"), "package \"foo\" has no channel \"stabel\"",
                         RequestError);
    try {
        (void)select(g.graph, "foo", "stabel");
    } catch (const RequestError& error) {
        CHECK(has(error.hint(), "stable"));
    }
}

TEST_CASE("mermaid marks what OLM classic leaves out, and cuts at a minimum edge") {
    const Graph g = graph_of(two_streams);
    const std::string whole = draw_mermaid(g.loaded.catalog, {.classic_semantics = true}).text;
    CHECK(has(whole, "class foo-stable-foo.v1.0.0 deprecated\nclass foo-stable-foo.v1.1.0 skipped\n"));
    CHECK(has(whole, "linkStyle 4 stroke"));
    const std::string cut = draw_mermaid(g.loaded.catalog, {.minimum_edge = "foo.v1.1.0"}).text;
    CHECK(has(cut, "foo.v1.1.0\"]-- skip --> "));
    CHECK_FALSE(has(cut, "foo.v1.0.0"));
    CHECK_THROWS_AS(draw_mermaid(g.loaded.catalog, {.minimum_edge = "foo.v7"}), RequestError);
    // The first channel with the edge decides which package is drawn; an edge of no package does not limit
    // the drawing.
    const std::string with_bar =
        two_streams + "---\nschema: olm.channel\npackage: bar\nname: b\nentries: [{name: bar.v2}]\n---\n"
                      "schema: olm.bundle\npackage: bar\nname: bar.v2\nimage: i\nproperties:\n"
                      "- {type: olm.package, value: {packageName: bar, version: 2.0.0}}\n";
    const MermaidOptions from_minimum{.minimum_edge = "foo.v1.1.0"};
    const Graph two_packages = graph_of(with_bar);
    CHECK_FALSE(has(draw_mermaid(two_packages.loaded.catalog, from_minimum).text, "bar"));
    const Graph of_none =
        graph_of(with_bar + "---\nschema: olm.channel\nname: a\nentries: [{name: foo.v1.1.0}]\n");
    CHECK(has(draw_mermaid(of_none.loaded.catalog, from_minimum).text, "bar"));
    CHECK(draw_mermaid(g.loaded.catalog, {.package = "bar"}).text.find("subgraph") == std::string::npos);

    const Graph bad =
        graph_of("schema: olm.package\nname: foo\n---\nschema: olm.bundle\npackage: foo\nname: foo.v1\n");
    const MermaidGraph none = draw_mermaid(bad.loaded.catalog);
    CHECK(none.text.empty());
    REQUIRE(none.diagnostics.size() == 1);
    CHECK(none.diagnostics.front().rule == "package-property");

    std::string text = two_streams;
    text.replace(text.find("version: 1.1.0"), 14, "version: one.1");
    text.replace(text.find(">=0.5.0 <1.2.0"), 14, "older than 1.2");
    const Graph unread = graph_of(text);
    const MermaidGraph problems = draw_mermaid(unread.loaded.catalog);
    CHECK(problems.text.empty());
    REQUIRE(problems.diagnostics.size() == 1);
    const Diagnostic& version = problems.diagnostics.front();
    CHECK(version.rule == "bundle-version");
    CHECK(version.message.starts_with("bundle \"foo.v1.1.0\" has no version that can be read: "));
    CHECK(version.where.offset == text.find("one.1"));

    text.replace(text.find("one.1"), 5, "1.1.0");
    const Graph wrong_range = graph_of(text);
    const MermaidGraph without_range = draw_mermaid(wrong_range.loaded.catalog);
    CHECK(has(without_range.text, "-- replace --> foo-stable-foo.v1.2.0"));
    CHECK_FALSE(has(without_range.text, "older than"));
    REQUIRE(without_range.diagnostics.size() == 1);
    CHECK(without_range.diagnostics.front().severity == Severity::warning);
    CHECK(without_range.diagnostics.front().message.starts_with("ignoring the skipRange of foo.v1.2.0: "));
}
