// The images of OpenShift's releases that an image set selects: their own, those that they consist of, and
// the one of an update service.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/image/options.hpp"
#include "opcat/image/puller.hpp"
#include "opcat/mirror/graph_image.hpp"
#include "opcat/mirror/image_set.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace opcat {

// Pulls the releases, and reads what they consist of; in their order. Throws Error.
std::vector<ReleaseContent> read_releases(std::span<const SelectedRelease> releases, image::Options options,
                                          ThreadPool& pool, const image::OnProgress& on_progress);

// The images of the releases alone, in their order, for the platforms of the set.
std::vector<ImageSetImage> images_of_releases(const ImageSet& set, std::span<const SelectedRelease> releases);

// In the mirror, images have the names that they have at home, or those that oc-mirror v2 gives them.
enum class ReleaseNames : uint8_t { as_at_home, as_oc_mirror };

// Adds the images of whole releases to those of the set. `images` are those of images_of_releases(), maybe
// with signatures; `contents` are those of read_releases(). Returns how many different images these are.
// Throws Error if a name is not possible.
size_t add_whole_releases(ImageSet& set, std::span<const SelectedRelease> releases,
                          std::vector<ImageSetImage> images, std::span<const ReleaseContent> contents,
                          ReleaseNames names);

// The repositories in the mirror of the releases of the set.
std::set<std::string> release_repositories(const ImageSet& set);

inline constexpr const char* usual_graph_base = "registry.access.redhat.com/ubi9/ubi:latest";

// The image of an update service for the releases of the set, of which it names one repository: the first.
// `data` and `base` are those of GraphImage; without a base, it is made on the usual one.
GraphImage graph_image_of(const ImageSet& set, const std::string& data, const std::string& base);

} // namespace opcat
