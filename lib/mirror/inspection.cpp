#include "opcat/mirror/inspection.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/image/blob_sink.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/referrers.hpp"

#include <fmt/core.h>

#include <exception>
#include <system_error>
#include <utility>
#include <variant>

namespace opcat {
namespace {

constexpr size_t most_manifests = 10'000; // of one image

PartFault fault_of(std::string part, std::string digest, const std::exception& error) {
    PartFault fault{PartState::unknown, std::move(part), std::move(digest), error.what()};
    if (dynamic_cast<const image::DamagedContent*>(&error))
        fault.state = PartState::damaged;
    else if (const auto* const known = dynamic_cast<const Error*>(&error); known && known->absent())
        fault.state = PartState::missing;
    return fault;
}

// What `look` throws, as a fault.
template <class Look>
std::optional<PartFault> fault_in(const std::string& part, const std::string& digest, const Look& look) {
    try {
        look();
        return std::nullopt;
    } catch (const Error& error) {
        return fault_of(part, digest, error);
    } catch (const std::system_error& error) { // of the file system
        return fault_of(part, digest, error);
    }
}

bool is_left_out(const image::IndexEntry& entry, const Platforms& platforms) {
    return !platforms.empty() &&
           (!entry.platform || !platforms.contains(entry.platform->os + "/" + entry.platform->architecture));
}

} // namespace

ImageInspection::ImageInspection(const Open& open, const std::string& wanted, const Platforms& platforms) {
    if (auto fault = fault_in("manifest", wanted, [&] {
            reader_ = open();
            const std::string top = reader_->manifest();
            manifests = 1;
            digest = "sha256:" + sha256_hex(top);
            if (!wanted.empty() && digest != wanted)
                throw image::DamagedContent(fmt::format("there is another image, {}", digest));
            subject = image::subject_of(top);
            look_at(top, platforms, 0);
        }))
        faults.push_back(*std::move(fault));
}

void ImageInspection::look_at(const std::string& bytes, const Platforms& platforms, int depth) {
    if (depth > image::max_nested_indexes) throw Error(image::nested_too_deep);
    const auto document = image::parse_manifest(bytes);
    if (const auto* const index = std::get_if<image::Index>(&document)) {
        for (const image::IndexEntry& entry : index->entries) {
            if (is_left_out(entry, platforms) || !seen_.insert(entry.manifest.digest).second) continue;
            if (++manifests > most_manifests) throw Error("the image index has too many images");
            if (auto fault = fault_in("manifest", entry.manifest.digest, [&] {
                    look_at(reader_->manifest(entry.manifest), platforms, depth + 1);
                }))
                faults.push_back(*std::move(fault));
        }
        return;
    }
    const auto& manifest = std::get<image::Manifest>(document);
    for (const image::Descriptor& layer : manifest.layers)
        if (seen_.insert(layer.digest).second) blobs.push_back(layer);
    if (seen_.insert(manifest.config.digest).second) blobs.push_back(manifest.config);
}

std::optional<PartFault> ImageInspection::look_for(const image::Descriptor& blob, bool verify) const {
    return fault_in("blob", blob.digest, [&] {
        if (verify) {
            image::CheckingSink sink(blob);
            reader_->blob(blob, sink);
        } else if (!reader_->has_blob(blob)) {
            throw Error("it is not there, or has another size").as_absent();
        }
    });
}

} // namespace opcat
