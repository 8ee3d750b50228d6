#include "resolve/v1/catalog_index.hpp"

#include <algorithm>

namespace opcat::olmv1 {

CatalogIndex::CatalogIndex(Catalog catalog) : catalog_(std::move(catalog)) {
    for (PackageIndex& blobs : index_packages(catalog_)) {
        const std::string_view name = blobs.name;
        packages_[name].blobs = std::move(blobs);
    }
    for (const OtherBlob& blob : catalog_.others)
        if (!blob.package.empty()) packages_[blob.package].blobs.name = blob.package;
}

const PackageGraph* CatalogIndex::find(std::string_view package) const {
    const auto found = packages_.find(package);
    if (found == packages_.end()) return nullptr;
    const Package& known = found->second;
    std::call_once(known.built, [&] { known.graph = build_package_graph(known.blobs); });
    return &known.graph;
}

std::vector<std::string_view> CatalogIndex::package_names() const {
    std::vector<std::string_view> names;
    for (const auto& [name, package] : packages_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace opcat::olmv1
