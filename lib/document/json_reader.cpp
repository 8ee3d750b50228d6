#include "opcat/document/json_reader.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/number.hpp"
#include "opcat/document/value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

namespace opcat {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The characters that a string keeps as they are.
constexpr auto is_plain_byte = [](uint8_t c) { return (c >= 0x20) & (c < 0x80) & (c != '"') & (c != '\\'); };
bool is_plain(char c) {
    return is_plain_byte(static_cast<uint8_t>(c));
}

uint64_t load8(const char* at) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    return word;
}

// The first byte from `at` on that is not plain, before `end`. Most strings are short and are checked eight
// bytes at a time: the padding after the file allows it, and its zeros end the search. A bit trick per byte:
// below 0x20, equal to a quote or backslash, or 0x80 and above. Longer strings are likely to be much longer.
const char* skip_plain(const char* at, const char* end) {
    constexpr uint64_t ones = 0x0101010101010101;
    constexpr uint64_t highs = 0x8080808080808080;
    constexpr ptrdiff_t short_length = 64;
    const auto has_zero = [](uint64_t w) { return (w - ones) & ~w; };
    for (const char* const begin = at; at - begin < short_length; at += 8) {
        const uint64_t word = load8(at);
        const uint64_t below_space = (word - ones * 0x20) & ~word;
        const uint64_t special =
            (below_space | has_zero(word ^ (ones * '"')) | has_zero(word ^ (ones * '\\')) | word) & highs;
        if (special == 0) continue;
        while (is_plain(*at)) ++at;
        return at;
    }
    if (at < end) at += skip_blocks({at, static_cast<size_t>(end - at)}, is_plain_byte);
    while (is_plain(*at)) ++at;
    return at;
}

struct JsonFailure {
    const char* at;
    std::string message;
    std::string_view rule = "syntax";
    size_t length = 1;
};

class JsonReader {
public:
    JsonReader(const SourceFile& file, uint32_t begin, Arena& arena)
        : base_(file.bytes().data()), at_(base_ + begin), end_(base_ + file.bytes().size()), builder_(arena) {
    }

    Value read() {
        skip_space();
        while (true) {
            if (*at_ == '{' || *at_ == '[') {
                open();
                if (*at_ != closing()) {
                    if (is_object_.back()) read_key();
                    continue;
                }
            } else {
                builder_.add(read_scalar());
            }
            while (builder_.depth() > 0 && close_if_complete()) {
            }
            if (builder_.depth() == 0) return builder_.take_root();
            read_separator();
        }
    }

    const char* at() const { return at_; }
    const char* base() const { return base_; }

private:
    uint32_t offset() const { return static_cast<uint32_t>(at_ - base_); }

    void skip_space() {
        while (is_space(*at_)) ++at_;
    }

    [[noreturn]] void fail(std::string message) const {
        if (at_ >= end_) {
            const char* last = end_;
            while (last > base_ && is_space(last[-1])) --last;
            throw JsonFailure{std::max(base_, last - 1),
                              "the file ends here, in the middle of a JSON value: " + std::move(message)};
        }
        throw JsonFailure{at_, std::move(message)};
    }
    std::string found() const {
        const size_t length =
            std::max<size_t>(1, utf8_sequence_length({at_, static_cast<size_t>(end_ - at_)}));
        const auto c = static_cast<unsigned char>(*at_);
        return c < 0x20 || length == 0 ? fmt::format("found character 0x{:02x}", c)
                                       : fmt::format("found '{}'", std::string_view(at_, length));
    }

    Value read_scalar() {
        switch (*at_) {
        case '"':
            return read_string();
        case 't':
            return read_word("true", Value::of(true, offset()));
        case 'f':
            return read_word("false", Value::of(false, offset()));
        case 'n':
            return read_word("null", Value::of_null(offset()));
        default:
            break;
        }
        if (*at_ == '-' || is_digit(*at_)) return read_number();
        fail(at_ >= end_ ? "a value was expected" : "a value was expected, " + found());
    }

    char closing() const { return is_object_.back() ? '}' : ']'; }

    void open() {
        if (builder_.depth() >= limits::json_depth)
            throw JsonFailure{at_, fmt::format("nested more than {} levels deep", limits::json_depth),
                              "limit"};
        builder_.open(offset());
        is_object_.push_back(*at_ == '{');
        ++at_;
        skip_space();
    }

    bool close_if_complete() {
        skip_space();
        if (*at_ != closing()) return false;
        ++at_;
        builder_.add(is_object_.back() ? builder_.close_object() : builder_.close_array());
        is_object_.pop_back();
        return true;
    }

    // Between two items or members, up to the next value.
    void read_separator() {
        const bool object = is_object_.back();
        if (*at_ != ',') {
            const std::string_view wanted = object ? "',' or '}' was expected after a member"
                                                   : "',' or ']' was expected after a list item";
            fail(at_ >= end_ ? std::string(wanted) : fmt::format("{}, {}", wanted, found()));
        }
        if (builder_.size() / 2 >= Value::max_size) throw JsonFailure{at_, "too many items", "limit"};
        ++at_;
        skip_space();
        if (object) read_key();
    }

    void read_key() {
        if (*at_ != '"')
            fail(at_ >= end_ ? "a key was expected" : "a key in double quotes was expected, " + found());
        builder_.add(read_string());
        skip_space();
        if (*at_ != ':') fail(at_ >= end_ ? "':' was expected" : "':' was expected after a key, " + found());
        ++at_;
        skip_space();
    }

    Value read_word(std::string_view word, const Value& value) {
        for (const char c : word) {
            if (*at_ != c) fail(fmt::format("{} was expected", word));
            ++at_;
        }
        return value;
    }

    Value read_string() {
        const uint32_t start = offset();
        ++at_;
        const char* const begin = at_;
        at_ = skip_plain(at_, end_);
        // Valid UTF-8 also stays where it is.
        while (static_cast<signed char>(*at_) < 0) {
            const size_t length = utf8_sequence_length({at_, static_cast<size_t>(end_ - at_)});
            if (length == 0) break;
            at_ = skip_plain(at_ + length, end_);
        }
        if (*at_ == '"') {
            const std::string_view text(begin, static_cast<size_t>(at_ - begin));
            ++at_;
            return Value::of(checked(text, begin), start);
        }
        return Value::of(read_unescaped(begin), start);
    }

    std::string_view checked(std::string_view text, const char* begin) const {
        if (text.size() > Value::max_size) throw JsonFailure{begin, "a string of more than 256 MiB", "limit"};
        return text;
    }

    std::string_view read_unescaped(const char* begin) {
        std::string& text = scratch_;
        text.assign(begin, at_);
        while (*at_ != '"') {
            if (*at_ == '\\') {
                read_escape(text);
            } else if (static_cast<signed char>(*at_) < 0) {
                const size_t length = utf8_sequence_length({at_, static_cast<size_t>(end_ - at_)});
                if (length == 0)
                    text += "\xef\xbf\xbd";
                else
                    text.append(at_, length);
                at_ += std::max<size_t>(1, length);
            } else if (at_ >= end_) {
                fail("the closing '\"' of a string was expected");
            } else if (!is_plain(*at_)) {
                fail(fmt::format(
                    "a string contains the control character 0x{:02x}: write it as an escape, \\u{:04x}",
                    *at_, *at_));
            }
            const char* const run = at_;
            at_ = skip_plain(at_, end_);
            text.append(run, at_);
        }
        ++at_;
        return builder_.arena().copy(checked(text, begin));
    }

    void read_escape(std::string& text) {
        const char c = at_[1];
        switch (c) {
        case '"':
        case '\\':
        case '/':
            text += c;
            break;
        case 'b':
            text += '\b';
            break;
        case 'f':
            text += '\f';
            break;
        case 'n':
            text += '\n';
            break;
        case 'r':
            text += '\r';
            break;
        case 't':
            text += '\t';
            break;
        case 'u':
            read_unicode_escape(text);
            return;
        default:
            fail("an escape that JSON does not know");
        }
        at_ += 2;
    }

    void read_unicode_escape(std::string& text) {
        char32_t c = read_hex(at_ + 2);
        at_ += 6;
        if (c >= 0xd800 && c < 0xe000) {
            const bool high = c < 0xdc00;
            char32_t low = 0;
            if (high && at_[0] == '\\' && at_[1] == 'u' && is_hex(at_ + 2)) low = read_hex(at_ + 2);
            if (low >= 0xdc00 && low < 0xe000) {
                at_ += 6;
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            } else {
                c = 0xfffd;
            }
        }
        append_utf8(text, c);
    }

    static bool is_hex(const char* digits) {
        for (int i = 0; i < 4; ++i)
            if (!std::isxdigit(static_cast<unsigned char>(digits[i]))) return false;
        return true;
    }
    char32_t read_hex(const char* digits) const {
        if (!is_hex(digits)) fail("four hexadecimal digits were expected after \\u");
        unsigned value = 0;
        std::from_chars(digits, digits + 4, value, 16);
        return value;
    }

    Value read_number() {
        const char* const begin = at_;
        const uint32_t start = offset();
        bool integer = true;
        if (*at_ == '-') ++at_;
        if (*at_ == '0')
            ++at_;
        else
            read_digits();
        if (*at_ == '.') {
            integer = false;
            ++at_;
            read_digits();
        }
        if (*at_ == 'e' || *at_ == 'E') {
            integer = false;
            ++at_;
            if (*at_ == '+' || *at_ == '-') ++at_;
            read_digits();
        }
        if (integer) {
            int64_t value = 0;
            if (std::from_chars(begin, at_, value).ec == std::errc() && !(value == 0 && *begin == '-'))
                return Value::of(value, start);
            uint64_t large = 0;
            if (std::from_chars(begin, at_, large).ec == std::errc()) return Value::of_large(large, start);
        }
        const auto real = parse_real({begin, static_cast<size_t>(at_ - begin)});
        if (!real)
            throw JsonFailure{begin, "a number too large for a double", "syntax",
                              static_cast<size_t>(at_ - begin)};
        return Value::of(*real, start);
    }
    void read_digits() {
        if (!is_digit(*at_)) fail("a digit was expected in a number");
        while (is_digit(*at_)) ++at_;
    }

    const char* const base_;
    const char* at_;
    const char* const end_;
    ValueBuilder builder_;
    std::vector<bool> is_object_;
    std::string scratch_;
};

} // namespace

std::optional<Value> read_json(const SourceFile& file, uint32_t begin, Arena& arena, uint32_t& end,
                               Diagnostic& problem) {
    JsonReader reader(file, begin, arena);
    try {
        const Value value = reader.read();
        end = static_cast<uint32_t>(reader.at() - reader.base());
        return value;
    } catch (const JsonFailure& failure) {
        problem = {};
        problem.rule = failure.rule;
        problem.message = failure.message;
        problem.where = {&file, static_cast<uint32_t>(failure.at - reader.base()),
                         static_cast<uint32_t>(failure.length)};
        return std::nullopt;
    }
}

uint32_t skip_json_space(const SourceFile& file, uint32_t at) {
    const char* const base = file.bytes().data();
    while (is_space(base[at])) ++at;
    return at;
}

} // namespace opcat
