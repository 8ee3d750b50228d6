// Values that say the same.
#pragma once

#include "opcat/document/value.hpp"

namespace opcat {

// Wherever they are in their files, and in whatever order objects have their members; the order of items
// counts. Linear where the members of objects have one order.
bool says_the_same(const Value& a, const Value& b);

} // namespace opcat
