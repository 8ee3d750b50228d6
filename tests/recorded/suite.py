"""A suite of recorded answers: what was asked, how a program is asked the same, and how its answer is compared. testdata/recorded/README.md
says what the lines of each suite hold.

A suite is an object with
  archives                       the archives that have its data
  rows(data)                     the recorded rows below a directory, each with its answer
  write(data, rows)              stores them there again
  answers(program, data, rows)   what the program says, one answer a row, in the same form
  difference(row, answer)        None if the answer agrees, else a text
  label(row)                     what people see of a row
  recorded(row, answer)          the row with a new answer
"""
import contextlib
import itertools
import json
import pathlib
import tarfile
import tempfile

ARCHIVES = pathlib.Path(__file__).resolve().parents[2] / 'testdata/recorded'


def lines(path):
    with path.open(encoding='utf-8', errors='surrogateescape') as file:
        return [json.loads(line) for line in file if line.strip()]


class LineSuite:
    """A suite whose rows are the lines of `files`, patterns below the directory."""
    files = ()

    def paths(self, data):
        return [path for pattern in self.files for path in sorted(data.glob(pattern))]

    def rows(self, data):
        return [row for path in self.paths(data) for row in lines(path)]

    def write(self, data, rows):
        rows = iter(rows)
        for path in self.paths(data):
            count = len(lines(path))
            with path.open('w', encoding='utf-8', errors='surrogateescape') as file:
                file.writelines(json.dumps(row) + '\n' for row in itertools.islice(rows, count))


@contextlib.contextmanager
def unpacked(*names):
    """A directory with the contents of these archives."""
    with tempfile.TemporaryDirectory(prefix='opcat-recorded-') as directory:
        for name in names:
            with tarfile.open(ARCHIVES / f'{name}.tar.xz') as archive:
                archive.extractall(directory)
        yield pathlib.Path(directory)


def pack(data, name):
    """Writes an archive again: the same bytes for the same files."""
    def plain(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ''
        entry.mode = 0o755 if entry.isdir() else 0o644
        return entry

    with tarfile.open(ARCHIVES / f'{name}.tar.xz', 'w:xz', preset=9) as archive:
        archive.add(data / name, name, filter=plain)
