"""Catalogs mirrored with their images: into a registry, through a directory, filtered, repeatedly, and after failures. Covers lib/mirror."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from registries import main  # first: it finds the others
from oci_layout import sha256
from mirror_case import MirrorTest
from test_copying import OPCAT


class Mirrors(MirrorTest):
    def test_all_of_a_catalog(self):
        target = self.work.registry()
        _, err, files = self.mirror(self.catalog, "--to", f"{target.address}/mirror")
        self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand"))
        for name in self.digests:
            tag = "v1" if name == "tagged" else "sha256-" + self.digests[name][7:]
            self.assertEqual(self.raw_digest(f"docker://{target.address}/mirror/org/{name}:{tag}", "--tls-verify=false"), self.digests[name])
        self.assertIn("6 images copied", err)
        self.assertEqual(sorted(files), ["cc-catalog-latest.yaml", "cs-catalog-latest.yaml", "idms-opcat.yaml", "itms-opcat.yaml", "registries.conf"])
        self.assertIn(f"image: {target.address}/mirror/catalog:latest", files["cs-catalog-latest.yaml"])
        self.assertIn(f"  - source: {self.origin.address}/org/operand\n    mirrors:\n    - {target.address}/mirror/org/operand\n",
                      files["idms-opcat.yaml"])
        self.assertNotIn("operand", files["itms-opcat.yaml"])
        # Nothing is sent again.
        _, err, _ = self.mirror(self.catalog, "--to", f"{target.address}/mirror")
        self.assertIn("0 images copied, 0 B; 6 were there already", err)

    def test_catalogs_that_do_not_serve_themselves_are_extracted(self):
        scratch = self.catalog_image()
        serving = f"{self.origin.address}/org/serving:v1"
        root = pathlib.Path(self.work.path("root"), "bin")
        root.mkdir(parents=True)
        (root / "opm").write_text("x")
        self.opcat("build", "files", str(root.parent), "--use-http", "--entrypoint", "/bin/opm", "-t", f"{self.origin.address}/org/opm:v1")
        self.opcat("build", "--use-http", str(self.catalog), "--base", f"{self.origin.address}/org/opm:v1", "-t", serving)
        extracted = "    extractContent:\n      catalogDir: /configs\n"
        directory = "dir:" + self.work.path("extracted")
        for catalog, flags, has in ((scratch, (), True), (scratch, ("--channel", "foo/fast"), True), (serving, (), False), (serving, ("--channel", "foo/fast"), False),
                                    (str(self.catalog), (), True)):
            with self.subTest((catalog, flags)):
                _, _, files = self.mirror(catalog, *flags, "--to", f"docker://{self.work.registry().address}/mirror", "--name", "mine")
                self.assertEqual(extracted in files["cs-mine.yaml"], has, files["cs-mine.yaml"])
        self.mirror(scratch, "--channel", "foo/fast", "--to", directory)
        _, _, files = self.mirror(directory, "--to", f"{self.work.registry().address}/mirror", "--name", "mine")
        self.assertIn(extracted, files["cs-mine.yaml"])

    def test_mirror_sets_have_the_images_of_earlier_runs(self):
        at, target = self.origin.address, self.work.registry()
        other = pathlib.Path(self.work.path("another"))
        other.mkdir()
        self.opcat("copy", "--use-http", f"{at}/org/tagged:v1", f"{at}/else/where:v1")
        (other / "catalog.json").write_text("\n".join(map(json.dumps, [
            {"schema": "olm.package", "name": "bar", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "bar", "name": "stable", "entries": [{"name": "bar.v1"}]},
            {"schema": "olm.bundle", "package": "bar", "name": "bar.v1", "image": f"{at}/else/where:v1",
             "properties": [{"type": "olm.package", "value": {"packageName": "bar", "version": "1.0.0"}}]}])))
        to = ("--to", f"{target.address}/mirror")
        _, _, first = self.mirror(self.catalog, *to)
        for _ in range(2):
            _, _, files = self.mirror(other, *to)
            self.assertIn(f"source: {at}/org/operand\n", files["idms-opcat.yaml"])
            self.assertIn(f"source: {at}/org/tagged\n", files["itms-opcat.yaml"])
            self.assertIn(f"source: {at}/else/where\n", files["itms-opcat.yaml"])
            self.assertNotIn("cs-catalog-latest.yaml", files)
        _, _, files = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune")
        self.assertIn(f"source: {at}/else/where\n", files["itms-opcat.yaml"])
        self.assertNotIn("bundle-100", files["idms-opcat.yaml"])

    def test_spellings_of_oc_mirror(self):
        for flags, words in ((("--to", "file:///tmp/x"), "write dir:/tmp/x"), (("--to", "r.example", "--src-tls-verify=false"), "write --skip-tls-verify"),
                             (("--to", "r.example", "--v2"), "does not have the flag --v2"), (("--to", "r.example", "--parallel-images", "4"), "write -j N"),
                             (("--to", "r.example", "--name", "My"), '"My" is not the name of an object')):
            _, err, _ = self.mirror(self.catalog, *flags, status=2)
            self.assertIn(words, err)

    def test_what_is_written_leads_to_the_mirror(self):
        target = self.work.registry()
        origin = self.work.front(self.origin)
        _, _, files = self.mirror(self.catalog, "--to", f"{target.address}/mirror")
        conf = files["registries.conf"].replace('location = "' + target.address, 'insecure = true\nlocation = "' + target.address)
        home = {"CONTAINERS_REGISTRIES_CONF": self.work.write("mirror.conf", conf)}
        digest = self.digests["operand"]
        self.origin.kill()
        try:
            status, out, err = self.opcat("copy", "--use-http", f"{self.origin.address}/org/operand@{digest}", f"oci:{self.work.path('via')}:v1", env=home)
        finally:
            self.origin.start()
        self.assertEqual((status, out.strip()), (0, digest), err)
        self.assertEqual(origin.requests, [])

    def mirrored_digest(self, name, *args):
        self.mirror(self.catalog, *args)
        return self.raw_digest(name, "--tls-verify=false")

    def test_a_part_of_a_catalog(self):
        target = self.work.registry()
        self.mirror(self.catalog, "--to", f"{target.address}/mirror", "--channel", "foo/fast", "--version", "foo =2.0.0")
        self.assertEqual(self.names(target), self.expected("bundle-200", "operand"))
        self.assertEqual(self.heads(f"{target.address}/mirror/catalog:latest"), {"fast": "foo.v2.0.0"})

    def test_a_catalog_that_is_mirrored_as_a_whole_is_the_same_image(self):
        image = f"{self.origin.address}/org/whole:v1"
        self.opcat("build", "--use-http", str(self.catalog), "--base", "scratch", "-t", image)
        target = self.work.registry()
        self.mirror(image, "--to", f"{target.address}/mirror")
        self.assertEqual(self.raw_digest(f"docker://{target.address}/mirror/org/whole:v1", "--tls-verify=false"),
                         self.raw_digest("docker://" + image, "--tls-verify=false"))

    def test_over_a_directory(self):
        directory = self.work.path("disk")
        self.mirror(self.catalog, "--to", "dir:" + directory)
        _, err, _ = self.mirror(self.catalog, "--to", "dir:" + directory)
        self.assertIn("0 images copied, 0 B; 6 were there already", err)
        target = self.work.registry()
        self.origin.kill()
        try:
            _, _, files = self.mirror("dir:" + directory, "--to", f"{target.address}/mirror")
        finally:
            self.origin.start()
        self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand"))
        self.assertIn(f"{self.origin.address}/org/operand", files["idms-opcat.yaml"])
        self.skopeo("copy", "-q", f"oci:{directory}:org/operand:sha256-{self.digests['operand'][7:]}", f"oci:{self.work.path('one')}:v1")
        # Filtered, and images that are no longer needed are removed.
        _, err, _ = self.mirror(self.catalog, "--to", "dir:" + directory, "--version", "foo =2.0.0", "--prune")
        self.assertEqual(err.count("removed org/"), 2)
        self.assertRegex(err, r"\d+ blobs that no image needs removed, ")
        self.assertEqual(self.raw_digest(f"oci:{directory}:org/bundle-200:sha256-{self.digests['bundle-200'][7:]}"), self.digests["bundle-200"])

    def test_a_dry_run_changes_nothing(self):
        target = self.work.registry()
        out, err, files = self.mirror(self.catalog, "--to", f"{target.address}/mirror", "--dry-run")
        self.assertIn(f"{target.address}/mirror/org/tagged:v1", out)
        self.assertIn("6 images to copy", err)
        self.assertEqual((self.names(target), files), (set(), {}))

    def test_a_dry_run_only_looks_also_within_a_registry(self):
        front = self.work.front(self.origin)
        catalog = self.catalog_from(front, self.catalog)
        for flags in ((), ("--prune",)):
            out, err, _ = self.mirror(catalog, "--to", f"{front.address}/within", "--dry-run", "-o", "json", *flags)
            self.assertEqual({method for method, *_ in front.requests}, {"GET", "HEAD"})
        would = {image["target"]: image["bytesToSend"] for image in json.loads(out)["images"]}
        self.assertEqual([sent == 0 for sent in would.values()], [True] * 5 + [False])  # all but the catalog
        sent = {image["target"]: image["bytesToSend"] for image in json.loads(self.mirror(catalog, "--to", f"{front.address}/within", "-o", "json")[0])["images"]}
        self.assertEqual(sent, would)

    def test_a_first_run_asks_each_question_once(self):
        origin, target = self.work.front(self.origin), self.work.front(self.work.registry())
        self.mirror(self.catalog_from(origin, self.catalog), "--to", f"{target.address}/mirror")
        for front in (origin, target):
            asked = [(method, path) for method, path, *_ in front.requests
                     if method in ("GET", "HEAD") and "opcat-mirror" not in path and not path.endswith("/v1")]
            self.assertEqual(len(asked), len(set(asked)), asked)
        # The digest says that no name has the image, and the tag that it does not belong to referrers; a small blob is sent or mounted
        # without a question.
        looks = {path.partition("/org/")[2] for method, path, *_ in target.requests if method == "HEAD" and "/org/" in path}
        self.assertEqual(looks, {f"{name}/manifests/{digest.replace(':', separator)}" for name, digest in self.digests.items()
                                 for separator in (":-" if name != "tagged" else ":")})

    def test_a_dry_run_says_what_prune_removes(self):
        for to in (f"{self.work.registry().address}/mirror", "dir:" + self.work.path("pruned")):
            with self.subTest(to):
                # The catalog of the first run was built, and changes.
                self.mirror(self.catalog, "--to", to)
                part = (self.catalog, "--to", to, "--version", "foo =2.0.0", "--prune")
                out, err, _ = self.mirror(*part, "--dry-run")
                would = re.findall(r"would remove (\S+)", err)
                self.assertGreaterEqual(len(would), 2)
                again = re.findall(r"would remove (\S+)", self.mirror(*part, "--dry-run")[1])
                self.assertEqual(again, would)
                _, err, _ = self.mirror(*part)
                self.assertEqual(re.findall(r"^removed (\S+)", err, re.M), would)
                self.assertNotIn("would", self.mirror(*part, "--dry-run")[1])

    def test_a_dry_run_finds_every_image_that_cannot_be_copied(self):
        at = self.origin.address
        self.write_catalog(missing=[f"{at}/org/gone:v1", f"{at}/org/operand@sha256:{'0' * 64}", "not a pull spec"])
        self.addCleanup(self.write_catalog)
        target = self.work.registry()
        mapping, missing = self.work.path("mapping.txt"), self.work.path("missing.txt")
        out, err, _ = self.mirror(self.catalog, "--to", f"{target.address}/mirror", "--dry-run", "--mapping", mapping, "--missing", missing, status=1)
        self.assertEqual(err.count("error: "), 3, err)
        self.assertIn("6 images to copy, ", err)
        self.assertIn("; 3 failed", err)
        self.assertEqual(self.names(target), set())
        lines = pathlib.Path(mapping).read_text().splitlines()
        self.assertIn(f"{at}/org/tagged:v1={target.address}/mirror/org/tagged:v1", lines)
        self.assertEqual(len(lines), 7)
        self.assertEqual(pathlib.Path(missing).read_text().splitlines(), lines)

    def test_a_run_as_json(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror", "-o", "json")
        documents = [json.loads(self.mirror(self.catalog, *to, *flags)[0]) for flags in (["--dry-run"], [], ["--dry-run"])]
        self.assertEqual([{image["state"] for image in document["images"]} for document in documents], [{"missing"}, {"copied"}, {"there"}])
        for document in documents:
            self.assertEqual(document["schema"], "opcat.mirror-run.v1")
            self.assertEqual(len(document["images"]), 6)
            operand = next(image for image in document["images"] if "/operand" in image["source"])
            self.assertEqual((operand["digest"], operand["catalogs"], len(operand["bundles"])), (self.digests["operand"], ["catalog:latest"], 3))
            self.assertEqual([image["isCatalog"] for image in document["images"]], [False] * 5 + [True])
        self.mirror(self.catalog, *to[:2], "--missing", self.work.path("none.txt"))
        self.assertEqual(pathlib.Path(self.work.path("none.txt")).read_text(), "")

    def test_a_target_that_does_not_know_the_user(self):
        path = self.work.write("htpasswd", "alice:" + subprocess.run(["openssl", "passwd", "-apr1", "x"], capture_output=True, text=True).stdout)
        target = self.work.registry(auth=f"auth: {{htpasswd: {{realm: tests, path: {path}}}}}\n")
        for flags in ((), ("--authfile", self.work.write_auth("guess.json", target.address, password="guess"))):
            for run in ((), ("--dry-run",), ("--dry-run", "--prune")):
                with self.subTest((flags, run)):
                    _, err, _ = self.mirror(self.catalog, "--to", f"{target.address}/mirror", *flags, *run, status=3)
                    self.assertRegex(err, "denies access to mirror/.*401")
                    self.assertNotIn("were there already", err)

    def test_the_rest_goes_on_with_keep_going(self):
        at = self.origin.address
        self.write_catalog(missing=["not a pull spec", f"{at}/org/gone:v1", "r.example/org/tagged:v1"])
        self.addCleanup(self.write_catalog)
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        _, err, _ = self.mirror(self.catalog, *to, status=1)
        self.assertIn('related image "not a pull spec" of bundle', err)
        self.write_catalog(missing=[f"{at}/org/gone:v1", "r.example/org/tagged:v1"])
        _, err, _ = self.mirror(self.catalog, *to, status=3)
        self.assertIn("would both be org/tagged:v1 in the mirror", err)
        self.assertEqual(self.names(target), set())
        self.write_catalog(missing=["not a pull spec", f"{at}/org/gone:v1", "r.example/org/tagged:v1"])
        _, err, files = self.mirror(self.catalog, *to, "--keep-going", status=4)
        self.assertIn("1 bundle in the mirrored catalogs is incomplete: foo.v1.0.0", err)
        self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand"))
        self.assertIn("idms-opcat.yaml", files)
        _, err, _ = self.mirror(self.catalog, *to, "--drop-incomplete", status=4)
        self.assertIn("catalog:latest loses bundles whose images failed:", err)
        self.assertIn("foo: dropped 1 of 3 versions: foo.v1.0.0", err)
        out = subprocess.run([OPCAT, "list", "bundles", "--use-http", "--no-cache", f"{target.address}/mirror/catalog:latest", "-o", "json"],
                             capture_output=True, check=True).stdout
        self.assertEqual({row["name"] for row in json.loads(out)["bundles"]}, {"foo.v1.1.0", "foo.v2.0.0"})
        image_set = self.image_set({"operators": [{"catalog": str(self.catalog), "packages": [{"name": "foo", "minVersion": "1.0.0", "maxVersion": "1.0.0"}]}],
                                    "additionalImages": [{"name": f"{at}/org/bundle-110@{self.digests['bundle-110']}"}, {"name": f"{at}/org/lost:v1"}]})
        _, err, _ = self.mirror("--config", image_set, *to, "--drop-incomplete", "--prune", status=12)
        self.assertIn("without the bundles whose images failed, the catalog catalog:latest has no bundle left: it is not copied", err)
        self.assertIn("nothing is removed", err)
        image_set = self.image_set({"additionalImages": [{"name": f"{at}/org/bundle-110@{self.digests['bundle-110']}"}, {"name": f"{at}/org/lost:v1"}]})
        self.mirror("--config", image_set, *to, "--keep-going", status=8)

    def test_prune_removes_only_its_own(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        # Somebody else has pushed this before.
        operand = f"mirror/org/operand:sha256-{self.digests['operand'][7:]}"
        self.work.fill(target, "operand", operand)
        self.work.fill(target, "tagged", "mirror/other/image:v1")
        self.mirror(self.catalog, *to)
        _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0")
        self.assertIn("mirror/org/bundle-100", "\n".join(self.names(target)))
        _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune")
        self.assertEqual(self.names(target), self.expected("bundle-200", "operand") | {"mirror/other/image:v1"})
        self.write_catalog()
        self.mirror(self.catalog, *to, "--prune")
        self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand") | {"mirror/other/image:v1"})

    def test_prune_keeps_what_another_catalog_needs(self):
        other = pathlib.Path(self.work.path("other"))
        shutil.copytree(self.catalog, other)
        target = self.work.registry()
        for to in (f"{target.address}/mirror", "dir:" + self.work.path("both")):
            with self.subTest(to):
                for catalog in (self.catalog, other):
                    self.mirror(catalog, "--to", to)
                for catalog in (self.catalog, other):
                    _, err, _ = self.mirror(catalog, "--to", to, "--version", "foo =2.0.0", "--prune")
                    self.assertEqual("org/bundle-100" in err, catalog == other, err)  # the last one that needed it

    def test_prune_keeps_a_manifest_that_somebody_else_put_there_under_another_tag(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        self.work.fill(target, "bundle-100", "mirror/org/bundle-100:mine")
        self.mirror(self.catalog, *to)
        _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune")
        self.assertIn("removed org/bundle-110", err)
        self.assertNotIn("bundle-100", err)
        self.assertTrue(self.has_tag(target, "mirror/org/bundle-100:mine"))

    def test_prune_keeps_what_a_mirror_below_another_prefix_needs(self):
        def config(*names):
            text = json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1",
                               "mirror": {"additionalImages": [{"name": f"{self.origin.address}/{name}"} for name in names]}})
            return self.work.write("nested.json", text)
        self.work.fill(self.origin, "tagged", "top/tagged:v1")
        self.work.fill(self.origin, "tagged", "tagged:v1")
        self.work.fill(self.origin, "operand", "top/other:v1")
        self.work.fill(self.origin, "operand", "other:v1")
        for outer, inner in ((True, False), (False, True)):
            with self.subTest(outer_is_pruned=outer):
                target = self.work.registry()
                runs = [(("top/tagged:v1", "top/other:v1"), "m"), (("tagged:v1", "other:v1"), "m/top")]
                for names, place in runs if outer else reversed(runs):
                    self.mirror("--config", config(*names), "--to", f"{target.address}/{place}")
                prune = ("--config", config("top/other:v1" if outer else "other:v1"), "--to", f"{target.address}/m" + ("" if outer else "/top"), "--prune")
                for more in ("--dry-run",), ():
                    _, err, _ = self.mirror(*prune, *more)
                    self.assertRegex(err, rf"tagged:v1 stays, .*: the mirror {target.address}/m{'/top' if outer else ''} needs it, too")
                for _, place in runs:
                    self.assertEqual(self.opcat("mirror", "check", "--use-http", f"{target.address}/{place}")[0], 0)
                # A record that cannot be read is not a mirror that needs nothing.
                other = f"{target.address}/m" + ("/top" if outer else "")
                self.opcat("copy", "--use-http", f"{self.origin.address}/other:v1", f"{other}/opcat-mirror:latest")
                _, err, _ = self.mirror(*prune, status=3)
                self.assertIn(f"cannot read the mirror's record of earlier runs: cannot open {other}/opcat-mirror:latest", err)
                self.assertTrue(self.has_tag(target, "m/top/tagged:v1"))

    def index_of(self, registry, repository, digest, tag=None):
        """Puts an index with one manifest or index into a repository; its digest."""
        size, kind = subprocess.run(["curl", "-sfI", "-H", "Accept: application/vnd.oci.image.index.v1+json", "-H", "Accept: application/vnd.oci.image.manifest.v1+json",
                                     "-w", "%header{content-length} %header{content-type}", "-o", "/dev/null", f"http://{registry.address}/v2/{repository}/manifests/{digest}"],
                                    check=True, capture_output=True, text=True).stdout.split()
        index = json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                            "manifests": [{"mediaType": kind, "digest": digest, "size": int(size)}]})
        subprocess.run(["curl", "-sf", "-X", "PUT", "-H", "Content-Type: application/vnd.oci.image.index.v1+json", "--data-binary", index,
                        f"http://{registry.address}/v2/{repository}/manifests/{tag or sha256(index.encode())}"], check=True)
        return sha256(index.encode())

    def test_prune_keeps_what_somebody_else_has_named(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        self.mirror(self.catalog, *to)
        image = f"docker://{target.address}/mirror/org/bundle-100"
        self.skopeo("copy", "-q", "--src-tls-verify=false", "--dest-tls-verify=false", f"{image}@{self.digests['bundle-100']}", f"{image}:mine")
        for more in ("--dry-run",), ():
            _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune", *more)
            self.assertRegex(err, "remove[d]? org/bundle-110:")
            self.assertRegex(err, r"warning: org/bundle-100:\S+ stays, .*: somebody else has tagged it: org/bundle-100:mine")
        self.assertTrue(self.has_tag(target, "mirror/org/bundle-100:mine"))
        self.assertEqual(self.opcat("mirror", "check", "--use-http", f"{target.address}/mirror")[0], 0)

    def test_prune_keeps_what_is_in_an_index_in_somebody_elses_index(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        self.mirror(self.catalog, *to)
        inner = self.index_of(target, "mirror/org/bundle-110", self.digests["bundle-110"])
        outer = self.index_of(target, "mirror/org/bundle-110", inner, "theirs")
        for more in ("--dry-run",), ():
            _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune", *more)
            self.assertRegex(err, "remove[d]? org/bundle-100:")
            self.assertRegex(err, r"warning: org/bundle-110:\S+ stays, .*: somebody else has tagged it: org/bundle-110:theirs")
        for digest in outer, inner, self.digests["bundle-110"]:
            self.assertTrue(self.has_tag(target, f"mirror/org/bundle-110@{digest}"))

    def test_the_name_of_the_record_is_given_to_no_image(self):
        at, target = self.origin.address, self.work.registry()
        self.opcat("copy", "--use-http", f"{at}/org/tagged:v1", f"{at}/opcat-mirror:latest")
        to = ("--to", f"{target.address}/mirror")
        self.mirror(self.catalog, *to)
        hostile = self.one_bundle("hostile", f"{at}/opcat-mirror:latest")
        config = self.work.write("reserved.yaml", json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "mirror": {
            "additionalImages": [{"name": f"{at}/org/tagged:v1", "targetRepo": "opcat-mirror", "targetTag": "latest"}]}}))
        for source in (str(hostile),), ("--config", config):
            for place in (f"{target.address}/mirror", "dir:" + self.work.path("reserved")):
                for more in ("--dry-run",), ():
                    with self.subTest((source, place, more)):
                        _, err, _ = self.mirror(*source, "--to", place, *more, status=1 if more else 3)
                        self.assertIn("opcat-mirror:latest is the name of the mirror's own record", err)
        self.assertEqual(self.opcat("mirror", "check", "--use-http", f"{target.address}/mirror")[0], 0)

    def one_bundle(self, name, image):
        directory = pathlib.Path(self.work.path(name))
        directory.mkdir()
        (directory / "catalog.json").write_text("\n".join(map(json.dumps, [
            {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": name, "name": "stable", "entries": [{"name": f"{name}.v1"}]},
            {"schema": "olm.bundle", "package": name, "name": f"{name}.v1", "image": image,
             "properties": [{"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}}]}])))
        return directory

    def test_a_name_that_another_catalog_has_is_not_given_to_an_image_of_another_host(self):
        at, target, stranger = self.origin.address, self.work.registry(), self.work.registry()
        self.work.fill(stranger, "operand", "org/tagged:v1")
        to = ("--to", f"{target.address}/mirror")
        self.mirror(self.catalog, *to)
        there = self.raw_digest(f"docker://{target.address}/mirror/org/tagged:v1", "--tls-verify=false")
        other = self.one_bundle("stranger", f"{stranger.address}/org/tagged:v1")
        for more in ("--dry-run",), ():
            _, err, _ = self.mirror(other, *to, *more, status=1 if more else 3)
            self.assertRegex(err, f"{at}/org/tagged:v1 and {stranger.address}/org/tagged:v1 would both be org/tagged:v1 in the mirror")
        self.assertEqual(self.raw_digest(f"docker://{target.address}/mirror/org/tagged:v1", "--tls-verify=false"), there)
        self.mirror(self.catalog, *to)

    def test_resources_of_another_mirror_or_kind_are_not_replaced(self):
        target = self.work.registry()
        resources = pathlib.Path(self.work.path("shared-resources"))
        run = lambda prefix, *more: self.opcat("mirror", "--use-http", str(self.catalog), "--to", f"{target.address}/{prefix}", "--resources", str(resources), *more)
        self.assertEqual(run("one")[0], 0)
        self.assertEqual(run("one")[0], 0)
        written = {path.name: path.read_text() for path in resources.iterdir()}
        self.assertTrue(any(name.startswith("cs-") for name in written))
        status, _, err = run("two")
        self.assertEqual(status, 2, err)
        self.assertRegex(err, f"is of another mirror, {target.address}/one/.*, and is not replaced")
        self.assertEqual({path.name: path.read_text() for path in resources.iterdir()}, written)
        self.assertEqual(run("two", "--resource-prefix", "two")[0], 2)  # registries.conf has one name
        for name, text, words in ((next(name for name in written if name.startswith("cs-")), "apiVersion: v1\nkind: Secret\nmetadata:\n  name: mine\n", "is not what opcat mirror wrote"),
                                  ("idms-opcat.yaml", written["idms-opcat.yaml"] + "  - source: quay.io/a\n    mirrors:\n    - mine.example/x\n", "of another mirror, mine.example/x")):
            with self.subTest(name):
                (resources / name).write_text(text)
                status, _, err = run("one")
                self.assertEqual(status, 2, err)
                self.assertIn(words, err)
                self.assertEqual((resources / name).read_text(), text)
                (resources / name).write_text(written[name])

    def test_prune_removes_nothing_where_the_registry_does_not_list_its_tags(self):
        target = self.work.registry()
        self.mirror(self.catalog, "--to", f"{target.address}/mirror")
        answers = {"cannot": (405, b'{"errors": [{"code": "UNSUPPORTED"}]}'), "knows no such list": (404, b"404 page not found"),
                   "knows no such repository": (404, b'{"errors": [{"code": "NAME_UNKNOWN"}]}'),
                   "says that there are none": (200, b'{"tags": null}'), "names another one only": (200, b'{"tags": ["latest"]}')}
        for words, (status, body) in answers.items():
            # A repository that is not known has no tags.
            asked = r"/tags/list|/bundle-1[01]0/manifests/sha256-" if "repository" in words else "/tags/list"
            front = self.work.front(target, lambda request: re.search(asked, request.path) and (
                request.answer(status, body if request.command == "GET" else b"") or True))
            _, err, _ = self.mirror(self.catalog, "--to", f"{front.address}/mirror", "--version", "foo =2.0.0", "--prune", "--dry-run")
            with self.subTest(words):
                bundles = {"org/bundle-100", "org/bundle-110"}
                removed, kept = (bundles, {"catalog"}) if "repository" in words else (set(), {*bundles, "catalog"})
                if "another" in words:  # the catalog's only tag
                    removed, kept = {"catalog"}, bundles
                self.assertEqual(set(re.findall(r"would remove ([^:]+):", err)), removed, err)
                self.assertEqual(set(re.findall(r"warning: ([^:]+):\S+ stays, .*: the registry does not list all tags there, and somebody", err)), kept, err)

    def test_two_runs_at_a_time_do_not_lose_what_the_other_one_records(self):
        other = pathlib.Path(self.work.path("company"))
        shutil.copytree(self.catalog, other)
        target = self.work.registry()
        to = f"{target.address}/mirror"
        runs = [subprocess.Popen([OPCAT, "mirror", str(catalog), "--use-http", "--to", to, "--resources", self.work.path(f"of-{catalog.name}"), "-q"],
                                 env=self.environment(self.work.dir)) for catalog in (self.catalog, other)]
        self.assertEqual([run.wait(600) for run in runs], [0, 0])
        status, out, err = self.opcat("mirror", "check", "--use-http", to, "-o", "json")
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(out)["images"], 7)  # five, and both catalogs
        # What the other one needs stays, whoever has put it there.
        for catalog in (self.catalog, other):
            self.mirror(catalog, "--to", to, "--version", "foo =2.0.0", "--prune")
            self.assertEqual(self.opcat("mirror", "check", "--use-http", to)[0], 0)

    def test_prune_removes_manifests_whose_tag_an_earlier_run_moved(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        tag = f"docker://{target.address}/mirror/catalog"
        whole = self.mirrored_digest(tag + ":latest", *to)
        part = self.mirrored_digest(tag + ":latest", *to, "--version", "foo =2.0.0")
        self.assertNotEqual(whole, part)
        self.assertTrue(self.has_tag(target, f"mirror/catalog@{whole}"))
        _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune")
        self.assertIn(f"removed catalog:{whole.replace(':', '-')}", err)
        self.assertFalse(self.has_tag(target, f"mirror/catalog@{whole}"))
        self.assertTrue(self.has_tag(target, f"mirror/catalog@{part}"))

    def test_prune_keeps_a_manifest_that_its_tag_names_again(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        tag = f"docker://{target.address}/mirror/catalog:latest"
        whole = self.mirrored_digest(tag, *to)
        self.mirror(self.catalog, *to, "--version", "foo =2.0.0")
        self.mirror(self.catalog, *to, "--prune")
        self.assertEqual(self.raw_digest(tag, "--tls-verify=false"), whole)

    def test_shards_copy_the_images_and_a_last_run_publishes_the_catalog(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        copied = set()
        for index in range(3):
            _, _, files = self.mirror(self.catalog, *to, "--shard", f"{index}/3")
            self.assertEqual(files, {})
            names = {name for name in self.names(target) if "opcat-mirror" not in name}
            self.assertTrue(copied <= names)
            copied = names
        images = self.expected("bundle-100", "bundle-110", "bundle-200", "operand")
        self.assertEqual(copied, images - {"mirror/catalog:latest", "mirror/opcat-mirror:latest"})
        _, err, files = self.mirror(self.catalog, *to, "--finish-shards", "3")
        self.assertIn("1 image copied", err)
        self.assertIn("idms-opcat.yaml", files)
        # What the shards have copied is this mirror's own, so it can be removed again.
        _, err, _ = self.mirror(self.catalog, *to, "--version", "foo =2.0.0", "--prune")
        self.assertEqual({name for name in self.names(target) if "shard-" not in name}, self.expected("bundle-200", "operand"))

    def test_an_image_that_is_missing(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        self.write_catalog(missing=[f"{self.origin.address}/org/gone:v1"])
        self.addCleanup(self.write_catalog)
        _, err, files = self.mirror(self.catalog, *to, status=3)
        self.assertRegex(err, r"error: cannot copy .*/org/gone:v1 to .* \(wanted by foo\.v1\.0\.0\)")
        self.assertNotIn("mirror/catalog:latest", self.names(target))
        self.assertEqual(files, {})
        _, err, files = self.mirror(self.catalog, *to, "--keep-going", status=4)
        self.assertIn("wanted by foo.v1.0.0", err)
        self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand"))
        self.assertIn("idms-opcat.yaml", files)

    def test_a_dry_run_promises_to_prune_what_the_real_one_does_although_images_are_missing(self):
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror", "--version", "foo =1.0.0", "--prune", "--keep-going")
        self.mirror(self.catalog, *to[:2])
        self.write_catalog(missing=[f"{self.origin.address}/org/gone:v1"])
        self.addCleanup(self.write_catalog)
        promised, done = (self.mirror(self.catalog, *to, *more, status=status)[1] for more, status in ((("--dry-run",), 1), ((), 4)))
        removed = re.findall(r"would remove (\S+)", promised)
        self.assertEqual({name.split(":")[0] for name in removed}, {"org/bundle-110", "org/bundle-200"})
        self.assertEqual(sorted(re.findall(r"(?m)^removed (\S+)", done)), sorted(removed))

    def test_the_second_step_knows_what_the_first_could_not_copy(self):
        gone = f"{self.origin.address}/org/gone:v1"
        self.write_catalog(missing=[gone])
        self.addCleanup(self.write_catalog)
        for kind in ("dir", "archive"):
            with self.subTest(kind):
                target = self.work.registry()
                to = ("--to", f"{target.address}/mirror")
                middle = f"{kind}:{self.work.path('step-' + kind)}"
                self.mirror(self.catalog, "--version", "foo =1.0.0", "--to", middle, "--drop-incomplete", status=4)
                _, err, files = self.mirror(middle, *to, status=3)
                self.assertIn("has images of the catalog catalog:latest, and not the catalog", err)
                self.assertEqual((self.names(target), files), (set(), {}))
                middle = f"{kind}:{self.work.path('second-' + kind)}"
                self.mirror(self.catalog, "--to", middle, "--keep-going", status=4)
                lacks = f"lacks {gone}, which the catalog catalog:latest needs"
                _, err, files = self.mirror(middle, *to, status=3)
                self.assertIn(lacks, err)
                self.assertEqual((self.names(target), files), (set(), {}))
                self.assertIn(lacks, self.mirror(middle, *to, "--dry-run", status=1)[1])
                _, err, _ = self.mirror(middle, *to, "--keep-going", "--prune", status=4)
                self.assertIn(lacks, err)
                self.assertIn("nothing is removed, because the first step could not copy all images", err)
                self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand"))
        self.write_catalog()
        image_set = self.image_set({"operators": [{"catalog": str(self.catalog)}], "additionalImages": [{"name": gone}]})
        for kind in ("dir", "archive"):
            middle = f"{kind}:{self.work.path('others-' + kind)}"
            self.mirror("--config", image_set, "--to", middle, "--keep-going", status=8)
            _, err, _ = self.mirror(middle, "--to", f"{target.address}/others", "--keep-going", status=8)
            self.assertIn(f"lacks {gone}: the run that filled it could not copy it", err)
        self.write_catalog(missing=[gone])
        # Once the first step has everything, or needs nothing that is gone, so has the second.
        directory = f"dir:{self.work.path('second-dir')}"
        self.mirror(self.catalog, "--to", directory, "--drop-incomplete", status=4)
        self.mirror(directory, "--to", f"{target.address}/other")

    def image_set(self, mirror):
        return self.work.write("set.yaml", json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "mirror": mirror}))

    def catalog_image(self):
        image = f"{self.origin.address}/org/index:v4"
        self.opcat("build", "--use-http", str(self.catalog), "--base", "scratch", "-t", image)
        return image

    def test_an_image_set_of_oc_mirror(self):
        image = self.catalog_image()
        both = {"stable": "foo.v1.1.0", "fast": "foo.v2.0.0"}
        cases = [({"name": "foo"}, both, ["bundle-110", "bundle-200"]),
                 ({"name": "foo", "channels": [{"name": "fast"}], "defaultChannel": "fast"}, {"fast": "foo.v2.0.0"}, ["bundle-200"]),
                 ({"name": "foo", "minVersion": "1.1.0"}, both, ["bundle-110", "bundle-200"]),
                 ({"name": "foo", "channels": [{"name": "stable", "minVersion": "1.0.0"}]}, {"stable": "foo.v1.1.0"}, ["bundle-100", "bundle-110"]),
                 ({"name": "foo", "minVersion": "1.0.0", "maxVersion": "1.0.0"}, {"stable": "foo.v1.0.0"}, ["bundle-100"])]
        for package, heads, bundles in cases:
            with self.subTest(package):
                target = self.work.registry()
                config = self.image_set({"operators": [{"catalog": image, "targetCatalog": "my/index", "targetTag": "mine", "packages": [package]}]})
                self.mirror("--config", config, "--to", f"{target.address}/mirror")
                self.assertEqual(self.names(target) - {"mirror/my/index:mine"}, self.expected("operand", *bundles) - {"mirror/catalog:latest"})
                self.assertEqual(self.heads(f"{target.address}/mirror/my/index:mine"), heads)

    def test_additional_and_blocked_images_of_an_image_set(self):
        image = self.catalog_image()
        target = self.work.registry()
        tag = "sha256-" + self.digests["bundle-100"][7:]
        mirror = {"operators": [{"catalog": image, "full": True}], "blockedImages": [{"name": "bundle-200@"}, {"name": "/extra"}],
                  "additionalImages": [{"name": f"{self.origin.address}/org/tagged:v1", "targetRepo": "tools/it", "targetTag": "mine"},
                                       {"name": f"{self.origin.address}/org/bundle-100@{self.digests['bundle-100']}"},
                                       {"name": f"{self.origin.address}/org/bundle-110@{self.digests['bundle-110']}", "targetRepo": "extra"}]}
        _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", f"{target.address}/mirror")
        self.assertIn(f"blocked images are needed by foo.v2.0.0 ({self.origin.address}/org/bundle-200@{self.digests['bundle-200']}), which is left out", err)
        self.assertIn(f"blockedImages leaves out 1 image of additionalImages: {self.origin.address}/org/bundle-110@", err)
        self.assertEqual(self.names(target), {name.replace("catalog:latest", "org/index:v4") for name in self.expected("bundle-100", "bundle-110", "operand")} |
                         {"mirror/tools/it:mine", f"mirror/org/bundle-100:{tag}"})
        self.assertEqual(self.heads(f"{target.address}/mirror/org/index:v4"), {"stable": "foo.v1.1.0", "fast": "foo.v1.1.0"})
        # What an additional image shares with a catalog stays when the catalog does not need it any more.
        mirror["additionalImages"] = mirror["additionalImages"][:1]
        _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", f"{target.address}/mirror", "--prune")
        self.assertNotIn("removed", err)
        mirror["operators"][0] = {"catalog": image, "packages": [{"name": "foo", "channels": [{"name": "stable"}]}]}
        mirror["additionalImages"] = [{"name": f"{self.origin.address}/org/tagged:v1"}]
        _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", f"{target.address}/mirror", "--prune")
        self.assertEqual(self.names(target), {name.replace("catalog:latest", "org/index:v4") for name in self.expected("bundle-110", "operand")}, err)
        # All of it, marked.
        mirror["operators"][0] = {"catalog": image, "full": True}
        _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", f"{target.address}/mirror", "--blocked", "keep")
        self.assertIn("which is marked as deprecated", err)
        self.assertEqual(self.heads(f"{target.address}/mirror/org/index:v4"), {"stable": "foo.v1.1.0", "fast": "foo.v2.0.0"})
        out = subprocess.run([OPCAT, "render", "--use-http", "--no-cache", f"{target.address}/mirror/org/index:v4"], capture_output=True, check=True, text=True).stdout
        self.assertIn("is not in this mirror: it is blocked there", out)

    def test_everything_that_is_blocked(self):
        mirror = {"operators": [{"catalog": self.catalog_image()}], "blockedImages": [{"name": ".*"}]}
        _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", "localhost:1/mirror", status=1)
        self.assertIn("blocked images leave nothing of", err)
        self.assertIn("--blocked keep", err)
        mirror["blockedImages"] = [{"name": "/index:"}]
        _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", "localhost:1/mirror", status=1)
        self.assertIn("blockedImages blocks the catalog", err)

    def test_two_catalogs_of_one_name(self):
        image = self.catalog_image()
        twice = {"operators": [{"catalog": image, "full": True}, {"catalog": image, "targetTag": "v5", "packages": [{"name": "foo"}]}]}
        _, err, _ = self.mirror(image, "--config", self.image_set(twice), "--to", "localhost:1/mirror", status=2)
        self.assertIn("two catalogs would both be org/index:v4 in the mirror", err)
        twice["operators"][1].pop("targetTag")
        _, err, _ = self.mirror("--config", self.image_set(twice), "--to", "localhost:1/mirror", status=1)
        self.assertIn(f"the catalog {image} appears twice", err)

    def test_a_registry_that_does_not_delete(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        self.mirror(self.catalog, "--to", to)

        def fault(request):
            if request.command != "DELETE":
                return False
            request.answer(405)
            return True
        front = self.work.front(target, fault)
        _, err, _ = self.mirror(self.catalog, "--to", f"{front.address}/mirror", "--version", "foo =2.0.0", "--prune", status=3)
        self.assertIn("does not delete images (405)", err)
        self.assertIn("the registry's configuration", err)
        self.assertTrue(self.expected("bundle-100") <= self.names(target))

    def test_mistakes_in_an_image_set(self):
        image = self.catalog_image()
        for mirror, words in (
                ({"operators": [{"catalog": image, "packages": [{"name": "fo"}]}]}, 'the catalog has no package "fo", which is ignored.*did you mean foo.*nothing of the catalog is left'),
                ({"operators": [{"catalog": image, "packages": [{"name": "foo", "channels": [{"name": "fast"}]}]}]}, "the default channel stable of package foo is not among"),
                ({"operators": [{"catalog": image, "packages": [{"name": "foo", "minVersion": "7.0.0"}]}]}, "channel stable of package foo: it has no version in the range >=7.0.0"),
                ({"operators": [{"catalog": image}], "platform": {"kubeVirtContainer": True}}, "not supported by opcat: kubeVirtContainer"),
                ({}, "selects nothing: it names neither catalogs nor images")):
            with self.subTest(mirror):
                _, err, _ = self.mirror("--config", self.image_set(mirror), "--to", "localhost:1/mirror", status=1)
                self.assertRegex(" ".join(err.split()), words)

    def test_the_selection_of_an_image_set(self):
        mirror = {"operators": [{"catalog": str(self.catalog), "packages": [{"name": "foo", "channels": [{"name": "stable"}]}]}],
                  "platform": {"kubeVirtContainer": True}, "blockedImages": [{"name": "operand"}]}
        config = self.image_set(mirror)
        out, err, _ = self.mirror("--config", config, "--selection", "-o", "json")
        self.assertIn("warning: not supported by opcat: kubeVirtContainer", err)
        operand = f"{self.origin.address}/org/operand@{self.digests['operand']}"
        self.assertEqual(json.loads(out)["catalogs"], [{"catalog": str(self.catalog), "packages": {"foo": {
            "defaultChannel": "stable", "channels": {"stable": ["foo.v1.1.0"]}, "bundles": ["foo.v1.1.0"]}},
            "blocked": [{"package": "foo", "bundle": "foo.v1.1.0", "image": operand}]}])
        out, _, _ = self.mirror("--config", config, "--selection")
        self.assertRegex(out, r"foo +stable \(default\) +foo.v1.1.0 +1")
        status, out, err = self.opcat("filter", str(self.catalog), "--config", config)
        self.assertEqual(status, 0, err)
        self.assertIn('"foo.v1.1.0"', out)
        self.assertNotIn('"name": "foo.v1.0.0"', out)
        status, _, err = self.opcat("filter", str(self.catalog), "--config", config, "-p", "foo")
        self.assertIn("--config selects by itself", err)

    def test_the_additional_images_of_a_selection(self):
        images = self.image_set({"additionalImages": [{"name": "r.example/a:v1"}, {"name": "r.example/b:v1"}], "blockedImages": [{"name": "/b:"}]})
        out, err, _ = self.mirror("--config", images, "--selection")
        self.assertEqual(out, "additional image r.example/a:v1\n")
        self.assertIn("blockedImages leaves out 1 image of additionalImages: r.example/b:v1", err)
        out, _, _ = self.mirror("--config", images, "--selection", "-o", "json")
        self.assertEqual(json.loads(out)["additionalImages"], ["r.example/a:v1"])
        _, err, _ = self.mirror("--config", images, "--selection", "--dry-run", status=2)
        self.assertIn("excludes", err)

    def test_a_directory_whose_name_no_repository_can_have(self):
        directory = pathlib.Path(self.work.path("My Catalog"))
        shutil.copytree(self.catalog, directory)
        _, err, _ = self.mirror(directory, "--to", "localhost:1/mirror", status=2)
        self.assertIn(f"the catalog {directory} cannot be called My Catalog:latest in the mirror: ", err)
        self.assertIn("or rename the directory", err)

    def test_a_run_that_is_killed(self):
        target = self.work.registry()
        killed = []

        def fault(request):
            if request.command == "PUT" and "/manifests/" in request.path and not killed:
                killed.append(process.pid)
                process.send_signal(signal.SIGKILL)
            return False
        front = self.work.front(target, fault)
        to = ("--to", f"{front.address}/mirror")
        process = subprocess.Popen([OPCAT, "mirror", "-q", "--use-http", str(self.catalog), *to, "-j1"],
                                   env=self.environment(tempfile.mkdtemp(dir=self.work.dir)))
        self.assertEqual(process.wait(30), -signal.SIGKILL)
        self.assertNotIn("mirror/catalog:latest", self.names(target))
        self.mirror(self.catalog, *to)
        self.assertEqual(self.names(target), self.expected("bundle-100", "bundle-110", "bundle-200", "operand"))

    def test_images_of_a_run_that_was_killed_can_be_removed_later(self):
        target = self.work.registry()

        def fault(request):
            if request.command == "PUT" and "/mirror/catalog/manifests/latest" in request.path and not request.pass_on():
                process.send_signal(signal.SIGKILL)  # all images are there, and the record of them is not
                process.wait(30)
                return True
            return False
        front = self.work.front(target, fault)
        process = subprocess.Popen([OPCAT, "mirror", "-q", "--use-http", str(self.catalog), "--to", f"{front.address}/mirror"],
                                   env=self.environment(tempfile.mkdtemp(dir=self.work.dir)))
        self.assertEqual(process.wait(30), -signal.SIGKILL)
        self.assertIn("mirror/catalog:latest", self.names(target))
        self.mirror(self.catalog, "--to", f"{target.address}/mirror", "--version", "foo =2.0.0", "--prune")
        self.assertEqual(self.names(target), self.expected("bundle-200", "operand"))

    def test_a_record_that_a_busy_registry_does_not_give_is_not_replaced(self):
        target = self.work.registry()
        record = f"docker://{target.address}/mirror/opcat-mirror:latest"
        before = self.mirrored_digest(record, "--to", f"{target.address}/mirror")

        for status, words in ((503, ".*answered 503 when asked for manifest latest"), (403, "the registry does not let this account look at .*/opcat-mirror")):
            def refused(request, status=status):
                if request.command not in ("HEAD", "GET") or "/opcat-mirror/" not in request.path:
                    return False
                request.answer(status, b"", {"Retry-After": "0"})
                return True
            _, err, _ = self.mirror(self.catalog, "--to", f"{self.work.front(target, refused).address}/mirror", "--version", "foo =2.0.0", status=3)
            self.assertRegex(err, "error: cannot read the mirror's record of earlier runs: " + words)
            self.assertEqual(self.raw_digest(record, "--tls-verify=false"), before)

    def test_a_catalog_or_a_mirror_that_is_not_there(self):
        gone = f"{self.origin.address}/org/gone:v1"
        _, err, _ = self.mirror(gone, "--to", "localhost:1/mirror", status=3)
        self.assertIn(f"cannot pull {gone}: ", err)
        empty = self.work.path("empty")
        os.mkdir(empty)
        _, err, _ = self.mirror("dir:" + empty, "--to", "localhost:1/mirror", status=3)
        self.assertIn(f"there is no mirror in {empty}", err)
        self.assertIn("fill it with opcat mirror CATALOG --to dir:DIR", err)
        _, err, files = self.mirror(empty, "--to", "localhost:1/mirror", status=1)
        self.assertIn(f"what is to be mirrored of {empty} is empty: it has neither a package", err)
        self.assertEqual(files, {})

    def test_what_makes_no_sense(self):
        for args, expected in (([self.catalog], "no mirror is named"), ([self.catalog, "--to", "dir:x", "--shard", "0/2"], "only a mirror in a registry has shards"), (["--to", "localhost:1/x"], "no catalog is named"),
                               ([self.catalog, "--to", "not a registry"], "is neither a registry nor a path there"),
                               ([self.catalog, "--to", "localhost:1/x", "-p", "fooo"], "fooo")):
            with self.subTest(expected):
                _, err, _ = self.mirror(*args, status=2)
                self.assertIn(expected, err)

    def test_a_log_of_json_has_nothing_else(self):
        target = self.work.registry()
        wrong = self.work.write("wrong-set.yaml", "kind: ImageSetConfiguration\nmirror: {operators: [{catalog: quay.io/a, x: 1}]}\n")
        to = ["--to", f"{target.address}/mirror", "--use-http", "--resources", self.work.path("resources")]
        for status, *args in ((0, "mirror", str(self.catalog), *to),
                              (0, "mirror", str(self.catalog), "--dry-run", *to),
                              (0, "mirror", "check", f"{target.address}/mirror", "--use-http"),
                              (0, "copy", self.source("v1"), f"oci:{self.work.dir}/logged"),
                              (0, "copy", self.source("v1"), f"oci:{self.work.dir}/logged", "--progress", "always"),
                              (1, "mirror", "--config", wrong, *to),
                              (2, "mirror", str(self.catalog)),
                              (2, "mirror", str(self.catalog), "--unknown"),
                              (3, "copy", f"{self.origin.address}/org/none:v1", "oci:x", "--use-http", "--color", "always")):
            with self.subTest(args):
                got, _, err = self.opcat(*args, "--log", "json")
                lines = [json.loads(line) for line in err.splitlines()]
                self.assertEqual(got, status, err)
                for line in lines:
                    self.assertTrue({"time", "level", "msg"} <= line.keys(), line)
                    self.assertNotIn("\x1b", json.dumps(line, ensure_ascii=False))
                levels = {line["level"] for line in lines}
                self.assertEqual("error" in levels, status > 0, err)


if __name__ == "__main__":
    main()
