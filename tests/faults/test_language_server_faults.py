"""opcat lsp while a call of the system fails: the session ends with a status other than 0 and a sentence on standard error, or the
answers are those of a session without faults. What opcat could not read or do it says in the editor's log or in its answer, and
reads or does it the next time."""
import contextlib
import json
import pathlib
import unittest

from fault_case import MOST_FAULTS_OF_A_CALL, Control, faults_in, place_with, side_by_side
from language_client import PACKAGE, Ended, LanguageClient, uri_of
from opcat_case import OpcatCase

# Larger than what failing_calls.c calls LARGE.
BUNDLES = ''.join(f'''---
schema: olm.bundle
package: shop
name: shop.v1.0.{number}
image: r.example/shop:v1.0.{number}
properties:
  - type: olm.package
    value: {{packageName: shop, version: 1.0.{number}}}
  - type: example.text
    value: {'x' * 4000}
''' for number in range(40))
ENTRY = PACKAGE.splitlines().index('  - name: shop.v1.0.0')
ERROR = 1
SETTINGS = 'rules: {unknown-field: error}\nschemas: [notes.cue]\n'
SCHEMA = '#notes: {schema: "example.notes", ...}\n'


class Session:
    """One of an editor, with the folder `work` of a place; `notes` is what it shows, in the order in which it asks."""

    def __init__(self, place, control):
        self.folder = (place / 'work').resolve()
        self.package, self.bundles = self.folder / 'catalog/shop/package.yaml', self.folder / 'catalog/shop/bundles.yaml'
        self.notes, self.failures, words = [], [], ''
        self.client = LanguageClient(self.folder, env={'TMPDIR': str(place / 'tmp'), 'LC_ALL': 'C.UTF-8', **control.environment()})
        try:
            self.client.initialize(self.folder)
            self.notes.append(self.client.open(self.package))
            self.notes.append(self.client.change(self.package, (1, 0), (1, 0), 'anything: 1\n'))
            self.ask(ENTRY + 1)
            self.notes.append(self.client.change(self.package, (1, 0), (2, 0), ''))
            self.before_the_last_look = len(self.notes)
            self.client.notify('workspace/didChangeWatchedFiles', {'changes': []})
            # The finding of a file that is not open, at the level of the settings.
            self.client.wait_until(lambda: ('unknown-field', ERROR) in [(finding['code'], finding['severity']) for finding in
                                                                        self.client.diagnostics.get(str(self.bundles), [])])
            self.client.wait_until(lambda: self.client.diagnostics[str(self.package)] == [])
            self.notes.append(self.client.diagnostics[str(self.bundles)])
            self.ask(ENTRY)
            self.client.request('shutdown', None)
            self.client.notify('exit', None)
        except (Ended, BrokenPipeError) as error:
            words = str(error)  # the client may have read what the server had to say
        self.status, self.words = self.end()
        self.words += words

    def ask(self, line):
        """About the name of a bundle on this line."""
        text = {'textDocument': {'uri': uri_of(self.package)}}
        place = {**text, 'position': {'line': line, 'character': 12}}
        whole = {'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}}
        for method, params in (('textDocument/hover', place), ('textDocument/completion', place), ('textDocument/documentSymbol', text),
                               ('textDocument/formatting', {**text, 'options': {'tabSize': 2, 'insertSpaces': True}}),
                               ('textDocument/references', {**place, 'context': {'includeDeclaration': True}}),
                               ('textDocument/codeAction', {**text, 'range': whole, 'context': {'diagnostics': []}}),
                               ('opcat/graph', place),
                               ('workspace/executeCommand', {'command': 'opcat.showGraph', 'arguments': [place]})):
            try:
                answer = self.client.request(method, params)
            except RuntimeError as failure:
                self.failures.append(str(failure))
                answer = self.client.request(method, params)
            self.notes.append(self.shown(answer) if method == 'workspace/executeCommand' else answer)

    @staticmethod
    def shown(answer):
        try:
            return pathlib.Path(answer['uri'].removeprefix('file://')).read_text()
        except FileNotFoundError as error:
            raise Ended('the page is removed when the server ends') from error

    def end(self):
        client = self.client
        with contextlib.suppress(BrokenPipeError):
            client.child.stdin.close()
        status = client.child.wait()
        client.reader.join()
        client.child.stdout.close()
        with client.child.stderr as err:
            return status, err.read().decode()


class Faults(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('work/catalog/shop/package.yaml', PACKAGE)
        self.write('work/catalog/shop/bundles.yaml', BUNDLES.removeprefix('---\n') + 'nothing: 1\n')
        self.write('work/.opcat.yaml', SETTINGS)
        self.write('work/notes.cue', SCHEMA)

    def test_the_session_ends_with_a_sentence_or_goes_on_as_if_nothing_had_happened(self):
        with place_with(self.dir / 'work') as place:
            control = Control(place / 'control')
            good = Session(place, control)
            good_notes = self.without_place(good, place)
        self.assertEqual((good.status, good.words, good.failures, good.client.log), (0, '', [], []))
        counts = control.counts()
        self.assertLess({'open', 'read', 'write', 'poll', 'opendir', 'malloc', 'pthread_create'}, counts.keys())
        endings = []

        def check(call, at):
            with place_with(self.dir / 'work') as place:
                session = Session(place, Control(place / 'control', call, at))
                self.assertEqual(list((place / 'tmp').iterdir()), [], 'temporary files are left')
                notes = self.without_place(session, place)
            self.assertGreaterEqual(session.status, 0)
            if session.status:
                self.assertRegex(session.words, r'\berror: \S+ \S+ \S+')
                endings.append(call)
                return
            for failure in session.failures + session.client.log:
                self.assertRegex(failure, r'cannot|not enough memory')
            # Before it looks again it knows only what it could read.
            first = session.before_the_last_look if session.client.log else 0
            for number in range(first, len(good_notes)):
                self.assertEqual(notes[number][:2000], good_notes[number][:2000], number)
                self.assertTrue(notes[number] == good_notes[number], number)
        # Few calls, such as the starts of threads, fail each: not every one ends the session.
        side_by_side(self, faults_in(counts, most=max(6, MOST_FAULTS_OF_A_CALL)), check)
        self.assertLess({'read', 'write', 'poll', 'pthread_create'}, set(endings))

    @staticmethod
    def without_place(session, place):
        return [json.dumps(note).replace(str(place.resolve()), 'PLACE') for note in session.notes]


if __name__ == '__main__':
    unittest.main()
