// catalogd's HTTP: paths, queries, conditions, ranges, encodings.
#include "catalog_text.hpp"
#include "opcat/serve/http_answers.hpp"
#include "opcat/serve/http_fields.hpp"

#include <map>

using namespace opcat;
using namespace opcat::serve;

namespace {

std::shared_ptr<const CatalogDocument> test_document() {
    static const auto document = [] {
        const LoadedCatalog loaded = load_valid(two_packages);
        auto made = std::make_shared<CatalogDocument>(loaded.catalog, 1'000'000'000, test_pool());
        made->compress(test_pool());
        return made;
    }();
    return document;
}

using Headers = std::map<std::string, std::string>;

HttpAnswer ask(std::string_view target, const Headers& headers = {}, std::string_view method = "GET") {
    const HttpRequest request{method, target, [&](const char* name) -> std::string_view {
                                  const auto found = headers.find(name);
                                  return found == headers.end() ? "" : std::string_view(found->second);
                              }};
    const auto find = [](std::string_view name) -> std::optional<std::shared_ptr<const CatalogDocument>> {
        if (name == "loading") return nullptr;
        if (name == "c") return test_document();
        return std::nullopt;
    };
    const auto answer = answer_for_catalogs(request, find);
    return answer.value_or(text_answer(0, ""));
}

std::string body_of(const HttpAnswer& answer) {
    std::string body;
    for (const std::string_view piece : answer.body) body += piece;
    return body;
}

std::string header_of(const HttpAnswer& answer, std::string_view name) {
    for (const auto& [known, value] : answer.headers)
        if (known == name) return value;
    return {};
}

const std::string all = "/catalogs/c/api/v1/all";
const std::string metas = "/catalogs/c/api/v1/metas";

} // namespace

TEST_CASE("paths and queries have their statuses") {
    struct Case {
        std::string target;
        int status;
    };
    const Case cases[] = {{all, 200},
                          {all + "?anything=x", 200},
                          {"/catalogs/%63/api/v1/al%6c", 200},
                          {all + "/", 404},
                          {"/", 404},
                          {"/catalogs/absent/api/v1/all", 404},
                          {"/catalogs/Upper/api/v1/all", 400},
                          {"/catalogs/a%2fb/api/v1/all", 400},
                          {"/catalogs/%zz/api/v1/all", 400},
                          {"/catalogs//c/api/v1/all", 307},
                          {"/catalogs/./c/api/v1/../v1/all", 307},
                          {"/catalogs/loading/api/v1/all", 0},
                          {metas, 200},
                          {metas + "?schema=olm.package&&name=gizmo", 200},
                          {metas + "?Schema=olm.package", 400},
                          {metas + "?=x", 400},
                          {metas + "?schema=%zz", 400},
                          {metas + "?schema=a;b", 400}};
    for (const Case& c : cases) {
        CAPTURE(c.target);
        CHECK(ask(c.target).status == c.status);
    }
    CHECK(ask(all, {}, "POST").status == 405);
    CHECK(header_of(ask(all, {}, "POST"), "Allow") == "GET, HEAD");
}

TEST_CASE("a redirect leads to a path of this server") {
    CHECK(header_of(ask("//evil.example/../catalogs/c/api/v1/all?x=1&y"), "Location") == all + "?x=1&y");
    CHECK(header_of(ask("/./\\evil.example"), "Location") == "/%5Cevil.example");
    CHECK(body_of(ask("/./<a>'")) == "<a href=\"/%3Ca%3E&#39;\">Temporary Redirect</a>.\n\n");
}

TEST_CASE("metas finds blobs by their own fields") {
    const auto names = [](const std::string& query) { return body_of(ask(metas + query)); };
    CHECK(
        names("?schema=olm.package&name=gizmo") ==
        "{\"defaultChannel\":\"stable\",\"description\":\"Makes gizmos\",\"name\":\"gizmo\",\"schema\":\"olm."
        "package\"}\n");
    CHECK(names("?package=gizmo&name=one") ==
          "{\"count\":1.5,\"name\":\"one\",\"package\":\"gizmo\",\"schema\":\"example.note\"}\n");
    CHECK(names("?schema=olm.package&package=gizmo").empty());
    CHECK(names("?name=one&name=two") == names("?name=one"));
    CHECK(names("?schema=") == test_document()->text());
    CHECK(names("?schema=olm%2Epackage&name=widget") == names("?schema=olm.package&name=widget"));
}

TEST_CASE("conditions are answered as RFC 9110 says") {
    const std::string tag = '"' + test_document()->digest() + '"';
    const std::string changed = http_date(1'000'000'000);
    const std::string before = http_date(999'999'999);
    struct Case {
        Headers headers;
        int status;
    };
    const Case cases[] = {{{{"If-None-Match", tag}}, 304},
                          {{{"If-None-Match", "W/" + tag}}, 304},
                          {{{"If-None-Match", "\"x\", " + tag}}, 304},
                          {{{"If-None-Match", "\"x\""}}, 200},
                          {{{"If-None-Match", "\"x\""}, {"If-Modified-Since", changed}}, 200},
                          {{{"If-Match", tag}}, 200},
                          {{{"If-Match", "W/" + tag}}, 412},
                          {{{"If-Match", "*"}}, 200},
                          {{{"If-Modified-Since", changed}}, 304},
                          {{{"If-Modified-Since", before}}, 200},
                          {{{"If-Modified-Since", "yesterday"}}, 200},
                          {{{"If-Modified-Since", "Sunday, 09-Sep-01 01:46:40 GMT"}}, 304},
                          {{{"If-Modified-Since", "Sun Sep  9 01:46:40 2001"}}, 304},
                          {{{"If-Unmodified-Since", changed}}, 200},
                          {{{"If-Unmodified-Since", before}}, 412}};
    for (const std::string& target : {all, metas})
        for (const Case& c : cases) CHECK(ask(target, c.headers).status == c.status);
}

TEST_CASE("ranges are parts of the document, and only of `all`") {
    const std::string text(test_document()->text());
    const auto size = std::to_string(text.size());
    const HttpAnswer first = ask(all, {{"Range", "bytes=0-9"}});
    CHECK(first.status == 206);
    CHECK(body_of(first) == text.substr(0, 10));
    CHECK(header_of(first, "Content-Range") == "bytes 0-9/" + size);
    CHECK(body_of(ask(all, {{"Range", "bytes=-5"}})) == text.substr(text.size() - 5));
    const HttpAnswer parts = ask(all, {{"Range", "bytes=0-1, 4-5"}});
    CHECK(header_of(parts, "Content-Length") == std::to_string(body_of(parts).size()));
    CHECK(body_of(parts).find("Content-Range: bytes 4-5/" + size) != std::string::npos);
    CHECK(ask(all, {{"Range", "bytes=0-1"}}, "HEAD").body.empty());

    CHECK(ask(all, {{"Range", "bytes=" + size + "-"}}).status == 416);
    for (const char* range : {"bytes=5-2", "bytes=x", "items=0-1", "bytes=99999999999999999999-"})
        CHECK(ask(all, {{"Range", range}}).status == 416);
    CHECK(ask(all, {{"Range", "bytes=0-,0-"}}).status == 200); // twice the whole
    CHECK(ask(all, {{"Range", "bytes=0-9"}, {"If-Range", "\"x\""}}).status == 200);
    CHECK(ask(metas, {{"Range", "bytes=0-9"}}).status == 200);
}

TEST_CASE("clients that accept gzip get it, except for small answers, ranges and HEAD") {
    const Headers gzip = {{"Accept-Encoding", "deflate, gzip;q=0.5"}};
    CHECK(header_of(ask(all, gzip), "Content-Encoding") == "gzip");
    CHECK(body_of(ask(all, gzip)).starts_with("\x1f\x8b"));
    CHECK(header_of(ask(metas + "?package=gizmo", gzip), "Content-Encoding") == "gzip");
    CHECK(header_of(ask(metas + "?name=one", gzip), "Content-Encoding").empty());
    CHECK(header_of(ask(all, gzip, "HEAD"), "Content-Encoding").empty());
    for (const char* none : {"gzip;q=0", "gzip; q=0.000", "*", "br", "gzipped"})
        CHECK(header_of(ask(all, {{"Accept-Encoding", none}}), "Content-Encoding").empty());
    CHECK(header_of(ask(all, gzip), "ETag") != header_of(ask(all), "ETag"));
}
