"""Signatures, attestations and referrers that come along with images. Covers lib/image/attachments.cpp, lib/image/referrers.cpp,
lib/image/repository_manifests.cpp and lib/image/tags.cpp."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from registries import main
from oci_layout import make_layer, sha256
from test_copying import CopyTest

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
SIGNATURE = "application/vnd.dev.cosign.artifact.sig.v1+json"
SBOM = "application/spdx+json"


class Attached(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.origin = cls.work.registry()
        cls.one = cls.work.layout.image([make_layer({"one": b"1"})], {"is": "one"})
        cls.work.layout.tag(cls.one, "one")
        cls.work.fill(cls.origin, "one", "org/one:v1")
        cls.work.fill(cls.origin, "index", "org/many:v1")
        for subject, repository, suffixes in ((cls.one, "one", (".sig", ".att", ".sbom")), (cls.index, "many", (".sig",)), (cls.platform(), "many", (".sig",))):
            for suffix in suffixes:
                tag = cls.tag_of(subject) + suffix
                cls.work.layout.tag(cls.work.layout.image([make_layer({tag: b"s"})], {"is": tag}), tag)
                cls.work.fill(cls.origin, tag, f"org/{repository}:{tag}")

    @classmethod
    def platform(cls):
        """The first image of the index."""
        return json.loads(pathlib.Path(cls.work.layout.directory, "blobs/sha256", cls.index["digest"][7:]).read_bytes())["manifests"][0]

    @staticmethod
    def tag_of(descriptor):
        return "sha256-" + descriptor["digest"][7:]

    def artifact(self, subject, artifact_type, text):
        """A manifest with a subject, in the layout."""
        layout = self.work.layout
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "artifactType": artifact_type,
                    "config": layout.blob(b"{}", "application/vnd.oci.empty.v1+json"), "layers": [layout.blob(text, artifact_type)],
                    "subject": {key: subject[key] for key in ("mediaType", "digest", "size")}, "annotations": {"text": text.decode()}}
        descriptor = layout.blob(json.dumps(manifest).encode(), MANIFEST)
        layout.tag(descriptor, text.decode())
        return descriptor

    def tags(self, registry, repository):
        out = subprocess.run(["curl", "-s", f"http://{registry.address}/v2/{repository}/tags/list"], capture_output=True, check=True).stdout
        return set(json.loads(out).get("tags") or [])

    def manifest(self, registry, repository, reference):
        return subprocess.run(["curl", "-sf", "-H", f"Accept: {INDEX}, {MANIFEST}", f"http://{registry.address}/v2/{repository}/manifests/{reference}"],
                              capture_output=True, check=True).stdout

    def copy(self, source, target, *flags):
        status, _, err = self.opcat("copy", "--use-http", source, target, *flags)
        self.assertEqual(status, 0, err)
        return err

    def test_tags_of_cosign_are_copied_with_an_image(self):
        one = self.tag_of(self.one)
        for flags, suffixes in ((), (".sig", ".att", ".sbom")), (("--attachments", "signatures"), (".sig",)), (("--attachments", "none"), ()):
            target = self.work.registry()
            self.copy(f"{self.origin.address}/org/one:v1", f"{target.address}/my/one:v2", *flags)
            self.assertEqual(self.tags(target, "my/one"), {"v2"} | {one + suffix for suffix in suffixes})
        self.assertEqual(self.manifest(self.origin, "org/one", one + ".sig"), self.manifest(self.work.running[-3], "my/one", one + ".sig"))

    def test_those_of_a_list_and_of_its_platforms_too(self):
        target = self.work.registry()
        self.copy(f"{self.origin.address}/org/many:v1", f"{target.address}/my/many:v1")
        self.assertEqual(self.tags(target, "my/many"), {"v1", self.tag_of(self.index) + ".sig", self.tag_of(self.platform()) + ".sig"})
        target = self.work.registry()
        self.copy(f"{self.origin.address}/org/many:v1", f"{target.address}/my/many:v1", "--platform", "linux/amd64")
        self.assertEqual(self.tags(target, "my/many"), {"v1", self.tag_of(self.platform()) + ".sig"})

    def test_a_registry_that_lists_no_tags_is_asked_for_each(self):
        def fault(request):
            if "/tags/list" in request.path:
                request.answer(401)
            elif request.command == "HEAD" and request.path.endswith(".att"):
                request.answer(404)
            else:
                return False
            return True
        front, target = self.work.front(self.origin, fault), self.work.registry()
        self.copy(f"{front.address}/org/one:v1", f"{target.address}/my/one:v1")
        self.assertEqual(self.tags(target, "my/one"), {"v1", self.tag_of(self.one) + ".sig", self.tag_of(self.one) + ".sbom"})

    def referrers(self, registry, repository, subject):
        return [entry["digest"] for entry in json.loads(self.manifest(registry, repository, self.tag_of(subject)))["manifests"]]

    def test_referrers_are_copied_and_listed_in_a_registry_without_the_api(self):
        source = self.work.registry()
        self.work.fill(source, "one", "org/one:v1")
        signature, sbom = self.artifact(self.one, SIGNATURE, b"signature"), self.artifact(self.one, SBOM, b"sbom")
        of_sbom = self.artifact(sbom, SIGNATURE, b"of-sbom")
        for text, descriptor in (("signature", signature), ("sbom", sbom), ("of-sbom", of_sbom)):
            self.copy(self.source(text), f"{source.address}/org/one@{descriptor['digest']}")
        self.assertEqual(self.referrers(source, "org/one", self.one), [signature["digest"], sbom["digest"]])
        entry = json.loads(self.manifest(source, "org/one", self.tag_of(self.one)))["manifests"][0]
        self.assertEqual(entry, {**signature, "artifactType": SIGNATURE, "annotations": {"text": "signature"}})
        target = self.work.registry()
        self.copy(f"{source.address}/org/one:v1", f"{target.address}/my/one:v1")
        self.assertEqual(set(self.referrers(target, "my/one", self.one)), {signature["digest"], sbom["digest"]})
        self.assertEqual(self.referrers(target, "my/one", sbom), [of_sbom["digest"]])
        self.copy(f"{source.address}/org/one:v1", f"{target.address}/my/one:v1")
        self.assertEqual(len(self.referrers(target, "my/one", self.one)), 2)
        target = self.work.registry()
        self.copy(f"{source.address}/org/one:v1", f"{target.address}/my/one:v1", "--attachments", "signatures")
        self.assertEqual(self.referrers(target, "my/one", self.one), [signature["digest"]])

    def test_the_api_for_referrers(self):
        signature = self.artifact(self.one, SIGNATURE, b"by-api")
        self.work.fill(self.origin, "by-api", "api/one:hidden")
        self.work.fill(self.origin, "one", "api/one:v1")

        def source(request):
            if "/referrers/" not in request.path:
                return False
            found = [{**signature, "artifactType": SIGNATURE}] if request.path.endswith(self.one["digest"]) else []
            request.answer(200, json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": found}).encode(), {"Content-Type": INDEX})
            return True

        def listing(request):
            if request.command != "PUT" or "/manifests/" not in request.path:
                return False
            status, headers, body = request.ask_backend()
            subject = json.loads(request.body).get("subject")
            request.answer(status, body, {**headers, **({"OCI-Subject": subject["digest"]} if subject else {})})
            return True
        target = self.work.registry()
        self.copy(f"{self.work.front(self.origin, source).address}/api/one:v1", f"{self.work.front(target, listing).address}/my/one:v1")
        self.assertEqual(sha256(self.manifest(target, "my/one", signature["digest"])), signature["digest"])
        self.assertEqual(self.tags(target, "my/one"), {"v1"})

    def test_an_image_does_not_replace_referrers(self):
        target = self.work.registry()
        tag = self.tag_of(self.one)
        status, _, err = self.opcat("copy", "--use-http", self.source("v1"), f"{target.address}/my/one:{tag}")
        self.assertEqual(status, 3)
        self.assertIn(f"the tag {tag} belongs to what refers to the image {self.one['digest']}", err)
        # The image itself may have the tag, until something refers to it.
        self.copy(self.source("one"), f"{target.address}/my/one:{tag}")
        self.assertEqual(sha256(self.manifest(target, "my/one", tag)), self.one["digest"])
        signature = self.artifact(self.one, SIGNATURE, b"later")
        self.copy(self.source("later"), f"{target.address}/my/one@{signature['digest']}")
        for _ in range(2):
            self.assertEqual(self.referrers(target, "my/one", self.one), [signature["digest"]])
            self.assertEqual(sha256(self.manifest(target, "my/one", self.one["digest"][7:])), self.one["digest"])
            self.assertIn("it was there already", self.copy(self.source("one"), f"{target.address}/my/one:{tag}"))

    def catalog(self, *images):
        directory = pathlib.Path(self.work.path("catalog-" + str(len(images)) + images[0][-4:]))
        directory.mkdir(exist_ok=True)
        blobs = [{"schema": "olm.package", "name": "foo", "defaultChannel": "stable"},
                 {"schema": "olm.channel", "package": "foo", "name": "stable", "entries": [{"name": "foo.v1.0.0"}]},
                 {"schema": "olm.bundle", "package": "foo", "name": "foo.v1.0.0", "image": images[0],
                  "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": "1.0.0"}}],
                  "relatedImages": [{"name": f"r{n}", "image": image} for n, image in enumerate(images[1:])]}]
        (directory / "catalog.json").write_text("\n".join(map(json.dumps, blobs)))
        return directory

    def mirror(self, *args, status=0):
        self.resources = pathlib.Path(tempfile.mkdtemp(dir=self.work.dir))
        result = self.opcat("mirror", "--use-http", "--resources", str(self.resources), *map(str, args))
        self.assertEqual(result[0], status, result[2])
        return result[2]

    def test_a_mirror_has_the_attachments_also_through_a_directory(self):
        at = self.origin.address
        self.work.fill(self.origin, "one", "ref/one:v1")
        signature = self.artifact(self.one, SIGNATURE, b"mirrored")
        self.copy(self.source("mirrored"), f"{at}/ref/one@{signature['digest']}")
        digest = self.one["digest"]
        catalog = self.catalog(f"{at}/org/one@{digest}", f"{at}/ref/one@{digest}")
        one = self.tag_of(self.one)
        directory = "dir:" + self.work.path("attached")
        for way in ([catalog], [directory]):
            with self.subTest(way):
                if way == [directory]:
                    self.mirror(catalog, "--to", directory)
                    self.assertIn("0 images copied", self.mirror(catalog, "--to", directory))
                target = self.work.registry()
                to = ("--to", f"{target.address}/m")
                self.mirror(*way, *to)
                self.assertEqual(self.tags(target, "m/org/one"), {one, one + ".sig", one + ".att", one + ".sbom"})
                self.assertEqual(self.referrers(target, "m/ref/one", self.one), [signature["digest"]])
                self.assertEqual(sha256(self.manifest(target, "m/ref/one", digest)), digest)
                self.assertIn("0 images copied, 0 B; 7 were there already", self.mirror(*way, *to))
                self.assertNotIn("attachment", (self.resources / "idms-opcat.yaml").read_text())
        # What an image takes with it when it goes.
        smaller = self.catalog(f"{at}/org/one@{digest}")
        smaller.joinpath("catalog.json").rename(catalog / "catalog.json")
        err = self.mirror(catalog, *to, "--prune")
        self.assertEqual(len(re.findall("removed ref/one", err)), 2, err)
        self.assertEqual(self.tags(target, "m/ref/one"), set())
        target = self.work.registry()
        self.mirror(catalog, "--to", f"{target.address}/m", "--attachments", "none")
        self.assertEqual(self.tags(target, "m/org/one"), {one})

    def test_lists_that_are_broken_are_not_taken_for_complete(self):
        tags = {"v1"} | {self.tag_of(self.one) + suffix for suffix in (".sig", ".att", ".sbom")}

        def elsewhere(request, link):
            if "last=" in request.path:
                return False
            request.answer(200, b'{"name": "org/one", "tags": ["v1"]}', {"Link": link})
            return True
        broken = ((b'{"schemaVersion": 2, "manif', "no valid list"), (b'{"manifests": "x"}', "no valid list"), (b'{"manifests": [{}]}', "without a digest"))
        faults = [(lambda request: "/tags/list" in request.path and (request.answer(200, b"{}") or True), None),
                  (lambda request: "/tags/list" in request.path and elsewhere(request, "<https://proxy.example/v2/org/one/tags/list?n=1000&last=v1>; rel=\"next\""), None),
                  (lambda request: "/tags/list" in request.path and elsewhere(request, "/v2/org/one/tags/list?last=v1"), "where its list goes on")]
        faults += [(lambda request, body=body: "/referrers/" in request.path and (request.answer(200, body, {"Content-Type": INDEX}) or True), words)
                   for body, words in broken]
        target = self.work.registry()
        for number, (fault, words) in enumerate(faults):
            with self.subTest(words):
                front = self.work.front(self.origin, fault)
                status, _, err = self.opcat("copy", "--use-http", f"{front.address}/org/one:v1", f"{target.address}/my/one{number}:v1")
                self.assertEqual(status, 3 if words else 0, err)
                self.assertIn(words or "", err)
                if not words:
                    self.assertEqual(self.tags(target, f"my/one{number}"), tags)

    def test_a_list_that_does_not_end_is_an_error(self):
        def endless(request):
            if "/referrers/" not in request.path:
                return False
            request.answer(200, b'{"schemaVersion": 2, "manifests": []}', {"Content-Type": INDEX, "Link": f'<{request.path.split("?")[0]}?n={len(asked)}>; rel="next"'})
            asked.append(request.path)
            return True
        asked = []
        front = self.work.front(self.origin, endless)
        status, _, err = self.opcat("copy", "--use-http", f"{front.address}/org/one:v1", f"oci:{self.work.path('endless')}:v1")
        self.assertEqual(status, 0, err)  # a layout keeps no attachments
        status, _, err = self.opcat("copy", "--use-http", f"{front.address}/org/one:v1", f"{self.work.registry().address}/my/one:v1")
        self.assertEqual(status, 3, err)
        self.assertRegex(err, r"on more than 50 pages \[limit\]")

    def test_an_image_with_the_name_of_a_signature_does_not_take_its_place(self):
        stranger, target = self.work.registry(), self.work.registry()
        tag = self.tag_of(self.one) + ".sig"
        self.work.fill(stranger, "one", f"org/one:{tag}")
        catalog = self.catalog(f"{self.origin.address}/org/one@{self.one['digest']}", f"{stranger.address}/org/one:{tag}")
        err = self.mirror(catalog, "--to", f"{target.address}/m", "--keep-going", status=4)
        self.assertIn(f"would both be org/one:{tag} in the mirror", err)

    def test_what_may_not_be_looked_for_stays_in_a_mirror(self):
        self.work.fill(self.origin, "one", "hidden/one:v1")
        signature = self.artifact(self.one, SIGNATURE, b"hidden")
        self.copy(self.source("hidden"), f"{self.origin.address}/hidden/one@{signature['digest']}")
        tag = self.tag_of(self.one)
        self.work.fill(self.origin, tag + ".sig", f"hidden/one:{tag}.sig")
        status = []

        def fault(request):
            if not status or not re.search("/referrers/|/tags/list|/manifests/sha256-", request.path):
                return False
            request.answer(status[0], headers={"Retry-After": "0"})
            return True
        front, target = self.work.front(self.origin, fault), self.work.registry()
        catalog = self.catalog(f"{front.address}/hidden/one@{self.one['digest']}")
        directory = "dir:" + self.work.path("hidden")
        for to in (f"{target.address}/m", directory):
            status.clear()
            self.mirror(catalog, "--to", to)
            status.append(403)
            err = self.mirror(catalog, "--to", to, "--prune")
            self.assertNotRegex(err, "(?m)^removed ")
            self.assertIn("does not let this account look for all that is attached", err)
            self.assertIn("no attachment is removed", err)
        for mirror in (target, self.work.registry()):
            if mirror is not target:  # what a second step brings
                self.mirror(directory, "--to", f"{mirror.address}/m")
            self.assertIn(tag + ".sig", self.tags(mirror, "m/hidden/one"))
            self.assertEqual(self.referrers(mirror, "m/hidden/one", self.one), [signature["digest"]])
        status[0] = 500
        self.assertNotRegex(self.mirror(catalog, "--to", f"{target.address}/m", "--prune", "--keep-going", status=4), "(?m)^removed ")

    def test_a_catalog_with_referrers_is_named_by_its_digest(self):
        at = self.origin.address
        catalog = self.catalog(f"{at}/org/one@{self.one['digest']}")
        status, out, err = self.opcat("build", "--use-http", str(catalog), "--base", "scratch", "-t", f"{at}/org/signed:v1")
        self.assertEqual(status, 0, err)
        digest = out.strip()
        manifest = self.manifest(self.origin, "org/signed", digest)
        signature = self.artifact({"mediaType": json.loads(manifest)["mediaType"], "digest": digest, "size": len(manifest)}, SIGNATURE, b"signed")
        self.copy(self.source("signed"), f"{at}/org/signed@{signature['digest']}")
        target, mapping = self.work.registry(), self.work.path("mapping.txt")
        self.mirror(f"{at}/org/signed@{digest}", "--to", f"{target.address}/m", "--mapping", mapping)
        name = f"{target.address}/m/org/signed@{digest}"
        for kind in ("cs", "cc"):
            text, = [path.read_text() for path in self.resources.glob(f"{kind}-signed*.yaml")]
            self.assertIn(name, text)
        self.assertIn(f"={name}\n", pathlib.Path(mapping).read_text())
        status, out, err = self.opcat("list", "packages", "--use-http", name, "-o", "name")
        self.assertEqual((status, out), (0, "foo\n"), err)

    def test_a_list_of_referrers_that_is_gone_is_missing(self):
        self.work.fill(self.origin, "one", "listed/one:v1")
        signature = self.artifact(self.one, SIGNATURE, b"listed")
        self.copy(self.source("listed"), f"{self.origin.address}/listed/one@{signature['digest']}")
        target = self.work.registry()
        to = f"{target.address}/m"
        self.mirror(self.catalog(f"{self.origin.address}/listed/one@{self.one['digest']}"), "--to", to)
        check = ("mirror", "check", "--use-http", to)
        self.assertEqual(self.opcat(*check)[0], 0)
        listed = sha256(self.manifest(target, "m/listed/one", self.tag_of(self.one)))
        subprocess.run(["curl", "-sf", "-X", "DELETE", f"http://{to.split('/')[0]}/v2/m/listed/one/manifests/{listed}"], check=True)
        status, out, err = self.opcat(*check)
        self.assertEqual(status, 1, out + err)
        self.assertIn("list entry " + signature["digest"], out)
        self.assertEqual(self.opcat(*check, "--repair")[0], 0)
        self.assertEqual(self.referrers(target, "m/listed/one", self.one), [signature["digest"]])
        self.assertEqual(self.opcat(*check)[0], 0)

    def test_platforms_make_lists_sparse(self):
        at = self.origin.address
        catalog = self.catalog(f"{at}/org/many@{self.index['digest']}")
        mirror = {"operators": [{"catalog": str(catalog), "platforms": [{"os": "linux", "architecture": "arm64"}]}]}
        config = self.work.write("sparse.yaml", json.dumps({"kind": "ImageSetConfiguration", "mirror": mirror}))
        amd64, arm64 = json.loads(pathlib.Path(self.work.layout.directory, "blobs/sha256", self.index["digest"][7:]).read_bytes())["manifests"]
        directory = "dir:" + self.work.path("sparse")
        # docker-registry refuses a list of which it does not have every image, unless it is configured otherwise.
        for way in (("--config", config), (directory,)):
            if way == (directory,):
                self.mirror("--config", config, "--to", directory)
            asked = []

            def fault(request):
                if request.command != "PUT" or not request.path.endswith(self.tag_of(self.index)):
                    return False
                asked.append(request.path)
                request.answer(201, headers={"Docker-Content-Digest": self.index["digest"]})
                return True
            target = self.work.registry()
            self.mirror(*way, "--to", f"{self.work.front(target, fault).address}/m")
            self.assertEqual(len(asked), 1)
            self.assertEqual(sha256(self.manifest(target, "m/org/many", arm64["digest"])), arm64["digest"])
            self.assertNotEqual(subprocess.run(["curl", "-sf", f"http://{target.address}/v2/m/org/many/manifests/{amd64['digest']}"]).returncode, 0)
        self.assertIn("0 images copied", self.mirror("--config", config, "--to", directory))
        mirror["operators"][0]["platforms"] = [{"os": "linux", "architecture": "s390x"}]
        self.work.write("sparse.yaml", json.dumps({"kind": "ImageSetConfiguration", "mirror": mirror}))
        self.assertIn("no image for any of the platforms", self.mirror("--config", config, "--to", "dir:" + self.work.path("none"), status=3))

    def test_further_images_of_a_sparse_list_are_sent(self):
        at = self.origin.address
        target = self.work.registry()
        sparse = {}

        def takes_sparse_lists(request):
            """As a registry does that is configured so."""
            if not re.search(r"/m/org/many/manifests/(sha256[-:]" + self.index["digest"][7:] + "|v1)$", request.path):
                return False
            if request.command == "PUT":
                status, headers, body = request.ask_backend()
                sparse.pop("is", None)
                if status == 400:
                    sparse["is"] = request.body
                    status, headers, body = 201, {"Docker-Content-Digest": self.index["digest"]}, b""
                request.answer(status, body, headers)
                return True
            if "is" not in sparse:
                return False
            head = request.command == "HEAD"
            request.answer(200, b"" if head else sparse["is"], {"Content-Type": json.loads(sparse["is"])["mediaType"], "Docker-Content-Digest": self.index["digest"]},
                           len(sparse["is"]) if head else None)
            return True
        front = self.work.front(target, takes_sparse_lists)
        arm64 = {"platforms": [{"os": "linux", "architecture": "arm64"}]}
        image = {"name": f"{at}/org/many@{self.index['digest']}"}

        def run(*flags, **platforms):
            config = self.work.write("wider.yaml", json.dumps({"kind": "ImageSetConfiguration", "mirror": {"additionalImages": [image | platforms]}}))
            return self.mirror("--config", config, "--to", f"{front.address}/m", *flags)
        run(**arm64)
        self.assertIn("is", sparse)
        self.assertIn("0 images copied", run(**arm64))
        self.assertIn("1 image to copy", run("--dry-run"))
        self.assertIn("1 image copied", run())
        self.assertEqual(sparse, {})
        self.assertIn("0 images copied", run())
        # Another program made this one.
        target.kill()
        shutil.rmtree(target.dir + "/data")
        target.start()
        run(**arm64)
        self.assertIn("is", sparse)
        copy = ("copy", "--use-http", image["name"], f"{front.address}/m/org/many@{self.index['digest']}")
        self.assertEqual(self.opcat(*copy)[0], 0)
        self.assertEqual(sparse, {})
        self.assertIn("it was there already", self.opcat(*copy)[2])

    def test_attachments_that_cannot_be_found_are_a_failure(self):
        def fault(request):
            if "/tags/list" in request.path:
                request.answer(404)
            elif request.path.endswith(".sig"):
                request.answer(503, headers={"Retry-After": "0"})
            else:
                return False
            return True
        front, target = self.work.front(self.origin, fault), self.work.registry()
        catalog = self.catalog(f"{front.address}/org/one@{self.one['digest']}", f"{front.address}/org/gone:v1")
        err = self.mirror(catalog, "--to", f"{target.address}/m", "--keep-going", status=4)
        self.assertEqual(re.findall(r"error: (cannot \w+) ", err), ["cannot copy", "cannot find"], err)
        self.assertIn("; 2 failed", err)

    def test_a_reduced_catalog_has_its_own_digest_and_no_signature(self):
        at = self.origin.address
        catalog = self.catalog(f"{at}/org/one@{self.one['digest']}", f"{at}/org/many:v1")
        status, digest, err = self.opcat("build", "--use-http", str(catalog), "--base", "scratch", "-t", f"{at}/org/index:v1")
        self.assertEqual(status, 0, err)
        target = self.work.registry()
        err = self.mirror(f"{at}/org/index@{digest.strip()}", "--package", "foo", "--to", f"{target.address}/m")
        tag, = self.tags(target, "m/org/index")
        self.assertEqual(sha256(self.manifest(target, "m/org/index", tag)), "sha256:" + tag[7:])
        self.assertIn(f"cosign sign {target.address}/m/org/index@sha256:{tag[7:]}", err)


if __name__ == "__main__":
    main()
