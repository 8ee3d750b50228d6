"""The tables of rules and of JSON against the sources: the rule of every finding can be explained, and all JSON output is
described."""
import json
import re
import unittest

from opcat_case import CATALOGS, ROOT, OpcatCase

# A call that makes a finding, up to its first piece of text, and a member `rule` that is set.
USES = (re.compile(r'\b(?:error|warning|finding|problem|report|skipped|Diagnostic\s+\w+)\s*[({]'
                   r'(?:[^"(){};]|\([^"()]*\))*"([a-z0-9]+(?:-[a-z0-9]+)*)"\s*,'),
        re.compile(r'\b(?:[a-z]+_)?rule\s*=\s*"([a-z0-9-]+)"'))


def rules_in_sources():
    found = {}
    for folder in ('lib', 'tools'):
        for path in sorted((ROOT / folder).rglob('*.[ch]pp')):
            text = path.read_text()
            for use in USES:
                for rule in use.findall(text):
                    found.setdefault(rule, path.relative_to(ROOT))
    return found


class Rules(OpcatCase):
    def test_the_table_has_the_rules_of_all_findings_and_no_others(self):
        listed = self.opcat('explain')
        self.assert_status(listed, 0)
        table = {line.split()[0] for line in listed.out.splitlines()}
        used = rules_in_sources()
        self.assertEqual({rule: str(path) for rule, path in used.items() if rule not in table}, {}, 'add them to lib/lint/rules.cpp')
        self.assertEqual(table - used.keys(), set(), 'no finding has these rules')


class Json(OpcatCase):
    def test_every_form_is_described_and_named_as_the_page_says(self):
        page = (ROOT / 'docs/json-output.md').read_text()
        names = {name for folder in ('lib', 'tools') for path in (ROOT / folder).rglob('*.cpp')
                 for name in re.findall(r'"schema", *"(opcat[^"]*)"', path.read_text())}
        self.assertGreater(len(names), 10)
        for name in sorted(names):
            with self.subTest(name):
                self.assertRegex(name, r'^opcat\.[a-z0-9]+(-[a-z0-9]+)*\.v[0-9]+$')
                self.assertTrue(f'`{name}`' in page, 'add it to docs/json-output.md')

    def test_every_document_is_indented_by_two_blanks(self):
        gizmo, installed = CATALOGS / 'gizmo', 'gizmo-operator@1.0.0'
        for arguments in (('validate', gizmo, '--format', 'json'), ('validate', gizmo, '--format', 'sarif'), ('graph', gizmo, '-o', 'json'),
                          ('graph', gizmo, '--from', '1.0.0', '-p', 'gizmo-operator', '-o', 'json'), ('list', 'bundles', gizmo, '-o', 'json'),
                          ('diff', CATALOGS / 'gizmo-last-week', gizmo, '-o', 'json'), ('version', '-o', 'json'), ('schema', 'export'),
                          ('semver', 'match', '>=1.0.0', '1.2.0', '-o', 'json'), ('describe-commands',),
                          ('resolve', 'v1', 'gizmo-operator', '--catalog', gizmo, '-o', 'json'),
                          ('resolve', 'v1', 'gizmo-operator', '--catalog', gizmo, '--all-installed', '-o', 'json'),
                          ('resolve', 'classic', '-n', 'n', '--catalog', f'n/c={gizmo}', '--subscribe', 'gizmo-operator', '-o', 'json'),
                          ('resolve', 'ocp-upgrade', '--cluster-version', '4.18', '--catalog', gizmo, '--installed', installed, '-o', 'json')):
            with self.subTest(arguments):
                text = self.opcat(*arguments).out
                self.assertRegex(text, r'\A\{\n  "')
                self.assertEqual(text, json.dumps(json.loads(text), indent=2, ensure_ascii=False) + '\n')

    def test_a_catalog_is_indented_as_opm_does_it(self):
        self.assertRegex(self.opcat('render', CATALOGS / 'gizmo').out, r'\A\{\n    "')


if __name__ == '__main__':
    unittest.main()
