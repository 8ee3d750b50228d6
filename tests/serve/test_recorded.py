"""The recorded answers of opm serve and catalogd, compared by the program in ../shared. Skipped if that is missing."""
import os
import subprocess
import unittest

from server_case import OPM, ROOT

COMPARE = ROOT.parent / 'shared/conformance/run-serve'


class Recorded(unittest.TestCase):
    def compare(self, *arguments):
        if not COMPARE.exists():
            self.skipTest('needs ../shared')
        done = subprocess.run([COMPARE, '--opm', OPM, '--show', '20', *arguments], capture_output=True, text=True,
                              timeout=1200, env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_http(self):
        self.compare('--suite', 'http')

    def test_grpc_byte_for_byte(self):
        self.compare('--suite', 'grpc', '--exact')


if __name__ == '__main__':
    unittest.main()
