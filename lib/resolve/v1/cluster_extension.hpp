// ClusterExtension manifests: the API server's validation, and the request to the resolver.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <string>
#include <vector>

namespace opcat::olmv1 {

struct ClusterExtension {
    std::string name;
    // With what the manifest's status names as installed, if it has one, and for the release's installer.
    Request request;
    // Findings of rule "cluster-extension": errors for what the API server refuses, warnings for fields that
    // it drops.
    Diagnostics findings;

    bool is_refused() const;
};

// All ClusterExtensions in a file of YAML or JSON documents, in order, also those in a List; other objects
// are ignored. A second one of a name with other content has an error. Findings about unreadable documents
// are added to `problems`. The rules are those of the release's CustomResourceDefinition, in the API server's
// words: field, value and rule.
std::vector<ClusterExtension> read_cluster_extensions(const SourceFile& file, const OlmRelease& release,
                                                      Diagnostics& problems);

} // namespace opcat::olmv1
