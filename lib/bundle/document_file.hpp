// Files of a bundle: the first document counts.
#pragma once

#include "base/diagnostic.hpp"
#include "document/stream.hpp"
#include "document/value.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

struct DocumentFile {
    std::unique_ptr<SourceFile> file;
    std::string name;           // inside of its folder
    std::optional<Value> value; // nothing: it is no YAML or JSON, and `problem` says why
    Notation notation = Notation::yaml;
    bool has_more = false; // there are other documents behind the first
    Diagnostic problem;
};

// All files of a folder in the order of their names, directories aside. Messages call it `shown`. Throws
// Error if the folder cannot be read or has too many files; a file that cannot be read is one without a
// value.
std::vector<DocumentFile> read_folder(const std::filesystem::path& folder, const std::filesystem::path& shown,
                                      bool hidden_ones, Arena& arena);

} // namespace opcat
