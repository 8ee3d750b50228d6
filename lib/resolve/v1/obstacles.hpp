// What keeps OLM v1 from upgrading what a ClusterExtension has installed, as the objects of the cluster say.
#pragma once

#include "opcat/kube/object.hpp"

#include <span>
#include <string>

namespace opcat::olmv1 {

// A sentence; empty: nothing is known against it. `catalogs`: the cluster's ClusterCatalogs; none: they are
// not known.
std::string why_held(const kube::Object& extension, std::span<const kube::Object> catalogs);

// Why OLM v1 installs nothing from a ClusterCatalog: it is disabled, or does not serve its content. Empty:
// nothing is known against it.
std::string why_unavailable(const kube::Object& cluster_catalog);

} // namespace opcat::olmv1
