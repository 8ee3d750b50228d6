// The pieces that constraints are written in, whose grammar the library gives as regular expressions. In all
// places where they stand there is but one way to read on, so that no step needs to be taken back.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace opcat::semver {

// Go's \s, which knows no vertical tab.
constexpr bool is_regexp_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

// Where the white space that begins at `at` ends.
size_t skip_space(std::string_view text, size_t at);

// The longest text of the characters of operators at `at`.
std::string_view operator_at(std::string_view text, size_t at);

// Whether `text` is an operator; no operator at all is one.
bool is_operator(std::string_view text);

struct WrittenVersion {
    std::string_view text;       // all of it
    std::string_view numbers[3]; // as written: digits, x, X, * or |; the second and third may be empty
    std::string_view prerelease; // without its "-"
};

// The longest version at `at`; nothing if none begins there.
std::optional<WrittenVersion> version_at(std::string_view text, size_t at);

// Where the "-rc.1+build" that begins at `at` ends; `at` if there is none.
size_t end_of_suffixes(std::string_view text, size_t at);

} // namespace opcat::semver
