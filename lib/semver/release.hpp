// A bundle's version together with its release: the same software, packaged again. OLM v1 orders bundles by
// both.
#pragma once

#include "opcat/semver/version.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::semver {

// Identifiers as of a prerelease, joined by dots, at most 20 bytes; or none at all.
class Release {
public:
    static constexpr size_t max_size = 20;

    Release() = default;
    // An error for every invalid segment. "" is the release without identifiers.
    static Parsed<Release> parse(std::string_view text);

    const std::string& to_string() const { return identifiers_; }

    // No identifiers come first.
    friend std::strong_ordering operator<=>(const Release& a, const Release& b) {
        return compare_identifiers(a.identifiers_, b.identifiers_);
    }
    friend bool operator==(const Release&, const Release&) = default;

private:
    std::string identifiers_;
};

struct VersionRelease {
    Version version;
    std::optional<Release> release; // one without identifiers compares like none, but was written

    // For bundles of registry+v1, which have no field for it: build metadata that is a valid release becomes
    // the release, and is removed from the version; other build metadata stays.
    static Parsed<VersionRelease> parse_legacy(std::string_view version);
    // From both fields; build metadata stays in the version. An error's place is in the field that its
    // message names.
    static Parsed<VersionRelease> parse(std::string_view version, std::string_view release);

    // The version with the release as build metadata: the input of `parse_legacy`.
    std::string to_legacy_string() const;

    friend std::weak_ordering operator<=>(const VersionRelease& a, const VersionRelease& b);
    friend bool operator==(const VersionRelease& a, const VersionRelease& b) { return std::is_eq(a <=> b); }
};

} // namespace opcat::semver
