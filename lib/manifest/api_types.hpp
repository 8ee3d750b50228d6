// The types of Kubernetes' and OLM's APIs that opm decodes manifests into.
#pragma once

#include "manifest/go_type.hpp"

namespace opcat::manifest {

// "ClusterServiceVersion" and its parts, "CSVMetadata" (the value of an olm.csv.metadata property),
// "ObjectMeta", "DeploymentSpec", "CustomResourceDefinition" (v1) and "CustomResourceDefinitionV1Beta1".
const GoTypes& api_types();

} // namespace opcat::manifest
