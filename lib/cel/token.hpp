// Words of the language.
#pragma once

#include "cel/issues.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cel {

// In the order in which messages list what was expected.
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
};

// As messages name it: "'('", "IDENTIFIER", "<EOF>".
std::string_view display_name(TokenKind kind);

struct Token {
    TokenKind kind = TokenKind::end;
    size_t begin = 0; // code points of the source
    size_t end = 0;
};

// All tokens, the last one being the end. What is no token is told and skipped.
std::vector<Token> tokens_of(const Source& source, Issues& issues);

} // namespace opcat::cel
