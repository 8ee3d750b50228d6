// Bundles that templates name: images, and what else `render` takes.
#pragma once

#include "catalog/load.hpp"
#include "image_options.hpp"

#include <span>
#include <string>
#include <vector>

namespace opcat {

class Session;

// Loads what each reference names: a directory that exists, or else an image, which is pulled; all images at
// the same time. Throws Error for a reference that cannot be reached, UsageError for one that is none.
std::vector<LoadedCatalog> load_bundle_references(std::span<const std::string> references,
                                                  const ImageFlags& flags, Session& session);

} // namespace opcat
