// Small files that people write by hand and that hold one object: templates, configurations.
#pragma once

#include "base/diagnostic.hpp"
#include "document/value.hpp"

#include <optional>
#include <string_view>

namespace opcat {

// The first document that is not empty, which must be an object. `what` names it in messages ("a template");
// what is wrong with it is an error of `rule`.
std::optional<Value> read_object(const SourceFile& file, Arena& arena, std::string_view what,
                                 std::string_view rule, Diagnostics& diagnostics);

} // namespace opcat
