"""A registry with a catalog and its images, and what tests of mirrors do with them."""
import json
import os
import pathlib
import subprocess
import tempfile

from test_copying import OPCAT, CopyTest  # first: it finds the others
from oci_layout import make_layer

VERSIONS = ["1.0.0", "1.1.0", "2.0.0"]


class MirrorTest(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.origin = cls.work.registry()
        shared = make_layer({"shared": os.urandom(200_000)})
        cls.digests = {}
        for name in ("bundle-100", "bundle-110", "bundle-200", "operand", "tagged"):
            image = cls.work.layout.image([shared, make_layer({name: name.encode()})], {"name": name})
            cls.work.layout.tag(image, name)
            cls.work.fill(cls.origin, name, f"org/{name}:v1")
            cls.digests[name] = image["digest"]
        cls.catalog = pathlib.Path(cls.work.path("catalog"))
        cls.catalog.mkdir()
        cls.write_catalog()

    @classmethod
    def write_catalog(cls, missing=None):
        at = cls.origin.address
        blobs = [{"schema": "olm.package", "name": "foo", "defaultChannel": "stable"},
                 {"schema": "olm.channel", "package": "foo", "name": "stable",
                  "entries": [{"name": "foo.v1.0.0"}, {"name": "foo.v1.1.0", "replaces": "foo.v1.0.0"}]},
                 {"schema": "olm.channel", "package": "foo", "name": "fast",
                  "entries": [{"name": "foo.v1.1.0"}, {"name": "foo.v2.0.0", "replaces": "foo.v1.1.0"}]}]
        for version in VERSIONS:
            bundle = "bundle-" + version.replace(".", "")
            related = [f"{at}/org/operand@{cls.digests['operand']}", f"{at}/org/tagged:v1"]
            if missing and version == "1.0.0":
                related += missing
            blobs.append({"schema": "olm.bundle", "package": "foo", "name": f"foo.v{version}",
                          "image": f"{at}/org/{bundle}@{cls.digests[bundle]}",
                          "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": version}}],
                          "relatedImages": [{"name": f"r{n}", "image": image} for n, image in enumerate(related)]})
        (cls.catalog / "catalog.json").write_text("\n".join(map(json.dumps, blobs)))

    def mirror(self, *args, status=0):
        resources = tempfile.mkdtemp(dir=self.work.dir)
        result = self.opcat("mirror", "--use-http", "--resources", resources, *map(str, args))
        self.assertEqual(result[0], status, result[2])
        return result[1], result[2], {path.name: path.read_text() for path in pathlib.Path(resources).iterdir()}

    def catalog_from(self, front, catalog):
        """A copy that names another registry."""
        other = pathlib.Path(tempfile.mkdtemp(dir=self.work.dir), catalog.name)
        other.mkdir()
        (other / "catalog.json").write_text((catalog / "catalog.json").read_text().replace(self.origin.address, front.address))
        return other

    def names(self, registry):
        """repository:tag of all images of a registry."""
        found = set()
        repositories = json.loads(subprocess.run(["curl", "-sf", f"http://{registry.address}/v2/_catalog?n=1000"], capture_output=True,
                                                 check=True).stdout)["repositories"]
        for repository in repositories:
            tags = subprocess.run(["curl", "-s", f"http://{registry.address}/v2/{repository}/tags/list"], capture_output=True, check=True)
            found |= {f"{repository}:{tag}" for tag in json.loads(tags.stdout).get("tags") or []}
        return found

    def delete(self, registry, repository, kind, digest):
        """One of its blobs or manifests."""
        subprocess.run(["curl", "-sf", "-X", "DELETE", f"http://{registry.address}/v2/{repository}/{kind}/{digest}"], check=True)

    def expected(self, *images):
        tags = {name: "sha256-" + self.digests[name][7:] for name in self.digests}
        return ({f"mirror/org/{name}:{tags[name]}" for name in images} |
                {"mirror/org/tagged:v1", "mirror/catalog:latest", "mirror/opcat-mirror:latest"})

    def heads(self, image):
        out = subprocess.run([OPCAT, "list", "channels", "--use-http", "--no-cache", image, "-o", "json"], capture_output=True, check=True).stdout
        return {row["name"]: row["head"] for row in json.loads(out)["channels"]}
