"""What the tests of faults share: which call of opcat is to fail (failing_calls.c), and many runs side by side."""
import atexit
import concurrent.futures
import contextlib
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

from opcat_case import BINARY, Result

FAILING_CALLS = os.environ['FAILING_CALLS']
CHANGING_CALLS = ('open', 'write', 'fsync', 'linkat', 'rename', 'mkdir', 'mkdtemp', 'mkostemp')
FULL = 'FULL_TESTS' in os.environ
MOST_FAULTS_OF_A_CALL = 14 if FULL else 2


class Control:
    """A file that opcat and the test have in their memory: the fault that is to come, and how often each call was made."""
    _HEAD, _ROW = struct.Struct('=16sqqqq'), struct.Struct('=16sq')
    _SIZE = 4096
    _all = []

    def __init__(self, path, call='', at=1, kills=False):
        """The fault: the call number `at` of this name, from 1."""
        self._all.append(self)
        self._armed = self._happened = 0
        self.path = path
        path.unlink(missing_ok=True)  # what an earlier one has counted stays in its memory
        path.write_bytes(bytes(self._SIZE))
        with path.open('r+b') as file:
            self._memory = mmap.mmap(file.fileno(), self._SIZE)
        if call:
            self.arm(call, at, kills)

    def environment(self):
        return {'LD_PRELOAD': FAILING_CALLS, 'FAULT_CONTROL': str(self.path)}

    def arm(self, call, at=1, kills=False, large=0):
        """The fault, counted from now on; opcat may be running. `large`: from how many bytes on malloc counts."""
        self._armed += call != ''
        self._happened += self.happened
        self._HEAD.pack_into(self._memory, 0, call.encode(), 0, kills, 0, large)
        struct.pack_into('=q', self._memory, 16, at)

    def disarm(self):
        self.arm('')

    @property
    def happened(self):
        return self._HEAD.unpack_from(self._memory)[3] > 0

    def counts(self):
        """How often each call was made, if it was."""
        rows = (self._ROW.unpack_from(self._memory, at) for at in range(self._HEAD.size, self._SIZE - self._ROW.size, self._ROW.size))
        return {name.rstrip(b'\0').decode(): count for name, count in rows if count}

    @classmethod
    def describe_all(cls):
        return f'{sum(control._armed for control in cls._all)} faults, {sum(control._happened + control.happened for control in cls._all)} of them happened'


atexit.register(lambda: print(Control.describe_all(), file=sys.stderr))


def positions(count, most=MOST_FAULTS_OF_A_CALL):
    """Which calls of `count` are to fail: all of them, or as many as time allows, including the first and the last."""
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / max(most - 1, 1)) for i in range(most)})


def faults_in(counts, only=None, most=MOST_FAULTS_OF_A_CALL):
    """The faults to try, for calls that were made so often: pairs of a call and its number."""
    return [(call, at) for call, count in counts.items() if only is None or call in only for at in positions(count, most)]


def difference(later, earlier):
    """The calls between two counts."""
    return {call: count - earlier.get(call, 0) for call, count in later.items() if count > earlier.get(call, 0)}


@contextlib.contextmanager
def place_with(work):
    """A directory for one run, with a copy of `work`, removed after it."""
    with tempfile.TemporaryDirectory(prefix='opcat-faults-') as name:
        place = pathlib.Path(name)
        (place / 'tmp').mkdir()
        shutil.copytree(work, place / 'work', symlinks=True)
        yield place


def run_in(place, arguments, call='', at=1, kills=False, env=None):
    """Runs opcat in a directory of `place_with`; the result, and what counted its calls."""
    control = Control(place / 'control', call, at, kills)
    own = {'TMPDIR': str(place / 'tmp'), 'XDG_CACHE_HOME': str(place / 'cache'), 'HOME': str(place)}
    done = subprocess.run([BINARY, *map(str, arguments)], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
                          env={**os.environ, **own, **control.environment(), **(env or {})})
    return Result(done.returncode, done.stdout.decode(errors='surrogateescape'), done.stderr.decode(errors='surrogateescape')), control


def side_by_side(case, faults, check, threads=4):
    """`check(call, at)` for all faults, several at a time; a failure is one of a subtest of `case`. Returns what they returned."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        futures = [(fault, pool.submit(check, *fault)) for fault in faults]
        for (call, at), future in futures:
            with case.subTest(call=call, at=at):
                results.append(future.result())
    return results


def assert_reported(case, result, status=3):
    """A result that says in a sentence what could not be done."""
    case.assertEqual(result.status, status, result)
    case.assertRegex(result.out + result.err, r'(?m)^(.*: )?error: \S+ \S+ ')
