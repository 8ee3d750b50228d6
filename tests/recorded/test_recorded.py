"""The recorded answers of opm, of both OLMs' resolvers and of their servers (testdata/recorded/README.md) are opcat's."""
import os
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import plain_environment  # noqa: E402, F401
from suite import unpacked  # noqa: E402
from suites import SUITES  # noqa: E402

# The program that answers, and how many answers there are at least.
REPLAYED = {'opm': ('OPM', 260), 'registry': ('OPM', 2800), 'catalogd': ('OPCAT', 2300), 'versions': ('OPCAT', 10_000),
            'olm-v1': ('OPCAT', 4000), 'olm-classic': ('OPCAT', 170)}


class Recorded(unittest.TestCase):
    maxDiff = None

    def replay(self, name):
        """The suite, its rows and the answers."""
        program, at_least = REPLAYED[name]
        suite = SUITES[name]
        with unpacked(*suite.archives) as data:
            rows = suite.rows(data)
            self.assertGreaterEqual(len(rows), at_least)
            return suite, rows, suite.answers(os.environ[program], data, rows)

    def test_answers_agree_and_others_do_not(self):
        self.assertEqual(REPLAYED.keys(), SUITES.keys())
        for name in SUITES:
            with self.subTest(name):
                suite, rows, answers = self.replay(name)
                whys = [(suite.label(row), suite.difference(row, answer)) for row, answer in zip(rows, answers, strict=True)]
                self.assertEqual([found for found in whys if found[1]], [])
                self.assertGreater(self.seen(suite, rows, answers), len(rows) // 4)

    def seen(self, suite, rows, answers):
        """How many rows disagree with the answer to another question of their kind."""
        kinds = {}
        for row, answer in zip(rows, answers, strict=True):
            kinds.setdefault((row.get('method'), row.get('lib'), *sorted(answer)), []).append((row, answer))
        return sum(bool(suite.difference(row, other)) for pairs in kinds.values() for (row, _), (_, other) in zip(pairs, pairs[1:]))


if __name__ == '__main__':
    unittest.main()
