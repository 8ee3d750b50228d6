"""Clients that try to crash serve, or to exhaust its memory: it keeps answering others, and stays small."""
import os
import re
import socket
import struct
import unittest

from http2_frames import HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, CONTINUATION, call_headers, frame
from server_case import CATALOGS, ServerCase

CALL = call_headers(b'/api.Registry/ListBundles')
MESSAGE = b'\x00\x00\x05\x00\x01'  # the header of a DATA frame with an empty message, to which the stream's number belongs
GROWTH = 64 << 20


def call(stream):
    return frame(HEADERS, 4, stream, CALL) + MESSAGE + struct.pack('>I', stream) + b'\0' * 5


class Hostile(ServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve(f'c={CATALOGS / "gizmo"}', '--address', '127.0.0.1', '--port', '0', '--http', '127.0.0.1:0').ready()
        self.grpc, self.http = self.server.port('grpc'), self.server.port('http')
        self.before = self.memory()

    def memory(self):
        with open(f'/proc/{self.server.process.pid}/status') as file:
            return int(re.search(r'VmRSS:\s+(\d+)', file.read())[1]) << 10

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), self.server.log)
        self.assertEqual(self.get(self.http, '/healthz')[0], 200)
        if not os.environ.get('SANITIZED'):  # sanitizers need memory of their own
            self.assertLess(self.memory() - self.before, GROWTH)

    def connect(self, port):
        client = socket.create_connection(('127.0.0.1', port), timeout=20)
        self.addCleanup(client.close)
        return client

    def send_until_refused(self, pieces):
        client = self.connect(self.grpc)
        try:
            client.sendall(PREFACE + frame(SETTINGS, 0, 0))
            for piece in pieces:
                client.sendall(piece)
            return False
        except OSError:  # closed by the server, or it accepts no more
            return True

    def test_a_flood_of_resets_ends_the_connection(self):
        self.assertTrue(self.send_until_refused(call(n) + frame(RST_STREAM, 0, n, struct.pack('>I', 8)) for n in range(1, 400_000, 2)))

    def test_a_flood_of_continuations_ends_the_connection(self):
        def pieces():
            yield frame(HEADERS, 0, 1, CALL)
            for _ in range(200_000):
                yield frame(CONTINUATION, 0, 1, b'\x00\x01a\x01b' * 100)
        self.assertTrue(self.send_until_refused(pieces()))

    def test_a_flood_of_pings_that_are_not_read_ends_the_connection(self):
        self.assertTrue(self.send_until_refused(frame(PING, 0, 0, b'x' * 8) for _ in range(2_000_000)))

    def test_headers_beyond_the_limit_are_refused(self):
        client = self.connect(self.grpc)
        large = b'\x00\x01a\x7f' + struct.pack('B', 0x81 & 0x7f) + b'x' * 128
        client.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 5, 1, CALL + large * 120))
        self.assertTrue(client.recv(1000))

    def test_readers_that_do_not_read_cost_little(self):
        clients = [self.connect(self.grpc) for _ in range(100)]
        for client in clients:
            client.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack('>HI', 4, 2**31 - 1)) + b''.join(call(n) for n in range(1, 200, 2)))
        for client in [self.connect(self.http) for _ in range(100)]:
            client.sendall(b'GET /catalogs/c/api/v1/all HTTP/1.1\r\nHost: h\r\n\r\n' * 50)

    def test_idle_connections_cost_little(self):
        for _ in range(400):
            self.connect(self.http)
            self.connect(self.grpc)

    def test_long_queries_and_many_ranges_are_refused_or_cheap(self):
        for target, headers in (('/catalogs/c/api/v1/metas?schema=' + 'x' * 1_000_000, {}),
                                ('/catalogs/c/api/v1/all', {'Range': 'bytes=' + '0-0,' * 300_000}),
                                ('/catalogs/c/api/v1/metas?' + 'schema=a&' * 1500, {}),
                                ('/catalogs/c/api/v1/all', {'Range': 'bytes=' + ','.join(f'{n}-{n}' for n in range(1000))})):
            try:
                self.assertIn(self.get(self.http, target, headers)[0], (200, 206, 400))
            except OSError:  # closed while it was still being sent
                pass


if __name__ == '__main__':
    unittest.main()
