// The olm.deprecations blob of a package, of which there is at most one.
#pragma once

#include "opcat/edit/catalog_text.hpp"

#include <string_view>

namespace opcat::edit {

// Makes or changes the deprecation of an object; `name` is empty for the package.
void set_deprecation(CatalogText& file, std::string_view package, std::string_view schema,
                     std::string_view name, std::string_view message);

// Takes it back. Returns whether there was one.
bool remove_deprecation(CatalogText& file, std::string_view package, std::string_view schema,
                        std::string_view name);

// The same for several bundles at once.
void remove_deprecations(CatalogText& file, std::string_view package, std::string_view schema,
                         const std::vector<std::string>& names);

} // namespace opcat::edit
