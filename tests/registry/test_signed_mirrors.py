"""Commands that open images obey the user's policy of signatures. Covers lib/image/verification.cpp."""
import base64
import http.server
import json
import os
import pathlib
import threading

from registries import NEEDED, main
from mirror_case import VERSIONS, MirrorTest
from signing import SIMPLE, Gpg, claim

NEEDED += ["gpg", "gpgv"]
ANYTHING = [{"type": "insecureAcceptAnything"}]


class SignedMirrors(MirrorTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gpg = Gpg(cls.work.path("gnupg"))
        cls.addClassCleanup(cls.gpg.close)
        cls.alice = cls.gpg.key("alice")
        cls.by_alice = [{"type": "signedBy", "keyType": "GPGKeys", "keyData": base64.b64encode(cls.gpg.public(cls.alice)).decode()}]
        cls.store = cls.work.path("store")
        cls.served = ThreadedFiles(cls.store)
        cls.addClassCleanup(cls.served.close)
        os.mkdir(cls.work.path("registries.d"))
        cls.work.write("registries.d/a.yaml", f"docker:\n  {cls.origin.address}/org:\n    sigstore: http://{cls.served.address}\n")
        for name in cls.digests:
            if name != "bundle-100":
                cls.sign(name)

    @classmethod
    def sign(cls, name):
        directory = f"{cls.store}/org/{name}@{cls.digests[name].replace(':', '=')}"
        os.makedirs(directory)
        pathlib.Path(directory, "signature-1").write_bytes(cls.gpg.sign(claim(SIMPLE, cls.digests[name], f"{cls.origin.address}/org/{name}:v1"), cls.alice))

    def policy(self, requirements, **transports):
        return self.work.write(f"policy-{len(os.listdir(self.work.dir))}.json", json.dumps({"default": requirements, "transports": transports}))

    def flags(self, policy):
        return ["--signature-policy", policy, "--registries.d", self.work.path("registries.d")]

    def test_an_image_without_a_signature_is_not_mirrored(self):
        target = self.work.registry()
        flags = self.flags(self.policy(ANYTHING, docker={f"{self.origin.address}/org": self.by_alice}))
        _, err, _ = self.mirror(self.catalog, "--to", f"{target.address}/mirror", *flags, status=3)
        self.assertIn("does not accept it: an OpenPGP signature is required, and there is none", err)
        self.assertIn("foo.v1.0.0", err)
        self.assertNotIn("mirror/catalog:latest", self.names(target))
        out, err, _ = self.mirror(self.catalog, "--to", f"{target.address}/mirror", *flags, "--dry-run", status=1)
        self.assertIn(f"org/bundle-100@{self.digests['bundle-100']}", err)
        self.mirror(self.catalog, "--to", f"{target.address}/mirror", *flags, "--drop-incomplete", status=4)
        self.assertEqual(self.names(target), self.expected("bundle-110", "bundle-200", "operand"))
        bundles = json.loads(self.opcat("list", "bundles", "--use-http", "--no-cache", f"{target.address}/mirror/catalog", "-o", "json")[1])["bundles"]
        self.assertEqual(sorted({bundle["name"] for bundle in bundles}), [f"foo.v{version}" for version in VERSIONS[1:]])

    def test_an_image_with_two_names_must_be_accepted_as_both(self):
        second, target = self.work.registry(), self.work.registry()
        self.work.fill(second, "bundle-100", "org/bundle-100:v1")
        names = [f"{origin.address}/org/bundle-100@{self.digests['bundle-100']}" for origin in (self.origin, second)]
        directory = self.work.path("two-names")
        os.mkdir(directory)
        pathlib.Path(directory, "catalog.json").write_text("\n".join(json.dumps(blob) for blob in (
            {"schema": "olm.package", "name": "foo", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "foo", "name": "stable", "entries": [{"name": "foo.v1.0.0"}]},
            {"schema": "olm.bundle", "package": "foo", "name": "foo.v1.0.0", "image": names[0],
             "relatedImages": [{"name": "second", "image": names[1]}],
             "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": "1.0.0"}}]})))
        for strict in (self.origin, second):  # whichever comes first
            flags = self.flags(self.policy(ANYTHING, docker={strict.address: self.by_alice}))
            _, err, _ = self.mirror(directory, "--to", f"{target.address}/mirror", *flags, status=3)
            self.assertIn("an OpenPGP signature is required, and there is none", err)
        self.assertEqual(self.names(target), set())
        self.mirror(directory, "--to", f"{target.address}/mirror", *self.flags(self.policy(ANYTHING)))

    def test_what_is_pinned_is_what_was_verified(self):
        front = self.work.front(self.origin)
        self.work.write("registries.d/front.yaml", f"docker:\n  {front.address}/org:\n    sigstore: http://{self.served.address}\n")
        digests = {}
        for tag in ("old", "new"):
            os.mkdir(self.work.path(f"of-{tag}"))
            self.work.write(f"of-{tag}/catalog.json", pathlib.Path(self.catalog, "catalog.json").read_text().replace('"fast"', f'"{tag}"'))
            image = f"{self.origin.address}/org/tagged:{tag}"
            digests[tag] = self.opcat("build", "--use-http", self.work.path(f"of-{tag}"), "--base", "scratch", "-t", image)[1].strip()
            directory = pathlib.Path(self.store, f"org/tagged@{digests[tag].replace(':', '=')}")
            directory.mkdir(parents=True)
            (directory / "signature-1").write_bytes(self.gpg.sign(claim(SIMPLE, digests[tag], f"{front.address}/org/tagged:{tag}"), self.alice))
        asked = []

        def move_the_tag(request):
            if request.path.endswith("/manifests/new"):
                asked.append(request.path)
                if len(asked) > 1:
                    request.path = request.path.replace("/new", "/old")
            return False
        front.fault = move_the_tag
        os.mkdir(self.work.path("pinned"))
        self.work.write("pinned/catalog.json", json.dumps({"schema": "olm.bundle", "package": "foo", "name": "foo.v1", "image": f"{front.address}/org/tagged:new"}))
        flags = self.flags(self.policy(self.by_alice))
        for expected in (0, 3):  # the second time the tag is the old image's, which is signed with another name
            status, out, err = self.opcat("edit", "image", "--in", self.work.path("pinned"), "-p", "foo", "--digest", "--use-http", "--diff", "--force", *flags)
            self.assertEqual(status, expected, out + err)
            self.assertEqual(digests["new"] in out, expected == 0)
            self.assertNotIn(digests["old"], out)

    def test_what_is_in_the_mirror_is_verified_again(self):
        target = self.work.registry()
        self.mirror(self.catalog, "--to", f"{target.address}/mirror")
        _, err, _ = self.mirror(self.catalog, "--to", f"{target.address}/mirror", *self.flags(self.policy(self.by_alice)), status=3)
        self.assertIn("there is none", err)
        self.mirror(self.catalog, "--to", f"{target.address}/mirror")

    def test_a_catalog_is_verified_under_its_tag(self):
        image = f"{self.origin.address}/org/index:v4"
        digest = self.opcat("build", "--use-http", str(self.catalog), "--base", "scratch", "-t", image)[1].strip()
        self.digests["index"] = digest
        self.addCleanup(self.digests.pop, "index")
        directory = pathlib.Path(self.store, f"org/index@{digest.replace(':', '=')}")
        directory.mkdir(parents=True)
        exactly = [{**self.by_alice[0], "signedIdentity": {"type": kind, **more}} for kind, more in (
            ("matchExact", {}), ("matchRepoDigestOrExact", {}), ("exactReference", {"dockerReference": image}))]
        name = f"{self.origin.address}/org/index"
        for scope in (name, image):
            for requirement in exactly:
                flags = self.flags(self.policy(ANYTHING if scope == name else [{"type": "reject"}],
                                               docker={scope: [requirement], **({} if scope == name else {f"{self.origin.address}/org/{one}": ANYTHING for one in self.digests if one != "index"})}))
                for reference, part, status in ((f"{name}:v3", (), 3), (image, (), 0), (image, ("--channel", "foo/fast"), 0), (f"{name}@{digest}", (), 3)):
                    with self.subTest((scope, requirement["signedIdentity"]["type"], reference, part)):
                        (directory / "signature-1").write_bytes(self.gpg.sign(claim(SIMPLE, digest, reference), self.alice))
                        target = self.work.registry()
                        _, err, _ = self.mirror(image, "--to", f"{target.address}/mirror", *part, *flags, status=status)
                        if status:
                            self.assertIn(f"it is of an image with another name, {reference}", err)

    def test_a_second_step_obeys_the_policy_of_directories(self):
        disk, target = self.work.path("disk"), self.work.registry()
        self.mirror(self.catalog, "--to", f"dir:{disk}")
        for requirements, transports, status in (([{"type": "reject"}], {}, 3), (self.by_alice, {}, 3),
                                                 ([{"type": "reject"}], {"dir": {os.path.realpath(disk): ANYTHING}}, 0)):
            _, err, _ = self.mirror(f"dir:{disk}", "--to", f"{target.address}/mirror", *self.flags(self.policy(requirements, **transports)), status=status)
            if status:
                self.assertIn(f"cannot read {disk}: the policy", err)
        archive = self.work.path("archive")
        self.mirror(self.catalog, "--to", f"archive:{archive}/a")
        _, err, _ = self.mirror(f"archive:{archive}/a", "--to", f"{target.address}/other", *self.flags(self.policy([{"type": "reject"}])), status=3)
        self.assertIn("it rejects the image", err)

    def test_the_users_policy_is_obeyed_by_all_that_opens_images(self):
        config = pathlib.Path(self.work.dir, "home/.config/containers")
        config.mkdir(parents=True)
        self.addCleanup(lambda: [path.unlink() for path in config.glob("*.json")])
        good, bad = (f"{self.origin.address}/org/{name}:v1" for name in ("bundle-110", "bundle-100"))
        layout = self.source("bundle-100")
        commands = (("render", bad), ("validate", bad), ("list", "images", bad), ("build", str(self.catalog), "--base", bad, "-t", f"oci:{self.work.dir}/built"),
                    ("copy", bad, f"oci:{self.work.dir}/copied"), ("render", layout), ("copy", layout, f"{self.origin.address}/org/copied:v1"))
        (config / "policy.json").write_text(json.dumps({"default": [{"type": "reject"}]}))
        for command in commands:
            with self.subTest(command):
                status, out, err = self.opcat(*command, "--use-http")
                self.assertEqual((status, out), (3, ""), err)
                self.assertIn(f"the policy {config}/policy.json does not accept it: it rejects the image", err)
        (config / "policy.json").write_text("{}")
        for command in commands:
            status, out, err = self.opcat(*command, "--use-http")
            self.assertEqual((status, out), (3, ""), err)
            self.assertIn(f"{config}/policy.json:1: the key \"default\" is missing", err)
        # What is not an image needs no policy.
        self.assertEqual(self.opcat("render", str(self.catalog))[0], 0)
        (config / "policy.json").write_text(json.dumps({"default": self.by_alice}))
        flags = ["--use-http", "--registries.d", self.work.path("registries.d")]
        self.assertEqual(self.opcat("copy", *flags, good, f"oci:{self.work.dir}/good")[0], 0)
        self.assertEqual(self.opcat("copy", *flags, bad, f"oci:{self.work.dir}/bad")[0], 3)

    def test_signatures_can_be_required_whatever_the_policy_accepts(self):
        flags = ["--use-http", "--registries.d", self.work.path("registries.d"), "--require-signatures", "--signature-policy"]
        good = f"{self.origin.address}/org/bundle-110:v1"
        for requirements, status in ((ANYTHING, 3), (self.by_alice, 0), (ANYTHING + self.by_alice, 0)):
            got, _, err = self.opcat("copy", *flags, self.policy(requirements), good, f"oci:{self.work.dir}/required")
            self.assertEqual(got, status, err)
            if status:
                self.assertIn("it accepts the image without a signature, and one is required", err)
        self.assertEqual(self.opcat("copy", *flags, self.policy(ANYTHING), self.source("index"), f"oci:{self.work.dir}/required")[0], 3)

    def test_a_store_that_does_not_answer_is_not_one_without_signatures(self):
        settings = pathlib.Path(self.work.path("broken.d"))
        settings.mkdir()
        image = f"{self.origin.address}/org/bundle-110:v1"
        policy = self.policy(self.by_alice)
        for text, expected in ((f"default-docker:\n  lookaside: http://{self.served.address}/broken\n", "answered 403"),
                               ("default-docker: 1\n", f"{settings}/a.yaml:1: it is not an object"),
                               ("docker:\n  quay.io:\n    use-sigstore-attachments: maybe\n", f"{settings}/a.yaml:3:"),
                               ("docker: [\n", f"{settings}/a.yaml:")):
            (settings / "a.yaml").write_text(text)
            status, _, err = self.opcat("copy", "--use-http", "--signature-policy", policy, "--registries.d", str(settings), image, f"oci:{self.work.dir}/broken")
            self.assertEqual(status, 3)
            self.assertIn(expected, err)


class ThreadedFiles:
    """The files of a directory; below /broken nothing may be read."""

    def __init__(self, directory):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=directory)

            def log_message(self, *args):
                pass

            def do_GET(self):
                if self.path.startswith("/broken"):
                    self.send_error(403)
                else:
                    super().do_GET()

        os.mkdir(directory)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    main()
