#include "opcat/planning/bundle_facts.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace opcat::planning {

struct BundleFacts::Table {
    std::mutex mutex;
    Arena memory;
    std::unordered_map<const Bundle*, Known> known;
    std::map<std::tuple<const PackageGraph*, const Bundle*, size_t>, bool> of_packages;
    classic::Tester tester;
};

BundleFacts::BundleFacts() : table_(std::make_unique<Table>()) {}
BundleFacts::~BundleFacts() = default;

const BundleFacts::Known& BundleFacts::of(const Bundle& bundle) {
    const std::lock_guard lock(table_->mutex);
    const auto [found, is_new] = table_->known.try_emplace(&bundle);
    Known& known = found->second;
    if (!is_new) return known;
    known.entry.name = bundle.name;
    known.entry.package = bundle.package;
    known.entry.bundle = &bundle;
    known.entry.facts = classic::facts_of(bundle, table_->memory);
    if (const BundleVersion version = version_of(bundle, false)) known.entry.version = version->version;
    auto requirements = classic::requirements_of(*known.entry.facts);
    if (requirements)
        known.requirements = *std::move(requirements);
    else
        known.problem = requirements.error().message;
    return known;
}

bool BundleFacts::fulfils(const Bundle& bundle, const Demand& demand) {
    const Known& by = of(*demand.by);
    const Known& candidate = of(bundle);
    const std::lock_guard lock(table_->mutex);
    return table_->tester.holds(by.requirements[demand.requirement].predicate, candidate.entry);
}

bool BundleFacts::fulfils(const PackageGraph& package, const Demand& demand) {
    const std::tuple key(&package, demand.by, demand.requirement);
    {
        const std::lock_guard lock(table_->mutex);
        if (const auto known = table_->of_packages.find(key); known != table_->of_packages.end())
            return known->second;
    }
    const bool does = std::any_of(package.bundles.begin(), package.bundles.end(),
                                  [&](const PackageBundle& one) { return fulfils(*one.bundle, demand); });
    const std::lock_guard lock(table_->mutex);
    table_->of_packages.emplace(key, does);
    return does;
}

} // namespace opcat::planning
