"""What --fix and fmt never do: change what is not theirs, make a catalog worse, leave a broken one behind.
Covers lib/lint/apply_fixes.cpp and lib/lint/meaning.cpp and lib/document/syntax_repair.cpp."""
import fcntl
import os
import random
import signal
import subprocess
import threading
import time
import unittest

from opcat_case import BINARY, OPM, OpcatCase


def package(name, version='1.0.0'):
    return f'''---
schema: olm.package
name: {name}
defaultChannel: stable
---
# the only channel
schema: olm.channel
package: {name}
name: stable
entries:
- name: {name}.v{version}
---
schema: olm.bundle
package: {name}
name: {name}.v{version}
image: r.example/{name}:{version}
properties:
- type: olm.package
  value:
    packageName: {name}
    version: {version}
'''


JSON = ('{"schema": "olm.package", "name": "j", "defaultChannel": "stable"}\n'
        '{"schema": "olm.channel", "package": "j", "name": "stable", "entries": [{"name": "j.v1.0.0"}]}\n'
        '{"schema": "olm.bundle", "package": "j", "name": "j.v1.0.0", "image": "r.example/j:1",\n'
        ' "properties": [{"type": "olm.package", "value": {"packageName": "j", "version": "1.0.0"}}]}\n')
MAKEFILE = b'all:\n\tgcc -o x x.c\n\nclean:\n\trm x\r\n'
ICON = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\r\n\xff' + bytes(range(256))


class TreeCase(OpcatCase):
    def contents(self, below='.'):
        root = self.dir / below
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob('*')) if path.is_file()}

    def changed(self, before, below='.'):
        after = self.contents(below)
        return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))

    def checkout(self):
        self.write('co/Makefile', MAKEFILE)
        self.write('co/icon.png', ICON)
        self.write('co/run.sh', '#!/bin/sh\r\nname:x\r\n')
        self.write('co/ci.yaml', 'on:push\njobs: {}\r\n')
        self.write('co/.git/hooks/pre-commit.sample', '#!/bin/sh\r\nif true; then\r\n\techo x\r\nfi\r\n')
        self.write('co/.git/objects/ab/cdef', ICON)
        self.write('co/.git/stored.yaml', package('g').replace('\n', '\r\n'))
        self.write('co/drafts/.indexignore', '*\n')
        self.write('co/drafts/d.yaml', package('d').replace('\n', '\r\n'))
        self.write('co/catalog/a.yaml', package('a').replace('version: 1.0.0', 'version: 1.0').replace('\n', '\r\n'))
        self.write('co/catalog/icon.png', ICON)


class Trees(TreeCase):
    def test_only_files_of_blobs_are_changed(self):
        self.checkout()
        before = self.contents('co')
        result = self.run_binary('env', '-C', 'co', BINARY, 'validate', '--fix', '--unsafe-fixes', '.')
        self.assertEqual(self.changed(before, 'co'), ['catalog/a.yaml'])
        self.assertNotIn('.git/', result.out + result.err)
        self.assertEqual((self.dir / 'co/catalog/a.yaml').read_text(), package('a'))
        lines = result.err.splitlines()
        self.assertEqual([lines[0], lines[-2]], ['./catalog/a.yaml:1: line-breaks: write LF at the ends of lines (lines 1 to 21)',
                                                 '2 fixes applied'])
        self.assertEqual(lines[1], './catalog/a.yaml:21: property-value: write 1.0.0')

    def test_what_a_link_or_a_name_leads_to_below_git_stays(self):
        self.checkout()
        os.symlink('../.git/stored.yaml', self.dir / 'co/catalog/link.yaml')
        os.symlink('../drafts/d.yaml', self.dir / 'co/catalog/other.yaml')
        before = self.contents('co')
        self.opcat('validate', '--fix', 'co')
        self.assertEqual(self.changed(before, 'co'), ['catalog/a.yaml'])
        self.opcat('validate', '--fix', 'co/.git/stored.yaml')
        for path in 'co/.git/stored.yaml', 'co/.git':
            self.assertNotEqual(self.opcat('fmt', path).status, 0)
        self.assertEqual(self.changed(before, 'co'), ['catalog/a.yaml'])

    def test_a_file_that_is_named_itself_stays_if_indexignore_leaves_it_out(self):
        self.checkout()
        self.write('co/.indexignore', 'old\n!old/kept.yaml\n')
        for name in 'gone', 'kept':
            self.write(f'co/old/{name}.yaml', package(name).replace('\n', '\r\n'))
        before = self.contents('co')
        for path in 'co/drafts/d.yaml', 'co/old/gone.yaml':
            self.opcat('validate', '--fix', path)
            done = self.opcat('fmt', path)
            self.assertIn('.indexignore leaves it out of the catalog', done.err)
        self.assertEqual(self.changed(before, 'co'), [])
        self.opcat('validate', '--fix', 'co/old/kept.yaml')
        self.assertEqual(self.changed(before, 'co'), ['old/kept.yaml'])
        # Without a repository only the file's own directory counts.
        self.write('x/.indexignore', 'y\n')
        self.write('x/y/a.yaml', package('a').replace('\n', '\r\n'))
        self.assertEqual(self.opcat('fmt', 'x/y/a.yaml').err, '')

    def test_git_is_no_part_of_a_catalog_but_to_opm(self):
        self.write('c/a.yaml', package('a'))
        self.write('c/.git/config', '[core]\n\tbare = false\n')
        self.assert_status(self.opcat('validate', 'c'), 0)
        self.assert_status(self.opcat('fmt', 'c'), 0)
        self.assert_status(self.opm('validate', 'c'), 1)

    def test_a_read_only_file_stays(self):
        for name in 'ab':
            self.write(f'c/{name}.yaml', package(name).replace('\n', '\r\n'))
        os.chmod(self.dir / 'c/b.yaml', 0o444)
        before = self.contents('c')
        for command in (['fmt', 'c'], ['validate', '--fix', 'c'],
                        ['edit', 'channel', 'rename', 'stable', 'fast', '--in', 'c', '-p', 'b']):
            with self.subTest(command=command):
                done = self.opcat(*command)
                self.assertNotEqual(done.status, 0)
                self.assertIn('b.yaml: it is read-only', done.err)
                self.assertEqual(self.changed(before, 'c'), [], 'none is changed if one cannot be')

    def test_a_file_in_a_directory_that_is_not_writable_stays(self):
        for name in 'ab':
            self.write(f'c/{name}/c.yaml', package(name).replace('\n', '\r\n'))
        os.chmod(self.dir / 'c/b', 0o555)
        before = self.contents('c')
        # root needs its right to write everywhere taken away.
        limits = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] if os.geteuid() == 0 else []
        for command in ('fmt', 'c'), ('validate', '--fix', 'c'):
            with self.subTest(command=command):
                done = subprocess.run([*limits, BINARY, *command], cwd=self.dir, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 3)
                self.assertIn('cannot write c/b/c.yaml: nothing can be written in its directory', done.stderr)
                self.assertEqual(self.changed(before, 'c'), [], 'none is changed if one cannot be')
        os.chmod(self.dir / 'c/b', 0o755)

    def test_a_file_that_is_named_twice_is_not_written(self):
        self.write('c/a.yaml', package('a').replace('\n', '\r\n').replace('version: 1.0.0', 'version: 1.0'))
        before = self.contents('c')
        for command in (['fmt', 'c', 'c/a.yaml'], ['fmt', 'c/a.yaml', 'c/../c/a.yaml'], ['validate', '--fix', 'c', 'c/a.yaml']):
            with self.subTest(command=command):
                done = self.opcat(*command)
                self.assert_status(done, 2)
                self.assertIn('is named twice', done.err)
                self.assertEqual(self.changed(before, 'c'), [])

    def test_a_copy_in_another_file_stays_because_that_may_be_a_catalog_of_its_own(self):
        self.write('c/v4.16.yaml', package('a'))
        self.write('c/v4.17.yaml', package('a'))
        before = self.contents('c')
        self.opcat('validate', '--fix', 'c')
        self.assertEqual(self.changed(before, 'c'), [])
        self.opcat('validate', '--fix', '--unsafe-fixes', 'c')
        self.assertEqual(self.changed(before, 'c'), ['v4.17.yaml'])

    def test_nothing_is_not_formatted(self):
        self.write('c/.indexignore', '*\n')
        self.write('c/a.yaml', package('a').replace('\n', '\r\n'))
        for command in ('fmt', 'c'), ('fmt', '--check', 'c'):
            done = self.opcat(*command)
            self.assert_status(done, 2)
            self.assertIn('c has no files to format', done.err)

    def test_fmt_refuses_what_is_not_a_catalog(self):
        self.write('c/a.yaml', package('a'))
        self.write('c/settings.yaml', 'b:   1\na: 2\n')
        before = self.contents()
        result = self.opcat('fmt', 'c')
        self.assert_status(result, 1)
        self.assertIn('settings.yaml:1:1: error: a blob needs a schema', result.err)
        self.assertEqual(self.changed(before), [])

    def test_the_number_of_fixes_that_is_promised_is_kept(self):
        cases = {
            'a version': package('a').replace('version: 1.0.0', 'version: 1.0'),
            'a version without a certain spelling': package('a').replace('version: 1.0.0', 'version: 01.0'),
            'a name': package('a').replace('- name: a.v1.0.0', '- name: 1.10'),
            'a file that stays unreadable': 'name:foo\n',
            'one mistake after another': package('a').replace('name: stable\n', 'name:stable\nmore: 1\nmore: 1\n'),
            'a key twice in JSON': JSON.replace('"name": "j",', '"name": "j", "name": "j",', 1),
            'a schema, with which more mistakes show': package('a') + '---\nschema: olm.chanel\npackage: a\nname: b\nentries:\n- name: x\n- name: y\n',
        }
        for what, text in cases.items():
            with self.subTest(what):
                self.write('c/a.yaml', text)
                promised = self.opcat('validate', 'c').err
                done = self.opcat('validate', '--fix', 'c').err
                number = promised.split('; ')[1].split()[0] if 'can be corrected' in promised else '0'
                self.assertIn(f'{number} fix', done)
                self.assertEqual(len([line for line in done.splitlines() if line.startswith('c/a.yaml:')]) > 0, number != '0')
                self.assertNotIn('can be corrected', self.opcat('validate', 'c').err)
        self.write('b/metadata/annotations.yaml', 'annotations:\n\ta: b\n')
        self.write_layout('image', self.write('bundle/manifests/x.yaml', 'name:x\n').parent.parent)
        self.assertNotIn('can be corrected', self.opcat('validate', 'oci:image').err)


DAMAGE = [
    ('text', lambda t, r: t.replace(*r.choice([('replaces', 'replases'), ('olm.bundle', 'olm.bundel'), ('olm.channel', 'olm.Channel'),
                                               ('packageName', 'packagName'), ('1.0.0\n', '1.0\n'), ('  value', '\tvalue'), (': stable', ':stable'),
                                               ('entries:', 'entreis:'), ('stable', 'stabel'), ('name: ', 'name: x\nname: '), ('- name', '- name: y\n- name'),
                                               ('---\n', ''), ('---\n', '---\n---\n'), ('image', '# opcat: ignore[icon]\nimage'), ('name: ', 'name:\u00a0'),
                                               ('"name"', '"name": "j", "name"'), ('}]', '},]'), ('schema', 'shema')]), r.choice([1, 1, 9]))),
    ('line breaks', lambda t, r: t.replace('\n', '\r\n')),
    ('some line breaks', lambda t, r: ''.join(line + r.choice(['\n', '\r\n']) for line in t.split('\n'))),
    ('a tab', lambda t, r: t[:(at := r.randrange(len(t) + 1))] + '\t' + t[at:]),
    ('a cut', lambda t, r: t[:r.randrange(len(t) + 1)]),
    ('a character less', lambda t, r: t[:(at := r.randrange(len(t) + 1))] + t[at + 1:]),
    ('a copy', lambda t, r: t + t[t.rfind('---') if '---' in t else 0:]),
    ('a text of lines', lambda t, r: t.replace('name: ', 'description: |\n  all:\n  \techo x\n  b:c\nname: ', 1)),
]


class RandomDamage(TreeCase):
    """Whatever happened to a tree of files, --fix leaves it no worse."""
    rounds = 25

    def make_tree(self, r):
        self.checkout()
        for i in range(r.randrange(1, 4)):
            text = JSON.replace('j', f'j{i}') if r.random() < 0.3 else package(f'p{i}')
            for _ in range(r.randrange(3)):
                text = r.choice(DAMAGE)[1](text, r)
            self.write(f'co/catalog/p{i}.{r.choice(["yaml", "json", "txt"])}', text)
        if r.random() < 0.7:
            (self.dir / 'co/catalog/icon.png').unlink()
        if r.random() < 0.5:
            self.write('co/catalog/a.yaml', package('a'))

    def test_once_is_enough_and_opm_likes_it_no_less(self):
        for seed in range(self.rounds):
            with self.subTest(seed=seed):
                r = random.Random(seed)
                subprocess.run(['rm', '-rf', self.dir / 'co'], check=True)
                self.make_tree(r)
                below = r.choice(['co', 'co/catalog', 'co/catalog', 'co/catalog'])
                flags = r.choice([[], [], ['--unsafe-fixes']])
                before = self.contents('co')
                passed = self.opm('validate', below).status == 0
                promised = self.opcat('validate', below).err
                once = self.opcat('validate', '--fix', *flags, below)
                self.assertIn(once.status, (0, 1))
                self.assertLessEqual({name.split('/')[0] for name in self.changed(before, 'co')}, {'catalog'})
                self.assertEqual((self.dir / 'co/catalog/icon.png').read_bytes() if 'catalog/icon.png' in before else ICON, ICON)
                for name in self.changed(before, 'co'):
                    self.assertIn(f'{name}:', once.err)
                if not flags:
                    number = promised.split('; ')[1].split()[0] if 'can be corrected' in promised else '0'
                    self.assertRegex(once.err, rf'(?m)^{number} fix(es)? applied$')
                if passed:
                    self.assert_status(self.opm('validate', below), 0)
                after = self.contents('co')
                again = self.opcat('validate', '--fix', *flags, below)
                self.assertIn('0 fixes applied', again.err)
                self.assertEqual(self.changed(after, 'co'), [])


class Leftovers(TreeCase):
    def setUp(self):
        super().setUp()
        for i in range(60):
            self.write(f'c/{i}.yaml', package(f'p{i}').replace('name: ', 'name:   ') + '# ' + 'x' * 20_000 + '\n')

    def leftovers(self):
        return sorted(self.dir.rglob('.opcat-*'))

    def test_a_killed_run_leaves_a_catalog_that_all_can_read_and_the_next_one_cleans_up(self):
        seen = 0
        for attempt in range(40):
            child = subprocess.Popen([BINARY, 'fmt', 'c'], cwd=self.dir, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 5
            # The directory lives for some microseconds: look until there is one, or the run is over.
            while child.poll() is None and not any(name.startswith('.opcat-') for name in os.listdir(self.dir / 'c')):
                if time.monotonic() > deadline:
                    break
            child.send_signal(signal.SIGKILL)
            child.wait()
            seen += bool(self.leftovers())
            if attempt % 8 == 0 or self.leftovers():
                self.assert_status(self.opcat('validate', 'c'), 0)
                self.assert_status(self.opm('validate', 'c'), 0)
            for path in (self.dir / 'c').glob('*.yaml'):
                path.write_text(path.read_text().replace('name: ', 'name:   '))
            if seen >= 3:
                break
        self.assert_status(self.opcat('fmt', 'c'), 0)
        self.assertEqual(self.leftovers(), [])

    def test_what_a_killed_run_can_leave_is_no_part_of_a_catalog_and_is_collected(self):
        for i, files in enumerate([{}, {'.indexignore': ''}, {'.indexignore': '*\n'}, {'.indexignore': '*\n', 'new': package('p1')},
                                   {'.indexignore': '*\n', 'new': 'half: ['}]):
            (self.dir / f'c/.opcat-0000000{i}').mkdir()
            for name, text in files.items():
                self.write(f'c/.opcat-0000000{i}/{name}', text)
            if i == 1:  # its rules come before its file
                self.assertNotIn('new', files)
        others = ['c/.opcat-0000000a/.indexignore', 'c/.opcat-0000000b/.indexignore', 'c/.opcat-x/.indexignore']
        for name, text in zip(others, ('new\n', '*\n', '*\n')):
            self.write(name, text)
        self.write('c/.opcat-0000000b/mine', 'kept')
        for command in self.opcat, self.opm:
            self.assert_status(command('validate', 'c'), 0)
        self.opcat('validate', '--fix', '--diff', 'c')
        self.opcat('fmt', '--check', 'c')
        self.assertEqual(len(self.leftovers()), 8)
        self.assert_status(self.opcat('validate', '--fix', 'c'), 0)
        self.assertEqual([str(path.relative_to(self.dir)) for path in self.leftovers()], [name.rsplit('/', 1)[0] for name in others])

    def test_a_validate_beside_a_fmt_sees_one_catalog(self):
        ended = threading.Event()
        failures = []

        def look(binary):
            while not ended.is_set():
                done = subprocess.run([binary, 'validate', 'c'], cwd=self.dir, capture_output=True)
                if done.returncode != 0:
                    failures.append((binary, done.stdout + done.stderr))
                    return
        threads = [threading.Thread(target=look, args=(binary,)) for binary in (BINARY, OPM)]
        for thread in threads:
            thread.start()
        for _ in range(8):
            self.assert_status(self.opcat('fmt', 'c'), 0)
            for path in (self.dir / 'c').glob('*.yaml'):
                text = path.read_text().replace('name: ', 'name:   ')
                aside = path.with_name(path.name)
                temporary = self.dir / 'aside'
                temporary.write_text(text)
                os.replace(temporary, aside)
        ended.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_run_that_is_at_work_keeps_its_directory(self):
        path = self.write('c/.opcat-00000001/.indexignore', '*\n').parent
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self.opcat('fmt', 'c')
        self.assertEqual(self.leftovers(), [path])
        os.close(descriptor)
        self.opcat('fmt', 'c')
        self.assertEqual(self.leftovers(), [])


if __name__ == '__main__':
    unittest.main()
