// The APIs that a bundle provides and requires, and the properties that opm gives it.
#pragma once

#include "opcat/bundle/manifests.hpp"
#include "opcat/bundle/metadata.hpp"

#include <compare>
#include <set>

namespace opcat {

struct ApiKey {
    std::string_view group, version, kind, plural;

    friend auto operator<=>(const ApiKey&, const ApiKey&) = default;
};

struct BundleApis {
    std::set<ApiKey> provided; // by its custom resource definitions and API services
    std::set<ApiKey> required;
};

// Errors: a custom resource definition that does not decode, or one that the ClusterServiceVersion owns and
// that is missing.
BundleApis find_apis(const std::vector<Manifest>& manifests, const ClusterServiceVersion& csv,
                     Diagnostics& diagnostics);

// The bundle's own properties: from its properties file, its package, and the annotation "olm.properties" of
// its ClusterServiceVersion, without duplicates. `annotation` is the file with that annotation's text, if
// there is one.
std::vector<TypedValue> own_properties(const BundleMetadata& metadata, const ClusterServiceVersion& csv,
                                       const SourceFile* annotation, Arena& arena, Diagnostics& diagnostics);

// The version in the first olm.package property.
std::string first_package_version(const std::vector<TypedValue>& own);

// All properties, sorted by type and value: also the APIs that the bundle provides and requires, its
// dependencies and its manifests. A property that does not decode is an error.
std::vector<Property> all_properties(const std::vector<TypedValue>& own, const BundleMetadata& metadata,
                                     const ClusterServiceVersion& csv, const BundleApis& apis,
                                     const std::vector<Manifest>& manifests, Arena& arena,
                                     Diagnostics& diagnostics);

} // namespace opcat
