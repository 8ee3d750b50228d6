#include "opcat/lint/rules.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace opcat {
namespace {

using enum Severity;

constexpr bool of_whole_catalog = true; // Rule::needs_whole_catalog

constexpr Rule table[] = {
    // Reading
    {"file", error, "a file below the catalog's directory cannot be read",
     "All files of the directory belong to the catalog unless .indexignore excludes them. Links may only "
     "lead to files below the directory; links to directories, devices and FIFOs cannot be part of a "
     "catalog.",
     "catalog/data -> /var/data",
     "Remove the file, correct its permissions, or list it in an .indexignore file."},
    {"syntax", error, "a file is neither YAML nor JSON",
     "Files are YAML 1.1 documents between lines \"---\", or JSON values if the first character is '{'. A "
     "file that is not YAML, such as a README, makes the whole catalog unreadable.",
     "name: foo: bar",
     "Correct the text at the mark. List files that do not belong to the catalog in .indexignore."},
    {"unread", warning, "part of a file is ignored",
     "opm reads one YAML document between two lines \"---\" and ignores what follows it: a second object in "
     "braces, or anything after a line \"...\".",
     "{schema: olm.package, name: gizmo}\n{schema: olm.channel, package: gizmo, name: stable}",
     "Put a line \"---\" before it. JSON is read value by value, unless the file begins with a byte order "
     "mark."},
    {"limit", error, "a catalog exceeds the limits of opcat",
     "Nesting, aliases, the number of documents and the work for a package are limited so that a malicious "
     "file cannot exhaust memory or time. What is beyond a limit is not checked: the exit status is 3, and "
     "no configuration, comment or baseline hides it.",
     "a: &a [*b, *b, *b]", "Simplify the document; docs/limits.md has the numbers."},
    {"not-a-blob", error, "a document is not an object",
     "A catalog is a stream of blobs: objects with a schema. A list of blobs and plain text are not blobs.",
     "- schema: olm.package", "Put each blob into a document of its own."},
    {"schema-missing", error, "a blob does not have a schema",
     "The schema says what a blob is. An empty document does not have one either: one \"---\" too many is "
     "enough.",
     "---\n---\nschema: olm.package", "Add a schema, or remove the empty document."},
    {"key-spelling", error, "a blob has two spellings of one key",
     "Letter case is ignored in the keys of a blob, so two spellings of one key contradict each other.",
     "name: a\nName: b", "Keep one of them."},
    {"key-case", warning, "a key is written in another letter case than its field",
     "opm and OLM read it, because Go does. Other readers of catalogs, such as consoles, jq and scripts, do "
     "not "
     "find the field.",
     "Schema: olm.package\nname: shop", "Write the key as the field is written: schema."},
    {"key-duplicate", warning, "a key is given twice in an object",
     "The last one counts, and the values of the others are lost silently. If the line \"---\" between two "
     "blobs is missing, the first blob is lost.",
     "- name: foo.v1.0.1\n  name: foo.v1.0.0", "Remove one of the two, or add the line that separates them."},
    {"json-as-yaml", warning, "a file that looks like JSON is not JSON",
     "opm reads text that begins with \"{\" and is not JSON as YAML, which allows a comma after the last "
     "member. Other programs that read JSON refuse the file.",
     "{\"schema\": \"olm.package\", \"name\": \"foo\",}", "Correct the text at the mark."},
    {"line-breaks", note, "lines end in CRLF",
     "opm writes LF, so its output differs from the file in every line, and so does a review once an editor "
     "rewrites the file.",
     "schema: olm.package\\r\\n",
     "`opcat validate --fix` writes LF; a .gitattributes file keeps it that way."},
    {"field-type", error, "a field has the wrong type",
     "Names are strings, entries are lists. In YAML 1.1 an unquoted y, no, on, 1.0 or 0x1F is not a string.",
     "name: no", "Put the value in quotes."},
    {"base64", error, "an icon or a manifest is not valid base64",
     "opm decodes them while it loads the catalog, and fails.", "data: \"@@\"",
     "Encode the content with base64, padding included."},
    {"bundle-object", error, "the value of an olm.bundle.object property does not hold a manifest",
     "The field \"data\" of the value holds a manifest of the bundle: JSON or YAML, encoded in base64.",
     "- type: olm.bundle.object\n  value: [1]", "Write \"value: {data: BASE64}\"."},
    // Packages
    {"package-name", error, "the name of a package is missing or is not an RFC 1123 label",
     "Package names become names of Kubernetes objects: at most 63 lower-case letters, digits and \"-\".",
     "schema: olm.package\nname: foo.bar", "Rename the package."},
    {"package-duplicate", error, "a package is defined twice",
     "Two definitions contradict each other, and a composite catalog must not contain a package twice.",
     "schema: olm.package\nname: foo\n---\nschema: olm.package\nname: foo", "Keep one olm.package blob."},
    {"empty-catalog", error, "a catalog is empty",
     "opm accepts an empty directory as a catalog. Usually the path is wrong, or an .indexignore file "
     "excludes everything.",
     "opcat validate catalogs/   # the catalog is in catalog/",
     "Correct the path. --allow-empty accepts an empty catalog."},
    {"several-catalogs", error, "a directory holds several catalogs",
     "Every file below a directory belongs to one catalog. If the directory holds several catalogs, such as "
     "one for each version of a cluster, every package would be defined several times. Nothing else is "
     "checked then.",
     "catalogs/v4.14/foo/catalog.yaml\ncatalogs/v4.16/foo/catalog.yaml",
     "Name the directories of the catalogs: `opcat validate catalogs/*` checks each by itself."},
    {"package-unknown", error,
     "a channel, bundle or deprecation belongs to a package that the catalog does not have",
     "Clients look up everything by package, so they do not find it.", "schema: olm.channel\npackage: fooo",
     "Add the olm.package blob, or correct the name.", of_whole_catalog},
    {"blob-of-no-package", warning,
     "a blob of another schema belongs to a package that the catalog does not have",
     "Clients look up everything by package, so they do not find it.",
     "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: fooo",
     "Correct the name, or remove the blob.", of_whole_catalog},
    {"default-channel", error, "a package does not have a default channel, or it does not exist",
     "Users who do not choose a channel get the default channel.",
     "schema: olm.package\nname: foo\ndefaultChannel: stabel", "Name one of the package's channels.",
     of_whole_catalog},
    // Channels
    {"channel-name", error, "a channel does not have a name", "Users subscribe to a channel by its name.",
     "schema: olm.channel\npackage: foo", "Add a name."},
    {"channel-duplicate", error, "a channel is defined twice", "Two definitions contradict each other.",
     "schema: olm.channel\npackage: foo\nname: stable\n---\nschema: olm.channel\npackage: foo\nname: stable",
     "Put all entries into one blob."},
    {"channel-empty", error, "a channel does not have entries", "There is nothing to install from it.",
     "entries: []", "Add entries, or remove the channel."},
    {"entry-duplicate", error, "a bundle is an entry of a channel twice",
     "The edges of the two entries contradict each other.",
     "entries:\n- name: foo.v1.0.0\n- name: foo.v1.0.0", "Join the edges in one entry."},
    {"entry-without-bundle", error, "the bundle of a channel entry is missing",
     "OLM can choose the entry for an upgrade, but cannot install it. A bundle that is only replaced or "
     "skipped need not exist; entries must.",
     "entries:\n- name: foo.v1.0.1", "Add the olm.bundle blob, correct the name, or remove the entry.",
     of_whole_catalog},
    {"skip-empty", error, "skips has an empty name", "An empty name skips nothing and hides a mistake.",
     "skips: [\"\"]", "Name a bundle, or remove the item."},
    {"skip-range-syntax", error, "a skipRange is not a valid version range",
     "The range has the syntax of blang/semver: comparisons joined by blanks, alternatives joined by \"||\". "
     "Commas, ^ and ~ are not part of it.",
     "skipRange: \"^1.0.0\"", "Write it as in \">=1.0.0 <1.2.3\", and try it with `opcat semver match`."},
    {"skip-range-ignored", warning, "a part of a skipRange is ignored",
     "OLM reads a single | between blanks as a blank, so that a version has to fit both sides: only || "
     "separates alternatives. It drops a comparison without a version at the end.",
     "- name: foo.v2.0.0\n  skipRange: \"<1.0.0 | >=1.1.0\"", "Write ||, and a version in each comparison."},
    {"skip-range-self", note, "a skipRange covers its own entry",
     "An entry cannot be upgraded to itself. Ranges are often copied from release to release without a new "
     "upper bound.",
     "- name: foo.v1.2.0\n  skipRange: \">=1.0.0 <=1.2.0\"", "End the range below the version of the entry."},
    {"skip-range-empty", note, "a skipRange covers no version of the package",
     "It has no effect in this catalog. It may be meant for versions that only other catalogs have.",
     "- name: foo.v2.0.0\n  skipRange: \">=1.0.0 <1.1.0\"",
     "Correct the range, or leave it if it is for other catalogs.", of_whole_catalog},
    {"edge-name", warning, "the name in an edge looks like a misspelled name of a bundle",
     "replaces and skips take the full name of a bundle, such as foo.v1.0.0. If no bundle has that name, "
     "users "
     "of the intended version get no upgrade, or the channel gets a second head.",
     "- name: foo.v1.1.0\n  replaces: foo.1.0.0", "Correct the name."},
    {"edge-itself", warning, "an entry replaces or skips itself",
     "An entry cannot be upgraded to itself, and an entry that replaces itself is not the head of its "
     "channel.",
     "- name: foo.v1.1.0\n  replaces: foo.v1.1.0", "Name the version before it, or remove the field."},
    {"skip-range-impossible", warning, "no version is in a skipRange",
     "The range has no effect. Usually its ends are the wrong way round.",
     "- name: foo.v2.0.0\n  skipRange: \">=2.0.0 <1.0.0\"", "Write the lower end first."},
    {"replaces-absent", warning, "an entry replaces an entry that its channel does not have",
     "Only the last entry of the chain may replace a bundle that is missing, because users of older catalogs "
     "come from there. Anywhere else the name is a mistake.",
     "- name: foo.v2.0.0\n  replaces: foo.v1.9.9", "Correct the name, or remove the field.",
     !of_whole_catalog, UpgradesOf::channel},
    {"replaces-newer", warning, "an entry replaces a newer version",
     "The upgrade would move users to an older version, which few operators support. OLM v1 stays at the "
     "newer version.",
     "- name: foo.v1.0.0\n  replaces: foo.v1.1.0\n- name: foo.v1.1.0",
     "Let the newer entry replace the older one. To withdraw a version, remove its entry and let the next "
     "version skip it.",
     !of_whole_catalog, UpgradesOf::channel},
    // The upgrade graph of a channel
    {"channel-heads", error, "a channel has more than one head",
     "The head is the entry that no other entry replaces or skips. OLM installs it, and upgrades lead to it. "
     "If there are two, OLM cannot choose.",
     "entries:\n- name: foo.v1.0.0\n- name: foo.v2.0.0", "Let one of them replace or skip the other.",
     of_whole_catalog, UpgradesOf::channel},
    {"channel-head", error, "a channel does not have a head",
     "If every entry is replaced or skipped by another one, upgrades form a circle.",
     "entries:\n- name: foo.v1.0.0\n  replaces: foo.v2.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
     "Make sure that nothing replaces or skips the newest entry.", !of_whole_catalog, UpgradesOf::channel},
    {"channel-cycle", error, "the chain of replaces is a cycle",
     "From the head, the chain must lead to older and older entries and end there.",
     "entries:\n- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- "
     "name: foo.v1.0.0\n  replaces: foo.v2.0.0",
     "The oldest entry must not replace another entry of the channel.", !of_whole_catalog,
     UpgradesOf::channel},
    {"channel-stranded", error, "an entry is not on the upgrade path to the head",
     "An installed version is never upgraded if the chain of replaces does not reach it and nothing skips "
     "it. A replaced entry that is also skipped ends the chain.",
     "entries:\n- name: foo.v1.0.0\n- name: foo.v2.0.0\n- name: foo.v3.0.0\n  skips: [foo.v2.0.0]",
     "Let an entry of the chain replace or skip it.", of_whole_catalog, UpgradesOf::channel},
    // Bundles
    {"bundle-name", error, "a bundle does not have a name", "Channels refer to a bundle by its name.",
     "schema: olm.bundle\npackage: foo", "Add a name."},
    {"bundle-duplicate", error, "a bundle is defined twice", "Two definitions contradict each other.",
     "schema: olm.bundle\nname: foo.v1.0.0\n---\nschema: olm.bundle\nname: foo.v1.0.0", "Keep one of them."},
    {"bundle-without-channel", error, "a bundle is not an entry of any channel",
     "OLM finds bundles only through channels.", "schema: olm.bundle\nname: foo.v0.9.0",
     "Add an entry to a channel, or remove the bundle.", of_whole_catalog},
    {"bundle-image", error, "a bundle does not have an image",
     "The image holds the manifests to install. Only a bundle that carries its manifests in "
     "olm.bundle.object properties works without one.",
     "schema: olm.bundle\nname: foo.v1.0.0", "Add \"image: PULLSPEC\"."},
    {"image-reference", error, "an image is not a valid pull spec", "A cluster cannot pull the image.",
     "image: Quay.io/Foo", "Write REGISTRY/REPOSITORY@sha256:DIGEST, all in lower case."},
    {"image-duplicate", warning, "two bundles of a package have one image",
     "An image has the manifests of one version. Usually its digest was copied and not changed.",
     "name: foo.v1.1.0\nimage: quay.io/foo/bundle@sha256:…   # the digest of foo.v1.0.0",
     "Write the image of each version."},
    {"image-without-digest", note, "a related image of the newest bundle does not have a digest",
     "A tag can move to another image, and clusters without access to the internet mirror images by digest. "
     "Bundles that are not the head of a channel are already released and are not reported.",
     "relatedImages:\n- image: quay.io/foo/foo:v1", "Write NAME@sha256:…"},
    {"image-staging", warning, "an image is in a registry for builds and tests",
     "Users cannot pull it: the host is a staging or build registry of Red Hat, a workload of Konflux, or a "
     "name that only one machine or cluster knows.",
     "image: registry.stage.redhat.io/foo/bundle@sha256:…",
     "Name the image in the registry that it is released to."},
    {"image-two-registries", note, "an image is named in two registries",
     "The digest is the same, so the image is. A cluster without access to the internet needs a mirror of "
     "each registry, and one of them may lose the image.",
     "relatedImages:\n- image: quay.io/foo/foo@sha256:1…\n- image: docker.io/foo/foo@sha256:1…",
     "Name the image in one registry."},
    {"image-registry", warning, "an image is in a registry that the project does not allow",
     "Owners of catalogs take bundles only if all of their images are in certain registries. They are named "
     "by `allowedRegistries` in .opcat.yaml or by --allowed-registry; without them this rule does nothing.",
     "allowedRegistries: [quay.io/foo]   # and image: docker.io/foo/foo@sha256:…",
     "Push the image to an allowed registry, and name it there."},
    {"package-property", error, "a bundle does not have exactly one olm.package property with its package",
     "OLM reads the package and the version from this property.",
     "package: foo\nproperties:\n- type: olm.package\n  value: {packageName: bar, version: 1.0.0}",
     "Write one olm.package property with the package of the bundle."},
    {"bundle-version", error, "the version of a bundle is not a semantic version",
     "Versions are compared by the rules of semver.org 2.0.0: three numbers without leading zeros, and "
     "without a \"v\".",
     "version: v1.0", "Write MAJOR.MINOR.PATCH."},
    {"version-unlike-name", warning, "the name of a bundle has another version than the bundle",
     "People and programs read the version in the name. If it differs from the version in olm.package, one "
     "of "
     "the two is wrong. Only the three numbers are compared, and nothing is reported if most bundles of the "
     "package are so.",
     "name: foo.v1.10.0\nproperties:\n- type: olm.package\n  value: {packageName: foo, version: 1.11.0}",
     "Correct the version or the name."},
    {"version-duplicate", error, "two bundles of a package have the same version",
     "OLM cannot decide which of them is newer.", "version: 1.0.0", "Raise the version of the newer one."},
    {"bundle-release", error, "the name of a bundle does not match its release",
     "The name of a bundle with a release is PACKAGE-vVERSION-RELEASE, the version must not have build "
     "metadata, and the release has at most 20 characters.",
     "name: foo.v1.0.0\nproperties:\n- type: olm.package\n  value: {packageName: foo, version: 1.0.0, "
     "release: \"1\"}",
     "Rename the bundle to foo-v1.0.0-1."},
    {"property-value", error, "the value of a known property type does not have its form",
     "OLM decodes the value; with another form the bundle cannot be used.",
     "- type: olm.gvk\n  value: {group: 5}", "Give each field the type that its documentation says."},
    {"property-type", warning, "a property does not have a type", "Clients ignore values without a type.",
     "properties:\n- value: 1", "Add a type, or remove the property."},
    // Properties that are read when OLM resolves: check_properties.cpp
    {"dependency", warning, "OLM classic cannot read a dependency of a bundle",
     "opm accepts any text as a version range or an expression. OLM reads it only when it resolves, and then "
     "resolution fails in every namespace that needs the bundle.",
     "- type: olm.package.required\n  value: {packageName: bar, versionRange: banana}",
     "Correct the value; ranges have the syntax of blang/semver, as in \">=1.0.0 <2.0.0\"."},
    {"max-openshift-version", warning, "OpenShift cannot read olm.maxOpenShiftVersion of a bundle",
     "The property keeps a cluster from an upgrade that the operator does not support. A value that cannot "
     "be read blocks every upgrade to the next minor version of OpenShift.",
     "- type: olm.maxOpenShiftVersion\n  value: v4.18", "Write \"value: \\\"4.18\\\"\", once."},
    {"openshift-metadata", warning, "a bundle has other metadata than a version of OpenShift takes",
     "Catalogs for OpenShift 4.17 and later have olm.csv.metadata, one for each bundle; catalogs for older "
     "versions have olm.bundle.object. The pipelines refuse the other kind. Only `opcat validate --openshift "
     "VERSION` asks for it.",
     "- type: olm.bundle.object   # and --openshift 4.18\n  value: {data: \"eyJraW5kIjoi…\"}",
     "Write the catalog with `opcat migrate` for OpenShift 4.17 and later; render the bundle without "
     "migration for older versions."},
    // Accepted by opm, and almost certainly mistakes
    {"icon", warning, "an icon does not match its media type, or is large",
     "Consoles pass the bytes to the browser with the media type in the catalog; a browser does not show an "
     "SVG as image/png. Consoles load the icons of all packages: 256 KiB are plenty for one.",
     "icon:\n  base64data: iVBORw0KGgo…   # a PNG\n  mediatype: image/svg+xml",
     "Write the media type of the file (`opcat init --icon FILE` does), and scale large images down."},
    {"unknown-schema", warning, "the schema of a blob looks like a misspelled schema of OLM",
     "Blobs with other schemas are kept but not read, and letter case matters. The channel or bundle that "
     "was meant is then missing, which other findings report.",
     "schema: olm.chanel", "Correct the name."},
    {"unknown-property-type", warning, "the type of a property looks like a misspelled type of OLM",
     "Properties of other types are allowed, but OLM does not read them, and letter case matters.",
     "- type: olm.pakage.required\n  value: {packageName: bar, versionRange: \">=1.0.0\"}",
     "Correct the name."},
    // Schemas in CUE: lib/cue
    {"schema", warning, "a blob or property does not fit its schema",
     "The format's own definitions (`opcat schema list`) are stricter than opm, for example about fields "
     "that must not be empty: these findings are warnings. Findings of a schema that --schema names are "
     "errors.",
     "relatedImages:\n- image: quay.io/example/helper:v1\n  name: \"\"",
     "Write what the definition requires, or leave out an optional field. A note shows the place in the "
     "schema; `opcat schema show NAME` shows all of it."},
    {"schema-file", error, "a schema is not valid CUE, or uses parts of CUE that opcat does not support",
     "`--schema` takes the part of CUE that describes the form of blobs (docs/schemas.md). Other CUE is "
     "refused so that it is not misunderstood.",
     "#Package: {name: strin}", "Correct the text at the mark."},
    {"csv-metadata", error, "the manifests of a bundle cannot be converted to olm.csv.metadata",
     "`--migrate-level bundle-object-to-csv-metadata` decodes the ClusterServiceVersion of each bundle.",
     "- type: olm.bundle.object\n  value: {data: \"eyJraW5kIjoi\"}",
     "Render the bundle again from its image, or do not use the migration."},
    {"legacy-index", error, "an index database is deprecated or cannot be converted to a catalog",
     "Index databases are deprecated, which is a warning each time one is read. Rows that contradict each "
     "other and manifests that do not decode are errors, and opm does not render such a database.",
     "UPDATE package SET default_channel = 'stabel'",
     "Render the index once, correct the result, and keep it as files."},
    // Deprecations
    {"deprecation-reference", error, "a deprecation refers to something that does not exist",
     "Users do not see the message.",
     "- reference: {schema: olm.channel, name: alhpa}\n  message: Use stable.", "Correct the name.",
     of_whole_catalog},
    {"deprecation-message", error, "a deprecation does not have a message", "Users see only the message.",
     "- reference: {schema: olm.package}", "Say what users should do instead."},
    {"deprecation-duplicate", error,
     "something is deprecated twice, or a package has two olm.deprecations blobs",
     "It is not defined which message counts.",
     "schema: olm.deprecations\npackage: foo\n---\nschema: olm.deprecations\npackage: foo", "Join them."},
    {"default-channel-deprecated", warning, "the default channel is deprecated",
     "Users who do not choose a channel get the deprecated one.", "defaultChannel: alpha",
     "Make another channel the default."},
    // Lifecycles
    {"lifecycle-field", warning, "a lifecycle lacks a field, or one has the wrong form",
     "Blobs of the schema io.openshift.operators.lifecycles.v1alpha1 say how long versions are supported. "
     "Consoles "
     "and `opcat plan` show no support for what they cannot read. Fields that opcat does not know are kept.",
     "versions:\n- name: 1.10\n  phases: [{name: Full support, startDate: 2026}]",
     "Write versions as \"1.2\" and days as \"2026-01-31\", in quotes."},
    {"lifecycle-dates", warning, "the phases of a version do not follow each other",
     "Each phase begins on the day after the one before it, and does not end before it begins.",
     "phases:\n- {name: Full support, startDate: \"2026-01-01\", endDate: \"2026-06-30\"}\n"
     "- {name: Maintenance support, startDate: \"2026-08-01\", endDate: \"2026-12-31\"}",
     "Correct the days."},
    {"lifecycle-duplicate", warning, "a package has two lifecycles, or one has a version twice",
     "It is not defined which one counts.",
     "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: foo\n---\n"
     "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: foo",
     "Join them."},
    {"lifecycle-version", note, "a lifecycle has a version that no bundle of its package has",
     "Versions that left the catalog often stay in lifecycles; a misspelled one describes nothing.",
     "package: foo\nversions: [{name: \"11.0\"}]", "Remove the version, or correct its name.",
     of_whole_catalog},
    // All blobs
    {"unknown-field", warning, "a blob has a field that its schema does not have",
     "Unknown fields are dropped when the catalog is rendered. Usually such a field is misspelled and has no "
     "effect.",
     "- name: foo.v1.0.0\n  skiprRange: \">=0.9.0 <1.0.0\"", "Correct the name."},
    {"suppression", warning, "a comment that suppresses findings has no effect",
     "A suppression without a finding would hide the next mistake of its kind.",
     "channel: stable # opcat: ignore[unknown-feild]",
     "Correct or remove the comment: \"# opcat: ignore[RULE] reason\" on the line, or above the field or "
     "blob."},
    // Arguments of validation
    {"policy", error, "a pipeline of a catalog's owner refuses what is checked",
     "`opcat validate --policy` gives the verdicts of the official pipelines: konflux, community and "
     "certified. A "
     "message begins with the name of the official check. What a pipeline passes by mistake is a warning.",
     "opcat validate catalog/ --policy konflux --openshift 4.18",
     "What the finding proposes; docs/policies.md has all checks."},
    // Templates
    {"template", error, "a template does not have what its kind needs",
     "A template without the right schema, with invalid bundles or with versions that cannot be ordered "
     "cannot become a catalog. Unknown keys are errors in a semver template and warnings in others, as opm "
     "treats them.",
     "schema: olm.semver\nstable:\n  bundles:\n  - image: \"\"",
     "Write what docs/authoring.md describes for this kind of template."},
    // Composite catalogs, and parts of catalogs
    {"compose", error, "the references of a composite catalog do not fit together",
     "Each reference gets a directory of its own, so the names must differ. A package that comes from two "
     "references would be defined twice.",
     "references:\n- {name: a, image: \"quay.io/example/foo:v1\"}\n- {name: a, image: "
     "\"quay.io/example/bar:v1\"}",
     "Write what docs/composing-a-catalog.md describes; take every package from one reference only."},
    {"filter", error, "a selection of packages, channels or versions is not valid",
     "opcat filter keeps exactly what a selection names. A field that it does not know would be lost "
     "silently.",
     "packages:\n- {name: foo, chanels: [stable]}", "Write what docs/authoring.md describes for selections."},
    {"image-set", error, "an ImageSetConfiguration cannot be used",
     "opcat reads it as strictly as oc-mirror v2. A field that it does not know, a version that is not one, "
     "or a "
     "default channel that is not kept would mirror something else than its author meant. Releases and Helm "
     "charts, which opcat does not mirror, are named.",
     "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: quay.io/example/index:v1\n    "
     "packages:\n    - name: foo\n      versions: [1.0.0]",
     "Write what docs/disconnected.md describes; mirror releases and charts with oc-mirror from another "
     "file."},
    // Arguments of `opcat semver`
    {"invalid-range", error, "a range is not valid in its dialect",
     "The dialects differ: commas, ^ and ~ belong to Masterminds; alternatives joined by \"||\" also to "
     "blang.",
     "opcat semver match \"^1.0.0\" 1.2.3", "Name the dialect with --dialect, or correct the range."},
    {"invalid-version", error, "a version is not a semantic version",
     "Versions are compared by the rules of semver.org 2.0.0.", "opcat semver sort v1.02.3",
     "Write MAJOR.MINOR.PATCH, without leading zeros."},
};

} // namespace

std::span<const Rule> rules() {
    static const std::vector<Rule> all = [] {
        std::vector<Rule> rules(std::begin(table), std::end(table));
        for (const std::span<const Rule> others : {olm_rules(), bundle_rules()})
            rules.insert(rules.end(), others.begin(), others.end());
        return rules;
    }();
    return all;
}

const Rule* find_rule(std::string_view id) {
    const std::span<const Rule> all = rules();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.id == id; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace opcat
