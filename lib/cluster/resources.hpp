// The kinds of objects that opcat asks a cluster for, by their full names: short ones are ambiguous.
#pragma once

namespace opcat::cluster::resource {

// OLM classic
inline constexpr const char* subscriptions = "subscriptions.operators.coreos.com";
inline constexpr const char* install_plans = "installplans.operators.coreos.com";
inline constexpr const char* csvs = "clusterserviceversions.operators.coreos.com";
inline constexpr const char* operator_groups = "operatorgroups.operators.coreos.com";
inline constexpr const char* operator_conditions = "operatorconditions.operators.coreos.com";
inline constexpr const char* catalog_sources = "catalogsources.operators.coreos.com";
inline constexpr const char* operators = "operators.operators.coreos.com";
inline constexpr const char* package_manifests = "packagemanifests.packages.operators.coreos.com";

// OLM v1
inline constexpr const char* cluster_extensions = "clusterextensions.olm.operatorframework.io";
inline constexpr const char* cluster_catalogs = "clustercatalogs.olm.operatorframework.io";

// Kubernetes
inline constexpr const char* namespaces = "namespaces";
inline constexpr const char* pods = "pods";
inline constexpr const char* events = "events";
inline constexpr const char* service_accounts = "serviceaccounts";
inline constexpr const char* jobs = "jobs.batch";
inline constexpr const char* deployments = "deployments.apps";
inline constexpr const char* crds = "customresourcedefinitions.apiextensions.k8s.io";
inline constexpr const char* cluster_roles = "clusterroles.rbac.authorization.k8s.io";
inline constexpr const char* cluster_role_bindings = "clusterrolebindings.rbac.authorization.k8s.io";
inline constexpr const char* roles = "roles.rbac.authorization.k8s.io";
inline constexpr const char* role_bindings = "rolebindings.rbac.authorization.k8s.io";
inline constexpr const char* validating_webhooks =
    "validatingwebhookconfigurations.admissionregistration.k8s.io";
inline constexpr const char* mutating_webhooks = "mutatingwebhookconfigurations.admissionregistration.k8s.io";

} // namespace opcat::cluster::resource
