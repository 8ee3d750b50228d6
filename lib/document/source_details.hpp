// Comments and repeated keys, which the text of a file contains and its value does not.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opcat {

// The places of all comments in a file of YAML, or of JSON that switches to YAML: their bytes from the '#' to
// the end of the line, in the order of the file. If the text is not valid YAML, everything that may be a
// comment. Linear; needs libyaml's scanner if a document with a '#' is not simple (simple_yaml_reader.hpp).
std::vector<Location> find_yaml_comments(const SourceFile& file);

// Those that begin with "# opcat:", which are directives to opcat.
std::vector<Location> find_remarks(const SourceFile& file);
// Adds that on the separator line ("---") before a document.
void find_separator_remark(const SourceFile& file, const DocumentRange& document, std::vector<Location>& out);
// Adds those of one document of YAML, or those among the offsets of its comments.
void find_remarks(const SourceFile& file, const DocumentRange& document, std::vector<Location>& out);
void find_remarks(const SourceFile& file, std::span<const uint32_t> comments, std::vector<Location>& out);

// The places of all tags ("!!binary", "!include") in a file of YAML.
std::vector<Location> find_yaml_tags(const SourceFile& file);

// A key that an object has more than once. The last one counts, to Go as to opcat.
struct RepeatedKey {
    Value before; // the last one before it
    Value again;
};

// All repetitions in a document, in the order of their objects: one for each time that a key is repeated. The
// content of a YAML alias or merge key (<<) is not part of the object that refers to it, and is checked where
// it is written. Linear; does not recurse.
std::vector<RepeatedKey> find_repeated_keys(const Value& document);

// For objects of a cluster: the finding that a key is given twice, as in two lists one after the other
// without
// `---`, of which the last one would be all. Nothing if none is.
std::optional<Diagnostic> find_ambiguous_key(const SourceFile& file, const Value& document,
                                             std::string_view rule);

} // namespace opcat
