"""Templates as catalogs: validate, graph, list and diff look at them before they are rendered."""
import unittest

from opcat_case import OpcatCase
from test_template import ANNOTATIONS, CSV

CHANNEL = """entries:
- schema: olm.package
  name: foo
  defaultChannel: stable
- schema: olm.channel
  package: foo
  name: stable
  entries:
  - name: foo.v1.0.0
"""
BASIC = "schema: olm.template.basic\n" + CHANNEL + """  - name: foo.v1.1.0
    replaces: foo.v1.0.0
  - name: foo.v1.2.0
    replaces: foo.v1.1.0
    skipRange: '>=1.0.0 <1.2.0'
- schema: olm.bundle
  image: r.example/foo:v1.0.0
- schema: olm.bundle
  image: r.example/foo:v1.1.0
- schema: olm.bundle
  image: r.example/foo:v1.2.0
- schema: olm.deprecations
  package: foo
  entries:
  - reference: {schema: olm.bundle, name: foo.v1.0.0}
    message: old
"""
SEMVER = """schema: olm.semver
generateMajorChannels: true
stable:
  bundles:
  - image: r.example/foo:v1.0.0
"""
SUBSTITUTES = "schema: olm.template.substitutes\n" + CHANNEL + """- schema: olm.bundle
  package: foo
  name: foo.v1.0.0
  image: r.example/foo:v1.0.0
  properties:
  - type: olm.package
    value: {packageName: foo, version: 1.0.0}
substitutions:
- name: r.example/foo:v1.0.1
  base: foo.v1.0.0
"""
LAST_BUNDLE = "- schema: olm.bundle\n  image: r.example/foo:v1.2.0\n"
UNKNOWN = "without the bundles of the template: --resolve-images pulls them"


class UnrenderedTemplate(OpcatCase):
    def findings(self, text, *flags):
        """(line, severity, rule) of each."""
        self.write("t.yaml", text)
        result = self.opcat("validate", "t.yaml", "--format", "json", *flags)
        findings = result.json()["findings"]
        self.assertEqual(result.status, 1 if any(f["severity"] == "error" for f in findings) else 0)
        return [(f.get("range", {"start": {"line": 0}})["start"]["line"], f["severity"], f["rule"]) for f in findings]

    def test_a_good_template_has_no_findings_and_its_bundles_are_said_to_be_unknown(self):
        for text in (BASIC, SEMVER, SUBSTITUTES):
            self.assertEqual(self.findings(text), [])
            result = self.opcat("validate", "-", stdin=text)
            self.assertIn(UNKNOWN, result.err)

    def test_a_misspelt_edge_does_not_hide_a_default_channel_that_does_not_exist(self):
        text = BASIC.replace("    replaces: foo.v1.0.0", "    replacess: foo.v1.0.0").replace("defaultChannel: stable", "defaultChannel: stabel")
        self.assertEqual(self.findings(text), [(5, "error", "default-channel"), (12, "error", "unknown-field")])

    def test_an_image_that_is_not_a_pull_spec_is_found_without_pulling_the_others(self):
        for wrong in ("https://r.example/foo:v1.0.0", "foo@v1.0.0"):
            for text, line in ((BASIC, 17), (SEMVER, 5)):
                with self.subTest(wrong, line=line):
                    found = self.findings(text.replace("r.example/foo:v1.0.0", wrong) + ("  - image: r.example/foo:v2\n" if text == SEMVER else ""))
                    self.assertEqual([(at, severity) for at, severity, _ in found], [(line, "error")])

    def test_a_bundle_that_is_listed_twice_in_a_channel_is_an_error(self):
        self.assertEqual(self.findings(SEMVER + "  - image: r.example/foo:v1.0.0\n"), [(6, "error", "template")])
        self.assertEqual(self.findings(SEMVER + "fast:\n  bundles:\n  - image: r.example/foo:v1.0.0\n"), [])

    def test_a_bundle_in_place_of_another_one_is_one_mistake(self):
        text = BASIC.replace("image: r.example/foo:v1.2.0", "image: r.example/foo:v1.1.0")
        self.assertEqual(self.findings(text), [(21, "error", "entry-without-bundle")])

    def test_a_template_of_no_known_kind_is_an_error(self):
        self.assertEqual(self.findings(SEMVER.replace("olm.semver", "olm.semvr")), [(1, "error", "unknown-schema")])
        self.assertEqual(self.findings("schema: olm.composite\ncomponents: []\n"), [(1, "error", "template")])

    def test_misspelt_entries_are_the_cause_of_an_empty_catalog(self):
        self.assertEqual(self.findings(BASIC.replace("entries:", "entrys:", 1)), [(2, "error", "template")])

    def test_each_mistake_is_named_at_its_own_line(self):
        cases = [(BASIC, "defaultChannel: stable", "defaultChannel: stabel", (5, "error", "default-channel")),
                 (BASIC, "    replaces: foo.v1.0.0", "    replacess: foo.v1.0.0", (12, "error", "unknown-field")),
                 (BASIC, "    replaces: foo.v1.1.0\n    skipRange: '>=1.0.0 <1.2.0'\n", "", (13, "error", "channel-heads")),
                 (BASIC, "'>=1.0.0 <1.2.0'", "'>=1.0.0, <1.2.0'", (15, "error", "skip-range-syntax")),
                 (BASIC, LAST_BUNDLE, "", (13, "error", "entry-without-bundle")),
                 (BASIC, "  image: r.example/foo:v1.2.0", "  imgae: r.example/foo:v1.2.0", (20, "error", "template")),
                 (BASIC, "  image: r.example/foo:v1.2.0", "  image: r.example/foo:v1.2.0\n  note: x", (22, "warning", "template")),
                 (BASIC, LAST_BUNDLE, LAST_BUNDLE.replace("olm.bundle", "olm.bundel"), (20, "error", "unknown-schema")),
                 (BASIC, "foo:v1.2.0", "foo:v1.1.0", (21, "error", "entry-without-bundle")),
                 (BASIC, "name: foo.v1.0.0}", "name: foo.v1.0}", (25, "error", "deprecation-reference")),
                 (BASIC, "entries:\n- schema: olm.package", "notes: x\nentries:\n- schema: olm.package", (2, "warning", "template")),
                 (BASIC, "  package: foo\n  name: stable", "  package: fo\n  name: stable", (7, "error", "package-unknown")),
                 (SEMVER, "generateMajorChannels", "generateMajorChannel", (2, "error", "template")),
                 (SEMVER, "stable", "stabel", (3, "error", "template")),
                 (SEMVER, "bundles", "bundels", (4, "error", "template")),
                 (SEMVER, "image: r.example/foo:v1.0.0", "image: ''", (5, "error", "template")),
                 (SUBSTITUTES, "version: 1.0.0", "version: 1.0", (17, "error", "property-value")),
                 (SUBSTITUTES, "base: foo.v1.0.0", "base: foo.v1.0", (20, "error", "template")),
                 (SUBSTITUTES, "  base:", "  bas:", (20, "warning", "template")),
                 (SUBSTITUTES, "defaultChannel: stable", "defaultChannel: stabel", (5, "error", "default-channel"))]
        for text, right, wrong, expected in cases:
            with self.subTest(wrong):
                self.assertIn(right, text)
                self.assertIn(expected, self.findings(text.replace(right, wrong, 1)))

    def test_a_template_without_what_a_catalog_is_made_of_is_empty(self):
        for text, error in (("schema: olm.template.basic\nentires: []\n", (2, "error", "template")),
                            ("schema: olm.template.substitutes\n", (0, "error", "empty-catalog"))):
            self.assertIn(error, self.findings(text))
            self.assertNotIn("error", [severity for _, severity, _ in self.findings(text, "--allow-empty")])

    def test_too_few_bundles_are_an_error_even_if_nothing_tells_which_are_missing(self):
        text = BASIC.replace(LAST_BUNDLE, "").replace("foo:v1.1.0", "foo@sha256:" + "a" * 64).replace("foo:v1.0.0", "foo@sha256:" + "b" * 64)
        self.assertEqual(self.findings(text), [(6, "error", "entry-without-bundle")])
        self.assertIn("the channels have 3 entries of different names, and the template has 2 bundles: some have no bundle",
                      self.opcat("validate", "t.yaml").out)

    def test_other_documents_are_left_out_as_opm_does(self):
        self.assertEqual(self.findings(BASIC + "---\nschema: olm.package\nname: bar\n"), [(28, "warning", "template")])

    def test_with_bundles_in_directories_all_rules_run(self):
        for version in ("1.0.0", "1.1.0", "1.2.0"):
            self.write(f"b/{version}/manifests/csv.yaml", CSV.format(version))
            self.write(f"b/{version}/metadata/annotations.yaml", ANNOTATIONS)
        local = BASIC.replace("r.example/foo:v", "./b/")
        self.assertEqual([f for f in self.findings(local) if f[1] == "error"], [])
        self.assertNotIn(UNKNOWN, self.opcat("validate", "t.yaml").err)
        self.assertIn((13, "error", "entry-without-bundle"), self.findings(local.replace("foo.v1.2.0", "foo.v1.3.0")))
        semver = SEMVER.replace("r.example/foo:v", "./b/")
        self.assertEqual([f for f in self.findings(semver) if f[1] == "error"], [])
        self.assertEqual(self.opcat("list", "channels", "t.yaml", "-o", "name").out, "stable-v1\n")
        self.write("elsewhere/t.yaml", local)
        result = self.opcat("validate", "elsewhere/t.yaml")
        self.assert_status(result, 1)
        self.assertIn("elsewhere/t.yaml:17:10: error: ./b/1.0.0 is outside of the template's directory: from the working directory, it is ", result.out)
        self.assertNotIn("is outside", self.opcat("validate", "elsewhere/t.yaml", "--bundle-dir", "b").out)
        missing = self.findings_of_missing(local.replace("./b/1.2.0", "./b/9"))
        self.assertIn("t.yaml:21:10: error: cannot read ./b/9: no such file or directory", missing)

    def test_findings_of_generated_channels_are_at_what_they_are_generated_from(self):
        for version in ("1.0.0", "1.0.0+1", "1.2.0", "1.3.0", "2.0.0"):
            self.write(f"b/{version}/manifests/csv.yaml", CSV.format(version).replace("name: foo.v1.0.0+1", "name: foo.v1.0.0-1"))
            self.write(f"b/{version}/metadata/annotations.yaml", ANNOTATIONS)

        def template(**archetypes):
            """Line 3 has the first archetype, line 5 its first bundle."""
            return "Schema: olm.semver\ngenerateMinorChannels: true\n" + "".join(
                f"{archetype}:\n  Bundles:\n" + "".join(f"  - Image: ./b/{version}\n" for version in versions) for archetype, versions in archetypes.items())
        cases = [(template(Fast=["1.2.0"], Stable=["1.0.0", "1.3.0"]), [(3, "note", "graph-minor-step"), (3, "note", "graph-channel-switch"), (6, "warning", "graph-minor-step"), (9, "warning", "icon")]),
                 (template(stable=["1.0.0", "2.0.0"], Candidate=["1.2.0"]), [(3, "note", "graph-channel-switch"), (6, "warning", "icon"), (7, "warning", "graph-channel-switch")]),
                 (template(fast=["1.0.0+1"], stable=["1.3.0", "1.0.0", "1.0.0+1"]), [(10, "error", "template")]),
                 (template(fast=["1.2.0"]), [(5, "warning", "icon")])]
        for text, expected in cases:
            with self.subTest(text):
                found = self.findings(text, "--severity", "note")
                self.assertEqual([f for f in found if f[2] in [rule for _, _, rule in expected]], expected)

    def test_a_semver_template_is_of_its_package_and_gets_no_advice_that_it_cannot_follow(self):
        for version in ("1.2.0", "1.3.0"):
            self.write(f"b/{version}/manifests/csv.yaml", CSV.format(version))
            self.write(f"b/{version}/metadata/annotations.yaml", ANNOTATIONS)
        text = SEMVER.replace("r.example/foo:v1.0.0", "./b/1.3.0") + "fast:\n  bundles:\n  - image: ./b/1.2.0\n"
        self.write(".opcat.yaml", "overrides: [{packages: [foo], rules: {icon: off}}]\n")
        self.assertEqual(self.findings(text), [(3, "warning", "graph-minor-step"), (6, "note", "graph-channel-switch")])
        result = self.opcat("validate", "t.yaml", "--severity", "note")
        self.assertEqual(result.out.count('  help: name a bundle of 1.2 among those of "stable-v1", too\n'), 2)
        self.assertNotIn("skipRange", result.out)
        self.write(".opcat.yaml", "overrides: [{packages: [foo], rules: {icon: off, graph-minor-step: off, graph-channel-switch: off}}]\n")
        self.assertEqual(self.findings(text), [])

    def findings_of_missing(self, text):
        self.write("t.yaml", text)
        result = self.opcat("validate", "t.yaml")
        self.assert_status(result, 3)
        return result.out

    def test_graph_list_and_diff_show_what_the_channels_say(self):
        self.write("t.yaml", BASIC)
        self.write("old.yaml", BASIC.replace("    replaces: foo.v1.1.0\n", "").replace("1.0.0 <1.2.0", "1.1.0 <1.2.0"))
        for command, words in ((("graph", "t.yaml"), "foo.v1.2.0     head"), (("list", "bundles", "t.yaml"), "foo.v1.1.0  1.1.0"),
                               (("list", "packages", "t.yaml", "-o", "name"), "foo"), (("diff", "old.yaml", "t.yaml"), "foo.v1.2.0")):
            with self.subTest(command):
                result = self.opcat(*command)
                self.assert_status(result, 0)
                self.assertIn(words, result.out)
                self.assertIn("warning: the bundles of t.yaml are unknown: ", result.err)
        result = self.opcat("graph", "t.yaml", "--from", "foo.v1.0.0")
        self.assert_status(result, 0)
        self.assertIn("foo.v1.2.0", result.out)
        result = self.opcat("list", "images", "t.yaml")
        self.assert_status(result, 2)
        self.assertIn("most images are named in the bundles of the template", result.err)
        self.assertEqual(self.opcat("diff", "t.yaml", "t.yaml").out, "no changes of channels; the bundles were not compared\n")
        self.assertIn("No changes of channels. The bundles were not compared.", self.opcat("diff", "t.yaml", "t.yaml", "-o", "markdown").out)
        self.assertIn("The bundles were not compared.", self.opcat("diff", "t.yaml", "t.yaml", "-o", "html").out)
        self.assertIs(self.opcat("diff", "t.yaml", "t.yaml", "-o", "json").json()["bundlesCompared"], False)
        self.write("s.yaml", SEMVER)
        for command in ("graph",), ("list", "channels"), ("diff", "t.yaml"):
            result = self.opcat(*command, "s.yaml")
            self.assert_status(result, 2)
            self.assertIn("s.yaml has no channels yet: those of a semver template come from the versions of its bundles", result.err)

    def test_resolve_images_asks_the_registry(self):
        self.write("t.yaml", BASIC.replace("r.example", "localhost:1"))
        result = self.opcat("validate", "t.yaml", "--resolve-images", env={"no_proxy": "*"})
        self.assert_status(result, 3)
        self.assertIn("t.yaml:17:10: error: cannot pull localhost:1/foo:v1.0.0: ", result.out)

    def test_fixes_are_applied_in_the_template(self):
        self.write("t.yaml", BASIC.replace("    replaces: foo.v1.0.0", "    replacess: foo.v1.0.0"))
        self.assert_status(self.opcat("validate", "t.yaml", "--fix"), 0)
        self.assertEqual((self.dir / "t.yaml").read_text(), BASIC)

    def test_comments_and_levels_apply(self):
        text = BASIC.replace("    replaces: foo.v1.0.0", "    note: x # opcat: ignore[unknown-field]\n    replaces: foo.v1.0.0")
        self.assertEqual(self.findings(text), [])
        self.assertEqual(self.findings(text.replace(" # opcat: ignore[unknown-field]", ""), "--rule", "unknown-field=off"), [])

    def test_a_template_in_the_directory_of_a_catalog_is_not_taken_for_checked(self):
        self.write("c/t.yaml", BASIC)
        result = self.opcat("validate", "c")
        self.assertIn("c/t.yaml:1:1: error: a template in the directory of a catalog is not checked", result.out)
        self.assert_status(result, 1)  # there is nothing else
        self.write("c/p.yaml", "schema: olm.package\nname: p\ndefaultChannel: c\n")
        self.assertIn("c/t.yaml:1:1: warning: a template in the directory of a catalog is not checked", self.opcat("validate", "c").out)

    def test_blobs_that_are_not_a_template_get_a_hint(self):
        result = self.opcat("template", "render", stdin="schema: olm.package\nname: a\n---\nschema: olm.channel\nname: b\n")
        self.assert_status(result, 1)
        self.assertIn("put below `entries:`", result.err)

    def test_a_misspelt_schema_is_named(self):
        for text in (BASIC, SEMVER, SUBSTITUTES):
            schema = text.split()[1]
            self.assertIn((1, "error", "unknown-schema"), self.findings(text.replace(schema, schema[:-2] + schema[-1], 1)))

    def test_commands_that_need_a_catalog_say_how_to_make_it(self):
        self.write("t.yaml", BASIC)
        for command in (("render", "t.yaml"), ("filter", "t.yaml", "-p", "foo"), ("render", "-")):
            result = self.opcat(*command, stdin=BASIC)
            self.assert_status(result, 2)
            self.assertEqual(result.out, "")
            self.assertIn("is a template, not a catalog\n  help: `opcat template render` makes the catalog", result.err)

    def test_opm_takes_them_for_blobs(self):
        self.write("c/t.yaml", BASIC.replace("stable", "stabel", 1))
        self.assert_status(self.opm("validate", "c"), 0)


if __name__ == "__main__":
    unittest.main()
