"""Packages from npm for tests, installed below the build folder. Without npm, or without its registry, the test
is skipped with a message."""
import pathlib
import shutil
import subprocess
import sys
import unittest

from plain_environment import THE_MACHINES

SKIPPED = 77


def install(directory, *packages):
    """Returns the folder node_modules that has the packages ("name@version"); raises unittest.SkipTest if it is not available."""
    if not shutil.which('node') or not shutil.which('npm'):
        raise unittest.SkipTest('node and npm are not installed (scripts/setup --tests)')
    directory = pathlib.Path(directory)
    stamp = directory / 'installed'
    wanted = ' '.join(packages)
    if not stamp.exists() or stamp.read_text() != wanted:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / 'package.json').write_text('{"private": true}\n')
        try:
            done = subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', *packages], cwd=directory,
                                  capture_output=True, text=True, timeout=300, env=THE_MACHINES)
        except subprocess.TimeoutExpired:
            raise unittest.SkipTest(f'npm cannot install {wanted}: its registry does not answer')
        if done.returncode != 0:
            raise unittest.SkipTest(f'npm cannot install {wanted}: {done.stderr.strip()[:300] or "no reason given"}')
        stamp.write_text(wanted)
    return directory.resolve() / 'node_modules'


def install_or_exit(directory, *packages):
    """The same for programs without unittest: ends with the status that means skipped to CTest."""
    try:
        return install(directory, *packages)
    except unittest.SkipTest as why:
        print(f'skipped: {why}')
        sys.exit(SKIPPED)
