"""The hardening flags of the compiler and the linker: a remaining mistake in opcat is hard to exploit."""
import os
import re
import shutil
import subprocess
import unittest

from opcat_case import BINARY, OpcatCase


@unittest.skipUnless(shutil.which('readelf'), 'readelf is not there')
class Hardening(unittest.TestCase):
    def readelf(self, *options):
        return subprocess.run(['readelf', '-W', *options, BINARY], check=True, capture_output=True, text=True).stdout

    def skip_with_sanitizers(self):
        if re.search('__[at]san_init', self.readelf('-s', '--dyn-syms')):
            self.skipTest('a build with sanitizers')

    def test_the_program_can_be_loaded_anywhere(self):
        self.assertIn('Type:                              DYN', self.readelf('-h'))

    def test_nothing_is_both_writable_and_executable(self):
        segments = [line.split() for line in self.readelf('-l').splitlines() if '0x' in line]
        self.assertTrue(any(words[0] == 'GNU_STACK' for words in segments))
        for words in segments:
            flags = ''.join(word for word in words[6:-1] if set(word) <= set('RWE'))
            self.assertFalse('W' in flags and 'E' in flags, words)

    def test_what_the_loader_has_filled_in_is_read_only_afterwards(self):
        self.skip_with_sanitizers()
        self.assertIn('GNU_RELRO', self.readelf('-l'))
        self.assertIn('BIND_NOW', self.readelf('-d'))

    def test_libraries_that_few_commands_need_are_loaded_at_the_start_only_if_the_build_says_so(self):
        needed = self.readelf('-d')
        self.assertIn('NEEDED', needed)
        if 'OPCAT_LAZY_LIBRARIES' not in os.environ:
            self.skipTest('CTest says how it was built')
        lazy = os.environ['OPCAT_LAZY_LIBRARIES'] == 'ON'
        for library in ('libarchive', 'libcrypto', 'libcurl', 'libgvc', 'libsqlite3'):
            (self.assertNotIn if lazy else self.assertIn)(library, needed)

    def test_functions_look_after_their_stack(self):
        self.skip_with_sanitizers()
        self.assertIn('__stack_chk_fail', self.readelf('-s', '--dyn-syms'))


@unittest.skipUnless(os.environ.get('OPCAT_LAZY_LIBRARIES') == 'ON', 'all libraries are loaded at the start')
class Libraries(OpcatCase):
    def test_one_that_cannot_be_loaded_is_missed_where_it_is_needed(self):
        self.write('broken/libcurl.so.4', '')
        env = {'LD_LIBRARY_PATH': str(self.dir / 'broken')}
        rows = dict(line.split(None, 1) for line in self.opcat('version', '--build-info', env=env).out.splitlines())
        self.assertRegex(rows['curl'], '^missing; .*libcurl')
        self.assertRegex(rows['sqlite'], r'^\d+\.\d+')
        result = self.opcat('render', 'localhost:1/no/registry:v1', env=env)
        self.assert_status(result, 3)
        self.assertIn('cannot load a library: ', result.err)
        self.assertIn('help: install it: ', result.err)


if __name__ == '__main__':
    unittest.main()
