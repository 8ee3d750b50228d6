"""The generated Dockerfiles, built by a container engine (buildah), compared with the image of `opcat build` from the same catalog."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from registries import free_port, main
from oci_layout import make_layer
from test_copying import OPCAT, CopyTest

CATALOG = pathlib.Path(__file__).resolve().parents[2] / "testdata/catalogs/hello"


def linked(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(/\S+) \(0x", listed))


def libraries(program):
    """The files that the dynamic linker loads for a program, when it starts or later, which the program then contains the names of."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    places = dict(re.findall(r"^\t(\S+) \(libc6,.*?\) => (\S+)$", known, re.M))
    later = {places.get(name.decode()) for name in re.findall(rb"lib[\w.+-]+\.so[.\d]+", pathlib.Path(program).read_bytes())} - {None}
    return linked(program).union(later, *map(linked, later))


def tree(directory):
    root = pathlib.Path(directory)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


class Engine(CopyTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if os.geteuid() != 0:
            raise unittest.SkipTest("buildah runs programs in an image only as root here")
        needed = set().union(*(libraries(program) for program in (OPCAT, "/bin/ln", "/bin/true")))
        files = {library.lstrip("/"): library for library in needed}
        small = cls.work.path("opcat")
        subprocess.run(["strip", "-o", small, OPCAT], check=True)
        files.update({"usr/bin/opcat": small, "bin/ln": "/bin/ln"})
        layer = make_layer({**{name: pathlib.Path(path).read_bytes() for name, path in files.items()}, "tmp/.keep": b""},
                           modes={name: 0o755 for name in files}, links={"bin/opm": "/usr/bin/opcat"})
        base = cls.work.layout.image([layer], {})
        cls.work.layout.tag(base, "base")
        cls.work.fill(cls.registry, "base", "org/base:v1")
        cls.base = f"{cls.registry.address}/org/base:v1"

    def buildah(self, *args, **kwargs):
        store = ["--storage-driver", "vfs", "--root", self.work.path("engine"), "--runroot", self.work.path("engine-run")]
        done = subprocess.run(["buildah", *store, *args], capture_output=True, text=True, timeout=300, **kwargs)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def build_by_engine(self, *flags):
        """The name of an image of CATALOG, built in a directory of its own."""
        place = tempfile.mkdtemp(dir=self.work.dir)
        shutil.copytree(CATALOG, place + "/catalog")
        done = subprocess.run([OPCAT, "generate", "dockerfile", "catalog", *flags], cwd=place, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        name = f"opcat-{time.monotonic_ns()}"
        self.buildah("bud", "--signature-policy", self.work.path("policy.json"), "--tls-verify=false", "--isolation", "chroot", "-q",
                     "-f", place + "/catalog.Dockerfile", "-t", name, place)
        return name

    def files_of(self, image):
        container = self.buildah("from", "--pull-never", "localhost/" + image)
        self.addCleanup(self.buildah, "rm", container)
        return tree(self.buildah("mount", container) + "/configs")

    def configuration_of(self, image):
        return json.loads(self.buildah("inspect", "--type", "image", "localhost/" + image))["OCIv1"]["config"]

    def test_both_make_the_same_image(self):
        by_engine = self.build_by_engine("-b", self.base, "-i", self.base)
        target = f"oci:{self.work.path('by-opcat')}:v1"
        status, _, err = self.opcat("build", str(CATALOG), "--use-http", "--base", self.base, "-t", target)
        self.assertEqual(status, 0, err)
        # buildah makes a name of the path, which may have no capitals.
        self.buildah("pull", "--signature-policy", self.work.path("policy.json"), "-q", "oci:by-opcat:v1", cwd=self.work.dir)
        rendered = subprocess.run([OPCAT, "render", target], capture_output=True, check=True).stdout
        built = self.work.path("configs")
        self.assertEqual(self.files_of(by_engine), tree(CATALOG))
        config = json.loads(self.skopeo("inspect", "--config", target))["config"]
        expected = self.configuration_of(by_engine)
        engines_own = {"io.buildah.version"}
        self.assertEqual(config["Labels"], {k: v for k, v in expected["Labels"].items() if k not in engines_own})
        self.assertEqual(config["Entrypoint"], expected["Entrypoint"])
        # opcat writes no cache, so that none is named.
        self.assertEqual(config["Cmd"], [word for word in expected["Cmd"] if not word.startswith("--cache-dir")])
        shutil.copytree(CATALOG, built)
        self.assertEqual(rendered, subprocess.run([OPCAT, "render", built], capture_output=True, check=True).stdout)

    def test_the_served_image_answers_its_probe(self):
        image = self.build_by_engine("--serve", "-i", self.base)
        config = self.configuration_of(image)
        self.assertEqual((config["User"], config["Entrypoint"]), ("1001", ["opcat"]))
        container = self.buildah("from", "--pull-never", "localhost/" + image)
        self.addCleanup(self.buildah, "rm", container)
        root = self.buildah("mount", container)
        port = str(free_port())
        server = subprocess.Popen(["chroot", "--userspec=1001:0", root, *config["Entrypoint"], "serve", "/configs", "--port", port],
                                  stderr=subprocess.PIPE, text=True)
        try:
            for _ in range(100):
                probe = subprocess.run(["chroot", "--userspec=1001:0", root, "/bin/grpc_health_probe", "-addr=:" + port],
                                       capture_output=True, text=True)
                if probe.returncode == 0:
                    break
                self.assertIsNone(server.poll(), server.poll() is not None and server.stderr.read())
                time.sleep(0.1)
            self.assertEqual(probe.returncode, 0, probe.stdout + probe.stderr)
        finally:
            server.terminate()
            server.communicate()
        self.assertEqual(server.returncode, 0)


if __name__ == "__main__":
    if not shutil.which("buildah"):
        print("skipped: not installed: buildah")
        sys.exit(77)
    main()
