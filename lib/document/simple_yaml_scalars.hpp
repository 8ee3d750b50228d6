// Texts of several lines for read_simple_yaml (simple_yaml_reader.hpp): in quotes and after a '|'. All
// functions assign the text, and throw NeedsFullParser if libyaml must decide.
#pragma once

#include <cstddef>
#include <string>

namespace opcat::simple_yaml {

// This document is for libyaml.
struct NeedsFullParser {};

// The place of the LF at or after `at`; `end` if there is none.
const char* end_of_line(const char* at, const char* end);

// Appends a line break and the `blank_lines` empty lines after it as a scalar of several lines folds them.
void fold(std::string& text, size_t blank_lines);

// `at` is after the opening quote; return the place of the closing one.
const char* read_single_quoted(std::string& text, const char* at, const char* end);
const char* read_double_quoted(std::string& text, const char* at, const char* end);

// `at` is the '|' of a value in a collection of that indentation; returns where the line after the text
// begins.
const char* read_literal(std::string& text, const char* at, const char* end, int indent);

} // namespace opcat::simple_yaml
