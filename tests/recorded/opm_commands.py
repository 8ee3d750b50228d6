"""What opm's commands print of probes of the format's edges (suite "edge")."""
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from suite import LineSuite

LISTS = {'mermaid': ['alpha', 'render-graph'], 'mermaid_v0': ['alpha', 'render-graph', '--draw-v0-semantics'],
         'list_packages': ['alpha', 'list', 'packages'], 'list_channels': ['alpha', 'list', 'channels'], 'list_bundles': ['alpha', 'list', 'bundles']}
# Whole numbers of up to 64 bits are kept, where opm rounds them through a double.
KEPT_NUMBERS = {'yaml-ints', 'yaml-bigint', 'json-num1'}


class OpmCommands(LineSuite):
    archives = ['edge']
    files = ['edge/expected.jsonl']

    def label(self, row):
        return row['case']

    def answers(self, program, data, rows):
        def run(*arguments):
            done = subprocess.run([program, *arguments], cwd=data / 'edge/cases', stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
            return done.returncode, done.stdout.decode('utf-8', 'surrogateescape'), done.stderr.decode('utf-8', 'surrogateescape')

        def answer(row):
            case = row['case']
            status, out, err = run('render', case, '-o', 'json')
            said = {'case': case, 'render_rc': status, 'render_err': err if status else None}
            if 'schemas' in row:
                said['schemas'] = sorted(re.findall(r'"schema": "(m\.[^"]*)"', out))
            else:
                said['render_json'] = out
                said['render_yaml_rc'], said['render_yaml'], _ = run('render', case, '-o', 'yaml')
            status, out, err = run('validate', case)
            said['validate_rc'] = status
            said['validate'] = {'passed': True} if status == 0 else {'passed': False, 'text': out + err}
            for key in LISTS.keys() & row.keys():
                status, out, _ = run(*LISTS[key], case)
                said[key] = {'rc': status, 'out': out}
            return said

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(answer, rows))

    def difference(self, row, answer):
        found = []

        def compare(what, status, wanted_status, text=None, wanted=None):
            if (status == 0) != (wanted_status == 0) or not 0 <= status < 128:
                found.append(f'{what}: exit status {status}, recorded {wanted_status}')
            elif status == 0 and text != wanted and row['case'] not in KEPT_NUMBERS:
                found.append(f'{what}: the text differs')

        if 'schemas' in row:
            compare('render', answer['render_rc'], row['render_rc'], answer['schemas'], row['schemas'] or [])
        else:
            compare('render', answer['render_rc'], row['render_rc'], answer['render_json'], row['render_json'])
            compare('render -o yaml', answer['render_yaml_rc'], row['render_yaml_rc'], answer['render_yaml'], row['render_yaml'])
        compare('validate', answer['validate_rc'], row['validate_rc'])
        if answer['validate_rc'] != 0 and not answer['validate']['text'].strip():
            found.append('validate: fails without a word')
        for key in LISTS.keys() & row.keys():
            compare(key, answer[key]['rc'], row[key]['rc'], answer[key]['out'], row[key]['out'])
        return '; '.join(found)

    def recorded(self, row, answer):
        return answer
