// Tar archives for layers and images: equal content gives equal bytes, on every machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace opcat::image {

using TakeBytes = std::function<void(std::string_view)>;

// POSIX ustar, with a pax header for entries whose path, target or size does not fit. Everything is owned by
// root.
class TarWriter {
public:
    // `out` receives the archive in pieces; its exceptions are passed on. `time` is that of all entries, in
    // seconds since 1970.
    TarWriter(TakeBytes out, uint64_t time) : out_(std::move(out)), time_(time) {}

    // Paths are relative, without a slash at the end.
    void directory(std::string_view path, unsigned mode = 0755);
    void symlink(std::string_view path, std::string_view target);
    void file(std::string_view path, std::string_view bytes);
    // The bytes of a local file. Throws Error if it cannot be read, or changes meanwhile.
    void copy(std::string_view path, const std::filesystem::path& content, unsigned mode = 0644);
    // A part of a local file.
    void copy(std::string_view path, const std::filesystem::path& content, uint64_t offset, uint64_t size);
    // Ends the archive; call it once.
    void finish();

private:
    void header(char type, unsigned mode, std::string_view path, std::string_view target, uint64_t size);
    void pad(uint64_t size);

    const TakeBytes out_;
    const uint64_t time_;
};

enum class Packing { none, gzip, zstd };

// Packs a stream.
class Packer {
public:
    // `level` is gzip's (1 to 9) or zstd's (1 to 19). Throws Error if libarchive does not support it.
    Packer(Packing packing, unsigned level, TakeBytes out);
    ~Packer();
    Packer(const Packer&) = delete;
    Packer& operator=(const Packer&) = delete;

    void write(std::string_view bytes);
    void finish();

private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
};

// The bytes of a file, decompressed if it is gzip or zstd; at most `max_size` of them. Throws Error, and the
// exceptions of `out`.
void unpack_stream(const std::filesystem::path& file, uint64_t max_size, const TakeBytes& out);

} // namespace opcat::image
