// Ranges of OLM v1, and after a line break the version to compare.
#include "fuzzing.hpp"
#include "opcat/semver/constraints.hpp"

#include <algorithm>

using namespace opcat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    const size_t end = std::min(text.find('\n'), size);
    semver::is_admitted_by_cluster_extension(text.substr(0, end));
    const auto constraints = semver::Constraints::parse(text.substr(0, end));
    if (!constraints) {
        fuzz::require(!constraints.error().message.empty(), "an error says what it is");
        return 0;
    }
    const auto version = semver::Version::parse_coercing(text.substr(std::min(end + 1, size)));
    if (!version) return 0;
    if (!constraints->check(*version)) constraints->why_not(*version);
    return 0;
}
