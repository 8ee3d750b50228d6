#include "opcat/legacy_index/legacy_index.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

const std::string* find_label(const image::Labels& labels, std::string_view name) {
    const auto found = labels.find(std::string(name));
    return found == labels.end() ? nullptr : &found->second;
}

// As in opm, the first label that is there decides.
std::vector<std::string> paths_to_keep(const image::Labels& labels) {
    for (const std::string_view label : {image::database_label, image::configs_label})
        if (const std::string* const path = find_label(labels, label)) return {*path};
    if (find_label(labels, image::bundle_label)) return {"manifests", "metadata"};
    return {};
}

// Returns the name of a path in an image for messages: "quay.io/org/repo:tag:/configs".
std::string place_in(const image::UnpackedImage& image, std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    while (path.starts_with('/')) path.remove_prefix(1);
    return path.empty() ? image.name.text + ":" : fmt::format("{}:/{}", image.name.text, path);
}

// Returns the place of the catalog that the image's label names. Throws Error if there is nothing.
fs::path path_by_label(const image::UnpackedImage& image, std::string_view label, const std::string& path) {
    const fs::path found = image.path(path);
    std::error_code ignored;
    if (fs::exists(found, ignored)) return found;
    throw Error(fmt::format("image {} has no {}, where its label {} says that the catalog is",
                            image.name.text, path, label));
}

// Returns the pull spec of a bundle's image for catalogs, as it was given. A layout or an archive has no name
// that a cluster could pull.
std::string pull_spec_of(const image::Name& name) {
    if (!name.spec) return {};
    constexpr std::string_view transport = "docker://";
    return name.text.starts_with(transport) ? name.text.substr(transport.size()) : name.text;
}

// opm takes no reference without a tag, or with tag and digest.
void require_tag_or_digest(const image::Name& name) {
    if (!name.spec || name.spec->tag().empty() != name.spec->digest().empty()) return;
    throw Error(
        fmt::format("cannot pull {}: opm requires either a tag or a digest in a reference", name.text),
        name.spec->tag().empty() ? "add a tag or a digest" : "leave out the tag");
}

} // namespace

std::vector<image::UnpackedImage> pull_images(const std::vector<std::string>& references,
                                              const OpenOptions& options, ThreadPool& pool) {
    std::vector<image::PullRequest> requests;
    std::vector<std::string> names;
    for (const std::string& reference : references) {
        if (!names_image(reference, options.manner)) continue;
        requests.push_back({required(image::Name::parse(reference)), paths_to_keep});
        names.push_back(requests.back().name.text);
        if (options.manner == Manner::opm) require_tag_or_digest(requests.back().name);
    }
    if (requests.empty()) return {};
    image::Puller puller(options.images());
    return puller.pull(requests, pool,
                       options.progress ? options.progress(std::move(names)) : image::OnProgress());
}

LoadedCatalog load_image(const image::UnpackedImage& image, const OpenOptions& options, ThreadPool& pool) {
    for (const std::string& text : image.warnings) warn(options, text);
    const std::string* const database = find_label(image.labels, image::database_label);
    const std::string* const configs = find_label(image.labels, image::configs_label);
    const bool is_catalog = database || configs;
    require_taken(options.taken == Taken::all || is_catalog == (options.taken == Taken::catalogs),
                  is_catalog ? "the catalog image" : "the bundle image", image.name.text);
    if (database)
        return load_legacy_index(path_by_label(image, image::database_label, *database), pool,
                                 place_in(image, *database));
    if (configs) {
        const fs::path root = path_by_label(image, image::configs_label, *configs);
        std::error_code ignored;
        if (!fs::is_directory(root, ignored))
            throw Error(fmt::format("{} is not a directory, although its label {} says so",
                                    place_in(image, *configs), image::configs_label));
        return load_catalog(
            root, pool, {.max_file_size = options.max_file_size, .shown_root = place_in(image, *configs)});
    }
    if (find_label(image.labels, image::bundle_label))
        return load_bundle_directory(image.path("/"), {.image = pull_spec_of(image.name),
                                                       .image_template = options.image_template,
                                                       .shown_root = place_in(image, "/")});
    throw Error(
        fmt::format("image {} is neither a catalog nor a bundle: it has none of their labels",
                    image.name.text),
        fmt::format("a catalog has the label {}, a bundle {}", image::configs_label, image::bundle_label));
}

CatalogImage open_catalog_image(const std::string& reference, std::vector<std::string> look_for,
                                const OpenOptions& options, ThreadPool& pool) {
    const auto configs_path = [](const image::Labels& labels) -> std::vector<std::string> {
        const std::string* const path = find_label(labels, image::configs_label);
        return {path ? *path : "manifests"};
    };
    const std::vector<image::PullRequest> requests{
        {required(image::Name::parse(reference)), configs_path, std::move(look_for)}};
    image::Puller puller(options.images());
    CatalogImage opened{std::move(
        puller
            .pull(requests, pool,
                  options.progress ? options.progress({requests[0].name.text}) : image::OnProgress())
            .front())};
    for (const std::string& text : opened.image.warnings) warn(options, text);
    const std::string* const configs = find_label(opened.image.labels, image::configs_label);
    if (!configs) return opened;
    opened.directory = opened.image.path(*configs);
    std::error_code failed;
    if (!fs::is_directory(opened.directory, failed) || fs::is_empty(opened.directory, failed)) return opened;
    opened.catalog = Source(reference, load_catalog(opened.directory, pool,
                                                    {.max_file_size = options.max_file_size,
                                                     .shown_root = place_in(opened.image, *configs)}));
    return opened;
}

BundleFiles bundle_files_of(image::UnpackedImage image, const OpenOptions& options) {
    for (const std::string& text : image.warnings) warn(options, text);
    if (!find_label(image.labels, image::bundle_label))
        throw Error(fmt::format("image {} is not a bundle: it has no label {}", image.name.text,
                                image::bundle_label));
    BundleFiles files{.directory = image.path("/"), .shown = place_in(image, "/")};
    files.image = std::move(image);
    return files;
}

} // namespace opcat
