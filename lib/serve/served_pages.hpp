// The pages of a catalog that is served: what they show of all bundles is kept, the rest is in its document.
#pragma once

#include "opcat/pages/catalog_pages.hpp"
#include "opcat/serve/catalog_document.hpp"

#include <memory>
#include <string>
#include <vector>

namespace opcat::serve {

std::shared_ptr<const pages::CatalogPages> make_pages(std::string name,
                                                      const std::shared_ptr<const CatalogDocument>& document,
                                                      std::vector<pages::PageFinding> findings,
                                                      bool allow_query, ThreadPool& pool);

} // namespace opcat::serve
