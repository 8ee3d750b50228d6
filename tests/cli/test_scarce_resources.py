"""Where the machine has nothing left, the program says so and ends with status 3: memory, stack, descriptors, files. Covers lib/base/apart.cpp
and tools/opcat/terminal/last_resort.cpp."""
import os
import resource
import struct
import subprocess
import unittest

from opcat_case import BINARY, ROOT, OpcatCase

GIZMO, BEFORE = (ROOT / 'testdata/catalogs' / name for name in ('gizmo', 'gizmo-last-week'))
COMMANDS = [('validate', GIZMO), ('render', GIZMO), ('graph', GIZMO, '-o', 'svg'), ('graph', GIZMO, '-o', 'html'), ('diff', BEFORE, GIZMO),
            ('list', 'channels', GIZMO), ('version',)]
MIB = 1 << 20
# The least that the system needs to start any program differs: its loader then fails, with this status.
NOT_LOADED = 127


def mapped_size(program):
    """The bytes of address space that the segments of an ELF file take: with less, the system ends the program before it runs."""
    with open(program, 'rb') as file:
        header = file.read(64)
        if header[:5] != b'\x7fELF\x02':  # a script that starts an emulator, or another system
            return 10 * MIB
        order = '>' if header[5] == 2 else '<'
        start, = struct.unpack_from(f'{order}Q', header, 32)
        size, count = struct.unpack_from(f'{order}HH', header, 54)
        file.seek(start)
        table = file.read(size * count)
    loaded = [struct.unpack_from(f'{order}IIQQQQQQ', table, size * i) for i in range(count)]
    ends = [(vaddr, vaddr + memory) for kind, _, _, vaddr, _, _, memory, _ in loaded if kind == 1]
    return max(end for _, end in ends) - min(begin for begin, _ in ends)


@unittest.skipIf(os.environ.get('SANITIZED'), 'sanitizers need more memory, and have handlers of their own')
class ScarceResources(OpcatCase):
    def statuses(self, kind, limits, commands=COMMANDS):
        found = set()
        for limit in limits:
            for command in commands:
                with self.subTest(limit=limit, command=command), open(os.devnull if kind != resource.RLIMIT_FSIZE else self.dir / 'out', 'wb') as out:
                    done = subprocess.run([BINARY, *map(str, command)], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                          preexec_fn=lambda limit=limit: resource.setrlimit(kind, (limit, limit)))
                    found.add(done.returncode)
                    words = done.stderr.decode()
                    self.assertIn(done.returncode, (0, 1, 3, NOT_LOADED), words)
                    if done.returncode == 3:
                        self.assertRegex(words, r'(^|\n)error: [^\n]+(\n  help: [^\n]+)?\n$')
        return found

    def test_memory(self):
        least = mapped_size(BINARY) // MIB + 2  # with the loader and the stack
        found = self.statuses(resource.RLIMIT_AS, [size * MIB for size in (*range(least, least + 28, 2), *range(48, 160, 16))])
        self.assertLessEqual({0, 3}, found)
        # Where the loader has just enough, and what is made before main() has not.
        self.statuses(resource.RLIMIT_AS, [(least << 20) + step * (64 << 10) for step in range(64)], commands=[('version',)])
        self.statuses(resource.RLIMIT_DATA, [MIB // 2, MIB, 4 * MIB, 16 * MIB])

    def test_stack(self):
        self.assertIn(3, self.statuses(resource.RLIMIT_STACK, [size << 10 for size in (16, 32, 64, 96, 128)]))

    def test_descriptors(self):
        self.statuses(resource.RLIMIT_NOFILE, range(4, 12))

    def test_descriptors_of_a_server(self):
        ends = set()
        for limit in range(4, 40):
            with self.subTest(limit), subprocess.Popen(
                    [BINARY, 'serve', GIZMO, '--no-grpc', '--http', '127.0.0.1:0'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    text=True, preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))) as server:
                words = ''
                while 'http' not in words and (line := server.stderr.readline()):
                    words += line
                if 'http' in words:
                    server.terminate()
                    ends.add(0)
                else:
                    self.assertRegex(words, r'^error: [^\n]+(\n  help: [^\n]+)?\n$')
                    ends.add(server.wait())
        self.assertEqual(ends - {NOT_LOADED}, {0, 3})

    def test_threads(self):
        self.statuses(resource.RLIMIT_NPROC, (0, 1))

    def test_the_size_of_files(self):
        self.assertEqual(self.statuses(resource.RLIMIT_FSIZE, (0, 100), COMMANDS[1:-1]), {3})


if __name__ == '__main__':
    unittest.main()
