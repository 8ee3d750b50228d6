"""Releases of OpenShift in a mirror: what platform of an ImageSetConfiguration selects. Covers tools/opcat/mirror_releases.cpp,
lib/image/signature_files.cpp, lib/mirror/graph_image.cpp and lib/mirror/release_signatures.cpp."""
import base64
import functools
import hashlib
import http.server
import io
import json
import os
import pathlib
import tarfile
import threading
import urllib.parse

from registries import NEEDED, main
from oci_layout import make_layer
from mirror_case import MirrorTest
from signing import SIMPLE, Gpg, claim

NEEDED += ["gpg", "gpgv"]


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Releases(MirrorTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        at = cls.origin.address
        cls.images = {}
        for name in ("etcd-1", "etcd-2", "console"):
            cls.images[name] = cls.push(f"component-{name}", "ocp/components", {name: name.encode()})
        for version, components in (("4.16.1", ("etcd-1", "console")), ("4.16.2", ("etcd-2", "console"))):
            references = {"kind": "ImageStream", "metadata": {"name": version}, "spec": {"tags": [
                {"name": name.split("-")[0], "from": {"kind": "DockerImage", "name": f"{at}/ocp/components@{cls.images[name]}"}} for name in components]}}
            cls.images[version] = cls.push(version, "ocp/release", {"release-manifests/image-references": json.dumps(references).encode(),
                                                                    "usr/bin/large": b"x" * 1000})
        cls.images["none"] = cls.push("none", "ocp/release", {"etc/nothing": b""})
        cls.graph = {"nodes": [{"version": version, "payload": f"{at}/ocp/release@{cls.images[version]}"} for version in ("4.16.1", "4.16.2")], "edges": [[0, 1]]}
        cls.file = cls.work.write("graph.json", json.dumps(cls.graph))
        cls.gpg = Gpg(cls.work.path("gnupg"))
        cls.addClassCleanup(cls.gpg.close)
        cls.alice, mallory = cls.gpg.key("alice"), cls.gpg.key("mallory")
        cls.key = cls.work.write("alice.asc", cls.gpg.public(cls.alice).decode())
        cls.store = pathlib.Path(cls.work.path("a store"))
        # 4.16.1 has a second good signature, and between them one of somebody else and one of another release.
        cls.signed = {version: [cls.sign(cls.images[version], at, cls.alice) for at in ("1.example/x:y", "2.example/x:y")] for version in ("4.16.1", "4.16.2")}
        cls.publish("4.16.1", cls.signed["4.16.1"][0], cls.sign(cls.images["4.16.1"], "1.example/x:y", mallory), cls.signed["4.16.2"][0], cls.signed["4.16.1"][1])
        cls.publish("4.16.2", cls.signed["4.16.2"][0])
        cls.publish("none", cls.signed["4.16.2"][0])

    @classmethod
    def sign(cls, digest, name, by):
        return cls.gpg.sign(claim(SIMPLE, digest, name), by)

    @classmethod
    def publish(cls, name, *signatures):
        directory = cls.store / cls.images[name].replace(":", "=")
        directory.mkdir(parents=True)
        for number, signature in enumerate(signatures, 1):
            (directory / f"signature-{number}").write_bytes(signature)

    def config_map(self, *signatures):
        """The lines of its data, sorted."""
        return sorted(f"  sha256-{self.images[version][7:]}-{number}: {base64.b64encode(message).decode()}" for version, number, message in signatures)

    @classmethod
    def push(cls, tag, repository, files):
        image = cls.work.layout.image([make_layer(files)], {"is": tag})
        cls.work.layout.tag(image, tag)
        cls.work.fill(cls.origin, tag, f"{repository}:{tag}")
        return image["digest"]

    def config(self, platform):
        text = json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "mirror": {"platform": platform}})
        return self.work.write(f"set-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json", text)

    def expected_names(self, *images):
        return {f"mirror/ocp/{'release' if name.startswith('4') else 'components'}:sha256-{self.images[name][7:]}" for name in images} | {
            "mirror/opcat-mirror:latest"}

    def test_a_release_and_all_that_it_consists_of(self):
        for platform, images in (({"channels": [{"name": "stable-4.16"}]}, ("4.16.2", "etcd-2", "console")),
                                 ({"channels": [{"name": "stable-4.16", "minVersion": "4.16.1"}]}, ("4.16.1", "4.16.2", "etcd-1", "etcd-2", "console")),
                                 ({"channels": [{"name": "stable-4.16", "minVersion": "4.16.1", "maxVersion": "4.16.1", "shortestPath": True}]},
                                  ("4.16.1", "etcd-1", "console")),
                                 ({"release": f"{self.origin.address}/ocp/release@{self.images['4.16.1']}"}, ("4.16.1", "etcd-1", "console"))):
            with self.subTest(platform):
                target = self.work.registry()
                _, err, files = self.mirror("--config", self.config(platform), "--releases", self.file, "--to", f"{target.address}/mirror")
                self.assertEqual(self.names(target), self.expected_names(*images))
                self.assertIn("the signatures of releases", err)
                self.assertIn(f"source: {self.origin.address}/ocp/release\n", files["idms-opcat.yaml"])
                self.assertIn(f"- {target.address}/mirror/ocp/components\n", files["idms-opcat.yaml"])

    def test_releases_have_the_names_of_oc_mirror_on_request(self):
        at = self.origin.address
        for platform, tag in (({"channels": [{"name": "stable-4.16"}]}, "4.16.2-x86_64"),
                              ({"channels": [{"name": "stable-4.16"}], "architectures": ["arm64"]}, "4.16.2-aarch64"),
                              ({"release": f"{at}/ocp/release@{self.images['4.16.2']}"}, "4.16.2-x86_64"),
                              ({"release": f"{at}/ocp/release:4.16.2"}, "4.16.2")):
            for first in (None, "dir:" + self.work.path(f"named-{len(os.listdir(self.work.dir))}")):
                with self.subTest((platform, first)):
                    target = self.work.registry()
                    to = ("--to", f"{target.address}/mirror", "--oc-mirror-names")
                    flags = ("--config", self.config(platform), "--releases", self.file)
                    if first:
                        self.mirror(*flags, "--to", first, "--oc-mirror-names")
                    _, _, files = self.mirror(*((first,) if first else flags), *to)
                    self.assertEqual(self.names(target), {f"mirror/openshift/release-images:{tag}", f"mirror/openshift/release:{tag}-console",
                                                          f"mirror/openshift/release:{tag}-etcd", "mirror/opcat-mirror:latest"})
                    mirrors = f"  - source: {at}/ocp/release\n    mirrors:\n    - {target.address}/mirror/openshift/release-images\n"
                    self.assertTrue(files["idms-oc-mirror.yaml"].endswith(mirrors))
                    self.assertIn("  name: idms-release-0\n", files["idms-oc-mirror.yaml"])
                    self.assertNotIn("idms-generic-0", files["idms-oc-mirror.yaml"])
                    self.assertIn(f"  name: itms-release-0\nspec:\n  imageTagMirrors:\n{mirrors}", files["itms-oc-mirror.yaml"])

    def test_releases_stay_until_a_run_without_them_prunes(self):
        to = ("--to", f"{self.work.registry().address}/mirror")
        with_releases = ("--config", self.config({"channels": [{"name": "stable-4.16"}]}), "--releases", self.file, *to)
        _, _, files = self.mirror(*with_releases)
        of_releases = f"  - source: {self.origin.address}/ocp/release\n"
        self.assertIn(of_releases, files["idms-opcat.yaml"])
        image = json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "mirror": {
            "additionalImages": [{"name": f"{self.origin.address}/ocp/components@{self.images['etcd-1']}"}]}})
        other = ("--config", self.work.write("additional.json", image), *to)
        self.assertIn(of_releases, self.mirror(*other)[2]["idms-opcat.yaml"])
        out, err, _ = self.mirror(*other, "--prune", "--dry-run")
        self.assertIn("would remove ocp/release", err)
        _, err, files = self.mirror(*other, "--prune")
        self.assertIn("removed ocp/release", err)
        self.assertNotIn(of_releases, files["idms-opcat.yaml"])
        self.assertNotIn(of_releases, self.mirror(*other)[2]["idms-opcat.yaml"])
        self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", to[1])[0], 0)

    def test_releases_that_have_no_name_of_oc_mirror(self):
        at = self.origin.address
        target = self.work.registry()
        etcd = {"name": "etcd", "from": {"kind": "DockerImage", "name": f"{at}/ocp/components@{self.images['etcd-1']}"}}
        for number, (version, component, words) in enumerate((
                ("", "etcd", "does not say which version it is"), ("../4.16.1", "etcd", 'calls an image "../4.16.1-x86_64", which is not a tag'),
                ("4.16.1", "../etcd", 'calls an image "4.16.1-x86_64-../etcd"'), ("4.16.1", "e\ntcd", 'calls an image "4.16.1-x86_64-e\\ntcd"'),
                ("4.16.1", "etcd@sha256:" + 64 * "0", "which is not a tag"), ("4.16.1", 120 * "e", "which is not a tag"))):
            with self.subTest((version, component)):
                references = {"kind": "ImageStream", "metadata": {"name": version}, "spec": {"tags": [{**etcd, "name": component}]}}
                digest = self.push(f"odd-{number}", "ocp/release", {"release-manifests/image-references": json.dumps(references).encode()})
                wanted = self.config({"release": f"{at}/ocp/release@{digest}"})
                for to in (f"{target.address}/mirror", "dir:" + self.work.path(f"odd-{number}")):
                    _, err, _ = self.mirror("--config", wanted, "--oc-mirror-names", "--to", to, status=3)
                    self.assertIn(words, err)
                self.assertEqual(self.names(target), set())

    def graph_data(self, name, *directories):
        """An archive as the update service serves it."""
        path = self.work.path(name)
        with tarfile.open(path, "w:gz") as tar:
            for directory in directories:
                for file in ("version", "channels/stable-4.16.yaml", "blocked-edges/4.16.1.yaml"):
                    entry = tarfile.TarInfo(f"{directory}{file}")
                    entry.size = len(file)
                    tar.addfile(entry, io.BytesIO(file.encode()))
        return path

    def base_of_graph(self):
        """An index of two platforms."""
        images = [self.work.layout.image([make_layer({"bin/bash": architecture.encode()})], {}, architecture=architecture,
                                         platform={"os": "linux", "architecture": architecture}) for architecture in ("amd64", "arm64")]
        self.work.layout.tag(self.work.layout.index(images), "ubi")
        self.work.fill(self.origin, "ubi", "ubi9/ubi:latest")
        return f"{self.origin.address}/ubi9/ubi:latest"

    def test_the_image_of_an_update_service(self):
        served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=self.work.dir))
        threading.Thread(target=served.serve_forever, daemon=True).start()
        self.addCleanup(served.server_close)
        self.addCleanup(served.shutdown)
        base = self.base_of_graph()
        wanted = self.config({"channels": [{"name": "stable-4.16"}], "graph": True})
        data = self.graph_data("graph-data.tar.gz", "")
        self.graph_data("repository.tar.gz", "cincinnati-graph-data-abc/")
        for place, first in ((data, None), (f"http://127.0.0.1:{served.server_address[1]}/repository.tar.gz", None),
                             (data, "dir:" + self.work.path("graph-disk")), (data, "archive:" + self.work.path("graph-archive/a"))):
            with self.subTest((place, first)):
                flags = ("--config", wanted, "--releases", self.file, "--graph-data", place, "--graph-base", base)
                target = self.work.registry()
                to = ("--to", f"{target.address}/mirror")
                if first:
                    self.mirror(*flags, "--to", first)
                else:
                    self.mirror(*flags, *to, "--dry-run")
                    self.assertEqual(self.names(target), set())
                _, err, files = self.mirror(*((first,) if first else flags), *to)
                self.assertEqual(self.names(target), self.expected_names("4.16.2", "etcd-2", "console") | {"mirror/openshift/graph-image:latest"})
                self.assertEqual("cosign sign" in err, not first)
                self.assertEqual(files["update-service.yaml"].splitlines(), [
                    "apiVersion: updateservice.operator.openshift.io/v1", "kind: UpdateService", "metadata:", "  name: update-service",
                    "  namespace: openshift-update-service", "spec:", f"  graphDataImage: {target.address}/mirror/openshift/graph-image:latest",
                    f"  releases: {target.address}/mirror/ocp/release", "  replicas: 2"])
                self.assertNotIn("graph-image", files["idms-opcat.yaml"])
                layout = self.work.path(f"graph-{len(os.listdir(self.work.dir))}")
                self.skopeo("copy", "-q", "--all", "--src-tls-verify=false", f"docker://{target.address}/mirror/openshift/graph-image:latest", f"dir:{layout}")
                manifest = json.loads(pathlib.Path(layout, "manifest.json").read_text())
                config = json.loads(pathlib.Path(layout, manifest["config"]["digest"][7:]).read_text())
                self.assertEqual(config["architecture"], "amd64")  # as the releases
                self.assertEqual(config["config"]["Cmd"], ["/bin/bash", "-c", "exec cp -rp /var/lib/cincinnati-graph-data/* /var/lib/cincinnati/graph-data"])
                with tarfile.open(pathlib.Path(layout, manifest["layers"][-1]["digest"][7:])) as tar:
                    self.assertEqual({one.name: (one.mode, tar.extractfile(one).read().decode()) for one in tar if one.isfile()},
                                     {f"var/lib/cincinnati-graph-data/{file}": (0o644, file)
                                      for file in ("version", "channels/stable-4.16.yaml", "blocked-edges/4.16.1.yaml")})
                self.assertIn("0 images copied", self.mirror(*((first,) if first else flags), *to)[1])
                self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", f"{target.address}/mirror")[0], 0)
        # Nothing at home has it, so that a check cannot repair it.
        self.delete(target, "mirror/openshift/graph-image", "blobs", manifest["layers"][-1]["digest"])
        status, out, _ = self.opcat("mirror", "check", "--use-http", "--repair", "-o", "json", to[1])
        (lost,) = json.loads(out)["faulty"]
        self.assertEqual((status, lost["image"], lost["kind"], lost["notRepaired"]),
                         (1, "openshift/graph-image:latest", "image", "the run that mirrors it makes it"))
        self.mirror(*flags, *to)
        self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", to[1])[0], 0)
        _, _, files = self.mirror(*flags, *to, "--oc-mirror-names")
        self.assertIn("  name: update-service-oc-mirror\n", files["updateService.yaml"])
        # It goes with the setting.
        without = self.config({"channels": [{"name": "stable-4.16"}]})
        _, err, files = self.mirror("--config", without, "--releases", self.file, *to, "--prune")
        self.assertIn("removed openshift/graph-image:latest", err)
        self.assertNotIn("update-service.yaml", files)

    def test_graph_data_that_cannot_be_used(self):
        to = ("--to", f"{self.work.registry().address}/mirror")
        wanted = self.config({"channels": [{"name": "stable-4.16"}], "graph": True})
        base = ("--graph-base", self.base_of_graph())
        outside = self.graph_data("outside.tar.gz", "../../")
        for platform, flags, status, words in (
                (wanted, (), 2, "give it with --graph-data"),
                (self.config({"channels": [{"name": "stable-4.16"}]}), ("--graph-data", outside), 2, "--graph-data is for mirror.platform.graph"),
                (wanted, ("--graph-data", "/nonexistent"), 3, "from /nonexistent: it does not exist"),
                (wanted, ("--graph-data", "http://127.0.0.1:1/x"), 3, "from http://127.0.0.1:1/x: 127.0.0.1:1: failed to connect"),
                (wanted, ("--graph-data", self.work.write("text.tar.gz", "no archive")), 3, "text.tar.gz: "),
                (wanted, ("--graph-data", self.graph_data("other.tar.gz", "a/", "b/")), 3, "it has no directory channels"),
                (wanted, ("--graph-data", outside), 3, "outside.tar.gz: "),
                (wanted, ("--graph-data", self.graph_data("good.tar.gz", ""), "--graph-base", f"{self.origin.address}/none:v1"), 3, "has no manifest v1 in none")):
            with self.subTest((flags, words)):
                given = flags if "--graph-base" in flags or not flags else (*flags, *base)
                _, err, _ = self.mirror("--config", platform, "--releases", self.file, *given, *to, status=status)
                self.assertIn(words, err)
        _, err, _ = self.mirror("--config", wanted, "--releases", self.file, *base, *to, status=2)
        self.assertIn("--graph-base is for the image that --graph-data makes", err)

    def test_flags_about_releases_are_for_the_configuration_that_selects_them(self):
        to = ("--to", f"{self.work.registry().address}/mirror")
        disk = "dir:" + self.work.path("first-step")
        self.mirror("--config", self.config({"channels": [{"name": "stable-4.16"}]}), "--releases", self.file, "--to", disk)
        for flags in (("--releases", self.file), ("--release-signatures", str(self.store), "--release-key", self.key), ("--graph-data", self.file),
                      ("--graph-base", "registry.example/a:b", "--graph-data", self.file)):
            for source, hint in ((self.catalog, "write --config FILE, too"), (disk, "the first step has mirrored what it is for")):
                with self.subTest((flags, source)):
                    _, err, _ = self.mirror(source, *flags, *to, status=2)
                    self.assertIn(" is for mirror.platform of an ImageSetConfiguration", err)
                    self.assertIn(hint, err)

    def test_signatures_of_releases_become_a_config_map(self):
        both = self.config({"channels": [{"name": "stable-4.16", "minVersion": "4.16.1"}]})
        signatures = [("4.16.1", 1, self.signed["4.16.1"][0]), ("4.16.1", 2, self.signed["4.16.1"][1]), ("4.16.2", 1, self.signed["4.16.2"][0])]
        expected = self.config_map(*signatures)
        served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=str(self.store)))
        threading.Thread(target=served.serve_forever, daemon=True).start()
        self.addCleanup(served.server_close)
        self.addCleanup(served.shutdown)
        for store in (self.store, f"{self.store}/", f"http://127.0.0.1:{served.server_address[1]}"):
            flags = ("--config", both, "--releases", self.file, "--release-signatures", store, "--release-key", self.key)
            for first in (None, "dir:" + self.work.path(f"over-{self.id()}"), f"archive:{self.work.path('over')}/{len(str(store))}"):
                with self.subTest((store, first)):
                    to = ("--to", f"{self.work.registry().address}/mirror")
                    err = ""
                    if first:
                        _, err, _ = self.mirror(*flags, "--to", first)
                    _, last, files = self.mirror(*((first,) if first else flags), *to, "--resource-prefix", "shop")
                    self.assertNotIn("are not mirrored", err + last)
                    text = files["shop-signature-configmap.yaml"]
                    self.assertEqual(sorted(line for line in text.splitlines() if line.startswith("  sha256-")), expected)
                    for line in ("binaryData:\n  sha256-", "kind: ConfigMap\n", "  name: shop-mirrored-release-signatures\n", "  namespace: openshift-config-managed\n",
                                 "    release.openshift.io/verification-signatures: \"\"\n"):
                        self.assertIn(line, text)
        self.assertNotIn("signature-configmap.yaml", self.mirror(self.catalog, "--to", f"{self.work.registry().address}/mirror")[2])

    def test_the_config_map_has_all_releases_that_are_in_the_mirror(self):
        to = ("--to", f"{self.work.registry().address}/mirror")

        def run(version, *flags):
            one = self.config({"channels": [{"name": "stable-4.16", "minVersion": version, "maxVersion": version}]})
            _, _, files = self.mirror("--config", one, "--releases", self.file, "--release-signatures", self.store, "--release-key", self.key, *to, *flags)
            return sorted(line for line in files["signature-configmap.yaml"].splitlines() if line.startswith("  sha256-"))

        older = [("4.16.1", 1, self.signed["4.16.1"][0]), ("4.16.1", 2, self.signed["4.16.1"][1])]
        newer = [("4.16.2", 1, self.signed["4.16.2"][0])]
        self.assertEqual(run("4.16.1"), self.config_map(*older))
        self.assertEqual(run("4.16.2"), self.config_map(*older, *newer))
        self.assertIn("signature-configmap.yaml", self.mirror(self.catalog, *to)[2])
        self.assertEqual(run("4.16.2", "--prune"), self.config_map(*newer))
        self.assertEqual(run("4.16.2"), self.config_map(*newer))

    def test_a_release_without_a_valid_signature_is_an_error_before_anything_is_copied(self):
        at = self.origin.address
        empty = self.work.path("empty")
        os.mkdir(empty)
        other = self.work.write("other.asc", self.gpg.public("mallory@example.org").decode())
        usual = ("--release-signatures", str(self.store), "--release-key", self.key)
        newest = {"channels": [{"name": "stable-4.16"}]}
        to = ("--to", "127.0.0.1:1/mirror")
        for platform, flags, status, words in (
                (newest, ("--release-signatures", empty, "--release-key", self.key), 3, f"has no valid signature in {empty}: there is none"),
                (newest, ("--release-signatures", str(self.store), "--release-key", other), 3, "it is by none of the keys that are given"),
                ({"release": f"{at}/ocp/release@{self.images['none']}"}, usual, 3, f"it is of {self.images['4.16.2']}"),
                ({"release": f"{at}/ocp/release:4.16.2"}, usual, 3, "name the release by its digest"),
                (newest, ("--release-signatures", "/nonexistent", "--release-key", self.key), 3, "neither at a URL nor in a directory: /nonexistent"),
                (newest, ("--release-signatures", "http://127.0.0.1:1", "--release-key", self.key), 3, "in http://127.0.0.1:1: 127.0.0.1:1: failed to connect"),
                (newest, ("--release-signatures", str(self.store)), 2, "no key says which signatures"),
                (newest, ("--release-key", self.key), 2, "--release-key is for the signatures of releases")):
            with self.subTest(words):
                _, err, _ = self.mirror("--config", self.config(platform), "--releases", self.file, *flags, *to, status=status)
                self.assertIn(words, err)

    def test_the_selection_reads_no_image(self):
        set_file = self.config({"channels": [{"name": "stable-4.16"}]})
        out = json.loads(self.mirror("--config", set_file, "--releases", self.file, "--selection", "-o", "json")[0])
        self.assertEqual(out["additionalImages"], [f"{self.origin.address}/ocp/release@{self.images['4.16.2']}"])

    def test_an_update_service(self):
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_GET(handler):  # noqa: N805
                asked.append(urllib.parse.parse_qs(urllib.parse.urlparse(handler.path).query) | {"accept": handler.headers["Accept"]})
                handler.send_response(200)
                handler.end_headers()
                handler.wfile.write(json.dumps(self.graph).encode())

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}/graph"
        self.mirror("--config", self.config({"architectures": ["arm64"], "channels": [{"name": "fast-4.16"}]}), "--releases", url, "--selection")
        self.assertEqual(asked, [{"channel": ["fast-4.16"], "arch": ["arm64"], "accept": "application/json"}])

    def test_what_is_not_to_be_had_is_an_error(self):
        channels = {"channels": [{"name": "stable-4.16"}]}
        none = {"nodes": [{"version": "4.16.3", "payload": f"{self.origin.address}/ocp/release@{self.images['none']}"}]}
        to = ("--to", "127.0.0.1:1/mirror")
        directory = pathlib.Path(self.work.path("graphs"))
        directory.mkdir()
        for platform, releases, status, words in (
                (channels, (), 2, "no update graph says which there are"),
                (channels, ("--releases", str(directory)), 3, "amd64-stable-4.16.json does not exist"),
                (channels, ("--releases", "http://127.0.0.1:1/graph"), 3, "the update service does not answer: 127.0.0.1:1: failed to connect"),
                (channels, ("--releases", f"http://{self.origin.address}/none"), 3, "the update service answers with 404"),
                (channels, ("--releases", self.work.write("wrong.json", "[]")), 3, "it is not an update graph"),
                (channels, ("--releases", self.work.write("none.json", json.dumps(none))), 3, "is not a release of OpenShift: it has no /release-manifests"),
                ({"channels": [{"name": "stable-4.16", "maxVersion": "4.15.0"}]}, ("--releases", self.file), 3, "no release is selected"),
                ({"channels": [{"name": "stable-4.16"}], "kubeVirtContainer": True}, ("--releases", self.file), 1, "not supported by opcat: kubeVirtContainer")):
            with self.subTest(words):
                _, err, _ = self.mirror("--config", self.config(platform), *releases, *to, status=status)
                self.assertIn(words, err)


if __name__ == "__main__":
    main()
