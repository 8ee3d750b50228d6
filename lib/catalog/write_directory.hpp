// Catalogs as directories, one per package.
#pragma once

#include "catalog/write.hpp"

#include <filesystem>

namespace opcat {

// Writes each package to ROOT/PACKAGE/catalog.json or .yaml, and blobs without a package to ROOT/catalog.*;
// ROOT is new or empty, and appears with all that is in it. Throws Error, before anything is written, if it
// is not, or if the name of a package is no single element of a path.
void write_catalog_directory(const Catalog& catalog, Format format, const std::filesystem::path& root,
                             ThreadPool& pool);

} // namespace opcat
