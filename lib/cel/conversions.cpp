#include "cel/conversions.hpp"

#include "cel/operators.hpp"
#include "cel/time.hpp"
#include "document/number.hpp"
#include "support/text.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace opcat::cel {
namespace {

constexpr const char* out_of_range = "range error";

template <typename T>
Value parse_whole(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-") && !std::is_unsigned_v<T>) text.remove_prefix(1);
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return Value::failure("type conversion error: the text is no number");
    return Value::of(value);
}

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    std::string text;
    append_g_real(text, value);
    return text;
}

} // namespace

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
    return Value::failure("type conversion error: the text is no bool");
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
    return Value::failure("type conversion error: the text is no number");
}

Value to_duration(const Value& value) {
    if (value.get<Duration>()) return value;
    if (const auto* i = value.get<int64_t>()) return Value::of(Duration{*i});
    if (!value.string()) return Value::failure(no_overload);
    if (const auto duration = parse_duration(*value.string())) return Value::of(*duration);
    return Value::failure("type conversion error: the text is no duration");
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
    return Value::failure("type conversion error: the text is no timestamp");
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

} // namespace opcat::cel
