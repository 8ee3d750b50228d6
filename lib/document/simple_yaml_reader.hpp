// A fast reader for the YAML that catalogs normally use.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <optional>
#include <vector>

namespace opcat {

// Reads a document of block mappings and sequences with plain, quoted and literal scalars. Nothing for a
// document with anything else (anchors, tags, flow collections that are not empty, folded scalars, complex
// keys, directives, significant tabs or line breaks other than LF, unusual indentation), with doubtful
// syntax, or with errors: the caller then uses read_yaml. The result is the same as read_yaml's, places
// included; tests/fuzz/simple_yaml_fuzz.cpp compares them. Several times faster than libyaml's scanner alone.
// `comments`, if given, receives the offsets of all comments.
std::optional<Value> read_simple_yaml(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                                      std::vector<uint32_t>* comments = nullptr);

} // namespace opcat
