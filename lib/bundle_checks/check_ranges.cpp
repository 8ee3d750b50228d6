// Ranges and requirements that a catalog with the bundle would have: catalogs check them by the same rules.
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"

#include <utility>
#include <vector>

namespace opcat::bundle_checks {
namespace {

// opm and operator-sdk accept any text.
void check_skip_range_of(const kube::Object& csv, Diagnostics& out) {
    const kube::Fields annotation = csv.at("metadata", "annotations", "olm.skipRange");
    const std::string_view range = annotation.value().string_or_empty();
    if (range.empty()) return;
    auto problem = check_skip_range(range, csv.name, place_of(csv, annotation));
    if (!problem) return;
    problem->severity = Severity::warning;
    out.push_back(*std::move(problem));
}

// Those of metadata/properties.yaml.
void check_properties_of(const Format& format, const kube::Object& csv, Diagnostics& out) {
    if (format.properties.empty()) return;
    std::vector<Property> properties;
    properties.reserve(format.properties.size());
    for (const TypedValue& property : format.properties)
        properties.push_back({.type = {property.type, property.offset},
                              .value = property.json.empty() ? nullptr : &property.value,
                              .offset = property.offset,
                              .json = property.json});
    Bundle bundle;
    bundle.file = format.properties.front().file;
    bundle.name = {csv.name, 0};
    bundle.properties = properties;
    check_properties(bundle, out);
    check_requirements(bundle, out);
}

} // namespace

void check_ranges(const Format& format, const Source& bundle, Diagnostics& out) {
    check_skip_range_of(bundle.csv, out);
    check_properties_of(format, bundle.csv, out);
}

} // namespace opcat::bundle_checks
