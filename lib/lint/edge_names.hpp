// The names in edges: which bundle a wrong one means.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

// The bundles of a package, as what wrong names may mean. The package must outlive the object.
class EdgeNames {
public:
    explicit EdgeNames(const PackageIndex& package) : package_(package) {}

    bool has(std::string_view name) const { return package_.bundle_by_name.contains(name); }

    // The bundle that almost certainly is meant: one of the same version with a similar name ("foo.1.0.0",
    // "1.0.0" and "food.v1.0.0" for foo.v1.0.0), or of a similar name if the version in it is not valid.
    // Empty for a name with a version that the package does not have: it may have been removed from the
    // catalog. O(log n), but for the first few names whose version is not valid.
    std::string_view meant_by(std::string_view name);

private:
    const PackageIndex& package_;
    std::unordered_multimap<std::string_view, std::string_view>
        by_version_; // names; built when it is first needed
    std::vector<std::string_view> names_;
    size_t comparisons_left_ = 20;
};

// An entry without a bundle and a bundle without an entry whose names are alike: one of them is misspelled.
struct MisnamedPair {
    const Bundle* bundle;
    const ChannelEntry* first_entry; // of that name
    bool is_bundle_wrong;            // the version of the bundle, or other bundles, have the entry's name
};
struct Misnamed {
    std::map<std::string_view, MisnamedPair> by_entry;
    std::set<const Bundle*> bundles;
};
// Only in packages that exist. Nothing if there are many: then it is not about single names.
Misnamed find_misnamed(const PackageIndex& package);

// The text from the first number with a point after it: "1.0.0-rc.1" of "foo.v1.0.0-rc.1". Empty: none.
std::string_view version_part(std::string_view name);

} // namespace opcat
