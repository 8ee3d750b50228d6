"""Images that `opcat build` makes: read by skopeo and by opcat itself, and the same on every machine."""
import json
import os
import pathlib
import shutil
import subprocess
import tarfile

from registries import LAYERS, main
from oci_layout import make_layer
from test_copying import OPCAT, CopyTest

CATALOG = pathlib.Path(__file__).resolve().parents[2] / "testdata/catalogs/hello"
BUNDLE = CATALOG.parents[1] / "bundles/widgets"
CONFIGS = "operators.operatorframework.io.index.configs.v1"


class Builds(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        base = [cls.work.layout.image([make_layer({"bin/opm": name.encode(), "configs/old.yaml": b"schema: old\n"})],
                                      {"base": name}, name, platform={"os": "linux", "architecture": name})
                for name in ("amd64", "arm64")]
        cls.work.layout.tag(cls.work.layout.index(base), "base")

    def build(self, *args, env=None):
        status, out, err = self.opcat("build", *map(str, args), env=env)
        self.assertEqual(status, 0, err)
        return out.strip()

    def inspect(self, image):
        return (json.loads(self.skopeo("inspect", "--raw", image)), json.loads(self.skopeo("inspect", "--config", image)))

    def test_from_scratch(self):
        target = f"oci:{self.work.path('scratch')}:v1"
        digest = self.build(CATALOG, "--base", "scratch", "-t", target, "--label", "a=b", "--annotation", "c=d")
        self.assertEqual(digest, self.raw_digest(target))
        manifest, config = self.inspect(target)
        self.assertEqual(manifest["annotations"], {"c": "d"})
        self.assertEqual(manifest["mediaType"], "application/vnd.oci.image.manifest.v1+json")
        self.assertEqual(config["config"]["Labels"], {CONFIGS: "/configs", "a": "b"})
        self.assertNotIn("Entrypoint", config["config"])
        self.assertEqual((config["os"], config["architecture"], config["created"]), ("linux", "amd64", "1970-01-01T00:00:00Z"))
        layer = self.work.path("scratch/blobs/sha256/") + manifest["layers"][0]["digest"][7:]
        with tarfile.open(layer) as tar:
            entries = tar.getmembers()
            self.assertEqual([e.name for e in entries], sorted(e.name for e in entries))
            self.assertEqual({(e.uid, e.gid, e.mtime, e.mode) for e in entries}, {(0, 0, 0, 0o755), (0, 0, 0, 0o644)})
        rendered = subprocess.run([OPCAT, "render", target], capture_output=True, check=True).stdout
        self.assertEqual(rendered, subprocess.run([OPCAT, "render", CATALOG], capture_output=True, check=True).stdout)

    def test_what_indexignore_leaves_out_is_not_published(self):
        catalog = pathlib.Path(self.work.path("with-secrets"))
        shutil.copytree(CATALOG, catalog)
        (catalog / ".indexignore").write_text(".env\nout.yaml\n")
        (catalog / ".env").write_text("TOKEN=s3cret")
        (catalog / "out.yaml").symlink_to("/etc/passwd")
        (catalog / ".git").mkdir()
        (catalog / ".git/config").write_text("s3cret")
        digest = self.build(catalog, "--base", "scratch", "--no-validate", "-t", f"oci:{self.work.path('without-secrets')}:v1")
        self.assertEqual(digest, self.build(CATALOG, "--base", "scratch", "-t", f"oci:{self.work.path('without-secrets')}:v2"))
        (catalog / "out2.yaml").symlink_to("/etc/passwd")
        status, _, err = self.opcat("build", str(catalog), "--base", "scratch", "--no-validate", "-t", f"oci:{self.work.path('without-secrets')}:v3")
        self.assertEqual(status, 3, err)
        self.assertIn("leads out of", err)

    def test_the_digest_depends_on_the_files_alone(self):
        copy = self.work.path("moved")
        shutil.copytree(CATALOG, copy)
        for path in pathlib.Path(copy).rglob("*"):
            os.chmod(path, 0o700)
            os.utime(path, (5, 5))
        digests = {}
        for packing in ("gzip", "zstd"):
            digests[packing], moved = (self.build(directory, "--base", "scratch", "--compression", packing, "-t",
                                                  f"oci:{self.work.path('same-' + str(n))}:v1") for n, directory in enumerate((CATALOG, copy)))
            self.assertEqual(digests[packing], moved)
        later = self.build(CATALOG, "--base", "scratch", "-t", f"oci:{self.work.path('later')}:v1", env={"SOURCE_DATE_EPOCH": "1700000000"})
        self.assertNotEqual(later, digests["gzip"])  # the default
        self.assertEqual(self.inspect(f"oci:{self.work.path('later')}:v1")[1]["created"], "2023-11-14T22:13:20Z")

    def test_a_configuration_of_the_base_that_arrives_twice_is_read_once(self):
        self.work.layout.tag(self.work.layout.image(LAYERS, {"is": "plain"}), "plain")
        self.opcat("copy", "--use-http", self.source("plain"), f"{self.registry.address}/org/base:v1")
        config = json.loads(self.skopeo("inspect", "--raw", self.source("plain")))["config"]["digest"]
        seen = []

        def cut(request):
            if request.command != "GET" or config not in request.path:
                return False
            request.answer_without_resuming(seen, 50)
            return True
        front = self.work.front(self.registry, cut)
        target = f"oci:{self.work.path('twice')}:v1"
        self.build(CATALOG, "--use-http", "--base", f"{front.address}/org/base:v1", "-t", target)
        self.assertGreater(len(seen), 1)
        self.assertRegex(seen[1], "^bytes=[1-9]")
        self.assertEqual(len(self.inspect(target)[1]["rootfs"]["diff_ids"]), 4)

    def test_a_base_with_content_of_its_own_is_refused(self):
        target = self.work.path("mixed")
        for name, label in (("v1", CONFIGS), ("database", "operators.operatorframework.io.index.database.v1"), ("bundle", "operators.operatorframework.io.bundle.manifests.v1")):
            self.work.layout.tag(self.work.layout.image(LAYERS, {label: "/x"}), name)
            status, _, err = self.opcat("build", str(CATALOG), "--base", self.source(name), "-t", f"oci:{target}:v1")
            self.assertEqual(status, 3, err)
            self.assertIn(f"the base image has the label {label}", err)
            self.assertFalse(os.path.exists(target + "/index.json"))
        status, _, err = self.opcat("build", str(CATALOG), "--base", "scratch", "-t", "registry.example/a:v1@sha256:" + 64 * "0")
        self.assertEqual((status, "a tag and a digest" in err), (2, True), err)

    def test_on_a_base_into_its_registry(self):
        front = self.work.front(self.registry)
        self.opcat("copy", "--use-http", self.source("base"), f"{front.address}/org/opm:v1")
        del front.requests[:]
        image = f"{front.address}/org/catalog:v1"
        self.build(CATALOG, "--use-http", "--base", f"{front.address}/org/opm:v1", "-t", image, "--platform", "linux/amd64",
                   "--platform", "linux/arm64")
        # The layers of the base are neither read nor sent.
        self.assertEqual(front.count("from=org%2Fopm"), 2)
        self.assertEqual(sum(method == "GET" and "/blobs/" in path for method, path, *_ in front.requests), 2)  # configurations
        image = f"{self.registry.address}/org/catalog:v1"
        index = json.loads(self.skopeo("inspect", "--raw", "--tls-verify=false", "docker://" + image))
        self.assertEqual([m["platform"]["architecture"] for m in index["manifests"]], ["amd64", "arm64"])
        self.skopeo("--override-arch", "arm64", "copy", "-q", "--src-tls-verify=false", "docker://" + image,
                    f"oci:{self.work.path('arm')}:v1")
        manifest, config = self.inspect(f"oci:{self.work.path('arm')}:v1")
        self.assertEqual(len(manifest["layers"]), 2)
        self.assertEqual(config["config"]["Entrypoint"], ["/bin/opm"])
        self.assertEqual(config["config"]["Cmd"], ["serve", "/configs"])
        self.assertEqual(config["config"]["Labels"], {CONFIGS: "/configs", "base": "arm64"})

    def test_archives(self):
        for form in ("oci-archive", "docker-archive"):
            target = f"{form}:{self.work.path(form)}"
            self.build(CATALOG, "--base", self.source("base"), "-t", target)
            self.skopeo("inspect", "--config", target)
            self.build(CATALOG, "--base", self.source("base"), "-t", target)
            other = self.work.path("mistyped.yaml")
            pathlib.Path(other).write_text("kind: List\n")
            status, _, err = self.opcat("build", CATALOG, "--base", "scratch", "-t", f"{form}:{other}")
            self.assertEqual((status, pathlib.Path(other).read_text()), (3, "kind: List\n"))
            self.assertIn("the file exists and is not an archive of this kind", err)

    def test_bundles(self):
        target = f"oci:{self.work.path('bundle-image')}:v1"
        status, out, err = self.opcat("build", "bundle", str(BUNDLE), "-t", target)
        self.assertEqual(status, 0, err)
        labels = self.inspect(target)[1]["config"]["Labels"]
        self.assertEqual(labels["operators.operatorframework.io.bundle.manifests.v1"], "manifests/")

    def test_files_for_each_platform(self):
        roots = []
        for name in ("amd64", "arm64"):
            root = pathlib.Path(self.work.path("root-" + name))
            (root / "usr/bin").mkdir(parents=True)
            (root / "bin").symlink_to("/usr/bin")
            (root / "tmp").mkdir()
            (root / "tmp").chmod(0o1777)
            (root / "usr/bin/opm").write_text(name)
            (root / "usr/bin/opm").chmod(0o4751)
            (root / "usr/share").write_text("data")
            roots.append(root)
        target = f"oci:{self.work.path('files')}:v1"
        platforms = ("--platform", "linux/amd64", "--platform", "linux/arm64")
        self.build("files", *roots, *platforms, "--entrypoint", "/bin/opm", "--entrypoint", "serve", "--user", "1001:0",
                   "--workdir", "/work", "--env", "HOME=/tmp", "-t", target)
        for name in ("amd64", "arm64"):
            with self.subTest(name):
                one = f"oci:{self.work.path('files-' + name)}:v1"
                self.skopeo("--override-arch", name, "copy", "-q", target, one)
                manifest, config = self.inspect(one)
                self.assertEqual(config["architecture"], name)
                self.assertEqual(config["config"], {"Entrypoint": ["/bin/opm", "serve"], "User": "1001:0", "WorkingDir": "/work",
                                                    "Env": ["HOME=/tmp"]})
                with tarfile.open(self.work.path(f"files-{name}/blobs/sha256/") + manifest["layers"][0]["digest"][7:]) as tar:
                    self.assertEqual({e.name: e.mode for e in tar}, {
                        "bin": 0o777, "tmp": 0o1777, "usr": 0o755, "usr/bin": 0o755, "usr/bin/opm": 0o755, "usr/share": 0o644})
                    self.assertEqual(tar.extractfile("usr/bin/opm").read().decode(), name)
        # One directory for all platforms, and a catalog on top.
        base = f"oci:{self.work.path('files-base')}:v1"
        self.build("files", roots[0], *platforms, "--env", "HOME=/tmp", "--user", "1001", "-t", base)
        on_it = f"oci:{self.work.path('files-catalog')}:v1"
        self.build(CATALOG, "--base", base, *platforms, "-t", on_it)
        self.assertEqual(len(json.loads(self.skopeo("inspect", "--raw", on_it))["manifests"]), 2)
        for args, expected in (((*roots, "--platform", "linux/amd64"), "2 directories are named, and 1 platform"),
                               ((roots[0], "--env", "HOME"), "is not a variable")):
            with self.subTest(expected):
                status, _, err = self.opcat("build", "files", *map(str, args), "-t", target)
                self.assertEqual(status, 2, err)
                self.assertIn(expected, err)

    def test_what_cannot_be_built(self):
        broken = pathlib.Path(self.work.path("broken"))
        broken.mkdir()
        (broken / "catalog.yaml").write_text("schema: olm.package\nname: a\ndefaultChannel: none\n")
        empty = pathlib.Path(self.work.path("empty"))
        for folder in ("manifests", "metadata"):
            (empty / folder).mkdir(parents=True)
        target = f"oci:{self.work.path('never')}:v1"
        for args, status, expected in (
                ([broken], 1, "does not validate"),
                ([self.work.path("nowhere")], 3, "cannot read"),
                ([CATALOG, "--platform", "linux/s390x", "--base", self.source("base")], 3, "the index has no image for linux/s390x"),
                ([CATALOG, "--label", "nothing"], 2, "is not a label"),
                ([CATALOG, "--label", "a=1", "--label", "a=2"], 2, '"a" is given twice'),
                ([CATALOG, "--platform", "linux/arm64", "--platform", "linux/arm64"], 2, "--platform linux/arm64 is given twice"),
                ([CATALOG, "--platform", "linux/amd46"], 2, "did you mean linux/amd64?"),
                (["bundle", CATALOG], 2, "is not a bundle: it lacks manifests/ or metadata/"),
                (["bundle", empty], 1, "no image is built: the bundle"),
                ([CATALOG, "--platform", "linux/amd64", "--platform", "linux/arm64", "-t", f"docker-archive:{self.work.path('never')}"], 2,
                 "holds one image, for one platform"),
                ([], 2, "no catalog is named")):
            with self.subTest(expected):
                base = () if "--base" in args or "bundle" in args else ("--base", "scratch")
                result = self.opcat("build", *map(str, args), *base, *(("-t", target) if "-t" not in args else ()))
                self.assertEqual(result[0], status, result[2])
                self.assertIn(expected, result[2])
                self.assertFalse(os.path.exists(self.work.path("never")))
        nothing = pathlib.Path(self.work.path("nothing"))
        nothing.mkdir()
        (nothing / "template.yaml").write_text("schema: olm.template.basic\nentries: []\n")
        for directory, words in ((nothing, "has no package"), (empty / "manifests", "is empty: it has neither a package")):
            status, _, err = self.opcat("build", str(directory), "--base", "scratch", "-t", target)
            self.assertEqual(status, 1, err)
            self.assertIn(words, err)
            self.assertFalse(os.path.exists(self.work.path("never")))
            into = f"oci:{self.work.path('allowed-' + directory.name)}:v1"
            self.assertEqual(self.opcat("build", str(directory), "--allow-empty", "--base", "scratch", "-t", into)[0], 0)
        for wrong in ("tomorrow", "-1", "253402300800"):
            status, _, err = self.opcat("build", str(CATALOG), "--base", "scratch", "-t", target, env={"SOURCE_DATE_EPOCH": wrong})
            self.assertEqual(status, 2, err)
            self.assertIn(f'SOURCE_DATE_EPOCH is "{wrong}", not a number of seconds', err)
        os.symlink("/etc/passwd", broken / "link")
        status, _, err = self.opcat("build", str(broken), "--no-validate", "--base", "scratch", "-t", target)
        self.assertEqual(status, 3)
        self.assertIn("leads out of", err)


if __name__ == "__main__":
    main()
