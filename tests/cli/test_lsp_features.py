"""opcat lsp: completion, hover, definitions, renaming, symbols, formatting and code actions. Covers lib/lsp."""
import json
import pathlib
import shutil
import tempfile
import urllib.parse

from language_client import PACKAGE, LanguageClient, uri_of
from opcat_case import ROOT, OpcatCase

PACKAGE += '''  - name: shop.v1.1.0
    replaces: shop.v1.0.0
    skipRange: ">=1.0.0 <1.1.0"
'''
BUNDLE = '''---
schema: olm.bundle
package: shop
name: shop.v{0}
image: r.example/shop:v{0}
properties:
  - type: olm.package
    value:
      packageName: shop
      version: {0}
  - type: olm.gvk
    value: {{group: shop.example, kind: Shop, version: v1}}
'''
BUNDLES = BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0') + BUNDLE.format('1.2.0')


def applied(text, edits):
    """A text after edits of the protocol (ASCII)."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    offset = lambda place: starts[min(place['line'], len(lines))] + place['character']
    for edit in sorted(edits, key=lambda edit: offset(edit['range']['start']), reverse=True):
        text = text[:offset(edit['range']['start'])] + edit['newText'] + text[offset(edit['range']['end']):]
    return text


class Features(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('catalog/shop/package.yaml', PACKAGE)
        self.write('catalog/shop/bundles.yaml', BUNDLES)
        self.package = self.dir.resolve() / 'catalog/shop/package.yaml'
        self.bundles = self.dir.resolve() / 'catalog/shop/bundles.yaml'
        self.client = LanguageClient(self.dir.resolve())
        self.addCleanup(self.client.stop)
        self.client.open(self.package)
        self.client.open(self.bundles)

    def ask(self, method, path, line, character, **more):
        return self.client.request(f'textDocument/{method}', {
            'textDocument': {'uri': uri_of(path)}, 'position': {'line': line, 'character': character}, **more})

    def open_text(self, name, text):
        """Opens a text with "|" where the cursor is; returns its path and place."""
        path = self.dir.resolve() / name
        before = text[:text.index('|')]
        self.client.notify('textDocument/didOpen', {'textDocument': {'uri': uri_of(path), 'languageId': 'yaml', 'version': 1, 'text': text.replace('|', '', 1)}})
        return path, before.count('\n'), len(before) - before.rfind('\n') - 1

    def completions(self, text, name='catalog/shop/new.yaml'):
        path, line, character = self.open_text(name, text)
        answer = self.ask('completion', path, line, character)
        self.client.notify('textDocument/didClose', {'textDocument': {'uri': uri_of(path)}})
        return {item['label']: item['textEdit']['newText'] for item in answer['items']}

    def test_completion(self):
        channel = 'schema: olm.channel\npackage: shop\nname: fast\nentries:\n'
        bundle = 'schema: olm.bundle\npackage: shop\nname: shop.v2.0.0\nproperties:\n'
        cases = [
            ('schemas of blobs and templates', '---\nschema: |', ['olm.channel', 'olm.bundle', 'olm.semver'], []),
            ('fields of a blob that are not there yet', channel + '|', ['properties'], ['name', 'entries']),
            ('fields of an entry', channel + '  - name: a\n    |', ['replaces', 'skips', 'skipRange'], ['name', 'defaultChannel']),
            ('fields in flow style', channel + '  - {name: a, |}', ['replaces'], ['name']),
            ('bundles for an entry', channel + '  - name: |', ['shop.v1.2.0', 'shop.v1.0.0'], []),
            ('bundles for replaces', channel + '  - name: shop.v1.2.0\n    replaces: sh|', ['shop.v1.1.0'], ['shop.v1.2.0']),
            ('items of skips', channel + '  - name: a\n    skips:\n      - |', ['shop.v1.1.0'], ['replaces']),
            ('ranges below a version', channel + '  - name: shop.v1.2.0\n    skipRange: |', ['>=1.1.0 <1.2.0', '>=1.0.0 <1.2.0'], []),
            ('packages', 'schema: olm.channel\npackage: |', ['shop'], []),
            ('channels', 'schema: olm.package\nname: shop\ndefaultChannel: |', ['stable'], []),
            ('types of properties', bundle + '  - type: |', ['olm.package', 'olm.gvk.required', 'olm.constraint'], []),
            ('fields of a property by its type', bundle + '  - type: olm.package.required\n    value:\n      |', ['packageName', 'versionRange'], ['version']),
            ('the release of a bundle', bundle + '  - type: olm.package\n    value:\n      |', ['packageName', 'version', 'release'], []),
            ('fields of the metadata of a bundle', bundle + '  - type: olm.csv.metadata\n    value:\n      |', ['displayName', 'minKubeVersion', 'crdDescriptions'], ['packageName']),
            ('fields of what is in it', bundle + '  - type: olm.csv.metadata\n    value:\n      crdDescriptions:\n        owned:\n          - |', ['name', 'kind', 'displayName'], ['owned']),
            ('whether a namespace can be watched', bundle + '  - type: olm.csv.metadata\n    value:\n      installModes:\n        - supported: |', ['true', 'false'], []),
            ('the data of a manifest', bundle + '  - type: olm.bundle.object\n    value:\n      |', ['data'], []),
            ('the version in the name', bundle + '  - type: olm.package\n    value: {packageName: shop, version: |}', ['2.0.0'], []),
            ('the package of a property', bundle + '  - type: olm.package\n    value: {packageName: |}', ['shop'], []),
            ('apis that are provided', bundle + '  - type: olm.gvk.required\n    value: {group: shop.example, kind: |}', ['Shop'], []),
            ('bundles that entries name and that do not exist', 'schema: olm.bundle\npackage: shop\nname: |\n---\n' + channel + '  - name: shop.v9.0.0\n', ['shop.v9.0.0'], ['shop.v1.0.0']),
            ('ranges below the version in a name', channel + '  - name: shop.v1.3.0\n    skipRange: |', ['>=1.2.0 <1.3.0', '>=1.0.0 <1.3.0'], []),
            ('packages that are required', bundle + '  - type: olm.package.required\n    value: {packageName: |}', ['shop'], []),
            ('versions that are required', bundle + '  - type: olm.package.required\n    value: {packageName: shop, versionRange: |}', ['>=1.2.0', '>=1.0.0'], []),
            ('nothing for a field of another property', bundle + '  - type: olm.gvk.required\n    value: {plural: |}', [], ['shop']),
            ('kinds of what can be deprecated', 'schema: olm.deprecations\npackage: shop\nentries:\n  - reference:\n      schema: |', ['olm.package', 'olm.channel', 'olm.bundle'], ['shop']),
            ('what can be deprecated', 'schema: olm.deprecations\npackage: shop\nentries:\n  - reference:\n      schema: olm.channel\n      name: |', ['stable'], ['shop.v1.0.0']),
        ]
        for what, text, there, missing in cases:
            found = self.completions(text)
            for label in there:
                self.assertIn(label, found, what)
            for label in missing:
                self.assertNotIn(label, found, what)
        self.assertEqual(self.completions(channel + '  - name: shop.v1.2.0\n    skipRange: |')['>=1.0.0 <1.2.0'], '">=1.0.0 <1.2.0"')
        self.assertEqual(self.completions(channel + '  - name: a\n    |')['skips'], 'skips:\n      - ')
        self.assertEqual(next(iter(self.completions(channel + '  - name: |'))), 'shop.v1.2.0', 'new bundles come first')

    def test_completion_in_json(self):
        found = self.completions('{"schema": "olm.channel", "package": "shop", "name": "x", "entries": [{"name": "|"}]}', 'catalog/shop/new.json')
        self.assertEqual(found['shop.v1.2.0'], 'shop.v1.2.0')
        found = self.completions('{"schema": "olm.channel", "package": "shop", |', 'catalog/shop/new.json')
        self.assertEqual(found['entries'], '"entries": ')

    def test_completion_next_to_catalogs(self):
        for name, text, label in (
                ('.opcat.yaml', '|', 'rules'), ('.opcat.yaml', 'rules:\n  |', 'channel-heads'), ('.opcat.yaml', 'rules:\n  schema: |', 'warning'),
                ('.opcat.yaml', 'overrides:\n  - packages:\n      - |', 'shop'),
                ('.opcat.yaml', 'catalogs:\n  - |', 'openshift'), ('.opcat.yaml', 'catalogs:\n  - layout: |', 'channel'),
                ('template.yaml', 'schema: olm.semver\n|', 'generateMajorChannels'), ('template.yaml', 'schema: olm.semver\ndefaultChannelTypePreference: |', 'minor'),
                ('template.yaml', 'schema: olm.semver\nstable:\n  bundles:\n    - |', 'image'),
                ('basic.yaml', 'schema: olm.template.basic\nentries:\n  - |', 'image'),
                ('substitutes.yaml', 'schema: olm.template.substitutes\nsubstitutions:\n  - |', 'base'),
                ('composite.yaml', 'references:\n  - name: x\n    |', 'image'),
                ('operators/shop/ci.yaml', 'fbc:\n  enabled: true\n  |', 'catalog_mapping'),
                ('operators/shop/ci.yaml', 'updateGraph: |', 'semver-mode'),
                ('operators/shop/1.0.0/release-config.yaml', 'catalog_templates:\n  - template_name: a\n    |', 'channels'),
                ('filter.yaml', 'packages:\n  - name: shop\n    versions:\n      - |', '>=1.1.0'),
                ('filter.yaml', 'packages:\n  - name: |', 'shop'), ('filter.yaml', 'packages:\n  - name: shop\n    channels:\n      - |', 'stable')):
            self.assertIn(label, self.completions(text, name), (name, text))
        # Of a package without a name nothing is known.
        self.assertEqual(self.completions('packages:\n  - channels:\n      - |', 'filter.yaml'), {})

    def test_completion_of_properties_with_a_schema_of_ones_own(self):
        self.client.stop()
        (self.dir / '.git').mkdir()
        self.write('notes.cue', (ROOT / 'testdata/schemas/notes.cue').read_text())
        self.write('.opcat.yaml', 'schemas: [notes.cue]\n')
        self.client = LanguageClient(self.dir.resolve())
        self.addCleanup(self.client.stop)
        found = self.completions('schema: olm.bundle\npackage: shop\nname: a\nproperties:\n  - type: |')
        self.assertIn('example.memory', found)

    def test_findings_next_to_catalogs(self):
        for name, text, message in (('.opcat.yaml', 'rules: {nonsense: off}\n', 'nonsense'),
                                    ('operators/shop/ci.yaml', 'updateGraph: x\n', "'x' is not one of"),
                                    ('operators/shop/ci.yml', 'a: [\n', ''),
                                    ('operators/shop/1.0.0/release-config.yaml', 'merge: true\n', "'catalog_templates' is a required property"), ('composite.yaml', 'references: 5\n', 'references'),
                                    ('filter.yaml', 'packages:\n  - nam: x\n', 'nam')):
            path = self.dir.resolve() / name
            findings = self.client.open(path, text)
            self.assertTrue(any(message in finding['message'] for finding in findings), (name, findings))
        # Edited until it is something else, it keeps no findings.
        path = self.dir.resolve() / 'composite.yaml'
        self.assertIn('wrong\U0001F600', str(self.client.change(path, (0, 12), (0, 13), '[{name: a, wrong\U0001F600: 1}]')))
        self.assertEqual(self.client.change(path, (0, 0), (0, 10), 'something'), [])

    def test_hover(self):
        for path, line, character, words in (
                (self.package, 10, 18, ['**shop.v1.0.0** · version 1.0.0', 'Channel **stable** (default)', 'is upgraded to shop.v1.1.0']),
                (self.package, 9, 12, ['upgrades to it: shop.v1.0.0', 'its head']),
                (self.package, 11, 20, ['covers 1 of 3 versions of shop: 1.0.0']),
                (self.package, 11, 6, ['skipRange', 'The range of versions that may be left out']),
                (self.package, 2, 18, ['default channel of package shop', 'Its head is shop.v1.1.0']),
                (self.package, 1, 8, ['package with 1 channel and 3 bundles']),
                (self.package, 0, 12, ['A package: its name, description']),
                (self.bundles, 6, 14, ['The package and version of a bundle'])):
            answer = self.ask('hover', path, line, character)
            for word in words:
                self.assertIn(word, answer['contents']['value'], (path.name, line, character))
        self.assertIsNone(self.ask('hover', self.package, 3, 1))

    def hover(self, text):
        path, line, character = self.open_text('catalog/shop/new.yaml', text)
        answer = self.ask('hover', path, line, character)
        self.client.notify('textDocument/didClose', {'textDocument': {'uri': uri_of(path)}})
        return answer['contents']['value']

    def test_hover_over_fields(self):
        bundle = 'schema: olm.bundle\npackage: shop\nname: a\nproperties:\n  - type: %s\n    value: {%s: x}\n'
        self.assertIn('**release** · Orders bundles of one version', self.hover(bundle % ('olm.package', 'release: |y, version')))
        self.assertIn('**minKubeVersion** · The lowest version of Kubernetes', self.hover(bundle % ('olm.csv.metadata', 'minKubeVersion: |y, maturity')))
        self.assertIn('**defaultChannel** · The channel of those', self.hover('schema: olm.package\nname: a\ndefaultChannel: s|table\n'))

    def test_hover_over_ranges_and_over_what_is_not_there(self):
        required = 'schema: olm.bundle\npackage: shop\nname: shop.v9.0.0\nproperties:\n  - type: olm.package.required\n    value: {packageName: %s, versionRange: "%s"}\n'
        self.assertIn('covers 2 of 3 versions of shop: 1.2.0 and 1.1.0', self.hover(required % ('shop', '>|=1.1.0')))
        self.assertIn('covers none of the 3 versions of shop', self.hover(required % ('shop', '>|=5.0.0')))
        self.assertIn('**nobody**\n\nThe catalog has no such package.', self.hover(required % ('no|body', '>=1.0.0')))

    def places(self, answer):
        return sorted((pathlib.Path(urllib.parse.urlparse(one['uri']).path).name, one['range']['start']['line']) for one in answer)

    def test_definitions_and_references(self):
        self.assertEqual(self.places(self.ask('definition', self.package, 10, 18)), [('bundles.yaml', 3)])
        self.assertEqual(self.places(self.ask('definition', self.bundles, 2, 10)), [('package.yaml', 1)])
        self.assertEqual(self.places(self.ask('definition', self.package, 2, 18)), [('package.yaml', 6)])
        references = {'context': {'includeDeclaration': True}}
        self.assertEqual(self.places(self.ask('references', self.package, 8, 12, **references)), [('bundles.yaml', 3), ('package.yaml', 8), ('package.yaml', 10)])
        self.assertEqual(len(self.ask('references', self.package, 1, 8, context={'includeDeclaration': False})), 1 + 3 + 3)
        self.assertEqual([one['range']['start']['line'] for one in self.ask('documentHighlight', self.package, 8, 12)], [8, 10])
        self.assertIsNone(self.ask('definition', self.package, 3, 1))

    def test_a_new_name_is_written_in_all_files(self):
        self.assertEqual(self.ask('prepareRename', self.bundles, 3, 10)['placeholder'], 'shop.v1.0.0')
        changes = self.ask('rename', self.bundles, 3, 10, newName='shop.v1.0.1')['changes']
        self.assertEqual(applied(PACKAGE, changes[uri_of(self.package)]), PACKAGE.replace('shop.v1.0.0', 'shop.v1.0.1'))
        self.assertEqual(applied(BUNDLES, changes[uri_of(self.bundles)]), BUNDLES.replace('name: shop.v1.0.0', 'name: shop.v1.0.1'))
        changes = self.ask('rename', self.package, 6, 8, newName='4')['changes'][uri_of(self.package)]
        self.assertEqual(applied(PACKAGE, changes), PACKAGE.replace('stable', '"4"'))
        changes = self.ask('rename', self.package, 1, 8, newName='store')['changes']
        self.assertEqual(applied(BUNDLES, changes[uri_of(self.bundles)]), BUNDLES.replace('package: shop', 'package: store').replace('packageName: shop', 'packageName: store'))
        self.client.change(self.package, (1, 6), (1, 10), '"\\x73hop"')
        with self.assertRaisesRegex(RuntimeError, 'written with escapes'):
            self.ask('rename', self.bundles, 2, 10, newName='store')
        self.client.change(self.package, (1, 6), (1, 14), 'shop\nbroken: [')
        with self.assertRaisesRegex(RuntimeError, 'does not read as a catalog, and may have the old name'):
            self.ask('rename', self.bundles, 2, 10, newName='store')
        self.client.change(self.package, (1, 6), (2, 9), 'shop')
        for name, why in (('a b', 'cannot be a name'), ('', 'cannot be a name'), ('shop.v1.1.0', 'already')):
            with self.assertRaisesRegex(RuntimeError, why):
                self.ask('rename', self.bundles, 3, 10, newName=name)

    def test_a_new_name_that_yaml_reads_as_something_else_is_quoted(self):
        for name in 'Yes', 'True', 'NO', 'Off', 'y', 'NULL', '.inf', '.nan', '0x1F', '0o17', '4.16', '-':
            changes = self.ask('rename', self.package, 6, 8, newName=name)['changes'][uri_of(self.package)]
            self.assertEqual(applied(PACKAGE, changes), PACKAGE.replace('stable', f'"{name}"'))
        for name in 'stable-4.16', 'add', '1.0.0', 'yes-no':
            changes = self.ask('rename', self.package, 6, 8, newName=name)['changes'][uri_of(self.package)]
            self.assertEqual(applied(PACKAGE, changes), PACKAGE.replace('stable', name))

    def test_constraints_name_packages(self):
        constraint = ('  - type: olm.constraint\n    value:\n      failureMessage: no\n      all:\n        constraints:\n'
                      '          - package: {packageName: shop, versionRange: ">=1"}\n'
                      '          - not: {constraints: [{any: {constraints: [{package: {packageName: shop, versionRange: "<1"}}, {gvk: {group: a, kind: shop, version: v1}}]}}]}\n'
                      '  - type: olm.constraint\n    value: {failureMessage: no, package: {packageName: shop, versionRange: ">=1"}}\n')
        cafe = self.write('catalog/cafe.yaml', BUNDLE.replace('shop', 'cafe').format('1.0.0') + constraint).resolve()
        client = LanguageClient(self.dir.resolve())
        self.addCleanup(client.stop)
        client.open(self.package)
        changes = client.request('textDocument/rename', {'textDocument': {'uri': uri_of(self.package)}, 'position': {'line': 1, 'character': 8}, 'newName': 'store'})
        self.assertEqual(applied(cafe.read_text(), changes['changes'][uri_of(cafe)]), cafe.read_text().replace('packageName: shop', 'packageName: store'))

    def test_a_new_name_of_a_package_is_written_in_blobs_of_other_schemas(self):
        custom = self.write('catalog/shop/custom.yaml', 'schema: custom.notes\npackage: shop\nname: shop\n').resolve()
        client = LanguageClient(self.dir.resolve())
        self.addCleanup(client.stop)
        client.open(self.package)
        changes = client.request('textDocument/rename', {'textDocument': {'uri': uri_of(self.package)}, 'position': {'line': 1, 'character': 8}, 'newName': 'store'})
        self.assertEqual(applied(custom.read_text(), changes['changes'][uri_of(custom)]), custom.read_text().replace('package: shop', 'package: store'))

    def test_what_cannot_be_read_may_have_what_the_others_lack(self):
        outside = pathlib.Path(tempfile.mkdtemp()) / 'bundle.yaml'
        self.addCleanup(shutil.rmtree, outside.parent)
        outside.write_text(BUNDLE.format('1.3.0'))
        text = PACKAGE.replace('- name: shop.v1.1.0', '- name: shop.v1.3.0')
        findings = self.client.change(self.package, (0, 0), (99, 0), text)
        self.assertIn('shop.v1.3.0', str(findings))
        (self.dir / 'catalog/shop/link.yaml').symlink_to(outside)
        self.client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': uri_of(self.dir.resolve() / 'catalog/shop/link.yaml'), 'type': 1}]})
        findings = self.client.change(self.package, (0, 0), (99, 0), text + '\n')
        self.assertNotIn('shop.v1.3.0', str(findings))
        with self.assertRaisesRegex(RuntimeError, 'cannot be read'):
            self.ask('rename', self.bundles, 3, 10, newName='shop.v1.0.1')

    def test_symbols(self):
        symbols = self.client.request('textDocument/documentSymbol', {'textDocument': {'uri': uri_of(self.package)}})
        self.assertEqual([(one['name'], one['detail'], one['range']['start']['line'], one['range']['end']['line']) for one in symbols],
                         [('shop', 'olm.package', 0, 2), ('stable', 'olm.channel', 4, 11)])
        self.assertEqual([child['name'] for child in symbols[1]['children']], ['shop.v1.0.0', 'shop.v1.1.0'])
        path, _, _ = self.open_text('catalog/shop/new.yaml', 'schema: olm.deprecations\npackage: shop\nentries: []\n---\nschema: example.com.notes\ntext: |')
        symbols = self.client.request('textDocument/documentSymbol', {'textDocument': {'uri': uri_of(path)}})
        self.assertEqual([(one['name'], one['detail']) for one in symbols], [('shop', 'olm.deprecations'), ('example.com.notes', 'example.com.notes')])
        self.client.notify('textDocument/didClose', {'textDocument': {'uri': uri_of(path)}})
        found = self.client.request('workspace/symbol', {'query': 'V1.2'})
        self.assertEqual([(one['name'], one['containerName'], one['location']['uri']) for one in found], [('shop.v1.2.0', 'shop', uri_of(self.bundles))])
        self.assertEqual(len(self.client.request('workspace/symbol', {'query': ''})), 5)

    def test_folding(self):
        folds = self.client.request('textDocument/foldingRange', {'textDocument': {'uri': uri_of(self.package)}})
        self.assertEqual([(one['startLine'], one['endLine']) for one in folds], [(0, 2), (3, 11), (7, 11), (9, 11)])

    def test_formatting_is_that_of_fmt(self):
        text = '# why\nschema: olm.package\ndefaultChannel: "stable"\nname: shop\n---\n' + PACKAGE.split('---\n')[1]
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 2}, 'contentChanges': [{'text': text}]})
        edits = self.client.request('textDocument/formatting', {'textDocument': {'uri': uri_of(self.package)}, 'options': {'tabSize': 2, 'insertSpaces': True}})
        expected = self.opcat('fmt', '-', stdin=text).out
        self.assertNotEqual(expected, text)
        self.assertEqual(applied(text, edits), expected)
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 3}, 'contentChanges': [{'text': 'schema: {'}]})
        with self.assertRaisesRegex(RuntimeError, 'cannot format'):
            self.client.request('textDocument/formatting', {'textDocument': {'uri': uri_of(self.package)}, 'options': {}})

    def actions(self, path, line, character, only=None):
        place = {'line': line, 'character': character}
        answer = self.client.request('textDocument/codeAction', {
            'textDocument': {'uri': uri_of(path)}, 'range': {'start': place, 'end': place}, 'context': {'diagnostics': [], **({'only': only} if only else {})}})
        return {one['title']: one for one in answer}

    def test_fixes_are_those_of_validate(self):
        text = PACKAGE.replace('replaces:', 'replces:')
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 2}, 'contentChanges': [{'text': text}]})
        self.client.wait_for(self.package, 2)
        offered = self.actions(self.package, 10, 6)
        fix = offered['write replaces']
        self.assertEqual(fix['kind'], 'quickfix')
        self.assertEqual(fix['diagnostics'][0]['code'], 'unknown-field')
        self.assertEqual(applied(text, fix['edit']['changes'][uri_of(self.package)]), PACKAGE)
        self.assertNotIn('write replaces', self.actions(self.package, 0, 0))
        [everything] = self.actions(self.package, 0, 0, ['source.fixAll']).values()
        self.assertEqual(applied(text, everything['edit']['changes'][uri_of(self.package)]), PACKAGE)
        # Several at once.
        text = text.replace('skipRange:', 'skpRange:').replace('defaultChannel', 'defaultChanel')
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 3}, 'contentChanges': [{'text': text}]})
        self.client.wait_for(self.package, 3)
        [everything] = self.actions(self.package, 0, 0, ['source.fixAll']).values()
        self.assertEqual(applied(text, everything['edit']['changes'][uri_of(self.package)]), PACKAGE)

    def test_line_breaks_are_left_to_the_editor(self):
        text = PACKAGE.replace('\n', '\r\n')
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 2}, 'contentChanges': [{'text': text}]})
        [finding] = [finding for finding in self.client.wait_for(self.package, 2) if finding['code'] == 'line-breaks']
        self.assertEqual(self.actions(self.package, *finding['range']['start'].values(), ['quickfix', 'source.fixAll']), {})

    def edited(self, path, line, character, title):
        """The findings after an action, and the texts that it wrote."""
        action = self.actions(path, line, character)[title]
        texts = {}
        for uri, edits in action['edit']['changes'].items():
            changed = pathlib.Path(urllib.parse.urlparse(uri).path)
            document = self.client.texts[str(changed)]
            document[0] += 1
            document[1] = texts[changed.name] = applied(document[1], edits)
            self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri, 'version': document[0]}, 'contentChanges': [{'text': document[1]}]})
            self.client.wait_for(changed, document[0])
        return [finding['code'] for findings in self.client.diagnostics.values() for finding in findings if finding['severity'] == 1], texts

    def test_an_entry_for_a_bundle(self):
        findings, texts = self.edited(self.bundles, 27, 8, 'add an entry for shop.v1.2.0 to channel stable')
        self.assertEqual(findings, [])
        self.assertTrue(texts['package.yaml'].endswith('  - name: shop.v1.2.0\n    replaces: shop.v1.1.0\n'))
        self.assertNotIn('add an entry for shop.v1.1.0 to channel stable', self.actions(self.bundles, 15, 8))

    def test_another_head(self):
        findings, texts = self.edited(self.package, 8, 12, 'make shop.v1.0.0 the head of channel stable')
        self.assertIn('  - name: shop.v1.0.0\n    replaces: shop.v1.1.0\n  - name: shop.v1.1.0\n    skipRange', texts['package.yaml'])
        self.assertNotIn('channel-heads', findings)
        self.assertFalse([title for title in self.actions(self.package, 8, 12) if 'head' in title])

    def test_another_head_in_the_middle_of_a_chain(self):
        text = PACKAGE + '  - name: shop.v1.2.0\n    replaces: shop.v1.1.0\n'
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 2}, 'contentChanges': [{'text': text}]})
        self.client.wait_for(self.package, 2)
        self.client.texts[str(self.package)] = [2, text]
        _, texts = self.edited(self.package, 9, 12, 'make shop.v1.1.0 the head of channel stable')
        # What replaced it replaces what it replaced.
        self.assertEqual(texts['package.yaml'], text.replace('    replaces: shop.v1.0.0', '    replaces: shop.v1.2.0').replace(
            '  - name: shop.v1.2.0\n    replaces: shop.v1.1.0', '  - name: shop.v1.2.0\n    replaces: shop.v1.0.0'))

    def test_another_head_in_any_notation(self):
        above = '  - name: shop.v1.1.0\n    replaces: shop.v1.0.0\n'
        head = 'schema: olm.package\nname: shop\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: shop\nname: stable\nentries:\n  - name: shop.v1.0.0\n' + above
        cases = {
            'flow style': (head + '  - {name: shop.v1.2.0}\n', head + '  - {name: shop.v1.2.0, replaces: shop.v1.1.0}\n'),
            'flow style over several lines': (head + '  - {\n      name: shop.v1.2.0\n    }\n', None),
            'all in flow style': (head.replace(above, '').replace('entries:\n  - name: shop.v1.0.0\n',
                                                                  'entries: [{name: shop.v1.1.0}, {name: shop.v1.2.0}]\n'), None),
            'a text over several lines': (head.replace('replaces: shop.v1.0.0', 'replaces: >-\n      shop.v1.2.0') + '  - name: shop.v1.2.0\n    replaces: shop.v1.0.0\n', None),
            'a name in quotes': (head + '  - name: "shop.v1.2.0" # new\n', None),
            'a field in another letter case': (head.replace('    replaces: shop.v1.0.0', '    Replaces: shop.v1.2.0') + '  - name: shop.v1.2.0\n    replaces: shop.v1.0.0\n', ''),
        }
        for version, (what, (text, expected)) in enumerate(cases.items(), 2):
            with self.subTest(what):
                self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': version}, 'contentChanges': [{'text': text}]})
                self.client.wait_for(self.package, version)
                at = text.rindex('shop.v1.2.0')
                offered = self.actions(self.package, text.count('\n', 0, at), at - text.rindex('\n', 0, at) - 1)
                title = 'make shop.v1.2.0 the head of channel stable'
                if expected == '':
                    self.assertNotIn(title, offered)
                    continue
                made = applied(text, offered[title]['edit']['changes'][uri_of(self.package)])
                if expected:
                    self.assertEqual(made, expected)
                graph = self.opcat('render', '-', stdin=made)
                self.assert_status(graph, 0)
                entries = {entry['name']: entry.get('replaces') for entry in json.loads('[' + graph.out.replace('}\n{', '},{') + ']')[1]['entries']}
                self.assertEqual(entries['shop.v1.2.0'], 'shop.v1.1.0')
                self.assertNotIn('shop.v1.2.0', entries.values())

    def test_names_in_new_lines_are_quoted_where_yaml_needs_it(self):
        text = PACKAGE.replace('stable', '"4.16"')
        self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(self.package), 'version': 2}, 'contentChanges': [{'text': text}]})
        self.client.wait_for(self.package, 2)
        self.client.texts[str(self.package)] = [2, text]
        findings, texts = self.edited(self.package, 6, 8, 'deprecate 4.16')
        self.assertIn("      name: '4.16'\n", texts['package.yaml'])
        self.assertEqual(findings, ['bundle-without-channel'])

    def test_deprecations(self):
        findings, texts = self.edited(self.bundles, 3, 10, 'deprecate shop.v1.0.0')
        self.assertEqual(findings, ['bundle-without-channel'])
        self.assertIn('---\nschema: olm.deprecations\npackage: shop\nentries:\n  - reference:\n      schema: olm.bundle\n      name: shop.v1.0.0\n', texts['bundles.yaml'])
        findings, texts = self.edited(self.package, 1, 8, 'deprecate shop')
        self.assertEqual(findings, ['bundle-without-channel'])
        self.assertTrue(texts['bundles.yaml'].endswith('  - reference:\n      schema: olm.package\n    message: shop is deprecated\n'))
        self.assertNotIn('deprecate shop', self.actions(self.package, 1, 8))

    def test_a_client_that_shows_documents_is_asked_to_show_the_graph(self):
        client = LanguageClient(self.dir.resolve(), capabilities={'window': {'showDocument': {'support': True}}})
        self.addCleanup(client.stop)
        client.open(self.package)
        argument = {'textDocument': {'uri': uri_of(self.package)}, 'position': {'line': 8, 'character': 12}}
        shown = client.request('workspace/executeCommand', {'command': 'opcat.showGraph', 'arguments': [argument]})
        [asked] = [one for one in client.requests if one['method'] == 'window/showDocument']
        self.assertEqual(asked['params'], {'uri': shown['uri'], 'external': True})

    def test_the_graph_follows_the_cursor(self):
        argument = {'textDocument': {'uri': uri_of(self.package)}, 'position': {'line': 8, 'character': 12}}
        shown = self.client.request('workspace/executeCommand', {'command': 'opcat.showGraph', 'arguments': [argument]})
        page = pathlib.Path(urllib.parse.urlparse(shown['uri']).path)
        self.assertIn('shop.v1.1.0', page.read_text())
        cursor = page.with_name('cursor.js')
        self.assertIn('#shop/shop.v1.0.0', cursor.read_text())
        self.ask('documentHighlight', self.package, 9, 12)
        self.assertIn('#shop/shop.v1.1.0', cursor.read_text())
        before = page.read_text()
        self.client.change(self.package, (9, 10), (9, 21), 'shop.v1.2.0')
        self.ask('documentHighlight', self.package, 9, 12)
        self.assertNotEqual(page.read_text(), before)
        self.assertIn('html', self.client.request('opcat/graph', argument))
        # The package goes, and comes back with the page.
        texts = {path: path.read_text() for path in (self.package, self.bundles)}
        pages = []
        for new, version in (('shop', 49), ('store', 50), ('shop', 51)):
            for path, text in texts.items():
                text = text.replace('package: shop', f'package: {new}').replace('name: shop\n', f'name: {new}\n').replace('Name: shop', f'Name: {new}')
                self.client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(path), 'version': version}, 'contentChanges': [{'text': text}]})
                self.client.wait_for(path, version)
            pages.append(page.read_text())
        self.assertTrue(pages[0] == pages[2], 'the page is not the same')
        # The page was removed: moving the cursor still works, and the next page is a new one.
        shutil.rmtree(page.parent)
        self.ask('documentHighlight', self.package, 8, 12)
        shown = self.client.request('workspace/executeCommand', {'command': 'opcat.showGraph', 'arguments': [argument]})
        page = pathlib.Path(urllib.parse.urlparse(shown['uri']).path)
        self.assertTrue(page.exists())
        with self.assertRaisesRegex(RuntimeError, 'put the cursor on'):
            self.client.request('opcat/graph', {**argument, 'position': {'line': 3, 'character': 0}})
        self.client.stop()
        self.assertFalse(page.exists())
