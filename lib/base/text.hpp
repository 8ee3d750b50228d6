// Text as people and terminals see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

// Length in bytes of the valid UTF-8 sequence at the start of `text` (shortest form, no surrogates, at most
// U+10FFFF); 0 if there is none.
size_t utf8_sequence_length(std::string_view text);

// The code points of UTF-8 text, each as its bytes. A byte outside a valid sequence is an item of its own.
// Only a view: texts may be long.
class Utf8Characters {
public:
    class Iterator {
    public:
        using value_type = std::string_view;
        using difference_type = std::ptrdiff_t;
        using reference = std::string_view;
        using pointer = const std::string_view*;
        using iterator_category = std::input_iterator_tag;

        explicit Iterator(std::string_view rest) : rest_(rest) { measure(); }
        std::string_view operator*() const { return rest_.substr(0, length_); }
        Iterator& operator++() {
            rest_.remove_prefix(length_);
            measure();
            return *this;
        }
        Iterator operator++(int) {
            Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) {
            return a.rest_.size() == b.rest_.size();
        }

    private:
        void measure() {
            length_ = rest_.empty() ? 0 : 1;
            if (length_ > 0 && static_cast<unsigned char>(rest_.front()) >= 0x80)
                length_ = std::max<size_t>(1, utf8_sequence_length(rest_));
        }

        std::string_view rest_;
        size_t length_ = 0;
    };

    explicit Utf8Characters(std::string_view text) : text_(text) {}
    Iterator begin() const { return Iterator(text_); }
    Iterator end() const { return Iterator(text_.substr(text_.size())); }
    size_t size() const { return static_cast<size_t>(std::distance(begin(), end())); } // linear

private:
    std::string_view text_;
};
inline Utf8Characters utf8_characters(std::string_view text) {
    return Utf8Characters(text);
}

bool is_valid_utf8(std::string_view text);

// The code point of a text that is exactly one valid UTF-8 sequence.
char32_t decode_utf8(std::string_view sequence);

void append_utf8(std::string& out, char32_t code_point);

// Returns true if a character must not reach a terminal unescaped: a control character, or a byte that is not
// UTF-8.
bool is_control(std::string_view character);

// Returns true if a character shows nothing by itself, or changes how others are shown: overrides of the
// direction of text, characters of no width, tags, separators of lines and paragraphs (Unicode's default
// ignorable code points and a few more). A text with them is not what it seems to be. The two that make a
// picture of the character before them, or none (U+FE0E and U+FE0F), are not among them.
bool is_hidden(std::string_view character);

// The text with control characters (\x1b) and hidden ones (\u202e) escaped, so that file contents can neither
// control the terminal nor look like something else.
std::string escape_controls(std::string_view text);
// The same for a text of several lines: line breaks stay, unless a command to the runner of GitHub
// ("::error::") would follow, which a name in a catalog may have.
std::string escape_controls_in_lines(std::string_view text);

// The text for HTML, between tags or in a quoted attribute. Control characters other than line breaks and
// tabs, and bytes that are not UTF-8, become U+FFFD, because HTML cannot express them. Hidden characters are
// escaped (\u202e), except those that texts of some languages and pictures need (U+200C to U+200F, U+00AD).
std::string escape_html(std::string_view text);

// The text as code in Markdown, in which nothing is live: no link, no mention of a user, no markup. In the
// cell of a table, '|' is escaped, too.
std::string markdown_code(std::string_view text, bool in_table = false);

// The text for a part of a URL: all but ASCII letters, digits and the characters of `plain` becomes %XX.
std::string escape_for_url(std::string_view text, std::string_view plain = "-._~");
// A part of a URL without its escapes; nothing if one of them is malformed. In queries '+' is a blank.
std::optional<std::string> unescape_url(std::string_view text, bool plus_is_blank = false);

// Terminal columns that a text takes: 2 for wide characters, 0 for combining ones.
size_t display_width(std::string_view text);

// ASCII only, unlike <cctype>: independent of the locale, and bytes above 0x7f are allowed.
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// ASCII letters in lower case, other bytes unchanged.
constexpr char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string ascii_lower(std::string_view text);

std::string replace_all(std::string text, std::string_view from, std::string_view to);

// Up to three of `known` that a person may have meant by `given`, nearest first: few edits for the length,
// letter case apart. Takes milliseconds at most: not all of very many names are compared.
std::vector<std::string_view> nearest_names(std::string_view given, std::span<const std::string_view> known);

// Up to three names that begin with `given` ("gizmo-operator" for "gizmo"), or, without any, the nearest
// names.
std::vector<std::string_view> suggested_names(std::string_view given,
                                              std::span<const std::string_view> known);

// The one of `known` of which `given` is almost certainly a misspelling: two edits for a long name, one for a
// short one, letter case apart; two letters in the wrong order are one edit. Empty if there is none or more
// than one, or if `given` is one of them.
std::string_view misspelt(std::string_view given, std::span<const std::string_view> known);

// "did you mean a, b or c?"; nothing without names.
std::string did_you_mean(std::span<const std::string_view> names);
// The same for suggested names.
std::string did_you_mean(std::string_view given, std::span<const std::string_view> known);

// The same for many unknown names. If most are wrong, the first few suffice: each looks at all names.
class Suggestions {
public:
    explicit Suggestions(std::vector<std::string_view> known) : known_(std::move(known)) {}

    std::string of(std::string_view given) {
        if (left_ == 0) return {};
        --left_;
        return did_you_mean(given, known_);
    }

private:
    std::vector<std::string_view> known_;
    size_t left_ = 20;
};

// Returns true if these are not the bytes of a text, as git decides it: by a NUL in the first 8,000.
bool is_binary(std::string_view bytes);

// "1 error", "2 errors".
std::string counted(size_t count, std::string_view singular);

// "999 B", "12.3 MiB".
std::string human_size(uint64_t bytes);

// The lines of a text without their line breaks (LF). The last line may lack its line break; an empty text
// has no lines.
std::vector<std::string_view> lines_of(std::string_view text);

// The lines with a blank between them, without the white space around each, and without empty ones.
std::string on_one_line(std::string_view text);

// At most `columns` (1 or more) columns of a terminal of `text`, with "…" in place of its middle if it is
// longer: names begin alike, and end in their versions.
std::string shorten(std::string_view text, size_t columns);

// The first of `items` that fit into `columns`, with commas between them, and the number of the others.
// Always includes the first one.
std::string shorten_list(std::span<const std::string_view> items, size_t columns);

// `text` with line breaks at blanks, so that no line has more than `width` terminal columns unless a single
// word does. Lines after the first begin with `indent` blanks, which do not count.
std::string wrap(std::string_view text, size_t width, size_t indent = 0);

// The length of a prefix in which all bytes satisfy `is` (a function of a uint8_t, without branches), in
// whole blocks: the caller checks the rest byte by byte. The block size is fixed so that compilers generate
// vector instructions, which are about ten times faster than a table of bytes.
template <typename Is>
size_t skip_blocks(std::string_view text, Is is) {
    constexpr size_t block = 32;
    size_t at = 0;
    for (; at + block <= text.size(); at += block) {
        uint8_t other = 0;
        for (size_t i = 0; i < block; ++i)
            other |= static_cast<uint8_t>(is(static_cast<uint8_t>(text[at + i])) ? 0 : 1);
        if (other != 0) break;
    }
    return at;
}

// Text from the network for a message: on one line, without control characters and invalid UTF-8, and
// shortened.
std::string printable(std::string_view text);

// Returns true if the body of a response is a web page.
bool looks_like_html(std::string_view body);

} // namespace opcat
