"""opcat fmt and opcat migrate: catalogs rewritten. tests/faults checks that nothing is ever half-written. Covers lib/authoring/migrate.cpp."""
import base64
import json
import os
import unittest

from opcat_case import BINARY, OPM, SHARED, OpcatCase

CHANNEL = "schema: olm.channel\npackage: foo\nname: a\nentries: [{name: foo.v1}]\n"
CHANNEL_NORMALISED = "---\nentries:\n- name: foo.v1\nname: a\npackage: foo\nschema: olm.channel\n"
PACKAGE = '{"name": "foo", "schema": "olm.package", "defaultChannel": "a"}'
PACKAGE_NORMALISED = '{\n    "schema": "olm.package",\n    "name": "foo",\n    "defaultChannel": "a"\n}\n'


class Base(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write("catalog/a/channel.yaml", CHANNEL)
        self.write("catalog/package.json", PACKAGE)

    def read(self, name):
        return (self.dir / name).read_text()


class Fmt(Base):
    def test_each_file_keeps_blobs_and_notation(self):
        result = self.opcat("fmt", "catalog")
        self.assertEqual((result.status, result.out), (0, "catalog/a/channel.yaml\ncatalog/package.json\n"))
        self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL_NORMALISED)
        self.assertEqual(self.read("catalog/package.json"), PACKAGE_NORMALISED)
        again = self.opcat("fmt", "--check", "catalog")
        self.assertEqual((again.status, again.out), (0, ""))

    def test_check_changes_nothing(self):
        result = self.opcat("fmt", "--check", "catalog")
        self.assertEqual((result.status, result.out), (1, "catalog/a/channel.yaml\ncatalog/package.json\n"))
        self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)

    def test_comments_and_unknown_fields_stay(self):
        self.write("catalog/a/channel.yaml", "# why\n" + CHANNEL.replace("name: a", "name: a # short\nnote: x"))
        self.assert_status(self.opcat("fmt", "catalog"), 0)
        self.assertEqual(self.read("catalog/a/channel.yaml"),
                         "---\n# why\nentries:\n- name: foo.v1\nname: a # short\nnote: x\npackage: foo\nschema: olm.channel\n")
        self.assertEqual(self.opcat("fmt", "--check", "catalog").status, 0)

    def test_line_breaks_of_windows_are_not_blank_lines(self):
        text = "# top\nschema: olm.channel\nname: a # short\n\n\n# why\npackage: foo\nentries:\n- name: foo.v1 # one\n  replaces: foo.v0\n"
        self.write("catalog/a/channel.yaml", text)
        self.assert_status(self.opcat("fmt", "catalog"), 0)
        (self.dir / "catalog/b.yaml").write_bytes(text.replace("\n", "\r\n").encode())
        self.assert_status(self.opcat("fmt", "catalog"), 0)
        self.assertEqual(self.read("catalog/b.yaml"), self.read("catalog/a/channel.yaml"))

    def test_a_key_that_overrides_a_merged_one_stays_alone(self):
        for merged, x in (("{<<: *A, x: 5}", 5), ("{x: 5, <<: *A}", 1), ("{<<: [*A, {x: 7}], y: 3}", None), ("{<<: *A}", 1)):
            with self.subTest(merged):
                self.write("catalog/m.yaml", f"schema: custom\nname: m\na: &A {{x: 1, z: 2}}\nb: {merged}\n")
                before = self.opcat("render", "catalog/m.yaml").out
                self.assert_status(self.opcat("fmt", "catalog/m.yaml"), 0)
                text = self.read("catalog/m.yaml")
                self.assertEqual(text.split("b:\n")[1].count("  x: "), 1, text)
                if x:
                    self.assertIn(f"b:\n  x: {x}\n", text)
                self.assertEqual(json.loads(self.opcat("render", "catalog/m.yaml").out), json.loads(before))

    def test_diff_changes_nothing(self):
        for arguments, status in ((("--diff",), 0), (("--diff", "--check"), 1)):
            result = self.opcat("fmt", *arguments, "catalog")
            self.assertEqual(result.status, status)
            self.assertIn("--- catalog/a/channel.yaml\n+++ catalog/a/channel.yaml\n@@ -1,4 +1,6 @@\n", result.out)
            self.assertIn("-entries: [{name: foo.v1}]\n+package: foo\n", result.out)
            self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)
        self.assert_status(self.opcat("fmt", "catalog"), 0)
        again = self.opcat("fmt", "--diff", "--check", "catalog")
        self.assertEqual((again.status, again.out), (0, ""))

    def test_files_and_standard_input(self):
        result = self.opcat("fmt", "-", stdin=CHANNEL)
        self.assertEqual((result.status, result.out), (0, CHANNEL_NORMALISED))
        self.assertEqual(self.opcat("fmt", "--check", "-", stdin=CHANNEL).status, 1)
        again = self.opcat("fmt", "--check", "-", stdin=CHANNEL_NORMALISED)
        self.assertEqual((again.status, again.out), (0, ""))
        self.assertIn("+++ stdin\n", self.opcat("fmt", "--diff", "-", stdin=CHANNEL).out)
        result = self.opcat("fmt", "catalog/package.json")
        self.assertEqual((result.status, result.out), (0, "catalog/package.json\n"))
        self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)
        self.assert_status(self.opcat("fmt", "nowhere"), 3)

    def test_a_link_stays_a_link(self):
        real = self.write('real.yaml', 'schema: olm.package\nname:   p\n')
        (self.dir / 'link.yaml').symlink_to('real.yaml')
        self.assert_status(self.opcat('fmt', 'link.yaml'), 0)
        self.assertTrue((self.dir / 'link.yaml').is_symlink())
        self.assertNotIn('   ', real.read_text())

    def test_ignored_files_are_left_alone(self):
        self.write("catalog/.indexignore", "*.txt\n")
        self.write("catalog/notes.txt", "not: [yaml")
        self.assert_status(self.opcat("fmt", "catalog"), 0)
        self.assertEqual(self.read("catalog/notes.txt"), "not: [yaml")

    def test_nothing_changes_if_a_file_cannot_be_formatted(self):
        for bad in ("a: [", "- a\n", "schema: x\n...\nschema: y\n", '\ufeff{"schema": "x"}\n{"schema": "y"}\n', "schema: !!binary aGk=\n"):
            self.write("catalog/z.yaml", bad)
            result = self.opcat("fmt", "catalog")
            self.assertEqual((result.status, result.out), (1, ""))
            self.assertIn("catalog/z.yaml:", result.err)
            self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)

    def test_formatting_real_catalogs_keeps_their_meaning_and_is_stable(self):
        catalogs = SHARED / "conformance/catalogs"
        if not catalogs.exists():
            self.skipTest("there is no ../shared/conformance")
        for path in sorted(catalogs.rglob("catalog.yaml"))[::4]:
            with self.subTest(path):
                text = path.read_text()
                result = self.opcat("fmt", "-", stdin=text)
                self.assert_status(result, 0)
                self.assertEqual(self.opcat("render", "-", "-o", "yaml", stdin=result.out).out, self.opcat("render", "-", "-o", "yaml", stdin=text).out)
                self.assertEqual(self.opcat("fmt", "--check", "-", stdin=result.out).status, 0)


class Migrate(Base):
    LEVEL = ("--migrate-level", "bundle-object-to-csv-metadata")

    def write_bundle(self, csv):
        data = base64.b64encode(json.dumps(csv).encode()).decode()
        self.write("catalog/bundle.yaml", "schema: olm.bundle\npackage: foo\nname: foo.v1\nimage: r.example/foo:v1\nproperties:\n"
                   "- {type: olm.package, value: {packageName: foo, version: 1.0.0}}\n"
                   f"- {{type: olm.bundle.object, value: {{data: {data}}}}}\n")

    def test_a_bundle_object_that_does_not_decode_is_a_finding_and_nothing_is_written(self):
        self.write_bundle({"kind": "ClusterServiceVersion", "spec": {"keywords": 5}})
        reported = ("catalog/bundle.yaml:7:3: error: bundle foo.v1: the ClusterServiceVersion in an olm.bundle.object does not decode: "
                    "spec.keywords must be a list, not a number [csv-metadata]")
        for arguments in (("migrate", "catalog", "out"), ("render", "catalog"),
                          ("render", "catalog", "--shard", "0/1", "--shard-output", "parts")):
            with self.subTest(arguments):
                result = self.opcat(*arguments, *self.LEVEL)
                self.assertEqual((result.status, result.out), (1, ""))
                self.assertIn(reported, result.err)
        merged = self.opcat("merge", "parts")
        self.assertEqual((merged.status, merged.out), (1, ""))
        self.assertIn(reported, merged.err)
        self.assertFalse((self.dir / "out").exists())

    def test_a_shard_migrates_as_a_whole_run_does(self):
        self.write_bundle({"kind": "ClusterServiceVersion", "spec": {"displayName": "Foo"}})
        whole = self.opcat("render", "catalog", *self.LEVEL)
        self.assertIn('"type": "olm.csv.metadata"', whole.out)
        self.assert_status(self.opcat("render", "catalog", *self.LEVEL, "--shard", "0/1", "--shard-output", "parts"), 0)
        self.assertEqual(self.opcat("merge", "parts").out, whole.out)

    def test_one_folder_per_package(self):
        for binary, directory in ((BINARY, "new/one"), (OPM, "two/")):
            result = self.run_binary(binary, "migrate", "catalog", directory)
            self.assert_status(result, 0)
            files = [path for path in (self.dir / directory).rglob("*") if not path.is_dir()]
            self.assertEqual(files, [self.dir / directory / "foo/catalog.json"])
            self.assertEqual(self.read(files[0]), self.opcat("render", "catalog").out)

    def test_yaml_into_an_empty_directory(self):
        (self.dir / "empty").mkdir()
        self.assert_status(self.opcat("migrate", "catalog", "empty", "-o", "yaml"), 0)
        self.assertEqual(os.listdir(self.dir / "empty/foo"), ["catalog.yaml"])

    def test_a_directory_with_content_is_refused(self):
        self.write("other/file", "x")
        for directory, status, why in (("other", 3, "not an empty directory"), ("catalog", 2, "would be written over what is read"),
                                       ("catalog/sub", 2, "would become a part of catalog")):
            with self.subTest(directory):
                result = self.opcat("migrate", "catalog", directory)
                self.assert_status(result, status)
                self.assertIn(why, result.err)

    def test_what_does_not_load_leaves_nothing_behind(self):
        self.write("catalog/z.yaml", "a: [")
        self.assert_status(self.opcat("migrate", "catalog", "out"), 1)
        self.assertEqual(os.listdir(self.dir), ["catalog"])


if __name__ == "__main__":
    unittest.main()
