// Content on its way into a file: counted and hashed as it comes, so that it can be resumed and is known to
// be right.
#pragma once

#include "base/digest.hpp"
#include "base/scoped_path.hpp"
#include "image/manifest.hpp"

#include <filesystem>
#include <functional>

namespace opcat::image {

class PartialFile {
public:
    // A new file in `directory` for the content that `expected` describes. `on_bytes`, where given, is told
    // how many bytes are there whenever that changes. Throws Error.
    PartialFile(const std::filesystem::path& directory, const Descriptor& expected,
                std::function<void(uint64_t)> on_bytes);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    uint64_t size() const { return size_; }
    uint64_t expected_size() const { return expected_.size; }

    // Throws Error when there are more bytes than expected, or the file cannot be written.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void restart();
    // Checks size and digest; throws Error. Nothing may be written afterwards but after `restart`.
    void check();
    // Checks, unless that was done, and moves the file to its place.
    void finish(const std::filesystem::path& place);

private:
    const Descriptor expected_;
    const std::function<void(uint64_t)> on_bytes_;
    int descriptor_ = -1;
    ScopedPath scoped_path_;
    uint64_t size_ = 0;
    Sha256 hash_;
    bool checked_ = false;
};

} // namespace opcat::image
