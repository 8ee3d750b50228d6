// Scalars of YAML 1.1 as Go's yaml.v2 reads them (docs/spec/opm.md).
#pragma once

#include "opcat/document/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// A plain scalar without a tag: null, a boolean, a number, or the text itself. Timestamps are text. Never
// fails: infinities and NaN are returned as such doubles, which the caller refuses. Only allocates if the
// text looks like a number.
Value resolve_plain(std::string_view text, uint32_t offset);

enum class YamlTag { str, boolean, integer, real, null, timestamp };

// The same with an explicit tag; nothing if the text does not fit the tag.
std::optional<Value> resolve_tagged(YamlTag tag, std::string_view text, uint32_t offset);

// Returns true if yaml.v2 reads the text as a timestamp.
bool is_timestamp(std::string_view text);

// Returns true if a string needs quotes to remain a string.
bool reads_as_something_else(std::string_view text);

// Returns true if all bytes are allowed in YAML, and lines end only at LF. Tabs are accepted.
bool has_simple_characters(std::string_view text);

// Appends the character of the escape sequence in double quotes at `at`, and returns the end of the sequence;
// nullptr if libyaml must read it.
const char* append_escaped(std::string& text, const char* at, const char* end);

} // namespace opcat
