#include "opcat/serve/protobuf.hpp"

namespace opcat::serve::protobuf {
namespace {

enum WireType : uint8_t { wire_varint = 0, wire_64 = 1, wire_bytes = 2, wire_32 = 5 };

void append_tag(std::string& out, uint32_t field, WireType type) {
    append_varint(out, uint64_t{field} << 3U | type);
}

} // namespace

void append_varint(std::string& out, uint64_t number) {
    while (number >= 0x80) {
        out += static_cast<char>(number | 0x80U);
        number >>= 7U;
    }
    out += static_cast<char>(number);
}

void append_bytes(std::string& out, uint32_t field, std::string_view bytes) {
    append_tag(out, field, wire_bytes);
    append_varint(out, bytes.size());
    out += bytes;
}

void append_number(std::string& out, uint32_t field, uint64_t number) {
    if (number == 0) return;
    append_tag(out, field, wire_varint);
    append_varint(out, number);
}

std::optional<uint64_t> Reader::varint() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
        const auto byte = static_cast<uint8_t>(rest_.front());
        rest_.remove_prefix(1);
        if (shift == 63 && byte > 1) break; // more than 64 bits
        number |= uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return number;
    }
    failed_ = true;
    return std::nullopt;
}

bool Reader::skip(uint64_t bytes) {
    if (bytes > rest_.size()) {
        failed_ = true;
        return false;
    }
    rest_.remove_prefix(bytes);
    return true;
}

std::optional<Field> Reader::next() {
    constexpr uint64_t largest_field = (uint64_t{1} << 29U) - 1;
    if (failed_ || rest_.empty()) return std::nullopt;
    const auto tag = varint();
    if (!tag) return std::nullopt;
    const uint64_t number = *tag >> 3U;
    if (number == 0 || number > largest_field) {
        failed_ = true;
        return std::nullopt;
    }
    Field field{.number = static_cast<uint32_t>(number), .bytes = {}};
    switch (*tag & 7U) {
    case wire_varint:
        if (const auto value = varint())
            field.varint = *value;
        else
            return std::nullopt;
        return field;
    case wire_64:
        if (!skip(8)) return std::nullopt;
        return field;
    case wire_32:
        if (!skip(4)) return std::nullopt;
        return field;
    case wire_bytes: {
        const auto size = varint();
        if (!size) return std::nullopt;
        const std::string_view all = rest_;
        if (!skip(*size)) return std::nullopt;
        field.bytes = all.substr(0, *size);
        field.has_bytes = true;
        return field;
    }
    default: // groups are not part of proto3
        failed_ = true;
        return std::nullopt;
    }
}

} // namespace opcat::serve::protobuf
