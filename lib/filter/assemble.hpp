// A catalog of what stays of another, and the repairs that what stays needs.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace opcat {

struct KeptChannel {
    const Channel* channel = nullptr;
    std::vector<ChannelEntry> entries;
    bool changed = false; // the entries are not those of the channel
};

struct KeptPackage {
    const Package* package = nullptr;
    std::string default_channel;
    std::vector<KeptChannel> channels;
    std::unordered_set<const Bundle*> bundles;
};

using KeptPackages = std::map<std::string_view, KeptPackage>; // by name

// Blobs of other schemas stay with their packages, those without a package stay; deprecations of kept objects
// are kept. `storage` has an arena, which holds what is made here, and may hold the entries; the result
// shares it and the memory of `from`.
Catalog assemble(const Catalog& from, const KeptPackages& kept,
                 const std::shared_ptr<CatalogStorage>& storage);

// Drops bundles without an entry and entries without a bundle, channels without entries, and a package
// without a blob of its own (it then has no channels); orders channels that have no head, several, or entries
// that nothing leads from to the head: the highest version becomes the head, edges to versions that are not
// lower go, and the head skips what is then left out; replaces a default channel that is not there by the one
// with the highest head. Adds one sentence about it to `repairs`, if anything was to be done. New entries
// are in the arena.
void make_valid(KeptPackage& kept, const PackageIndex& package, Arena& arena,
                std::vector<std::string>& repairs);

} // namespace opcat
