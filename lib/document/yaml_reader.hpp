// One YAML document through libyaml, as Go's yaml.v2 and sigs.k8s.io/yaml turn it into JSON
// (docs/spec/opm.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <optional>

namespace opcat {

// Reads the first document in the bytes [begin, end) of a file. Scalars whose value is their text refer to
// the file's bytes, everything else is in the arena. Merge keys and aliases are resolved: aliased values are
// shared, not copied, but counted, and a document in which aliases multiply (by yaml.v2's rule) is refused,
// as is one nested more than limits::yaml_depth deep. Nothing if the text is not valid; then `problem` says
// where and why. White space alone gives null. As in opm, content after the first document is ignored; then
// `problem` is a warning about that, otherwise it is unchanged.
std::optional<Value> read_yaml(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                               Diagnostic& problem);

} // namespace opcat
