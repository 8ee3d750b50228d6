// A few files as an image of their own: what opcat itself keeps in registries.
#pragma once

#include "opcat/image/builder.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/puller.hpp"

#include <functional>
#include <optional>

namespace opcat::image {

// Equal files and labels give an image with the same digest. Throws Error.
void push_files(ImageStores& stores, const Name& name, LayerEntries files, Labels labels, ThreadPool& pool);

// The files that `choose` names by the labels (none: only the labels are fetched), or nothing if there is no
// such image. The stores' cache is not used: these images change. Throws Error.
std::optional<UnpackedImage> pull_files(ImageStores& stores, const Name& name, const ChoosePaths& choose,
                                        ThreadPool& pool);

} // namespace opcat::image
