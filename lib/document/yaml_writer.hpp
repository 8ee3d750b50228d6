// YAML as Go's sigs.k8s.io/yaml writes it.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/document/value.hpp"

#include <string>

namespace opcat {

// The value can be written as JSON but not as YAML.
class UnwritableYaml : public Error {
public:
    explicit UnwritableYaml(const std::string& message) : Error(message, "write it as JSON") {}
};

// Appends the value, an object, as one block document without a "---": keys in yaml.v2's order (numbers
// inside of keys compare as numbers), two spaces per level, list items level with their key, multi-line
// strings as literal blocks, strings that would read as something else in quotes. The bytes are those of
// libyaml's emitter with yaml.v2's settings.
//
// opm goes through JSON text that is then read as YAML, which some strings do not
// survive. Then that string is returned, and what was appended is of no use; else null.
const Value* append_yaml(std::string& out, const Value& value);

} // namespace opcat
