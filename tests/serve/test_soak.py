"""A short run of soak.py; the long one is for people."""
import pathlib
import subprocess
import sys
import unittest

try:
    import grpc
except ImportError:
    grpc = None


@unittest.skipUnless(grpc, 'needs python3-grpcio')
class Soak(unittest.TestCase):
    def test_changes_under_load(self):
        run = subprocess.run([sys.executable, pathlib.Path(__file__).with_name('soak.py'), '--seconds', '6'], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == '__main__':
    unittest.main()
