"""Command lines in documents, run: blocks of code hold "$ command" and what it prints. They are marked ```console, or
indented by four blanks, beginning with "    $ opcat".

A line "…" matches any lines. Commands run in a directory that `prepare` fills, in bash, with opcat first in the path;
standard error is part of what they print.
"""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Command:
    def __init__(self, line, text, expected, first_output, end_output):
        self.line, self.text, self.expected = line, text, expected
        self.first_output, self.end_output = first_output, end_output  # lines of the document, from 0


def block_at(lines, begin, end, indent):
    """The commands in lines[begin:end], whose indentation does not count."""
    block, i = [], begin
    while i < end:
        if not lines[i].startswith(indent + '$ '):
            raise ValueError(f'line {i + 1}: a command begins with "$ "')
        start, text = i, lines[i][len(indent) + 2:]
        i += 1
        while text.endswith('\\'):
            text += '\n' + lines[i][len(indent):]
            i += 1
        first = i
        while i < end and not lines[i].startswith(indent + '$ '):
            i += 1
        last = i
        while last > first and not lines[last - 1].strip():
            last -= 1
        block.append(Command(start + 1, text, [line[len(indent):] for line in lines[first:last]], first, last))
    return block


def commands(document):
    """The commands of a document, in lists of one block each."""
    lines = document.splitlines()
    blocks, i = [], 0
    while i < len(lines):
        begin = i
        if lines[i].strip() == '```console':
            indent = lines[i][:-len('```console')]
            i = lines.index(indent + '```', i)
            blocks.append(block_at(lines, begin + 1, i, indent))
        elif lines[i].startswith('    $ opcat '):
            while i < len(lines) and (not lines[i].strip() or lines[i].startswith('    ')):
                i += 1
            blocks.append(block_at(lines, begin, i, '    '))
            continue
        i += 1
    return blocks


def matches(expected, shown):
    pattern = ''.join('(?:.*\n)*?' if line == '…' else re.escape(line) + '\n' for line in expected)
    return re.fullmatch(pattern, ''.join(line + '\n' for line in shown)) is not None


def prepare(directory, document):
    """Fills the directory and returns where the commands of a document run: in a copy of testdata/catalogs, or where a comment
    <!-- commands run in testdata/... --> says. It also has testdata/, and catalog/ and old-catalog/, two states of one
    small catalog."""
    shutil.copytree(ROOT / 'testdata', directory, dirs_exist_ok=True)
    said = re.search(r'<!-- commands run in testdata/(\S+) -->', document)
    here = directory / (said.group(1) if said else 'catalogs')
    shutil.copytree(ROOT / 'testdata/catalogs/gizmo', here / 'catalog')
    shutil.copytree(ROOT / 'testdata/catalogs/gizmo-last-week', here / 'old-catalog')
    shutil.copytree(ROOT / 'testdata', here / 'testdata')
    return here


def run(command, directory, binaries):
    env = {**os.environ, 'PATH': f'{binaries}:{os.environ["PATH"]}', 'HOME': str(directory / '.home'), 'TERM': 'dumb'}
    done = subprocess.run(['bash', '-c', command.text], cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    return [line.rstrip() for line in done.stdout.decode().splitlines()]


def update(path, directory, binaries):
    """Writes the output into a document, except for lines that "…" replaces."""
    document = path.read_text()
    lines = document.splitlines()
    changes = []
    for block in commands(document):
        for command in block:
            shown = run(command, directory, binaries)
            if not matches([line.rstrip() for line in command.expected], shown):
                changes.append((command, shown))
    for command, shown in reversed(changes):
        indent = re.match(' *', lines[command.first_output - 1]).group()
        lines[command.first_output:command.end_output] = [(indent + line).rstrip() for line in shown]
    path.write_text('\n'.join(lines) + '\n')
    return len(changes)
