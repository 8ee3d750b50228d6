"""lib/cel against another implementation of the language: @bufbuild/cel, installed by npm for the test.

    CEL_VERDICTS=build/dev/tests/cel/cel_verdicts PYTHONPATH=tests python3 -m unittest discover -s tests/cel/judge -p '*_test.py'

Skipped where npm is not there, or cannot install it. Timestamps and durations are not compared.
"""
import json
import os
import pathlib
import subprocess
import unittest

import npm
import random_expressions

HERE = pathlib.Path(__file__).resolve().parent
JUDGE = '@bufbuild/cel@0.6.1'
VERDICTS = os.path.abspath(os.environ.get('CEL_VERDICTS', 'build/dev/tests/cel/cel_verdicts'))

PROPERTIES = [
    {'type': 'olm.package', 'value': {'packageName': 'gizmo', 'version': '1.2.3'}},
    {'type': 'olm.gvk', 'value': {'group': 'example.com', 'version': 'v1', 'kind': 'Gizmo'}},
    {'type': 'olm.gvk', 'value': {'group': 'example.com', 'version': 'v1', 'kind': 'Gadget'}},
    {'type': 'level', 'value': 2},
    {'type': 'half', 'value': 0.5},
    {'type': 'certified', 'value': True},
    {'type': 'tags', 'value': ['a', 'b', 'c']},
    {'type': 'nil', 'value': None},
    {'type': 'text', 'value': 'some words'},
    {'type': 'deep', 'value': {'a': {'b': [1, {'c': 'd'}]}}},
]


def hand_written():
    lines = (HERE / 'expressions.txt').read_text().splitlines()
    return [line for line in lines if line and not line.startswith('#')]


class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Next to the program, so that it is installed once for each build.
        cls.modules = npm.install(pathlib.Path(VERDICTS).parent / 'judge', JUDGE)

    maxDiff = None

    def answers(self, command, expressions):
        questions = json.dumps([{'expression': text, 'properties': PROPERTIES} for text in expressions])
        done = subprocess.run(command, input=questions, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), len(expressions), done.stdout[-500:])
        return lines

    def compare(self, expressions):
        ours = self.answers([VERDICTS], expressions)
        judged = self.answers(['node', str(HERE / 'judge.mjs'), str(self.modules)], expressions)
        # That an expression does not compile is known before it is evaluated: OLM treats both as not satisfied.
        different = [f'{text}\n  lib/cel: {a}\n  judge:   {b}' for text, a, b in zip(expressions, ours, judged)
                     if a.replace('does not compile', 'failure').split(':')[0] != b.split(':')[0]]
        self.assertEqual(different, [], f'{len(different)} of {len(expressions)} differ')
        return ours

    def test_hand_written_expressions(self):
        self.compare(hand_written())

    def test_random_expressions(self):
        answers = self.compare(random_expressions.expressions(600))
        # There are expressions of all kinds, and all of them are valid.
        self.assertEqual([a for a in answers if a.startswith('does not compile')], [])
        for verdict in ('true', 'false', 'failure'):
            self.assertGreater(answers.count(verdict), 60)


if __name__ == '__main__':
    unittest.main()
