// JSON as Go's encoding/json reads it (docs/spec/opm.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <optional>

namespace opcat {

// Reads one value from `begin` on, with white space around it. Invalid UTF-8 and lone surrogates become
// U+FFFD; strings without escapes refer to the file's bytes, everything else is in the arena. Sets `end` to
// the first byte after the value. Nothing if the text is not JSON, is nested more than limits::json_depth
// deep, or has a number that exceeds a double; then `problem` says where and why. Linear in time and memory;
// does not recurse.
std::optional<Value> read_json(const SourceFile& file, uint32_t begin, Arena& arena, uint32_t& end,
                               Diagnostic& problem);

// The first byte from `at` on that is not JSON white space, or the end of the file.
uint32_t skip_json_space(const SourceFile& file, uint32_t at);

} // namespace opcat
