#include "opcat/serve/web_answers.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/serve/compare_page.hpp"
#include "opcat/serve/http_fields.hpp"
#include "opcat/serve/query_page.hpp"

#include <algorithm>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::string_view catalogs_folder = "/catalogs/";
// Content of catalogs is escaped; if a mistake let some of it through, browsers still would not run or load
// it.
constexpr std::string_view page_policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
                                         "'self'; form-action 'self'; base-uri 'none'; "
                                         "frame-ancestors 'none'";
// An image of SVG that is opened by itself is a document, with scripts.
constexpr std::string_view image_policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

struct CatalogPath {
    const ServedCatalog* catalog = nullptr; // nullptr: none of the name
    std::string_view rest;                  // "packages/foo/index.html"
    bool has_slash = false;                 // after the name
};

CatalogPath parse_path(std::string_view path, const ServedCatalogs& catalogs) {
    if (!path.starts_with(catalogs_folder)) return {};
    path.remove_prefix(catalogs_folder.size());
    const size_t slash = std::min(path.find('/'), path.size());
    const auto found = std::find_if(catalogs.begin(), catalogs.end(), [&](const auto& catalog) {
        return catalog->name() == path.substr(0, slash);
    });
    if (found == catalogs.end()) return {};
    return {found->get(), path.substr(std::min(slash + 1, path.size())), slash < path.size()};
}

bool is_home(std::string_view path) {
    return path == "/" || path == "/index.html";
}

pages::FormFields fields_of(std::string_view query) {
    pages::FormFields asked;
    const std::pair<std::string_view, std::string*> known[] = {{"from", &asked.from},
                                                               {"to", &asked.to},
                                                               {"package", &asked.package},
                                                               {"channel", &asked.channel},
                                                               {"namespace", &asked.ns},
                                                               {"catalog", &asked.catalog},
                                                               {"catalogNamespace", &asked.catalog_ns},
                                                               {"sql", &asked.sql}};
    const auto fields = query_fields(query);
    if (!fields) return asked;
    for (const auto& [name, value] : *fields)
        for (const auto& [known_name, field] : known)
            if (name == known_name) *field = value;
    return asked;
}

HttpAnswer page_answer(const HttpRequest& request, pages::Page page) {
    const bool is_image = page.media_type.starts_with("image/");
    const std::string tag = '"' + sha256_hex(page.body).substr(0, 32) + '"';
    HttpAnswer answer;
    answer.status = page.found ? 200 : 404;
    answer.headers = {{"Content-Type", std::string(page.media_type)},
                      {"Content-Security-Policy", std::string(is_image ? image_policy : page_policy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"},
                      {"ETag", tag}};
    if (page.found && names_tag(request.header("If-None-Match"), std::span(&tag, 1), true)) {
        answer.status = 304;
        return answer;
    }
    answer.headers.emplace_back("Content-Length", std::to_string(page.body.size()));
    if (request.method != "HEAD") answer.add_text(std::move(page.body));
    return answer;
}

HttpAnswer later(std::string why) {
    HttpAnswer answer = text_answer(503, std::move(why));
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
}

std::optional<HttpAnswer> slow_page(const HttpRequest& request,
                                    const std::optional<SlowAnswers::Answer>& made) {
    if (!made) return std::nullopt;
    if (!made->text) return later("503 Service Unavailable: too many others wait");
    return page_answer(request, {"text/html; charset=utf-8", *made->text});
}

std::optional<HttpAnswer> answer_to_query(const HttpRequest& request, const ServedCatalog& catalog,
                                          const std::string& sql, SlowAnswers& slow_answers) {
    const auto snapshot = catalog.snapshot();
    if (!snapshot) return std::nullopt;
    return slow_page(request, slow_answers.find("query\n" + catalog.name() + '\n' +
                                                    snapshot->document->digest() + '\n' + sql,
                                                [name = catalog.name(), document = snapshot->document, sql] {
                                                    return query_page(name, document, sql);
                                                }));
}

// Compares two catalogs by their names.
std::optional<HttpAnswer> answer_to_comparison(const HttpRequest& request, const ServedCatalogs& catalogs,
                                               const pages::FormFields& asked, SlowAnswers& slow_answers) {
    std::vector<ComparedCatalog> compared;
    for (const std::string* const name : {&asked.from, &asked.to}) {
        const auto found = std::find_if(catalogs.begin(), catalogs.end(),
                                        [&](const auto& catalog) { return catalog->name() == *name; });
        if (found == catalogs.end()) return text_answer(404, "404 Not Found: from and to name no catalogs");
        const auto snapshot = (*found)->snapshot();
        if (!snapshot) return std::nullopt;
        compared.push_back({*name, snapshot->document});
    }
    std::string key = "compare\n" + asked.package;
    for (const ComparedCatalog& one : compared) key += '\n' + one.name + '\n' + one.document->digest();
    return slow_page(request, slow_answers.find(key, [compared, package = asked.package] {
        return compare_page(compared[0], compared[1], package);
    }));
}

} // namespace

bool is_web_path(std::string_view path, const ServedCatalogs& catalogs) {
    if (is_home(path) || (path == compare_page_path && catalogs.size() > 1)) return true;
    const auto assets = pages::asset_names();
    if (std::find(assets.begin(), assets.end(), path.substr(std::min<size_t>(1, path.size()))) !=
        assets.end())
        return true;
    const CatalogPath at = parse_path(path, catalogs);
    constexpr std::string_view api = "api";
    const bool is_api = at.rest == api || at.rest.starts_with("api/");
    // Paths that can be written in a shorter way are redirected, as all others.
    const bool is_clean = path.find("//") == path.npos && path.find("/.") == path.npos;
    return at.catalog && !is_api && is_clean;
}

std::optional<HttpAnswer> answer_for_web(const HttpRequest& request, const ServedCatalogs& catalogs,
                                         const WebOptions& options) {
    if (!request.reads()) return only_reading();
    const size_t question = std::min(request.target.find('?'), request.target.size());
    const std::string_view path = request.target.substr(0, question);
    const CatalogPath at = parse_path(path, catalogs);
    const std::string_view query = request.target.substr(std::min(question + 1, request.target.size()));
    if (path == compare_page_path)
        return answer_to_comparison(request, catalogs, fields_of(query), options.slow_answers);
    if (!at.catalog && !is_home(path)) return page_answer(request, *pages::asset(path.substr(1)));
    if (at.catalog && !at.has_slash) return redirect_to(std::string(path) + "/", request);

    if (options.allow_query && at.catalog && at.rest == query_page_path)
        return answer_to_query(request, *at.catalog, fields_of(query).sql, options.slow_answers);

    std::vector<std::shared_ptr<const pages::CatalogPages>> found;
    bool some_missing = false;
    for (const auto& catalog : catalogs) {
        if (at.catalog && at.catalog != catalog.get()) continue;
        const auto snapshot = catalog->snapshot();
        if (snapshot && !snapshot->pages_problem.empty()) {
            if (catalog->ask_for_pages()) options.make_pages(); // what prevented them may have passed
            return later(snapshot->pages_problem);
        }
        if (snapshot && snapshot->pages)
            found.push_back(snapshot->pages);
        else
            some_missing = true;
        if (snapshot && !snapshot->pages && catalog->ask_for_pages()) options.make_pages();
    }
    if (some_missing) return std::nullopt;
    if (!at.catalog) return page_answer(request, pages::home_page(found));
    return page_answer(request, found.front()->page(at.rest, fields_of(query)));
}

} // namespace opcat::serve
