// Why something on a cluster does not get on: what its objects, events, pods and jobs say.
#pragma once

#include "cluster/kubectl.hpp"
#include "cluster/operator_state.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// Sentences, most telling first, without the state's own cause; may have several lines each. What the user
// may not look at is left out.
std::vector<std::string> diagnose(const Kubectl& kubectl, const OperatorState& state);

// Of a CatalogSource that does not get ready.
std::vector<std::string> diagnose_catalog(const Kubectl& kubectl, const std::string& ns,
                                          const std::string& name);

} // namespace opcat::cluster
