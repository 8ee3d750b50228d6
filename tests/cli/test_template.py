"""opcat template: from the command line, with bundle directories for images."""
import os
import pty
import subprocess
import unittest

from opcat_case import BINARY, OPM, OpcatCase

CSV = """apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {{name: foo.v{0}}}
spec:
  version: {0}
  description: version {0}
  icon: [{{base64data: QUI=, mediatype: image/png}}]
"""
ANNOTATIONS = """annotations:
  operators.operatorframework.io.bundle.package.v1: foo
  operators.operatorframework.io.bundle.channels.v1: stable
"""
SEMVER = """schema: olm.semver
generateMajorChannels: true
stable: {bundles: [{image: ./b1.0.0}, {image: ./b1.0.1}]}
"""
BASIC = """schema: olm.template.basic
entries:
- {schema: olm.package, name: foo, defaultChannel: stable}
- {schema: olm.bundle, image: ./b1.0.0}
"""


class Template(OpcatCase):
    def setUp(self):
        super().setUp()
        for version in ("1.0.0", "1.0.1"):
            self.write(f"b{version}/manifests/csv.yaml", CSV.format(version))
            self.write(f"b{version}/metadata/annotations.yaml", ANNOTATIONS)
        self.write("semver.yaml", SEMVER)
        self.write("basic.yaml", BASIC)

    def run_in_every_way(self, command, kind, schema, text, more=()):
        """The output, which is the same for every way to name the type and the file of the template."""
        self.write("template.yaml", text)
        ways = [(["template.yaml"], ""), ([kind, "template.yaml"], ""), ([schema, "template.yaml"], ""),
                ([kind], text), (["-"], text), ([kind, "-"], text), ([], text)]
        outputs = set()
        for arguments, stdin in ways:
            result = self.run_binary(*command, *arguments, *more, stdin=stdin)
            self.assert_status(result, 0)
            outputs.add(result.out)
        self.assertEqual(len(outputs), 1)
        return result.blobs()

    def test_every_way_to_name_type_and_file(self):
        package, channel, *bundles = self.run_in_every_way((BINARY, "template", "render"), "semver", "olm.semver", SEMVER,
                                                         ("--bundle-dir", "."))
        self.assertEqual((package["name"], package["defaultChannel"], package["description"]),
                         ("foo", "stable-v1", "version 1.0.1"))
        self.assertEqual(channel["entries"], [{"name": "foo.v1.0.0"},
                                              {"name": "foo.v1.0.1", "skips": ["foo.v1.0.0"]}])
        self.assertEqual([b["name"] for b in bundles], ["foo.v1.0.0", "foo.v1.0.1"])

    def test_every_way_under_the_name_opm(self):
        """opm does not accept directories as bundles."""
        text = "schema: olm.template.basic\nentries: [{schema: olm.package, name: foo, defaultChannel: stable}]\n"
        (package,) = self.run_in_every_way((OPM, "alpha", "render-template"), "basic", "olm.template.basic", text)
        self.assertEqual(package["name"], "foo")

    def test_a_template_reads_nothing_but_what_is_next_to_it_or_named(self):
        secret = self.write("secret/manifests/key", "BEGIN PRIVATE KEY").parent.parent
        (self.dir / "t").mkdir()
        (self.dir / "t/link").symlink_to("../secret")
        self.write_layout("t/layout", self.dir / "b1.0.0")
        self.write_layout("layout", self.dir / "b1.0.0")
        cases = [("./b1.0.0", "t", False), ("./b1.0.0", ".", True), (secret, "t", False), ("/etc", "t", False), ("t/../secret", "t", False),
                 ("t/link", "t", False), ("/etc/passwd", "t", False), ("oci:layout", "t", False), ("oci:t/layout", "t", True),
                 ("docker-archive:/etc/passwd", "t", False), ("oci-archive:b1.0.0", "t", False)]
        for kind, text in (("basic", BASIC), ("semver", SEMVER)):
            for reference, where, good in cases:
                with self.subTest(kind=kind, reference=reference, where=where):
                    self.write(f"{where}/x.yaml", text.replace("./b1.0.0", str(reference)).replace(", {image: ./b1.0.1}", ""))
                    result = self.opcat("template", "render", f"{where}/x.yaml")
                    self.assert_status(result, 0 if good else 2)
                    self.assertEqual("is outside of the template's directory" in result.err, not good)
                    self.assertNotIn("PRIVATE", result.out + result.err)
        self.write("t/x.yaml", BASIC)
        self.assert_status(self.opcat("template", "render", "--bundle-dir", ".", "t/x.yaml"), 0)
        self.assert_status(self.opcat("template", "render", "--bundle-dir", "t", "--bundle-dir", "b1.0.0", "t/x.yaml"), 0)
        self.assert_status(self.opcat("template", "render", stdin=BASIC), 2)
        self.assert_status(self.opcat("template", "render", "--bundle-dir", ".", stdin=BASIC), 0)

    def test_basic(self):
        result = self.opcat("template", "render", "basic.yaml")
        self.assertEqual([b["schema"] for b in result.blobs()], ["olm.package", "olm.bundle"])

    def test_other_formats(self):
        result = self.opcat("template", "render", "semver.yaml", "-o", "yaml")
        self.assertTrue(result.out.startswith("---\ndefaultChannel: stable-v1\n"))
        result = self.opcat("template", "render", "semver.yaml", "-o", "mermaid")
        self.assertTrue(result.out.startswith("graph LR\n"))
        self.assert_status(self.opcat("template", "render", "semver.yaml", "-o", "svg"), 2)

    def test_mermaid_marks_what_classic_leaves_out(self):
        """As in opm, the link of the second entry that skips a version is dashed."""
        for version in ("1.1.0", "1.2.0"):
            self.write(f"b{version}/manifests/csv.yaml", CSV.format(version))
            self.write(f"b{version}/metadata/annotations.yaml", ANNOTATIONS)
        bundles = ", ".join(f"{{image: ./b{v}}}" for v in ("1.0.0", "1.0.1", "1.1.0", "1.2.0"))
        self.write("four.yaml", f"schema: olm.semver\ngenerateMajorChannels: true\nstable: {{bundles: [{bundles}]}}\n")
        text = self.opcat("template", "render", "four.yaml", "-o", "mermaid").out
        self.assertIn("linkStyle", text)
        self.assertRegex(text, "class .*foo.v1.0.0.* skipped")

    def test_migration(self):
        result = self.opcat("template", "render", "semver.yaml", "--migrate-level", "bundle-object-to-csv-metadata")
        self.assert_status(result, 0)
        self.assertEqual(result.blobs()[0]["icon"]["mediatype"], "image/png")
        # Bundles without an image keep their manifests, as in opm: there is no other source for them.
        self.assertIn("olm.bundle.object", result.out)

    def test_what_follows_the_template_in_its_file_is_named(self):
        self.write('two.yaml', 'schema: olm.template.basic\nentries:\n- {schema: olm.package, name: foo, defaultChannel: s}\n---\nschema: olm.package\nname: bar\n')
        for words in (('-o', 'yaml'), ('--output-dir', 'out', '-o', 'yaml')):
            result = self.opcat('template', 'render', 'two.yaml', *words)
            self.assert_status(result, 0)
            self.assertIn('warning: two.yaml: what follows the first document is left out', result.err)

    def test_mistakes(self):
        cases = [(["nope", "basic.yaml"], 2, "invalid template type"), (["missing.yaml"], 3, "missing.yaml"),
                 (["semver", "basic.yaml"], 1, "schema"),
                 (["absent.yaml"], 3, "cannot read ./absent: no such file or directory (the template absent.yaml names it)")]
        self.write("absent.yaml", BASIC.replace("b1.0.0", "absent"))
        for arguments, status, words in cases:
            result = self.opcat("template", "render", *arguments)
            self.assertEqual((result.status, result.out), (status, ""))
            self.assertIn(words, result.err)

    def test_an_unknown_key_is_reported_with_the_nearest_name(self):
        cases = [("schema: olm.semver\ngenerateMajorChannel: true\n", 1, "error", "did you mean generateMajorChannels?"),
                 ("schema: olm.semver\nstabel: {}\n", 1, "error", "did you mean stable?"),
                 ("schema: olm.semver\nstable: {bundels: []}\n", 1, "error", "did you mean bundles?"),
                 ("schema: olm.template.basic\nentires: []\n", 1, "warning", "did you mean entries?"),
                 ("schema: olm.template.substitutes\nsubstitution: []\n", 1, "warning", "did you mean substitutions?"),
                 ("schema: olm.template.basic\nnotes: []\n", 1, "warning", "it has schema, entries")]
        for text, status, severity, help in cases:
            with self.subTest(text):
                result = self.opcat("template", "render", stdin=text)
                self.assert_status(result, status)
                self.assertIn("stdin:2:", result.err)
                self.assertIn(f"{severity}: ", result.err)
                self.assertIn(help, result.err)

    def test_a_command_that_waits_for_a_terminal_says_so(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        os.write(master, b"schema: olm.template.basic\n\x04")
        done = subprocess.run([BINARY, "template", "render", "--allow-empty"], cwd=self.dir, stdin=slave, capture_output=True, timeout=600)
        os.close(slave)
        self.assertEqual((done.returncode, done.stderr), (0, b"reading standard input; end it with Ctrl-D on a line of its own\n"))
        self.assertEqual(self.opcat("template", "render", "--allow-empty", stdin="schema: olm.template.basic\n").err, "")

    def test_nothing_is_not_a_catalog(self):
        for command in (("render",), ("convert", "basic"), ("convert", "substitutes")):
            for text in ("schema: olm.template.basic\nentires: []\n", "schema: olm.template.substitutes\n") if command == ("render",) else ("",):
                with self.subTest((command, text)):
                    result = self.opcat("template", *command, stdin=text)
                    self.assert_status(result, 1)
                    self.assertEqual(result.out, "")
                    self.assertIn("is empty: it has neither a package nor a channel nor a bundle", result.err)
                    self.assert_status(self.opcat("template", *command, "--allow-empty", stdin=text), 0)
                    name = {"render": "render-template", "convert": "convert-template"}[command[0]]
                    self.assert_status(self.opm("alpha", name, *command[1:], stdin=text), 0)

    def test_convert_and_back(self):
        catalog = self.opcat("template", "render", "basic.yaml").out
        for command in ((BINARY, "template", "convert"), (OPM, "alpha", "convert-template")):
            result = self.run_binary(*command, "basic", stdin=catalog)
            self.assert_status(result, 0)
            template = result.json()
            self.assertEqual(template["schema"], "olm.template.basic")
            self.assertEqual(template["entries"][1], {"schema": "olm.bundle", "image": ""})
        substitutes = self.opcat("template", "convert", "substitutes", "-o", "yaml", stdin=catalog)
        self.assertTrue(substitutes.out.endswith("schema: olm.template.substitutes\nsubstitutions: []\n\n"))

    def test_no_more_than_a_thousand_mistakes_are_shown(self):
        result = self.opcat("template", "convert", "basic", stdin='{"schema":"olm.package","name":[1]}' * 1500)
        self.assert_status(result, 1)
        self.assertEqual(result.err.count("error: "), 1001)
        self.assertIn("error: and 500 more findings of this rule in this file [field-type]", result.err)

    def test_the_templates_of_the_configuration_that_do_not_exist_are_made_of_its_catalogs(self):
        blob = "schema: olm.package\nname: {0}\n---\nschema: olm.bundle\npackage: {0}\nname: {0}.v1\nimage: r.example/{0}:v1\n"
        self.write(".opcat.yaml", 'catalogs:\n- {template: "t/{version}.yaml", catalog: "v{version}", openshift: ["4.15", "4.16"]}\n'
                                  "- {template: there.yaml, catalog: absent.yaml}\n- {catalog: hand.yaml}\n")
        self.write("there.yaml", BASIC)
        for version in "4.15", "4.16":
            self.write(f"v{version}/a.yaml", blob.format("a" + version[-1]))
            self.write(f"v{version}/b.yaml", blob.format("b"))
        convert = "template", "convert", "basic", "--all"
        self.assertEqual(self.opcat(*convert, "there.yaml").status, 2)
        self.assertEqual(self.opcat(*convert, "-o", "yaml").status, 2)
        broken = self.write("v4.16/c.yaml", "schema: [")
        refused = self.opcat(*convert)
        self.assert_status(refused, 1)
        self.assertIn("v4.16/c.yaml:1:", refused.err)
        self.assertFalse((self.dir / "t").exists())
        broken.unlink()
        made = self.opcat(*convert)
        self.assert_status(made, 0)
        self.assertEqual(made.err, "t/4.15.yaml: written\nt/4.16.yaml: written\n")
        self.assertEqual((self.dir / "t/4.15.yaml").read_text(),
                         "---\nentries:\n- name: a5\n  schema: olm.package\n- image: r.example/a5:v1\n  schema: olm.bundle\n"
                         "- name: b\n  schema: olm.package\n- image: r.example/b:v1\n  schema: olm.bundle\nschema: olm.template.basic\n\n")
        self.assertEqual((self.dir / "there.yaml").read_text(), BASIC)
        self.assertIn("all templates of the configuration exist", self.opcat(*convert).err)
        self.write(".opcat.yaml", 'catalogs: [{template: one.yaml, catalog: "v{version}", openshift: ["4.15", "4.16"]}]\n')
        differ = self.opcat(*convert)
        self.assertEqual(differ.status, 2)
        self.assertIn("v4.15 and v4.16 differ, and one.yaml would be the template of both", differ.err)
        self.write(".opcat.yaml", "catalogs: [{template: one.yaml, catalog: absent.yaml}]\n")
        self.assertEqual(self.opcat(*convert).status, 3)


if __name__ == "__main__":
    unittest.main()
