// Operators of OLM v1, on their way.
#pragma once

#include "catalog/catalog.hpp"
#include "cluster/registry_v1.hpp"
#include "cluster_flow.hpp"
#include "image_options.hpp"

#include <string>

namespace opcat {

// Follows a ClusterExtension until it is as asked for. `bundle`: the one that it is to end at; empty:
// whichever. Says how it ended and returns the exit status.
int follow_v1(const cluster::Kubectl& kubectl, const std::string& extension, const std::string& bundle,
              const FlowFlags& flags, Session& session);

// The manifests of a bundle of a catalog: those that the catalog carries, or else its image's. Throws Error.
cluster::BundleContent content_of(const Bundle& bundle, const ImageFlags& images, Session& session);

// Says why OLM v1 would not put a bundle's CustomResourceDefinitions on the cluster: they belong to somebody
// else, or the change loses data. True if nothing stands in the way, as far as that can be seen from here.
bool check_definitions(const cluster::Kubectl& kubectl, const std::string& extension, const Bundle& bundle,
                       const ImageFlags& images, Session& session);

} // namespace opcat
