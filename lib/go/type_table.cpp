// Types by name.
#include "opcat/go/type.hpp"
#include "opcat/go/types/bundle.hpp"
#include "opcat/go/types/crd.hpp"
#include "opcat/go/types/csv.hpp"
#include "opcat/go/types/image_set.hpp"
#include "opcat/go/types/meta.hpp"
#include "opcat/go/types/objects.hpp"
#include "opcat/go/types/pod.hpp"
#include "opcat/go/types/property.hpp"

#include <algorithm>
#include <cassert>

namespace opcat::go {
namespace types {
namespace {

// Those that are looked up by name. One with a package ("property.GVK") is the type's name in Go's
// messages; the others do not appear in messages, and in lower case they are ours, for a struct without a
// name in Go.
constexpr const Type* by_name[] = {&api_keys,
                                   &bundle_annotation_texts,
                                   &bundle_annotations,
                                   &bundle_dependencies,
                                   &bundle_properties,
                                   &cluster_role,
                                   &cluster_role_binding,
                                   &csv,
                                   &config_map,
                                   &csv_with_related_images,
                                   &custom_resource_definition,
                                   &custom_resource_definition_v1beta1,
                                   &deployment_spec,
                                   &install_of_deployments,
                                   &json_schema_props,
                                   &network_policy,
                                   &object_meta,
                                   &pod_disruption_budget,
                                   &priority_class,
                                   &related_images,
                                   &role,
                                   &role_binding,
                                   &secret,
                                   &service,
                                   &service_account,
                                   &constraint,
                                   &deployment_config,
                                   &resolver_label,
                                   &resolver_package,
                                   &properties_annotation,
                                   &bundle_object,
                                   &csv_metadata,
                                   &channel_property,
                                   &gvk,
                                   &property_package,
                                   &package_required,
                                   &cel_dependency,
                                   &label_dependency,
                                   &package_dependency,
                                   &resolver_api,
                                   &resolver_required_package,
                                   &delete_image_set_configuration,
                                   &image_set_configuration};

static_assert(std::is_sorted(std::begin(by_name), std::end(by_name),
                             [](const Type* a, const Type* b) { return a->name < b->name; }));

} // namespace
} // namespace types

const Type& type_named(std::string_view name) {
    const auto found =
        std::lower_bound(std::begin(types::by_name), std::end(types::by_name), name,
                         [](const Type* type, std::string_view wanted) { return type->name < wanted; });
    assert(found != std::end(types::by_name) && (*found)->name == name);
    return **found;
}

} // namespace opcat::go
