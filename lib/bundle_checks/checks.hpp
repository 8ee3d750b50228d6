// The checks that a bundle is put through (bundle_checks.hpp).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/bundle_checks/bundle_checks.hpp"
#include "opcat/bundle_checks/source.hpp"

namespace opcat::bundle_checks {

// Names, install modes, fields that OLM needs, and the examples of the APIs.
void check_csv(const Source& bundle, Diagnostics& out);
void check_min_kube_version(const Source& bundle, Diagnostics& out);
void check_examples(const Source& bundle, Diagnostics& out);

// What an API server refuses when it is to create the CustomResourceDefinitions.
void check_crds(const Source& bundle, Diagnostics& out);
// Of that, what every object's metadata must be.
void check_crd_metadata(const kube::Object& crd, Diagnostics& out);

// The manifests against the ClusterServiceVersion.
void check_contents(const Source& bundle, Diagnostics& out);

// What OperatorHub.io asks for.
void check_presentation(const Source& bundle, Diagnostics& out);
void check_capabilities(const Source& bundle, Diagnostics& out);
void check_categories(const Source& bundle, const BundleCheckOptions& options, Diagnostics& out);

// Manifests that do harm to a cluster.
void check_objects(const Source& bundle, Diagnostics& out);

// APIs that Kubernetes does not have any more. `kubernetes_version` may be empty.
void check_removed_apis(const Source& bundle, std::string_view kubernetes_version, Diagnostics& out);

// What the documents of OLM recommend.
void check_practices(const Source& bundle, Diagnostics& out);

} // namespace opcat::bundle_checks
