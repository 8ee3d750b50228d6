"""list images --sizes: what pulling the images of a catalog takes, as the registry says. Covers lib/image/image_parts.cpp."""
import json
import pathlib

from registries import main
from mirror_case import MirrorTest


class Sizes(MirrorTest):
    def sizes(self, *args, status=0):
        result = self.opcat("list", "images", "--sizes", "--use-http", str(self.catalog), *args)
        self.assertEqual(result[0], status, result[2])
        return result[1], result[2]

    def size_of(self, name, *others):
        """The bytes of the blobs of images together, by their manifests."""
        blobs = {}
        for digest in (self.digests[one] for one in (name, *others)):
            manifest = json.loads(pathlib.Path(self.work.layout.directory, "blobs/sha256", digest.removeprefix("sha256:")).read_text())
            for blob in (manifest["config"], *manifest["layers"]):
                blobs[blob["digest"]] = blob["size"]
        return sum(blobs.values())

    def test_shared_layers_count_once_in_the_sum(self):
        found = json.loads(self.sizes("-o", "json")[0])
        by_image = {one["image"].split("/")[-1].split("@")[0].split(":")[0]: one["size"] for one in found["images"]}
        self.assertEqual(by_image, {name: self.size_of(name) for name in self.digests})
        together = self.size_of(*self.digests)
        self.assertLess(together, sum(by_image.values()))
        self.assertEqual(found["packages"], [{"name": "foo", "images": 5, "size": together, "unknown": 0}])
        self.assertEqual(found["together"], {"images": 5, "size": together, "unknown": 0})

    def test_only_manifests_are_read(self):
        front = self.work.front(self.origin)
        text = (self.catalog / "catalog.json").read_text()
        other = self.work.write("other.json", text.replace(self.origin.address, front.address))
        result = self.opcat("list", "images", "--sizes", "--use-http", other)
        self.assertEqual(result[0], 0, result[2])
        self.assertIn("PACKAGE       IMAGES  SIZE", result[1])
        self.assertIn("all together  5 ", result[1])
        asked = [path for _, path, _, _ in front.requests if path != "/v2/"]
        self.assertTrue(asked)
        self.assertTrue(all("/manifests/" in path for path in asked), asked)

    def test_what_is_not_known_is_said_and_is_no_size(self):
        text = (self.catalog / "catalog.json").read_text()
        other = self.work.write("gone.json", text.replace("/org/tagged:v1", "/org/gone:v1"))
        status, out, err = self.opcat("list", "images", "--sizes", "--use-http", other)
        self.assertEqual(status, 3)
        self.assertIn("/org/gone:v1", err)
        self.assertIn("is not known", err)
        self.assertRegex(out, r"gone:v1 +unknown")
        self.assertRegex(out, r"foo +5 +at least ")
        status, out, _ = self.opcat("list", "images", "--sizes", "--use-http", other, "-o", "json")
        self.assertEqual((status, json.loads(out)["packages"][0]["unknown"]), (3, 1))
        self.assertIn(None, [one["size"] for one in json.loads(out)["images"]])

    def test_names_have_no_sizes(self):
        self.sizes("-o", "name", status=2)


if __name__ == "__main__":
    main()
