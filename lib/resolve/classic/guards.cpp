#include "resolve/classic/guards.hpp"

#include "catalog/finding.hpp"
#include "resolve/classic/bundle_objects.hpp"
#include "resolve/classic/crd_upgrade.hpp"
#include "resolve/classic/operator_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opcat::classic {
namespace {

const Value* condition_of(const Object& object, std::initializer_list<std::string_view> path,
                          std::string_view type) {
    const Value* const list = object.at(path);
    if (!list || !list->is_array()) return nullptr;
    for (const Value& condition : list->items()) {
        const Value* const found = condition.find("type");
        if (found && found->string_or_empty() == type) return &condition;
    }
    return nullptr;
}

std::string_view text_in(const Value& object, std::string_view key) {
    const Value* const found = object.find(key);
    return found ? found->string_or_empty() : std::string_view();
}

double number_in(const Value* value) {
    return value && value->is_number() ? value->number() : 0;
}

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

void check_catalogs(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    for (const CatalogSource& source : request.cluster->catalog_sources) {
        if (!resolution.finder->find({source.ns, source.name})) continue;
        const std::string_view state = source.text_at({"status", "connectionState", "lastObservedState"});
        if (state.empty() || state == "READY") continue;
        findings.push_back(warning(
            "classic-catalog-unhealthy", source.where(),
            fmt::format(
                "CatalogSource {}/{} was last seen in state {}: as long as it does not answer, nothing is "
                "resolved in any namespace that sees it",
                source.ns, source.name, state),
            "repair it or remove it; what is told here takes it to answer"));
    }
}

void check_approval(const Plan& plan, Diagnostics& findings) {
    if (!plan.manual) return;
    std::string names;
    for (const ResolvedOperator* resolved : plan.bundles)
        names += (names.empty() ? "" : ", ") + std::string(resolved->entry->name);
    if (plan.bundles.size() < 2) return;
    findings.push_back(
        finding(Severity::warning, "classic-manual-approval", {},
                fmt::format("one approval of the InstallPlan moves all of it: {}", names),
                "a Subscription with installPlanApproval: Manual makes it Manual for its whole namespace; "
                "operators that should move on their own belong into namespaces of their own"));
}

void check_fail_forward(const Request& request, Diagnostics& findings) {
    for (const OperatorGroup& group : request.cluster->operator_groups) {
        const std::string_view strategy = group.text_at({"spec", "upgradeStrategy"});
        if (group.ns != request.ns || strategy != "TechPreviewUnsafeFailForward") continue;
        findings.push_back(finding(Severity::note, "classic-fail-forward", group.where(),
                                   "the OperatorGroup lets upgrades go on from operators that have failed",
                                   {}));
    }
}

// Definitions that the plan would put in the place of others.
void check_crds(const Request& request, const Plan& plan, Diagnostics& findings) {
    for (const ResolvedOperator* resolved : plan.bundles) {
        const auto objects = objects_of(*resolved->entry->bundle);
        if (!objects) continue;
        for (const Object& wanted : objects->crds) {
            for (const Object& current : request.cluster->crds) {
                if (current.name != wanted.name) continue;
                std::set<std::string> owners{std::string(resolved->entry->name)};
                for (const ClusterServiceVersion& csv : request.cluster->csvs) {
                    const Value* const owned = csv.at({"spec", "customresourcedefinitions", "owned"});
                    if (csv.copied || csv.name == resolved->replaces || !owned || !owned->is_array())
                        continue;
                    for (const Value& crd : owned->items())
                        if (text_in(crd, "name") == wanted.name) owners.insert(csv.ns + '/' + csv.name);
                }
                const size_t before = findings.size();
                check_crd_upgrade(current, wanted, request.cluster->others, owners.size(), findings);
                // The new definition lives no longer than this.
                for (size_t i = before; i < findings.size(); ++i)
                    if (findings[i].where.file == wanted.file) findings[i].where = resolved->entry->where;
            }
        }
    }
}

void check_constraint_sizes(const Resolution& resolution, Diagnostics& findings) {
    for (const ResolvedOperator& resolved : resolution.operators) {
        for (const EntryProperty& property : resolved.entry->facts->properties) {
            if (property.type != property_type::constraint ||
                constraint_size(property) <= documented_constraint_size)
                continue;
            findings.push_back(warning(
                "classic-constraint-size", property.where,
                fmt::format("an olm.constraint of {} has {} bytes: the documents allow {}, the resolver {}",
                            resolved.entry->name, constraint_size(property), documented_constraint_size,
                            max_constraint_size),
                "split it"));
        }
    }
}

} // namespace

std::string why_not_upgradeable(const Object& condition) {
    if (const Value* const override_ = condition_of(condition, {"spec", "overrides"}, "Upgradeable")) {
        if (text_in(*override_, "status") == "True") return {};
        return fmt::format("the operator is not upgradeable: {}", text_in(*override_, "message"));
    }
    const Value* const stated = condition_of(condition, {"status", "conditions"}, "Upgradeable");
    if (!stated) return {};
    if (number_in(stated->find("observedGeneration")) != number_in(condition.at({"metadata", "generation"})))
        return fmt::format("the operatorcondition status \"Upgradeable\"=\"{}\" is outdated",
                           text_in(*stated, "status"));
    if (text_in(*stated, "status") == "False")
        return fmt::format("the operator is not upgradeable: {}", text_in(*stated, "message"));
    return {};
}

Diagnostics check_surroundings(const Request& request, const Resolution& resolution, const Plan& plan) {
    Diagnostics findings;
    check_operator_groups(request, plan, findings);
    check_conditions(request, plan, findings);
    check_catalogs(request, resolution, findings);
    check_approval(plan, findings);
    check_fail_forward(request, findings);
    check_crds(request, plan, findings);
    check_constraint_sizes(resolution, findings);
    if (resolution.gave_up)
        findings.push_back(
            warning("classic-expression-cost", {},
                    "evaluating the expressions of constraints was given up: it costs too much",
                    "what was not evaluated counts as not met; OLM itself has no such limit"));
    return findings;
}

} // namespace opcat::classic
