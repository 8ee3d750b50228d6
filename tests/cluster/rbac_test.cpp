#include "json_objects.hpp"
#include "opcat/cluster/objects.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace opcat::cluster;

namespace {

Json object(const char* version, const char* kind, const char* name, const char* ns = "") {
    Json json{{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (*ns) json["metadata"]["namespace"] = ns;
    return json;
}

// Whether a role allows a verb on a resource, for this name or for all.
bool allows(const Object& role, const std::string& resource, const std::string& verb,
            const std::string& name) {
    const auto has = [](const std::vector<std::string>& all, const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    const auto rules = role.items("rules");
    return std::any_of(rules.begin(), rules.end(), [&](const Fields& rule) {
        const auto names = rule.strings("resourceNames");
        return has(rule.strings("resources"), resource) && has(rule.strings("verbs"), verb) &&
               (names.empty() || has(names, name));
    });
}

} // namespace

TEST_CASE("the installer gets the least rights, by name") {
    Json role = object("rbac.authorization.k8s.io/v1", "ClusterRole", "shop.v1-hash");
    role["rules"] =
        Json::array({{{"apiGroups", {"shop.example.com"}}, {"resources", {"*"}}, {"verbs", {"*"}}}});
    const std::vector<Json> rendered{
        object("v1", "ServiceAccount", "shop-manager", "shop"),
        role,
        object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "shop.v1-hash"),
        object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "carts.shop.example.com"),
        object("networking.k8s.io/v1", "NetworkPolicy", "deny", "shop"),
        object("apps/v1", "Deployment", "controller", "shop")};
    const auto objects = derived_rights({"shop", "shop", "installer"}, objects_of(rendered));
    REQUIRE(objects.size() == 4);
    const Object& cluster_role = objects[0];
    const Object& namespaced = objects[2];
    CHECK(cluster_role.kind() == "ClusterRole");
    CHECK(namespaced.kind() == "Role");

    CHECK(allows(namespaced, "deployments", "create", ""));
    CHECK(allows(namespaced, "deployments", "patch", "controller"));
    CHECK_FALSE(allows(namespaced, "deployments", "patch", "other"));
    CHECK(allows(namespaced, "networkpolicies", "get", "deny"));
    // The controller watches all namespaces.
    CHECK(allows(cluster_role, "deployments", "watch", ""));
    CHECK_FALSE(allows(cluster_role, "deployments", "create", ""));
    CHECK(allows(cluster_role, "customresourcedefinitions", "delete", "carts.shop.example.com"));
    CHECK_FALSE(allows(cluster_role, "customresourcedefinitions", "delete", "other"));
    CHECK(allows(cluster_role, "clusterroles", "delete", "shop.v1-hash"));
    CHECK_FALSE(allows(cluster_role, "clusterroles", "delete", "cluster-admin"));
    CHECK_FALSE(allows(namespaced, "deployments", "update", "controller"));
    CHECK_FALSE(allows(cluster_role, "clusterobjectsets/finalizers", "update", "shop-1"));
    // Nobody can grant what they do not hold.
    CHECK(allows(cluster_role, "*", "*", ""));
    CHECK(allows(cluster_role, "clusterextensions/finalizers", "update", "shop"));
    CHECK_FALSE(allows(cluster_role, "secrets", "get", ""));
    for (const Object& made : objects) {
        CHECK(made.label(installer_label) == "shop");
        CHECK(is_created_for(made, "shop"));
        CHECK_FALSE(is_created_for(made, "other"));
    }

    const auto experimental = derived_rights({"shop", "shop", "installer", true}, objects_of(rendered));
    CHECK(allows(experimental[2], "deployments", "update", "controller"));
    CHECK(allows(experimental[0], "clusterobjectsets/finalizers", "update", "shop-1"));
}
