#include "opcat/image/file_image.hpp"

#include "opcat/base/error.hpp"
#include "opcat/image/copier.hpp"

#include <fmt/core.h>

namespace opcat::image {

void push_files(ImageStores& stores, const Name& name, LayerEntries files, Labels labels, ThreadPool& pool) {
    ImageRecipe recipe;
    recipe.entries = std::move(files);
    recipe.labels = std::move(labels);
    recipe.platforms = {{"linux", "amd64", ""}}; // an image must have one
    const CopyJob job{"files", name.text,
                      [&] { return build_image(recipe, nullptr, stores.options().temporary); },
                      [&] { return stores.writer(name); }};
    const auto results = copy_images({&job, 1}, {}, pool);
    if (results.front().failure) throw Error(*results.front().failure);
}

std::optional<UnpackedImage> pull_files(ImageStores& stores, const Name& name, const ChoosePaths& choose,
                                        ThreadPool& pool) {
    const auto place = stores.writer(name);
    if (!place->current_digest()) {
        if (place->may_look()) return std::nullopt;
        throw Error(fmt::format("the registry does not let this account look at {}", name.text),
                    "let it pull from there, too; where a registry answers so for a repository that does not "
                    "exist, create it first");
    }
    Options options = stores.options();
    options.cache.reset();
    options.platform = {};
    options.signature_policy.reset(); // it is our own
    Puller puller(std::move(options));
    const PullRequest request{name, choose};
    return std::move(puller.pull({&request, 1}, pool).front());
}

} // namespace opcat::image
