#include "opcat/compose/replace.hpp"

#include "opcat/base/error.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>

namespace opcat {
namespace {

std::string_view package_of(const Package& package) {
    return package.name;
}
std::string_view package_of(const Blob& blob) {
    return blob.package;
}

template <class Visit>
void for_each_list(Catalog& catalog, const Visit& visit) {
    visit(catalog.packages);
    visit(catalog.channels);
    visit(catalog.bundles);
    visit(catalog.deprecations);
    visit(catalog.others);
}

} // namespace

std::vector<ReplacedPackage> replace_packages(Catalog& index, Catalog fragment) {
    std::map<std::string, ReplacedPackage, std::less<>> packages;
    for_each_list(fragment, [&](const auto& blobs) {
        for (const auto& blob : blobs) {
            const std::string_view name = package_of(blob);
            if (name.empty())
                throw RequestError("the fragment has a blob that belongs to no package",
                                   fmt::format("remove it: {}", place_of(blob.start())));
            packages[std::string(name)].is_new = true;
        }
    });
    if (packages.empty()) throw RequestError("the fragment has no package");
    for (const Bundle& bundle : fragment.bundles) ++packages.find(bundle.package.text)->second.bundles_after;
    for (const Bundle& bundle : index.bundles)
        if (const auto found = packages.find(bundle.package.text); found != packages.end())
            ++found->second.bundles_before;
    for_each_list(index, [&](auto& blobs) {
        std::erase_if(blobs, [&](const auto& blob) {
            const auto found = packages.find(package_of(blob));
            if (found == packages.end()) return false;
            found->second.is_new = false;
            return true;
        });
    });
    append(index, std::move(fragment));
    std::vector<ReplacedPackage> result;
    for (auto& [name, package] : packages) {
        package.name = name;
        result.push_back(std::move(package));
    }
    return result;
}

} // namespace opcat
