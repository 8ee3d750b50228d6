"""opcat lsp: templates are catalogs of their own."""
import unittest

from test_lsp import LanguageServerCase, PACKAGE, rules, uri_of
from test_unrendered_template import BASIC, SEMVER, SUBSTITUTES


class Templates(LanguageServerCase):
    def template(self, text, name='t.yaml'):
        self.write(name, text)
        return (self.dir / name).resolve()

    def test_findings_are_those_of_validate(self):
        cases = ((BASIC, 'defaultChannel: stable', 'defaultChannel: stabel'), (BASIC, '    replaces: foo.v1.0.0', '    replacess: foo.v1.0.0'),
                 (BASIC, '- schema: olm.bundle\n  image: r.example/foo:v1.2.0\n', ''), (SEMVER, 'bundles', 'bundels'),
                 (SUBSTITUTES, 'base: foo.v1.0.0', 'base: foo.v1.0'), (BASIC, 'name: foo.v1.0.0}', 'name: foo.v1.0}'))
        client = self.client()
        for i, (text, right, wrong) in enumerate(cases):
            with self.subTest(wrong):
                path = self.template(text.replace(right, wrong, 1), f'{i}.yaml')
                seen = [(f['range']['start']['line'] + 1, f['code']) for f in client.open(path)]
                found = self.opcat('validate', '--format', 'json', path).json()['findings']
                self.assertEqual(seen, [(f['range']['start']['line'], f['rule']) for f in found])
                self.assertNotEqual(seen, [])

    def test_two_templates_of_one_package_do_not_contradict_each_other_or_a_catalog(self):
        client = self.client()
        self.write('catalog.yaml', PACKAGE)
        for name in ('a.yaml', 'b.yaml'):
            self.assertEqual(client.open(self.template(BASIC, name)), [])

    def test_typing_makes_and_corrects_mistakes(self):
        path = self.template(BASIC)
        client = self.client()
        self.assertEqual(client.open(path), [])
        client.change(path, (4, 18), (4, 24), 'stabel')
        client.wait_until(lambda: rules(client.diagnostics[str(path)]) == ['default-channel'])
        client.change(path, (4, 18), (4, 24), 'stable')
        client.wait_until(lambda: client.diagnostics[str(path)] == [])

    def test_a_file_becomes_a_template_while_it_is_typed(self):
        path = self.template(BASIC.replace('olm.template.basic', 'olm.t').replace('stable', 'stabel', 1))
        client = self.client()
        client.open(path)
        client.change(path, (0, 13), (0, 13), 'emplate.basic')
        client.wait_until(lambda: rules(client.diagnostics[str(path)]) == ['default-channel'])
        client.change(path, (0, 13), (0, 26), '')
        client.wait_until(lambda: 'default-channel' not in rules(client.diagnostics[str(path)]))

    def test_definitions_and_completion_know_the_entries(self):
        path = self.template(BASIC)
        client = self.client()
        client.open(path)
        at = {'textDocument': {'uri': uri_of(path)}}
        found = client.request('textDocument/definition', {**at, 'position': {'line': 4, 'character': 20}})
        self.assertIn('7', str([place['range']['start']['line'] for place in (found if isinstance(found, list) else [found])]))
        items = client.request('textDocument/completion', {**at, 'position': {'line': 11, 'character': 14}})
        labels = [item['label'] for item in (items['items'] if isinstance(items, dict) else items)]
        self.assertIn('foo.v1.0.0', labels)
        symbols = client.request('textDocument/documentSymbol', at)
        self.assertIn('stable', str(symbols))


if __name__ == '__main__':
    unittest.main()
