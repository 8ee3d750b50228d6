"""opcat compose, with catalogs in a registry."""
import hashlib
import os
import subprocess
import tempfile

from registries import LABELS, PullTest, main
from oci_layout import make_layer

OPCAT = os.environ["OPCAT"]
COUNT = 12

PACKAGE = """schema: olm.package
name: {name}
defaultChannel: stable
---
schema: olm.channel
package: {name}
name: stable
entries:
- name: {name}.v1.0.{patch}
---
schema: olm.bundle
package: {name}
name: {name}.v1.0.{patch}
image: quay.io/example/{name}:v1.0.{patch}
properties:
- type: olm.package
  value:
    packageName: {name}
    version: 1.0.{patch}
"""


def package(name, patch=0):
    return PACKAGE.format(name=name, patch=patch)


class Compose(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry()
        for i in range(COUNT):
            cls.push(f"p{i}", package(f"p{i}"))

    @classmethod
    def push(cls, name, text, repository=None):
        tag = f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        layer = make_layer({"configs/catalog.yaml": text.encode(), "configs/.indexignore": b""})
        cls.work.layout.tag(cls.work.layout.image([layer], LABELS), tag)
        cls.work.fill(cls.registry, tag=tag, to=f"org/{repository or name}:v1")

    def setUp(self):
        self.front = self.work.front(self.registry)
        self.root = tempfile.mkdtemp(dir=self.work.dir)
        self.cache = tempfile.mkdtemp(dir=self.work.dir)
        self.references = [(f"ref{i}", self.image(f"p{i}")) for i in range(COUNT)]
        self.write_config()

    def image(self, name):
        return f"{self.front.address}/org/{name}:v1"

    def write_config(self, more=""):
        lines = [f"- {{name: {name}, image: \"{image}\"}}\n" for name, image in self.references]
        self.write("catalog.yaml", "name: all\nrepo: quay.io/example/all\ntag: v7\nreferences:\n" + "".join(lines) + more)

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w") as f:
            f.write(text)

    def read(self, name):
        with open(os.path.join(self.root, name)) as f:
            return f.read()

    def command(self, *args):
        return [OPCAT, "compose", "catalog.yaml", "--use-http", *args]

    def environment_here(self):
        temporary = tempfile.mkdtemp(dir=self.work.dir)
        return self.environment(temporary, {"XDG_CACHE_HOME": self.cache})

    def compose(self, *args, status=0):
        del self.front.requests[:]
        result = subprocess.run(self.command(*args), cwd=self.root, env=self.environment_here(), capture_output=True,
                                text=True, timeout=600)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def files(self):
        return sorted(os.path.relpath(os.path.join(d, f), self.root) for d, _, fs in os.walk(self.root) for f in fs)

    def snapshot(self):
        return {name: self.read(name) for name in self.files()}

    def test_the_whole_way(self):
        err = self.compose()
        self.assertEqual(self.files(), sorted(["all.Dockerfile", "catalog.lock", "catalog.yaml"] +
                                              [f"all/ref{i}/catalog.yaml" for i in range(COUNT)]))
        self.assertEqual(err.count("pulled "), COUNT)
        self.assertIn("all: 12 references, all new\n", err)
        self.assertIn("docker build -f all.Dockerfile -t quay.io/example/all:v7 .", err)
        self.assertIn("ADD all /configs\n", self.read("all.Dockerfile"))
        validated = subprocess.run([OPCAT, "validate", "all"], cwd=self.root, capture_output=True, text=True)
        self.assertEqual(validated.returncode, 0, validated.stdout)
        rendered = subprocess.run([OPCAT, "render", "--use-http", self.image("p3"), "-o", "yaml"], cwd=self.root,
                                  env=self.environment_here(), capture_output=True, text=True)
        self.assertEqual(self.read("all/ref3/catalog.yaml"), rendered.stdout)

        before = self.snapshot()
        inode = os.stat(os.path.join(self.root, "all")).st_ino
        self.assertEqual(self.compose(), "all: 12 references, all unchanged\n")
        self.assertEqual([path.split("/")[-2] for _, path, _, _ in self.front.requests], ["manifests"] * COUNT)
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(os.stat(os.path.join(self.root, "all")).st_ino, inode)
        self.compose("--locked")

    def test_one_failing_reference_leaves_nothing_behind(self):
        self.references[7] = ("ref7", self.image("none"))
        self.write_config()
        err = self.compose(status=3)
        self.assertIn("/org/none:v1", err)
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])

    def test_all_references_that_do_not_exist_are_reported_with_their_lines(self):
        for i, image in ((2, self.image("none")), (5, "absent"), (9, self.image("nothing"))):
            self.references[i] = (f"ref{i}", image)
        self.write_config()
        err = self.compose(status=3)
        self.assertRegex(err, r"catalog\.yaml:7:23: error: cannot pull \S+/org/none:v1: ")
        self.assertIn("catalog.yaml:10:23: error: cannot read absent: no such file or directory", err)
        self.assertRegex(err, r"catalog\.yaml:14:23: error: cannot pull \S+/org/nothing:v1: ")
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])

    def test_a_reference_in_a_registry_that_is_not_running_is_reported_with_its_line(self):
        self.references = [("ref0", self.image("p0")), ("ref1", "127.0.0.1:1/org/p1:v1")]
        self.write_config()
        err = self.compose(status=3)
        self.assertIn("catalog.yaml:6:23: error: cannot pull 127.0.0.1:1/org/p1:v1: ", err)
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])

    def test_one_failing_blob_changes_nothing(self):
        self.references.pop()
        self.write_config()
        self.compose()
        before = self.snapshot()
        self.references.append(("ref11", self.image("p11")))
        self.write_config()
        before["catalog.yaml"] = self.read("catalog.yaml")
        self.front.fault = lambda request: request.is_blob() and (request.answer(404) or True)
        self.assertRegex(self.compose(status=3), r"catalog\.yaml:16:24: error: cannot pull \S+/org/p11@sha256:")
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(sorted(os.listdir(self.root)), ["all", "all.Dockerfile", "catalog.lock", "catalog.yaml"])

    def test_a_package_from_two_references(self):
        self.push("again", package("p4", 1))
        self.references.append(("again", self.image("again")))
        self.write_config()
        err = self.compose(status=1)
        self.assertIn(f'package "p4" comes from ref4 ({self.image("p4")}) and again ({self.image("again")})', err)
        self.assertIn("catalog.yaml:17:10: error:", err)
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])

    def test_what_does_not_validate(self):
        self.push("bad", package("bad").replace("defaultChannel: stable", "defaultChannel: nope"))
        self.references.append(("bad", self.image("bad")))
        self.write_config()
        err = self.compose(status=1)
        self.assertIn("[default-channel]", err)
        self.assertIn("all is left as it is", err)
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])

    def test_tags_that_move(self):
        for name in ("m1", "m2"):
            self.push(name, package(name))
        self.references = [(name, self.image(name)) for name in ("m1", "m2", "p0")]
        self.write_config()
        self.compose()
        before = self.snapshot()
        for name in ("m1", "m2"):
            self.push(name, package(name, 1))

        err = self.compose()
        self.assertIn("m1 stays at the locked one (--update m1 takes the new one)", err)
        self.assertEqual(self.snapshot(), before)
        err = self.compose("--locked", status=1)
        self.assertIn("m2: " + self.image("m2") + " is another image than the locked one", err)
        self.assertEqual(self.snapshot(), before)

        err = self.compose("--update", "m2")
        self.assertIn("all: 3 references, 1 changed, 2 unchanged\n", err)
        self.assertIn("m2.v1.0.1", self.read("all/m2/catalog.yaml"))
        self.assertEqual(self.read("all/m1/catalog.yaml"), before["all/m1/catalog.yaml"])
        # The locked image is available although its tag has moved.
        os.remove(os.path.join(self.root, "all/m1/catalog.yaml"))
        self.compose()
        self.assertEqual(self.read("all/m1/catalog.yaml"), before["all/m1/catalog.yaml"])

        # Without a name, the value is the configuration.
        result = subprocess.run([OPCAT, "compose", "--use-http", "--update", "catalog.yaml"], cwd=self.root, env=self.environment_here(),
                                capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("m1.v1.0.1", self.read("all/m1/catalog.yaml"))
        self.compose("--locked")

    def test_locked_refuses_what_the_lock_does_not_say(self):
        self.references = self.references[:2]
        self.write_config()
        self.assertIn("the lock does not have", self.compose("--locked", status=1))
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])
        self.compose()
        before = self.snapshot()
        self.references = self.references[:1] + [("other", self.image("p5"))]
        self.write_config()
        before["catalog.yaml"] = self.read("catalog.yaml")
        err = self.compose("--locked", status=1)
        self.assertIn("other: the lock does not have", err)
        self.assertIn("ref1: the lock has it, the configuration does not", err)
        self.assertEqual(self.snapshot(), before)
        self.compose()
        self.assertEqual(sorted(os.listdir(os.path.join(self.root, "all"))), ["other", "ref0"])

    def test_edited_files_are_recreated(self):
        self.references = self.references[:2]
        self.write_config()
        self.compose()
        before = self.snapshot()
        self.write("all/ref1/catalog.yaml", "")
        self.compose()
        self.assertEqual(self.snapshot(), before)

    def test_files_of_others_are_not_lost(self):
        self.references = self.references[:1]
        self.write_config()
        self.compose()
        self.write("all/README.md", "mine")
        err = self.compose(status=3)
        self.assertIn("this configuration did not make all/README.md", err)

    def test_a_catalog_that_was_there_is_not_lost(self):
        self.references = [("mine", self.image("p0"))]
        self.write_config()
        os.makedirs(os.path.join(self.root, "all/mine"))
        self.write("all/mine/catalog.yaml", package("mine"))
        self.assertIn("this configuration did not make all/mine/catalog.yaml", self.compose(status=3))
        self.assertEqual(self.read("all/mine/catalog.yaml"), package("mine"))
        self.assertEqual(sorted(os.listdir(self.root)), ["all", "catalog.yaml"])

    def test_another_name_does_not_take_the_files_of_another_catalog(self):
        self.references = self.references[:1]
        self.write_config()
        self.compose()
        name = self.references[0][0]
        config = self.read("catalog.yaml").replace("name: all\n", "name: other\n", 1)
        self.write("catalog.yaml", config)
        os.makedirs(os.path.join(self.root, "other", name))
        self.write(f"other/{name}/catalog.yaml", "precious")
        self.assertIn(f"this configuration did not make other/{name}/catalog.yaml", self.compose(status=3))
        self.assertEqual(self.read(f"other/{name}/catalog.yaml"), "precious")
        os.remove(os.path.join(self.root, f"other/{name}/catalog.yaml"))
        self.assertIn("catalog.lock is the lock of another catalog, all", self.compose(status=3))
        os.rename(os.path.join(self.root, "all"), os.path.join(self.root, "moved"))
        self.compose()

    def test_a_lost_lock_is_recreated(self):
        self.references = self.references[:2]
        self.write_config()
        self.compose()
        before = self.snapshot()
        os.remove(os.path.join(self.root, "catalog.lock"))
        self.assertIn("2 references, all unchanged", self.compose())
        self.assertEqual(self.snapshot(), before)

    def test_by_digest_no_tag_is_asked_for(self):
        self.references = [("sample", self.image("p1").replace(":v1", "@" + self.digest_of("p1")))]
        self.write_config()
        self.compose()
        self.assertEqual(self.compose(), "all: 1 reference, all unchanged\n")
        self.assertEqual(self.front.requests, [])

    def digest_of(self, name):
        return subprocess.run(["skopeo", "--policy", self.work.path("policy.json"), "inspect", "--tls-verify=false",
                               "--format", "{{.Digest}}", f"docker://{self.registry.address}/org/{name}:v1"],
                              check=True, capture_output=True, text=True).stdout.strip()

    def test_directories_are_always_read(self):
        os.makedirs(os.path.join(self.root, "mine"))
        self.write("mine/catalog.yaml", package("mine"))
        self.references = [("mine", "mine"), ("ref0", self.image("p0"))]
        self.write_config()
        self.compose()
        self.assertIn("all unchanged", self.compose())
        self.write("mine/catalog.yaml", package("mine", 1))
        self.assertIn("another catalog than the locked one", self.compose("--locked", status=1))
        self.assertIn("2 references, 1 changed, 1 unchanged", self.compose())
        self.assertIn("mine.v1.0.1", self.read("all/mine/catalog.yaml"))

    def test_wrong_use(self):
        err = self.compose("--update", "rf1", status=2)
        self.assertIn('there is no reference "rf1"', err)
        self.assertIn("did you mean ref1", err)
        for text, words in (("", "the file is empty"), ("name: all\n", "has no references"),
                            ("nam: all\n", "did you mean name?"), ("name: a/b\n", "no directory can have"),
                            ("name: all\nreferences: [{name: a}]\n", "needs an image"),
                            ("name: all\nreferences: [{name: a, image: x}, {name: a, image: y}]\n", "two references"),
                            ("name: all\nreferences: [7]\n", "must be an object")):
            with self.subTest(text=text):
                self.write("catalog.yaml", text)
                err = self.compose(status=1)
                self.assertIn(words, err)
                self.assertIn("catalog.yaml:", err)
        self.assertEqual(os.listdir(self.root), ["catalog.yaml"])

    def test_nothing_is_not_a_catalog(self):
        os.mkdir(os.path.join(self.root, "nothing"))
        self.write("catalog.yaml", "name: all\nreferences: [{name: a, image: nothing}]\n")
        err = self.compose(status=1)
        self.assertIn("a (nothing) is empty: it has neither a package nor a channel nor a bundle", err)
        self.assertEqual(sorted(os.listdir(self.root)), ["catalog.yaml", "nothing"])
        self.compose("--allow-empty")


if __name__ == "__main__":
    main()
