// Where the bytes of a blob go as they arrive, whether that is a file or an upload.
#pragma once

#include "opcat/base/digest.hpp"
#include "opcat/image/manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace opcat::image {

// Counts and hashes the bytes, so that no more arrive than expected, and `check` can say that they are the
// right ones. What they are passed on to is up to the derived class.
class BlobSink {
public:
    // For the content that `expected` describes. `on_bytes`, where given, is called with how many bytes are
    // there whenever that changes.
    BlobSink(const Descriptor& expected, std::function<void(uint64_t)> on_bytes);
    virtual ~BlobSink() = default;
    BlobSink(const BlobSink&) = delete;
    BlobSink& operator=(const BlobSink&) = delete;

    uint64_t size() const { return size_; }
    uint64_t expected_size() const { return expected_.size; }

    // Throws Error when there are more bytes than expected, and as `put` does.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void restart();
    // Checks size and digest; throws Error. Nothing may be written afterwards but after `restart`.
    void check();

protected:
    const Descriptor& expected() const { return expected_; }

private:
    virtual void put(std::string_view bytes) = 0;
    virtual void clear() = 0;

    const Descriptor expected_;
    const std::function<void(uint64_t)> on_bytes_;
    uint64_t size_ = 0;
    Sha256 hash_;
    bool checked_ = false;
};

// Writes all of a file on this machine, and checks it. Throws Error.
void copy_from_file(const std::filesystem::path& file, BlobSink& to);

} // namespace opcat::image
