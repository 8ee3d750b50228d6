// Functions that turn values of one type into another.
#pragma once

#include "cel/value.hpp"

namespace opcat::cel {

Value type_of(const Value& value);
Value to_boolean(const Value& value);
Value to_bytes(const Value& value);
Value to_real(const Value& value);
Value to_duration(const Value& value);
Value to_integer(const Value& value);
Value to_string(const Value& value);
Value to_timestamp(const Value& value);
Value to_unsigned(const Value& value);

} // namespace opcat::cel
