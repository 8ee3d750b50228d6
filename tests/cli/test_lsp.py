"""opcat lsp: the protocol, and what an editor shows while its user types."""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import unittest

from language_client import PACKAGE, LanguageClient, uri_of
from opcat_case import BINARY, CATALOGS, SHARED, OpcatCase

BUNDLE = '''schema: olm.bundle
package: shop
name: shop.v1.0.0
image: r.example/shop:v1
properties:
  - type: olm.package
    value: {packageName: shop, version: 1.0.0}
'''


def rules(findings):
    return [finding['code'] for finding in findings]


class LanguageServerCase(OpcatCase):
    def client(self, folder='.', **more):
        client = LanguageClient((self.dir / folder).resolve(), **more)
        self.addCleanup(client.stop)
        return client

    def catalog(self):
        """A catalog of one package in two files; returns their paths."""
        self.write('catalog/shop/package.yaml', PACKAGE)
        self.write('catalog/shop/bundles.yaml', BUNDLE)
        directory = (self.dir / 'catalog/shop').resolve()
        return directory / 'package.yaml', directory / 'bundles.yaml'


class Findings(LanguageServerCase):
    def test_are_those_of_validate(self):
        for name in ('two-heads', 'gizmo', 'streams'):
            client = self.client(CATALOGS / name)
            files = sorted((CATALOGS / name).resolve().rglob('*.yaml'))
            for path in files:
                client.open(path)
            seen = sorted((str(path), finding['range']['start']['line'] + 1, finding['code']) for path in files for finding in client.diagnostics[str(path)])
            report = self.opcat('validate', '--format', 'json', '--severity', 'note', (CATALOGS / name).resolve()).json()
            self.assertEqual(seen, sorted((finding['file'], finding['range']['start']['line'], finding['rule']) for finding in report['findings']), name)
            self.assertEqual(client.stop(), 0)

    @unittest.skipUnless((SHARED / 'cases/mistakes.json').exists(), 'needs ../shared/cases')
    def test_of_common_mistakes_are_those_of_validate(self):
        """One client for each, as an editor that opens the file. A report folds notes and warnings that are alike."""
        case = json.loads((SHARED / 'cases/mistakes.json').read_text())
        for mistake in case['mistakes']:
            if 'bytes' in mistake:
                continue  # an editor sends UTF-8
            with self.subTest(mistake['name']):
                path = self.write('catalog/p/catalog.yaml', case['good'].replace(mistake['old'], mistake['new'], 1)).resolve()
                client = self.client('catalog')
                seen = {(finding['range']['start']['line'] + 1, finding['code']) for finding in client.open(path)}
                client.stop()
                report = self.opcat('validate', '--format', 'json', '--severity', 'note', 'catalog').json()
                self.assertEqual(seen, {(finding['range']['start']['line'], finding['rule']) for finding in report['findings'] if 'range' in finding})

    def test_of_edits_that_come_faster_than_they_are_looked_at(self):
        """Waiting edits of a document become one, and the last text counts."""
        package, _ = self.catalog()
        client = self.client()
        client.open(package)
        long, last = PACKAGE + '# ' + 'x' * 30_000 + '\n', 10_001

        def edits():
            for version in range(2, last):
                whole = {'text': long} if version % 2 else {'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 0, 'character': 0}}, 'text': ' '}
                yield version, whole
            yield last, {'text': PACKAGE.replace('defaultChannel: stable', 'defaultChannel: none')}
        for version, change in edits():
            client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(package), 'version': version}, 'contentChanges': [change]})
        self.assertIn('default-channel', rules(client.wait_for(package, last)))
        if os.path.exists('/proc/self/status'):
            status = pathlib.Path(f'/proc/{client.child.pid}/status').read_text()
            self.assertLess(int(re.search(r'VmHWM:\s+(\d+)', status).group(1)), 100_000)  # the texts have 150 MB
        self.assertEqual(client.stop(), 0)

    def test_follow_what_is_typed_in_all_files(self):
        package, bundles = self.catalog()
        client = self.client()
        self.assertEqual(client.open(bundles), [])
        client.open(package)
        client.change(bundles, (2, 6), (2, 17), 'other')
        client.wait_until(lambda: rules(client.diagnostics[str(package)]) == ['entry-without-bundle'])
        client.change(bundles, (2, 6), (2, 11), 'shop.v1.0.0')
        client.wait_until(lambda: client.diagnostics[str(package)] == [])
        self.assertEqual(client.diagnostics[str(bundles)], [])

    def test_of_a_half_typed_document_are_about_itself_only(self):
        package, bundles = self.catalog()
        client = self.client()
        client.open(package)
        client.open(bundles)
        findings = client.change(bundles, (3, 0), (3, 0), 'image: {\n')
        self.assertEqual(rules(findings), ['syntax'])
        self.assertEqual(client.diagnostics[str(package)], [])

    def test_have_a_place_in_units_of_the_client(self):
        package, _ = self.catalog()
        text = PACKAGE.replace('  - name: shop.v1.0.0\n', '  - {name: shop.v1.0.0, "\U0001F600": 1, other: 2}\n')
        for capabilities, encoding, column in (({}, 'utf-16', 33), ({'general': {'positionEncodings': ['utf-16', 'utf-8']}}, 'utf-8', 35)):
            client = self.client(capabilities=capabilities)
            self.assertEqual(client.answer['capabilities']['positionEncoding'], encoding)
            found = [finding for finding in client.open(package, text) if 'other' in finding['message']]
            self.assertEqual([finding['range'] for finding in found],
                             [{'start': {'line': 8, 'character': column}, 'end': {'line': 8, 'character': column + 5}}], encoding)
            self.assertEqual(client.stop(), 0)

    def test_name_related_places_and_the_page_of_the_rule(self):
        package, bundles = self.catalog()
        client = self.client(capabilities={'textDocument': {'publishDiagnostics': {'relatedInformation': True}}})
        [finding] = [one for one in client.open(bundles, BUNDLE + '---\n' + BUNDLE) if one['code'] == 'bundle-duplicate']
        self.assertEqual(finding['severity'], 1)
        self.assertEqual(finding['source'], 'opcat')
        [related] = finding['relatedInformation']
        self.assertEqual(related['location']['uri'], uri_of(bundles))
        self.assertEqual(related['location']['range']['start'], {'line': 2, 'character': 6})
        plain = self.client()
        [finding] = [one for one in plain.open(bundles, BUNDLE + '---\n' + BUNDLE) if one['code'] == 'bundle-duplicate']
        self.assertIn('in line 3', finding['message'])

    def test_link_to_the_page_of_rules_that_is_installed(self):
        package, _ = self.catalog()
        program = self.dir.resolve() / 'usr/bin/opcat'
        program.parent.mkdir(parents=True)
        shutil.copy(BINARY, program)
        page = self.dir.resolve() / 'usr/share/doc/opcat/rules.html'
        self.write(page, 'rules')
        for supports in (True, False):
            client = self.client(capabilities={'textDocument': {'publishDiagnostics': {'codeDescriptionSupport': supports}}}, binary=str(program))
            [finding] = client.open(package, PACKAGE + 'more: 1\n')
            self.assertEqual(finding.get('codeDescription'), {'href': uri_of(page) + '#unknown-field'} if supports else None)
            self.assertEqual(client.stop(), 0)
        page.unlink()
        client = self.client(capabilities={'textDocument': {'publishDiagnostics': {'codeDescriptionSupport': True}}}, binary=str(program))
        [finding] = client.open(package, PACKAGE + 'more: 1\n')
        self.assertNotIn('codeDescription', finding)

    def test_follow_the_configuration_and_comments(self):
        package, bundles = self.catalog()
        client = self.client()
        text = BUNDLE + 'nonsense: 1\n'
        self.assertEqual(rules(client.open(bundles, text)), ['unknown-field'])
        self.assertEqual(client.change(bundles, (7, 11), (7, 11), ' # opcat: ignore[unknown-field] mine'), [])
        self.assertEqual(rules(client.change(bundles, (7, 11), (7, 47), '')), ['unknown-field'])
        self.write('.opcat.yaml', 'rules: {unknown-field: error}\n')
        client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': uri_of(self.dir / '.opcat.yaml'), 'type': 1}]})
        client.wait_until(lambda: [finding['severity'] for finding in client.diagnostics[str(bundles)]] == [1])

    def test_follow_the_disk(self):
        package, bundles = self.catalog()
        for watches in (False, True):
            client = self.client(capabilities={'workspace': {'didChangeWatchedFiles': {'dynamicRegistration': watches}}})
            self.assertEqual(client.open(package), [])
            bundles.unlink()
            if watches:
                self.assertEqual(client.requests[0]['method'], 'client/registerCapability')
                client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': uri_of(bundles), 'type': 3}]})
            client.wait_until(lambda: rules(client.diagnostics[str(package)]) == ['entry-without-bundle'])
            bundles.write_text(BUNDLE)
            if watches:
                client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': uri_of(bundles), 'type': 1}]})
            client.wait_until(lambda: client.diagnostics[str(package)] == [])
            self.assertEqual(client.stop(), 0)

    def test_of_a_closed_file_are_those_of_its_text_on_the_disk(self):
        package, bundles = self.catalog()
        client = self.client()
        client.open(package)
        client.open(bundles, BUNDLE.replace('shop.v1.0.0', 'other'))
        client.wait_until(lambda: rules(client.diagnostics[str(package)]) == ['entry-without-bundle'])
        client.notify('textDocument/didClose', {'textDocument': {'uri': uri_of(bundles)}})
        client.wait_until(lambda: client.diagnostics[str(package)] == [] and client.diagnostics[str(bundles)] == [])

    def test_are_only_about_catalogs(self):
        package, _ = self.catalog()
        self.write('README.md', 'schema: this is none\n')
        self.write('k8s/deployment.yaml', 'apiVersion: apps/v1\nkind: Deployment\n')
        client = self.client()
        client.notify('textDocument/didOpen', {'textDocument': {'uri': uri_of(self.dir.resolve() / 'k8s/deployment.yaml'), 'languageId': 'yaml', 'version': 1, 'text': 'kind: Deployment\n'}})
        self.assertEqual(client.open(package), [])
        self.assertEqual(list(client.diagnostics), [str(package)])

    def test_of_one_catalog_among_several(self):
        for version in ('v4.14', 'v4.15'):
            self.write(f'catalogs/{version}/shop/catalog.yaml', PACKAGE + '---\n' + BUNDLE)
        client = self.client()
        path = self.dir.resolve() / 'catalogs/v4.14/shop/catalog.yaml'
        self.assertEqual(client.open(path), [])
        client.open(self.dir.resolve() / 'catalogs/v4.15/shop/catalog.yaml')
        self.assertEqual(rules(client.change(path, (1, 6), (1, 10), 'shopp')), ['package-unknown'])
        self.assertEqual(client.diagnostics[str(self.dir.resolve() / 'catalogs/v4.15/shop/catalog.yaml')], [])

    def test_of_a_catalog_among_other_files_are_about_what_looks_like_it(self):
        package, bundles = self.catalog()
        for name, text in (('Makefile', 'all:\n'), ('deployment.yaml', 'kind: Deployment\n')):
            self.write(f'catalog/shop/{name}', text)
        client = self.client('catalog/shop')
        self.assertEqual(client.open(package), [])
        bundles.unlink()
        client.wait_until(lambda: rules(client.diagnostics[str(package)]) == ['entry-without-bundle'])
        bundles.write_text(BUNDLE)
        client.wait_until(lambda: client.diagnostics[str(package)] == [])
        self.assertEqual(list(client.diagnostics), [str(package)])

    def test_begin_when_a_text_becomes_one_of_a_catalog(self):
        client = self.client()
        path = self.dir.resolve() / 'new/catalog.yaml'
        client.notify('textDocument/didOpen', {'textDocument': {'uri': uri_of(path), 'languageId': 'yaml', 'version': 1, 'text': '# nothing yet\n'}})
        for version, text, found in ((2, 'kind: Deployment\n', None), (3, PACKAGE, ['entry-without-bundle']), (4, PACKAGE + '---\n' + BUNDLE, [])):
            client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(path), 'version': version}, 'contentChanges': [{'text': text}]})
            if found is not None:
                self.assertEqual(rules(client.wait_for(path, version)), found)

    def test_of_a_large_file(self):
        package, bundles = self.catalog()
        client = self.client()
        client.open(package)
        client.open(bundles, '# ' + 'x' * 1_500_000 + '\n' + BUNDLE)
        self.assertEqual(rules(client.change(bundles, (8, 0), (8, 0), 'more: 1\n')), ['unknown-field'])
        self.assertEqual(client.change(bundles, (8, 0), (9, 0), ''), [])

    def test_are_about_the_catalogs_that_the_client_names(self):
        package, bundles = self.catalog()
        other = bundles.parent.parent / 'bundles/bundles.yaml'
        other.parent.mkdir()
        bundles.rename(other)
        for options, expected in ({}, ([], [])), ({'catalogs': ['catalog/shop', 'catalog/bundles/']}, (['entry-without-bundle'], ['package-unknown'])):
            client = self.client(options=options)
            client.open(other)
            client.open(package)
            client.wait_until(lambda: (rules(client.diagnostics[str(package)]), rules(client.diagnostics[str(other)])[:1]) == expected)


class Recognition(LanguageServerCase):
    def test_the_schema_may_come_after_a_large_icon_and_other_words(self):
        icon = f'# from the jsonschema\n---\nicon: {{base64data: {"A" * 100_000}, mediatype: image/png}}\n'
        package, _ = self.catalog()
        package.write_text(icon + PACKAGE + 'more: 1\n')
        self.assertIn('unknown-field', rules(self.client().open(package)))


class Problems(LanguageServerCase):
    """What cannot be read is reported once, and read when that is possible."""

    def logs(self, client, words):
        client.wait_until(lambda: any(words in line for line in client.log))

    def test_of_the_configuration(self):
        package, _ = self.catalog()
        configuration = self.dir.resolve() / '.opcat.yaml'
        configuration.write_text('rules: {no-such-rule: off}\n')
        client = self.client()
        self.assertEqual(client.open(package, PACKAGE + 'more: 1\n')[0]['severity'], 2)
        self.logs(client, f'{configuration}:1:9: there is no rule "no-such-rule"')
        configuration.write_text('schemas: [late.cue]\nrules: {unknown-field: error}\n')
        self.logs(client, f'cannot open {configuration.with_name("late.cue")}: no such file or directory')
        self.assertEqual(client.diagnostics[str(package)][0]['severity'], 2)
        self.write('late.cue', 'package late\n#P: {schema: "example.p", ...}\n')
        client.wait_until(lambda: client.diagnostics[str(package)][0]['severity'] == 1)
        self.assertEqual(len([line for line in client.log if 'late.cue' in line]), 1)

    def test_of_a_file_that_is_larger_than_its_limit(self):
        package, bundles = self.catalog()
        self.write('.opcat.yaml', 'limits: {fileSize: 150B}\n')
        client = self.client()
        self.assertEqual(client.open(package), [])  # the bundle may be in the other file
        self.logs(client, str(bundles))
        self.write('.opcat.yaml', 'limits: {fileSize: 1KiB}\n')
        client.wait_until(lambda: rules(client.diagnostics[str(package)]) == [])

    def test_of_files_that_are_not_there_any_more(self):
        """Also where the client says when something changes: what could not be read is looked at again nevertheless."""
        package, bundles = self.catalog()
        (package.parent / 'link.yaml').symlink_to('late')
        for folder, watches in (('catalog/shop', False), ('.', True)):
            with self.subTest(watches):
                client = self.client(folder, capabilities={'workspace': {'didChangeWatchedFiles': {'dynamicRegistration': watches}}})
                self.assertEqual(client.open(bundles), [])
                self.logs(client, f'{package.parent}/link.yaml')
                late = self.write('catalog/shop/late', BUNDLE)
                client.wait_until(lambda: any('bundle-duplicate' in rules(found) for found in client.diagnostics.values()))
                self.assertEqual(client.stop(), 0)
                late.unlink()

    def test_of_a_file_that_became_a_directory(self):
        package, bundles = self.catalog()
        client = self.client()
        client.open(package)
        client.open(bundles)
        bundles.unlink()
        bundles.mkdir()
        client.notify('textDocument/didClose', {'textDocument': {'uri': uri_of(bundles)}})
        self.logs(client, f'cannot read {bundles}: it is a directory')
        self.assertEqual(client.change(package, (0, 0), (0, 0), '# What was known of the other file stays.\n'), [])


class Protocol(LanguageServerCase):
    def test_requests_come_between_initialize_and_shutdown(self):
        client = LanguageClient(self.dir.resolve(), env={})
        self.addCleanup(client.stop)
        with self.assertRaisesRegex(RuntimeError, 'the first request must be initialize'):
            client.request('workspace/symbol', {'query': ''})
        client.initialize(self.dir.resolve())
        client.request('shutdown', None)
        with self.assertRaisesRegex(RuntimeError, 'the server was shut down'):
            client.request('workspace/symbol', {'query': ''})
        client.notify('exit', None)
        self.assertEqual(client.child.wait(60), 0)

    def test_requests_that_make_no_sense(self):
        package, bundles = self.catalog()
        client = self.client()
        client.open(package)
        there, elsewhere = ({'textDocument': {'uri': uri_of(path)}, 'position': {'line': 3, 'character': 1}} for path in (package, bundles))
        for method, params, code, words in (
                ('textDocument/hover', elsewhere, -32602, 'the document is not open'),
                ('textDocument/noSuchThing', there, -32601, 'there is no request "textDocument/noSuchThing"'),
                ('textDocument/rename', {**there, 'newName': 'x'}, -32803, 'the cursor is not on a package, a channel or a bundle'),
                ('workspace/executeCommand', {'command': 'other.command'}, -32602, 'there is no command "other.command"'),
                ('workspace/executeCommand', {'command': 'opcat.showGraph', 'arguments': []}, -32602, 'the command needs a place in a text')):
            with self.subTest(method):
                error = client.response(client.start_request(method, params))['error']
                self.assertEqual((error['code'], error['message']), (code, words))

    def test_a_server_at_a_terminal_says_what_it_waits_for(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        os.write(master, b'\x04')
        done = subprocess.run([BINARY, 'lsp'], stdin=slave, capture_output=True, timeout=600)
        os.close(slave)
        self.assertEqual((done.returncode, done.stderr),
                         (1, b'opcat lsp waits for an editor on standard input (docs/editors.md); end it with Ctrl-D\n'))

    def test_begins_with_initialize_and_ends_with_exit(self):
        client = self.client()
        self.assertEqual(client.answer['serverInfo']['name'], 'opcat')
        capabilities = client.answer['capabilities']
        for provider in ('completion', 'hover', 'definition', 'references', 'documentHighlight', 'rename', 'documentSymbol', 'workspaceSymbol',
                         'foldingRange', 'documentFormatting', 'codeAction', 'executeCommand'):
            self.assertTrue(capabilities[provider + 'Provider'], provider)
        self.assertEqual(capabilities['executeCommandProvider']['commands'], ['opcat.showGraph'])
        self.assertEqual(capabilities['completionProvider']['triggerCharacters'], [':', ' ', '-', '"'])
        with self.assertRaisesRegex(RuntimeError, 'initialized already'):
            client.request('initialize', {'capabilities': {}})
        self.assertEqual(client.stop(), 0)
        client = self.client()
        client.notify('exit', None)
        client.child.wait(60)
        self.assertEqual(client.child.returncode, 1)

    def test_wrong_messages_are_refused_and_the_next_ones_are_answered(self):
        package, _ = self.catalog()
        client = self.client()
        client.open(package)
        cases = [
            ({'id': 50, 'method': 'no/such'}, -32601),
            ({'id': 51}, -32600),
            ({'id': 52, 'method': 5}, -32600),
        ]
        for message, code in cases:
            client.send(message)
            self.assertEqual(client.response(message['id'])['error']['code'], code, message)
        for body in (b'{', b'[' * 100_000, b'"\xff"'):
            client.send_bytes(body)
            self.assertIn(client.response(None)['error']['code'], (-32700, -32600))
        for params in ({}, {'textDocument': {'uri': uri_of(package), 'version': 2}}, {'textDocument': {'uri': 5}},
                       {'textDocument': {'uri': 'file:///not/open', 'version': 2}, 'contentChanges': []},
                       {'textDocument': {'uri': uri_of(package), 'version': 2}, 'contentChanges': [{'text': 5}]},
                       {'textDocument': {'uri': uri_of(package), 'version': 2}, 'contentChanges': {'text': 'x'}},
                       {'textDocument': {'uri': uri_of(package), 'version': 2}, 'contentChanges': [
                           {'text': '', 'range': {'start': {'line': -1, 'character': 0}, 'end': {'line': 0, 'character': 0}}}]}):
            client.log.clear()
            client.notify('textDocument/didChange', params)
            client.wait_until(lambda: client.log)
        self.assertEqual(client.stop(), 0)

    def test_an_old_version_changes_nothing(self):
        package, _ = self.catalog()
        client = self.client()
        client.open(package)
        client.change(package, (0, 0), (0, 0), '# one\n')
        client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(package), 'version': 1}, 'contentChanges': [{'text': 'nonsense'}]})
        client.wait_until(lambda: client.log)
        self.assertIn('old version', client.log[0])
        self.assertEqual(client.change(package, (0, 0), (1, 0), ''), [])

    def test_places_beyond_the_text_are_its_end(self):
        package, _ = self.catalog()
        client = self.client()
        client.open(package)
        self.assertEqual(rules(client.change(package, (500, 3), (600, 0), '---\n{}\n')), ['schema-missing'])

    def test_what_is_not_a_header_ends_the_server(self):
        for text, why in ((b'x' * 10_000, 'header is longer'), (b'Content-Type: x\r\n\r\n', 'does not say its Content-Length'),
                          (b'Content-Length: 999999999999\r\n\r\n', 'longer than opcat reads'), (b'Content-Length: 10\r\n\r\n{}', 'ends within a message')):
            result = self.run_binary(BINARY, 'lsp', stdin=text.decode())
            self.assert_status(result, 3)
            self.assertIn(why, result.err)

    def test_a_text_as_a_whole_replaces_the_old_one(self):
        package, _ = self.catalog()
        client = self.client()
        client.open(package)
        client.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(package), 'version': 7}, 'contentChanges': [{'text': PACKAGE + 'more: 1\n'}]})
        self.assertEqual(rules(client.wait_for(package, 7)), ['unknown-field'])
