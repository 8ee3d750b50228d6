"""opcat filter: what stays, what is reported, what is refused."""
import json
import unittest

from opcat_case import OpcatCase


def package(name, default="stable"):
    return {"schema": "olm.package", "name": name, "defaultChannel": default}


def channel(package, name, *entries):
    return {"schema": "olm.channel", "package": package, "name": name, "entries": [
        {"name": f"{package}.v{entry.pop('v')}", **entry} for entry in map(dict, entries)]}


def bundle(package, version, *properties):
    return {"schema": "olm.bundle", "package": package, "name": f"{package}.v{version}",
            "image": f"quay.io/example/{package}:v{version}",
            "properties": [{"type": "olm.package", "value": {"packageName": package, "version": version}},
                           *({"type": t, "value": v} for t, v in properties)]}


API = {"group": "example.com", "version": "v1", "kind": "Disk"}
CATALOG = [
    package("foo"),
    channel("foo", "stable", {"v": "1.0.0"}, {"v": "1.1.0", "replaces": "foo.v1.0.0"},
            {"v": "1.2.0", "replaces": "foo.v1.1.0"}, {"v": "2.0.0", "replaces": "foo.v1.2.0"}),
    channel("foo", "fast", {"v": "2.0.0"}, {"v": "3.0.0", "replaces": "foo.v2.0.0"}),
    *(bundle("foo", v) for v in ("1.0.0", "1.1.0", "1.2.0", "2.0.0")),
    bundle("foo", "3.0.0", ("olm.gvk.required", API)),
    {"schema": "olm.deprecations", "package": "foo", "entries": [
        {"reference": {"schema": "olm.channel", "name": "fast"}, "message": "slow down"},
        {"reference": {"schema": "olm.bundle", "name": "foo.v1.0.0"}, "message": "old"}]},
    package("disks"),
    channel("disks", "stable", {"v": "1.0.0"}),
    bundle("disks", "1.0.0", ("olm.gvk", API), ("olm.constraint", {"failureMessage": "", "all": {"constraints": [
        {"package": {"packageName": "base", "versionRange": ">=1.0.0"}}]}})),
    package("base"),
    channel("base", "stable", {"v": "1.0.0"}),
    bundle("base", "1.0.0", ("olm.package.required", {"packageName": "absent", "versionRange": ">=1.0.0"})),
    package("zstream"),
    channel("zstream", "stable", {"v": "1.0.0"}, {"v": "1.0.1", "replaces": "zstream.v1.0.0"},
            {"v": "1.0.2", "replaces": "zstream.v1.0.0", "skips": ["zstream.v1.0.1"]}),
    *(bundle("zstream", v) for v in ("1.0.0", "1.0.1", "1.0.2")),
    {"schema": "custom", "package": "foo", "note": "about foo"},
    {"schema": "custom", "note": "about all"},
    {"schema": "custom", "package": "base", "note": "about base"},
]


class Filter(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write("catalog.json", "\n".join(map(json.dumps, CATALOG)))

    def run_filter(self, *arguments, stdin="", status=0):
        result = self.opcat("filter", "catalog.json", *arguments, stdin=stdin)
        self.assert_status(result, status)
        return result

    def filtered(self, *arguments, **kwargs):
        result = self.run_filter(*arguments, **kwargs)
        self.write("result.json", result.out)
        self.assert_status(self.opcat("validate", "result.json"), 0)
        return result.blobs(), result.err

    @staticmethod
    def names(blobs, schema):
        return [blob["name"] for blob in blobs if blob["schema"] == schema]

    @staticmethod
    def entries(blobs, name):
        return [blob for blob in blobs if blob["schema"] == "olm.channel" and blob["name"] == name][0]["entries"]

    def test_packages(self):
        blobs, said = self.filtered("--package", "foo", "-p", "base")
        self.assertEqual(self.names(blobs, "olm.package"), ["base", "foo"])
        self.assertEqual(len(self.names(blobs, "olm.bundle")), 6)
        self.assertEqual([b["note"] for b in blobs if b["schema"] == "custom"],
                         ["about base", "about foo", "about all"])
        self.assertEqual(said, "dropped 2 packages: disks and zstream\n")

    def test_a_package_without_its_blob_is_not_taken_for_a_misspelling(self):
        self.write("orphan.yaml", "schema: olm.bundle\nname: orphan.v1\npackage: orphan\nimage: r.example/orphan:1\n")
        result = self.opcat("filter", "orphan.yaml", "-p", "orphan")
        self.assert_status(result, 2)
        self.assertIn('package "orphan" has no olm.package blob in the catalog', result.err)
        self.assertNotIn("did you mean", result.err)

    def test_everything_is_left_as_it_is(self):
        result = self.run_filter(*(f"--package={p}" for p in ("foo", "base", "disks", "zstream")))
        self.assertEqual(result.out, self.opcat("render", "catalog.json").out)
        self.assertEqual(result.err, "nothing was dropped\n")

    def test_a_channel(self):
        blobs, said = self.filtered("--channel", "foo/fast")
        self.assertEqual(self.names(blobs, "olm.bundle"), ["foo.v2.0.0", "foo.v3.0.0"])
        self.assertEqual(blobs[0]["defaultChannel"], "fast")
        self.assertIn("foo: the default channel is now fast, as stable is dropped\n", said)
        self.assertIn("foo: dropped 1 channel: stable\n", said)
        self.assertIn("foo: dropped 3 of 5 versions: foo.v1.0.0, foo.v1.1.0 and foo.v1.2.0\n", said)
        deprecations = [b for b in blobs if b["schema"] == "olm.deprecations"][0]
        self.assertEqual([e["message"] for e in deprecations["entries"]], ["slow down"])

    def test_versions(self):
        blobs, said = self.filtered("--version", "foo>=1.2 <2")
        self.assertEqual(self.names(blobs, "olm.bundle"), ["foo.v1.2.0"])
        self.assertEqual(self.names(blobs, "olm.channel"), ["stable"])
        self.assertIn("foo/stable: OLM classic now installs foo.v1.2.0, not foo.v2.0.0\n", said)
        self.assertNotIn("olm.deprecations", [b["schema"] for b in blobs])

    def test_a_gap_is_bridged(self):
        blobs, said = self.filtered("--version", "foo 1.0.0 || >=2")
        self.assertEqual(self.entries(blobs, "stable"), [
            {"name": "foo.v1.0.0"},
            {"name": "foo.v2.0.0", "replaces": "foo.v1.0.0", "skips": ["foo.v1.2.0"]}])
        self.assertEqual(self.entries(blobs, "fast"), CATALOG[2]["entries"])

    def test_who_has_a_version_that_only_edges_name_is_not_forgotten(self):
        named = [dict(blob) for blob in CATALOG]
        named[1] = channel("foo", "stable", {"v": "1.0.0", "replaces": "foo.v0.9.0"}, {"v": "1.1.0", "replaces": "foo.v1.0.0", "skips": ["foo.v1.0.5"]},
                           {"v": "1.2.0", "replaces": "foo.v1.1.0"}, {"v": "2.0.0", "replaces": "foo.v1.2.0", "skips": ["foo.v1.9.0"]})
        self.write("catalog.json", "\n".join(map(json.dumps, named)))
        self.assertIn("foo: no edge leads on any more from foo.v0.9.0 and foo.v1.0.5, of which the catalog has no bundle\n", self.filtered("-p", "foo", "--version", "foo>=1.2")[1])
        self.assertNotIn("no edge leads", self.filtered("-p", "foo")[1])

    def test_who_comes_by_a_range_to_what_is_dropped_still_has_a_way(self):
        ranged = [dict(blob) for blob in CATALOG]
        ranged[1] = channel("foo", "stable", {"v": "1.0.0", "skipRange": "<1.0.0"}, {"v": "1.1.0", "replaces": "foo.v1.0.0", "skipRange": ">=0.5.0 <1.1.0"},
                            {"v": "1.2.0", "replaces": "foo.v1.1.0"}, {"v": "2.0.0", "replaces": "foo.v1.2.0", "skipRange": "<2.0.0"})
        self.write("catalog.json", "\n".join(map(json.dumps, ranged)))
        for wanted, ranges in ((">=1.1", [">=0.5.0 <1.1.0 || <1.0.0", None, "<2.0.0"]), (">=1.2", [">=0.5.0 <1.1.0 || <1.0.0", "<2.0.0"]), (">=2", ["<2.0.0"])):
            blobs, _ = self.filtered("-p", "foo", "--version", "foo" + wanted)
            self.assertEqual([entry.get("skipRange") for entry in self.entries(blobs, "stable")], ranges)
            self.assert_status(self.opcat("graph", "result.json", "-c", "stable", "--from", "0.1.0", "--olm", "classic"), 0)

    def test_what_was_skipped_stays_skipped(self):
        blobs, said = self.filtered("--version", "zstream<1.0.2")
        self.assertEqual(self.entries(blobs, "stable"), [
            {"name": "zstream.v1.0.0"},
            {"name": "zstream.v1.0.1", "skips": ["zstream.v1.0.1"], "skipRange": "1.0.0"}])
        self.assertIn("zstream/stable: OLM classic still leaves out zstream.v1.0.1, which a dropped version skipped",
                      said)

    def test_all_that_is_said_about_a_package_holds(self):
        blobs, _ = self.filtered("--package", "foo", "--channel", "foo/stable", "--version", "foo<1.1",
                                 "--version", "foo ~1.2")
        self.assertEqual(self.names(blobs, "olm.bundle"), ["foo.v1.0.0", "foo.v1.2.0"])

    def test_a_file_says_the_same(self):
        text = "packages:\n- name: base\n- {name: foo, channels: [stable], versions: ['<1.1', ~1.2]}\n"
        self.write("selection.yaml", text)
        flags = ("--package", "base", "--channel", "foo/stable", "--version", "foo<1.1", "--version", "foo ~1.2")
        expected = self.run_filter(*flags).out
        self.assertEqual(self.run_filter("--file", "selection.yaml").out, expected)
        self.assertEqual(self.run_filter("-f", "-", stdin=text).out, expected)

    def test_dependencies(self):
        blobs, said = self.filtered("--channel", "foo/fast", "--with-dependencies")
        self.assertEqual(self.names(blobs, "olm.package"), ["base", "disks", "foo"])
        self.assertIn("disks: kept, as a kept version requires it\n", said)
        self.assertIn("base.v1.0.0 requires package absent, which the catalog does not have\n", said)
        # Dropped bundles do not require anything.
        blobs, said = self.filtered("--channel", "foo/stable", "--with-dependencies")
        self.assertEqual(self.names(blobs, "olm.package"), ["foo"])

    def test_versions_that_kept_ones_require_and_that_are_dropped_are_named(self):
        pinned = [package("pinned"), channel("pinned", "stable", {"v": "1.0.0"}),
                  bundle("pinned", "1.0.0", ("olm.package.required", {"packageName": "foo", "versionRange": "=1.0.0"}))]
        self.write("catalog.json", "\n".join(map(json.dumps, CATALOG + pinned)))
        for flags, words in ((("-p", "pinned", "--version", "foo >=1.1.0"), "kept versions of pinned require foo =1.0.0, and no such version is kept"),
                             (("-p", "pinned", "--version", "foo >=1.1.0", "--with-dependencies"), "require foo =1.0.0, and no such version is kept"),
                             (("-p", "pinned"), "kept versions of pinned require package foo, which is dropped (--with-dependencies keeps it)"),
                             (("-p", "pinned", "-p", "foo"), ""), (("-p", "pinned", "--with-dependencies"), "")):
            with self.subTest(flags):
                err = self.run_filter(*flags).err
                (self.assertIn if words else self.assertNotIn)(words or "kept versions of", err)

    def test_all_but_some_packages(self):
        blobs, said = self.filtered("-P", "zstream", "-P", "base")
        self.assertEqual(self.names(blobs, "olm.package"), ["disks", "foo"])
        self.assertIn("dropped 2 packages: base and zstream\n", said)
        self.assertIn("kept versions require package base, which is excluded\n", said)
        result = self.run_filter("-P", "zstream")
        self.assertEqual(result.out, self.run_filter(*(f"--package={p}" for p in ("foo", "base", "disks"))).out)

    def test_mistakes(self):
        cases = [
            (("-P", "fo"), 2, "did you mean foo"),
            (("-P", "foo", "-p", "base"), 2, "keeps all other packages"),
            (("-P", "foo", "--with-dependencies"), 2, "keeps all other packages"),
            ((), 2, "nothing is selected"),
            (("--package", "fo"), 2, "did you mean foo"),
            (("--channel", "foo"), 2, "PACKAGE/CHANNEL"),
            (("--channel", "foo/stabel"), 2, "did you mean stable?"),
            (("--version", "foo"), 2, "PACKAGE and a range"),
            (("--version", ">=1.0"), 2, "PACKAGE and a range"),
            (("--version", "foo>=x.y.z.q"), 2, "PACKAGE and a range"),
            (("--version", "foo>=9"), 2, "there are 1.0.0 to 3.0.0"),
            (("--file", "missing.yaml"), 3, "missing.yaml"),
        ]
        for arguments, status, words in cases:
            with self.subTest(arguments=arguments):
                result = self.run_filter(*arguments, status=status)
                self.assertEqual(result.out, "")
                self.assertIn(words, result.err)

    def test_a_range_that_leaves_out_the_only_version_names_it(self):
        self.write("catalog.json", "\n".join(map(json.dumps, [
            package("pre"), channel("pre", "stable", {"v": "26.0.8-opr.1"}), bundle("pre", "26.0.8-opr.1")])))
        result = self.opcat("filter", "catalog.json", "--version", "pre >=26.0.8")
        self.assert_status(result, 2)
        self.assertIn("26.0.8-opr.1 is a prerelease", result.err)
        for text in ("pre =26.0.8-opr.1", "pre >=26.0.8-opr.1"):
            self.assert_status(self.opcat("filter", "catalog.json", "--version", text), 0)

    def test_mistakes_in_a_file(self):
        for text, words in (("", "empty"), ("- foo", "must be an object"), ("package: []", "did you mean packages?"),
                            ("packages: [foo]", "must be an object"), ("packages: [{channels: [a]}]", "needs a name"),
                            ("packages: [{name: foo, versions: ['>=x.y.z.q']}]", "is not a range")):
            with self.subTest(text=text):
                self.write("selection.yaml", text)
                self.assertIn(words, self.run_filter("-f", "selection.yaml", status=1).err)

    def test_only_what_is_kept_must_be_valid(self):
        bad = [dict(blob) for blob in CATALOG] + [package("bad", "nope")]
        self.write("catalog.json", "\n".join(map(json.dumps, bad)))
        self.filtered("--package", "foo")
        result = self.run_filter("--package", "bad", status=1)
        self.assertEqual(result.out, "")
        self.assertIn("[default-channel]", result.err)


class ListImages(OpcatCase):
    """opcat list images selects as opcat filter does."""

    def setUp(self):
        super().setUp()
        related = {"foo.v1.0.0": ["r.example/a", "r.example/b"], "foo.v2.0.0": ["r.example/b", "", "quay.io/example/foo:v2.0.0"],
                   "disks.v1.0.0": ["quay.io/example/base:v1.0.0"]}
        self.catalog = [{**blob, "relatedImages": [{"name": "", "image": image} for image in related[blob["name"]]]}
                        if blob.get("name") in related else blob for blob in CATALOG]
        self.write("catalog.json", "\n".join(map(json.dumps, self.catalog)))

    def names(self, *arguments):
        result = self.opcat("list", "images", "catalog.json", "-o", "name", *arguments)
        self.assert_status(result, 0)
        return result.out.split()

    def test_each_image_is_listed_once(self):
        named = {blob["image"] for blob in self.catalog if blob["schema"] == "olm.bundle"} | {"r.example/a", "r.example/b"}
        self.assertEqual(self.names(), sorted(named))

    def test_the_table_has_the_kind_of_each_image_and_its_bundles(self):
        rows = [line.split(maxsplit=1) for line in self.opcat("list", "images", "catalog.json").out.splitlines()]
        table = {image: " ".join(rest.split()) for image, rest in rows}
        self.assertEqual(table["IMAGE"], "KIND BUNDLES")
        self.assertEqual(table["r.example/b"], "related foo.v1.0.0,foo.v2.0.0")
        self.assertEqual(table["quay.io/example/foo:v2.0.0"], "bundle foo.v2.0.0")  # its own, although it names it as related, too

    def test_selections_are_those_of_filter(self):
        for arguments in (("-p", "foo"), ("-c", "foo/fast"), ("--version", "foo<2"), ("-p", "foo", "--with-dependencies"), ("-p", "base", "-p", "disks")):
            with self.subTest(arguments):
                kept = self.opcat("filter", "catalog.json", *arguments).blobs()
                images = {image for blob in kept if blob["schema"] == "olm.bundle"
                          for image in [blob["image"], *(related["image"] for related in blob.get("relatedImages", []))] if image}
                self.assertEqual(self.names(*arguments), sorted(images))

    def test_json_says_what_an_image_is(self):
        rows = {row["image"]: row for row in self.opcat("list", "images", "catalog.json", "-o", "json").json()["images"]}
        self.assertEqual(rows["r.example/b"], {"image": "r.example/b", "bundle": False, "related": True, "of": [
            {"package": "foo", "name": "foo.v1.0.0"}, {"package": "foo", "name": "foo.v2.0.0"}]})
        base = rows["quay.io/example/base:v1.0.0"]
        self.assertEqual((base["bundle"], base["related"], len(base["of"])), (True, True, 2))
        self.assertEqual((rows["quay.io/example/foo:v2.0.0"]["bundle"], rows["quay.io/example/foo:v2.0.0"]["related"]), (True, False))

    def test_what_does_not_exist_is_refused(self):
        result = self.opcat("list", "images", "catalog.json", "-p", "fooo")
        self.assert_status(result, 2)
        self.assertIn("foo", result.err)


if __name__ == "__main__":
    unittest.main()
