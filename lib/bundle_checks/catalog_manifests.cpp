#include "opcat/base/error.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/encode.hpp"

#include <fmt/core.h>

namespace opcat {

BundleManifests manifests_in(const Bundle& bundle) {
    BundleManifests manifests;
    if (const auto package = package_property(bundle)) manifests.package = package->package;
    const std::string what = fmt::format("a manifest of {}", bundle.name.text);
    for (const Property& property : bundle.properties) {
        const auto decoded = bundle_object_in(property);
        if (!decoded) continue;
        if (!decoded->problem.empty()) throw Error(fmt::format("cannot read {}: {}", what, decoded->problem));
        // OLM reads a ClusterServiceVersion as a Go struct, whose fields are known in any letter case.
        const Value value =
            decoded->is_csv() ? go::with_field_names(decoded->value, go::type_named("ClusterServiceVersion"),
                                                     decoded->route(), *decoded->arena)
                              : decoded->value;
        kube::Object object = kube::parse_object(kube::to_text(value), what);
        if (!object.value().is_object()) continue;
        const std::string_view kind = object.kind();
        if (kind == "ClusterServiceVersion")
            manifests.csv = std::move(object);
        else if (kind == "CustomResourceDefinition")
            manifests.crds.push_back(std::move(object));
        else
            manifests.others.push_back(std::move(object));
    }
    for (const Value& further : bundle.further_manifests)
        if (further.is_object())
            manifests.further.push_back(kube::parse_object(kube::to_text(further), what));
    return manifests;
}

} // namespace opcat
