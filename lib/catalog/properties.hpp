// The properties of bundles: whether OLM can read their values, and the package and the manifests in them.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/type.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// The Go type into which OLM decodes values of this property type; nullptr if it does not decode them, or if
// they have a free form.
const go::Type* type_of_value(std::string_view property_type);

// Checks that OLM can read the values of a bundle's properties: adds findings of the rules "property-value"
// and "property-type".
void check_properties(const Bundle& bundle, Diagnostics& out);

// The content of a bundle's olm.package property.
struct PackageProperty {
    Text package;
    Text version;
    Text release; // empty: none
    const Property* property = nullptr;
};

// The first olm.package property whose value is an object. Fields of the wrong type are empty.
std::optional<PackageProperty> package_property(const Bundle& bundle);

// The bytes of the manifest in an olm.bundle.object property, from base64 or a list of numbers, under the key
// "data" in any letter case; nothing for other properties and properties without a manifest.
std::optional<std::string> manifest_in(const Property& property);

// A decoded manifest: JSON, or else the first document of YAML.
struct BundleObject {
    std::string problem; // why it cannot be read; then there is no value
    std::string_view kind;
    Value value;
    bool is_json = false;

    // The text and memory that the value refers to.
    std::shared_ptr<const SourceFile> file;
    std::shared_ptr<Arena> arena;

    go::Route route() const { return is_json ? go::Route::text : go::Route::map; }
    bool is_csv() const { return kind == "ClusterServiceVersion"; }
};

// Nothing for other properties and properties without bytes.
std::optional<BundleObject> bundle_object_in(const Property& property);
// The first ClusterServiceVersion among them.
std::optional<BundleObject> csv_among_objects(const Bundle& bundle);

// Why bytes cannot be a manifest; nothing if they can. opm accepts everything that begins with a brace as
// JSON, and reads it later.
std::optional<std::string> manifest_problem(std::string_view manifest);
bool begins_with_brace(std::string_view manifest);

} // namespace opcat
