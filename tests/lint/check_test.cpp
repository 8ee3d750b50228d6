// Covers lib/lint.
#include "../catalog/catalog_text.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace opcat;

namespace {

struct Case {
    std::string what;
    std::string text;
    std::string findings; // as `shown` shows them
};

const std::string a = "{name: a}";
const std::string A = bundle("a", "1.0.0");
const std::string B = bundle("b", "2.0.0");
const std::string C = bundle("c", "3.0.0");
const std::string digest = "@sha256:" + std::string(64, '1');
const std::string fine = package() + channel(a) + A;

std::string deprecations(std::string_view entries) {
    return fine + fmt::format("---\n{{schema: olm.deprecations, package: foo, entries: [{}]}}\n", entries);
}

const std::string full = "{name: Full, startDate: '2026-01-01', endDate: '2026-06-30'}";
const std::string more = "{name: More, startDate: '2026-07-01', endDate: '2026-12-31'}";
std::string lifecycle(std::string_view version, std::string_view phases, std::string_view rest = "") {
    return fmt::format(
        "---\n{{schema: io.openshift.operators.lifecycles.v1alpha1, package: foo, versions: [{{name: "
        "{}, phases: [{}]{}}}]}}\n",
        version, phases, rest);
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"nothing is wrong", fine, ""},
        // Reading
        {"no YAML", "a: b: c\n", "syntax 1 b: c"},
        {"something after the end of a document", "schema: x\n...\nschema: y\n", "unread 3 s"},
        {"JSON values after a byte order mark", "\xef\xbb\xbf{\"schema\": \"x\"}\n{\"schema\": \"y\"}\n",
         "unread 2 {"},
        {"a comment after the end of a document", "schema: x\n...\n# no more\n", ""},
        {"too deep", std::string(1'001, '['), "limit 1 ["},
        {"a list", "- a\n", "not-a-blob 1 -"},
        {"text", "hello\n", "not-a-blob 1 h"},
        {"an empty document", "---\n---\nschema: x\n", "schema-missing 2 -"},
        {"nothing but a comment", "# nothing\n---\nschema: x\n", "schema-missing 1 #"},
        {"no schema", "name: x\n", "schema-missing 1 n"},
        {"an empty schema", "schema: ''\n", "schema-missing 1 s"},
        {"two spellings", "schema: x\nname: a\nName: b\n", "key-spelling 3 Name"},
        {"two spellings beyond ASCII", "schema: x\n\u00c9: a\n\u00e9: b\n", "key-spelling 3 \u00e9"},
        {"the long s in a key", "\u017fchema: x\nname: a\n", ""},
        {"a boolean as a name", "schema: x\nname: n\n", "field-type 2 n"},
        {"a number as a name", "schema: x\nname: 1.0\n", "field-type 2 1.0"},
        {"null as a name", "schema: x\nname: ~\n", "field-type 2 ~"},
        {"a key twice", package() + channel("{name: b, name: a}") + A, "key-duplicate 4 name"},
        {"a key in quotes twice", fine + "---\nschema: x\n\"y\": 1\n'y': 2\n", "key-duplicate 10 y"},
        {"two blobs without a line between them", "schema: x\nname: a\nschema: z\nname: b\n",
         "key-duplicate 3 schema"},
        {"a comma that only YAML allows", "{\"schema\": \"x\", \"y\": [1 , ]}\n", "json-as-yaml 1 ,"},
        {"more Kubernetes than OpenShift has",
         package() + channel(a) +
             bundle("a", "1.0.0",
                    ", {type: olm.maxOpenShiftVersion, value: \"4.10\"}, {type: olm.csv.metadata, value: "
                    "{minKubeVersion: 1.25.0}}"),
         "platform-range 6 a"},
        {"as much Kubernetes as OpenShift has",
         package() + channel(a) +
             bundle("a", "1.0.0",
                    ", {type: olm.maxOpenShiftVersion, value: \"4.12\"}, {type: olm.csv.metadata, value: "
                    "{minKubeVersion: 1.25.0}}"),
         ""},
        {"less OpenShift than what is replaced",
         package() + channel("{name: b, replaces: a}, {name: a}") +
             bundle("a", "1.0.0", ", {type: olm.maxOpenShiftVersion, value: \"4.12\"}") +
             bundle("b", "2.0.0", ", {type: olm.maxOpenShiftVersion, value: \"4.11\"}"),
         "platform-range 4 b"},
        {"line breaks of two characters", "schema: x\r\nname: a\r\n", "line-breaks 1 \r"},
        {"YAML in braces", "{schema: x, y: [1 , ], }\n", ""},
        {"entries that are not a list",
         package() + "---\n{schema: olm.channel, package: foo, name: stable, entries: {}}\n",
         "field-type 4 {\ndefault-channel 2 stable"},
        {"several fields at once",
         "---\n{schema: olm.channel, name: a, entries: [{name: [], skips: [1], skipRange: {}}]}\n",
         "field-type 2 [\nfield-type 2 1\nfield-type 2 {"},
        {"an icon that is not base64", "schema: olm.package\nname: foo\nicon:\n  base64data: '@'\n",
         "base64 4 '"},
        {"an object that is not base64",
         bundle("a", "1.0.0", ", {type: olm.bundle.object, value: {data: '*'}}"), "base64 2 '"},
        {"bytes of an icon as numbers",
         "schema: olm.package\nname: foo\nicon: {base64data: [1, 256], mediatype: a}\n", "base64 3 ["},
        {"an object as numbers", // {}
         bundle("a", "1.0.0", ", {type: olm.bundle.object, value: {data: [123, 125]}}"),
         "package-unknown 2 foo"},
        {"an object that is none", bundle("a", "1.0.0", ", {type: olm.bundle.object, value: [1]}"),
         "bundle-object 2 ["},
        {"an object that is neither JSON nor YAML", // a: b: c
         bundle("a", "1.0.0", ", {type: olm.bundle.object, value: {data: YTogYjogYw==}}"),
         "bundle-object 2 Y"},
        {"an object that JSON cannot express", // a: .inf
         bundle("a", "1.0.0", ", {type: olm.bundle.object, value: {data: YTogLmluZg==}}"),
         "bundle-object 2 Y"},
        // Packages
        {"a package without a name", "schema: olm.package\ndefaultChannel: stable\n", "package-name 1 s"},
        {"a name with a dot", "schema: olm.package\nname: f.o\n", "default-channel 1 s\npackage-name 2 f.o"},
        {"a name in capitals", "schema: olm.package\nname: \"Foo\"\n",
         "default-channel 1 s\npackage-name 2 Foo"},
        {"a name that ends in a dash", "schema: olm.package\nname: foo-\n",
         "default-channel 1 s\npackage-name 2 foo-"},
        {"a name that is too long", "schema: olm.package\nname: " + std::string(64, 'f') + "\n",
         "default-channel 1 s\npackage-name 2 " + std::string(64, 'f')},
        {"the longest name", "schema: olm.package\nname: " + std::string(63, 'f') + "\n",
         "default-channel 1 s"},
        {"a package twice", fine + package(), "package-duplicate 8 foo"},
        {"blobs of no package", channel(a) + A, "package-unknown 2 foo"},
        {"a blob that names no package", fine + "---\n{schema: olm.bundle, name: b}\n",
         "package-unknown 8 {\nbundle-image 8 {\npackage-property 8 b"},
        {"no default channel", package("description: x") + channel(a) + A, "default-channel 2 {"},
        {"an unknown default channel", package("defaultChannel: stabel") + channel(a) + A,
         "default-channel 2 stabel"},
        // Channels
        {"a channel without a name", fine + channel(a, "''"), "channel-name 8 {"},
        {"a channel twice", fine + channel(a), "channel-duplicate 8 stable"},
        {"a channel without entries", fine + channel("", "fast"), "channel-empty 8 {"},
        {"an entry twice", package() + channel("{name: a}, {name: a}") + A, "entry-duplicate 4 a"},
        {"an entry without a bundle", package() + channel("{name: a}, {name: b, replaces: a}") + A,
         "entry-without-bundle 4 b"},
        {"an entry without a name", package() + channel("{name: a, skips: [b]}, {replaces: b}") + A,
         "entry-without-bundle 4 {\nchannel-heads 4 {"},
        {"an entry and a bundle with similar names",
         package() + channel("{name: f.v1.0.0}") + bundle("f.1.0.0", "1.0.0"),
         "entry-without-bundle 4 f.v1.0.0"},
        {"an empty skip", package() + channel("{name: a, skips: ['']}") + A, "skip-empty 4 '"},
        {"a skipRange of another dialect", package() + channel("{name: a, skipRange: ^1.0.0}") + A,
         "skip-range-syntax 4 ^1.0.0"},
        {"a skipRange that covers its entry", package() + channel("{name: a, skipRange: '<=1.0.0'}") + A,
         "skip-range-self 4 <=1.0.0"},
        {"a skipRange that covers nothing", package() + channel("{name: a, skipRange: <0.1.0}") + A,
         "skip-range-empty 4 <0.1.0"},
        {"a skipRange of no version", package() + channel("{name: a, skipRange: '>2.0.0 <1.0.0'}") + A,
         "skip-range-impossible 4 >2.0.0 <1.0.0"},
        {"a skipRange with a single bar", package() + channel("{name: a, skipRange: '>=0.1.0 | <0.2.0'}") + A,
         "skip-range-ignored 4 >=0.1.0 | <0.2.0"},
        {"a skipRange that ends with a comparison",
         package() + channel("{name: a, skipRange: '>=0.1.0 <'}") + A, "skip-range-ignored 4 >=0.1.0 <"},
        {"a blob of another schema and an unknown package", fine + "---\n{schema: x, package: fooo}\n",
         "blob-of-no-package 8 fooo"},
        {"a lifecycle whose phases follow each other", fine + lifecycle("'1.0'", full + ", " + more), ""},
        {"a lifecycle of a version that no bundle has", fine + lifecycle("'7.0'", full),
         "lifecycle-version 8 '"},
        {"a version of a lifecycle without quotes", fine + lifecycle("1.0", full), "lifecycle-field 8 1"},
        {"a lifecycle without phases", fine + lifecycle("'1.0'", ""), "lifecycle-field 8 {"},
        {"a lifecycle with a gap",
         fine + lifecycle("'1.0'", full + ", {name: Late, startDate: '2026-07-02', endDate: '2026-12-31'}"),
         "lifecycle-dates 8 '"},
        {"a phase that ends before it begins",
         fine + lifecycle("'1.0'", "{name: Full, startDate: '2026-07-02', endDate: '2026-07-01'}"),
         "lifecycle-dates 8 '"},
        {"a day that does not exist",
         fine + lifecycle("'1.0'", "{name: Full, startDate: '2026-02-30', endDate: '2026-07-01'}"),
         "lifecycle-field 8 '"},
        {"platforms of a lifecycle that are no list",
         fine + lifecycle("'1.0'", full, ", platformCompatibility: {name: openshift, versions: ['4.16']}"),
         "lifecycle-field 8 {"},
        {"a platform's versions that are no list",
         fine + lifecycle("'1.0'", full, ", platformCompatibility: [{name: openshift, versions: '4.16'}]"),
         "lifecycle-field 8 {"},
        {"a platform's version without quotes",
         fine + lifecycle("'1.0'", full, ", platformCompatibility: [{name: openshift, versions: [4.16]}]"),
         "lifecycle-field 8 4"},
        {"a platform that nobody reads",
         fine + lifecycle("'1.0'", full, ", platformCompatibility: [{name: OpenShift, versions: ['4.16']}]"),
         "lifecycle-field 8 O"},
        {"two lifecycles of a package", fine + lifecycle("'1.0'", full) + lifecycle("'1.0'", full),
         "lifecycle-duplicate 10 foo"},
        {"unknown fields of a lifecycle", fine + lifecycle("'1.0'", full, ", tier: gold"), ""},
        {"something absent replaced amid the chain",
         package() + channel("{name: c, replaces: a, skips: [b]}, {name: b, replaces: x}, {name: a}") + A +
             B + C,
         "replaces-absent 4 x"},
        {"something absent replaced at the end of the chain",
         package() + channel("{name: b, replaces: a}, {name: a, replaces: x}") + A + B, ""},
        {"a newer version replaced", package() + channel("{name: a, replaces: b}, {name: b}") + A + B,
         "replaces-newer 4 b"},
        {"a newer version replaced in two channels",
         package() + channel("{name: a, replaces: b}, {name: b}") +
             channel("{name: a, replaces: b}, {name: b}", "fast") + A + B,
         "replaces-newer 4 b"},
        {"a prerelease replaced",
         package() + channel("{name: a, replaces: b}, {name: b}") + A + bundle("b", "1.0.0-rc.1"), ""},
        // The upgrade graph
        {"two heads", package() + channel("{name: a}, {name: b}") + A + B, "channel-heads 4 b"},
        {"three heads", package() + channel("{name: a}, {name: b}, {name: c}") + A + B + C,
         "channel-heads 4 c"},
        {"no head", package() + channel("{name: a, replaces: b}, {name: b, replaces: a}") + A + B,
         "channel-head 4 stable\nreplaces-newer 4 b"},
        {"an entry that replaces itself", package() + channel("{name: a, replaces: a}") + A,
         "channel-head 4 stable\nedge-itself 4 a"},
        {"a version replaced without its v",
         package() + channel("{name: f.v2.0.0, replaces: f.1.0.0}, {name: f.v1.0.0}") +
             bundle("f.v1.0.0", "1.0.0") + bundle("f.v2.0.0", "2.0.0"),
         "edge-name 4 f.1.0.0\nchannel-heads 4 f.v1.0.0"},
        {"a version without its last number",
         package() + channel("{name: f.v1.1.0, replaces: f.v1.0}, {name: f.v1.0.0}") +
             bundle("f.v1.1.0", "1.1.0") + bundle("f.v1.0.0", "1.0.0"),
         "edge-name 4 f.v1.0\nchannel-heads 4 f.v1.0.0"},
        {"a version of a bundle that may have been removed",
         package() + channel("{name: f.v1.1.0, replaces: f.v1.0.0}") + bundle("f.v1.1.0", "1.1.0"), ""},
        {"a circle below the head",
         package() + channel("{name: c, replaces: b}, {name: b, replaces: a}, {name: a, replaces: b}") + A +
             B + C,
         "channel-cycle 4 b\nreplaces-newer 4 b"},
        {"a stranded entry",
         package() + channel("{name: c, skips: [b]}, {name: b, replaces: a}, {name: a}") + A + B + C,
         "channel-stranded 4 a"},
        {"a skipped entry ends the chain",
         package() + channel("{name: c, replaces: b, skips: [b]}, {name: b, replaces: a}, {name: a}") + A +
             B + C,
         "channel-stranded 4 a"},
        // Bundles
        {"a bundle without a name", fine + bundle("''", "2.0.0"),
         "bundle-name 8 {\nbundle-without-channel 8 '"},
        {"a bundle twice", fine + A, "bundle-duplicate 8 a"},
        {"a bundle of no channel", fine + B, "bundle-without-channel 8 b"},
        {"a bundle without an image", package() + channel(a) + with_image("''"), "bundle-image 6 '"},
        {"a bundle with its objects needs no image",
         package() + channel(a) +
             "---\n{schema: olm.bundle, package: foo, name: a, properties: [{type: olm.package, value: "
             "{packageName: foo, "
             "version: 1.0.0}}, {type: olm.bundle.object, value: {data: e30=}}]}\n",
         ""},
        {"an image that is none", package() + channel(a) + with_image("R.example/Foo"),
         "image-reference 6 R.example/Foo"},
        {"a related image that is none",
         package() + channel(a) + with_image("r.example/foo", ", relatedImages: [{name: x, image: a b}]"),
         "image-reference 6 a b"},
        {"related images by tag",
         package() + channel(a) +
             with_image("r.example/foo", ", relatedImages: [{image: r.example/x:v1}, {image: r.example/y}]"),
         "image-without-digest 6 r.example/x:v1"},
        {"an image in a registry for tests",
         package() + channel(a) + with_image("registry.stage.redhat.io/foo/foo"),
         "image-staging 6 registry.stage.redhat.io/foo/foo"},
        {"one image in two registries",
         package() + channel(a) +
             with_image("r.example/foo", ", relatedImages: [{image: r.example/x" + digest +
                                             "}, {image: s.example/x" + digest + "}]"),
         "image-two-registries 6 s.example/x" + digest},
        {"no olm.package property",
         package() + channel(a) + "---\n{schema: olm.bundle, package: foo, name: a, image: r.example/foo}\n",
         "package-property 6 a"},
        {"two olm.package properties",
         package() + channel(a) +
             bundle("a", "1.0.0", ", {type: olm.package, value: {packageName: foo, version: 1.0.0}}"),
         "package-property 6 olm.package"},
        {"a property of another package",
         package() + channel(a) +
             "---\n{schema: olm.bundle, package: foo, name: a, image: r.example/foo, properties: [{type: "
             "olm.package, value: "
             "{packageName: bar, version: 1.0.0}}]}\n",
         "package-property 6 bar"},
        {"a version that is none", package() + channel(a) + bundle("a", "v1.0"), "bundle-version 6 v1.0"},
        {"no version", package() + channel(a) + bundle("a", "''"), "bundle-version 6 '"},
        {"a version that is not the name's",
         package() +
             channel("{name: f.v2.0.0, replaces: f.v1.0.0}, {name: f.v1.0.0, replaces: f.v0.9.0}, "
                     "{name: f.v0.9.0}") +
             bundle("f.v0.9.0", "0.9.0") + bundle("f.v1.0.0", "1.0.0") + bundle("f.v2.0.0", "2.1.0"),
         "version-unlike-name 10 2.1.0"},
        {"a version that is not the name's, in one of two bundles",
         package() + channel("{name: f.v1.1.0, replaces: f.v1.0.0}, {name: f.v1.0.0}") +
             bundle("f.v1.0.0", "1.0.0") + bundle("f.v1.1.0", "1.10.0"),
         "version-unlike-name 8 1.10.0"},
        {"versions that are none of the names'",
         package() + channel("{name: f.v1.1.0, replaces: f.v1.0.0}, {name: f.v1.0.0}") +
             bundle("f.v1.0.0", "4.0.0") + bundle("f.v1.1.0", "4.1.0"),
         ""},
        {"an image of two bundles",
         replace_all(package() + channel("{name: b, replaces: a}, {name: a}") + A + B, "r.example/foo",
                     "r.example/foo@sha256:" + std::string(64, 'a')),
         "image-duplicate 8 r.example/foo@sha256:" + std::string(64, 'a')},
        {"a version twice",
         package() + channel("{name: b, replaces: a}, {name: a}") + A + bundle("b", "1.0.0"),
         "version-duplicate 8 1.0.0"},
        {"versions that differ in build metadata",
         package() + channel("{name: b, replaces: a}, {name: a}") + A + bundle("b", "1.0.0+1"), ""},
        {"a release and a name without it", package() + channel(a) + bundle("a", "1.0.0, release: '1'"),
         "bundle-release 6 a"},
        {"a release that is none", package() + channel(a) + bundle("a", "1.0.0, release: 1_2"),
         "property-value 6 1_2"},
        {"a release with a dash", package() + channel(a) + bundle("a", "1.0.0, release: x_2"),
         "bundle-release 6 x_2"},
        {"a release and build metadata",
         package() + channel("{name: foo-v1.0.0+x-1}") + bundle("foo-v1.0.0+x-1", "1.0.0+x, release: '1'"),
         "bundle-release 6 1.0.0+x"},
        {"a release and the name of it",
         package() + channel("{name: foo-v1.0.0-1}") + bundle("foo-v1.0.0-1", "1.0.0, release: '1'"), ""},
        {"a known property of another form",
         package() + channel(a) +
             bundle("a", "1.0.0", ", {type: olm.gvk, value: {group: 5, version: v1, kind: K}}"),
         "property-value 6 5"},
        {"a priority beyond 32 bits",
         package() + channel(a) +
             bundle("a", "1.0.0", ", {type: olm.channel, value: {channelName: a, priority: 2147483648}}"),
         ""},
        {"a port beyond 32 bits",
         package() + channel(a) +
             bundle("a", "1.0.0",
                    ", {type: olm.csv.metadata, value: {apiServiceDefinitions: {owned: [{containerPort: "
                    "2147483647}, "
                    "{containerPort: 2147483648}]}}}"),
         "property-value 6 2"},
        {"a property without a value", package() + channel(a) + bundle("a", "1.0.0", ", {type: x}"),
         "property-value 6 x"},
        {"a property without a type", package() + channel(a) + bundle("a", "1.0.0", ", {value: 1}"),
         "property-type 6 {"},
        {"a property type with a letter too few",
         package() + channel(a) +
             bundle("a", "1.0.0", ", {type: olm.constrant, value: 1}, {type: olm.constrant, value: 2}"),
         "unknown-property-type 6 olm.constrant"},
        {"a property type in other letter case",
         package() + channel(a) + bundle("a", "1.0.0", ", {type: olm.maxOpenshiftVersion, value: '4.18'}"),
         "unknown-property-type 6 olm.maxOpenshiftVersion"},
        {"property types of others",
         package() + channel(a) +
             bundle("a", "1.0.0", ", {type: olm.skips, value: a}, {type: example.com/gvk, value: 1}"),
         ""},
        {"an icon of another type",
         package("defaultChannel: stable, icon: {base64data: iVBORw0KGgo=, mediatype: image/svg+xml}") +
             channel(a) + A,
         "icon 2 image/svg+xml"},
        {"an icon that is not an image",
         package("defaultChannel: stable, icon: {base64data: aGVsbG8=, mediatype: image/png}") + channel(a) +
             A,
         "icon 2 image/png"},
        {"an icon that says its type in another way", // GIF is known by its first bytes, so is this JPEG
         package("defaultChannel: stable, icon: {base64data: /9j/4AAQ, mediatype: image/jpg}") + channel(a) +
             A,
         ""},
        {"a large icon",
         package("defaultChannel: stable, icon: {base64data: iVBORw0K" + std::string(400'000, 'A') +
                 ", mediatype: image/png}") +
             channel(a) + A,
         "icon 2 i"},
        // Deprecations
        {"a deprecated bundle that is not there",
         deprecations("{reference: {schema: olm.bundle, name: x}, message: m}"), "deprecation-reference 8 x"},
        {"a deprecated channel that is not there",
         deprecations("{reference: {schema: olm.channel, name: x}, message: m}"),
         "deprecation-reference 8 x"},
        {"a package reference with a name",
         deprecations("{reference: {schema: olm.package, name: foo}, message: m}"),
         "deprecation-reference 8 foo"},
        {"a reference of an unknown schema",
         deprecations("{reference: {schema: olm.x, name: a}, message: m}"), "deprecation-reference 8 olm.x"},
        {"a deprecation of nothing", deprecations("{message: m}"), "deprecation-reference 8 {"},
        {"a deprecation without a message", deprecations("{reference: {schema: olm.bundle, name: a}}"),
         "deprecation-message 8 {"},
        {"a thing deprecated twice",
         deprecations("{reference: {schema: olm.bundle, name: a}, message: m}, {reference: {schema: "
                      "olm.bundle, name: a}, message: m}"),
         "deprecation-duplicate 8 {"},
        {"two blobs of deprecations",
         deprecations("") + "---\n{schema: olm.deprecations, package: foo, entries: []}\n",
         "deprecation-duplicate 10 {"},
        {"the default channel deprecated",
         deprecations("{reference: {schema: olm.channel, name: stable}, message: m}"),
         "default-channel-deprecated 8 stable"},
        // All blobs
        {"a schema with a letter too few", fine + "---\n{schema: olm.chanel, name: b}\n",
         "unknown-schema 8 olm.chanel"},
        {"a schema in other letter case", fine + "---\n{schema: OLM.Bundle, name: b}\n",
         "unknown-schema 8 OLM.Bundle"},
        {"schemas of others", fine + "---\n{schema: olm.semver}\n---\n{schema: example.com/bundle}\n", ""},
        {"an unknown field", package() + channel("{name: a, skiprnge: x}") + A, "unknown-field 4 skiprnge"},
        {"letter case does not matter to fields", package() + channel("{Name: a, SKIPRANGE: <1.0.0}") + A,
         "key-case 4 Name\nkey-case 4 SKIPRANGE\nskip-range-empty 4 <1.0.0"},
    };
    return all;
}

// The rules of other libraries, and of schemas_test.cpp, have their tests there; tests/cli/test_rules.py
// checks that they are used.
bool belongs_elsewhere(std::string_view rule) {
    static const std::set<std::string_view> rules{
        "schema",           "schema-file",         "template",       "csv-metadata",          "legacy-index",
        "manifest",         "cluster-extension",   "invalid-range",  "invalid-version",       "compose",
        "filter",           "image-set",           "dependency",     "max-openshift-version", "policy",
        "several-catalogs", "empty-catalog",       "format-loss",    "suppression",           "configuration",
        "baseline",         "default-channel-old", "image-registry", "openshift-metadata"};
    const auto of_bundles = bundle_rules();
    return rule.starts_with("graph-") || rule.starts_with("v1-") || rule.starts_with("classic-") ||
           rules.contains(rule) || std::any_of(of_bundles.begin(), of_bundles.end(), [&](const Rule& other) {
               return other.id == rule;
           });
}

// The findings of loading and of check_catalog: unlike those of lint(), with all consequences.
Diagnostics findings(const std::string& text, ThreadPool& pool, LoadedCatalog& loaded) {
    loaded = load_text(text);
    Diagnostics all = loaded.diagnostics;
    all.insert(all.end(), loaded.oddities.begin(), loaded.oddities.end());
    for (Diagnostic& d : check_catalog(loaded.catalog, index_packages(loaded.catalog), pool))
        all.push_back(std::move(d));
    return all;
}

} // namespace

TEST_CASE("each mistake is found, at its place") {
    ThreadPool pool(1);
    for (const Case& c : cases()) {
        CAPTURE(c.what);
        LoadedCatalog loaded;
        CHECK(shown(findings(c.text, pool, loaded)) == c.findings);
    }
}

TEST_CASE("an unknown field is named with the characters that nobody can see") {
    ThreadPool pool(1);
    LoadedCatalog loaded;
    const Diagnostics found =
        findings(package() + channel("{name: a, \"rep\u200blaces\u00ad\": x}") + A, pool, loaded);
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "a channel entry has no field \"rep\\u200blaces\\u00ad\"");
}

TEST_CASE("every rule of the table has a case, and the rule of every finding is in the table") {
    ThreadPool pool(1);
    std::set<std::string_view> seen{"file"}; // needs a directory: load_test.cpp
    for (const Case& c : cases()) {
        LoadedCatalog loaded;
        for (const Diagnostic& d : findings(c.text, pool, loaded)) {
            CAPTURE(c.what);
            const Rule* const rule = find_rule(d.rule);
            REQUIRE(rule != nullptr);
            CHECK(rule->severity == d.severity);
            CHECK_FALSE(d.message.empty());
            CHECK(d.message.back() != '.');
            seen.insert(rule->id);
        }
    }
    for (const Rule& rule : rules()) {
        CAPTURE(rule.id);
        if (belongs_elsewhere(rule.id)) continue;
        CHECK(seen.contains(rule.id));
        CHECK(find_rule(rule.id) == &rule); // no id twice
    }
    CHECK(find_rule("no-such-rule") == nullptr);
}

TEST_CASE("findings are the same on any number of threads") {
    std::string text;
    for (int i = 0; i < 200; ++i)
        text += fmt::format("---\n{{schema: olm.channel, package: p{}, name: c}}\n", i * 7 % 200);
    ThreadPool one(1);
    ThreadPool many(8);
    LoadedCatalog loaded;
    const std::string expected = shown(findings(text, one, loaded));
    for (int round = 0; round < 10; ++round) CHECK(shown(findings(text, many, loaded)) == expected);
}

// With an algorithm that compares all with all the test would not end in CTest's time.
TEST_CASE("thousands of entries without a bundle and of bundles without an entry are all reported") {
    std::string entries;
    std::string text = package();
    for (int i = 0; i < 10'000; ++i) {
        entries += fmt::format("{{name: entry-with-quite-a-long-name-{}}}, ", i);
        text += bundle(fmt::format("bundle-with-quite-a-long-name-{}", i), fmt::format("1.0.{}", i));
    }
    text += channel(entries);
    ThreadPool pool(2);
    LoadedCatalog loaded;
    const Diagnostics found = findings(text, pool, loaded);
    CHECK(found.total() == 20'001);
    CHECK(found.size() < 3 * Diagnostics::most);
}
