// The wire format of Protocol Buffers, for messages of strings (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::serve::protobuf {

void append_varint(std::string& out, uint64_t number);

// Fields of type string, bytes or message. proto3 leaves out empty strings, unless they are items of a list.
void append_bytes(std::string& out, uint32_t field, std::string_view bytes);
inline void append_string(std::string& out, uint32_t field, std::string_view text) {
    if (!text.empty()) append_bytes(out, field, text);
}
// A field of type int32, int64, bool or enum; left out if it is 0.
void append_number(std::string& out, uint32_t field, uint64_t number);

struct Field {
    uint32_t number;
    uint64_t varint = 0;    // of a number
    std::string_view bytes; // of a string or message
    bool has_bytes = false;
};

// The fields of a message in order, unknown ones included; groups and numbers of fixed size are skipped.
class Reader {
public:
    explicit Reader(std::string_view message) : rest_(message) {}

    // Nothing at the end, or if the rest of the message cannot be read.
    std::optional<Field> next();
    bool failed() const { return failed_; }

private:
    std::optional<uint64_t> varint();
    bool skip(uint64_t bytes);

    std::string_view rest_;
    bool failed_ = false;
};

} // namespace opcat::serve::protobuf
