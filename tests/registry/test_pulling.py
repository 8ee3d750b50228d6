"""Pulling from real registries. Covers lib/image."""
import os
import subprocess
import time

from registries import FETCH_IMAGE, PullTest, main


class PlainHttp(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry()
        cls.work.fill(cls.registry)
        cls.work.fill(cls.registry, to="org/docker:v1", extra=["--format", "v2s2"])
        cls.work.fill(cls.registry, tag="foreign", to="org/foreign:v1")
        cls.address = cls.registry.address

    def test_an_image_by_tag_digest_and_both(self):
        digest = "@" + self.work.sample["digest"]
        for suffix in (":v1", digest, ":v1" + digest):
            out = self.assert_sample("--use-http", f"{self.address}/org/sample{suffix}")
            self.assertIn(self.work.sample["digest"], out)
        self.assert_sample("--use-http", f"docker://{self.address}/org/sample:v1")

    def test_an_image_of_dockers_kind(self):
        self.assert_sample("--use-http", f"{self.address}/org/docker:v1")

    def test_only_what_is_asked_for(self):
        status, out, err = self.fetch("--use-http", "--keep", "/configs", f"{self.address}/org/sample:v1")
        self.assertIn("file configs/a.yaml", out)
        self.assertNotIn("etc/x", out)

    def test_the_only_platform_is_taken_with_a_warning(self):
        reference = f"{self.address}/org/foreign:v1"
        status, out, err = self.fetch("--use-http", reference)
        self.assertEqual(status, 0, err)
        self.assertIn("warning there is no image for linux/", out)
        self.assertIn("label is=mips", out)
        self.assertNotIn("warning", self.fetch("--use-http", "--platform", "linux/mips64", reference)[1])
        self.assert_fails("the index has no image for linux/s390x; its images are for linux/mips64", "--use-http", "--platform",
                          "linux/s390x", reference)

    def test_what_is_not_there(self):
        self.assert_fails("has no manifest v9 in org/sample (404: manifest unknown)", "--use-http",
                          f"{self.address}/org/sample:v9")
        self.assert_fails("has no manifest latest in org/none (404", "--use-http", f"{self.address}/org/none")

    def test_requests_are_spread_over_time_if_that_is_asked_for(self):
        front = self.work.front(self.registry)
        start = time.monotonic()
        self.assert_sample("--use-http", "--registry-rps", "10", f"{front.address}/org/sample:v1")
        self.assertGreater(len(front.requests), 4)
        self.assertGreater(time.monotonic() - start, (len(front.requests) - 1) / 10)

    def test_an_insecure_registry_may_speak_https_with_any_certificate(self):
        front = self.work.front(self.registry, tls=True)
        conf = self.work.write("insecure.conf", f'[[registry]]\nlocation = "{front.address}"\ninsecure = true\n')
        self.assert_sample(f"{front.address}/org/sample:v1", env={"CONTAINERS_REGISTRIES_CONF": conf})
        conf = self.work.write("plain.conf", f'[[registry]]\nlocation = "{self.address}"\ninsecure = true\n')
        self.assert_sample(f"{self.address}/org/sample:v1", env={"CONTAINERS_REGISTRIES_CONF": conf})

    def test_plain_http_is_not_used_unasked(self):
        self.assert_fails("may speak plain HTTP (--use-http)", "--retries", "0", f"{self.address}/org/sample:v1")

    def test_several_images_at_once_share_layers_and_report_progress(self):
        front = self.work.front(self.registry)
        status, out, err = self.fetch("--use-http", f"{front.address}/org/sample:v1",
                                      f"{front.address}/org/docker:v1", f"{front.address}/org/sample:v1")
        self.assertEqual(status, 0, err)
        self.assertEqual(out.count("image "), 3)
        self.assertLess(out.index("org/sample"), out.index("org/docker"))
        blobs = [path.split("/")[-1] for _, path, _, _ in front.requests if "/blobs/" in path]
        self.assertEqual(len(blobs), len(set(blobs)))
        done = [line.split() for line in err.splitlines()]
        self.assertEqual(sorted(line[1] for line in done), [f"{front.address}/org/{name}:v1" for name in ("docker", "sample", "sample")])
        self.assertEqual({line[0] for line in done} - {"pulled", "reused"}, set())
        self.assertIn("(3 layers, 2.9 MiB", err)

    def test_progress_on_a_terminal_overwrites_itself_and_goes(self):
        def slow(request):
            time.sleep(0.3)
            return False
        front = self.work.front(self.registry, fault=slow)
        status, out, err = self.fetch("--use-http", "--progress", "always", f"{front.address}/org/sample:v1")
        self.assertIn(f"\x1b[K{front.address}/org/sample:v1  ", err)
        self.assertIn("/3 layers  ", err)
        self.assertTrue(err.endswith("\x1b[1A\x1b[J"), repr(err))
        self.assertEqual(self.fetch("--use-http", "--progress", "never", f"{front.address}/org/sample:v1")[2].count("\n"), 1)

    def test_the_cache_leaves_only_the_request_for_the_manifest(self):
        front = self.work.front(self.registry)
        env = {"XDG_CACHE_HOME": self.work.path("cache")}
        arguments = ("--use-http", f"{front.address}/org/sample:v1")
        first = self.assert_sample(*arguments, env=env)
        self.assertGreater(front.count("/blobs/"), 3)
        del front.requests[:]
        self.assertEqual(self.assert_sample(*arguments, env=env), first)
        self.assertEqual([path for _, path, _, _ in front.requests], ["/v2/org/sample/manifests/v1"])

    def test_what_was_transferred_and_what_was_not_is_reported(self):
        env = {"XDG_CACHE_HOME": self.work.path("cache-for-report")}
        images = {name: f"{self.address}/org/{name}:v1" for name in ("sample", "docker")}
        def report(image, **more):
            return self.fetch("--use-http", image, env={**env, **more})[2]
        self.assertEqual(report(images["sample"]), f"pulled {images['sample']} (3 layers, 2.9 MiB)\n")
        for image in images.values():
            self.assertEqual(report(image), f"reused {image} (3 layers, 2.9 MiB; nothing transferred)\n")
        # The largest blob is removed: the others need not be transferred.
        blobs = self.work.path("cache-for-report/opcat/blobs/sha256")
        os.remove(max((os.path.join(blobs, name) for name in os.listdir(blobs)), key=os.path.getsize))
        self.assertRegex(report(images["sample"]), r"^pulled \S+ \(3 layers, 2.9 MiB; 2\.\d MiB transferred\)\n$")
        listed = subprocess.run([os.environ["OPCAT"], "cache", "list"], env={**self.environment("/tmp", env)}, capture_output=True, text=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        self.assertEqual(rows[0], ["DIGEST", "SIZE", "LAST", "USE", "IMAGE"])
        self.assertIn(f"{images['docker']}, {images['sample']}", listed.stdout)
        self.assertTrue(all(row[0].startswith("sha256:") and row[-1] in images.values() for row in rows[1:]), listed.stdout)
        subprocess.run([os.environ["OPCAT"], "cache", "clean"], env={**self.environment("/tmp", env)}, check=True, capture_output=True)
        self.assertEqual(sorted(os.listdir(self.work.path("cache-for-report/opcat"))), ["lock"])

    def test_processes_share_a_cache(self):
        env = self.environment("/tmp", {"XDG_CACHE_HOME": self.work.path("shared-cache")})
        processes = [subprocess.Popen([FETCH_IMAGE, "--use-http", f"{self.address}/org/sample:v1"], env=env,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(6)]
        outputs = {process.communicate()[0] for process in processes}
        self.assertEqual([process.returncode for process in processes], [0] * 6)
        self.assertEqual(len(outputs), 1)
        self.assertTrue(all(len(name) == 64 for name in os.listdir(self.work.path("shared-cache/opcat/blobs/sha256"))))

    def test_a_cache_that_cannot_be_written_is_done_without(self):
        status, out, err = self.fetch("--use-http", f"{self.address}/org/sample:v1",
                                      env={"XDG_CACHE_HOME": self.work.write("no-directory", "")})
        self.assertEqual(status, 0)
        self.assertIn("warning: images are not cached: cannot write to ", err)

    def test_the_limit_on_size(self):
        self.assert_fails("the limit of 100000 bytes", "--use-http", "--max-unpacked-size", "100000",
                          f"{self.address}/org/sample:v1")


class Https(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry(tls=True)
        cls.work.fill(cls.registry)
        cls.reference = f"{cls.registry.address}/org/sample:v1"

    def test_a_private_ca(self):
        self.assert_sample("--cert-dir", self.work.ca_dir, self.reference)
        self.assert_sample(self.reference, env={"SSL_CERT_FILE": self.work.ca_dir + "/ca.crt"})

    def test_a_private_ca_for_one_host(self):
        certificates = self.work.path("home/.config/containers/certs.d/")
        os.makedirs(certificates)
        os.symlink(self.work.ca_dir, certificates + self.registry.address)
        self.assert_sample(self.reference)
        os.unlink(certificates + self.registry.address)

    def test_an_unknown_ca(self):
        err = self.assert_fails("certificate", self.reference)
        self.assertIn("help: if 127.0.0.1:", err)
        self.assert_sample("--skip-tls-verify", self.reference)

    def test_what_is_not_a_ca(self):
        os.makedirs(self.work.path("bad-ca"))
        self.work.write("bad-ca/ca.crt", "nonsense")
        self.assert_fails("bad-ca/ca.crt holds no certificate that can be read", "--cert-dir",
                          self.work.path("bad-ca"), self.reference)

    def test_a_client_certificate(self):
        backend = self.work.registry()
        self.work.fill(backend)
        front = self.work.front(backend, tls="client")
        reference = f"{front.address}/org/sample:v1"
        self.assert_fails("", "--retries", "0", "--cert-dir", self.work.ca_dir, reference)
        self.work.make_certificate("client")
        os.makedirs(self.work.path("client-dir"))
        for source, name in (("ca/ca.crt", "ca.crt"), ("client.pem", "client.cert"), ("client.key", "client.key")):
            os.symlink(self.work.path(source), self.work.path("client-dir/" + name))
        self.assert_sample("--cert-dir", self.work.path("client-dir"), reference)


class RegistriesConf(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.work.registry()
        cls.work.fill(cls.registry)
        cls.work.fill(cls.registry, to="mirrored/org/sample:v1")

    def conf(self, text):
        return {"env": {"CONTAINERS_REGISTRIES_CONF": self.work.write("registries.conf", text)}}

    def test_a_mirror_serves_in_place_of_the_registry(self):
        conf = self.conf(f"""
            [[registry]]
            prefix = "registry.invalid"
            [[registry.mirror]]
            location = "{self.registry.address}/mirrored"
            insecure = true""")
        self.assert_sample("registry.invalid/org/sample:v1", **conf)

    def test_a_configuration_that_the_environment_names_must_be_there(self):
        absent = self.work.path("absent.conf")
        self.assert_fails(f"cannot open {absent}", "--use-http", f"{self.registry.address}/org/sample:v1", env={"CONTAINERS_REGISTRIES_CONF": absent})

    def test_a_mirror_that_fails_is_passed_over(self):
        bad = self.work.front(fault=lambda request: request.answer(500) or True)
        conf = self.conf(f"""
            [[registry]]
            location = "{self.registry.address}"
            insecure = true
            [[registry.mirror]]
            location = "{bad.address}"
            insecure = true""")
        self.assert_sample(f"{self.registry.address}/org/sample:v1", **conf)
        self.assertGreater(len(bad.requests), 0)
        err = self.assert_fails("the mirror " + bad.address, f"{self.registry.address}/org/none:v1", **conf)
        self.assertIn("; the registry: ", err)

    def test_a_mirror_with_wrong_blobs_is_passed_over(self):
        def corrupt(request):
            if not request.is_blob():
                return False
            status, headers, body = request.ask_backend()
            request.answer(status, body[:-1] + bytes([body[-1] ^ 1]), headers)
            return True
        bad = self.work.front(self.registry, fault=corrupt)
        conf = self.conf(f"""
            [[registry]]
            location = "{self.registry.address}"
            insecure = true
            [[registry.mirror]]
            location = "{bad.address}"
            insecure = true""")
        self.assert_sample(f"{self.registry.address}/org/sample:v1", **conf)
        self.assertGreater(bad.count("/blobs/"), 0)

    def test_a_blocked_registry_is_not_asked(self):
        front = self.work.front(self.registry)
        conf = self.conf(f"""
            [[registry]]
            location = "{front.address}"
            blocked = true""")
        self.assert_fails(f"registries.conf blocks {front.address}", "--use-http", f"{front.address}/org/sample:v1",
                          **conf)
        self.assertEqual(front.requests, [])


if __name__ == "__main__":
    main()
