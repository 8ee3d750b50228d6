#include "opcat/cluster/installer_rights.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/served_release.hpp"
#include "opcat/document/value.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace opcat::cluster {

const std::string installer_kinds =
    fmt::format("{},{},{},{},{}", resource::service_accounts, resource::roles, resource::role_bindings,
                resource::cluster_roles, resource::cluster_role_bindings);

namespace {

constexpr const char* rbac_group = "rbac.authorization.k8s.io";

// Releases of operator-controller differ. In 1.5 and before, the experimental set installs as the standard
// one does, but checks more rights first.
constexpr unsigned last_with_checked_helm = 5;
// 1.8 is the last one that calls its revisions ClusterExtensionRevisions. For them it checks list and watch.
constexpr unsigned last_with_extension_revisions = 8;
// Before 1.8 its client (Kubernetes 1.34 and before) lists before it watches.
constexpr unsigned last_that_lists = 7;
// Since 1.34 the API server begins a watch with the list if it is asked to.
constexpr unsigned first_server_that_streams = 34;

struct ResourceName {
    std::string group;
    std::string plural;
    std::string ns; // empty: the whole cluster
    friend auto operator<=>(const ResourceName&, const ResourceName&) = default;
};

Json metadata(const InstallerSpec& installer, const std::string& name, const std::string& ns = {}) {
    Json json{{"name", name}};
    if (!ns.empty()) json["namespace"] = ns;
    json["labels"] = {{installer_label, installer.extension}};
    json["annotations"] = {{created_for_annotation, installer.extension}};
    return json;
}

Json subjects(const InstallerSpec& installer) {
    return Json::array(
        {{{"kind", "ServiceAccount"}, {"name", installer.service_account}, {"namespace", installer.ns}}});
}

Json role(const InstallerSpec& installer, const std::string& name, const std::string& ns, Json rules) {
    Json json{{"apiVersion", "rbac.authorization.k8s.io/v1"},
              {"kind", ns.empty() ? "ClusterRole" : "Role"},
              {"metadata", metadata(installer, name, ns)},
              {"rules", std::move(rules)}};
    if (const auto& oldest = installer.scope.oldest)
        json["metadata"]["annotations"][rights_for_annotation] = fmt::format("1.{}", *oldest);
    return json;
}

Json binding(const InstallerSpec& installer, const std::string& name, const std::string& ns, const char* kind,
             const std::string& bound) {
    return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", ns.empty() ? "ClusterRoleBinding" : "RoleBinding"},
            {"metadata", metadata(installer, name, ns)},
            {"roleRef", {{"apiGroup", rbac_group}, {"kind", kind}, {"name", bound}}},
            {"subjects", subjects(installer)}};
}

using Names = std::set<std::string>;

Json rule(const std::string& group, const std::string& resource, std::vector<std::string> verbs,
          const Names& names = {}) {
    Json json{{"apiGroups", {group}}, {"resources", {resource}}, {"verbs", std::move(verbs)}};
    if (!names.empty()) json["resourceNames"] = std::vector<std::string>(names.begin(), names.end());
    return json;
}

void add_once(Json& rules, const Json& one) {
    if (std::find(rules.begin(), rules.end(), one) == rules.end()) rules.push_back(one);
}

// The objects of one resource in the bundles.
struct Wanted {
    Names names;
    Names dropped; // that the last bundle no longer has
};

std::map<ResourceName, Wanted> wanted_of(const std::vector<std::vector<Object>>& bundles) {
    std::map<ResourceName, Wanted> all;
    for (const std::vector<Object>& bundle : bundles)
        for (const Object& object : bundle)
            all[{std::string(object.group()), plural_of_kind(object.kind()), object.ns}].names.insert(
                object.name);
    for (auto& [resource, wanted] : all) wanted.dropped = wanted.names;
    if (!bundles.empty())
        for (const Object& object : bundles.back())
            all[{std::string(object.group()), plural_of_kind(object.kind()), object.ns}].dropped.erase(
                object.name);
    return all;
}

// The verbs that the account needs on the objects.
struct Verbs {
    std::vector<std::string> by_name{"get"}; // OLM checks whether they exist
    std::vector<std::string> watching;       // in all namespaces
    bool deletes_dropped = false;
};

Verbs verbs_of(const InstallerSpec& installer) {
    const RightsScope& scope = installer.scope;
    Verbs verbs;
    // For this set OLM checks all of these verbs before it creates anything, although it sends patches. It
    // watches with rights of its own.
    if (scope.experimental || scope.includes(last_with_checked_helm))
        verbs.by_name = {"get", "patch", "update", "delete"};
    else if (!installer.only_to_install) {
        verbs.by_name = {"get", "patch"}; // OLM reverts changes on the cluster
        verbs.deletes_dropped = true;
    }
    if (!scope.experimental) {
        verbs.watching = {"watch"};
        if (scope.includes(last_that_lists) || (scope.lists && !installer.only_to_install))
            verbs.watching.insert(verbs.watching.begin(), "list");
    } else if (scope.includes(last_with_extension_revisions)) {
        verbs.watching = {"list", "watch"};
    }
    return verbs;
}

// The right to block the deletion of an owner.
void add_finalizers(const InstallerSpec& installer, Json& in_cluster) {
    const RightsScope& scope = installer.scope;
    if (!installer.only_to_install && (scope.checks_owners || scope.includes(last_with_checked_helm)))
        in_cluster.push_back(
            rule(resource::v1_group, "clusterextensions/finalizers", {"update"}, {installer.extension}));
    if (!scope.experimental) return;
    // Without names: they contain a number that grows with each change.
    in_cluster.push_back(rule(resource::v1_group, "clusterobjectsets/finalizers", {"update"}));
    if (scope.includes(last_with_extension_revisions))
        in_cluster.push_back(rule(resource::v1_group, "clusterextensionrevisions/finalizers", {"update"}));
}

} // namespace

RightsScope rights_scope(const Kubectl& kubectl, const Served& served, std::optional<unsigned> oldest) {
    RightsScope scope;
    scope.oldest = oldest;
    std::vector<std::string> documents = release_documents();
    documents.emplace_back("/version");
    kubectl.raw_ahead(documents);
    const olmv1::OlmRelease release = served_release(kubectl);
    scope.account_used = release.requires_account();
    if (!scope.needed()) return scope;
    scope.experimental = release.experimental;
    scope.checks_owners = served.openshift;
    const std::string server = kubectl.server_version();
    const auto version =
        semver::Version::parse_tolerant(std::string_view(server).substr(server.starts_with('v') ? 1 : 0));
    scope.lists = !version || (version->major == 1 && version->minor < first_server_that_streams);
    return scope;
}

bool is_created_for(const Object& object, std::string_view extension) {
    return object.text("metadata", "annotations", created_for_annotation) == extension;
}

Object installer_account(const InstallerSpec& installer) {
    return object_of({{"apiVersion", "v1"},
                      {"kind", "ServiceAccount"},
                      {"metadata", metadata(installer, installer.service_account, installer.ns)}});
}

std::vector<Object> cluster_admin_binding(const InstallerSpec& installer) {
    return {object_of(
        binding(installer, installer.extension + "-installer", {}, "ClusterRole", "cluster-admin"))};
}

std::vector<Object> derived_rights(const InstallerSpec& installer,
                                   const std::vector<std::vector<Object>>& bundles) {
    Json in_cluster = Json::array();
    std::map<std::string, Json> in_namespaces;
    const Verbs verbs = verbs_of(installer);
    for (const auto& [resource, wanted] : wanted_of(bundles)) {
        Json& where = resource.ns.empty() ? in_cluster : in_namespaces[resource.ns];
        where.push_back(rule(resource.group, resource.plural, {"create"}));
        where.push_back(rule(resource.group, resource.plural, verbs.by_name, wanted.names));
        if (verbs.deletes_dropped && !wanted.dropped.empty())
            where.push_back(rule(resource.group, resource.plural, {"delete"}, wanted.dropped));
        if (!verbs.watching.empty())
            add_once(in_cluster, rule(resource.group, resource.plural, verbs.watching));
    }
    add_finalizers(installer, in_cluster);
    // Kubernetes lets nobody grant rights that they do not hold.
    if (!installer.only_to_install)
        for (const std::vector<Object>& bundle : bundles)
            for (const Object& object : bundle)
                if (object.kind() == "Role" || object.kind() == "ClusterRole")
                    for (const Value& one : object.items("rules"))
                        add_once(object.ns.empty() ? in_cluster : in_namespaces[object.ns], json_of(one));

    const std::string name = installer.extension + "-installer";
    std::vector<Object> objects{object_of(role(installer, name, {}, std::move(in_cluster))),
                                object_of(binding(installer, name, {}, "ClusterRole", name))};
    for (auto& [ns, rules] : in_namespaces) {
        objects.push_back(object_of(role(installer, name, ns, std::move(rules))));
        objects.push_back(object_of(binding(installer, name, ns, "Role", name)));
    }
    return objects;
}

} // namespace opcat::cluster
