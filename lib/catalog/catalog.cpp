#include "opcat/catalog/catalog.hpp"

#include <algorithm>
#include <iterator>

namespace opcat {

Location Blob::at(const Text& text) const {
    if (!file) return at(text.offset);
    const std::string_view rest = file->bytes().substr(std::min<size_t>(text.offset, file->bytes().size()));
    const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
    const bool as_it_is = !text.empty() && rest.substr(quoted ? 1 : 0).starts_with(text.text);
    if (!as_it_is) return {file, text.offset, 1};
    return {file, text.offset + (quoted ? 1 : 0), static_cast<uint32_t>(text.text.size())};
}

bool is_empty(const Catalog& catalog) {
    return catalog.packages.empty() && catalog.channels.empty() && catalog.bundles.empty() &&
           catalog.deprecations.empty() && catalog.others.empty();
}

void append(Catalog& into, Catalog&& from) {
    const auto move_all = [](auto& to, auto& items) {
        if (to.empty())
            to = std::move(items);
        else
            to.insert(to.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    };
    move_all(into.packages, from.packages);
    move_all(into.channels, from.channels);
    move_all(into.bundles, from.bundles);
    move_all(into.deprecations, from.deprecations);
    move_all(into.others, from.others);
    move_all(into.storage, from.storage);
}

void PackageIndex::add(const Channel& blob) {
    channels.push_back(&blob);
    channel_by_name.try_emplace(blob.name, &blob);
}

void PackageIndex::add(const Bundle& blob) {
    bundles.push_back(&blob);
    bundle_by_name.try_emplace(blob.name, &blob);
}

std::vector<PackageIndex> index_packages(const Catalog& catalog) {
    std::vector<PackageIndex> packages;
    std::unordered_map<std::string_view, size_t> positions;
    add_to_index(catalog, [&](std::string_view name) {
        const auto [found, is_new] = positions.try_emplace(name, packages.size());
        if (is_new) packages.emplace_back().name = name;
        return &packages[found->second];
    });
    return packages;
}

} // namespace opcat
