#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "support/text.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat {
namespace {

constexpr std::string_view known_schemas[] = {schema::package, schema::channel, schema::bundle,
                                              schema::deprecations};

// Those that OLM or opm makes something of, in catalogs of today or of old.
constexpr std::string_view known_types[] = {property_type::package,
                                            property_type::package_required,
                                            property_type::gvk,
                                            property_type::gvk_required,
                                            property_type::constraint,
                                            property_type::channel,
                                            property_type::bundle_object,
                                            property_type::csv_metadata,
                                            property_type::max_openshift_version,
                                            property_type::label,
                                            property_type::label_required,
                                            property_type::deprecated,
                                            "olm.skips",
                                            "olm.skipRange",
                                            "olm.substitutesFor"};

// Of a name that is used many times the first place is enough.
struct Misspelling {
    std::string_view meant;
    Location where;
    size_t count = 0;
};
using Misspellings = std::map<std::string_view, Misspelling>; // by what was written

void add(Misspellings& found, std::string_view written, std::span<const std::string_view> known,
         const Location& where) {
    const auto [place, is_new] = found.try_emplace(written);
    Misspelling& misspelling = place->second;
    if (is_new) misspelling = {misspelt(written, known), where, 0};
    ++misspelling.count;
}

void report(const Misspellings& found, std::string_view rule, std::string_view what, std::string_view things,
            Diagnostics& out) {
    for (const auto& [written, misspelling] : found) {
        if (misspelling.meant.empty()) continue;
        const std::string more = misspelling.count > 1
                                     ? fmt::format(" ({} {} have it)", misspelling.count, things)
                                     : std::string();
        out.push_back(warning(rule, misspelling.where,
                              fmt::format("the {} \"{}\" has no meaning to OLM{}", what, written, more),
                              fmt::format("did you mean {}?", misspelling.meant)));
    }
}

} // namespace

void check_schema_names(const Catalog& catalog, Diagnostics& out) {
    Misspellings found;
    for (const OtherBlob& blob : catalog.others) add(found, blob.schema, known_schemas, blob.at(blob.schema));
    report(found, "unknown-schema", "schema", "blobs", out);
}

void check_property_types(const PackageIndex& package, Diagnostics& out) {
    Misspellings found;
    const auto check = [&](const auto& blobs) {
        for (const auto* blob : blobs)
            for (const Property& property : blob->properties)
                if (!property.type.empty()) add(found, property.type, known_types, blob->at(property.type));
    };
    check(package.packages);
    check(package.channels);
    check(package.bundles);
    report(found, "unknown-property-type", "property type", "properties of the package", out);
}

} // namespace opcat
