"""Releases of OpenShift in a mirror: what platform of an ImageSetConfiguration selects. Covers tools/opcat/mirror_releases.cpp."""
import http.server
import json
import pathlib
import threading
import urllib.parse

from registries import main
from oci_layout import make_layer
from mirror_case import MirrorTest


class Releases(MirrorTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        at = cls.origin.address
        cls.images = {}
        for name in ("etcd-1", "etcd-2", "console"):
            cls.images[name] = cls.push(f"component-{name}", "ocp/components", {name: name.encode()})
        for version, components in (("4.16.1", ("etcd-1", "console")), ("4.16.2", ("etcd-2", "console"))):
            references = {"kind": "ImageStream", "spec": {"tags": [
                {"name": name, "from": {"kind": "DockerImage", "name": f"{at}/ocp/components@{cls.images[name]}"}} for name in components]}}
            cls.images[version] = cls.push(version, "ocp/release", {"release-manifests/image-references": json.dumps(references).encode(),
                                                                    "usr/bin/large": b"x" * 1000})
        cls.images["none"] = cls.push("none", "ocp/release", {"etc/nothing": b""})
        cls.graph = {"nodes": [{"version": version, "payload": f"{at}/ocp/release@{cls.images[version]}"} for version in ("4.16.1", "4.16.2")], "edges": [[0, 1]]}
        cls.file = cls.work.write("graph.json", json.dumps(cls.graph))

    @classmethod
    def push(cls, tag, repository, files):
        image = cls.work.layout.image([make_layer(files)], {"is": tag})
        cls.work.layout.tag(image, tag)
        cls.work.fill(cls.origin, tag, f"{repository}:{tag}")
        return image["digest"]

    def config(self, platform):
        return self.work.write("set.json", json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1",
                                                       "mirror": {"platform": platform}}))

    def expected_names(self, *images):
        return {f"mirror/ocp/{'release' if name.startswith('4') else 'components'}:sha256-{self.images[name][7:]}" for name in images} | {
            "mirror/opcat-mirror:latest"}

    def test_a_release_and_all_that_it_consists_of(self):
        for platform, images in (({"channels": [{"name": "stable-4.16"}]}, ("4.16.2", "etcd-2", "console")),
                                 ({"channels": [{"name": "stable-4.16", "minVersion": "4.16.1"}]}, ("4.16.1", "4.16.2", "etcd-1", "etcd-2", "console")),
                                 ({"channels": [{"name": "stable-4.16", "minVersion": "4.16.1", "maxVersion": "4.16.1", "shortestPath": True}]},
                                  ("4.16.1", "etcd-1", "console")),
                                 ({"release": f"{self.origin.address}/ocp/release@{self.images['4.16.1']}", "graph": True}, ("4.16.1", "etcd-1", "console"))):
            with self.subTest(platform):
                target = self.work.registry()
                _, err, files = self.mirror("--config", self.config(platform), "--releases", self.file, "--to", f"{target.address}/mirror")
                self.assertEqual(self.names(target), self.expected_names(*images))
                self.assertIn("the signatures of releases", err)
                self.assertEqual("graph has no effect" in err, "graph" in platform)
                self.assertIn(f"source: {self.origin.address}/ocp/release\n", files["idms-opcat.yaml"])
                self.assertIn(f"- {target.address}/mirror/ocp/components\n", files["idms-opcat.yaml"])

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
                ({"channels": [{"name": "stable-4.16", "maxVersion": "4.15.0"}]}, ("--releases", self.file), 3, "has no release for amd64"),
                ({"channels": [{"name": "stable-4.16"}], "kubeVirtContainer": True}, ("--releases", self.file), 1, "not supported by opcat: kubeVirtContainer")):
            with self.subTest(words):
                _, err, _ = self.mirror("--config", self.config(platform), *releases, *to, status=status)
                self.assertIn(words, err)
        _, err, _ = self.mirror(self.catalog, "--releases", self.file, *to, status=2)
        self.assertIn("--releases is for mirror.platform", err)


if __name__ == "__main__":
    main()
