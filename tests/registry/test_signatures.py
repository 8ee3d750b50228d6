"""Signatures of images, verified as container engines verify them: skopeo gets the same images and policies, and must give the same
verdict. Covers lib/image/verification.cpp and lib/signatures."""
import base64
import json
import os
import subprocess
import tempfile
import time

from registries import NEEDED, main
from oci_layout import make_layer
from signing import COSIGN, COSIGN_LAYER, SIMPLE, Gpg, Openssl, attach, claim
from test_copying import CopyTest

NEEDED += ["gpg", "gpgv"]
ANYTHING = {"type": "insecureAcceptAnything"}
REJECT = {"type": "reject"}
REPOSITORY = {"type": "matchRepository"}
OTHER_DIGEST = "sha256:" + "0" * 64


def signed(**more):
    return {"type": "signedBy", "keyType": "GPGKeys", **more}


def sigstore(**more):
    return {"type": "sigstoreSigned", "signedIdentity": REPOSITORY, **more}


class Signatures(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.origin = cls.work.registry()
        cls.at = cls.origin.address
        cls.gpg = Gpg(cls.work.path("gnupg"))
        cls.addClassCleanup(cls.gpg.close)
        cls.alice, cls.bob = cls.gpg.key("alice"), cls.gpg.key("bob")
        cls.work.write("alice.asc", cls.gpg.public(cls.alice).decode())
        cls.work.write("bob.asc", cls.gpg.public(cls.bob).decode())
        cls.openssl = Openssl(cls.work.path("keys"))
        cls.image = cls.work.layout.image([make_layer({"a": b"a"})], {"is": "signed"})
        cls.work.layout.tag(cls.image, "signed")
        cls.store = cls.work.path("store")
        os.mkdir(cls.work.path("registries.d"))
        cls.work.write("registries.d/default.yaml", f"default-docker:\n  lookaside: file://{cls.store}\n  use-sigstore-attachments: true\n")
        cls.filled = set()
        cls.fill_simple()
        cls.fill_sigstore()

    @classmethod
    def fill(cls, repository):
        """An image without signatures; returns its name."""
        if repository not in cls.filled:
            cls.filled.add(repository)
            cls.work.fill(cls.origin, "signed", f"{repository}:v1")
        return f"{cls.at}/{repository}"

    @classmethod
    def stored(cls, repository, digest, *signatures):
        directory = f"{cls.store}/{repository}@{digest.replace(':', '=')}"
        os.makedirs(directory, exist_ok=True)
        for number, signature in enumerate(signatures, 1):
            with open(f"{directory}/signature-{number}", "wb") as file:
                file.write(signature)

    @classmethod
    def fill_simple(cls):
        digest = cls.image["digest"]

        def simple(repository, *by, of=digest, name=None, **more):
            name = name or cls.fill(repository) + ":v1"
            return cls.gpg.sign(claim(SIMPLE, of, name, **more), *(by or [cls.alice]))

        def put(repository, *signatures):
            cls.fill(repository)
            cls.stored(repository, digest, *signatures)

        put("simple/good", simple("simple/good"))
        put("simple/bob", simple("simple/bob", cls.bob))
        put("simple/other-digest", simple("simple/other-digest", of=OTHER_DIGEST))
        put("simple/other-name", simple("simple/other-name", name="quay.io/org/app:v1"))
        put("simple/other-tag", simple("simple/other-tag", name=f"{cls.at}/simple/other-tag:v2"))
        put("simple/no-tag", simple("simple/no-tag", name=f"{cls.at}/simple/no-tag"))
        put("simple/second", simple("simple/second", cls.bob), simple("simple/second"))
        put("simple/two-signers", simple("simple/two-signers", cls.alice, cls.bob))
        put("simple/more-keys", simple("simple/more-keys", more=1))
        put("simple/none")
        put("simple/not-json", cls.gpg.sign(b"hello", cls.alice))
        put("simple/wrong-type", cls.gpg.sign(claim(COSIGN, digest, f"{cls.at}/simple/wrong-type:v1"), cls.alice))
        tampered = bytearray(cls.gpg.sign(claim(SIMPLE, digest, cls.fill("simple/tampered") + ":v1"), cls.alice, more=["-z", "0"]))
        tampered[tampered.index(b"creator")] ^= 1
        put("simple/tampered", bytes(tampered))
        put("simple/garbage", b"\xa3" + os.urandom(200))
        put("simple/too-much", cls.gpg.sign(b" " * 50_000_000, cls.alice, more=["-z", "9"]))
        put("simple/no-signature-file", b"<html>nothing here</html>")
        put("simple/named", b"\0simple-signing\n" + simple("simple/named"))

    @classmethod
    def fill_sigstore(cls):
        digest = cls.image["digest"]
        cls.keys = {"ec": cls.openssl.key("ec"), "other": cls.openssl.key("other"), "rsa": cls.openssl.key("rsa", "-algorithm", "RSA"),
                    "p384": cls.openssl.key("p384", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"),
                    "ed25519": cls.openssl.key("ed25519", "-algorithm", "ED25519")}

        def one(repository, key="ec", of=digest, kind=COSIGN, name=None, sign=None, media_type=COSIGN_LAYER, **more):
            payload = claim(kind, of, name or cls.fill(repository), **more)
            signature = cls.openssl.sign(sign or payload, key)
            return payload, {"dev.cosignproject.cosign/signature": signature}, media_type

        def put(repository, *signatures):
            cls.fill(repository)
            attach(cls.origin, repository, digest, *signatures)

        for key in cls.keys:
            put(f"cosign/{key}", one(f"cosign/{key}", key))
        put("cosign/full", one("cosign/full", name=f"{cls.at}/cosign/full:v1"))
        put("cosign/other-digest", one("cosign/other-digest", of=OTHER_DIGEST))
        put("cosign/other-name", one("cosign/other-name", name="quay.io/org/app"))
        put("cosign/tampered", one("cosign/tampered", sign=b"something else"))
        put("cosign/second", one("cosign/second", "other"), one("cosign/second"))
        put("cosign/not-base64", (claim(COSIGN, digest, f"{cls.at}/cosign/not-base64"), {"dev.cosignproject.cosign/signature": "?"}))
        put("cosign/no-annotation", (claim(COSIGN, digest, f"{cls.at}/cosign/no-annotation"), {}))
        put("cosign/other-media-type", one("cosign/other-media-type", media_type="application/vnd.dsse.envelope.v1+json"))
        put("cosign/wrong-type", one("cosign/wrong-type", kind=SIMPLE))
        put("cosign/null", one("cosign/null", optional=None))
        payload, annotations, media_type = one("cosign/in-store")
        cls.stored("cosign/in-store", digest, b"\0sigstore-json\n" + json.dumps(
            {"mimeType": media_type, "payload": base64.b64encode(payload).decode(), "annotations": annotations}).encode())

    def policy(self, requirements, **transports):
        """Of the images in registries, unless transports are given."""
        content = {"default": [REJECT], "transports": transports or {"docker": {"": requirements}}}
        return self.work.write("tested.json", content if isinstance(content, str) else json.dumps(content))

    def skopeo_takes(self, policy, source, *more):
        with tempfile.TemporaryDirectory(dir=self.work.dir) as target:
            done = subprocess.run(["skopeo", "--policy", policy, "--registries.d", self.work.path("registries.d"), "copy", "-q", *more,
                                   "--src-tls-verify=false", "--remove-signatures", source, f"dir:{target}/image"], capture_output=True, text=True)
            return done.returncode == 0, done.stderr

    def opcat_takes(self, policy, source, *more):
        with tempfile.TemporaryDirectory(dir=self.work.dir) as target:
            status, _, err = self.opcat("copy", "--use-http", "--signature-policy", policy, "--registries.d", self.work.path("registries.d"),
                                        *more, source, f"oci:{target}/image")
            self.assertIn(status, (0, 3), err)
            return status == 0, err

    def assert_verdict(self, taken, policy, source, flags=()):
        image = source if ":/" in source else f"docker://{self.at}/{source}"
        for who, (takes, err) in (("skopeo", self.skopeo_takes(policy, image, *flags)), ("opcat", self.opcat_takes(policy, image))):
            if "Debian-local change: sigstore disabled" not in err:  # it takes nothing then
                with self.subTest(who, source=source):
                    self.assertEqual(takes, taken, err)

    def test_signatures_of_keys_count_only_for_their_image(self):
        alice = signed(keyPath=self.work.path("alice.asc"))
        both = signed(keyPaths=[self.work.path("alice.asc"), self.work.path("bob.asc")])
        data = signed(keyData=base64.b64encode(self.gpg.public(self.alice, armor=False)).decode())
        of_bob = signed(keyPath=self.work.path("bob.asc"))
        for taken, source, requirements in (
                (True, "simple/good:v1", [alice]),
                (True, "simple/good@" + self.image["digest"], [alice]),
                (True, "simple/good:v1", [data]),
                (True, "simple/good:v1", [both]),
                (True, "simple/bob:v1", [both]),
                (False, "simple/bob:v1", [alice]),
                (False, "simple/other-digest:v1", [alice]),
                (False, "simple/other-name:v1", [alice]),
                (False, "simple/other-tag:v1", [alice]),
                (True, "simple/other-tag@" + self.image["digest"], [alice]),
                (False, "simple/no-tag:v1", [alice]),
                (True, "simple/second:v1", [alice]),
                (True, "simple/second:v1", [alice, ANYTHING]),
                (False, "simple/second:v1", [alice, REJECT]),
                (True, "simple/second:v1", [alice, of_bob]),
                (False, "simple/good:v1", [alice, of_bob]),
                (False, "simple/two-signers:v1", [both]),
                (False, "simple/more-keys:v1", [alice]),
                (False, "simple/none:v1", [alice]),
                (True, "simple/none:v1", [ANYTHING]),
                (False, "simple/not-json:v1", [alice]),
                (False, "simple/wrong-type:v1", [alice]),
                (False, "simple/tampered:v1", [alice]),
                (False, "simple/garbage:v1", [alice]),
                (False, "simple/too-much:v1", [alice]),
                (False, "simple/no-signature-file:v1", [alice]),
                (True, "simple/named:v1", [alice]),
                (False, "simple/good:v1", [signed(keyPath="/does/not/exist")]),
                (False, "simple/good:v1", [signed(keyPaths=[])]),
                (False, "simple/good:v1", [{**alice, "keyType": "X509Certificates"}]),
                (False, "simple/good:v1", [{"type": "signedBaseLayer", "baseLayerIdentity": REPOSITORY}])):
            self.assert_verdict(taken, self.policy(requirements), source)

    def test_signatures_that_the_registry_itself_keeps(self):
        """As OpenShift's registry does: they count in place of those in a store."""
        digest = self.image["digest"]
        answer = {}

        def keeper(request):
            if request.path.startswith("/extensions/"):
                asked.append(request.path)
                request.answer(*answer["is"])
            else:
                status, headers, body = request.ask_backend()
                request.answer(status, body, {**headers, "X-Registry-Supports-Signatures": "1"}, request.length)
            return True

        self.fill("api/app")
        asked, front = [], self.work.front(self.origin, fault=keeper)
        source = f"docker://{front.address}/api/app:v1"
        policy = self.policy([signed(keyPath=self.work.path("alice.asc"))])
        by_alice, by_bob = (self.gpg.sign(claim(SIMPLE, digest, f"{front.address}/api/app:v1"), key) for key in (self.alice, self.bob))
        self.stored("api/app", digest, by_alice)

        def one(message, version=2, kind="atomic"):
            content = base64.b64encode(message).decode() if isinstance(message, bytes) else message
            return {"schemaVersion": version, "name": f"{digest}@{'0' * 32}", "type": kind, "content": content}
        for taken, status, body in (
                (True, 200, {"signatures": [one(by_alice)]}), (True, 200, {"signatures": [one(by_bob), one(by_alice)]}),
                (True, 200, {"signatures": [one(by_bob, kind="other"), one(by_bob, version=3), one(by_alice)], "more": 1}),
                (False, 200, {"signatures": []}), (False, 200, {"signatures": None}), (False, 200, {}), (False, 200, {"signatures": [one(by_bob)]}),
                (False, 200, {"signatures": [one(by_alice, version=3)]}), (False, 200, {"signatures": [one(by_alice, kind="other")]}),
                (False, 200, {"signatures": [one("?")]}), (False, 200, {"signatures": {"a": 1}}), (False, 200, []), (False, 200, "no"),
                (False, 404, {"signatures": [one(by_alice)]}), (False, 403, {})):
            with self.subTest((status, body)):
                answer["is"] = (status, json.dumps(body).encode())
                self.assert_verdict(taken, policy, source)
        self.assertEqual(set(asked), {f"/extensions/v2/api/app/signatures/{digest}"})
        answer["is"] = (200, json.dumps({"signatures": [one(by_bob)] * 200}).encode())
        self.assertIn("more than 128 signatures", self.opcat_takes(policy, source)[1])

    def test_the_signed_name_must_be_that_of_the_image(self):
        alice = self.work.path("alice.asc")
        at = self.at
        for taken, source, identity in (
                (True, "simple/good:v1", {"type": "matchExact"}),
                (False, "simple/good@" + self.image["digest"], {"type": "matchExact"}),
                (True, "simple/good:v1", {"type": "matchRepoDigestOrExact"}),
                (True, "simple/other-tag:v1", REPOSITORY),
                (True, "simple/no-tag:v1", REPOSITORY),
                (False, "simple/other-name:v1", REPOSITORY),
                (True, "simple/other-name:v1", {"type": "exactReference", "dockerReference": "quay.io/org/app:v1"}),
                (False, "simple/other-name:v1", {"type": "exactReference", "dockerReference": "quay.io/org/app:v2"}),
                (True, "simple/other-name:v1", {"type": "exactRepository", "dockerRepository": "quay.io/org/app"}),
                (False, "simple/other-name:v1", {"type": "exactRepository", "dockerRepository": "quay.io/org/ap"}),
                (True, "simple/other-name:v1", {"type": "remapIdentity", "prefix": f"{at}/simple/other-name", "signedPrefix": "quay.io/org/app"}),
                (False, "simple/other-name:v1", {"type": "remapIdentity", "prefix": f"{at}/simple", "signedPrefix": "quay.io/org"}),
                (False, "simple/other-name:v1", {"type": "remapIdentity", "prefix": f"{at}/simple/other", "signedPrefix": "quay.io/org/app"}),
                (True, "simple/good:v1", {"type": "remapIdentity", "prefix": "quay.io", "signedPrefix": "example.org"})):
            self.assert_verdict(taken, self.policy([signed(keyPath=alice, signedIdentity=identity)]), source)

    def test_signatures_of_cosign(self):
        def by(key, **more):
            return [sigstore(keyPath=self.keys[key], **more)]
        exact = {"signedIdentity": {"type": "matchRepoDigestOrExact"}}
        with open(self.keys["ec"], "rb") as file:
            data = base64.b64encode(file.read()).decode()
        for taken, source, requirements in (
                *((True, f"cosign/{key}:v1", by(key)) for key in self.keys),
                (True, "cosign/ec:v1", [sigstore(keyData=data)]),
                (False, "cosign/ec:v1", by("other")),
                (False, "cosign/ec:v1", by("rsa")),
                (False, "cosign/ec:v1", by("ec", **exact)),
                (True, "cosign/full:v1", by("ec", **exact)),
                (True, "cosign/ec@" + self.image["digest"], by("ec")),
                (False, "cosign/other-digest:v1", by("ec")),
                (False, "cosign/other-name:v1", by("ec")),
                (True, "cosign/other-name:v1", by("ec", signedIdentity={"type": "exactRepository", "dockerRepository": "quay.io/org/app"})),
                (False, "cosign/tampered:v1", by("ec")),
                (True, "cosign/second:v1", by("ec")),
                (True, "cosign/second:v1", by("ec") + by("other")),
                (False, "cosign/second:v1", by("ec") + by("rsa")),
                (False, "cosign/not-base64:v1", by("ec")),
                (False, "cosign/no-annotation:v1", by("ec")),
                (False, "cosign/other-media-type:v1", by("ec")),
                (False, "cosign/wrong-type:v1", by("ec")),
                (True, "cosign/in-store:v1", by("ec")),
                (False, "simple/good:v1", by("ec")),
                (False, "cosign/ec:v1", [signed(keyPath=self.work.path("alice.asc"))]),
                (False, "cosign/ec:v1", [sigstore(keyPath=self.work.path("alice.asc"))])):
            self.assert_verdict(taken, self.policy(requirements), source)
        # skopeo 1.9.3 is from before they may have null there, as cosign writes it.
        self.assertTrue(self.opcat_takes(self.policy(by("ec")), f"docker://{self.at}/cosign/null:v1")[0])

    def test_keys_and_signatures_that_expire_or_are_revoked(self):
        digest = self.image["digest"]
        long_ago = "20201101T000000!"
        expired = self.gpg.key("expired", "1d", at=long_ago)
        revoked = self.gpg.key("revoked")
        signatures = {"expired": self.gpg.sign(claim(SIMPLE, digest, self.fill("simple/expired") + ":v1"), expired, at=long_ago),
                      "revoked": self.gpg.sign(claim(SIMPLE, digest, self.fill("simple/revoked") + ":v1"), revoked),
                      "old": self.gpg.sign(claim(SIMPLE, digest, self.fill("simple/old") + ":v1"), self.alice, more=["--default-sig-expire", "seconds=1"])}
        for name, signature in signatures.items():
            self.stored(f"simple/{name}", digest, signature)
        revocations = os.path.join(self.gpg.home, "openpgp-revocs.d")
        fingerprint = [line.split(":")[9] for line in self.gpg.gpg("--with-colons", "--list-keys", revoked).decode().splitlines() if line.startswith("fpr")][0]
        with open(f"{revocations}/{fingerprint}.rev") as file:
            self.gpg.gpg("--import", data=file.read().replace(":---", "---").encode())
        time.sleep(2)
        for name, key in (("expired", expired), ("revoked", revoked), ("old", self.alice)):
            path = self.work.write(f"{name}.asc", self.gpg.public(key).decode())
            self.assert_verdict(False, self.policy([signed(keyPath=path)]), f"simple/{name}:v1")

    def test_the_narrowest_scope_counts(self):
        good = f"docker://{self.at}/simple/good:v1"
        host, at = self.at.split(":")[0], self.at
        for taken, scopes in (
                (True, {f"{at}/simple/good:v1": [ANYTHING], f"{at}/simple/good": [REJECT]}),
                (False, {f"{at}/simple/good:v1": [REJECT], f"{at}/simple/good": [ANYTHING]}),
                (True, {f"{at}/simple/good": [ANYTHING], f"{at}/simple": [REJECT], at: [REJECT]}),
                (True, {f"{at}/simple": [ANYTHING], at: [REJECT], "": [REJECT]}),
                (False, {f"{at}/simp": [ANYTHING]}),
                (False, {host: [ANYTHING]}),
                (True, {at: [ANYTHING], "*.0.0.1": [REJECT]}),
                (True, {"*.0.0.1": [ANYTHING], "*.0.1": [REJECT]}),
                (True, {"*.1": [ANYTHING], "": [REJECT]}),
                (False, {"*.127.0.0.1": [ANYTHING]}),
                (False, {"": [REJECT]}),
                (True, {"": [ANYTHING]})):
            self.assert_verdict(taken, self.policy(None, docker=scopes), good)
        directory = os.path.realpath(self.work.layout.directory)
        layout = f"oci:{directory}:signed"
        archive = self.work.path("signed.tar")
        self.skopeo("copy", "-q", layout, f"oci-archive:{archive}")
        saved = self.work.path("saved.tar")
        self.skopeo("copy", "-q", layout, f"docker-archive:{saved}")
        alice = signed(keyPath=self.work.path("alice.asc"), signedIdentity={"type": "exactRepository", "dockerRepository": "quay.io/org/app"})
        for taken, source, transport, scopes in (
                (True, layout, "oci", {directory: [ANYTHING]}),
                (True, layout, "oci", {os.path.dirname(directory): [ANYTHING]}),
                (False, layout, "oci", {directory + "/x": [ANYTHING]}),
                (False, layout, "oci", {directory: [REJECT], "": [ANYTHING]}),
                (False, layout, "oci", {"": [alice]}),
                (False, layout, "docker", {"": [ANYTHING]}),
                (True, f"oci-archive:{archive}", "oci-archive", {os.path.realpath(archive): [ANYTHING]}),
                (False, f"oci-archive:{archive}", "oci", {"": [ANYTHING]}),
                (True, f"docker-archive:{saved}", "docker-archive", {"": [ANYTHING]}),
                (False, f"docker-archive:{saved}", "docker-archive", {"": [REJECT]})):
            self.assert_verdict(taken, self.policy(None, **{transport: scopes}), source)

    def test_each_image_of_an_index_is_verified(self):
        blobs = self.work.layout.directory + "/blobs/sha256/"
        with open(blobs + self.index["digest"][7:]) as file:
            parts = [entry["digest"] for entry in json.load(file)["manifests"]]
        for repository in ("index/all", "index/one", "index/top"):
            self.work.fill(self.origin, "index", f"{repository}:v1")
        policy = self.policy([signed(keyPath=self.work.path("alice.asc"))])
        for repository, digests in (("index/all", parts), ("index/one", parts[:1]), ("index/top", [self.index["digest"]])):
            for digest in digests:
                self.stored(repository, digest, self.gpg.sign(claim(SIMPLE, digest, f"{self.at}/{repository}:v1"), self.alice))
        for taken, repository in ((True, "index/all"), (False, "index/one"), (False, "index/top")):
            self.assert_verdict(taken, policy, f"{repository}:v1", ["--all"])
        one = ("--platform", "linux/amd64"), ["--override-arch", "amd64"]
        for taken, repository in ((True, "index/one"), (False, "index/top")):
            source = f"docker://{self.at}/{repository}:v1"
            self.assertEqual(self.opcat_takes(policy, source, *one[0])[0], taken)
            with tempfile.TemporaryDirectory(dir=self.work.dir) as target:
                judge = subprocess.run(["skopeo", "--policy", policy, "--registries.d", self.work.path("registries.d"), *one[1], "copy", "-q",
                                        "--src-tls-verify=false", "--remove-signatures", source, f"dir:{target}/image"], capture_output=True)
                self.assertEqual(judge.returncode == 0, taken)

    def test_a_wrong_policy_accepts_nothing(self):
        good = f"docker://{self.at}/simple/good:v1"
        anything = json.dumps([ANYTHING])
        alice = signed(keyPath=self.work.path("alice.asc"))
        wrong = [alice | {"signedIdentity": identity} for identity in (
            {"type": "matchAnything"}, {"type": "matchExact", "x": 1}, {"type": "exactReference"}, {"type": "exactReference", "dockerReference": "quay.io/a"},
            {"type": "exactRepository", "dockerRepository": "A B"}, {"type": "remapIdentity", "prefix": "quay.io"},
            {"type": "remapIdentity", "prefix": "quay.io/a:v1", "signedPrefix": "quay.io/b"}, {"type": "remapIdentity", "prefix": "", "signedPrefix": "quay.io/b"},
            None, "matchExact")]
        wrong += [{}, {"type": "accept"}, {"type": "reject", "x": 1}, signed(), signed(keyPath="a", keyData="YQ=="), signed(keyPath="a", keyPaths=["a"]),
                  signed(keyData="?"), signed(keyPath=1), {**alice, "keyType": "PGP"}, {**alice, "keytype": "GPGKeys"}, {"type": "signedBy", "keyPath": "a"},
                  sigstore(), sigstore(keyPath="a", keyData="YQ=="), {"type": "signedBaseLayer"}]
        texts = ["", "{", "[]", "null", "{}", '{"default": []}', '{"default": null}', '{"transports": {}}', f'{{"default": {anything}}} x',
                 f'{{"default": {anything}, "default": {anything}}}', f'{{"Default": {anything}}}', f'{{"default": {anything}, "more": 1}}',
                 f'{{"default": {anything}, "transports": null}}', f'{{"default": {anything}, "transports": {{"docker": {{"quay.io": []}}}}}}',
                 f'{{"default": {anything}, "transports": {{"docker": {{"a": {anything}, "a": {anything}}}}}}}',
                 f'{{"default": {anything}, "transports": {{"oci": {{"relative": {anything}}}}}}}',
                 f'{{"default": {anything}, "transports": {{"oci": {{"/a/../b": {anything}}}}}}}',
                 f'{{"default": {anything}, "transports": {{"dir": {{"/": {anything}}}}}}}',
                 f'{{"default": {anything}, "transports": {{"docker-archive": {{"/a": {anything}}}}}}}',
                 f'{{"default": {anything}, // a comment\n "transports": {{}}}}']
        texts += [json.dumps({"default": [ANYTHING], "transports": {"docker": {"quay.io/unused": [one]}}}) for one in wrong]
        for text in texts:
            with self.subTest(text):
                policy = self.work.write("wrong.json", text)
                self.assertFalse(self.skopeo_takes(policy, good)[0])
                takes, err = self.opcat_takes(policy, good)
                self.assertFalse(takes)
                self.assertIn(f"cannot use the policy of signatures: {policy}:", err)
        self.assertIn("does-not-exist.json", self.opcat_takes(self.work.path("does-not-exist.json"), good)[1])
        self.assertTrue(self.skopeo_takes(self.policy([ANYTHING]), good)[0])


if __name__ == "__main__":
    main()
