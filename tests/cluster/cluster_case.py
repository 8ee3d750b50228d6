"""What the tests of the cluster side share: a stand-in with a flow, kubectl, opcat."""
from __future__ import annotations

import fnmatch
import functools
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any, Callable

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
import plain_environment  # noqa: E402, F401
import side_by_side  # noqa: E402
from standin.clock import STEP, ClockServer, clock  # noqa: E402
from standin.relay import Relay  # noqa: E402
from standin.session import Session  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTDATA = ROOT / 'testdata' / 'cluster'
CONFORMANCE = ROOT.parent / 'shared' / 'conformance'
OPCAT = os.environ.get('OPCAT', str(ROOT / 'build/dev/tools/opcat/opcat'))


def real_kubectl() -> str:
    """Google's kubectl chooses at each call one of the kubectls next to it by the cluster's version: ours is the newest."""
    found = os.environ.get('KUBECTL') or shutil.which('kubectl') or 'kubectl'
    others = pathlib.Path(os.path.realpath(found)).parent.glob('kubectl.1.*')
    return str(max(others, key=lambda path: int(path.suffix[1:]), default=found))


KUBECTL = real_kubectl()
# Replaces kubectl for opcat, if it is built (standin/relay.py), unless ONLY_REAL_KUBECTL is in the environment.
RELAY = pathlib.Path(os.environ.get('KUBECTL_RELAY_PROGRAM') or pathlib.Path(OPCAT).parents[2] / 'tests/cluster/kubectl_relay')
SKIPPED = 77
# Preloaded into opcat: its time is that of the cluster. Without it, with REAL_TIME in the environment, and under sanitizers, which
# exclude it, time is real.
CLOCK_LIBRARY = '' if os.environ.get('REAL_TIME') or os.environ.get('SANITIZED') else os.environ.get('SIMULATED_CLOCK_LIBRARY', '')
# How much faster than the real time the cluster then is: opcat waits until a state has lasted.
SPEED_IN_REAL_TIME = 20.0
# Seconds after which a wait has failed, on the slowest machine.
HANGS = 600.0


def recordings(folder: str) -> list[pathlib.Path]:
    return sorted(path.parent for path in CONFORMANCE.glob(f'{folder}/*/scenario.json'))


def suite_of_recordings(case: type[unittest.TestCase], patterns: list[str] | None, wanted: Callable[[str], bool] = lambda name: True,
                        folder: str = 'cluster*') -> unittest.TestSuite:
    """A test for every second recording, or for each with FULL_TESTS or -k: `case.check`, with its directory as `case.scenario`.
    `patterns` are those of -k."""
    suite = unittest.TestSuite()
    named = [path for path in recordings(folder) if wanted(path.name)]
    for path in named if patterns or 'FULL_TESTS' in os.environ else named[::2]:
        name = 'test_' + path.name.replace('-', '_')
        if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            suite.addTest(type(case.__name__, (case,), {name: lambda self: self.check(), 'scenario': path})(name))
    if not suite.countTestCases():
        print(f'skipped: no recordings at {CONFORMANCE.relative_to(CONFORMANCE.parents[1])}, next to the project')
        sys.exit(SKIPPED)
    return suite


def main() -> None:
    """Runs the tests of a file; they are skipped with a message if something is missing (tests/cluster/CMakeLists.txt)."""
    missing = [name for name in (KUBECTL, 'openssl') if not shutil.which(name)]
    if missing:
        print('skipped: not installed: ' + ', '.join(missing))
        sys.exit(SKIPPED)
    unittest.main(testRunner=side_by_side.Runner)


class Result:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def json(self) -> Any:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f'exit status {self.status}\n--- stdout\n{self.out}--- stderr\n{self.err}'


def list_of(things: tuple[dict[str, Any], ...]) -> str:
    return json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': things})


class ClusterCase(unittest.TestCase):
    """A test with its own directory, without the configuration of the machine's user."""
    maxDiff = None
    real_time = not CLOCK_LIBRARY
    relayed = True  # opcat's calls of kubectl are answered without kubectl where that makes no difference

    def setUp(self) -> None:
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-cluster-'))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.kubeconfig = self.dir / 'kubeconfig'
        self.relayed = self.relayed and RELAY.exists() and 'ONLY_REAL_KUBECTL' not in os.environ
        (self.dir / 'bin').mkdir()
        (self.dir / 'bin/kubectl').symlink_to(RELAY if self.relayed else KUBECTL)

    def session(self, scenario: pathlib.Path | None = None, crds: pathlib.Path | None = None, speed: float = 1.0,
                catalogs: pathlib.Path | None = None) -> Session:
        """Starts a stand-in, and uses its kubeconfig; it stops when the test ends."""
        clock.restart(self.real_time)
        started = Session(OPCAT, scenario, crds, speed * (SPEED_IN_REAL_TIME if self.real_time else 1), catalogs)
        directory = pathlib.Path(tempfile.mkdtemp(prefix='clock-', dir=self.dir))
        self.clock_directory = directory
        for part in (started, clock.running(), ClockServer(clock, directory)):
            part.__enter__()
            self.addCleanup(part.__exit__, None, None, None)
        started.stand_in.kubeconfig(self.kubeconfig)
        if self.relayed:
            self.relay = Relay(started.stand_in, self.dir / 'relay')
            self.relay.__enter__()
            self.addCleanup(self.relay.__exit__)
        return started

    def environment(self, **more: str) -> dict[str, str]:
        # A run of kubectl is short: garbage collection would be a quarter of its time.
        return {**os.environ, 'PATH': f'{self.dir}/bin:{os.environ["PATH"]}', 'KUBECTL_RELAY': str(self.dir / 'relay'), 'REAL_KUBECTL': KUBECTL,
                'HOME': str(self.dir), 'KUBECONFIG': str(self.kubeconfig), 'TERM': 'xterm', 'GOGC': 'off', **self.time(), **more}

    def time(self) -> dict[str, str]:
        """The environment in which opcat's time is that of the cluster."""
        if self.real_time or not hasattr(self, 'clock_directory'):
            return {}
        return {'LD_PRELOAD': CLOCK_LIBRARY, 'SIMULATED_CLOCK': str(self.clock_directory)}

    def run_command(self, command: list[str], stdin: str = '', env: dict[str, str] | None = None, timeout: float = HANGS) -> Result:
        done = subprocess.run(command, cwd=self.dir, input=stdin, capture_output=True, text=True, timeout=timeout,
                              env=self.environment(**(env or {})))
        return Result(done.returncode, done.stdout, done.stderr)

    def kubectl(self, *arguments: str, stdin: str = '', **options: Any) -> Result:
        return self.run_command([KUBECTL, *arguments], stdin, **options)

    def opcat(self, *arguments: str, env: dict[str, str] | None = None, ahead: int = 0, **options: Any) -> Result:
        """`ahead`: so many seconds from now, for states that must have lasted."""
        clock.advance(ahead)
        result = self.run_command([OPCAT, *arguments], env=env, **options)
        # Objects of a cluster have names; a line and a column of kubectl's JSON help nobody.
        self.assertNotRegex(result.out + result.err, r'\b(cluster|kubectl):\d+:', arguments)
        return result

    def at_terminal(self, *arguments: str, question: str, answer: str, before: Callable[[], Any] = lambda: None) -> tuple[int, str]:
        """Runs a command with a terminal, at which someone answers a question; its exit status, and what it shows. `before`: what happens
        while the question is open."""
        terminal, its_end = pty.openpty()
        child = subprocess.Popen([OPCAT, *arguments], cwd=self.dir, stdin=its_end, stdout=its_end, stderr=its_end, env=self.environment())
        os.close(its_end)
        shown = b''
        asked = False
        try:
            while piece := os.read(terminal, 65536):
                shown += piece
                if not asked and shown.decode(errors='ignore').endswith(question):
                    asked = True
                    before()
                    os.write(terminal, f'{answer}\n'.encode())
        except OSError:  # it has ended
            pass
        os.close(terminal)
        self.assertTrue(asked, shown.decode())
        return child.wait(HANGS), shown.decode().replace('\r\n', '\n')

    def apply(self, *things: dict[str, Any]) -> None:
        if not self.apply_without_kubectl(*things):
            result = self.kubectl('apply', '-f', '-', stdin=list_of(things))
            self.assertEqual(result.status, 0, result)

    def apply_without_kubectl(self, *things: dict[str, Any]) -> bool:
        """Whether that was possible."""
        return self.relayed and self.relay.apply(self.kubeconfig, list_of(things))

    def get(self, *arguments: str) -> Any:
        result = self.kubectl('get', *arguments, '-o', 'json')
        self.assertEqual(result.status, 0, result)
        return result.json()

    def wait_for(self, what: str, test: Callable[[], Any], timeout: float = HANGS) -> Any:
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            found = test()
            if found:
                return found
            clock.advance(STEP)
            time.sleep(0.001)  # for programs that are running
        self.fail(f'in {timeout} s it did not come about: {what}')


@functools.cache
def kubectl_version() -> tuple[int, int]:
    reported = subprocess.run([KUBECTL, 'version', '--client', '-o', 'json'], capture_output=True, text=True, check=True).stdout
    version = re.match(r'v(\d+)\.(\d+)', json.loads(reported)['clientVersion']['gitVersion'])
    assert version
    return int(version.group(1)), int(version.group(2))
