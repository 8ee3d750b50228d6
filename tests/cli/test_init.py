"""opcat init: the olm.package blob."""
import base64
import json
import os
import subprocess
import tempfile
import unittest

OPCAT = os.environ["OPCAT"]
OPM = os.environ.get("OPM", os.path.join(os.path.dirname(OPCAT), "opm"))

ICONS = {
    "image/png": b"\x89PNG\r\n\x1a\n\0\0",
    "image/jpeg": b"\xff\xd8\xff\xe0\0",
    "image/gif": b"GIF89a",
    "image/webp": b"RIFF\0\0\0\0WEBPVP8 ",
    "image/vnd.microsoft.icon": b"\0\0\1\0\1",
}
SVGS = [
    b"<svg/>",
    b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- <html> -->\n<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    b'<!DOCTYPE svg PUBLIC "a" "b" [<!ENTITY x "y">]>\n<svg:svg xmlns:svg="x">',
]
NO_ICONS = [b"", b"plain text", b"<html><svg/></html>", b"<svgs>", b"<!-- <svg>", b"%PDF-1.4"]


class Init(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name

    def write(self, name, content):
        with open(os.path.join(self.root, name), "wb") as f:
            f.write(content)

    def run_init(self, *arguments, program=OPCAT):
        return subprocess.run([program, "init", *arguments], cwd=self.root, capture_output=True)

    def test_smallest(self):
        for program in (OPCAT, OPM):
            result = self.run_init("foo", program=program)
            self.assertEqual(result.stdout, b'{\n    "schema": "olm.package",\n    "name": "foo",\n'
                                            b'    "defaultChannel": ""\n}\n')

    def test_yaml(self):
        self.write("README.md", b"# Foo\n\nDoes foo.\n")
        result = self.run_init("foo", "-c", "stable", "-d", "README.md", "-o", "yaml")
        self.assertEqual(result.stdout, b"---\ndefaultChannel: stable\ndescription: |\n  # Foo\n\n  Does foo.\n"
                                        b"name: foo\nschema: olm.package\n")

    def test_media_type_by_content(self):
        cases = list(ICONS.items()) + [("image/svg+xml", svg) for svg in SVGS]
        for media_type, content in cases:
            with self.subTest(content=content):
                self.write("icon.txt", content)
                blob = json.loads(self.run_init("foo", "-i", "icon.txt").stdout)
                self.assertEqual(blob["icon"], {"base64data": base64.b64encode(content).decode(),
                                                "mediatype": media_type})

    def test_what_is_no_image_is_refused(self):
        for content in NO_ICONS:
            with self.subTest(content=content):
                self.write("icon.svg", content)
                result = self.run_init("foo", "-i", "icon.svg")
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(b"no image", result.stderr)
                self.assertEqual(result.stdout, b"")

    def test_description_that_is_no_utf8(self):
        self.write("d", b"a\xffb")
        self.assertEqual(json.loads(self.run_init("foo", "-d", "d").stdout)["description"], "a\ufffdb")

    def test_missing_files(self):
        for flag in ("-d", "-i"):
            result = self.run_init("foo", flag, "missing")
            self.assertEqual(result.returncode, 3)
            self.assertIn(b"missing", result.stderr)

    def test_unknown_format(self):
        self.assertEqual(self.run_init("foo", "-o", "toml").returncode, 2)
        self.assertEqual(self.run_init("foo", "-o", "toml", program=OPM).returncode, 1)


if __name__ == "__main__":
    unittest.main()
