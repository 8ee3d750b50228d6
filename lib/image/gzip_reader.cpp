#include "opcat/image/gzip_reader.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <new>

namespace opcat::image {
namespace {

constexpr size_t buffer_size = size_t{256} << 10;
constexpr std::string_view magic("\x1f\x8b", 2);

// The functions of zlib that we use, by their names.
struct Zlib {
    SharedLibrary library{library::zlib};
    decltype(&::inflate) inflate = OPCAT_FUNCTION(library, inflate);
    decltype(&::inflateEnd) inflateEnd = OPCAT_FUNCTION(library, inflateEnd);
    decltype(&::inflateInit2_) inflateInit2_ = OPCAT_FUNCTION(library, inflateInit2_);
    decltype(&::inflateReset) inflateReset = OPCAT_FUNCTION(library, inflateReset);
};

const Zlib& zlib() {
    static const Zlib functions;
    return functions;
}

} // namespace

struct GzipReader::Inflater {
    z_stream stream{};

    Inflater() {
        constexpr int only_gzip = 16 + MAX_WBITS;
        if (zlib().inflateInit2_(&stream, only_gzip, ZLIB_VERSION, static_cast<int>(sizeof stream)) != Z_OK)
            throw std::bad_alloc();
    }
    ~Inflater() { zlib().inflateEnd(&stream); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
};

bool GzipReader::is_gzip(const std::filesystem::path& file) {
    char begin[magic.size()];
    const RegularFile reader(file);
    return std::string_view(begin, reader.read_at(0, begin)) == magic;
}

GzipReader::GzipReader(const std::filesystem::path& file)
    : file_(file), packed_(buffer_size, '\0'), unpacked_(buffer_size, '\0'),
      inflater_(std::make_unique<Inflater>()) {}

GzipReader::~GzipReader() = default;

// Returns true if there are bytes to decompress.
bool GzipReader::read_more() {
    z_stream& stream = inflater_->stream;
    if (stream.avail_in > 0) return true;
    const std::string_view bytes = file_.next(packed_);
    stream.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    return !bytes.empty();
}

void GzipReader::refuse(const char* why) const {
    if (is_after_first_ && inflater_->stream.total_out == 0)
        throw Error("something else follows its compressed data");
    throw Error(fmt::format("its compressed data are damaged: {}", why));
}

std::string_view GzipReader::next() {
    z_stream& stream = inflater_->stream;
    stream.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    stream.avail_out = static_cast<uInt>(unpacked_.size());
    while (stream.avail_out > 0) {
        if (!read_more()) {
            if (!between_members_) refuse("they are cut");
            break;
        }
        between_members_ = false;
        const uInt before = stream.avail_in;
        const int result = zlib().inflate(&stream, Z_NO_FLUSH);
        if (result == Z_STREAM_END) {
            zlib().inflateReset(&stream);
            between_members_ = is_after_first_ = true;
        } else if (result == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (result != Z_OK && !(result == Z_BUF_ERROR && before > stream.avail_in)) {
            refuse(stream.msg ? stream.msg : "they are cut");
        }
    }
    return {unpacked_.data(), unpacked_.size() - stream.avail_out};
}

} // namespace opcat::image
