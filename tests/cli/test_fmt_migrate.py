"""opcat fmt and opcat migrate: catalogs rewritten. That nothing is ever half there: tests/faults."""
import os
import unittest

from opcat_case import BINARY, OPM, OpcatCase

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

    def test_a_file_with_comments_is_left_alone_unless_they_may_be_dropped(self):
        commented = "# why\n" + CHANNEL.replace("name: a", "name: a # short")
        self.write("catalog/a/channel.yaml", commented)
        for arguments in ((), ("--check",)):
            result = self.opcat("fmt", *arguments, "catalog")
            self.assertEqual((result.status, result.out), (1, ""))
            self.assertIn("catalog/a/channel.yaml:1:1: error: 2 comments would be lost, this is the first [format-loss]", result.err)
            self.assertIn("--drop-comments", result.err)
            self.assertEqual(self.read("catalog/a/channel.yaml"), commented)
            self.assertEqual(self.read("catalog/package.json"), PACKAGE)
        self.assert_status(self.opcat("fmt", "--drop-comments", "catalog"), 0)
        self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL_NORMALISED)

    def test_a_file_with_unknown_fields_is_left_alone(self):
        for field, help in (("replces: x", "did you mean replaces?"), ("note: x", "remove it")):
            text = CHANNEL.replace("entries: [{name: foo.v1}]", "entries: [{name: foo.v1, %s}]" % field)
            self.write("catalog/a/channel.yaml", text)
            for arguments in ((), ("--drop-comments",)):
                result = self.opcat("fmt", *arguments, "catalog")
                self.assertEqual((result.status, result.out), (1, ""))
                self.assertIn(f'catalog/a/channel.yaml:4:26: error: a channel entry has no field "{field[:-3]}": it would be lost', result.err)
                self.assertIn(help, result.err)
                self.assertEqual(self.read("catalog/a/channel.yaml"), text)

    def test_ignored_files_are_left_alone(self):
        self.write("catalog/.indexignore", "*.txt\n")
        self.write("catalog/notes.txt", "not: [yaml")
        self.assert_status(self.opcat("fmt", "catalog"), 0)
        self.assertEqual(self.read("catalog/notes.txt"), "not: [yaml")

    def test_nothing_changes_if_a_file_does_not_load_or_would_lose_a_blob(self):
        for bad in ("a: [", "schema: olm.bundle\nname: x\n", "schema: x\n...\nschema: y\n",
                    '\ufeff{"schema": "x"}\n{"schema": "y"}\n'):
            self.write("catalog/z.yaml", bad)
            result = self.opcat("fmt", "catalog")
            self.assert_status(result, 1)
            self.assertIn("catalog/z.yaml", result.err)
            self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)

    def test_what_would_read_back_as_something_else_is_left_alone(self):
        for text in ('"<<": {a: 1}', '"<<": 1', r't: "a\Nb"'):
            self.write("catalog/z.yaml", f"schema: x\n{text}\n")
            result = self.opcat("fmt", "catalog")
            self.assertEqual((result.status, result.out), (3, ""))
            self.assertIn("error: cannot normalise catalog/z.yaml: ", result.err)
            self.assertIn("write the file as JSON", result.err)
            self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)


class Migrate(Base):
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
        result = self.opcat("migrate", "catalog", "catalog")
        self.assert_status(result, 3)
        self.assertIn("not an empty directory", result.err)

    def test_what_does_not_load_leaves_nothing_behind(self):
        self.write("catalog/z.yaml", "a: [")
        self.assert_status(self.opcat("migrate", "catalog", "out"), 1)
        self.assertEqual(os.listdir(self.dir), ["catalog"])


if __name__ == "__main__":
    unittest.main()
