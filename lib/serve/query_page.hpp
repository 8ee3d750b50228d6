// The page of a served catalog on which people ask it questions in SQL (`serve --allow-query`).
#pragma once

#include "opcat/serve/catalog_document.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace opcat::serve {

constexpr std::string_view query_page_path = "query.html";

// The page with the answer to a statement; empty: with the form alone. Reads all of the catalog and fills the
// tables that the statement needs, which takes as long as `opcat query`, and as much memory, within limits
// (docs/limits.md). Throws nothing: what fails is on the page.
std::string query_page(const std::string& catalog, const std::shared_ptr<const CatalogDocument>& document,
                       const std::string& sql);

} // namespace opcat::serve
