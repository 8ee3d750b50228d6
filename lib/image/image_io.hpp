// Reading and writing images byte for byte. Thread-safe; everything that fails throws Error with a reason
// that does not name the image.
#pragma once

#include "opcat/base/error.hpp"
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

    // The digest of what `manifest` returns, if the image's name contains it.
    virtual std::optional<std::string> digest() const { return std::nullopt; }
    // Returns true if reading a manifest verifies its signatures: then also those are to be read that the
    // target has.
    virtual bool verifies() const { return false; }
    // The manifest or index of the image's name.
    virtual std::string manifest() = 0;
    // One that an index refers to; its digest is checked.
    virtual std::string manifest(const Descriptor& wanted) = 0;
    // A complete configuration or layer, checked.
    virtual void blob(const Descriptor& wanted, BlobSink& to) = 0;
    // Returns true if a configuration or layer is there with its size, as far as that is known without
    // reading it. Throws Error if the place does not say.
    virtual bool has_blob(const Descriptor& wanted) = 0;
    // Throws Error if it is not there: for a run that only looks.
    virtual void require_blob(const Descriptor& wanted) {
        if (!has_blob(wanted)) throw Error("the source does not have it").as_absent();
    }
    // The location of a blob if it is in a registry, so that the target registry may copy it from there.
    virtual std::vector<PullSpec> repositories(const Descriptor& /*blob*/) const { return {}; }
};

// Fills a sink, from the beginning.
using FillBlob = std::function<void(BlobSink&)>;

class ImageWriter {
public:
    virtual ~ImageWriter() = default;

    // Returns true if it accepts an index, or only a single image.
    virtual bool takes_indexes() const { return true; }
    // The digest of the manifest that the image's name has now, if that exists with all its parts.
    virtual std::optional<std::string> current_digest() = 0;
    // Returns true if the last answer to that is certain: a registry may not let an account look that may
    // push.
    virtual bool may_look() const { return true; }
    // Returns true if it is certain that the target has a manifest under no name.
    virtual bool lacks_manifest(const std::string& /*digest*/) { return false; }
    // Returns true if the target has a manifest that an index refers to.
    virtual bool has_manifest(const Descriptor& wanted) = 0;
    // Returns true if the target has a blob, or may copy it from another repository of the same registry,
    // such as `from`. Changes nothing.
    virtual bool has_blob(const Descriptor& blob, const std::vector<PullSpec>& from) = 0;
    // Returns true if the target has a blob now, which it may have copied so; else it must be sent.
    virtual bool obtain_blob(const Descriptor& blob, const std::vector<PullSpec>& from) {
        return has_blob(blob, from);
    }
    // `on_bytes` is called with the number of bytes so far.
    virtual void put_blob(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                          const FillBlob& fill) = 0;
    // One that an index refers to. Its parts must have been written.
    virtual void put_manifest(const std::string& bytes) = 0;
    // Gives the manifest the image's name: the last step, before which nothing of it is visible.
    virtual void put_image(const std::string& bytes) = 0;
};

} // namespace opcat::image
