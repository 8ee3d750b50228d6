"""Whether the operators of a cluster start from a mirror. Covers lib/mirror/can_start.cpp and lib/mirror/cluster_needs.cpp."""
import json
import subprocess

from registries import main
from mirror_case import MirrorTest


class Starts(MirrorTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.target = cls.work.registry()
        cls.to = f"{cls.target.address}/mirror"

    def setUp(self):
        self.mirror(self.catalog, "--to", self.to)

    def objects(self, *left_out, installed="foo.v1.0.0", channel="stable", catalog=None, mirrors=None, extra=()):
        at = self.origin.address
        olm = "operators.coreos.com/v1alpha1"
        mirrors = mirrors or [f"{self.to}/org"]
        objects = [
            {"apiVersion": olm, "kind": "CatalogSource", "metadata": {"name": "c", "namespace": "m"}, "spec": {"image": catalog or f"{self.to}/catalog:latest"}},
            {"apiVersion": olm, "kind": "Subscription", "metadata": {"name": "foo", "namespace": "apps"},
             "spec": {"name": "foo", "channel": channel, "source": "c", "sourceNamespace": "m"}, "status": {"installedCSV": installed}},
            {"apiVersion": "config.openshift.io/v1", "kind": "ImageDigestMirrorSet", "metadata": {"name": "i"},
             "spec": {"imageDigestMirrors": [{"source": f"{at}/org", "mirrors": mirrors}]}},
            {"apiVersion": "config.openshift.io/v1", "kind": "ImageTagMirrorSet", "metadata": {"name": "t"},
             "spec": {"imageTagMirrors": [{"source": f"{at}/org", "mirrors": mirrors}]}},
            *extra]
        return self.work.write("objects.json", "\n---\n".join(json.dumps(one) for one in objects if one["kind"] not in left_out))

    def can_start(self, objects, *flags, status=0):
        code, out, err = self.opcat("mirror", "check", "--use-http", self.to, "--can-start", objects, "-o", "json", *flags)
        self.assertEqual(code, status, out + err)
        return json.loads(out)["operators"]

    def test_installed_and_next_versions(self):
        for installed, channel, following in (("foo.v1.0.0", "stable", ["foo.v1.1.0"]), ("foo.v1.1.0", "stable", []), ("foo.v1.1.0", "fast", ["foo.v2.0.0"]),
                                              ("", "fast", ["foo.v2.0.0"])):
            with self.subTest((installed, channel)):
                one, = self.can_start(self.objects(installed=installed, channel=channel))
                self.assertEqual((one["starts"], one["next"], one["faults"]), ("yes", following, []))
        extension = [{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "c"},
                      "spec": {"source": {"type": "Image", "image": {"ref": f"{self.to}/catalog:latest"}}}},
                     {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "foo"},
                      "spec": {"source": {"catalog": {"packageName": "foo"}}}, "status": {"install": {"bundle": {"name": "foo.v1.1.0", "version": "1.1.0"}}}}]
        one, = self.can_start(self.objects("Subscription", "CatalogSource", extra=extension))
        self.assertEqual((one["starts"], one["next"]), ("yes", ["foo.v2.0.0"]))
        # Upgrades go on by themselves: the images of the last version are needed, too.
        extension[1]["status"]["install"]["bundle"] = {"name": "foo.v1.0.0", "version": "1.0.0"}
        one, = self.can_start(self.objects("Subscription", "CatalogSource", extra=extension))
        self.assertEqual((one["starts"], one["next"]), ("yes", ["foo.v1.1.0", "foo.v2.0.0"]))

    def test_what_is_not_there_or_not_covered_is_no_and_what_is_not_known_is_not_yes(self):
        csv = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"name": "old.v1", "namespace": "apps"},
               "spec": {"relatedImages": [{"image": "quay.io/gone/image:v1"}]}}
        for objects, status, state, words in (
                ({"left_out": ("ImageTagMirrorSet",)}, 1, "no", "no mirror set covers it"),
                ({"left_out": ("ImageTagMirrorSet", "ImageDigestMirrorSet")}, 3, "unknown", "no mirror sets are among the objects"),
                ({"left_out": ("CatalogSource",)}, 3, "unknown", "the objects lack its CatalogSource m/c"),
                ({"catalog": f"{self.to}/other:latest"}, 1, "no", "other"),
                ({"catalog": "quay.io/x/y:z"}, 1, "no", "no mirror set covers it"),
                ({"mirrors": ["elsewhere.example/org"]}, 1, "no", "the mirror sets lead to elsewhere.example/org"),
                ({"mirrors": [f"{self.to}/wrong"]}, 1, "no", "in the mirror"),
                ({"installed": "foo.v1.0.0", "channel": "gone"}, 1, "no", "has no channel gone of foo"),
                ({"installed": "foo.v0.1.0"}, 3, "unknown", "says which images"),
                ({"extra": (csv,)}, 1, "no", "no mirror set covers it")):
            with self.subTest(words + str(objects)):
                found = self.can_start(self.objects(*objects.pop("left_out", ()), **objects), status=status)
                self.assertIn(state, {one["starts"] for one in found})
                self.assertIn(words, json.dumps(found))

    def test_what_olm_would_not_install_does_not_start(self):
        def subscription(package="foo", channel="stable", more=None):
            return {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": "one", "namespace": "apps"},
                    "spec": {"name": package, "channel": channel, "source": "c", "sourceNamespace": "m", **(more or {})}}

        def extension(status=None, **catalog):
            return {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "one"},
                    "spec": {"source": {"catalog": {"packageName": "foo", **catalog}}}, "status": status or {}}

        def clustered(**spec):
            return {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "c", "labels": {"a": "b"}},
                    "spec": {"source": {"type": "Image", "image": {"ref": f"{self.to}/catalog:latest"}}, **spec}}

        at_1_1 = {"install": {"bundle": {"name": "foo.v1.1.0", "version": "1.1.0"}}}
        for objects, state, following, words in (
                ((subscription(more={"startingCSV": "foo.v0.9.0"}),), "no", [], "no bundle of foo to install"),
                ((subscription(more={"startingCSV": "foo.v1.0.0"}),), "yes", ["foo.v1.0.0"], ""),
                ((subscription("gone"),), "no", [], "no catalog in the mirror has package gone"),
                (({**subscription(channel=""), "status": {"installedCSV": "foo.v1.1.0"}},), "yes", ["foo.v2.0.0"], ""),
                ((clustered(), extension(version="1.0.0")), "yes", ["foo.v1.0.0"], ""),
                ((clustered(), extension(version="<2")), "yes", ["foo.v1.1.0"], ""),
                ((clustered(), extension(version="0.9.0")), "no", [], "no bundle of foo to install"),
                ((clustered(), extension(version="x y")), "no", [], "is not a range of versions"),
                ((clustered(), extension(at_1_1, channels=["gone"])), "no", [], "no channel gone of foo"),
                ((clustered(), extension(at_1_1, version="<2")), "yes", [], ""),
                ((clustered(), extension({"install": {"bundle": {"name": "foo.v1.0.0", "version": "1.0.0"}}}, version="<2")), "yes", ["foo.v1.1.0"], ""),
                ((clustered(), extension(at_1_1, selector={"matchLabels": {"a": "c"}})), "unknown", [], "no ClusterCatalog that it selects"),
                ((clustered(), extension(at_1_1, selector={"matchLabels": {"a": "b"}})), "yes", ["foo.v2.0.0"], ""),
                ((clustered(availabilityMode="Unavailable"), extension()), "unknown", [], "no ClusterCatalog that it selects is available")):
            with self.subTest((words, objects[-1])):
                left_out = ("Subscription", "CatalogSource") if len(objects) > 1 else ()
                status = {"yes": 0, "no": 1, "unknown": 3}[state]
                found = self.can_start(self.objects(*left_out, extra=objects), status=status)
                self.assertEqual((found[-1]["starts"], found[-1]["next"]), (state, following), found)
                self.assertIn(words, json.dumps(found))

    def test_a_blob_that_is_missing_keeps_an_operator_from_starting(self):
        manifest = json.loads(subprocess.run(["skopeo", "inspect", "--raw", "--tls-verify=false", f"docker://{self.to}/org/bundle-110@{self.digests['bundle-110']}"],
                                             capture_output=True, check=True).stdout)
        subprocess.run(["curl", "-sf", "-X", "DELETE", f"http://{self.target.address}/v2/mirror/org/bundle-110/blobs/{manifest['layers'][1]['digest']}"], check=True)
        one, = self.can_start(self.objects(), status=1)
        self.assertEqual([(fault["state"], fault["bundle"]) for fault in one["faults"]], [("no", "foo.v1.1.0")])
        code, out, err = self.opcat("mirror", "check", "--use-http", self.to, "--can-start", self.objects())
        self.assertEqual(code, 1)
        self.assertRegex(out, "no +apps/foo +foo.v1.0.0 +foo.v1.1.0")
        self.assertEqual(self.opcat("mirror", "check", "--use-http", self.to, "--repair")[0], 0)


if __name__ == "__main__":
    main()
