// Files of catalogs in the style of opm, with all that is in them.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <string>

namespace opcat {

struct FormattedText {
    std::string text;
    bool changed = false; // whether it is another text than the file's
    Diagnostics problems; // errors: there is no text then
};

// The documents of a file in their order, each in its notation: keys in opm's order, indentation, quotes and
// line breaks as opm writes them. Unknown fields, empty ones and repeated keys stay, numbers and booleans
// keep their spelling, and comments stay with what they are written at (document/yaml_comments.hpp). Aliases
// are written out. Formatting once is formatting twice.
//
// What cannot be read is an error, as is what opm passes over, and what would be lost (a tag). Throws Error
// if the text would read back as something else.
FormattedText format_file(const SourceFile& file);

} // namespace opcat
