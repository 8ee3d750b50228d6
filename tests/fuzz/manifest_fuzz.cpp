// Documents of registries about images: manifests, indexes, configurations.
#include "fuzzing.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/manifest.hpp"

using namespace opcat;

FUZZ_TARGET(manifest) {
    try {
        const auto document = image::parse_manifest(input);
        if (const auto* const manifest = std::get_if<image::Manifest>(&document)) {
            fuzz::require(image::is_sha256(manifest->config.digest), "a configuration can be checked");
            for (const image::Descriptor& layer : manifest->layers)
                fuzz::require(image::is_sha256(layer.digest), "a layer can be checked");
        } else {
            std::string warning;
            const image::IndexEntry& chosen = choose(std::get<image::Index>(document), {}, warning);
            fuzz::require(image::is_sha256(chosen.manifest.digest), "an image of an index can be checked");
        }
    } catch (const Error& error) {
        fuzz::require(*error.what() != '\0', "there is a reason");
    }
    try {
        image::parse_config(input);
    } catch (const Error& error) {
        fuzz::require(*error.what() != '\0', "there is a reason");
    }
}
