// What of a catalog has changed since a commit, as git knows it.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace opcat {

struct ChangedParts {
    bool everything = false;        // an .indexignore file changed, or there was no catalog
    std::set<std::string> packages; // with a blob in a file that changed, before or now
    std::set<const SourceFile*> files;

    // Whether a finding about a package and in a file is about what changed. One that is about no package is
    // if its file changed, or if it is in no file.
    bool concerns(std::string_view package, const SourceFile* file) const;
};

// What differs between the working tree and the commit in which the history of HEAD left that of `revision`
// (a commit, a branch, a tag); files that git does not know are changed, too. `path` is the directory or file
// that `catalog` was loaded from. Throws RequestError for a revision that does not exist, Error if git cannot
// be run or the path is in no repository.
ChangedParts changed_parts(const std::filesystem::path& path, const LoadedCatalog& catalog,
                           const std::string& revision, ThreadPool& pool);

} // namespace opcat
