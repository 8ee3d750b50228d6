// Which files of a directory belong to the catalog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace opcat {

struct CatalogFile {
    std::filesystem::path path; // for opening it: the root as given, then `name`
    std::string name;           // relative to the root, with `/`
};

// A path that is neither ignored nor a catalog file. `message` is a sentence that names it.
struct WalkProblem {
    std::string name; // relative to the root; empty: the root itself
    std::string message;
};

struct CatalogListing {
    std::vector<CatalogFile> files;
    std::vector<WalkProblem> problems;
};

// Limits that no real catalog approaches. An .indexignore file may have 1 MiB.
struct WalkLimits {
    size_t depth = 256; // of directories below the root
    size_t entries = 4'000'000;
    uint64_t matching_steps = uint64_t{1} << 31; // some seconds
};

// The targets that a symbolic link below the root may have.
enum class Links : uint8_t {
    within_root, // a regular file below the root: for content of other people, such as an image
    follow,      // anything, directories as well: for directories that the user trusts
};

// The handling of `.git`: skip leaves it out, and no link may lead to it. walk reads it as a part of the
// catalog, as opm does, which does not know git.
enum class Git : uint8_t { walk, skip };

// Every regular file below `root` that no .indexignore file (see IgnoreRules) excludes, hidden files
// included, in the order of a walk that visits the entries of each directory sorted by byte. If `root` is a
// file, the result is that file; a link as `root` is followed. Throws Error if `root` is neither a file nor a
// directory, or cannot be accessed.
// A symbolic link counts as its target, if `links` allows that. A link to other places or to nothing, a
// device, FIFO or socket, a name that is not UTF-8, a directory or .indexignore file that cannot be read:
// each is a problem, and the walk continues; so is a directory that it comes to a second time, such as one
// above it. It ends early, with a problem, at a limit. With Links::follow, names
// that begin with ".." are left out: Kubernetes uses them to exchange the content of a volume, and other
// links lead into them.
// A directory that disappears during the walk was not there, such as one of another program's staged files
// (base/file.hpp).
// Names in messages begin with `shown_root`, or with `root` if it is empty.
CatalogListing walk_catalog_directory(const std::filesystem::path& root, const WalkLimits& limits = {},
                                      const std::filesystem::path& shown_root = {},
                                      Links links = Links::within_root, Git git = Git::walk);

// Returns true if an .indexignore file leaves out a file that was named by itself: one of its own directory,
// or, in a repository of git, of a directory above it up to the repository's top. Throws Error if one cannot
// be read.
bool is_left_out(const std::filesystem::path& file);

// The same for a place below the directory of a catalog, where there need not be a file yet. Both are
// absolute, without links and dots.
bool is_left_out(const std::filesystem::path& file, const std::filesystem::path& root);

} // namespace opcat
