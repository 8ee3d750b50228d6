// The upgrade graph of a package in a browser, next to the editor.
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/mentions.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace opcat::lsp {

// The page of a package as it is now, with nothing that it would have to load. Throws RequestError if the
// catalog does not have the package.
std::string graph_page(const CatalogAnalysis& analysis, std::string_view package);

// A page in a file that shows the bundle that the cursor is in, and the graph anew when the catalog changes:
// a script next to it, which the page loads again and again, says what that is.
class GraphPage {
public:
    // Writes the page and returns its path. Throws Error and RequestError.
    std::string open(const CatalogAnalysis& analysis, const std::string& package, const std::string& bundle);
    // Does nothing unless the page is open and shows the package of the thing.
    void follow(const Thing& thing);
    // The package that the page shows; empty: none.
    const std::string& package() const { return package_; }
    void catalog_changed(const CatalogAnalysis& analysis);

private:
    void write_page(const CatalogAnalysis& analysis);
    void write_cursor();

    std::unique_ptr<TemporaryDirectory> directory_;
    std::string package_;
    std::string bundle_;
    size_t revision_ = 0;
};

} // namespace opcat::lsp
