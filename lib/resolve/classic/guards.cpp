#include "resolve/classic/guards.hpp"

#include "catalog/finding.hpp"
#include "resolve/classic/bundle_objects.hpp"
#include "resolve/classic/crd_upgrade.hpp"
#include "resolve/classic/operator_groups.hpp"

#include <fmt/core.h>

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

// Whether a CSV owns the API of an olm.gvk.required property.
bool owns_api(const Object& csv, const Value& wanted) {
    const Value* const owned = csv.at({"spec", "customresourcedefinitions", "owned"});
    if (!owned || !owned->is_array()) return false;
    return std::any_of(owned->items().begin(), owned->items().end(), [&](const Value& crd) {
        const std::string_view name = text_in(crd, "name"); // plural.group
        return text_in(crd, "kind") == text_in(wanted, "kind") &&
               text_in(crd, "version") == text_in(wanted, "version") &&
               name.ends_with(fmt::format(".{}", text_in(wanted, "group")));
    });
}

double number_in(const Value* value) {
    return value && value->is_number() ? value->number() : 0;
}

// Why an operator must not be upgraded now, from its OperatorCondition; empty: it may.
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

bool is_given(const Request& request, const CatalogKey& key) {
    return std::any_of(request.catalogs.begin(), request.catalogs.end(),
                       [&](const AvailableCatalog& catalog) { return catalog.key == key; });
}

void check_catalogs(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    for (const CatalogSource& source : request.cluster->catalog_sources) {
        const CatalogKey key{source.ns, source.name};
        if (!resolution.finder->find(key)) continue;
        const std::string_view state = source.text_at({"status", "connectionState", "lastObservedState"});
        if (!is_given(request, key)) {
            const std::string_view image = source.text_at({"spec", "image"});
            findings.push_back(error(
                "classic-catalog-missing", source.where(),
                fmt::format("the cluster has CatalogSource {}, and its catalog is not given: what would be "
                            "resolved with it is not known",
                            key.to_string()),
                fmt::format("give it: --catalog {}={}; or leave the CatalogSource out of the manifests",
                            key.to_string(), image.empty() ? "REF" : image)));
        } else if (!state.empty() && state != "READY") {
            findings.push_back(warning(
                "classic-catalog-unhealthy", source.where(),
                fmt::format(
                    "CatalogSource {} was last seen in state {}: as long as it does not answer, nothing is "
                    "resolved in any namespace that sees it",
                    key.to_string(), state),
                "repair it or remove it; what is told here takes it to answer"));
        }
    }
}

// 2.4.6 of OLM concepts: operators of a namespace share their approval.
void check_approval(const Resolution& resolution, const Plan& plan, Diagnostics& findings) {
    if (!plan.manual || plan.bundles.size() < 2) return;
    std::string names;
    for (const ResolvedOperator* resolved : plan.bundles)
        names += (names.empty() ? "" : ", ") + std::string(resolved->entry->name);
    Diagnostic found =
        warning("classic-manual-approval", {},
                fmt::format("one approval of the InstallPlan moves all of it: {}", names),
                "a Subscription with installPlanApproval: Manual makes it Manual for its whole namespace; "
                "operators that should move on their own belong into namespaces of their own");
    for (const Subscription* s : resolution.subscriptions)
        if (s->manual)
            found =
                with_note(std::move(found), fmt::format("Subscription {} is Manual", s->name), s->where());
    findings.push_back(std::move(found));
}

void check_pending(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    for (const Object& plan : request.cluster->install_plans) {
        if (plan.ns != request.ns || plan.text_at({"status", "phase"}) != "RequiresApproval") continue;
        std::string names;
        if (const Value* const list = plan.at({"spec", "clusterServiceVersionNames"});
            list && list->is_array())
            for (const Value& name : list->items())
                names += (names.empty() ? "" : ", ") + std::string(name.string_or_empty());
        const auto& all = resolution.subscriptions;
        const bool stopped = !all.empty() && std::all_of(all.begin(), all.end(), [](const Subscription* s) {
            return s->text_at({"status", "state"}) == "UpgradePending" && s->at({"status", "installPlanRef"});
        });
        findings.push_back(
            finding(stopped ? Severity::warning : Severity::note, "classic-pending-plan", plan.where(),
                    fmt::format("InstallPlan {} waits for approval of {}{}", plan.name, names,
                                stopped ? ": all Subscriptions wait for it, and until then OLM "
                                          "resolves nothing in this namespace"
                                        : ""),
                    "approve it, or delete it to have OLM make a new one"));
    }
}

void check_fail_forward(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    for (const OperatorGroup& group : request.cluster->operator_groups) {
        const std::string_view strategy = group.text_at({"spec", "upgradeStrategy"});
        if (group.ns != request.ns || strategy != "TechPreviewUnsafeFailForward") continue;
        Diagnostic found = finding(Severity::note, "classic-fail-forward", group.where(),
                                   "the OperatorGroup lets upgrades go on from operators that have failed");
        // What is not among the existing entries was left out for that reason.
        for (const ClusterServiceVersion& csv : request.cluster->csvs)
            if (csv.ns == request.ns && !csv.copied && resolution.finder->existing().error.empty() &&
                Finder::named(resolution.finder->existing(), csv.name, {}).empty())
                found =
                    with_note(std::move(found),
                              fmt::format("{} does not count any more: its replacement has failed", csv.name),
                              csv.where());
        findings.push_back(std::move(found));
    }
}

// Copies of operators that watch the namespace from another one.
void check_copies(const Request& request, const Resolution& resolution, const Plan& plan,
                  Diagnostics& findings) {
    for (const ClusterServiceVersion& csv : request.cluster->csvs) {
        if (csv.ns != request.ns || !csv.copied) continue;
        const std::string_view home = csv.annotation("olm.operatorNamespace");
        for (const ResolvedOperator* resolved : plan.bundles)
            if (resolved->entry->name == csv.name)
                findings.push_back(warning(
                    "classic-copied-csv", csv.where(),
                    fmt::format("{} is in this namespace already, as a copy of the operator in namespace "
                                "{}: both would watch the same objects",
                                csv.name, home),
                    "use the operator that is there, or remove it from its namespace first"));
        for (const ConstraintRef& ref : resolution.core) {
            const Constraint& c = resolution.problem.variables[ref.variable].constraints[ref.index];
            if (c.property && c.ids.empty() && c.property->type == property_type::gvk_required &&
                owns_api(csv, c.property->value))
                findings.push_back(
                    warning("classic-copied-csv", csv.where(),
                            fmt::format("{} provides what is missing, but it is a copy of the operator in "
                                        "namespace {}: the resolver does not look at copies",
                                        csv.name, home),
                            "install the two operators into the same namespace"));
        }
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

Diagnostics check_surroundings(const Request& request, const Resolution& resolution, const Plan& plan) {
    Diagnostics findings;
    if (resolution.subscriptions.empty())
        findings.push_back(
            finding(Severity::note, "classic-no-subscription", {},
                    fmt::format("namespace {} has no Subscription: OLM does not resolve it, whatever is "
                                "told here",
                                request.ns),
                    "check the namespace, or add a Subscription with --subscribe"));
    check_operator_groups(request, plan, findings);
    check_conditions(request, plan, findings);
    check_catalogs(request, resolution, findings);
    check_approval(resolution, plan, findings);
    check_pending(request, resolution, findings);
    check_fail_forward(request, resolution, findings);
    check_copies(request, resolution, plan, findings);
    check_crds(request, plan, findings);
    check_constraint_sizes(resolution, findings);
    if (resolution.gave_up)
        findings.push_back(
            warning("classic-expression-cost", {},
                    "evaluating the expressions of constraints was given up: it costs too much",
                    "what was not evaluated counts as not met; OLM itself has no such limit"));
    return findings;
}

} // namespace

Prediction predict(const Request& request) {
    Prediction prediction;
    prediction.resolution = resolve(request);
    prediction.plan = plan_of(request, prediction.resolution);
    prediction.findings = check_surroundings(request, prediction.resolution, prediction.plan);
    // OLM solves nothing in a namespace that it cannot make a plan for.
    if (!prediction.error().empty()) prediction.resolution.operators.clear();
    return prediction;
}

} // namespace opcat::classic
