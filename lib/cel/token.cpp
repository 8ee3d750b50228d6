#include "cel/token.hpp"

#include <algorithm>
#include <array>
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

// Looks for the longest token at one place. `stuck` is the first character that no token could have there:
// when there is no token at all, the message shows the text up to it.
class Scan {
public:
    Scan(const std::u32string& text, size_t begin) : text_(text), begin_(begin), stuck_(begin) {}

    bool found() const { return end_ > begin_; }
    bool hidden() const { return hidden_; }
    Token token() const { return {kind_, begin_, end_}; }
    size_t end() const { return end_; }
    size_t stuck() const { return stuck_; }

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
    // 0 stands for the end; a NUL in the text is no part of any token either, except of strings.
    char32_t at(size_t i) const { return i < text_.size() ? text_[i] : U'\0'; }
    bool ended(size_t i) const { return i >= text_.size(); }
    void accept(TokenKind kind, size_t end) {
        if (end <= end_) return;
        kind_ = kind;
        end_ = end;
    }
    void fail_at(size_t i) { stuck_ = std::max(stuck_, i); }

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
        if (at(i) == U'`' && i > begin_ + 1)
            accept(TokenKind::escaped_identifier, i + 1);
        else
            fail_at(i);
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
            if (quotes == 1 && (at(i) == U'\n' || at(i) == U'\r')) return fail_at(i);
            if (at(i) == U'\\' && !raw) {
                const size_t end = escape_end(i);
                if (end == 0) return;
                i = end;
            } else {
                ++i;
            }
        }
        fail_at(i);
    }

    // Behind the escape sequence at `i`; 0 if it is none.
    size_t escape_end(size_t i) {
        const char32_t c = at(i + 1);
        const auto digits = [&](size_t count, bool (*good)(char32_t)) -> size_t {
            for (size_t k = 0; k < count; ++k)
                if (!good(at(i + 2 + k))) {
                    fail_at(i + 2 + k);
                    return 0;
                }
            return i + 2 + count;
        };
        if (c == U'x' || c == U'X') return digits(2, is_hex_digit);
        if (c == U'u') return digits(4, is_hex_digit);
        if (c == U'U') return digits(8, is_hex_digit);
        if (c >= U'0' && c <= U'3') return digits(2, is_octal_digit);
        if (c != 0 && std::u32string_view(U"abfnrtv\"'\\?`").find(c) != std::u32string_view::npos)
            return i + 2;
        fail_at(i + 1);
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
        const std::u32string_view rest(text_.data() + begin_, std::min<size_t>(2, text_.size() - begin_));
        for (const auto& [spelling, kind] : operators) {
            if (rest.substr(0, spelling.size()) == spelling)
                accept(kind, begin_ + spelling.size());
            else if (spelling.size() == 2 && spelling[0] == rest[0])
                fail_at(begin_ + 1);
        }
    }

    const std::u32string& text_;
    size_t begin_;
    size_t end_ = 0;
    size_t stuck_;
    TokenKind kind_ = TokenKind::end;
    bool hidden_ = false;
};

} // namespace

std::string_view display_name(TokenKind kind) {
    static constexpr std::array<std::string_view, 36> names = {
        "<EOF>",  "'=='",  "'!='",       "'in'",          "'<'",    "'<='",      "'>='",    "'>'",
        "'&&'",   "'||'",  "'['",        "']'",           "'{'",    "'}'",       "'('",     "')'",
        "'.'",    "','",   "'-'",        "'!'",           "'?'",    "':'",       "'+'",     "'*'",
        "'/'",    "'%'",   "'true'",     "'false'",       "'null'", "NUM_FLOAT", "NUM_INT", "NUM_UINT",
        "STRING", "BYTES", "IDENTIFIER", "ESC_IDENTIFIER"};
    return names[static_cast<size_t>(kind)];
}

std::vector<Token> tokens_of(const Source& source, Issues& issues) {
    const std::u32string& text = source.text();
    std::vector<Token> tokens;
    size_t at = 0;
    while (at < text.size()) {
        Scan scan(text, at);
        scan.run();
        if (!scan.found()) {
            // The scanner goes on behind the character it could not use.
            const size_t next = std::min(scan.stuck() + 1, text.size());
            issues.add(at, "Syntax error: token recognition error at: '" + source.part(at, next) + "'");
            at = next;
            continue;
        }
        if (!scan.hidden()) tokens.push_back(scan.token());
        at = scan.end();
    }
    tokens.push_back({TokenKind::end, text.size(), text.size()});
    return tokens;
}

} // namespace opcat::cel
