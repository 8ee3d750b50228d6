#!/usr/bin/env python3
"""How fast the language server answers: docs/performance.md has what this prints.

    bench/lsp_bench.py [DIRECTORY]     DIRECTORY: a catalog, default 400 copies of testdata/catalogs/hello

Runs build/release/tools/opcat/opcat lsp (or $OPCAT) over a copy of the catalog, opens its largest file of YAML and one below
200 KB, and types: a channel entry and a bundle, letter by letter, with a mistake that is taken back, a line in the channel, a
separator within a bundle, each after the findings of the previous edit have arrived. Prints a Markdown table."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
OPCAT = os.environ.get('OPCAT', str(ROOT / 'build/release/tools/opcat/opcat'))
SMALL = 200_000


class Server:
    """Without threads: messages are read while something is waited for."""

    def __init__(self, folder):
        self.child = subprocess.Popen([OPCAT, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.buffer, self.last_id = b'', 0

    def send(self, **message):
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.child.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.child.stdin.flush()

    def receive(self):
        """The body of the next message."""
        while b'\r\n\r\n' not in self.buffer:
            self._read()
        header, rest = self.buffer.split(b'\r\n\r\n', 1)
        length = int(header.split(b':')[1])
        self.buffer = rest
        while len(self.buffer) < length:
            self._read()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return body

    def _read(self):
        piece = os.read(self.child.stdout.fileno(), 1 << 20)
        if not piece:
            sys.exit('the server has ended')
        self.buffer += piece

    def request(self, method, params):
        self.last_id += 1
        self.send(id=self.last_id, method=method, params=params)
        while True:
            message = json.loads(self.receive())
            if message.get('id') == self.last_id and 'method' not in message:
                return message.get('result')

    def findings(self, uri, version):
        """Waits for the findings of a version; returns their rules."""
        while True:
            body = self.receive()
            if b'publishDiagnostics' not in body[-200:] and b'publishDiagnostics' not in body[:200] and uri.encode() not in body:
                continue
            message = json.loads(body)
            params = message.get('params', {})
            if params.get('uri') == uri and params.get('version') == version:
                return [finding['code'] for finding in params['diagnostics']]

    def processor(self):
        """CPU time of all its threads in milliseconds, independent of other programs."""
        return sum(int(task.read_text().split()[0]) for task in pathlib.Path(f'/proc/{self.child.pid}/task').glob('*/schedstat')) / 1e6

    def memory(self, field):
        status = pathlib.Path(f'/proc/{self.child.pid}/status').read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith(field))) * 1024

    def end(self):
        self.request('shutdown', None)
        self.send(method='exit', params=None)
        self.child.wait()


class Typist:
    """One file, and what is typed in it."""

    def __init__(self, server, path):
        self.server, self.uri, self.version = server, path.as_uri(), 1
        self.text = path.read_text()
        self.times, self.work = [], []
        server.send(method='textDocument/didOpen', params={'textDocument': {'uri': self.uri, 'languageId': 'yaml', 'version': 1, 'text': self.text}})
        self.rules = server.findings(self.uri, 1)

    def change(self, line, begin, end, text, last=None):
        """Replaces some characters of a line, or up to one of the line `last`; the time until the findings are there is noted."""
        self.version += 1
        work, start = self.server.processor(), time.perf_counter()
        self.server.send(method='textDocument/didChange', params={
            'textDocument': {'uri': self.uri, 'version': self.version},
            'contentChanges': [{'range': {'start': {'line': line, 'character': begin}, 'end': {'line': line if last is None else last, 'character': end}},
                                'text': text}]})
        self.rules = self.server.findings(self.uri, self.version)
        self.times.append((time.perf_counter() - start) * 1e3)
        self.work.append(self.server.processor() - work)

    def type(self, line, character, text):
        """Types letter by letter; returns the position of the cursor."""
        for letter in text:
            self.change(line, character, character, letter)
            line, character = (line + 1, 0) if letter == '\n' else (line, character + 1)
        return line, character

    def delete(self, line, character, count):
        for _ in range(count):
            character -= 1
            self.change(line, character, character + 1, '')

    def session(self):
        lines = self.text.splitlines()
        package = next(line.split()[1] for line in lines if line.startswith('package:'))
        channel = next(i for i, line in enumerate(lines) if line.startswith('schema: olm.channel'))
        start = max((i for i in range(channel) if lines[i].startswith('---')), default=-1)
        entry = next((i for i in range(start + 1, len(lines)) if lines[i].lstrip().startswith('- name:')))
        indent = ' ' * lines[entry].index('-')
        # An entry, with a mistake that is taken back.
        line, character = self.type(entry, 0, f'{indent}- name: {package}.v99.0.0x')
        self.delete(line, character, 1)
        line, character = self.type(line, character - 1, f'\n{indent}  replaces: ')
        line, character = self.type(line, character, lines[entry].split()[-1] + '\n')
        assert 'entry-without-bundle' in self.rules
        # Its bundle, at the end of the file.
        end = len(self.text.splitlines()) + 2
        self.type(end, 0, f'---\nschema: olm.bundle\nname: {package}.v99.0.0\npackage: {package}\nimage: quay.example/{package}:v99\n'
                          f'properties:\n- type: olm.package\n  value:\n    packageName: {package}\n    version: 99.0.0\n')
        assert 'entry-without-bundle' not in self.rules and 'syntax' not in self.rules, self.rules
        # A line in the channel moves most findings.
        for _ in range(20):
            self.change(channel, 0, 0, '# moved\n')
            self.change(channel, 0, 0, '', channel + 1)
        # A document is cut in two, and joined again.
        middle = (channel + end) // 2
        for _ in range(10):
            self.change(middle, 0, 0, '---\n')
            self.change(middle, 0, 0, '', middle + 1)
        return entry

    def completions(self, line):
        times, spent = [], []
        for character in (8, 12, 20):
            for _ in range(20):
                work, start = self.server.processor(), time.perf_counter()
                found = self.server.request('textDocument/completion', {'textDocument': {'uri': self.uri}, 'position': {'line': line, 'character': character}})
                times.append((time.perf_counter() - start) * 1e3)
                spent.append(self.server.processor() - work)
                assert found['items']
        return times, spent


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def make_catalog(source, directory):
    if source is not None:
        shutil.copytree(source, directory)
        return
    for i in range(400):
        text = (ROOT / 'testdata/catalogs/hello/catalog.yaml').read_text()
        (directory / f'p{i}').mkdir(parents=True)
        (directory / f'p{i}/catalog.yaml').write_text(text.replace('hello', f'hello{i}'))


def main(source=None):
    with tempfile.TemporaryDirectory() as work:
        catalog = pathlib.Path(work).resolve() / 'catalog'
        make_catalog(source, catalog)
        subprocess.run(['chmod', '-R', 'u+w', catalog], check=True)
        files = sorted((path for path in catalog.rglob('*.yaml') if path.is_file()), key=lambda path: path.stat().st_size)
        size = sum(path.stat().st_size for path in catalog.rglob('*') if path.is_file())
        small = [path for path in files if path.stat().st_size < SMALL]
        largest = files[-1]
        for path in files:
            path.read_bytes()
        ready, work = [], []
        for _ in range(5):
            server = Server(catalog)
            start = time.perf_counter()
            server.request('initialize', {'processId': None, 'rootUri': catalog.as_uri(), 'capabilities': {}})
            server.send(method='initialized', params={})
            Typist(server, small[-1] if small else largest)
            ready.append((time.perf_counter() - start) * 1e3)
            work.append(server.processor())
            server.end()
        server = Server(catalog)
        server.request('initialize', {'processId': None, 'rootUri': catalog.as_uri(), 'capabilities': {}})
        server.send(method='initialized', params={})
        print(f'{size / 1e6:.1f} MB in {len(files)} files; the largest has {largest.stat().st_size / 1e6:.2f} MB\n')
        print('| what | median, ms | 99 %, ms | most, ms | of the processors: median | 99 % | number |\n|---|---|---|---|---|---|---|')

        def row(what, times, work):
            print(f'| {what} | {percentile(times, .5):.1f} | {percentile(times, .99):.1f} | {max(times):.1f} '
                  f'| {percentile(work, .5):.1f} | {percentile(work, .99):.1f} | {len(times)} |')

        row('from initialize to the findings of the first file', ready, work)
        for path in [largest] + small[-1:]:
            typist = Typist(server, path)
            line = typist.session()
            row(f'from a keystroke to the findings, in {path.stat().st_size / 1e3:.0f} kB', typist.times, typist.work)
            row('completion there', *typist.completions(line + 1))
        now, peak = server.memory('VmRSS'), server.memory('VmHWM')
        print(f'\nmemory: {now / 1e6:.0f} MB, {now / size:.2f} times the text; at most {peak / 1e6:.0f} MB, {peak / size:.2f} times')
        server.end()


main(*sys.argv[1:2])
