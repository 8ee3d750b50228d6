"""Serving an image: a moved tag is followed, an unavailable registry is reported once, and a silent one does not keep the server from
ending."""
import pathlib
import sys
import threading

from registries import PullTest, main
from oci_layout import make_layer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
from server_case import Server  # noqa: E402

LABELS = {"operators.operatorframework.io.index.configs.v1": "/configs"}


class Serving(PullTest):
    def push(self, note):
        catalog = f"schema: example.note\nname: {note}\n".encode()
        self.work.layout.tag(self.work.layout.image([make_layer({"configs/catalog.yaml": catalog})], LABELS), note)
        self.work.fill(self.registry, tag=note, to="org/served:latest")

    @staticmethod
    def serve(registry):
        return Server(f"c={registry.address}/org/served:latest", "--use-http", "--no-cache", "--no-grpc", "--http", "127.0.0.1:0", "--watch")

    def test_a_tag_that_moves_is_followed(self):
        self.registry = self.work.registry()
        self.push("first")
        server = self.serve(self.registry)
        try:
            server.ready()
            self.push("second")
            server.ready(2)
            self.registry.close()
            server.wait_for("the image cannot be looked at")
        finally:
            self.assertEqual(server.end(), 0)
            server.process.stderr.close()

    def test_it_ends_while_the_registry_does_not_answer(self):
        self.registry = self.work.registry()
        for silent_about in ("/manifests/", "/blobs/"):
            with self.subTest(silent_about):
                self.push("first")
                silent, asked, over = threading.Event(), threading.Event(), threading.Event()

                def say_nothing(request):
                    if not silent.is_set() or silent_about not in request.path:
                        return False
                    asked.set()
                    over.wait(60)
                    request.break_off()
                    return True
                front = self.work.front(self.registry, fault=say_nothing)
                server = self.serve(front)
                try:
                    server.ready()
                    silent.set()
                    self.push("second")
                    self.assertTrue(asked.wait(60))
                finally:
                    self.assertEqual(server.end(), 0)
                    server.process.stderr.close()
                    over.set()
                self.assertNotIn("cannot be", server.log)


if __name__ == "__main__":
    main()
