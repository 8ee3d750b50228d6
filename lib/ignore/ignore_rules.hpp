// The patterns of one .indexignore file.
//
// They are read and applied as opm does it, which is gitignore(5) with these differences:
// - Patterns are asked about files by their whole path; whether a directory above is ignored plays no part.
// So a later `!`
//   pattern takes back a file below an ignored directory.
// - A pattern applies to what is below the things it matches, a `!` pattern too: `!docs` takes back all of
// docs/.
// - Blanks around a pattern are dropped, an escaped one at the end as well. A byte order mark is part of the
// pattern.
// - `**` takes as few directories as it can and is not tried with more: `**/a/b` does not match a/x/a/b. A
// trailing `/**`
//   changes nothing: `a/**` also matches a file a, and `/**` matches nothing.
// - In a pattern with a slash, `**` next to other characters (`a/b**`) makes it match nothing.
// - Names are matched as NamePattern says, malformed patterns match nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

// `*` (any run of characters), `?` (one character), `[a-z]` and `[^a-z]` (one character of a class), `\c` (c
// itself); every other character matches itself. Characters are UTF-8 code points; a byte of a name outside a
// valid sequence counts as U+FFFD. The syntax is that of Go's path.Match, which opm uses: `[!a]` is the class
// of `!` and `a`, and a `]` or `-` inside a class must be escaped.
class NamePattern {
public:
    // Nothing if `text` is malformed: an unterminated or empty class, a `\` at the end.
    static std::optional<NamePattern> parse(std::string_view text);

    // Returns true if all of `name` matches. Takes at most O(name × pattern) steps and adds their number to
    // `steps`.
    bool matches(std::string_view name, uint64_t& steps) const;

private:
    enum class Kind : uint8_t { byte, any_character, any_run, one_of };
    struct Token {
        Kind kind;
        char byte = 0;            // of Kind::byte
        uint32_t class_index = 0; // of Kind::one_of
    };
    // UTF-8 sorts like its code points, so the ends of ranges stay encoded.
    struct CharacterClass {
        bool negated = false;
        std::vector<std::pair<std::string, std::string>> ranges;
        bool contains(std::string_view character) const;
    };

    bool parse_class(std::string_view& rest);

    std::vector<Token> tokens_;
    std::vector<CharacterClass> classes_;
};

class IgnoreRules {
public:
    enum class Verdict : uint8_t { none, ignored, kept };

    // The text of a file. Every text is valid.
    static IgnoreRules parse(std::string_view text);

    // The verdict of the last pattern that matches a file; `path` are the components of its path, from the
    // directory that the rules are for. Adds the number of comparisons to `steps`.
    Verdict verdict(std::span<const std::string_view> path, uint64_t& steps) const;

private:
    struct Component {
        NamePattern name;
        bool at_any_depth; // directories may come before it
    };
    struct Pattern {
        std::vector<Component> components;
        bool negated = false;
        bool directories_only = false;

        bool matches(std::span<const std::string_view> path, uint64_t& steps) const;
    };

    void add(std::string_view line);

    std::vector<Pattern> patterns_;
};

constexpr std::string_view ignore_file_name = ".indexignore";

// A walk makes one for the root, adds the rules of the root's file if there is one, and then makes the scope
// of each directory from its parent's. A copy costs one pointer per active file; the rules are shared.
// Rules of a deeper directory take precedence over those of a higher one. If the deeper directory's name
// sorts before ".indexignore" it is the other way round, because opm orders patterns as a sorted walk finds
// them. A directory called .indexignore is an ordinary directory.
class IgnoreScope { // as constructed: the scope of the root
public:
    // Adds the rules of this directory's own file. At most once, and before any enter().
    void set_rules(IgnoreRules rules);

    // The scope of a subdirectory.
    IgnoreScope enter(std::string_view name) const;

    // `path` are the components of a file's path from the root of the walk. Adds the number of comparisons to
    // `steps`.
    bool is_ignored(std::span<const std::string_view> path, uint64_t& steps) const;

private:
    struct Layer {
        std::shared_ptr<const IgnoreRules> rules;
        size_t depth; // components of the path that lead to the rules' directory
    };
    std::vector<Layer> layers_; // the weakest first
    size_t depth_ = 0;
    size_t own_position_ = 0; // in layers_, of this directory's rules, whether it has any or not
    bool has_rules_ = false;
};

} // namespace opcat
