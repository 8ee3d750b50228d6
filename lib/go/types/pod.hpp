// k8s.io/api: what runs in a pod.
#pragma once

#include "opcat/go/type.hpp"
#include "opcat/go/types/meta.hpp"

namespace opcat::go::types {

inline constexpr Structure volume_host_path{{{"path"}, {"type"}}};
inline constexpr Structure volume_empty_dir{{{"medium"}, {"sizeLimit", quantity}}};
inline constexpr Structure volume_gce_persistent_disk{
    {{"pdName"}, {"fsType"}, {"partition", int32}, {"readOnly", boolean}}};
inline constexpr Structure volume_aws_elastic_block_store{
    {{"volumeID"}, {"fsType"}, {"partition", int32}, {"readOnly", boolean}}};
inline constexpr Structure volume_git_repo{{{"repository"}, {"revision"}, {"directory"}}};
inline constexpr Structure key_to_path{{{"key"}, {"path"}, {"mode", int32}}};
inline constexpr Structure volume_secret{
    {{"secretName"}, {"items", list_of<key_to_path>}, {"defaultMode", int32}, {"optional", boolean}}};
inline constexpr Structure volume_nfs{{{"server"}, {"path"}, {"readOnly", boolean}}};
inline constexpr Structure volume_iscsi{{{"targetPortal"},
                                         {"iqn"},
                                         {"lun", int32},
                                         {"iscsiInterface"},
                                         {"fsType"},
                                         {"readOnly", boolean},
                                         {"portals", list_of<string>},
                                         {"chapAuthDiscovery", boolean},
                                         {"chapAuthSession", boolean},
                                         {"secretRef", local_reference},
                                         {"initiatorName"}}};
inline constexpr Structure volume_glusterfs{{{"endpoints"}, {"path"}, {"readOnly", boolean}}};
inline constexpr Structure volume_persistent_volume_claim{{{"claimName"}, {"readOnly", boolean}}};
inline constexpr Structure volume_rbd{{{"monitors", list_of<string>},
                                       {"image"},
                                       {"fsType"},
                                       {"pool"},
                                       {"user"},
                                       {"keyring"},
                                       {"secretRef", local_reference},
                                       {"readOnly", boolean}}};
inline constexpr Structure volume_flex_volume{{{"driver"},
                                               {"fsType"},
                                               {"secretRef", local_reference},
                                               {"readOnly", boolean},
                                               {"options", map_of<string>}}};
inline constexpr Structure volume_cinder{
    {{"volumeID"}, {"fsType"}, {"readOnly", boolean}, {"secretRef", local_reference}}};
inline constexpr Structure volume_cephfs{{{"monitors", list_of<string>},
                                          {"path"},
                                          {"user"},
                                          {"secretFile"},
                                          {"secretRef", local_reference},
                                          {"readOnly", boolean}}};
inline constexpr Structure volume_flocker{{{"datasetName"}, {"datasetUUID"}}};
inline constexpr Structure field_reference{{{"apiVersion"}, {"fieldPath"}}};
inline constexpr Structure resource_field_reference{{{"containerName"}, {"resource"}, {"divisor", quantity}}};
inline constexpr Structure downward_file{{{"path"},
                                          {"fieldRef", field_reference},
                                          {"resourceFieldRef", resource_field_reference},
                                          {"mode", int32}}};
inline constexpr Structure volume_downward_api{{{"items", list_of<downward_file>}, {"defaultMode", int32}}};
inline constexpr Structure volume_fc{{{"targetWWNs", list_of<string>},
                                      {"lun", int32},
                                      {"fsType"},
                                      {"readOnly", boolean},
                                      {"wwids", list_of<string>}}};
inline constexpr Structure volume_azure_file{{{"secretName"}, {"shareName"}, {"readOnly", boolean}}};
inline constexpr Structure volume_config_map{
    {{"name"}, {"items", list_of<key_to_path>}, {"defaultMode", int32}, {"optional", boolean}}};
inline constexpr Structure volume_vsphere_volume{
    {{"volumePath"}, {"fsType"}, {"storagePolicyName"}, {"storagePolicyID"}}};
inline constexpr Structure volume_quobyte{
    {{"registry"}, {"volume"}, {"readOnly", boolean}, {"user"}, {"group"}, {"tenant"}}};
inline constexpr Structure volume_azure_disk{
    {{"diskName"}, {"diskURI"}, {"cachingMode"}, {"fsType"}, {"readOnly", boolean}, {"kind"}}};
inline constexpr Structure volume_photon_persistent_disk{{{"pdID"}, {"fsType"}}};
inline constexpr Structure projected_items{
    {{"name"}, {"items", list_of<key_to_path>}, {"optional", boolean}}};
inline constexpr Structure volume_projected_sources_downward_api{{{"items", list_of<downward_file>}}};
inline constexpr Structure volume_projected_sources_service_account_token{
    {{"audience"}, {"expirationSeconds", int64}, {"path"}}};
inline constexpr Structure volume_projected_sources_cluster_trust_bundle{
    {{"name"}, {"signerName"}, {"labelSelector", label_selector}, {"optional", boolean}, {"path"}}};
inline constexpr Structure volume_projected_sources{
    {{"secret", projected_items},
     {"configMap", projected_items},
     {"downwardAPI", volume_projected_sources_downward_api},
     {"serviceAccountToken", volume_projected_sources_service_account_token},
     {"clusterTrustBundle", volume_projected_sources_cluster_trust_bundle}}};
inline constexpr Structure volume_projected{
    {{"defaultMode", int32}, {"sources", list_of<volume_projected_sources>}}};
inline constexpr Structure volume_portworx_volume{{{"volumeID"}, {"fsType"}, {"readOnly", boolean}}};
inline constexpr Structure volume_scale_io{{{"gateway"},
                                            {"system"},
                                            {"secretRef", local_reference},
                                            {"sslEnabled", boolean},
                                            {"protectionDomain"},
                                            {"storagePool"},
                                            {"storageMode"},
                                            {"volumeName"},
                                            {"fsType"},
                                            {"readOnly", boolean}}};
inline constexpr Structure volume_storageos{
    {{"volumeName"}, {"volumeNamespace"}, {"fsType"}, {"readOnly", boolean}, {"secretRef", local_reference}}};
inline constexpr Structure volume_csi{{{"driver"},
                                       {"readOnly", boolean},
                                       {"fsType"},
                                       {"volumeAttributes", map_of<string>},
                                       {"nodePublishSecretRef", local_reference}}};
inline constexpr Structure resource_requirements_claims{{{"name"}, {"request"}}};
inline constexpr Structure resource_requirements{{{"limits", map_of<quantity>},
                                                  {"requests", map_of<quantity>},
                                                  {"claims", list_of<resource_requirements_claims>}}};
inline constexpr Structure volume_ephemeral_volume_claim_template_spec_data_source{
    {{"apiGroup"}, {"kind"}, {"name"}}};
inline constexpr Structure volume_ephemeral_volume_claim_template_spec_data_source_ref{
    {{"apiGroup"}, {"kind"}, {"name"}, {"namespace"}}};
inline constexpr Structure volume_ephemeral_volume_claim_template_spec{
    {{"accessModes", list_of<string>},
     {"selector", label_selector},
     {"resources", resource_requirements},
     {"volumeName"},
     {"storageClassName"},
     {"volumeMode"},
     {"dataSource", volume_ephemeral_volume_claim_template_spec_data_source},
     {"dataSourceRef", volume_ephemeral_volume_claim_template_spec_data_source_ref},
     {"volumeAttributesClassName"}}};
inline constexpr Structure volume_ephemeral_volume_claim_template{
    {{"metadata", object_meta}, {"spec", volume_ephemeral_volume_claim_template_spec}}};
inline constexpr Structure volume_ephemeral{
    {{"volumeClaimTemplate", volume_ephemeral_volume_claim_template}}};
inline constexpr Structure volume_image{{{"reference"}, {"pullPolicy"}}};
inline constexpr Structure volume{{{"name"},
                                   {"hostPath", volume_host_path},
                                   {"emptyDir", volume_empty_dir},
                                   {"gcePersistentDisk", volume_gce_persistent_disk},
                                   {"awsElasticBlockStore", volume_aws_elastic_block_store},
                                   {"gitRepo", volume_git_repo},
                                   {"secret", volume_secret},
                                   {"nfs", volume_nfs},
                                   {"iscsi", volume_iscsi},
                                   {"glusterfs", volume_glusterfs},
                                   {"persistentVolumeClaim", volume_persistent_volume_claim},
                                   {"rbd", volume_rbd},
                                   {"flexVolume", volume_flex_volume},
                                   {"cinder", volume_cinder},
                                   {"cephfs", volume_cephfs},
                                   {"flocker", volume_flocker},
                                   {"downwardAPI", volume_downward_api},
                                   {"fc", volume_fc},
                                   {"azureFile", volume_azure_file},
                                   {"configMap", volume_config_map},
                                   {"vsphereVolume", volume_vsphere_volume},
                                   {"quobyte", volume_quobyte},
                                   {"azureDisk", volume_azure_disk},
                                   {"photonPersistentDisk", volume_photon_persistent_disk},
                                   {"projected", volume_projected},
                                   {"portworxVolume", volume_portworx_volume},
                                   {"scaleIO", volume_scale_io},
                                   {"storageos", volume_storageos},
                                   {"csi", volume_csi},
                                   {"ephemeral", volume_ephemeral},
                                   {"image", volume_image}}};
inline constexpr Structure container_ports{
    {{"name"}, {"hostPort", int32}, {"containerPort", int32}, {"protocol"}, {"hostIP"}}};
inline constexpr Structure optional_reference{{{"name"}, {"optional", boolean}}};
inline constexpr Structure container_env_from{
    {{"prefix"}, {"configMapRef", optional_reference}, {"secretRef", optional_reference}}};
inline constexpr Structure key_in_object{{{"name"}, {"key"}, {"optional", boolean}}};
inline constexpr Structure container_env_value_from_file_key_ref{
    {{"volumeName"}, {"path"}, {"key"}, {"optional", boolean}}};
inline constexpr Structure container_env_value_from{{{"fieldRef", field_reference},
                                                     {"resourceFieldRef", resource_field_reference},
                                                     {"configMapKeyRef", key_in_object},
                                                     {"secretKeyRef", key_in_object},
                                                     {"fileKeyRef", container_env_value_from_file_key_ref}}};
inline constexpr Structure container_env{{{"name"}, {"value"}, {"valueFrom", container_env_value_from}}};
inline constexpr Structure container_resize_policy{{{"resourceName"}, {"restartPolicy"}}};
inline constexpr Structure container_restart_policy_rules_exit_codes{
    {{"operator"}, {"values", list_of<int32>}}};
inline constexpr Structure container_restart_policy_rules{
    {{"action"}, {"exitCodes", container_restart_policy_rules_exit_codes}}};
inline constexpr Structure container_volume_mounts{{{"name"},
                                                    {"readOnly", boolean},
                                                    {"recursiveReadOnly"},
                                                    {"mountPath"},
                                                    {"subPath"},
                                                    {"mountPropagation"},
                                                    {"subPathExpr"}}};
inline constexpr Structure container_volume_devices{{{"name"}, {"devicePath"}}};
inline constexpr Structure exec{{{"command", list_of<string>}}};
inline constexpr Structure name_and_value{{{"name"}, {"value"}}};
inline constexpr Structure http_get{
    {{"path"}, {"port", int_or_string}, {"host"}, {"scheme"}, {"httpHeaders", list_of<name_and_value>}}};
inline constexpr Structure tcp_socket{{{"port", int_or_string}, {"host"}}};
inline constexpr Structure probe_grpc{{{"port", int32}, {"service"}}};
inline constexpr Structure probe{{{"exec", exec},
                                  {"httpGet", http_get},
                                  {"tcpSocket", tcp_socket},
                                  {"grpc", probe_grpc},
                                  {"initialDelaySeconds", int32},
                                  {"timeoutSeconds", int32},
                                  {"periodSeconds", int32},
                                  {"successThreshold", int32},
                                  {"failureThreshold", int32},
                                  {"terminationGracePeriodSeconds", int64}}};
inline constexpr Structure handler_sleep{{{"seconds", int64}}};
inline constexpr Structure handler{
    {{"exec", exec}, {"httpGet", http_get}, {"tcpSocket", tcp_socket}, {"sleep", handler_sleep}}};
inline constexpr Structure container_lifecycle{
    {{"postStart", handler}, {"preStop", handler}, {"stopSignal"}}};
inline constexpr Structure container_security_context_capabilities{
    {{"add", list_of<string>}, {"drop", list_of<string>}}};
inline constexpr Structure selinux_options{{{"user"}, {"role"}, {"type"}, {"level"}}};
inline constexpr Structure windows_options{
    {{"gmsaCredentialSpecName"}, {"gmsaCredentialSpec"}, {"runAsUserName"}, {"hostProcess", boolean}}};
inline constexpr Structure security_profile{{{"type"}, {"localhostProfile"}}};
inline constexpr Structure container_security_context{
    {{"capabilities", container_security_context_capabilities},
     {"privileged", boolean},
     {"seLinuxOptions", selinux_options},
     {"windowsOptions", windows_options},
     {"runAsUser", int64},
     {"runAsGroup", int64},
     {"runAsNonRoot", boolean},
     {"readOnlyRootFilesystem", boolean},
     {"allowPrivilegeEscalation", boolean},
     {"procMount"},
     {"seccompProfile", security_profile},
     {"appArmorProfile", security_profile}}};
inline constexpr Structure container{{{"name"},
                                      {"image"},
                                      {"command", list_of<string>},
                                      {"args", list_of<string>},
                                      {"workingDir"},
                                      {"ports", list_of<container_ports>},
                                      {"envFrom", list_of<container_env_from>},
                                      {"env", list_of<container_env>},
                                      {"resources", resource_requirements},
                                      {"resizePolicy", list_of<container_resize_policy>},
                                      {"restartPolicy"},
                                      {"restartPolicyRules", list_of<container_restart_policy_rules>},
                                      {"volumeMounts", list_of<container_volume_mounts>},
                                      {"volumeDevices", list_of<container_volume_devices>},
                                      {"livenessProbe", probe},
                                      {"readinessProbe", probe},
                                      {"startupProbe", probe},
                                      {"lifecycle", container_lifecycle},
                                      {"terminationMessagePath"},
                                      {"terminationMessagePolicy"},
                                      {"imagePullPolicy"},
                                      {"securityContext", container_security_context},
                                      {"stdin", boolean},
                                      {"stdinOnce", boolean},
                                      {"tty", boolean},
                                      {"targetContainerName"}}};
inline constexpr Structure pod_security_context{{{"seLinuxOptions", selinux_options},
                                                 {"windowsOptions", windows_options},
                                                 {"runAsUser", int64},
                                                 {"runAsGroup", int64},
                                                 {"runAsNonRoot", boolean},
                                                 {"supplementalGroups", list_of<int64>},
                                                 {"supplementalGroupsPolicy"},
                                                 {"fsGroup", int64},
                                                 {"sysctls", list_of<name_and_value>},
                                                 {"fsGroupChangePolicy"},
                                                 {"seccompProfile", security_profile},
                                                 {"appArmorProfile", security_profile},
                                                 {"seLinuxChangePolicy"}}};
inline constexpr Structure node_selector_term{
    {{"matchExpressions", list_of<selector_requirement>}, {"matchFields", list_of<selector_requirement>}}};
inline constexpr Structure affinity_node_affinity_required_during_scheduling_ignored_during_execution{
    {{"nodeSelectorTerms", list_of<node_selector_term>}}};
inline constexpr Structure affinity_node_affinity_preferred_during_scheduling_ignored_during_execution{
    {{"weight", int32}, {"preference", node_selector_term}}};
inline constexpr Structure affinity_node_affinity{
    {{"requiredDuringSchedulingIgnoredDuringExecution",
      affinity_node_affinity_required_during_scheduling_ignored_during_execution},
     {"preferredDuringSchedulingIgnoredDuringExecution",
      list_of<affinity_node_affinity_preferred_during_scheduling_ignored_during_execution>}}};
inline constexpr Structure pod_affinity_term{{{"labelSelector", label_selector},
                                              {"namespaces", list_of<string>},
                                              {"topologyKey"},
                                              {"namespaceSelector", label_selector},
                                              {"matchLabelKeys", list_of<string>},
                                              {"mismatchLabelKeys", list_of<string>}}};
inline constexpr Structure pod_affinity_preferred_during_scheduling_ignored_during_execution{
    {{"weight", int32}, {"podAffinityTerm", pod_affinity_term}}};
inline constexpr Structure pod_affinity{
    {{"requiredDuringSchedulingIgnoredDuringExecution", list_of<pod_affinity_term>},
     {"preferredDuringSchedulingIgnoredDuringExecution",
      list_of<pod_affinity_preferred_during_scheduling_ignored_during_execution>}}};
inline constexpr Structure affinity{{{"nodeAffinity", affinity_node_affinity},
                                     {"podAffinity", pod_affinity},
                                     {"podAntiAffinity", pod_affinity}}};
inline constexpr Structure pod_spec_tolerations{
    {{"key"}, {"operator"}, {"value"}, {"effect"}, {"tolerationSeconds", int64}}};
inline constexpr Structure pod_spec_host_aliases{{{"ip"}, {"hostnames", list_of<string>}}};
inline constexpr Structure pod_spec_dns_config{
    {{"nameservers", list_of<string>}, {"searches", list_of<string>}, {"options", list_of<name_and_value>}}};
inline constexpr Structure pod_spec_readiness_gates{{{"conditionType"}}};
inline constexpr Structure pod_spec_topology_spread_constraints{{{"maxSkew", int32},
                                                                 {"topologyKey"},
                                                                 {"whenUnsatisfiable"},
                                                                 {"labelSelector", label_selector},
                                                                 {"minDomains", int32},
                                                                 {"nodeAffinityPolicy"},
                                                                 {"nodeTaintsPolicy"},
                                                                 {"matchLabelKeys", list_of<string>}}};
inline constexpr Structure pod_spec_resource_claims{
    {{"name"}, {"resourceClaimName"}, {"resourceClaimTemplateName"}}};
inline constexpr Structure pod_spec{
    {{"volumes", list_of<volume>},
     {"initContainers", list_of<container>},
     {"containers", list_of<container>},
     {"ephemeralContainers", list_of<container>},
     {"restartPolicy"},
     {"terminationGracePeriodSeconds", int64},
     {"activeDeadlineSeconds", int64},
     {"dnsPolicy"},
     {"nodeSelector", map_of<string>},
     {"serviceAccountName"},
     {"serviceAccount"},
     {"automountServiceAccountToken", boolean},
     {"nodeName"},
     {"hostNetwork", boolean},
     {"hostPID", boolean},
     {"hostIPC", boolean},
     {"shareProcessNamespace", boolean},
     {"securityContext", pod_security_context},
     {"imagePullSecrets", list_of<local_reference>},
     {"hostname"},
     {"subdomain"},
     {"affinity", affinity},
     {"schedulerName"},
     {"tolerations", list_of<pod_spec_tolerations>},
     {"hostAliases", list_of<pod_spec_host_aliases>},
     {"priorityClassName"},
     {"priority", int32},
     {"dnsConfig", pod_spec_dns_config},
     {"readinessGates", list_of<pod_spec_readiness_gates>},
     {"runtimeClassName"},
     {"enableServiceLinks", boolean},
     {"preemptionPolicy"},
     {"overhead", map_of<quantity>},
     {"topologySpreadConstraints", list_of<pod_spec_topology_spread_constraints>},
     {"setHostnameAsFQDN", boolean},
     {"os", local_reference},
     {"hostUsers", boolean},
     {"schedulingGates", list_of<local_reference>},
     {"resourceClaims", list_of<pod_spec_resource_claims>},
     {"resources", resource_requirements},
     {"hostnameOverride"}}};
// spec.config.inline.deploymentConfig of a ClusterExtension.
inline constexpr Structure deployment_config{"deployment_config",
                                             {{"affinity", affinity},
                                              {"annotations", map_of<string>},
                                              {"env", list_of<container_env>},
                                              {"envFrom", list_of<container_env_from>},
                                              {"nodeSelector", map_of<string>},
                                              {"resources", resource_requirements},
                                              {"tolerations", list_of<pod_spec_tolerations>},
                                              {"volumeMounts", list_of<container_volume_mounts>},
                                              {"volumes", list_of<volume>}}};
inline constexpr Structure pod_template_spec{{{"metadata", object_meta}, {"spec", pod_spec}}};
inline constexpr Structure deployment_spec_strategy_rolling_update{
    {{"maxUnavailable", int_or_string}, {"maxSurge", int_or_string}}};
inline constexpr Structure deployment_spec_strategy{
    {{"type"}, {"rollingUpdate", deployment_spec_strategy_rolling_update}}};
inline constexpr Structure deployment_spec{"DeploymentSpec",
                                           {{"replicas", int32},
                                            {"selector", label_selector},
                                            {"template", pod_template_spec},
                                            {"strategy", deployment_spec_strategy},
                                            {"minReadySeconds", int32},
                                            {"revisionHistoryLimit", int32},
                                            {"paused", boolean},
                                            {"progressDeadlineSeconds", int32}}};

} // namespace opcat::go::types
