#include "opcat/resolve/classic/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::classic {
namespace {

bool sees_global_catalogs(const Request& request) {
    for (const OperatorGroup& group : request.cluster->operator_groups)
        if (group.ns == request.ns &&
            group.annotation("olm.operatorframework.io/exclude-global-namespace-resolution") == "true")
            return false;
    return true;
}

// Of a CatalogSource: its catalog with its priority, or an empty one with OLM's error.
std::shared_ptr<const Snapshot> snapshot_of(const CatalogSource& source, const Request& request) {
    const CatalogKey key{source.ns, source.name};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->key = key;
    snapshot->priority = source.priority;
    snapshot->error = fmt::format("no registry client established for catalogsource {}", key.to_string());
    for (const AvailableCatalog& available : request.catalogs) {
        if (available.key != key) continue;
        snapshot->error = available.error;
        if (!available.snapshot) return snapshot;
        if (available.snapshot->priority == source.priority) return available.snapshot;
        *snapshot = *available.snapshot;
        snapshot->priority = source.priority;
        for (Entry& entry : snapshot->entries) entry.snapshot = snapshot.get();
    }
    return snapshot;
}

std::shared_ptr<Finder> finder_for(const Request& request) {
    std::vector<std::shared_ptr<const Snapshot>> catalogs;
    const bool global = sees_global_catalogs(request);
    for (const CatalogSource& source : request.cluster->catalog_sources)
        if (source.ns == request.ns || (global && source.ns == request.global_ns))
            catalogs.push_back(snapshot_of(source, request));
    return std::make_shared<Finder>(existing_snapshot(request.ns, *request.cluster), std::move(catalogs));
}

std::vector<const Subscription*> subscriptions_of(const Request& request) {
    std::vector<const Subscription*> subscriptions;
    for (const Subscription& subscription : request.cluster->subscriptions)
        if (subscription.ns == request.ns) subscriptions.push_back(&subscription);
    std::stable_sort(subscriptions.begin(), subscriptions.end(),
                     [](const Subscription* a, const Subscription* b) { return a->name < b->name; });
    return subscriptions;
}

// OLM finds what was chosen by its identifier.
std::string lookup_error(const Variable& variable) {
    if (!variable.has_readable_id())
        return fmt::format(
            "error determining origin of operator: unable to parse identifier {} for source info",
            variable.id);
    const Entry& entry = *variable.entry;
    const size_t count = Finder::named(*entry.snapshot, entry.name, entry.channel).size();
    return count == 1 ? std::string() : fmt::format("expected exactly one operator, got {}", count);
}

void collect_operators(Resolution& resolution) {
    std::vector<std::string> errors;
    for (const VariableId id : resolution.solution.chosen) {
        const Variable& variable = resolution.problem.variables[id];
        if (!variable.entry || variable.entry->is_existing()) continue;
        if (std::string error = lookup_error(variable); !error.empty()) {
            errors.push_back(error);
            resolution.mistakes.push_back({std::move(error), variable.entry});
            continue;
        }
        resolution.operators.push_back(
            {variable.entry,
             std::string(variable.replaces ? variable.replaces->name : variable.entry->replaces), id});
    }
    if (!errors.empty()) {
        resolution.operators.clear();
        resolution.error = aggregate(errors);
    }
    std::stable_sort(resolution.operators.begin(), resolution.operators.end(),
                     [](const auto& a, const auto& b) { return a.entry->name < b.entry->name; });
}

void collect_conflicts(Resolution& resolution) {
    resolution.core = minimal_core(resolution.problem);
    for (const ConstraintRef& ref : resolution.core)
        resolution.conflicts.push_back(resolution.problem.text_of(
            ref.variable, resolution.problem.variables[ref.variable].constraints[ref.index]));
    std::sort(resolution.conflicts.begin(), resolution.conflicts.end());
    resolution.error = "constraints not satisfiable: ";
    for (size_t i = 0; i < resolution.conflicts.size(); ++i)
        resolution.error += (i > 0 ? ", " : "") + resolution.conflicts[i];
}

} // namespace

Resolution resolve(const Request& request) {
    Resolution resolution;
    resolution.finder = finder_for(request);
    resolution.subscriptions = subscriptions_of(request);
    BuiltProblem built = build_problem(*resolution.finder, resolution.subscriptions);
    resolution.gave_up = resolution.finder->tester().gave_up();
    resolution.problem = std::move(built.problem);
    if (!built.mistakes.empty()) {
        resolution.mistakes = std::move(built.mistakes);
        std::vector<std::string> messages;
        for (const Mistake& mistake : resolution.mistakes) messages.push_back(mistake.text);
        resolution.error = aggregate(messages);
        return resolution;
    }
    resolution.solution = solve(resolution.problem);
    if (resolution.solution.satisfiable)
        collect_operators(resolution);
    else
        collect_conflicts(resolution);
    return resolution;
}

} // namespace opcat::classic
