#include "opcat/serve/grpc_stream.hpp"

#include "opcat/serve/libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

constexpr size_t prefix_size = 5;

uint32_t message_size(std::string_view prefix) {
    uint32_t size = 0;
    for (size_t i = 1; i < prefix_size; ++i) size = size << 8U | static_cast<uint8_t>(prefix[i]);
    return size;
}

constexpr int gzip_window = 15 + 16;

// Nothing if the bytes are not gzip, or come to more than `most`.
std::optional<std::string> gunzip(std::string_view bytes, size_t most) {
    const Zlib& zlib = libz();
    z_stream stream{};
    if (zlib.inflateInit2_(&stream, gzip_window, ZLIB_VERSION, static_cast<int>(sizeof stream)) != Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, decltype(zlib.inflateEnd)> end(&stream, zlib.inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // only read
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string out;
    int result = Z_OK;
    constexpr size_t step = size_t{16} << 10;
    while (result == Z_OK && out.size() <= most) {
        const size_t filled = out.size();
        out.resize(filled + step);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
        stream.avail_out = step;
        result = zlib.inflate(&stream, Z_NO_FLUSH);
        out.resize(out.size() - stream.avail_out);
    }
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_STREAM_END || out.size() > most) return std::nullopt;
    return out;
}

} // namespace

void GrpcStream::add_header(std::string_view name, std::string_view value) {
    // A longer value means nothing here, and is not kept.
    constexpr size_t longest = 256;
    value = value.substr(0, longest);
    if (name == ":path") path_ = value;
    if (name == ":method") method_ = value;
    if (name == "content-type") content_type_ = value;
    if (name == "grpc-encoding") encoding_ = value;
    if (name == "x-acknowledge-experimental" && !std::exchange(acknowledgement_seen_, true))
        acknowledges_experimental_ = value == "true";
    if (name == "grpc-timeout")
        if (const auto timeout = parse_grpc_timeout(value)) deadline_ = begin_ + *timeout;
}

std::optional<GrpcStream::Refusal> GrpcStream::check_headers() const {
    constexpr std::string_view type = "application/grpc";
    if (method_ != "POST") return Refusal{405, failure(GrpcStatus::internal, "a call is a POST request")};
    const bool is_grpc = content_type_.starts_with(type) &&
                         (content_type_.size() == type.size() || content_type_[type.size()] == '+' ||
                          content_type_[type.size()] == ';');
    if (!is_grpc)
        return Refusal{415, failure(GrpcStatus::internal, "the content type is not application/grpc")};
    if (!encoding_.empty() && encoding_ != "identity" && encoding_ != "gzip")
        return Refusal{200, failure(GrpcStatus::unimplemented, "requests may be compressed by gzip only")};
    return std::nullopt;
}

void GrpcStream::add_data(std::string_view data, size_t most) {
    if (too_large_) return;
    data_ += data;
    if (data_.size() >= prefix_size && message_size(data_) > most) {
        too_large_ = true;
        data_.resize(prefix_size);
        data_.shrink_to_fit();
    }
}

std::optional<GrpcStream::Message> GrpcStream::take_message(size_t most) {
    if (too_large_) {
        too_large_ = false;
        data_.clear();
        return Message{
            {}, failure(GrpcStatus::resource_exhausted, fmt::format("a request has at most {} bytes", most))};
    }
    if (data_.size() < prefix_size) return std::nullopt;
    const size_t size = message_size(data_);
    if (data_.size() - prefix_size < size) return std::nullopt;
    Message message{data_.substr(prefix_size, size)};
    const bool compressed = data_[0] == 1;
    const bool good = data_[0] == 0 || (compressed && encoding_ == "gzip");
    data_.erase(0, prefix_size + size);
    if (data_.empty()) data_ = {}; // with its memory
    if (!good) {
        message.failure =
            failure(GrpcStatus::internal,
                    "a message is compressed, but no grpc-encoding header names the compression");
    } else if (compressed) {
        if (auto plain = gunzip(message.text, most))
            message.text = *std::move(plain);
        else
            message.failure =
                failure(GrpcStatus::internal, "a message cannot be decompressed, or is too large");
    }
    return message;
}

void GrpcStream::add_answer(GrpcAnswer answer, bool ends) {
    if (answer.status != GrpcStatus::ok) ends = true;
    if (ends && !ended_) {
        ended_ = true;
        status_ = answer.status;
        status_message_ = std::move(answer.message);
    }
    size_t size = 0;
    for (const std::string_view piece : answer.pieces()) size += piece.size();
    if (size == 0) return;
    pending_ += size;
    out_.push_back(std::make_shared<const GrpcAnswer>(std::move(answer)));
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c >= ' ' && c <= '~' && c != '%')
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::optional<std::chrono::nanoseconds> parse_grpc_timeout(std::string_view text) {
    constexpr size_t most_digits = 8;
    if (text.size() < 2 || text.size() > most_digits + 1) return std::nullopt;
    uint64_t number = 0;
    const char* const unit = text.data() + text.size() - 1;
    const auto [end, failed] = std::from_chars(text.data(), unit, number);
    if (failed != std::errc() || end != unit) return std::nullopt;
    using namespace std::chrono;
    const auto count = static_cast<int64_t>(number);
    switch (*unit) {
    case 'H': // 8 digits of hours are more than nanoseconds can count
        return hours(std::min<int64_t>(count, 1'000'000));
    case 'M':
        return minutes(count);
    case 'S':
        return seconds(count);
    case 'm':
        return milliseconds(count);
    case 'u':
        return microseconds(count);
    case 'n':
        return nanoseconds(count);
    default:
        return std::nullopt;
    }
}

} // namespace opcat::serve
