// Catalog files in the normalised form.
#pragma once

#include "opcat/catalog/load.hpp"

#include <string>

namespace opcat {

struct NormalisedFile {
    std::string text;
    bool changed = false; // whether it is another text than the file's
    LoadedCatalog loaded; // what the diagnostics refer to; the catalog is of no use
};

// What `opm render` would write for this file alone, in the notation of its first document. That drops
// comments and fields that opm does not know: each is an error, as is what does not load and a blob that opm
// would drop, unless `drop_comments` allows it for comments. Throws Error for what cannot be written (see
// write.hpp), or would read back as something else.
NormalisedFile normalise_file(std::unique_ptr<SourceFile> file, bool drop_comments, ThreadPool& pool);

} // namespace opcat
