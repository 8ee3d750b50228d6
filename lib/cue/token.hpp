// Words of CUE.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace opcat::cue {

enum class TokenKind : uint8_t {
    end,
    identifier, // also #X, _x, _#x, true, null, int …
    number,
    string,        // with quotes and marks, as it is written
    interpolation, // a string up to "\(", which no schema may have
    comma,         // written, or implied by the end of a line
    colon,
    dot,
    ellipsis,
    question,
    exclamation,
    ampersand,
    bar,
    star,
    plus,
    minus,
    equal,
    bottom, // _|_
    less,
    less_equal,
    greater,
    greater_equal,
    not_equal,
    match,
    not_match,
    left_parenthesis,
    right_parenthesis,
    left_bracket,
    right_bracket,
    left_brace,
    right_brace,
    other, // CUE's operators that the subset lacks: == / && || @ …
};

struct Token {
    TokenKind kind = TokenKind::end;
    uint32_t begin = 0; // bytes of the file
    uint32_t end = 0;
    bool implied = false; // a comma implied by the end of a line
};

// A mistake in the text of a schema, and its place. Only thrown inside lib/cue: by the lexer and the parser.
struct SyntaxError {
    uint32_t begin;
    uint32_t end;
    std::string message;
    std::string help = {};
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    // Continues at a byte where a token begins.
    void move_to(uint32_t offset) {
        at_ = offset;
        ends_declaration_ = false;
    }

    // Throws SyntaxError for text that is not a CUE token.
    Token next();

private:
    char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    // Returns true if a line has ended that ends a declaration.
    bool skip_space();
    Token take(TokenKind kind, size_t end);
    Token take_name();
    Token take_number();
    Token take_string();
    Token take_operator();

    std::string_view text_;
    size_t at_ = 0;
    bool ends_declaration_ = false; // the last token may end a declaration
};

} // namespace opcat::cue
