"""The guides for authors show what comes out: their examples are run, in order, in a copy of testdata/catalogs."""
import shlex
import shutil
import unittest

from opcat_case import ROOT, TESTDATA, OpcatCase
from test_guides import examples, without_blanks_at_ends


class AuthoringGuides(OpcatCase):
    def test_what_the_guides_show_is_what_comes_out(self):
        own = self.dir
        for guide, least in (('authoring', 6), ('composing-a-catalog', 3)):
            copy = own / guide
            shutil.copytree(TESTDATA, copy)
            self.dir = copy / ('catalogs' if guide == 'authoring' else 'compose')
            found = examples((ROOT / f'docs/{guide}.md').read_text())
            self.assertGreaterEqual(len(found), least)
            for command, text in found.items():
                with self.subTest(f'{guide}: {command}'):
                    result = self.opcat(*shlex.split(command))
                    self.assertEqual(without_blanks_at_ends(result.out + result.err), without_blanks_at_ends(text))


if __name__ == '__main__':
    unittest.main()
