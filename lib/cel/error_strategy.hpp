// How the parser finds back when it meets a token that it cannot use.
#pragma once

#include "cel/issues.hpp"
#include "cel/token.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace opcat::cel {

// Kinds of tokens, and whether the rule may end.
class TokenSet {
public:
    constexpr TokenSet() = default;
    constexpr TokenSet(std::initializer_list<TokenKind> kinds) {
        for (const TokenKind kind : kinds) bits_ |= bit(kind);
    }
    // The rule may end here, and what follows it comes.
    static constexpr TokenSet rule_end() {
        TokenSet set;
        set.bits_ = end_of_rule;
        return set;
    }
    constexpr bool contains(TokenKind kind) const { return bits_ & bit(kind); }
    constexpr bool may_end() const { return bits_ & end_of_rule; }
    constexpr TokenSet without_end() const {
        TokenSet set;
        set.bits_ = bits_ & ~end_of_rule;
        return set;
    }
    friend constexpr TokenSet operator|(TokenSet a, TokenSet b) {
        TokenSet set;
        set.bits_ = a.bits_ | b.bits_;
        return set;
    }
    // "')'" or "{'[', IDENTIFIER}"
    std::string to_string() const;

private:
    static constexpr uint64_t end_of_rule = uint64_t{1} << 63;
    static constexpr uint64_t bit(TokenKind kind) { return uint64_t{1} << static_cast<unsigned>(kind); }
    uint64_t bits_ = 0;
};

// The tokens of an expression, read one by one, with the recovery that ANTLR's parsers have: cel-go is one of
// them, and its messages are what OLM shows. A token that is one too many is skipped, one that is missing is
// made up; otherwise the rule is given up (Mistake is thrown), and the parser skips to a token that can
// follow one of the rules it is in. A message is followed by another only after some token was used.
class TokenStream {
public:
    struct Mistake {
        std::string message;
        size_t position;
        int state;
    };

    TokenStream(const Source& source, Issues& issues)
        : source_(source), issues_(issues), tokens_(tokens_of(source, issues)) {}

    TokenKind kind(size_t ahead = 0) const { return token(ahead).kind; }
    const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

    // Rules call each other; `follow` is what can come behind one where it is called.
    void enter(TokenSet follow) { rules_.push_back(follow); }
    void leave() { rules_.pop_back(); }

    // Reads a token of this kind. `next` is what can follow it. `state` is a number for the place in the
    // grammar.
    Token match(TokenKind wanted, TokenSet next, int state);
    // At an optional part or a choice: `expected` are all tokens that make sense.
    void expect(TokenSet expected, int state);
    // The same behind a repeated part.
    void expect_more(TokenSet expected);
    // The tokens up to `ahead` make no sense together.
    [[noreturn]] void no_way_on(size_t ahead, int state) const;

    // A rule was given up.
    void recover(const Mistake& mistake);

private:
    TokenSet with_context(TokenSet set) const;
    TokenSet followers() const;
    void use();
    void report(size_t position, std::string message);
    bool skip_superfluous(TokenSet expected);
    void skip_until(TokenSet set);
    void recovered();
    std::string quoted(size_t begin, size_t end) const;
    std::string shown(const Token& token) const;
    Mistake mismatch(TokenSet expected, int state) const;

    const Source& source_;
    Issues& issues_;
    std::vector<Token> tokens_;
    std::vector<TokenSet> rules_;
    size_t at_ = 0;
    bool recovering_ = false;
    size_t last_mistake_ = SIZE_MAX;
    std::set<int> last_states_;
};

} // namespace opcat::cel
