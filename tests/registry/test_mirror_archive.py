"""Mirrors that go over archives: segments, damage, what an earlier one has carried. Covers lib/mirror/archive_format.cpp, lib/mirror/archive_history.cpp, lib/mirror/archive_reader.cpp, lib/mirror/archive_writer.cpp, lib/mirror/image_list.cpp, lib/mirror/run_record.cpp,
lib/mirror/segment_reader.cpp and lib/mirror/unfinished_archive.cpp."""
import fcntl
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time

from registries import main
from mirror_case import MirrorTest
from test_copying import OPCAT


class Archives(MirrorTest):
    def setUp(self):
        self.dir = pathlib.Path(self.work.path("archives-" + self.id().rsplit(".", 1)[1]))
        self.dir.mkdir()
        self.prefix = f"archive:{self.dir}/a"

    def segments(self):
        return sorted(self.dir.glob("a-*.tar"))

    def fill(self, *flags, catalog=None, status=0):
        return self.mirror(catalog or self.catalog, "--to", self.prefix, *flags, status=status)

    def large_catalog(self):
        """A catalog whose image needs several segments."""
        at = self.origin.address
        self.work.fill(self.origin, "large", "org/large:v1")
        catalog = pathlib.Path(self.work.path("large-catalog"))
        catalog.mkdir(exist_ok=True)
        (catalog / "catalog.json").write_text("\n".join(map(json.dumps, [
            {"schema": "olm.package", "name": "big", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "big", "name": "stable", "entries": [{"name": "big.v1"}]},
            {"schema": "olm.bundle", "package": "big", "name": "big.v1", "image": f"{at}/org/large:v1",
             "properties": [{"type": "olm.package", "value": {"packageName": "big", "version": "1.0.0"}}]}])))
        return catalog

    def test_all_of_a_mirror_in_segments_of_a_size(self):
        size = 3 << 20
        self.fill("--archive-size", str(size), catalog=self.large_catalog())
        segments = self.segments()
        self.assertGreater(len(segments), 6)
        for segment in segments:
            self.assertLessEqual(segment.stat().st_size, size)
            with tarfile.open(segment) as tar:
                self.assertRegex(tar.getnames()[-1], "^opcat-segment-[0-9a-f]{64}.json$")
        self.assertEqual([one.name for one in self.dir.iterdir() if one not in segments], ["a-history.json"])
        target = self.work.registry()
        _, _, files = self.mirror(self.prefix, "--to", f"{target.address}/mirror")
        self.assertEqual(self.names(target), {"mirror/org/large:v1", "mirror/large-catalog:latest", "mirror/opcat-mirror:latest"})
        self.assertIn("cs-large-catalog-latest.yaml", files)
        self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", f"{target.address}/mirror")[0], 0)

    def test_missing_and_damaged_segments_are_named_before_anything_is_pushed(self):
        self.fill("--archive-size", "3MiB", catalog=self.large_catalog())
        kept = {segment: segment.read_bytes() for segment in self.segments()}
        names = [segment.name for segment in kept]
        last = self.segments()[-1]
        other = self.dir / "other"
        self.mirror(self.large_catalog(), "--to", f"archive:{other}/a", "--archive-size", "3MiB")

        def alter(segment, at):
            data = bytearray(kept[segment])
            data[at] ^= 1
            segment.write_bytes(data)

        def shorten(segment):
            segment.write_bytes(kept[segment][:100_000])

        first, second, third = self.segments()[:3]
        for change, words in ((lambda: second.unlink(), [names[1] + " is missing"]), (lambda: last.unlink(), [names[-1] + " is missing"]),
                              (lambda: alter(second, 500_000), [names[1] + " is damaged (blobs/sha256/"]), (lambda: alter(third, 10), [names[2] + " is damaged"]),
                              (lambda: shorten(first), [names[0] + " is damaged (it ends too early)"]),
                              (lambda: (second.unlink(), alter(third, 400_000)), [names[1] + " is missing", names[2] + " is damaged"]),
                              (lambda: third.write_bytes(kept[second]), [names[2] + " is damaged (it is segment 2 under another name)"]),
                              (lambda: shutil.copy(other / names[1], second), [names[1] + " is of another archive"]),
                              (lambda: first.write_bytes(b"no tar"), [names[0] + " is damaged"])):
            change()
            target = self.work.registry()
            with self.subTest(words):
                _, err, _ = self.mirror(self.prefix, "--to", f"{target.address}/mirror", status=3)
                for word in words:
                    self.assertIn(word, err)
                self.assertEqual(self.names(target), set())
            for segment, data in kept.items():
                segment.write_bytes(data)

    def test_hostile_archives_are_refused_and_write_nothing(self):
        digest = "sha256:" + hashlib.sha256(b"x").hexdigest()
        index = {"schema": "opcat.mirror-archive.v1", "set": "a", "number": 1, "last": True, "pieces": [{"digest": digest, "size": 1}], "images": digest}

        def archive(name="blobs/" + digest.replace(":", "/"), kind=tarfile.REGTYPE, size=1, **changes):
            text = json.dumps({**index, **changes}).encode()
            with tarfile.open(self.dir / "a-000001.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
                one = tarfile.TarInfo(name)
                one.type, one.size, one.linkname = kind, size, "/etc/passwd"
                tar.addfile(one, io.BytesIO(b"x" * 512 if kind == tarfile.REGTYPE else b""))
                last = tarfile.TarInfo("opcat-segment-" + hashlib.sha256(text).hexdigest() + ".json")
                last.size = len(text)
                tar.addfile(last, io.BytesIO(text))

        for change, words in (({"name": "../../../tmp/x"}, "its index is of other parts"), ({"name": "/etc/x"}, "its index is of other parts"),
                              ({"kind": tarfile.SYMTYPE, "size": 0}, "that opcat does not write"), ({"kind": tarfile.LNKTYPE, "size": 0}, "that opcat does not write"),
                              ({"number": 2 ** 60}, "under another name"), ({"pieces": [{"digest": "sha256:../../x", "size": 1}]}, "no valid digest"),
                              ({"pieces": [{"digest": digest, "size": 2 ** 63}]}, "its index is of other parts"), ({"pieces": 1}, "lacks fields"),
                              ({"pieces": [{"digest": digest, "size": -1}]}, "no valid size"), ({"images": "sha256:" + 64 * "0"}, "no valid list of its images"),
                              ({"set": 7}, "lacks fields"), ({}, "no valid list of its images")):
            archive(**change)
            with self.subTest(change):
                _, err, _ = self.mirror(self.prefix, "--to", "127.0.0.1:1/x", status=3)
                self.assertIn(words, err)
        self.assertEqual([path.name for path in self.dir.iterdir()], ["a-000001.tar"])

    def test_since_carries_what_no_archive_has_carried(self):
        target = self.work.registry()
        to = f"{target.address}/mirror"
        _, err, _ = self.fill("--since", "last", status=2)
        self.assertIn("records no archive", err)
        self.fill("--version", "foo <2.0.0")
        self.mirror(self.prefix, "--to", to)
        with_all = sum(segment.stat().st_size for segment in self.segments())
        _, err, _ = self.fill("--since", "last", status=2)
        self.assertIn("there is an archive", err)
        for segment in self.segments():
            segment.rename(segment.with_name("old-" + segment.name))
        self.fill("--since", "last")
        self.assertLess(sum(segment.stat().st_size for segment in self.segments()), with_all - 200_000)
        # Without the first one it is not enough, which is said.
        elsewhere = f"{self.work.registry().address}/mirror"
        _, err, _ = self.mirror(self.prefix, "--to", elsewhere, "--dry-run", status=1)
        self.assertIn("bring the archives before this one first", err)
        _, err, _ = self.mirror(self.prefix, "--to", elsewhere, status=3)
        self.assertIn("the archive does not have sha256:", err)
        self.assertIn("bring the archives before this one first", err)
        self.mirror(self.prefix, "--to", to)
        self.assertEqual(self.names(target) - {"mirror/catalog:latest"},
                         self.expected("bundle-100", "bundle-110", "bundle-200", "operand") - {"mirror/catalog:latest"})
        self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", to)[0], 0)
        for since in ("2001-01-01", "yesterday"):
            self.fill("--since", since, status=2)

    def test_an_archive_that_fails_is_gone_on_with(self):
        lost = self.blobs_of("bundle-200")["config"]["digest"]
        front = self.work.front(self.origin, lambda request: lost in request.path and (request.answer(404) or True))
        catalog = self.catalog_from(front, self.catalog)
        self.assertIn("what has arrived is kept: the same command goes on", self.fill("-j1", catalog=catalog, status=3)[1])
        self.assertEqual([path.name for path in self.dir.iterdir()], ["a-unfinished"])
        front.fault = None
        del front.requests[:]
        self.fill(catalog=catalog)
        self.assertEqual([path.name for path in sorted(self.dir.iterdir())], ["a-000001.tar", "a-history.json"])
        self.assertEqual(front.count(self.blobs_of("bundle-100")["layers"][0]["digest"]), 0)  # the large one, of all images
        target = self.work.registry()
        self.mirror(self.prefix, "--to", f"{target.address}/mirror")
        self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", f"{target.address}/mirror")[0], 0)

    def blobs_of(self, name):
        digest = self.digests[name] if name in self.digests else getattr(self, name)["digest"]
        return json.loads(pathlib.Path(self.work.layout.directory, "blobs/sha256", digest[7:]).read_text())

    def test_nothing_is_left_if_nothing_arrived(self):
        self.fill("--dry-run")
        self.fill(catalog=self.catalog_from(self.work.registry(), self.catalog), status=3)
        self.assertEqual(list(self.dir.iterdir()), [])

    def interrupted(self):
        """A catalog, its registry, and what a run has left that was killed when all blobs of the large image but its configuration had arrived."""
        parts = self.blobs_of("large")

        def kill(request):
            if parts["config"]["digest"] not in request.path:
                return False
            while not (unfinished / "segment-000007.tar").exists() or (unfinished / "blobs/sha256" / parts["layers"][0]["digest"][7:]).exists():
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        front = self.work.front(self.origin, kill)
        catalog = self.catalog_from(front, self.large_catalog())
        unfinished = self.dir / "a-unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        process = subprocess.Popen([OPCAT, "mirror", "-q", "--use-http", "-j2", str(catalog), "--to", self.prefix, "--archive-size", "3MiB"],
                                   env=self.environment(tempfile.mkdtemp(dir=self.work.dir)))
        self.assertEqual(process.wait(60), -signal.SIGKILL)
        front.fault = None
        del front.requests[:]
        return catalog, front, unfinished

    def test_a_run_that_is_killed_is_gone_on_with(self):
        def flip(segment, at):
            data = bytearray(segment.read_bytes())
            data[at] ^= 1
            segment.write_bytes(data)

        layer = self.blobs_of("large")["layers"][0]["digest"]
        for change, size, comes_again in ((lambda place: None, "3MiB", False), (lambda place: None, "4MiB", True),
                                          (lambda place: flip(place / "segment-000001.tar", 700_000), "3MiB", True),
                                          (lambda place: (place / "segment-000003.tar").unlink(), "3MiB", True),
                                          (lambda place: (place / "segment-000007.tar").write_bytes(b""), "3MiB", True),
                                          (lambda place: (place / "set").write_text("x"), "3MiB", True)):
            catalog, front, unfinished = self.interrupted()
            change(unfinished)
            self.fill("--archive-size", size, catalog=catalog)
            self.assertEqual(front.count(layer) > 0, comes_again)
            self.assertFalse(unfinished.exists())
            target = self.work.registry()
            self.mirror(self.prefix, "--to", f"{target.address}/mirror")
            self.assertEqual(self.opcat("mirror", "check", "--use-http", "--verify", f"{target.address}/mirror")[0], 0)
            for path in self.dir.iterdir():
                path.unlink()

    def test_a_run_that_is_killed_while_it_names_its_segments_is_gone_on_with(self):
        catalog = self.large_catalog()
        unfinished = self.dir / "a-unfinished"

        self.fill("--archive-size", "3MiB", catalog=catalog)
        whole = {segment.name: segment.read_bytes() for segment in self.segments()}
        with tarfile.open(self.segments()[0]) as tar:
            name_of_set = json.load(tar.extractfile(tar.getnames()[-1]))["set"]
        (self.dir / "a-history.json").unlink()
        for named in (1, 4, len(whole)):
            with self.subTest(named=named):
                unfinished.mkdir()
                (unfinished / "set").write_text(f"{name_of_set} {3 << 20}\n")
                for segment in self.segments()[named:]:
                    segment.rename(unfinished / segment.name.replace("a-", "segment-"))
                _, err, _ = self.fill("--archive-size", "4MiB", catalog=catalog, status=2)
                self.assertIn("there is an archive", err)
                self.fill("--archive-size", "3MiB", catalog=catalog)
                self.assertEqual([path.name for path in sorted(self.dir.iterdir())], [*whole, "a-history.json"])
                self.assertEqual({segment.name: segment.read_bytes() for segment in self.segments()}, whole)
                (self.dir / "a-history.json").unlink()
        with self.subTest("segments of another archive stay"):
            unfinished.mkdir()
            (unfinished / "set").write_text(f"0123456789abcdef {3 << 20}\n")
            _, err, _ = self.fill("--archive-size", "3MiB", catalog=catalog, status=2)
            self.assertIn("there is an archive", err)
            self.assertEqual({segment.name: segment.read_bytes() for segment in self.segments()}, whole)

    def test_two_runs_cannot_fill_one_archive(self):
        unfinished = self.dir / "a-unfinished"
        unfinished.mkdir()
        descriptor = os.open(unfinished, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _, err, _ = self.fill(status=2)
        self.assertIn("another run is filling the archive", err)
        os.close(descriptor)
        self.fill()

    def test_a_directory_of_somebody_else_is_left_alone(self):
        for name in ("notes.txt", "segment-000001.tar"):
            unfinished = self.dir / "a-unfinished"
            unfinished.mkdir()
            (unfinished / name).write_text("mine")
            _, err, _ = self.fill(status=2)
            self.assertIn(f"error: {unfinished} is there, and opcat has not made it\n", err)
            self.assertEqual((unfinished / name).read_text(), "mine")
            shutil.rmtree(unfinished)

    def test_a_directory_without_blobs_that_the_registry_has(self):
        target = self.work.registry()
        directory = self.dir / "disk"
        self.mirror(self.catalog, "--to", f"dir:{directory}")
        self.mirror(f"dir:{directory}", "--to", f"{target.address}/mirror")
        for blob in (directory / "blobs/sha256").iterdir():
            blob.unlink()
        _, err, _ = self.mirror(f"dir:{directory}", "--to", f"{target.address}/mirror")
        self.assertIn("0 images copied", err)

    def test_the_second_step_leaves_what_an_earlier_run_left(self):
        directory = self.dir / "disk"
        self.mirror(self.catalog, "--to", f"dir:{directory}")
        self.mirror(self.catalog, "--to", f"dir:{directory}", "--version", "foo =2.0.0")
        target = self.work.registry()
        self.mirror(f"dir:{directory}", "--to", f"{target.address}/mirror")
        self.assertEqual(self.names(target), self.expected("bundle-200", "operand"))
        _, err, _ = self.mirror(self.catalog, "--to", f"dir:{directory}", "--version", "foo =2.0.0", "--prune")
        self.assertIn("removed org/bundle-100", err)

    def test_records_of_runs_and_what_is_new(self):
        old, new = self.dir / "old.json", self.dir / "new.json"
        to = ("--to", f"{self.work.registry().address}/mirror")
        self.mirror(self.catalog, *to, "--version", "foo <2.0.0", "--record", old)
        self.mirror(self.catalog, *to, "--version", "foo >=1.1.0", "--record", new)
        first = json.loads(old.read_text())["images"][1]
        self.assertEqual((first["digest"], first["bundles"]), (self.digests["bundle-100"], ["foo.v1.0.0"]))
        code, out, err = self.opcat("mirror", "diff", str(old), str(new), "-o", "json")
        self.assertEqual(code, 0, err)
        changes = {(one["change"], re.split("[:@]", one["target"].split("/mirror/")[1])[0]) for one in json.loads(out)["changes"]}
        self.assertEqual(changes, {("new", "org/bundle-200"), ("gone", "org/bundle-100"), ("changed", "catalog")})
        self.assertRegex(self.opcat("mirror", "diff", str(old), str(new))[1], "new +[^ ]+org/bundle-200")
        self.assertEqual(self.opcat("mirror", "diff", str(old), str(old))[1:], ("", "the runs have the same images\n"))
        # Earlier records have the tag of the digest.
        old.write_text(re.sub("@sha256:([0-9a-f]{64})", r":sha256-\1", new.read_text()))
        self.assertEqual(self.opcat("mirror", "diff", str(old), str(new))[1:], ("", "the runs have the same images\n"))
        code, _, err = self.opcat("mirror", "diff", str(old), str(self.catalog / "catalog.json"))
        self.assertEqual(code, 3)
        self.assertIn("it is not the record of a run", err)

    def test_wrong_names_and_sizes(self):
        for flags, words in ((("--to", "archive:"), "names no archive"), (("--to", f"archive:{self.dir}/"), "names no archive"),
                             (("--to", self.prefix, "--archive-size", "1000"), "at least 1 MiB"), (("--to", "r.example", "--since", "last"), "are for archives"),
                             (("--to", self.prefix, "--prune"), "nothing to prune"), (("--to", self.prefix, "--shard", "0/2"), "has shards")):
            _, err, _ = self.mirror(self.catalog, *flags, status=2)
            self.assertIn(words, err)
        _, err, _ = self.mirror(self.prefix, "--to", "127.0.0.1:1/x", status=3)
        self.assertIn("there is no archive", err)


if __name__ == "__main__":
    main()
