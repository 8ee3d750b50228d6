// The pages of one package, for catalog_pages.cpp.
#pragma once

#include "opcat/graph/path_report.hpp"
#include "opcat/pages/catalog_pages.hpp"

#include <string>

namespace opcat::pages {

inline constexpr std::string_view html_type = "text/html; charset=utf-8";

// Links between pages are relative, and name files, so that they also work without a server.
inline constexpr std::string_view root_from_package = "../../../../";
inline constexpr std::string_view root_from_bundle = "../../../../../";

// The link to a bundle's page; plain text for a version that is not in the catalog. `folder`: of the
// package's pages, as seen from the page with the link, "" or "../".
std::string bundle_link(const PackageGraph& graph, NodeId node, std::string_view folder);

// All packages, for files/pages.js to search and filter. `folder`: of the catalog, as seen from the page.
std::string package_list(const CatalogPages& catalog, const std::string& folder);
// The words of all packages, which the script of a page with the list loads when it searches.
std::string words_script(const CatalogPages& catalog);

Page package_page(const CatalogPages& catalog, const PackagePages& package);
Page bundle_page(const CatalogPages& catalog, const PackagePages& package, NodeId node,
                 const FormFields& question);
Page graph_page(const CatalogPages& catalog, const PackagePages& package);
Page path_page(const CatalogPages& catalog, const PackagePages& package, const FormFields& question);

// The upgrade paths from a version, or to another, by both OLMs with reasons.
std::string paths_as_html(const PathReport& report, std::string_view folder);

// The objects that install a bundle with both OLMs, for the channel and the names that are asked for.
std::string install_section(const CatalogPages& catalog, const PackagePages& package, NodeId node,
                            const Presentation& said, const FormFields& asked);

// The phases and platforms of versions; `only`: of that one. Empty: the lifecycle does not have it.
std::string support_table(const Lifecycle& lifecycle, const GraphNode* only = nullptr);

// The form for path_page(). `link`: to that page.
std::string path_form(const PackagePages& package, std::string_view link, const FormFields& asked);

} // namespace opcat::pages
