// Scalars of YAML 1.1 as Go's yaml.v2 reads them (docs/spec/opm.md).
#pragma once

#include "opcat/document/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// A plain scalar without a tag: null, a boolean, a number, or the text itself. Timestamps are text. Never
// fails: infinities and not-a-number come back as such doubles, for the caller to refuse. Allocates nothing
// unless the text looks like a number.
Value resolve_plain(std::string_view text, uint32_t offset);

enum class YamlTag { str, boolean, integer, real, null, timestamp };

// The same with an explicit tag; nothing if the text is not what the tag says.
std::optional<Value> resolve_tagged(YamlTag tag, std::string_view text, uint32_t offset);

// Whether yaml.v2 reads the text as a timestamp.
bool is_timestamp(std::string_view text);

// Whether a string needs quotes to be read back as a string.
bool reads_as_something_else(std::string_view text);

// Whether all bytes are ones that YAML allows and that end lines only where there is an LF. Tabs pass.
bool has_simple_characters(std::string_view text);

// Appends what the escape sequence of double quotes at `at` means, and returns where it ends; nullptr if it
// is for libyaml.
const char* append_escaped(std::string& text, const char* at, const char* end);

} // namespace opcat
