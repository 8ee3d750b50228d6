// Ranges of skipRange, and after a line break the version to compare.
#include "fuzzing.hpp"
#include "opcat/semver/blang_range.hpp"

#include <algorithm>

using namespace opcat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    const size_t end = std::min(text.find('\n'), size);
    const auto range = semver::BlangRange::parse(text.substr(0, end));
    if (!range) {
        fuzz::require(!range.error().message.empty(), "an error says what it is");
        return 0;
    }
    const auto version = semver::Version::parse(text.substr(std::min(end + 1, size)));
    if (!version) return 0;
    if (!range->contains(*version)) range->why_not(*version);
    return 0;
}
