// Types of scalars of YAML 1.1, as PyYAML 6.0 resolves and constructs them (resolver.py, constructor.py).
#pragma once

#include "opcat/policy/python_value.hpp"

#include <string_view>

namespace opcat::policy {

enum class ScalarKind : uint8_t { text, boolean, integer, real, none, timestamp, merge, value };

// Returns the kind of a plain scalar without a tag.
ScalarKind python_scalar_kind(std::string_view text);

// Throws PythonError where Python's constructor does: for the 31st of February.
PythonValue construct_python_scalar(ScalarKind kind, std::string_view text, uint32_t offset);

} // namespace opcat::policy
