#include "terminal/duration.hpp"

#include <charconv>
#include <utility>

namespace opcat {
namespace {

// How many milliseconds the unit that `rest` begins with has; `rest` goes on behind it. 0 for none.
double take_unit(std::string_view& rest) {
    // "ms" before "m".
    constexpr std::pair<std::string_view, double> units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
    for (const auto& [unit, length] : units) {
        if (!rest.starts_with(unit)) continue;
        rest.remove_prefix(unit.size());
        return length;
    }
    return 0;
}

} // namespace

std::optional<std::chrono::milliseconds> duration_of(std::string_view text) {
    double total = 0;
    while (!text.empty()) {
        double count = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (error != std::errc() || !(count >= 0)) return std::nullopt;
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        const double unit = take_unit(text);
        if (unit == 0) return std::nullopt;
        total += count * unit;
    }
    constexpr double longest = 1000.0 * 3'600'000;
    if (!(total >= 1 && total <= longest)) return std::nullopt;
    return std::chrono::milliseconds(static_cast<int64_t>(total));
}

} // namespace opcat
