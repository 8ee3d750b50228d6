#include "opcat/image/image_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

namespace opcat::image {
namespace {

constexpr size_t max_manifests = 10'000;

class PartsReader {
public:
    PartsReader(ImageReader& reader, std::span<const Platform> platforms)
        : reader_(reader), platforms_(platforms) {}

    void read(const std::string& bytes, int depth) {
        if (depth > max_nested_indexes) throw Error(nested_too_deep);
        const auto document = parse_manifest(bytes);
        if (const auto* const index = std::get_if<Index>(&document)) {
            for (const IndexEntry& entry : entries_for(*index, platforms_)) {
                if (!seen_.insert(entry.manifest.digest).second) continue;
                if (parts.manifests.size() >= max_manifests)
                    throw Error("the image index has too many images");
                std::string inner = reader_.manifest(entry.manifest);
                read(inner, depth + 1);
                parts.manifests.push_back(std::move(inner));
            }
            return;
        }
        const auto& manifest = std::get<Manifest>(document);
        add(manifest.config);
        for (const Descriptor& layer : manifest.layers) add(layer);
    }

    ImageParts parts;

private:
    void add(const Descriptor& blob) {
        if (seen_.insert(blob.digest).second) parts.blobs.push_back(blob);
    }

    ImageReader& reader_;
    std::span<const Platform> platforms_;
    std::set<std::string> seen_;
};

} // namespace

std::vector<IndexEntry> entries_for(const Index& index, std::span<const Platform> platforms) {
    if (platforms.empty()) return index.entries;
    std::vector<IndexEntry> wanted;
    for (const IndexEntry& entry : index.entries)
        if (std::any_of(platforms.begin(), platforms.end(), [&](const Platform& one) {
                return entry.platform && entry.platform->os == one.os &&
                       entry.platform->architecture == one.architecture;
            }))
            wanted.push_back(entry);
    if (wanted.empty()) throw Error("the index has no image for any of the platforms that are wanted");
    return wanted;
}

ImageParts read_parts(ImageReader& reader, const std::string& top, std::span<const Platform> platforms) {
    PartsReader parts(reader, platforms);
    parts.read(top, 0);
    return std::move(parts.parts);
}

std::vector<ImageBlobs> read_blobs(ImageStores& stores, std::span<const std::string> names,
                                   const PlatformChoice& platform, ThreadPool& pool) {
    std::vector<ImageBlobs> images(names.size());
    pool.for_each(names.size(), [&](size_t i) {
        try {
            const auto reader = stores.reader(required(Name::parse(names[i])));
            std::string top = reader->manifest();
            if (platform.wanted) {
                std::string ignored;
                choose_image(
                    top, platform, [&](const Descriptor& wanted) { return reader->manifest(wanted); },
                    ignored);
            }
            images[i].blobs = read_parts(*reader, top, {}).blobs;
        } catch (const Error& error) {
            images[i].failure = error;
        } catch (const std::system_error& error) {
            images[i].failure = Error(error.what());
        }
    });
    return images;
}

uint64_t bytes_of(std::span<const ImageBlobs* const> images) {
    std::set<std::string_view> seen;
    uint64_t bytes = 0;
    for (const ImageBlobs* const image : images)
        for (const Descriptor& blob : image->blobs)
            if (seen.insert(blob.digest).second) bytes += blob.size;
    return bytes;
}

} // namespace opcat::image
