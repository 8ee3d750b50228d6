// Timestamps and durations in their text forms.
#pragma once

#include "opcat/cel/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat::cel {

// RFC 3339, years 1 to 9999.
std::optional<Timestamp> parse_timestamp(std::string_view text);
std::string to_string(Timestamp timestamp);
// Returns true if the year is one of 1 to 9999.
bool in_range(Timestamp timestamp);

// As Go's time.ParseDuration: "1h30m", "-1.5s", "2ms".
std::optional<Duration> parse_duration(std::string_view text);
// In seconds: "5400s", "-1.5s".
std::string to_string(Duration duration);

struct CivilTime {
    int64_t year;
    int month;       // from 1
    int day;         // from 1
    int weekday;     // Sunday is 0
    int day_of_year; // from 0
    int hour, minute, second, millisecond;
};
CivilTime civil_time(Timestamp timestamp);

// "UTC", "+02:00", "-8:30"; in seconds. Nothing for the name of a time zone: there is no table of them here.
std::optional<int64_t> parse_utc_offset(std::string_view zone);

} // namespace opcat::cel
