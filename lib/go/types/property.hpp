// operator-registry: alpha/property, what the values of properties are.
#pragma once

#include "opcat/go/type.hpp"

namespace opcat::go::types {

inline constexpr Structure property_package{
    "property.Package",
    {{"packageName", string, always, "The same as the bundle's package"},
     {"version", string, always, "A semantic version"},
     {"release", string, always,
      "Orders bundles of one version, in OLM v1 with the feature BundleReleaseSupport"}}};
inline constexpr Structure package_required{"property.PackageRequired",
                                            {{"packageName", string, always, "The package to be installed"},
                                             {"versionRange", string, always, "The range of its versions"}}};
inline constexpr Structure gvk{"property.GVK",
                               {{"group", string, always, "The API group"},
                                {"version", string, always, "The version of the API"},
                                {"kind", string, always, "The kind of its objects"}}};
inline constexpr Structure channel_property{"property.Channel",
                                            {{"channelName", string, always, "The name of the channel"},
                                             {"priority", int64, always, "Which channel comes first"}}};
inline constexpr Structure bundle_object{"property.BundleObject",
                                         {{"data", base64, always, "A manifest of the bundle, in base64"}}};
inline constexpr Structure resource_reference{{{"name", string, always, "The name of the object"},
                                               {"kind", string, always, "The kind of the object"},
                                               {"version", string, always, "The version of its API"}}};
inline constexpr Structure descriptor{
    {{"path", string, always, "The field, such as replicas or pods.size"},
     {"displayName", string, unless_empty, "The name of the field for people"},
     {"description", string, unless_empty, "What the field is for"},
     {"x-descriptors", list_of<string>, unless_empty, "How a console shows the field"},
     {"value", any, unless_empty, "The value, where it is constant"}}};
inline constexpr Structure api_service_description{
    {{"name", string, always, "The plural name of the kind"},
     {"group", string, always, "The API group"},
     {"version", string, always, "The version of the API"},
     {"kind", string, always, "The kind of its objects"},
     {"deploymentName", string, unless_empty, "The deployment that serves the API"},
     {"containerPort", int32, unless_empty, "The port on which it does"},
     {"displayName", string, unless_empty, "The name of the kind for people"},
     {"description", string, unless_empty, "What the kind is for"},
     {"resources", list_of<resource_reference>, unless_empty,
      "The objects that the operator makes for one of this kind"},
     {"statusDescriptors", list_of<descriptor>, unless_empty, "How to show fields of the status"},
     {"specDescriptors", list_of<descriptor>, unless_empty, "How to show fields of the spec"},
     {"actionDescriptors", list_of<descriptor>, unless_empty, "How to show what can be done"}}};
inline constexpr Structure api_service_definitions{
    {{"owned", list_of<api_service_description>, unless_empty, "Those that the operator provides"},
     {"required", list_of<api_service_description>, unless_empty, "Those that the operator needs"}}};
inline constexpr Structure crd_description{
    {{"name", string, always, "The name of the definition, PLURAL.GROUP"},
     {"version", string, always, "The version of the API"},
     {"kind", string, always, "The kind of its objects"},
     {"displayName", string, unless_empty, "The name of the kind for people"},
     {"description", string, unless_empty, "What the kind is for"},
     {"resources", list_of<resource_reference>, unless_empty,
      "The objects that the operator makes for one of this kind"},
     {"statusDescriptors", list_of<descriptor>, unless_empty, "How to show fields of the status"},
     {"specDescriptors", list_of<descriptor>, unless_empty, "How to show fields of the spec"},
     {"actionDescriptors", list_of<descriptor>, unless_empty, "How to show what can be done"}}};
inline constexpr Structure custom_resource_definitions{
    {{"owned", list_of<crd_description>, unless_empty, "Those that the operator provides"},
     {"required", list_of<crd_description>, unless_empty, "Those that the operator needs"}}};
inline constexpr Structure install_mode{
    {{"type", string, always, "OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces"},
     {"supported", boolean, always, "Whether the operator can be installed so"}}};
inline constexpr Structure app_link{
    {{"name", string, unless_empty, "The name to show"}, {"url", string, unless_empty, "The address"}}};
inline constexpr Structure maintainer{
    {{"name", string, unless_empty, "The name"}, {"email", string, unless_empty, "The address"}}};
inline constexpr Structure group_version_kind{{{"group", string, always, "The API group"},
                                               {"version", string, always, "The version of the API"},
                                               {"kind", string, always, "The kind of its objects"}}};
inline constexpr Structure csv_metadata{
    "property.CSVMetadata",
    {{"annotations", map_of<string>, unless_empty, "The annotations of the ClusterServiceVersion"},
     {"apiServiceDefinitions", api_service_definitions, always,
      "The API services that the operator provides and needs"},
     {"crdDescriptions", custom_resource_definitions, always,
      "The custom resource definitions that the operator provides and needs"},
     {"description", string, unless_empty, "What the operator does, in Markdown"},
     {"displayName", string, unless_empty, "The name of the operator for people"},
     {"installModes", list_of<install_mode>, unless_empty, "Which namespaces the operator can watch"},
     {"keywords", list_of<string>, unless_empty, "Words to find the operator by"},
     {"labels", map_of<string>, unless_empty, "The labels of the ClusterServiceVersion"},
     {"links", list_of<app_link>, unless_empty, "Pages about the operator"},
     {"maintainers", list_of<maintainer>, unless_empty, "Who maintains the operator"},
     {"maturity", string, unless_empty, "How mature the operator is, such as alpha or stable"},
     {"minKubeVersion", string, unless_empty, "The lowest version of Kubernetes that the operator runs on"},
     {"nativeAPIs", list_of<group_version_kind>, unless_empty,
      "APIs of Kubernetes itself that the operator needs"},
     {"provider", app_link, always, "Who publishes the operator"}}};

} // namespace opcat::go::types
