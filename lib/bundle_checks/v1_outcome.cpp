// OLM v1: operator-controller validates the bundle, renders its objects, and applies them as a Helm release
// (internal/operator-controller/applier and rukpak).
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/outcome_parts.hpp"
#include "opcat/bundle_checks/source.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace opcat {

using namespace bundle_checks;
using kube::Fields;

namespace {

// pkg/lib/bundle of operator-registry.
constexpr std::string_view supported_kinds[] = {
    "ClusterRole",
    "ClusterRoleBinding",
    "Service",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "PrometheusRule",
    "ServiceMonitor",
    "Secret",
    "ConfigMap",
    "PodDisruptionBudget",
    "PriorityClass",
    "NetworkPolicy",
    "VerticalPodAutoscaler",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "PodMonitor",
};

// Objects that every cluster has, and that OLM v1 does not take over.
struct Existing {
    std::string_view kind, name;
};
constexpr Existing existing_objects[] = {
    {"PriorityClass", "system-cluster-critical"},
    {"PriorityClass", "system-node-critical"},
    {"ConfigMap", "kube-root-ca.crt"},
    {"ServiceAccount", "default"},
    {"ClusterRole", "admin"},
    {"ClusterRole", "cluster-admin"},
    {"ClusterRole", "edit"},
    {"ClusterRole", "view"},
    {"ClusterRoleBinding", "cluster-admin"},
};

constexpr const char* stage_of_problems = "ClusterExtension not installed";

void add(kube::Object object, BundleManifests& bundle) {
    if (object.kind() == "ClusterServiceVersion")
        bundle.csv = std::move(object);
    else if (object.kind() == "CustomResourceDefinition")
        bundle.crds.push_back(std::move(object));
    else
        bundle.others.push_back(std::move(object));
}

// OLM v1 reads all documents of a file, and the items of lists. Of several ClusterServiceVersions the last
// counts.
void add_as_read(const kube::Object& object, BundleManifests& bundle) {
    const kube::Fields items = object.at("items");
    if (!items.value().is_array()) return add(object, bundle);
    for (const Value& item : items.value().items())
        add(kube::Object(item, object.memory, object.file), bundle);
}

class V1 {
public:
    V1(const BundleManifests& bundle, OutcomeConditions conditions)
        : bundle_(as_olm_v1_reads(bundle)), csv_(bundle_.csv), parts_(bundle_.csv),
          conditions_(std::move(conditions)) {}

    // Returns the problems in the order in which OLM looks. It ends with the first step that finds one.
    BundleOutcome run() {
        outcome_.stage = "ClusterExtension Installed";
        check_metadata();
        if (!outcome_.problems.empty()) return std::move(outcome_); // nothing of the bundle is known to OLM
        check_support();
        check_deployment_names();
        check_definitions();
        check_webhook_deployments();
        check_webhook_names();
        check_conversion_references();
        check_webhook_rules();
        check_kinds();
        check_served();
        check_existing();
        check_accepted();
        return std::move(outcome_);
    }

private:
    void problem(const std::string& message, Location where, std::string because = {},
                 bool of_cluster = false) {
        const std::string prefix =
            fmt::format("error for resolved bundle \"{}\" with version \"{}\": ", csv_.name,
                        csv_.text("spec", "version"));
        outcome_.problems.push_back({.stage = stage_of_problems,
                                     .message = prefix + message,
                                     .because = std::move(because),
                                     .where = where,
                                     .of_cluster = of_cluster,
                                     .prefix = prefix.size()});
    }
    Location at(const Fields& part) const { return place_of(csv_, part); }

    void check_metadata() {
        if (!bundle_.unreadable.empty()) return problem(bundle_.unreadable, bundle_.unreadable_at);
        if (!bundle_.folder.empty())
            return problem(fmt::format("subdirectories are not allowed within the \"manifests\" directory of "
                                       "the bundle image filesystem: found \"{}\"",
                                       bundle_.folder),
                           {});
        if (const auto misfit = misfit_of_csv(bundle_, go::Route::converter))
            return problem(
                fmt::format("error parsing objects in \"{}\": {}", name_of_csv_file(), misfit->message()),
                {csv_.file, misfit->value.offset(), 1});
        const Fields annotation = csv_.at("metadata", "annotations", "olm.properties");
        if (!annotation) return;
        if (const std::string refusal = v1_annotation_refusal(annotation.value().string_or_empty());
            !refusal.empty())
            problem(refusal, at(annotation));
    }

    std::string name_of_csv_file() const {
        return csv_.file ? "manifests/" + std::filesystem::path(csv_.file->path()).filename().string()
                         : std::string("manifests/");
    }

    void check_support() {
        if (!conditions_.install_rules_hold) {
            const olmv1::InstallVerdict verdict = olmv1::judge_install(
                olmv1::facts_of_csv(csv_), {.release = conditions_.olm_v1, .ns = conditions_.ns});
            if (!verdict.refusal.empty()) {
                problem(verdict.refusal, place_of_support(verdict.about));
                outcome_.problems.back().rule = rule_of(verdict.about);
            }
        }
        if (bundle_.package.empty()) problem("package name is empty", {});
    }

    Location place_of_support(olmv1::InstallSubject subject) const {
        const Fields part = subject == olmv1::InstallSubject::install_modes ? csv_.at("spec", "installModes")
                            : subject == olmv1::InstallSubject::api_services
                                ? csv_.at("spec", "apiservicedefinitions")
                                : csv_.at("spec", "webhookdefinitions");
        return at(part ? part : csv_.at("spec"));
    }

    // ---- the validators of a bundle

    void check_deployment_names() {
        std::set<std::string_view> names, repeated;
        for (const Fields deployment : parts_.deployments) {
            const std::string_view name = deployment.text("name");
            if (!names.insert(name).second && repeated.insert(name).second)
                problem(fmt::format(
                            "cluster service version contains duplicate strategy deployment spec '{}'", name),
                        at(deployment));
        }
        for (const Fields deployment : parts_.deployments) {
            const std::string_view name = deployment.text("name");
            if (const auto errors = kube::subdomain_errors(name); !errors.empty())
                problem(fmt::format("invalid cluster service version strategy deployment name '{}': {}", name,
                                    joined(errors, ", ")),
                        at(deployment.at("name") ? deployment.at("name") : deployment));
        }
    }

    static std::string joined(std::vector<std::string> texts, std::string_view separator) {
        std::sort(texts.begin(), texts.end());
        std::string all;
        for (const std::string& text : texts) all += (all.empty() ? "" : std::string(separator)) + text;
        return all;
    }

    void check_definitions() {
        std::set<std::string_view> names;
        for (const kube::Object& crd : bundle_.crds)
            if (!names.insert(crd.name).second)
                problem(fmt::format("bundle contains duplicate custom resource definition '{}'", crd.name),
                        crd.where());
        for (const Fields owned : parts_.owned_crds)
            if (const std::string_view name = owned.text("name"); !find_crd(bundle_, name))
                problem(fmt::format(
                            "cluster service definition references owned custom resource definition '{}' not "
                            "found in bundle",
                            name),
                        at(owned.at("name") ? owned.at("name") : owned));
    }

    bool is_conversion(const Fields& webhook) const { return webhook.text("type") == "ConversionWebhook"; }

    void check_webhook_deployments() {
        for (const Fields webhook : parts_.webhooks)
            if (const std::string_view deployment = webhook.text("deploymentName");
                !parts_.deployment_names.contains(deployment))
                problem(
                    fmt::format("webhook of type '{}' with name '{}' references non-existent deployment '{}'",
                                webhook.text("type"), webhook.text("generateName"), deployment),
                    at(webhook));
    }

    void check_webhook_names() {
        std::set<std::pair<std::string_view, std::string_view>> names;
        for (const Fields webhook : parts_.webhooks)
            if (!names.emplace(webhook.text("type"), webhook.text("generateName")).second)
                problem(fmt::format("duplicate webhook '{}' of type '{}'", webhook.text("generateName"),
                                    webhook.text("type")),
                        at(webhook));
        for (const Fields webhook : parts_.webhooks) {
            const std::string_view name = webhook.text("generateName");
            if (const auto errors = kube::subdomain_errors(name); !errors.empty())
                problem(fmt::format("webhook of type '{}' has invalid name '{}': {}", webhook.text("type"),
                                    name, joined(errors, ",")),
                        at(webhook));
        }
    }

    void check_conversion_references() {
        std::map<std::string, std::vector<std::string>> webhooks_of;
        for (const Fields webhook : parts_.webhooks) {
            if (!is_conversion(webhook)) continue;
            for (const std::string& name : webhook.strings("conversionCRDs")) {
                webhooks_of[name].emplace_back(webhook.text("generateName"));
                if (std::none_of(parts_.owned_crds.begin(), parts_.owned_crds.end(),
                                 [&](const Fields& owned) { return owned.text("name") == name; }))
                    problem(
                        fmt::format(
                            "conversion webhook '{}' references custom resource definition '{}' not owned "
                            "bundle",
                            webhook.text("generateName"), name),
                        at(webhook));
                if (const kube::Object* const crd = find_crd(bundle_, name);
                    crd && crd->at("spec").flag("preserveUnknownFields"))
                    problem(
                        fmt::format(
                            "custom resource definition '{}' must have .spec.preserveUnknownFields set to "
                            "false to let API Server call webhook to do the conversion",
                            name),
                        at(webhook));
            }
        }
        for (const auto& [name, webhooks] : webhooks_of)
            if (webhooks.size() > 1)
                problem(fmt::format("conversion webhooks [{}] reference same custom resource definition '{}'",
                                    joined(webhooks, ","), name),
                        at(Fields(parts_.webhooks[0])));
    }

    void check_webhook_rules() {
        static const std::set<std::string> forbidden{
            "*", "mutatingwebhookconfiguration", "mutatingwebhookconfigurations",
            "validatingwebhookconfiguration", "validatingwebhookconfigurations"};
        for (const Fields webhook : parts_.webhooks) {
            if (is_conversion(webhook)) continue;
            const std::string start = fmt::format(
                "webhook \"{}\" contains forbidden rule: admission webhook rules cannot reference ",
                webhook.text("generateName"));
            for (const Fields rule : webhook.items("rules"))
                for (const std::string& group : rule.strings("apiGroups")) {
                    if (group == "*" || group == "olm.operatorframework.io")
                        problem(fmt::format("{}API group \"{}\"", start, group), at(rule));
                    if (group != "admissionregistration.k8s.io") continue;
                    for (const std::string& resource : rule.strings("resources"))
                        if (forbidden.contains(ascii_lower(resource)))
                            problem(
                                fmt::format("{}resource \"{}\" for API group \"{}\"", start, resource, group),
                                at(rule));
                }
        }
    }

    static bool is_supported(const kube::Object& object) {
        return std::find(std::begin(supported_kinds), std::end(supported_kinds), object.kind()) !=
               std::end(supported_kinds);
    }

    void check_kinds() {
        for (const kube::Object& object : bundle_.others)
            if (!is_supported(object))
                problem(
                    fmt::format("unsupported resource \"{}\" with kind \"{}\"", object.name, object.kind()),
                    place_of(object, object, "kind"));
    }

    // ---- the Helm release

    bool is_served(const kube::Object& object) const {
        return conditions_.served.serves(object.text("apiVersion"), object.kind());
    }

    void check_served() {
        const auto refuse = [&](std::string_view name, std::string_view ns, std::string_view kind,
                                std::string_view version, Location where, std::string because,
                                bool of_cluster) {
            problem(
                fmt::format(
                    "failed to get release state using server-side dry-run: error while running post "
                    "render on files: postrenderer[0] (*client.ownerPostRenderer) failed: resource mapping "
                    "not found for name: \"{}\" namespace: \"{}\" from \"\": no matches for kind \"{}\" in "
                    "version \"{}\"\nensure CRDs are installed first",
                    name, ns, kind, version),
                where, std::move(because), of_cluster);
        };
        for (const kube::Object& crd : bundle_.crds)
            if (!is_served(crd))
                refuse(crd.name, "", crd.kind(), crd.text("apiVersion"), crd.where(), {}, false);
        for (const kube::Object& object : bundle_.others)
            if (const std::string_view version = object.text("apiVersion");
                is_supported(object) && !is_served(object))
                refuse(object.name, is_cluster_wide(object.kind()) ? "" : conditions_.ns, object.kind(),
                       version, object.where(), {}, !admission::ServedApis::is_of_kubernetes(version));
        if (parts_.webhooks.empty()) return;
        const Fields webhook(parts_.webhooks[0]);
        constexpr std::string_view version = "cert-manager.io/v1";
        if (!conditions_.served.serves(version, "Certificate"))
            refuse(fmt::format("{}-service-cert", webhook.text("deploymentName")), conditions_.ns,
                   "Certificate", version, at(webhook),
                   "webhooks get their certificates from cert-manager, which is not there", true);
    }

    void check_existing() {
        // Equal objects become one; others of the same name do not.
        std::map<std::pair<std::string_view, std::string_view>, const kube::Object*> seen;
        std::set<std::string_view> accounts;
        for (const auto permissions : {parts_.permissions, parts_.cluster_permissions})
            for (const Fields permission : permissions)
                accounts.insert(permission.text("serviceAccountName"));
        for (const kube::Object& object : bundle_.others) {
            const std::string_view kind = object.kind();
            for (const Existing& one : existing_objects)
                if (one.kind == kind && one.name == object.name)
                    problem(fmt::format("{} '{}' already exists in namespace '{}' and cannot be managed by "
                                        "operator-controller",
                                        kind, object.name, is_cluster_wide(kind) ? "" : conditions_.ns),
                            object.where());
            const auto [other, is_new] =
                seen.emplace(std::pair(kind, std::string_view(object.name)), &object);
            const bool is_account = kind == "ServiceAccount" && accounts.contains(object.name);
            if (is_account || (!is_new && !kube::is_equal(other->second->value(), object.value())))
                applied_badly(fmt::format("{} \"{}\" already exists", plural_of(kind), object.name),
                              is_account ? place_of(object, object.at("metadata", "name")) : object.where(),
                              is_account ? "OLM makes the service accounts of permissions itself"
                                         : std::string());
        }
    }

    static bool is_cluster_wide(std::string_view kind) {
        return kind == "PriorityClass" || kind == "VerticalPodAutoscaler" || kind.starts_with("Cluster") ||
               kind.starts_with("Console");
    }
    static std::string plural_of(std::string_view kind) {
        std::string plural = ascii_lower(kind);
        if (plural.ends_with("policy")) return plural.replace(plural.size() - 1, 1, "ies");
        return plural + (plural.ends_with('s') ? "es" : "s");
    }

    void applied_badly(const std::string& error, Location where, std::string because = {},
                       std::string object = {}) {
        problem(fmt::format("1 error occurred:\n\t* {}\n\n", error), where, std::move(because));
        outcome_.problems.back().object = std::move(object);
    }

    void refused(std::string_view kind, std::string_view name,
                 const std::vector<admission::Refusal>& refusals) {
        if (!refusals.empty())
            applied_badly(admission::invalid_message(kind, name, refusals), first_place(csv_, refusals), {},
                          object_key(kind.substr(0, kind.find('.')), name));
    }

    void check_accepted() {
        for (const auto permissions : {parts_.permissions, parts_.cluster_permissions})
            for (const Fields permission : permissions) check_permission(permission);
        for (const kube::Object& crd : bundle_.crds) {
            Location where;
            if (!is_served(crd)) continue;
            if (const std::string refusal = crd_refusal(crd, where); !refusal.empty())
                applied_badly(refusal, where, {}, object_key(crd.kind(), crd.name));
        }
        for (const kube::Object& object : bundle_.others)
            if (const auto refusals = admission::refusals(object); !refusals.empty())
                applied_badly(admission::refusal_message(object, refusals), first_place(object, refusals), {},
                              object_key(object.kind(), object.name));
        for (const Fields deployment : parts_.deployments) {
            auto refusals = admission::deployment_refusals(deployment.at("name"), deployment.at("label"),
                                                           deployment.at("spec"));
            // Bad names do not come so far.
            std::erase_if(refusals,
                          [](const admission::Refusal& one) { return one.field == "metadata.name"; });
            refused("Deployment.apps", deployment.text("name"), refusals);
        }
        for (const Fields webhook : parts_.webhooks) {
            const std::string_view type = webhook.text("type");
            if (type != "ValidatingAdmissionWebhook" && type != "MutatingAdmissionWebhook") continue;
            std::string_view name = webhook.text("generateName");
            if (name.ends_with('-')) name.remove_suffix(1);
            refused(type == "MutatingAdmissionWebhook"
                        ? "MutatingWebhookConfiguration.admissionregistration.k8s.io"
                        : "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
                    name, admission::webhook_refusals(webhook, name));
        }
    }

    // In all namespaces: permissions become ClusterRoles.
    void check_permission(const Fields& permission) {
        const std::string_view account = permission.text("serviceAccountName");
        admission::Refusals names;
        if (!account.empty())
            for (const std::string& error : admission::name_errors("ServiceAccount", account))
                names.invalid("metadata.name", permission.at("serviceAccountName"), error);
        refused("ServiceAccount", account, names.list());
        refused("ClusterRole.rbac.authorization.k8s.io",
                fmt::format("{}-{}", csv_.name, account.empty() ? "default" : account),
                admission::rule_refusals(permission.items("rules"), false));
    }

    const BundleManifests bundle_;
    const kube::Object& csv_;
    CsvParts parts_;
    OutcomeConditions conditions_;
    BundleOutcome outcome_;
};

} // namespace

BundleManifests as_olm_v1_reads(const BundleManifests& bundle) {
    // The converter of Kubernetes knows fields in their own letter case only.
    BundleManifests read{.csv = bundle.written_csv ? bundle.written_csv : bundle.csv,
                         .crds = bundle.crds,
                         .others = {},
                         .package = bundle.package,
                         .unreadable = bundle.unreadable,
                         .unreadable_at = bundle.unreadable_at,
                         .folder = bundle.folder,
                         .written_csv = bundle.written_csv};
    for (const kube::Object& object : bundle.others) add_as_read(object, read);
    for (const kube::Object& object : bundle.further) add_as_read(object, read);
    return read;
}

BundleOutcome v1_outcome(const BundleManifests& bundle, OutcomeConditions conditions) {
    return V1(bundle, std::move(conditions)).run();
}

} // namespace opcat
