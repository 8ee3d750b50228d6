// Schemas as JSON Schema 2020-12, for editors and validators.
#pragma once

#include "opcat/cue/schema.hpp"

#include <span>
#include <string>
#include <string_view>

namespace opcat::cue {

// A definition, and of which documents it says something.
struct JsonSchemaCase {
    const Schema* schema = nullptr;
    const Definition* definition = nullptr;
    std::string_view list = {};  // of the items of this field of the document; empty: of the document itself
    std::string_view field = {}; // of those that have here …
    std::string_view constant = {}; // … this; without a field: of all
};

// One JSON Schema for all the cases, with a line break at the end. It takes what the definitions take, but
// for what JSON Schema cannot say, which it lets pass and names in a "$comment": bounds of strings by order,
// regular expressions that only RE2 knows, disjunctions that fit in several ways, and whether a number is
// written with a point.
std::string to_json_schema(std::span<const JsonSchemaCase> cases, std::string_view title);

// A regular expression of RE2 as ECMAScript has it (with its flag u); nothing if it has no such thing.
std::optional<std::string> to_ecma_expression(std::string_view expression);

} // namespace opcat::cue
