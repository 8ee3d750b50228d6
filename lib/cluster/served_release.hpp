// The release and the feature set of a cluster's OLM v1, as far as its API shows them.
#pragma once

#include "opcat/cluster/kubectl.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// The kind of object that holds one revision of an extension, as a resource: ClusterObjectSets, before 1.9
// ClusterExtensionRevisions. Only the experimental feature set serves them; else empty. Throws KubectlError.
std::string revision_resource(const Kubectl& kubectl);
bool is_experimental(const Kubectl& kubectl);

// The newest release that has the fields of a ClusterExtension which the cluster has. Where the API server
// does not describe them: the newest that requires an account. Throws KubectlError.
olmv1::OlmRelease served_release(const Kubectl& kubectl);

// The documents that these functions read, to be asked for ahead (Kubectl::raw_ahead).
std::vector<std::string> release_documents();

} // namespace opcat::cluster
