// Tries the fix of a syntax error on the text, before anything is written.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/stream.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// `text`, which begins at byte `base` of a file, after edits of that file in the order of their places, which
// do not overlap.
std::string with_edits(std::string_view text, const std::vector<const TextEdit*>& edits, size_t base = 0);

// `problem` is why a document cannot be read. Completes its fix with those of the mistakes that show after it
// (some, not all), so that the document can be read. Removes the fix if that fails, if `is_meant` refuses the
// value, as it must for a file that only looks like a catalog, or if the fix could change a text: tabs in a
// block of text. Reads the document once for each mistake.
void complete_syntax_fix(const DocumentRange& document, Diagnostic& problem,
                         const std::function<bool(const Value&)>& is_meant);

} // namespace opcat
