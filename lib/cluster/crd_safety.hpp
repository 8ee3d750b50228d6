// What OLM v1 looks for before it changes a CustomResourceDefinition, in its words
// (../shared/design/cluster.md, section 3.4): changes that lose data or make objects invalid that were valid.
#pragma once

#include "cluster/json.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// Of a definition as it is on the cluster and as a bundle has it; sorted, none if the change is safe.
std::vector<std::string> crd_dangers(const Json& current, const Json& wanted);

} // namespace opcat::cluster
