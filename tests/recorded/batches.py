"""Suites whose questions are asked all at once, a line of JSON each: versions and ranges, and both OLMs' resolvers. The program is opcat,
or one that answers `semver --batch FILE`, `resolve v1 --batch FILE` or `resolve classic --batch FILE` in the same form."""
import json
import re
import subprocess
import tempfile

from suite import LineSuite


def ask(program, command, data, questions):
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl', encoding='utf-8', errors='surrogateescape') as file:
        file.writelines(json.dumps(question) + '\n' for question in questions)
        file.flush()
        done = subprocess.run([program, *command, '--batch', file.name], cwd=data, capture_output=True, timeout=3000)
    answers = [json.loads(line) for line in done.stdout.decode('utf-8', 'surrogateescape').splitlines()]
    if len(answers) != len(questions):
        raise RuntimeError(f'{" ".join(command)}: {len(answers)} answers to {len(questions)} questions: {done.stderr.decode()}')
    return answers


def without(row, keys):
    return {key: value for key, value in row.items() if key not in keys}


class Versions(LineSuite):
    archives = ['semver']
    files = ['semver/*.jsonl']
    ANSWER = ('ok', 'error', 'error_in', 'panic', 'cmp', 'major', 'minor', 'patch', 'pre', 'build', 'string', 'rel', 'doc')

    def label(self, row):
        return json.dumps(without(row, self.ANSWER))

    def answers(self, program, data, rows):
        return ask(program, ['semver'], data, [without(row, self.ANSWER) for row in rows])

    def difference(self, row, answer):
        # Where the library crashes, opcat answers. `doc` is the documentation's own word, `error_in` says which of two texts is meant.
        if 'panic' in row:
            return None if {'ok', 'error'} & answer.keys() else f'{answer}, recorded: a crash'
        for key in (set(self.ANSWER) & row.keys()) - {'doc', 'error_in'} | {'error'}:
            if answer.get(key) != row.get(key):
                return f'{key}: {answer.get(key)!r}, recorded {row.get(key)!r}'
        return None

    def recorded(self, row, answer):
        return {**without(row, set(self.ANSWER) - {'doc', 'error_in'}), **{key: answer[key] for key in self.ANSWER if key in answer}}


class OlmV1(LineSuite):
    archives = ['resolve-v1']
    files = ['resolve-v1/*.jsonl']
    ANSWER = ('bundle', 'version', 'release', 'catalog', 'deprecation', 'error', 'unvalidated', 'candidates')

    def label(self, row):
        return json.dumps(row['request'])

    def answers(self, program, data, rows):
        return ask(program, ['resolve', 'v1'], data, [row['request'] for row in rows])

    def difference(self, row, answer):
        result = row['result']
        if 'panic' in result:
            return None if answer else 'no answer'
        for key in self.ANSWER:
            if answer.get(key) != result.get(key):
                return f'{key}: {answer.get(key)!r}, recorded {result.get(key)!r}'
        return None

    def recorded(self, row, answer):
        return {'request': row['request'], 'result': {key: answer[key] for key in self.ANSWER if key in answer}}


class OlmClassic:
    archives = ['classic']

    def rows(self, data):
        return [{'scenario': path.parent.name, **json.loads(path.read_text())} for path in sorted((data / 'classic').glob('*/expected.json'))]

    def write(self, data, rows):
        for row in rows:
            (data / 'classic' / row['scenario'] / 'expected.json').write_text(json.dumps(without(row, ['scenario']), indent=1) + '\n')

    def label(self, row):
        return row['scenario']

    def answers(self, program, data, rows):
        return ask(program, ['resolve', 'classic'], data,
                   [{'scenario': f'classic/{row["scenario"]}', 'namespace': row['namespace']} for row in rows])

    def difference(self, row, answer):
        # OLM answers one of several at random where the order of its variables is not determined.
        if not row.get('deterministic', True) and row.get('alternatives'):
            if all(self.of_one({**row, **one, 'uniqueMinimalCore': False}, answer) for one in row['alternatives']):
                return f'{answer} is none of the {len(row["alternatives"])} recorded answers'
            return None
        return self.of_one(row, answer)

    def of_one(self, row, answer):
        def operators(of):
            return sorted(tuple(str(one.get(key) or '') for key in ('name', 'version', 'package', 'channel', 'catalog')) for one in of.get('operators') or [])

        def words(error):
            # How a catalog cannot be reached, and a parser's further words, are other libraries' own.
            error = re.sub(r'(failed to list bundles|found no registry client).*', r'\1', error or '')
            return re.sub(r'(ERROR: <input>:\d+:\d+: Syntax error)[\s\S]*', r'\1', error)

        if operators(answer) != operators(row):
            return f'operators {operators(answer)}, recorded {operators(row)}'
        error, wanted = answer.get('error'), row.get('error')
        if not error or not wanted:
            return None if bool(error) == bool(wanted) else f'error {error!r}, recorded {wanted!r}'
        if row.get('errorKind') != 'NotSatisfiable':
            return None if words(error) == words(wanted) else f'error {error!r}, recorded {wanted!r}'
        if not error.startswith('constraints not satisfiable: '):
            return f'error {error!r}, recorded {wanted!r}'
        return self.of_conflicts(row, list(answer.get('conflicts') or []))

    def of_conflicts(self, row, said):
        """Each constraint of the smallest conflict is named once, in one of its wordings."""
        if not row.get('uniqueMinimalCore'):
            return None if said else 'no conflict is named'
        left = [set(wordings) for wordings in row['minimalCore']]
        for text in said:
            found = next((wordings for wordings in left if text in wordings), None)
            if found is None:
                return f'{text!r} is no conflict, recorded {row["minimalCore"]}'
            left.remove(found)
        return f'conflicts lack {left}' if left else None

    def recorded(self, row, answer):
        return {**row, 'operators': answer.get('operators') or [], 'error': answer.get('error')}
