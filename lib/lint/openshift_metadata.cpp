#include "opcat/catalog/finding.hpp"
#include "opcat/lint/csv_metadata.hpp"
#include "opcat/lint/project_checks.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

constexpr std::string_view metadata_rule = "openshift-metadata";

struct Counted {
    size_t number = 0;
    const Property* last = nullptr;
};

Counted count(const Bundle& bundle, std::string_view type) {
    Counted counted;
    for (const Property& property : bundle.properties) {
        if (property.type != type) continue;
        ++counted.number;
        counted.last = &property;
    }
    return counted;
}

} // namespace

void check_openshift_metadata(const Bundle& bundle, const OpenShiftVersion& version, Diagnostics& out) {
    if (bundle.is_unknown) return;
    const Counted objects = count(bundle, property_type::bundle_object);
    const Counted metadata = count(bundle, property_type::csv_metadata);
    const bool takes_metadata = version.takes_csv_metadata();
    const std::string target = "OpenShift " + version.to_string();
    const auto add = [&](const Property* where, std::string what, std::string_view help) {
        Diagnostic made = warning(metadata_rule, where ? bundle.at(where->type) : bundle.at(bundle.name),
                                  fmt::format("bundle \"{}\" {}", bundle.name.text, what), std::string(help));
        if (takes_metadata && where && where->type == property_type::bundle_object)
            made.fix = replace_bundle_objects(bundle);
        out.push_back(std::move(made));
    };
    constexpr std::string_view migrate = "write the catalog with `opcat migrate`, which makes one "
                                         "olm.csv.metadata of the objects";
    constexpr std::string_view render = "render the bundle again, without --migrate-level "
                                        "bundle-object-to-csv-metadata";
    if (objects.number == 0 && metadata.number == 0)
        add(nullptr,
            fmt::format("has neither olm.csv.metadata nor olm.bundle.object, of which {} takes {}", target,
                        takes_metadata ? property_type::csv_metadata : property_type::bundle_object),
            "render the bundle again from its image");
    else if (objects.number > 0 && metadata.number > 0)
        add(takes_metadata ? objects.last : metadata.last,
            fmt::format("has both olm.csv.metadata and olm.bundle.object, and {} takes {} only", target,
                        takes_metadata ? property_type::csv_metadata : property_type::bundle_object),
            takes_metadata ? "remove the properties olm.bundle.object" : "remove olm.csv.metadata");
    else if (takes_metadata && objects.number > 0)
        add(objects.last, fmt::format("has olm.bundle.object, and {} takes olm.csv.metadata", target),
            migrate);
    else if (!takes_metadata && metadata.number > 0)
        add(metadata.last, fmt::format("has olm.csv.metadata, and {} takes olm.bundle.object", target),
            render);
    if (metadata.number > 1 && takes_metadata)
        add(metadata.last,
            fmt::format("has olm.csv.metadata {} times, and {} takes one", metadata.number, target),
            "remove all but one");
}

} // namespace opcat
