// What APIs a bundle brings, and which it needs.
#pragma once

#include "bundle/manifests.hpp"

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
// that is not there.
BundleApis find_apis(const std::vector<Manifest>& manifests, const ClusterServiceVersion& csv,
                     Diagnostics& diagnostics);

} // namespace opcat
