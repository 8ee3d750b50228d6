#include "opcat/mirror/content.hpp"

#include "opcat/base/error.hpp"
#include "opcat/image/name.hpp"
#include "opcat/lint/lint.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <unordered_set>
#include <utility>

namespace opcat {

FilteredCatalog select_part(const MirrorPart& part, Catalog catalog, const Selection& selection,
                            bool with_dependencies, ThreadPool& pool) {
    try {
        if (part.item) return filter_catalog(catalog, part.item->request, with_dependencies, pool);
        if (!selection.packages.empty()) return filter_catalog(catalog, selection, with_dependencies, pool);
        FilteredCatalog whole;
        whole.diagnostics = find_errors(catalog, pool);
        whole.catalog = std::move(catalog);
        whole.is_whole = true;
        return whole;
    } catch (const RequestError& error) { // there may be several catalogs
        throw RequestError(fmt::format("cannot select from {}: {}", part.reference, error.what()),
                           error.hint());
    }
}

FilteredCatalog without_blocked(const MirrorPart& part, ThreadPool& pool) {
    std::unordered_set<const Bundle*> gone;
    for (const BlockedBundle& one : part.blocked) gone.insert(one.bundle);
    return without_bundles(part.catalog, gone, pool);
}

MirrorName target_of(const MirrorPart& part) {
    namespace fs = std::filesystem;
    MirrorName name;
    if (part.image.empty()) {
        const fs::path path = fs::absolute(part.reference).lexically_normal();
        name = {(path.has_filename() ? path : path.parent_path()).filename().string(), "latest"};
    } else {
        const image::Name image = required(image::Name::parse(part.reference));
        name = image.spec ? mirror_name(*image.spec)
                          : MirrorName{fs::path(image.path).stem().string(),
                                       image.tag.empty() ? "latest" : image.tag};
    }
    if (part.item && !part.item->target_repository.empty()) name.repository = part.item->target_repository;
    if (part.item && !part.item->target_tag.empty()) name.tag = part.item->target_tag;
    const auto spec = PullSpec::parse("localhost/" + name.to_string());
    if (!spec)
        throw RequestError(
            fmt::format("the catalog {} cannot be called {} in the mirror: {}", part.reference,
                        name.to_string(), spec.error().message),
            "name it with targetCatalog and targetTag in an ImageSetConfiguration, or rename the "
            "directory");
    return name;
}

AllowedImages allowed_images(const ImageSet& set, const BlockedImages& blocked, const std::string& prefix) {
    AllowedImages allowed;
    for (const ImageSetImage& image : set.images) {
        if (blocked.has(image.spec, image.target(), prefix))
            allowed.left_out.push_back(image.spec.to_string());
        else
            allowed.images.push_back(image);
    }
    return allowed;
}

} // namespace opcat
