// The page that compares two served catalogs, as `opcat diff -o html` does.
#pragma once

#include "opcat/pages/catalog_pages.hpp"
#include "opcat/serve/catalog_document.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace opcat::serve {

constexpr std::string_view compare_page_path = "/compare.html";

struct ComparedCatalog {
    std::string name;
    std::shared_ptr<const CatalogDocument> document;
};

// `package`: only that one; empty: all. Reads all of both catalogs, which takes as long as `opcat diff`, and
// as much memory. Throws nothing: what fails is on the page.
std::string compare_page(const ComparedCatalog& from, const ComparedCatalog& to, const std::string& package);

} // namespace opcat::serve
