#include "resolve/v1/catalog_index.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace opcat::olmv1 {
namespace {

constexpr std::array unsupported_types = {property_type::package_required, property_type::gvk_required,
                                          property_type::constraint};

const Property* first_unsupported(const Bundle& bundle) {
    const auto found =
        std::find_if(bundle.properties.begin(), bundle.properties.end(), [](const Property& p) {
            return std::find(unsupported_types.begin(), unsupported_types.end(), p.type.text) !=
                   unsupported_types.end();
        });
    return found == bundle.properties.end() ? nullptr : &*found;
}

IndexedBundle indexed(const Bundle& bundle) {
    IndexedBundle result{.bundle = &bundle,
                         .unsupported = first_unsupported(bundle),
                         .entries = {},
                         .legacy = version_of(bundle, false),
                         .with_release = std::nullopt};
    if (has_release_field(bundle)) result.with_release = version_of(bundle, true);
    return result;
}

void add_entries(IndexedPackage& package) {
    std::unordered_map<std::string_view, std::vector<IndexedEntry>> by_name;
    for (const Channel* channel : package.channels) {
        for (const ChannelEntry& entry : channel->entries) {
            IndexedEntry indexed_entry{channel, &entry, std::nullopt};
            if (!entry.skip_range.empty())
                if (auto range = semver::BlangRange::parse(entry.skip_range))
                    indexed_entry.skip_range = *std::move(range);
            by_name[entry.name].push_back(std::move(indexed_entry));
        }
    }
    for (IndexedBundle& bundle : package.bundles)
        if (const auto found = by_name.find(bundle.name()); found != by_name.end())
            bundle.entries = found->second;
}

void mark_deprecated(IndexedPackage& package) {
    if (!package.deprecations) return;
    std::unordered_set<std::string_view> deprecated;
    for (const DeprecationEntry& entry : package.deprecations->entries)
        if (entry.schema == schema::bundle) deprecated.insert(entry.name);
    for (IndexedBundle& bundle : package.bundles) bundle.deprecated = deprecated.contains(bundle.name());
}

} // namespace

CatalogIndex::CatalogIndex(Catalog catalog) : catalog_(std::move(catalog)) {
    const auto package = [&](std::string_view name) -> IndexedPackage& {
        IndexedPackage& found = packages_[name];
        found.name = name;
        return found;
    };
    for (const Package& blob : catalog_.packages) package(blob.name);
    for (const OtherBlob& blob : catalog_.others)
        if (!blob.package.empty()) package(blob.package);
    for (const Channel& blob : catalog_.channels) package(blob.package).channels.push_back(&blob);
    for (const Bundle& blob : catalog_.bundles) package(blob.package).bundles.push_back(indexed(blob));
    for (const Deprecations& blob : catalog_.deprecations)
        if (IndexedPackage& found = package(blob.package); !found.deprecations) found.deprecations = &blob;
    for (auto& [name, found] : packages_) {
        add_entries(found);
        mark_deprecated(found);
    }
}

const IndexedPackage* CatalogIndex::find(std::string_view package) const {
    const auto found = packages_.find(package);
    return found == packages_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> CatalogIndex::package_names() const {
    std::vector<std::string_view> names;
    for (const auto& [name, package] : packages_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace opcat::olmv1
