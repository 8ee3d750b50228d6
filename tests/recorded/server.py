"""A server under test, on a port of its own, and the catalogs that are served."""
import contextlib
import random
import socket
import subprocess
import tempfile
import time


def free_port():
    """A port below those from which the kernel takes some for outgoing connections."""
    while True:
        port = random.randint(20000, 31000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(('', port))
            return port


def directory_of(data, reference):
    """Of own:NAME or edge:NAME."""
    kind, _, name = reference.partition(':')
    return {'own': data / 'serve/catalogs', 'edge': data / 'edge/cases'}[kind] / name


class Program:
    """Started with the words of command(port). `listens`: it did before it ended."""

    def __init__(self, command):
        self.log = tempfile.TemporaryFile()
        for _ in range(3):
            self.port = free_port()
            self.process = subprocess.Popen(list(map(str, command(self.port))), stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
            self.listens = self.wait()
            if self.listens or 'address already in use' not in self.output():
                break

    def wait(self):
        end = time.monotonic() + 120
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', self.port), 0.2):
                return True
            time.sleep(0.005)
        return False

    def output(self):
        self.log.seek(0)
        return self.log.read().decode('utf-8', 'replace')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
