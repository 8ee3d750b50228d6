// What the text of a file has and the value that is read from it has not: comments, and keys that are given
// twice.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace opcat {

// The places of all comments in a file of YAML, or of JSON that switches to YAML: their bytes from the '#' to
// the end of the line, in the order of the file. Where the text is not YAML, whatever may be a comment.
// Linear, at the speed of libyaml where there is a '#' in what is not simple (simple_yaml_reader.hpp).
std::vector<Location> find_yaml_comments(const SourceFile& file);

// Those of them that begin with "# opcat:", which are meant for opcat.
std::vector<Location> find_remarks(const SourceFile& file);
// Adds those of one document of YAML, or those among the offsets of its comments.
void find_remarks(const SourceFile& file, const DocumentRange& document, std::vector<Location>& out);
void find_remarks(const SourceFile& file, std::span<const uint32_t> comments, std::vector<Location>& out);

// The places of all tags ("!!binary", "!include") in a file of YAML.
std::vector<Location> find_yaml_tags(const SourceFile& file);

// A key that an object has more than once. The last one counts, to Go as to opcat.
struct RepeatedKey {
    Value first;
    Value again;
};

// All of a document, in the order of the objects that hold them: one for each time that a key is given again.
// What a YAML alias or merge key (<<) brings in is not part of the object that asks for it, and is looked at
// where it is written. Linear; nesting takes no stack.
std::vector<RepeatedKey> find_repeated_keys(const Value& document);

} // namespace opcat
