// Schemas as JSON Schema 2020-12, for editors and validators.
#pragma once

#include "opcat/cue/schema.hpp"

#include <span>
#include <string>
#include <string_view>

namespace opcat::cue {

// A definition, and the documents that it describes.
struct JsonSchemaCase {
    const Schema* schema = nullptr;
    const Definition* definition = nullptr;
    std::string_view list = {};  // of the items of this field of the document; empty: of the document itself
    std::string_view field = {}; // of those whose field …
    std::string_view constant = {}; // … has this value; without a field: of all
};

// One JSON Schema for all the cases, with a line break at the end. It accepts what the definitions accept.
// Constraints that JSON Schema cannot express are not checked and named in a "$comment": bounds of strings by
// order, regular expressions that only RE2 supports, disjunctions with several matches, and whether a number
// is written with a point.
std::string to_json_schema(std::span<const JsonSchemaCase> cases, std::string_view title);

// A regular expression of RE2 in ECMAScript's syntax (with its flag u); nothing if there is no equivalent.
std::optional<std::string> to_ecma_expression(std::string_view expression);

} // namespace opcat::cue
