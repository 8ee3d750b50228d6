"""Logins, and which servers get credentials."""
import base64
import json
import os
import pathlib
import tempfile

from registries import PullTest, TokenServer, main

# bcrypt of "opensesame"
HTPASSWD = "alice:$2b$05$abcdefghijklmnopqrstuuQbLfdQZSxZ9gjhA5V9o8Tyc6aQRO0Qi\n"
SKOPEO_LOGIN = ["--dest-creds", "alice:opensesame"]


class BasicAuthentication(PullTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = cls.work.write("htpasswd", HTPASSWD)
        cls.registry = cls.work.registry(auth=f"auth: {{htpasswd: {{realm: tests, path: {path}}}}}\n")
        cls.work.fill(cls.registry, extra=SKOPEO_LOGIN)
        cls.reference = f"{cls.registry.address}/org/sample:v1"

    def test_the_password_of_the_registry(self):
        auth = self.work.write_auth("auth.json", self.registry.address)
        self.assert_sample("--use-http", "--authfile", auth, self.reference)

    def test_the_password_is_where_podman_or_docker_stored_it(self):
        places = ({"REGISTRY_AUTH_FILE": "named.json"}, {"XDG_RUNTIME_DIR": "containers/auth.json"}, {"XDG_CONFIG_HOME": "containers/auth.json"},
                  {"DOCKER_CONFIG": "config.json"}, {"HOME": ".docker/config.json"})
        # In each of them in turn, with a wrong password in all places that come later.
        for right in range(len(places)):
            with self.subTest(places[right]):
                root = tempfile.mkdtemp(dir=self.work.dir)
                env = {"HOME": root}
                for number, place in enumerate(places[right:]):
                    (variable, name), = place.items()
                    file = pathlib.Path(root, variable, name)
                    file.parent.mkdir(parents=True)
                    self.work.write_auth(file.relative_to(self.work.dir), self.registry.address, **({"password": "guess"} if number else {}))
                    env[variable] = str(file if variable == "REGISTRY_AUTH_FILE" else pathlib.Path(root, variable))
                self.assert_sample("--use-http", self.reference, env=env)

    def test_the_password_of_the_repository(self):
        auth = self.work.write("auth.json", json.dumps({"auths": {
            self.registry.address: {"auth": base64.b64encode(b"alice:wrong").decode()},
            self.registry.address + "/org": {"auth": base64.b64encode(b"alice:opensesame").decode()}}}))
        self.assert_sample("--use-http", "--authfile", auth, self.reference)

    def test_no_password_or_a_wrong_one(self):
        wrong = self.work.write_auth("wrong.json", self.registry.address, password="guess")
        for arguments in ([], ["--authfile", wrong]):
            err = self.assert_fails(f"{self.registry.address} denies access to org/sample (401", "--use-http",
                                    *arguments, self.reference)
            self.assertIn("podman login", err)

    def test_a_credential_helper(self):
        os.makedirs(self.work.path("bin"), exist_ok=True)
        helper = self.work.write("bin/docker-credential-tests",
                                 '#!/bin/sh\ncat >/dev/null\necho \'{"Username":"alice","Secret":"opensesame"}\'\n')
        os.chmod(helper, 0o755)
        env = {"PATH": self.work.path("bin") + ":" + os.environ["PATH"]}
        auth = self.work.write("helper.json", json.dumps({"credHelpers": {self.registry.address: "tests"}}))
        self.assert_sample("--use-http", "--authfile", auth, self.reference, env=env)
        auth = self.work.write("store.json", json.dumps({"credsStore": "tests"}))
        self.assert_sample("--use-http", "--authfile", auth, self.reference, env=env)

    def test_a_credential_helper_that_answers_something_else(self):
        os.makedirs(self.work.path("bin"), exist_ok=True)
        helper = self.work.write("bin/docker-credential-babbles", "#!/bin/sh\ncat >/dev/null\necho opensesame\n")
        os.chmod(helper, 0o755)
        auth = self.work.write("babbles.json", json.dumps({"credHelpers": {self.registry.address: "babbles"}}))
        # What it says may be a secret: `fetch` checks that it is not shown.
        self.assert_fails("docker-credential-babbles answered with something that is not a JSON object", "--use-http", "--authfile", auth,
                          self.reference, env={"PATH": self.work.path("bin") + ":" + os.environ["PATH"]})

    def test_a_proxy_is_asked_for_all_hosts_but_this_machine(self):
        registry = self.work.registry()
        self.work.fill(registry)
        proxy = self.work.front(registry)
        self.assert_sample("--use-http", "registry.example/org/sample:v1", env={"http_proxy": f"http://{proxy.address}"})
        self.assertTrue(all(path.startswith("http://registry.example/v2/") for _, path, *_ in proxy.requests), proxy.requests)
        self.assert_sample("--use-http", f"{registry.address}/org/sample:v1", env={"http_proxy": "http://127.0.0.1:1"})

    def test_credentials_do_not_follow_a_redirect_to_another_host(self):
        elsewhere = self.work.registry()
        self.work.fill(elsewhere)
        other = self.work.front(elsewhere)

        def redirect(request):
            if request.is_blob():
                self.assertIn("Authorization", request.headers)
                request.redirect(f"http://{other.address}{request.path}?sig=s3cret")
                return True
            return False
        front = self.work.front(self.registry, fault=redirect)
        auth = self.work.write_auth("auth.json", front.address, other.address)
        self.assert_sample("--use-http", "--authfile", auth, f"{front.address}/org/sample:v1")
        self.assertGreater(len(other.requests), 3)
        for _, _, headers, _ in other.requests:
            self.assertNotIn("Authorization", headers)

    def test_a_host_to_which_a_redirect_led_cannot_ask_for_the_password(self):
        thief = self.work.front(self.registry, fault=lambda request: request.answer(401) or True)
        challenge = {"WWW-Authenticate": f'Bearer realm="http://{thief.address}/token",service="s"'}
        elsewhere = self.work.front(self.registry, fault=lambda request: request.answer(401, headers=challenge) or True)

        def redirect(request):
            if request.is_blob():
                request.redirect(f"http://{elsewhere.address}{request.path}")
                return True
            return False
        front = self.work.front(self.registry, fault=redirect)
        auth = self.work.write_auth("auth.json", front.address)
        self.assert_fails("401", "--use-http", "--retries", "0", "--authfile", auth, f"{front.address}/org/sample:v1")
        self.assertGreater(len(elsewhere.requests), 0)
        self.assertEqual(thief.requests, [])

    def test_the_secret_of_a_redirect_is_not_shown(self):
        def redirect(request):
            if request.is_blob():
                request.redirect("http://127.0.0.1:1/gone?sig=s3cret")
                return True
            return False
        front = self.work.front(self.registry, fault=redirect)
        auth = self.work.write_auth("auth.json", front.address)
        self.assert_fails("127.0.0.1:1", "--use-http", "--retries", "0", "--authfile", auth,
                          f"{front.address}/org/sample:v1")

    def test_credentials_are_only_for_their_host(self):
        auth = self.work.write_auth("auth.json", "elsewhere.invalid", self.registry.address + "0")
        front = self.work.front(self.registry)
        self.assert_fails("denies access", "--use-http", "--authfile", auth, f"{front.address}/org/sample:v1")
        for _, _, headers, _ in front.requests:
            self.assertNotIn("Authorization", headers)


class Tokens(PullTest):
    def start(self, **kwargs):
        tokens = TokenServer(self.work, **kwargs)
        registry = self.work.registry(auth=tokens.auth)
        self.work.fill(registry, extra=SKOPEO_LOGIN)
        del tokens.requests[:]
        return tokens, registry

    def test_a_token_for_credentials(self):
        tokens, registry = self.start()
        auth = self.work.write_auth("auth.json", registry.address)
        self.assert_sample("--use-http", "--authfile", auth, f"{registry.address}/org/sample:v1")
        self.assertEqual(len(tokens.requests), 1)
        self.assertIn("scope=repository%3Aorg%2Fsample%3Apull", tokens.requests[0][1])
        self.assert_fails(f"the token server {tokens.address} does not accept the credentials", "--use-http",
                          f"{registry.address}/org/sample:v1")

    def test_a_token_for_everybody(self):
        tokens, registry = self.start(anonymous=True)
        self.assert_sample("--use-http", f"{registry.address}/org/sample:v1")
        for _, _, headers, _ in tokens.requests:
            self.assertNotIn("Authorization", headers)

    def test_a_token_for_an_identity_token(self):
        tokens, registry = self.start()
        auth = self.work.write("auth.json", json.dumps({"auths": {registry.address: {"identitytoken": "identity"}}}))
        self.assert_sample("--use-http", "--authfile", auth, f"{registry.address}/org/sample:v1")
        self.assertEqual([command for command, _, _, _ in tokens.requests], ["POST"])

    def test_a_token_that_has_run_out_is_renewed(self):
        tokens, registry = self.start(anonymous=True)
        seen = set()

        def expire(request):
            token = request.headers.get("Authorization")
            if token and request.is_blob() and token not in seen and len(seen) == 0:
                seen.add(token)
                status, headers, body = request.ask_backend(drop=("Host", "Authorization"))
                request.answer(status, body, headers)
                return True
            return False
        front = self.work.front(registry, fault=expire)
        self.assert_sample("--use-http", f"{front.address}/org/sample:v1")
        self.assertEqual(len(tokens.requests), 2)

    def test_credentials_do_not_go_to_a_token_server_in_plain_http(self):
        spy = self.work.front(fault=lambda request: request.answer(200, b'{"token":"x"}') or True)
        challenge = {"WWW-Authenticate": f'Bearer realm="http://{spy.address}/token",service="x"'}
        front = self.work.front(fault=lambda request: request.answer(401, b"", challenge) or True, tls=True)
        auth = self.work.write_auth("auth.json", front.address)
        self.assert_fails("asks for its credentials in plain HTTP", "--cert-dir", self.work.ca_dir, "--authfile",
                          auth, f"{front.address}/org/sample:v1")
        self.assertEqual(spy.requests, [])

    def test_token_servers_that_misbehave(self):
        for status, body, expected in ((200, b"{}", "answered without a token"), (200, b"<html>", "without a token"),
                                       (200, b'{"token":"a\\r\\nX: y"}', "is damaged"),
                                       (200, b'{"token":"\xc3\xa9"}', "is damaged"), (404, b"", "answered 404"),
                                       (200, b"x" * 5_000_000, "larger than the limit")):
            server = self.work.front(fault=lambda request: request.answer(status, body) or True)
            challenge = {"WWW-Authenticate": f'Bearer realm="http://{server.address}/token",service="x"'}
            front = self.work.front(fault=lambda request: request.answer(401, b"", challenge) or True)
            self.assert_fails(expected, "--use-http", f"{front.address}/org/sample:v1")
        for challenge in ('Bearer realm="file:///etc/passwd"', "Bearer", "Negotiate", '"', ""):
            front = self.work.front(
                fault=lambda request: request.answer(401, b"", {"WWW-Authenticate": challenge}) or True)
            self.assert_fails("", "--use-http", f"{front.address}/org/sample:v1")


if __name__ == "__main__":
    main()
