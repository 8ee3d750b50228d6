"""opcat init: the olm.package blob."""
import base64
import unittest

from opcat_case import BINARY, OPM, OpcatCase

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


class Init(OpcatCase):
    def test_smallest(self):
        for binary in (BINARY, OPM):
            result = self.run_binary(binary, "init", "foo")
            self.assertEqual(result.out, '{\n    "schema": "olm.package",\n    "name": "foo",\n    "defaultChannel": ""\n}\n')

    def test_yaml(self):
        self.write("README.md", "# Foo\n\nDoes foo.\n")
        result = self.opcat("init", "foo", "-c", "stable", "-d", "README.md", "-o", "yaml")
        self.assertEqual(result.out, "---\ndefaultChannel: stable\ndescription: |\n  # Foo\n\n  Does foo.\n"
                                     "name: foo\nschema: olm.package\n")

    def test_media_type_by_content(self):
        cases = list(ICONS.items()) + [("image/svg+xml", svg) for svg in SVGS]
        for media_type, content in cases:
            with self.subTest(content=content):
                self.write("icon.txt", content)
                blob = self.opcat("init", "foo", "-i", "icon.txt").json()
                self.assertEqual(blob["icon"], {"base64data": base64.b64encode(content).decode(), "mediatype": media_type})

    def test_what_is_not_an_image_is_refused(self):
        for content in NO_ICONS:
            with self.subTest(content=content):
                self.write("icon.svg", content)
                result = self.opcat("init", "foo", "-i", "icon.svg")
                self.assertNotEqual(result.status, 0, result)
                self.assertIn("is not an image", result.err)
                self.assertEqual(result.out, "")

    def test_a_description_that_is_not_utf8(self):
        self.write("d", b"a\xffb")
        self.assertEqual(self.opcat("init", "foo", "-d", "d").json()["description"], "a\ufffdb")

    def test_missing_files(self):
        for flag in ("-d", "-i"):
            result = self.opcat("init", "foo", flag, "missing")
            self.assert_status(result, 3)
            self.assertIn("missing", result.err)

    def test_a_name_that_validate_would_refuse(self):
        for name, reason in (("Foo", "only lower-case letters"), ("a.b", "dots"), ("-a", "begin and end")):
            with self.subTest(name=name):
                result = self.opcat("init", "--", name)
                self.assert_status(result, 2)
                self.assertIn(f'"{name}" cannot be the name of a package: ', result.err)
                self.assertIn(reason, result.err)
                self.assertEqual(self.opm("init", "--", name).json()["schema"], "olm.package")

    def test_unknown_format(self):
        self.assert_status(self.opcat("init", "foo", "-o", "toml"), 2)
        self.assert_status(self.opm("init", "foo", "-o", "toml"), 1)


if __name__ == "__main__":
    unittest.main()
