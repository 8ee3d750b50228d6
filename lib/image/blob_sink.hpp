// The destination of a blob's bytes as they arrive: a file or an upload.
#pragma once

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace opcat::image {

// Thrown if content is not what its name or its manifest says.
class DamagedContent : public Error {
public:
    using Error::Error;
};

// Counts and hashes the bytes, so that it can refuse more than expected, and `check` can verify them. The
// derived class passes them on.
class BlobSink {
public:
    // For the content that `expected` describes. `on_bytes`, if given, is called with the number of bytes so
    // far whenever it changes.
    BlobSink(const Descriptor& expected, std::function<void(uint64_t)> on_bytes);
    virtual ~BlobSink() = default;
    BlobSink(const BlobSink&) = delete;
    BlobSink& operator=(const BlobSink&) = delete;

    uint64_t size() const { return size_; }
    uint64_t expected_size() const { return expected_.size; }

    // Throws Error if there are more bytes than expected, and as `put` does.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void restart();
    // Checks size and digest; throws Error. Afterwards only `restart` allows to write again.
    void check();

protected:
    const Descriptor& expected() const { return expected_; }
    // Counts and hashes bytes that are at the destination already. Throws Error if there are more than
    // expected.
    void take_over(std::string_view bytes);

private:
    virtual void put(std::string_view bytes) = 0;
    virtual void clear() = 0;

    const Descriptor expected_;
    const std::function<void(uint64_t)> on_bytes_;
    uint64_t size_ = 0;
    Sha256 hash_;
    bool checked_ = false;
};

// What is read only to check it.
class CheckingSink : public BlobSink {
public:
    explicit CheckingSink(const Descriptor& expected) : BlobSink(expected, {}) {}

private:
    void put(std::string_view /*bytes*/) override {}
    void clear() override {}
};

// A manifest or a configuration as it arrives. Throws Error for one that is larger than max_document_size.
class TextSink : public BlobSink {
public:
    explicit TextSink(const Descriptor& expected);
    std::string text;

private:
    void put(std::string_view bytes) override { text += bytes; }
    void clear() override { text.clear(); }
};

// Writes all of a local file, and checks it. Throws Error.
void copy_from_file(const std::filesystem::path& file, BlobSink& to);

} // namespace opcat::image
