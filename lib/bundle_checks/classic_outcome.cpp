// OLM classic: catalog-operator carries out an InstallPlan step by step, then olm-operator checks what the
// ClusterServiceVersion requires and makes its Deployments and webhooks (pkg/controller/operators/catalog,
// pkg/controller/operators/olm, pkg/controller/install).
#include "opcat/bundle_checks/outcome_parts.hpp"
#include "opcat/bundle_checks/source.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {

using namespace bundle_checks;
using kube::Fields;

namespace {

constexpr const char* plan_failed = "InstallPlan Failed";
constexpr const char* csv_pending = "ClusterServiceVersion Pending";
constexpr const char* csv_failed = "ClusterServiceVersion Failed";
constexpr const char* requirements_not_met = "one or more requirements couldn't be found";

// A kind for which OLM has a client of its own: it reads the manifest as the version of its API that it
// knows, whatever the apiVersion says. `doing`: its words before the API server's.
struct TypedKind {
    std::string_view kind;
    std::string_view doing;
};
constexpr TypedKind typed_kinds[] = {
    {"ClusterRole", "error creating clusterrole {}: {}"},
    {"ClusterRoleBinding", "error creating clusterrolebinding {}: {}"},
    {"ConfigMap", "error updating configmap: {}: {}"},
    {"Role", "error creating role {}: {}"},
    {"RoleBinding", "error creating rolebinding {}: {}"},
    {"Secret", "error updating secret: {}: {}"},
    {"Service", "error updating service: {}: {}"},
    {"ServiceAccount", "error creating service account: {}: {}"},
};
// A bundle may hold it, but OLM then looks for the operator that the Subscription in it names.
constexpr std::string_view subscription_kind = "Subscription";

// Other kinds that it creates, in the version of the manifest.
constexpr std::string_view other_kinds[] = {
    "PrometheusRule",        "ServiceMonitor",    "PodDisruptionBudget", "PriorityClass",
    "VerticalPodAutoscaler", "ConsoleYAMLSample", "ConsoleQuickStart",   "ConsoleCLIDownload",
    "ConsoleLink",           "ConsolePlugin",     "NetworkPolicy",
};

std::string not_found_message(const kube::Object& object) {
    const std::string_view version = object.text("apiVersion");
    return fmt::format(
        "api-server resource not found installing {0} {1}: GroupVersionKind {2}, Kind={0} not found on the "
        "cluster. This API may have been deprecated and removed, see "
        "https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.",
        object.kind(), object.name,
        version.find('/') == version.npos ? fmt::format("/{}", version) : std::string(version));
}

class Classic {
public:
    Classic(const BundleManifests& bundle, OutcomeConditions conditions)
        : bundle_(bundle), csv_(bundle.csv), parts_(bundle.csv), conditions_(std::move(conditions)) {
        add_apis();
    }

    BundleOutcome run() {
        outcome_.stage = "ClusterServiceVersion Succeeded";
        if (!bundle_.folder.empty()) {
            problem("Subscription BundleUnpackFailed",
                    "bundle unpacking failed. Reason: BackoffLimitExceeded, and Message: Job has reached the "
                    "specified backoff limit",
                    {},
                    fmt::format("{} is a folder, and the job that unpacks the bundle reads only files",
                                bundle_.folder));
            return std::move(outcome_);
        }
        if (const auto misfit = misfit_of_csv(bundle_, go::Route::text)) {
            problem("BundleUnpacking",
                    "bundle unpacking failed with an error: failed to turn bundle into steps: " +
                        misfit->message(),
                    {csv_.file, misfit->value.offset(), 1},
                    misfit->message() +
                        "; only the log of OLM's catalog operator says it, and OLM tries again without end");
            return std::move(outcome_);
        }
        check_csv();
        for (const kube::Object& crd : bundle_.crds) check_crd_step(crd);
        for (const kube::Object& other : bundle_.others) check_step(other);
        check_permissions();
        check_modes();
        check_requirements();
        check_webhook_rules();
        check_deployments();
        check_webhooks();
        if (!csv_.items("spec", "apiservicedefinitions", "owned").empty())
            outcome_.not_checked.emplace_back("whether the operator's API services answer");
        return std::move(outcome_);
    }

private:
    // Its own definitions are there, and what the bundle brings will be.
    void add_apis() {
        admission::ServedApis& served = conditions_.served;
        constexpr std::string_view group = "operators.coreos.com";
        for (const std::string_view kind :
             {"CatalogSource", "ClusterServiceVersion", "InstallPlan", "Subscription"})
            served.add(group, "v1alpha1", kind);
        for (const std::string_view kind : {"OLMConfig", "OperatorCondition", "OperatorGroup", "Operator"})
            served.add(group, "v1", kind);
        served.add(group, "v1alpha2", "OperatorGroup");
        served.add(group, "v2", "OperatorCondition");
        for (const kube::Object& crd : bundle_.crds)
            for (const Fields version : crd.items("spec", "versions"))
                if (version.flag("served"))
                    served.add(crd.text("spec", "group"), version.text("name"),
                               crd.text("spec", "names", "kind"));
    }

    void problem(const char* stage, std::string message, Location where, std::string because = {},
                 bool of_cluster = false) {
        outcome_.problems.push_back({.stage = stage,
                                     .message = std::move(message),
                                     .because = std::move(because),
                                     .where = where,
                                     .of_cluster = of_cluster});
    }
    // By the API server.
    void refused(const char* stage, std::string_view kind, std::string_view name, std::string message,
                 Location where) {
        problem(stage, std::move(message), where);
        outcome_.problems.back().object = object_key(kind, name);
    }
    Location at(const Fields& part) const { return place_of(csv_, part); }

    // ---- the InstallPlan

    // The API server checks it against its definition. What Go writes for fields that are missing is null.
    void check_csv() {
        if (const std::string_view strategy = csv_.text("spec", "install", "strategy");
            strategy != "deployment")
            problem(
                "no InstallPlan", "unrecognized install strategy", at(csv_.at("spec", "install")),
                fmt::format("spec.install.strategy is \"{}\", and OLM knows \"deployment\" only", strategy));
        admission::Refusals more;
        const auto need_list = [&](const Fields& parent, std::string_view field, const std::string& path) {
            if (!parent.at(field).value().is_array())
                more.add(
                    path, parent,
                    fmt::format("Invalid value: \"null\": {} in body must be of type array: \"null\"", path));
        };
        need_list(csv_.at("spec", "install", "spec") ? csv_.at("spec", "install", "spec") : csv_.at("spec"),
                  "deployments", "spec.install.spec.deployments");
        for (const std::string list : {"permissions", "clusterPermissions"}) {
            size_t index = 0;
            for (const Fields permission : csv_.items("spec", "install", "spec", list)) {
                const std::string path = admission::item("spec.install.spec." + list, index++);
                need_list(permission, "rules", path + ".rules");
                size_t rule_index = 0;
                for (const Fields rule : permission.items("rules"))
                    need_list(rule, "verbs", admission::item(path + ".rules", rule_index++) + ".verbs");
            }
        }
        size_t index = 0;
        for (const Fields webhook : parts_.webhooks) {
            const std::string path = admission::item("spec.webhookdefinitions", index++);
            const std::initializer_list<std::string_view> types{
                "ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook"};
            const std::string_view type = webhook.text("type");
            if (std::find(types.begin(), types.end(), type) == types.end())
                more.not_supported(path + ".type", webhook.at("type") ? webhook.at("type") : webhook, types);
            need_list(webhook, "admissionReviewVersions", path + ".admissionReviewVersions");
            if (!webhook.at("sideEffects"))
                more.add(
                    path + ".sideEffects", webhook,
                    fmt::format("Invalid value: \"null\": {}.sideEffects in body must be of type string: "
                                "\"null\"",
                                path));
            if (const Fields port = webhook.at("containerPort"); port && port.number() != 0) {
                if (port.number() < 0)
                    more.invalid(
                        path + ".containerPort", port,
                        fmt::format("{}.containerPort in body should be greater than or equal to 1", path));
                if (port.number() > 65535)
                    more.invalid(
                        path + ".containerPort", port,
                        fmt::format("{}.containerPort in body should be less than or equal to 65535", path));
            }
        }
        std::vector<admission::Refusal> refusals = admission::refusals(csv_);
        for (const admission::Refusal& refusal : more.list()) refusals.push_back(refusal);
        if (!refusals.empty())
            problem(plan_failed,
                    fmt::format("error creating csv {}: {}", csv_.name,
                                admission::invalid_message("ClusterServiceVersion.operators.coreos.com",
                                                           csv_.name, refusals)),
                    first_place(csv_, refusals));
        // The names of ClusterServiceVersions are values of labels, on roles first.
        else if (csv_.name.size() > kube::longest_label)
            problem(plan_failed,
                    fmt::format("metadata.labels: Invalid value: \"{}\": must be no more than {} bytes",
                                csv_.name, kube::longest_label),
                    at(csv_.at("metadata", "name")),
                    "OLM labels what it creates with the ClusterServiceVersion's name");
    }

    void check_crd_step(const kube::Object& crd) {
        if (!conditions_.served.serves(crd.text("apiVersion"), crd.kind()))
            return problem(plan_failed, not_found_message(crd), crd.where());
        Location where;
        if (std::string refusal = crd_refusal(crd, where); !refusal.empty())
            refused(plan_failed, crd.kind(), crd.name, std::move(refusal), where);
    }

    void check_step(const kube::Object& object) {
        const std::string_view kind = object.kind();
        const auto* const typed = std::find_if(std::begin(typed_kinds), std::end(typed_kinds),
                                               [&](const TypedKind& one) { return one.kind == kind; });
        if (typed != std::end(typed_kinds)) return check_typed(object, *typed);
        if (kind == subscription_kind) {
            outcome_.not_checked.push_back("the operator that " + object.describe() + " names");
            return;
        }
        if (std::find(std::begin(other_kinds), std::end(other_kinds), kind) == std::end(other_kinds))
            return problem(plan_failed, "the InstallPlan contains invalid data",
                           place_of(object, object, "kind"),
                           fmt::format("OLM classic does not install {}: it does not handle the kind {}",
                                       object.describe(), kind));
        if (!conditions_.served.serves(object.text("apiVersion"), kind))
            return problem(plan_failed, not_found_message(object), object.where(), {},
                           !admission::ServedApis::is_of_kubernetes(object.text("apiVersion")));
        if (const auto refusals = admission::refusals(object); !refusals.empty())
            refused(plan_failed, kind, object.name,
                    fmt::format("error creating unstructured object {}: {}", object.name,
                                admission::refusal_message(object, refusals)),
                    first_place(object, refusals));
    }

    void check_typed(const kube::Object& object, const TypedKind& typed) {
        const auto refusals = admission::refusals(object, true);
        if (refusals.empty()) return;
        // OLM does not send objects that Go cannot decode.
        refused(plan_failed, object.kind(), object.name,
                refusals.front().field.empty()
                    ? fmt::format("error parsing step manifest: {}: {}", object.name, refusals.front().what)
                    : fmt::format(fmt::runtime(typed.doing), object.name,
                                  admission::refusal_message(object, refusals)),
                first_place(object, refusals));
    }

    void check_permissions() {
        const auto check = [&](std::span<const Value> permissions, bool in_namespace) {
            for (const Fields permission : permissions) {
                const std::string_view account = permission.text("serviceAccountName");
                admission::Refusals names;
                if (account.empty())
                    names.required("metadata.name", permission, "name or generateName is required");
                else
                    for (const std::string& error : admission::name_errors("ServiceAccount", account))
                        names.invalid("metadata.name", permission.at("serviceAccountName"), error);
                if (!names.list().empty())
                    problem(plan_failed,
                            fmt::format("error creating service account: {}: {}", account,
                                        admission::invalid_message("ServiceAccount", account, names.list())),
                            first_place(csv_, names.list()));
                const auto refusals = admission::rule_refusals(permission.items("rules"), in_namespace);
                if (refusals.empty()) continue;
                // The real name ends with a hash.
                const std::string name = in_namespace ? fmt::format("{}-{}", csv_.name, account) : csv_.name;
                problem(plan_failed,
                        fmt::format("error creating {} {}: {}", in_namespace ? "role" : "clusterrole", name,
                                    admission::invalid_message(
                                        admission::qualified_kind(in_namespace ? "Role" : "ClusterRole",
                                                                  "rbac.authorization.k8s.io"),
                                        name, refusals)),
                        first_place(csv_, refusals));
            }
        };
        check(parts_.permissions, true);
        check(parts_.cluster_permissions, false);
    }

    // ---- the ClusterServiceVersion

    void check_modes() {
        std::set<std::string_view> seen;
        for (const Fields mode : csv_.items("spec", "installModes"))
            if (!seen.insert(mode.text("type")).second)
                return problem(csv_failed, "InstallMode list contains duplicates, cannot make set", at(mode),
                               fmt::format("spec.installModes lists {} twice", mode.text("type")));
        const std::set<std::string_view>& modes = parts_.supported_modes;
        if (std::none_of(modes.begin(), modes.end(), [](std::string_view mode) {
                return mode == "OwnNamespace" || mode == "SingleNamespace" || mode == "MultiNamespace" ||
                       mode == "AllNamespaces";
            }))
            problem(csv_failed,
                    "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces",
                    at(csv_.at("spec", "installModes") ? csv_.at("spec", "installModes") : csv_.at("spec")),
                    "the ClusterServiceVersion does not support any install mode, so no OperatorGroup fits");
    }

    void not_met(const Fields& part, std::string because, bool of_cluster) {
        problem(csv_pending, requirements_not_met, at(part), std::move(because), of_cluster);
    }

    void check_requirements() {
        if (std::string unmet =
                unmet_min_kube_version(csv_.name, std::string(csv_.text("spec", "minKubeVersion")),
                                       conditions_.kubernetes_version, "the requirement is not met");
            !unmet.empty())
            not_met(csv_.at("spec", "minKubeVersion"), std::move(unmet), true);
        for (const Fields owned : parts_.owned_crds) check_crd_requirement(owned, true);
        for (const Fields required : parts_.required_crds) check_crd_requirement(required, false);
        for (const Fields service : csv_.items("spec", "apiservicedefinitions", "owned"))
            if (!parts_.deployment_names.contains(service.text("deploymentName")))
                not_met(service,
                        fmt::format("APIService {}.{}: there is no deployment \"{}\"",
                                    service.text("version"), service.text("group"),
                                    service.text("deploymentName")),
                        false);
        for (const auto& [list, what] :
             {std::pair("apiservicedefinitions", "API service"), std::pair("nativeAPIs", "native API")}) {
            const bool is_native = std::string_view(list) == "nativeAPIs";
            for (const Fields api :
                 is_native ? csv_.items("spec", list) : csv_.items("spec", list, "required")) {
                const std::string version =
                    api.text("group").empty() ? std::string(api.text("version"))
                                              : fmt::format("{}/{}", api.text("group"), api.text("version"));
                if (!conditions_.served.serves(version, api.kind()))
                    not_met(api, fmt::format("the {} {} {} does not exist", what, version, api.kind()), true);
            }
        }
    }

    void check_crd_requirement(const Fields& wanted, bool is_owned) {
        const std::string_view name = wanted.text("name");
        const std::string_view version = wanted.text("version");
        if (const kube::Object* const crd = find_crd(bundle_, name)) {
            for (const Fields one : crd->items("spec", "versions"))
                if (one.text("name") == version && one.flag("served")) return;
            return not_met(
                wanted, fmt::format("CustomResourceDefinition {}: version {} is not served", name, version),
                false);
        }
        const std::string_view group = name.substr(std::min(name.size(), name.find('.') + 1));
        if (!is_owned && conditions_.served.serves(fmt::format("{}/{}", group, version), wanted.kind()))
            return;
        not_met(wanted.at("name") ? wanted.at("name") : wanted,
                is_owned ? fmt::format("CustomResourceDefinition {} is owned, but not in the bundle", name)
                         : fmt::format("CustomResourceDefinition {} is required, and is not there", name),
                !is_owned);
    }

    void check_webhook_rules() {
        std::set<std::string_view> names;
        for (const Fields webhook : parts_.webhooks) {
            if (!names.insert(webhook.text("generateName")).second)
                problem(csv_failed, "CSV contains repeated WebhookDescription name", at(webhook));
            for (const Fields rule : webhook.items("rules")) {
                const char* why = nullptr;
                if (has_any(rule, "apiGroups", {"*"}))
                    why = "webhook rules cannot include all groups";
                else if (has_any(rule, "apiGroups", {"operators.coreos.com"}))
                    why = "webhook rules cannot include the OLM group";
                else if (has_any(rule, "apiGroups", {"admissionregistration.k8s.io"}) &&
                         has_any(rule, "resources",
                                 {"*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}))
                    why = "webhook rules cannot include MutatingWebhookConfiguration or "
                          "ValidatingWebhookConfiguration resources";
                if (why) problem(csv_failed, why, at(rule));
            }
        }
    }

    void failed(std::string_view kind, std::string_view name,
                const std::vector<admission::Refusal>& refusals) {
        if (!refusals.empty())
            refused(csv_failed, kind.substr(0, kind.find('.')), name,
                    "install strategy failed: " + admission::invalid_message(kind, name, refusals),
                    first_place(csv_, refusals));
    }

    void check_deployments() {
        for (size_t i = 0; i < parts_.deployments.size(); ++i) {
            const Fields deployment = parts_.deployments[i];
            const std::string_view name = deployment.text("name");
            check_certificate_service(deployment);
            failed("Deployment.apps", name,
                   admission::deployment_refusals(deployment.at("name"), deployment.at("label"),
                                                  deployment.at("spec")));
            // The last one stays, and is then unlike the others.
            for (size_t k = 0; k < i; ++k)
                if (const Fields other = parts_.deployments[k];
                    other.text("name") == name &&
                    !kube::is_equal(other.at("spec").value(), deployment.at("spec").value())) {
                    problem(
                        csv_failed, fmt::format("installing: deployment changed: {}", name), at(deployment),
                        fmt::format("two deployments named {} have different specs: OLM installs them again "
                                    "and again",
                                    name));
                    break;
                }
        }
    }

    // Deployments that serve webhooks or APIs get a Service.
    void check_certificate_service(const Fields& deployment) {
        const std::string_view name = deployment.text("name");
        const auto serves = [&](std::span<const Value> list) {
            return std::any_of(list.begin(), list.end(),
                               [&](const Value& one) { return Fields(one).text("deploymentName") == name; });
        };
        if (!serves(parts_.webhooks) && !serves(csv_.items("spec", "apiservicedefinitions", "owned"))) return;
        const std::string service = fmt::format("{}-service", name);
        admission::Refusals refusals;
        for (const std::string& error : admission::name_errors("Service", service))
            refusals.invalid_text("metadata.name", deployment.at("name"), service, error);
        failed("Service", service, refusals.list());
    }

    void check_webhooks() {
        for (const Fields webhook : parts_.webhooks) {
            const std::string_view type = webhook.text("type");
            const std::string_view name = webhook.text("generateName");
            if (type == "ConversionWebhook") {
                check_conversion(webhook);
            } else {
                const std::string kind = type == "MutatingAdmissionWebhook"
                                             ? "MutatingWebhookConfiguration"
                                             : "ValidatingWebhookConfiguration";
                failed(admission::qualified_kind(kind, "admissionregistration.k8s.io"),
                       fmt::format("{}-", name), admission::webhook_refusals(webhook, name));
            }
            if (const std::string_view deployment = webhook.text("deploymentName");
                !parts_.deployment_names.contains(deployment))
                problem(
                    csv_pending, "calculated deployment install is bad", at(webhook),
                    fmt::format("webhook {} is served by deployment \"{}\", which the ClusterServiceVersion "
                                "does not have",
                                name, deployment));
        }
    }

    void check_conversion(const Fields& webhook) {
        const auto fail = [&](std::string why) {
            problem(csv_failed, "install strategy failed: " + std::move(why), at(webhook));
        };
        const auto modes = csv_.items("spec", "installModes");
        if (std::any_of(modes.begin(), modes.end(), [](const Fields& mode) {
                return (mode.text("type") == "AllNamespaces") != mode.flag("supported");
            }))
            return fail(
                "unable to manage conversion webhook: CSVs with conversion webhooks must support only "
                "AllNamespaces");
        const std::vector<std::string> names = webhook.strings("conversionCRDs");
        if (names.empty())
            return fail("unable to manager conversion webhook: conversion webhook must have at least one CRD "
                        "specified");
        for (const std::string& name : names) {
            const bool is_owned =
                std::any_of(parts_.owned_crds.begin(), parts_.owned_crds.end(),
                            [&](const Fields& owned) { return owned.text("name") == name; });
            const kube::Object* const crd = find_crd(bundle_, name);
            if (!crd)
                return fail(fmt::format("unable to get CRD {0} specified in Conversion Webhook: "
                                        "customresourcedefinitions.apiextensions.k8s.io \"{0}\" not found",
                                        name));
            if (!is_owned) return fail(fmt::format("csv {} does not own CRD {}", csv_.name, name));
            if (crd->at("spec").flag("preserveUnknownFields"))
                return fail(
                    "crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the "
                    "conversion");
        }
    }

    const BundleManifests& bundle_;
    const kube::Object& csv_;
    CsvParts parts_;
    OutcomeConditions conditions_;
    BundleOutcome outcome_;
};

} // namespace

BundleOutcome classic_outcome(const BundleManifests& bundle, OutcomeConditions conditions) {
    return Classic(bundle, std::move(conditions)).run();
}

} // namespace opcat
