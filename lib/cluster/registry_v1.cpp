#include "opcat/cluster/registry_v1.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/go/encode.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace opcat::cluster {
namespace {

constexpr size_t longest_name = 63;

// The SHA-224 of a text as a number in base 36.
std::string hash36(std::string_view text) {
    std::array<uint8_t, 28> digest = sha224(text);
    std::string digits;
    // Long division of the big-endian number until it is zero.
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

// Fields in the order that Go's struct has, the empty ones left out.
Json policy_rule(const Fields& rule) {
    Json out = Json::object();
    for (const char* field : {"verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"}) {
        const Json values = json_of(rule.at(field).value());
        // Only verbs are always written.
        const bool any = values.is_array() && !values.empty();
        if (any || std::string_view(field) == "verbs") out[field] = any ? values : Json();
    }
    return out;
}

Json permission(const Fields& source, bool promoted) {
    Json rules = Json::array();
    for (const Fields rule : source.items("rules")) rules.push_back(policy_rule(rule));
    // An operator that watches all namespaces must be able to list them.
    if (promoted)
        rules.push_back(
            {{"verbs", {"get", "list", "watch"}}, {"apiGroups", {""}}, {"resources", {"namespaces"}}});
    return {{"serviceAccountName", source.text("serviceAccountName")}, {"rules", std::move(rules)}};
}

// "a-service", shortened to the maximal length of a name.
std::string with_suffix(const std::string& base, const std::string& suffix) {
    const std::string tail = "-" + suffix;
    return base.substr(0, longest_name - tail.size()) + tail;
}

// Without fields that tools leave in manifests although only a server writes them.
Object without_server_fields(const Object& object) {
    if (!object.at("status") && !object.at("metadata", "creationTimestamp")) return object;
    Json json = json_of(object.value());
    json.erase("status");
    if (object.at("metadata").value().is_object()) json["metadata"].erase("creationTimestamp");
    return object_of(json);
}

class Renderer {
public:
    Renderer(const BundleContent& content, const InstallPlace& place)
        : csv_(content.csv.front()), content_(content), place_(place) {}

    std::vector<Object> render() {
        check();
        add_accounts();
        add_rights();
        for (const Object& crd : content_.crds) add_manifest(crd.describe(), [&] { add_crd(crd); });
        for (const Object& other : content_.others)
            add_manifest(other.describe(), [&] {
                Json json = json_of(other.value());
                if (!is_cluster_scoped(other.kind())) json["metadata"]["namespace"] = place_.ns;
                add(json);
            });
        for (const Fields deployment : csv_.items("spec", "install", "spec", "deployments"))
            add_manifest(fmt::format("Deployment {}", deployment.text("name")),
                         [&] { add_deployment(deployment); });
        add_webhooks();
        return std::move(objects_);
    }

private:
    void add(const Json& json) { objects_.push_back(object_of(json)); }

    // Nobody has checked the shape of a bundle's manifests.
    void add_manifest(const std::string& what, const std::function<void()>& add_it) {
        const auto is_object_or_missing = [&](const char* field) {
            const Fields found = objects_.back().at("metadata", field);
            return !found || found.value().is_object();
        };
        bool good = false;
        try {
            add_it();
            good = objects_.back().at("metadata").value().is_object() && is_object_or_missing("labels") &&
                   is_object_or_missing("annotations");
        } catch (const Json::exception&) { // a text where an object belongs, for example
            good = false;
        }
        if (!good)
            throw Error(fmt::format("cannot render bundle {}: {} does not have the shape of an object of "
                                    "Kubernetes",
                                    csv_.name, what));
    }

    std::span<const Value> webhooks() const { return csv_.items("spec", "webhookdefinitions"); }
    bool all_namespaces() const { return place_.watch.empty(); }

    void check() const {
        const std::string& name = csv_.name;
        const std::string mode = install_mode(place_.watch, place_.ns);
        std::string supported;
        bool good = false;
        for (const Fields one : csv_.items("spec", "installModes")) {
            if (!one.flag("supported")) continue;
            const std::string type(one.text("type"));
            good = good || type == mode;
            supported += (supported.empty() ? "" : ", ") + type;
        }
        if (!good)
            throw Error(
                fmt::format("bundle {} does not support install mode {}: it supports {}", name, mode,
                            supported.empty() ? "none" : supported),
                "AllNamespaces watches all namespaces, OwnNamespace its own, SingleNamespace another one, "
                "MultiNamespace several");
        if (!csv_.items("spec", "apiservicedefinitions", "owned").empty())
            throw Error(fmt::format("bundle {} brings API services, which only OLM classic installs", name));
        for (const Fields webhook : webhooks())
            if (const std::string_view deployment = webhook.text("deploymentName");
                !has_deployment(deployment))
                throw Error(fmt::format(
                    "bundle {} has a webhook that deployment \"{}\" serves, and no such deployment", name,
                    deployment));
        if (!webhooks().empty() && !place_.cert_manager)
            throw Error(fmt::format("bundle {} has webhooks, whose certificates need cert-manager", name),
                        "install cert-manager first");
    }

    bool has_deployment(std::string_view name) const {
        const auto deployments = csv_.items("spec", "install", "spec", "deployments");
        return std::any_of(deployments.begin(), deployments.end(),
                           [&](const Fields& one) { return one.text("name") == name; });
    }

    void add_accounts() {
        std::set<std::string> names;
        for (const char* field : {"permissions", "clusterPermissions"})
            for (const Fields one : csv_.items("spec", "install", "spec", field))
                names.emplace(one.text("serviceAccountName"));
        names.erase("");
        names.erase("default"); // every namespace has it
        for (const std::string& name : names) add(named_object("v1", "ServiceAccount", name, place_.ns));
    }

    void add_rights() {
        for (const Fields one : csv_.items("spec", "install", "spec", "permissions")) {
            const Json wanted = permission(one, all_namespaces());
            if (all_namespaces()) {
                add_role(wanted, "");
                continue;
            }
            for (const std::string& ns : place_.watch) add_role(wanted, ns);
        }
        for (const Fields one : csv_.items("spec", "install", "spec", "clusterPermissions"))
            add_role(permission(one, false), "");
    }

    void add_role(const Json& wanted, const std::string& ns) {
        std::string account = wanted.at("serviceAccountName").get<std::string>();
        if (account.empty()) account = "default";
        const std::string name = rbac_name(csv_.name + "-" + account, wanted);
        const char* const kind = ns.empty() ? "ClusterRole" : "Role";
        Json role = named_object("rbac.authorization.k8s.io/v1", kind, name, ns);
        role["rules"] = wanted.at("rules");
        add(role);
        Json binding = named_object("rbac.authorization.k8s.io/v1",
                                    ns.empty() ? "ClusterRoleBinding" : "RoleBinding", name, ns);
        binding["subjects"] =
            Json::array({{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", place_.ns}}});
        binding["roleRef"] = {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", name}};
        add(binding);
    }

    static std::string service_of(const std::string& deployment) {
        std::string name = deployment;
        std::replace(name.begin(), name.end(), '.', '-');
        return with_suffix(name, "service");
    }

    void add_deployment(const Fields& source) {
        const std::string name(source.text("name"));
        Json deployment = named_object("apps/v1", "Deployment", name, place_.ns);
        if (const Fields labels = source.at("label"))
            deployment["metadata"]["labels"] = json_of(labels.value());
        Json spec = source.at("spec") ? json_of(source.at("spec").value()) : Json::object();
        spec["revisionHistoryLimit"] = 1;
        Json& annotations = spec["template"]["metadata"]["annotations"];
        if (!annotations.is_object()) annotations = Json::object();
        for (const Member& member : csv_.members("metadata", "annotations"))
            annotations[std::string(member.key.string())] = json_of(member.value);
        std::string targets;
        for (const std::string& ns : place_.watch) targets += (targets.empty() ? "" : ",") + ns;
        annotations["olm.targetNamespaces"] = targets;
        if (has_webhooks(name)) mount_certificates(name, spec["template"]["spec"]);
        deployment["spec"] = std::move(spec);
        add(deployment);
    }

    bool has_webhooks(const std::string& deployment) const {
        return std::any_of(webhooks().begin(), webhooks().end(), [&](const Fields& webhook) {
            return webhook.text("deploymentName") == deployment;
        });
    }

    // Mounts certificates where webhook servers look for them.
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
            const auto named = [&](const Json& one) {
                return one.is_object() && one.value("name", Json()) == place.volume;
            };
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
        for (const Fields webhook : webhooks()) {
            const std::string deployment(webhook.text("deploymentName"));
            if (served.insert(deployment).second) add_service(deployment);
            const std::string_view type = webhook.text("type");
            if (type != "ConversionWebhook")
                add_configuration(webhook, deployment,
                                  type == "MutatingAdmissionWebhook" ? "MutatingWebhookConfiguration"
                                                                     : "ValidatingWebhookConfiguration");
        }
    }

    void add_service(const std::string& deployment) {
        const std::string name = service_of(deployment);
        const std::string certificate = with_suffix(name, "cert");
        const std::string issuer = with_suffix(name, "selfsigned-issuer");
        Json service = named_object("v1", "Service", name, place_.ns);
        Json ports = Json::array();
        for (const Fields webhook : webhooks()) {
            if (webhook.text("deploymentName") != deployment) continue;
            const int64_t port = webhook.number_or(443, "containerPort");
            Json one{{"name", std::to_string(port)}, {"port", port}};
            const Fields target = webhook.at("targetPort");
            one["targetPort"] = target ? json_of(target.value()) : Json(port);
            if (std::find(ports.begin(), ports.end(), one) == ports.end()) ports.push_back(std::move(one));
        }
        Json selector = Json::object();
        for (const Fields source : csv_.items("spec", "install", "spec", "deployments"))
            if (const Fields labels = source.at("spec", "selector", "matchLabels");
                labels && source.text("name") == deployment)
                selector = json_of(labels.value());
        service["spec"] = {{"ports", std::move(ports)}, {"selector", std::move(selector)}};
        add(service);
        Json issuing = named_object("cert-manager.io/v1", "Issuer", issuer, place_.ns);
        issuing["spec"] = {{"selfSigned", Json::object()}};
        add(issuing);
        Json wanted = named_object("cert-manager.io/v1", "Certificate", certificate, place_.ns);
        wanted["spec"] = {{"secretName", certificate},
                          {"usages", {"server auth"}},
                          {"dnsNames", {fmt::format("{}.{}.svc", name, place_.ns)}},
                          {"issuerRef", {{"name", issuer}}}};
        add(wanted);
    }

    std::string injection(const std::string& deployment) const {
        return place_.ns + "/" + with_suffix(service_of(deployment), "cert");
    }

    Json client(const Fields& webhook, const std::string& deployment) const {
        Json service{{"namespace", place_.ns},
                     {"name", service_of(deployment)},
                     {"port", webhook.number_or(443, "containerPort")}};
        if (const std::string_view path = webhook.text("webhookPath"); !path.empty()) service["path"] = path;
        return {{"service", std::move(service)}};
    }

    void add_configuration(const Fields& webhook, const std::string& deployment, const char* kind) {
        const std::string_view generate = webhook.text("generateName");
        std::string name(generate);
        while (name.ends_with('-')) name.pop_back();
        Json configuration = named_object("admissionregistration.k8s.io/v1", kind, name);
        configuration["metadata"]["annotations"] = {
            {"cert-manager.io/inject-ca-from", injection(deployment)}};
        Json one{{"name", generate}, {"clientConfig", client(webhook, deployment)}};
        for (const char* field : {"rules", "failurePolicy", "matchPolicy", "objectSelector", "sideEffects",
                                  "timeoutSeconds", "admissionReviewVersions", "reinvocationPolicy"})
            if (const Fields value = webhook.at(field)) one[field] = json_of(value.value());
        configuration["webhooks"] = Json::array({std::move(one)});
        add(configuration);
    }

    // With the webhook that converts its objects, if it has one.
    void add_crd(const Object& crd) {
        Json json;
        for (const Fields webhook : webhooks()) {
            const std::vector<std::string> names = webhook.strings("conversionCRDs");
            if (webhook.text("type") != "ConversionWebhook" ||
                std::find(names.begin(), names.end(), crd.name) == names.end())
                continue;
            const std::string deployment(webhook.text("deploymentName"));
            if (json.is_null()) json = json_of(crd.value());
            Json review_versions = Json::array();
            for (const Value& version : webhook.items("admissionReviewVersions"))
                review_versions.push_back(json_of(version));
            json["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] = injection(deployment);
            json["spec"]["conversion"] = {{"strategy", "Webhook"},
                                          {"webhook",
                                           {{"clientConfig", client(webhook, deployment)},
                                            {"conversionReviewVersions", review_versions}}}};
        }
        objects_.push_back(json.is_null() ? crd : object_of(json));
    }

    const Object& csv_;
    const BundleContent& content_;
    const InstallPlace& place_;
    std::vector<Object> objects_;
};

} // namespace

std::string BundleContent::name() const {
    return csv.empty() ? std::string() : csv.front().name;
}

std::string BundleContent::version() const {
    return csv.empty() ? std::string() : std::string(csv.front().text("spec", "version"));
}

BundleManifests manifests_of(const BundleContent& content, std::string_view package) {
    BundleManifests manifests{.csv = {},
                              .crds = content.crds,
                              .others = content.others,
                              .package = std::string(package),
                              .written_csv = content.written_csv,
                              .further = content.further};
    if (!content.csv.empty()) manifests.csv = content.csv.front();
    return manifests;
}

BundleContent bundle_content(const Bundle& bundle) {
    const BundleManifests read = manifests_in(bundle);
    BundleContent content;
    if (read.csv) content.csv = {without_server_fields(read.csv)};
    const auto clean = [](const std::vector<Object>& from, std::vector<Object>& to) {
        for (const Object& object : from) to.push_back(without_server_fields(object));
    };
    clean(read.crds, content.crds);
    clean(read.others, content.others);
    clean(read.further, content.further);
    content.written_csv = read.written_csv;
    return content;
}

BundleContent as_olm_v1_reads(const BundleContent& content) {
    BundleManifests read = opcat::as_olm_v1_reads(manifests_of(content, {}));
    BundleContent all{.csv = {}, .crds = std::move(read.crds), .others = std::move(read.others)};
    if (read.csv) all.csv.push_back(std::move(read.csv));
    return all;
}

bool is_cluster_scoped(std::string_view kind) {
    static const std::set<std::string, std::less<>> kinds{
        "ClusterRole",        "ClusterRoleBinding", "PriorityClass", "ConsoleYAMLSample", "ConsoleQuickStart",
        "ConsoleCLIDownload", "ConsoleLink",        "Namespace",     "StorageClass"};
    return kinds.contains(kind);
}

std::string install_mode(const std::vector<std::string>& watched, const std::string& ns) {
    if (watched.empty()) return "AllNamespaces";
    if (watched.size() > 1) return "MultiNamespace";
    return watched.front() == ns ? "OwnNamespace" : "SingleNamespace";
}

std::vector<Object> render_bundle(const BundleContent& content, const InstallPlace& place) {
    if (content.csv.empty()) throw Error("the bundle has no ClusterServiceVersion");
    return Renderer(content, place).render();
}

std::string rbac_name(const std::string& base, const Json& permission) {
    std::string json;
    append_html_safe_json(json, object_of(permission).value());
    const std::string hash = hash36(json + "\n");
    std::string cut = base;
    if (cut.size() + hash.size() + 1 > longest_name) cut.resize(longest_name - hash.size() - 1);
    return cut + "-" + hash;
}

} // namespace opcat::cluster
