#include "../resolve/catalogs.hpp"
#include "opcat/lint/checks.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

struct PropertyCase {
    std::string_view property; // type and value
    std::string_view marked;   // by the finding; empty: no finding
    std::string_view why;      // part of the message
};

// The findings about a bundle with this property, or with several on separate lines.
Diagnostics found_in(LoadedCatalog& loaded, std::string_view properties) {
    loaded = load_text(olmv1::bundle_yaml("p", "1.0.0", properties));
    REQUIRE(loaded.diagnostics.empty());
    ThreadPool pool(1);
    return check_resolved_properties(loaded.catalog, pool);
}

} // namespace

TEST_CASE("properties that make resolvers fail are found at the wrong value") {
    const PropertyCase cases[] = {
        {"type: olm.package.required, value: {packageName: q, versionRange: '>=1.0.0 <2.0.0'}", "", ""},
        {"type: olm.package.required, value: {packageName: q, versionRange: banana}", "banana",
         "OLM classic cannot use this olm.package.required of bundle \"p.v1.0.0\": "},
        {"type: olm.package.required, value: {packageName: q, versionRange: ^1.0.0}", "^1.0.0", ""},
        {"type: olm.package.required, value: {packageName: q}", "{", "it has no versionRange"},
        {"type: olm.package.required, value: {packageName: q, versionRange: 5}", "", ""}, // check_catalog's
        {"type: olm.gvk.required, value: {group: g, version: v1, kind: K}", "", ""},
        {"type: olm.gvk.required, value: {group: g, version: 1, kind: K}", "", ""}, // check_catalog's
        {"type: olm.label.required, value: {label: [x]}", "{", "cannot unmarshal array"},
        {"type: olm.constraint, value: {gvk: {group: g, version: v1, kind: K}}", "", ""},
        {"type: olm.constraint, value: {package: q}", "{", "cannot unmarshal string"},
        {"type: olm.constraint, value: {}", "{", "constraint is empty"},
        {"type: olm.constraint, value: {packge: {packageName: q}}", "{", "unknown field \"packge\""},
        {"type: olm.constraint, value: {package: {packageName: q, versionRange: banana}}", "banana", ""},
        {"type: olm.constraint, value: {all: {constraints: [{package: {packageName: q, versionRange: "
         "'>1.0.0'}}, "
         "{any: {constraints: [{not: {constraints: [{package: {packageName: q, versionRange: kiwi}}]}}]}}]}}",
         "kiwi", "bundle \"p.v1.0.0\": versionRange \"kiwi\" is not a range: \"kiwi\" has no version"},
        {"type: olm.constraint, value: {any: {constraints: [{failureMessage: x}]}}", "{",
         "constraint is empty"},
        {"type: olm.constraint, value: {cel: {rule: 'properties.exists(p, p.type == \"x\")'}}", "", ""},
        {"type: olm.constraint, value: {cel: {rule: 1 + 1}}", "1 + 1", "must have type Bool"},
        {"type: olm.constraint, value: {all: {constraints: [{failureMessage: m, cel: {rule: propertes}}]}}",
         "propertes", "undeclared reference"},
        {"type: olm.maxOpenShiftVersion, value: '4.18'", "", ""},
        {"type: olm.maxOpenShiftVersion, value: 4.18", "", ""},
        {"type: olm.maxOpenShiftVersion, value: 4.10", "4.10", "4.10 without quotes is the number 4.1"},
        {"type: olm.maxOpenShiftVersion, value: 4.2", "4.2",
         "is the number 4.2, which YAML also makes of 4.20"},
        {"type: olm.maxOpenShiftVersion, value: v4.18", "olm.maxOpenShiftVersion", "OpenShift cannot read"},
        {"type: olm.csv.metadata, value: {annotations: {olm.properties: '[{'}}", "s", "olm.properties"},
        {"type: example.com/x, value: banana", "", ""},
    };
    for (const auto& [property, marked, why] : cases) {
        CAPTURE(property);
        LoadedCatalog loaded;
        const Diagnostics found = found_in(loaded, fmt::format("- {{{}}}\n", property));
        REQUIRE(found.size() == (marked.empty() ? 0 : 1));
        if (found.empty()) continue;
        const Location& where = found[0].where;
        CHECK(where.file->bytes().substr(where.offset, where.length) == marked);
        CHECK(found[0].message.find(why) != std::string::npos);
        // A number that has lost a digit blocks every upgrade of the cluster.
        const bool is_number = property.find("value: 4.") != property.npos;
        CHECK(found[0].severity == (is_number ? Severity::error : Severity::warning));
    }
}

TEST_CASE("a second olm.maxOpenShiftVersion is the one that is marked") {
    LoadedCatalog loaded;
    const Diagnostics found = found_in(loaded, "- {type: olm.maxOpenShiftVersion, value: '4.18'}\n- {type: "
                                               "olm.maxOpenShiftVersion, value: '4.19'}\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].where.file->position(found[0].where.offset).line == 10);
}
