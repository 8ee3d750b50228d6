// From files to a catalog.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace opcat {

struct LoadedCatalog {
    Catalog catalog;
    // What opm would refuse to load, of all files, sorted by place.
    Diagnostics diagnostics;
    // What opm loads, but does not read as it is written: keys given twice, JSON that is YAML. Sorted by
    // place; for commands that check catalogs.
    Diagnostics oddities;
    // Objects that would not load, for what is to be said about the findings in them.
    std::vector<Blob> refused;
    // The comments to opcat ("# opcat: …") in YAML.
    std::vector<Location> remarks;
};

struct LoadOptions {
    // A file beyond it is a finding and not read.
    uint64_t max_file_size = SourceFile::max_size;
    // What names in messages begin with instead of `root`, such as the image that it was unpacked from.
    std::string shown_root = {};
    // Whether symbolic links may lead out of `root`, and to directories (Links::follow of ignore/walk.hpp):
    // for a directory that the user vouches for.
    bool follow_links = false;
    // Of a blob only schema, package and name have to be right, as for OLM v1's catalogd: every blob is one
    // of Catalog::others then, and may do without a schema.
    bool names_only = false;
};

// Loads every file of a directory that no .indexignore file excludes (see ignore/walk.hpp), or a single file.
// Names in messages begin with `root` as given. Files are read, and documents parsed, on all threads of the
// pool; what comes out does not depend on timing. Throws Error if `root` cannot be reached; what is wrong
// below it is in the diagnostics.
LoadedCatalog load_catalog(const std::filesystem::path& root, ThreadPool& pool,
                           const LoadOptions& options = {});

// The same a few megabytes at a time, in the order of the walk: what `take` gets is freed when it returns, so
// memory does not grow with the catalog. Findings are those of all files, without their places.
Diagnostics load_catalog_in_parts(const std::filesystem::path& root, ThreadPool& pool,
                                  const LoadOptions& options,
                                  const std::function<void(const Catalog&)>& take);

// The same for files that are there already.
LoadedCatalog load_catalog(std::vector<std::unique_ptr<SourceFile>> files, ThreadPool& pool);

} // namespace opcat
