"""Signatures with certificates of Fulcio and entries in the log Rekor, verified without a network. The skopeo of Debian cannot judge
them: the rules are those of containers/image. Covers lib/signatures/certificate.cpp and lib/signatures/rekor.cpp."""
import base64
import hashlib
import json
import os
import tempfile

from registries import NEEDED, main
from oci_layout import make_layer
from signing import COSIGN, Openssl, attach, claim
from test_copying import CopyTest

NEEDED += ["faketime"]
SIGNED_AT = 1795000000
THEN = "2026-11-18 11:00:00"  # the certificate of a signature is valid on that day only
ISSUER, EMAIL = "https://accounts.example.org", "alice@example.org"


class Fulcio(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.origin = cls.work.registry()
        cls.at = cls.origin.address
        cls.image = cls.work.layout.image([make_layer({"a": b"a"})], {"is": "signed"})
        cls.work.layout.tag(cls.image, "signed")
        os.mkdir(cls.work.path("registries.d"))
        cls.work.write("registries.d/default.yaml", "default-docker:\n  use-sigstore-attachments: true\n")
        cls.openssl = Openssl(cls.work.path("keys"))
        for name in ("log", "otherlog", "root", "middle", "leaf", "plain", "otherroot"):
            cls.openssl.key(name)
        cls.openssl.key("rsalog", "-algorithm", "RSA")
        cls.self_signed("root")
        cls.self_signed("otherroot")
        cls.issue("middle", "root", "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\nextendedKeyUsage=codeSigning\n")
        cls.leaf_count = 0

    @classmethod
    def self_signed(cls, name):
        cls.openssl.run("req", "-x509", "-key", name + ".key", "-subj", "/CN=" + name, "-days", "3650", "-out", name + ".pem", at="2020-01-01")

    @classmethod
    def issue(cls, name, by, extensions, key=None, subject=None, at="2020-01-02", days="3600"):
        cls.openssl.write(name + ".ext", extensions.encode())
        cls.openssl.run("req", "-new", "-key", (key or name) + ".key", "-subj", subject or "/CN=" + name, "-out", name + ".csr")
        cls.openssl.run("x509", "-req", "-in", name + ".csr", "-CA", by + ".pem", "-CAkey", by + ".key", "-CAcreateserial", "-days", days,
                        "-extfile", name + ".ext", "-out", name + ".pem", at=at)

    def certificate(self, email=EMAIL, usage="codeSigning", issuer=ISSUER, v2=None, by="middle", at=THEN, subject="/CN=x"):
        """PEM."""
        type(self).leaf_count += 1
        name = f"leaf{self.leaf_count}"
        lines = [f"subjectAltName=critical,email:{email}", "keyUsage=critical,digitalSignature"]
        lines += [f"extendedKeyUsage={usage}"] if usage else []
        lines += [f"1.3.6.1.4.1.57264.1.1=DER:{issuer.encode().hex(':')}"] if issuer else []
        lines += [f"1.3.6.1.4.1.57264.1.8=ASN1:UTF8String:{v2}"] if v2 else []
        self.issue(name, by, "\n".join(lines) + "\n", key="leaf", subject=subject, at=at, days="1")
        return self.openssl.read(name + ".pem").decode()

    def bundle(self, payload, signature, public, log="log", time=SIGNED_AT, algorithm="sha256", kind="hashedrekord", **more):
        entry = {"apiVersion": "0.0.1", "kind": kind, "spec": {
            "data": {"hash": {"algorithm": algorithm, "value": hashlib.sha256(payload).hexdigest()}},
            "signature": {"content": signature, "publicKey": {"content": base64.b64encode(public.encode()).decode()}}}}
        signed = {"body": base64.b64encode(json.dumps(entry).encode()).decode(), "integratedTime": time, "logID": "c0ffee", "logIndex": 7}
        canonical = json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()
        # The bundle itself need not be canonical.
        return json.dumps({"SignedEntryTimestamp": self.openssl.sign(canonical, log), "Payload": {**dict(reversed(signed.items())), **more}}, indent=1)

    def takes(self, annotations, requirement, payload):
        repository = f"org/app{len(os.listdir(self.work.dir))}"
        self.work.fill(self.origin, "signed", f"{repository}:v1")
        attach(self.origin, repository, self.image["digest"], (payload, annotations))
        identity = {"type": "exactRepository", "dockerRepository": "quay.io/org/app"}
        policy = self.work.write("tested.json", json.dumps({"default": [{"type": "sigstoreSigned", "signedIdentity": identity, **requirement}]}))
        with tempfile.TemporaryDirectory(dir=self.work.dir) as target:
            status, _, err = self.opcat("copy", "--use-http", "--signature-policy", policy, "--registries.d", self.work.path("registries.d"),
                                        f"{self.at}/{repository}:v1", f"oci:{target}/image")
        self.assertIn(status, (0, 3), err)
        return status == 0, err

    def test_certificates_bind_a_key_to_a_person(self):
        payload = claim(COSIGN, self.image["digest"], "quay.io/org/app")
        signature = self.openssl.sign(payload, "leaf")
        chain = self.openssl.read("middle.pem").decode() + self.openssl.read("root.pem").decode()
        good = self.certificate()
        fulcio = {"caPath": self.openssl.path("root.pem"), "oidcIssuer": ISSUER, "subjectEmail": EMAIL}
        root_data = base64.b64encode(self.openssl.read("root.pem")).decode()
        log = {"rekorPublicKeyPath": self.openssl.path("log.pub")}

        def parts(certificate=good, chain=chain, by=signature, **of_bundle):
            found = {"dev.cosignproject.cosign/signature": by, "dev.sigstore.cosign/certificate": certificate,
                     "dev.sigstore.cosign/bundle": self.bundle(**{"payload": payload, "signature": signature, "public": certificate, **of_bundle})}
            return found | ({"dev.sigstore.cosign/chain": chain} if chain else {})

        def without(name):
            return {key: value for key, value in parts().items() if not key.endswith(name)}

        other_signature = self.openssl.sign(payload, "plain")
        for name, expected, annotations, root in (
                ("good", "", parts(), fulcio),
                ("a CA in the policy", "", parts(), {"caData": root_data, **{k: v for k, v in fulcio.items() if k != "caPath"}}),
                ("the CA between is in the policy", "", parts(chain=""), {**fulcio, "caPath": self.openssl.path("middle.pem")}),
                ("no chain", "certificate is not accepted", parts(chain=""), fulcio),
                ("another CA", "certificate is not accepted", parts(), {**fulcio, "caPath": self.openssl.path("otherroot.pem")}),
                ("another issuer", "by the issuer " + ISSUER, parts(), {**fulcio, "oidcIssuer": "https://example.com"}),
                ("another person", "is not for bob@example.org", parts(), {**fulcio, "subjectEmail": "bob@example.org"}),
                ("a person in the subject only", "is not for " + EMAIL,
                 parts(self.certificate(email="x@example.org", subject=f"/CN=x/emailAddress={EMAIL}")), fulcio),
                ("issuer in the new form", "", parts(self.certificate(issuer="", v2=ISSUER)), fulcio),
                ("both forms", "", parts(self.certificate(v2=ISSUER)), fulcio),
                ("two issuers", "names two issuers", parts(self.certificate(v2="https://example.com")), fulcio),
                ("no issuer", "names no issuer", parts(self.certificate(issuer="")), fulcio),
                ("for servers", "not one for signing code", parts(self.certificate(usage="serverAuth")), fulcio),
                ("for anything", "", parts(self.certificate(usage="")), fulcio),
                ("logged when the certificate had expired", "certificate is not accepted", parts(time=SIGNED_AT + 10 * 86400), fulcio),
                ("logged before it was valid", "certificate is not accepted", parts(time=SIGNED_AT - 10 * 86400), fulcio),
                ("another log", "not signed by the log", parts(log="otherlog"), fulcio),
                ("an altered entry", "not signed by the log", parts(integratedTime=SIGNED_AT + 1), fulcio),
                ("more in the entry", 'the key "more" is unknown', parts(more=1), fulcio),
                ("an entry of another claim", "about another claim", parts(payload=b"x"), fulcio),
                ("an entry of another signature", "about another signature", parts(signature=other_signature), fulcio),
                ("an entry of another key", "about another key", parts(public=self.certificate()), fulcio),
                ("an entry of another kind", "not a hashedrekord", parts(kind="rekord"), fulcio),
                ("an entry with another hash", "about another claim", parts(algorithm="sha512"), fulcio),
                ("a signature by another key", "not by a key", parts(by=other_signature, signature=other_signature), fulcio),
                ("two certificates", "not one block of PEM", parts(good + good), fulcio),
                ("no certificate", "no annotation dev.sigstore.cosign/certificate", without("certificate"), fulcio),
                ("no entry", "no annotation dev.sigstore.cosign/bundle", without("bundle"), fulcio),
                ("not JSON", "the log's bundle:1:", {**parts(), "dev.sigstore.cosign/bundle": "?"}, fulcio)):
            with self.subTest(name):
                taken, err = self.takes(annotations, {"fulcio": root, **log}, payload)
                self.assertEqual(taken, not expected, err)
                self.assertIn(expected, err)

    def test_signatures_with_a_key_may_have_to_be_in_the_log(self):
        payload = claim(COSIGN, self.image["digest"], "quay.io/org/app")
        signature = self.openssl.sign(payload, "plain")
        public = self.openssl.read("plain.pub").decode()
        key = {"keyPath": self.openssl.path("plain.pub")}
        log = {"rekorPublicKeyPaths": [self.openssl.path("otherlog.pub"), self.openssl.path("log.pub")]}
        bundle = self.bundle(payload, signature, public)
        for name, expected, more, requirement in (
                ("in the log", "", {"dev.sigstore.cosign/bundle": bundle}, {**key, **log}),
                ("with one of two keys", "", {"dev.sigstore.cosign/bundle": bundle}, {"keyPaths": [self.openssl.path("root.pub"), *key.values()], **log}),
                ("not in the log", "no annotation", {}, {**key, **log}),
                ("the log does not matter", "", {}, key),
                ("another log", "not signed by the log", {"dev.sigstore.cosign/bundle": bundle}, {**key, "rekorPublicKeyPath": self.openssl.path("otherlog.pub")}),
                ("another key", "about another key", {"dev.sigstore.cosign/bundle": bundle}, {"keyPath": self.openssl.path("root.pub"), **log}),
                ("a log with an RSA key", "elliptic curve", {"dev.sigstore.cosign/bundle": bundle}, {**key, "rekorPublicKeyPath": self.openssl.path("rsalog.pub")})):
            with self.subTest(name):
                taken, err = self.takes({"dev.cosignproject.cosign/signature": signature, **more}, requirement, payload)
                self.assertEqual(taken, not expected, err)
                self.assertIn(expected, err)

    def test_what_opcat_does_not_support_is_refused(self):
        payload = claim(COSIGN, self.image["digest"], "quay.io/org/app")
        taken, err = self.takes({"dev.cosignproject.cosign/signature": self.openssl.sign(payload, "plain")},
                                {"pki": {"caRootsPath": self.openssl.path("root.pem"), "subjectEmail": EMAIL}}, payload)
        self.assertFalse(taken)
        self.assertIn("does not support its requirement sigstoreSigned with pki", err)


if __name__ == "__main__":
    main()
