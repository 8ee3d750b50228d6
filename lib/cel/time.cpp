#include "opcat/cel/time.hpp"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <limits>

namespace opcat::cel {
namespace {

constexpr int64_t seconds_per_day = 86'400;
constexpr int64_t first_second = -62'135'596'800; // 0001-01-01T00:00:00Z
constexpr int64_t last_second = 253'402'300'799;  // 9999-12-31T23:59:59Z

// Reads digits and fixed characters one after the other.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}
    bool done() const { return rest_.empty(); }
    bool take(char c) {
        if (rest_.empty() || rest_[0] != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::optional<int> digits(size_t count) {
        if (rest_.size() < count) return std::nullopt;
        int value = 0;
        for (size_t i = 0; i < count; ++i) {
            if (rest_[i] < '0' || rest_[i] > '9') return std::nullopt;
            value = value * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(count);
        return value;
    }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

std::optional<int64_t> read_offset(Reader& reader) {
    if (reader.take('Z')) return 0;
    const bool minus = reader.take('-');
    if (!minus && !reader.take('+')) return std::nullopt;
    const auto hours = reader.digits(2);
    if (!hours || *hours > 23 || !reader.take(':')) return std::nullopt;
    const auto minutes = reader.digits(2);
    if (!minutes || *minutes > 59) return std::nullopt;
    return (*hours * 3600 + *minutes * 60) * (minus ? -1 : 1);
}

int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

} // namespace

bool in_range(Timestamp timestamp) {
    return timestamp.seconds >= first_second && timestamp.seconds <= last_second;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    Reader reader(text);
    const auto year = reader.digits(4);
    if (!year || !reader.take('-')) return std::nullopt;
    const auto month = reader.digits(2);
    if (!month || !reader.take('-')) return std::nullopt;
    const auto day = reader.digits(2);
    if (!day || !reader.take('T')) return std::nullopt;
    const auto hour = reader.digits(2);
    if (!hour || *hour > 23 || !reader.take(':')) return std::nullopt;
    const auto minute = reader.digits(2);
    if (!minute || *minute > 59 || !reader.take(':')) return std::nullopt;
    const auto second = reader.digits(2);
    if (!second || *second > 59) return std::nullopt;
    int32_t nanoseconds = 0;
    if (reader.take('.') || reader.take(',')) {
        int32_t scale = 100'000'000;
        size_t count = 0;
        while (const auto digit = reader.digits(1)) {
            nanoseconds += *digit * scale;
            scale /= 10;
            ++count;
        }
        if (count == 0) return std::nullopt;
    }
    const auto offset = read_offset(reader);
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!offset || !reader.done() || !date.ok()) return std::nullopt;
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const Timestamp timestamp{days * seconds_per_day + int64_t{*hour} * 3600 + int64_t{*minute} * 60 +
                                  *second - *offset,
                              nanoseconds};
    if (!in_range(timestamp)) return std::nullopt;
    return timestamp;
}

CivilTime civil_time(Timestamp timestamp) {
    const int64_t days = floor_divide(timestamp.seconds, seconds_per_day);
    const auto of_day = static_cast<int>(timestamp.seconds - days * seconds_per_day);
    const std::chrono::sys_days date{std::chrono::days(days)};
    const std::chrono::year_month_day civil(date);
    const std::chrono::sys_days new_year = civil.year() / 1 / 1;
    return {static_cast<int>(civil.year()),
            static_cast<int>(static_cast<unsigned>(civil.month())),
            static_cast<int>(static_cast<unsigned>(civil.day())),
            static_cast<int>(std::chrono::weekday(date).c_encoding()),
            static_cast<int>((date - new_year).count()),
            of_day / 3600,
            of_day / 60 % 60,
            of_day % 60,
            timestamp.nanoseconds / 1'000'000};
}

std::string to_string(Timestamp timestamp) {
    const CivilTime t = civil_time(timestamp);
    std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", t.year, t.month, t.day, t.hour,
                                   t.minute, t.second);
    if (timestamp.nanoseconds != 0) {
        std::string fraction = fmt::format(".{:09}", timestamp.nanoseconds);
        while (fraction.back() == '0') fraction.pop_back();
        text += fraction;
    }
    return text + 'Z';
}

std::optional<Duration> parse_duration(std::string_view text) {
    struct Unit {
        std::string_view name;
        uint64_t nanoseconds;
    };
    static constexpr std::array<Unit, 8> units = {{{"ns", 1},
                                                   {"us", 1'000},
                                                   {"\xc2\xb5s", 1'000},
                                                   {"\xce\xbcs", 1'000},
                                                   {"ms", 1'000'000},
                                                   {"s", 1'000'000'000},
                                                   {"m", 60'000'000'000},
                                                   {"h", 3'600'000'000'000}}};
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return Duration{0};
    if (text.empty()) return std::nullopt;
    const uint64_t limit = (uint64_t{1} << 63) - (minus ? 0 : 1);
    uint64_t total = 0;
    while (!text.empty()) {
        uint64_t whole = 0;
        double fraction = 0;
        double scale = 1;
        size_t digits = 0;
        const auto is_digit = [&] { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
        for (; is_digit(); text.remove_prefix(1), ++digits)
            if (__builtin_mul_overflow(whole, 10, &whole) ||
                __builtin_add_overflow(whole, static_cast<uint64_t>(text[0] - '0'), &whole))
                return std::nullopt;
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            for (; is_digit(); text.remove_prefix(1), ++digits) {
                if (scale >= 1e15) continue;
                fraction = fraction * 10 + (text[0] - '0');
                scale *= 10;
            }
        }
        if (digits == 0) return std::nullopt;
        size_t length = 0;
        while (length < text.size() && text[length] != '.' && (text[length] < '0' || text[length] > '9'))
            ++length;
        const Unit* unit = nullptr;
        for (const Unit& known : units)
            if (known.name == text.substr(0, length)) unit = &known;
        if (!unit) return std::nullopt;
        text.remove_prefix(length);
        const auto part = static_cast<uint64_t>(fraction * (static_cast<double>(unit->nanoseconds) / scale));
        if (__builtin_mul_overflow(whole, unit->nanoseconds, &whole) ||
            __builtin_add_overflow(whole, part, &whole) || __builtin_add_overflow(total, whole, &total) ||
            total > limit)
            return std::nullopt;
    }
    return Duration{static_cast<int64_t>(minus ? 0 - total : total)};
}

std::string to_string(Duration duration) {
    const bool minus = duration.nanoseconds < 0;
    const uint64_t magnitude =
        minus ? 0 - static_cast<uint64_t>(duration.nanoseconds) : static_cast<uint64_t>(duration.nanoseconds);
    std::string text = fmt::format("{}{}", minus ? "-" : "", magnitude / 1'000'000'000);
    if (const uint64_t nanoseconds = magnitude % 1'000'000'000; nanoseconds != 0) {
        std::string fraction = fmt::format(".{:09}", nanoseconds);
        while (fraction.back() == '0') fraction.pop_back();
        text += fraction;
    }
    return text + 's';
}

std::optional<int64_t> parse_utc_offset(std::string_view zone) {
    if (zone.empty() || zone == "UTC" || zone == "Z") return 0;
    Reader reader(zone);
    const bool minus = reader.take('-');
    if (!minus) reader.take('+');
    auto hours = reader.digits(2);
    if (!hours) hours = reader.digits(1);
    if (!hours || !reader.take(':')) return std::nullopt;
    const auto minutes = reader.digits(2);
    if (!minutes || !reader.done()) return std::nullopt;
    return (*hours * 3600 + *minutes * 60) * (minus ? -1 : 1);
}

} // namespace opcat::cel
