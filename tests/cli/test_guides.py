"""The guides show what comes out: every example is run, from testdata/catalogs."""
import shlex
import unittest

from opcat_case import CATALOGS, ROOT, OpcatCase

GUIDES = ('reading-an-upgrade-graph', 'will-this-upgrade-work')


def examples(page):
    """Commands with what is shown below them: blocks of lines that begin with four blanks."""
    shown, found = None, {}
    for line in page.splitlines():
        if line.startswith('    $ opcat '):
            shown = line.removeprefix('    $ opcat ')
            found[shown] = ''
        elif line and not line.startswith('    '):
            shown = None
        elif shown:
            found[shown] += line.removeprefix('    ') + '\n'
    return found


def without_blanks_at_ends(text):
    return '\n'.join(line.rstrip() for line in text.strip().splitlines())


class Guides(OpcatCase):
    def test_what_the_guides_show_is_what_comes_out(self):
        self.dir = CATALOGS
        for guide in GUIDES:
            found = examples((ROOT / f'docs/{guide}.md').read_text())
            self.assertGreater(len(found), 5)
            for command, text in found.items():
                with self.subTest(f'{guide}: {command}'):
                    result = self.opcat(*shlex.split(command))
                    self.assertEqual(without_blanks_at_ends(result.out + result.err), without_blanks_at_ends(text))


if __name__ == '__main__':
    unittest.main()
