// olm.csv.metadata made of a bundle's manifests.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/properties.hpp"

#include <string>

namespace opcat {

// The value of olm.csv.metadata for a ClusterServiceVersion, in the shape in which opm decodes it: what users
// of catalogs need. The error says why the manifest does not decode.
Result<Value, std::string> csv_metadata_of(const BundleObject& csv, Arena& arena);

// Replaces the manifests of a bundle by their olm.csv.metadata in the text of its file, or removes them if it
// has olm.csv.metadata. Nothing for a bundle without an image, without a ClusterServiceVersion that decodes,
// and for properties that are not a list of YAML in block style.
Fix replace_bundle_objects(const Bundle& bundle);

} // namespace opcat
