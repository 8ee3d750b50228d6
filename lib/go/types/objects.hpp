// k8s.io/api: what bundles may have next to deployments.
#pragma once

#include "opcat/go/type.hpp"
#include "opcat/go/types/meta.hpp"

namespace opcat::go::types {

inline constexpr Structure pod_disruption_budget_spec{{{"minAvailable", int_or_string},
                                                       {"selector", label_selector},
                                                       {"maxUnavailable", int_or_string},
                                                       {"unhealthyPodEvictionPolicy"}}};
inline constexpr Structure condition{{{"type"},
                                      {"status"},
                                      {"observedGeneration", int64},
                                      {"lastTransitionTime", time},
                                      {"reason"},
                                      {"message"}}};
inline constexpr Structure pod_disruption_budget_status{{{"observedGeneration", int64},
                                                         {"disruptedPods", map_of<time>},
                                                         {"disruptionsAllowed", int32},
                                                         {"currentHealthy", int32},
                                                         {"desiredHealthy", int32},
                                                         {"expectedPods", int32},
                                                         {"conditions", list_of<condition>}}};
inline constexpr Structure pod_disruption_budget{"PodDisruptionBudget",
                                                 {{"kind"},
                                                  {"apiVersion"},
                                                  {"metadata", object_meta},
                                                  {"spec", pod_disruption_budget_spec},
                                                  {"status", pod_disruption_budget_status}}};
inline constexpr Structure priority_class{"PriorityClass",
                                          {{"kind"},
                                           {"apiVersion"},
                                           {"metadata", object_meta},
                                           {"value", int32},
                                           {"globalDefault", boolean},
                                           {"description"},
                                           {"preemptionPolicy"}}};
inline constexpr Structure policy_rule{{{"verbs", list_of<string>},
                                        {"apiGroups", list_of<string>},
                                        {"resources", list_of<string>},
                                        {"resourceNames", list_of<string>},
                                        {"nonResourceURLs", list_of<string>}}};
inline constexpr Structure role{
    "Role", {{"kind"}, {"apiVersion"}, {"metadata", object_meta}, {"rules", list_of<policy_rule>}}};
inline constexpr Structure cluster_role_aggregation_rule{{{"clusterRoleSelectors", list_of<label_selector>}}};
inline constexpr Structure cluster_role{"ClusterRole",
                                        {{"kind"},
                                         {"apiVersion"},
                                         {"metadata", object_meta},
                                         {"rules", list_of<policy_rule>},
                                         {"aggregationRule", cluster_role_aggregation_rule}}};
inline constexpr Structure subject{{{"kind"}, {"apiGroup"}, {"name"}, {"namespace"}}};
inline constexpr Structure role_ref{{{"apiGroup"}, {"kind"}, {"name"}}};
inline constexpr Structure role_binding{"RoleBinding",
                                        {{"kind"},
                                         {"apiVersion"},
                                         {"metadata", object_meta},
                                         {"subjects", list_of<subject>},
                                         {"roleRef", role_ref}}};
inline constexpr Structure cluster_role_binding{"ClusterRoleBinding",
                                                {{"kind"},
                                                 {"apiVersion"},
                                                 {"metadata", object_meta},
                                                 {"subjects", list_of<subject>},
                                                 {"roleRef", role_ref}}};
inline constexpr Structure service_account_secrets{
    {{"kind"}, {"namespace"}, {"name"}, {"uid"}, {"apiVersion"}, {"resourceVersion"}, {"fieldPath"}}};
inline constexpr Structure service_account{"ServiceAccount",
                                           {{"kind"},
                                            {"apiVersion"},
                                            {"metadata", object_meta},
                                            {"secrets", list_of<service_account_secrets>},
                                            {"imagePullSecrets", list_of<local_reference>},
                                            {"automountServiceAccountToken", boolean}}};
inline constexpr Structure config_map{"ConfigMap",
                                      {{"kind"},
                                       {"apiVersion"},
                                       {"metadata", object_meta},
                                       {"data", map_of<string>},
                                       {"binaryData", map_of<base64>},
                                       {"immutable", boolean}}};
inline constexpr Structure secret{"Secret",
                                  {{"kind"},
                                   {"apiVersion"},
                                   {"metadata", object_meta},
                                   {"data", map_of<base64>},
                                   {"stringData", map_of<string>},
                                   {"type"},
                                   {"immutable", boolean}}};
inline constexpr Structure service_spec_ports{{{"name"},
                                               {"protocol"},
                                               {"appProtocol"},
                                               {"port", int32},
                                               {"targetPort", int_or_string},
                                               {"nodePort", int32}}};
inline constexpr Structure service_spec_session_affinity_config_client_ip{{{"timeoutSeconds", int32}}};
inline constexpr Structure service_spec_session_affinity_config{
    {{"clientIP", service_spec_session_affinity_config_client_ip}}};
inline constexpr Structure service_spec{{{"ports", list_of<service_spec_ports>},
                                         {"selector", map_of<string>},
                                         {"clusterIP"},
                                         {"clusterIPs", list_of<string>},
                                         {"type"},
                                         {"externalIPs", list_of<string>},
                                         {"sessionAffinity"},
                                         {"loadBalancerIP"},
                                         {"loadBalancerSourceRanges", list_of<string>},
                                         {"externalName"},
                                         {"externalTrafficPolicy"},
                                         {"healthCheckNodePort", int32},
                                         {"publishNotReadyAddresses", boolean},
                                         {"sessionAffinityConfig", service_spec_session_affinity_config},
                                         {"ipFamilies", list_of<string>},
                                         {"ipFamilyPolicy"},
                                         {"allocateLoadBalancerNodePorts", boolean},
                                         {"loadBalancerClass"},
                                         {"internalTrafficPolicy"},
                                         {"trafficDistribution"}}};
inline constexpr Structure service_status_load_balancer_ingress_ports{
    {{"port", int32}, {"protocol"}, {"error"}}};
inline constexpr Structure service_status_load_balancer_ingress{
    {{"ip"}, {"hostname"}, {"ipMode"}, {"ports", list_of<service_status_load_balancer_ingress_ports>}}};
inline constexpr Structure service_status_load_balancer{
    {{"ingress", list_of<service_status_load_balancer_ingress>}}};
inline constexpr Structure service_status{
    {{"loadBalancer", service_status_load_balancer}, {"conditions", list_of<condition>}}};
inline constexpr Structure service{"Service",
                                   {{"kind"},
                                    {"apiVersion"},
                                    {"metadata", object_meta},
                                    {"spec", service_spec},
                                    {"status", service_status}}};
inline constexpr Structure network_policy_port{{{"protocol"}, {"port", int_or_string}, {"endPort", int32}}};
inline constexpr Structure network_policy_peer_ip_block{{{"cidr"}, {"except", list_of<string>}}};
inline constexpr Structure network_policy_peer{{{"podSelector", label_selector},
                                                {"namespaceSelector", label_selector},
                                                {"ipBlock", network_policy_peer_ip_block}}};
inline constexpr Structure network_policy_spec_ingress{
    {{"ports", list_of<network_policy_port>}, {"from", list_of<network_policy_peer>}}};
inline constexpr Structure network_policy_spec_egress{
    {{"ports", list_of<network_policy_port>}, {"to", list_of<network_policy_peer>}}};
inline constexpr Structure network_policy_spec{{{"podSelector", label_selector},
                                                {"policyTypes", list_of<string>},
                                                {"ingress", list_of<network_policy_spec_ingress>},
                                                {"egress", list_of<network_policy_spec_egress>}}};
inline constexpr Structure network_policy{
    "NetworkPolicy", {{"kind"}, {"apiVersion"}, {"metadata", object_meta}, {"spec", network_policy_spec}}};

} // namespace opcat::go::types
