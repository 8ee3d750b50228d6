#include "opcat/bundle_checks/source.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat::bundle_checks;

TEST_CASE("the size of a file is that of its gzip form in base64") {
    // A header of 10 bytes, an empty block of 2, a trailer of 8: 28 characters of base64.
    CHECK(compressed_size("") == 28);
    CHECK(compressed_size(std::string(100'000, 'a')) < 300);
    std::string random;
    for (uint32_t i = 0, state = 1; i < 300'000; ++i) {
        state = state * 1664525 + 1013904223;
        random += static_cast<char>(state >> 24U);
    }
    const uint64_t size = compressed_size(random);
    CHECK(size > 390'000);
    CHECK(size < 402'000);
}
