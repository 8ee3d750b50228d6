"""Serving an image: a moved tag is followed, and an unavailable registry is reported once."""
import pathlib
import sys

from registries import PullTest, main, make_layer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
from server_case import Server  # noqa: E402

LABELS = {"operators.operatorframework.io.index.configs.v1": "/configs"}


class Serving(PullTest):
    def push(self, note):
        catalog = f"schema: example.note\nname: {note}\n".encode()
        self.work.layout.tag(self.work.layout.image([make_layer({"configs/catalog.yaml": catalog})], LABELS), note)
        self.work.fill(self.registry, tag=note, to="org/served:latest")

    def test_a_tag_that_moves_is_followed(self):
        self.registry = self.work.registry()
        self.push("first")
        server = Server(f"c={self.registry.address}/org/served:latest", "--use-http", "--no-cache", "--no-grpc", "--http", "127.0.0.1:0", "--watch")
        try:
            server.ready()
            self.push("second")
            server.ready(2)
            self.registry.close()
            server.wait_for("the image cannot be looked at")
        finally:
            self.assertEqual(server.end(), 0)
            server.process.stderr.close()


if __name__ == "__main__":
    main()
