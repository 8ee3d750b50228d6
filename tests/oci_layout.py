"""Writes images as OCI layouts."""
import gzip
import hashlib
import io
import json
import os
import pathlib
import tarfile


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def files_below(directory, prefix=""):
    """The content of the files below a directory, by their names in a layer."""
    return {prefix + str(path.relative_to(directory)): path.read_bytes() for path in sorted(pathlib.Path(directory).rglob("*")) if path.is_file()}


def make_layer(files, modes=None, links=None):
    out = io.BytesIO()
    # No test depends on how small a layer is.
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.mode = (modes or {}).get(name, info.mode)
            tar.addfile(info, io.BytesIO(content))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
    return out.getvalue()


class Layout:
    """An OCI layout on disk."""

    def __init__(self, directory):
        self.directory = str(directory)
        os.makedirs(self.directory + "/blobs/sha256")
        with open(self.directory + "/oci-layout", "w") as f:
            f.write('{"imageLayoutVersion":"1.0.0"}')
        self.entries = []

    def blob(self, data, media_type, **more):
        digest = sha256(data)
        with open(f"{self.directory}/blobs/sha256/{digest[7:]}", "wb") as f:
            f.write(data)
        return {"mediaType": media_type, "digest": digest, "size": len(data), **more}

    def image(self, layers, labels, architecture="amd64", annotations=None, **more):
        packed = "application/vnd.oci.image.layer.v1.tar+gzip"
        config = {"os": "linux", "architecture": architecture, "config": {"Labels": labels},
                  "rootfs": {"type": "layers", "diff_ids": [sha256(gzip.decompress(l)) for l in layers]}}
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                    "config": self.blob(json.dumps(config).encode(), "application/vnd.oci.image.config.v1+json"),
                    "layers": [self.blob(l, packed) for l in layers]}
        if annotations:
            manifest["annotations"] = annotations
        return self.blob(json.dumps(manifest).encode(), manifest["mediaType"], **more)

    def index(self, entries, **more):
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": entries}
        return self.blob(json.dumps(index).encode(), index["mediaType"], **more)

    def tag(self, entry, name):
        self.entries.append({**entry, "annotations": {"org.opencontainers.image.ref.name": name}})
        with open(self.directory + "/index.json", "w") as f:
            json.dump({"schemaVersion": 2, "manifests": self.entries}, f)
