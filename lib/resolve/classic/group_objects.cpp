#include "resolve/classic/group_objects.hpp"

#include "resolve/classic/operator_groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::classic {
namespace {

constexpr std::string_view levels[] = {"admin", "edit", "view"};

std::string joined(const std::set<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
    return text;
}

std::vector<GroupClusterRole> roles_of_group(const OperatorGroup& group) {
    std::vector<GroupClusterRole> roles;
    for (const std::string_view level : levels)
        roles.push_back({fmt::format("{}-{}", group.name, level),
                         {},
                         {},
                         {},
                         fmt::format("olm.opgroup.permissions/aggregate-to-{}: {}", level, group.name)});
    return roles;
}

std::string_view verbs_of(std::string_view level) {
    if (level == "admin") return "*";
    return level == "edit" ? "create, update, patch, delete" : "get, list, watch";
}

void add_roles_of_api(const Gvk& gvk, const OperatorGroup& group, std::vector<GroupClusterRole>& roles) {
    const std::string resource = fmt::format("{}.{}", gvk.kind, gvk.group);
    const auto labels = [&](std::string_view level) {
        return StringPairs{{fmt::format("rbac.authorization.k8s.io/aggregate-to-{}", level), "true"},
                           {fmt::format("olm.opgroup.permissions/aggregate-to-{}", level), group.name}};
    };
    for (const std::string_view level : levels)
        roles.push_back({fmt::format("{}-{}-{}", resource, gvk.version, level),
                         labels(level),
                         std::string(verbs_of(level)),
                         resource,
                         {}});
    roles.push_back({fmt::format("{}-{}-view-crdview", resource, gvk.version),
                     labels("view"),
                     "get",
                     "its CustomResourceDefinition",
                     {}});
}

bool copies_are_disabled(const ClusterState& cluster) {
    return std::any_of(cluster.olm_configs.begin(), cluster.olm_configs.end(), [](const Object& config) {
        const Value* const disabled = config.at({"spec", "features", "disableCopiedCSVs"});
        return disabled && disabled->is_boolean() && disabled->boolean();
    });
}

std::vector<std::string> copies_of(const Request& request, const std::set<std::string>& targets) {
    const bool everywhere = targets.contains("");
    if (everywhere && copies_are_disabled(*request.cluster)) return {};
    if (!everywhere) {
        std::vector<std::string> copies(targets.begin(), targets.end());
        std::erase(copies, request.ns);
        return copies;
    }
    std::vector<std::string> copies;
    for (const Object& ns : request.cluster->namespaces)
        if (ns.name != request.ns) copies.push_back(ns.name);
    if (copies.empty()) copies.emplace_back();
    std::sort(copies.begin(), copies.end());
    return copies;
}

} // namespace

std::optional<GroupObjects> group_objects(const Request& request, const Plan& plan) {
    std::vector<const OperatorGroup*> groups;
    for (const OperatorGroup& group : request.cluster->operator_groups)
        if (group.ns == request.ns) groups.push_back(&group);
    if (groups.size() != 1) return std::nullopt;
    const OperatorGroup& group = *groups[0];
    const std::set<std::string> targets = target_namespaces(group, *request.cluster);
    const bool everywhere = targets.contains("");
    const Value* const is_static = group.at({"spec", "staticProvidedAPIs"});
    std::set<std::string> provided = provided_apis(group);

    GroupObjects objects{group.name, {}, roles_of_group(group), {}};
    for (const ResolvedOperator* resolved : plan.bundles) {
        MemberObjects member{std::string(resolved->entry->name),
                             {{"olm.operatorGroup", group.name},
                              {"olm.operatorNamespace", group.ns},
                              {"olm.targetNamespaces", joined(targets)}},
                             {},
                             copies_of(request, targets)};
        std::set<Gvk> apis(resolved->entry->facts->gvks.begin(), resolved->entry->facts->gvks.end());
        for (const Gvk& gvk : apis) {
            provided.insert(fmt::format("{}.{}.{}", gvk.kind, gvk.version, gvk.group));
            if (everywhere) add_roles_of_api(gvk, group, member.cluster_roles);
        }
        objects.members.push_back(std::move(member));
    }
    if (!is_static || !is_static->is_boolean() || !is_static->boolean())
        objects.provided_apis = joined(provided);
    return objects;
}

} // namespace opcat::classic
