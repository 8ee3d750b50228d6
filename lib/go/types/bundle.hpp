// Bundles: their metadata, as operator-registry reads it, and how OLM's resolver reads properties.
#pragma once

#include "opcat/go/type.hpp"
#include "opcat/go/types/catalog.hpp"

namespace opcat::go::types {

inline constexpr Structure bundle_annotations_annotations{
    {{"operators.operatorframework.io.bundle.package.v1"},
     {"operators.operatorframework.io.bundle.channels.v1"},
     {"operators.operatorframework.io.bundle.channel.default.v1"}}};
inline constexpr Structure bundle_annotations{"BundleAnnotations",
                                              {{"annotations", bundle_annotations_annotations}}};
inline constexpr Structure bundle_annotation_texts{"BundleAnnotationTexts",
                                                   {{"annotations", map_of<string>}}};
inline constexpr Structure bundle_dependencies{"BundleDependencies", {{"dependencies", list_of<property>}}};
inline constexpr Structure bundle_properties{"BundleProperties", {{"properties", list_of<property>}}};
inline constexpr Structure package_dependency{"registry.PackageDependency", {{"packageName"}, {"version"}}};
inline constexpr Structure label_dependency{"registry.LabelDependency", {{"label"}}};
inline constexpr Structure cel_dependency_cel{{{"rule"}}};
inline constexpr Structure cel_dependency{"registry.CelConstraint",
                                          {{"failureMessage"}, {"cel", cel_dependency_cel}}};
inline constexpr Structure resolver_package{"package", {{"packageName"}, {"version"}}};
inline constexpr Structure resolver_api{"required_api", {{"group"}, {"version"}, {"kind"}}};
inline constexpr Structure resolver_required_package{"required_package", {{"packageName"}, {"versionRange"}}};
inline constexpr Structure resolver_label{"label", {{"label"}}};
extern const Structure<7> constraint;
inline constexpr Structure constraint_cel{"constraints.Cel", {{"rule"}}};
inline constexpr Structure constraint_package{"constraints.PackageConstraint",
                                              {{"packageName"}, {"versionRange"}}};
inline constexpr Structure constraint_gvk{"constraints.GVKConstraint", {{"group"}, {"kind"}, {"version"}}};
inline constexpr Structure compound_constraint{"constraints.CompoundConstraint",
                                               {{"constraints", list_of<constraint>}}};
inline constexpr Structure<7> constraint{"constraints.Constraint",
                                         {{"failureMessage"},
                                          {"cel", constraint_cel},
                                          {"package", constraint_package},
                                          {"gvk", constraint_gvk},
                                          {"all", compound_constraint},
                                          {"any", compound_constraint},
                                          {"not", compound_constraint}}};
inline constexpr Structure annotated_property{"projection.property", {{"type"}, {"value", any}}};
inline constexpr Structure properties_annotation{"projection.propertiesAnnotation",
                                                 {{"properties", list_of<annotated_property>}}};

} // namespace opcat::go::types
