// Files that were cut into pieces before, as an editor's are.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/document/stream.hpp"

#include <memory>
#include <vector>

namespace opcat {

// One or more documents of a file. Places in it are counted from its own beginning.
struct FilePiece {
    std::unique_ptr<SourceFile> text;
    std::vector<DocumentRange> documents;
    Diagnostics problems; // of the cutting
    bool begins_file = true;
};

// Loads each of these pieces as if it were all there is, in their order. The text of a piece lives as long as
// its own catalog; the values of neighbours share memory.
std::vector<LoadedCatalog> load_pieces(std::vector<FilePiece> pieces, ThreadPool& pool);

} // namespace opcat
