// What literals stand for.
#pragma once

#include "cel/value.hpp"

#include <optional>
#include <string_view>

namespace opcat::cel {

// Digits, or 0x and hex digits, and the sign before them.
std::optional<int64_t> parse_integer(std::string_view text);
// With the "u" at the end.
std::optional<uint64_t> parse_unsigned(std::string_view text);

// With prefix and quotes. Nothing if an escape names no character, or one that bytes cannot have.
std::optional<Value> parse_string(std::string_view text, bool bytes);

} // namespace opcat::cel
