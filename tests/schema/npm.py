"""Packages from npm for tests, installed below the build folder. Without npm, or without a way to its registry, the test
is skipped, with a word."""
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77


def skip(why):
    print(f'skipped: {why}')
    sys.exit(SKIPPED)


def install(directory, *packages):
    """Returns the folder node_modules that has the packages ("name@version")."""
    if not shutil.which('node') or not shutil.which('npm'):
        skip('node and npm are not installed (scripts/setup --tests)')
    directory = pathlib.Path(directory)
    stamp = directory / 'installed'
    wanted = ' '.join(packages)
    if not stamp.exists() or stamp.read_text() != wanted:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / 'package.json').write_text('{"private": true}\n')
        done = subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', *packages], cwd=directory,
                              capture_output=True, text=True)
        if done.returncode != 0:
            skip(f'npm cannot install {wanted}: {(done.stderr.strip().splitlines() or ["no reason given"])[-1]}')
        stamp.write_text(wanted)
    return directory.resolve() / 'node_modules'
