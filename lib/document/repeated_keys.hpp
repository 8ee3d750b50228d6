// Keys that a file gives more than once in one object. The last one counts, to Go as to opcat.
#pragma once

#include "document/value.hpp"

#include <vector>

namespace opcat {

struct RepeatedKey {
    Value first;
    Value again;
};

// All of a document, in the order of the objects that hold them: one for each time that a key is given again.
// What a YAML alias or merge key (<<) brings in is not part of the object that asks for it, and is looked at
// where it is written. Linear; nesting takes no stack.
std::vector<RepeatedKey> find_repeated_keys(const Value& document);

} // namespace opcat
