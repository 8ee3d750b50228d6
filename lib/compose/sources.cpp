#include "compose/sources.hpp"

#include "catalog/finding.hpp"
#include "catalog/package_index.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat {
namespace {

// Where a source first says something about a package.
Location first_place(const PackageIndex& package) {
    if (!package.packages.empty()) return package.packages.front()->start();
    if (!package.channels.empty()) return package.channels.front()->start();
    if (!package.bundles.empty()) return package.bundles.front()->start();
    return package.deprecations.empty() ? Location{} : package.deprecations.front()->start();
}

std::string describe(const ComposeReference& reference) {
    return fmt::format("{} ({})", reference.name.text, reference.image.text);
}

} // namespace

Diagnostics check_sources(std::span<const ComposeSource> sources, const SourceFile& config) {
    struct Origin {
        const ComposeReference* reference;
        Location where;
    };
    std::map<std::string_view, std::vector<Origin>> origins;
    for (const ComposeSource& source : sources)
        for (const PackageIndex& package : index_packages(*source.catalog))
            if (!package.name.empty())
                origins[package.name].push_back({source.reference, first_place(package)});

    Diagnostics diagnostics;
    for (const auto& [package, all] : origins) {
        if (all.size() < 2) continue;
        std::string names;
        for (size_t i = 0; i < all.size(); ++i)
            names += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + describe(*all[i].reference);
        Diagnostic d = error("compose", {&config, all.back().reference->name.offset, 1},
                             fmt::format("package \"{}\" comes from {}", package, names),
                             "leave one of the references out, or filter its catalog");
        for (const Origin& origin : all)
            d.notes.push_back({fmt::format("in {} it stands", origin.reference->name.text), origin.where});
        diagnostics.push_back(std::move(d));
    }
    sort_by_place(diagnostics);
    return diagnostics;
}

} // namespace opcat
