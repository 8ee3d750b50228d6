#include "opcat/resolve/v1/upgrade_path.hpp"

#include "opcat/base/work.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/resolve/v1/explanation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::olmv1 {
namespace {

// Each bundle once, lowest version first.
std::vector<InstalledBundle> bundles_to_install(const Request& request,
                                                std::span<const NamedCatalog> catalogs) {
    const auto query = Query::compile(request);
    std::vector<const PackageBundle*> bundles;
    for (const NamedCatalog& catalog : catalogs) {
        if (!query || catalog.unavailable || !query->selector().matches(all_labels(catalog))) continue;
        if (const PackageGraph* package = catalog.index->find(request.package))
            for (const PackageBundle& bundle : package->bundles)
                if (bundle.version(request.release_support)) bundles.push_back(&bundle);
    }
    std::stable_sort(bundles.begin(), bundles.end(), [&](const PackageBundle* a, const PackageBundle* b) {
        return *a->version(request.release_support) < *b->version(request.release_support);
    });
    std::vector<InstalledBundle> installed;
    std::set<InstalledBundle> seen;
    for (const PackageBundle* bundle : bundles) {
        InstalledBundle one = as_installed(*bundle, request.release_support);
        if (seen.insert(one).second) installed.push_back(std::move(one));
    }
    return installed;
}

// Why what stays goes no further; empty if there is nothing newer to go to.
std::string why_it_stays(const Request& request, std::span<const NamedCatalog> catalogs,
                         const Choice& choice) {
    Request free = request;
    free.policy = Policy::self_certified;
    const Resolution best = resolve(free, catalogs);
    if (!best.choice) return {};
    const BundleVersion& newest = best.choice->bundle->version(request.release_support);
    const BundleVersion& current = choice.bundle->version(request.release_support);
    if (!newest || !current || !(*newest > *current)) return {};
    return fmt::format("no edge leads to {}", best.choice->version);
}

std::string edge_to(const Request& request, const Choice& choice) {
    const auto query = Query::compile(request);
    return query ? describe_edge(*query, choice) : std::string();
}

UpgradeOutcome outcome_of(const Request& request, std::span<const NamedCatalog> catalogs) {
    UpgradeOutcome outcome;
    outcome.installed = *request.installed;
    const Resolution resolution = resolve(request, catalogs);
    if (!resolution.choice) {
        outcome.kind = UpgradeOutcome::Kind::stuck;
        outcome.why = resolution.error;
        return outcome;
    }
    outcome.why = failed_choice(request, *resolution.choice);
    if (!outcome.why.empty()) {
        outcome.kind = UpgradeOutcome::Kind::stuck;
        return outcome;
    }
    outcome.choice = resolution.choice;
    if (as_installed(*outcome.choice->bundle, request.release_support) == outcome.installed) {
        outcome.why = why_it_stays(request, catalogs, *outcome.choice);
        return outcome;
    }
    outcome.kind = UpgradeOutcome::Kind::moves;
    outcome.why = edge_to(request, *outcome.choice);
    return outcome;
}

} // namespace

InstalledBundle as_installed(const PackageBundle& bundle, bool release_support) {
    InstalledBundle installed{std::string(bundle.name()), {}, std::nullopt};
    const BundleVersion& version = bundle.version(release_support);
    if (!version) return installed;
    installed.version = shown(*version, release_support);
    if (release_support && version->release) installed.release = version->release->to_string();
    return installed;
}

bool can_be_installed(const PackageBundle& bundle, const std::optional<Installer>& installer) {
    if (bundle.refused_by_v1) return false;
    if (!installer) return true;
    const InstallVerdict verdict = judge_install(install_facts(*bundle.bundle), *installer);
    return verdict.refusal.empty() || verdict.needs_watch_namespace;
}

std::vector<const PackageBundle*> shortest_path(const Request& request, const PackageGraph& package,
                                                const BundleTest& is_goal) {
    Request step;
    step.package = request.package;
    step.channels = request.channels;
    step.release_support = request.release_support;
    std::map<const PackageBundle*, bool> judged; // each once
    const auto is_installable = [&](const PackageBundle& bundle) {
        const auto [known, is_new] = judged.try_emplace(&bundle, false);
        if (is_new) known->second = can_be_installed(bundle, request.installer);
        return known->second;
    };
    // Bundles go by their place; after them is what is installed, which need not be one of them.
    const std::vector<PackageBundle>& bundles = package.bundles;
    const auto start = static_cast<uint32_t>(bundles.size());
    const auto expand = [&](uint32_t from, auto reach) {
        step.installed =
            from == start ? request.installed : as_installed(bundles[from], request.release_support);
        const auto query = Query::compile(step);
        if (!query || !query->installed_error().empty()) return;
        for (uint32_t to = 0; to < bundles.size(); ++to) {
            const V1Edge::Step edge = query->edge_to(package, bundles[to]).step;
            if (edge == V1Edge::Step::none || edge == V1Edge::Step::crash) continue;
            if (!is_installable(bundles[to])) continue;
            // With the channels pinned, there is no path through a bundle outside them.
            if (query->in_channels(package, bundles[to])) reach(to);
        }
    };
    uint32_t goal = unreached;
    const auto find_goal = [&](std::vector<uint32_t>& level) {
        std::stable_sort(level.begin(), level.end(), [&](uint32_t a, uint32_t b) {
            return has_higher_version(bundles[a], bundles[b], request.release_support);
        });
        const auto found =
            std::find_if(level.begin(), level.end(), [&](uint32_t place) { return is_goal(bundles[place]); });
        if (found != level.end()) goal = *found;
        return goal == unreached;
    };
    const Reached reached = search_breadth_first(start + 1, start, expand, find_goal);
    std::vector<const PackageBundle*> path;
    for (uint32_t place = goal; place != unreached && place != start; place = reached.from[place])
        path.push_back(&bundles[place]);
    std::reverse(path.begin(), path.end());
    return path;
}

UpgradePath follow_upgrades(const Request& request, std::span<const NamedCatalog> catalogs) {
    using State = std::optional<InstalledBundle>;
    UpgradePath path;
    Request current = request;
    const bool circles = walk_ends_in_circle(request.installed, [&](const State&) -> std::optional<State> {
        const Resolution resolution = resolve(current, catalogs);
        if (!resolution.choice) {
            path.end = UpgradePath::End::fails;
            path.error = resolution.error;
            return std::nullopt;
        }
        path.error = failed_choice(request, *resolution.choice);
        if (!path.error.empty()) {
            path.end = UpgradePath::End::fails;
            return std::nullopt;
        }
        State next = as_installed(*resolution.choice->bundle, request.release_support);
        if (next == current.installed) return std::nullopt;
        path.steps.push_back({*resolution.choice, edge_to(current, *resolution.choice)});
        current.installed = next;
        return next;
    });
    if (circles) path.end = UpgradePath::End::circles;
    return path;
}

std::vector<UpgradeOutcome> upgrade_outcomes(const Request& request, std::span<const NamedCatalog> catalogs,
                                             ThreadPool& pool, const std::vector<UpgradeOutcome>& before) {
    std::vector<InstalledBundle> installed = bundles_to_install(request, catalogs);
    const size_t there = installed.size();
    const std::set<InstalledBundle> known(installed.begin(), installed.end());
    for (const UpgradeOutcome& outcome : before)
        if (!known.contains(outcome.installed)) installed.push_back(outcome.installed);
    uint64_t bundles = 0;
    for (const NamedCatalog& catalog : catalogs)
        if (const PackageGraph* package =
                catalog.unavailable ? nullptr : catalog.index->find(request.package))
            bundles += package->bundles.size() + package->node_entries.size();
    Work().take_or_throw(
        installed.size() * bundles * 10,
        fmt::format("resolving package {} for each of its {} versions", request.package, installed.size()),
        "resolve it for one version with --installed");
    std::vector<UpgradeOutcome> found(installed.size());
    pool.for_each(installed.size(), [&](size_t i) {
        Request one = request;
        one.installed = installed[i];
        found[i] = outcome_of(one, catalogs);
        found[i].is_gone = i >= there;
    });
    return found;
}

bool OutcomeChange::is_worse() const {
    if (!before) return false;
    const auto rank = [](const UpgradeOutcome& outcome) {
        return outcome.kind == UpgradeOutcome::Kind::moves   ? 2
               : outcome.kind == UpgradeOutcome::Kind::stays ? 1
                                                             : 0;
    };
    return rank(*after) < rank(*before);
}

std::vector<OutcomeChange> compare(const std::vector<UpgradeOutcome>& before,
                                   const std::vector<UpgradeOutcome>& after) {
    std::map<InstalledBundle, const UpgradeOutcome*> old;
    for (const UpgradeOutcome& outcome : before) old[outcome.installed] = &outcome;
    std::vector<OutcomeChange> changes;
    for (const UpgradeOutcome& outcome : after) {
        const auto found = old.find(outcome.installed);
        if (found == old.end()) {
            changes.push_back({OutcomeChange::Kind::added, nullptr, &outcome});
            continue;
        }
        const UpgradeOutcome& was = *found->second;
        const bool same = was.kind == outcome.kind && was.choice.has_value() == outcome.choice.has_value() &&
                          (!outcome.choice || (was.choice->bundle->name() == outcome.choice->bundle->name() &&
                                               was.choice->version == outcome.choice->version));
        changes.push_back({outcome.is_gone ? OutcomeChange::Kind::removed
                           : same          ? OutcomeChange::Kind::same
                                           : OutcomeChange::Kind::changed,
                           &was, &outcome});
    }
    return changes;
}

} // namespace opcat::olmv1
