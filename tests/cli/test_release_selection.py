"""Covers lib/mirror/releases.cpp. The releases that oc-mirror 4.19 selects (testdata/recorded/oc-mirror-releases.jsonl) are those that opcat selects."""
import hashlib
import json
import pathlib
import unittest

from opcat_case import OpcatCase

RECORDED = pathlib.Path(__file__).resolve().parents[2] / 'testdata/recorded/oc-mirror-releases.jsonl'
MACHINES = {'amd64': 'x86_64', 'arm64': 'aarch64'}


def image(release):
    return f'registry.example/release@sha256:{hashlib.sha256(release.encode()).hexdigest()}'


class ReleaseSelection(OpcatCase):
    def write_graphs(self, number, graphs):
        directory = self.dir / f'graphs-{number}'
        directory.mkdir()
        for name, graph in graphs.items():
            machine = MACHINES[name.split('-')[0]]
            nodes = [{'version': version, 'payload': image(f'{version}-{machine}')} for version in graph['releases']]
            (directory / f'{name}.json').write_text(json.dumps({'nodes': nodes, 'edges': graph['updates']}))
        return directory

    def select(self, platform, directory):
        wanted = self.dir / 'set.json'
        wanted.write_text(json.dumps({'apiVersion': 'mirror.openshift.io/v2alpha1', 'kind': 'ImageSetConfiguration', 'mirror': {'platform': platform}}))
        return self.opcat('mirror', '--config', wanted, '--releases', directory, '--selection', '-o', 'json')

    def test_the_selection_is_that_of_oc_mirror(self):
        compared = 0
        directory = None
        for number, row in enumerate(map(json.loads, RECORDED.read_text().splitlines())):
            if 'graphs' in row:
                directory = self.write_graphs(number, row['graphs'])
                continue
            with self.subTest(row['platform']):
                result = self.select(row['platform'], directory)
                if 'selected' in row:
                    self.assertEqual(result.status, 0, result)
                    self.assertEqual(result.json()['additionalImages'], sorted(map(image, row['selected'])))
                else:  # where oc-mirror fails, opcat may go on, but says why
                    self.assertRegex(result.err, '(?m)^(error|warning): ')
                compared += 1
        self.assertEqual(compared, 120)


if __name__ == '__main__':
    unittest.main()
