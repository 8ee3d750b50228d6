// What a person says is installed: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION. Every command that
// takes it reads it here.
#pragma once

#include "opcat/semver/release.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace opcat {

// A bundle that may be meant.
struct KnownBundle {
    std::string_view package;
    std::string_view name;
    std::optional<semver::VersionRelease> version; // nothing: not known, or it cannot be read
    bool is_in_catalog = true;                     // false: only entries of channels name it
};

struct InstalledName {
    const KnownBundle* bundle = nullptr;           // nullptr: none of those known
    std::string_view package;                      // empty: not known
    std::string_view name;                         // of the bundle; empty: only the version is known
    std::optional<semver::VersionRelease> version; // nothing: as `bundle`
};

// What is accepted of a bundle that is no longer in the catalog.
enum class GoneBundle : uint8_t {
    refused,
    with_name,    // BUNDLE@VERSION
    with_version, // also VERSION and PACKAGE@VERSION
};

// Refers to the text and the bundles. Versions are read as people write them: "v1.2" is 1.2.0.
//
// Throws RequestError, with the nearest names or with what is missing, if the text names neither a bundle nor
// a package of those known, contradicts the catalog, or means several bundles.
InstalledName read_installed_name(std::string_view text, std::span<const KnownBundle> bundles,
                                  GoneBundle gone);

// "1.2.3" of "foo.v1.2.3", as most bundles are called; empty if the name has no such part.
std::string_view version_in_name(std::string_view bundle);

} // namespace opcat
