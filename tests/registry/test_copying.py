"""Images copied between registries, layouts and archives: byte for byte, and read back by skopeo. Covers lib/image/copier.cpp, lib/image/image_stores.cpp and lib/image/push.cpp."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

from registries import LAYERS, PullTest, TokenServer, main
from oci_layout import make_layer, sha256

OPCAT = os.environ.get("OPCAT", "opcat")


class CopyTest(PullTest):
    """Runs `opcat copy` as a user without configuration."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry()
        both = [cls.work.layout.image(LAYERS, {"is": name}, name, platform={"os": "linux", "architecture": name})
                for name in ("amd64", "arm64")]
        cls.index = cls.work.layout.index(both)
        cls.work.layout.tag(cls.index, "index")
        # Too large for one request.
        cls.large = cls.work.layout.image([make_layer({"large": os.urandom(20_000_000)})], {"is": "large"})
        cls.work.layout.tag(cls.large, "large")

    def opcat(self, *args, env=None):
        temporary = tempfile.mkdtemp(dir=self.work.dir)
        process = subprocess.run([OPCAT, *args], capture_output=True, text=True, timeout=600,
                                 env=self.environment(temporary, env))
        self.assertEqual(os.listdir(temporary), [])
        for secret in ("opensesame", "identity"):
            self.assertNotIn(secret, process.stdout + process.stderr)
        return process.returncode, process.stdout, process.stderr

    def assert_copied(self, descriptor, *args, **kwargs):
        status, out, err = self.opcat("copy", *args, **kwargs)
        self.assertEqual((status, out), (0, descriptor["digest"] + "\n"), err)
        return err

    def assert_fails(self, expected, *args, **kwargs):
        status, out, err = self.opcat("copy", *args, **kwargs)
        self.assertEqual((status, out), (3, ""), err)
        self.assertIn("error: cannot copy ", err)
        self.assertIn(expected, err)
        return err

    def source(self, tag):
        return f"oci:{self.work.layout.directory}:{tag}"

    def skopeo(self, *args):
        return subprocess.run(["skopeo", "--policy", self.work.path("policy.json"), *args], check=True,
                              capture_output=True).stdout

    def raw_digest(self, image, *args):
        return sha256(self.skopeo("inspect", "--raw", *args, image))

    def has_tag(self, registry, name):
        return subprocess.run(["skopeo", "inspect", "--raw", "--tls-verify=false", f"docker://{registry.address}/{name}"],
                              capture_output=True).returncode == 0


class Copies(CopyTest):
    def test_an_answer_that_confirms_nothing_is_no_success(self):
        def taken(request):
            if request.command != "PUT" or "/manifests/" not in request.path:
                return False
            request.answer(statuses[-1])
            return True
        statuses = []
        for status in 200, 202:
            statuses.append(status)
            front = self.work.front(self.work.registry(), taken)
            status, out, err = self.opcat("copy", "--use-http", self.source("v1"), f"{front.address}/my/one:v1")
            self.assertEqual((status, out), (3, ""), err)
            self.assertIn("does not say that it has taken the manifest", err)

    def test_into_a_registry_and_out_of_it(self):
        image = f"{self.registry.address}/org/copied:v1"
        err = self.assert_copied(self.index, "--use-http", self.source("index"), image)
        self.assertIn(f"copied {self.source('index')} to {image} (5 blobs, ", err)
        self.assertEqual(self.raw_digest("docker://" + image, "--tls-verify=false"), self.index["digest"])
        # skopeo finds every image of the index there.
        self.skopeo("copy", "-q", "--all", "--src-tls-verify=false", "docker://" + image, f"oci:{self.work.path('by-skopeo')}:v1")
        for form in ("oci:{}", "oci:{}:v1", "oci-archive:{}", "oci-archive:{}:v1"):
            with self.subTest(form):
                target = form.format(self.work.path("copied-" + sha256(form.encode())[7:]))
                self.assert_copied(self.index, "--use-http", image, target)
                self.assertEqual(self.raw_digest(target), self.index["digest"])
                self.assert_copied(self.index, "--use-http", target, f"{self.registry.address}/org/back:v1")

    def test_what_a_copy_cannot_do_is_refused(self):
        target = f"oci:{self.work.path('refused')}:v1"
        for words, status in ((("--attachments", "signatures", self.source("v1"), target), 2), (("--attachments", "none", self.source("v1"), target), 0),
                              ((self.source("v1"), f"{self.registry.address}/org/both:v1@{self.work.sample['digest']}"), 2)):
            self.assertEqual(self.opcat("copy", "--use-http", *words)[0], status, words)

    def test_an_archive_is_not_copied_onto_itself(self):
        archive = self.work.path("onto-itself.tar")
        self.opcat("copy", self.source("v1"), f"oci-archive:{archive}:v1")
        before = pathlib.Path(archive).read_bytes()
        for target in f"oci-archive:{archive}:v2", f"oci-archive:{archive}":
            status, _, err = self.opcat("copy", f"oci-archive:{archive}:v1", target)
            self.assertEqual(status, 2, err)
        self.assertEqual(pathlib.Path(archive).read_bytes(), before)

    def test_the_second_time_nothing_is_sent(self):
        front = self.work.front(self.registry)
        image = f"{front.address}/org/twice:v1"
        self.assert_copied(self.sample, "--use-http", self.source("v1"), image)
        self.assertEqual(sum(method == "PUT" for method, *_ in front.requests), 5)  # config, three layers, manifest
        del front.requests[:]
        self.assertIn("(it was there already)", self.assert_copied(self.sample, "--use-http", self.source("v1"), image))
        self.assertEqual([method for method, *_ in front.requests], ["HEAD"])

    @property
    def sample(self):
        return self.work.sample

    def test_blobs_of_the_same_registry_are_mounted(self):
        front = self.work.front(self.registry)
        self.assert_copied(self.sample, "--use-http", self.source("v1"), f"{front.address}/org/first:v1")
        del front.requests[:]
        err = self.assert_copied(self.sample, "--use-http", f"{front.address}/org/first:v1", f"{front.address}/org/second:v1")
        self.assertIn("; nothing sent)", err)
        self.assertEqual(front.count("mount="), 4)
        self.assertTrue(self.has_tag(self.registry, "org/second:v1"))

    def test_an_image_for_another_platform_is_not_copied(self):
        status, _, err = self.opcat("copy", "--use-http", self.source("v1"), f"oci:{self.work.path('other')}:v1", "--platform", "linux/s390x")
        self.assertEqual(status, 3)
        self.assertIn("not for linux/s390x", err)

    def test_one_platform_of_an_index(self):
        image = f"{self.registry.address}/org/one:v1"
        status, out, err = self.opcat("push", "--use-http", self.source("index"), image, "--platform", "linux/arm64")
        self.assertEqual(status, 0, err)
        self.assertEqual(out.strip(), self.raw_digest("docker://" + image, "--tls-verify=false"))
        config = json.loads(self.skopeo("inspect", "--config", "--tls-verify=false", "docker://" + image))
        self.assertEqual(config["architecture"], "arm64")
        status, _, err = self.opcat("copy", "--use-http", self.source("index"), image, "--platform", "linux/s390x")
        self.assertEqual(status, 3)
        self.assertIn("the index has no image for linux/s390x; its images are for linux/amd64, linux/arm64", err)

    def test_archives_of_docker(self):
        archive = self.work.path("saved.tar")
        self.assert_copied(self.sample, self.source("v1"), f"docker-archive:{archive}:example.org/sample:v1")
        config = json.loads(self.skopeo("inspect", "--config", "docker-archive:" + archive))
        self.assertEqual(config["config"]["Labels"], {"operators.operatorframework.io.index.configs.v1": "/configs"})
        self.skopeo("copy", "-q", "docker-archive:" + archive, f"oci:{self.work.path('from-docker')}:v1")
        self.assert_sample("docker-archive:" + archive)
        damaged = self.work.path("damaged.tar")
        saved = pathlib.Path(archive).read_bytes()
        pathlib.Path(damaged).write_bytes(saved.replace(b"schema: a\n", b"schema: b\n"))
        self.assertNotEqual(pathlib.Path(damaged).read_bytes(), saved)
        for target in f"oci:{self.work.path('of-damaged')}:v1", f"{self.registry.address}/org/damaged:v1":
            self.assert_fails("and the configuration says sha256:", "--use-http", f"docker-archive:{damaged}", target)
        image = f"{self.registry.address}/org/from-docker:v1"
        status, out, err = self.opcat("copy", "--use-http", "docker-archive:" + archive, image)
        self.assertEqual(status, 0, err)
        self.assertEqual(out.strip(), self.raw_digest("docker://" + image, "--tls-verify=false"))
        self.assert_sample("--use-http", image)

    def test_a_layout_keeps_its_other_images(self):
        layout = self.work.path("several")
        self.assert_copied(self.sample, self.source("v1"), f"oci:{layout}:one")
        self.assert_copied(self.index, self.source("index"), f"oci:{layout}:two")
        self.assert_copied(self.large, self.source("large"), f"oci:{layout}:one")
        self.assertEqual(self.raw_digest(f"oci:{layout}:one"), self.large["digest"])
        self.assertEqual(self.raw_digest(f"oci:{layout}:two"), self.index["digest"])
        self.assert_fails("is neither empty nor an OCI layout", self.source("v1"), f"oci:{self.work.dir}")

    def test_with_tls_and_tokens(self):
        tokens = TokenServer(self.work, tls=True)
        registry = self.work.registry(tls=True, auth=tokens.auth)
        auth = self.work.write_auth("push-auth.json", registry.address)
        flags = ("--cert-dir", self.work.ca_dir, "--authfile", auth)
        first = f"{registry.address}/org/first:v1"
        self.assert_copied(self.index, *flags, self.source("index"), first)
        self.assertIn("nothing sent", self.assert_copied(self.index, *flags, first, f"{registry.address}/other/second:v1"))
        self.assert_fails("does not accept the credentials", "--cert-dir", self.work.ca_dir, "--authfile",
                          self.work.write_auth("wrong.json", registry.address, password="guess"), self.source("v1"), first)

    def test_a_token_that_another_thread_has_got_may_be_for_less(self):
        tokens = TokenServer(self.work)
        held = {"HEAD": threading.Event(), "POST": threading.Event()}  # the first of each: its token has run out

        def expire(request):
            if request.command not in held or "/blobs/" not in request.path or held[request.command].is_set():
                return False
            held[request.command].set()
            before = len(tokens.requests)
            if request.command == "HEAD":
                held["POST"].wait(10)  # both are on their way, and this one is answered first
            while request.command == "POST" and len(tokens.requests) == before:
                time.sleep(0.01)
            status, headers, body = request.ask_backend(drop=("Host", "Authorization"))
            request.answer(status, body, headers)
            return True
        front = self.work.front(self.work.registry(auth=tokens.auth), expire)
        auth = self.work.write_auth("two-threads.json", front.address)
        self.assert_copied(self.index, "--use-http", "--authfile", auth, "-j2", self.source("index"), f"{front.address}/org/threads:v1")
        self.assertTrue(held["POST"].is_set())

    def test_images_go_from_pieces_to_the_whole(self):
        front = self.work.front(self.registry)
        self.assert_copied(self.large, "--use-http", self.source("large"), f"{front.address}/org/large:v1")
        pieces = [headers["Content-Range"] for method, _, headers, _ in front.requests if method == "PATCH"]
        self.assertEqual(pieces[:2], ["0-8388607", "8388608-16777215"])
        self.assertEqual(len(pieces), 3)
        self.assertEqual(self.raw_digest(f"docker://{self.registry.address}/org/large:v1", "--tls-verify=false"),
                         self.large["digest"])


class Failures(CopyTest):
    """Whatever goes wrong, a tag means a whole image, and the second run completes."""

    @property
    def sample(self):
        return self.work.sample

    def test_refusals_of_a_registry(self):
        def answer(part, status, body=b"", methods=("POST", "PUT", "PATCH")):
            def fault(request):
                if part in request.path and request.command in methods:
                    request.answer(status, body, {"Retry-After": "0"})
                    return True
                return False
            return fault
        denied = json.dumps({"errors": [{"code": "DENIED", "message": "not yours"}]}).encode()
        cases = [
            (answer("/uploads/", 401), "does not allow to push to org/refused (401)"),
            (answer("/uploads/", 403, denied), "does not allow to push to org/refused (403: not yours)"),
            (answer("/uploads/", 404), "does not accept blob sha256:"),
            (answer("/uploads/", 413, methods=("PUT", "PATCH")), "too large (413)"),
            (answer("/uploads/", 429), "too many requests (429)"),
            (answer("/uploads/", 500), "answered 500"),
            (answer("/uploads/", 503, methods=("PUT",)), "answered 503"),
            (answer("/manifests/", 403, denied), "does not allow to push to org/refused (403: not yours)"),
            (answer("/manifests/", 413), "finds manifest v1 too large"),
            (answer("/manifests/", 500), "answered 500 when sent manifest v1"),
        ]
        for fault, expected in cases:
            with self.subTest(expected):
                front = self.work.front(self.registry, fault)
                self.assert_fails(expected, "--use-http", self.source("v1"), f"{front.address}/org/refused:v1")
                self.assertFalse(self.has_tag(self.registry, "org/refused:v1"))

    def test_a_manifest_is_sent_again_if_the_registry_says_that_its_digest_is_wrong(self):
        # docker-registry does so while another client writes links of the same blobs.
        for code, status, sent in (("DIGEST_INVALID", 0, 2), ("MANIFEST_INVALID", 3, 1)):
            first = []

            def fault(request):
                if request.command != "PUT" or "/manifests/" not in request.path or first:
                    return False
                first.append(request.answer(400, json.dumps({"errors": [{"code": code}]}).encode()))
                return True
            with self.subTest(code):
                front = self.work.front(self.registry, fault)
                to = f"{front.address}/org/{code.lower()}:v1"
                self.assertEqual(self.opcat("copy", "--use-http", self.source("v1"), to)[0], status)
                self.assertEqual(sum(method == "PUT" and "/manifests/" in path for method, path, *_ in front.requests), sent)

    def test_what_passes_is_waited_for(self):
        for status in (429, 500, 503):
            seen = {}

            def fault(request):
                key = request.command, request.path.split("?")[0], request.headers.get("Content-Range")
                count = seen[key] = seen.get(key, 0) + 1
                if count > 1 or request.command == "HEAD":
                    return False
                request.answer(status, headers={"Retry-After": "0"})
                return True
            with self.subTest(status):
                front = self.work.front(self.registry, fault)
                self.assert_copied(self.large, "--use-http", self.source("large"), f"{front.address}/org/passing-{status}:v1")

    def test_every_tenth_connection_is_cut(self):
        counts = {"all": 0, "cut": 0}

        def fault(request):
            counts["all"] += 1
            if counts["all"] % 10 != 0:
                return False
            counts["cut"] += 1
            if counts["cut"] % 2 == 0:  # after the registry has executed the request
                request.ask_backend()
            request.break_off()
            return True
        front = self.work.front(self.registry, fault)
        for name, descriptor in (("index", self.index), ("large", self.large), ("v1", self.work.sample)):
            self.assert_copied(descriptor, "--use-http", self.source(name), f"{front.address}/org/cut-{name}:v1")
            self.assert_copied(descriptor, "--use-http", f"{front.address}/org/cut-{name}:v1",
                               f"{front.address}/org/cut-{name}:v2")
            self.assertEqual(self.raw_digest(f"docker://{self.registry.address}/org/cut-{name}:v2", "--tls-verify=false"),
                             descriptor["digest"])
        self.assertGreater(counts["cut"], 3)

    def test_a_piece_that_arrives_in_part_is_sent_on(self):
        cut = []
        state = {}

        def fault(request):
            # This registry does not report its progress: it is part of the URL.
            if request.command == "GET" and "/uploads/" in request.path:
                request.answer(204, headers=state)
                return True
            if request.command != "PATCH" or len(cut) > 2:
                return False
            cut.append(len(request.body))
            request.body = request.body[:1_000_000]
            request.headers.replace_header("Content-Length", str(len(request.body)))
            begin = int(request.headers["Content-Range"].split("-")[0])
            request.headers.replace_header("Content-Range", f"{begin}-{begin + len(request.body) - 1}")
            status, headers, _ = request.ask_backend()
            if status == 202:
                state.update({"Location": headers["Location"], "Range": f"0-{begin + len(request.body) - 1}"})
            request.break_off()
            return True
        front = self.work.front(self.registry, fault)
        self.assert_copied(self.large, "--use-http", self.source("large"), f"{front.address}/org/in-part:v1")
        # libcurl itself may have repeated the first one.
        self.assertIn(7388608, cut)

    def test_a_registry_that_is_killed(self):
        registry = self.work.registry()

        def fault(request):
            if request.command == "PATCH" and "8388608-" in request.headers["Content-Range"]:
                registry.kill()
                front.server.server_close()
                request.break_off()
                return True
            return False
        front = self.work.front(registry, fault)
        self.assert_fails(front.address, "--use-http", self.source("large"), f"{front.address}/org/killed:v1")
        registry.start()
        self.assertFalse(self.has_tag(registry, "org/killed:v1"))
        self.assert_copied(self.large, "--use-http", self.source("large"), f"{registry.address}/org/killed:v1")

    def test_wrong_bytes_are_not_passed_on(self):
        wrong = bytearray(LAYERS[1])
        wrong[1000] ^= 1
        digest = self.work.sample["digest"]
        self.work.fill(self.registry, to="org/wrong:v1")

        def wrong_layer(request):
            if sha256(LAYERS[1]) in request.path and request.command == "GET":
                request.answer(200, bytes(wrong))
                return True
            return False

        def wrong_manifest(request):
            if "/manifests/" in request.path:
                request.answer(200, b'{"schemaVersion":2,"layers":[]}', {"Docker-Content-Digest": digest})
                return True
            return False
        for fault, expected in ((wrong_layer, "its digest is sha256:"), (wrong_manifest, "in place of " + digest)):
            with self.subTest(expected):
                front = self.work.front(self.registry, fault)
                self.assert_fails(expected, "--use-http", f"{front.address}/org/wrong:v1", f"{self.registry.address}/org/right:v1")
                self.assertFalse(self.has_tag(self.registry, "org/right:v1"))
                target = self.work.path("wrong-" + sha256(expected.encode())[7:])
                self.assert_fails(expected, "--use-http", f"{front.address}/org/wrong:v1", f"oci:{target}:v1")
                self.assertFalse(os.path.exists(target + "/index.json"))

    def test_a_registry_that_took_something_else(self):
        # Each in a repository of its own: what is there already is not sent again.
        for kind, name, words in (("/manifests/", "else", "has taken sha256:000"), ("/uploads/", "other", "and has taken sha256:000")):
            def fault(request):
                if request.command != "PUT" or kind not in request.path:
                    return False
                request.answer(201, headers={"Docker-Content-Digest": "sha256:" + "0" * 64})
                return True
            with self.subTest(kind):
                front = self.work.front(self.registry, fault)
                self.assert_fails(words, "--use-http", self.source("v1"), f"{front.address}/org/{name}:v1")

    def test_uploads_that_lead_nowhere_or_to_plain_http(self):
        def location(value):
            def fault(request):
                if request.command != "POST":
                    return False
                request.answer(202, headers={"Location": value} if value else {})
                return True
            return fault
        front = self.work.front(self.registry, location(""))
        self.assert_fails("does not say where to send a blob to", "--use-http", self.source("v1"), f"{front.address}/org/lost:v1")
        plain = self.work.front(self.registry)
        front = self.work.front(self.registry, location(f"http://{plain.address}/upload"), tls=True)
        err = self.assert_fails("asks for a blob in plain HTTP at 127.0.0.1", "--cert-dir", self.work.ca_dir, self.source("v1"),
                                f"{front.address}/org/plain:v1")
        self.assertIn("X-Forwarded-Proto", err)
        self.assertEqual(plain.requests, [])

    def test_uploads_go_to_another_host_only_if_the_user_has_named_it(self):
        for number, way in enumerate(("where to begin", "where to go on", "redirect")):
            store = self.work.front(self.registry)

            def fault(request, way=way, store=store):
                if way == "redirect" and request.command == "PUT" and "/uploads/" in request.path:
                    request.redirect(f"http://{store.address}{request.path}")
                    return True
                if request.command != ("POST" if way == "where to begin" else "PATCH"):
                    return False
                status, headers, body = request.ask_backend()
                location = re.sub(r"^(http://[^/]+)?", f"http://{store.address}", headers["Location"])
                request.answer(status, body, {**headers, "Location": location})
                return True
            with self.subTest(way):
                front = self.work.front(self.registry, fault)
                target = f"{front.address}/org/elsewhere{number}:v1"
                err = self.assert_fails(f"to be sent to another host, {store.address}", "--use-http", self.source("large"), target)
                self.assertIn(f"--allow-upload-host {store.address}", err)
                self.assertEqual(store.requests, [])
                self.assert_copied(self.large, "--use-http", "--allow-upload-host", store.address, self.source("large"), target)
                self.assertGreater(len(store.requests), 0)

    def test_a_piece_that_is_refused_is_not_sent_again(self):
        def fault(request):
            if request.command != "PATCH":
                return False
            request.answer(403)
            return True
        front = self.work.front(self.registry, fault)
        self.assert_fails("does not allow to push to org/refused (403)", "--use-http", self.source("large"), f"{front.address}/org/refused:v1")
        self.assertEqual([method for method, *_ in front.requests].count("PATCH"), 1)

    def test_a_source_that_begins_again_does_not_spoil_what_is_sent(self):
        """The first bytes have been sent when the source breaks off, and it cannot resume."""
        layer = json.loads(self.skopeo("inspect", "--raw", self.source("large")))["layers"][0]["digest"]
        self.work.fill(self.registry, "large", "org/origin:v1")
        seen = []

        def fault(request):
            if request.command != "GET" or layer not in request.path:
                return False
            request.answer_without_resuming(seen, 12_000_000)
            return True
        origin = self.work.front(self.registry, fault)
        target = self.work.registry()
        self.assert_copied(self.large, "--use-http", f"{origin.address}/org/origin:v1", f"{target.address}/org/again:v1")
        self.assertRegex(seen[1], "^bytes=[1-9]")
        self.assertEqual(self.raw_digest(f"docker://{target.address}/org/again:v1", "--tls-verify=false"), self.large["digest"])

    def test_a_registry_that_does_not_mount_gets_the_upload_that_it_began(self):
        posts = []

        def fault(request):
            if "?mount=" not in request.path:
                return False
            request.path = request.path.partition("?")[0]  # as if it did not know what that is
            status, headers, body = request.ask_backend()
            posts.append(headers["Location"].rpartition("/")[2].partition("?")[0])
            request.answer(status, body, headers)
            return True
        front = self.work.front(self.registry, fault)
        self.assert_copied(self.sample, "--use-http", self.source("v1"), f"{front.address}/org/mount-from:v1")
        del front.requests[:], posts[:]
        self.assert_copied(self.sample, "--use-http", f"{front.address}/org/mount-from:v1", f"{front.address}/org/mount-to:v1")
        self.assertEqual(len(posts), 4)
        uploaded = [path for method, path, *_ in front.requests if method in ("PUT", "PATCH") and "/uploads/" in path]
        for upload in posts:
            self.assertTrue(any(upload in path for path in uploaded), upload)

    def test_a_registry_without_digests_in_its_headers(self):
        def fault(request):
            if request.command != "HEAD" or "/manifests/" not in request.path:
                return False
            status, headers, body = request.ask_backend()
            headers.pop("Docker-Content-Digest", None)
            request.answer(status, body, headers, length=request.length or 0)
            return True
        front = self.work.front(self.registry, fault)
        image = f"{front.address}/org/no-digest:v1"
        self.assert_copied(self.sample, "--use-http", self.source("v1"), image)
        self.assertIn("(it was there already)", self.assert_copied(self.sample, "--use-http", self.source("v1"), image))

    def test_a_target_with_another_digest(self):
        self.assert_fails("the image has the digest", "--use-http", self.source("v1"),
                          f"{self.registry.address}/org/digest@sha256:{'0' * 64}")


if __name__ == "__main__":
    main()
