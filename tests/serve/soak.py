#!/usr/bin/python3
"""Load on a server whose catalog changes all the time: no call fails, no answer is stale or mixed, memory stays flat.

usage: tests/serve/soak.py [--seconds 600] [--clients 10] [--bundles 200]

The catalog gets a new version every second, and every third one has a mistake, which must not be served. Each bundle of a
version names the version, so an answer with parts of two versions shows, as does one that is older than what the server
had announced when the question was asked. Needs Debian's python3-grpcio.
"""
import argparse
import gzip
import http.client
import json
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time

import grpc

from server_case import Server, catalog_text


def text(number, value):
    data = value.encode()
    return bytes([number << 3 | 2, len(data)]) + data


def catalog(version, bundles):
    return catalog_text('soak', bundles, f'registry.example/soak:version-{version}-of')


class Soak:
    def __init__(self, arguments):
        self.arguments = arguments
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='opcat-soak-'))
        self.announced = 0  # the newest version that the server says it serves
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.calls, self.problems, self.memory = {}, [], []

    def write(self, content):
        new = self.directory / '.new'
        new.write_text(content)
        new.rename(self.directory / 'c' / 'catalog.json')

    def run(self):
        (self.directory / 'c').mkdir()
        self.write(catalog(0, self.arguments.bundles))
        self.server = Server(f'c={self.directory / "c"}', '--address', '127.0.0.1', '--port', '0', '--http', '127.0.0.1:0')
        try:
            self.grpc_port, self.http_port = self.server.port('grpc'), self.server.port('http')
            self.server.wait_for('msg="serving catalog"')
            kinds = [self.list_bundles, self.get_bundle, self.fetch_all, self.fetch_metas, self.fetch_page]
            threads = [threading.Thread(target=self.repeat, args=(kinds[i % len(kinds)],)) for i in range(self.arguments.clients)]
            for thread in threads:
                thread.start()
            self.change()
            self.over.set()
            for thread in threads:
                thread.join(60)
            status = self.server.end(signal.SIGTERM)
            if status != 0:
                self.problems.append(f'the server ended with status {status}')
        finally:
            self.server.process.kill()
            self.server.process.wait()
            self.server.process.stderr.close()
            shutil.rmtree(self.directory)

    def change(self):
        """Writes a version each second, until the time is over."""
        end = time.monotonic() + self.arguments.seconds
        loads = refusals = 0
        for number in range(1, 1 << 30):
            if time.monotonic() > end:
                self.changes, self.refusals = loads, refusals
                return
            next_change = time.monotonic() + 1
            if number % 3 == 0:
                self.write(catalog(-number, 3).replace('"stable", "entries"', '"other", "entries"'))  # no default channel
                self.server.process.send_signal(signal.SIGHUP)
                refusals += 1
                self.server.wait_for('could not be reloaded', refusals)
            else:
                self.write(catalog(number, self.arguments.bundles))
                self.server.process.send_signal(signal.SIGHUP)
                loads += 1
                self.server.wait_for('msg="serving catalog"', loads + 1)
                self.announced = number
            with open(f'/proc/{self.server.process.pid}/status') as file:
                self.memory.append(int(re.search(r'VmRSS:\s+(\d+)', file.read())[1]) / 1024)
            self.over.wait(max(0, next_change - time.monotonic()))

    def repeat(self, ask):
        random.seed()
        channel = grpc.insecure_channel(f'127.0.0.1:{self.grpc_port}', options=[('grpc.enable_http_proxy', 0), ('grpc.use_local_subchannel_pool', 1)])
        connection = http.client.HTTPConnection('127.0.0.1', self.http_port, timeout=60)
        count = 0
        while not self.over.is_set():
            least = self.announced
            try:
                versions, parts = ask(channel, connection)
                if len(versions) != 1:
                    raise AssertionError(f'parts of versions {sorted(versions)} in one answer')
                if min(versions) < least:
                    raise AssertionError(f'version {min(versions)} after {least} was announced')
                if parts is not None and parts != self.arguments.bundles:
                    raise AssertionError(f'{parts} bundles')
            except Exception as problem:  # every failure is a result
                self.problems.append(f'{ask.__name__}: {type(problem).__name__}: {problem}')
                connection.close()
                if len(self.problems) > 20:
                    return
            count += 1
        channel.close()
        connection.close()
        with self.lock:
            self.calls[ask.__name__] = self.calls.get(ask.__name__, 0) + count

    @staticmethod
    def versions(content):
        return {int(number) for number in re.findall(rb'version-(-?\d+)-of', content)}

    def list_bundles(self, channel, _):
        bundles = list(channel.unary_stream('/api.Registry/ListBundles')(b'', timeout=60))
        return self.versions(b''.join(bundles)), len(bundles)

    def get_bundle(self, channel, _):
        name = f'soak.v1.{random.randrange(self.arguments.bundles)}.0'
        request = text(1, 'soak') + text(2, 'stable') + text(3, name)
        return self.versions(channel.unary_unary('/api.Registry/GetBundle')(request, timeout=60)), None

    def get(self, connection, path, **headers):
        connection.request('GET', path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise AssertionError(f'status {response.status} of {path}')
        return gzip.decompress(body) if response.getheader('Content-Encoding') == 'gzip' else body

    def fetch_all(self, _, connection):
        body = self.get(connection, '/catalogs/c/api/v1/all', **random.choice([{}, {'Accept-Encoding': 'gzip'}]))
        return self.versions(body), len(re.findall(rb'"olm.bundle"', body))

    def fetch_metas(self, _, connection):
        body = self.get(connection, '/catalogs/c/api/v1/metas?schema=olm.bundle', **random.choice([{}, {'Accept-Encoding': 'gzip'}]))
        return self.versions(body), len(body.splitlines())

    def fetch_page(self, _, connection):
        return self.versions(self.get(connection, '/catalogs/c/packages/soak/bundles/soak.v1.1.0.html')), None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--seconds', type=int, default=600)
    parser.add_argument('--clients', type=int, default=10)
    parser.add_argument('--bundles', type=int, default=200)
    soak = Soak(parser.parse_args())
    soak.run()
    third = max(1, len(soak.memory) // 3)
    median = lambda values: sorted(values)[len(values) // 2]
    begin, end = median(soak.memory[:third]), median(soak.memory[-third:])
    print(f'{soak.changes} versions and {soak.refusals} mistakes; calls: {json.dumps(soak.calls)}; memory {begin:.1f} MB, then {end:.1f} MB, at most {max(soak.memory):.1f} MB')
    if end > begin * 1.25 + 8:
        soak.problems.append('memory grows')
    if not all(soak.calls.get(kind) for kind in ('list_bundles', 'get_bundle', 'fetch_all', 'fetch_metas', 'fetch_page')):
        soak.problems.append('some questions were never answered')
    for problem in soak.problems:
        print('problem:', problem)
    sys.exit(1 if soak.problems else 0)


if __name__ == '__main__':
    main()
