// The properties that opm gives a bundle.
#pragma once

#include "bundle/manifests.hpp"
#include "bundle/metadata.hpp"
#include "bundle/provided_apis.hpp"

namespace opcat {

// The bundle's own properties: of its properties file, its package, the annotation "olm.properties" of its
// ClusterServiceVersion, each once. `annotation` is the file that holds that annotation's text, if there is
// one.
std::vector<TypedValue> own_properties(const BundleMetadata& metadata, const ClusterServiceVersion& csv,
                                       const SourceFile* annotation, Arena& arena, Diagnostics& diagnostics);

// The version in the first olm.package property.
std::string first_package_version(const std::vector<TypedValue>& own);

// All properties, in the order of their types and values: with the APIs that the bundle provides and
// requires, its dependencies and its manifests. What does not decode is an error.
std::vector<Property> all_properties(const std::vector<TypedValue>& own, const BundleMetadata& metadata,
                                     const ClusterServiceVersion& csv, const BundleApis& apis,
                                     const std::vector<Manifest>& manifests, Arena& arena,
                                     Diagnostics& diagnostics);

} // namespace opcat
