// A catalog as pages: their content, valid links, and no text of a catalog becomes HTML. Covers lib/pages.
#include "../load_text.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/pages/catalog_pages.hpp"
#include "opcat/pages/html.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>

using namespace opcat;
using namespace opcat::pages;

namespace {

ThreadPool& pages_pool() {
    static ThreadPool pool(2);
    return pool;
}

std::unique_ptr<CatalogPages> pages_of(LoadedCatalog loaded, Use use = Use::server) {
    std::vector<PageFinding> findings = page_findings(lint({{Source("c", loaded)}}, {}, pages_pool()), "c");
    return std::make_unique<CatalogPages>("c", std::move(loaded.catalog), std::move(findings), use,
                                          pages_pool());
}

std::unique_ptr<CatalogPages> pages_of_text(const std::string& yaml, Use use = Use::server) {
    return pages_of(load_text(yaml, "c/catalog.yaml"), use);
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

// A package `name` with one channel and two versions, which all contain a text.
std::string catalog_with(const std::string& name, const std::string& text) {
    const std::string quoted = "\"" + text + "\"";
    return "schema: olm.package\nname: \"" + name + "\"\ndefaultChannel: stable\ndescription: " + quoted +
           "\n---\nschema: olm.channel\npackage: \"" + name +
           "\"\nname: stable\nentries:\n- {name: a.v1.0.0}\n- {name: a.v1.1.0, replaces: a.v1.0.0, "
           "skipRange: " +
           quoted + "}\n---\nschema: olm.bundle\npackage: \"" + name +
           "\"\nname: a.v1.0.0\nimage: " + quoted +
           "\nproperties:\n- {type: olm.package, value: {packageName: \"" + name +
           "\", version: 1.0.0}}\n---\nschema: olm.bundle\npackage: \"" + name +
           "\"\nname: a.v1.1.0\nimage: " + quoted + "\nrelatedImages: [{name: " + quoted +
           ", image: " + quoted + "}]\nproperties:\n- {type: olm.package, value: {packageName: \"" + name +
           "\", version: 1.1.0}}\n- {type: olm.gvk, value: {kind: " + quoted + ", group: " + quoted +
           ", version: " + quoted + "}}\n- {type: olm.package.required, value: {packageName: " + quoted +
           ", versionRange: " + quoted + "}}\n- {type: " + quoted + ", value: " + quoted +
           "}\n- {type: olm.csv.metadata, value: {displayName: " + quoted + ", description: " + quoted +
           ", annotations: {description: " + quoted + ", repository: " + quoted + ", categories: " + quoted +
           "}, keywords: [" + quoted + "], links: [{name: " + quoted + ", url: " + quoted +
           "}], maintainers: [{name: " + quoted + ", email: " + quoted + "}], provider: {name: " + quoted +
           ", url: " + quoted + "}}}\n---\nschema: olm.deprecations\npackage: \"" + name +
           "\"\nentries:\n- {reference: {schema: olm.package}, message: " + quoted +
           "}\n- {reference: {schema: olm.channel, name: stable}, message: " + quoted +
           "}\n- {reference: {schema: olm.bundle, name: a.v1.0.0}, message: " + quoted + "}\n";
}

} // namespace

TEST_CASE("every link of every page leads to a page, and every page can be reached") {
    namespace fs = std::filesystem;
    for (const char* const name : {"streams", "gizmo", "two-heads", "hello"}) {
        CAPTURE(name);
        const auto pages = pages_of(load_catalog(fs::path(OPCAT_TESTDATA) / "catalogs" / name, pages_pool()));
        std::set<std::string> known{"../../index.html", "api/v1/all"};
        for (const std::string_view asset : asset_names()) known.insert("../../" + std::string(asset));
        for (const std::string& path : pages->paths()) known.insert(path);
        std::set<std::string> reached{"index.html", "findings.html"};
        const std::regex links(R"re((?:href|src|data-words)="([^"#?]+)[^"]*")re");
        for (const std::string& path : pages->paths()) {
            CAPTURE(path);
            const Page page = pages->page(path);
            REQUIRE(page.found);
            for (std::sregex_iterator at(page.body.begin(), page.body.end(), links), end; at != end; ++at) {
                const std::string link = (*at)[1];
                CAPTURE(link);
                if (link.starts_with("https://") || link.starts_with("http://")) continue;
                const std::string target = (fs::path(path).parent_path() / link).lexically_normal().string();
                CHECK(known.contains(target));
                reached.insert(target);
            }
        }
        for (const std::string& path : pages->paths()) CHECK_MESSAGE(reached.contains(path), path);
    }
}

TEST_CASE("content of a catalog stays text") {
    struct Case {
        const char* name;
        std::string package;
        std::string text; // inside of YAML's double quotes
        std::string_view forbidden;
    };
    const Case cases[] = {
        {"a script", "foo", "<script>alert(1)</script>", "<script>alert"},
        {"an attribute", "foo", "\\\" onclick=alert(1) x=\\\"", "\" onclick"},
        {"a single quote", "foo", "' onclick=alert(1) x='", "' onclick"},
        {"a link that runs a script", "foo", "javascript:alert(1)", "href=\"javascript"},
        {"a link in capitals", "foo", "JavaScript:alert(1)", "href=\"JavaScript"},
        {"a control character", "foo", "a\\u0001b", "\x01"},
        {"a package", "<img src=x onerror=alert(1)>", "x", "<img src=x"},
        {"a package in a path", "../../../etc", "x", "packages/../"},
        {"the end of the data of a graph", "foo", "</script><b>", "</script><b>"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.name);
        const auto pages = pages_of_text(catalog_with(one.package, one.text));
        size_t checked = 0;
        for (const std::string& path : pages->paths()) {
            CAPTURE(path);
            // The data of a graph is JSON in a script element, where only '<' means anything.
            if (path.ends_with("graph.html") && one.forbidden[0] != '<') continue;
            CHECK_FALSE(has(pages->page(path).body, one.forbidden));
            ++checked;
        }
        CHECK(checked >= 4);
        const std::string package = "packages/" + file_name(one.package) + "/";
        const FormFields question{"<script>alert(1)</script>", "\" onclick=alert(1)"};
        const Page path_page = pages->page(package + "path.html", question);
        CHECK(path_page.found);
        CHECK_FALSE(has(path_page.body, "<script>alert"));
        CHECK_FALSE(has(path_page.body, "\" onclick"));
    }
}

TEST_CASE("names of files are harmless, and differ where names do") {
    CHECK(file_name("foo.v1.2.3-rc.1") == "foo.v1.2.3-rc.1");
    CHECK(file_name("..") == "=2E.");
    CHECK(file_name("a/b") == "a=2Fb");
    CHECK(file_name("a=2Fb") != file_name("a/b"));
    CHECK_FALSE(file_name("").empty());
    const std::string long_name(5000, 'x');
    CHECK(file_name(long_name).size() <= 200);
    CHECK(file_name(long_name) != file_name(long_name + "y"));
}

TEST_CASE("an upgrade path is explained for both OLMs") {
    const auto pages =
        pages_of(load_catalog(std::string(OPCAT_TESTDATA) + "/catalogs/streams", pages_pool()));
    const std::string path = "packages/harbour/path.html";
    struct Case {
        const char* from;
        const char* to;
        std::vector<std::string_view> said;
    };
    const Case cases[] = {
        {"1.0.1", "", {"OLM classic", "OLM v1", "replaces harbour.v1.0.1", "harbour.v2.0.0"}},
        {"harbour.v1.0.2", "", {"OLM v1"}},
        {"harbour.v2.0.0", "harbour.v1.0.0", {"No path: "}},
        {"harbor.v2.0.0", "", {"did you mean"}},
        {"", "", {"<form"}},
    };
    for (const Case& one : cases) {
        CAPTURE(one.from);
        const std::string body = pages->page(path, {one.from, one.to}).body;
        for (const std::string_view text : one.said) CHECK_MESSAGE(has(body, text), text);
    }
}

TEST_CASE("a path that no OLM takes by itself is shown, and so is a step that is not certain") {
    const auto path_with = [](const std::string& entries, const FormFields& question) {
        std::string text =
            "schema: olm.package\nname: foo\ndefaultChannel: a\n---\nschema: olm.channel\npackage: foo\n"
            "name: a\nentries: [" +
            entries + "]\n";
        for (const char* bundle : {"a.v1.0.0", "a.v1.1.0", "b.v1.1.0", "a.v2.0.0"})
            if (has(entries, bundle))
                text += std::string("---\nschema: olm.bundle\npackage: foo\nname: ") + bundle +
                        "\nimage: i.example/a:1\nproperties: [{type: olm.package, value: {packageName: foo, "
                        "version: " +
                        (bundle + 3) + "}}]\n";
        return pages_of_text(text)->page("packages/foo/path.html", question).body;
    };
    const std::string past =
        path_with("{name: a.v1.0.0}, {name: a.v1.1.0, replaces: a.v1.0.0}, {name: a.v2.0.0, replaces: "
                  "a.v1.1.0, skips: [a.v1.0.0]}",
                  {"1.0.0", "1.1.0"});
    CHECK(has(past, "Shortest path"));
    CHECK(has(past, "each step pinned by its version"));
    const std::string twins = path_with("{name: a.v1.0.0}, {name: a.v1.1.0, replaces: a.v1.0.0}, {name: "
                                        "b.v1.1.0, replaces: a.v1.0.0, skips: [a.v1.1.0]}",
                                        {"1.0.0", ""});
    CHECK(has(twins, "Several bundles have the version of the first step: OLM may install any of them"));
    CHECK_FALSE(has(past, "Several bundles have the version"));
    CHECK_FALSE(has(twins, "Shortest path"));
}

TEST_CASE("the first words of a description are its first text") {
    CHECK(first_words(
              "\n  \n# Title\n\n![picture](a.png)\n\nIt makes **gizmos**\nof `all` kinds.\n\nMore text.",
              100) == "It makes gizmos of all kinds.");
    CHECK(first_words("\n\n", 100).empty());
}

TEST_CASE("of many findings the first ones are listed and the others counted, errors first") {
    std::vector<PageFinding> all;
    for (int i = 0; i < 5; ++i) {
        PageFinding& finding = all.emplace_back();
        finding.severity = i == 4 ? Severity::error : Severity::warning;
        finding.rule = "rule";
        finding.message = "message " + std::to_string(i);
    }
    std::vector<const PageFinding*> findings;
    for (const PageFinding& finding : all) findings.push_back(&finding);
    const std::string three = findings_list(findings, 3);
    CHECK(has(three, "message 4"));
    CHECK(has(three, "message 1"));
    CHECK_FALSE(has(three, "message 2"));
    CHECK(has(three, "<p>2 more: <code>opcat validate</code> lists all of them.</p>"));
    CHECK_FALSE(has(findings_list(findings, 5), " more: "));
}

TEST_CASE("assets are known by their names") {
    for (const std::string_view name : asset_names()) CHECK(asset(name));
    CHECK_FALSE(asset("other.css"));
    CHECK_FALSE(asset(""));
}

TEST_CASE("the type of an icon depends on its bytes, and it cannot run scripts") {
    const auto with_icon = [](std::string_view bytes, const std::string& type) {
        return "schema: olm.package\nname: foo\ndefaultChannel: a\nicon: {base64data: \"" +
               encode_base64(bytes) + "\", mediatype: " + type +
               "}\n---\nschema: olm.channel\npackage: foo\nname: a\nentries: [{name: a.v1.0.0}]\n" +
               "---\nschema: olm.bundle\npackage: foo\nname: a.v1.0.0\nimage: i.example/a:1\nproperties: "
               "[{type: "
               "olm.package, value: {packageName: foo, version: 1.0.0}}]\n";
    };
    const std::string png = "\x89PNG\r\n\x1a\n";
    const std::string drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    struct Case {
        std::string bytes;
        const char* type;
        Use use;
        std::string_view link; // empty: none
        std::string_view served;
    };
    const Case cases[] = {
        {png, "image/png", Use::server, "icon.png", "image/png"},
        {png, "text/html", Use::server, "icon.png", "image/png"},
        {drawing, "image/png", Use::server, "icon.svg", "image/svg+xml"},
        {drawing, "image/svg+xml", Use::files, "data:image/svg+xml;base64,", ""},
        {png, "image/png", Use::files, "icon.png", "image/png"},
        {"<html><script>alert(1)</script>", "image/svg+xml", Use::server, "", ""},
    };
    for (const Case& one : cases) {
        CAPTURE(one.bytes);
        const auto pages = pages_of_text(with_icon(one.bytes, one.type), one.use);
        const std::string& link = pages->packages().front().icon_link;
        CHECK(link.starts_with(one.link));
        CHECK(link.empty() == one.link.empty());
        const Page page = pages->page("packages/foo/" + link);
        if (!one.served.empty()) CHECK(page.body == one.bytes);
        if (!one.served.empty()) CHECK(page.media_type == one.served);
        for (const std::string& path : pages->paths())
            if (one.use == Use::files) CHECK_FALSE(path.ends_with(".svg"));
    }
}

TEST_CASE("findings are on the pages of their objects") {
    const auto pages =
        pages_of(load_catalog(std::string(OPCAT_TESTDATA) + "/catalogs/two-heads", pages_pool()));
    REQUIRE_FALSE(pages->findings().empty());
    const PageFinding& finding = pages->findings().front();
    const std::string package = pages->page("packages/" + file_name(finding.package) + "/").body;
    CHECK(has(package, escape_html(finding.message)));
    CHECK(has(pages->page("findings.html").body, escape_html(finding.message)));
    CHECK(has(pages->page("").body, "findings.html"));
}

TEST_CASE("missing pages are reported as missing, for any path") {
    const auto pages = pages_of(load_catalog(std::string(OPCAT_TESTDATA) + "/catalogs/hello", pages_pool()));
    for (const char* const path :
         {"x", "packages/", "packages/x/", "packages/x", "packages/../index.html", "/", "//",
          "packages/hello/bundles/x.html", "packages/hello/bundles/", "packages//"})
        CHECK_MESSAGE(!pages->page(path).found, path);
}

TEST_CASE(
    "the pages of a long chain show the beginning of its paths, so that they grow as the catalog does") {
    const auto pages_of_chain = [](int n) {
        std::string blobs =
            R"({"schema":"olm.package","name":"foo","defaultChannel":"a"})"
            R"({"schema":"olm.channel","package":"foo","name":"a","entries":[{"name":"foo.v0"})";
        for (int i = 1; i < n; ++i)
            blobs += fmt::format(R"(,{{"name":"foo.v{}","replaces":"foo.v{}"}})", i, i - 1);
        blobs += "]}\n";
        for (int i = 0; i < n; ++i)
            blobs += fmt::format(
                R"({{"schema":"olm.bundle","package":"foo","name":"foo.v{0}","image":"i.example/a:1",)"
                R"("properties":[{{"type":"olm.package","value":{{"packageName":"foo","version":"1.{0}.0"}}}}]}})",
                i);
        return pages_of_text(blobs);
    };
    const auto longer = pages_of_chain(400);
    const std::string first = longer->page("packages/foo/bundles/foo.v0.html").body;
    CHECK(has(first, "50 steps and more"));
    CHECK(has(first, "foo.v50.html"));
    CHECK_FALSE(has(first, "foo.v51.html"));
    CHECK(has(longer->page("packages/foo/bundles/foo.v350.html").body, "49 steps"));
    CHECK(has(longer->page("packages/foo/path.html", {"foo.v0", ""}).body, "399 steps"));
    CHECK_FALSE(longer->page("packages/foo/bundles/foo.v400.html").found);
}

TEST_CASE("files for more versions than can be asked one by one leave their upgrades out and say so") {
    const auto pages = [](int n) {
        std::string blobs =
            R"({"schema":"olm.package","name":"foo","defaultChannel":"a"})"
            R"({"schema":"olm.channel","package":"foo","name":"a","entries":[{"name":"foo.v0"}]})";
        for (int i = 0; i < n; ++i)
            blobs += fmt::format(
                R"({{"schema":"olm.bundle","package":"foo","name":"foo.v{}","image":"i.example/a:1"}})", i);
        return pages_of_text(blobs, Use::files);
    };
    CHECK(pages(9'000)->packages().front().has_upgrades);
    const auto beyond = pages(11'000);
    CHECK_FALSE(beyond->packages().front().has_upgrades);
    CHECK(has(beyond->page("packages/foo/bundles/foo.v0.html").body,
              "Left out: the package has too many versions"));
}

TEST_CASE("the page of a package says whether OLM v1 installs it, and why not") {
    const auto page_of = [](const std::string& properties) {
        const auto pages = pages_of_text(
            "schema: olm.package\nname: a\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: a\n"
            "name: stable\nentries: [{name: a.v1.0.0}]\n---\nschema: olm.bundle\npackage: a\nname: a.v1.0.0\n"
            "image: r.example/a:v1\nproperties:\n- {type: olm.package, value: {packageName: a, version: "
            "1.0.0}}\n" +
            properties);
        return pages->page("packages/a/index.html").body;
    };
    const auto modes = [](const char* mode) {
        return fmt::format("- {{type: olm.csv.metadata, value: {{apiServiceDefinitions: {{}}, installModes: "
                           "[{{type: {}, supported: true}}]}}}}\n",
                           mode);
    };
    const std::string good = page_of(modes("AllNamespaces"));
    CHECK(has(good, "no obstacle known</span>"));
    CHECK(has(good, "not in the catalog, and therefore not checked: webhooks, manifests"));
    const std::string bad = page_of(modes("OwnNamespace"));
    CHECK(has(bad, "class=\"badge bad\">not ready</span>"));
    CHECK(has(bad, "bundle does not support AllNamespaces install mode <code>v1-install-modes</code>"));
    CHECK(has(page_of("- {type: olm.package.required, value: {packageName: \"<b>\", versionRange: '>1'}}\n"),
              "<code>v1-dependencies</code>"));
    CHECK(has(page_of(""), ">unknown</span>"));
}

TEST_CASE("a long list of versions is folded by minor versions, the newest open; a short one is not") {
    const auto page_of = [](int minors) {
        std::string blobs = R"({"schema":"olm.package","name":"foo","defaultChannel":"a"})";
        for (int minor = 0; minor < minors; ++minor)
            for (int patch = 0; patch < 6; ++patch)
                blobs += fmt::format(
                    R"({{"schema":"olm.bundle","package":"foo","name":"foo.v1.{0}.{1}","image":"i.example/a:1",)"
                    R"("properties":[{{"type":"olm.package","value":{{"packageName":"foo","version":"1.{0}.{1}"}}}}]}})",
                    minor, patch);
        blobs += R"({"schema":"olm.bundle","package":"foo","name":"foo.other","image":"i.example/a:1"})";
        return pages_of_text(blobs)->page("packages/foo/").body;
    };
    CHECK_FALSE(has(page_of(3), "class=\"minor\""));
    const std::string folded = page_of(11);
    CHECK(has(folded, "<details class=\"minor\" open><summary><h3>1.10</h3> <small>6 versions</small>"));
    CHECK(has(folded, "<details class=\"minor\"><summary><h3>1.9</h3> <small>6 versions</small>"));
    CHECK(
        has(folded, "<details class=\"minor\"><summary><h3>no valid version</h3> <small>1 version</small>"));
    CHECK(folded.find("1.10.5.html") < folded.find("1.10.0.html"));
}

TEST_CASE("a list says of each package what it can be filtered by") {
    const auto list_of = [](const std::string& name, const std::string& more) {
        return pages_of_text(catalog_with(name, "Database, Storage") + more)->page("").body;
    };
    const std::string plain = list_of("foo", "");
    for (const char* const fact :
         {R"("Category":["Database","Storage"])", R"("Provider":["Database, Storage"])",
          R"("OLM v1":["not ready"])", R"("Deprecated":["yes"])"})
        CHECK_MESSAGE(has(plain, escape_html(fact)), fact);
    CHECK(has(plain, "data-words=\"words.js\""));
}

TEST_CASE("the script of words has those of each package, as words only") {
    const Page script =
        pages_of_text(catalog_with("foo", "</script> Alert(1) \\u2028 Größe"))->page("words.js");
    CHECK(script.media_type == "text/javascript; charset=utf-8");
    CHECK(script.body.starts_with("opcat_words(\"c\", {\"foo\":[[10,[\"foo\"]],"));
    CHECK(has(script.body, "\"größe\""));
    CHECK(script.body.find('<') == std::string::npos);
}

TEST_CASE("the page of a version has the objects that install it, from the channel that is asked for") {
    const auto pages = pages_of(load_catalog(std::string(OPCAT_TESTDATA) + "/catalogs/gizmo", pages_pool()));
    const auto page_of = [&](const char* bundle, const FormFields& asked) {
        return pages->page(fmt::format("packages/gizmo-operator/bundles/{}.html", bundle), asked).body;
    };
    const std::string head = page_of("gizmo-operator.v1.2.1", {});
    CHECK(has(head,
              "  channel: stable\n  installPlanApproval: Automatic\n  name: gizmo-operator\n  source: c\n"
              "  sourceNamespace: olm\n  startingCSV: gizmo-operator.v1.2.1\n"));
    CHECK(has(head, "<details id=\"install\">"));
    CHECK(has(head, "      packageName: gizmo-operator\n"));
    const std::string asked =
        page_of("gizmo-operator.v1.1.0",
                {.channel = "stable", .ns = "<b>", .catalog = "mine", .catalog_ns = "market"});
    CHECK(has(asked, "  installPlanApproval: Manual\n"));
    CHECK(has(asked, "  source: mine\n  sourceNamespace: market\n"));
    CHECK(has(asked, "olm.operatorframework.io/metadata.name: mine\n"));
    CHECK(has(asked, "&lt;b&gt;"));
    CHECK_FALSE(has(asked, "<b>"));
    CHECK(has(asked, "<details id=\"install\" open>"));
    const auto skipped =
        pages_of(load_catalog(std::string(OPCAT_TESTDATA) + "/catalogs/streams", pages_pool()));
    CHECK(has(skipped->page("packages/harbour/bundles/harbour.v1.1.0.html").body,
              "OLM classic does not install it from any channel"));
}
