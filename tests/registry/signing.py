"""Signs images as container engines and cosign do: OpenPGP by gpg, the rest by openssl."""
import base64
import http.client
import json
import os
import subprocess

from oci_layout import sha256

SIMPLE = "atomic container signature"
COSIGN = "cosign container image signature"
COSIGN_LAYER = "application/vnd.dev.cosign.simplesigning.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def claim(kind, digest, name, **more):
    return json.dumps({"critical": {"type": kind, "image": {"docker-manifest-digest": digest}, "identity": {"docker-reference": name}},
                       "optional": {"creator": "test", "timestamp": 1700000000}, **more}).encode()


class Gpg:
    """A GNUPGHOME of its own; its agent ends with it."""

    def __init__(self, directory):
        self.home = directory
        os.mkdir(self.home, 0o700)

    def close(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], check=True, capture_output=True)

    def gpg(self, *args, data=None, at=None):
        command = ["gpg", "--homedir", self.home, "--batch", "--quiet", *(["--faked-system-time", at] if at else []), *args]
        return subprocess.run(command, input=data, check=True, capture_output=True).stdout

    def key(self, name, expires="0", at=None):
        self.gpg("--passphrase", "", "--quick-gen-key", f"{name}@example.org", "ed25519", "sign", expires, at=at)
        return f"{name}@example.org"

    def public(self, *names, armor=True):
        return self.gpg(*(["--armor"] if armor else []), "--export", *names)

    def sign(self, data, *names, at=None, more=()):
        return self.gpg(*[word for name in names for word in ("-u", name)], *more, "--sign", data=data, at=at)


class Openssl:
    """Keys and certificates in a directory."""

    def __init__(self, directory):
        self.directory = directory
        os.mkdir(directory)

    def run(self, *args, data=None, at=None):
        return subprocess.run([*(["faketime", at] if at else []), "openssl", *args], cwd=self.directory, input=data, check=True, capture_output=True).stdout

    def path(self, name):
        return f"{self.directory}/{name}"

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def key(self, name, *how):
        self.run("genpkey", *(how or ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")), "-out", name + ".key")
        self.run("pkey", "-in", name + ".key", "-pubout", "-out", name + ".pub")
        return self.path(name + ".pub")

    def sign(self, data, name):
        """As base64."""
        if b"ED25519" in self.run("pkey", "-in", name + ".key", "-noout", "-text"):
            signature = self.run("pkeyutl", "-sign", "-rawin", "-inkey", name + ".key", "-in", self.write("data", data))
        else:
            signature = self.run("dgst", "-sha256", "-sign", name + ".key", data=data)
        return base64.b64encode(signature).decode()


def put(registry, path, body, media_type):
    connection = http.client.HTTPConnection(registry.address)
    connection.request("PUT", path, body, {"Content-Type": media_type})
    answer = connection.getresponse()
    assert answer.status == 201, (answer.status, answer.read())
    connection.close()


def put_blob(registry, repository, content):
    connection = http.client.HTTPConnection(registry.address)
    connection.request("POST", f"/v2/{repository}/blobs/uploads/", b"")
    answer = connection.getresponse()
    answer.read()
    place = answer.getheader("Location")
    connection.close()
    put(registry, f"{place}{'&' if '?' in place else '?'}digest={sha256(content)}", content, "application/octet-stream")


def attach(registry, repository, digest, *signatures):
    """Puts signatures, each its payload, its annotations and maybe a media type, under the tag that cosign uses."""
    config = b"{}"
    layers = []
    for payload, annotations, *media_type in signatures:
        put_blob(registry, repository, payload)
        layers.append({"mediaType": (media_type or [COSIGN_LAYER])[0], "digest": sha256(payload), "size": len(payload), "annotations": annotations})
    put_blob(registry, repository, config)
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "layers": layers,
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": sha256(config), "size": len(config)}}
    put(registry, f"/v2/{repository}/manifests/{digest.replace(':', '-')}.sig", json.dumps(manifest).encode(), MANIFEST)
