#include "image/source.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"

#include <fmt/core.h>

namespace opcat::image {
namespace {

// An index may name an index; nobody nests them deeper.
constexpr int max_nested_indexes = 4;

void check_platform(const Config& config, const Platform& wanted) {
    if (!config.platform) return;
    const Platform& is = *config.platform;
    if (is.os != wanted.os || is.architecture != wanted.architecture)
        throw Error(
            fmt::format("the image is for {}/{}, not for {}", is.os, is.architecture, wanted.to_string()));
}

} // namespace

Contents read_contents(std::string manifest, const PlatformChoice& platform,
                       const GetDocument& get_document) {
    Contents contents;
    for (int depth = 0; depth <= max_nested_indexes; ++depth) {
        const auto parsed = parse_manifest(manifest);
        if (const auto* index = std::get_if<Index>(&parsed)) {
            manifest = get_document(Document::manifest, choose(*index, platform, contents.warning).manifest);
            continue;
        }
        const auto& single = std::get<Manifest>(parsed);
        contents.digest = "sha256:" + sha256_hex(manifest);
        contents.layers = single.layers;
        contents.config = parse_config(get_document(Document::config, single.config));
        if (platform.wanted) check_platform(contents.config, *platform.wanted);
        return contents;
    }
    throw Error("the image index is nested too deep");
}

} // namespace opcat::image
