#include "cluster/rbac.hpp"

#include "base/text.hpp"
#include "cluster/resources.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::cluster {

const std::string installer_kinds =
    fmt::format("{},{},{},{},{}", resource::service_accounts, resource::roles, resource::role_bindings,
                resource::cluster_roles, resource::cluster_role_bindings);

namespace {

constexpr const char* rbac_group = "rbac.authorization.k8s.io";

struct ResourceName {
    std::string group;
    std::string plural;
    bool namespaced = true;
    friend auto operator<=>(const ResourceName&, const ResourceName&) = default;
};

// The plural of a kind that bundles may hold. All of them are made by adding "s", "es" or "ies", but for the
// few that have it already.
std::string plural_of(const std::string& kind) {
    const std::string text = ascii_lower(kind);
    if (text.ends_with("ies") || text.ends_with("endpoints")) return text;
    if (text.ends_with("s") || text.ends_with("x") || text.ends_with("ch")) return text + "es";
    constexpr std::string_view vowels = "aeiou";
    if (text.ends_with("y") && text.size() > 1 && vowels.find(text[text.size() - 2]) == vowels.npos)
        return text.substr(0, text.size() - 1) + "ies";
    return text + "s";
}

Json metadata(const InstallerSpec& installer, const std::string& name, const std::string& ns = {}) {
    Json json{{"name", name}};
    if (!ns.empty()) json["namespace"] = ns;
    json["labels"] = {{installer_label, installer.extension}};
    return json;
}

Json subjects(const InstallerSpec& installer) {
    return Json::array(
        {{{"kind", "ServiceAccount"}, {"name", installer.service_account}, {"namespace", installer.ns}}});
}

Json role(const InstallerSpec& installer, const std::string& name, const std::string& ns, Json rules) {
    return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", ns.empty() ? "ClusterRole" : "Role"},
            {"metadata", metadata(installer, name, ns)},
            {"rules", std::move(rules)}};
}

Json binding(const InstallerSpec& installer, const std::string& name, const std::string& ns, const char* kind,
             const std::string& bound) {
    return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", ns.empty() ? "ClusterRoleBinding" : "RoleBinding"},
            {"metadata", metadata(installer, name, ns)},
            {"roleRef", {{"apiGroup", rbac_group}, {"kind", kind}, {"name", bound}}},
            {"subjects", subjects(installer)}};
}

Json rule(const std::string& group, const std::string& resource, std::vector<std::string> verbs,
          const std::vector<std::string>& names = {}) {
    Json json{{"apiGroups", {group}}, {"resources", {resource}}, {"verbs", std::move(verbs)}};
    if (!names.empty()) json["resourceNames"] = names;
    return json;
}

void add_once(Json& rules, const Json& one) {
    if (std::find(rules.begin(), rules.end(), one) == rules.end()) rules.push_back(one);
}

} // namespace

Json installer_account(const InstallerSpec& installer) {
    return {{"apiVersion", "v1"},
            {"kind", "ServiceAccount"},
            {"metadata", metadata(installer, installer.service_account, installer.ns)}};
}

std::vector<Json> cluster_admin_binding(const InstallerSpec& installer) {
    return {binding(installer, installer.extension + "-installer", {}, "ClusterRole", "cluster-admin")};
}

std::vector<Json> derived_rights(const InstallerSpec& installer, const std::vector<Json>& rendered) {
    std::map<ResourceName, std::set<std::string>> names;
    Json granted = Json::array();
    for (const Json& object : rendered) {
        const std::string kind = kind_of(object);
        names[{group_of(object), plural_of(kind), !namespace_of(object).empty()}].insert(name_of(object));
        // Nobody can grant what they do not hold.
        if (kind == "Role" || kind == "ClusterRole")
            for (const Json& one : array(object, {"rules"})) add_once(granted, one);
    }
    Json in_cluster = Json::array();
    Json in_namespace = Json::array();
    for (const auto& [resource, which] : names) {
        // Names of RBAC objects change with every version.
        const bool changing_names = resource.group == rbac_group;
        const std::vector<std::string> listed = changing_names
                                                    ? std::vector<std::string>()
                                                    : std::vector<std::string>(which.begin(), which.end());
        Json& where = resource.namespaced ? in_namespace : in_cluster;
        where.push_back(rule(resource.group, resource.plural, {"create"}));
        where.push_back(rule(resource.group, resource.plural, {"get", "patch", "update", "delete"}, listed));
        // The controller watches all namespaces.
        in_cluster.push_back(rule(resource.group, resource.plural, {"list", "watch"}));
    }
    in_cluster.push_back(
        rule("olm.operatorframework.io", "clusterextensions/finalizers", {"update"}, {installer.extension}));
    // Their names have a number that grows.
    in_cluster.push_back(rule("olm.operatorframework.io", "clusterobjectsets/finalizers", {"update"}));
    for (const Json& one : granted) add_once(in_cluster, one);

    const std::string name = installer.extension + "-installer";
    std::vector<Json> objects{role(installer, name, {}, std::move(in_cluster)),
                              binding(installer, name, {}, "ClusterRole", name)};
    if (!in_namespace.empty()) {
        objects.push_back(role(installer, name, installer.ns, std::move(in_namespace)));
        objects.push_back(binding(installer, name, installer.ns, "Role", name));
    }
    return objects;
}

} // namespace opcat::cluster
