"""opcat serve while a call of the system fails: a fault at the start ends it with status 3 and a sentence, or costs one connection;
later it costs at most the connection that it hits; a reload that fails keeps the earlier version; SIGTERM ends it with status 0."""
import gzip
import http.client
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import unittest

from fault_case import Control, difference, faults_in, positions, side_by_side
from opcat_case import ROOT

sys.path.insert(0, str(ROOT / 'tests/serve'))
from http2_frames import ask_grpc  # noqa: E402
from server_case import Server, ServerCase, catalog_text  # noqa: E402

BUNDLES = 40
# In the time of a test a connection that the server has lost is closed.
IDLE = '1'
# Seconds after which an answer never comes, on the slowest machine.
HANGS = 50
LOADED_OR_NOT = r'msg="serving catalog"|could not be reloaded|\(end\)'
PATH = '/catalogs/c/api/v1'


def marker(version):
    return f'version-{version:04}'


def write_catalog(directory, version):
    """Each bundle names the version, in texts of the same length; together they are larger than what failing_calls.c calls LARGE."""
    text = catalog_text('shop', BUNDLES, f'registry.example/shop:{marker(version)}', {'type': 'example.text', 'value': 'x' * 4000})
    directory.mkdir(exist_ok=True)
    new = directory.parent / f'{directory.name}.new'
    new.write_text(text)
    new.rename(directory / 'catalog.json')


def at_version(answer, version):
    """The answer that a server gives about another version than 0."""
    if isinstance(answer, bytes):
        return answer.replace(marker(0).encode(), marker(version).encode())
    return type(answer)(at_version(part, version) for part in answer) if isinstance(answer, (list, tuple)) else answer


def string_field(number, value):
    """A field of a message of gRPC."""
    size, rest = len(value), b''
    while size > 127:
        size, rest = size >> 7, rest + bytes([size & 127 | 128])
    return bytes([number << 3 | 2]) + rest + bytes([size]) + value


class FaultyServer(ServerCase):
    """`arguments`: of all servers; `security`: how clients connect, None for plain connections."""
    arguments, security, started = (), None, 0

    def start(self, catalog, *more, call='', at=1):
        control = Control(self.dir / f'control-{threading.get_ident()}-{self.started}', call, at)
        self.started += 1
        server = Server(f'c={catalog}', '--address', '127.0.0.1', '--port', '0', '--http', '127.0.0.1:0', '--idle', IDLE, *self.arguments, *more,
                        env=control.environment())
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(server.reader.join)
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.kill)
        return server, control

    def catalog(self, version=1):
        write_catalog(self.dir / 'catalog', version)
        return self.dir / 'catalog'

    def connect(self, port):
        connection = socket.create_connection(('127.0.0.1', port), timeout=HANGS)
        return self.security.wrap_socket(connection, server_hostname='localhost') if self.security else connection

    def fetch(self, port, path, headers=None):
        connection = http.client.HTTPConnection('127.0.0.1', port)
        try:
            connection.sock = self.connect(port)
            connection.request('GET', path, headers=headers or {})
            response = connection.getresponse()
            body = response.read()
            return response.status, gzip.decompress(body) if response.getheader('Content-Encoding') == 'gzip' else body
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    def questions(self, server):
        """What clients ask, each on a connection of its own: functions that return the answer, or raise OSError."""
        to_http, to_grpc = server.port('http'), server.port('grpc')
        of_bundle = string_field(1, b'shop') + string_field(2, b'stable') + string_field(15, b'x' * 60_000)  # field 15 is not known

        def grpc(method, *arguments):
            return lambda: ask_grpc(lambda: self.connect(to_grpc), method, *arguments)
        return [lambda: self.fetch(to_http, f'{PATH}/all'), lambda: self.fetch(to_http, f'{PATH}/all', {'Accept-Encoding': 'gzip'}),
                lambda: self.fetch(to_http, f'{PATH}/metas?schema=olm.package'), grpc(b'/api.Registry/ListBundles'),
                grpc(b'/api.Registry/ListBundles', b'', True), grpc(b'/api.Registry/GetBundleForChannel', of_bundle),
                grpc(b'/api.Registry/GetBundleForChannel', of_bundle, True)]

    def ask(self, server):
        """The answers; None for each that did not come."""
        answers = []
        for question in self.questions(server):
            try:
                answers.append(question())
            except TimeoutError as error:
                raise AssertionError('the server does not answer, and does not close the connection') from error
            except OSError:
                answers.append(None)
        return answers

    def setUp(self):
        super().setUp()
        write_catalog(self.dir / 'expected', 0)
        server, _ = self.start(self.dir / 'expected')
        self.expected = self.ask(server.ready())
        self.assertFalse([answer for answer in self.expected if answer is None or not answer[1]])
        self.stop(server)

    def stop(self, server):
        self.assertEqual(server.end(), 0, server.log)

    def assert_answers(self, server, version, most_lost=0):
        lost = 0
        for answer, good in zip(self.ask(server), self.expected, strict=True):
            # A server without memory may say so, too: in HTTP by 500, in gRPC by an answer of trailers only.
            if answer is None or answer[0] == 500 or answer[1] == []:
                lost += 1
            else:
                self.assertEqual(answer, at_version(good, version))
        self.assertLessEqual(lost, most_lost, server.log)


class Serving(FaultyServer):
    def test_a_fault_costs_at_most_the_connection_that_it_hits(self):
        catalog = self.catalog()
        server, control = self.start(catalog)
        self.assert_answers(server.ready(), 1)
        before = control.counts()
        self.assert_answers(server, 1)
        counts = difference(control.counts(), before)
        self.assertLess({'accept', 'epoll_wait', 'epoll_ctl', 'malloc', 'read' if self.security else 'readv'}, counts.keys())

        def check(call, at):
            server, control = self.start(catalog)
            server.ready()
            control.arm(call, at)
            self.assert_answers(server, 1, most_lost=1)
            control.disarm()
            self.assert_answers(server, 1)
            self.stop(server)
        side_by_side(self, faults_in(counts), check, 8)

    def test_a_port_that_the_system_refuses_to_watch_is_opened_again(self):
        catalog = self.catalog()

        def check(call, at):
            server, control = self.start(catalog, '--max-connections', '2')
            port = server.ready().port('http')
            control.arm(call, at)
            first, second = self.connect(port), self.connect(port)  # the ports are closed, and opened when these are gone
            first.close()
            second.close()
            self.assert_answers(server, 1, most_lost=1)
            control.disarm()
            self.assert_answers(server, 1)
            self.stop(server)
        side_by_side(self, [('epoll_ctl', at) for at in range(1, 9)], check, 8)

    def test_pages_that_could_not_be_made_are_made_for_a_later_request(self):
        server, control = self.start(self.catalog())
        port = server.ready().port('http')
        good = self.fetch(port, '/catalogs/c/')
        self.assertEqual(good[0], 200)
        server.process.send_signal(signal.SIGHUP)
        server.ready(2)
        before = control.counts()
        self.assertEqual(self.fetch(port, '/catalogs/c/'), good)
        of_pages = difference(control.counts(), before)
        self.assertIn('malloc', of_pages)
        for number, (call, at) in enumerate(faults_in(of_pages, ('malloc', 'open', 'read')), 3):
            with self.subTest(call=call, at=at):
                server.process.send_signal(signal.SIGHUP)
                server.ready(number)
                control.arm(call, at)
                status, page = self.fetch(port, '/catalogs/c/')
                self.assertTrue((status, page) == good or status >= 500 and b'cannot' in page, page)
                control.disarm()
                while status >= 500:
                    status, page = self.fetch(port, '/catalogs/c/')
                self.assertEqual((status, page), good)
        self.stop(server)


@unittest.skipUnless(shutil.which('openssl'), 'openssl is not installed')
class ServingWithTls(FaultyServer):
    def setUp(self):
        self.security = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.security.check_hostname = False
        self.security.verify_mode = ssl.CERT_NONE
        super().setUp()

    def start(self, catalog, *more, **fault):
        files = self.dir / 'server.crt', self.dir / 'server.key'
        if not files[0].exists():
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost',
                            '-out', files[0], '-keyout', files[1]], check=True, capture_output=True)
        return super().start(catalog, '--tls-cert', files[0], '--tls-key', files[1], *more, **fault)

    test_a_fault_costs_at_most_the_connection_that_it_hits = Serving.test_a_fault_costs_at_most_the_connection_that_it_hits

    def test_without_memory_for_tls_nothing_is_served_on_a_plain_connection(self):
        server, control = self.start(self.catalog())
        port = server.ready().port('http')
        for at in range(1, 20):
            with self.subTest(at=at):
                control.arm('malloc', at, large=4096)
                connection = http.client.HTTPConnection('127.0.0.1', port, timeout=HANGS)
                try:
                    connection.request('GET', f'{PATH}/all')
                    self.assertEqual(connection.getresponse().status, 500)
                except (OSError, http.client.HTTPException):
                    pass  # it expected TLS
                finally:
                    connection.close()
        control.disarm()
        self.assert_answers(server, 1)
        self.stop(server)


class Beginning(FaultyServer):
    def test_a_fault_ends_the_server_with_a_sentence_or_costs_one_connection(self):
        catalog = self.catalog()
        server, control = self.start(catalog, '--http', f'unix:{self.dir}/socket')
        server.ready()
        counts = control.counts()
        self.stop(server)
        endings = []

        def check(call, at):
            server, _ = self.start(catalog, '--http', f'unix:{self.dir}/socket-{call}-{at}', call=call, at=at)
            server.wait_for(LOADED_OR_NOT)
            if 'msg="serving catalog"' in server.log:
                self.assert_answers(server, 1, most_lost=1)
                self.assert_answers(server, 1)
                self.stop(server)
                return
            self.assertEqual(server.process.wait(HANGS), 3, server.log)
            self.assertRegex(server.log, r'(?m)^error: \S+ \S+ \S+')
            endings.append(call)
        side_by_side(self, faults_in(counts), check)
        self.assertLess({'bind', 'listen', 'readdir', 'malloc', 'pthread_create'}, set(endings))


class Reloading(FaultyServer):
    """A server with the catalog of version 1."""

    def wait_for_a_load(self, server, act):
        """Whether what `act` causes is a load that succeeds."""
        before = len(re.findall(LOADED_OR_NOT, server.log))
        act()
        return server.wait_for(LOADED_OR_NOT, before + 1)[0].startswith('msg')

    def reload(self, server):
        return self.wait_for_a_load(server, lambda: server.process.send_signal(signal.SIGHUP))

    def test_a_reload_that_fails_keeps_the_earlier_version_and_the_next_one_succeeds(self):
        server, control = self.start(self.catalog())
        before = control.counts() if server.ready() else {}
        self.assertTrue(self.reload(server))
        loads = []
        for version, (call, at) in enumerate(faults_in(difference(control.counts(), before)), 2):
            with self.subTest(call=call, at=at):
                self.catalog(version)
                control.arm(call, at)
                loads.append(self.reload(server))
                control.disarm()
                self.assert_answers(server, version if loads[-1] else version - 1)
                self.assertTrue(self.reload(server))
                self.assert_answers(server, version)
        self.assertIn(False, loads)
        self.assertRegex(server.log, r'(?m)^error: \S+ \S+ \S+')
        self.stop(server)

    def test_a_watched_catalog_is_loaded_when_the_fault_has_passed(self):
        def check(call, at):
            catalog = self.dir / f'watched-{call}-{at}'
            write_catalog(catalog, 1)
            server, control = self.start(catalog, '--watch')
            server.ready()
            control.arm(call, at)
            if not self.wait_for_a_load(server, lambda: write_catalog(catalog, 2)):
                self.assert_answers(server, 1)
                server.ready(2)  # nobody has to change it once more
            self.assert_answers(server, 2)
            self.assertTrue(self.wait_for_a_load(server, lambda: write_catalog(catalog, 3)))
            self.assert_answers(server, 3)
            self.stop(server)
        faults = [(call, at) for call in ('open', 'read', 'opendir', 'readdir', 'malloc', 'write') for at in positions(3)]
        side_by_side(self, faults, check, len(faults))


class Ending(FaultyServer):
    def test_a_fault_does_not_prevent_the_end(self):
        catalog = self.catalog()
        server, control = self.start(catalog)
        server.ready()
        before = control.counts()
        self.stop(server)

        def check(call, at):
            server, control = self.start(catalog)
            server.ready()
            control.arm(call, at)
            self.stop(server)
        side_by_side(self, faults_in(difference(control.counts(), before)), check)


if __name__ == '__main__':
    unittest.main()
