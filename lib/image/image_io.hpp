// Images byte for byte: read where they are, written where they are to be. Both may be used by several
// threads; all that fails throws Error with a reason that does not name the image.
#pragma once

#include "opcat/base/pull_spec.hpp"
#include "opcat/image/blob_sink.hpp"
#include "opcat/image/manifest.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opcat::image {

class ImageReader {
public:
    virtual ~ImageReader() = default;

    // The digest of what `manifest` returns, where the image's name says it.
    virtual std::optional<std::string> digest() const { return std::nullopt; }
    // The manifest or index that the image's name stands for.
    virtual std::string manifest() = 0;
    // One that an index names; its digest is checked.
    virtual std::string manifest(const Descriptor& wanted) = 0;
    // A configuration or layer, all of it, checked.
    virtual void blob(const Descriptor& wanted, BlobSink& to) = 0;
    // Where a blob is, if that is in registries: one that is asked to may take it from there itself.
    virtual std::vector<PullSpec> repositories(const Descriptor& /*blob*/) const { return {}; }
};

// Fills a sink, from the beginning.
using FillBlob = std::function<void(BlobSink&)>;

class ImageWriter {
public:
    virtual ~ImageWriter() = default;

    // Whether an index is taken, or only one of its images.
    virtual bool takes_indexes() const { return true; }
    // The digest of the manifest that the image's name stands for now, if there is one, with all that
    // belongs to it.
    virtual std::optional<std::string> current_digest() = 0;
    // Whether a blob is there, or can be had from another repository of the same registry, `from` among them,
    // without transferring it.
    virtual bool has_blob(const Descriptor& blob, const std::vector<PullSpec>& from) = 0;
    // `on_bytes` is called with how many bytes are there.
    virtual void put_blob(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                          const FillBlob& fill) = 0;
    // One that an index names. All that it names is there.
    virtual void put_manifest(const std::string& bytes) = 0;
    // What the image's name is to stand for: the last step, before which nothing of it is visible.
    virtual void put_image(const std::string& bytes) = 0;
};

} // namespace opcat::image
