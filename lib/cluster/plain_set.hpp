// Operators that opcat installed without any OLM: the objects of a bundle, labelled as one set.
#pragma once

#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// The label that all objects of a set have, with the set's name as its value; and what they tell of the
// bundle that they come from, as annotations.
inline constexpr const char* set_label = "opcat/set";
inline constexpr const char* set_package_annotation = "opcat/package";
inline constexpr const char* set_bundle_annotation = "opcat/bundle";
inline constexpr const char* set_version_annotation = "opcat/version";

// All objects of a set. Throws KubectlError.
std::vector<Object> objects_of_set(const Kubectl& kubectl, const std::string& set);

// Of Deployments that have the label, by set.
std::vector<OperatorState> states_of_sets(const std::vector<Object>& deployments);

} // namespace opcat::cluster
