// Operators on numbers, times, text and collections.
#pragma once

#include "cel/functions.hpp"

namespace opcat::cel {

constexpr const char* no_overload = "no such overload";

Value add(const Value& a, const Value& b, Budget& budget);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value negate(const Value& a);

// "_<_", "_<=_", "_>_" or "_>=_"
Value compare(std::string_view op, const Value& a, const Value& b);

Value index(const Value& operand, const Value& key);
Value contains(const Value& item, const Value& collection, Budget& budget);

} // namespace opcat::cel
