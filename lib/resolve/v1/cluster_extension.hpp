// ClusterExtension manifests: the API server's validation, and the request to the resolver.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <string>
#include <vector>

namespace opcat::olmv1 {

struct ClusterExtension {
    std::string name;
    Request request;      // without an installed bundle, unless the manifest's status has one
    Diagnostics findings; // of rule "cluster-extension"; not empty: the API server refuses it
};

// All ClusterExtensions in a file of YAML or JSON documents, in order; other objects are ignored. Findings
// about unreadable documents are added to `problems`. The rules are those of the CustomResourceDefinition
// (standard feature set), in the API server's words: field, value and rule.
std::vector<ClusterExtension> read_cluster_extensions(const SourceFile& file, Diagnostics& problems);

} // namespace opcat::olmv1
