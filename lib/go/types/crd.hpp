// k8s.io/apiextensions-apiserver: custom resource definitions.
#pragma once

#include "opcat/go/type.hpp"
#include "opcat/go/types/meta.hpp"

namespace opcat::go::types {

extern const Structure<44> json_schema_props;
inline constexpr Type schema_or_list{.kind = Kind::schema_or_list, .element = &json_schema_props};
inline constexpr Type schema_or_boolean{.kind = Kind::schema_or_boolean, .element = &json_schema_props};
inline constexpr Type schema_or_strings{.kind = Kind::schema_or_strings, .element = &json_schema_props};
inline constexpr Structure json_schema_props_external_docs{{{"description"}, {"url"}}};
inline constexpr Structure json_schema_props_x_kubernetes_validations{
    {{"rule"}, {"message"}, {"messageExpression"}, {"reason"}, {"fieldPath"}, {"optionalOldSelf", boolean}}};
inline constexpr Structure<44> json_schema_props{
    "JSONSchemaProps",
    {{"id"},
     {"$schema"},
     {"$ref"},
     {"description"},
     {"type"},
     {"format"},
     {"title"},
     {"default", any},
     {"maximum", real},
     {"exclusiveMaximum", boolean},
     {"minimum", real},
     {"exclusiveMinimum", boolean},
     {"maxLength", int64},
     {"minLength", int64},
     {"pattern"},
     {"maxItems", int64},
     {"minItems", int64},
     {"uniqueItems", boolean},
     {"multipleOf", real},
     {"enum", list_of<any>},
     {"maxProperties", int64},
     {"minProperties", int64},
     {"required", list_of<string>},
     {"items", schema_or_list},
     {"allOf", list_of<json_schema_props>},
     {"oneOf", list_of<json_schema_props>},
     {"anyOf", list_of<json_schema_props>},
     {"not", json_schema_props},
     {"properties", map_of<json_schema_props>},
     {"additionalProperties", schema_or_boolean},
     {"patternProperties", map_of<json_schema_props>},
     {"dependencies", map_of<schema_or_strings>},
     {"additionalItems", schema_or_boolean},
     {"definitions", map_of<json_schema_props>},
     {"externalDocs", json_schema_props_external_docs},
     {"example", any},
     {"nullable", boolean},
     {"x-kubernetes-preserve-unknown-fields", boolean},
     {"x-kubernetes-embedded-resource", boolean},
     {"x-kubernetes-int-or-string", boolean},
     {"x-kubernetes-list-map-keys", list_of<string>},
     {"x-kubernetes-list-type"},
     {"x-kubernetes-map-type"},
     {"x-kubernetes-validations", list_of<json_schema_props_x_kubernetes_validations>}}};
inline constexpr Structure crd_status_conditions{{{"type"},
                                                  {"status"},
                                                  {"lastTransitionTime", time},
                                                  {"reason"},
                                                  {"message"},
                                                  {"observedGeneration", int64}}};
inline constexpr Structure crd_names{{{"plural"},
                                      {"singular"},
                                      {"shortNames", list_of<string>},
                                      {"kind"},
                                      {"listKind"},
                                      {"categories", list_of<string>}}};
inline constexpr Structure crd_status{{{"conditions", list_of<crd_status_conditions>},
                                       {"acceptedNames", crd_names},
                                       {"storedVersions", list_of<string>},
                                       {"observedGeneration", int64}}};
inline constexpr Structure crd_validation{{{"openAPIV3Schema", json_schema_props}}};
inline constexpr Type crd_subresources_status{.kind = Kind::structure};
inline constexpr Structure crd_subresources_scale{
    {{"specReplicasPath"}, {"statusReplicasPath"}, {"labelSelectorPath"}}};
inline constexpr Structure crd_subresources{
    {{"status", crd_subresources_status}, {"scale", crd_subresources_scale}}};
inline constexpr Structure custom_resource_definition_spec_versions_additional_printer_columns{
    {{"name"}, {"type"}, {"format"}, {"description"}, {"priority", int32}, {"jsonPath"}}};
inline constexpr Structure selectable_field{{{"jsonPath"}}};
inline constexpr Structure custom_resource_definition_spec_versions{
    {{"name"},
     {"served", boolean},
     {"storage", boolean},
     {"deprecated", boolean},
     {"deprecationWarning"},
     {"schema", crd_validation},
     {"subresources", crd_subresources},
     {"additionalPrinterColumns",
      list_of<custom_resource_definition_spec_versions_additional_printer_columns>},
     {"selectableFields", list_of<selectable_field>}}};
inline constexpr Structure crd_webhook_service{{{"namespace"}, {"name"}, {"path"}, {"port", int32}}};
inline constexpr Structure crd_webhook{{{"url"}, {"service", crd_webhook_service}, {"caBundle", base64}}};
inline constexpr Structure custom_resource_definition_spec_conversion_webhook{
    {{"clientConfig", crd_webhook}, {"conversionReviewVersions", list_of<string>}}};
inline constexpr Structure custom_resource_definition_spec_conversion{
    {{"strategy"}, {"webhook", custom_resource_definition_spec_conversion_webhook}}};
inline constexpr Structure custom_resource_definition_spec{
    {{"group"},
     {"names", crd_names},
     {"scope"},
     {"preserveUnknownFields", boolean},
     {"versions", list_of<custom_resource_definition_spec_versions>},
     {"conversion", custom_resource_definition_spec_conversion}}};
inline constexpr Structure custom_resource_definition{"CustomResourceDefinition",
                                                      {{"kind"},
                                                       {"apiVersion"},
                                                       {"metadata", object_meta},
                                                       {"status", crd_status},
                                                       {"spec", custom_resource_definition_spec}}};
inline constexpr Structure crd_column_v1beta1{
    {{"name"}, {"type"}, {"format"}, {"description"}, {"priority", int32}, {"JSONPath"}}};
inline constexpr Structure custom_resource_definition_v1beta1_spec_versions{
    {{"name"},
     {"served", boolean},
     {"storage", boolean},
     {"deprecated", boolean},
     {"deprecationWarning"},
     {"schema", crd_validation},
     {"subresources", crd_subresources},
     {"additionalPrinterColumns", list_of<crd_column_v1beta1>},
     {"selectableFields", list_of<selectable_field>}}};
inline constexpr Structure custom_resource_definition_v1beta1_spec_conversion{
    {{"strategy"}, {"webhookClientConfig", crd_webhook}, {"conversionReviewVersions", list_of<string>}}};
inline constexpr Structure custom_resource_definition_v1beta1_spec{
    {{"group"},
     {"version"},
     {"names", crd_names},
     {"scope"},
     {"preserveUnknownFields", boolean},
     {"validation", crd_validation},
     {"subresources", crd_subresources},
     {"additionalPrinterColumns", list_of<crd_column_v1beta1>},
     {"selectableFields", list_of<selectable_field>},
     {"versions", list_of<custom_resource_definition_v1beta1_spec_versions>},
     {"conversion", custom_resource_definition_v1beta1_spec_conversion}}};
inline constexpr Structure custom_resource_definition_v1beta1{
    "CustomResourceDefinitionV1Beta1",
    {{"kind"},
     {"apiVersion"},
     {"metadata", object_meta},
     {"status", crd_status},
     {"spec", custom_resource_definition_v1beta1_spec}}};

} // namespace opcat::go::types
