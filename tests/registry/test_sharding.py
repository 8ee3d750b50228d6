"""Shards whose outputs travel through a registry, and bundle images that fail for a while or for good."""
import os

from registries import main
from oci_layout import make_layer
from test_copying import CopyTest

CSV = """apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: foo.v%s}
spec: {version: %s, displayName: foo, install: {strategy: deployment, spec: {deployments: []}}}
"""
ANNOTATIONS = "annotations:\n  operators.operatorframework.io.bundle.package.v1: foo\n  operators.operatorframework.io.bundle.channels.v1: stable\n"
LABELS = {"operators.operatorframework.io.bundle.package.v1": "foo"}
BUNDLES = 7


class Sharding(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.origin = cls.work.registry()
        for number in range(BUNDLES):
            version = f"{number}.0.0"
            layer = make_layer({"manifests/csv.yaml": (CSV % (version, version)).encode(), "metadata/annotations.yaml": ANNOTATIONS.encode()})
            cls.work.layout.tag(cls.work.layout.image([layer], LABELS), f"foo-{number}")
            cls.work.fill(cls.origin, f"foo-{number}", f"org/foo:v{number}")

    def references(self, *more, at=None):
        return self.work.write("refs", "\n".join([f"{at or self.origin.address}/org/foo:v{n}" for n in range(BUNDLES)] + list(more)))

    def render(self, *args, **options):
        return self.opcat("render", "--use-http", "--no-cache", *args, **options)

    def test_a_run_through_a_registry(self):
        target = f"{self.work.registry().address}/team/shards:monday"
        refs = self.references()
        whole = self.render("--refs", refs)
        self.assertEqual(whole[0], 0, whole[2])
        for index in range(3):
            status, _, err = self.render("--refs", refs, "--shard", f"{index}/3", "--shard-output", target)
            self.assertEqual(status, 0, err)
            if index < 2:
                status, _, err = self.opcat("merge", "--use-http", target)
                self.assertEqual(status, 2)
                self.assertIn("2 of 3 shards are missing: 1,2" if index == 0 else "shard 2/3 is missing", err)
        self.assertEqual(self.opcat("merge", "--use-http", target), (0, whole[1], ""))
        status, _, err = self.render("--refs", refs, "--shard", "1/3", "--shard-output", target)
        self.assertIn("shard 1/3 is complete in", err)
        # Written again, it is the same image.
        digest = self.raw_digest(f"docker://{target}-1", "--tls-verify=false")
        again = f"{target.split('/')[0]}/team/again"
        self.render("--refs", refs, "--shard", "1/3", "--shard-output", again)
        self.assertEqual(self.raw_digest(f"docker://{again}:shard-1", "--tls-verify=false"), digest)

    def test_images_that_are_not_of_a_shard(self):
        place = f"{self.work.registry().address}/team/others"
        status, _, err = self.opcat("merge", "--use-http", place)
        self.assertEqual(status, 2)
        self.assertIn(f"there is no output of shard 0: {place}:shard-0\n  help: name the image that --shard-output has named", err)
        root = self.work.path("others")
        os.mkdir(root)
        for name in ("something", "shard-0-of-1.json", "shard-0-of-2.json"):
            self.work.write(f"others/{name}", "{}")
            if name.endswith("1.json"):
                continue
            status, _, err = self.opcat("build", "files", root, "--use-http", "-t", f"{place}:shard-0")
            self.assertEqual(status, 0, err)
            with self.subTest(name):
                status, _, err = self.opcat("merge", "--use-http", place)
                self.assertEqual(status, 3)
                self.assertEqual(err.splitlines()[-2:], [f"error: {place}:shard-0 does not have the output of one shard",
                                                         "  help: name the image that --shard-output has named"])

    def test_a_bad_image_is_not_tried_again_and_a_busy_registry_is(self):
        cases = [("a bad image", lambda request: False, f"{self.origin.address}/org/gone:v1", 1, "has no manifest"),
                 ("a busy registry", lambda request: "/foo/manifests/v3" in request.path and request.answer(503, b"busy", {"Retry-After": "0"}) is None, None, 3, "answered 503")]
        for name, fault, more, status, words in cases:
            with self.subTest(name):
                front = self.work.front(self.origin, fault)
                place = self.work.path("parts-" + name.split()[1])
                refs = self.references(*([more] if more else []), at=front.address)
                ended, _, err = self.render("--refs", refs, "--shard", "0/1", "--shard-output", place)
                self.assertEqual(ended, status, err)
                self.assertIn(words, err)
                ended, out, err = self.opcat("merge", "--keep-going", place)
                self.assertEqual(ended, 1)
                self.assertEqual(out.count('"schema": "olm.bundle"'), BUNDLES - (status == 3))
                # An incomplete shard is repeated.
                if status == 3:
                    front.fault = lambda request: False
                    self.assertEqual(self.render("--refs", refs, "--shard", "0/1", "--shard-output", place)[0], 0)
                    self.assertEqual(self.opcat("merge", place)[0], 0)


if __name__ == "__main__":
    main()
