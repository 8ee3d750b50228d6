#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

struct RemovedApi {
    uint64_t minor; // of the version of Kubernetes that removed it: 1.22
    std::string_view api_version;
    std::array<std::string_view, 4> kinds; // the empty ones do not count
};

// https://kubernetes.io/docs/reference/using-api/deprecation-guide/
constexpr RemovedApi removed_apis[] = {
    {22, "apiextensions.k8s.io/v1beta1", {"CustomResourceDefinition"}},
    {22, "scheduling.k8s.io/v1beta1", {"PriorityClass"}},
    {22, "rbac.authorization.k8s.io/v1beta1", {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}},
    {22, "apiregistration.k8s.io/v1beta1", {"APIService"}},
    {22, "authentication.k8s.io/v1beta1", {"TokenReview"}},
    {22,
     "authorization.k8s.io/v1beta1",
     {"LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"}},
    {22,
     "admissionregistration.k8s.io/v1beta1",
     {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}},
    {22, "coordination.k8s.io/v1beta1", {"Lease"}},
    {22, "extensions/v1beta1", {"Ingress"}},
    {22, "networking.k8s.io/v1beta1", {"Ingress", "IngressClass"}},
    {22, "storage.k8s.io/v1beta1", {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"}},
    {22, "certificates.k8s.io/v1beta1", {"CertificateSigningRequest"}},
    {25, "batch/v1beta1", {"CronJob"}},
    {25, "discovery.k8s.io/v1beta1", {"EndpointSlice"}},
    {25, "events.k8s.io/v1beta1", {"Event"}},
    {25, "autoscaling/v2beta1", {"HorizontalPodAutoscaler"}},
    {25, "policy/v1beta1", {"PodDisruptionBudget", "PodSecurityPolicy"}},
    {25, "node.k8s.io/v1beta1", {"RuntimeClass"}},
    {26, "autoscaling/v2beta2", {"HorizontalPodAutoscaler"}},
};

// For these operator-sdk also checks the APIs in a ClusterServiceVersion.
constexpr uint64_t minor_with_csv = 25;

struct Use {
    std::string what; // "policy/v1beta1 PodDisruptionBudget"
    Location where;
};

class RemovedApis {
public:
    explicit RemovedApis(const Source& bundle) : bundle_(bundle), csv_(bundle.csv) {}

    std::vector<Use> uses(uint64_t minor) const {
        std::vector<Use> found;
        for (const kube::Object& object : bundle_.objects)
            if (is_removed(minor, object.text("apiVersion"), object.kind()))
                found.push_back(
                    {fmt::format("{} {}", object.text("apiVersion"), object.kind()), object.where()});
        if (minor == minor_with_csv && is_csv_of_olm())
            for (const std::string_view list : {"owned", "required"})
                for (const Fields crd : csv_.items("spec", "customresourcedefinitions", list))
                    for (const Fields resource : crd.items("resources"))
                        if (is_removed(minor, resource.text("version"), resource.kind()))
                            found.push_back({fmt::format("{} {}", resource.text("version"), resource.kind()),
                                             place_of(csv_, resource)});
        return found;
    }

    std::vector<Use> permissions() const {
        std::vector<Use> found;
        if (!is_csv_of_olm()) return found;
        for (const std::string_view list : {"clusterPermissions", "permissions"})
            for (const Fields permission : csv_.items("spec", "install", "spec", list))
                for (const Fields rule : permission.items("rules"))
                    if (has_any(rule, "apiGroups", {"policy"}) &&
                        has_any(rule, "resources", {"podsecuritypolicies"}))
                        found.push_back({"policy podsecuritypolicies", place_of(csv_, rule)});
        return found;
    }

private:
    bool is_csv_of_olm() const { return csv_.text("apiVersion") == "operators.coreos.com/v1alpha1"; }

    static bool is_removed(uint64_t minor, std::string_view api_version, std::string_view kind) {
        if (kind.empty()) return false;
        return std::any_of(std::begin(removed_apis), std::end(removed_apis), [&](const RemovedApi& api) {
            return api.minor == minor && api.api_version == api_version &&
                   std::find(api.kinds.begin(), api.kinds.end(), kind) != api.kinds.end();
        });
    }

    const Source& bundle_;
    const kube::Object& csv_;
};

// One finding for all uses: at the first one, the others as notes.
Diagnostic with_uses(Diagnostic diagnostic, const std::vector<Use>& uses) {
    diagnostic.where = uses.front().where;
    for (size_t i = 1; i < uses.size(); ++i)
        diagnostic.notes.push_back({fmt::format("{} is used here", uses[i].what), uses[i].where});
    return diagnostic;
}

// A version that may be missing. What is not a version is the error `refusal`.
std::optional<semver::Version> version_of(std::string_view text, Diagnostic refusal, Diagnostics& out) {
    if (text.empty()) return std::nullopt;
    const auto version = semver::Version::parse_tolerant(text);
    if (version) return *version;
    out.push_back(std::move(refusal));
    return std::nullopt;
}

} // namespace

void check_removed_apis(const Source& bundle, std::string_view kubernetes_version, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    const std::string_view least_text = csv.text("spec", "minKubeVersion");
    const auto wanted =
        version_of(kubernetes_version,
                   error("kubernetes-version", {},
                         fmt::format("the version of Kubernetes \"{}\" is not a version", kubernetes_version),
                         "write two or three numbers, such as 1.25"),
                   out);
    const auto least =
        version_of(least_text,
                   error("csv-min-kube-version", place_of(csv, csv, "spec", "minKubeVersion"),
                         fmt::format("spec.minKubeVersion \"{}\" is not a version", least_text),
                         "write three numbers, such as 1.25.0"),
                   out);
    const RemovedApis apis(bundle);
    for (const uint64_t minor : {uint64_t{22}, minor_with_csv, uint64_t{26}}) {
        const semver::Version removed{.major = 1, .minor = minor, .prerelease = {}, .build = {}};
        const bool is_gone = (wanted && *wanted >= removed) || (least && *least >= removed);
        if (const auto uses = apis.uses(minor); !uses.empty())
            out.push_back(with_uses(
                finding(is_gone ? Severity::error : Severity::warning, "removed-api", {},
                        fmt::format("{} is not in Kubernetes 1.{} and later", uses.front().what, minor),
                        "use the version of the API that has replaced it"),
                uses));
        if (const auto uses = apis.permissions(); minor == minor_with_csv && !uses.empty())
            out.push_back(with_uses(
                warning(
                    "removed-api-permission", {},
                    "the operator may use PodSecurityPolicies, which are not in Kubernetes 1.25 and later",
                    "remove the rule"),
                uses));
    }
}

} // namespace opcat::bundle_checks
