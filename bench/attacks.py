#!/usr/bin/env python3
"""What hostile input costs: for each attack the answer, the time and the peak memory, as a Markdown table.

    bench/attacks.py [OPCAT]        default: build/release/tools/opcat/opcat

The inputs are made in a temporary directory that needs 5 GB. docs/security.md has the figures."""
import gzip
import hashlib
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import tarfile
import tempfile
import time

MEGABYTE = 1 << 20


def repeated(file, piece, times):
    """Writes `piece` `times` times, in portions of about a megabyte."""
    at_once = max(1, MEGABYTE // len(piece))
    while times > 0:
        n = min(times, at_once)
        file.write(piece * n)
        times -= n


def nested_yaml(root):
    (root / 'c.yaml').write_bytes(b'schema: x\nname: ' + b'[' * 10_000_000)
    return ['validate', root]


def nested_json(root):
    (root / 'c.json').write_bytes(b'{"schema": "x", "name": ' + b'[' * 10_000_000)
    return ['validate', root]


def nested_blocks(root):
    with open(root / 'c.yaml', 'wb') as file:
        file.write(b'schema: x\n')
        for depth in range(20_000):
            file.write(b' ' * depth + b'a:\n')
    return ['validate', root]


def alias_bomb(root):
    text = 'schema: x\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n'
    for i in range(1, 30):
        text += f'a{i}: &a{i} [' + ', '.join([f'*a{i - 1}'] * 10) + ']\n'
    (root / 'c.yaml').write_text(text)
    return ['validate', root]


def tiny_documents(root):
    with open(root / 'c.yaml', 'wb') as file:
        repeated(file, b'---\nschema: x\n', 10_000_000)
    return ['validate', root]


def tiny_json_documents(root):
    with open(root / 'c.json', 'wb') as file:
        repeated(file, b'{"schema":"x"}\n', 10_000_000)
    return ['validate', root]


def huge_scalar(root):
    with open(root / 'c.yaml', 'wb') as file:
        file.write(b'schema: olm.package\nname: foo\ndescription: ')
        repeated(file, b'x' * 1000, 2_000_000)
    return ['validate', root]


def huge_file(root):
    with open(root / 'c.yaml', 'wb') as file:
        file.truncate(5 << 30)
    return ['validate', root]


PACKAGE = 'schema: olm.package\nname: foo\ndefaultChannel: c0\n'


def bundle(name, version):
    return (f'---\nschema: olm.bundle\npackage: foo\nname: {name}\nimage: registry.example/foo:{version}\nproperties:\n'
            f'  - type: olm.package\n    value: {{packageName: foo, version: {version}}}\n')


def long_skip_range(root):
    skip_range = '>=0.0.1 <1.0.0 || ' * 58_000 + '<0.0.1'
    (root / 'c.yaml').write_text(PACKAGE + '---\nschema: olm.channel\npackage: foo\nname: c0\nentries:\n'
                                 f'  - name: foo.v1\n    skipRange: "{skip_range}"\n' + bundle('foo.v1', '1.0.0'))
    return ['validate', root]


def many_channels(root):
    with open(root / 'c.yaml', 'w') as file:
        file.write(PACKAGE)
        for i in range(100_000):
            file.write(f'---\nschema: olm.channel\npackage: foo\nname: c{i}\nentries:\n  - name: foo.v1\n')
        file.write(bundle('foo.v1', '1.0.0'))
    return ['validate', root]


def long_chain(root):
    with open(root / 'c.yaml', 'w') as file:
        file.write(PACKAGE + '---\nschema: olm.channel\npackage: foo\nname: c0\nentries:\n')
        for i in range(100_000):
            file.write(f'  - name: foo.v{i}\n' + (f'    replaces: foo.v{i - 1}\n' if i else ''))
        for i in range(100_000):
            file.write(bundle(f'foo.v{i}', f'1.0.{i}'))
    return ['graph', root, '--from', 'foo.v0', '-p', 'foo']


def one_error_a_line(root):
    with open(root / 'c.yaml', 'wb') as file:
        repeated(file, b'---\nschema: olm.package\nname: [1]\n', 300_000)
    return ['validate', root]


def deep_directories(root):
    here = os.open(root, os.O_DIRECTORY)
    for _ in range(2000):
        os.mkdir('d', dir_fd=here)
        below = os.open('d', os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    return ['validate', root]


def oci_layout(root, write_layer, diff_id=None):
    """An OCI layout with one catalog image of one layer; `write_layer` writes the layer, packed, to a file."""
    blobs = root / 'layout/blobs/sha256'
    blobs.mkdir(parents=True)
    layer = blobs / 'layer'
    with open(layer, 'wb') as file:
        write_layer(file)
    with open(layer, 'rb') as file:
        digest = hashlib.file_digest(file, 'sha256').hexdigest()
    size = layer.stat().st_size
    layer.rename(blobs / digest)

    def put(value, media_type):
        data = json.dumps(value).encode()
        name = hashlib.sha256(data).hexdigest()
        (blobs / name).write_bytes(data)
        return {'mediaType': media_type, 'digest': 'sha256:' + name, 'size': len(data)}

    config = put({'architecture': 'amd64', 'os': 'linux', 'rootfs': {'type': 'layers', 'diff_ids': [diff_id or 'sha256:' + digest]}, 'config': {
        'Labels': {'operators.operatorframework.io.index.configs.v1': '/configs'}}}, 'application/vnd.oci.image.config.v1+json')
    manifest = put({'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json', 'config': config, 'layers': [
        {'mediaType': 'application/vnd.oci.image.layer.v1.tar+gzip', 'digest': 'sha256:' + digest, 'size': size}]},
        'application/vnd.oci.image.manifest.v1+json')
    (root / 'layout/index.json').write_text(json.dumps({'schemaVersion': 2, 'manifests': [manifest]}))
    (root / 'layout/oci-layout').write_text('{"imageLayoutVersion": "1.0.0"}')
    return ['render', f'oci:{root}/layout', '--no-cache']


class Zeros(io.RawIOBase):
    """Reads as so many zero bytes."""

    def __init__(self, size):
        self.left = size

    def readable(self):
        return True

    def readinto(self, to):
        n = min(len(to), self.left)
        to[:n] = bytes(n)
        self.left -= n
        return n


def compression_bomb(root):
    def write(file):
        with gzip.GzipFile(fileobj=file, mode='wb', compresslevel=1) as packed, tarfile.open(fileobj=packed, mode='w|') as tar:
            member = tarfile.TarInfo('configs/foo/c.yaml')
            member.size = 6 << 30
            tar.addfile(member, io.BufferedReader(Zeros(member.size)))
    return oci_layout(root, write)


def million_entries(root):
    def write(file):
        with gzip.GzipFile(fileobj=file, mode='wb', compresslevel=1) as packed, tarfile.open(fileobj=packed, mode='w|') as tar:
            for i in range(1_000_000):
                tar.addfile(tarfile.TarInfo(f'configs/foo/{i}'))
    return oci_layout(root, write)


def path_out_of_the_root(root):
    def write(file):
        with gzip.GzipFile(fileobj=file, mode='wb') as packed, tarfile.open(fileobj=packed, mode='w|') as tar:
            member = tarfile.TarInfo('configs/../../../../tmp/opcat-was-here')
            tar.addfile(member)
    return oci_layout(root, write)


ATTACKS = [
    ('10 million opening brackets, YAML', nested_yaml),
    ('10 million opening brackets, JSON', nested_json),
    ('20,000 levels of block mappings (200 MB)', nested_blocks),
    ('an alias bomb: 10³⁰ nodes in 1 KB', alias_bomb),
    ('10 million documents, YAML (130 MB)', tiny_documents),
    ('10 million documents, JSON (150 MB)', tiny_json_documents),
    ('a scalar of 2 GB', huge_scalar),
    ('a file of 5 GB', huge_file),
    ('a skipRange of 1 MB', long_skip_range),
    ('100,000 channels', many_channels),
    ('an upgrade path of 100,000 steps', long_chain),
    ('300,000 mistakes', one_error_a_line),
    ('2,000 directories in one another', deep_directories),
    ('a layer that unpacks to 6 GB', compression_bomb),
    ('a layer with a million entries', million_entries),
    ('a layer with a path out of the root', path_out_of_the_root),
]


def measure(command, scratch):
    # Long answers go to a file: opcat's memory is what is measured.
    with open(scratch / 'out', 'w+b') as out, open(scratch / 'err', 'w+b') as err:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 env={**os.environ, 'LC_ALL': 'C.UTF-8', 'TMPDIR': str(scratch)},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (err, out):
            file.seek(0)
            texts.append(file.read(100_000).decode(errors='replace'))
    lines = [line for text in texts for line in text.splitlines() if 'error: ' in line] or [line for text in texts for line in text.splitlines()]
    return child.returncode, seconds, usage.ru_maxrss / 1024, lines[0] if lines else ''


def main():
    opcat = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else 'build/release/tools/opcat/opcat').resolve()
    print('| attack | answer | status | seconds | peak MB |\n|---|---|---|---|---|')
    for name, attack in ATTACKS:
        scratch = pathlib.Path(tempfile.mkdtemp())
        try:
            root = scratch / 'c'
            root.mkdir()
            command = [str(opcat), *map(str, attack(root))]
            status, seconds, megabytes, answer = measure(command, scratch)
        finally:
            subprocess.run(['rm', '-rf', scratch], check=True)  # Python's rmtree fails on deep directories
        answer = answer.replace(str(root), 'c').replace('|', '\\|')
        if len(answer) > 110:
            answer = answer[:109] + '…'
        print(f'| {name} | `{answer}` | {status} | {seconds:.2f} | {megabytes:.0f} |', flush=True)


if __name__ == '__main__':
    main()
