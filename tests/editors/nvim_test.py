"""editors/nvim in headless Neovim: nvim_test.py OPCAT …"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77


def main():
    if not shutil.which('nvim'):
        print('skipped: nvim is not installed (scripts/setup --tests)')
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work).resolve()
        shutil.copytree(ROOT / 'testdata/catalogs/two-heads', work / 'catalog')
        (work / 'README.md').write_text('no catalog\n')
        (work / 'other.yaml').write_text('kind: Deployment\n')
        done = subprocess.run(
            ['nvim', '--headless', '-u', 'NONE', '-i', 'NONE', '-n', '--cmd', f'set runtimepath^={ROOT}/editors/nvim',
             '--cmd', f'lua opcat_program = {str(pathlib.Path(sys.argv[1]).resolve())!r}', '-c', f'luafile {HERE}/nvim_test.lua'],
            cwd=work, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
            env={**os.environ, 'HOME': str(work), 'XDG_STATE_HOME': str(work), 'XDG_CONFIG_HOME': str(work), 'XDG_DATA_HOME': str(work)})
    print(done.stdout + done.stderr)
    return done.returncode


sys.exit(main())
