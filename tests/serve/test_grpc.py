"""The gRPC half of serve, asked by gRPC's own client: python3-grpcio. Covers lib/serve."""
import os
import signal
import socket
import struct
import subprocess
import threading
import unittest

from server_case import BINARY, CATALOGS, OPM, ServerCase

try:
    import grpc
except ImportError:
    grpc = None


def text(number, value):
    """A string field of a message."""
    data = value.encode()
    return bytes([number << 3 | 2, len(data)]) + data


def names(messages):
    """The first field of each message."""
    return [message[2:2 + message[1]].decode() for message in messages]


@unittest.skipUnless(grpc, 'needs python3-grpcio')
class Grpc(ServerCase):
    def start(self, *arguments, **options):
        server = self.serve(*arguments, '--address', '127.0.0.1', '--port', '0', **options).ready()
        return server, self.channel(server.port('grpc'))

    def channel(self, port, *options):
        channel = grpc.insecure_channel(f'127.0.0.1:{port}', options=[('grpc.enable_http_proxy', 0), *options])
        self.addCleanup(channel.close)
        return channel

    @staticmethod
    def unary(channel, method, request=b'', **options):
        return channel.unary_unary(method)(request, timeout=600, **options)

    @staticmethod
    def stream(channel, method, request=b'', **options):
        return list(channel.unary_stream(method)(request, timeout=600, **options))

    def test_both_names_serve(self):
        for binary in (None, OPM):
            _, channel = self.start(CATALOGS / 'hello', **({'binary': binary} if binary else {}))
            self.assertEqual(len(self.stream(channel, '/api.Registry/ListPackages')), 1)

    def test_failures_have_a_status_and_opms_words(self):
        _, channel = self.start(CATALOGS / 'hello')
        with self.assertRaises(grpc.RpcError) as failed:
            self.unary(channel, '/api.Registry/GetPackage', text(1, 'näme'))
        self.assertEqual(failed.exception.code(), grpc.StatusCode.UNKNOWN)
        self.assertEqual(failed.exception.details(), 'package "näme" not found')
        for method, request, status in (('/api.Registry/Nothing', b'', grpc.StatusCode.UNIMPLEMENTED),
                                        ('/api.Registry/GetPackage', b'\xff', grpc.StatusCode.INTERNAL),
                                        ('/api.Registry/GetPackage', text(1, 'x') + b'\x7a\xff\xff\xff\x02' + b'x' * 5_242_879,
                                         grpc.StatusCode.RESOURCE_EXHAUSTED)):
            with self.subTest(method), self.assertRaises(grpc.RpcError) as failed:
                self.unary(channel, method, request)
            self.assertEqual(failed.exception.code(), status)

    def test_requests_may_be_compressed(self):
        _, channel = self.start(CATALOGS / 'gizmo')
        plain = self.stream(channel, '/api.Registry/ListBundles')
        self.assertEqual(self.stream(channel, '/api.Registry/ListBundles', compression=grpc.Compression.Gzip), plain)

    def test_a_tiny_window_slows_a_stream_and_does_not_change_it(self):
        server, channel = self.start(CATALOGS / 'gizmo')
        plain = self.stream(channel, '/api.Registry/ListBundles')
        small = self.channel(server.port('grpc'), ('grpc.http2.lookahead_bytes', 1024), ('grpc.http2.bdp_probe', 0),
                             ('grpc.http2.max_frame_size', 16384))
        self.assertEqual(self.stream(small, '/api.Registry/ListBundles'), plain)

    def test_health_is_checked_and_watched(self):
        server, channel = self.start(CATALOGS / 'hello')
        self.assertEqual(self.unary(channel, '/grpc.health.v1.Health/Check', text(1, 'anything')), b'\x08\x01')
        watch = channel.unary_stream('/grpc.health.v1.Health/Watch')(b'')
        self.assertEqual(next(watch), b'\x08\x01')
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(next(watch), b'\x08\x02')
        self.assertEqual(server.process.wait(60), 0)

    def test_idle_connections_are_closed_and_those_that_watch_are_not(self):
        server, channel = self.start(CATALOGS / 'hello', '--idle', '3')
        watch = channel.unary_stream('/grpc.health.v1.Health/Watch')(b'')
        self.assertEqual(next(watch), b'\x08\x01')
        greeting = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + bytes(3) + b'\4' + bytes(5)
        for first in (b'', greeting, greeting):  # which takes longer than gRPC's own client may take for the answer to a ping
            with socket.create_connection(('127.0.0.1', server.port('grpc')), timeout=600) as idle:
                idle.sendall(first)
                while idle.recv(1000):
                    pass
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(next(watch), b'\x08\x02')
        self.assertEqual(server.process.wait(60), 0)

    def test_reflection_reports_services_and_files(self):
        _, channel = self.start(CATALOGS / 'hello')
        for version in ('v1', 'v1alpha'):
            ask = channel.stream_stream(f'/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo')
            requests = [b'\x3a\x00', text(4, 'api.Registry.GetBundle'), text(3, 'google/protobuf/struct.proto'), text(4, 'no.Such')]
            services, symbol, file, unknown = list(ask(iter(requests), timeout=600))
            self.assertIn(b'api.ExperimentalRegistry', services)
            self.assertIn(b'registry.proto', symbol)
            self.assertIn(b'google.protobuf', file)
            self.assertIn(b'there is no such symbol', unknown)

    def test_the_files_of_reflection_can_be_read_by_protobuf_itself(self):
        try:
            from google.protobuf import descriptor_pb2, descriptor_pool
        except ImportError:
            self.skipTest('needs python3-protobuf')
        _, channel = self.start(CATALOGS / 'hello')
        ask = channel.stream_stream('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
        answer, = ask(iter([text(4, 'api.Registry')]), timeout=600)
        pool = descriptor_pool.DescriptorPool()
        files = []
        for number, value in fields(dict_of(answer)[4]):
            file = descriptor_pb2.FileDescriptorProto.FromString(value)
            files.append(file)
        for file in sorted(files, key=lambda f: len(f.dependency)):
            pool.Add(file)
        bundle = pool.FindMessageTypeByName('api.Bundle')
        self.assertEqual(bundle.fields_by_name['skips'].number, 14)
        self.assertTrue(pool.FindServiceByName('api.Registry').methods_by_name['ListBundles'].server_streaming)

    def test_many_clients_during_reloads_get_whole_answers(self):
        server, channel = self.start(CATALOGS / 'gizmo')
        expected = self.stream(channel, '/api.Registry/ListBundles')
        failures = []

        def ask():
            own = self.channel(server.port('grpc'), ('grpc.use_local_subchannel_pool', 1))
            for _ in range(30):
                try:
                    if self.stream(own, '/api.Registry/ListBundles') != expected:
                        failures.append('another answer')
                except grpc.RpcError as error:
                    failures.append(str(error))
        clients = [threading.Thread(target=ask) for _ in range(8)]
        for client in clients:
            client.start()
        for round_ in range(5):
            server.process.send_signal(signal.SIGHUP)
            server.ready(2 + round_)
        for client in clients:
            client.join()
        self.assertEqual(failures, [])

    def test_one_catalog_on_each_port(self):
        server = self.serve(f'a={CATALOGS / "hello"}', f'b={CATALOGS / "gizmo"}', '--grpc', 'a=127.0.0.1:0', '--grpc', 'b=127.0.0.1:0').ready(2)
        ports = [int(server.wait_for(r'protocol=grpc address=\S*:(\d+)', n).group(1)) for n in (1, 2)]
        packages = [names(self.stream(self.channel(port), '/api.Registry/ListPackages')) for port in ports]
        self.assertEqual(packages[1], ['gizmo-operator'])
        self.assertNotEqual(*packages)

    def test_what_opm_refuses_is_refused_with_status_1_and_a_reason_in_the_termination_log(self):
        log = self.dir / 'log'
        for catalog, reason in ((CATALOGS / 'two-heads', 'two heads'), (self.dir / 'absent', 'no such file or directory')):
            with self.subTest(catalog):
                done = subprocess.run([OPM, 'serve', catalog, '--port', '0', '--termination-log', log], capture_output=True, timeout=600)
                self.assertEqual(done.returncode, 1)
                self.assertIn(reason, done.stderr.decode())
                self.assertIn(reason, log.read_text())

    def test_cache_only_checks_and_leaves_a_directory(self):
        cache = self.dir / 'cache'
        command = [OPM, 'serve', CATALOGS / 'hello', '--cache-only', f'--cache-dir={cache}']
        self.assertEqual(subprocess.run(command, capture_output=True, timeout=600).returncode, 0)
        self.assertEqual(os.listdir(cache), ['opcat'])
        command[2] = CATALOGS / 'two-heads'
        self.assertEqual(subprocess.run(command, capture_output=True, timeout=600).returncode, 1)
        command = [OPM, 'serve', CATALOGS / 'hello', '--cache-enforce-integrity']
        self.assertEqual(subprocess.run(command, capture_output=True, timeout=600).returncode, 1)

    def test_the_binary_is_a_health_probe_by_its_name(self):
        server, _ = self.start(CATALOGS / 'hello')
        os.symlink(OPM, self.dir / 'grpc_health_probe')
        port = server.port('grpc')

        def probe(*arguments):
            return subprocess.run([self.dir / 'grpc_health_probe', *arguments], capture_output=True, timeout=600).returncode
        with socket.socket() as silent, socket.socket() as closed:
            silent.bind(('127.0.0.1', 0))
            silent.listen()
            closed.bind(('127.0.0.1', 0))
            for arguments, status in (((f'-addr=127.0.0.1:{port}', '-rpc-timeout=5s'), 0), (('--addr', f':{port}', '-service', 'x'), 0),
                                      ((f'-addr=127.0.0.1:{port}', '-tls=false'), 0), ((f'-addr=127.0.0.1:{port}', '-tls=perhaps'), 1),
                                      ((f'-addr=127.0.0.1:{port}', '-tls', '-tls-client-key=key'), 1),
                                      ((), 1), (('-addr',), 1), (('-addr', ':1', '-x'), 1), (('-addr', ':1', '-rpc-timeout', 'x'), 1),
                                      ((f'-addr=127.0.0.1:{closed.getsockname()[1]}',), 2),
                                      ((f'-addr=127.0.0.1:{silent.getsockname()[1]}', '-rpc-timeout=200ms'), 3)):
                with self.subTest(arguments):
                    self.assertEqual(probe(*arguments), status)

    def test_the_health_probe_asks_at_a_path_and_says_what_is_wrong(self):
        path = self.dir / 'socket'
        self.serve(CATALOGS / 'hello', '--grpc', f'hello=unix:{path}').ready()
        os.symlink(OPM, self.dir / 'grpc_health_probe')

        def probe(address, *arguments):
            done = subprocess.run([self.dir / 'grpc_health_probe', f'-addr={address}', '-connect-timeout=20s', '-rpc-timeout=20s', *arguments],
                                  capture_output=True, text=True, timeout=600)
            return done.returncode, done.stderr
        self.assertEqual(probe(f'unix:{path}'), (0, 'status: SERVING\n'))
        status, words = probe('nowhere.invalid:1')
        self.assertEqual(status, 2)
        self.assertNotIn('in time', words)
        with socket.create_server(('127.0.0.1', 0), backlog=0) as busy, socket.create_connection(busy.getsockname()):
            status, words = probe(f'127.0.0.1:{busy.getsockname()[1]}', '-connect-timeout=300ms')
            self.assertEqual((status, 'there was no connection in time' in words), (2, True), words)

        def answering(action):
            listening = socket.create_server(('127.0.0.1', 0))
            self.addCleanup(listening.close)

            def accept():
                client, _ = listening.accept()
                client.recv(1000)
                action(client)
                client.close()
            thread = threading.Thread(target=accept)
            thread.start()
            self.addCleanup(thread.join)
            return f'127.0.0.1:{listening.getsockname()[1]}'

        def web_server(client):
            client.sendall(b'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
            while client.recv(1000):
                pass
        for action, arguments, status, expected in (
                (web_server, (), 3, 'the server does not speak gRPC'),
                (lambda client: client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)), (), 3, '(connection reset by peer|broken pipe)'),
                (lambda client: client.recv(1000), ('-tls', '-tls-no-verify', '-connect-timeout=300ms'), 2, 'there was no answer in time'),
                (lambda client: None, ('-tls', '-tls-no-verify'), 2, 'cannot connect: ')):
            with self.subTest(expected):
                code, words = probe(answering(action), *arguments)
                self.assertEqual(code, status, words)
                self.assertRegex(words, expected)

    def test_paths_of_sockets_that_cannot_be(self):
        for path, words in (('/tmp/' + 'x' * 200, 'the path is longer than 107 bytes'), (f'{self.dir}/nowhere/socket', 'No such file or directory')):
            with self.subTest(words):
                done = subprocess.run([BINARY, 'serve', CATALOGS / 'hello', '--grpc', f'hello=unix:{path}'], capture_output=True, text=True, timeout=600)
                self.assertEqual(done.returncode, 3)
                self.assertIn(words.lower(), done.stderr.lower())

    def test_a_server_that_still_loads_is_not_healthy(self):
        os.symlink(OPM, self.dir / 'grpc_health_probe')
        with socket.create_server(('127.0.0.1', 0)) as silent:  # a registry that does not answer
            server = self.serve(f'c=127.0.0.1:{silent.getsockname()[1]}/catalog:v1', '--use-http', '--port', '0', '--address', '127.0.0.1')
            done = subprocess.run([self.dir / 'grpc_health_probe', f'-addr=127.0.0.1:{server.port("grpc")}', '-rpc-timeout=20s'],
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual((done.returncode, done.stderr), (4, 'status: NOT_SERVING\n'))
            self.assertEqual(server.end(), 0)

    def test_what_is_not_http2_is_closed(self):
        server, channel = self.start(CATALOGS / 'hello')
        for data in (b'GET / HTTP/1.1\r\n\r\n', b'\0' * 100, b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + b'\xff' * 100):
            with socket.create_connection(('127.0.0.1', server.port('grpc'))) as client:
                client.settimeout(60)
                client.sendall(data)
                try:
                    while client.recv(1000):
                        pass
                except ConnectionError:
                    pass
        self.assertEqual(len(self.stream(channel, '/api.Registry/ListPackages')), 1)


def fields(data):
    """Number and bytes of each length-delimited field."""
    at = 0
    while at < len(data):
        number, at, size, shift = data[at] >> 3, at + 1, 0, 0
        while True:
            size |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                break
        yield number, data[at:at + size]
        at += size


def dict_of(data):
    return dict(fields(data))


if __name__ == '__main__':
    unittest.main()
