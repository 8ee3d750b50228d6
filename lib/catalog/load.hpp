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
    // Everything in any of the files that opm refuses to load, sorted by place.
    Diagnostics diagnostics;
    // Text that opm loads, but reads differently from how it looks: repeated keys, JSON that is YAML. Sorted
    // by place; for commands that check catalogs.
    Diagnostics oddities;
    // Objects that did not load: findings about them may need to be suppressed or explained.
    std::vector<Blob> refused;
    // The comments to opcat ("# opcat: …") in YAML.
    std::vector<Location> remarks;
    // It is a template whose bundles were not loaded (workspace/open.hpp).
    bool bundles_unknown = false;
};

struct LoadOptions {
    // A larger file is a finding and is not read.
    uint64_t max_file_size = SourceFile::max_size;
    // The name that messages show in place of `root`, such as the image that it was unpacked from.
    std::string shown_root = {};
    // Lets symbolic links lead out of `root`, and to directories: for a directory that the user trusts.
    bool follow_links = false;
    // Leaves out `.git` below `root`: for directories of users, but not for directories that are read as opm
    // does.
    bool skip_git = false;
    // Only schema, package and name of a blob must be valid, as for OLM v1's catalogd: every blob is then one
    // of Catalog::others, and may have no schema.
    bool names_only = false;
};

// Loads a single file, or every file of a directory that no .indexignore file excludes.
// Names in messages begin with `root` as given. All threads of the pool read files and parse documents; the
// result does not depend on timing. Throws Error if `root` cannot be accessed; problems below it are in the
// diagnostics.
LoadedCatalog load_catalog(const std::filesystem::path& root, ThreadPool& pool,
                           const LoadOptions& options = {});

// The same, a few megabytes at a time, in the order of the walk: the argument of `take` is freed when it
// returns, so memory does not grow with the catalog. Findings are those of all files, without their places.
Diagnostics load_catalog_in_parts(const std::filesystem::path& root, ThreadPool& pool,
                                  const LoadOptions& options,
                                  const std::function<void(const Catalog&)>& take);

// The same for files that have been read already.
LoadedCatalog load_catalog(std::vector<std::unique_ptr<SourceFile>> files, ThreadPool& pool);

} // namespace opcat
