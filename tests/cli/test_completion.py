"""Completion: the committed scripts are those that the binary prints, and real shells use them as intended."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from opcat_case import BINARY, CATALOGS, ROOT, OpcatCase

NAMES = ('opcat', 'opm')
SHELLS = ('bash', 'zsh', 'fish')
FILES = {(name, shell): ROOT / 'completions' / (f'_{name}' if shell == 'zsh' else f'{name}.{shell}') for name in NAMES for shell in SHELLS}


class Scripts(OpcatCase):
    def test_the_committed_scripts_are_up_to_date(self):
        for (name, shell), path in FILES.items():
            with self.subTest(path.name):
                binary = str(pathlib.Path(BINARY).with_name(name))
                self.assertEqual(self.run_binary(binary, 'completion', shell).out, path.read_text(),
                                 'run: scripts/generate')


KUBECTL = shutil.which('kubectl')


class Kubectl(OpcatCase):
    """The offers of kubectl's own scripts for `kubectl opcat`."""
    CASES = (
        (('',), ['approve', 'bundle', 'catalog'], 4),
        (('in',), ['install'], 4),
        (('install', '--ch'), ['--channel'], 4),
        (('-q', 'install', 'foo', '--rbac', ''), ['cluster-admin', 'derived', 'none'], 4),
        (('install', '--rbac=d'), ['--rbac=derived'], 4),
        (('bundle', ''), ['manifests', 'predict', 'validate'], 4),
        (('bundle', 'manifests', '--ou'), ['--output'], 4),
        (('install', '--kubeconfig', ''), [], 0),
        (('install', '--col'), ['--color'], 4),
        (('install', '--cert-dir', ''), [], 16),
        (('install', '--kubeconfig', 'some-file', '--a'), ['--all-namespaces', '--any-channel', '--approval'], 4),
        (('install', '--no-such-flag', '--rbac', 'd'), ['derived'], 4),
        (('bundle', 'manifests', ''), [], 0),
        (('install', ''), [], 4),
        (('job', '--cpu', ''), [], 4),
        (('help', 'ch'), ['channels'], 4),
        (('help', 'in'), ['indexignore', 'install'], 4),
        (('--jobs', '4', 'help', 'bundle', ''), ['manifests', 'predict', 'validate'], 4),
        (('help', 'channels', ''), [], 4),
        (('no', 'such', 'thing'), [], 4),
        ((), ['approve', 'bundle', 'catalog'], 4),
    )

    def check(self, answer, offered, directive):
        *lines, last = answer.splitlines()
        words = sorted(line.split('\t')[0] for line in lines)
        self.assertEqual(last, f':{directive}')
        self.assertEqual(words[:3], offered)

    def test_commands_options_and_values_are_offered(self):
        for words, offered, directive in self.CASES:
            with self.subTest(words):
                result = self.run_binary(str(pathlib.Path(BINARY).with_name('kubectl_complete-opcat')), *words)
                self.assert_status(result, 0)
                self.check(result.out, offered, directive)

    @unittest.skipUnless(KUBECTL, 'kubectl is not installed')
    def test_kubectl_asks_for_them(self):
        env = {'PATH': f'{pathlib.Path(BINARY).parent}:{os.environ["PATH"]}'}
        done = self.run_binary(KUBECTL, '__complete', 'opcat', '--no-such-word', env=env)
        if 'kubectl_complete-opcat' not in done.err:
            self.skipTest('this kubectl does not complete for plugins: 1.26 is the first that does')
        for words, offered, directive in self.CASES:
            if words:
                with self.subTest(words):
                    self.check(self.run_binary(KUBECTL, '__complete', 'opcat', *words, env=env).out, offered, directive)


class Names(OpcatCase):
    def names(self, *line, **variables):
        """What is offered for a word after those of the line."""
        result = self.opcat('__complete', *line, '', env={'XDG_CACHE_HOME': str(self.dir / 'cache'), **variables})
        self.assert_status(result, 0)
        self.assertEqual(result.err, '')
        *lines, directive = result.out.splitlines()
        self.assertEqual(directive, ':4')
        return [line.split('\t')[0] for line in lines]

    def packages(self, catalog, **variables):
        return self.names('graph', catalog, '-p', **variables)

    def test_names_come_from_the_catalog_on_the_line(self):
        gizmo = CATALOGS / 'gizmo'
        self.assertEqual(self.packages(gizmo), ['gizmo-operator'])
        for words in ((f'--catalog={gizmo}',), ('--catalog', f'prod={gizmo},priority=2')):
            self.assertEqual(self.names('resolve', 'v1', *words), ['gizmo-operator'])
        self.assertEqual(self.packages('~/gizmo', HOME=str(CATALOGS)), ['gizmo-operator'])
        bundles = self.names('graph', gizmo, '--from')
        self.assertTrue(bundles and all(name.startswith('gizmo-operator.') for name in bundles), bundles)

    def test_words_on_the_line_narrow_the_choice(self):
        self.write('c/a.yaml', ''.join(
            f'---\nschema: olm.package\nname: {p}\ndefaultChannel: {p}1\n' + ''.join(
                f'---\nschema: olm.channel\npackage: {p}\nname: {p}{c}\nentries: [{{name: {p}.v{c}}}]\n' for c in (1, 2)) for p in 'ab'))
        self.assertEqual(self.names('graph', 'c', '-c'), ['a1', 'a2', 'b1', 'b2'])
        self.assertEqual(self.names('graph', 'c', '-p', 'b', '-c'), ['b1', 'b2'])
        self.assertEqual(self.names('graph', 'c', '-p', 'b', '-c', 'b2', '--from'), ['b.v2'])

    def test_completion_of_an_invalid_catalog_is_empty_and_silent(self):
        self.write('notes/readme', ': [')
        self.write('index.db', b'SQLite format 3\0 and nothing of a database')
        self.assertEqual(self.names('graph', 'notes', 'index.db', 'absent', '/dev/null', '--flag', '-', '-p'), [])

    def test_an_option_that_may_be_given_once_is_not_offered_again(self):
        def offered(*line):
            return [row.split('\t')[0] for row in self.opcat('__complete', *line).out.splitlines()]
        self.assertIn('--package', offered('graph', '--from=x', '-'))
        self.assertNotIn('--from', offered('graph', '--from=x', '-'))
        self.assertEqual(offered('graph', '-p', 'x', '--pa'), [':4'])
        self.assertEqual(offered('diff', '--fail-on', 'any', '--fa'), ['--fail-on', ':4'])

    def test_a_value_may_be_part_of_the_word_of_its_option(self):
        result = self.opcat('__complete', 'graph', CATALOGS / 'gizmo', '--package=gi')
        self.assertEqual(result.out, '--package=gizmo-operator\n:4\n')
        self.assertEqual(self.opcat('__complete', 'graph', '--output=j').out, '--output=json\n:4\n')
        self.assertEqual(self.opm('__complete', 'render', '--output=').out, '--output=json\n--output=yaml\n:4\n')

    def test_topics_and_rules_need_no_catalog(self):
        self.assertIn('exit-status', self.names('help'))
        self.assertIn('validate', self.names('-q', 'help'))
        self.assertEqual(sorted(self.names('help', 'list')), ['bundles', 'channels', 'images', 'lifecycles', 'packages'])
        self.assertEqual(self.names('help', 'channels'), [])
        self.assertIn('channel-heads', self.names('explain'))

    def test_names_come_without_a_cache_where_it_cannot_be_written(self):
        self.write('cache', 'not a directory')
        self.assertEqual(self.packages(CATALOGS / 'gizmo'), ['gizmo-operator'])

    def test_the_cache_has_at_most_a_hundred_catalogs(self):
        self.packages(CATALOGS / 'gizmo')
        [first] = (self.dir / 'cache').rglob('completion/*')
        for i in range(98):
            (first.parent / f'other{i}').write_text('')
        self.packages(CATALOGS / 'hello')
        self.assertEqual(len(list(first.parent.iterdir())), 100)
        self.assertEqual(self.packages(CATALOGS / 'streams'), ['harbour'])
        self.assertEqual(len(list(first.parent.iterdir())), 1)

    def test_names_that_a_shell_would_read_are_left_out(self):
        self.write('c/a.yaml', 'schema: olm.package\nname: good\ndefaultChannel: a\n---\nschema: olm.channel\npackage: good\n'
                   'name: a\nentries: [{name: "$(touch evil)"}, {name: "a b"}, {name: fine.v1}]\n')
        self.assertEqual(self.names('graph', 'c', '--from'), ['fine.v1'])

    def test_a_change_of_the_catalog_is_seen(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        self.write('c/a.yaml', text)
        before = self.packages('c')
        self.assertTrue(before)
        self.write('c/a.yaml', text.replace(before[0], 'other-name'))
        self.assertEqual(self.packages('c'), ['other-name'])

    def test_a_catalog_that_has_not_changed_is_not_read_again(self):
        self.write('c/a.yaml', 'schema: olm.channel\npackage: first-name\nname: a\nentries: [{name: one.v1}]\n')
        catalog = self.dir / 'c/a.yaml'
        self.assertEqual(self.packages('c'), ['first-name'])
        # Only the content of the file shows this change.
        times = catalog.stat()
        self.write('c/a.yaml', catalog.read_text().replace('first-name', 'other-name'))
        os.utime(catalog, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.packages('c'), ['first-name'])
        os.utime(catalog)
        self.assertEqual(self.packages('c'), ['other-name'])


class Shells(OpcatCase):
    """Each shell, with the committed script, is asked what it would offer."""
    LINES = [
        ('opcat vali', {'validate'}),
        ('opcat list ', {'packages', 'channels', 'bundles', 'images', 'lifecycles'}),
        ('opcat list packages c -o ', {'table', 'wide', 'json', 'yaml', 'name'}),
        ('opcat --color always list packages --output ', {'table', 'wide', 'json', 'yaml', 'name'}),
        ('opcat graph c -p ', {'gizmo-operator'}),
        ('opcat validate --str', {'--strict'}),
        ('opcat validate --cert-dir some-d', {'some-directory/'}),
        ('opcat validate some-f', {'some-file'}),
        # No file is a level of a rule, a shard or an address.
        ('opcat validate c --rule ', set()),
        ('opcat render c --shard ', set()),
        ('opcat serve c --http ', set()),
        ('opcat explain channel-na', {'channel-name'}),
        ('opcat filter c -c ', {'gizmo-operator/fast', 'gizmo-operator/stable'}),
        ('opcat filter c --version ', {'gizmo-operator'}),
        ('opcat resolve v1 --catalog c ', {'gizmo-operator'}),
        ('opcat resolve v1 --catalog prod=c ', {'gizmo-operator'}),
        ('opcat resolve v1 --catalog=prod=c -q ', {'gizmo-operator'}),
        ('opcat resolve v1 gizmo-operator --catalog c --installed gizmo-operator.v1.2',
         {'gizmo-operator.v1.2.0', 'gizmo-operator.v1.2.1'}),
        ('opcat resolve ocp-upgrade --catalog prod=c --installed gizmo-operator.v2', {'gizmo-operator.v2.0.0'}),
    ]

    def setUp(self):
        super().setUp()
        (self.dir / 'bin').mkdir()
        for name in NAMES:
            (self.dir / 'bin' / name).symlink_to(pathlib.Path(BINARY).resolve())
        shutil.copytree(CATALOGS / 'gizmo', self.dir / 'c')
        (self.dir / 'some-directory').mkdir()
        self.write('some-file', '')
        self.env = self.environment(PATH=f'{self.dir}/bin:{os.environ["PATH"]}', HOME=str(self.dir), XDG_CACHE_HOME=str(self.dir / 'cache'),
                                    XDG_CONFIG_HOME=str(self.dir / 'config'), XDG_DATA_HOME=str(self.dir / 'data'))

    def need(self, shell):
        if not shutil.which(shell):
            self.skipTest(f'{shell} is not installed')

    def run_shell(self, *command, stdin=''):
        done = subprocess.run(command, cwd=self.dir, env=self.env, input=stdin, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stderr, '')
        return done.stdout

    def with_slashes(self, names):
        """As they are on the command line, where readline and zle add the slash of a directory afterwards."""
        return {f'{name}/' if (self.dir / name).is_dir() else name for name in names}

    def bash(self, line):
        # Words as bash itself cuts them: at blanks, '=', ':' and '@'.
        words = [w for w in re.split(r'\s+|([=:@]+)', line) if w] + ([''] if line.endswith((' ',)) else [])
        quoted = ' '.join(f"'{word}'" for word in words)
        script = (f"compopt() {{ :; }}; source '{FILES['opcat', 'bash']}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _opcat; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        offered = set(filter(None, self.run_shell('bash', '--norc', '-c', script).splitlines()))
        return self.with_slashes(offered)

    def fish(self, line):
        script = f"source '{FILES['opcat', 'fish']}'; complete -C '{line}'"
        return {row.split('\t')[0] for row in self.run_shell('fish', '--no-config', '-c', script).splitlines()}

    def test_bash(self):
        self.need('bash')
        for line, wanted in self.LINES:
            with self.subTest(line):
                self.assertEqual(self.bash(line), wanted)
        self.assertEqual(self.bash('opcat list packages c --output=j'), {'json'})
        self.assertEqual(self.bash('opcat search '), set())
        for line in ('opcat resolve v1 --catalog prod=some-d', 'opcat resolve v1 --catalog prod=', 'opcat resolve classic --catalog=ns/prod=some-d',
                     'opcat validate --report json=some-d'):
            with self.subTest(line):
                self.assertIn('some-directory/', self.bash(line))

    def test_bash_keeps_blanks_and_stars_in_the_names_of_files(self):
        self.need('bash')
        (self.dir / 'odd').mkdir()
        for name in ('a b.yaml', '*'):
            (self.dir / 'odd' / name).write_text('')
        self.assertEqual(self.bash('opcat validate odd/'), {'odd/a b.yaml', 'odd/*'})

    def test_the_script_of_opcat_for_bash_completes_opm_where_nothing_else_does(self):
        self.need('bash')
        script = f"source '{FILES['opcat', 'bash']}'; complete -p opm; COMP_WORDS=(opm alpha li); COMP_CWORD=2; _opcat; echo $COMPREPLY"
        self.assertEqual(self.run_shell('bash', '--norc', '-c', script).splitlines(), ['complete -F _opcat opm', 'list'])
        there = f"complete -W something opm; source '{FILES['opcat', 'bash']}'; complete -p opm"
        self.assertEqual(self.run_shell('bash', '--norc', '-c', there), "complete -W 'something' opm\n")

    def test_fish(self):
        self.need('fish')
        for line, wanted in self.LINES:
            with self.subTest(line):
                self.assertEqual(self.fish(line), wanted)

    def test_fish_describes_what_has_a_description_of_its_own(self):
        self.need('fish')
        def described(line):
            rows = self.run_shell('fish', '--no-config', '-c', f"source '{FILES['opcat', 'fish']}'; complete -C '{line}'").splitlines()
            return {row.split('\t')[0] for row in rows if row.partition('\t')[2]}
        for line in ('opcat list packages c -o ', 'opcat graph c -p '):
            with self.subTest(line):
                self.assertTrue(self.fish(line))
                self.assertEqual(described(line), set())
        self.assertIn('packages', described('opcat list '))
        self.assertIn('channel-heads', described('opcat explain '))
        self.assertIn('--package', described('opcat graph --pa'))
        self.assertEqual(self.fish('opcat resolve v1 --catalog prod=some-d'), {'prod=some-directory/'})

    def test_zsh(self):
        self.need('zsh')
        for line, wanted in self.LINES:
            with self.subTest(line):
                self.assertEqual(self.zsh(line), wanted)
        self.assertEqual(self.zsh('opcat resolve v1 --catalog prod=some-d'), {'some-directory/'})

    # What zsh would offer: compadd is watched while the real completion of the line editor runs on a terminal.
    ZSH = r'''
PROMPT=; unsetopt zle_bracketed_paste; fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -d {dump}
compadd() {{
    local -a found
    builtin compadd -O found "$@"
    local one
    for one in $found; do print -r -- "OFFER $one" >> {answer}; done
    builtin compadd "$@"
}}
zstyle ':completion:*' list-grouped false
done-widget() {{ zle complete-word; print DONE >> {answer}; }}
zle -C complete-word complete-word _main_complete
zle -N done-widget
bindkey '^X' done-widget
print READY >> {answer}
'''

    def zsh(self, line):
        answer = self.dir / 'answer'
        answer.write_text('')
        self.write('config.zsh', self.ZSH.format(functions=ROOT / 'completions', dump=self.dir / 'dump', answer=answer))
        master, slave = pty.openpty()
        child = subprocess.Popen(['zsh', '-f', '-i'], cwd=self.dir, env={**self.env, 'TERM': 'dumb'}, stdin=slave, stdout=slave, stderr=slave,
                                 start_new_session=True)
        os.close(slave)

        def wait_for(word):
            end = time.time() + 40
            while word not in answer.read_text() and time.time() < end:
                if select.select([master], [], [], 0.05)[0]:
                    os.read(master, 65536)
            self.assertIn(word, answer.read_text())
        try:
            os.write(master, f'source {self.dir}/config.zsh\n'.encode())
            wait_for('READY')
            os.write(master, line.encode() + b'\x18')
            wait_for('DONE')
        finally:
            child.kill()
            child.wait()
            os.close(master)
        return self.with_slashes(row[6:] for row in answer.read_text().splitlines() if row.startswith('OFFER '))

    def test_completing_runs_nothing_that_a_catalog_says(self):
        self.write('evil/a.yaml', 'schema: olm.package\nname: "$(touch pwned)"\ndefaultChannel: a\n')
        for shell in (self.bash, self.zsh, self.fish):
            if shutil.which(shell.__name__):
                shell('opcat graph evil -p ')
        self.assertFalse((self.dir / 'pwned').exists())


if __name__ == '__main__':
    unittest.main()
