// Reports manifests that opm, operator-sdk or the cluster refuse, whatever the ClusterServiceVersion says.
#include "opcat/admission/admission.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/decode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace opcat::bundle_checks {
namespace {

constexpr std::string_view csv_of_bundle = "ClusterServiceVersion";
constexpr std::string_view crd_of_bundle = "CustomResourceDefinition";

// Those that OLM installs (operator-registry, supported_resources.go).
constexpr std::array supported_kinds = {csv_of_bundle,
                                        crd_of_bundle,
                                        std::string_view("ClusterRole"),
                                        std::string_view("ClusterRoleBinding"),
                                        std::string_view("ConfigMap"),
                                        std::string_view("ConsoleCLIDownload"),
                                        std::string_view("ConsoleLink"),
                                        std::string_view("ConsolePlugin"),
                                        std::string_view("ConsoleQuickStart"),
                                        std::string_view("ConsoleYAMLSample"),
                                        std::string_view("NetworkPolicy"),
                                        std::string_view("PodDisruptionBudget"),
                                        std::string_view("PodMonitor"),
                                        std::string_view("PriorityClass"),
                                        std::string_view("PrometheusRule"),
                                        std::string_view("Role"),
                                        std::string_view("RoleBinding"),
                                        std::string_view("Secret"),
                                        std::string_view("Service"),
                                        std::string_view("ServiceAccount"),
                                        std::string_view("ServiceMonitor"),
                                        std::string_view("VerticalPodAutoscaler")};

bool check_supported(const kube::Object& object, Diagnostics& out) {
    if (is_supported_kind(object.kind())) return true;
    const std::string_view meant = misspelt(object.kind(), supported_kinds);
    out.push_back(error("bundle-kind", place_of(object, object, "kind"),
                        fmt::format("OLM does not install objects of kind {}", object.kind()),
                        !meant.empty() ? fmt::format("did you mean {}?", meant)
                        : object.kind() == "Deployment"
                            ? "move it to spec.install.spec.deployments of the ClusterServiceVersion"
                            : "remove the manifest, and let the operator create the object"));
    return false;
}

// etcd, as it is delivered, refuses requests of more than 1.5 MiB.
constexpr size_t largest_request = size_t{3} << 19;
constexpr size_t large_crd = size_t{1} << 20;

void check_crd_size(const kube::Object& crd, Diagnostics& out) {
    if (crd.file->bytes().size() < large_crd / 2) return; // JSON is about as long
    const size_t size = kube::to_text(crd.value()).size();
    if (size <= large_crd) return;
    const bool is_too_large = size > largest_request;
    out.push_back(finding(
        is_too_large ? Severity::error : Severity::warning, "crd-size", crd.where(),
        fmt::format("the CustomResourceDefinition {} has {}, {} that etcd stores", crd.name, human_size(size),
                    is_too_large ? fmt::format("more than the {}", human_size(largest_request))
                                 : fmt::format("near the {}", human_size(largest_request))),
        "shorten or remove descriptions in its schema, or versions of it"));
}

const go::Type* type_of(const kube::Object& object) {
    if (object.kind() == csv_of_bundle) return &go::type_named(csv_of_bundle);
    if (object.kind() != crd_of_bundle) return admission::type_of(object);
    return &go::type_named(object.text("apiVersion").ends_with("v1beta1") ? "CustomResourceDefinitionV1Beta1"
                                                                          : crd_of_bundle);
}

// The API server is exact about letter case, other than opm and OLM.
void check_unknown_fields(const kube::Object& object, std::vector<MisspeltField>& misspelt_fields,
                          Diagnostics& out) {
    const go::Type* const type = type_of(object);
    if (!type) return;
    const go::Decoded decoded = go::decode(
        object.value(), *type, {.route = go::Route::converter, .unknown_keys = go::UnknownKeys::list});
    for (const go::UnknownKey& unknown : decoded.unknown_keys) {
        std::vector<std::string_view> fields;
        for (const go::Field& field : unknown.in->fields) fields.push_back(field.name);
        const std::string_view name = unknown.key.string();
        const go::Field* const same = unknown.in->field_in_any_case(name);
        const std::string_view meant = same ? same->name : misspelt(name, fields);
        out.push_back(warning("manifest-field", place_of(object, unknown.key),
                              fmt::format("the API server drops \"{}\": there is no such field", name),
                              meant.empty() ? std::string() : fmt::format("did you mean {}?", meant)));
        if (!meant.empty())
            misspelt_fields.push_back(
                {out.back().where, place_of(object, kube::Fields(unknown.object)), meant});
    }
}

} // namespace

bool is_supported_kind(std::string_view kind) {
    return std::find(supported_kinds.begin(), supported_kinds.end(), kind) != supported_kinds.end();
}

std::vector<MisspeltField> check_manifests(const Source& bundle, Diagnostics& out) {
    std::vector<MisspeltField> misspelt_fields;
    for (const kube::Object& object : bundle.objects) {
        if (!check_supported(object, out)) continue;
        check_unknown_fields(object, misspelt_fields, out);
        if (object.kind() == crd_of_bundle)
            check_crd_size(object, out);
        else if (object.kind() != csv_of_bundle)
            check_object_metadata(object, out);
    }
    return misspelt_fields;
}

} // namespace opcat::bundle_checks
