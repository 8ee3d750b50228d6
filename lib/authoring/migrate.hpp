// Bundles with olm.csv.metadata in place of their manifests.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"

namespace opcat {

// The migration that opm calls "bundle-object-to-csv-metadata". For every bundle with an image and without
// olm.csv.metadata, it copies what catalog users need from the ClusterServiceVersion in its olm.bundle.object
// properties to one olm.csv.metadata property, and removes those properties. For bundles that have
// olm.csv.metadata it only removes the fields that opm does not know.
// A property that does not decode is an error of rule "csv-metadata"; the catalog is then not usable, as for
// opm.
Diagnostics migrate_to_csv_metadata(Catalog& catalog, ThreadPool& pool);

} // namespace opcat
