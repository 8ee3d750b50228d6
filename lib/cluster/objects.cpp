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

Json subscription_object(const SubscriptionWish& wish) {
    Json json = object("operators.coreos.com/v1alpha1", "Subscription", wish.package, wish.ns);
    Json& spec = json["spec"] = {{"name", wish.package}};
    if (!wish.channel.empty()) spec["channel"] = wish.channel;
    spec["source"] = wish.catalog;
    spec["sourceNamespace"] = wish.catalog_ns;
    spec["installPlanApproval"] = wish.manual ? "Manual" : "Automatic";
    if (!wish.starting_csv.empty()) spec["startingCSV"] = wish.starting_csv;
    return json;
}

Json catalog_source(const CatalogSourceWish& wish) {
    Json json = object("operators.coreos.com/v1alpha1", "CatalogSource", wish.name, wish.ns);
    if (!wish.image_template.empty())
        json["metadata"]["annotations"] = {{"olm.catalogImageTemplate", wish.image_template}};
    Json& spec = json["spec"] = {{"sourceType", "grpc"},
                                 {"image", wish.image},
                                 {"grpcPodConfig", {{"securityContextConfig", "restricted"}}}};
    if (!wish.display_name.empty()) spec["displayName"] = wish.display_name;
    if (!wish.publisher.empty()) spec["publisher"] = wish.publisher;
    if (wish.priority) spec["priority"] = *wish.priority;
    if (!wish.poll.empty()) spec["updateStrategy"] = {{"registryPoll", {{"interval", wish.poll}}}};
    return json;
}

Json cluster_catalog(const ClusterCatalogWish& wish) {
    Json json = object("olm.operatorframework.io/v1", "ClusterCatalog", wish.name);
    json["spec"] = {{"source", {{"type", "Image"}, {"image", {{"ref", wish.image}}}}}};
    if (wish.poll_minutes) json["spec"]["source"]["image"]["pollIntervalMinutes"] = *wish.poll_minutes;
    if (wish.priority) json["spec"]["priority"] = *wish.priority;
    return json;
}

Json cluster_extension(const ExtensionWish& wish) {
    Json json = object("olm.operatorframework.io/v1", "ClusterExtension", wish.name);
    Json catalog{{"packageName", wish.package}};
    if (!wish.version.empty()) catalog["version"] = wish.version;
    if (!wish.channels.empty()) catalog["channels"] = wish.channels;
    if (!wish.catalog.empty()) catalog["selector"] = {{"matchLabels", {{catalog_name_label, wish.catalog}}}};
    if (wish.self_certified) catalog["upgradeConstraintPolicy"] = "SelfCertified";
    json["spec"] = {{"namespace", wish.ns}, {"serviceAccount", {{"name", wish.service_account}}}};
    if (!wish.watch_namespaces.empty())
        json["spec"]["config"] = {{"configType", "Inline"},
                                  {"inline", {{"watchNamespace", wish.watch_namespaces[0]}}}};
    json["spec"]["source"] = {{"sourceType", "Catalog"}, {"catalog", std::move(catalog)}};
    return json;
}

Json service_account(const std::string& ns, const std::string& name) {
    return object("v1", "ServiceAccount", name, ns);
}

Json extension_source_patch(const ExtensionWish& wish) {
    Json catalog = Json::object();
    catalog["version"] = wish.version.empty() ? Json() : Json(wish.version);
    if (!wish.channels.empty()) catalog["channels"] = wish.channels;
    if (wish.self_certified) catalog["upgradeConstraintPolicy"] = "SelfCertified";
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
