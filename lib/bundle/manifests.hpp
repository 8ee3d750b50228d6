// The manifests of a bundle.
#pragma once

#include "bundle/document_file.hpp"
#include "catalog/catalog.hpp"

#include <string_view>
#include <vector>

namespace opcat {

struct Manifest {
    const DocumentFile* file = nullptr;
    Value object; // as Kubernetes' readers have it: keys sorted, whole numbers beyond 64 bits rounded
    std::string_view kind;
    std::string_view group, version; // of the apiVersion
};

// What is an object of Kubernetes among the files, in their order, with no more than one
// ClusterServiceVersion; all else is a warning.
std::vector<Manifest> select_manifests(const std::vector<DocumentFile>& files, Arena& arena,
                                       Diagnostics& diagnostics);

// The object as one line of JSON, as Go writes it: '<', '>' and '&' are escaped.
std::string go_json(const Value& value);

// The ClusterServiceVersion of a bundle. opm decodes parts of it when it needs them; here all of it is known
// to be right.
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
