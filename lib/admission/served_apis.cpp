#include "opcat/admission/served_apis.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::admission {
namespace {

// The kinds of a version of an API, by the releases 1.MINOR that serve it by default: `since` is 0 for
// everything before 1.20, `until` is the release that removed it, 0 for none.
struct KubernetesApi {
    std::string_view version;
    uint64_t since, until;
    std::string_view kinds; // with a blank around each
};

// https://kubernetes.io/docs/reference/using-api/deprecation-guide/ and the release notes. The kinds of 1.36
// are what a cluster answered.
constexpr KubernetesApi kubernetes_apis[] = {
    {"v1", 0, 0,
     " Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolumeClaim "
     "PersistentVolume Pod PodTemplate ReplicationController ResourceQuota Secret ServiceAccount Service "},
    {"admissionregistration.k8s.io/v1", 0, 0,
     " MutatingWebhookConfiguration ValidatingWebhookConfiguration "},
    {"admissionregistration.k8s.io/v1", 30, 0,
     " ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "},
    {"admissionregistration.k8s.io/v1", 36, 0, " MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "},
    {"admissionregistration.k8s.io/v1beta1", 0, 22,
     " MutatingWebhookConfiguration ValidatingWebhookConfiguration "},
    {"apiextensions.k8s.io/v1", 0, 0, " CustomResourceDefinition "},
    {"apiextensions.k8s.io/v1beta1", 0, 22, " CustomResourceDefinition "},
    {"apiregistration.k8s.io/v1", 0, 0, " APIService "},
    {"apiregistration.k8s.io/v1beta1", 0, 22, " APIService "},
    {"apps/v1", 0, 0, " ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet "},
    {"authentication.k8s.io/v1", 0, 0, " TokenReview "},
    {"authentication.k8s.io/v1", 28, 0, " SelfSubjectReview "},
    {"authentication.k8s.io/v1beta1", 0, 22, " TokenReview "},
    {"authorization.k8s.io/v1", 0, 0,
     " LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview "},
    {"authorization.k8s.io/v1beta1", 0, 22,
     " LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview "},
    {"autoscaling/v1", 0, 0, " HorizontalPodAutoscaler Scale "},
    {"autoscaling/v2", 23, 0, " HorizontalPodAutoscaler "},
    {"autoscaling/v2beta1", 0, 25, " HorizontalPodAutoscaler "},
    {"autoscaling/v2beta2", 0, 26, " HorizontalPodAutoscaler "},
    {"batch/v1", 0, 0, " Job "},
    {"batch/v1", 21, 0, " CronJob "},
    {"batch/v1beta1", 0, 25, " CronJob "},
    {"certificates.k8s.io/v1", 0, 0, " CertificateSigningRequest "},
    {"certificates.k8s.io/v1beta1", 0, 22, " CertificateSigningRequest "},
    {"coordination.k8s.io/v1", 0, 0, " Lease "},
    {"coordination.k8s.io/v1beta1", 0, 22, " Lease "},
    {"discovery.k8s.io/v1", 21, 0, " EndpointSlice "},
    {"discovery.k8s.io/v1beta1", 0, 25, " EndpointSlice "},
    {"events.k8s.io/v1", 0, 0, " Event "},
    {"events.k8s.io/v1beta1", 0, 25, " Event "},
    {"extensions/v1beta1", 0, 22, " Ingress "},
    {"flowcontrol.apiserver.k8s.io/v1", 29, 0, " FlowSchema PriorityLevelConfiguration "},
    {"flowcontrol.apiserver.k8s.io/v1beta1", 20, 26, " FlowSchema PriorityLevelConfiguration "},
    {"flowcontrol.apiserver.k8s.io/v1beta2", 23, 29, " FlowSchema PriorityLevelConfiguration "},
    {"flowcontrol.apiserver.k8s.io/v1beta3", 26, 32, " FlowSchema PriorityLevelConfiguration "},
    {"networking.k8s.io/v1", 0, 0, " Ingress IngressClass NetworkPolicy "},
    {"networking.k8s.io/v1", 33, 0, " IPAddress ServiceCIDR "},
    {"networking.k8s.io/v1beta1", 0, 22, " Ingress IngressClass "},
    {"node.k8s.io/v1", 20, 0, " RuntimeClass "},
    {"node.k8s.io/v1beta1", 0, 25, " RuntimeClass "},
    {"policy/v1", 21, 0, " PodDisruptionBudget Eviction "},
    {"policy/v1beta1", 0, 25, " PodDisruptionBudget PodSecurityPolicy "},
    {"rbac.authorization.k8s.io/v1", 0, 0, " ClusterRole ClusterRoleBinding Role RoleBinding "},
    {"rbac.authorization.k8s.io/v1beta1", 0, 22, " ClusterRole ClusterRoleBinding Role RoleBinding "},
    {"resource.k8s.io/v1", 34, 0, " DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice "},
    {"scheduling.k8s.io/v1", 0, 0, " PriorityClass "},
    {"scheduling.k8s.io/v1beta1", 0, 22, " PriorityClass "},
    {"storage.k8s.io/v1", 0, 0, " CSIDriver CSINode StorageClass VolumeAttachment "},
    {"storage.k8s.io/v1", 24, 0, " CSIStorageCapacity "},
    {"storage.k8s.io/v1", 34, 0, " VolumeAttributesClass "},
    {"storage.k8s.io/v1beta1", 0, 22, " CSIDriver CSINode StorageClass VolumeAttachment "},
    {"storage.k8s.io/v1beta1", 21, 27, " CSIStorageCapacity "},
};

bool has_kind(const KubernetesApi& api, std::string_view kind) {
    return api.kinds.find(fmt::format(" {} ", kind)) != api.kinds.npos;
}

std::string key_of(std::string_view api_version, std::string_view kind) {
    return fmt::format("{} {}", api_version, kind);
}

} // namespace

bool ServedApis::is_of_kubernetes(std::string_view api_version) {
    return std::any_of(std::begin(kubernetes_apis), std::end(kubernetes_apis),
                       [&](const KubernetesApi& api) { return api.version == api_version; });
}

bool ServedApis::is_newer_than_known() const {
    return minor_ > newest_known_minor;
}

void ServedApis::add(std::string_view group, std::string_view version, std::string_view kind) {
    added_.insert(key_of(fmt::format("{}/{}", group, version), kind));
}

bool ServedApis::serves(std::string_view api_version, std::string_view kind) const {
    if (added_.contains(key_of(api_version, kind))) return true;
    if (versions_ && !versions_->contains(std::string(api_version))) return false;
    if (versions_ && !is_of_kubernetes(api_version)) return true;
    return std::any_of(std::begin(kubernetes_apis), std::end(kubernetes_apis), [&](const KubernetesApi& api) {
        const bool in_release = versions_ || (api.since <= minor_ && (api.until == 0 || minor_ < api.until));
        return api.version == api_version && in_release && has_kind(api, kind);
    });
}

} // namespace opcat::admission
