#include "opcat/resolve/classic/subscribe.hpp"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

namespace opcat::classic {
namespace {

auto find_source(std::vector<CatalogSource>& sources, const CatalogKey& key) {
    return std::find_if(sources.begin(), sources.end(), [&](const CatalogSource& source) {
        return source.ns == key.ns && source.name == key.name;
    });
}

// nullptr: no catalog has the package.
const AvailableCatalog* catalog_for(std::string_view package, std::span<const AvailableCatalog> catalogs,
                                    ClusterState& cluster) {
    const auto rank = [&](const CatalogKey& key) {
        const auto source = find_source(cluster.catalog_sources, key);
        assert(source != cluster.catalog_sources.end());
        return std::make_pair(-source->priority, key.name);
    };
    const AvailableCatalog* best = nullptr;
    for (const AvailableCatalog& catalog : catalogs)
        if (catalog.snapshot && catalog.snapshot->by_package.contains(package) &&
            (!best || rank(catalog.key) < rank(best->key)))
            best = &catalog;
    return best;
}

} // namespace

void assume_catalog_source(const CatalogKey& key, std::optional<int64_t> priority, ClusterState& cluster) {
    auto source = find_source(cluster.catalog_sources, key);
    if (source == cluster.catalog_sources.end()) {
        CatalogSource made;
        made.name = key.name;
        made.ns = key.ns;
        source = cluster.catalog_sources.insert(source, std::move(made));
    }
    if (priority) source->priority = *priority;
}

bool assume_subscription(const std::string& ns, const WantedSubscription& wanted,
                         std::span<const AvailableCatalog> catalogs, ClusterState& cluster) {
    for (Subscription& existing : cluster.subscriptions) {
        if (existing.ns != ns || existing.package != wanted.package) continue;
        existing.channel = wanted.channel;
        existing.starting_csv = wanted.starting_csv;
        return true;
    }
    const AvailableCatalog* const catalog = catalog_for(wanted.package, catalogs, cluster);
    if (!catalog) return false;
    Subscription made;
    made.name = wanted.package;
    made.ns = ns;
    made.package = wanted.package;
    made.channel = wanted.channel;
    made.starting_csv = wanted.starting_csv;
    made.source = catalog->key.name;
    made.source_namespace = catalog->key.ns;
    cluster.subscriptions.push_back(std::move(made));
    return true;
}

std::vector<std::string_view> packages_of(std::span<const AvailableCatalog> catalogs) {
    std::vector<std::string_view> names;
    for (const AvailableCatalog& catalog : catalogs)
        if (catalog.snapshot)
            for (const auto& [name, positions] : catalog.snapshot->by_package) names.push_back(name);
    return names;
}

std::vector<std::string_view> channels_of(std::string_view package,
                                          std::span<const AvailableCatalog> catalogs) {
    std::set<std::string_view> channels;
    for (const AvailableCatalog& catalog : catalogs)
        if (catalog.snapshot)
            if (const auto found = catalog.snapshot->by_package.find(package);
                found != catalog.snapshot->by_package.end())
                for (const uint32_t position : found->second)
                    channels.insert(catalog.snapshot->entries[position].channel);
    return {channels.begin(), channels.end()};
}

const Subscription* without_catalog(const std::string& ns, const ClusterState& cluster,
                                    std::span<const AvailableCatalog> catalogs) {
    for (const Subscription& subscription : cluster.subscriptions) {
        const CatalogKey key{subscription.source_namespace, subscription.source};
        if (subscription.ns == ns &&
            std::none_of(catalogs.begin(), catalogs.end(),
                         [&](const AvailableCatalog& catalog) { return catalog.key == key; }))
            return &subscription;
    }
    return nullptr;
}

} // namespace opcat::classic
