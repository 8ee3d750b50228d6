// Catalogs as images of a mirror.
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/mirror/plan.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace opcat {

// The catalog as an image on top of `base`, in place of the catalog there, without the base's cache: opm only
// accepts a cache of exactly these files. `base`: nothing for an image from scratch. `platforms`: of the
// base, none: all. Throws Error.
std::unique_ptr<image::ImageReader> build_catalog_image(const std::filesystem::path& content,
                                                        std::unique_ptr<image::ImageReader> base,
                                                        const Platforms& platforms,
                                                        const std::filesystem::path& temporary);

// Those of an index that are wanted; none of a single image, or if all are. Throws Error if it has none.
std::vector<image::Platform> platforms_in(image::ImageReader& base, const Platforms& wanted);

// The directory of a catalog in an image that does not serve it; empty: it has a command. Throws Error.
std::string directory_to_extract(image::ImageReader& catalog);
inline constexpr const char* usual_directory = "/configs";

} // namespace opcat
