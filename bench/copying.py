#!/usr/bin/env python3
"""Copies 200 images with shared layers, and a signature of cosign at each, between two registries on loopback, with skopeo sync and
with opcat, and builds the image of a catalog next to gzip. Usage: bench/copying.py OPCAT [CATALOG]"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/registry"))
from registries import Layout, Registry, make_layer  # noqa: E402
from signing import COSIGN, attach, claim  # noqa: E402

IMAGES = 200
BASES = 5


class Work:
    """The part of a test case that Registry uses."""

    def __init__(self, directory):
        self.dir = directory


def timed(*command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def peak_memory(*command):
    """In MiB. Measured by a small process, because a child inherits the peak of its parent."""
    watch = ("import os, subprocess, sys\np = subprocess.Popen(sys.argv[1:], stdout=2)\n"
             "print(os.wait4(p.pid, 0)[2].ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", watch, *command], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def images(work, registry):
    """Images of an operator: some layers of a base that others share, and one of their own."""
    layout = Layout(work.dir + "/layout")
    bases = [[make_layer({f"base-{b}-{i}": os.urandom(400_000)}) for i in range(4)] for b in range(BASES)]
    names, digests = [], []
    for n in range(IMAGES):
        own = make_layer({f"own-{n}": os.urandom(50_000)})
        image = layout.image([*bases[n % BASES], own], {"n": str(n)})
        layout.tag(image, f"v{n}")
        digests.append(image["digest"])
        names.append(f"org/image-{n}")
    policy = work.dir + "/policy.json"
    pathlib.Path(policy).write_text('{"default":[{"type":"insecureAcceptAnything"}]}')
    for n, name in enumerate(names):
        subprocess.run([OPCAT, "copy", "-q", "--use-http", f"oci:{layout.directory}:v{n}", f"{registry.address}/{name}:v1"],
                       check=True, stdout=subprocess.DEVNULL)
        attach(registry, name, digests[n], (claim(COSIGN, digests[n], name), {"dev.cosignproject.cosign/signature": "bm90IHZlcmlmaWVk"}))
    return names, digests, policy


def main():
    with tempfile.TemporaryDirectory(prefix="opcat-bench-") as directory:
        work = Work(directory)
        source, of_skopeo, of_opcat = Registry(work), Registry(work), Registry(work)
        try:
            names, digests, policy = images(work, source)
            listed = work.dir + "/sync.yaml"
            pathlib.Path(listed).write_text(json.dumps({source.address: {"tls-verify": False, "images": {name: ["v1"] for name in names}}}))
            settings = pathlib.Path(work.dir + "/registries.d")
            settings.mkdir()
            (settings / "default.yaml").write_text("default-docker: {use-sigstore-attachments: true}\n")
            sync = ["skopeo", "--policy", policy, "--registries.d", str(settings), "sync", "--src", "yaml", "--dest", "docker", "--dest-tls-verify=false"]
            catalog = pathlib.Path(work.dir + "/catalog")
            catalog.mkdir()
            (catalog / "catalog.json").write_text("".join(json.dumps(blob) for blob in catalog_of(source, names, digests)))
            mirror = [OPCAT, "mirror", str(catalog), "--use-http", "--to", of_opcat.address + "/mirror", "--resources", work.dir + "/res"]
            rows = [("skopeo sync", timed(*sync, listed, of_skopeo.address + "/m"), timed(*sync, listed, of_skopeo.address + "/m")),
                    ("opcat mirror", timed(*mirror), timed(*mirror))]
            for registry, prefix in ((of_skopeo, "m"), (of_opcat, "mirror/org")):
                assert len(list(pathlib.Path(registry.dir, "data/docker/registry/v2/repositories", prefix).glob("*/_manifests/tags/*.sig"))) == IMAGES
            for name, first, second in rows:
                print(f"{name:14} first {first:7.2f} s   second {second:7.2f} s")
            print(f"opcat is {rows[0][1] / rows[1][1]:.1f} and {rows[0][2] / rows[1][2]:.1f} times as fast")
            large_layer(work, source)
        finally:
            for registry in (source, of_skopeo, of_opcat):
                registry.close()
        if len(sys.argv) > 2:
            build(work, sys.argv[2])


def catalog_of(registry, names, digests):
    package = "bench"
    yield {"schema": "olm.package", "name": package, "defaultChannel": "stable"}
    yield {"schema": "olm.channel", "package": package, "name": "stable",
           "entries": [{"name": f"{package}.v1.0.0"}]}
    yield {"schema": "olm.bundle", "package": package, "name": f"{package}.v1.0.0", "image": f"{registry.address}/{names[0]}@{digests[0]}",
           "properties": [{"type": "olm.package", "value": {"packageName": package, "version": "1.0.0"}}],
           "relatedImages": [{"name": name, "image": f"{registry.address}/{name}@{digest}"} for name, digest in zip(names, digests)]}


def large_layer(work, registry):
    layout = Layout(work.dir + "/large")
    layout.tag(layout.image([make_layer({"large": os.urandom(300_000_000)})], {}), "v1")
    memory = peak_memory(OPCAT, "copy", "-q", "--use-http", f"oci:{layout.directory}:v1", f"{registry.address}/large:v1")
    again = peak_memory(OPCAT, "copy", "-q", "--use-http", f"{registry.address}/large:v1", f"{registry.address}/larger:v1")
    print(f"a layer of 300 MB: {memory:.0f} MiB of memory from a file, {again:.0f} MiB within a registry")


def build(work, catalog):
    packed = work.dir + "/catalog.tar"
    subprocess.run(["tar", "-cf", packed, "-C", catalog, "."], check=True)
    gzip = min(timed("gzip", "-6", "-k", "-f", packed) for _ in range(3))
    opcat = min(timed(OPCAT, "build", catalog, "--base", "scratch", "-t", f"oci:{work.dir}/built-{n}:v1") for n in range(3))
    unchecked = min(timed(OPCAT, "build", catalog, "--no-validate", "--base", "scratch", "-t", f"oci:{work.dir}/again-{n}:v1")
                    for n in range(3))
    print(f"gzip -6 {gzip:.2f} s, opcat build {opcat:.2f} s ({opcat / gzip:.1f} times), without validating {unchecked:.2f} s")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    OPCAT = shutil.which(sys.argv[1]) or sys.argv[1]
    main()
