"""Against the recorded behaviour of opm and, when that is next to the project, of oc-mirror."""
import json
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from opcat_case import BINARY, SHARED, OpcatCase

RUNNER = SHARED / 'conformance/run-imageset'


class Conformance(OpcatCase):
    def test_verdicts_agree_and_every_finding_has_a_place(self):
        edge = self.unpack_recorded('edge')
        cases = [json.loads(line) for line in (edge / 'expected.jsonl').open()]
        self.dir = edge / 'cases'

        def check(case):
            name = case['case']
            wrong = []
            result = self.opcat('validate', '--allow-empty', '--format', 'json', name)
            if (result.status == 0) != (case['validate_rc'] == 0):
                wrong.append(f'validate: exit status {result.status}, opm {case["validate_rc"]}')
            render = self.opcat('render', '--allow-empty', name)
            if (render.status == 0) != (case['render_rc'] == 0):
                wrong.append(f'render: exit status {render.status}, opm {case["render_rc"]}')
            findings = json.loads(result.out)['findings']
            if result.status != 0 and not findings:
                wrong.append('no findings')
            for finding in findings:
                if finding['rule'] == 'file':
                    continue
                if not finding.get('file', '').startswith(name + '/') or finding['range']['start']['line'] < 1:
                    wrong.append(f'no place: {finding}')
            return [f'{name}: {text}' for text in wrong]

        with ThreadPoolExecutor(2) as pool:
            self.assertEqual([text for texts in pool.map(check, cases) for text in texts], [])
        self.assertGreater(len(cases), 0)

    @unittest.skipUnless(RUNNER.exists() and 'FULL_TESTS' in os.environ, 'there is no ../shared/conformance, or FULL_TESTS is not set')
    def test_selections_agree_with_those_of_oc_mirror(self):
        result = subprocess.run([RUNNER, '--opcat', BINARY], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == '__main__':
    unittest.main()
