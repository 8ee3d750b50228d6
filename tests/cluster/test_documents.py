"""The scenes in docs/cluster-scenes.md are what the commands print, with the simulation of OLM as the cluster.

`python3 tests/cluster/test_documents.py --update` writes what they print into the document.
"""
from __future__ import annotations

import dataclasses
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cluster_case import HANGS, OPCAT, ROOT, TESTDATA, main
from simulated_case import SimulatedCase
from standin.clock import clock
from standin.session import Session

DOCUMENT = ROOT / 'docs/cluster-scenes.md'
SCENE = re.compile(r'<!-- scene on a cluster with (OLM classic|OLM v1|no OLM)(?:, after: (.*?))? -->\n```text\n(.*?)```', re.S)
GROUPS = {'OLM classic': '.operators.coreos.com.json', 'OLM v1': '.olm.operatorframework.io.json', 'no OLM': 'none'}
# The request is done: the following lines are states of the cluster, of which a busy machine misses some.
CHANGE = re.compile(r'(created|changed|approved|deleted) ')


@dataclasses.dataclass
class Scene:
    cluster: str
    before: str
    text: str

    @property
    def commands(self) -> list[str]:
        return [line[2:] for line in self.text.splitlines() if line.startswith('$ ')]


def scenes() -> list[Scene]:
    return [Scene(cluster, before, text) for cluster, before, text in SCENE.findall(DOCUMENT.read_text())]


def split(lines: list[str]) -> tuple[list[str], list[set[str]]]:
    """The fixed output, and for each change its intermediate steps."""
    certain: list[str] = []
    steps: list[set[str]] = []
    waiting = False
    for line in lines:
        if not line.startswith('  '):
            waiting = CHANGE.match(line) is not None
            if waiting:
                steps.append(set())
        if waiting and line.startswith('  '):
            steps[-1].add(line)
        else:
            certain.append(line)
    return certain, steps


def difference(documented: list[str], shown: list[str]) -> str:
    """Differences from the document. Each run misses some intermediate steps, but not all of them."""
    (certain, steps), (shown_certain, shown_steps) = split(documented), split(shown)
    for line, other in itertools.zip_longest(certain, shown_certain):
        if line != other:
            return f'{line!r} was to come, and there is {other!r}'
    for some, others in zip(steps, shown_steps):
        if some and others and not some & others:
            return f'of the steps {sorted(some)} none was shown, but {sorted(others)}'
    return ''


SECONDS_TO_TYPE = 5


class Scenes(SimulatedCase):
    speed = 0.4  # slow enough to show intermediate steps
    scene: Scene

    def session(self, *_: object, **options: object) -> Session:
        crds = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        for path in (TESTDATA / 'crds').glob('*' + GROUPS[self.scene.cluster]):
            shutil.copy(path, crds)
        return super().session(**{**options, 'crds': crds})  # type: ignore[arg-type]

    def run_line(self, line: str) -> list[str]:
        environment = self.environment(TERM='dumb')
        environment['PATH'] = f'{pathlib.Path(OPCAT).parent}:{environment["PATH"]}'
        done = subprocess.run(['bash', '-c', line], cwd=self.dir, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=HANGS)
        return [text.rstrip() for text in done.stdout.splitlines()]

    def play(self) -> str:
        """The text that a terminal shows."""
        if self.scene.before:
            self.run_line(self.scene.before)
        lines = []
        for command in self.scene.commands:
            clock.advance(SECONDS_TO_TYPE)
            lines += [f'$ {command}', *self.run_line(command), '']
        # The registry of the tests has another port each time.
        return re.sub(r'127\.0\.0\.1:\d+', 'mirror.example', '\n'.join(lines[:-1]) + '\n')

    def check(self) -> None:
        documented = [line.rstrip() for line in self.scene.text.splitlines()]
        shown = self.play()
        self.assertEqual(difference(documented, shown.splitlines()), '', shown)


class TheComparison(unittest.TestCase):
    DOCUMENTED = ['$ do', 'created it', '  first', '  second', 'done', '  note']

    def test_some_steps_on_the_way_may_be_missing_or_new(self) -> None:
        for steps in (['  first', '  second'], ['  second'], ['  first', '  third'], []):
            self.assertEqual(difference(self.DOCUMENTED, ['$ do', 'created it', *steps, 'done', '  note']), '')

    def test_anything_else_may_not(self) -> None:
        for shown in (self.DOCUMENTED[:-1], self.DOCUMENTED[:-2], [*self.DOCUMENTED, 'more'], ['$ do', 'created it', '  third', 'done', '  note'],
                      ['$ do', '  first', 'created it', 'done', '  note']):
            self.assertNotEqual(difference(self.DOCUMENTED, shown), '', shown)


def test_of(number: int, scene: Scene) -> Scenes:
    name = f'test_scene_{number}'
    return type('Scenes', (Scenes,), {name: lambda self: self.check(), 'scene': scene})(name)


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    suite = unittest.TestSuite(test_of(number, scene) for number, scene in enumerate(scenes(), 1))
    suite.addTests(loader.loadTestsFromTestCase(TheComparison))
    return suite


def update() -> None:
    def played(found: re.Match[str]) -> str:
        scene = test_of(0, Scene(found.group(1), found.group(2) or '', found.group(3)))
        scene.setUp()
        try:
            return found.group()[:found.start(3) - found.start()] + scene.play() + '```'
        finally:
            scene.doCleanups()
    DOCUMENT.write_text(SCENE.sub(played, DOCUMENT.read_text()))


if __name__ == '__main__':
    update() if sys.argv[1:] == ['--update'] else main()
