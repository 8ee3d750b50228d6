#!/usr/bin/env python3
"""How instructions and memory grow when hostile inputs (hostile_shapes.py) grow: fails where doubling costs more than 2.3 times.

    bench/growth.py [--opcat PROGRAM] [--scale X] [--quick] [--memory-only] [SHAPE[:COMMAND]...]

Each command runs on inputs of n, 2n and 4n pieces. What it costs to start is left out by comparing increases: cost(4n) - cost(2n)
with cost(2n) - cost(n), which is 2 if cost is linear and 4 if it is quadratic. --quick measures what tests need (QUICK), on smaller
inputs, and takes what a command costs to start from a harmless input. Instructions are counted by valgrind (scripts/setup --tests),
so that the load of the machine does not matter; one process counts all runs (counted_runs.c). Memory is the peak of the resident set, without valgrind. SHAPE alone: all commands
of the shape.
Prints a Markdown table; ends with 1 if something grows too fast, dies, or takes longer than a minute without valgrind."""
from __future__ import annotations

import argparse
import atexit
import collections
import functools
import os
import pathlib
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

from hostile_shapes import BEYOND_LIMIT, HARMLESS, QUICK, READERS, ROOT, SHAPES, write

LIMIT = 2.3
# What is too small to tell a growth from chance: pages of memory come in chunks, and loaded libraries are shared.
LEAST_INSTRUCTIONS = 1e5
LEAST_BYTES = 4 << 20

Cost = collections.namedtuple('Cost', 'instructions bytes status')  # status: negative for a signal


def environment(scratch):
    return {'PATH': '/usr/bin:/bin', 'HOME': str(scratch), 'XDG_CACHE_HOME': str(scratch / 'cache'), 'TMPDIR': str(scratch), 'LC_ALL': 'C.UTF-8',
            'GLIBC_TUNABLES': 'glibc.malloc.arena_max=1'}


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


class Counter:
    """Counts instructions of runs below `scratch`, all in one process of valgrind."""

    def __init__(self, opcat, scratch):
        self.logs = pathlib.Path(tempfile.mkdtemp(prefix='growth-'))
        library = self.logs / 'counted_runs.so'
        subprocess.run(['cc', '-O1', '-shared', '-fPIC', '-o', library, ROOT / 'bench/counted_runs.c', '-ldl'], check=True)
        self.requests, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen(
            ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', f'--log-file={self.logs}/%p', opcat], pass_fds=[its_end.fileno()],
            env={**environment(scratch), 'LD_PRELOAD': str(library), 'COUNTED_RUNS': str(its_end.fileno())}, cwd=scratch,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        its_end.close()

    def run(self, how, arguments):
        self.requests.send(b''.join(word.encode() + b'\0' for word in (how, *arguments)))
        answer = self.requests.recv(4)
        if not answer:
            raise SystemExit('growth: valgrind says ' + '\n'.join(log.read_text() for log in self.logs.glob('[0-9]*')))
        return struct.unpack('i', answer)[0]

    def count(self, arguments):
        log = (self.logs / str(self.run('count', arguments))).read_text()
        counted = re.search(r'Collected : (\d+)', log)
        if not counted:
            raise SystemExit('growth: valgrind says ' + log)
        return int(counted[1])

    def close(self):
        self.requests.close()
        self.process.wait()
        shutil.rmtree(self.logs)


class Measurement:
    """Runs opcat on inputs in one directory, which each run finds empty but for its input."""

    def __init__(self, opcat, count_instructions):
        self.opcat = opcat
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix='growth-'))
        self.counter = Counter(opcat, self.scratch) if count_instructions else None

    def close(self):
        if self.counter:
            self.counter.close()
        shutil.rmtree(self.scratch)

    def forget(self, *names):
        for name in names:
            path = self.scratch / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def prepare(self, shape, reader, n):
        """Writes an input; the arguments of the command."""
        self.forget(*(path.name for path in self.scratch.iterdir()))
        root, empty = self.scratch / 'c', self.scratch / 'empty'
        root.mkdir()
        empty.mkdir()
        write(empty, [{'schema': 'olm.package', 'name': 'bar'}])
        values = {'c': SHAPES[shape][0](root, n), 'out': self.scratch / 'out', 'empty': empty}
        # Options before the command's name would make opcat build all of its commands.
        return [*(word.format(**values) for word in READERS[reader].split()), '-j', '1']

    @functools.cache  # once for each command
    def warm_up(self, reader):
        self.counter.run('warm', self.prepare(HARMLESS.get(reader, 'replaces'), reader, 2))

    def cost(self, shape, reader, n):
        if self.counter:
            self.warm_up(reader)
        arguments = self.prepare(shape, reader, n)
        # Started by a small program: a child begins with the memory of its parent, and Python's is larger than opcat's.
        log = self.scratch / 'log'
        with open(self.scratch / 'stdout', 'wb') as out:
            status = subprocess.run(['/usr/bin/time', '-f', '%M', '-o', log, self.opcat, *arguments], stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, cwd=self.scratch, env=environment(self.scratch), check=False,
                                    preexec_fn=limits).returncode
        told = log.read_text()
        memory = int(told.split()[-1]) * 1024
        if killed := re.search(r'terminated by signal (\d+)', told):
            status = -int(killed[1])
        if not self.counter or status < 0:
            return Cost(None, memory, status)
        self.forget('out', 'cache')
        return Cost(self.counter.count(arguments), memory, status)

    @functools.cache
    def cost_to_start(self, shape, reader):
        return self.cost(shape, reader, 2)


def ratio(values, least, first_is_start):
    """How much more 4n pieces cost than 2n, each beyond the start; or else the second doubling than the first. None: next to nothing."""
    first, two, four = values
    if four - two < least:
        return None
    return (four - (first if first_is_start else two)) / max(two - first, least / 4)


def measure(measurement, shape, reader, n, started_by):
    first = measurement.cost_to_start(started_by, reader) if started_by else measurement.cost(shape, reader, n)
    costs = [first, *(measurement.cost(shape, reader, n * times) for times in (2, 4))]
    if any(c.status < 0 for c in costs):
        return 'ended by signal ' + ', '.join(str(-c.status) for c in costs if c.status < 0), costs
    found = []
    if measurement.counter:
        by = ratio([c.instructions for c in costs], LEAST_INSTRUCTIONS, started_by)
        if by and by > LIMIT:
            found.append(f'{by:.2f}x instructions')
    by = ratio([c.bytes for c in costs], LEAST_BYTES, started_by)
    if by and by > LIMIT:
        found.append(f'{by:.2f}x memory')
    return ', '.join(found), costs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--opcat', default=ROOT / 'build/test/tools/opcat/opcat', type=pathlib.Path)
    parser.add_argument('--scale', default=1.0, type=float)
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--memory-only', action='store_true')
    parser.add_argument('shapes', nargs='*')
    options = parser.parse_args()
    if not options.memory_only and not shutil.which('valgrind'):
        sys.exit('growth: valgrind counts the instructions: install it (scripts/setup --tests)')
    measurement = Measurement(options.opcat.resolve(), not options.memory_only)
    atexit.register(measurement.close)
    quick = list(QUICK) if 'FULL_TESTS' in os.environ else list(QUICK)[::2]
    wanted = options.shapes or (quick if options.quick else SHAPES)
    print('| shape | command | n | instructions, millions: n, 2n, 4n | growth | memory, MB: n, 2n, 4n | status | too fast |\n|' + '---|' * 8)
    failed = 0
    for name in wanted:
        name, _, only = name.partition(':')
        _, n, readers = SHAPES[name]
        for reader in [only] if only else readers:
            pieces = QUICK.get(f'{name}:{reader}', n) if options.quick else n
            pieces = max(2, int(pieces * options.scale))
            beyond = BEYOND_LIMIT.get((name, reader))
            started_by = HARMLESS.get(reader, 'replaces') if options.quick else None
            wrong, costs = measure(measurement, name, reader, beyond or pieces, started_by)
            if beyond and costs[1].status != 3 and not wrong:
                wrong = 'no limit is reached'
            counted = [c.instructions for c in costs]
            growth = None if None in counted else ratio(counted, 1, started_by)
            failed += bool(wrong)
            print(f'| {name} | {reader} | {beyond or pieces} |', ', '.join('-' if c is None else f'{c / 1e6:.1f}' for c in counted),
                  f'| {growth:.2f} |' if growth else '| - |', ', '.join(f'{c.bytes / 1e6:.0f}' for c in costs),
                  f'| {costs[2].status} | {wrong} |', flush=True)
    if failed:
        print(f'\n{failed} of them grow too fast', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
