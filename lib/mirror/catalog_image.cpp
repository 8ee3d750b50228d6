#include "opcat/mirror/catalog_image.hpp"

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

std::unique_ptr<image::ImageReader> build_catalog_image(const std::filesystem::path& content,
                                                        std::unique_ptr<image::ImageReader> base,
                                                        const std::filesystem::path& temporary) {
    image::ImageRecipe recipe;
    image::add_directory(recipe.entries, "configs", content);
    recipe.labels[image::configs_label] = usual_directory;
    if (base) {
        recipe.entries["configs/.wh..wh..opq"] = {image::LayerEntry::Kind::text, {}, {}};
        recipe.entries["tmp/.wh.cache"] = {image::LayerEntry::Kind::text, {}, {}};
        recipe.no_labels = {image::database_label};
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
