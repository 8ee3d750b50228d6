// YAML as catalogs use it, read fast.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <optional>
#include <vector>

namespace opcat {

// Reads a document of block mappings and sequences with plain, quoted and literal scalars. Nothing for a
// document with anything else (anchors, tags, flow collections that are not empty, folded scalars, complex
// keys, directives, tabs or line breaks other than LF where they matter, odd indentation), with anything
// doubtful, and for everything that is not YAML: read_yaml is to read those. What is read here is what that
// would have read, places included; tests/fuzz/simple_yaml_fuzz.cpp holds both against each other. Several
// times as fast as libyaml's bare scan.
// `comments`, if given, gets the offsets of all comments.
std::optional<Value> read_simple_yaml(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                                      std::vector<uint32_t>* comments = nullptr);

} // namespace opcat
