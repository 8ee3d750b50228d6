// Answers for browsers: the pages of catalogs (lib/pages), and their files.
#pragma once

#include "opcat/serve/http_answers.hpp"
#include "opcat/serve/served_catalog.hpp"
#include "opcat/serve/slow_answers.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace opcat::serve {

// Returns true if a path is that of a page, or below the pages of a catalog: "/", "/pages.css",
// "/catalogs/NAME/…" without "/catalogs/NAME/api/…".
bool is_web_path(std::string_view path, const ServedCatalogs& catalogs);

struct WebOptions {
    const std::function<void()>& make_pages; // starts it
    bool allow_query = false;
    SlowAnswers& slow_answers;
};

// The answer for such a path. Nothing while the pages or a slow answer are being made: the request must wait.
std::optional<HttpAnswer> answer_for_web(const HttpRequest& request, const ServedCatalogs& catalogs,
                                         const WebOptions& options);

} // namespace opcat::serve
