// Whether an image that a mirror has is whole: its manifests and blobs.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/mirror/plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat {

enum class PartState : uint8_t { missing, damaged, unknown };

// A manifest or a blob that is not there, or not what its digest says, or of which neither is known.
struct PartFault {
    PartState state = PartState::unknown;
    std::string part;   // "manifest", "blob", "content" of a catalog, "list entry" of a referrer
    std::string digest; // empty: that of a tag
    std::string why;
};

class ImageInspection {
public:
    using Open = std::function<std::unique_ptr<image::ImageReader>()>;

    // Reads the manifests. `wanted`: the digest that the image must have; empty: any. `platforms`: of an
    // index, the images that must be there; none: all.
    ImageInspection(const Open& open, const std::string& wanted, const Platforms& platforms);

    std::vector<PartFault> faults;
    std::vector<image::Descriptor> blobs; // of these manifests, each once
    size_t manifests = 0;                 // 0: the image could not be read
    std::string digest;                   // that it has
    std::optional<std::string> subject;   // the digest of what it refers to

    // Nothing if the blob is there; with `verify` it is read, too.
    std::optional<PartFault> look_for(const image::Descriptor& blob, bool verify) const;

private:
    void look_at(const std::string& bytes, const Platforms& platforms, int depth);

    std::unique_ptr<image::ImageReader> reader_;
    std::set<std::string> seen_;
};

} // namespace opcat
