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
// - In a pattern with a slash, `**` beside other characters (`a/b**`) makes it match nothing.
// - Names are matched as NamePattern says, malformed patterns match nothing.
#pragma once

#include "ignore/name_pattern.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace opcat {

class IgnoreRules {
public:
    enum class Verdict : uint8_t { none, ignored, kept };

    // The text of a file. There is no text that is not valid.
    static IgnoreRules parse(std::string_view text);

    // What the last pattern that matches a file says; `path` are the components of its path, beginning in the
    // directory that the rules are for. Adds the number of comparisons made to `steps`.
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

} // namespace opcat
