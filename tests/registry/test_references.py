"""All forms of REF that opcat accepts: docs/images.md, and the flags of images at all commands."""
import json
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import tempfile

from registries import PullTest, main
from oci_layout import Layout, make_layer

OPCAT = os.environ.get("OPCAT", "opcat")
OPM = str(pathlib.Path(OPCAT).with_name("opm"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOG = ROOT / "testdata/catalogs/hello"
BUNDLE = ROOT / "testdata/bundles/widgets"
BUNDLE_LABELS = {"operators.operatorframework.io.bundle.package.v1": "widgets"}
INDEX = """
    CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, skiprange TEXT, version TEXT);
    CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
    CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT);
    CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
                                operatorbundle_name TEXT, replaces INTEGER, depth INTEGER);
    CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT);
    CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT);
    CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);
    INSERT INTO package VALUES ('hello', 'stable');
    INSERT INTO channel VALUES ('stable', 'hello', 'hello.v1.1.0');
    INSERT INTO operatorbundle VALUES
        ('hello.v1.0.0', '', '', 'registry.example/hello:1', '', '1.0.0'),
        ('hello.v1.1.0', '', '{"kind": "ClusterServiceVersion", "metadata": {"name": "hello.v1.1.0"}, "spec": {"installModes": [{"type": "AllNamespaces", "supported": true}]}}',
         'registry.example/hello:2', '', '1.1.0');
    INSERT INTO channel_entry VALUES (1, 'stable', 'hello', 'hello.v1.1.0', 2, 0), (2, 'stable', 'hello', 'hello.v1.0.0', NULL, 1);
"""


def files_below(directory, prefix):
    return {prefix + str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


class References(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry()
        layout = cls.work.layout
        cls.place = pathlib.Path(cls.work.path("place"))
        shutil.copytree(CATALOG, cls.place / "catalog")
        shutil.copytree(BUNDLE, cls.place / "bundle")
        (cls.place / "foo.yaml").write_text("schema: olm.semver\nstable: {bundles: [{image: ./bundle}]}\n")
        with sqlite3.connect(cls.place / "index.db") as database:
            database.executescript(INDEX)
        database.close()
        index = (cls.place / "index.db").read_bytes()
        bundle = files_below(BUNDLE, "")
        csv = next(name for name, text in bundle.items() if b"kind: ClusterServiceVersion" in text)
        misfit = {**bundle, csv: bundle[csv].replace(b"\nspec:\n", b"\nspec:\n  keywords: 5\n")}
        bad_bundle = {**bundle, "manifests/bad.yaml": b"kind: [", "metadata/properties.yaml": b"properties: ["}
        hello = files_below(CATALOG, "configs/")
        broken = {**hello, "configs/broken.yaml": b"schema: olm.channel: x"}
        configs = {"operators.operatorframework.io.index.configs.v1": "/configs"}
        database = {"operators.operatorframework.io.index.database.v1": "/database/index.db"}
        images = {"catalog": (hello, configs), "widgets": (bundle, BUNDLE_LABELS), "bundle": (bad_bundle, BUNDLE_LABELS), "misfit": (misfit, BUNDLE_LABELS), "broken": (broken, configs),
                  "index": ({"database/index.db": index}, database), "no-index": ({"etc/x": b""}, database),
                  "no-catalog": ({"etc/x": b""}, configs), "file": ({"configs": b""}, configs), "no-manifests": ({"metadata/x": b""}, BUNDLE_LABELS),
                  "nothing": ({"etc/x": b""}, {})}
        for name, (files, labels) in images.items():
            image = layout.image([make_layer(files)], labels)
            layout.tag(image, name)
            cls.work.fill(cls.registry, tag=name, to=f"org/{name}:v1")
            if name == "catalog":
                cls.digest = image["digest"]
            if name == "widgets":
                cls.widgets = image["digest"]
        cls.work.fill(cls.registry, tag="catalog", to="org/catalog:latest")
        small = Layout(str(cls.place / "layout"))
        small.tag(small.image([make_layer(hello)], configs), "v1")
        policy = ["skopeo", "--policy", cls.work.path("policy.json"), "copy", "-q"]
        for target in ("oci-archive:catalog.tar", "docker-archive:saved.tar:org/catalog:v1"):
            subprocess.run([*policy, "oci:layout:v1", target], cwd=cls.place, check=True, capture_output=True)
        # registry.example in the documentation is the registry of this test, and so is Docker's.
        cls.conf = cls.work.write("registries.conf", "".join(
            f'[[registry]]\nprefix = "{host}"\nlocation = "{cls.registry.address}"\ninsecure = true\n'
            for host in ("registry.example", "docker.io")))

    def opcat(self, *arguments, env=None, program=OPCAT):
        temporary = tempfile.mkdtemp(dir=self.work.dir)
        env = self.environment(temporary, {"CONTAINERS_REGISTRIES_CONF": self.conf, **(env or {})})
        done = subprocess.run([program, *arguments], cwd=self.place, capture_output=True, text=True, timeout=600, env=env)
        self.assertEqual(os.listdir(temporary), [])
        self.assertNotIn(temporary, done.stdout + done.stderr, "nobody knows that directory")
        return done

    def test_opm_wants_either_a_tag_or_a_digest(self):
        repository = f"{self.registry.address}/org/catalog"
        references = {f"{repository}:v1": 0, f"{repository}@{self.digest}": 0, repository: 1, f"{repository}:v1@{self.digest}": 1}
        for reference, status in references.items():
            with self.subTest(reference):
                self.assertEqual(self.opcat("render", "--use-http", reference).returncode, 0)
                done = self.opcat("render", "--use-http", reference, program=OPM)
                self.assertEqual(done.returncode, status, done.stderr)
                if status:
                    self.assertEqual(done.stdout, "")
                    self.assertIn("either a tag or a digest", done.stderr)

    def test_the_examples_of_the_documentation(self):
        table = re.findall(r"^\| .*\| `opcat (.*)` \|$", (ROOT / "docs/images.md").read_text(), re.MULTILINE)
        self.assertGreater(len(table), 10)
        for line in table:
            with self.subTest(line):
                done = self.opcat(*shlex.split(line.replace("sha256:…", self.digest)))
                self.assertEqual(done.returncode, 0, done.stderr)
                if line.startswith("validate"):
                    self.assertEqual(done.stdout, "")  # of a template there is a note, which is not shown
                    self.assertIn("(1 package checked)", done.stderr.splitlines()[-1])
                elif line.startswith("diff"):
                    self.assertEqual(done.stdout, "no changes\n")
                else:
                    self.assertIn("widgets" if "render bundle" in line else "hello", done.stdout)

    def test_every_command_takes_images_and_their_flags(self):
        """Plain HTTP is requested by flag: registries.conf does not mention this address."""
        image = f"{self.registry.address}/org/catalog:v1"
        index = f"{self.registry.address}/org/index:v1"
        commands = (
            ("render",), ("validate",), ("list", "packages"), ("list", "channels"), ("list", "bundles"), ("graph",),
            ("graph", "--from", "1.0.0"), ("diff", image), ("resolve", "v1", "hello", "--catalog"),
            ("resolve", "ocp-upgrade", "--cluster-version", "4.18", "--installed", "hello.v1.1.0", "--catalog"),
        )
        for command in commands:
            for reference in (image, index):
                with self.subTest((*command, reference)):
                    done = self.opcat(*command, reference, "--use-http")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if reference == index and command[0] != "validate":
                        self.assertIn("a format that is deprecated [legacy-index]", done.stderr)
                    if command != ("graph",):
                        self.assertEqual(self.opcat(*command, reference, "--authfile", "nowhere").returncode, 3)
        classic = self.opcat("resolve", "classic", "-n", "operators", "--subscribe", "hello", "--use-http", "--catalog",
                             f"olm/hello={index}")
        self.assertEqual(classic.returncode, 0, classic.stderr)
        self.assertIn("hello.v1.1.0", classic.stdout)

    def test_a_bundle_in_a_layout_has_no_pull_spec_unless_a_template_makes_one(self):
        layout = f"oci:{self.work.layout.directory}:bundle"
        done = self.opcat("validate", layout)
        self.assertNotIn("oci:", "".join(line for line in done.stdout.splitlines() if "pull spec" in line))
        self.assertNotIn("image must not be empty", done.stdout)
        image = lambda *arguments: json.loads(self.opcat("render", *arguments).stdout)["image"]
        self.assertEqual(image(layout), "")
        self.assertEqual(image(layout, "--image-ref-template", "r.example/{{.Package}}:{{.Version}}"), "r.example/widgets:1.2.0")
        pulled = f"{self.registry.address}/org/bundle:v1"
        self.assertEqual(image(f"docker://{pulled}", "--use-http"), pulled)

    def test_the_bundles_of_a_template_are_known_when_the_cache_has_them(self):
        cache = {"XDG_CACHE_HOME": str(self.work.path("cache")) + "/kept"}
        image = f"{self.registry.address}/org/widgets@{self.widgets}"
        template = {"schema": "olm.template.basic", "entries": [
            {"schema": "olm.package", "name": "widgets", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "widgets", "name": "stable", "entries": [{"name": "widgets.v1.2.1"}]},
            {"schema": "olm.bundle", "image": image}]}
        (self.place / "t.yaml").write_text(json.dumps(template))
        offline = {**cache, "http_proxy": "http://127.0.0.1:1", "no_proxy": ""}
        unknown = "without the bundles of the template: --resolve-images pulls them"
        self.assertIn(unknown, self.opcat("validate", "--use-http", "t.yaml", env=offline).stderr)
        self.assertFalse(pathlib.Path(cache["XDG_CACHE_HOME"]).exists())
        asked = self.opcat("validate", "--use-http", "--resolve-images", "t.yaml", env=cache)
        kept = self.opcat("validate", "--use-http", "t.yaml", env=offline)
        self.assertEqual(asked.returncode, 1, asked)
        self.assertIn("[entry-without-bundle]", asked.stdout)
        self.assertNotIn(unknown, asked.stderr)
        self.assertEqual((kept.returncode, kept.stdout), (asked.returncode, asked.stdout))
        self.assertNotIn(unknown, kept.stderr)
        self.assertIn(unknown, self.opcat("validate", "--use-http", "--no-cache", "t.yaml", env=offline).stderr)
        policy = self.work.write("signed.json", json.dumps({"default": [{"type": "sigstoreSigned", "keyPath": "/absent"}]}))
        self.assertIn(unknown, self.opcat("validate", "--use-http", "--signature-policy", policy, "t.yaml", env=offline).stderr)

    def test_mistakes_in_an_index_database_are_reported_once(self):
        shutil.copy(self.place / "index.db", self.place / "bad.db")
        with sqlite3.connect(self.place / "bad.db") as database:
            database.executescript("UPDATE operatorbundle SET version = 'x' WHERE name = 'hello.v1.0.0'")
        database.close()
        done = self.opcat("validate", "bad.db")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count('"x" is not a semantic version'), 1)
        self.assertEqual(done.stderr, "1 error, 1 warning (1 package checked, without the rules that need a complete catalog)\n")

    def test_findings_in_an_image_name_the_image(self):
        image = f"{self.registry.address}/org/bundle:v1"
        done = self.opcat("render", "--use-http", image)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{image}:/manifests/bad.yaml:1:", done.stderr)
        self.assertIn(f"{image}:/metadata/properties.yaml:1:", done.stderr)
        image = f"{self.registry.address}/org/broken:v1"
        done = self.opcat("validate", "--use-http", image)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{image}:/configs/broken.yaml:1:", done.stdout)
        done = self.opcat("render", "--use-http", f"{self.registry.address}/org/index:v1")
        self.assertIn("/org/index:v1:/database/index.db is an index database", done.stderr)

    def test_an_image_is_pulled_once_for_all_catalogs_of_the_configuration(self):
        front = self.work.front(self.registry)
        project = pathlib.Path(tempfile.mkdtemp(dir=self.work.dir))
        versions = [f"4.{minor}" for minor in range(10, 20)]
        (project / ".opcat.yaml").write_text(f"catalogs:\n- template: t{{version}}.yaml\n  catalog: v{{version}}/catalog.yaml\n  openshift: {json.dumps(versions)}\n")
        for version in versions:
            (project / f"t{version}.yaml").write_text("schema: olm.template.basic\nentries:\n- {schema: olm.package, name: widgets, defaultChannel: a}\n"
                                                      f"- {{schema: olm.bundle, image: '{front.address}/org/widgets:v1'}}\n")
        temporary = tempfile.mkdtemp(dir=self.work.dir)
        done = subprocess.run([OPCAT, "template", "render", "--all", "--use-http", "--no-cache"], cwd=project, capture_output=True, text=True, timeout=600,
                              env=self.environment(temporary, {}))
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [path for _, path, _, _ in front.requests]
        self.assertEqual(len([path for path in paths if "/manifests/" in path]), 1, paths)
        self.assertEqual(len({path for path in paths if "/blobs/" in path}), len([path for path in paths if "/blobs/" in path]))
        texts = {version: (project / f"v{version}/catalog.yaml").read_text() for version in versions}
        self.assertEqual({version for version, text in texts.items() if "olm.csv.metadata" in text}, {"4.17", "4.18", "4.19"})
        self.assertEqual({version for version, text in texts.items() if "olm.bundle.object" in text}, set(versions) - {"4.17", "4.18", "4.19"})

    def test_a_template_whose_bundle_does_not_migrate(self):
        image = f"{self.registry.address}/org/misfit:v1"
        (self.place / "template.yaml").write_text(f"schema: olm.template.basic\nentries: [{{schema: olm.bundle, image: {image}}}]\n")
        done = self.opcat("template", "render", "--use-http", "template.yaml", "--migrate-level", "bundle-object-to-csv-metadata")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the ClusterServiceVersion in an olm.bundle.object does not decode: spec.keywords must be a list, not a number", done.stderr)

    def test_images_that_do_not_hold_what_their_labels_say(self):
        for name, expected in (("no-index", "has no /database/index.db, where its label"), ("no-catalog", "has no /configs, where"),
                               ("no-manifests", "org/no-manifests:v1:/manifests: no such file or directory"),
                               ("file", "org/file:v1:/configs is not a directory, although its label operators"),
                               ("nothing", "is neither a catalog nor a bundle")):
            with self.subTest(name):
                done = self.opcat("render", "--use-http", f"{self.registry.address}/org/{name}:v1")
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    main()
