#include "opcat/mirror/catalog_image.hpp"

#include "opcat/base/error.hpp"
#include "opcat/image/builder.hpp"

namespace opcat {
namespace {

image::Config config_of(image::ImageReader& reader) {
    std::string bytes = reader.manifest();
    std::string warning;
    const image::Manifest manifest = image::choose_image(
        bytes, {}, [&](const image::Descriptor& wanted) { return reader.manifest(wanted); }, warning);
    image::TextSink text(manifest.config);
    reader.blob(manifest.config, text);
    return image::parse_config(text.text);
}

} // namespace

std::vector<image::Platform> platforms_in(image::ImageReader& base, const Platforms& wanted) {
    std::vector<image::Platform> platforms;
    if (wanted.empty()) return platforms;
    const auto document = image::parse_manifest(base.manifest());
    const auto* const index = std::get_if<image::Index>(&document);
    if (!index) return platforms;
    for (const image::IndexEntry& entry : index->entries)
        if (entry.platform && wanted.contains(entry.platform->os + "/" + entry.platform->architecture))
            platforms.push_back(*entry.platform);
    if (platforms.empty()) throw Error("the index has no image for any of the platforms that are wanted");
    return platforms;
}

std::unique_ptr<image::ImageReader> build_catalog_image(const std::filesystem::path& content,
                                                        std::unique_ptr<image::ImageReader> base,
                                                        const Platforms& platforms,
                                                        const std::filesystem::path& temporary) {
    image::ImageRecipe recipe;
    image::add_directory(recipe.entries, "configs", content);
    recipe.labels[image::configs_label] = usual_directory;
    if (base) {
        recipe.entries["configs/.wh..wh..opq"] = {image::LayerEntry::Kind::text, {}, {}};
        recipe.entries["tmp/.wh.cache"] = {image::LayerEntry::Kind::text, {}, {}};
        recipe.no_labels = {image::database_label};
        recipe.platforms = platforms_in(*base, platforms);
        if (config_of(*base).has_command) recipe.command = {"serve", usual_directory};
    } else {
        recipe.platforms = {{"linux", "amd64", ""}};
    }
    return image::build_image(recipe, std::move(base), temporary);
}

std::string directory_to_extract(image::ImageReader& catalog) {
    const image::Config config = config_of(catalog);
    if (config.has_command) return {};
    const auto label = config.labels.find(image::configs_label);
    return label == config.labels.end() ? usual_directory : label->second;
}

} // namespace opcat
