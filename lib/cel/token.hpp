// The text of an expression: its tokens, the values of literals, and issues.
#pragma once

#include "opcat/cel/value.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cel {

// The text as code points; all positions count these.
class Source {
public:
    explicit Source(std::string_view text);

    const std::u32string& text() const { return text_; }
    // A part as UTF-8.
    std::string part(size_t begin, size_t end) const;

private:
    std::u32string text_;
};

// The issues of an expression, in cel-go's layout, because OLM shows it to users.
class Issues {
public:
    void add(size_t position, std::string message) { issues_.push_back({position, std::move(message)}); }
    bool empty() const { return issues_.empty(); }

    // Each with its line and a mark below its place, sorted by place.
    std::string to_text(const Source& source) const;

private:
    struct Issue {
        size_t position;
        std::string message;
    };
    std::vector<Issue> issues_;
};

enum class TokenKind : uint8_t {
    end,
    equal,
    not_equal,
    in,
    less,
    less_equal,
    greater_equal,
    greater,
    logical_and,
    logical_or,
    left_bracket,
    right_bracket,
    left_brace,
    right_brace,
    left_parenthesis,
    right_parenthesis,
    dot,
    comma,
    minus,
    exclamation,
    question,
    colon,
    plus,
    star,
    slash,
    percent,
    true_,
    false_,
    null,
    real,
    integer,
    unsigned_integer,
    string,
    bytes,
    identifier,
    escaped_identifier,
    unknown, // not a token
};

class TokenSet {
public:
    constexpr TokenSet(std::initializer_list<TokenKind> kinds) {
        for (const TokenKind kind : kinds) bits_ |= bit(kind);
    }
    constexpr bool contains(TokenKind kind) const { return bits_ & bit(kind); }
    friend constexpr TokenSet operator|(TokenSet a, TokenSet b) {
        a.bits_ |= b.bits_;
        return a;
    }

private:
    static constexpr uint64_t bit(TokenKind kind) { return uint64_t{1} << static_cast<unsigned>(kind); }
    uint64_t bits_ = 0;
};

struct Token {
    TokenKind kind = TokenKind::end;
    size_t begin = 0; // code points of the source
    size_t end = 0;
};

// All tokens. The last one is the end, or `unknown` at the first place without a valid token, which is an
// issue.
std::vector<Token> tokens_of(const Source& source, Issues& issues);

// Digits, or 0x and hex digits, with an optional sign.
std::optional<int64_t> parse_integer(std::string_view text);
// With the "u" at the end.
std::optional<uint64_t> parse_unsigned(std::string_view text);

// With prefix and quotes. Nothing if an escape does not name a character, or one that is not allowed in
// bytes.
std::optional<Value> parse_string(std::string_view text, bool bytes);

} // namespace opcat::cel
