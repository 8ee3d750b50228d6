// The files of a bundle, and the manifests among them.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// A file of a bundle: for OLM classic and opm only its first document counts.
struct DocumentFile {
    std::unique_ptr<SourceFile> file;
    std::string name;           // inside of its folder
    std::optional<Value> value; // absent: the file is neither YAML nor JSON, and `problem` says why
    Notation notation = Notation::yaml;
    std::vector<Value> further = {}; // the documents after the first that are not empty
    Diagnostic problem;
};

// Reads one file of a bundle's directory; `shown` is its name in messages. A file that cannot be read has no
// value. Throws Error for a link that leads out of the directory: what it leads to is not the bundle's.
DocumentFile read_document_file(const std::filesystem::path& bundle, const std::filesystem::path& path,
                                const std::string& shown, Arena& arena);

// All files of a folder of a bundle, sorted by name, without directories. `shown` is the folder's name in
// messages. Throws Error as read_document_file, and if the folder cannot be read or has too many files.
std::vector<DocumentFile> read_folder(const std::filesystem::path& folder, const std::filesystem::path& shown,
                                      bool hidden_ones, Arena& arena);

// Why Kubernetes' readers do not accept the first document of a file as an object; nothing if they do.
std::optional<Diagnostic> why_no_object(const DocumentFile& file);

struct Manifest {
    const DocumentFile* file = nullptr;
    Value object; // as Kubernetes' readers produce it: keys sorted, whole numbers beyond 64 bits rounded
    std::string_view kind;
    std::string_view group, version; // of the apiVersion
};

// The Kubernetes objects among the files, in their order, with at most one ClusterServiceVersion; everything
// else is a warning.
std::vector<Manifest> select_manifests(const std::vector<DocumentFile>& files, Arena& arena,
                                       Diagnostics& diagnostics);

// The object as one line of JSON, as Go writes it: '<', '>' and '&' are escaped.
std::string go_json(const Value& value);

// The ClusterServiceVersion of a bundle. opm decodes parts of it when it needs them; here all of it is
// checked at once.
struct ClusterServiceVersion {
    const Manifest* manifest = nullptr;
    const Value* spec = nullptr; // an object
    Text name;
    std::string_view version;
    std::string_view release;
    const Value* properties = nullptr; // the annotation "olm.properties", a string
};

// Finds and decodes it. Errors go to `diagnostics`; then there is no result.
std::optional<ClusterServiceVersion> find_csv(const std::vector<Manifest>& manifests,
                                              const std::string& folder, Diagnostics& diagnostics);

} // namespace opcat
