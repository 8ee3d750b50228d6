// Objects against the structural schema of a CustomResourceDefinition.
#pragma once

#include "document/value.hpp"

#include <string>
#include <vector>

namespace opcat::classic {

struct SchemaViolation {
    std::string path; // "spec.size"
    std::string what;
    uint32_t offset = 0; // in the object's file
};

// What of openAPIV3Schema an object breaks, at most `most` of it: types, required fields, enumerations,
// bounds, patterns, lengths and combinations. Formats and CEL rules are not looked at.
std::vector<SchemaViolation> violations(const Value& object, const Value& schema, size_t most = 10);

} // namespace opcat::classic
