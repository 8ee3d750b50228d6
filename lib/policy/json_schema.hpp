// The part of JSON Schema (2020-12) that operatorcert's two schemas use, with the messages of Python's
// jsonschema 4.26.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/policy/python_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::policy {

struct SchemaError {
    std::string message;
    uint32_t offset = 0; // of the value that it is about
};

// Returns the schema of ci.yaml, and that of release-config.yaml: JSON, with descriptions.
std::string_view ci_schema();
std::string_view release_config_schema();

// Returns the mistakes in the text of ci.yaml or release-config.yaml by its schema, or why Python cannot read
// it.
Diagnostics check_by_schema(const SourceFile& file, std::string_view schema);

// Sorted by message. Keywords that this does not know are an assertion.
std::vector<SchemaError> schema_errors(std::string_view schema, const PythonValue& value);

} // namespace opcat::policy
