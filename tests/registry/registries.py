"""Registries on loopback, and images to put into them, for the tests of pulling.

The registries are the real docker-registry, filled by skopeo; a Front is in front of one if a test needs it to
misbehave or to be watched.
"""
import base64
import hashlib
import http.client
import http.server
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import plain_environment  # noqa: E402, F401
from oci_layout import Layout, make_layer  # noqa: E402

FETCH_IMAGE = os.environ.get("FETCH_IMAGE", "fetch_image")
NEEDED = ["docker-registry", "skopeo", "openssl"]
# Options for keys: an RSA key takes openssl up to half a second.
CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
RSA = ["-newkey", "rsa:2048"]


def main():
    """Runs the tests of a file; they are skipped (77) with a message if something is missing."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        print("skipped: not installed: " + ", ".join(missing))
        sys.exit(77)
    unittest.main()


# The image that most tests pull: a few files, and a layer that is large enough to be interrupted.
FILES = {"configs/a.yaml": b"schema: a\n", "configs/b.yaml": os.urandom(3_000_000)}
LABELS = {"operators.operatorframework.io.index.configs.v1": "/configs"}
LAYERS = [make_layer({"configs/a.yaml": b"old"}), make_layer(FILES), make_layer({"etc/x": b"x"})]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Workplace:
    """A directory with the layout "sample", a CA, and what the tests of one class start."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="opcat-registry-test-")
        self.running = []
        self.layout = Layout(self.dir + "/layout")
        self.sample = self.layout.image(LAYERS, LABELS)
        self.layout.tag(self.sample, "v1")
        mips = self.layout.image(LAYERS[:1], {"is": "mips"}, "mips64",
                                 platform={"os": "linux", "architecture": "mips64"})
        self.layout.tag(self.layout.index([mips]), "foreign")
        with open(self.dir + "/policy.json", "w") as f:
            f.write('{"default":[{"type":"insecureAcceptAnything"}]}')
        self.ca_dir = self.dir + "/ca"
        os.mkdir(self.ca_dir)
        self.openssl("req", "-x509", *CURVE, "-nodes", "-days", "2", "-subj", "/CN=Test CA", "-keyout", "ca.key", "-out", "ca/ca.crt")
        self.certificate = self.make_certificate("server")

    def close(self):
        for thing in reversed(self.running):
            thing.close()
        shutil.rmtree(self.dir)

    def openssl(self, *args):
        subprocess.run(["openssl", *args], cwd=self.dir, check=True, capture_output=True)

    def make_certificate(self, name, key=CURVE):
        with open(f"{self.dir}/{name}.ext", "w") as f:
            f.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        self.openssl("req", *key, "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr")
        self.openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca/ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", "2", "-extfile", name + ".ext", "-out", name + ".pem")
        return f"{self.dir}/{name}.pem", f"{self.dir}/{name}.key"

    def path(self, name):
        return f"{self.dir}/{name}"

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def write_auth(self, name, *hosts, user="alice", password="opensesame"):
        secret = base64.b64encode(f"{user}:{password}".encode()).decode()
        return self.write(name, json.dumps({"auths": {host: {"auth": secret} for host in hosts}}))

    def registry(self, **kwargs):
        self.running.append(Registry(self, **kwargs))
        return self.running[-1]

    def front(self, *args, **kwargs):
        self.running.append(Front(self, *args, **kwargs))
        return self.running[-1]

    def fill(self, registry, tag="v1", to="org/sample:v1", extra=()):
        subprocess.run(["skopeo", "--policy", self.path("policy.json"), "copy", "-q", "--all",
                        "--dest-tls-verify=false", *extra, f"oci:{self.layout.directory}:{tag}",
                        f"docker://{registry.address}/{to}"], check=True, capture_output=True)


class Registry:
    """The real docker-registry."""

    def __init__(self, work, tls=False, auth=""):
        self.dir = tempfile.mkdtemp(dir=work.dir)
        self.config = f"version: 0.1\nlog: {{level: error, accesslog: {{disabled: true}}}}\nstorage: {{filesystem: {{rootdirectory: {self.dir}/data}}, delete: {{enabled: true}}}}\n"
        self.config += auth
        self.http = "http:\n  relativeurls: true\n"
        if tls:
            self.http += f"  tls: {{certificate: {work.certificate[0]}, key: {work.certificate[1]}}}\n"
        # Kept while it is away, too: another program would take the port. Both sockets share it, since this one does not listen.
        self.port = socket.socket()
        self.port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.port.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.port.getsockname()[1]}"
        self.start()

    def start(self):
        with open(self.dir + "/config.yml", "w") as f:
            f.write(f"{self.config}{self.http}  addr: \"{self.address}\"\n")
        # It serves a few megabytes, so memory is cheaper than collecting it.
        self.process = subprocess.Popen(["docker-registry", "serve", self.dir + "/config.yml"], env={**os.environ, "GOGC": "1000"},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        host, port = self.address.split(":")
        while True:
            try:
                socket.create_connection((host, int(port)), 10).close()
            except OSError:
                time.sleep(0.05)
            else:
                if self.process.poll() is None:
                    return
            if self.process.poll() is not None:
                raise ChildProcessError("docker-registry has ended")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.port.close()


class Front:
    """An HTTP proxy of a registry: forwards requests, unless `fault` answers them, and records them.

    `fault(request)` gets the handler and returns whether it has answered."""

    def __init__(self, work, backend=None, fault=None, tls=False):
        front = self
        self.requests = []
        self.fault = fault

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                self.body = self.rfile.read(length)
                front.requests.append((self.command, self.path, dict(self.headers), self.body))
                if front.fault and front.fault(self):
                    return
                self.pass_on()

            do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

            def pass_on(self):
                status, headers, body = self.ask_backend()
                self.answer(status, body, headers, self.length)

            def ask_backend(self, drop=("Host",)):
                connection = http.client.HTTPConnection(backend.address)
                connection.request(self.command, self.path, body=self.body or None,
                                   headers={k: ", ".join(self.headers.get_all(k)) for k in self.headers if k not in drop})
                response = connection.getresponse()
                body = response.read()
                headers = {k: v for k, v in response.getheaders() if k not in ("Content-Length", "Date", "Connection")}
                self.length = response.getheader("Content-Length") if self.command == "HEAD" else None
                connection.close()
                return response.status, headers, body

            def answer(self, status, body=b"", headers=None, length=None):
                self.send_response(status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)

            def redirect(self, where, status=307):
                self.answer(status, headers={"Location": where})

            def break_off(self):
                """Closes the connection, even within an answer."""
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

            def answer_without_resuming(self, ranges, size):
                """Sends all of the backend's answer, whichever range is requested; the first time it breaks off after `size` bytes.
                `ranges` gets the requested ones."""
                status, headers, body = self.ask_backend(drop=("Host", "Range"))
                ranges.append(self.headers.get("Range"))
                first = len(ranges) == 1
                self.answer(200, body[:size] if first else body, headers, length=len(body))
                if first:
                    self.break_off()

            def is_blob(self, descriptor=None):
                return "/blobs/" in self.path and (descriptor is None or descriptor["digest"] in self.path)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass  # the other side may close the connection at any time

        self.server = Server(("127.0.0.1", 0), Handler)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*work.certificate)
            if tls == "client":
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(work.ca_dir + "/ca.crt")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def count(self, part):
        return sum(part in path for _, path, _, _ in self.requests)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class TokenServer(Front):
    """Issues tokens that docker-registry accepts, to clients with alice's password (or to all)."""

    SERVICE = "test registry"

    def __init__(self, work, anonymous=False, tls=False):
        self.work = work
        self.anonymous = anonymous
        work.make_certificate("token", RSA)  # its tokens are signed with RS256
        super().__init__(work, fault=self.give, tls=tls)
        work.running.append(self)
        self.realm = f"{'https' if tls else 'http'}://{self.address}/token"
        self.auth = (f"auth:\n  token:\n    realm: {self.realm}\n    service: {self.SERVICE}\n    issuer: tests\n"
                     f"    rootcertbundle: {work.path('ca/ca.crt')}\n")

    def give(self, request):
        basic = "Basic " + base64.b64encode(b"alice:opensesame").decode()
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        if request.command == "POST":
            query = urllib.parse.parse_qs(request.body.decode())
            allowed = query.get("refresh_token") == ["identity"] and query["grant_type"] == ["refresh_token"]
        else:
            allowed = self.anonymous or request.headers.get("Authorization") == basic
        if not allowed or query["service"] != [self.SERVICE]:
            request.answer(401, b"no")
            return True
        scopes = [scope.split(":") for scope in query["scope"]]
        token = self.sign({"iss": "tests", "sub": "alice", "aud": self.SERVICE, "exp": int(time.time()) + 60,
                           "nbf": int(time.time()) - 60, "iat": int(time.time()), "jti": str(time.monotonic_ns()),
                           "access": [{"type": kind, "name": name, "actions": actions.split(",")} for kind, name, actions in scopes]})
        request.answer(200, json.dumps({"access_token" if request.command == "POST" else "token": token}).encode())
        return True

    def sign(self, claims):
        def encode(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        with open(self.work.path("token.pem")) as f:
            certificate = "".join(line.strip() for line in f if not line.startswith("-----"))
        text = (encode(json.dumps({"typ": "JWT", "alg": "RS256", "x5c": [certificate]}).encode()) + "." +
                encode(json.dumps(claims).encode()))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.work.path("token.key")],
                                   input=text.encode(), check=True, capture_output=True).stdout
        return text + "." + encode(signature)


class PullTest(unittest.TestCase):
    """A test class with a directory of its own."""

    @classmethod
    def setUpClass(cls):
        cls.work = Workplace()
        cls.addClassCleanup(cls.work.close)

    def environment(self, temporary, env=None):
        """A user without other configuration than that of the test; with a cache only if the test names one."""
        own = {"HOME": self.work.dir + "/home", "TMPDIR": temporary, "XDG_CACHE_HOME": tempfile.mkdtemp(dir=self.work.dir)}
        return {**os.environ, **own, **(env or {})}

    def fetch(self, *args, env=None, timeout=600):
        """Exit status, output and errors of fetch_image; it must leave no files and show no secrets."""
        temporary = tempfile.mkdtemp(dir=self.work.dir)
        if "XDG_CACHE_HOME" not in (env or {}):
            args = ("--no-cache", *args)
        process = subprocess.run([FETCH_IMAGE, *args], capture_output=True, text=True, timeout=timeout,
                                 env=self.environment(temporary, env))
        self.assertEqual(os.listdir(temporary), [])
        self.assertIn(process.returncode, (0, 3), process.stderr)
        for secret in ("opensesame", "identity", base64.b64encode(b"alice:opensesame").decode(), "sig=s3cret"):
            self.assertNotIn(secret, process.stdout + process.stderr)
        return process.returncode, process.stdout, process.stderr

    def assert_sample(self, *args, **kwargs):
        status, out, err = self.fetch(*args, **kwargs)
        self.assertEqual(status, 0, err)
        self.assertIn("label operators.operatorframework.io.index.configs.v1=/configs\n", out)
        for name, content in FILES.items():
            self.assertIn(f"file {name} {hashlib.sha256(content).hexdigest()}\n", out)
        return out

    def assert_fails(self, expected, *args, **kwargs):
        status, out, err = self.fetch(*args, **kwargs)
        self.assertEqual((status, out), (3, ""))
        self.assertRegex(err, "^((pulled|reused) .*\n)*error: cannot pull ")
        self.assertIn(expected, err)
        return err
