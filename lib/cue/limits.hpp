// Kinds of values; bounds and validators.
#pragma once

#include "opcat/cue/program.hpp"
#include "opcat/document/value.hpp"

#include <string_view>

namespace opcat::cue {

// The kinds of values that a limit may accept.
Kinds kinds_of(const Limit& limit);

Kinds kind_of(const Constant& constant);
Kinds kind_of(const Value& value);

// Returns true if a limit accepts a value, which is of its kind.
bool is_within(const Number& value, const Limit& limit);
bool is_within(std::string_view text, const Limit& limit); // also bytes
bool is_within(const Constant& constant, const Limit& limit);
bool is_within(const Value& value, const Limit& limit);

// As it is written in CUE.
std::string to_string(const Limit& limit);

// "a string", "a number or null"; "nothing" for none of them.
std::string describe(Kinds kinds);

} // namespace opcat::cue
