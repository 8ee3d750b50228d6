// The versions of a catalog that the commits of a repository hold.
#pragma once

#include "opcat/base/git.hpp"
#include "opcat/workspace/open.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opcat {

struct CatalogHistory {
    bool is_complete = true; // false: there are older commits
    bool is_shallow = false; // the clone was cut off: they are not all here
    std::string earlier; // the place of a file before the oldest commit, which renamed it; empty: it was new
};

// Calls `take` for each commit in which the files that contain `text` differ from those of the commit before
// it, the newest first, with a catalog of these files; it ends when `take` returns false. At last, if no
// older commits are left, it is called with an empty catalog for the time before the first, and a commit
// without a hash. `reference` is a path of the repository, or git:REVISION:PATH. Looks at `most` commits.
// Each content is searched once, and those without the text are not loaded. Throws Error and RequestError, as
// for git:…, and Error after 4 GiB of contents [limit].
CatalogHistory for_each_version(const std::string& reference, const std::string& text, size_t most,
                                const OpenOptions& options, ThreadPool& pool,
                                const std::function<bool(const GitRepository::Commit&, Source)>& take);

// What the newest version says about a bundle, and the commit that brought it.
struct BundleFact {
    std::string what; // "foo/stable: replaces foo.v1.1.0"
    GitRepository::Commit since;
    bool or_earlier = false; // commits before it were not looked at
};

// Sorted; none if the newest version does not have the bundle. Otherwise as for_each_version.
std::vector<BundleFact> facts_since(const std::string& reference, const std::string& bundle, size_t most,
                                    const OpenOptions& options, ThreadPool& pool);

} // namespace opcat
