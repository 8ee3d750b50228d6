#include "schema/constant.hpp"

#include "document/json_writer.hpp"
#include "document/number.hpp"

#include <fmt/core.h>

#include <cassert>

namespace opcat::cue {
namespace {

// Whatever has 64 bits and a sign, and any double, is exact in a long double.
static_assert(__LDBL_MANT_DIG__ >= 64);

long double exact(const Number& n) {
    if (!n.is_integer) return n.real;
    const auto magnitude = static_cast<long double>(n.magnitude);
    return n.negative ? -magnitude : magnitude;
}

} // namespace

Number Number::of(const Value& value) {
    switch (value.kind()) {
    case Value::Kind::integer: {
        const int64_t i = value.integer();
        return i < 0 ? of(uint64_t{0} - static_cast<uint64_t>(i), true) : of(static_cast<uint64_t>(i));
    }
    case Value::Kind::large_integer:
        return of(value.large_integer());
    default:
        assert(value.kind() == Value::Kind::real);
        return of_real(value.real());
    }
}

std::weak_ordering compare(const Number& a, const Number& b) {
    const long double x = exact(a);
    const long double y = exact(b);
    if (x < y) return std::weak_ordering::less;
    return x > y ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

bool operator==(const Constant& a, const Constant& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case Constant::Kind::null:
        return true;
    case Constant::Kind::boolean:
        return a.boolean == b.boolean;
    case Constant::Kind::number:
        return a.number.is_integer == b.number.is_integer && compare(a.number, b.number) == 0;
    case Constant::Kind::string:
    case Constant::Kind::bytes:
        return a.text == b.text;
    }
    return false;
}

std::string to_string(const Number& number) {
    if (number.is_integer) return fmt::format("{}{}", number.negative ? "-" : "", number.magnitude);
    std::string text;
    append_json_real(text, number.real);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string to_string(const Constant& constant) {
    switch (constant.kind) {
    case Constant::Kind::null:
        return "null";
    case Constant::Kind::boolean:
        return constant.boolean ? "true" : "false";
    case Constant::Kind::number:
        return to_string(constant.number);
    case Constant::Kind::string: {
        std::string text;
        append_json_string(text, constant.text);
        return text;
    }
    case Constant::Kind::bytes: {
        std::string text = "'";
        for (const char c : constant.text) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= ' ' && byte < 0x7f && c != '\'' && c != '\\')
                text += c;
            else
                text += fmt::format("\\x{:02x}", byte);
        }
        return text + "'";
    }
    }
    return {};
}

} // namespace opcat::cue
