"""The manual: committed pages are what scripts/make-manual writes, and mandoc reports nothing about them."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from opcat_case import BINARY, ROOT, OpcatCase


class Manual(OpcatCase):
    def test_the_committed_pages_are_up_to_date(self):
        (self.dir / 'man').mkdir()
        self.assert_status(self.run_binary(ROOT / 'scripts/make-manual', pathlib.Path(BINARY).parent, 'man'), 0)
        written = {path.name: path.read_text() for path in (self.dir / 'man').iterdir()}
        committed = {path.name: path.read_text() for path in (ROOT / 'man').glob('*.[17]')}
        self.assertEqual(sorted(written), sorted(committed), 'run: scripts/generate')
        for name, text in written.items():
            self.assertEqual(text, committed[name], f'{name}; run: scripts/generate')

    def test_a_page_has_each_section_once(self):
        for path in (ROOT / 'man').glob('*.[17]'):
            sections = re.findall(r'^\.SH (.*)$', path.read_text(), re.M)
            self.assertEqual(len(sections), len(set(sections)), (path.name, sections))

    def test_a_page_without_prose_has_all_that_the_help_says(self):
        def check(command):
            page = command['path'].replace(' ', '-')
            if command['path'] != 'opcat' and not (ROOT / f'man/prose/{page}.md').exists():
                text = re.sub(r'\\f[BP]|\\$', '', (ROOT / f'man/{page}.1').read_text(), flags=re.M)
                words = text.replace('\\-', '-').replace('.PP\n', ' ').split()
                for line in command['footer'].splitlines():
                    if not line.startswith((' ', 'Example')):
                        said = line.removeprefix('Exit status:').replace('`', '').split()
                        self.assertIn(' '.join(said), ' '.join(words), page)
            for sub in command['commands']:
                check(sub)
        check(json.loads(self.opcat('describe-commands').out))

    def test_stars_in_code_are_not_emphasis(self):
        self.assertIn(r'\fB**\fP matches', (ROOT / 'man/opcat-indexignore.7').read_text())
        self.assertIn('`**` matches', self.opcat('help', 'indexignore').out)
        self.assertIn('\x1b[1m**\x1b[0m matches', self.opcat('--color', 'always', 'help', 'indexignore').out)

    def test_prose_belongs_to_a_command(self):
        pages = {path.stem for path in (ROOT / 'man').glob('*.1')}
        for path in (ROOT / 'man/prose').glob('*.md'):
            self.assertIn(path.stem, pages)

    @unittest.skipUnless(shutil.which('mandoc'), 'mandoc is not installed')
    def test_mandoc_finds_nothing(self):
        done = subprocess.run(['mandoc', '-Tlint', *map(str, sorted((ROOT / 'man').glob('*.[17]')))], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ('', '', 0))

    @unittest.skipUnless(shutil.which('mandoc'), 'mandoc is not installed')
    def test_what_a_page_says_can_be_read(self):
        page = subprocess.run(['mandoc', '-Tutf8', str(ROOT / 'man/opcat-validate.1')], capture_output=True, text=True, check=True).stdout
        plain = page.replace('\b', '')
        for words in ('NAME', 'SYNOPSIS', 'EXIT STATUS', 'SEE ALSO'):
            self.assertIn(words[0] + words[0] if words not in plain else words, plain)


if __name__ == '__main__':
    unittest.main()
