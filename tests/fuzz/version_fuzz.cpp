// Versions and releases: parsed ones are written and parsed again, and any two are ordered.
#include "fuzzing.hpp"
#include "opcat/semver/release.hpp"
#include "opcat/semver/version.hpp"

#include <algorithm>

using namespace opcat;
using semver::Version;

FUZZ_TARGET(version) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view first = input.substr(0, end);
    const std::string_view second = input.substr(std::min(end + 1, input.size()));
    (void)Version::parse_masterminds_strict(first);
    (void)semver::VersionRelease::parse_legacy(first);
    (void)semver::VersionRelease::parse(first, second);
    for (const auto parse : {&Version::parse, &Version::parse_tolerant, &Version::parse_coercing}) {
        const auto a = parse(first);
        if (!a) {
            fuzz::require(!a.error().message.empty(), "an error says what it is");
            continue;
        }
        // Masterminds' versions have at most 256 bytes, which numbers that were missing may fill.
        const std::string written = a->to_string();
        const auto again = parse(written);
        fuzz::require(again ? again->to_string() == written
                            : parse == &Version::parse_coercing && written.size() > 256,
                      "a version reads back the same");
        const auto b = parse(second);
        if (!b) continue;
        fuzz::require((*a < *b) == (*b > *a) && (*a == *b) == (*b == *a), "an order is an order");
    }
}
