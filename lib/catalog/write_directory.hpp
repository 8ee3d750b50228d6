// Catalogs as directories, one per package.
#pragma once

#include "catalog/write.hpp"

#include <filesystem>

namespace opcat {

// Writes each package to ROOT/PACKAGE/catalog.json or .yaml, and blobs without a package to ROOT/catalog.*;
// makes the directories that are missing. Each file is written beside its name and renamed; other files are
// left alone. Throws Error, before anything is written, if the name of a package is no single element of a
// path.
void write_catalog_directory(const Catalog& catalog, Format format, const std::filesystem::path& root,
                             ThreadPool& pool);

} // namespace opcat
