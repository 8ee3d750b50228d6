#include "resolve/v1/all_installed.hpp"

#include "resolve/v1/explanation.hpp"
#include "resolve/v1/upgrade_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace opcat::olmv1 {
namespace {

using Key = std::tuple<std::string, std::string, std::optional<std::string>>;

Key key_of(const InstalledBundle& installed) {
    return {installed.name, installed.version, installed.release};
}

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
    std::set<Key> seen;
    for (const PackageBundle* bundle : bundles) {
        InstalledBundle one = as_installed(*bundle, request.release_support);
        if (seen.insert(key_of(one)).second) installed.push_back(std::move(one));
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

Fate fate_of(const Request& request, std::span<const NamedCatalog> catalogs) {
    Fate fate;
    fate.installed = *request.installed;
    const Resolution resolution = resolve(request, catalogs);
    if (!resolution.choice) {
        fate.kind = Fate::Kind::stuck;
        fate.why = resolution.error;
        return fate;
    }
    fate.choice = resolution.choice;
    const InstalledBundle next = as_installed(*fate.choice->bundle, request.release_support);
    if (key_of(next) == key_of(fate.installed)) {
        fate.why = why_it_stays(request, catalogs, *fate.choice);
        return fate;
    }
    fate.kind = Fate::Kind::moves;
    if (const auto query = Query::compile(request)) fate.why = describe_edge(*query, *fate.choice);
    return fate;
}

} // namespace

std::vector<Fate> fates(const Request& request, std::span<const NamedCatalog> catalogs, ThreadPool& pool) {
    const std::vector<InstalledBundle> installed = bundles_to_install(request, catalogs);
    std::vector<Fate> found(installed.size());
    pool.for_each(installed.size(), [&](size_t i) {
        Request one = request;
        one.installed = installed[i];
        found[i] = fate_of(one, catalogs);
    });
    return found;
}

bool FateChange::is_worse() const {
    if (!before || !after) return false;
    const auto rank = [](const Fate& fate) {
        return fate.kind == Fate::Kind::moves ? 2 : fate.kind == Fate::Kind::stays ? 1 : 0;
    };
    return rank(*after) < rank(*before);
}

std::vector<FateChange> compare(const std::vector<Fate>& before, const std::vector<Fate>& after) {
    std::map<Key, const Fate*> old;
    for (const Fate& fate : before) old[key_of(fate.installed)] = &fate;
    std::vector<FateChange> changes;
    for (const Fate& fate : after) {
        const auto found = old.find(key_of(fate.installed));
        if (found == old.end()) {
            changes.push_back({FateChange::Kind::added, nullptr, &fate});
            continue;
        }
        const Fate& was = *found->second;
        const bool same = was.kind == fate.kind && was.choice.has_value() == fate.choice.has_value() &&
                          (!fate.choice || (was.choice->bundle->name() == fate.choice->bundle->name() &&
                                            was.choice->version == fate.choice->version));
        changes.push_back({same ? FateChange::Kind::same : FateChange::Kind::changed, &was, &fate});
        old.erase(found);
    }
    for (const Fate& fate : before)
        if (old.contains(key_of(fate.installed)))
            changes.push_back({FateChange::Kind::removed, &fate, nullptr});
    return changes;
}

} // namespace opcat::olmv1
