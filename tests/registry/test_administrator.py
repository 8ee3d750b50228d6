"""The story of docs/disconnected.md: two registries, one with tokens and a CA of its own; a run that is killed, a full disk, a login that is lost; and
a month later. Covers tools/opcat/commands/mirror_delete.cpp."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile

from registries import TokenServer, main
from oci_layout import make_layer
from mirror_case import MirrorTest
from test_copying import OPCAT

CONFIG = """kind: ImageSetConfiguration
apiVersion: mirror.openshift.io/v2alpha1
mirror:
  operators:
  - catalog: {catalog}
    packages:
    - name: foo
      channels: [{{name: stable, {versions}}}]
"""


class Administrator(MirrorTest):
    """At home is the registry "origin", in plain HTTP. The mirror asks for a token, over TLS. The administrator has told all that to podman, too."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tokens = TokenServer(cls.work, tls=True)
        cls.store = cls.work.registry(auth=cls.tokens.auth)
        cls.mirror_host = cls.work.front(cls.store, tls=True)
        cls.source = f"{cls.origin.address}/org/catalog:v1"
        cls.home = pathlib.Path(cls.work.path("home"))
        settings = cls.home / ".config/containers"
        for host in (cls.mirror_host, cls.tokens):
            (settings / "certs.d" / host.address).mkdir(parents=True)
            shutil.copy(cls.work.path("ca/ca.crt"), settings / "certs.d" / host.address)
        (settings / "registries.conf").write_text(f'[[registry]]\nlocation = "{cls.origin.address}"\ninsecure = true\n')
        shutil.copy(cls.work.write_auth("login.json", cls.mirror_host.address), settings / "auth.json")

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(dir=self.work.dir))
        self.to = f"{self.mirror_host.address}/{self.id().rsplit('.', 1)[1]}"  # for each test another prefix
        self.publish(self.catalog)
        self.configure("minVersion: 1.0.0")
        self.addCleanup(setattr, self.mirror_host, "fault", None)
        self.addCleanup(setattr, self.tokens, "fault", self.tokens.fault)

    def publish(self, directory):
        self.opcat("build", "--use-http", str(directory), "--base", "scratch", "-t", self.source)

    def configure(self, versions, name="image-set.yaml"):
        (self.dir / name).write_text(CONFIG.format(catalog=self.source, versions=versions))

    def start(self, *args, **options):
        environment = {name: value for name, value in self.environment(tempfile.mkdtemp(dir=self.work.dir), {"HOME": str(self.home)}).items()
                       if name != "XDG_CONFIG_HOME"}
        return subprocess.Popen([OPCAT, "mirror", *map(str, args)], cwd=self.dir, env=environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run_it(self, *args, status=0, **options):
        process = self.start(*args, **options)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, status, out + err)
        return out + err

    def fill(self, to, *args, **options):
        return self.run_it("--config", "image-set.yaml", "--to", to, *args, **options)

    def check(self, status=0):
        return self.run_it("check", self.to, "--verify", status=status)

    def test_a_first_run_that_is_killed_is_repeated(self):
        self.assertRegex(self.run_it("--config", "image-set.yaml", "--selection"), "foo +stable .default. +foo.v1.1.0 +2\n")
        self.assertIn("5 images to copy", self.fill(self.to, "--dry-run"))
        self.assertIn("there is no record of a mirror", self.check(status=3))

        def kill(request):
            if request.command != "PUT" or "/org/" not in request.path or "/manifests/" not in request.path:
                return False
            process.send_signal(signal.SIGKILL)  # an image has all its blobs by then
            process.wait()
            return True
        self.mirror_host.fault = kill
        with self.start("--config", "image-set.yaml", "--to", self.to) as process:
            self.assertEqual(process.wait(60), -signal.SIGKILL)
        self.mirror_host.fault = None
        self.assertIn("no run has ended in", self.check(status=3))
        self.assertNotIn("(3 blobs, 196.0 KiB)", self.fill(self.to, "--record", "june.json"))  # the large blob is there
        self.assertIn("5 images, 5 manifests, 15 blobs read", self.check())
        for name in ("idms-opcat.yaml", "cs-catalog-v1.yaml"):
            self.assertIn(self.to, (self.dir / "cluster-resources" / name).read_text())

    def test_a_login_that_is_lost_in_the_middle(self):
        give = self.tokens.fault
        before = len(self.tokens.requests)

        def refuse(request):
            if len(self.tokens.requests) - before <= allowed:
                return give(request)
            request.answer(401, b"no")
            return True
        self.tokens.fault = refuse
        for allowed in (5, 9):
            before = len(self.tokens.requests)
            err = self.fill(self.to, status=3)
            self.assertIn(f"the token server {self.tokens.address} does not accept the credentials (401)", err)
            self.assertIn("help: log in again, for example with podman login", err)
            self.assertFalse((self.dir / "cluster-resources").exists())
        self.tokens.fault = give
        self.fill(self.to)
        self.check()

    def test_a_full_disk(self):
        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))  # less than the shared blob
        for to in ("dir:usb", "archive:usb/june"):
            with self.subTest(to):
                self.assertIn("error: cannot copy ", self.fill(to, status=3, preexec_fn=full))
                self.fill(to)
                self.run_it(to, "--to", self.to)
                self.check()
                shutil.rmtree(self.dir / "usb")

    def next_month(self):
        """The catalog has foo.v1.2.0 now."""
        image = self.work.layout.image([make_layer({"new": os.urandom(3000)})], {"name": "bundle-120"})
        self.work.layout.tag(image, "bundle-120")
        self.work.fill(self.origin, "bundle-120", "org/bundle-120:v1")
        blobs = [json.loads(line) for line in (self.catalog / "catalog.json").read_text().splitlines()]
        next(blob for blob in blobs if blob["name"] == "stable")["entries"].append({"name": "foo.v1.2.0", "replaces": "foo.v1.1.0"})
        old = next(blob for blob in blobs if blob["name"] == "foo.v1.1.0")
        blobs.append({**old, "name": "foo.v1.2.0", "image": f"{self.origin.address}/org/bundle-120@{image['digest']}",
                      "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": "1.2.0"}}]})
        july = self.dir / "catalog-of-july"
        july.mkdir()
        (july / "catalog.json").write_text("\n".join(map(json.dumps, blobs)))
        self.publish(july)

    def test_a_month_later(self):
        self.fill("archive:usb/foo", "--record", "june.json")
        self.run_it("archive:usb/foo", "--to", self.to)
        self.next_month()
        self.assertIn("move it away when it is carried", self.fill("archive:usb/foo", "--since", "last", status=2))
        (self.dir / "usb/foo-000001.tar").rename(self.dir / "foo-of-june.tar")
        self.configure("minVersion: 1.1.0")
        self.assertRegex(self.fill("archive:usb/foo", "--since", "last", "--record", "july.json"), r"5 images copied, \d\.\d KiB")
        self.assertLess((self.dir / "usb/foo-000001.tar").stat().st_size, 30_000)
        self.assertRegex(self.run_it("diff", "june.json", "july.json"), r"(?s)new +org/bundle-120@.* foo.v1.2.0\nchanged +org/catalog:v1 .*gone +org/bundle-100@")
        would = self.run_it("archive:usb/foo", "--to", self.to, "--prune", "--dry-run")
        for line in ("2 images to copy", "would remove org/bundle-100:", "would remove org/catalog:sha256-"):
            self.assertIn(line, would)
        self.assertEqual(self.removed(self.run_it("archive:usb/foo", "--to", self.to, "--prune")), self.removed(would))
        self.check()
        # 1.1.0 is to go, too: what the catalog does not have is no longer in question.
        self.configure("minVersion: 1.0.0, maxVersion: 1.0.0", "old.yaml")
        self.assertIn("images of versions that it no longer has are removed by mirror with --prune",
                      self.run_it("delete", self.to, "--config", "old.yaml", "--plan", "plan.json", status=1))
        self.assertFalse((self.dir / "plan.json").exists())
        self.configure("minVersion: 1.1.0, maxVersion: 1.1.0", "old.yaml")
        self.assertIn("stays org/operand:", self.run_it("delete", self.to, "--config", "old.yaml", "--plan", "plan.json"))
        self.assertRegex(self.run_it("delete", "--plan", "plan.json"), "removed org/bundle-110:sha256-[0-9a-f]{64}\n$")
        self.assertRegex(self.check(status=1), "missing +org/bundle-110:")
        self.next_set_without_it()

    def removed(self, words):
        return {line.split(" org/")[1] for line in words.splitlines() if line.startswith(("would remove ", "removed "))}

    def next_set_without_it(self):
        self.configure("minVersion: 1.2.0")
        self.fill(self.to, "--prune")
        self.check()
        self.assertEqual(self.run_it("check", self.to, "-o", "json").count('"faulty": []'), 1)


if __name__ == "__main__":
    main()
