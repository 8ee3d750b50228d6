// A package's new fragment in place of the old one.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <string>
#include <vector>

namespace opcat {

struct ReplacedPackage {
    std::string name;
    bool is_new = false;       // the index had no such package
    size_t bundles_before = 0; // of it
    size_t bundles_after = 0;
};

// Takes all blobs of the fragment's packages out of the index, and puts those of the fragment in. The
// packages are in the result, by name. Throws RequestError for a fragment without packages, and for one with
// a blob that belongs to no package: the index may have the same one.
std::vector<ReplacedPackage> replace_packages(Catalog& index, Catalog fragment);

} // namespace opcat
