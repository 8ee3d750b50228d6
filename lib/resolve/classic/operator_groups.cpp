#include "opcat/resolve/classic/operator_groups.hpp"

#include "opcat/catalog/finding.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/preflight.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace opcat::classic {
namespace {

// With the group's own namespace, which belongs to it when groups are compared.
bool overlap(const OperatorGroup& a, const OperatorGroup& b, const ClusterState& cluster) {
    auto x = target_namespaces(a, cluster);
    auto y = target_namespaces(b, cluster);
    if (x.contains("") || y.contains("")) return true;
    x.insert(a.ns);
    y.insert(b.ns);
    return std::any_of(x.begin(), x.end(), [&](const std::string& ns) { return y.contains(ns); });
}

std::string joined(const std::set<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
    return text;
}

void check_install_modes(const Plan& plan, const OperatorGroup& group, const std::set<std::string>& targets,
                         Diagnostics& findings) {
    for (const ResolvedOperator* resolved : plan.bundles) {
        const auto modes = install_modes_of(*resolved->entry->bundle);
        if (!modes) continue;
        const std::string why = why_unsupported(*modes, targets, group.ns);
        if (why.empty()) continue;
        Diagnostic finding = error(
            "classic-install-mode", group.where(),
            fmt::format("{} would fail with reason UnsupportedOperatorGroup: {}", resolved->entry->name, why),
            fmt::format("it supports {}: change the OperatorGroup's targetNamespaces, or install "
                        "it in another namespace",
                        modes->empty() ? "no install mode" : joined(*modes)));
        findings.push_back(with_note(std::move(finding), "the catalog has it here", resolved->entry->where));
    }
}

// Of operators that stay: one that OLM replaces is judged by what comes.
void check_installed_modes(const Request& request, const Plan& plan, const OperatorGroup& group,
                           const std::set<std::string>& targets, Diagnostics& findings) {
    std::set<std::string_view> replaced;
    for (const ResolvedOperator* resolved : plan.bundles) replaced.insert(resolved->replaces);
    for (const ClusterServiceVersion& csv : request.cluster->csvs) {
        if (csv.ns != request.ns || csv.copied || replaced.contains(csv.name)) continue;
        const auto modes = install_modes_of(csv);
        const std::string why = modes ? why_unsupported(*modes, targets, group.ns) : std::string();
        if (why.empty()) continue;
        Diagnostic finding =
            error("classic-install-mode", group.where(),
                  fmt::format("{}, which is installed, fails with reason UnsupportedOperatorGroup: {}",
                              csv.name, why),
                  fmt::format("it supports {}: change the OperatorGroup's targetNamespaces",
                              modes->empty() ? "no install mode" : joined(*modes)));
        findings.push_back(with_note(std::move(finding), "the operator", csv.where()));
    }
}

std::string api_name(const Gvk& gvk) {
    return fmt::format("{}.{}.{}", gvk.kind, gvk.version, gvk.group);
}

// A group that watches some of the same namespaces, with those of these APIs that it provides.
struct Rival {
    const OperatorGroup* group = nullptr;
    std::set<std::string> shared;
};

Rival rival_of(const OperatorGroup& group, const std::set<std::string>& apis, const ClusterState& cluster) {
    Rival rival;
    for (const OperatorGroup& other : cluster.operator_groups) {
        if ((other.ns == group.ns && other.name == group.name) || !overlap(group, other, cluster)) continue;
        for (const std::string& api : provided_apis(other)) {
            if (!apis.contains(api)) continue;
            rival.shared.insert(api);
            rival.group = &other;
        }
    }
    return rival;
}

// OLM's rules of intersection (OLM concepts, 2.4.5.9): whether others provide the operator's APIs, whether
// the group's annotation has them already, and whether the group is static.
void check_intersection(const ResolvedOperator& resolved, const OperatorGroup& group,
                        const ClusterState& cluster, Diagnostics& findings) {
    std::set<std::string> apis;
    for (const Gvk& gvk : resolved.entry->facts->gvks) apis.insert(api_name(gvk));
    if (apis.empty()) return;
    const std::set<std::string> own = provided_apis(group);
    const bool subset = std::includes(own.begin(), own.end(), apis.begin(), apis.end());
    const bool fixed = group.flag("spec", "staticProvidedAPIs");
    const Rival rival = rival_of(group, apis, cluster);
    const std::string_view name = resolved.entry->name;
    if (rival.group && !subset) {
        Diagnostic finding = error(
            "classic-api-conflict", group.where(),
            fmt::format(
                "{} would fail with reason InterOperatorGroupOwnerConflict: OperatorGroup {}/{} provides "
                "{} in namespaces that it watches, too",
                name, rival.group->ns, rival.group->name, joined(rival.shared)),
            "let the two groups select different namespaces, or remove one of the operators");
        findings.push_back(with_note(std::move(finding), "the other group", rival.group->where()));
    } else if (rival.group && !fixed) {
        Diagnostic finding = warning(
            "classic-api-conflict", group.where(),
            fmt::format(
                "OLM would take {} out of the group's annotation olm.providedAPIs, because OperatorGroup "
                "{}/{} provides them in the same namespaces; {} would fail after that",
                joined(apis), rival.group->ns, rival.group->name, name),
            "let the two groups select different namespaces, or remove one of the operators");
        findings.push_back(with_note(std::move(finding), "the other group", rival.group->where()));
    } else if (rival.group) {
        findings.push_back(error(
            "classic-static-group", group.where(),
            fmt::format("{} would fail with reason CannotModifyStaticOperatorGroupProvidedAPIs: the group is "
                        "static and claims {}, which OperatorGroup {}/{} provides in the same namespaces",
                        name, joined(rival.shared), rival.group->ns, rival.group->name),
            "let the two groups select different namespaces"));
    } else if (fixed && !subset) {
        std::set<std::string> missing;
        std::set_difference(apis.begin(), apis.end(), own.begin(), own.end(),
                            std::inserter(missing, missing.end()));
        findings.push_back(error(
            "classic-static-group", group.where(),
            fmt::format("{} would fail with reason CannotModifyStaticOperatorGroupProvidedAPIs: the group is "
                        "static, and its annotation olm.providedAPIs lacks {}",
                        name, joined(missing)),
            "add them to the annotation, or remove staticProvidedAPIs"));
    }
}

} // namespace

namespace {

std::set<std::string> names_in(std::span<const Value> items) {
    std::set<std::string> names;
    for (const Value& item : items) names.emplace(item.string_or_empty());
    return names;
}

bool has_selector(const OperatorGroup& group) {
    const Fields selector = group.at("spec", "selector");
    return selector.at("matchLabels") || selector.at("matchExpressions");
}

} // namespace

bool is_outdated(const OperatorGroup& group) {
    if (!group.at("status", "namespaces")) return false;
    std::set<std::string> named = names_in(group.items("spec", "targetNamespaces"));
    if (named.empty()) {
        if (has_selector(group)) return false;
        named.insert("");
    }
    return named != names_in(group.items("status", "namespaces"));
}

std::string why_unsupported(const std::set<std::string>& modes, const std::set<std::string>& targets,
                            const std::string& ns) {
    if (targets.contains(""))
        return modes.contains("AllNamespaces")
                   ? std::string()
                   : "AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces";
    if (targets.size() > 1 && !modes.contains("MultiNamespace"))
        return fmt::format(
            "MultiNamespace InstallModeType not supported, cannot configure to watch {} namespaces",
            targets.size());
    if (targets.contains(ns) && !modes.contains("OwnNamespace"))
        return "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace";
    if (targets.size() == 1 && !targets.contains(ns) && !modes.contains("SingleNamespace"))
        return "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace";
    return {};
}

std::set<std::string> target_namespaces(const OperatorGroup& group, const ClusterState& cluster) {
    if (group.at("status", "namespaces")) return names_in(group.items("status", "namespaces"));
    if (const auto targets = group.items("spec", "targetNamespaces"); !targets.empty())
        return names_in(targets);
    const Fields selector = group.at("spec", "selector");
    if (!has_selector(group)) return {""};
    std::set<std::string> selected;
    for (const Object& ns : cluster.namespaces)
        if (kube::selects(selector, ns)) selected.insert(ns.name);
    return selected;
}

std::set<std::string> provided_apis(const OperatorGroup& group) {
    std::set<std::string> apis;
    std::string_view list = group.annotation("olm.providedAPIs");
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        if (comma > 0) apis.emplace(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return apis;
}

void check_operator_groups(const Request& request, const Plan& plan, const InputNames& inputs,
                           Diagnostics& findings) {
    std::vector<const OperatorGroup*> groups;
    for (const OperatorGroup& group : request.cluster->operator_groups)
        if (group.ns == request.ns) groups.push_back(&group);
    if (groups.empty()) {
        findings.push_back(
            error("classic-operator-group", {},
                  fmt::format("namespace {} has no OperatorGroup: no operator can be installed in it "
                              "(reason NoOperatorGroup)",
                              request.ns),
                  "make an OperatorGroup that selects the namespaces to watch"));
        return;
    }
    if (groups.size() > 1) {
        Diagnostic finding =
            error("classic-operator-group", groups[0]->where(),
                  fmt::format("namespace {} has {} OperatorGroups: no operator can be installed in it "
                              "(reason TooManyOperatorGroups)",
                              request.ns, groups.size()),
                  "keep one of them");
        for (size_t i = 1; i < groups.size(); ++i)
            finding = with_note(std::move(finding), fmt::format("another one: {}", groups[i]->name),
                                groups[i]->where());
        findings.push_back(std::move(finding));
        return;
    }
    if (is_outdated(*groups[0]))
        findings.push_back(warning(
            "classic-operator-group", groups[0]->where(),
            fmt::format("the status of OperatorGroup {} does not have the namespaces of its spec: OLM "
                        "will correct it, and what follows from that is not known",
                        groups[0]->name),
            "read it again when OLM has looked at it"));
    const std::set<std::string> targets = target_namespaces(*groups[0], *request.cluster);
    if (targets.empty()) {
        findings.push_back(
            error("classic-operator-group", groups[0]->where(),
                  fmt::format("OperatorGroup {} selects no namespace: its operators would fail with reason "
                              "NoTargetNamespaces",
                              groups[0]->name),
                  fmt::format("give a namespace the labels that spec.selector asks for{}; or name namespaces "
                              "in spec.targetNamespaces",
                              inputs.cluster.empty() ? "" : ", with " + inputs.cluster)));
        return;
    }
    check_install_modes(plan, *groups[0], targets, findings);
    check_installed_modes(request, plan, *groups[0], targets, findings);
    for (const ResolvedOperator* resolved : plan.bundles)
        check_intersection(*resolved, *groups[0], *request.cluster, findings);
}

namespace {

constexpr std::string_view levels[] = {"admin", "edit", "view"};

std::string comma_joined(const std::set<std::string>& items) {
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
        return config.flag("spec", "features", "disableCopiedCSVs");
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
    std::set<std::string> provided = provided_apis(group);

    GroupObjects objects{group.name, {}, roles_of_group(group), {}};
    for (const ResolvedOperator* resolved : plan.bundles) {
        MemberObjects member{std::string(resolved->entry->name),
                             {{"olm.operatorGroup", group.name},
                              {"olm.operatorNamespace", group.ns},
                              {"olm.targetNamespaces", comma_joined(targets)}},
                             {},
                             copies_of(request, targets)};
        std::set<Gvk> apis(resolved->entry->facts->gvks.begin(), resolved->entry->facts->gvks.end());
        for (const Gvk& gvk : apis) {
            provided.insert(fmt::format("{}.{}.{}", gvk.kind, gvk.version, gvk.group));
            if (everywhere) add_roles_of_api(gvk, group, member.cluster_roles);
        }
        objects.members.push_back(std::move(member));
    }
    if (!group.flag("spec", "staticProvidedAPIs")) objects.provided_apis = comma_joined(provided);
    return objects;
}

} // namespace opcat::classic
