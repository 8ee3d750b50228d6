// Versions (docs/spec/versions.md): parsing, comparing, and their dot-separated identifiers.
#pragma once

#include "opcat/base/error.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace opcat::semver {

bool is_all_digits(std::string_view text); // true of ""
bool is_identifier(std::string_view text); // one or more of [0-9A-Za-z-]

// A number with a superfluous leading zero.
inline bool has_leading_zero(std::string_view digits) {
    return digits.size() > 1 && digits[0] == '0';
}

// The value of decimal digits; nothing if `digits` is empty, contains other characters, or exceeds 64 bits.
std::optional<uint64_t> parse_number(std::string_view digits);
// Go's message that `digits` (all digits) exceed the range.
std::string number_error(std::string_view digits);

// Removes the first identifier from `rest`; "a" of "a.b", and "" of ".b".
std::string_view next_identifier(std::string_view& rest);

// The end of the non-empty identifiers that begin at `at`; `at` itself if there are none.
size_t end_of_identifiers(std::string_view text, size_t at);

// Why a prerelease identifier is not valid, in blang's words; empty if it is.
std::string prerelease_identifier_error(std::string_view identifier);

// Compares two lists of non-empty identifiers, numbers without leading zeros: pairwise, numbers by value and
// before all others, others by their bytes; a prefix comes first. Digits beyond 64 bits are not numbers.
std::strong_ordering compare_identifiers(std::string_view a, std::string_view b);

// A version of semver.org 2.0.0, as parsed by the two Go libraries that OLM uses: blang/semver v4 for the
// versions of bundles, Masterminds/semver v3 for what users ask for. The messages of ParseErrors are those of
// these libraries, word for word.
// Identifiers are non-empty, of [0-9A-Za-z-], and joined by dots; their numbers have no leading zeros.
struct Version {
    uint64_t major = 0;
    uint64_t minor = 0;
    uint64_t patch = 0;
    std::string prerelease; // "rc.1"; empty: none
    std::string build;      // "git.5114f85"; empty: none; its numbers may have leading zeros

    // blang `Parse`: all three numbers, no leading zeros, no "v". For bundles and skip ranges.
    static Parsed<Version> parse(std::string_view text);
    // blang `ParseTolerant`: accepts white space around it, a "v", leading zeros and missing numbers.
    static Parsed<Version> parse_tolerant(std::string_view text);
    // Masterminds `NewVersion`: accepts a "v", leading zeros and missing numbers.
    static Parsed<Version> parse_coercing(std::string_view text);
    // Masterminds `StrictNewVersion`. Accepts what `parse` accepts up to 256 bytes and, in addition, numbers
    // in a prerelease that exceed 64 bits; they compare as text.
    static Parsed<Version> parse_masterminds_strict(std::string_view text);

    // "1.2.3-rc.1+git.5114f85"
    std::string to_string() const;

    // The prerelease part of precedence.
    static std::strong_ordering compare_prereleases(const Version& a, const Version& b) {
        if (a.prerelease.empty() || b.prerelease.empty())
            return a.prerelease.empty() <=> b.prerelease.empty(); // none comes after any
        return compare_identifiers(a.prerelease, b.prerelease);
    }

    // Precedence ignores build metadata, so equal versions may be different ones. Both libraries agree on it.
    friend std::weak_ordering operator<=>(const Version& a, const Version& b) {
        if (a.major != b.major) return a.major <=> b.major;
        if (a.minor != b.minor) return a.minor <=> b.minor;
        if (a.patch != b.patch) return a.patch <=> b.patch;
        return compare_prereleases(a, b);
    }
    friend bool operator==(const Version& a, const Version& b) { return std::is_eq(a <=> b); }
};

} // namespace opcat::semver
