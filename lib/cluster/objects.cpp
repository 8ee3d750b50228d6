#include "cluster/objects.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace opcat::cluster {
namespace {

Json object(const char* version, const char* kind, const std::string& name, const std::string& ns = {}) {
    Json json{{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (!ns.empty()) json["metadata"]["namespace"] = ns;
    return json;
}

constexpr const char* catalog_name_label = "olm.operatorframework.io/metadata.name";

} // namespace

Json namespace_object(const std::string& name) {
    return object("v1", "Namespace", name);
}

Json operator_group(const std::string& ns, const std::string& name, const std::vector<std::string>& targets) {
    Json json = object("operators.coreos.com/v1", "OperatorGroup", name, ns);
    json["spec"] = Json::object();
    if (!targets.empty()) json["spec"]["targetNamespaces"] = targets;
    return json;
}

Json subscription_object(const SubscriptionSpec& wanted) {
    Json json = object("operators.coreos.com/v1alpha1", "Subscription", wanted.package, wanted.ns);
    Json& spec = json["spec"] = {{"name", wanted.package}};
    if (!wanted.channel.empty()) spec["channel"] = wanted.channel;
    spec["source"] = wanted.catalog;
    spec["sourceNamespace"] = wanted.catalog_ns;
    spec["installPlanApproval"] = wanted.manual ? "Manual" : "Automatic";
    if (!wanted.starting_csv.empty()) spec["startingCSV"] = wanted.starting_csv;
    return json;
}

Json catalog_source(const CatalogSourceSpec& wanted) {
    Json json = object("operators.coreos.com/v1alpha1", "CatalogSource", wanted.name, wanted.ns);
    if (!wanted.image_template.empty())
        json["metadata"]["annotations"] = {{"olm.catalogImageTemplate", wanted.image_template}};
    Json& spec = json["spec"] = {{"sourceType", "grpc"},
                                 {"image", wanted.image},
                                 {"grpcPodConfig", {{"securityContextConfig", "restricted"}}}};
    if (!wanted.display_name.empty()) spec["displayName"] = wanted.display_name;
    if (!wanted.publisher.empty()) spec["publisher"] = wanted.publisher;
    if (wanted.priority) spec["priority"] = *wanted.priority;
    if (!wanted.poll.empty()) spec["updateStrategy"] = {{"registryPoll", {{"interval", wanted.poll}}}};
    return json;
}

Json cluster_catalog(const ClusterCatalogSpec& wanted) {
    Json json = object("olm.operatorframework.io/v1", "ClusterCatalog", wanted.name);
    json["spec"] = {{"source", {{"type", "Image"}, {"image", {{"ref", wanted.image}}}}}};
    if (wanted.poll_minutes) json["spec"]["source"]["image"]["pollIntervalMinutes"] = *wanted.poll_minutes;
    if (wanted.priority) json["spec"]["priority"] = *wanted.priority;
    return json;
}

Json cluster_extension(const ExtensionSpec& wanted) {
    Json json = object("olm.operatorframework.io/v1", "ClusterExtension", wanted.name);
    Json catalog{{"packageName", wanted.package}};
    if (!wanted.version.empty()) catalog["version"] = wanted.version;
    if (!wanted.channels.empty()) catalog["channels"] = wanted.channels;
    if (!wanted.catalog.empty())
        catalog["selector"] = {{"matchLabels", {{catalog_name_label, wanted.catalog}}}};
    if (wanted.self_certified) catalog["upgradeConstraintPolicy"] = "SelfCertified";
    json["spec"] = {{"namespace", wanted.ns}, {"serviceAccount", {{"name", wanted.service_account}}}};
    if (!wanted.watch_namespaces.empty())
        json["spec"]["config"] = {{"configType", "Inline"},
                                  {"inline", {{"watchNamespace", wanted.watch_namespaces[0]}}}};
    json["spec"]["source"] = {{"sourceType", "Catalog"}, {"catalog", std::move(catalog)}};
    return json;
}

Json service_account(const std::string& ns, const std::string& name) {
    return object("v1", "ServiceAccount", name, ns);
}

Json extension_source_patch(const ExtensionSpec& wanted) {
    Json catalog = Json::object();
    catalog["version"] = wanted.version.empty() ? Json() : Json(wanted.version);
    if (!wanted.channels.empty()) catalog["channels"] = wanted.channels;
    if (wanted.self_certified) catalog["upgradeConstraintPolicy"] = "SelfCertified";
    return {{"spec", {{"source", {{"catalog", std::move(catalog)}}}}}};
}

std::optional<std::string> fill_image_template(const std::string& text, const std::string& server_version) {
    std::string_view rest = server_version;
    if (rest.starts_with('v')) rest.remove_prefix(1);
    std::string numbers[3];
    for (std::string& part : numbers) {
        while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
            part += rest[0];
            rest.remove_prefix(1);
        }
        if (part.empty()) return std::nullopt;
        if (rest.starts_with('.')) rest.remove_prefix(1);
    }
    std::string filled = text;
    const std::pair<std::string_view, const std::string*> values[] = {
        {"{kube_major_version}", &numbers[0]},
        {"{kube_minor_version}", &numbers[1]},
        {"{kube_patch_version}", &numbers[2]},
    };
    for (const auto& [placeholder, value] : values)
        for (size_t at = 0; (at = filled.find(placeholder, at)) != filled.npos; at += value->size())
            filled.replace(at, placeholder.size(), *value);
    return filled;
}

} // namespace opcat::cluster
