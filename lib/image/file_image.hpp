// Images that consist of a few files: opcat's own data in registries.
#pragma once

#include "opcat/image/builder.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/image/puller.hpp"

#include <functional>
#include <optional>

namespace opcat::image {

// Equal files and labels give an image with the same digest. Throws Error.
void push_files(ImageStores& stores, const Name& name, LayerEntries files, Labels labels, ThreadPool& pool);

// The files that `choose` returns for the labels (if none, only the labels are fetched), or nothing if the
// image does not exist. Does not use the stores' cache, because these images change. Throws Error.
std::optional<UnpackedImage> pull_files(ImageStores& stores, const Name& name, const ChoosePaths& choose,
                                        ThreadPool& pool);

} // namespace opcat::image
