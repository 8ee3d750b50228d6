#include "opcat/policy/iso_date.hpp"

#include <doctest/doctest.h>

using opcat::policy::is_iso_date;

TEST_CASE("dates are those that dateutil's isoparse() takes") {
    for (const char* const text :
         {"2024", "2024-01", "20240102", "2024-01-02", "2024-W01", "2024W013", "2024-001", "2024366",
          "2024-01-02 03", "2024-01-02T03:04", "2024-01-02x0304", "2024-01-02T03:04:05Z",
          "2024-01-02T03:04:05.123456789+01:00", "2024-01-02T03:04:05,5-0100", "2024-01-02T24:00:00",
          "2024-01-02T03:04:05+01"}) {
        CAPTURE(text);
        CHECK(is_iso_date(text));
    }
    for (const char* const text :
         {"", "now", "24", "202401", "2024-13", "2024-02-30", "2023-366", "2024-W54", "2024/01/02",
          "Jan 1 2024", "2024-01-02T", "2024-01-02T25:00", "2024-01-02T24:00:01", "2024-01-02T03:0405",
          "2024-01-02T03:04:05+1", "2024-01-02T03:04:05 Z", "2024-01-02T03:04:60", "2024-01-0\xc3\xa4"}) {
        CAPTURE(text);
        CHECK_FALSE(is_iso_date(text));
    }
}
