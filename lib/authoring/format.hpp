// Catalog files in the style of opm, without loss of content.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <string>

namespace opcat {

struct FormattedText {
    std::string text;
    bool changed = false; // whether the text differs from the file's
    Diagnostics problems; // if there are errors, there is no text
};

// The documents of a file in their order and notation: keys in opm's order; indentation, quotes and line
// breaks as opm writes them. Unknown fields, empty fields and repeated keys stay, numbers and booleans keep
// their spelling, and comments stay at their values (document/yaml_comments.hpp). Aliases are written out.
// Formatting the result again changes nothing.
// A text that cannot be read is an error, a document that is not a blob is one, and so is content that opm
// ignores or that would be lost (a tag). Throws Error if the text would read back differently.
FormattedText format_file(const SourceFile& file);

} // namespace opcat
