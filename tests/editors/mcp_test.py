"""`opcat mcp` with the client library of the protocol: mcp_test.py OPCAT FOLDER_FOR_NPM."""
import pathlib
import shutil
import subprocess
import sys

import npm

opcat, folder = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent
modules = npm.install_or_exit(folder, '@modelcontextprotocol/sdk@1.32.2')
# Modules are looked for next to the program.
shutil.copy(HERE / 'mcp_client.mjs', modules.parent)
done = subprocess.run(['node', 'mcp_client.mjs', opcat, HERE.parents[1] / 'testdata/catalogs/gizmo'], cwd=modules.parent, capture_output=True, text=True,
                      timeout=600)
if done.returncode != 0 or done.stdout.strip() != 'done':
    sys.exit(f'{done.stdout}{done.stderr}')
