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
    {"file", error, "every file below a catalog's directory can be read",
     "All files of the directory belong to the catalog unless .indexignore excludes them. Links may lead to "
     "files below the directory only; links to directories, devices and FIFOs cannot be part of a catalog.",
     "catalog/data -> /var/data",
     "Remove the file, correct its permissions, or list it in an .indexignore file."},
    {"syntax", error, "a file is YAML or JSON",
     "Files are YAML 1.1 documents between lines \"---\", or JSON values if the first character is '{'. A "
     "file that is not YAML, such as a README, makes the whole catalog unreadable.",
     "name: foo: bar",
     "Correct the text at the mark. List files that do not belong to the catalog in .indexignore."},
    {"unread", warning, "all of a file is read",
     "opm reads one YAML document between two lines '---', and passes over what follows it: objects in "
     "braces "
     "behind each other, or anything behind a line '...'.",
     "{schema: olm.package, name: gizmo}\n{schema: olm.channel, package: gizmo, name: stable}",
     "Put a line '---' in front of it. JSON is read value by value, but not behind a byte order mark."},
    {"limit", error, "a document stays within the limits of opcat",
     "Nesting, aliases and the number of documents are bounded, so that a hostile file cannot exhaust "
     "memory.",
     "a: &a [*b, *b, *b]", "Simplify the document; docs/limits.md has the numbers."},
    {"not-a-blob", error, "every document is an object",
     "A catalog is a stream of blobs: objects with a schema. A list of blobs, or plain text, is none.",
     "- schema: olm.package", "Put each blob into a document of its own."},
    {"schema-missing", error, "every blob has a schema",
     "The schema says what a blob is. An empty document has none either: a \"---\" too many is enough.",
     "---\n---\nschema: olm.package", "Add a schema, or remove the empty document."},
    {"key-spelling", error, "a blob has one spelling of each key",
     "Letter case does not count in the keys of a blob, so that two spellings of one key contradict each "
     "other.",
     "name: a\nName: b", "Keep one of them."},
    {"key-duplicate", warning, "a key is given once in an object",
     "The last one counts, and what was written with the others is lost without a word: where two blobs have "
     "no line \"---\" between them, the first one.",
     "- name: foo.v1.0.1\n  name: foo.v1.0.0", "Remove one of the two, or add the line that separates them."},
    {"json-as-yaml", warning, "a file that is meant to be JSON is JSON",
     "opm reads as YAML what begins with '{' and is not JSON, and YAML allows a comma behind the last "
     "member. "
     "Other programs that read JSON refuse the file.",
     "{\"schema\": \"olm.package\", \"name\": \"foo\",}", "Correct the text at the mark."},
    {"line-breaks", note, "lines end in LF",
     "opm writes LF, and what it renders differs from the file in every line: so do reviews, once an editor "
     "writes it anew.",
     "schema: olm.package\\r\\n", "`opcat validate --fix` writes LF; a .gitattributes file keeps it so."},
    {"field-type", error, "fields have the type of their schema",
     "Names are strings, entries are lists. In YAML 1.1 an unquoted y, no, on, 1.0 or 0x1F is not a string.",
     "name: no", "Put the value in quotes."},
    {"base64", error, "icons and manifests are valid base64",
     "opm decodes them while it loads the catalog, and fails.", "data: \"@@\"",
     "Encode the content with base64, padding included."},
    {"bundle-object", error, "the value of an olm.bundle.object property is an object with a manifest",
     "It carries a manifest of the bundle, JSON or YAML in base64, in its field \"data\".",
     "- type: olm.bundle.object\n  value: [1]", "Write \"value: {data: BASE64}\"."},
    // Packages
    {"package-name", error, "a package has a name that is an RFC 1123 label",
     "Package names become names of Kubernetes objects: at most 63 lower-case letters, digits and '-'.",
     "schema: olm.package\nname: foo.bar", "Rename the package."},
    {"package-duplicate", error, "a package is defined once",
     "Two definitions contradict each other, and a composed catalog must not contain a package twice.",
     "schema: olm.package\nname: foo\n---\nschema: olm.package\nname: foo", "Keep one olm.package blob."},
    {"empty-catalog", warning, "a catalog is not empty",
     "opm takes an empty directory for a catalog. Mostly the path is not the one that was meant, or an "
     ".indexignore file leaves out all there is.",
     "opcat validate catalogs/   # the catalog is in catalog/", "Correct the path."},
    {"several-catalogs", error, "a catalog is one catalog, not a directory of catalogs",
     "Every file below a directory belongs to one catalog. Given the parent of several catalogs, such as "
     "those "
     "of the versions of a cluster, every package would be defined again and again: nothing else is checked "
     "then.",
     "catalogs/v4.14/foo/catalog.yaml\ncatalogs/v4.16/foo/catalog.yaml",
     "Name the directories of the catalogs: `opcat validate catalogs/*` checks each by itself."},
    {"package-unknown", error, "channels, bundles and deprecations belong to a package of the catalog",
     "What belongs to no package is found by nobody.", "schema: olm.channel\npackage: fooo",
     "Add the olm.package blob, or correct the name.", of_whole_catalog},
    {"default-channel", error, "a package has a default channel that exists",
     "It is what users get who do not choose one.", "schema: olm.package\nname: foo\ndefaultChannel: stabel",
     "Name one of the package's channels.", of_whole_catalog},
    // Channels
    {"channel-name", error, "a channel has a name", "Users subscribe to it by its name.",
     "schema: olm.channel\npackage: foo", "Add a name."},
    {"channel-duplicate", error, "a channel is defined once", "Two definitions contradict each other.",
     "schema: olm.channel\npackage: foo\nname: stable\n---\nschema: olm.channel\npackage: foo\nname: stable",
     "Put all entries into one blob."},
    {"channel-empty", error, "a channel has at least one entry", "There would be nothing to install from it.",
     "entries: []", "Add entries, or remove the channel."},
    {"entry-duplicate", error, "a bundle is an entry of a channel once",
     "Its edges would contradict each other.", "entries:\n- name: foo.v1.0.0\n- name: foo.v1.0.0",
     "Join the edges in one entry."},
    {"entry-without-bundle", error, "every channel entry has a bundle",
     "An entry without a bundle can be chosen for an upgrade and not be installed. What is replaced or "
     "skipped need not exist; entries must.",
     "entries:\n- name: foo.v1.0.1", "Add the olm.bundle blob, correct the name, or remove the entry.",
     of_whole_catalog},
    {"skip-empty", error, "skips name bundles", "An empty name skips nothing and hides a mistake.",
     "skips: [\"\"]", "Name a bundle, or remove the item."},
    {"skip-range-syntax", error, "a skipRange is a range of versions",
     "The range is one of blang/semver: comparisons joined by blanks, alternatives by \"||\". Commas, ^ and "
     "~ mean nothing there.",
     "skipRange: \"^1.0.0\"", "Write it as in \">=1.0.0 <1.2.3\", and try it with `opcat semver match`."},
    {"skip-range-self", warning, "a skipRange does not cover the entry that has it",
     "An entry cannot be upgraded to itself. Ranges are copied from release to release, and the end "
     "forgotten.",
     "- name: foo.v1.2.0\n  skipRange: \">=1.0.0 <=1.2.0\"", "End the range below the entry's version."},
    {"skip-range-empty", note, "a skipRange covers some version of the package",
     "It has no effect in this catalog. It may be meant for versions that only other catalogs have.",
     "- name: foo.v2.0.0\n  skipRange: \">=1.0.0 <1.0.0\"",
     "Correct the range, or leave it if it is for other catalogs.", of_whole_catalog},
    {"replaces-absent", warning, "an entry replaces another entry of its channel",
     "Only the end of the chain may replace something that is not there, since it is where users of older "
     "catalogs come in. Anywhere else the name is a mistake.",
     "- name: foo.v2.0.0\n  replaces: foo.v1.9.9", "Correct the name, or remove the field."},
    {"replaces-newer", warning, "an entry replaces an older version",
     "The upgrade would take users back to an older version. Operators rarely support that. OLM v1 "
     "stays at the newer version.",
     "- name: foo.v1.0.0\n  replaces: foo.v1.1.0\n- name: foo.v1.1.0",
     "Let the newer entry replace the older one. To take a version out of use, remove its entry and let the "
     "next version skip it."},
    // The upgrade graph of a channel
    {"channel-heads", error, "a channel has exactly one head",
     "The head is the entry that nothing replaces or skips: what is installed, and where upgrades lead. With "
     "two of them OLM cannot choose.",
     "entries:\n- name: foo.v1.0.0\n- name: foo.v2.0.0", "Let one of them replace or skip the other.",
     of_whole_catalog},
    {"channel-head", error, "a channel has a head",
     "If every entry is replaced or skipped by another, upgrades lead round in a circle.",
     "entries:\n- name: foo.v1.0.0\n  replaces: foo.v2.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0",
     "Let nothing replace or skip the newest entry."},
    {"channel-cycle", error, "the chain of replaces has an end",
     "From the head the chain must lead to older and older entries, and not back to itself.",
     "entries:\n- name: foo.v3.0.0\n  replaces: foo.v2.0.0\n- name: foo.v2.0.0\n  replaces: foo.v1.0.0\n- "
     "name: foo.v1.0.0\n  replaces: foo.v2.0.0",
     "Let the oldest entry replace nothing of the channel."},
    {"channel-stranded", error, "every entry is on the way to the head",
     "An installed version that the chain of replaces does not reach, and that nothing skips, is never "
     "upgraded. A replaced entry that is skipped ends the chain.",
     "entries:\n- name: foo.v1.0.0\n- name: foo.v2.0.0\n- name: foo.v3.0.0\n  skips: [foo.v2.0.0]",
     "Let an entry of the chain replace or skip it.", of_whole_catalog},
    // Bundles
    {"bundle-name", error, "a bundle has a name", "Channels refer to it by its name.",
     "schema: olm.bundle\npackage: foo", "Add a name."},
    {"bundle-duplicate", error, "a bundle is defined once", "Two definitions contradict each other.",
     "schema: olm.bundle\nname: foo.v1.0.0\n---\nschema: olm.bundle\nname: foo.v1.0.0", "Keep one of them."},
    {"bundle-without-channel", error, "a bundle is an entry of some channel",
     "OLM finds bundles through channels only.", "schema: olm.bundle\nname: foo.v0.9.0",
     "Add an entry to a channel, or remove the bundle.", of_whole_catalog},
    {"bundle-image", error, "a bundle has an image",
     "It holds the manifests to install; only a bundle that carries its manifests in olm.bundle.object "
     "properties can do without.",
     "schema: olm.bundle\nname: foo.v1.0.0", "Add \"image: PULLSPEC\"."},
    {"image-reference", error, "images are valid pull specs", "A cluster could not pull the image.",
     "image: Quay.io/Foo", "Write REGISTRY/REPOSITORY@sha256:DIGEST, all in lower case."},
    {"image-without-digest", note, "related images of the newest bundles have digests",
     "A tag can be moved to another image, and clusters without access to the internet mirror images by "
     "digest. Bundles that are not the head of a channel are released, and stay as they are.",
     "relatedImages:\n- image: quay.io/foo/foo:v1", "Write NAME@sha256:…"},
    {"package-property", error, "a bundle has one olm.package property, which names its package",
     "OLM takes package and version from there.",
     "package: foo\nproperties:\n- type: olm.package\n  value: {packageName: bar, version: 1.0.0}",
     "Name the bundle's own package, once."},
    {"bundle-version", error, "a bundle's version is a semantic version",
     "Versions are compared by the rules of semver.org 2.0.0: three numbers without leading zeros, and no "
     "\"v\".",
     "version: v1.0", "Write MAJOR.MINOR.PATCH."},
    {"version-duplicate", error, "two bundles of a package differ in their version",
     "Which of them is newer could not be told.", "version: 1.0.0", "Raise the version of the newer one."},
    {"bundle-release", error, "a bundle with a release is named after it",
     "Its name is PACKAGE-vVERSION-RELEASE, the version has no build metadata, and the release has at most "
     "20 characters.",
     "name: foo.v1.0.0\nproperties:\n- type: olm.package\n  value: {packageName: foo, version: 1.0.0, "
     "release: \"1\"}",
     "Rename the bundle to foo-v1.0.0-1."},
    {"property-value", error, "values of known property types have their form",
     "OLM decodes them; a value of another form makes the bundle unreadable.",
     "- type: olm.gvk\n  value: {group: 5}", "Give each field the type that its documentation says."},
    {"property-type", warning, "a property has a type", "Nobody can make use of a value without one.",
     "properties:\n- value: 1", "Add a type, or remove the property."},
    // Properties that are read when OLM resolves: check_properties.cpp
    {"dependency", warning, "OLM classic can read what a bundle requires",
     "opm takes any text for a range of versions or an expression. OLM reads it when it resolves, and then "
     "resolves nothing in the namespace that would need the bundle.",
     "- type: olm.package.required\n  value: {packageName: bar, versionRange: banana}",
     "Correct the value; ranges are those of blang/semver, as in \">=1.0.0 <2.0.0\"."},
    {"max-openshift-version", warning, "OpenShift can read a bundle's olm.maxOpenShiftVersion",
     "It keeps a cluster from an upgrade that the operator does not support. One that cannot be read blocks "
     "every upgrade to the next minor version of OpenShift.",
     "- type: olm.maxOpenShiftVersion\n  value: v4.18", "Write \"value: \\\"4.18\\\"\", once."},
    // What is allowed and surely a mistake
    {"icon", warning, "an icon is of its media type, and small",
     "Consoles hand the bytes to the browser with the media type that the catalog says; a browser does not "
     "show an SVG as image/png. And they load the icons of all packages: 256 KiB are plenty for one.",
     "icon:\n  base64data: iVBORw0KGgo…   # a PNG\n  mediatype: image/svg+xml",
     "Write the media type of the file (`opcat init --icon FILE` does), and scale large images down."},
    {"unknown-schema", warning, "the schema of a blob is not nearly one that OLM knows",
     "Blobs of other schemas are kept and not read: letter case counts in the name. The channel or bundle "
     "that "
     "was meant is then missing, which other findings tell.",
     "schema: olm.chanel", "Correct the name."},
    {"unknown-property-type", warning, "the type of a property is not nearly one that OLM knows",
     "Properties of other types are allowed, and OLM does not read them: letter case counts in the name.",
     "- type: olm.pakage.required\n  value: {packageName: bar, versionRange: \">=1.0.0\"}",
     "Correct the name."},
    // Schemas in CUE: lib/cue
    {"schema", warning, "blobs and properties are as their schemas define them",
     "The format's own definitions (`opcat schema list`) say more than opm enforces, such as which fields "
     "must "
     "not be empty: that is a warning. What a schema given with --schema says is an error where it does not "
     "hold.",
     "relatedImages:\n- image: quay.io/example/helper:v1\n  name: \"\"",
     "Write what the definition wants; an optional field may be left out. The note tells where the schema "
     "says "
     "so, and `opcat schema show NAME` shows all of it."},
    {"schema-file", error, "a schema is CUE, as far as opcat knows it",
     "`--schema` takes the part of CUE that describes the form of blobs (docs/schemas.md); what else CUE has "
     "is "
     "refused rather than misunderstood.",
     "#Package: {name: strin}", "Correct the text at the mark."},
    {"csv-metadata", error, "the manifests that a bundle carries can be made into olm.csv.metadata",
     "`--migrate-level bundle-object-to-csv-metadata` decodes the ClusterServiceVersion of each bundle.",
     "- type: olm.bundle.object\n  value: {data: \"eyJraW5kIjoi\"}",
     "Render the bundle anew from its image, or leave the migration out."},
    {"legacy-index", error, "an index database holds what opm makes a catalog of",
     "Index databases are deprecated, which is a warning each time one is read. Rows that contradict each "
     "other, or manifests that do not decode, are errors: opm does not render the database then.",
     "UPDATE package SET default_channel = 'stabel'",
     "Render the index once, correct the result, and keep it as files."},
    // Deprecations
    {"deprecation-reference", error, "what is deprecated exists", "Nobody would see the message.",
     "- reference: {schema: olm.channel, name: alhpa}\n  message: Use stable.", "Correct the name.",
     of_whole_catalog},
    {"deprecation-message", error, "a deprecation has a message", "It is all that users see.",
     "- reference: {schema: olm.package}", "Say what to do instead."},
    {"deprecation-duplicate", error,
     "a thing is deprecated once, and a package has one olm.deprecations blob",
     "Which message counts could not be told.",
     "schema: olm.deprecations\npackage: foo\n---\nschema: olm.deprecations\npackage: foo", "Join them."},
    {"default-channel-deprecated", warning, "the default channel is not deprecated",
     "Users who do not choose a channel would get the deprecated one.", "defaultChannel: alpha",
     "Make another channel the default."},
    // All blobs
    {"unknown-field", warning, "blobs have only the fields of their schema",
     "What is not known is dropped when the catalog is rendered. Mostly it is a typing mistake, and what was "
     "meant has no effect.",
     "- name: foo.v1.0.0\n  skiprRange: \">=0.9.0 <1.0.0\"", "Correct the name."},
    {"suppression", warning, "a comment that suppresses findings names rules that are broken there",
     "What is suppressed and not there any more would hide the next mistake of its kind.",
     "channel: stable # opcat: ignore[unknown-feild]",
     "Correct or remove the comment: \"# opcat: ignore[RULE] reason\" on the line, or above the field or "
     "blob."},
    // What validation is asked for
    {"configuration", error, "a configuration file has known settings only",
     "A setting that opcat does not know would have no effect, and nobody would notice.",
     "rules:\n  unknown-feild: error", "Write what docs/configuration.md says."},
    {"baseline", error, "a baseline is a list of findings that this version of opcat reads",
     "The findings that it was meant to hide would be reported, or others hidden.",
     "{\"schema\": \"opcat.baseline.v0\"}", "Write it again with `--write-baseline FILE`."},
    {"format-loss", error, "formatting a file loses nothing",
     "`opcat fmt` writes the form that opm writes, which has no place for tags. It refuses a file that has "
     "any, "
     "rather than dropping them.",
     "data: !!binary aGVsbG8=", "Write the value so that it needs no tag."},
    // Templates
    {"template", error, "a template says what its kind needs",
     "A template without the right schema, with bundles that are none or versions without an order cannot "
     "become a catalog.",
     "schema: olm.semver\nstable:\n  bundles:\n  - image: \"\"",
     "Write what docs/authoring.md says about this kind of template."},
    // Composite catalogs, and parts of catalogs
    {"compose", error, "a composite catalog is made of references that fit together",
     "Each reference gets a directory of its own, so their names are different; and a package that comes "
     "from two of them would be there twice.",
     "references:\n- {name: a, image: \"quay.io/example/foo:v1\"}\n"
     "- {name: a, image: \"quay.io/example/bar:v1\"}",
     "Write what docs/composing-a-catalog.md says; let every package come from one reference."},
    {"filter", error, "a selection names packages, channels and ranges of versions",
     "opcat filter keeps what a selection says, and nothing else: a field that it does not know would be "
     "lost without a word.",
     "packages:\n- {name: foo, chanels: [stable]}", "Write what docs/authoring.md says about selections."},
    // What the upgrade graph means for installed versions: health.cpp
    {"graph-no-way", warning, "OLM classic finds a way from every entry to the head of its channel",
     "Who has that version installed is never upgraded. Mostly an entry is skipped only by entries that are "
     "skipped themselves: OLM classic does not look at those.",
     "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skips: [foo.v1.0.0]\n- name: foo.v1.2.0\n  skips: "
     "[foo.v1.1.0]",
     "Let an entry that is not skipped replace or skip it, or cover it with a skipRange."},
    {"graph-loop", warning, "upgrades come to an end",
     "An older entry whose skipRange covers a newer version takes its users back, and the newer one forward "
     "again, for ever.",
     "- name: foo.v1.0.0\n  skipRange: \">=0.9.0\"\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0",
     "End the skipRange of each entry below the entry's own version."},
    {"graph-ambiguous", warning, "of the successors of a version one is to be preferred",
     "OLM v1 takes the highest version; between two bundles of one version nothing decides.",
     "- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0-b\n  replaces: foo.v1.0.0",
     "Give one of them another version."},
    {"graph-skip-range-gap", warning, "a skipRange leaves no version out in the middle",
     "What lies between versions that are covered, and has no other way to the entry, stays behind.",
     "- name: foo.v2.0.0\n  skipRange: \">=1.0.0 <1.1.0 || >=1.2.0 <2.0.0\"",
     "Widen the range, or skip the version by name."},
    {"graph-unreachable", note, "an entry can be upgraded to",
     "An entry that replaces, skips and covers nothing is only for new installations: nobody who has an "
     "older "
     "version gets it.",
     "- name: foo.v1.0.0\n- name: foo.v2.0.0", "Add replaces, skips or a skipRange if it should be reached."},
    {"graph-channel-switch", note, "the default channel leads on from versions of other channels",
     "A subscription that changes its channel keeps its version when the new channel has no way on from it.",
     "channel fast has foo.v1.5.0, channel stable has foo.v1.0.0 and foo.v2.0.0, which replaces foo.v1.0.0",
     "Let an entry of the default channel skip or cover those versions, or tell users where to wait."},
    {"graph-minor-step", note, "a channel leads on from the minor version before its first",
     "Users change from channel to channel as minor versions come out. Where nothing in the new channel "
     "replaces, skips or covers a version of the old one, their operator stays at it.",
     "channel v1.1 has foo.v1.1.0, which replaces nothing; channel v1.0 has foo.v1.0.0",
     "Let the first entry of the channel replace or skip the last version of the minor version before, or "
     "cover "
     "all of them with a skipRange."},
    {"default-channel-old", note, "the default channel has the newest stable version",
     "It is what users get who do not choose one. Channels whose names say that they are for trying (alpha, "
     "candidate, fast, …), deprecated ones and prereleases do not count.",
     "defaultChannel: v1.0   # channel v1.1 has foo.v1.1.0",
     "Make the newest channel the default, unless users are to stay with the older one."},
    {"platform-range", warning, "what bundles say about Kubernetes and OpenShift fits together",
     "OpenShift 4.N has Kubernetes 1.(N+13). A bundle whose minKubeVersion is beyond its "
     "olm.maxOpenShiftVersion runs nowhere on OpenShift. If a bundle supports fewer versions than the bundle "
     "that it replaces, users of the others cannot upgrade. If it accepts an older Kubernetes than the "
     "bundle "
     "that it replaces, users of that version cannot reach it; this is a note.",
     "properties:\n- type: olm.maxOpenShiftVersion\n  value: \"4.10\"\n- type: olm.csv.metadata\n  value: "
     "{minKubeVersion: 1.25.0}",
     "Correct the versions."},
    // What OLM classic makes of a cluster: lib/resolve/classic/guards.hpp
    {"manifest", error, "a cluster's manifests are Kubernetes objects",
     "`opcat resolve classic --cluster` reads objects, and lists of them, as kubectl prints them.",
     "metadata:\n  name: foo", "Write files with `kubectl get … -o yaml`."},
    {"classic-no-subscription", note, "a namespace that is resolved has a Subscription",
     "OLM leaves other namespaces alone, even if what is installed in them does not fit together.",
     "opcat resolve classic -n a-typo", "Correct the namespace, or ask what a Subscription would do."},
    {"classic-operator-group", error, "a namespace has one OperatorGroup",
     "It says which namespaces the operators watch. Without one, or with two, OLM installs nothing.",
     "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: second, namespace: "
     "operators}",
     "Make one, or remove all but one."},
    {"classic-install-mode", error, "an operator supports the namespaces that its OperatorGroup selects",
     "Its ClusterServiceVersion lists the install modes that it supports; with another selection it fails "
     "(UnsupportedOperatorGroup).",
     "installModes:\n- {type: AllNamespaces, supported: false}",
     "Change the group's targetNamespaces, or install the operator in another namespace."},
    {"classic-api-conflict", error, "an API is provided once in each namespace",
     "If two OperatorGroups select a namespace and the operators of both own an API, the second operator "
     "fails (InterOperatorGroupOwnerConflict).",
     "an OperatorGroup for all namespaces, and another one, with the same operator installed in both",
     "Let the groups select different namespaces, or remove one of the operators."},
    {"classic-static-group", error, "a static OperatorGroup provides the APIs of its operators",
     "OLM does not add to the annotation olm.providedAPIs of such a group; an operator that needs it fails "
     "(CannotModifyStaticOperatorGroupProvidedAPIs).",
     "spec:\n  staticProvidedAPIs: true",
     "Add the APIs to the annotation, or set staticProvidedAPIs: false."},
    {"classic-crd-stored-version", error, "a new CustomResourceDefinition keeps the versions that are stored",
     "Objects in the cluster's database could not be read any more.",
     "status:\n  storedVersions: [v1alpha1, v1]",
     "Migrate the stored objects, and remove the version from status.storedVersions."},
    {"classic-crd-served-version", error, "a new CustomResourceDefinition keeps the versions that are served",
     "OLM refuses to remove a version at once.", "versions:\n- {name: v1alpha1, served: true}",
     "Release one version of the operator with served: false first."},
    {"classic-crd-instance", warning, "existing objects are valid against a new CustomResourceDefinition",
     "If several operators own it, OLM refuses the upgrade. If one does, it goes on, and the objects can no "
     "longer be changed.",
     "spec:\n  size: large        # the new schema wants an integer", "Change the objects first."},
    {"classic-not-upgradeable", error, "an operator that says it cannot be upgraded is left alone",
     "OLM waits while the OperatorCondition has Upgradeable=False.",
     "conditions:\n- {type: Upgradeable, status: \"False\", reason: Migrating}",
     "Wait, or override the condition in spec.overrides."},
    {"classic-catalog-unhealthy", warning, "all catalogs that a namespace sees answer",
     "One that does not keeps OLM from resolving anything there.",
     "status:\n  connectionState: {lastObservedState: TRANSIENT_FAILURE}",
     "Repair the CatalogSource, or remove it."},
    {"classic-catalog-missing", error, "the catalogs of a cluster's CatalogSources are given",
     "What OLM would resolve with a catalog that opcat does not have is not known.",
     "a CatalogSource in --cluster, and no --catalog for it",
     "Give it with --catalog NAMESPACE/NAME=REF, or leave the CatalogSource out of the manifests."},
    {"classic-pending-plan", warning, "no InstallPlan waits for approval",
     "While it waits, OLM may resolve nothing else in its namespace.", "spec:\n  approved: false",
     "Approve it, or delete it to have OLM make a new one."},
    {"classic-copied-csv", warning, "an operator is not there as a copy already",
     "OLM copies the ClusterServiceVersions of operators that watch other namespaces there. The resolver "
     "does not "
     "look at copies: the operator would be installed twice, or what it provides is missing.",
     "metadata:\n  labels: {olm.copiedFrom: operators}",
     "Use the operator that is there, or install both into the same namespace."},
    {"classic-manual-approval", warning, "approving one upgrade does not approve others",
     "One Subscription with installPlanApproval: Manual makes the InstallPlan of its whole namespace manual, "
     "and it is approved as a whole.",
     "spec:\n  installPlanApproval: Manual", "Put such operators into namespaces of their own."},
    {"classic-constraint-size", warning, "an olm.constraint is as short as the documents ask",
     "The resolver takes more than they allow, but need not always.", "- type: olm.constraint\n  value: …",
     "Split it."},
    {"classic-expression-cost", warning, "the expressions of constraints are evaluated in bounded time",
     "OLM has no such limit: it evaluates them for each candidate.",
     "rule: properties.all(a, properties.all(b, …))", "Write a simpler expression."},
    {"classic-fail-forward", note, "upgrades do not go on from a failed operator",
     "With upgradeStrategy: TechPreviewUnsafeFailForward they do.",
     "spec:\n  upgradeStrategy: TechPreviewUnsafeFailForward", "Nothing, if that is what you want."},
    // What OLM v1 is asked for
    {"cluster-extension", error, "a ClusterExtension is one that the API server takes",
     "`opcat resolve v1 -f` checks it by the rules of its CustomResourceDefinition.",
     "spec:\n  source:\n    sourceType: Image", "Correct the field that the message names."},
    // Arguments of `opcat semver`
    {"invalid-range", error, "a range is one of its dialect",
     "The dialects differ: commas, ^ and ~ are Masterminds', and blang's alternatives are joined by \"||\".",
     "opcat semver match \"^1.0.0\" 1.2.3", "Name the dialect with --dialect, or correct the range."},
    {"invalid-version", error, "a version is a semantic version",
     "Versions are compared by the rules of semver.org 2.0.0.", "opcat semver sort v1.02.3",
     "Write MAJOR.MINOR.PATCH, without leading zeros."},
};

} // namespace

std::span<const Rule> rules() {
    static const std::vector<Rule> all = [] {
        std::vector<Rule> rules(std::begin(table), std::end(table));
        const std::span<const Rule> others = bundle_rules();
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
