#include "opcat/image/tar_writer.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/libarchive.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <utility>

namespace opcat::image {
namespace {

constexpr uint64_t block = 512;
constexpr size_t piece_size = size_t{256} << 10;
constexpr uint64_t most_in_ustar = uint64_t{1} << 33; // eleven octal digits

struct Header {
    std::array<char, block> bytes{};

    void text(size_t at, size_t size, std::string_view value) {
        value.substr(0, size).copy(&bytes[at], size);
    }
    // Octal digits, and a zero byte at the end.
    void number(size_t at, size_t size, uint64_t value) {
        const std::string digits = fmt::format("{:0{}o}", value, size - 1);
        text(at, size - 1, std::string_view(digits).substr(digits.size() - (size - 1)));
    }
    void checksum() {
        std::memset(&bytes[148], ' ', 8);
        unsigned sum = 0;
        for (const char c : bytes) sum += static_cast<unsigned char>(c);
        text(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    }
};

// "19 path=long/name\n": the number is the length of the line, its own digits included.
std::string pax_line(std::string_view name, std::string_view value) {
    const size_t rest = name.size() + value.size() + 3;
    size_t length = rest + 1;
    while (std::to_string(length).size() + rest != length) ++length;
    return fmt::format("{} {}={}\n", length, name, value);
}

} // namespace

void TarWriter::pad(uint64_t size) {
    const std::array<char, block> zeros{};
    if (size % block != 0) out_({zeros.data(), block - size % block});
}

void TarWriter::header(char type, unsigned mode, std::string_view path, std::string_view target,
                       uint64_t size) {
    constexpr size_t longest = 100;
    std::string pax;
    if (path.size() > longest) pax += pax_line("path", path);
    if (target.size() > longest) pax += pax_line("linkpath", target);
    if (size >= most_in_ustar) pax += pax_line("size", std::to_string(size));
    if (!pax.empty()) {
        header('x', 0644, "pax", {}, pax.size());
        out_(pax);
        pad(pax.size());
    }
    Header h;
    h.text(0, longest, path);
    h.number(100, 8, mode);
    h.number(108, 8, 0);
    h.number(116, 8, 0);
    h.number(124, 12, size < most_in_ustar ? size : 0);
    h.number(136, 12, time_);
    h.text(156, 1, {&type, 1});
    h.text(157, longest, target);
    h.text(257, 8, std::string_view("ustar\00000", 8));
    h.checksum();
    out_({h.bytes.data(), block});
}

void TarWriter::directory(std::string_view path, unsigned mode) {
    header('5', mode, std::string(path) + '/', {}, 0);
}

void TarWriter::symlink(std::string_view path, std::string_view target) {
    header('2', 0777, path, target, 0);
}

void TarWriter::file(std::string_view path, std::string_view bytes) {
    header('0', 0644, path, {}, bytes.size());
    out_(bytes);
    pad(bytes.size());
}

void TarWriter::copy(std::string_view path, const std::filesystem::path& content, unsigned mode) {
    RegularFile reader(content);
    const uint64_t size = reader.size();
    header('0', mode, path, {}, size);
    std::string buffer(piece_size, '\0');
    uint64_t done = 0;
    for (std::string_view piece; !(piece = reader.next(buffer)).empty() && done <= size;) {
        done += piece.size();
        if (done <= size) out_(piece);
    }
    if (done != size)
        throw Error(fmt::format("cannot read {}: it changes while it is read", content.string()));
    pad(size);
}

void TarWriter::copy(std::string_view path, const std::filesystem::path& content, uint64_t offset,
                     uint64_t size) {
    const RegularFile reader(content);
    header('0', 0644, path, {}, size);
    std::string buffer(piece_size, '\0');
    for (uint64_t done = 0; done < size;) {
        const auto wanted = static_cast<size_t>(std::min<uint64_t>(buffer.size(), size - done));
        const size_t got = reader.read_at(offset + done, std::span(buffer.data(), wanted));
        if (got == 0)
            throw Error(fmt::format("cannot read {}: it changes while it is read", content.string()));
        out_({buffer.data(), got});
        done += got;
    }
    pad(size);
}

void TarWriter::finish() {
    const std::array<char, 2 * block> zeros{};
    out_({zeros.data(), zeros.size()});
}

namespace {

[[noreturn]] void fail_stream(archive* handle, std::string_view doing) {
    const char* const reason = libarchive().error_string(handle);
    throw Error(fmt::format("{}: {}", doing, reason ? printable(reason) : "libarchive does not say why"));
}

} // namespace

struct Packer::Stream {
    TakeBytes out;
    archive* handle = nullptr; // nothing: bytes are passed on as they are
    std::exception_ptr thrown{};

    explicit Stream(TakeBytes to) : out(std::move(to)) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() {
        if (handle) libarchive().write_free(handle);
    }

    // Nothing may be thrown through C code: it is kept.
    static la_ssize_t on_bytes(archive*, void* self, const void* bytes, size_t size) {
        auto& stream = *static_cast<Stream*>(self);
        try {
            if (!stream.thrown) stream.out({static_cast<const char*>(bytes), size});
            return static_cast<la_ssize_t>(size);
        } catch (...) {
            stream.thrown = std::current_exception();
            return -1;
        }
    }

    void check(bool good) {
        if (thrown) std::rethrow_exception(std::exchange(thrown, {}));
        if (!good) fail_stream(handle, "cannot pack a layer");
    }
};

Packer::Packer(Packing packing, unsigned level, TakeBytes out)
    : stream_(std::make_unique<Stream>(std::move(out))) {
    if (packing == Packing::none) return;
    const Libarchive& library = libarchive();
    Stream& s = *stream_;
    s.handle = library.write_new();
    if (!s.handle) throw std::bad_alloc();
    const bool gzip = packing == Packing::gzip;
    const char* const filter = gzip ? "gzip" : "zstd";
    const auto option = [&](const char* name, const char* value) {
        return library.write_set_filter_option(s.handle, filter, name, value) == ARCHIVE_OK;
    };
    const int added =
        gzip ? library.write_add_filter_gzip(s.handle) : library.write_add_filter_zstd(s.handle);
    s.check(added == ARCHIVE_OK && option("compression-level", std::to_string(level).c_str()) &&
            (!gzip || option("timestamp", nullptr)) && library.write_set_format_raw(s.handle) == ARCHIVE_OK &&
            library.write_set_bytes_in_last_block(s.handle, 1) == ARCHIVE_OK &&
            library.write_open(s.handle, &s, nullptr, Stream::on_bytes, nullptr) == ARCHIVE_OK);
    archive_entry* const entry = library.entry_new();
    if (!entry) throw std::bad_alloc();
    library.entry_set_filetype(entry, AE_IFREG);
    const int begun = library.write_header(s.handle, entry);
    library.entry_free(entry);
    s.check(begun == ARCHIVE_OK);
}

Packer::~Packer() = default;

void Packer::write(std::string_view bytes) {
    if (!stream_->handle) return stream_->out(bytes);
    while (!bytes.empty()) {
        const la_ssize_t n = libarchive().write_data(stream_->handle, bytes.data(), bytes.size());
        stream_->check(n > 0);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
}

void Packer::finish() {
    if (stream_->handle) stream_->check(libarchive().write_close(stream_->handle) == ARCHIVE_OK);
}

void unpack_stream(const std::filesystem::path& file, uint64_t max_size, const TakeBytes& out) {
    const Libarchive& library = libarchive();
    const std::unique_ptr<archive, int (*)(archive*)> handle(library.read_new(), library.read_free);
    if (!handle) throw std::bad_alloc();
    library.read_support_filter_gzip(handle.get());
    library.read_support_filter_zstd(handle.get());
    library.read_support_format_raw(handle.get());
    library.read_support_format_empty(handle.get());
    if (library.read_open_filename(handle.get(), file.c_str(), piece_size) != ARCHIVE_OK)
        fail_stream(handle.get(), "cannot unpack " + file.string());
    archive_entry* entry = nullptr;
    const int status = library.read_next_header(handle.get(), &entry);
    if (status == ARCHIVE_EOF) return;
    if (status != ARCHIVE_OK) fail_stream(handle.get(), "cannot unpack " + file.string());
    std::string piece(piece_size, '\0');
    for (uint64_t done = 0;;) {
        const la_ssize_t n = library.read_data(handle.get(), piece.data(), piece.size());
        if (n < 0) fail_stream(handle.get(), "cannot unpack " + file.string());
        if (n == 0) return;
        done += static_cast<uint64_t>(n);
        if (done > max_size)
            throw Error(
                fmt::format("{} unpacks to more than the limit of {} bytes", file.string(), max_size));
        out({piece.data(), static_cast<size_t>(n)});
    }
}

} // namespace opcat::image
