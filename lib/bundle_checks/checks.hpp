// The checks of a bundle (bundle_checks.hpp).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/bundle_checks/bundle_checks.hpp"
#include "opcat/bundle_checks/format.hpp"
#include "opcat/bundle_checks/source.hpp"

#include <string_view>
#include <vector>

namespace opcat::bundle_checks {

// Names, install modes, fields that OLM needs, and the examples of the APIs.
void check_csv(const Source& bundle, Diagnostics& out);
void check_min_kube_version(const Source& bundle, Diagnostics& out);
void check_examples(const Source& bundle, Diagnostics& out);

// Reasons for which an API server refuses to create the CustomResourceDefinitions.
void check_crds(const Source& bundle, Diagnostics& out);
// Those for which the server refuses one of them, without its schemas.
void check_crd(const kube::Object& crd, Diagnostics& out);
// The part of these that concerns every object's metadata.
void check_crd_metadata(const kube::Object& crd, Diagnostics& out);
// A namespace, which operator-sdk refuses and the API server ignores.
void check_crd_namespace(const kube::Object& crd, Diagnostics& out);
// The same of an object of another kind, as opm and operator-sdk check it.
void check_object_metadata(const kube::Object& object, Diagnostics& out);

// The manifests against the ClusterServiceVersion.
void check_contents(const Source& bundle, Diagnostics& out);

// Checks what OperatorHub.io requires.
void check_presentation(const Source& bundle, Diagnostics& out);
void check_capabilities(const Source& bundle, Diagnostics& out);
void check_categories(const Source& bundle, const BundleCheckOptions& options, Diagnostics& out);

// Manifests that harm a cluster.
void check_objects(const Source& bundle, Diagnostics& out);

// APIs that Kubernetes has removed. `kubernetes_version` may be empty.
void check_removed_apis(const Source& bundle, std::string_view kubernetes_version, Diagnostics& out);

// A field of a manifest that is not one: OLM and the API server see that the one that was meant is missing.
struct MisspeltField {
    Location key;
    Location object; // that has the key
    std::string_view meant;
};

// Reports contents that OLM would not install, at places without another finding, and, if asked for, what the
// operator relies on and OLM v1 does not give. The finding of a misspelt field already says what it explains.
void check_outcome(const Format& format, const Source& bundle, const BundleCheckOptions& options,
                   const std::vector<MisspeltField>& misspelt, Diagnostics& out);

// Checks what OLM's documentation recommends.
void check_practices(const Source& bundle, Diagnostics& out);

// ---- what no validator of operator-sdk has

// Kinds, fields and metadata of the manifests, and the sizes of definitions. Returns misspelt fields.
std::vector<MisspeltField> check_manifests(const Source& bundle, Diagnostics& out);
bool is_supported_kind(std::string_view kind);

// Annotations that opm accepts and nothing can use.
void check_annotations(const Format& format, Diagnostics& out);

// Names that contradict each other: those of the bundle, its version, what it replaces, its install modes.
void check_names(const Source& bundle, Diagnostics& out);

// The examples against the schemas of the definitions.
void check_example_schemas(const Source& bundle, Diagnostics& out);

// The skipRange, and the requirements among the properties, as catalogs check them.
void check_ranges(const Format& format, const Source& bundle, Diagnostics& out);

// An icon that no console can show.
void check_icon_data(const Source& bundle, Diagnostics& out);

// Webhooks that convert objects: the definitions against the ClusterServiceVersion.
void check_conversion(const Source& bundle, Diagnostics& out);

// olm.maxOpenShiftVersion in the properties of the bundle.
void check_max_openshift(const Format& format, const Source& bundle, Diagnostics& out);

} // namespace opcat::bundle_checks
