#include "opcat/resolve/classic/resolve.hpp"

#include "opcat/resolve/classic/reasoning.hpp"

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

std::vector<std::shared_ptr<const Snapshot>> catalogs_of(const Request& request) {
    std::vector<std::shared_ptr<const Snapshot>> catalogs;
    const bool global = sees_global_catalogs(request);
    for (const CatalogSource& source : request.cluster->catalog_sources)
        if (source.ns == request.ns || (global && source.ns == request.global_ns))
            catalogs.push_back(snapshot_of(source, request));
    return catalogs;
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

void collect_operators(Reasoning& reasoning, Resolution& resolution) {
    std::vector<std::string> errors;
    for (const VariableId id : reasoning.solution.chosen) {
        const Variable& variable = reasoning.problem.variables[id];
        if (!variable.entry || variable.entry->is_existing()) continue;
        if (std::string error = lookup_error(variable); !error.empty()) {
            errors.push_back(error);
            reasoning.mistakes.push_back({std::move(error), variable.entry});
            continue;
        }
        resolution.operators.push_back(
            {variable.entry,
             std::string(variable.replaces ? variable.replaces->name : variable.entry->replaces)});
    }
    if (!errors.empty()) {
        resolution.operators.clear();
        resolution.error = aggregate(errors);
    }
    std::stable_sort(resolution.operators.begin(), resolution.operators.end(),
                     [](const auto& a, const auto& b) { return a.entry->name < b.entry->name; });
}

void collect_conflicts(Reasoning& reasoning, Resolution& resolution) {
    reasoning.core = minimal_core(reasoning.problem);
    for (const ConstraintRef& ref : reasoning.core)
        resolution.conflicts.push_back(reasoning.problem.text_of(
            ref.variable, reasoning.problem.variables[ref.variable].constraints[ref.index]));
    std::sort(resolution.conflicts.begin(), resolution.conflicts.end());
    resolution.error = "constraints not satisfiable: ";
    for (size_t i = 0; i < resolution.conflicts.size(); ++i)
        resolution.error += (i > 0 ? ", " : "") + resolution.conflicts[i];
}

} // namespace

std::string unreachable_catalog(std::string_view address) {
    return fmt::format(
        "failed to list bundles: rpc error: code = Unavailable desc = connection error: desc = "
        "\"transport: Error while dialing: dial tcp {}: connect: connection refused\"",
        address);
}

AvailableCatalog served_catalog(const CatalogKey& key, const Source& source, const Diagnostics& errors) {
    // The port that a registry would listen on.
    if (!errors.empty()) return {key, nullptr, unreachable_catalog("127.0.0.1:50051")};
    return {key, catalog_snapshot(key, source.catalog(), source.owner()), {}};
}

Resolution resolve(const Request& request) {
    Resolution resolution;
    resolution.existing = existing_snapshot(request.ns, *request.cluster);
    const auto reasoning =
        std::make_shared<Reasoning>(Reasoning{.finder = {resolution.existing, catalogs_of(request)}});
    resolution.reasoning = reasoning;
    resolution.subscriptions = subscriptions_of(request);
    BuiltProblem built = build_problem(reasoning->finder, resolution.subscriptions);
    resolution.gave_up = reasoning->finder.tester().gave_up();
    reasoning->problem = std::move(built.problem);
    if (!built.mistakes.empty()) {
        reasoning->mistakes = std::move(built.mistakes);
        std::vector<std::string> messages;
        for (const Mistake& mistake : reasoning->mistakes) messages.push_back(mistake.text);
        resolution.error = aggregate(messages);
        return resolution;
    }
    reasoning->solution = solve(reasoning->problem);
    if (reasoning->solution.satisfiable)
        collect_operators(*reasoning, resolution);
    else
        collect_conflicts(*reasoning, resolution);
    return resolution;
}

} // namespace opcat::classic
