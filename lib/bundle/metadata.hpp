// Reads what the files in metadata/ say about a bundle.
#pragma once

#include "opcat/bundle/manifests.hpp"

#include <map>
#include <string>
#include <vector>

namespace opcat {

// A property or a dependency. Go keeps the value as JSON text, by which opm sorts and compares.
struct TypedValue {
    std::string type;
    std::string json; // empty: without a value
    Value value;      // what the text says
    const SourceFile* file = nullptr;
    uint32_t offset = 0;
};

// The items of a list of properties or dependencies in a file of that notation. `list` is an array; items of
// the wrong type are left empty, as Go leaves them.
std::vector<TypedValue> typed_values(const SourceFile& file, Notation notation, const Value& list,
                                     Arena& arena);

struct BundleMetadata {
    std::string package;
    std::map<std::string, std::string>
        labels; // all annotations whose values are strings: labels of the bundle's image
    const SourceFile* annotations = nullptr; // the file that names the package; nullptr if none does
    std::vector<TypedValue> properties;
    std::vector<TypedValue> dependencies;
};

// If several files could provide one of the three, the first one counts. Content that opm ignores is a
// warning.
BundleMetadata read_metadata(const std::vector<DocumentFile>& files, Arena& arena, Diagnostics& diagnostics);

} // namespace opcat
