// The installed bundle as users name it (catalog/installed_name.hpp), for OLM v1.
#pragma once

#include "opcat/resolve/v1/request.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

// "NAME[,release=R]" as a bundle of the request's package, which may be missing from the catalogs. If no
// catalog has the package, name and version are accepted unchecked. Throws RequestError as
// read_installed_name.
InstalledBundle read_installed(std::string_view text, const Request& request,
                               std::span<const NamedCatalog> catalogs);

struct InstalledOperator {
    const NamedCatalog* catalog;
    const PackageGraph* package;
    const PackageBundle* bundle;
};

// As a bundle of any package of a catalog: in each catalog that has it, at least one, in their order. Throws
// RequestError as read_installed_name.
std::vector<InstalledOperator> find_operator(std::string_view text, std::span<const NamedCatalog> catalogs);

} // namespace opcat::olmv1
