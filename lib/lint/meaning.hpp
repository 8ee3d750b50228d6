// Compares the values of an edited file with those before: the safety net of fixes.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <vector>

namespace opcat {

// Returns true if a file reads as a catalog or a template: it has documents, and each is an object with a
// schema.
bool reads_as_blobs(const SourceFile& file);

// The number of changes that the fixes of a file announce (FixEffect).
struct PromisedChanges {
    size_t texts = 0;
    size_t keys = 0;
    size_t less = 0;
    size_t more = 0;
    size_t metadata = 0; // objects of bundles that are gone
};

// Returns true if the documents of `after` are those of `before` but for these changes, and can all be read
// that could be read before. `edits` are those that made `after`, in the order of their places. Linear.
bool changes_only(const SourceFile& before, const SourceFile& after,
                  const std::vector<const TextEdit*>& edits, PromisedChanges promised);

} // namespace opcat
