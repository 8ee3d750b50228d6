// Free-form values in the one form that opm gives them.
#pragma once

#include "opcat/document/value.hpp"

#include <span>
#include <vector>

namespace opcat {

// The value with the keys of all its objects in byte order, each once (the last one of equal keys counts).
// What is in that form already, as most of a rendered catalog is, is shared; the rest is copied into the
// arena.
Value normalised(const Value& value, Arena& arena);

// Members in byte order of their keys, each key once: the last of equal ones counts.
std::vector<Member> ordered(std::span<const Member> members);

} // namespace opcat
