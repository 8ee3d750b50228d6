"""opcat fmt and opcat migrate: catalogs rewritten. That nothing is ever half there: tests/faults."""
import os
import subprocess
import tempfile
import unittest

OPCAT = os.environ["OPCAT"]
OPM = os.environ.get("OPM", os.path.join(os.path.dirname(OPCAT), "opm"))

CHANNEL = "# a comment\nschema: olm.channel\npackage: foo\nname: a\nentries: [{name: foo.v1}]\n"
CHANNEL_NORMALISED = "---\nentries:\n- name: foo.v1\nname: a\npackage: foo\nschema: olm.channel\n"
PACKAGE = '{"name": "foo", "schema": "olm.package", "defaultChannel": "a"}'
PACKAGE_NORMALISED = '{\n    "schema": "olm.package",\n    "name": "foo",\n    "defaultChannel": "a"\n}\n'


class Base(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        self.write("catalog/a/channel.yaml", CHANNEL)
        self.write("catalog/package.json", PACKAGE)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def read(self, name):
        with open(os.path.join(self.root, name)) as f:
            return f.read()

    def run_with(self, *arguments):
        return subprocess.run(arguments, cwd=self.root, capture_output=True, text=True)


class Fmt(Base):
    def test_each_file_keeps_blobs_and_notation(self):
        result = self.run_with(OPCAT, "fmt", "catalog")
        self.assertEqual((result.returncode, result.stdout), (0, "catalog/a/channel.yaml\ncatalog/package.json\n"))
        self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL_NORMALISED)
        self.assertEqual(self.read("catalog/package.json"), PACKAGE_NORMALISED)
        again = self.run_with(OPCAT, "fmt", "--check", "catalog")
        self.assertEqual((again.returncode, again.stdout), (0, ""))

    def test_check_changes_nothing(self):
        result = self.run_with(OPCAT, "fmt", "--check", "catalog")
        self.assertEqual((result.returncode, result.stdout), (1, "catalog/a/channel.yaml\ncatalog/package.json\n"))
        self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)

    def test_ignored_files_are_left_alone(self):
        self.write("catalog/.indexignore", "*.txt\n")
        self.write("catalog/notes.txt", "not: [yaml")
        self.assertEqual(self.run_with(OPCAT, "fmt", "catalog").returncode, 0)
        self.assertEqual(self.read("catalog/notes.txt"), "not: [yaml")

    def test_nothing_changes_if_a_file_does_not_load_or_would_lose_a_blob(self):
        for bad in ("a: [", "schema: olm.bundle\nname: x\n"):
            self.write("catalog/z.yaml", bad)
            result = self.run_with(OPCAT, "fmt", "catalog")
            self.assertEqual(result.returncode, 1)
            self.assertIn("catalog/z.yaml", result.stderr)
            self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)

    def test_what_would_read_back_as_something_else_is_left_alone(self):
        for text in ('"<<": {a: 1}', '"<<": 1', r't: "a\Nb"'):
            self.write("catalog/z.yaml", f"schema: x\n{text}\n")
            result = self.run_with(OPCAT, "fmt", "catalog")
            self.assertEqual((result.returncode, result.stdout), (3, ""))
            self.assertIn("error: cannot normalise catalog/z.yaml: ", result.stderr)
            self.assertIn("write the file as JSON", result.stderr)
            self.assertEqual(self.read("catalog/a/channel.yaml"), CHANNEL)


class Migrate(Base):
    def test_one_folder_per_package(self):
        for program, directory in ((OPCAT, "new/one"), (OPM, "two/")):
            result = self.run_with(program, "migrate", "catalog", directory)
            self.assertEqual(result.returncode, 0, result.stderr)
            files = [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(self.root, directory)) for f in fs]
            self.assertEqual(files, [os.path.join(self.root, directory, "foo/catalog.json")])
            rendered = self.run_with(OPCAT, "render", "catalog").stdout
            self.assertEqual(self.read(os.path.join(directory, "foo/catalog.json")), rendered)

    def test_yaml_into_an_empty_directory(self):
        os.mkdir(os.path.join(self.root, "empty"))
        self.assertEqual(self.run_with(OPCAT, "migrate", "catalog", "empty", "-o", "yaml").returncode, 0)
        self.assertEqual(os.listdir(os.path.join(self.root, "empty/foo")), ["catalog.yaml"])

    def test_a_directory_with_content_is_refused(self):
        result = self.run_with(OPCAT, "migrate", "catalog", "catalog")
        self.assertEqual(result.returncode, 3)
        self.assertIn("not an empty directory", result.stderr)

    def test_what_does_not_load_leaves_nothing_behind(self):
        self.write("catalog/z.yaml", "a: [")
        self.assertEqual(self.run_with(OPCAT, "migrate", "catalog", "out").returncode, 1)
        self.assertEqual(os.listdir(self.root), ["catalog"])


if __name__ == "__main__":
    unittest.main()
