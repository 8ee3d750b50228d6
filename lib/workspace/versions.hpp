// Two versions of a catalog, for comparing them.
#pragma once

#include "opcat/graph/catalog_diff.hpp"
#include "opcat/workspace/open.hpp"

#include <optional>
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
};

// Opens two references, as open_each does. All of them is read: a deprecation in a file that is the same in
// both decides what a change in another file means.
CatalogVersions open_versions(const std::string& before, const std::string& after, const OpenOptions& options,
                              ThreadPool& pool);

// A directory whose files define packages.
struct ChangedCatalog {
    std::string name;   // its path from the working directory
    std::string before; // the reference of the commit; empty: it is new
    std::string after;  // its path; empty: it is gone
};

// The catalogs below the working directory with a file that changed since the merge base of HEAD and
// `revision`; untracked files count. Of a file, the nearest directory above it in which a file defines a
// package. Other repositories below, such as submodules, are not looked at, with a warning. Throws
// RequestError for a revision that does not exist, Error without git and outside of a repository.
std::vector<ChangedCatalog> changed_catalogs(const std::string& revision, const OpenOptions& options,
                                             ThreadPool& pool);

// Both versions; one that does not exist is empty.
CatalogVersions open_versions(const ChangedCatalog& catalog, const OpenOptions& options, ThreadPool& pool);

// Why opm refuses the new version as a whole: its first error, which is worse than any change in it.
struct RefusedVersion {
    Regression regression; // RegressionKind::unservable
    bool is_new = false;   // opm does not refuse the old version
};
// Nothing if opm takes it, or if bundles are unknown. Refers to the sources.
std::optional<RefusedVersion> find_refusal(const CatalogVersions& versions, ThreadPool& pool);

} // namespace opcat
