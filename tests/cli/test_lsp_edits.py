"""The verbs of `opcat edit` as code actions. Covers lib/lsp/edit_actions.cpp."""
import pathlib
import shutil
import urllib.parse

from language_client import LanguageClient, uri_of
from opcat_case import OpcatCase
from test_lsp_features import BUNDLE, applied

PACKAGE = '''---
# ours
schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
package: shop
name: stable
entries:
  - name: shop.v1.0.0
  - name: shop.v1.1.0   # good
    replaces: shop.v1.0.0
  - name: shop.v1.2.0
    replaces: shop.v1.1.0
---
schema: olm.channel
package: shop
name: fast
entries:
  - name: shop.v1.2.0
'''
TEMPLATE = '''schema: olm.template.basic
entries:
- schema: olm.package
  name: shop
  defaultChannel: stable
- schema: olm.channel
  package: shop
  name: stable
  entries:
  - name: shop.v1.0.0
- schema: olm.channel
  package: shop
  name: fast
  entries:
  - name: shop.v1.0.0
- schema: olm.bundle
  image: r.example/shop:v1.0.0
'''


class Edits(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('c/package.yaml', PACKAGE)
        self.write('c/bundles.yaml', ''.join(map(BUNDLE.format, ('1.0.0', '1.1.0', '1.2.0'))))
        self.write('c/other.yaml', PACKAGE.replace('shop', 'cafe') + ''.join(BUNDLE.replace('shop', 'cafe').format(v) for v in ('1.0.0', '1.1.0', '1.2.0')))
        self.client = LanguageClient(self.dir.resolve())
        self.addCleanup(self.client.stop)

    def offered(self, name, word, text=None):
        """The actions where a word is in a file, by their titles."""
        path = self.dir.resolve() / name
        text = path.read_text()
        before = text[:text.index(word)]
        if str(path) not in self.client.texts:
            self.client.open(path)
        place = {'line': before.count('\n'), 'character': len(before) - before.rfind('\n') - 1}
        answer = self.client.request('textDocument/codeAction', {
            'textDocument': {'uri': uri_of(path)}, 'range': {'start': place, 'end': place}, 'context': {'diagnostics': []}})
        return {one['title']: one for one in answer}

    def files(self):
        return {path.name: path.read_text() for path in (self.dir / 'c').iterdir()}

    def after(self, action):
        files = self.files()
        for uri, edits in action['edit']['changes'].items():
            name = pathlib.Path(urllib.parse.urlparse(uri).path).name
            files[name] = applied(files[name], edits)
        return files

    def test_a_channel_can_be_removed_after_it_was_deprecated(self):
        self.assertNotIn('remove channel fast', self.offered('c/package.yaml', 'fast'))
        self.assert_status(self.opcat('edit', 'deprecate', 'channel', 'fast', '--message', 'Use stable.', '--in', 'c', '-p', 'shop'), 0)
        self.client.notify('workspace/didChangeWatchedFiles', {'changes': [
            {'uri': uri_of(self.dir.resolve() / 'c' / name), 'type': 2} for name in self.files()]})
        self.client.texts.clear()
        made = self.after(self.offered('c/package.yaml', 'fast')['remove channel fast'])
        self.assert_status(self.opcat('edit', 'remove', 'channel', 'fast', '--in', 'c', '-p', 'shop'), 0)
        self.assertEqual(self.files(), made)

    def test_an_action_changes_what_the_command_changes(self):
        kept = self.files()
        for word, title, command in (
                ('shop.v1.1.0', 'remove shop.v1.1.0', ['remove', 'shop.v1.1.0', '--force']),
                ('shop.v1.1.0', 'retract shop.v1.1.0: its users are upgraded away', ['retract', 'shop.v1.1.0']),
                ('shop.v1.1.0', 'promote shop.v1.1.0 to channel fast', ['promote', 'shop.v1.1.0', '--to', 'fast']),
                ('fast', 'make fast the default channel', ['default-channel', 'fast'])):
            with self.subTest(title):
                made = self.after(self.offered('c/package.yaml', word)[title])
                self.assert_status(self.opcat('edit', *command, '--in', 'c', '-p', 'shop'), 0)
                self.assertEqual(self.files(), made)
                for name, text in kept.items():
                    self.write(f'c/{name}', text)
                # The server may have seen what the command has written.
                self.client.notify('workspace/didChangeWatchedFiles', {'changes': [
                    {'uri': uri_of(self.dir.resolve() / 'c' / name), 'type': 2} for name in kept]})

    def test_what_the_command_refuses_is_not_offered(self):
        head = self.offered('c/package.yaml', 'shop.v1.2.0')
        self.assertNotIn('remove shop.v1.2.0', head)
        self.assertFalse([title for title in head if 'retract' in title])
        self.assertFalse([title for title in head if 'promote' in title], 'it is in both channels')
        stable = self.offered('c/package.yaml', 'stable')
        self.assertNotIn('remove channel stable', stable)
        self.assertNotIn('make stable the default channel', stable)

    def test_what_the_command_refuses_in_a_catalog_with_errors_is_not_offered(self):
        self.write('c/bundles.yaml', ''.join(map(BUNDLE.format, ('1.0.0', '1.1.0', '1.2.0'))).replace('version: 1.0.0', 'version: one'))
        command = self.opcat('edit', 'retract', 'shop.v1.1.0', '--in', 'c', '-p', 'shop', '--dry-run')
        self.assert_status(command, 1)
        self.assertIn('whether users are left behind is not known', command.err)
        self.assertFalse([title for title in self.offered('c/package.yaml', 'shop.v1.1.0') if title.startswith(('retract', 'remove', 'promote'))])

    def test_a_deprecation_is_taken_back(self):
        self.opcat('edit', 'deprecate', 'channel', 'fast', '--message', 'Over.', '--in', 'c', '-p', 'shop')
        before = self.files()
        action = self.offered('c/package.yaml', 'fast')['take back the deprecation of fast']
        self.assertNotEqual(self.after(action), before)
        self.assert_status(self.opcat('edit', 'deprecate', 'channel', 'fast', '--undo', '--in', 'c', '-p', 'shop'), 0)
        after = self.files()
        for name, text in before.items():
            self.write(f'c/{name}', text)
        self.assertEqual(self.after(action), after)

    def test_templates_have_actions_too(self):
        shutil.rmtree(self.dir / 'c')
        self.write('c/t.yaml', TEMPLATE)
        made = self.after(self.offered('c/t.yaml', 'fast')['make fast the default channel'])
        self.assertEqual(made['t.yaml'], TEMPLATE.replace('defaultChannel: stable', 'defaultChannel: fast'))

    def test_nothing_is_offered_while_a_document_does_not_load(self):
        self.write('c/broken.yaml', 'schema: [olm.bundle\n')
        self.assertFalse([title for title in self.offered('c/package.yaml', 'shop.v1.1.0') if 'remove' in title or 'retract' in title])
