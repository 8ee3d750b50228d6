// The repository before a pull request, from git.
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/base/thread_pool.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace opcat::policy {

struct BaseRevision {
    std::unique_ptr<TemporaryDirectory> directory; // what the commit has of the operators that are touched
    std::vector<std::string> changed_files;        // relative to the repository
};

// The merge base of HEAD and `revision`, and what differs from it in the working tree: committed files, and
// new ones in operators/ and catalogs/. Nothing is checked out; the files are written below `temporary`.
// Throws RequestError for a revision that does not exist, Error if `root` is not in a repository of git.
BaseRevision base_of(const std::filesystem::path& root, const std::string& revision,
                     const std::filesystem::path& temporary, ThreadPool& pool);

} // namespace opcat::policy
