// Comments of a YAML document, and the keys and items that they belong to.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

// The comments of a key with its value, of an item, or of a whole document: from the '#' to the end of the
// line. They refer to the bytes of the file.
struct YamlComments {
    std::vector<std::string_view> before; // on lines of their own; an empty one is a blank line
    std::string_view beside;              // on its line; after the key if the value is a collection
    std::vector<std::string_view> after;  // on lines of their own, after the content of a collection
};

// By the value of a key, the item, or the root of the document.
using YamlCommentMap = std::unordered_map<const Value*, YamlComments>;

struct AttachedComments {
    YamlCommentMap of_values;
    std::string_view separator; // on the line "---"
};

// Finds out for each of `comments`, which are all of the document in their order, what it is written at:
//
//   on the line of something   that, however many brackets end there
//   on a line of its own       the key or item that follows; before the first key, the document;
//   indented
//                              more than what follows, the end of the collection with that indentation
//
// The same for the blank lines before keys and items and their comments, of which one after another is left.
// `value` was read from the document; its members may be in another order, and scalars may be pieces of the
// file that Value::of_json was given. What is not in it (such as a key
// "<<") leaves its comments to the end of the document. Every comment finds a place in which the writer can
// put it (yaml_writer.hpp), and is attached to the same again when what was written is read.
//
// Nothing if libyaml cannot scan the document: opm's YAML takes a few texts that it does not.
std::optional<AttachedComments> attach_comments(const SourceFile& file, const DocumentRange& range,
                                                std::span<const Location> comments, const Value& value);

// Like append_yaml (yaml_writer.hpp), but with comments, with the members of objects in their order, and with
// unchanged strings: nothing is converted through JSON text. Values from Value::of_json are written as plain
// text.
void append_commented_yaml(std::string& out, const Value& value, const YamlCommentMap& comments);

} // namespace opcat
