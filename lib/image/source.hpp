// What an image lies in.
#pragma once

#include "image/manifest.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace opcat::image {

// An image apart from the bytes of its layers.
struct Contents {
    std::string digest; // of its manifest; empty where it has none
    Config config;
    std::vector<Descriptor> layers;          // the lowest first; without digests where there are none
    std::vector<std::string> documents = {}; // in a registry: digests of what was read besides the layers
    std::string warning;                     // about how it was chosen; mostly empty
};

// A document that an index or a manifest names, whole and checked. Throws Error.
enum class Document { manifest, config };
using GetDocument = std::function<std::string(Document, const Descriptor&)>;

// Follows a manifest or index through the choice of a platform to one image. Throws Error.
Contents read_contents(std::string manifest, const PlatformChoice& platform, const GetDocument& get_document);

// An opened image. `layer` may be called from several threads.
class Source {
public:
    virtual ~Source() = default;

    const Contents& contents() const { return contents_; }

    // A file with the layer as it was packed, its digest and size checked. `on_bytes` is called with how much
    // of it has been fetched; not for a layer from the cache. Throws Error with a reason that does not name
    // image and layer.
    virtual std::filesystem::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) = 0;

protected:
    Contents contents_;
};

} // namespace opcat::image
