// Durations as options take them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace opcat {

// "90s", "10m", "1h30m", "500ms": from a millisecond to 1,000 hours. Nothing for other texts.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text);

} // namespace opcat
