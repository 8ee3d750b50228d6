#include "opcat/cue/constant.hpp"

#include "opcat/base/text.hpp"
#include "opcat/cue/token.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/number.hpp"

#include <fmt/core.h>

#include <cassert>
#include <limits>
#include <optional>

namespace opcat::cue {
namespace {

// Whatever has 64 bits and a sign, and any double, is exact in a long double.
static_assert(__LDBL_MANT_DIG__ >= 64);

long double exact(const Number& n) {
    if (!n.is_integer) return n.real;
    const auto magnitude = static_cast<long double>(n.magnitude);
    return n.negative ? -magnitude : magnitude;
}

} // namespace

Number Number::of(const Value& value) {
    switch (value.kind()) {
    case Value::Kind::integer: {
        const int64_t i = value.integer();
        return i < 0 ? of(uint64_t{0} - static_cast<uint64_t>(i), true) : of(static_cast<uint64_t>(i));
    }
    case Value::Kind::large_integer:
        return of(value.large_integer());
    default:
        assert(value.kind() == Value::Kind::real);
        return of_real(value.real());
    }
}

std::weak_ordering compare(const Number& a, const Number& b) {
    const long double x = exact(a);
    const long double y = exact(b);
    if (x < y) return std::weak_ordering::less;
    return x > y ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

bool operator==(const Constant& a, const Constant& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case Constant::Kind::null:
        return true;
    case Constant::Kind::boolean:
        return a.boolean == b.boolean;
    case Constant::Kind::number:
        return a.number.is_integer == b.number.is_integer && compare(a.number, b.number) == 0;
    case Constant::Kind::string:
    case Constant::Kind::bytes:
        return a.text == b.text;
    }
    return false;
}

std::string to_string(const Number& number) {
    if (number.is_integer) return fmt::format("{}{}", number.negative ? "-" : "", number.magnitude);
    std::string text;
    append_json_real(text, number.real);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string to_string(const Constant& constant) {
    switch (constant.kind) {
    case Constant::Kind::null:
        return "null";
    case Constant::Kind::boolean:
        return constant.boolean ? "true" : "false";
    case Constant::Kind::number:
        return to_string(constant.number);
    case Constant::Kind::string: {
        std::string text;
        append_json_string(text, constant.text);
        return text;
    }
    case Constant::Kind::bytes: {
        std::string text = "'";
        for (const char c : constant.text) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= ' ' && byte < 0x7f && c != '\'' && c != '\\')
                text += c;
            else
                text += fmt::format("\\x{:02x}", byte);
        }
        return text + "'";
    }
    }
    return {};
}

namespace {

int digit_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

// Digits of a base, with single "_" between them; nothing for other characters and for too many digits.
enum class Digits { good, malformed, too_large };
Digits read_digits(std::string_view text, int base, uint64_t& value) {
    if (text.empty() || text.front() == '_' || text.back() == '_' || text.find("__") != text.npos)
        return Digits::malformed;
    constexpr uint64_t max = std::numeric_limits<uint64_t>::max();
    bool fits = true;
    for (const char c : text) {
        if (c == '_') continue;
        const auto digit = static_cast<uint64_t>(digit_value(c));
        if (digit >= static_cast<uint64_t>(base)) return Digits::malformed;
        if (value > (max - digit) / static_cast<uint64_t>(base)) fits = false;
        if (fits) value = value * static_cast<uint64_t>(base) + digit;
    }
    return fits ? Digits::good : Digits::too_large;
}

// 1 for none. `text` loses the suffix.
std::optional<uint64_t> take_multiplier(std::string_view& text) {
    const bool binary = text.ends_with('i');
    std::string_view rest = text.substr(0, text.size() - (binary ? 1 : 0));
    constexpr std::string_view letters = "KMGTP";
    const size_t power = rest.empty() ? letters.npos : letters.find(rest.back());
    if (power == letters.npos) return binary ? std::nullopt : std::optional<uint64_t>(1);
    rest.remove_suffix(1);
    text = rest;
    uint64_t multiplier = 1;
    for (size_t i = 0; i <= power; ++i) multiplier *= binary ? 1024 : 1000;
    return multiplier;
}

class NumberReader {
public:
    NumberReader(std::string_view text, uint32_t begin) : whole_(text), begin_(begin) {}

    Number read() const {
        if (whole_.size() > 1 && whole_[0] == '0') {
            const char c = whole_[1];
            if (c == 'x' || c == 'X') return in_base(16);
            if (c == 'o') return in_base(8);
            if (c == 'b') return in_base(2);
            if (is_digit(c) || c == '_')
                fail(fmt::format("{} is not a number", whole_), "numbers begin with no 0; octal is 0o17");
        }
        std::string_view text = whole_;
        const auto multiplier = take_multiplier(text);
        if (!multiplier) fail(fmt::format("{} is not a number", whole_));
        if (*multiplier > 1) return multiplied(text, *multiplier);
        if (text.find_first_of(".eE") != text.npos) return real(text);
        return integer(text, 10);
    }

private:
    [[noreturn]] void fail(std::string message, std::string help = {}) const {
        throw SyntaxError{begin_, begin_ + static_cast<uint32_t>(whole_.size()), std::move(message),
                          std::move(help)};
    }
    [[noreturn]] void too_large() const {
        fail(fmt::format("{} is more than 64 bits hold", whole_),
             "larger integers are outside of the subset");
    }

    Number in_base(int base) const { return integer(whole_.substr(2), base); }

    Number integer(std::string_view digits, int base) const {
        uint64_t value = 0;
        switch (read_digits(digits, base, value)) {
        case Digits::malformed:
            fail(fmt::format("{} is not a number", whole_));
        case Digits::too_large:
            too_large();
        case Digits::good:
            break;
        }
        return Number::of(value);
    }

    // Each is between two digits.
    std::string without_underscores(std::string_view text) const {
        std::string digits;
        for (size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '_') {
                if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1]))
                    fail(fmt::format("{} is not a number", whole_));
                continue;
            }
            digits += text[i];
        }
        return digits;
    }

    Number real(std::string_view text) const {
        std::string digits = without_underscores(text);
        if (digits.starts_with('.')) digits.insert(digits.begin(), '0');
        const auto value = parse_real(digits);
        if (!value) fail(fmt::format("{} is not a number, or too large", whole_));
        return Number::of_real(*value);
    }

    // 1.5K is 1500; a remaining fraction means that it is not an integer.
    Number multiplied(std::string_view whole, uint64_t multiplier) const {
        const std::string text = without_underscores(whole);
        const size_t point = text.find('.');
        std::string digits(text.substr(0, point));
        if (point == 0) digits = "0";
        uint64_t divisor = 1;
        if (point != text.npos) {
            const std::string_view fraction = std::string_view(text).substr(point + 1);
            if (fraction.empty() || fraction.size() > 15) fail(fmt::format("{} is not a number", whole_));
            for (const char c : fraction) {
                if (!is_digit(c)) fail(fmt::format("{} is not a number", whole_));
                divisor *= 10;
            }
            digits += fraction;
        }
        const Number number = integer(digits, 10);
        if (number.magnitude > std::numeric_limits<uint64_t>::max() / multiplier) too_large();
        const uint64_t product = number.magnitude * multiplier;
        if (product % divisor != 0) fail(fmt::format("{} is not an integer", whole_));
        return Number::of(product / divisor);
    }

    std::string_view whole_;
    uint32_t begin_;
};

class StringReader {
public:
    StringReader(std::string_view text, uint32_t begin) : text_(text), begin_(begin) {
        while (text_[marks_] == '#') ++marks_;
        quote_ = text_[marks_];
        escape_ = "\\" + std::string(marks_, '#');
    }

    Constant read() {
        const size_t opening = marks_;
        const bool several_lines = text_.size() >= 2 * (marks_ + 3) && text_[opening + 1] == quote_ &&
                                   text_[opening + 2] == quote_ &&
                                   (text_[opening + 3] == '\n' || text_[opening + 3] == '\r');
        if (several_lines)
            read_lines();
        else
            read_piece(marks_ + 1, text_.size() - marks_ - 1);
        const bool is_bytes = quote_ == '\'';
        if (!is_bytes && !is_valid_utf8(out_)) fail(0, text_.size(), "a string that is not UTF-8");
        return Constant::of(std::move(out_), is_bytes ? Constant::Kind::bytes : Constant::Kind::string);
    }

private:
    [[noreturn]] void fail(size_t begin, size_t end, std::string message, std::string help = {}) const {
        throw SyntaxError{begin_ + static_cast<uint32_t>(begin), begin_ + static_cast<uint32_t>(end),
                          std::move(message), std::move(help)};
    }

    // The white space before the closing quotes is removed from all lines.
    void read_lines() {
        size_t begin = text_.find('\n') + 1;
        const size_t end = text_.size() - marks_ - 3;
        const size_t last = text_.rfind('\n', end - 1) + 1; // the line of the closing quotes
        const std::string_view indent = text_.substr(last, end - last);
        if (indent.find_first_not_of(" \t") != indent.npos)
            fail(last, end, "the closing quotes of several lines are on a line of their own");
        bool first = true;
        while (begin < last) {
            size_t line_end = text_.find('\n', begin);
            const size_t next = line_end + 1;
            if (line_end > begin && text_[line_end - 1] == '\r') --line_end;
            if (!first) out_ += '\n';
            first = false;
            const std::string_view line = text_.substr(begin, line_end - begin);
            if (line.starts_with(indent))
                read_piece(begin + indent.size(), line_end);
            else if (!line.empty())
                fail(begin, line_end, "a line that is indented less than the closing quotes");
            begin = next;
        }
    }

    void read_piece(size_t i, size_t end) {
        while (i < end) {
            if (text_[i] == '\\' && text_.substr(i).starts_with(escape_))
                i = read_escape(i, i + escape_.size(), end);
            else
                out_ += text_[i++];
        }
    }

    // `at` is the letter; returns the end of the escape.
    size_t read_escape(size_t begin, size_t at, size_t end) {
        const char c = at < end ? text_[at] : '\0';
        constexpr std::string_view letters = "abfnrtv\\/";
        constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\/";
        if (const size_t found = letters.find(c); found != letters.npos && c != '\0') {
            out_ += meanings[found];
            return at + 1;
        }
        if (c == quote_) {
            out_ += c;
            return at + 1;
        }
        if (c == 'u' || c == 'U') {
            const uint32_t code = digits(begin, at + 1, c == 'u' ? 4 : 8, 16, end);
            if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
                fail(begin, at + (c == 'u' ? 5 : 9), "an escape that is not a Unicode character");
            append_utf8(out_, static_cast<char32_t>(code));
            return at + (c == 'u' ? 5 : 9);
        }
        if (quote_ == '\'' && c == 'x') {
            out_ += static_cast<char>(digits(begin, at + 1, 2, 16, end));
            return at + 3;
        }
        if (quote_ == '\'' && c >= '0' && c <= '7') {
            const uint32_t code = digits(begin, at, 3, 8, end);
            if (code > 255) fail(begin, at + 3, "an escape that is more than a byte");
            out_ += static_cast<char>(code);
            return at + 3;
        }
        fail(begin, std::min(at + 1, end),
             c == 'x' ? "only bytes have the escape \\x" : "no escape that CUE knows",
             marks_ == 0 ? "a backslash itself is \\\\; in #\"…\"# it needs no escape" : "");
    }

    uint32_t digits(size_t begin, size_t at, size_t count, int base, size_t end) const {
        if (at + count > end) fail(begin, end, "an escape that is cut off");
        uint64_t value = 0;
        const std::string_view text = text_.substr(at, count);
        if (text.find('_') != text.npos || read_digits(text, base, value) != Digits::good)
            fail(begin, at + count, "an escape with invalid digits");
        return static_cast<uint32_t>(value);
    }

    std::string_view text_;
    uint32_t begin_;
    size_t marks_ = 0;
    std::string escape_; // what an escape begins with
    char quote_ = '"';
    std::string out_;
};

} // namespace

Number parse_number(std::string_view text, uint32_t begin) {
    return NumberReader(text, begin).read();
}

Constant parse_string(std::string_view text, uint32_t begin) {
    return StringReader(text, begin).read();
}

} // namespace opcat::cue
