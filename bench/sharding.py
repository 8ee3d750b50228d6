#!/usr/bin/env python3
"""Shards side by side: 1, 2, 4 and 8 workers render the bundles of a registry that answers each request 20 ms late, and what the merge of
many shards costs next to `cat`. Usage: bench/sharding.py [BUNDLES]; OPCAT names the program."""
import asyncio
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'tests/registry'))
import registries  # noqa: E402

OPCAT = os.environ.get('OPCAT', str(ROOT / 'build/release/tools/opcat/opcat'))
DELAY = 0.020


class SlowProxy:
    """Passes bytes on; those of clients are delayed by DELAY, as on a long line."""

    def __init__(self, address):
        self.backend = address.rsplit(':', 1)
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._run, args=(ready,), daemon=True).start()
        ready.wait()

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self._serve, '127.0.0.1', 0))
        self.address = f'127.0.0.1:{server.sockets[0].getsockname()[1]}'
        ready.set()
        self.loop.run_forever()

    async def _serve(self, reader, writer):
        back_reader, back_writer = await asyncio.open_connection(*self.backend)

        async def pass_on(source, target, delay):
            try:
                while data := await source.read(1 << 16):
                    if delay:
                        await asyncio.sleep(delay)
                    target.write(data)
                    await target.drain()
            except ConnectionError:
                pass
            target.close()
        await asyncio.gather(pass_on(reader, back_writer, DELAY), pass_on(back_reader, writer, 0))


def fill(work, registry, count):
    csv = ('apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: foo.v{0}.0.0}}\n'
           'spec: {{version: {0}.0.0, displayName: foo, install: {{strategy: deployment, spec: {{deployments: []}}}}}}\n')
    annotations = b'annotations:\n  operators.operatorframework.io.bundle.package.v1: foo\n'
    for number in range(count):
        layer = registries.make_layer({'manifests/csv.yaml': csv.format(number).encode(), 'metadata/annotations.yaml': annotations})
        work.layout.tag(work.layout.image([layer], {'operators.operatorframework.io.bundle.package.v1': 'foo'}), f'foo-{number}')
    for number in range(count):
        subprocess.run([OPCAT, 'copy', '-q', '--use-http', f'oci:{work.layout.directory}:foo-{number}', f'{registry.address}/org/foo:v{number}'],
                       check=True, capture_output=True)


def workers(count):
    work = registries.Workplace()
    try:
        registry = work.registry()
        fill(work, registry, count)
        proxy = SlowProxy(registry.address)
        refs = work.write('refs', ''.join(f'{proxy.address}/org/foo:v{n}\n' for n in range(count)))
        first = None
        for number in (1, 2, 4, 8):
            place = tempfile.mkdtemp(dir=work.dir)
            begun = time.monotonic()
            running = [subprocess.Popen([OPCAT, 'render', '-q', '--use-http', '--no-cache', '--refs', refs, '--shard', f'{i}/{number}',
                                         '--shard-output', place, '-j', '2']) for i in range(number)]
            assert not any(process.wait() for process in running)
            seconds = time.monotonic() - begun
            first = first or seconds
            print(f'{number} workers: {count} bundles in {seconds:6.2f} s, {count / seconds:6.0f}/s, {first / seconds:5.2f} times one worker '
                  f'({first / seconds / number:.2f} of linear)')
    finally:
        work.close()


def merge(shards):
    """Shards of 26 MB: copies of one, with other numbers."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        line = json.dumps({'schema': 'olm.bundle', 'package': 'p', 'name': 'NAME', 'image': 'r.example/i', 'properties': [
            {'type': 'olm.csv.metadata', 'value': {'description': 'x' * 40_000}}]})
        (directory / 'c.json').write_text('\n'.join(line.replace('NAME', f'p.v0.0.{n}') for n in range(650)))
        subprocess.run([OPCAT, 'render', '-q', directory / 'c.json', '--shard', '0/1', '--shard-output', directory / 'one'], check=True)
        index = json.loads((directory / 'one/shard-0-of-1.json').read_text())
        many = directory / 'many'
        many.mkdir()
        for i in range(shards):
            (many / f'shard-{i}-of-{shards}.json').write_text(json.dumps({**index, 'shards': shards, 'shard': i, 'items': shards,
                                                                          'done': [{**index['done'][0], 'item': i}]}))
            shutil.copyfile(directory / 'one/shard-0-of-1.data', many / f'shard-{i}-of-{shards}.data')
        size = sum(path.stat().st_size for path in many.glob('*.data'))
        times = {'cat': [], 'merge': []}
        for _ in range(3):
            for what, command in (('cat', f'cat {many}/*.data | cat > /dev/null'), ('merge', f'{OPCAT} merge {many} | cat > /dev/null')):
                begun = time.monotonic()
                subprocess.run(command, shell=True, check=True)
                times[what].append(time.monotonic() - begun)
        best = {what: min(all_of) for what, all_of in times.items()}
        print(f'merge of {shards} shards, {size / 1e6:.0f} MB: {best["merge"]:.2f} s, cat {best["cat"]:.2f} s, {best["merge"] / best["cat"]:.2f} times')


if __name__ == '__main__':
    workers(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
    for shards_of_run in (8, 32, 128):
        merge(shards_of_run)
