"""opcat template: from the command line, with bundle directories for images."""
import json
import os
import subprocess
import tempfile
import unittest

OPCAT = os.environ["OPCAT"]
OPM = os.environ.get("OPM", os.path.join(os.path.dirname(OPCAT), "opm"))

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


def blobs(text):
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


class Template(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        for version in ("1.0.0", "1.0.1"):
            self.write(f"b{version}/manifests/csv.yaml", CSV.format(version))
            self.write(f"b{version}/metadata/annotations.yaml", ANNOTATIONS)
        self.write("semver.yaml", SEMVER)
        self.write("basic.yaml", BASIC)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def run_with(self, *arguments, stdin=""):
        return subprocess.run(arguments, cwd=self.root, capture_output=True, text=True, input=stdin)

    def run_in_every_way(self, command, kind, schema, text):
        """What comes of every way to name the template's type and its file: one output."""
        self.write("template.yaml", text)
        ways = [(["template.yaml"], ""), ([kind, "template.yaml"], ""), ([schema, "template.yaml"], ""),
                ([kind], text), (["-"], text), ([kind, "-"], text), ([], text)]
        outputs = set()
        for arguments, stdin in ways:
            result = self.run_with(*command, *arguments, stdin=stdin)
            self.assertEqual(result.returncode, 0, result.stderr)
            outputs.add(result.stdout)
        self.assertEqual(len(outputs), 1)
        return blobs(outputs.pop())

    def test_every_way_to_name_type_and_file(self):
        package, channel, *bundles = self.run_in_every_way((OPCAT, "template", "render"), "semver", "olm.semver", SEMVER)
        self.assertEqual((package["name"], package["defaultChannel"], package["description"]),
                         ("foo", "stable-v1", "version 1.0.1"))
        self.assertEqual(channel["entries"], [{"name": "foo.v1.0.0"},
                                              {"name": "foo.v1.0.1", "skips": ["foo.v1.0.0"]}])
        self.assertEqual([b["name"] for b in bundles], ["foo.v1.0.0", "foo.v1.0.1"])

    def test_every_way_under_the_name_opm(self):
        """Which takes no directories for bundles."""
        text = "schema: olm.template.basic\nentries: [{schema: olm.package, name: foo, defaultChannel: stable}]\n"
        (package,) = self.run_in_every_way((OPM, "alpha", "render-template"), "basic", "olm.template.basic", text)
        self.assertEqual(package["name"], "foo")

    def test_basic(self):
        result = self.run_with(OPCAT, "template", "render", "basic.yaml")
        self.assertEqual([b["schema"] for b in blobs(result.stdout)], ["olm.package", "olm.bundle"])

    def test_other_formats(self):
        result = self.run_with(OPCAT, "template", "render", "semver.yaml", "-o", "yaml")
        self.assertTrue(result.stdout.startswith("---\ndefaultChannel: stable-v1\n"))
        result = self.run_with(OPCAT, "template", "render", "semver.yaml", "-o", "mermaid")
        self.assertTrue(result.stdout.startswith("graph LR\n"))
        self.assertEqual(self.run_with(OPCAT, "template", "render", "semver.yaml", "-o", "svg").returncode, 2)

    def test_mermaid_marks_what_classic_leaves_out(self):
        """As opm does it here: the second time that something is skipped its link is dashed."""
        for version in ("1.1.0", "1.2.0"):
            self.write(f"b{version}/manifests/csv.yaml", CSV.format(version))
            self.write(f"b{version}/metadata/annotations.yaml", ANNOTATIONS)
        bundles = ", ".join(f"{{image: ./b{v}}}" for v in ("1.0.0", "1.0.1", "1.1.0", "1.2.0"))
        self.write("four.yaml", f"schema: olm.semver\ngenerateMajorChannels: true\nstable: {{bundles: [{bundles}]}}\n")
        text = self.run_with(OPCAT, "template", "render", "four.yaml", "-o", "mermaid").stdout
        self.assertIn("linkStyle", text)
        self.assertRegex(text, "class .*foo.v1.0.0.* skipped")

    def test_migration(self):
        result = self.run_with(OPCAT, "template", "render", "semver.yaml", "--migrate-level",
                               "bundle-object-to-csv-metadata")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(blobs(result.stdout)[0]["icon"]["mediatype"], "image/png")
        # Bundles without an image keep their manifests, as in opm: there is no other place to get them from.
        self.assertIn("olm.bundle.object", result.stdout)

    def test_mistakes(self):
        cases = [(["nope", "basic.yaml"], 2, "invalid template type"), (["missing.yaml"], 3, "missing.yaml"),
                 (["semver", "basic.yaml"], 1, "schema")]
        for arguments, status, words in cases:
            result = self.run_with(OPCAT, "template", "render", *arguments)
            self.assertEqual((result.returncode, result.stdout), (status, ""))
            self.assertIn(words, result.stderr)

    def test_convert_and_back(self):
        catalog = self.run_with(OPCAT, "template", "render", "basic.yaml").stdout
        for command in ((OPCAT, "template", "convert"), (OPM, "alpha", "convert-template")):
            result = self.run_with(*command, "basic", stdin=catalog)
            self.assertEqual(result.returncode, 0, result.stderr)
            template = json.loads(result.stdout)
            self.assertEqual(template["schema"], "olm.template.basic")
            self.assertEqual(template["entries"][1], {"schema": "olm.bundle", "image": ""})
        substitutes = self.run_with(OPCAT, "template", "convert", "substitutes", "-o", "yaml", stdin=catalog)
        self.assertTrue(substitutes.stdout.endswith("schema: olm.template.substitutes\nsubstitutions: []\n\n"))


if __name__ == "__main__":
    unittest.main()
