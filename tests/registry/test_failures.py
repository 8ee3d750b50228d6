"""Registries that misbehave: always a recovery or a clear error, never a hang or a partial image."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

from registries import FETCH_IMAGE, LAYERS, PullTest, main
from oci_layout import make_layer, sha256

BIG = sha256(LAYERS[1])


class Failures(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry()
        cls.work.fill(cls.registry)

    def front_with(self, fault):
        front = self.work.front(self.registry, fault=fault)
        return front, ("--use-http", f"{front.address}/org/sample:v1")

    def once(self, action):
        """Does something to the first request for the big layer only."""
        done = []

        def fault(request):
            if BIG not in request.path or done:
                return False
            done.append(True)
            action(request)
            return True
        return self.front_with(fault)

    def always(self, action, part=BIG):
        def fault(request):
            if part not in request.path:
                return False
            action(request)
            return True
        return self.front_with(fault)

    # Faults that pass.

    def test_too_many_requests_and_a_time_to_come_back(self):
        front, arguments = self.once(lambda r: r.answer(429, b"", {"Retry-After": "1"}))
        start = time.monotonic()
        self.assert_sample(*arguments)
        self.assertGreater(time.monotonic() - start, 0.9)

    def test_a_date_to_come_back(self):
        when = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 2))
        front, arguments = self.once(lambda r: r.answer(503, b"", {"Retry-After": when}))
        start = time.monotonic()
        self.assert_sample(*arguments)
        self.assertGreater(time.monotonic() - start, 0.9)

    def test_errors_of_the_server_pass(self):
        for status in (500, 502, 503, 504, 408, 429):
            front, arguments = self.once(lambda r: r.answer(status, b"<html>busy"))
            self.assert_sample(*arguments)

    def test_a_layer_cut_in_half_is_resumed(self):
        def cut(request):
            status, headers, body = request.ask_backend()
            request.answer(status, body[:len(body) // 2], headers, length=len(body))
            request.break_off()
        front, arguments = self.once(cut)
        self.assert_sample(*arguments)
        ranges = [headers.get("Range") for _, path, headers, _ in front.requests if BIG in path]
        self.assertEqual(ranges[0], None)
        self.assertRegex(ranges[1], r"^bytes=[1-9][0-9]*-$")

    def test_a_layer_that_is_cut_again_and_again_is_resumed_each_time(self):
        def cut(request):
            status, headers, body = request.ask_backend()
            piece = body[:len(LAYERS[1]) // 4 + 1]
            request.answer(status, piece, headers, length=len(body))
            if len(piece) < len(body):
                request.break_off()
        front, arguments = self.always(cut)
        self.assert_sample(*arguments)
        self.assertEqual(sum(BIG in path for _, path, _, _ in front.requests), 4)

    def test_a_server_that_cannot_resume_sends_it_again(self):
        seen = []

        def cut(request):
            if BIG not in request.path:
                return False
            status, headers, body = request.ask_backend(drop=("Host", "Range"))
            seen.append(request.headers.get("Range"))
            if len(seen) == 1:
                request.answer(200, body[:100_000], headers, length=len(body))
                request.break_off()
            elif len(seen) == 2:
                request.answer(416)
            else:
                request.answer(200, body, headers)
            return True
        front, arguments = self.front_with(cut)
        self.assert_sample(*arguments)
        self.assertEqual(len(seen), 3)
        self.assertIsNone(seen[2])

    def test_a_server_that_neither_resumes_nor_begins_again(self):
        seen = []

        def cut(request):
            status, headers, body = request.ask_backend(drop=("Host", "Range"))
            seen.append(request.headers.get("Range"))
            if len(seen) > 1:
                request.answer(416)
                return
            request.answer(200, body[:100_000], headers, length=len(body))
            request.break_off()
        front, arguments = self.always(cut)
        self.assert_fails("does not resume it", "--retries", "1", *arguments)
        self.assertEqual(len(seen), 2)

    def test_an_answer_of_unknown_length_that_ends_early_is_resumed(self):
        def cut(request):
            status, headers, body = request.ask_backend()
            request.send_response(200)
            request.send_header("Connection", "close")
            request.end_headers()
            request.wfile.write(body[:1000])
            request.break_off()
        front, arguments = self.once(cut)
        self.assert_sample(*arguments)

    def test_a_transfer_that_stalls_is_resumed(self):
        ranges, over = [], threading.Event()

        def stall_once(request):
            if BIG not in request.path:
                return False
            ranges.append(request.headers.get("Range"))
            if len(ranges) > 1:
                return False
            status, headers, body = request.ask_backend()
            request.answer(status, body[:1000], headers, length=len(body))
            request.wfile.flush()
            over.wait(120)
            request.break_off()
            return True
        front, arguments = self.front_with(stall_once)
        self.addCleanup(over.set)
        self.assert_sample(*arguments)
        self.assertEqual(ranges, [None, "bytes=1000-"])

    # Faults that do not.

    def test_too_many_requests_for_good(self):
        front, arguments = self.always(lambda r: r.answer(429), "/manifests/")
        self.assert_fails("there were too many requests (429)", *arguments)
        self.assertEqual(len(front.requests), 6)

    def test_a_wait_that_is_too_long(self):
        front, arguments = self.always(lambda r: r.answer(429, b"", {"Retry-After": "86400"}))
        self.assert_fails("asks to come back in 86400 seconds", *arguments)

    def test_a_server_that_answers_nothing(self):
        def hang(request):
            time.sleep(4)
            request.break_off()
        front, arguments = self.always(hang, "/manifests/")
        self.assert_fails("sent nothing for 2 seconds", "--retries", "1", *arguments)

    def test_an_answer_that_trickles(self):
        def trickle(request):
            request.answer(200, b"{", length=1000)
            for _ in range(12):
                time.sleep(0.5)
                request.wfile.write(b" ")
                request.wfile.flush()
        front, arguments = self.always(trickle, "/manifests/")
        self.assert_fails("", "--retries", "0", *arguments)

    def test_a_layer_that_trickles(self):
        """The stall timeout never comes, but the average is too low."""
        def trickle(request):
            request.answer(200, b"", length=len(LAYERS[1]))
            for byte in LAYERS[1]:
                request.wfile.write(bytes([byte]))
                request.wfile.flush()
                time.sleep(0.1)
        front, arguments = self.always(trickle)
        self.assert_fails("transferred only", "--retries", "0", *arguments)

    def test_answers_that_are_not_http_are_not_asked_for_again(self):
        for answer in (b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/9.9 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: \0\r\n\r\n"):
            def garbage(request, answer=answer):
                request.wfile.write(answer)
                request.break_off()
            front, arguments = self.always(garbage, "/manifests/")
            self.assert_fails("", *arguments)
            self.assertEqual(len(front.requests), 1, answer)

    def test_a_layer_that_breaks_off_after_every_few_megabytes_arrives_in_the_end(self):
        """However often, because each request brings it further."""
        layer = make_layer({"configs/large": os.urandom(12_000_000)})
        self.work.layout.tag(self.work.layout.image([layer], {}), "breaking")
        self.work.fill(self.registry, "breaking", "org/breaking:v1")
        digest = sha256(layer)

        def cut(request):
            if digest not in request.path:
                return False
            status, headers, body = request.ask_backend()
            request.answer(status, body[:1_500_000], headers, length=len(body))
            if len(body) > 1_500_000:
                request.break_off()
            return True
        front = self.work.front(self.registry, fault=cut)
        status, _, err = self.fetch("--use-http", "--retries", "1", f"{front.address}/org/breaking:v1")
        self.assertEqual(status, 0, err)
        self.assertGreaterEqual(front.count(digest), 8)

    def test_a_killed_run_is_gone_on_with(self):
        layer = make_layer({"configs/large": os.urandom(12_000_000)})
        self.work.layout.tag(self.work.layout.image([layer], {}), "killed")
        self.work.fill(self.registry, "killed", "org/killed:v1")
        digest, stalled = sha256(layer), threading.Event()

        def stall(request):
            if digest not in request.path or stalled.is_set():
                return False
            status, headers, body = request.ask_backend()
            request.answer(status, body[:8_000_000], headers, length=len(body))
            request.wfile.flush()
            stalled.set()
            killed.wait(60)
            return True
        killed = threading.Event()
        front = self.work.front(self.registry, fault=stall)
        cache = tempfile.mkdtemp(dir=self.work.dir)
        temporary = tempfile.mkdtemp(dir=self.work.dir)
        mine = pathlib.Path(temporary, "opcat-backup")  # a name like ours
        mine.mkdir()
        env = self.environment(temporary, {"XDG_CACHE_HOME": cache})
        command = [FETCH_IMAGE, "--use-http", f"{front.address}/org/killed:v1"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(stalled.wait(60))
        part = pathlib.Path(cache, "opcat/parts", digest.removeprefix("sha256:"))
        while not part.exists() or part.stat().st_size < 1_000_000:
            time.sleep(0.01)
        process.kill()
        process.wait()
        killed.set()
        self.assertEqual(len(os.listdir(temporary)), 2)
        self.assertEqual(subprocess.run(command, env=env, stdout=subprocess.DEVNULL).returncode, 0)
        self.assertEqual(os.listdir(temporary), [mine.name])
        first, second = [headers.get("Range") for _, path, headers, _ in front.requests if digest in path]
        self.assertIsNone(first)
        self.assertRegex(second, r"^bytes=[1-9][0-9]{6,}-$")
        self.assertFalse(part.exists())

    def test_a_token_that_is_too_large_for_a_header_is_named(self):
        realm = self.work.front(fault=lambda request: request.answer(200, json.dumps({"token": "t" * 3_000_000}).encode()) or True)
        challenge = {"WWW-Authenticate": f'Bearer realm="http://{realm.address}/token"'}
        front, arguments = self.always(lambda request: request.answer(401, b"", challenge), "/manifests/")
        self.assert_fails("has 3000000 bytes, more than the limit of 65536", *arguments)

    def test_a_wrong_digest(self):
        def corrupt(request):
            status, headers, body = request.ask_backend()
            request.answer(status, body[:-1] + bytes([body[-1] ^ 1]), headers)
        front, arguments = self.always(corrupt)
        err = self.assert_fails("layer 2 of 3 (" + BIG[:19] + "): its digest is sha256:", *arguments)
        self.assertIn("but the manifest says " + BIG, err)

    def test_a_wrong_size(self):
        front, arguments = self.always(lambda r: r.answer(200, b"short"))
        self.assert_fails("the registry has 5 bytes of it, but the manifest says", *arguments)
        front, arguments = self.always(lambda r: r.answer(200, LAYERS[1] + b"more"))
        self.assert_fails("bytes of it, but the manifest says", *arguments)

        def endless(request):
            request.send_response(200)
            request.send_header("Transfer-Encoding", "chunked")
            request.end_headers()
            chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            for _ in range(1000):
                request.wfile.write(chunk)
        front, arguments = self.always(endless)
        self.assert_fails("it is larger than the", *arguments)

    def test_headers_without_end(self):
        def endless(request):
            request.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for i in range(1000):
                request.wfile.write(b"".join(b"X-%d: %s\r\n" % (j, b"x" * 1000) for j in range(100)))
        front, arguments = self.always(endless, "/manifests/")
        self.assert_fails("the answer has too many headers", "--retries", "0", *arguments)

    def test_a_wrong_part(self):
        seen = []

        def wrong_part(request):
            status, headers, body = request.ask_backend(drop=("Host", "Range"))
            if not seen:
                seen.append(True)
                request.answer(200, body[:1000], headers, length=len(body))
                request.break_off()
            else:
                request.answer(206, body[:1000], {"Content-Range": f"bytes 0-999/{len(body)}"})
        front, arguments = self.always(wrong_part)
        self.assert_fails("the server sent another range than requested", *arguments)

    def test_a_web_page(self):
        page = b"<!DOCTYPE html><html><body>Please log in</body></html>"
        html = {"Content-Type": "text/html; charset=utf-8"}
        front, arguments = self.always(lambda r: r.answer(200, page, html), "/manifests/")
        self.assertIn("login page", self.assert_fails("the manifest is an HTML page", *arguments))
        front, arguments = self.always(lambda r: r.answer(200, page, html))
        self.assertIn("login page", self.assert_fails("the server sent an HTML page instead", *arguments))
        with open(self.work.layout.directory + "/blobs/sha256/" + self.work.sample["digest"][7:]) as f:
            config = json.load(f)["config"]["digest"]
        front, arguments = self.always(lambda r: r.answer(200, page, html), config)
        self.assert_fails("the server sent an HTML page instead", *arguments)

    def test_manifests_that_are_none(self):
        deep = b'{"a":' + b"[" * 500_000
        for body, expected in ((b"", "not a JSON object"), (b"null", "not a JSON object"), (deep, "not a JSON object"),
                               (b'{"schemaVersion":1}', "schema 1"), (b"{}", "no list of layers"),
                               (b"x" * 5_000_000, "larger than the limit")):
            front, arguments = self.always(lambda r: r.answer(200, body), "/manifests/")
            self.assert_fails(expected, *arguments)

    def test_a_manifest_of_another_digest(self):
        def other(request):
            status, headers, body = request.ask_backend()
            request.answer(status, body + b" ", headers)
        front, arguments = self.always(other, "/manifests/")
        expected = "sent a manifest with the digest sha256:"
        self.assert_fails(expected, *arguments)
        self.assert_fails(expected, "--use-http", f"{front.address}/org/sample@{self.work.sample['digest']}")

    def test_redirects_in_a_circle_or_to_nowhere(self):
        front, arguments = self.always(lambda r: r.redirect(r.path))
        self.assert_fails("redirects more than 10 times", *arguments)
        front, arguments = self.always(lambda r: r.redirect("file:///etc/passwd"))
        self.assert_fails("is not a web address", *arguments)

    def test_a_redirect_to_plain_http(self):
        plain = self.work.front(self.registry)
        front = self.work.front(self.registry, tls=True, fault=lambda r: r.is_blob() and (
            r.redirect(f"http://{plain.address}{r.path}") or True))
        self.assert_fails("redirects to plain HTTP", "--cert-dir", self.work.ca_dir, f"{front.address}/org/sample:v1")
        self.assertEqual(plain.requests, [])

    def test_nobody_there(self):
        err = self.assert_fails("127.0.0.1:1: failed to connect", "--use-http", "127.0.0.1:1/org/sample:v1")
        self.assertIn("help: check the port", err)
        self.assert_fails("could not resolve host", "--use-http", "registry.invalid/org/sample:v1")

    def test_words_of_the_registry_are_shown_harmlessly(self):
        words = json.dumps({"errors": [{"code": "X", "message": "\x1b[31mred\r\n" + "long" * 1000}]}).encode()
        front, arguments = self.always(lambda r: r.answer(404, words), "/manifests/")
        err = self.assert_fails("red", *arguments)
        self.assertNotIn("\x1b", err)
        self.assertLess(len(err), 1000)

    def test_errors_without_words_of_the_registry(self):
        for body in (b'{"errors": [{}]}', b'{"errors": [7]}', b'{"errors": [{"message": ""}]}', b'{"errors": []}', b"gone"):
            front, arguments = self.always(lambda r: r.answer(404, body), "/manifests/")
            err = self.assert_fails("has no manifest v1 in org/sample (404)", *arguments)
            self.assertNotIn("(404:", err)

    def test_documents_that_are_too_large_are_not_read(self):
        manifest = {"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:" + "1" * 64, "size": 5_000_000}
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}
        front, arguments = self.always(lambda r: r.answer(200, json.dumps(index).encode()), "/manifests/v1")
        self.assert_fails("a document of the image has 5000000 bytes, more than the limit of 4194304", *arguments)
        self.assertEqual(front.count("sha256:"), 0)

    def test_digests_of_other_kinds(self):
        self.assert_fails("digests such as sha512 are not supported, only those of sha256", "--use-http",
                          f"{self.registry.address}/org/sample@sha512:{'0' * 128}")

    def test_a_client_certificate_without_its_key(self):
        os.mkdir(self.work.path("keyless"))
        self.work.write("keyless/client.cert", "")
        err = self.assert_fails("the key of the client certificate", "--cert-dir", self.work.path("keyless"), f"{self.registry.address}/org/sample:v1")
        self.assertIn("client.key", err)

    def test_one_image_of_several_fails_all(self):
        front, arguments = self.always(lambda r: r.answer(404), "/manifests/")
        self.assert_fails(f"cannot pull {front.address}/org/sample:v1: ", "--use-http",
                          f"{self.registry.address}/org/sample:v1", arguments[-1])

    def test_a_signal_leaves_nothing_behind(self):
        def stall(request):
            status, headers, body = request.ask_backend()
            request.answer(status, body[:100_000], headers, length=len(body))
            time.sleep(3)
        front, arguments = self.always(stall)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            temporary = tempfile.mkdtemp(dir=self.work.dir)
            cache = tempfile.mkdtemp(dir=self.work.dir)
            env = self.environment(temporary, {"XDG_CACHE_HOME": cache})
            process = subprocess.Popen([FETCH_IMAGE, *arguments], env=env, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            while not (front.count(BIG) and os.listdir(temporary)):
                time.sleep(0.02)
            time.sleep(0.2)
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=600), (b"", b""))
            self.assertEqual(process.returncode, -number)
            self.assertEqual(os.listdir(temporary), [])
            self.assertTrue(all(len(name) == 64 for name in os.listdir(cache + "/opcat/blobs/sha256")))
            del front.requests[:]

    def test_a_broken_cache_is_repaired(self):
        cache = self.work.path("cache")
        arguments = ("--use-http", f"{self.registry.address}/org/sample:v1")
        self.assert_sample(*arguments, env={"XDG_CACHE_HOME": cache})
        for name in os.listdir(cache + "/opcat/blobs/sha256"):
            with open(f"{cache}/opcat/blobs/sha256/{name}", "r+b") as f:
                f.write(b"broken")
        self.assert_sample(*arguments, env={"XDG_CACHE_HOME": cache})


if __name__ == "__main__":
    main()
