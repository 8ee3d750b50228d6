"""What the tests of the command line share: where the binary is, how to run it, small catalogs."""
import fcntl
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import plain_environment  # noqa: E402, F401
from oci_layout import Layout, files_below, make_layer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTDATA = ROOT / 'testdata'
CATALOGS = TESTDATA / 'catalogs'
SHARED = ROOT.parent / 'shared'

BINARY = os.environ.get('OPCAT', str(ROOT / 'build/dev/tools/opcat/opcat'))
OPM = os.environ.get('OPM', str(pathlib.Path(BINARY).with_name('opm')))


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def json(self):
        return json.loads(self.out)

    def blobs(self):
        """The values of a stream of JSON, one after the other."""
        decoder, text, found = json.JSONDecoder(), self.out, []
        while text:
            value, end = decoder.raw_decode(text)
            found.append(value)
            text = text[end:].lstrip()
        return found

    def __repr__(self):
        return f'exit status {self.status}\n--- stdout\n{self.out}--- stderr\n{self.err}'


def changed_widgets(case, directory):
    """Writes testdata/bundles/widgets with the changes of a line of testdata/recorded (its README.md)."""
    shutil.copytree(TESTDATA / 'bundles/widgets', directory)
    for name in case.get('remove', []):
        path = directory / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in case.get('write', {}).items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    for name, old, new in case.get('replace', []):
        text = (directory / name).read_text()
        assert old in text, case
        (directory / name).write_text(text.replace(old, new, 1))


class OpcatCase(unittest.TestCase):
    """A test with a directory of its own, `self.dir`, where the commands run."""
    maxDiff = None

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-cli-'))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def unpack_recorded(self, name):
        """The directory with the contents of an archive of testdata/recorded."""
        with tarfile.open(TESTDATA / f'recorded/{name}.tar.xz') as archive:
            archive.extractall(self.dir)
        return self.dir / name

    def environment(self, **more):
        return {**os.environ, 'TERM': 'xterm', 'PAGER': 'cat', **more}

    def run_binary(self, binary, *arguments, stdin='', env=None, timeout=600, **options):
        done = subprocess.run([binary, *map(str, arguments)], cwd=self.dir, input=stdin.encode(), capture_output=True,
                              timeout=timeout, env=self.environment(**(env or {})), **options)
        return Result(done.returncode, done.stdout.decode(errors='surrogateescape'), done.stderr.decode(errors='surrogateescape'))

    def opcat(self, *arguments, **options):
        return self.run_binary(BINARY, *arguments, **options)

    def opm(self, *arguments, **options):
        return self.run_binary(OPM, *arguments, **options)

    def on_terminal(self, *arguments, env=None, binary=BINARY, columns=80):
        """Runs opcat with a terminal as standard output and error; returns its exit status and what it shows."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        child = subprocess.Popen([binary, *map(str, arguments)], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                                 env=self.environment(**(env or {})))
        os.close(slave)
        shown = b''
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(master)
        return child.wait(timeout=600), shown.decode()

    def write(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def write_layout(self, name, bundle):
        """An OCI layout with the image of a bundle directory."""
        layout = Layout(self.dir / name)
        files = {**files_below(bundle / 'manifests', 'manifests/'), **files_below(bundle / 'metadata', 'metadata/')}
        layout.tag(layout.image([make_layer(files)], {'operators.operatorframework.io.bundle.package.v1': 'p'}), 'v1')

    def assert_status(self, result, status):
        self.assertEqual(result.status, status, result)
