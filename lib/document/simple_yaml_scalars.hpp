// Texts of several lines in YAML as catalogs use it: what read_simple_yaml (simple_yaml_reader.hpp) reads in
// quotes and after a '|'. All of them assign the text, and throw NeedsFullParser where libyaml is to decide.
#pragma once

#include <cstddef>
#include <string>

namespace opcat::simple_yaml {

// This document is for libyaml.
struct NeedsFullParser {};

// Where the LF at or after `at` is; `end` if there is none.
const char* end_of_line(const char* at, const char* end);

// Appends what a line break and `blank_lines` empty lines after it are within a scalar of several lines.
void fold(std::string& text, size_t blank_lines);

// `at` is after the opening quote; return where the closing one is.
const char* read_single_quoted(std::string& text, const char* at, const char* end);
const char* read_double_quoted(std::string& text, const char* at, const char* end);

// `at` is the '|' of a value in a collection of that indentation; returns where the line after the text
// begins.
const char* read_literal(std::string& text, const char* at, const char* end, int indent);

} // namespace opcat::simple_yaml
