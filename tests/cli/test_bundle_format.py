"""What opm and operator-sdk refuse of a bundle before they look at its content.
Covers lib/bundle_checks: format.cpp, check_annotations.cpp, check_dependencies.cpp, check_manifests.cpp, opm_verdict.cpp."""
import itertools
import json
import pathlib
import shutil
import unittest

from opcat_case import TESTDATA, OpcatCase

WIDGETS = TESTDATA / 'bundles/widgets'
RECORDED = TESTDATA / 'recorded/opm-bundle-validate.jsonl'
ANNOTATIONS = 'metadata/annotations.yaml'
DOMAIN = 'operators.operatorframework.io.bundle.'


def place(case, directory):
    """The bundle of a recorded case."""
    shutil.copytree(WIDGETS, directory)
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


def same_in_any_order(shown, recorded):
    """Whether two lists of messages joined by commas, which messages may contain, are equal apart from the order."""
    pieces = shown.split(',')
    return len(shown) == len(recorded) and sorted(pieces) == sorted(recorded.split(','))


class Recorded(OpcatCase):
    def test_verdicts_and_words_of_opm_are_the_recorded_ones(self):
        cases = [json.loads(line) for line in RECORDED.read_text().splitlines()]
        self.assertGreater(len(cases), 100)
        for number, case in enumerate(cases):
            with self.subTest(case['name']):
                name = f'b{number}'
                place(case, self.dir / name)
                optional = ['-o', case['optional']] if 'optional' in case else []
                result = self.opm('alpha', 'bundle', 'validate', '-t', name, *optional)
                self.assertEqual(result.status != 0, case['exit'] != 0, result)
                if 'errors' not in case:
                    continue
                shown = result.err.removeprefix('error: Bundle validation errors: ').rstrip('\n').replace(f'{name}/', 'DIR/')
                # The text of a syntax error in CEL is opcat's own.
                if 'Syntax error' in case['errors']:
                    shown, case['errors'] = shown.partition('Syntax error')[0], case['errors'].partition('Syntax error')[0]
                self.assertTrue(same_in_any_order(shown, case['errors']), f'{shown}\nrecorded: {case["errors"]}')

    def test_opcat_refuses_what_opm_refuses_before_the_content(self):
        for number, case in enumerate(map(json.loads, RECORDED.read_text().splitlines())):
            if 'errors' not in case:
                continue
            with self.subTest(case['name']):
                place(case, self.dir / f'b{number}')
                result = self.opcat('bundle', 'validate', f'b{number}')
                self.assertEqual(result.status, 1, result)


if __name__ == '__main__':
    unittest.main()
