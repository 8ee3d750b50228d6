// github.com/operator-framework/api pkg/operators/v1alpha1.
#pragma once

#include "opcat/go/type.hpp"
#include "opcat/go/types/objects.hpp"
#include "opcat/go/types/pod.hpp"
#include "opcat/go/types/property.hpp"

namespace opcat::go::types {

inline constexpr Structure csv_spec_install_spec_deployments{
    {{"name"}, {"spec", deployment_spec}, {"label", map_of<string>}}};
inline constexpr Structure strategy_permissions{{{"serviceAccountName"}, {"rules", list_of<policy_rule>}}};
inline constexpr Structure csv_spec_install_spec{{{"deployments", list_of<csv_spec_install_spec_deployments>},
                                                  {"permissions", list_of<strategy_permissions>},
                                                  {"clusterPermissions", list_of<strategy_permissions>}}};
inline constexpr Structure csv_spec_install{{{"strategy"}, {"spec", csv_spec_install_spec}}};
inline constexpr Structure webhook_description_rules{{{"operations", list_of<string>},
                                                      {"apiGroups", list_of<string>},
                                                      {"apiVersions", list_of<string>},
                                                      {"resources", list_of<string>},
                                                      {"scope"}}};
inline constexpr Structure webhook_description{{{"generateName"},
                                                {"type"},
                                                {"deploymentName"},
                                                {"containerPort", int32},
                                                {"targetPort", int_or_string},
                                                {"rules", list_of<webhook_description_rules>},
                                                {"failurePolicy"},
                                                {"matchPolicy"},
                                                {"objectSelector", label_selector},
                                                {"sideEffects"},
                                                {"timeoutSeconds", int32},
                                                {"admissionReviewVersions", list_of<string>},
                                                {"reinvocationPolicy"},
                                                {"webhookPath"},
                                                {"conversionCRDs", list_of<string>}}};
inline constexpr Structure csv_spec_icon{{{"base64data"}, {"mediatype"}}};
inline constexpr Structure csv_spec_cleanup{{{"enabled", boolean}}};
inline constexpr Structure related_image{{{"name"}, {"image"}}};
inline constexpr Structure csv_spec{{{"install", csv_spec_install},
                                     {"version", version},
                                     {"release", release},
                                     {"maturity"},
                                     {"customresourcedefinitions", custom_resource_definitions},
                                     {"apiservicedefinitions", api_service_definitions},
                                     {"webhookdefinitions", list_of<webhook_description>},
                                     {"nativeAPIs", list_of<group_version_kind>},
                                     {"minKubeVersion"},
                                     {"displayName"},
                                     {"description"},
                                     {"keywords", list_of<string>},
                                     {"maintainers", list_of<maintainer>},
                                     {"provider", app_link},
                                     {"links", list_of<app_link>},
                                     {"icon", list_of<csv_spec_icon>},
                                     {"installModes", list_of<install_mode>},
                                     {"replaces"},
                                     {"labels", map_of<string>},
                                     {"annotations", map_of<string>},
                                     {"selector", label_selector},
                                     {"cleanup", csv_spec_cleanup},
                                     {"skips", list_of<string>},
                                     {"relatedImages", list_of<related_image>}}};
inline constexpr Structure csv_status_conditions{
    {{"phase"}, {"message"}, {"reason"}, {"lastUpdateTime", time}, {"lastTransitionTime", time}}};
inline constexpr Structure csv_status_requirement_status_dependents{
    {{"group"}, {"version"}, {"kind"}, {"status"}, {"message"}, {"uuid"}}};
inline constexpr Structure csv_status_requirement_status{
    {{"group"},
     {"version"},
     {"kind"},
     {"name"},
     {"status"},
     {"message"},
     {"uuid"},
     {"dependents", list_of<csv_status_requirement_status_dependents>}}};
inline constexpr Structure csv_status_cleanup_pending_deletion_instances{{{"namespace"}, {"name"}}};
inline constexpr Structure csv_status_cleanup_pending_deletion{
    {{"group"}, {"kind"}, {"instances", list_of<csv_status_cleanup_pending_deletion_instances>}}};
inline constexpr Structure csv_status_cleanup{
    {{"pendingDeletion", list_of<csv_status_cleanup_pending_deletion>}}};
inline constexpr Structure csv_status{{{"phase"},
                                       {"message"},
                                       {"reason"},
                                       {"lastUpdateTime", time},
                                       {"lastTransitionTime", time},
                                       {"conditions", list_of<csv_status_conditions>},
                                       {"requirementStatus", list_of<csv_status_requirement_status>},
                                       {"certsLastUpdated", time},
                                       {"certsRotateAt", time},
                                       {"cleanup", csv_status_cleanup}}};
inline constexpr Structure csv{
    "ClusterServiceVersion",
    {{"kind"}, {"apiVersion"}, {"metadata", object_meta}, {"spec", csv_spec}, {"status", csv_status}}};
inline constexpr Structure related_images{"RelatedImages", {{"images", list_of<related_image>}}};
inline constexpr Structure csv_with_related_images_spec{{{"relatedImages", list_of<related_image>}}};
inline constexpr Structure csv_with_related_images{"CsvWithRelatedImages",
                                                   {{"spec", csv_with_related_images_spec}}};
inline constexpr Structure api_key{{{"group"}, {"kind"}, {"name"}, {"version"}}};
inline constexpr Structure api_keys{"APIKeys", {{"owned", list_of<api_key>}, {"required", list_of<api_key>}}};
inline constexpr Structure install_of_deployments_install_spec_deployments{
    {{"name"}, {"spec", deployment_spec}}};
inline constexpr Structure install_of_deployments_install_spec{
    {{"deployments", list_of<install_of_deployments_install_spec_deployments>}}};
inline constexpr Structure install_of_deployments_install{
    {{"strategy"}, {"spec", install_of_deployments_install_spec}}};
inline constexpr Structure install_of_deployments{"InstallOfDeployments",
                                                  {{"install", install_of_deployments_install}}};

} // namespace opcat::go::types
