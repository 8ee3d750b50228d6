"""What operator-controller's own code says of changed bundles (testdata/recorded/README.md), and what opcat predicts.
Covers lib/bundle_checks/v1_outcome.cpp and lib/bundle_checks/v1_metadata.cpp."""
import json
import re
import unittest

from opcat_case import TESTDATA, OpcatCase, changed_widgets

RECORDED = TESTDATA / 'recorded/operator-controller-bundles.jsonl'
# The API server's refusals come after what was recorded, those of dependencies, which widgets has, before.
OF_OTHERS = ('1 error occurred', 'failed to get release state', 'validating bundle')
# Go's words about files that it cannot decode are not repeated.
UNREADABLE = ('error parsing objects', 'failed to unmarshal', 'error converting', 'error unmarshaling', 'no ClusterServiceVersion', 'subdirectories')


class Recorded(OpcatCase):
    def setUp(self):
        super().setUp()
        self.cases = [json.loads(line) for line in RECORDED.read_text().splitlines()]
        for number, case in enumerate(self.cases):
            case['at'] = self.dir / str(number)
            changed_widgets(case, case['at'])

    def test_predictions_have_the_verdict_and_the_words(self):
        read = 0
        for case in self.cases:
            with self.subTest(case['name']):
                result = self.opcat('bundle', 'predict', '--olm', 'v1', '-o', 'json', case['at'])
                if not result.out:  # opm and operator-sdk do not read such a bundle, and opcat with them
                    self.assertEqual(result.status, 1)
                    continue
                read += 1
                said = [re.sub('^error for resolved bundle "[^"]*" with version "[^"]*": ', '', problem['message'])
                        for problem in result.json()['problems']]
                refusals = [words for words in said if not words.startswith(OF_OTHERS)]
                self.assertEqual(bool(refusals), bool(case['standard']), said)
                if not case['standard'].startswith(UNREADABLE):
                    # Kubernetes' libraries counted "characters" until they said "bytes".
                    self.assertLessEqual(set(case['standard'].replace('253 characters', '253 bytes').splitlines()), set(refusals))
        self.assertGreater(read, 370)

    def test_the_policy_has_the_verdict_of_both_feature_sets(self):
        for features in ('standard', 'experimental'):
            flags = ['--policy', 'olm-v1', '--feature-set', features, '--format', 'json', '--no-config']
            for case in [case for number, case in enumerate(self.cases) if 'experimental' in case or number % 6 == 0]:
                with self.subTest(case['name'], features=features):
                    found = self.opcat('bundle', 'validate', *flags, case['at']).json()['findings']
                    refusals = [f for f in found if f['severity'] == 'error' and f['rule'] not in ('v1-dependencies', 'olm-classic') and
                                not any(words in f['message'] for words in OF_OTHERS)]
                    if case.get(features, case['standard']):
                        self.assertTrue(refusals)
                    else:
                        self.assertEqual([f for f in refusals if f['rule'].startswith('v1-')], [])


if __name__ == '__main__':
    unittest.main()
