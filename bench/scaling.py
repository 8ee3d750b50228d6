#!/usr/bin/env python3
"""How time and memory grow: docs/performance.md shows what this prints and draws.

    bench/scaling.py [CATALOG [OUT.svg]]     CATALOG: a directory of YAML files, default testdata/catalogs/hello

Runs build/release/tools/opcat/opcat over 1 to 64 copies of the catalog (as packages of other names would be: in directories of
their own), with one and two threads, over one file of 500 MB, over 100,000 files of 1 KB, and over the same catalog as JSON; for render
also with its output in a pipe.
Prints Markdown tables; draws with gnuplot if there is one."""
import itertools
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
OPCAT = ROOT / 'build/release/tools/opcat/opcat'
RUNS = 5


def run(arguments):
    """Seconds, and peak memory in MB: never less than Python's own memory when it starts the program."""
    start = time.monotonic()
    child = subprocess.Popen([str(OPCAT), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return time.monotonic() - start, usage.ru_maxrss * 1024 / 1e6


def measure(*jobs, runs=RUNS):
    """The best of some runs of each job. Jobs take turns, so that other load on the machine affects them equally."""
    os.sync()  # or the kernel writes our new files back meanwhile
    results = [[run(job) for job in jobs] for _ in range(runs)]
    return [min(of_job) for of_job in zip(*results)]


def start_up():
    """Of `opcat version`: milliseconds, and peak memory in MB, measured by a small program."""
    with tempfile.NamedTemporaryFile('r') as memory:
        subprocess.run(['/usr/bin/time', '-f', '%M', '-o', memory.name, str(OPCAT), 'version'], stdout=subprocess.DEVNULL, check=True)
        [(seconds, _)] = measure(['version'], runs=50)
        return seconds * 1e3, int(memory.read()) * 1024 / 1e6


def size_of(directory):
    return sum(path.stat().st_size for path in directory.rglob('*') if path.is_file()) / 1e6


def read_all(directory):
    """Reading the same files and nothing else, for comparison."""
    best = None
    for _ in range(RUNS):
        start = time.monotonic()
        for path in directory.rglob('*'):
            if path.is_file():
                with open(path, 'rb', buffering=0) as file:
                    while file.read(1 << 20):
                        pass
        seconds = time.monotonic() - start
        best = min(best, seconds) if best else seconds
    return best


def copies(catalog, work):
    rows = []
    for n in (1, 2, 4, 8, 16, 32, 64):
        directory = work / 'copies'
        directory.mkdir()
        for i in range(n):
            shutil.copytree(catalog, directory / str(i))
        megabytes = size_of(directory)
        jobs = [['validate', directory, '-j', threads] for threads in (1, 2)]
        rows.append([n, megabytes, *itertools.chain(*measure(*jobs, runs=max(3, 40 // n)))])
        shutil.rmtree(directory)
    print('| copies | MB | 1 thread, ms | ns/byte | peak MB | 2 threads, ms | ns/byte | peak MB | speed-up |\n|---|---|---|---|---|---|---|---|---|')
    for n, mb, one, one_memory, two, two_memory in rows:
        print(f'| {n} | {mb:.0f} | {one * 1e3:.0f} | {one * 1e3 / mb:.2f} | {one_memory:.0f} | {two * 1e3:.0f} | {two * 1e3 / mb:.2f} | {two_memory:.0f} '
              f'| {one / two:.2f} |')
    return rows


def shapes(catalog, work):
    print('\n| input | MB | validate, ms | peak MB | x reading it |\n|---|---|---|---|---|')

    def row(name, directory):
        mb = size_of(directory)
        [(seconds, memory)] = measure(['validate', directory])
        print(f'| {name} | {mb:.0f} | {seconds * 1e3:.0f} | {memory:.0f} | {seconds / read_all(directory):.1f} |', flush=True)
        shutil.rmtree(directory)

    directory = work / 'yaml'
    shutil.copytree(catalog, directory)
    row('the catalog', directory)

    directory = work / 'json'
    directory.mkdir()
    with open(directory / 'catalog.json', 'wb') as file:
        subprocess.run([str(OPCAT), 'render', str(catalog), '-o', 'json'], stdout=file, check=True)
    row('the same as one JSON file', directory)

    directory = work / 'large'
    directory.mkdir()
    text = subprocess.run([str(OPCAT), 'render', str(catalog), '-o', 'yaml'], stdout=subprocess.PIPE, check=True).stdout
    with open(directory / 'catalog.yaml', 'wb') as file:
        while file.tell() < 500e6:
            file.write(text)
    row('one file of 500 MB', directory)

    directory = work / 'small'
    for i in range(100_000):
        path = directory / f'{i // 1000}' / f'{i}.yaml'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'schema: olm.package\nname: p{i}\ndescription: ' + 'x' * 950 + '\n')
    row('100,000 files of 1 KB', directory)


def draw(rows, out):
    if not shutil.which('gnuplot'):
        print('\ngnuplot is not there: no drawing', file=sys.stderr)
        return
    data = ''.join(f'{mb} {one * 1e3} {two * 1e3} {memory}\n' for _, mb, one, _, two, memory in rows)
    subprocess.run(['gnuplot'], check=True, text=True, input=f'''
$data << END
{data}END
set terminal svg size 800,420 font "sans,13" background "white"
set output "{out}"
set key left top
set xlabel "MB of YAML"
set ylabel "ms"
set y2label "peak MB"
set y2tics
set ytics nomirror
set grid
plot $data using 1:2 with linespoints title "validate, 1 thread", $data using 1:3 with linespoints title "validate, 2 threads", \\
     $data using 1:4 axes x1y2 with lines dashtype 2 title "peak memory, 2 threads (right)"
''')


def one_package(catalog):
    """Commands on one package, compared with all of validate."""
    names = subprocess.run([str(OPCAT), 'list', 'packages', catalog, '-o', 'name'], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    package = names[0]
    jobs = {'validate': ['validate', catalog], 'graph -p PACKAGE': ['graph', catalog, '-p', package], 'list bundles': ['list', 'bundles', catalog],
            'resolve v1 PACKAGE': ['resolve', 'v1', package, '--catalog', catalog]}
    results = measure(*jobs.values(), runs=15)
    print('\n| command | ms | x validate |\n|---|---|---|')
    for name, (seconds, _) in zip(jobs, results):
        print(f'| {name} | {seconds * 1e3:.0f} | {seconds / results[0][0]:.2f} |')


def run_into(where, command):
    """Seconds until the command, and what reads its output, have ended."""
    start = time.monotonic()
    if where == 'a pipe, read by cat':
        reader = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        subprocess.run(command, stdout=reader.stdin, check=True)
        reader.stdin.close()
        reader.wait()
    else:
        with open(where, 'wb') as file:
            subprocess.run(command, stdout=file, check=True)
    return time.monotonic() - start


def outputs(catalog, work):
    """Where the output of render goes, next to cat, which only copies the same bytes."""
    json_text, copied = work / 'catalog.json', work / 'copy'
    run_into(json_text, [str(OPCAT), 'render', str(catalog)])
    commands = [[str(OPCAT), 'render', str(catalog), '-o', 'json'], [str(OPCAT), 'render', str(catalog), '-o', 'yaml'], ['cat', str(json_text)]]
    print(f'\n| output of {json_text.stat().st_size / 1e6:.0f} MB to | render -o json, ms | render -o yaml, ms | cat, ms |\n|---|---|---|---|')
    for where in ('/dev/null', 'a pipe, read by cat', copied):
        runs = [[run_into(where, command) for command in commands] for _ in range(25)]
        medians = [statistics.median(times) * 1e3 for times in zip(*runs)]
        print(f'| {"a new file" if where == copied else where} | ' + ' | '.join(f'{median:.1f}' for median in medians) + ' |')


def main():
    catalog = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / 'testdata/catalogs/hello')
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        milliseconds, memory = start_up()
        print(f'`opcat version`: {milliseconds:.1f} ms, {memory:.1f} MB\n')
        rows = copies(catalog, work)
        shapes(catalog, work)
        one_package(catalog)
        outputs(catalog, work)
    if len(sys.argv) > 2:
        draw(rows, sys.argv[2])


if __name__ == '__main__':
    main()
