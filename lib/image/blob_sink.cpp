#include "opcat/image/blob_sink.hpp"

#include "opcat/base/regular_file.hpp"

#include <fmt/core.h>

namespace opcat::image {

BlobSink::BlobSink(const Descriptor& expected, std::function<void(uint64_t)> on_bytes)
    : expected_(expected), on_bytes_(std::move(on_bytes)) {}

void BlobSink::take_over(std::string_view bytes) {
    if (bytes.size() > expected_.size - size_)
        throw DamagedContent(
            fmt::format("it is larger than the {} bytes that the manifest says", expected_.size));
    hash_.update(bytes);
    size_ += bytes.size();
}

void BlobSink::write(std::string_view bytes) {
    take_over(bytes);
    put(bytes);
    if (on_bytes_) on_bytes_(size_);
}

void BlobSink::restart() {
    clear();
    hash_ = Sha256();
    size_ = 0;
    checked_ = false;
    if (on_bytes_) on_bytes_(0);
}

void BlobSink::check() {
    if (checked_) return;
    if (size_ != expected_.size)
        throw DamagedContent(fmt::format("it has {} bytes, but the manifest says {}", size_, expected_.size));
    const std::string digest = "sha256:" + hash_.finish_hex();
    if (digest != expected_.digest)
        throw DamagedContent(
            fmt::format("its digest is {}, but the manifest says {}", digest, expected_.digest));
    checked_ = true;
}

TextSink::TextSink(const Descriptor& expected) : BlobSink(expected, {}) {
    if (expected.size > max_document_size)
        throw Error(fmt::format("{} has {} bytes, more than the limit of {}", expected.digest, expected.size,
                                max_document_size));
}

void copy_from_file(const std::filesystem::path& file, BlobSink& to) {
    RegularFile reader(file);
    std::string buffer(size_t{256} << 10, '\0');
    for (std::string_view piece; !(piece = reader.next(buffer)).empty();) to.write(piece);
    to.check();
}

} // namespace opcat::image
