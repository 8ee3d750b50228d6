#include "opcat/document/yaml_scalar.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace opcat {
namespace {

using Kind = Value::Kind;

// yaml.v2 decides by the first character what a scalar can be.
enum class Hint : uint8_t { text, word, number, dot };

constexpr std::array<Hint, 256> hints = [] {
    std::array<Hint, 256> table{};
    for (const char c : std::string_view("yYnNtTfFoO~")) table[static_cast<unsigned char>(c)] = Hint::word;
    for (const char c : std::string_view("+-0123456789")) table[static_cast<unsigned char>(c)] = Hint::number;
    table[static_cast<unsigned char>('.')] = Hint::dot;
    return table;
}();

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<Value> resolve_word(std::string_view text, uint32_t offset) {
    constexpr size_t longest = 5; // "false", "+.inf"
    if (text.size() > longest) return std::nullopt;
    if (is_one_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
        return Value::of(true, offset);
    if (is_one_of(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
        return Value::of(false, offset);
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Value::of_null(offset);
    if (is_one_of(text, {".nan", ".NaN", ".NAN"}))
        return Value::of(std::numeric_limits<double>::quiet_NaN(), offset);
    if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"}))
        return Value::of(std::numeric_limits<double>::infinity(), offset);
    if (is_one_of(text, {"-.inf", "-.Inf", "-.INF"}))
        return Value::of(-std::numeric_limits<double>::infinity(), offset);
    return std::nullopt;
}

// Go's strconv.ParseInt and ParseUint with base 0: a prefix 0x, 0o, 0b or 0 chooses the base.
std::optional<Value> parse_integer(std::string_view text, uint32_t offset) {
    bool negative = text.starts_with('-');
    bool sign = negative || text.starts_with('+');
    if (sign) text.remove_prefix(1);
    int base = 10;
    if (text.size() > 1 && text[0] == '0') {
        const bool lower_b = text[1] == 'b';
        const char prefix = ascii_lower(text[1]);
        base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
        text.remove_prefix(prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1);
        // yaml.v2 parses the rest after 0b itself, and allows a sign there.
        if (lower_b && !sign && text.size() > 1 && (text[0] == '-' || text[0] == '+')) {
            sign = true;
            negative = text[0] == '-';
            text.remove_prefix(1);
        }
    }
    uint64_t magnitude = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
    if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
        return std::nullopt;
    constexpr uint64_t largest = std::numeric_limits<int64_t>::max();
    if (negative) {
        if (magnitude > largest + 1) return std::nullopt;
        return Value::of(static_cast<int64_t>(0 - magnitude), offset);
    }
    if (magnitude <= largest) return Value::of(static_cast<int64_t>(magnitude), offset);
    if (sign) return std::nullopt; // ParseUint takes no sign
    return Value::of_large(magnitude, offset);
}

// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool looks_like_float(std::string_view text) {
    size_t at = 0;
    const auto digits = [&] {
        const size_t begin = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return at - begin;
    };
    const auto one_of = [&](std::string_view set) {
        return at < text.size() && set.find(text[at]) != set.npos;
    };
    if (one_of("+-")) ++at;
    if (one_of(".")) {
        ++at;
        if (digits() == 0) return false;
    } else {
        if (digits() == 0) return false;
        if (one_of(".")) {
            ++at;
            digits();
        }
    }
    if (one_of("eE")) {
        ++at;
        if (one_of("+-")) ++at;
        if (digits() == 0) return false;
    }
    return at == text.size();
}

Value resolve_number(std::string_view text, uint32_t offset) {
    std::string without_underscores;
    std::string_view plain = text;
    if (text.find('_') != text.npos) {
        without_underscores = text;
        std::erase(without_underscores, '_');
        plain = without_underscores;
    }
    if (const auto integer = parse_integer(plain, offset)) return *integer;
    if (looks_like_float(plain))
        if (const auto real = parse_real(plain)) return Value::of(*real, offset);
    return Value::of(text, offset);
}

// Go's ParseFloat allows underscores between digits.
bool underscores_stand_between_digits(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i)
        if (text[i] == '_' &&
            (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])))
            return false;
    return true;
}

Value resolve_dotted(std::string_view text, uint32_t offset) {
    if (text.size() < 2 || !is_digit(text[1]) || !underscores_stand_between_digits(text))
        return Value::of(text, offset);
    std::string plain(text);
    std::erase(plain, '_');
    const auto real = parse_real(plain);
    return real ? Value::of(*real, offset) : Value::of(text, offset);
}

class TimestampReader {
public:
    explicit TimestampReader(std::string_view text) : rest_(text) {}

    bool read() {
        int year = 0;
        int month = 0;
        int day = 0;
        if (!number(4, 4, year) || !take('-') || !number(1, 2, month) || !take('-') || !number(1, 2, day))
            return false;
        if (month < 1 || month > 12 || day < 1 || day > days_in(month, year)) return false;
        if (rest_.empty()) return true;
        const char separator = rest_.front();
        rest_.remove_prefix(1);
        if (separator == ' ') return time() && rest_.empty();
        return (separator == 'T' || separator == 't') && time() && zone() && rest_.empty();
    }

private:
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool number(size_t fewest, size_t most, int& value) {
        size_t length = 0;
        value = 0;
        while (length < most && length < rest_.size() && is_digit(rest_[length]))
            value = value * 10 + (rest_[length++] - '0');
        rest_.remove_prefix(length);
        return length >= fewest;
    }
    bool time() {
        int hour = 0;
        int minute = 0;
        int second = 0;
        if (!number(1, 2, hour) || !take(':') || !number(1, 2, minute) || !take(':') || !number(1, 2, second))
            return false;
        if (hour > 23 || minute > 59 || second > 59) return false;
        if (rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && is_digit(rest_[1])) {
            rest_.remove_prefix(1);
            while (!rest_.empty() && is_digit(rest_[0])) rest_.remove_prefix(1);
        }
        return true;
    }
    bool zone() {
        if (take('Z')) return true;
        if (!take('+') && !take('-')) return false;
        int hours = 0;
        int minutes = 0;
        return number(2, 2, hours) && take(':') && number(2, 2, minutes) && hours <= 24 && minutes <= 60;
    }
    static int days_in(int month, int year) {
        constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        return days[month - 1] + (month == 2 && leap ? 1 : 0);
    }

    std::string_view rest_;
};

// Numbers in base 60, which other YAML 1.1 readers would see in 1:30.
bool is_base_60(std::string_view text) {
    size_t at = 0;
    const auto is = [&](size_t i, auto test) { return i < text.size() && test(text[i]); };
    const auto digit = [](char c) { return is_digit(c); };
    if (is(at, [](char c) { return c == '+' || c == '-'; })) ++at;
    if (!is(at, digit)) return false;
    while (is(at, [](char c) { return is_digit(c) || c == '_'; })) ++at;
    size_t groups = 0;
    while (is(at, [](char c) { return c == ':'; })) {
        ++at;
        if (is(at, [](char c) { return c >= '0' && c <= '5'; }) && is(at + 1, digit))
            at += 2;
        else if (is(at, digit))
            at += 1;
        else
            return false;
        ++groups;
    }
    if (groups == 0) return false;
    if (is(at, [](char c) { return c == '.'; })) {
        ++at;
        while (is(at, [](char c) { return is_digit(c) || c == '_'; })) ++at;
    }
    return at == text.size();
}

} // namespace

Value resolve_plain(std::string_view text, uint32_t offset) {
    const Hint hint = text.empty() ? Hint::word : hints[static_cast<unsigned char>(text[0])];
    if (hint == Hint::text) return Value::of(text, offset);
    if (const auto word = resolve_word(text, offset)) return *word;
    switch (hint) {
    case Hint::number:
        return resolve_number(text, offset);
    case Hint::dot:
        return resolve_dotted(text, offset);
    default:
        return Value::of(text, offset);
    }
}

std::optional<Value> resolve_tagged(YamlTag tag, std::string_view text, uint32_t offset) {
    if (tag == YamlTag::str) return Value::of(text, offset);
    if (tag == YamlTag::timestamp) {
        if (!is_timestamp(text)) return std::nullopt;
        return Value::of(text, offset);
    }
    const Value value = resolve_plain(text, offset);
    const bool fits = [&] {
        switch (tag) {
        case YamlTag::boolean:
            return value.is_boolean();
        case YamlTag::integer:
            return value.kind() == Kind::integer || value.kind() == Kind::large_integer;
        case YamlTag::real:
            return value.kind() == Kind::real || value.kind() == Kind::integer;
        case YamlTag::null:
            return value.is_null();
        default:
            return false;
        }
    }();
    if (!fits) return std::nullopt;
    if (tag == YamlTag::real) return Value::of(value.number(), offset);
    return value;
}

bool is_timestamp(std::string_view text) {
    return TimestampReader(text).read();
}

bool reads_as_something_else(std::string_view text) {
    const Hint hint = text.empty() ? Hint::word : hints[static_cast<unsigned char>(text[0])];
    if (hint == Hint::text) return false;
    return !resolve_plain(text, 0).is_string() ||
           (hint == Hint::number && (is_timestamp(text) || is_base_60(text)));
}

namespace {

const char* append_code_point(std::string& text, const char* at, const char* end, ptrdiff_t digits) {
    const char* const begin = at + 2;
    uint32_t code = 0;
    if (end - begin < digits) return nullptr;
    const auto result = std::from_chars(begin, begin + digits, code, 16);
    if (result.ptr != begin + digits || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return nullptr;
    append_utf8(text, code);
    return begin + digits;
}

} // namespace

bool has_simple_characters(std::string_view text) {
    constexpr uint64_t ones = 0x0101010101010101;
    constexpr uint64_t highs = 0x8080808080808080;
    size_t at = 0;
    while (at < text.size()) {
        while (at + 8 <= text.size()) {
            uint64_t word;
            std::memcpy(&word, text.data() + at, 8);
            const uint64_t del = word ^ (ones * 0x7f);
            const uint64_t special = ((word - ones * 0x20) & ~word) | word | ((del - ones) & ~del);
            if ((special & highs) != 0) break;
            at += 8;
        }
        if (at >= text.size()) break;
        // One by one up to the end of the block that stopped the loop.
        const auto c = static_cast<unsigned char>(text[at]);
        if (c < 0x80) {
            if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
            ++at;
            continue;
        }
        const size_t length = utf8_sequence_length(text.substr(at));
        if (length == 0) return false;
        const std::string_view character = text.substr(at, length);
        if (c == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0) return false; // controls and U+0085
        if (character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9") return false;   // line breaks
        if (character == "\xef\xbb\xbf" || character.substr(0, 2) == "\xef\xbf")
            return false; // byte order mark, U+FFFx
        at += length;
    }
    return true;
}

const char* append_escaped(std::string& text, const char* at, const char* end) {
    if (at + 1 >= end) return nullptr;
    switch (at[1]) {
    case '0':
        text += '\0';
        return at + 2;
    case 'a':
        text += '\a';
        return at + 2;
    case 'b':
        text += '\b';
        return at + 2;
    case 't':
        text += '\t';
        return at + 2;
    case 'n':
        text += '\n';
        return at + 2;
    case 'v':
        text += '\v';
        return at + 2;
    case 'f':
        text += '\f';
        return at + 2;
    case 'r':
        text += '\r';
        return at + 2;
    case 'e':
        text += '\x1b';
        return at + 2;
    case ' ':
    case '"':
    case '\'': // to yaml.v2, not to libyaml
    case '\\':
        text += at[1];
        return at + 2;
    case 'x':
        return append_code_point(text, at, end, 2);
    case 'u':
        return append_code_point(text, at, end, 4);
    case 'U':
        return append_code_point(text, at, end, 8);
    default:
        return nullptr;
    }
}

} // namespace opcat
