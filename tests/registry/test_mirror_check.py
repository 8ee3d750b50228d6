"""Whether a mirror has all that its catalogs need, and its repair. Covers lib/mirror/check.cpp and lib/mirror/inspection.cpp."""
import json
import pathlib
import shutil
import subprocess

from registries import main
from oci_layout import make_layer
from mirror_case import MirrorTest


class Checks(MirrorTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.signature = "sha256-" + cls.digests["operand"][7:] + ".sig"
        cls.work.layout.tag(cls.work.layout.image([make_layer({"s": b"signed"})], {"is": "signature"}), cls.signature)
        cls.work.fill(cls.origin, cls.signature, f"org/operand:{cls.signature}")

    def check(self, target, *flags, status=0):
        code, out, err = self.opcat("mirror", "check", "--use-http", target, *flags, "-o", "json")
        self.assertEqual(code, status, out + err)
        self.assertEqual(self.opcat("mirror", "check", "--use-http", target, *(flag for flag in flags if flag != "--repair"))[0] != 0,
                         status != 0, "the table")
        return json.loads(out), err

    def faults(self, report):
        return {(one["image"].split(":")[0], fault["state"], fault["part"]) for one in report["faulty"] for fault in one["faults"]}

    def manifest(self, image):
        return json.loads(subprocess.run(["skopeo", "inspect", "--raw", "--tls-verify=false", f"docker://{image}"], capture_output=True, check=True).stdout)

    def test_what_is_missing_is_named_with_its_bundles_and_repaired(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        self.mirror(self.catalog, "--to", to)
        report, _ = self.check(to)
        self.assertEqual((report["images"], report["broken"], report["faulty"]), (7, 0, []))
        layer = self.manifest(f"{to}/org/bundle-110@{self.digests['bundle-110']}")["layers"][1]["digest"]
        tag = f"{to}/org/operand:{self.signature}"
        signature = json.loads(subprocess.run(["skopeo", "inspect", "--tls-verify=false", f"docker://{tag}"], capture_output=True, check=True).stdout)["Digest"]
        self.delete(target, "mirror/org/bundle-110", "blobs", layer)
        self.delete(target, "mirror/org/bundle-200", "manifests", self.digests["bundle-200"])
        self.delete(target, "mirror/org/operand", "manifests", signature)
        # A run that only looks at manifests does not see the blob.
        report, _ = self.check(to, status=1)
        self.assertEqual(self.faults(report), {("org/bundle-110", "missing", "blob"), ("org/bundle-200", "missing", "manifest"),
                                               ("org/operand", "missing", "manifest")})
        bundles = {one["image"].split(":")[0]: one["bundles"] for one in report["faulty"]}
        self.assertEqual(bundles["org/bundle-110"], ["foo.v1.1.0"])
        report, _ = self.check(to, "--repair")
        self.assertEqual([one["repaired"] for one in report["faulty"]], [True] * 3)
        self.check(to, "--verify")

    def test_images_that_others_have_put_there_are_looked_for_too(self):
        config = self.work.write("found.json", json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "mirror": {
            "additionalImages": [{"name": f"{self.origin.address}/org/tagged:v1"}]}}))
        for first in ((), (str(self.catalog), "--version", "foo =2.0.0")):
            with self.subTest(first):
                target = self.work.registry()
                to = f"{target.address}/mirror"
                if first:
                    self.mirror(*first, "--to", to)
                self.work.fill(target, "tagged", "mirror/org/tagged:v1")
                self.assertIn("0 images copied" if not first else "1 was there already", self.mirror("--config", config, "--to", to)[1])
                self.check(to)
                self.work.fill(target, "operand", "mirror/org/tagged:v1")
                report, _ = self.check(to, status=1)
                self.assertEqual(self.faults(report), {("org/tagged", "damaged", "manifest")})
                self.delete(target, "mirror/org/tagged", "manifests", self.digests["operand"])
                self.delete(target, "mirror/org/tagged", "manifests", self.digests["tagged"])
                report, _ = self.check(to, status=1)
                self.assertEqual(self.faults(report), {("org/tagged", "missing", "manifest")})

    def test_a_blob_that_was_altered_is_only_seen_when_it_is_read(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        self.mirror(self.catalog, "--to", to)
        layer = self.manifest(f"{to}/org/bundle-110@{self.digests['bundle-110']}")["layers"][1]["digest"][7:]
        data = pathlib.Path(target.dir, "data/docker/registry/v2/blobs/sha256", layer[:2], layer, "data")
        size = data.stat().st_size
        data.write_bytes(b"x" * size)
        self.check(to)
        report, _ = self.check(to, "--verify", status=1)
        self.assertEqual(self.faults(report), {("org/bundle-110", "damaged", "blob")})
        report, err = self.check(to, "--verify", "--repair", status=1)
        self.assertIn("it was sent again, and blob", report["faulty"][0]["notRepaired"])
        self.assertIn("remove that from its storage", err)
        data.unlink()
        self.check(to, "--verify", "--repair")

    def test_a_catalog_that_lost_a_blob_is_sent_again_by_the_next_run(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        self.mirror(self.catalog, "--to", to)
        layer = self.manifest(f"{to}/catalog:latest")["layers"][0]["digest"]
        self.delete(target, "mirror/catalog", "blobs", layer)
        report, err = self.check(to, "--repair", status=1)
        self.assertIn(("catalog", "missing", "blob"), self.faults(report))
        self.assertIn("mirror it again", err)
        self.mirror(self.catalog, "--to", to)
        self.check(to, "--verify")

    def test_a_directory_is_checked_and_repaired(self):
        directory = pathlib.Path(self.work.path("checked"))
        self.mirror(self.catalog, "--to", f"dir:{directory}")
        report, _ = self.check(f"dir:{directory}", "--verify")
        self.assertEqual(report["faulty"], [])
        index = json.loads((directory / "index.json").read_text())["manifests"]
        by_name = {one["annotations"]["org.opencontainers.image.ref.name"].split(":")[0]: one["digest"][7:] for one in index}
        blobs = directory / "blobs/sha256"
        layer = json.loads((blobs / by_name["org/bundle-110"]).read_text())["layers"][1]["digest"][7:]
        (blobs / layer).chmod(0o644)
        (blobs / layer).write_bytes(b"x" * (blobs / layer).stat().st_size)
        (blobs / by_name["org/bundle-200"]).unlink()
        report, _ = self.check(f"dir:{directory}", "--verify", status=1)
        self.assertEqual(self.faults(report), {("org/bundle-110", "damaged", "blob"), ("org/bundle-200", "missing", "manifest")})
        self.check(f"dir:{directory}", "--verify", "--repair")
        shutil.rmtree(directory)

    def test_a_directory_that_was_not_filled_is_not_well(self):
        place = f"dir:{self.work.path('unfinished')}"
        blob = json.loads(self.skopeo("inspect", "--raw", "--tls-verify=false", f"docker://{self.origin.address}/org/tagged:v1"))["layers"][0]["digest"]
        front = self.work.front(self.origin, lambda request: request.path.endswith(blob) and (request.answer(404) or True))
        self.mirror(self.catalog_from(front, self.catalog), "--to", place, status=3)
        status, out, err = self.opcat("mirror", "check", place)
        self.assertNotEqual(status, 0, out + err)

    def test_what_cannot_be_known_is_not_well(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        self.mirror(self.catalog, "--to", to)
        front = self.work.front(target, fault=lambda request: "/org/operand/blobs/" in request.path and (request.answer(503) or True))
        code, out, err = self.opcat("mirror", "check", "--use-http", f"{front.address}/mirror")
        self.assertEqual(code, 3, out + err)
        self.assertIn("unknown  org/operand", out)
        self.assertIn("images not known", err)

    def test_paths_of_few_parts(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        tag = lambda name: f"sha256-{self.digests[name][7:]}"
        self.mirror(self.catalog, "--to", to, "--max-nested-paths", "1", status=2)
        _, _, files = self.mirror(self.catalog, "--to", to, "--max-nested-paths", "2")
        expected = {f"mirror/org-{name}:{tag(name)}" for name in ("bundle-100", "bundle-110", "bundle-200", "operand")}
        self.assertEqual(self.names(target), expected | {f"mirror/org-operand:{self.signature}", "mirror/org-tagged:v1", "mirror/catalog:latest", "mirror/opcat-mirror:latest"})
        self.assertIn(f"    - {to}/org-operand\n", files["idms-opcat.yaml"])
        report, _ = self.check(to, "--verify")
        self.assertEqual((report["images"], report["faulty"]), (7, []))
        directory = "dir:" + self.work.path("nested")
        second = self.work.registry()
        self.mirror(self.catalog, "--to", directory)
        self.mirror(directory, "--to", f"{second.address}/mirror", "--max-nested-paths", "2")
        self.assertEqual(self.names(second), self.names(target))
        self.check(f"{second.address}/mirror")

    def test_only_a_mirror_can_be_checked(self):
        target = self.work.registry()
        for name, status, words in ((f"{target.address}/none", 3, "there is no record of a mirror in"), ("dir:/nonexistent", 3, "there is no record"),
                                    ("file:///x", 2, "write dir:/x"),
                                    ("archive:x", 2, "an archive is not checked by itself")):
            code, _, err = self.opcat("mirror", "check", "--use-http", name)
            self.assertEqual(code, status, err)
            self.assertIn(words, err)


if __name__ == "__main__":
    main()
