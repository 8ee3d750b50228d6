#!/usr/bin/env python3
"""Memory of `opcat serve`, as a multiple of its catalog: resident, and private to the process, by what is served.

usage: bench/serve_memory.py [--mib 110] [--json] [--catalog DIR] OPCAT

Makes a catalog of that size (YAML; --json: JSON), with the shape of real ones: packages whose bundles have descriptions, custom
resources and related images. Prints a row after the load, one after a reload of a changed catalog, and the peak of each.
"""
import argparse
import base64
import http.client
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading

MIB = 1 << 20


def bundle(package, number, words):
    name = f'{package}.v1.{number}.0'
    description = ' '.join(words.choice(WORDS) for _ in range(900))
    resources = [{'name': f'kind{i}s.{package}.example', 'version': 'v1', 'kind': f'Kind{i}',
                  'description': ' '.join(words.choice(WORDS) for _ in range(30)),
                  'specDescriptors': [{'path': f'field{n}', 'displayName': f'Field {n}', 'x-descriptors': ['urn:alm:descriptor:text']}
                                      for n in range(12)]} for i in range(8)]
    examples = json.dumps([{'apiVersion': f'{package}.example/v1', 'kind': f'Kind{i}', 'metadata': {'name': 'example'},
                            'spec': {f'field{n}': words.choice(WORDS) for n in range(12)}} for i in range(8)], indent=2)
    metadata = {'annotations': {'alm-examples': examples, 'capabilities': 'Basic Install', 'containerImage': f'registry.example/{package}:{number}'},
                'apiServiceDefinitions': {}, 'crdDescriptions': {'owned': resources}, 'description': description,
                'displayName': package, 'installModes': [{'type': kind, 'supported': True} for kind in
                                                         ('OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces')],
                'keywords': [words.choice(WORDS) for _ in range(8)], 'provider': {'name': 'Example'}}
    properties = [{'type': 'olm.package', 'value': {'packageName': package, 'version': f'1.{number}.0'}}]
    properties += [{'type': 'olm.gvk', 'value': {'group': f'{package}.example', 'version': 'v1', 'kind': f'Kind{i}'}} for i in range(8)]
    properties.append({'type': 'olm.csv.metadata', 'value': metadata})
    images = [{'name': f'part-{i}', 'image': f'registry.example/{package}/part-{i}@sha256:{words.getrandbits(256):064x}'} for i in range(12)]
    return name, {'schema': 'olm.bundle', 'package': package, 'name': name, 'image': f'registry.example/{package}@sha256:{words.getrandbits(256):064x}',
                  'properties': properties, 'relatedImages': images}


WORDS = [f'{a}{b}{c}' for a in ('op', 'cat', 'serv', 'clu', 'med') for b in ('er', 'a', 'is', 'on', 'u') for c in ('tor', 'log', 'ing', 'ster', 'al', 'm', 'n')]


def write_package(file, number, as_json):
    words = random.Random(number)
    package = f'package-{number}'
    bundles = [bundle(package, i, words) for i in range(20)]
    icon = base64.b64encode(b'\x89PNG\r\n\x1a\n' + words.randbytes(8000)).decode()
    blobs = [{'schema': 'olm.package', 'name': package, 'defaultChannel': 'stable', 'icon': {'base64data': icon, 'mediatype': 'image/png'}}]
    for channel in ('stable', 'fast'):
        blobs.append({'schema': 'olm.channel', 'package': package, 'name': channel,
                      'entries': [{'name': name, **({'replaces': bundles[i - 1][0]} if i else {})} for i, (name, _) in enumerate(bundles)]})
    blobs += [blob for _, blob in bundles]
    if as_json:
        file.write_text('\n'.join(json.dumps(blob, indent=4) for blob in blobs) + '\n')
    else:
        file.write_text('---\n'.join(yaml(blob) for blob in blobs))


def yaml(value, indent=0):
    """Block style, as opm writes it."""
    blanks = '  ' * indent
    if isinstance(value, dict) and value:
        return ''.join(f'{blanks}{key}:{after(item, indent)}' for key, item in value.items())
    return ''.join(f'{blanks}-{yaml(item, indent + 1)[len(blanks) + 1:]}' if isinstance(item, dict) and item else f'{blanks}- {scalar(item, indent)}\n' for item in value)


def after(item, indent):
    if isinstance(item, dict) and item:
        return '\n' + yaml(item, indent + 1)
    if isinstance(item, list) and item:
        return '\n' + yaml(item, indent)
    return f' {scalar(item, indent)}\n'


def scalar(value, indent):
    if isinstance(value, str) and '\n' in value:
        return '|-\n' + '\n'.join('  ' * (indent + 1) + line for line in value.split('\n'))
    return value if isinstance(value, str) and re.fullmatch(r'[a-z][a-z ]*', value) and value not in ('on', 'off', 'no', 'yes') else json.dumps(value)


def make(directory, mib, as_json):
    size = number = 0
    while size < mib * MIB:
        file = directory / f'package-{number}.{"json" if as_json else "yaml"}'
        write_package(file, number, as_json)
        size += file.stat().st_size
        number += 1


class Server:
    def __init__(self, binary, *arguments):
        self.process = subprocess.Popen([binary, 'serve', *arguments, '--log', 'text'], stderr=subprocess.PIPE, text=True)
        self.ports, self.loads, self.changed = {}, 0, threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
            with self.changed:
                if found := re.search(r'protocol=(\w+) address=\S*:(\d+)', line):
                    self.ports[found[1]] = int(found[2])
                self.loads += 'msg="serving catalog"' in line
                self.changed.notify_all()
            if 'error' in line:
                print(line, file=sys.stderr)

    def loaded(self, count):
        with self.changed:
            if not self.changed.wait_for(lambda: self.loads >= count, 120):
                raise SystemExit('the server does not load the catalog')

    def get(self, path, **headers):
        connection = http.client.HTTPConnection('127.0.0.1', self.ports['http'], timeout=120)
        connection.request('GET', path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer

    def settle(self):
        """Until what is done in the background after a load is done."""
        if 'http' in self.ports:
            while self.get('/catalogs/c/api/v1/all', **{'Accept-Encoding': 'gzip'}).getheader('Content-Encoding') != 'gzip':
                pass

    def memory(self):
        """Resident, private and peak resident memory."""
        private = resident = 0
        for name, size in re.findall(r'^(\w+):\s+(\d+) kB', pathlib.Path(f'/proc/{self.process.pid}/smaps_rollup').read_text(), re.M):
            private += int(size) << 10 if name in ('Private_Clean', 'Private_Dirty') else 0
            resident += int(size) << 10 if name == 'Rss' else 0
        peak = int(re.search(r'VmHWM:\s+(\d+)', pathlib.Path(f'/proc/{self.process.pid}/status').read_text())[1]) << 10
        return resident, private, peak

    def forget_peak(self):
        pathlib.Path(f'/proc/{self.process.pid}/clear_refs').write_text('5')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--mib', type=int, default=110)
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--catalog', type=pathlib.Path)
    parser.add_argument('opcat')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.catalog or pathlib.Path(temporary)
        if not options.catalog:
            make(directory, options.mib, options.json)
        size = sum(file.stat().st_size for file in directory.rglob('*') if file.is_file())
        print(f'a catalog of {size / MIB:.1f} MiB\n\n| | resident, MiB | private, MiB | peak, MiB | resident ÷ catalog | private ÷ catalog | peak ÷ catalog |\n|---|---|---|---|---|---|---|')
        grpc, no_grpc, with_http = ['--address', '127.0.0.1', '--port', '0'], ['--no-grpc'], ['--http', '127.0.0.1:0']
        for name, arguments, pages in (('gRPC', grpc, False), ('HTTP', no_grpc + with_http, False), ('gRPC and HTTP', grpc + with_http, False),
                                       ('gRPC and HTTP, with pages', grpc + with_http, True)):
            server = Server(options.opcat, f'c={directory}', *arguments)
            try:
                server.loaded(1)
                server.settle()

                def show(what):
                    row = server.memory()
                    print(f'| {name}{what} | ' + ' | '.join(f'{value / MIB:.0f}' for value in row) + ' | ' +
                          ' | '.join(f'{value / size:.2f}' for value in row) + ' |', flush=True)
                    server.forget_peak()
                if pages:
                    server.get('/')
                show('')
                changed = directory / 'changed.yaml'
                changed.write_text('schema: example.note\nname: changed\n')
                try:
                    server.process.send_signal(signal.SIGHUP)
                    server.loaded(2)
                    server.settle()
                    if pages:
                        server.get('/')
                    show(', after a reload')
                finally:
                    changed.unlink()
            finally:
                server.process.terminate()
                server.process.wait()


if __name__ == '__main__':
    main()
