#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/lint/max_openshift.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace opcat::bundle_checks {
namespace {

// The properties in the annotation olm.properties, which opm adds to those of metadata/properties.yaml. What
// is no list is a finding about the annotation.
std::vector<TypedValue> annotated(const SourceFile& text, Arena& arena) {
    uint32_t end = 0;
    Diagnostic problem;
    const auto list = read_json(text, 0, arena, end, problem);
    return list && list->is_array() ? typed_values(text, Notation::json, *list, arena)
                                    : std::vector<TypedValue>();
}

} // namespace

void check_max_openshift(const Format& format, const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    const kube::Fields annotation = csv.at("metadata", "annotations", "olm.properties");
    Arena arena;
    const SourceFile text("olm.properties", annotation.value().string_or_empty());
    std::vector<TypedValue> found = format.properties;
    for (TypedValue& property : annotated(text, arena)) {
        const bool is_known = std::any_of(found.begin(), found.end(), [&](const TypedValue& other) {
            return other.type == property.type && other.json == property.json;
        });
        if (!is_known) found.push_back(std::move(property));
    }
    std::erase_if(found, [](const TypedValue& property) {
        return property.type != property_type::max_openshift_version;
    });

    std::vector<Property> properties;
    properties.reserve(found.size());
    for (const TypedValue& property : found)
        properties.push_back({.type = {property.type, 0},
                              .value = property.json.empty() ? nullptr : &property.value,
                              .offset = 0,
                              .json = property.json});
    const auto read = [&](std::span<const Property> some) {
        Bundle named;
        named.name = {csv.name, 0};
        named.properties = some;
        return olmv1::max_openshift_version(named);
    };

    bool has_number = false;
    for (size_t i = 0; i < found.size(); ++i) {
        const auto alone = read(std::span(properties).subspan(i, 1));
        auto finding = alone && *alone ? check_max_openshift_number(*found[i].file, found[i].value, **alone)
                                       : std::nullopt;
        if (!finding) continue;
        has_number = true;
        if (found[i].file == &text) {
            finding->where = place_of(csv, annotation);
            finding->fix = {};
        }
        out.push_back(*std::move(finding));
    }
    const auto max = read(properties);
    if (!max) {
        const TypedValue& cause = found[found.size() > 1 ? 1 : 0];
        const Location where =
            cause.file == &text ? place_of(csv, annotation) : Location{cause.file, cause.offset, 1};
        if (!has_number)
            out.push_back(warning("max-openshift-version", where,
                                  fmt::format("OpenShift cannot read the {}: {}",
                                              property_type::max_openshift_version, max.error()),
                                  std::string(max_openshift_help)));
        return;
    }
    if (!*max) return;
    const auto least = semver::Version::parse(csv.text("spec", "minKubeVersion"));
    if (auto finding = check_platform_range(
            csv.name, least ? std::optional(olmv1::MinorVersion{least->major, least->minor}) : std::nullopt,
            *max, place_of(csv, csv, "spec", "minKubeVersion")))
        out.push_back(*std::move(finding));
}

} // namespace opcat::bundle_checks
