// One bundle of a legacy index.
#pragma once

#include "base/diagnostic.hpp"
#include "catalog/catalog.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::legacy {

struct TypedText {
    std::string type;
    std::string json;
};

struct BundleRow {
    std::string name, image, version, skip_range;
    std::string objects; // manifests as JSON, one after the other; empty if the image has them
    std::vector<TypedText> properties, dependencies;
    std::set<std::string> images;
    std::set<std::string> packages; // in whose channels it is
};

struct Objects {
    std::vector<std::string_view> texts;
    std::optional<Value> csv; // the first ClusterServiceVersion
    std::string problem;      // why there are no more of them
};

// The manifests; what they refer to goes into the storage.
Objects read_objects(const BundleRow& row, CatalogStorage& storage);

// Those of the ClusterServiceVersion, then those that only the database knows, which have no name.
std::vector<RelatedImage> related_images(const BundleRow& row, const Objects& objects, Arena& arena);

// In the order of their types and values, each once.
std::vector<Property> properties_of(const BundleRow& row, const std::string& package, const Objects& objects,
                                    CatalogStorage& storage, Diagnostics& problems);

} // namespace opcat::legacy
