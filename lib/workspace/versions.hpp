// Two versions of a catalog, for comparing them. Of those that git knows, only what differs is read.
#pragma once

#include "opcat/workspace/open.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opcat {

// A reference as people write those of git: "main:catalog" is git:main:catalog. A path that exists stays a
// path, and so does all that git does not know. Throws RequestError for a text that could be an image, too,
// with both spellings, and for a revision without a path.
std::string with_revision(const std::string& reference);
// "git:REVISION:./PATH": a path as it is written after "--", of the repository that it is in. Throws
// RequestError for a revision that git does not know.
std::string at_revision(const std::string& revision, const std::string& path);

struct CatalogVersions {
    Source before;
    Source after;
    bool are_parts = false; // of what the names of the sources refer to
};

// The part of two versions that is needed.
enum class Extent : uint8_t { whole, differences };

// Opens two references, as open_each does. For the differences of two directories of which at least one
// belongs to a commit, it reads the files that differ, and more of them only as far as those do not hold
// their packages whole: with their olm.package blob, and with a bundle for each entry and an entry for each
// bundle. What is equal in both versions may be missing in both.
CatalogVersions open_versions(const std::string& before, const std::string& after, Extent extent,
                              const OpenOptions& options, ThreadPool& pool);

// A directory whose files define packages.
struct ChangedCatalog {
    std::string name;   // its path from the working directory
    std::string before; // the reference of the commit; empty: it is new
    std::string after;  // its path; empty: it is gone
};

// The catalogs below the working directory with a file that changed since the merge base of HEAD and
// `revision`; untracked files count. Of a file, the nearest directory above it in which a file defines a
// package. Throws RequestError for a revision that does not exist, Error without git and outside of a
// repository.
std::vector<ChangedCatalog> changed_catalogs(const std::string& revision, ThreadPool& pool);

// Both versions; one that does not exist is empty.
CatalogVersions open_versions(const ChangedCatalog& catalog, Extent extent, const OpenOptions& options,
                              ThreadPool& pool);

} // namespace opcat
