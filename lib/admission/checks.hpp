// The checks of single kinds of objects (admission.hpp).
#pragma once

#include "opcat/admission/refusal.hpp"

#include <span>

namespace opcat::admission {

void check_rules(std::span<const Value> rules, bool in_namespace, Refusals& out);
void check_deployment(const kube::Fields& spec, Refusals& out);
// The fields of a pod's specification that say where it may run.
void check_scheduling(const kube::Fields& spec, const std::string& path, Refusals& out);
void check_config_map(const kube::Fields& object, Refusals& out);
void check_secret(const kube::Fields& object, Refusals& out);
void check_service(const kube::Fields& object, Refusals& out);
void check_binding(const kube::Fields& object, bool in_namespace, Refusals& out);
void check_disruption_budget(const kube::Fields& object, Refusals& out);
void check_priority_class(const kube::Fields& object, Refusals& out);
void check_network_policy(const kube::Fields& object, Refusals& out);

} // namespace opcat::admission
