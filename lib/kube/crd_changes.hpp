// Changes of CustomResourceDefinitions that OLM v1 refuses.
#pragma once

#include "opcat/kube/object.hpp"

#include <string>
#include <vector>

namespace opcat::kube {

// Why OLM v1 refuses to replace a definition, in its words (docs/spec/cluster.md), each in at most 200
// columns; sorted, empty if it does not. The fields below a removed one are left out. "Unhandled changes" and
// alternatives of oneOf are named as in the schema; OLM shows Go's structures. Throws Error after a million
// pairs of schemas.
std::vector<std::string> unsafe_changes(const Fields& current, const Fields& wanted);

// Those among them that the API server refuses, too: where OLM does not check the change, it fails.
std::vector<std::string> impossible_changes(const Fields& current, const Fields& wanted);

} // namespace opcat::kube
