#include "bundle_references.hpp"

#include "bundle/bundle_directory.hpp"
#include "image/puller.hpp"
#include "progress.hpp"
#include "references.hpp"
#include "session.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

namespace opcat {
namespace {

constexpr const char* bundle_label = "operators.operatorframework.io.bundle.package.v1";
constexpr const char* catalog_label = "operators.operatorframework.io.index.configs.v1";

std::vector<std::string> choose_paths(const image::Labels& labels) {
    if (const auto catalog = labels.find(catalog_label); catalog != labels.end()) return {catalog->second};
    if (labels.contains(bundle_label)) return {"manifests", "metadata"};
    return {};
}

LoadedCatalog load_image(const image::UnpackedImage& image, Session& session) {
    if (const auto catalog = image.labels.find(catalog_label); catalog != image.labels.end())
        return load_catalog(image.path(catalog->second), session.pool());
    if (image.labels.contains(bundle_label))
        return load_bundle_directory(image.path(""), {.image = image.name.text, .image_template = {}});
    throw Error(fmt::format("the image {} is neither a bundle nor a file-based catalog: it has no label {}",
                            image.name.text, bundle_label));
}

} // namespace

std::vector<LoadedCatalog> load_bundle_references(std::span<const std::string> references,
                                                  const ImageFlags& flags, Session& session) {
    std::vector<LoadedCatalog> loaded(references.size());
    std::vector<image::PullRequest> requests;
    std::vector<std::string> names;
    std::vector<size_t> places;
    std::error_code absent;
    for (size_t i = 0; i < references.size(); ++i) {
        if (std::filesystem::exists(references[i], absent)) {
            loaded[i] = load_references({references[i]}, session);
            continue;
        }
        requests.push_back({image::Name::parse(references[i]), choose_paths});
        names.push_back(references[i]);
        places.push_back(i);
    }
    if (requests.empty()) return loaded;
    image::Puller puller(image_options(flags, session));
    PullDisplay display(session, names);
    const auto images =
        puller.pull(requests, session.pool(), session.as_opm() ? image::OnProgress() : display.callback());
    for (const image::UnpackedImage& image : images)
        for (const std::string& warning : image.warnings) session.print_warning(warning);
    session.pool().for_each(images.size(),
                            [&](size_t i) { loaded[places[i]] = load_image(images[i], session); });
    return loaded;
}

} // namespace opcat
