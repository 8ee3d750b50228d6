// From the text of a schema to its tree (the grammar is in docs/schemas.md).
#pragma once

#include "schema/syntax.hpp"
#include "support/diagnostic.hpp"
#include "support/result.hpp"
#include "support/source_file.hpp"

namespace opcat::cue {

// The deepest nesting of brackets and labels, and the largest file in bytes.
constexpr int max_depth = 100;
constexpr size_t max_file_size = size_t{1} << 20;

// What is no CUE, or outside of the subset, is a diagnostic of rule "schema-file" at its place.
Result<File, Diagnostic> parse(const SourceFile& file);

} // namespace opcat::cue
