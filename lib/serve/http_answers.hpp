// catalogd's answers to HTTP requests: paths, conditions, ranges, encodings (docs/serving.md). No I/O.
#pragma once

#include "opcat/serve/catalog_document.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::serve {

struct HttpRequest {
    std::string_view method; // "GET"
    std::string_view target; // path and query as they were sent: "/catalogs/c/api/v1/all?x=1"
    // The value of a header, whose name may be in any letter case; empty: absent.
    std::function<std::string_view(const char* name)> header;

    bool reads() const { return method == "GET" || method == "HEAD"; }
};

struct HttpAnswer {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers; // without those that every answer has
    std::vector<std::string_view> body;                       // one after the other; empty for HEAD
    std::vector<std::shared_ptr<const void>> owners;          // of memory that the body refers to

    void add_text(std::string text);
    // Memory that this answer alone takes, not with others.
    size_t own_bytes() const { return own_text + body.size() * sizeof(std::string_view); }

    size_t own_text = 0; // of add_text()
};

// The document of a catalog by its name; null while it is being loaded, nothing if there is no such catalog.
using FindDocument =
    std::function<std::optional<std::shared_ptr<const CatalogDocument>>(std::string_view catalog)>;

// The answer for a path below "/catalogs/", or 404 for an unknown one. Nothing while the catalog is being
// loaded: the request must wait. `metas`: whether that endpoint is enabled.
std::optional<HttpAnswer> answer_for_catalogs(const HttpRequest& request, const FindDocument& find,
                                              bool metas = true);

// A short answer for people: "404 page not found".
HttpAnswer text_answer(int status, std::string text);

// 307 to a path of this server, with its query.
HttpAnswer redirect_to(const std::string& path, const HttpRequest& request);

// 405: only reading is possible.
HttpAnswer only_reading();

} // namespace opcat::serve
