#include "catalogs.hpp"
#include "opcat/resolve/v1/load_failure.hpp"

using namespace opcat;
using namespace opcat::olmv1;

TEST_CASE("the messages of OLM about an unreadable catalog") {
    constexpr std::string_view decoding = "error unmarshaling JSON: while decoding JSON: ";
    struct Case {
        std::string_view yaml;
        std::string failure;
    };
    const Case cases[] = {
        {"name: x\n", "object '{\"name\":\"x\"}\n' is missing root schema field"},
        {"schema: \"\"\nb: 1\na: [x]\n",
         "object '{\"a\":[\"x\"],\"b\":1,\"schema\":\"\"}\n' is missing root schema field"},
        {"schema: olm.package\nname: 4.20\n",
         std::string(decoding) + "expected value for key \"name\" to be a string, got %!t(float64=4.2): 4.2"},
        {"schema: olm.package\nname: 20230101\n",
         std::string(decoding) +
             "expected value for key \"name\" to be a string, got %!t(float64=2.0230101e+07): 2.0230101e+07"},
        {"{\"schema\": \"x\"} null", "object 'null\n' is missing root schema field"},
        {"schema: x\n\u00c9: 1\n\u00e9: 2\n",
         std::string(decoding) + "duplicate keys for key \"\u00e9\": [\u00c9 \u00e9]"},
        {"schema: olm.package\nname: p\nicon: {base64data: Zm9v=}\n",
         "parse package: illegal base64 data at input byte 4"},
        {"schema: olm.package\nname: p\nicon: {base64data: [1, 300]}\n",
         "parse package: json: cannot unmarshal number into Go struct field Icon.icon.base64data of type "
         "uint8"},
        {"schema: olm.package\nname: p\nicon: {base64data: 1}\n",
         "parse package: json: cannot unmarshal number into Go struct field Icon.icon.base64data of type "
         "[]uint8"},
        {"schema: olm.bundle\npackage: p\nname: b\nimage: i\nproperties:\n- type: olm.package\n  value: "
         "{packageName: p, version: 1.0.0}\n"
         "- type: olm.bundle.object\n  value: {data: '@@'}\n",
         "read bundle objects: package \"p\", bundle \"b\": parse property at index 1 as bundle object: "
         "illegal base64 data at "
         "input byte 0"},
        {"schema: olm.bundle\npackage: p\nname: b\nimage: i\nproperties:\n- {type: olm.bundle.object, value: "
         "[1]}\n",
         "read bundle objects: package \"p\", bundle \"b\": parse property at index 0 as bundle object: "
         "json: cannot unmarshal "
         "array into Go value of type property.BundleObject"},
        {"schema: olm.bundle\npackage: p\nname: b\nimage: i\nproperties:\n- {type: olm.bundle.object, value: "
         "{data: 1}}\n",
         "read bundle objects: package \"p\", bundle \"b\": parse property at index 0 as bundle object: "
         "json: cannot unmarshal "
         "number into Go struct field BundleObject.data of type []uint8"},
        {"schema: olm.bundle\npackage: p\nname: b\nimage: i\nproperties:\n- {type: olm.bundle.object}\n",
         "read bundle objects: package \"p\", bundle \"b\": parse property at index 0 as bundle object: "
         "unexpected end of JSON "
         "input"},
        {"schema: olm.package\nname: true\n",
         std::string(decoding) + "expected value for key \"name\" to be a string, got true: true"},
        {"schema: olm.package\nname: null\n",
         std::string(decoding) + "expected value for key \"name\" to be a string, got %!t(<nil>): <nil>"},
        {"schema: olm.package\nname: [a, 1]\n",
         std::string(decoding) +
             "expected value for key \"name\" to be a string, got [%!t(string=a) %!t(float64=1)]: [a 1]"},
        {"schema: olm.package\nname: p\nName: P\n",
         std::string(decoding) + "duplicate keys for key \"name\": [Name name]"},
        {"{\"schema\": \"x\", \"A\": 1, \"a\": 2}", "duplicate keys for key \"a\": [A a]"},
        {"schema: olm.package\nname: p\ndefaultChannel: 1\n",
         "parse package: json: cannot unmarshal number into Go struct field Package.defaultChannel of type "
         "string"},
        {"schema: olm.channel\npackage: p\nname: c\nentries: foo\n",
         "parse channel: json: cannot unmarshal string into Go struct field Channel.entries of type "
         "[]declcfg.ChannelEntry"},
        {"schema: olm.channel\npackage: p\nname: c\nentries: [foo]\n",
         "parse channel: json: cannot unmarshal string into Go struct field Channel.entries of type "
         "declcfg.ChannelEntry"},
        {"schema: olm.channel\npackage: p\nname: c\nentries: [{name: a, skips: b}]\n",
         "parse channel: json: cannot unmarshal string into Go struct field ChannelEntry.entries.skips of "
         "type []string"},
        {"schema: olm.bundle\npackage: p\nname: b\nimage: 7\n",
         "parse bundle: json: cannot unmarshal number into Go struct field Bundle.image of type string"},
        {"schema: olm.bundle\npackage: p\nname: a\nimage: i\n---\n"
         "schema: olm.bundle\npackage: p\nname: b\nimage: i\nproperties: null\n---\n"
         "schema: olm.bundle\npackage: p\nname: c\nimage: i\nproperties: [{type: x, value: 1}]\n---\nname: "
         "x\n",
         "object '{\"name\":\"x\"}\n' is missing root schema field"},
        {"a: *b\n", "error converting YAML to JSON: yaml: a text that begins with \"*\" needs quotes"},
        {"{\"schema\": \"x\"} {\"a\": ]", "a value was expected, found ']'"},
        {"schema: olm.deprecations\npackage: p\nentries: 3\n",
         "parse deprecation: json: cannot unmarshal number into Go struct field Deprecation.entries of type "
         "[]declcfg.DeprecationEntry"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.yaml);
        const LoadedCatalog loaded = load_text(c.yaml);
        REQUIRE_FALSE(loaded.diagnostics.empty());
        CHECK(load_failure(loaded.diagnostics) == c.failure);
    }
}

TEST_CASE("findings without a place are reported after those of files, and warnings never") {
    const auto finding = [](Severity severity, std::string message) {
        Diagnostic made;
        made.severity = severity;
        made.message = std::move(message);
        return made;
    };
    const Diagnostic warning = finding(Severity::warning, "old");
    const Diagnostic error = finding(Severity::error, "cannot read a.yaml");
    CHECK(load_failure({}).empty());
    CHECK(load_failure({warning}).empty());
    CHECK(load_failure({warning, error}) == "cannot read a.yaml");
    const LoadedCatalog loaded = load_text("name: x\n");
    CHECK(load_failure({error, loaded.diagnostics.at(0)}) ==
          "object '{\"name\":\"x\"}\n' is missing root schema field");
    // OLM reads this file.
    const SourceFile good("good.yaml", "schema: x\n---\nschema: z\n");
    Diagnostic here = finding(Severity::error, "two of a kind");
    here.where = {&good, 0, 6};
    CHECK(load_failure({warning, here, error}) == "two of a kind");
    CHECK(load_failure({here, loaded.diagnostics.at(0)}) ==
          "object '{\"name\":\"x\"}\n' is missing root schema field");
}
