// What version a bundle has.
#pragma once

#include "base/error.hpp"
#include "catalog/catalog.hpp"
#include "semver/release.hpp"

#include <string>

namespace opcat {

// A version, or why it cannot be read, in OLM's words.
using BundleVersion = Result<semver::VersionRelease, std::string>;

// By the bundle's first olm.package property (../shared/design/semver.md, 5.2). `release_support` is the
// feature gate BundleReleaseSupport: only with it does the property's field "release" count.
BundleVersion version_of(const Bundle& bundle, bool release_support);

// Whether the two answers of `version_of` can differ.
bool has_release_field(const Bundle& bundle);

// As OLM shows it: with the gate the version alone, without it the release is its build metadata.
std::string shown(const semver::VersionRelease& version, bool release_support);

} // namespace opcat
