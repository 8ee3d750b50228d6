#include "cel/error_strategy.hpp"

#include <fmt/core.h>

namespace opcat::cel {

std::string TokenSet::to_string() const {
    std::string text;
    size_t count = 0;
    for (unsigned i = 0; i <= static_cast<unsigned>(TokenKind::escaped_identifier); ++i) {
        const auto kind = static_cast<TokenKind>(i);
        if (!contains(kind)) continue;
        if (count++ > 0) text += ", ";
        text += display_name(kind);
    }
    return count == 1 ? text : '{' + text + '}';
}

TokenSet TokenStream::with_context(TokenSet set) const {
    for (size_t i = rules_.size(); set.may_end() && i > 0; --i) set = set.without_end() | rules_[i - 1];
    return set.may_end() ? set.without_end() | TokenSet{TokenKind::end} : set;
}

TokenSet TokenStream::followers() const {
    TokenSet all;
    for (const TokenSet& follow : rules_) all = all | follow.without_end();
    return all;
}

void TokenStream::use() {
    if (at_ + 1 < tokens_.size()) ++at_;
}

std::string TokenStream::quoted(size_t begin, size_t end) const {
    std::string text = "'";
    for (const char c : source_.part(begin, end)) {
        if (c == '\n')
            text += "\\n";
        else if (c == '\r')
            text += "\\r";
        else if (c == '\t')
            text += "\\t";
        else
            text += c;
    }
    return text + '\'';
}

std::string TokenStream::shown(const Token& token) const {
    return token.kind == TokenKind::end ? "'<EOF>'" : quoted(token.begin, token.end);
}

void TokenStream::recovered() {
    recovering_ = false;
    last_mistake_ = SIZE_MAX;
    last_states_.clear();
}

void TokenStream::report(size_t position, std::string message) {
    if (recovering_) return;
    recovering_ = true;
    issues_.add(position, "Syntax error: " + std::move(message));
}

TokenStream::Mistake TokenStream::mismatch(TokenSet expected, int state) const {
    return {
        fmt::format("mismatched input {} expecting {}", shown(token()), with_context(expected).to_string()),
        token().begin, state};
}

bool TokenStream::skip_superfluous(TokenSet expected) {
    const TokenSet all = with_context(expected);
    if (!all.contains(kind(1))) return false;
    report(token().begin, fmt::format("extraneous input {} expecting {}", shown(token()), all.to_string()));
    use();
    recovered();
    return true;
}

Token TokenStream::match(TokenKind wanted, TokenSet next, int state) {
    const TokenSet expected{wanted};
    if (kind() != wanted && !skip_superfluous(expected)) {
        if (!with_context(next).contains(kind())) throw mismatch(expected, state);
        report(token().begin, fmt::format("missing {} at {}", expected.to_string(), shown(token())));
        return {wanted, token().begin, token().begin};
    }
    const Token found = token();
    recovered();
    use();
    return found;
}

void TokenStream::expect(TokenSet expected, int state) {
    if (recovering_ || expected.may_end() || expected.contains(kind())) return;
    if (!skip_superfluous(expected)) throw mismatch(expected, state);
}

void TokenStream::expect_more(TokenSet expected) {
    if (recovering_ || expected.contains(kind())) return;
    report(token().begin, fmt::format("extraneous input {} expecting {}", shown(token()),
                                      with_context(expected).to_string()));
    skip_until(with_context(expected) | followers());
}

void TokenStream::no_way_on(size_t ahead, int state) const {
    const Token& offending = token(ahead);
    throw Mistake{"no viable alternative at input " + quoted(token().begin, offending.end), offending.begin,
                  state};
}

void TokenStream::skip_until(TokenSet set) {
    while (kind() != TokenKind::end && !set.contains(kind())) use();
}

void TokenStream::recover(const Mistake& mistake) {
    report(mistake.position, mistake.message);
    // The same mistake at the same place again: without a token less this would go on for ever.
    if (last_mistake_ == at_ && last_states_.contains(mistake.state)) use();
    last_mistake_ = at_;
    last_states_.insert(mistake.state);
    skip_until(followers());
}

} // namespace opcat::cel
