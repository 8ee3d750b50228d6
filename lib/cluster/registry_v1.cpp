#include "cluster/registry_v1.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "catalog/properties.hpp"
#include "document/json_writer.hpp"
#include "go/encode.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace opcat::cluster {
namespace {

constexpr size_t longest_name = 63;

// The SHA-224 of a text as a number in base 36.
std::string hash36(std::string_view text) {
    std::array<uint8_t, 28> digest = sha224(text);
    std::string digits;
    // Long division of the big-endian number, until nothing is left.
    while (std::any_of(digest.begin(), digest.end(), [](uint8_t c) { return c != 0; })) {
        unsigned rest = 0;
        for (uint8_t& byte : digest) {
            const unsigned value = rest * 256 + byte;
            byte = static_cast<uint8_t>(value / 36);
            rest = value % 36;
        }
        digits += "0123456789abcdefghijklmnopqrstuvwxyz"[rest];
    }
    std::reverse(digits.begin(), digits.end());
    return digits;
}

// As Go's encoding/json writes it.
std::string go_json(const Json& json) {
    std::string text;
    for (const char c : to_text(json)) {
        switch (c) {
        case '<':
            text += "\\u003c";
            break;
        case '>':
            text += "\\u003e";
            break;
        case '&':
            text += "\\u0026";
            break;
        default:
            text += c;
        }
    }
    return text;
}

// Fields in the order that Go's struct has, the empty ones left out.
Json policy_rule(const Json& rule) {
    Json out = Json::object();
    for (const char* field : {"verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"}) {
        const Json& values = array(rule, {field});
        // Only verbs are always written.
        if (!values.empty() || std::string_view(field) == "verbs")
            out[field] = values.empty() ? Json() : values;
    }
    return out;
}

Json permission(const Json& source, bool promoted) {
    const std::string account = text(source, {"serviceAccountName"});
    Json rules = Json::array();
    for (const Json& rule : array(source, {"rules"})) rules.push_back(policy_rule(rule));
    // An operator that looks at all namespaces must see them.
    if (promoted)
        rules.push_back(policy_rule(
            {{"verbs", {"get", "list", "watch"}}, {"apiGroups", {""}}, {"resources", {"namespaces"}}}));
    return {{"serviceAccountName", account}, {"rules", std::move(rules)}};
}

Json object(const char* version, const char* kind, const std::string& name, const std::string& ns = {}) {
    Json json{{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (!ns.empty()) json["metadata"]["namespace"] = ns;
    return json;
}

// "a-service", cut so that the whole is no longer than a name may be.
std::string with_suffix(const std::string& base, const std::string& suffix) {
    const std::string tail = "-" + suffix;
    return base.substr(0, longest_name - tail.size()) + tail;
}

bool is_cluster_scoped(const std::string& kind) {
    static const std::set<std::string, std::less<>> kinds{
        "ClusterRole",        "ClusterRoleBinding", "PriorityClass", "ConsoleYAMLSample", "ConsoleQuickStart",
        "ConsoleCLIDownload", "ConsoleLink",        "Namespace",     "StorageClass"};
    return kinds.contains(kind);
}

class Renderer {
public:
    Renderer(const BundleContent& content, const RenderOptions& options)
        : csv_(content.csv.front()), content_(content), options_(options) {}

    std::vector<Json> render() {
        check();
        add_accounts();
        add_rights();
        for (const Json& crd : content_.crds) objects_.push_back(crd);
        for (Json other : content_.others) {
            if (!is_cluster_scoped(kind_of(other))) other["metadata"]["namespace"] = options_.ns;
            objects_.push_back(std::move(other));
        }
        for (const Json& deployment : array(csv_, {"spec", "install", "spec", "deployments"}))
            add_deployment(deployment);
        add_webhooks();
        return std::move(objects_);
    }

private:
    const Json& webhooks() const { return array(csv_, {"spec", "webhookdefinitions"}); }
    bool all_namespaces() const { return options_.watch.empty(); }

    std::string mode() const {
        if (options_.watch.empty()) return "AllNamespaces";
        if (options_.watch.size() > 1) return "MultiNamespace";
        return options_.watch[0] == options_.ns ? "OwnNamespace" : "SingleNamespace";
    }

    void check() const {
        const std::string name = name_of(csv_);
        std::string supported;
        bool good = false;
        for (const Json& one : array(csv_, {"spec", "installModes"})) {
            if (!flag(one, {"supported"})) continue;
            const std::string type = text(one, {"type"});
            good = good || type == mode();
            supported += (supported.empty() ? "" : ", ") + type;
        }
        if (!good)
            throw Error(fmt::format("bundle {} does not support install mode {}, but {}", name, mode(),
                                    supported.empty() ? "none" : supported),
                        "let it watch what it supports: all namespaces, its own, another one or several");
        if (!array(csv_, {"spec", "apiservicedefinitions", "owned"}).empty())
            throw Error(fmt::format("bundle {} brings API services, which only OLM classic installs", name));
        if (!webhooks().empty() && !options_.cert_manager)
            throw Error(fmt::format("bundle {} brings webhooks, whose certificates need cert-manager", name),
                        "install cert-manager first");
    }

    void add_accounts() {
        std::set<std::string> names;
        for (const char* field : {"permissions", "clusterPermissions"})
            for (const Json& one : array(csv_, {"spec", "install", "spec", field}))
                names.insert(text(one, {"serviceAccountName"}));
        names.erase("");
        names.erase("default"); // every namespace has it
        for (const std::string& name : names)
            objects_.push_back(object("v1", "ServiceAccount", name, options_.ns));
    }

    void add_rights() {
        for (const Json& one : array(csv_, {"spec", "install", "spec", "permissions"})) {
            const Json wanted = permission(one, all_namespaces());
            if (all_namespaces()) {
                add_role(wanted, "");
                continue;
            }
            for (const std::string& ns : options_.watch) add_role(wanted, ns);
        }
        for (const Json& one : array(csv_, {"spec", "install", "spec", "clusterPermissions"}))
            add_role(permission(one, false), "");
    }

    void add_role(const Json& wanted, const std::string& ns) {
        std::string account = text(wanted, {"serviceAccountName"});
        if (account.empty()) account = "default";
        const std::string name = rbac_name(name_of(csv_) + "-" + account, wanted);
        const char* const kind = ns.empty() ? "ClusterRole" : "Role";
        Json role = object("rbac.authorization.k8s.io/v1", kind, name, ns);
        role["rules"] = wanted.at("rules");
        objects_.push_back(std::move(role));
        Json binding = object("rbac.authorization.k8s.io/v1",
                              ns.empty() ? "ClusterRoleBinding" : "RoleBinding", name, ns);
        binding["subjects"] =
            Json::array({{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", options_.ns}}});
        binding["roleRef"] = {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", name}};
        objects_.push_back(std::move(binding));
    }

    static std::string service_of(const std::string& deployment) {
        std::string name = deployment;
        std::replace(name.begin(), name.end(), '.', '-');
        return with_suffix(name, "service");
    }

    void add_deployment(const Json& source) {
        const std::string name = text(source, {"name"});
        Json deployment = object("apps/v1", "Deployment", name, options_.ns);
        if (const Json* const labels = find(source, {"label"})) deployment["metadata"]["labels"] = *labels;
        Json spec = find(source, {"spec"}) ? *find(source, {"spec"}) : Json::object();
        spec["revisionHistoryLimit"] = 1;
        Json& annotations = spec["template"]["metadata"]["annotations"];
        if (!annotations.is_object()) annotations = Json::object();
        if (const Json* const more = find(csv_, {"metadata", "annotations"}); more && more->is_object())
            for (const auto& member : more->items()) annotations[member.key()] = member.value();
        std::string targets;
        for (const std::string& ns : options_.watch) targets += (targets.empty() ? "" : ",") + ns;
        annotations["olm.targetNamespaces"] = targets;
        if (has_webhooks(name)) mount_certificates(name, spec["template"]["spec"]);
        deployment["spec"] = std::move(spec);
        objects_.push_back(std::move(deployment));
    }

    bool has_webhooks(const std::string& deployment) const {
        return std::any_of(webhooks().begin(), webhooks().end(), [&](const Json& webhook) {
            return text(webhook, {"deploymentName"}) == deployment;
        });
    }

    // Where webhook servers look for them.
    static void mount_certificates(const std::string& deployment, Json& pod) {
        const std::string secret = with_suffix(service_of(deployment), "cert");
        struct Place {
            const char* volume;
            const char* path;
            const char* certificate;
            const char* key;
        };
        static constexpr Place places[] = {
            {"apiservice-cert", "/apiserver.local.config/certificates", "apiserver.crt", "apiserver.key"},
            {"webhook-cert", "/tmp/k8s-webhook-server/serving-certs", "tls.crt", "tls.key"},
        };
        for (const Place& place : places) {
            const auto named = [&](const Json& one) { return text(one, {"name"}) == place.volume; };
            Json& volumes = pod["volumes"];
            if (!volumes.is_array()) volumes = Json::array();
            volumes.erase(std::remove_if(volumes.begin(), volumes.end(), named), volumes.end());
            volumes.push_back({{"name", place.volume},
                               {"secret",
                                {{"secretName", secret},
                                 {"items", Json::array({{{"key", "tls.crt"}, {"path", place.certificate}},
                                                        {{"key", "tls.key"}, {"path", place.key}}})}}}});
            if (!pod["containers"].is_array()) continue;
            for (Json& container : pod["containers"]) {
                Json& mounts = container["volumeMounts"];
                if (!mounts.is_array()) mounts = Json::array();
                mounts.erase(std::remove_if(mounts.begin(), mounts.end(), named), mounts.end());
                mounts.push_back({{"name", place.volume}, {"mountPath", place.path}});
            }
        }
    }

    void add_webhooks() {
        std::set<std::string> served;
        for (const Json& webhook : webhooks()) {
            const std::string deployment = text(webhook, {"deploymentName"});
            if (served.insert(deployment).second) add_service(deployment);
            const std::string type = text(webhook, {"type"});
            if (type == "ConversionWebhook")
                convert_crds(webhook, deployment);
            else
                add_configuration(webhook, deployment,
                                  type == "MutatingAdmissionWebhook" ? "MutatingWebhookConfiguration"
                                                                     : "ValidatingWebhookConfiguration");
        }
    }

    void add_service(const std::string& deployment) {
        const std::string name = service_of(deployment);
        const std::string certificate = with_suffix(name, "cert");
        const std::string issuer = with_suffix(name, "selfsigned-issuer");
        Json service = object("v1", "Service", name, options_.ns);
        Json ports = Json::array();
        for (const Json& webhook : webhooks()) {
            if (text(webhook, {"deploymentName"}) != deployment) continue;
            const int64_t port = number(webhook, {"containerPort"}, 443);
            Json one{{"name", std::to_string(port)}, {"port", port}};
            const Json* const target = find(webhook, {"targetPort"});
            one["targetPort"] = target ? *target : Json(port);
            if (std::find(ports.begin(), ports.end(), one) == ports.end()) ports.push_back(std::move(one));
        }
        Json selector = Json::object();
        for (const Json& source : array(csv_, {"spec", "install", "spec", "deployments"}))
            if (const Json* const labels = find(source, {"spec", "selector", "matchLabels"});
                labels && text(source, {"name"}) == deployment)
                selector = *labels;
        service["spec"] = {{"ports", std::move(ports)}, {"selector", std::move(selector)}};
        objects_.push_back(std::move(service));
        Json issuing = object("cert-manager.io/v1", "Issuer", issuer, options_.ns);
        issuing["spec"] = {{"selfSigned", Json::object()}};
        objects_.push_back(std::move(issuing));
        Json wanted = object("cert-manager.io/v1", "Certificate", certificate, options_.ns);
        wanted["spec"] = {{"secretName", certificate},
                          {"usages", {"server auth"}},
                          {"dnsNames", {fmt::format("{}.{}.svc", name, options_.ns)}},
                          {"issuerRef", {{"name", issuer}}}};
        objects_.push_back(std::move(wanted));
    }

    std::string injection(const std::string& deployment) const {
        return options_.ns + "/" + with_suffix(service_of(deployment), "cert");
    }

    Json client(const Json& webhook, const std::string& deployment) const {
        Json service{{"namespace", options_.ns},
                     {"name", service_of(deployment)},
                     {"port", number(webhook, {"containerPort"}, 443)}};
        if (const std::string path = text(webhook, {"webhookPath"}); !path.empty()) service["path"] = path;
        return {{"service", std::move(service)}};
    }

    void add_configuration(const Json& webhook, const std::string& deployment, const char* kind) {
        const std::string generate = text(webhook, {"generateName"});
        std::string name = generate;
        while (name.ends_with('-')) name.pop_back();
        Json configuration = object("admissionregistration.k8s.io/v1", kind, name);
        configuration["metadata"]["annotations"] = {
            {"cert-manager.io/inject-ca-from", injection(deployment)}};
        Json one{{"name", generate}, {"clientConfig", client(webhook, deployment)}};
        for (const char* field : {"rules", "failurePolicy", "matchPolicy", "objectSelector", "sideEffects",
                                  "timeoutSeconds", "admissionReviewVersions", "reinvocationPolicy"})
            if (const Json* const value = find(webhook, {field})) one[field] = *value;
        configuration["webhooks"] = Json::array({std::move(one)});
        objects_.push_back(std::move(configuration));
    }

    void convert_crds(const Json& webhook, const std::string& deployment) {
        const std::vector<std::string> names = strings(webhook, {"conversionCRDs"});
        for (Json& crd : objects_) {
            if (kind_of(crd) != "CustomResourceDefinition" ||
                std::find(names.begin(), names.end(), name_of(crd)) == names.end())
                continue;
            crd["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] = injection(deployment);
            crd["spec"]["conversion"] = {
                {"strategy", "Webhook"},
                {"webhook",
                 {{"clientConfig", client(webhook, deployment)},
                  {"conversionReviewVersions", array(webhook, {"admissionReviewVersions"})}}}};
        }
    }

    const Json& csv_;
    const BundleContent& content_;
    const RenderOptions& options_;
    std::vector<Json> objects_;
};

} // namespace

std::string BundleContent::name() const {
    return csv.empty() ? std::string() : name_of(csv.front());
}

std::string BundleContent::version() const {
    return csv.empty() ? std::string() : text(csv.front(), {"spec", "version"});
}

BundleContent bundle_content(const Bundle& bundle) {
    BundleContent content;
    for (const Property& property : bundle.properties) {
        const auto decoded = bundle_object_in(property);
        if (!decoded) continue;
        const std::string what = fmt::format("a manifest of {}", bundle.name.text);
        if (!decoded->problem.empty()) throw Error(fmt::format("cannot read {}: {}", what, decoded->problem));
        // OLM reads a ClusterServiceVersion as a Go struct, whose fields are known in any letter case.
        const Value value =
            decoded->is_csv() ? go::with_field_names(decoded->value, go::type_named("ClusterServiceVersion"),
                                                     *decoded->arena)
                              : decoded->value;
        std::string json;
        append_compact_json(json, value);
        Json object = parse_json(json, what);
        // What tools leave in manifests and only a server writes.
        if (!object.is_object()) continue;
        object.erase("status");
        if (const auto metadata = object.find("metadata"); metadata != object.end() && metadata->is_object())
            metadata->erase("creationTimestamp");
        const std::string kind = kind_of(object);
        if (kind == "ClusterServiceVersion")
            content.csv = {std::move(object)};
        else if (kind == "CustomResourceDefinition")
            content.crds.push_back(std::move(object));
        else
            content.others.push_back(std::move(object));
    }
    return content;
}

std::vector<Json> render_bundle(const BundleContent& content, const RenderOptions& options) {
    if (content.csv.empty()) throw Error("the bundle has no ClusterServiceVersion");
    return Renderer(content, options).render();
}

std::string rbac_name(const std::string& base, const Json& permission) {
    const std::string hash = hash36(go_json(permission) + "\n");
    std::string cut = base;
    if (cut.size() + hash.size() + 1 > longest_name) cut.resize(longest_name - hash.size() - 1);
    return cut + "-" + hash;
}

} // namespace opcat::cluster
