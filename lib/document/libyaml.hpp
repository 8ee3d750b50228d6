// libyaml's parser with places in bytes, and texts that opm's YAML accepts and libyaml refuses.
#pragma once

#include "opcat/base/unicode.hpp"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <string_view>

namespace opcat {

// libyaml counts characters, opcat counts bytes. Places must be requested in the order of the text, so that
// each search continues at the last one. `base` is the place of the text in its file.
class ByteOffsets {
public:
    ByteOffsets(std::string_view bytes, uint32_t base) : bytes_(bytes), base_(base) {
        ascii_ = is_ascii(bytes);
        if (bytes.starts_with("\xef\xbb\xbf"))
            first_ = 3; // libyaml does not count a byte order mark as a character
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

// The text of a document for libyaml, in which private-use characters replace characters that libyaml refuses
// and yaml.v2 accepts: \' in double quotes, a ':' before a bracket or comma in plain text between brackets,
// and byte order marks that are not at the front. Each replaces one character, so that libyaml's places,
// which count characters, remain correct.
class YamlSubstitutions {
public:
    explicit YamlSubstitutions(std::string_view document);

    // With a line break at the end: opm reads lines and ends each with one, also the last, so that a literal
    // text there ends with it.
    std::string_view text() const { return text_.empty() ? document_ : std::string_view(text_); }

    // Replaces the character at this byte of the document about which libyaml complained with `problem`.
    // False if it remains an error, as it does if there are too many.
    bool exchange(std::string_view problem, size_t at);

    // Text from libyaml, with the original characters.
    std::string restored(std::string_view read) const;

    // The place of this byte of text() in the document.
    size_t place(size_t in_text) const;

private:
    enum Kind : uint8_t { nothing, quote, colon, mark };

    bool choose(Kind kind); // false if the document contains all candidate characters
    void add(size_t at, Kind kind);
    void make_text();

    std::string_view document_;
    std::array<std::string, 4> private_; // by kind; empty until one is needed
    std::map<size_t, Kind> exchanged_;   // by the place in the document; marks do not need them
    std::string text_;                   // empty: as the document
    size_t exchanges_ = 0;
};

} // namespace opcat
