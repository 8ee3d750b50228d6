// The blobs of a catalog whatever they are, also those that could not be loaded.
#pragma once

#include "opcat/catalog/load.hpp"

namespace opcat {

// Calls `take` with the file and the name of the package of each.
template <class Take>
void for_each_blob(const LoadedCatalog& loaded, Take take) {
    const Catalog& catalog = loaded.catalog;
    for (const Package& package : catalog.packages) take(package.file, package.name);
    for (const Channel& channel : catalog.channels) take(channel.file, channel.package);
    for (const Bundle& bundle : catalog.bundles) take(bundle.file, bundle.package);
    for (const Deprecations& deprecations : catalog.deprecations)
        take(deprecations.file, deprecations.package);
    for (const OtherBlob& other : catalog.others) take(other.file, other.package);
    for (const Blob& blob : loaded.refused) take(blob.file, blob.package.empty() ? blob.name : blob.package);
}

} // namespace opcat
