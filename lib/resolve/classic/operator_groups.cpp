#include "resolve/classic/operator_groups.hpp"

#include "catalog/finding.hpp"
#include "resolve/classic/bundle_objects.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace opcat::classic {
namespace {

bool matches_labels(const Value& wanted, const Object& ns) {
    if (!wanted.is_object()) return true;
    return std::all_of(wanted.members().begin(), wanted.members().end(), [&](const Member& label) {
        const Value* const found = ns.at({"metadata", "labels", label.key.string()});
        return found && found->string_or_empty() == label.value.string_or_empty();
    });
}

bool matches_expression(const Value& expression, const Object& ns) {
    const auto text = [&](std::string_view key) {
        const Value* const found = expression.find(key);
        return found ? found->string_or_empty() : std::string_view();
    };
    const Value* const label = ns.at({"metadata", "labels", text("key")});
    const Value* const values = expression.find("values");
    const bool listed = label && values && values->is_array() &&
                        std::any_of(values->items().begin(), values->items().end(), [&](const Value& value) {
                            return value.string_or_empty() == label->string_or_empty();
                        });
    const std::string_view op = text("operator");
    if (op == "In") return listed;
    if (op == "NotIn") return !listed;
    if (op == "Exists") return label != nullptr;
    return op == "DoesNotExist" && !label;
}

bool selects(const Value& selector, const Object& ns) {
    if (const Value* const labels = selector.find("matchLabels"); labels && !matches_labels(*labels, ns))
        return false;
    const Value* const expressions = selector.find("matchExpressions");
    if (!expressions || !expressions->is_array()) return true;
    return std::all_of(expressions->items().begin(), expressions->items().end(),
                       [&](const Value& expression) { return matches_expression(expression, ns); });
}

bool is_empty(const Value& selector) {
    return !selector.find("matchLabels") && !selector.find("matchExpressions");
}

std::set<std::string> strings(const Value& list) {
    std::set<std::string> found;
    if (list.is_array())
        for (const Value& item : list.items()) found.emplace(item.string_or_empty());
    return found;
}

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

// Why the CSV would fail with reason UnsupportedOperatorGroup; empty: it would not.
std::string unsupported(const std::set<std::string>& modes, const std::set<std::string>& targets,
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

void check_install_modes(const Plan& plan, const OperatorGroup& group, const std::set<std::string>& targets,
                         Diagnostics& findings) {
    for (const ResolvedOperator* resolved : plan.bundles) {
        const auto modes = install_modes_of(*resolved->entry->bundle);
        if (!modes) continue;
        const std::string why = unsupported(*modes, targets, group.ns);
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

std::string api_name(const Gvk& gvk) {
    return fmt::format("{}.{}.{}", gvk.kind, gvk.version, gvk.group);
}

// What a group that watches some of the same namespaces provides of these APIs.
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
    const Value* const is_static = group.at({"spec", "staticProvidedAPIs"});
    const bool fixed = is_static && is_static->is_boolean() && is_static->boolean();
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

std::set<std::string> target_namespaces(const OperatorGroup& group, const ClusterState& cluster) {
    if (const Value* const resolved = group.at({"status", "namespaces"})) return strings(*resolved);
    if (const Value* const targets = group.at({"spec", "targetNamespaces"}); targets && targets->is_array())
        if (!targets->items().empty()) return strings(*targets);
    const Value* const selector = group.at({"spec", "selector"});
    if (!selector || is_empty(*selector)) return {""};
    std::set<std::string> selected;
    for (const Object& ns : cluster.namespaces)
        if (selects(*selector, ns)) selected.insert(ns.name);
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

void check_operator_groups(const Request& request, const Plan& plan, Diagnostics& findings) {
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
    const std::set<std::string> targets = target_namespaces(*groups[0], *request.cluster);
    if (targets.empty()) {
        findings.push_back(error(
            "classic-operator-group", groups[0]->where(),
            fmt::format("OperatorGroup {} selects no namespace: its operators would fail with reason "
                        "NoTargetNamespaces",
                        groups[0]->name),
            "give a namespace the labels that spec.selector asks for, with --cluster; or name namespaces "
            "in spec.targetNamespaces"));
        return;
    }
    check_install_modes(plan, *groups[0], targets, findings);
    for (const ResolvedOperator* resolved : plan.bundles)
        check_intersection(*resolved, *groups[0], *request.cluster, findings);
}

} // namespace opcat::classic
