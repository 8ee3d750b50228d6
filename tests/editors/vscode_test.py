"""editors/vscode: it is type-checked, built and packaged, and the client library that it uses talks to
opcat: vscode_test.py OPCAT NPM_FOLDER"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import npm

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f'{command[0]} failed:\n{done.stdout}{done.stderr}')
    return done.stdout


def main():
    opcat, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    source = ROOT / 'editors/vscode'
    description = json.loads((source / 'package.json').read_text())
    modules = npm.install_or_exit(folder, *(f'{name}@{version}' for name, version in description['devDependencies'].items()))
    tools = modules / '.bin'
    with tempfile.TemporaryDirectory(dir=folder) as work:
        # Below the folder of the packages, so that they are found.
        extension = pathlib.Path(work).resolve() / 'vscode'
        shutil.copytree(source, extension, ignore=shutil.ignore_patterns('node_modules', 'out'))
        run(tools / 'tsc', '--noEmit', cwd=extension)
        command = description['scripts']['build'].split()
        run(tools / command[0], *command[1:], cwd=extension)
        run(tools / 'vsce', 'package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', 'opcat.vsix', cwd=extension)
        with zipfile.ZipFile(extension / 'opcat.vsix') as package:
            assert {'extension/package.json', 'extension/out/extension.js'} <= set(package.namelist()), package.namelist()
        catalog = pathlib.Path(work).resolve() / 'catalog'
        shutil.copytree(ROOT / 'testdata/catalogs/two-heads', catalog)
        shutil.copy(HERE / 'protocol_client.js', work)
        shutil.copy(HERE / 'extension_host.js', work)
        print(run('node', 'protocol_client.js', opcat, catalog, cwd=work))
        print(run('node', 'extension_host.js', opcat, catalog, extension / 'out/extension.js', cwd=work))


main()
