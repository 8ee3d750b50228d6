#include "opcat/cel/token.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace opcat::cel {
namespace {

bool is_digit(char32_t c) {
    return c >= U'0' && c <= U'9';
}
bool is_hex_digit(char32_t c) {
    return is_digit(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}
bool is_octal_digit(char32_t c) {
    return c >= U'0' && c <= U'7';
}
bool begins_name(char32_t c) {
    return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_';
}
bool is_space(char32_t c) {
    return c == U' ' || c == U'\t' || c == U'\r' || c == U'\n' || c == U'\f';
}

// Finds the longest token at one place.
class Scan {
public:
    Scan(const std::u32string& text, size_t begin) : text_(text), begin_(begin) {}

    bool found() const { return end_ > begin_; }
    bool hidden() const { return hidden_; }
    Token token() const { return {kind_, begin_, end_}; }
    size_t end() const { return end_; }

    void run() {
        const char32_t c = at(begin_);
        if (is_space(c)) return take_space();
        if (c == U'/' && at(begin_ + 1) == U'/') return take_comment();
        if (is_digit(c) || c == U'.') take_number();
        if (begins_name(c)) take_name();
        take_string();
        take_escaped_name();
        take_operator();
    }

private:
    // 0 stands for the end; a NUL in the text is not part of any token either, except of strings.
    char32_t at(size_t i) const { return i < text_.size() ? text_[i] : U'\0'; }
    bool ended(size_t i) const { return i >= text_.size(); }
    void accept(TokenKind kind, size_t end) {
        if (end <= end_) return;
        kind_ = kind;
        end_ = end;
    }

    void take_space() {
        size_t i = begin_;
        while (is_space(at(i))) ++i;
        end_ = i;
        hidden_ = true;
    }
    void take_comment() {
        size_t i = begin_;
        while (!ended(i) && at(i) != U'\n') ++i;
        end_ = i;
        hidden_ = true;
    }

    void take_number() {
        size_t i = begin_;
        if (at(i) == U'0' && at(i + 1) == U'x' && is_hex_digit(at(i + 2))) {
            for (i += 2; is_hex_digit(at(i));) ++i;
            accept(TokenKind::integer, i);
            if (at(i) == U'u' || at(i) == U'U') accept(TokenKind::unsigned_integer, i + 1);
            return;
        }
        while (is_digit(at(i))) ++i;
        const bool whole = i > begin_;
        if (whole) {
            accept(TokenKind::integer, i);
            if (at(i) == U'u' || at(i) == U'U') accept(TokenKind::unsigned_integer, i + 1);
        }
        bool fraction = false;
        if (at(i) == U'.' && is_digit(at(i + 1))) {
            for (++i; is_digit(at(i));) ++i;
            accept(TokenKind::real, i);
            fraction = true;
        }
        if ((whole || fraction) && (at(i) == U'e' || at(i) == U'E')) {
            ++i;
            if (at(i) == U'+' || at(i) == U'-') ++i;
            if (!is_digit(at(i))) return;
            while (is_digit(at(i))) ++i;
            accept(TokenKind::real, i);
        }
    }

    void take_name() {
        size_t i = begin_;
        while (begins_name(at(i)) || is_digit(at(i))) ++i;
        const std::u32string_view name(text_.data() + begin_, i - begin_);
        accept(name == U"in"      ? TokenKind::in
               : name == U"true"  ? TokenKind::true_
               : name == U"false" ? TokenKind::false_
               : name == U"null"  ? TokenKind::null
                                  : TokenKind::identifier,
               i);
    }

    void take_escaped_name() {
        if (at(begin_) != U'`') return;
        size_t i = begin_ + 1;
        while (begins_name(at(i)) || is_digit(at(i)) || at(i) == U'.' || at(i) == U'-' || at(i) == U'/' ||
               at(i) == U' ')
            ++i;
        if (at(i) == U'`' && i > begin_ + 1) accept(TokenKind::escaped_identifier, i + 1);
    }

    void take_string() {
        size_t i = begin_;
        TokenKind kind = TokenKind::string;
        if (at(i) == U'b' || at(i) == U'B') {
            kind = TokenKind::bytes;
            ++i;
        }
        bool raw = false;
        if (at(i) == U'r' || at(i) == U'R') {
            raw = true;
            ++i;
        }
        const char32_t quote = at(i);
        if (quote != U'"' && quote != U'\'') return;
        take_quoted(kind, i + 1, quote, raw, 1);
        if (at(i + 1) == quote && at(i + 2) == quote) take_quoted(kind, i + 3, quote, raw, 3);
    }

    void take_quoted(TokenKind kind, size_t i, char32_t quote, bool raw, size_t quotes) {
        for (; !ended(i);) {
            if (at(i) == quote && (quotes == 1 || (at(i + 1) == quote && at(i + 2) == quote)))
                return accept(kind, i + quotes);
            if (quotes == 1 && (at(i) == U'\n' || at(i) == U'\r')) return;
            if (at(i) == U'\\' && !raw) {
                const size_t end = escape_end(i);
                if (end == 0) return;
                i = end;
            } else {
                ++i;
            }
        }
    }

    // After the escape sequence at `i`; 0 if it is none.
    size_t escape_end(size_t i) {
        const char32_t c = at(i + 1);
        const auto digits = [&](size_t count, bool (*good)(char32_t)) -> size_t {
            for (size_t k = 0; k < count; ++k)
                if (!good(at(i + 2 + k))) return 0;
            return i + 2 + count;
        };
        if (c == U'x' || c == U'X') return digits(2, is_hex_digit);
        if (c == U'u') return digits(4, is_hex_digit);
        if (c == U'U') return digits(8, is_hex_digit);
        if (c >= U'0' && c <= U'3') return digits(2, is_octal_digit);
        if (c != 0 && std::u32string_view(U"abfnrtv\"'\\?`").find(c) != std::u32string_view::npos)
            return i + 2;
        return 0;
    }

    void take_operator() {
        static constexpr std::array<std::pair<std::u32string_view, TokenKind>, 24> operators = {{
            {U"==", TokenKind::equal},
            {U"!=", TokenKind::not_equal},
            {U"<", TokenKind::less},
            {U"<=", TokenKind::less_equal},
            {U">=", TokenKind::greater_equal},
            {U">", TokenKind::greater},
            {U"&&", TokenKind::logical_and},
            {U"||", TokenKind::logical_or},
            {U"[", TokenKind::left_bracket},
            {U"]", TokenKind::right_bracket},
            {U"{", TokenKind::left_brace},
            {U"}", TokenKind::right_brace},
            {U"(", TokenKind::left_parenthesis},
            {U")", TokenKind::right_parenthesis},
            {U".", TokenKind::dot},
            {U",", TokenKind::comma},
            {U"-", TokenKind::minus},
            {U"!", TokenKind::exclamation},
            {U"?", TokenKind::question},
            {U":", TokenKind::colon},
            {U"+", TokenKind::plus},
            {U"*", TokenKind::star},
            {U"/", TokenKind::slash},
            {U"%", TokenKind::percent},
        }};
        const std::u32string_view rest = std::u32string_view(text_).substr(begin_, 2);
        for (const auto& [spelling, kind] : operators) {
            if (rest.substr(0, spelling.size()) == spelling) accept(kind, begin_ + spelling.size());
        }
    }

    const std::u32string& text_;
    size_t begin_;
    size_t end_ = 0;
    TokenKind kind_ = TokenKind::end;
    bool hidden_ = false;
};

std::optional<uint64_t> parse_digits(std::string_view digits) {
    int base = 10;
    if (digits.starts_with("0x")) {
        digits.remove_prefix(2);
        base = 16;
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

char32_t number_at(std::string_view digits, int base) {
    uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return static_cast<char32_t>(value);
}

char plain_escape(char c) {
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    default:
        return c;
    }
}

// The escapes of `body`, which the scanner has validated.
std::optional<std::string> unescape(std::string_view body, bool bytes) {
    std::string text;
    for (size_t i = 0; i < body.size();) {
        if (body[i] != '\\') {
            text += body[i++];
            continue;
        }
        const char c = body[i + 1];
        const bool octal = c >= '0' && c <= '3';
        const size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : (c == 'x' || c == 'X' || octal) ? 2 : 0;
        if (digits == 0) {
            text += plain_escape(c);
            i += 2;
            continue;
        }
        const char32_t code =
            octal ? number_at(body.substr(i + 1, 3), 8) : number_at(body.substr(i + 2, digits), 16);
        i += 2 + digits;
        if (bytes) {
            if (digits != 2) return std::nullopt;
            text += static_cast<char>(static_cast<unsigned char>(code));
        } else {
            if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
            append_utf8(text, code);
        }
    }
    return text;
}

} // namespace

std::vector<Token> tokens_of(const Source& source, Issues& issues) {
    const std::u32string& text = source.text();
    std::vector<Token> tokens;
    size_t at = 0;
    while (at < text.size()) {
        Scan scan(text, at);
        scan.run();
        if (!scan.found()) {
            const bool quote = text[at] == U'"' || text[at] == U'\'';
            issues.add(
                at, quote ? "Syntax error: the string that begins here has no end, or a wrong escape sequence"
                          : "Syntax error: unexpected character");
            tokens.push_back({TokenKind::unknown, at, at});
            return tokens;
        }
        if (!scan.hidden()) tokens.push_back(scan.token());
        at = scan.end();
    }
    tokens.push_back({TokenKind::end, text.size(), text.size()});
    return tokens;
}

std::optional<int64_t> parse_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    const auto digits = parse_digits(text.substr(negative ? 1 : 0));
    constexpr auto limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (!digits || *digits > limit + (negative ? 1 : 0)) return std::nullopt;
    return static_cast<int64_t>(negative ? 0 - *digits : *digits);
}

std::optional<uint64_t> parse_unsigned(std::string_view text) {
    return parse_digits(text.substr(0, text.size() - 1));
}

std::optional<Value> parse_string(std::string_view text, bool bytes) {
    if (bytes) text.remove_prefix(1);
    const bool raw = text[0] == 'r' || text[0] == 'R';
    if (raw) text.remove_prefix(1);
    const size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
    const std::string_view body = text.substr(quotes, text.size() - 2 * quotes);
    auto content = raw ? std::optional<std::string>(body) : unescape(body, bytes);
    if (!content) return std::nullopt;
    return bytes ? Value::of_bytes(std::move(*content)) : Value::of_string(std::move(*content));
}

namespace {

constexpr size_t max_reported = 100;

std::string to_text(const Source& source, size_t position, std::string_view message) {
    const std::u32string& text = source.text();
    if (text.empty()) return fmt::format("ERROR: <input>:1:0: {}", message);
    const size_t before = std::min(position, text.size());
    const auto line =
        static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(before), U'\n'));
    size_t begin = before;
    while (begin > 0 && text[begin - 1] != U'\n') --begin;
    const size_t end = std::min(text.find(U'\n', begin), text.size());

    std::string shown = source.part(begin, end);
    std::replace(shown.begin(), shown.end(), '\t', ' ');
    std::string mark;
    // Wide marks under whatever is not ASCII keep the mark in place in most fonts.
    for (size_t i = begin; i < before; ++i) mark += text[i] < 0x80 ? "." : "\xef\xbc\x8e";
    mark += before < end && text[before] >= 0x80 ? "\xef\xbc\xbe" : "^";
    return fmt::format("ERROR: <input>:{}:{}: {}\n | {}\n | {}", line + 1, before - begin + 1, message, shown,
                       mark);
}

} // namespace

Source::Source(std::string_view text) {
    for (const std::string_view character : utf8_characters(text))
        text_ += utf8_sequence_length(character) == character.size() ? decode_utf8(character) : U'\ufffd';
}

std::string Source::part(size_t begin, size_t end) const {
    std::string utf8;
    for (size_t i = begin; i < std::min(end, text_.size()); ++i) append_utf8(utf8, text_[i]);
    return utf8;
}

std::string Issues::to_text(const Source& source) const {
    std::vector<Issue> sorted = issues_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Issue& a, const Issue& b) { return a.position < b.position; });
    std::string text;
    for (size_t i = 0; i < std::min(sorted.size(), max_reported); ++i) {
        if (i > 0) text += '\n';
        text += cel::to_text(source, sorted[i].position, sorted[i].message);
    }
    if (sorted.size() > max_reported)
        text += fmt::format("\n{} more errors were truncated", sorted.size() - max_reported);
    return text;
}

} // namespace opcat::cel
