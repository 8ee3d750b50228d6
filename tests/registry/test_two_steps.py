"""What the first of two steps could not do, and what a damaged or unfinished directory says. Covers lib/mirror/stored_items.cpp."""
import json
import os
import pathlib
import shutil
import subprocess
import time

from registries import main
from oci_layout import make_layer
from mirror_case import MirrorTest


class TwoSteps(MirrorTest):
    def config(self, *images):
        names = [{"name": f"{self.origin.address}/{image}"} for image in images]
        text = json.dumps({"kind": "ImageSetConfiguration", "apiVersion": "mirror.openshift.io/v2alpha1", "mirror": {"additionalImages": names}})
        return self.work.write("images.json", text)

    def fill_copy(self, name):
        """An image at home that the test may delete."""
        image = self.work.layout.image([make_layer({name: name.encode()})], {"is": name})
        self.work.layout.tag(image, name)
        self.work.fill(self.origin, name, f"lost/{name}:v1")
        return image["digest"]

    def test_additional_images_that_the_first_step_could_not_copy_are_not_removed(self):
        # With one transfer at a time the lost image comes first, and the run ends before it has copied any.
        for kind, flags, status in (("dir", ["--keep-going"], 8), ("dir", [], 3), ("dir", ["-j", "1"], 3), ("archive", ["--keep-going"], 8)):
            with self.subTest((kind, flags)):
                name = f"{kind}-{status}-{len(flags)}"
                lost = self.fill_copy(name)
                middle = f"{kind}:{self.work.path('lost-' + name)}"
                if status == 3:  # an earlier run for less
                    self.mirror("--config", self.config("org/operand@" + self.digests["operand"]), "--to", middle)
                config = self.config("org/operand@" + self.digests["operand"], f"lost/{name}:v1")
                target = self.work.registry()
                to = ("--to", f"{target.address}/mirror")
                self.mirror("--config", config, *to)
                self.delete(self.origin, "lost/" + name, "manifests", lost)
                self.mirror("--config", config, "--to", middle, *flags, status=status)
                _, err, _ = self.mirror(middle, *to, "--prune", status=3)
                self.assertRegex(err, r"lacks \S+/lost/\S+:v1: the run that filled it could not copy it")
                _, err, _ = self.mirror(middle, *to, "--prune", "--keep-going", status=8)
                self.assertIn("nothing is removed, because the first step", err)
                self.assertIn(f"mirror/lost/{name}:v1", self.names(target))
                self.fill_copy(name)
                again = middle if kind == "dir" else middle + "-2"
                self.mirror("--config", config, "--to", again)
                _, err, _ = self.mirror(again, *to, "--prune")
                self.assertNotIn("nothing is removed", err)

    def test_images_of_bundles_that_the_first_step_dropped_are_not_removed(self):
        lost = self.fill_copy("dropped")
        self.write_catalog(missing=[f"{self.origin.address}/lost/dropped:v1"])
        self.addCleanup(self.write_catalog)
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        self.mirror(self.catalog, *to)
        self.delete(self.origin, "lost/dropped", "manifests", lost)
        for kind in ("dir", "archive"):
            middle = f"{kind}:{self.work.path('dropped-' + kind)}"
            self.mirror(self.catalog, "--to", middle, "--drop-incomplete", status=4)
            _, err, _ = self.mirror(middle, *to, "--prune")
            self.assertIn("nothing is removed, because the first step could not copy all images", err)
            self.assertIn("mirror/lost/dropped:v1", self.names(target))

    def test_a_dry_run_reads_what_would_be_sent_from_a_directory(self):
        directory = self.work.path("damaged")
        self.mirror("--config", self.config("org/tagged:v1"), "--to", "dir:" + directory)
        blob = max(pathlib.Path(directory, "blobs/sha256").iterdir(), key=lambda path: path.stat().st_size)
        data = bytearray(blob.read_bytes())
        data[len(data) // 2] ^= 1
        blob.write_bytes(data)
        to = ("--to", f"{self.work.registry().address}/mirror")
        for flags, status in ((("--dry-run",), 1), ((), 3)):
            _, err, _ = self.mirror("dir:" + directory, *to, *flags, status=status)
            self.assertRegex(err, rf"cannot copy .*{blob.name}: its digest is")
        layout = self.work.path("one")
        self.opcat("copy", "--use-http", f"{self.origin.address}/org/tagged:v1", "oci:" + layout)
        shutil.copy(blob, layout + "/blobs/sha256")
        self.assertEqual(self.opcat("copy", "--use-http", "oci:" + layout, f"{to[1]}/x:v1")[0], 3)

    def test_a_run_that_was_killed_leaves_a_mark_in_the_directory(self):
        directory = "dir:" + self.work.path("killed")
        self.mirror(self.catalog, "--to", directory, "--version", "foo =1.0.0")
        target = self.work.registry()
        to = ("--to", f"{target.address}/mirror")
        waits = self.work.front(self.origin, lambda request: request.is_blob() and time.sleep(5))
        process = subprocess.Popen([os.environ["OPCAT"], "mirror", "--use-http", str(self.catalog_from(waits, self.catalog)), "--to", directory],
                                   stderr=subprocess.DEVNULL)
        while waits.count("/blobs/") == 0 and process.poll() is None:
            time.sleep(0.05)
        process.kill()
        process.wait()
        says = "the last run that filled " + directory + " has not ended"
        self.assertIn(says, self.mirror(directory, *to)[1])
        self.assertIn("nothing is removed, because the first step has not ended", self.mirror(directory, *to, "--prune")[1])
        self.assertIn(says, self.opcat("mirror", "check", directory)[2])
        self.mirror(self.catalog, "--to", directory)
        self.assertNotIn(says, self.mirror(directory, *to)[1])
        self.assertNotIn(says, self.opcat("mirror", "check", directory)[2])


if __name__ == "__main__":
    main()
