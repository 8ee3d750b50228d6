// A catalog that was opened, and what owns everything in it.
#pragma once

#include "opcat/catalog/load.hpp"

#include <memory>
#include <string>
#include <vector>

namespace opcat {

// Immutable and shared: a copy costs a pointer, may be used by any thread, and keeps alive what blobs,
// findings and graphs of the catalog refer to.
class Source {
public:
    // `name`: what messages call the catalog, such as the reference that it was opened from.
    Source(std::string name, LoadedCatalog loaded);

    const std::string& name() const;
    const LoadedCatalog& loaded() const;
    const Catalog& catalog() const { return loaded().catalog; }
    // index_packages(catalog()), made when it is first asked for.
    const std::vector<PackageIndex>& packages() const;

    // Returns the object that keeps all of the source alive, whatever its kind.
    std::shared_ptr<const void> owner() const;

    // For programs that change blobs: the catalog itself if this is the last copy, else a copy of it. Its
    // storage keeps the files.
    LoadedCatalog take() &&;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace opcat
