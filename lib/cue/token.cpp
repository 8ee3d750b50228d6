#include "opcat/cue/token.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opcat::cue {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

// A line end after one of these ends a declaration.
bool may_end_declaration(TokenKind kind) {
    switch (kind) {
    case TokenKind::identifier:
    case TokenKind::number:
    case TokenKind::string:
    case TokenKind::bottom:
    case TokenKind::ellipsis:
    case TokenKind::question:
    case TokenKind::right_parenthesis:
    case TokenKind::right_bracket:
    case TokenKind::right_brace:
        return true;
    default:
        return false;
    }
}

constexpr std::pair<std::string_view, TokenKind> operators[] = {
    {"_|_", TokenKind::bottom},
    {"...", TokenKind::ellipsis},
    {"==", TokenKind::other},
    {"!=", TokenKind::not_equal},
    {"!~", TokenKind::not_match},
    {"=~", TokenKind::match},
    {"<=", TokenKind::less_equal},
    {"<-", TokenKind::other},
    {">=", TokenKind::greater_equal},
    {"&&", TokenKind::other},
    {"||", TokenKind::other},
    {"<", TokenKind::less},
    {">", TokenKind::greater},
    {"=", TokenKind::equal},
    {"!", TokenKind::exclamation},
    {"?", TokenKind::question},
    {"&", TokenKind::ampersand},
    {"|", TokenKind::bar},
    {"*", TokenKind::star},
    {"+", TokenKind::plus},
    {"-", TokenKind::minus},
    {"/", TokenKind::other},
    {"@", TokenKind::other},
    {",", TokenKind::comma},
    {":", TokenKind::colon},
    {".", TokenKind::dot},
    {"(", TokenKind::left_parenthesis},
    {")", TokenKind::right_parenthesis},
    {"[", TokenKind::left_bracket},
    {"]", TokenKind::right_bracket},
    {"{", TokenKind::left_brace},
    {"}", TokenKind::right_brace},
};

} // namespace

Token Lexer::take(TokenKind kind, size_t end) {
    const Token token{kind, static_cast<uint32_t>(at_), static_cast<uint32_t>(end)};
    at_ = end;
    ends_declaration_ = may_end_declaration(kind);
    return token;
}

bool Lexer::skip_space() {
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '\n' && ends_declaration_) return true;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            ++at_;
        else if (c == '/' && at(at_ + 1) == '/')
            at_ = std::min(text_.find('\n', at_), text_.size());
        else
            return false;
    }
    return ends_declaration_;
}

Token Lexer::next() {
    if (skip_space()) {
        Token comma = take(TokenKind::comma, at_);
        comma.implied = true;
        return comma;
    }
    if (at_ >= text_.size()) return take(TokenKind::end, at_);
    const char c = text_[at_];
    if (text_.substr(at_, 3) == "_|_") return take(TokenKind::bottom, at_ + 3);
    if (c == '#' && (at(at_ + 1) == '"' || at(at_ + 1) == '\'' || at(at_ + 1) == '#')) return take_string();
    if (is_letter(c) || c == '#') return take_name();
    if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return take_number();
    if (c == '"' || c == '\'') return take_string();
    return take_operator();
}

Token Lexer::take_name() {
    size_t i = at_;
    if (at(i) == '_' && at(i + 1) == '#') ++i;
    if (at(i) == '#') ++i;
    const size_t letters = i;
    while (is_letter(at(i)) || is_digit(at(i))) ++i;
    if (i == letters || (at(at_) == '#' && is_digit(at(letters))))
        throw SyntaxError{static_cast<uint32_t>(at_), static_cast<uint32_t>(i),
                          "\"#\" needs a name after it"};
    return take(TokenKind::identifier, i);
}

// All characters that may be part of a number; parse_number decides whether it is one.
Token Lexer::take_number() {
    size_t i = at_;
    const bool decimal = at(i) != '0' || is_digit(at(i + 1)) || !is_letter(at(i + 1));
    while (is_digit(at(i)) || is_letter(at(i)) || (at(i) == '.' && at(i + 1) != '.')) {
        const bool exponent = decimal && (at(i) == 'e' || at(i) == 'E');
        ++i;
        if (exponent && (at(i) == '+' || at(i) == '-')) ++i;
    }
    return take(TokenKind::number, i);
}

Token Lexer::take_string() {
    size_t i = at_;
    while (at(i) == '#') ++i;
    const std::string marks(i - at_, '#');
    const char quote = at(i);
    const auto error = [&](std::string message, std::string help = {}) {
        return SyntaxError{static_cast<uint32_t>(at_), static_cast<uint32_t>(std::min(i, text_.size())),
                           std::move(message), std::move(help)};
    };
    if (quote != '"' && quote != '\'') throw error("\"#\" needs a name or a string after it");
    const bool multiline = at(i + 1) == quote && at(i + 2) == quote && at(i + 3) == '\n';
    const bool multiline_crlf = at(i + 1) == quote && at(i + 2) == quote && at(i + 3) == '\r';
    const bool long_form = multiline || multiline_crlf;
    const std::string closing = std::string(long_form ? 3 : 1, quote) + marks;
    const std::string escape = "\\" + marks;
    i += long_form ? 3 : 1;
    for (; i < text_.size(); ++i) {
        if (text_.substr(i).starts_with(closing)) return take(TokenKind::string, i + closing.size());
        if (text_[i] == '\n' && !long_form) break;
        if (!text_.substr(i).starts_with(escape)) continue;
        if (at(i + escape.size()) == '(') return take(TokenKind::interpolation, i + escape.size() + 1);
        i += escape.size();
    }
    throw error("a string without an end", long_form
                                               ? "end it with " + closing
                                               : "a string of several lines begins and ends with \"\"\"");
}

Token Lexer::take_operator() {
    const std::string_view rest = text_.substr(at_);
    for (const auto& [spelling, kind] : operators)
        if (rest.starts_with(spelling)) return take(kind, at_ + spelling.size());
    const size_t length = std::max<size_t>(utf8_sequence_length(rest), 1);
    throw SyntaxError{static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length),
                      fmt::format("'{}' is not a word of CUE", escape_controls(rest.substr(0, length))),
                      length > 1 ? "a name with other letters than a to z must be in quotes" : ""};
}

} // namespace opcat::cue
