// libyaml's parser, and its places in bytes.
#pragma once

#include "opcat/base/unicode.hpp"

#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string_view>

namespace opcat {

// libyaml counts characters, opcat counts bytes. Places are asked for in the order of the text, so that each
// search begins at the last one. `base` is the place of the text in its file.
class ByteOffsets {
public:
    ByteOffsets(std::string_view bytes, uint32_t base) : bytes_(bytes), base_(base) {
        ascii_ = is_ascii(bytes);
        if (bytes.starts_with("\xef\xbb\xbf")) first_ = 3; // a byte order mark is no character to libyaml
        byte_ = first_;
    }
    uint32_t of(const yaml_mark_t& mark) {
        if (ascii_) return base_ + static_cast<uint32_t>(std::min(mark.index, bytes_.size()));
        if (mark.index < character_) {
            character_ = 0;
            byte_ = first_;
        }
        while (character_ < mark.index && byte_ < bytes_.size()) {
            ++byte_;
            while (byte_ < bytes_.size() && (static_cast<unsigned char>(bytes_[byte_]) & 0xc0) == 0x80)
                ++byte_;
            ++character_;
        }
        return base_ + static_cast<uint32_t>(byte_);
    }

private:
    std::string_view bytes_;
    uint32_t base_;
    bool ascii_;
    size_t first_ = 0;
    size_t character_ = 0;
    size_t byte_ = 0;
};

class LibyamlParser {
public:
    explicit LibyamlParser(std::string_view bytes) {
        if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const yaml_char_t*>(bytes.data()),
                                     bytes.size());
        yaml_parser_set_encoding(&parser_, YAML_ANY_ENCODING);
    }
    ~LibyamlParser() { yaml_parser_delete(&parser_); }
    LibyamlParser(const LibyamlParser&) = delete;
    LibyamlParser& operator=(const LibyamlParser&) = delete;
    yaml_parser_t& get() { return parser_; }

private:
    yaml_parser_t parser_{};
};

} // namespace opcat
