"""What the tests of servers share: starting one, asking it, small catalogs."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import plain_environment  # noqa: E402, F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOGS = ROOT / 'testdata/catalogs'
BINARY = os.environ.get('OPCAT', str(ROOT / 'build/dev/tools/opcat/opcat'))
OPM = os.environ.get('OPM', str(pathlib.Path(BINARY).with_name('opm')))


def catalog_text(package, bundles, image, *properties):
    """A catalog of one package with one channel, in which each of so many bundles replaces the one before it. The bundles have this image,
    and these properties in addition to their version."""
    names = [f'{package}.v1.{i}.0' for i in range(bundles)]
    blobs = [{'schema': 'olm.package', 'name': package, 'defaultChannel': 'stable'},
             {'schema': 'olm.channel', 'package': package, 'name': 'stable',
              'entries': [{'name': name, **({'replaces': names[i - 1]} if i else {})} for i, name in enumerate(names)]}]
    for i, name in enumerate(names):
        version = {'type': 'olm.package', 'value': {'packageName': package, 'version': f'1.{i}.0'}}
        blobs.append({'schema': 'olm.bundle', 'package': package, 'name': name, 'image': image, 'properties': [version, *properties]})
    return ''.join(json.dumps(blob) + '\n' for blob in blobs)


class Server:
    """A server on free ports of loopback. `log` grows with its standard error. `env`: variables in addition to ours."""

    def __init__(self, *arguments, binary=BINARY, env=None):
        self.process = subprocess.Popen([binary, 'serve', *map(str, arguments)], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                        env={**os.environ, **(env or {})})
        self.log, self.changed = '', threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self.changed:
                self.log += line.decode()
                self.changed.notify_all()
        with self.changed:
            self.log += '(end)\n'
            self.changed.notify_all()

    def wait_for(self, pattern, count=1):
        """Waits until a pattern occurs so often in the log; returns the first match."""
        with self.changed:
            found = self.changed.wait_for(lambda: len(re.findall(pattern, self.log)) >= count or self.log.endswith('(end)\n'), 60)
            matches = list(re.finditer(pattern, self.log))
            if not found or len(matches) < count:
                raise AssertionError(f'no {pattern!r} in:\n{self.log}')
            return matches[count - 1]

    def port(self, protocol):
        return int(self.wait_for(f'protocol={protocol} address=\\S*:(\\d+)').group(1))

    def ready(self, count=1):
        self.wait_for('msg="serving catalog"', count)
        return self

    def end(self, sig=signal.SIGTERM):
        """Its exit status."""
        self.process.send_signal(sig)
        status = self.process.wait(60)
        self.reader.join(60)
        return status


class ServerCase(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-serve-'))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def serve(self, *arguments, **options):
        server = Server(*arguments, **options)

        def stop():
            if server.process.poll() is None:
                self.assertEqual(server.end(), 0, server.log)
            server.reader.join(60)
            server.process.stderr.close()
        self.addCleanup(stop)
        return server

    def start_http(self, *arguments):
        """A server of HTTP alone, and its port."""
        server = self.serve(*arguments, '--no-grpc', '--http', '127.0.0.1:0').ready()
        return server, server.port('http')

    def get(self, port, path, headers=None, method='GET'):
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=600)
        try:
            connection.request(method, path, headers=headers or {})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def copy(self, catalog, name='catalog'):
        shutil.copytree(CATALOGS / catalog, self.dir / name)
        return self.dir / name
