// One YAML document through libyaml, as Go's yaml.v2 and sigs.k8s.io/yaml turn it into JSON
// (docs/spec/opm.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <optional>

namespace opcat {

// Reads the first document in the bytes [begin, end) of a file. Scalars that are in the file as they are
// read refer to its bytes, all else is in the arena. Merge keys and aliases are resolved: what an alias names
// is shared, not copied, but counted, and a document in which aliases multiply (the rule is yaml.v2's) is
// refused, as is one nested more than limits::yaml_depth deep. Nothing if the text is no such YAML; then
// `problem` says where and why. Nothing but white space gives null. What is after the first document is
// not read, as opm has it; then `problem` is a warning about that, otherwise it stays as it was.
std::optional<Value> read_yaml(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                               Diagnostic& problem);

} // namespace opcat
