// The parts of open(), one for each kind of reference.
#pragma once

#include "opcat/base/git.hpp"
#include "opcat/workspace/open.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// `shown`: what messages call the path.
LoadedCatalog load_path(const std::filesystem::path& path, const std::string& shown,
                        const OpenOptions& options, ThreadPool& pool);

// The images among the references, in their order, with the paths that opm reads by their labels.
std::vector<image::UnpackedImage> pull_images(const std::vector<std::string>& references,
                                              const OpenOptions& options, ThreadPool& pool);
LoadedCatalog load_image(const image::UnpackedImage& image, const OpenOptions& options, ThreadPool& pool);
// The bundle that the image is. Throws Error for another one.
BundleFiles bundle_files_of(image::UnpackedImage image, const OpenOptions& options);

// Loads what a commit has there: a directory of a catalog or a bundle, a file, an index, a template.
LoadedCatalog load_revision(const std::string& reference, const OpenOptions& options, ThreadPool& pool);

// Returns the repository that a path is in; the path need not exist any more.
GitRepository repository_of(const std::filesystem::path& path, const std::string& doing,
                            const std::string& hint);

// The files of a commit at the path of a reference.
struct FoundRevision {
    GitRepository git; // in the topmost directory
    std::string scope; // relative to it; "." is all of it
    GitRepository::Files files;
    std::vector<std::string> submodules; // whose files it does not have
};
FoundRevision find_revision(const std::string& reference);
// Those of `names` among them, as one catalog.
LoadedCatalog load_files(const FoundRevision& found, const std::vector<std::string>& names,
                         const std::string& shown, const OpenOptions& options, ThreadPool& pool);

void require_taken(bool taken, std::string_view what, const std::string& reference);
void warn(const OpenOptions& options, const std::string& warning);

} // namespace opcat
