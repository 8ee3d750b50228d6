// Catalogs written anew: files in the normalised form, and bundles with olm.csv.metadata.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/load.hpp"

#include <string>

namespace opcat {

struct NormalisedFile {
    std::string text;
    bool changed = false; // whether it is another text than the file's
    LoadedCatalog loaded; // what the diagnostics refer to; the catalog is of no use
};

// What `opm render` would write for this file alone, in the notation of its first document. That drops
// comments and fields that opm does not know: each is an error, as is what does not load and a blob that opm
// would drop, unless `drop_comments` allows it for comments. Throws Error for what cannot be written (see
// write.hpp), or would read back as something else.
NormalisedFile normalise_file(std::unique_ptr<SourceFile> file, bool drop_comments, ThreadPool& pool);

// The migration that opm calls "bundle-object-to-csv-metadata": of every bundle with an image and without
// olm.csv.metadata, takes what catalog users need from the ClusterServiceVersion among its olm.bundle.object
// properties, as one olm.csv.metadata property, and drops those objects. Of bundles that have
// olm.csv.metadata it only drops fields there that opm does not know.
//
// What does not decode is an error of rule "csv-metadata"; then the catalog is as good as lost, as for opm.
Diagnostics migrate_to_csv_metadata(Catalog& catalog, ThreadPool& pool);

} // namespace opcat
