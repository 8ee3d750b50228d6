// The changes of a catalog since a commit, according to git.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct ChangedParts {
    bool everything = false;        // an .indexignore file changed, or there was no catalog before
    std::set<std::string> packages; // with a blob in a file that changed, before or now
    std::set<const SourceFile*> files;

    // Returns true if a finding about a package and in a file concerns the changes. Without a package it does
    // if its file changed, or if it has no file.
    bool concerns(std::string_view package, const SourceFile* file) const;
};

// The differences between the working tree and the merge base of HEAD and `revision` (a commit, a branch, a
// tag); untracked files count as changed. `path` is the directory or file that `catalog` was loaded from.
// Throws RequestError for a revision that does not exist, Error if git cannot be run or the path is not in a
// repository.
ChangedParts changed_parts(const std::filesystem::path& path, const LoadedCatalog& catalog,
                           const std::string& revision, ThreadPool& pool);

// The names of files, relative to the directory, that are not as in the commit, are gone, or are among those
// that are there `now` and new. All threads of the pool read files.
std::vector<std::string> changed_names(const GitRepository::Files& committed,
                                       const std::filesystem::path& directory,
                                       const std::set<std::string>& now, ThreadPool& pool);

} // namespace opcat
