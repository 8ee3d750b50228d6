#include "opcat/resolve/classic/progress.hpp"

#include "opcat/catalog/finding.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/obstacles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace opcat::classic {

namespace {

void check_conditions(const Request& request, const Plan& plan, Diagnostics& findings) {
    for (const ResolvedOperator* resolved : plan.bundles) {
        if (resolved->replaces.empty()) continue;
        for (const Object& condition : request.cluster->operator_conditions) {
            if (condition.ns != request.ns || condition.name != resolved->replaces) continue;
            const std::string why = why_not_upgradeable(condition);
            if (why.empty()) continue;
            findings.push_back(error(
                "classic-not-upgradeable", condition.where(),
                fmt::format(
                    "{} would stay Pending (reason OperatorConditionNotUpgradeable) and {} would go on: "
                    "operator is not upgradeable: {}",
                    resolved->entry->name, resolved->replaces, why),
                "wait until the operator says that it can be upgraded, or set an override Upgradeable=True "
                "in "
                "spec.overrides of its OperatorCondition"));
        }
    }
}

bool lets_fail_forward(const Request& request) {
    return std::ranges::any_of(request.cluster->operator_groups, [&](const OperatorGroup& group) {
        return group.ns == request.ns && fails_forward(group);
    });
}

void check_failed(const Request& request, const Plan& plan, Diagnostics& findings) {
    const bool goes_on = lets_fail_forward(request);
    std::map<std::string_view, const ClusterServiceVersion*> installed;
    for (const ClusterServiceVersion& csv : request.cluster->csvs)
        if (csv.ns == request.ns && !csv.copied) installed.emplace(csv.name, &csv);
    for (const ResolvedOperator* resolved : plan.bundles) {
        const auto csv = installed.find(resolved->replaces);
        if (csv == installed.end()) continue;
        if (const std::string why = why_not_replaced(*csv->second, goes_on); !why.empty())
            findings.push_back(error("classic-failed", csv->second->where(),
                                     fmt::format("{} would stay Pending: {}", resolved->entry->name, why),
                                     "repair it: as soon as it has recovered, the upgrade goes on"));
    }
}

// OLM counts what it has begun as done, so that no further resolution comes.
void check_stopped(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    std::map<std::string_view, const Object*> csvs;
    for (const ClusterServiceVersion& csv : request.cluster->csvs)
        if (csv.ns == request.ns && !csv.copied) csvs.emplace(csv.name, &csv);
    // From a failed one upgrades go on where the OperatorGroup says so.
    const bool goes_on = lets_fail_forward(request);
    std::map<std::string_view, const Object*> plans;
    for (const Object& plan : request.cluster->install_plans)
        if (plan.ns == request.ns && !goes_on) plans.emplace(plan.name, &plan);
    const auto named = [](const auto& objects, std::string_view name) {
        const auto found = objects.find(name);
        return found == objects.end() ? nullptr : found->second;
    };
    for (const Subscription* const subscription : resolution.subscriptions) {
        const Object* const plan = named(plans, subscription->text("status", "installPlanRef", "name"));
        const std::string why =
            why_stopped(*subscription, named(csvs, subscription->text("status", "installedCSV")), plan);
        if (!why.empty())
            findings.push_back(
                error("classic-stopped", subscription->where(),
                      fmt::format("Subscription {} gets no further: {}", subscription->name, why),
                      plan ? "find out why, and delete the InstallPlan: OLM then makes another"
                           : "find out why: `opcat status` shows what the cluster says"));
    }
}

// Without a Subscription that changes OLM makes no InstallPlan.
void check_without_plan(const Request& request, const Resolution& resolution, const Plan& plan,
                        Diagnostics& findings) {
    if (plan.install_plan) return;
    std::set<std::string_view> wanted;
    for (const ResolvedOperator* const resolved : plan.bundles) wanted.insert(resolved->entry->name);
    std::set<std::string_view> known; // what these wait for, or why they failed, is said elsewhere
    for (const Object& one : request.cluster->install_plans)
        if (one.ns == request.ns) known.insert(one.name);
    for (const Subscription* const s : resolution.subscriptions) {
        const std::string_view name = s->text("status", "installPlanRef", "name");
        if (!wanted.contains(s->current_csv) || known.contains(name)) continue;
        findings.push_back(error(
            "classic-stopped", s->where(),
            fmt::format("Subscription {} has {} as its currentCSV already: OLM makes no other InstallPlan "
                        "for it, and what became of the one that it made is not known",
                        s->name, s->current_csv),
            name.empty() ? std::string("find out why it is not installed: `opcat status` shows what the "
                                       "cluster says")
                         : fmt::format("add InstallPlan {} to the manifests", name)));
    }
}

// In a namespace that is being deleted the API server lets nobody create objects.
void check_namespace(const Request& request, Diagnostics& findings) {
    for (const Object& ns : request.cluster->namespaces)
        if (ns.name == request.ns && ns.is_terminating())
            findings.push_back(
                error("classic-stopped", ns.where(),
                      fmt::format("namespace {} is being deleted: nothing can be created in it", ns.name),
                      "wait until it is gone, and create it again"));
}

// What an OperatorGroup's account may do is not among the objects that are read.
void check_account(const Request& request, const Plan& plan, Diagnostics& findings) {
    if (plan.bundles.empty()) return;
    for (const OperatorGroup& group : request.cluster->operator_groups) {
        const std::string_view account = group.text("spec", "serviceAccountName");
        if (group.ns != request.ns || account.empty()) continue;
        findings.push_back(warning(
            "classic-account", group.where(),
            fmt::format("OLM installs as ServiceAccount {} of OperatorGroup {}: if it exists, and may create "
                        "what the InstallPlan has, is not checked",
                        account, group.name),
            "on a cluster `opcat install --dry-run` checks it"));
    }
}

} // namespace

void check_progress(const Request& request, const Resolution& resolution, const Plan& plan,
                    Diagnostics& findings) {
    check_conditions(request, plan, findings);
    check_failed(request, plan, findings);
    check_stopped(request, resolution, findings);
    check_without_plan(request, resolution, plan, findings);
    check_namespace(request, findings);
    check_account(request, plan, findings);
}

} // namespace opcat::classic
