// Versions after semver.org 2.0.0, as the two Go libraries read them that OLM uses: blang/semver v4 for the
// versions of bundles, Masterminds/semver v3 for what users ask for.
#pragma once

#include "base/result.hpp"
#include "semver/identifiers.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace opcat::semver {

struct ParseError {
    std::string message; // word for word what the Go library says that OLM uses
    size_t offset = 0;   // the bytes of the input that it is about: up to its end
    size_t length = 0;   // 0: something is missing at the offset
};

// An error about `part`, which is a piece of `input`.
inline ParseError error_about(std::string_view input, std::string_view part, std::string message) {
    return {std::move(message), static_cast<size_t>(part.data() - input.data()), part.size()};
}

template <typename T>
using Parsed = Result<T, ParseError>;

// Identifiers are non-empty, of [0-9A-Za-z-], and joined by dots; their numbers have no leading zeros.
struct Version {
    uint64_t major = 0;
    uint64_t minor = 0;
    uint64_t patch = 0;
    std::string prerelease; // "rc.1"; empty: none
    std::string build;      // "git.5114f85"; empty: none; its numbers may have leading zeros

    // blang `Parse`: all three numbers, no leading zeros, no "v". What bundles and skip ranges hold.
    static Parsed<Version> parse(std::string_view text);
    // blang `ParseTolerant`: white space around it, a "v", leading zeros and missing numbers are forgiven.
    static Parsed<Version> parse_tolerant(std::string_view text);
    // Masterminds `NewVersion`: a "v", leading zeros and missing numbers are forgiven.
    static Parsed<Version> parse_coercing(std::string_view text);
    // Masterminds `StrictNewVersion`. Takes what `parse` takes up to 256 bytes and, beyond that, numbers in a
    // prerelease that need more than 64 bits; they compare as text.
    static Parsed<Version> parse_masterminds_strict(std::string_view text);

    // "1.2.3-rc.1+git.5114f85"
    std::string to_string() const;

    // The prerelease part of precedence.
    static std::strong_ordering compare_prereleases(const Version& a, const Version& b) {
        if (a.prerelease.empty() || b.prerelease.empty())
            return a.prerelease.empty() <=> b.prerelease.empty(); // none comes after any
        return compare_identifiers(a.prerelease, b.prerelease);
    }

    // Precedence: build metadata does not count, so equal versions may be different ones. Both libraries
    // agree on it.
    friend std::weak_ordering operator<=>(const Version& a, const Version& b) {
        if (a.major != b.major) return a.major <=> b.major;
        if (a.minor != b.minor) return a.minor <=> b.minor;
        if (a.patch != b.patch) return a.patch <=> b.patch;
        return compare_prereleases(a, b);
    }
    friend bool operator==(const Version& a, const Version& b) { return std::is_eq(a <=> b); }
};

} // namespace opcat::semver
