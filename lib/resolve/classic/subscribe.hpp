// What a user adds to a namespace before OLM resolves it: Subscriptions, and the CatalogSources of catalogs.
#pragma once

#include "opcat/resolve/classic/resolve.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

// Makes sure that the cluster has this CatalogSource. A priority replaces the one that it has.
void assume_catalog_source(const CatalogKey& key, std::optional<int64_t> priority, ClusterState& cluster);

struct WantedSubscription {
    std::string package;
    std::string channel;      // empty: the default one
    std::string starting_csv; // empty: none
};

// The Subscription that the namespace has for the package gets the channel and the starting CSV. If it has
// none, it gets one, of the package's name, to the catalog that has the package: the one with the highest
// priority, and of several the first by name. Returns false, and changes nothing, if no catalog has it. All
// CatalogSources of `catalogs` must be in the cluster.
bool assume_subscription(const std::string& ns, const WantedSubscription& wanted,
                         std::span<const AvailableCatalog> catalogs, ClusterState& cluster);

// The packages of all catalogs that are served, in their order; repeated if several have one.
std::vector<std::string_view> packages_of(std::span<const AvailableCatalog> catalogs);

// The channels that the catalogs have of a package, by name.
std::vector<std::string_view> channels_of(std::string_view package,
                                          std::span<const AvailableCatalog> catalogs);

// The first Subscription of the namespace whose catalog is not among these; nullptr: there is none.
const Subscription* without_catalog(const std::string& ns, const ClusterState& cluster,
                                    std::span<const AvailableCatalog> catalogs);

} // namespace opcat::classic
