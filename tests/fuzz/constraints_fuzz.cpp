// Ranges of OLM v1, and after a line break the version to compare.
#include "fuzzing.hpp"
#include "opcat/semver/constraints.hpp"

#include <algorithm>

using namespace opcat;

FUZZ_TARGET(constraints) {
    const size_t end = std::min(input.find('\n'), input.size());
    semver::is_admitted_by_cluster_extension(input.substr(0, end));
    const auto constraints = semver::Constraints::parse(input.substr(0, end));
    if (!constraints) {
        fuzz::require(!constraints.error().message.empty(), "an error says what it is");
        return;
    }
    const auto version = semver::Version::parse_coercing(input.substr(std::min(end + 1, input.size())));
    if (!version) return;
    if (!constraints->check(*version)) constraints->why_not(*version);
}
