// Bundles with olm.csv.metadata in place of their manifests.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"

namespace opcat {

// The migration that opm calls "bundle-object-to-csv-metadata": of every bundle with an image and without
// olm.csv.metadata, takes what catalog users need from the ClusterServiceVersion among its olm.bundle.object
// properties, as one olm.csv.metadata property, and drops those objects. Of bundles that have
// olm.csv.metadata it only drops fields there that opm does not know.
//
// What does not decode is an error of rule "csv-metadata"; then the catalog is as good as lost, as for opm.
Diagnostics migrate_to_csv_metadata(Catalog& catalog, ThreadPool& pool);

} // namespace opcat
