// Definitions as the text they were written in.
#pragma once

#include "schema/schema.hpp"

#include <span>
#include <string>

namespace opcat::cue {

// A definition with its comment, without a line break at the end.
std::string text_of(const Schema& schema, const Definition& definition);

// One file of CUE with the definitions of a schema and all that they refer to, in the order of its file; all
// of them if none is named.
std::string to_cue(const Schema& schema, std::span<const Definition* const> definitions);

// One file of CUE with all definitions of several schemas, in the package of the first. What several of them
// define means all of it at once.
std::string to_cue(std::span<const Schema* const> schemas);

} // namespace opcat::cue
