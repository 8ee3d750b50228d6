#include "cel/functions.hpp"

#include "cel/conversions.hpp"
#include "cel/operators.hpp"
#include "cel/time.hpp"
#include "document/number.hpp"
#include "semver/version.hpp"

#include <re2/re2.h>

#include <cmath>
#include <unordered_map>

namespace opcat::cel {
namespace {

Value size(const Value& value, Budget& budget) {
    if (const auto* text = value.string()) {
        budget.spend(text->size() / 16);
        int64_t count = 0;
        for (const char c : *text) count += (c & 0xC0) != 0x80;
        return Value::of(count);
    }
    if (const auto* bytes = value.bytes()) return Value::of(static_cast<int64_t>(bytes->size()));
    if (const auto* list = value.list()) return Value::of(static_cast<int64_t>(list->size()));
    if (const auto* map = value.map()) return Value::of(static_cast<int64_t>(map->size()));
    return Value::failure(no_overload);
}

Value matches(const std::string& text, const std::string& pattern, Budget& budget) {
    // Building the automaton is by far the largest part of it.
    constexpr int64_t max_memory = int64_t{1} << 20;
    if (!budget.spend(20 + pattern.size() + text.size() / 4)) return Value::failure("cost");
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_memory);
    const RE2 expression(pattern, options);
    if (!expression.ok()) return Value::failure("the pattern is no regular expression");
    return Value::of(RE2::PartialMatch(text, expression));
}

Value text_function(std::string_view function, const Value& a, const Value& b, Budget& budget) {
    if (!a.string() || !b.string()) return Value::failure(no_overload);
    budget.spend((a.string()->size() + b.string()->size()) / 16);
    if (function == "contains") return Value::of(a.string()->find(*b.string()) != std::string::npos);
    if (function == "endsWith") return Value::of(a.string()->ends_with(*b.string()));
    if (function == "startsWith") return Value::of(a.string()->starts_with(*b.string()));
    return matches(*a.string(), *b.string(), budget);
}

// What Go prints for a value that may be a version; others are none.
std::string version_text(const Value& value) {
    if (const auto* text = value.string()) return *text;
    if (const auto* number = value.get<double>()) {
        std::string text;
        if (std::isfinite(*number)) append_g_real(text, *number);
        return text;
    }
    const Value text = to_string(value);
    return text.string() && (value.get<int64_t>() || value.get<uint64_t>()) ? *text.string() : "none";
}

Value semver_compare(const Value& a, const Value& b) {
    const auto x = semver::Version::parse_tolerant(version_text(a));
    const auto y = semver::Version::parse_tolerant(version_text(b));
    if (!x || !y) return Value::failure("an argument of semver_compare is no version");
    return Value::of(int64_t{*x < *y ? -1 : *x == *y ? 0 : 1});
}

Value of_timestamp(std::string_view function, Timestamp timestamp, int64_t offset) {
    timestamp.seconds += offset;
    const CivilTime t = civil_time(timestamp);
    int64_t part = 0;
    if (function == "getFullYear")
        part = t.year;
    else if (function == "getMonth")
        part = t.month - 1;
    else if (function == "getDayOfYear")
        part = t.day_of_year;
    else if (function == "getDate")
        part = t.day;
    else if (function == "getDayOfMonth")
        part = t.day - 1;
    else if (function == "getDayOfWeek")
        part = t.weekday;
    else if (function == "getHours")
        part = t.hour;
    else if (function == "getMinutes")
        part = t.minute;
    else if (function == "getSeconds")
        part = t.second;
    else
        part = t.millisecond;
    return Value::of(part);
}

Value of_duration(std::string_view function, Duration duration) {
    const int64_t n = duration.nanoseconds;
    if (function == "getHours") return Value::of(n / 3'600'000'000'000);
    if (function == "getMinutes") return Value::of(n / 60'000'000'000);
    if (function == "getSeconds") return Value::of(n / 1'000'000'000);
    if (function == "getMilliseconds") return Value::of(n / 1'000'000);
    return Value::failure(no_overload);
}

Value time_function(std::string_view function, std::span<const Value> arguments) {
    if (const auto* duration = arguments[0].get<Duration>(); duration && arguments.size() == 1)
        return of_duration(function, *duration);
    const auto* timestamp = arguments[0].get<Timestamp>();
    if (!timestamp) return Value::failure(no_overload);
    if (arguments.size() == 1) return of_timestamp(function, *timestamp, 0);
    if (!arguments[1].string()) return Value::failure(no_overload);
    const auto offset = parse_utc_offset(*arguments[1].string());
    if (!offset)
        return Value::failure("names of time zones are not supported: write an offset such as +02:00");
    return of_timestamp(function, *timestamp, *offset);
}

using Function = Value (*)(std::string_view, std::span<const Value>, Budget&);

template <Value (*Convert)(const Value&)>
Value converted(std::string_view, std::span<const Value> arguments, Budget&) {
    return Convert(arguments[0]);
}

Value ordered(std::string_view function, std::span<const Value> a, Budget& budget) {
    if (const auto* text = a[0].string()) budget.spend(text->size() / 16);
    return compare(function, a[0], a[1]);
}

const std::unordered_map<std::string_view, Function>& functions() {
    using Arguments = std::span<const Value>;
    using Name = std::string_view;
    static const std::unordered_map<std::string_view, Function> table = {
        {"_==_", [](Name, Arguments a, Budget& b) { return Value::of(equal(a[0], a[1], b)); }},
        {"_!=_", [](Name, Arguments a, Budget& b) { return Value::of(!equal(a[0], a[1], b)); }},
        {"_<_", ordered},
        {"_<=_", ordered},
        {"_>_", ordered},
        {"_>=_", ordered},
        {"_+_", [](Name, Arguments a, Budget& b) { return add(a[0], a[1], b); }},
        {"_-_", [](Name, Arguments a, Budget&) { return subtract(a[0], a[1]); }},
        {"_*_", [](Name, Arguments a, Budget&) { return multiply(a[0], a[1]); }},
        {"_/_", [](Name, Arguments a, Budget&) { return divide(a[0], a[1]); }},
        {"_%_", [](Name, Arguments a, Budget&) { return modulo(a[0], a[1]); }},
        {"-_", [](Name, Arguments a, Budget&) { return negate(a[0]); }},
        {"!_",
         [](Name, Arguments a, Budget&) {
             return a[0].get<bool>() ? Value::of(!*a[0].get<bool>()) : Value::failure(no_overload);
         }},
        {"_[_]", [](Name, Arguments a, Budget&) { return index(a[0], a[1]); }},
        {"@in", [](Name, Arguments a, Budget& b) { return contains(a[0], a[1], b); }},
        {"size", [](Name, Arguments a, Budget& b) { return size(a[0], b); }},
        {"semver_compare", [](Name, Arguments a, Budget&) { return semver_compare(a[0], a[1]); }},
        {"dyn", [](Name, Arguments a, Budget&) { return a[0]; }},
        {"type", converted<type_of>},
        {"bool", converted<to_boolean>},
        {"bytes", converted<to_bytes>},
        {"double", converted<to_real>},
        {"duration", converted<to_duration>},
        {"int", converted<to_integer>},
        {"string", converted<to_string>},
        {"timestamp", converted<to_timestamp>},
        {"uint", converted<to_unsigned>},
    };
    return table;
}

} // namespace

Value call(std::string_view function, std::span<const Value> arguments, Budget& budget) {
    if (const auto found = functions().find(function); found != functions().end())
        return found->second(function, arguments, budget);
    if (function.starts_with("get")) return time_function(function, arguments);
    return text_function(function, arguments[0], arguments[1], budget);
}

} // namespace opcat::cel
