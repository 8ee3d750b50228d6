"""scripts/record: a program that answers otherwise is seen, and its answers are stored."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPM = os.environ['OPM']


class Record(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-record-'))
        self.addCleanup(shutil.rmtree, self.dir)
        for name in ('scripts/record', 'tests/plain_environment.py', 'tests/faketime.py'):
            (self.dir / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.dir / name)
        shutil.copytree(ROOT / 'tests/recorded', self.dir / 'tests/recorded')
        shutil.copytree(ROOT / 'testdata/recorded', self.dir / 'testdata/recorded')
        self.archive = self.dir / 'testdata/recorded/edge.tar.xz'
        self.recorded = self.archive.read_bytes()

    def record(self, *arguments):
        return subprocess.run([self.dir / 'scripts/record', *arguments], capture_output=True, text=True)

    def other(self):
        """An opm that knows other names for packages."""
        program = self.dir / 'opm'
        program.write_text(f'#!/bin/sh\n{OPM} "$@" | sed s/stable/table/\n')
        program.chmod(0o755)
        return program

    def test_the_same_program_changes_nothing(self):
        done = self.record('--write', '--only', '^yaml-ints', OPM, 'opm')
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertRegex(done.stdout, r'^opm: (\d+) of \1 answers are the recorded ones\n$')
        self.assertEqual(self.archive.read_bytes(), self.recorded)

    def test_what_differs_is_printed_and_stored_only_if_wanted(self):
        other = self.other()
        done = self.record('--only', '^case-upper$', other, 'opm')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('opm: case-upper: ', done.stdout)
        self.assertIn('opm: 0 of 1 answers are the recorded ones', done.stdout)
        self.assertEqual(self.archive.read_bytes(), self.recorded)
        self.assertEqual(self.record('--write', '--only', '^case-upper$', other, 'opm').returncode, 1)
        self.assertNotEqual(self.archive.read_bytes(), self.recorded)
        self.assertEqual(self.record('--only', '^case-upper$', other, 'opm').returncode, 0)
        self.assertEqual(self.record('--only', '^yaml-ints', OPM, 'opm').returncode, 0)

    def test_a_program_that_answers_nothing_is_not_stored(self):
        done = self.record('--write', '--only', '^json-', '/bin/true', 'opm')
        self.assertEqual(done.returncode, 1)
        self.assertIn('opm: nothing is stored', done.stdout)
        self.assertEqual(self.archive.read_bytes(), self.recorded)

    def test_what_cannot_be_asked_is_named(self):
        for arguments, words in (([OPM, 'om'], 'there is no suite om: opm registry catalogd'), (['/nonexistent'], '/nonexistent is not a program'),
                                 (['--only', 'zzzz', OPM], 'no question of opm matches zzzz'), (['--only', '(', OPM], '--only (: ')):
            done = self.record(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)


if __name__ == '__main__':
    unittest.main()
