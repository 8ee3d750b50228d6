"""Clients that try to crash serve, or to exhaust its memory: it keeps answering others, and stays small."""
import os
import re
import socket
import struct
import unittest

from http2_frames import (CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, INITIAL_WINDOW_SIZE, PING, PREFACE, RST_STREAM, SETTINGS, WINDOW_UPDATE,
                          call_headers, frame, read_exactly)
from server_case import CATALOGS, ServerCase

CALL = call_headers(b'/api.Registry/ListBundles')
MESSAGE = b'\x00\x00\x05\x00\x01'  # the header of a DATA frame with an empty message, to which the stream's number belongs
GROWTH = 64 << 20


def call(stream, headers=CALL):
    return frame(HEADERS, 4, stream, headers) + MESSAGE + struct.pack('>I', stream) + b'\0' * 5


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

    def frames(self, *pieces, window=65535):
        """The frames of the answer to a call on stream 1, until it ends."""
        client = self.connect(self.grpc)
        client.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack('>HI', INITIAL_WINDOW_SIZE, window)) + b''.join(pieces))
        found = []
        while True:
            head = read_exactly(client, 9)
            payload, stream = read_exactly(client, int.from_bytes(head[:3], 'big')), int.from_bytes(head[5:], 'big')
            if stream != 1:
                continue
            found.append((head[3], payload))
            if head[3] == RST_STREAM or head[4] & END_STREAM:
                return found

    def assert_ends_with(self, value, frames):
        """A header of the answer has this value, which nghttp2 does not compress because it is short."""
        self.assertTrue(any(kind == HEADERS and bytes([len(value)]) + value in payload for kind, payload in frames), frames)

    def test_requests_that_are_not_one_message_are_refused(self):
        path, empty = b'/api.Registry/ListPackages', b'\0' * 5
        internal = b'13'
        for name, pieces in (('none', [frame(HEADERS, END_HEADERS | END_STREAM, 1, call_headers(path))]),
                             ('two', [frame(HEADERS, END_HEADERS, 1, call_headers(path)), frame(DATA, END_STREAM, 1, empty + empty)]),
                             ('a part', [frame(HEADERS, END_HEADERS, 1, call_headers(path)), frame(DATA, END_STREAM, 1, empty + b'\0\0')])):
            with self.subTest(name):
                self.assert_ends_with(internal, self.frames(*pieces))

    def test_what_is_not_a_call_gets_a_status_of_http(self):
        path = b'/api.Registry/ListPackages'
        for headers, status in ((call_headers(path, content_type=b'text/html'), b'415'), (call_headers(path, verb=b'\x82'), b'405')):
            with self.subTest(status):
                self.assert_ends_with(status, self.frames(frame(HEADERS, END_HEADERS | END_STREAM, 1, headers)))

    def test_a_deadline_ends_a_request_that_does_not_come_and_an_answer_that_is_not_read(self):
        timeout = (b'grpc-timeout', b'100m')
        deadline_exceeded = b'4'
        self.assert_ends_with(deadline_exceeded, self.frames(frame(HEADERS, END_HEADERS, 1, call_headers(b'/api.Registry/ListBundles', timeout))))
        answer = self.frames(frame(HEADERS, END_HEADERS, 1, call_headers(b'/api.Registry/ListBundles', timeout)),
                             frame(DATA, END_STREAM, 1, b'\0' * 5), window=0)
        cancel = struct.pack('>I', 8)
        self.assertEqual((answer[0][0], answer[-1]), (HEADERS, (RST_STREAM, cancel)))
        metrics = self.get(self.http, '/metrics')[2].decode()
        self.assertIn('code="DEADLINE_EXCEEDED"', metrics)

    def test_several_large_requests_on_one_connection_are_too_many(self):
        """Each is within the limit of 64 KiB, and none is complete."""
        client = self.connect(self.grpc)
        streams = (1, 3, 5)
        windows = {0: 65535, **{stream: 65535 for stream in streams}}
        path = call_headers(b'/api.Registry/GetPackage')
        client.sendall(PREFACE + frame(SETTINGS, 0, 0) + b''.join(frame(HEADERS, END_HEADERS, stream, path) for stream in streams))
        for stream in streams:
            client.sendall(frame(DATA, 0, stream, struct.pack('>BI', 0, 60_000)))
            windows[0], windows[stream] = windows[0] - 5, windows[stream] - 5
        left = {stream: 59_000 for stream in streams}
        while True:
            ready = [stream for stream in streams if left[stream] and min(windows[0], windows[stream]) > 0]
            if ready:
                stream = max(ready, key=lambda one: left[one])
                size = min(left[stream], windows[0], windows[stream], 16384)
                client.sendall(frame(DATA, 0, stream, b'x' * size))
                for one in (0, stream):
                    windows[one] -= size
                left[stream] -= size
                continue
            self.assertTrue(any(left.values()), 'all of it was taken')
            head = read_exactly(client, 9)
            payload, stream = read_exactly(client, int.from_bytes(head[:3], 'big')), int.from_bytes(head[5:], 'big')
            if head[3] == WINDOW_UPDATE and stream in windows:
                windows[stream] += int.from_bytes(payload, 'big')
            if head[3] == HEADERS:
                resource_exhausted = b'8'
                self.assert_ends_with(resource_exhausted, [(HEADERS, payload)])
                break

    def test_headers_beyond_the_limit_are_refused(self):
        large = b'\x00\x01a\x7f' + struct.pack('B', 0x81 & 0x7f) + b'x' * 128
        self.assertEqual(self.frames(frame(HEADERS, END_HEADERS | END_STREAM, 1, CALL + large * 120))[-1][0], RST_STREAM)

    def test_compressed_calls_that_are_not_read_cost_no_more_than_others(self):
        headers = call_headers(b'/api.Registry/ListBundles', (b'grpc-encoding', b'gzip'))
        for client in [self.connect(self.grpc) for _ in range(100)]:
            client.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack('>HI', INITIAL_WINDOW_SIZE, 1)) + b''.join(call(n, headers) for n in range(1, 200, 2)))

    def test_questions_to_reflection_whose_answers_are_not_read_end_the_call(self):
        list_services = b'\0\0\0\0\2\x3a\0'
        path = call_headers(b'/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')
        questions = [frame(HEADERS, END_HEADERS, 1, path)] + [frame(DATA, 0, 1, list_services * 2000) for _ in range(4)]
        resource_exhausted = b'8'
        wants_answers = [frame(WINDOW_UPDATE, 0, stream, struct.pack('>I', 2**30)) for stream in (0, 1)]
        self.assert_ends_with(resource_exhausted, self.frames(*questions, *wants_answers, window=0))
        for client in [self.connect(self.grpc) for _ in range(60)]:
            client.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack('>HI', INITIAL_WINDOW_SIZE, 0)) + b''.join(questions))

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
