// Files as streams of documents: the documents of a file and their notation.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <optional>
#include <vector>

namespace opcat {

enum class Notation : uint8_t { json, yaml };

// The bytes [begin, end) of a file hold one document. It may contain an error, which reading finds.
struct DocumentRange {
    uint32_t begin;
    uint32_t end;
    Notation notation;
};

// Cuts a file into documents by the rules of opm's reader (docs/spec/opm.md): a file that begins with '{' is
// a stream of JSON values, in which a line "---" may switch to YAML; any other file, even with a byte order
// mark before the '{', is YAML, cut at lines that begin with "---" before anything is parsed. Problems of the
// cutting itself are added to `problems`. Linear; does not parse documents.
std::vector<DocumentRange> split_into_documents(const SourceFile& file, Diagnostics& problems);

// The same for a piece of a YAML file that begins with a separator, the line "---" and maybe a comment, which
// ends the document before it.
std::vector<DocumentRange> split_after_separator(const SourceFile& piece, Diagnostics& problems);

// Returns true if a file begins as a stream of JSON values.
bool begins_as_json(const SourceFile& file);

// JSON with a mistake that YAML allows, such as a comma after the last member: opm silently reads the file as
// YAML, other programs refuse it. A warning if the file is meant to be JSON: its name ends in .json or
// .jsonl, or its first mistake is an extra comma. `documents` are those of the file.
std::optional<Diagnostic> json_read_as_yaml(const SourceFile& file,
                                            const std::vector<DocumentRange>& documents);

// Reads one of these documents. `remarks`, if given, receives the comments to opcat in a YAML document
// and on the separator before it (find_remarks of source_details.hpp).
std::optional<Value> read_document(const SourceFile& file, const DocumentRange& range, Arena& arena,
                                   Diagnostic& problem, std::vector<Location>* remarks = nullptr);

} // namespace opcat
