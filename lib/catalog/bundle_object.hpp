// Manifests that a catalog holds in olm.bundle.object properties.
#pragma once

#include "catalog/catalog.hpp"
#include "document/value.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// The bytes of the manifest, from base64 or a list of numbers, under the key "data" in any letter case;
// nothing if the property is another one, or holds none.
std::optional<std::string> manifest_in(const Property& property);

// A manifest, decoded: JSON, or else the first document of YAML.
struct BundleObject {
    std::string problem; // why it cannot be read; then there is no value
    std::string_view kind;
    Value value;
    bool is_json = false;

    // What the value refers to.
    std::shared_ptr<const SourceFile> file;
    std::shared_ptr<Arena> arena;

    bool is_csv() const { return kind == "ClusterServiceVersion"; }
};

// Nothing if the property is another one, or holds no bytes.
std::optional<BundleObject> bundle_object_in(const Property& property);
// The first ClusterServiceVersion among them.
std::optional<BundleObject> csv_among_objects(const Bundle& bundle);

// Why bytes cannot be a manifest; nothing if they can. opm takes whatever begins with a brace for JSON, and
// reads it later.
std::optional<std::string> manifest_problem(std::string_view manifest);
bool begins_with_brace(std::string_view manifest);

} // namespace opcat
