// A short way to write versions.
#pragma once

#include "opcat/semver/version.hpp"

#include <string_view>

namespace opcat::semver {

inline Version v(std::string_view text) {
    return *Version::parse(text);
}

} // namespace opcat::semver
