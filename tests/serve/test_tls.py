"""TLS of serve: both protocols, client certificates, renewed certificates."""
import datetime
import shutil
import signal
import socket
import ssl
import subprocess
import unittest

from server_case import BINARY, CATALOGS, ServerCase

try:
    import grpc
except ImportError:
    grpc = None


class Tls(ServerCase):
    def setUp(self):
        super().setUp()
        for name in ('first', 'second', 'client'):
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
                            '-subj', f'/CN={name}', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
                            '-keyout', self.dir / f'{name}.key', '-out', self.dir / f'{name}.crt'], check=True, capture_output=True)
        self.use('first')

    def use(self, name):
        for kind in ('crt', 'key'):
            shutil.copy(self.dir / f'{name}.{kind}', self.dir / f'new.{kind}')
            (self.dir / f'new.{kind}').rename(self.dir / f'server.{kind}')

    def start(self, *arguments):
        server = self.serve(f'c={CATALOGS / "hello"}', '--address', '127.0.0.1', '--port', '0', '--http', '127.0.0.1:0',
                            '--tls-cert', self.dir / 'server.crt', '--tls-key', self.dir / 'server.key', *arguments).ready()
        return server, server.port('http')

    def curl(self, port, *options, trusted='first'):
        done = subprocess.run(['curl', '-sS', '--cacert', self.dir / f'{trusted}.crt', *options, f'https://localhost:{port}/catalogs/c/api/v1/all'],
                              capture_output=True)
        return done.returncode, done.stdout

    def test_curl_gets_the_catalog(self):
        _, port = self.start()
        for options in ((), ('--tlsv1.2', '--tls-max', '1.2'), ('--compressed',)):
            status, body = self.curl(port, *options)
            self.assertEqual(status, 0)
            self.assertIn(b'olm.package', body)
        self.assertNotEqual(self.curl(port, '--tls-max', '1.1')[0], 0)
        self.assertNotEqual(self.curl(port, trusted='second')[0], 0)

    @unittest.skipUnless(grpc, 'needs python3-grpcio')
    def test_grpc_speaks_tls(self):
        server, _ = self.start()
        trust = grpc.ssl_channel_credentials((self.dir / 'first.crt').read_bytes())
        with grpc.secure_channel(f'localhost:{server.port("grpc")}', trust, options=[('grpc.enable_http_proxy', 0)]) as channel:
            self.assertEqual(len(list(channel.unary_stream('/api.Registry/ListPackages')(b'', timeout=600))), 1)

    def test_the_health_probe_speaks_tls(self):
        (self.dir / 'grpc_health_probe').symlink_to(BINARY)
        server, _ = self.start('--tls-client-ca', self.dir / 'client.crt')
        trust, client = f'-tls-ca-cert={self.dir / "first.crt"}', [f'-tls-client-cert={self.dir / "client.crt"}', f'-tls-client-key={self.dir / "client.key"}']
        cases = (
            ('its server is trusted', ['-tls', trust, *client], 0),
            ('verification is off', ['-tls', '-tls-no-verify', *client], 0),
            ('the name is in the certificate', ['-tls', trust, '-tls-server-name=localhost', *client], 0),
            ('another name', ['-tls', trust, '-tls-server-name=else.example', *client], 2),
            ('another CA', ['-tls', f'-tls-ca-cert={self.dir / "second.crt"}', *client], 2),
            ('no certificate of the client', ['-tls', trust], 3),
            ('no TLS', [], 3),
            ('flags without -tls', [trust], 1),
            ('a file that is missing', ['-tls', '-tls-ca-cert=/missing'], 3))
        for name, arguments, status in cases:
            with self.subTest(name):
                probe = subprocess.run([self.dir / 'grpc_health_probe', f'-addr=127.0.0.1:{server.port("grpc")}', '-connect-timeout=20s',
                                        '-rpc-timeout=20s', *arguments], capture_output=True, text=True, timeout=600)
                self.assertEqual(probe.returncode, status, probe.stderr)

    def test_clients_show_their_certificates_where_they_have_to(self):
        _, port = self.start('--tls-client-ca', self.dir / 'client.crt')
        self.assertNotEqual(self.curl(port)[0], 0)
        self.assertEqual(self.curl(port, '--cert', self.dir / 'client.crt', '--key', self.dir / 'client.key')[0], 0)

    def test_new_certificates_are_used_and_wrong_ones_are_not(self):
        server, port = self.start()
        self.use('second')
        server.process.send_signal(signal.SIGHUP)
        server.wait_for('certificates read anew')
        self.assertEqual(self.curl(port, trusted='second')[0], 0)
        (self.dir / 'server.crt').write_text('none')
        server.process.send_signal(signal.SIGHUP)
        server.wait_for('get the certificates that were read before')
        self.assertEqual(self.curl(port, trusted='second')[0], 0)

    def test_metrics_and_readyz_say_what_is_wrong_with_the_certificate(self):
        def ask(path, port):
            return subprocess.run(['curl', '-sS', '-k', f'https://localhost:{port}{path}'], capture_output=True, text=True, check=True).stdout
        server, port = self.start()
        expires = subprocess.run(['openssl', 'x509', '-in', self.dir / 'first.crt', '-noout', '-enddate', '-dateopt', 'iso_8601'],
                                 capture_output=True, text=True, check=True).stdout.strip().removeprefix('notAfter=')
        seconds = int(datetime.datetime.fromisoformat(expires.replace('Z', '+00:00')).timestamp())
        self.assertIn(f'\nopcat_certificate_expires_seconds {seconds}\n', ask('/metrics', port))
        self.assertIn('\nopcat_certificate_load_errors_total 0\n', ask('/metrics', port))
        self.assertEqual(ask('/readyz', port), 'ready\n')
        (self.dir / 'server.crt').write_text('none')
        server.process.send_signal(signal.SIGHUP)
        server.wait_for('get the certificates that were read before')
        self.assertIn('\nopcat_certificate_load_errors_total 1\n', ask('/metrics', port))
        self.assertIn('certificate: the one that was read before is in use: cannot use the certificate in', ask('/readyz', port))
        subprocess.run(['openssl', 'x509', '-in', self.dir / 'first.crt', '-signkey', self.dir / 'first.key', '-days', '-1', '-out', self.dir / 'old.crt'],
                       check=True, capture_output=True)
        shutil.copy(self.dir / 'first.key', self.dir / 'old.key')
        self.use('old')
        server.process.send_signal(signal.SIGHUP)
        server.wait_for('certificates read anew')
        self.assertRegex(ask('/readyz', port), r'^certificate: it expired on \d{4}-\d\d-\d\d$')

    def test_new_certificates_are_found_without_a_signal(self):
        server, port = self.start('--watch')  # at least every ten seconds, and as often as catalogs
        self.use('second')
        server.wait_for('certificates read anew')
        self.assertEqual(self.curl(port, trusted='second')[0], 0)

    def test_only_one_protocol_is_offered_on_a_port(self):
        server, port = self.start()
        for at, offered, taken in ((port, 'http/1.1', True), (port, 'h2', False), (server.port('grpc'), 'h2', True)):
            context = ssl.create_default_context(cafile=self.dir / 'first.crt')
            context.set_alpn_protocols([offered])
            with self.subTest(offered, port=at):
                with socket.create_connection(('127.0.0.1', at)) as plain:
                    if not taken:
                        with self.assertRaises(ssl.SSLError):
                            context.wrap_socket(plain, server_hostname='localhost')
                        continue
                    with context.wrap_socket(plain, server_hostname='localhost') as secure:
                        self.assertEqual(secure.selected_alpn_protocol(), offered)

    def test_files_that_do_not_fit_are_named(self):
        for arguments, reported in ((('--tls-cert', 'first.crt', '--tls-key', 'second.key'), 'second.key'),
                                (('--tls-cert', 'absent', '--tls-key', 'second.key'), 'absent'),
                                (('--tls-cert', 'first.crt'), 'belong together'),
                                (('--tls-client-ca', 'first.crt'), 'needs --tls-cert')):
            done = subprocess.run([BINARY, 'serve', CATALOGS / 'hello', *arguments], capture_output=True, cwd=self.dir, timeout=600)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reported, done.stderr.decode())


if __name__ == '__main__':
    unittest.main()
