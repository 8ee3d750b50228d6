#include "opcat/cel/functions.hpp"

#include "opcat/base/text.hpp"
#include "opcat/cel/time.hpp"
#include "opcat/document/number.hpp"
#include "opcat/semver/version.hpp"

#include <re2/re2.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace opcat::cel {
namespace {

constexpr const char* out_of_range = "range error";

template <typename T>
Value parse_whole(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-") && !std::is_unsigned_v<T>) text.remove_prefix(1);
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return Value::failure("type conversion error: the text is not a number");
    return Value::of(value);
}

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return std::signbit(value) ? "-Inf" : "+Inf";
    std::string text;
    append_g_real(text, value);
    return text;
}

Value type_of(const Value& value) {
    struct Name {
        std::string_view operator()(const Null&) const { return "null_type"; }
        std::string_view operator()(bool) const { return "bool"; }
        std::string_view operator()(int64_t) const { return "int"; }
        std::string_view operator()(uint64_t) const { return "uint"; }
        std::string_view operator()(double) const { return "double"; }
        std::string_view operator()(const std::shared_ptr<const std::string>&) const { return "string"; }
        std::string_view operator()(const Bytes&) const { return "bytes"; }
        std::string_view operator()(const std::shared_ptr<const List>&) const { return "list"; }
        std::string_view operator()(const std::shared_ptr<const Map>&) const { return "map"; }
        std::string_view operator()(const Timestamp&) const { return "google.protobuf.Timestamp"; }
        std::string_view operator()(const Duration&) const { return "google.protobuf.Duration"; }
        std::string_view operator()(const TypeName&) const { return "type"; }
        std::string_view operator()(const Failure&) const { return "error"; }
    };
    return Value::of(TypeName{std::visit(Name(), value.content())});
}

Value to_boolean(const Value& value) {
    if (value.get<bool>()) return value;
    if (!value.string()) return Value::failure(no_overload);
    for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"})
        if (*value.string() == yes) return Value::of(true);
    for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"})
        if (*value.string() == no) return Value::of(false);
    return Value::failure("type conversion error: the text is not a bool");
}

Value to_bytes(const Value& value) {
    if (value.bytes()) return value;
    return value.string() ? Value::of_bytes(*value.string()) : Value::failure(no_overload);
}

Value to_real(const Value& value) {
    if (value.get<double>()) return value;
    if (const auto* i = value.get<int64_t>()) return Value::of(static_cast<double>(*i));
    if (const auto* u = value.get<uint64_t>()) return Value::of(static_cast<double>(*u));
    if (!value.string()) return Value::failure(no_overload);
    if (const auto number = parse_real(*value.string())) return Value::of(*number);
    return Value::failure("type conversion error: the text is not a number");
}

Value to_duration(const Value& value) {
    if (value.get<Duration>()) return value;
    if (const auto* i = value.get<int64_t>()) return Value::of(Duration{*i});
    if (!value.string()) return Value::failure(no_overload);
    if (const auto duration = parse_duration(*value.string())) return Value::of(*duration);
    return Value::failure("type conversion error: the text is not a duration");
}

Value to_integer(const Value& value) {
    if (value.get<int64_t>()) return value;
    if (const auto* u = value.get<uint64_t>())
        return *u > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                   ? Value::failure(out_of_range)
                   : Value::of(static_cast<int64_t>(*u));
    if (const auto* d = value.get<double>())
        return std::isfinite(*d) && *d > -0x1p63 && *d < 0x1p63 ? Value::of(static_cast<int64_t>(*d))
                                                                : Value::failure(out_of_range);
    if (value.string()) return parse_whole<int64_t>(*value.string());
    if (const auto* t = value.get<Timestamp>()) return Value::of(t->seconds);
    if (const auto* d = value.get<Duration>()) return Value::of(d->nanoseconds);
    return Value::failure(no_overload);
}

Value to_string(const Value& value) {
    if (value.string()) return value;
    if (const auto* b = value.get<bool>()) return Value::of_string(*b ? "true" : "false");
    if (const auto* i = value.get<int64_t>()) return Value::of_string(std::to_string(*i));
    if (const auto* u = value.get<uint64_t>()) return Value::of_string(std::to_string(*u));
    if (const auto* d = value.get<double>()) return Value::of_string(number_text(*d));
    if (const auto* bytes = value.bytes())
        return is_valid_utf8(*bytes) ? Value::of_string(*bytes)
                                     : Value::failure("invalid UTF-8 in bytes, cannot convert to string");
    if (const auto* t = value.get<Timestamp>()) return Value::of_string(to_string(*t));
    if (const auto* d = value.get<Duration>()) return Value::of_string(to_string(*d));
    return Value::failure(no_overload);
}

Value to_timestamp(const Value& value) {
    if (value.get<Timestamp>()) return value;
    if (const auto* i = value.get<int64_t>())
        return in_range({*i, 0}) ? Value::of(Timestamp{*i, 0}) : Value::failure("timestamp overflow");
    if (!value.string()) return Value::failure(no_overload);
    if (const auto timestamp = parse_timestamp(*value.string())) return Value::of(*timestamp);
    return Value::failure("type conversion error: the text is not a timestamp");
}

Value to_unsigned(const Value& value) {
    if (value.get<uint64_t>()) return value;
    if (const auto* i = value.get<int64_t>())
        return *i < 0 ? Value::failure(out_of_range) : Value::of(static_cast<uint64_t>(*i));
    if (const auto* d = value.get<double>())
        return std::isfinite(*d) && *d >= 0 && *d < 0x1p64 ? Value::of(static_cast<uint64_t>(*d))
                                                           : Value::failure(out_of_range);
    return value.string() ? parse_whole<uint64_t>(*value.string()) : Value::failure(no_overload);
}

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
    if (!expression.ok()) return Value::failure("the pattern is not a regular expression");
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

// Go's text for a value that may be a version; values of other types are not versions.
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
    if (!x || !y) return Value::failure("an argument of semver_compare is not a version");
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
