// Explains what is wrong with a version range, for people who write one.
#pragma once

#include "opcat/semver/version.hpp"

#include <string>
#include <string_view>

namespace opcat::semver {

// `problem` is that of BlangRange::parse() for the text. The message names the mistake if it is a common one
// (a comma, quotes, an operator of another dialect, an incomplete version), else the part that is not valid.
std::string explain_range_problem(std::string_view text, const ParseError& problem);

} // namespace opcat::semver
