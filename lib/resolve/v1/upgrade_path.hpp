// Ways from one version to another over several upgrades.
#pragma once

#include "resolve/v1/query.hpp"

#include <functional>
#include <vector>

namespace opcat::olmv1 {

using BundleTest = std::function<bool(const PackageBundle&)>;

// The bundles to install one after the other, the last of which is the first that passes the test, in as few
// steps as can be; of several such, the highest version. Only the request's installed bundle, channels and
// gate count, not its range; bundles with dependencies, which OLM v1 does not install, are no way. Empty if
// there is no way. Quadratic in the bundles of the package.
std::vector<const PackageBundle*> shortest_path(const Request& request, const PackageGraph& package,
                                                const BundleTest& is_goal);

// The bundle as one that is installed.
InstalledBundle as_installed(const PackageBundle& bundle, bool release_support);

} // namespace opcat::olmv1
