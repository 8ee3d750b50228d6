"""The HTTP half of serve: answers, limits, reloads and ends, as clients see them.
Covers lib/serve/http_listener.cpp, lib/serve/http_fields.cpp and lib/serve/metrics.cpp."""
import gzip
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from server_case import BINARY, CATALOGS, ServerCase


class Http(ServerCase):
    def test_curl_gets_the_same_in_every_way(self):
        _, port = self.start_http(f'c={CATALOGS / "gizmo"}')
        url = f'http://127.0.0.1:{port}/catalogs/c/api/v1/all'
        plain = subprocess.run(['curl', '-sS', url], capture_output=True, check=True).stdout
        self.assertTrue(plain.startswith(b'{'))
        for options in (['--compressed'], ['--http1.0'], ['-H', 'Connection: close'], ['-r', f'0-{len(plain)}']):
            with self.subTest(options):
                self.assertEqual(subprocess.run(['curl', '-sS', *options, url], capture_output=True, check=True).stdout, plain)

    def test_several_catalogs_have_their_names(self):
        server = self.serve(CATALOGS / 'hello', f'other={CATALOGS / "gizmo"}', '--no-grpc', '--http', '127.0.0.1:0').ready(2)
        port = server.port('http')
        for name, status in (('hello', 200), ('other', 200), ('gizmo', 404)):
            self.assertEqual(self.get(port, f'/catalogs/{name}/api/v1/metas?schema=olm.package')[0], status)

    def test_what_catalogd_would_serve_is_served_although_it_is_wrong(self):
        _, port = self.start_http(f'c={CATALOGS / "two-heads"}')
        self.assertEqual(self.get(port, '/catalogs/c/api/v1/all')[0], 200)

    def test_health_and_metrics(self):
        _, port = self.start_http(f'c={CATALOGS / "hello"}')
        self.assertEqual(self.get(port, '/healthz')[0], 200)
        self.assertEqual(self.get(port, '/readyz')[0], 200)
        self.get(port, '/catalogs/c/api/v1/all')
        text = self.get(port, '/metrics')[2].decode()
        self.assertIn('opcat_catalog_ready{catalog="c"} 1', text)
        self.assertIn('catalogd_http_request_duration_seconds_bucket{code="200",le="0.1"}', text)
        self.assertIn('opcat_requests_total{protocol="http",method="GET",code="200"}', text)

    def test_it_is_not_ready_before_all_catalogs_are_loaded(self):
        silent = socket.create_server(('127.0.0.1', 0))  # a registry that does not answer
        self.addCleanup(silent.close)
        image = f'127.0.0.1:{silent.getsockname()[1]}/org/c:v1'
        server = self.serve(f'c={CATALOGS / "hello"}', f'd={image}', '--use-http', '--no-grpc', '--http', '127.0.0.1:0')
        port = server.port('http')
        server.ready()
        status, headers, text = self.get(port, '/readyz')
        self.assertEqual((status, headers['Retry-After'], text), (503, '1', b'catalog d is being loaded\n'))
        self.assertEqual(self.get(port, '/healthz')[0], 200)
        self.assertEqual(server.end(), 0)  # although the registry is silent

    def test_parts_of_the_answers_can_be_turned_off(self):
        _, port = self.start_http(f'c={CATALOGS / "hello"}', '--no-metas', '--no-metrics')
        status = {path: self.get(port, path)[0] for path in ('/catalogs/c/api/v1/all', '/catalogs/c/api/v1/metas?name=a', '/healthz', '/readyz', '/metrics')}
        self.assertEqual(list(status.values()), [200, 404, 404, 404, 404], status)

    def test_check_loads_and_serves_nothing(self):
        run = lambda *arguments: subprocess.run([BINARY, 'serve', '--check', *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        good = run(f'c={CATALOGS / "hello"}', '--http', '127.0.0.1:0')
        self.assertEqual((good.returncode, good.stderr), (0, ''))
        self.assertRegex(good.stdout, r'^c: 1 package, 3 bundles, [\d.]+ KiB over HTTP, loaded in [\d.]+ s\nmemory: [\d.]+ MiB\n$')
        for seconds, status in (('5', 0), ('86400', 0), ('86401', 2), ('0', 2)):
            self.assertEqual(run(f'--watch={seconds}', f'c={CATALOGS / "hello"}').returncode, status)
        self.assertEqual(run(CATALOGS / 'two-heads').returncode, 1)
        self.assertEqual(run(CATALOGS / 'two-heads', '--no-grpc', '--http', '127.0.0.1:0').returncode, 0)

    def test_requests_are_logged_when_asked_for_but_health(self):
        server, port = self.start_http(f'c={CATALOGS / "hello"}', '--log-requests')
        self.get(port, '/healthz')
        self.get(port, '/catalogs/c/api/v1/metas?name=a%0ab')
        self.get(port, '/catalogs/c/api/v1/nothing')
        server.wait_for('msg="request" protocol=http method=GET target=/catalogs/c/api/v1/nothing code=404 seconds=')
        self.assertIn('target="/catalogs/c/api/v1/metas?name=a%0ab" code=200', server.log)
        self.assertNotIn('healthz', server.log)

    def test_events_in_json_are_one_object_a_line(self):
        server = self.serve(f'c={CATALOGS / "hello"}', '--no-grpc', '--http', '127.0.0.1:0', '--log', 'json', '--log-requests')
        port = int(server.wait_for(r'"protocol":"http","address":"[^"]*:(\d+)"').group(1))
        server.wait_for('"msg":"serving catalog"')
        with socket.create_connection(('127.0.0.1', port)) as client:  # with a byte that is not UTF-8
            client.sendall(b'GET /catalogs/c/api/v1/no"\xff HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
            while client.recv(1000):
                pass
        server.wait_for('"msg":"request"')
        self.assertEqual(server.end(), 0)
        lines = [json.loads(line) for line in server.log.splitlines()[:-1]]
        for line in lines:
            self.assertRegex(line['time'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
            self.assertEqual(line['level'], 'info')
        told = {line['msg']: line for line in lines}
        self.assertEqual((told['serving catalog']['catalog'], told['serving catalog']['bundles']), ('c', '3'))
        self.assertEqual(told['ending'].keys(), {'time', 'level', 'msg'})

    def test_gzip_of_one_package_inflates_to_it(self):
        _, port = self.start_http(f'c={CATALOGS / "gizmo"}')
        path = '/catalogs/c/api/v1/metas?package=gizmo-operator'
        status, headers, body = self.get(port, path, {'Accept-Encoding': 'gzip'})
        self.assertEqual((status, headers['Content-Encoding']), (200, 'gzip'))
        self.assertEqual(gzip.decompress(body), self.get(port, path)[2])

    def test_a_change_is_served_and_a_mistake_is_not(self):
        catalog = self.copy('hello')
        server, port = self.start_http(f'c={catalog}', '--watch')
        before = self.get(port, '/catalogs/c/api/v1/all')[2]
        (catalog / 'more.yaml').write_text('schema: example.note\nname: new\n')
        server.ready(2)
        after = self.get(port, '/catalogs/c/api/v1/all')[2]
        self.assertIn(b'example.note', after)
        self.assertNotEqual(before, after)
        (catalog / 'more.yaml').write_text('schema: [')
        server.wait_for('the earlier version is still served')
        self.assertEqual(self.get(port, '/catalogs/c/api/v1/all')[2], after)
        self.assertIn(b'more.yaml', self.get(port, '/readyz')[2])
        (catalog / 'more.yaml').unlink()
        server.ready(3)
        self.assertEqual(self.get(port, '/catalogs/c/api/v1/all')[2], before)

    def test_a_change_that_keeps_time_and_size_is_served(self):
        catalog = self.copy('hello')
        file = catalog / 'catalog.yaml'
        text = file.read_text()
        self.assertIn('Says hello', text)
        os.utime(file, (0, 0))
        server, port = self.start_http(f'c={catalog}', '--watch')
        with open(file, 'r+') as there:  # the same file
            there.write(text.replace('Says hello', 'Says HELLO'))
        os.utime(file, (0, 0))
        server.ready(2)
        self.assertIn(b'Says HELLO', self.get(port, '/catalogs/c/api/v1/all')[2])

    def test_a_directory_that_never_rests_is_loaded_all_the_same(self):
        catalog = self.copy('hello')
        file = catalog / 'catalog.yaml'
        server, port = self.start_http(f'c={catalog}', '--watch=1')
        file.write_text(file.read_text().replace('Says hello', 'Says HELLO'))
        stop = threading.Event()

        def write():
            while not stop.wait(0.2):
                with open(file, 'a') as there:
                    there.write('#\n')
        writer = threading.Thread(target=write)
        writer.start()
        self.addCleanup(writer.join)
        self.addCleanup(stop.set)
        server.ready(2)
        self.assertIn(b'Says HELLO', self.get(port, '/catalogs/c/api/v1/all')[2])

    def test_a_file_is_watched_as_a_directory_is(self):
        catalog = self.copy('hello')
        file = catalog / 'catalog.yaml'
        server, port = self.start_http(f'c={file}', '--watch')
        file.write_text(file.read_text().replace('Says hello', 'Says HELLO'))
        server.ready(2)
        self.assertIn(b'Says HELLO', self.get(port, '/catalogs/c/api/v1/all')[2])

    def test_what_is_newer_than_an_earlier_version_is_each_later_one(self):
        catalog = self.copy('hello')
        file = catalog / 'catalog.yaml'
        text = file.read_text()
        path = '/catalogs/c/api/v1/all'

        def put(what, seconds):
            file.write_text(text.replace('hello', what, 1))
            for one in file, catalog:
                os.utime(one, (seconds, seconds))
        put('hello', 1_700_000_000)
        server, port = self.start_http(f'c={catalog}')
        for loads, (what, seconds) in enumerate((('hallo', 1_700_000_000), ('hullo', 1_600_000_000), ('hullo', 1_600_000_000)), 2):
            earlier = self.get(port, path)[1]['Last-Modified']
            put(what, seconds)
            server.process.send_signal(signal.SIGHUP)
            server.ready(loads)
            same = loads == 4
            self.assertEqual(self.get(port, path, {'If-Modified-Since': earlier})[0], 304 if same else 200)
            latest = self.get(port, path)[1]['Last-Modified']
            self.assertEqual(self.get(port, path, {'If-Modified-Since': latest})[0], 304)

    def test_a_volume_of_kubernetes_is_read_through_its_links_and_exchanged_as_a_whole(self):
        volume = self.dir / 'volume'
        for version, catalog in (('..1', 'hello'), ('..2', 'gizmo')):
            shutil.copytree(CATALOGS / catalog, volume / version)
        os.symlink('..1', volume / '..data')
        for name in os.listdir(volume / '..1'):
            os.symlink(f'..data/{name}', volume / name)
        server, port = self.start_http(f'c={volume}', '--watch')
        first = self.get(port, '/catalogs/c/api/v1/all')[2]
        self.assertEqual(first.count(b'"schema":"olm.package"'), 1)
        shutil.copytree(volume / '..1', volume / '..3')
        with open(next((volume / '..3').iterdir()), 'a') as file:
            file.write('\n---\nschema: example.note\nname: new\n')
        os.symlink('..3', volume / '..data_new')
        os.rename(volume / '..data_new', volume / '..data')
        # The copy next to the others may have been a separate change.
        loads = 2
        while b'example.note' not in self.get(port, '/catalogs/c/api/v1/all')[2]:
            server.ready(loads)
            loads += 1

    def test_sighup_loads_and_sigterm_ends(self):
        server, _ = self.start_http(f'c={CATALOGS / "hello"}')
        server.process.send_signal(signal.SIGHUP)
        server.ready(2)
        self.assertEqual(server.end(), 0)

    def large_answer(self, *arguments):
        """A server, and a client that has read 1,000 bytes of the 20 MB that it asked for."""
        large = self.dir / 'large'
        large.mkdir()
        (large / 'catalog.json').write_text('{"schema": "example.note", "text": "%s"}' % ('x' * 20_000_000))
        server, port = self.start_http(f'c={large}', *arguments)
        client = socket.create_connection(('127.0.0.1', port))
        self.addCleanup(client.close)
        client.sendall(b'GET /catalogs/c/api/v1/all HTTP/1.1\r\nHost: h\r\n\r\n')
        self.assertEqual(len(client.recv(1000, socket.MSG_WAITALL)), 1000)
        return server, client

    def test_an_answer_that_nobody_reads_delays_the_end_as_long_as_drain_says(self):
        server, _ = self.large_answer('--drain', '1')
        begun = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertGreater(time.monotonic() - begun, 0.9)

    def test_a_second_signal_ends_it_at_once(self):
        server, _ = self.large_answer('--drain', '3600')
        server.process.send_signal(signal.SIGTERM)
        server.wait_for('msg="ending"')
        self.assertEqual(server.end(), -signal.SIGTERM)

    def test_an_answer_that_is_under_way_is_sent_before_the_end(self):
        server, client = self.large_answer()
        with client:
            got = 1000
            server.process.send_signal(signal.SIGTERM)
            server.wait_for('msg="ending"')
            while piece := client.recv(1 << 20):
                got += len(piece)
        self.assertGreater(got, 20_000_000)
        self.assertEqual(server.process.wait(60), 0)

    def test_requests_that_are_too_large_or_make_no_sense_are_refused(self):
        _, port = self.start_http(f'c={CATALOGS / "hello"}')
        for request, status in ((b'GET /' + b'x' * 100_000 + b' HTTP/1.1\r\n\r\n', b'400'),
                                (b'GET / HTTP/1.1\r\n' + b'A: b\r\n' * 10_000 + b'\r\n', b'400'),
                                (b'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n', b'413'),
                                (b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 \r\n\r\n', b'')):
            with self.subTest(request[:20]), socket.create_connection(('127.0.0.1', port)) as client:
                client.settimeout(60)
                try:
                    client.sendall(request)
                    answer = client.recv(100)
                except ConnectionError:
                    answer = b''
                self.assertIn(status, answer[:20])
        self.assertEqual(self.get(port, '/healthz')[0], 200)

    def test_a_socket_in_the_file_system(self):
        path = self.dir / 'socket'
        server = self.serve(f'c={CATALOGS / "hello"}', '--no-grpc', '--http', f'unix:{path}').ready()
        done = subprocess.run(['curl', '-sS', '--unix-socket', path, 'http://h/healthz'], capture_output=True, check=True)
        self.assertEqual(done.stdout, b'ok\n')
        server.end(signal.SIGKILL)
        self.serve(f'c={CATALOGS / "hello"}', '--no-grpc', '--http', f'unix:{path}').ready()  # leftovers do not prevent it

    def test_wrong_command_lines(self):
        hello = CATALOGS / 'hello'
        for arguments, status, reported in (((hello, '--no-grpc'), 2, 'there is nothing to serve'),
                                        ((f'a={hello}', f'a={hello}'), 2, 'two catalogs have the name a'),
                                        ((f'A={hello}', '--no-grpc', '--http', '0'), 2, '"A" cannot be the name'),
                                        ((f'a={hello}', f'b={hello}'), 2, 'gRPC serves one catalog'),
                                        ((hello, '--grpc', 'x=:0'), 2, 'does not name a catalog'),
                                        ((hello, '--no-grpc', '--http', '::1:80'), 2, 'not an address'),
                                        ((hello, '--no-grpc', '--http', '0', '--watch=x'), 2, '--watch takes seconds'),
                                        ((self.dir / 'absent', '--no-grpc', '--http', '127.0.0.1:0'), 3, 'cannot read')):
            with self.subTest(arguments):
                done = subprocess.run([BINARY, 'serve', *map(str, arguments)], capture_output=True, timeout=600)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(reported, done.stderr.decode())
                self.assertNotIn('listening', done.stderr.decode())

    def test_a_port_that_is_taken_is_named(self):
        _, port = self.start_http(f'c={CATALOGS / "hello"}')
        done = subprocess.run([BINARY, 'serve', CATALOGS / 'hello', '--no-grpc', '--http', f'127.0.0.1:{port}'], capture_output=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f'cannot listen on 127.0.0.1:{port}: address already in use', done.stderr.decode())


if __name__ == '__main__':
    unittest.main()
