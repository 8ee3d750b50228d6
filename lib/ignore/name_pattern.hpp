// A shell pattern for one component of a path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

// `*` (any run of characters), `?` (one character), `[a-z]` and `[^a-z]` (one character of a class), `\c` (c
// itself); everything else stands for itself. Characters are UTF-8 code points; a byte of a name that belongs
// to no valid sequence counts as U+FFFD. The syntax is that of Go's path.Match, which decides for opm: `[!a]`
// is the class of `!` and `a`, and a `]` or `-` inside a class must be escaped.
class NamePattern {
public:
    // Nothing if `text` is malformed: a class without its end or with nothing in it, a `\` at the end.
    static std::optional<NamePattern> parse(std::string_view text);

    // Whether all of `name` matches. Takes at most O(name × pattern) steps and adds their number to `steps`.
    bool matches(std::string_view name, uint64_t& steps) const;

private:
    enum class Kind : uint8_t { byte, any_character, any_run, one_of };
    struct Token {
        Kind kind;
        char byte = 0;            // of Kind::byte
        uint32_t class_index = 0; // of Kind::one_of
    };
    // UTF-8 sorts as its code points do, so the ends of ranges stay encoded.
    struct CharacterClass {
        bool negated = false;
        std::vector<std::pair<std::string, std::string>> ranges;
        bool contains(std::string_view character) const;
    };

    bool parse_class(std::string_view& rest);

    std::vector<Token> tokens_;
    std::vector<CharacterClass> classes_;
};

} // namespace opcat
