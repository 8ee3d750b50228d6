#include "opcat/filter/assemble.hpp"

#include "opcat/catalog/write.hpp"

#include <algorithm>
#include <set>
#include <span>

namespace opcat {
namespace {

class Assembly {
public:
    Assembly(const Catalog& from, const KeptPackages& kept, const std::shared_ptr<CatalogStorage>& storage)
        : from_(from), kept_(kept), arena_(storage->arenas.front()) {
        result_.storage = from.storage;
        result_.storage.push_back(storage);
    }

    Catalog run() {
        for (const auto& [name, package] : kept_) add(package);
        for (const Bundle& bundle : from_.bundles)
            if (const KeptPackage* const package = find(bundle.package);
                package && package->bundles.contains(&bundle))
                result_.bundles.push_back(bundle);
        for (const OtherBlob& blob : from_.others)
            if (blob.package.empty() || find(blob.package)) result_.others.push_back(blob);
        return std::move(result_);
    }

private:
    const KeptPackage* find(std::string_view name) const {
        const auto at = kept_.find(name);
        return at == kept_.end() ? nullptr : &at->second;
    }

    void add(const KeptPackage& kept) {
        Package package = *kept.package;
        if (package.default_channel != kept.default_channel) {
            package.default_channel = {arena_.copy(kept.default_channel), 0};
            package.value = to_value(package, arena_);
        }
        result_.packages.push_back(package);
        for (const KeptChannel& one : kept.channels) {
            Channel channel = *one.channel;
            if (one.changed) {
                channel.entries = arena_.copy(std::span<const ChannelEntry>(one.entries));
                channel.value = to_value(channel, arena_);
            }
            result_.channels.push_back(channel);
        }
        for (const Deprecations& deprecations : from_.deprecations)
            if (deprecations.package == package.name) add(deprecations, kept);
    }

    void add(Deprecations deprecations, const KeptPackage& kept) {
        std::set<std::string_view> channels;
        for (const KeptChannel& channel : kept.channels) channels.insert(channel.channel->name);
        std::set<std::string_view> bundles;
        for (const Bundle* const bundle : kept.bundles) bundles.insert(bundle->name);
        std::vector<DeprecationEntry> entries;
        for (const DeprecationEntry& entry : deprecations.entries)
            if ((entry.schema != schema::channel || channels.contains(entry.name)) &&
                (entry.schema != schema::bundle || bundles.contains(entry.name)))
                entries.push_back(entry);
        if (entries.empty()) return;
        if (entries.size() != deprecations.entries.size()) {
            deprecations.entries = arena_.copy(std::span<const DeprecationEntry>(entries));
            deprecations.value = to_value(deprecations, arena_);
        }
        result_.deprecations.push_back(deprecations);
    }

    const Catalog& from_;
    const KeptPackages& kept_;
    Arena& arena_;
    Catalog result_;
};

} // namespace

Catalog assemble(const Catalog& from, const KeptPackages& kept,
                 const std::shared_ptr<CatalogStorage>& storage) {
    return Assembly(from, kept, storage).run();
}

} // namespace opcat
