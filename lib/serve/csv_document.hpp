// The ClusterServiceVersion that opm creates for a bundle without manifests, for clients that need one
// (docs/serving.md).
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <string>

namespace opcat::serve {

// As JSON, byte for byte as opm writes it. `metadata` is the bundle's olm.csv.metadata property, which has
// been checked; `package` is the bundle's.
std::string csv_document(const Bundle& bundle, const Property& metadata, const Package& package);

} // namespace opcat::serve
