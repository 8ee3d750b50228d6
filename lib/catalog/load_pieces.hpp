// Files that are already cut into pieces, as those of an editor are, or into documents.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"

#include <memory>
#include <span>
#include <vector>

namespace opcat {

// One or more documents of a file. Its places are relative to its own beginning.
struct FilePiece {
    std::unique_ptr<SourceFile> text;
    std::vector<DocumentRange> documents;
    Diagnostics problems; // of the cutting
    bool begins_file = true;
};

// Loads each of these pieces independently, in their order. The text of a piece lives as long as its own
// catalog; the values of neighbouring pieces share memory.
std::vector<LoadedCatalog> load_pieces(std::vector<FilePiece> pieces, ThreadPool& pool);

// A document that has been parsed. Its file and its value must outlive what is loaded from it.
struct ParsedDocument {
    const SourceFile* file;
    Value value;
};

// Returns what load_catalog() makes of these documents, without what only their text shows: oddities and
// remarks.
LoadedCatalog load_parsed(std::span<const ParsedDocument> documents);

} // namespace opcat
