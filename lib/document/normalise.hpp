// Free-form values in opm's normal form.
#pragma once

#include "opcat/document/value.hpp"

#include <span>
#include <vector>

namespace opcat {

// The value with the keys of all its objects in byte order, without duplicates (the last of equal keys
// counts). Parts that are in that form already, as most of a rendered catalog is, are shared; the rest is
// copied into the arena.
Value normalised(const Value& value, Arena& arena);

// Members in byte order of their keys, without duplicates: the last of equal keys counts.
std::vector<Member> ordered(std::span<const Member> members);

} // namespace opcat
