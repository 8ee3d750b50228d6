// Ranges of skipRange, and after a line break the version to compare.
#include "fuzzing.hpp"
#include "opcat/semver/blang_range.hpp"

#include <algorithm>

using namespace opcat;

FUZZ_TARGET(blang_range) {
    const size_t end = std::min(input.find('\n'), input.size());
    const auto range = semver::BlangRange::parse(input.substr(0, end));
    if (!range) {
        fuzz::require(!range.error().message.empty(), "an error says what it is");
        return;
    }
    const auto version = semver::Version::parse(input.substr(std::min(end + 1, input.size())));
    if (!version) return;
    if (!range->contains(*version)) range->why_not(*version);
}
