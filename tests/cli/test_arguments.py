"""How the binary reads its command line."""
import concurrent.futures
import itertools
import json
import re
import shlex
import unittest

from opcat_case import BINARY, CATALOGS, OpcatCase


def paths(command):
    yield command['path'].split()[1:]
    for sub in command['commands']:
        yield from paths(sub)


def catalog_of(package, versions):
    """The package with channels stable and beta, each version replacing the one before it."""
    names = [f'{package}.v{version}' for version in versions]
    entries = [{'name': name, **({'replaces': names[i - 1]} if i else {})} for i, name in enumerate(names)]
    blobs = [{'schema': 'olm.package', 'name': package, 'defaultChannel': 'stable'}]
    blobs += [{'schema': 'olm.channel', 'package': package, 'name': name, 'entries': entries} for name in ('stable', 'beta')]
    blobs += [{'schema': 'olm.bundle', 'package': package, 'name': name, 'image': f'registry.example/{package}:v{version}',
               'properties': [{'type': 'olm.package', 'value': {'packageName': package, 'version': version}}]}
              for name, version in zip(names, versions)]
    return ''.join(f'---\n{json.dumps(blob)}\n' for blob in blobs)


class Arguments(OpcatCase):
    def test_standard_input_is_read_once(self):
        catalog = str(CATALOGS / 'gizmo')
        for arguments in (['validate', '-', '--baseline', '-'], ['validate', '--refs', '-', '-'],
                          ['diff', '-', catalog, '--installed', '-'], ['diff', '-', '-']):
            with self.subTest(arguments):
                done = self.opcat(*arguments, stdin='-\n' if '--refs' in arguments else '{"schema": "olm.package", "name": "a"}\n')
                self.assert_status(done, 2)
                self.assertIn('standard input can be read only once', done.err)

    def test_every_command_has_help_on_stdout(self):
        for run, known in ((self.opcat, ['render', 'validate', 'explain', 'version', 'semver']), (self.opm, ['render', 'validate'])):
            tree = run('describe-commands').json()
            self.assertLessEqual(set(known), {sub['path'].split()[1] for sub in tree['commands']})
            for path in paths(tree):
                result = run(*path, '--help')
                self.assert_status(result, 0)
                self.assertEqual(result.err, '')
                self.assertIn(' '.join(['Usage:', tree['path'], *path, '[OPTIONS]']), result.out)

    def test_every_command_of_opcat_has_an_example(self):
        def check(command):
            for sub in command['commands']:
                with self.subTest(sub['path']):
                    self.assertRegex(sub['footer'], rf'(?m)^  .*\b{sub["path"]}\b')
                check(sub)
        check(self.opcat('describe-commands').json())

    def test_examples_are_command_lines_that_opcat_takes(self):
        packages = {'foo': ['1.0.0', '1.2.0', '2.0.0'], 'bar': ['1.0.0'], 'prometheus': ['0.50.0', '0.56.3'],
                    'argocd-operator': ['0.8.0', '0.9.0'], 'quay-operator': ['3.9.1']}
        for directory in 'catalog', 'old', 'new', 'OLD', 'NEW', 'main/catalog':
            self.write(f'{directory}/catalog.yaml', ''.join(catalog_of(*package) for package in packages.items()))
        self.write('.opcat.yaml', 'catalogs: [{template: absent.yaml, catalog: made}]\n')
        (self.dir / '~/.local/bin').mkdir(parents=True)
        offline = {'HTTPS_PROXY': 'http://127.0.0.1:1', 'KUBECONFIG': 'absent', 'XDG_CACHE_HOME': str(self.dir / 'cache')}
        def run(line):
            shell = shlex.shlex(line, posix=True, punctuation_chars=True)
            shell.whitespace_split = True
            words = list(itertools.takewhile(lambda word: word not in ('|', '>', '<'), shell))
            if words[1] == 'serve' and '--export' not in words:
                words.append('--check')  # or it would serve
            words = [word for word in words if word != '--watch']
            return line, self.opcat(*words[1:], env=offline)
        helps = ''.join(self.opcat(*path, '--help').out for path in paths(self.opcat('describe-commands').json()))
        lines = set(re.findall(r'^  (opcat .*)', helps.replace('\\\n', ' '), re.M))
        self.assertGreater(len(lines), 80)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:  # what asks registries mostly waits
            for line, result in pool.map(run, sorted(lines)):
                with self.subTest(line):
                    self.assertNotEqual(result.status, 2, result.err)
                    self.assertNotIn('not a regular file', result.err)

    def test_help_fits_the_terminal(self):
        for path in paths(self.opcat('describe-commands').json()):
            for line in self.opcat(*path, '--help').out.split('Example')[0].splitlines():
                if ' ' in line.strip() and 'Usage:' not in line:
                    self.assertLessEqual(len(line), 80, (path, line))

    def test_help_is_as_wide_as_the_terminal_from_40_to_120_columns(self):
        for arguments in (('validate', '--help'), ('help', 'list', 'bundles'), ('help', 'channels'), ('explain', 'channel-heads')):
            for columns, most in ((30, 40), (40, 40), (100, 100), (300, 120)):
                with self.subTest(arguments=arguments, columns=columns):
                    # Tables, examples and signatures keep their lines.
                    prose = [line for line in self.on_terminal('--color', 'never', *arguments, columns=columns)[1].splitlines()
                             if not re.match(r' {0,5}(opcat|-|[a-z]+ +\()| {4}\S|.*\.\.\.', line)]
                    widest = max(map(len, prose))
                    self.assertLessEqual(widest, most)
                    self.assertGreater(widest, most * 3 // 4)
                    self.assertEqual(self.opcat(*arguments, env={'COLUMNS': str(columns)}).out.splitlines(),
                                     self.on_terminal('--color', 'never', *arguments, columns=columns)[1].splitlines())
        self.assertEqual(self.opcat('validate', '--help', env={'COLUMNS': 'wide'}).out, self.opcat('validate', '--help').out)

    def test_version(self):
        result = self.opcat('version')
        self.assert_status(result, 0)
        self.assertRegex(result.out, r'^opcat \d+\.\d+\.\d+\n$')
        self.assertEqual(result.err, '')
        self.assertEqual(self.opcat('--version').out, result.out)

        for short in ('-v', '-V'):
            self.assertEqual(self.opcat(short).out, result.out)

    def test_without_a_command_there_is_the_help(self):
        help = self.opcat('--help').out
        self.assertIn('Usage: opcat', help)
        for arguments in ((), ('--list',)):
            result = self.opcat(*arguments)
            self.assert_status(result, 0)
            self.assertEqual((result.out, result.err), (help, ''))
        (self.dir / 'kubectl-opcat').symlink_to(BINARY)
        self.assertIn('Usage: kubectl opcat', self.run_binary(str(self.dir / 'kubectl-opcat')).out)

    def test_the_words_of_other_programs_lead_to_the_right_command(self):
        for word, command in (('lint', 'validate'), ('check', 'validate'), ('format', 'fmt'), ('ls', 'list or status'),
                              ('show', 'list, graph or status'), ('describe', 'list, graph or status'), ('info', 'list, graph or status'),
                              ('compare', 'diff'), ('delete', 'uninstall')):
            for before in ((), ('-q',), ('help',)):
                with self.subTest(word=word, before=before):
                    result = self.opcat(*before, word)
                    self.assert_status(result, 2)
                    self.assertTrue(result.err.endswith(f'"{word}"\n  help: did you mean {command}?\n'), result)
        self.assertTrue(self.opcat('cache', 'ls').err.endswith('did you mean list?\n'))
        (self.dir / 'kubectl-opcat').symlink_to(BINARY)
        self.assertTrue(self.run_binary(str(self.dir / 'kubectl-opcat'), 'show').err.endswith('did you mean status?\n'))
        self.assertEqual(self.opm('lint').err, 'error: there is no command "lint"\n  help: see opm --help\n')

    def test_durations_are_looked_at_before_anything_else(self):
        install = ['install', 'hello', '-n', 'x', '--kubectl', '/absent/kubectl']
        for flag in ('--timeout', '--request-timeout'):
            for wrong in ('5', 'x', '10 m', '-1s', '3d', 'm', '0s', '1001h', 'nan', '1e99h'):
                with self.subTest(flag=flag, wrong=wrong):
                    result = self.opcat(*install, f'{flag}={wrong}')
                    self.assert_status(result, 2)
                    self.assertIn(f'error: {flag}: {wrong} is not a duration', result.err)
            for right in ('90s', '1h30m', '1.5h', '500ms', '1000h'):
                with self.subTest(flag=flag, right=right):
                    result = self.opcat(*install, f'{flag}={right}')
                    self.assert_status(result, 3)
                    self.assertIn('/absent/kubectl', result.err)

    def test_unknown_commands_and_options_are_named(self):
        for arguments, named in ((['vlaidate', 'x'], 'vlaidate'), (['--colour=always', 'version'], '--colour'),
                                 (['render', '--migrte', '.'], '--migrte'), (['version', 'more'], 'more')):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, 2)
                self.assertEqual(result.out, '')
                self.assertIn(named, result.err)
                self.assertIn('help: ', result.err)

    def test_a_mistyped_command_is_suggested(self):
        self.assertEqual(self.opcat('vlaidate', 'x').err, 'error: there is no command "vlaidate"\n  help: did you mean validate?\n')
        self.assertEqual(self.opcat('nonsense').err, 'error: there is no command "nonsense"\n  help: see opcat --help\n')
        self.assertEqual(self.opm('rendr', 'x').err, 'error: there is no command "rendr"\n  help: did you mean render?\n')
        self.assertEqual(self.opcat('semver', 'mach').err, 'error: there is no command "mach"\n  help: did you mean match?\n')
        self.assertEqual(self.opcat('semver', '1.0.0').err, 'error: there is no command "1.0.0"\n  help: see opcat semver --help\n')

    def test_a_file_in_place_of_a_command_is_answered_with_what_to_type(self):
        self.write('c/a.yaml', '')
        for line, example in (('template convert c/a.yaml', 'opcat template convert basic c/a.yaml'), ('list c', 'opcat list packages c'),
                              ('bundle r.example/shop:v1', 'opcat bundle manifests r.example/shop:v1')):
            with self.subTest(line):
                result = self.opcat(*line.split())
                self.assert_status(result, 2)
                self.assertIn('help: name one of its commands before it: ', result.err)
                self.assertIn(f'; for example: {example}\n', result.err)

    def test_a_range_after_versions_is_answered_with_what_to_type(self):
        for line, range_ in (('1.2.0 >=1.0.0', '>=1.0.0'), ('1.2.0 1.x', '1.x'), ('1.2.0 1.3.0 ^1.2', '^1.2')):
            with self.subTest(line):
                result = self.opcat('semver', 'match', *line.split())
                self.assert_status(result, 2)
                self.assertEqual(result.err, f'error: the range "{range_}" comes after the versions\n'
                                 f"  help: name it first: opcat semver match '{range_}' 1.2.0\n")
        self.assertIn('not a version', self.opcat('semver', 'match', '1.2.0', '1.2').err)
        self.assertIn('not a version', self.opcat('semver', 'match', '>=1.0.0', '1.x').err)

    def test_the_first_word_decides(self):
        """Also where a later one is the name of a command."""
        (self.dir / 'catalog').mkdir()
        for line, near in (('vaildate catalog', 'validate'), ('lint catalog', 'validate'), ('-q vaildate catalog', 'validate'),
                           ('-j 2 vaildate catalog', 'validate'), ('bundle vaildate catalog', 'validate')):
            result = self.opcat(*line.split())
            self.assert_status(result, 2)
            self.assertRegex(result.err, f'error: there is no command "(vaildate|lint)"\n  help: did you mean {near}')

    def test_format_and_output_are_one(self):
        hello = CATALOGS / 'hello'
        for command in (('validate', hello), ('render', hello), ('list', 'channels', hello), ('graph', hello)):
            outs = {self.opcat(*command, *flag).out for flag in (('-o', 'json'), ('--output=json',), ('--format', 'json'), ('--format=json',))}
            self.assertEqual(len(outs), 1, command)
        self.assert_status(self.opcat('build', hello, '--format', 'json'), 2)  # its -o is a file

    def test_a_mistyped_option_is_suggested(self):
        for arguments, near in ((['validate', '--formt=json', '.'], '--format'), (['validate', '--quite', '.'], '--quiet'),
                                (['--colour', 'always', 'version'], '--color'), (['resolve', 'v1', '--catlog', '.', 'p'], '--catalog'),
                                (['list', 'bundles', '--hlep', '.'], '--help')):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, 2)
                self.assertTrue(result.err.endswith(f'\n  help: did you mean {near}?\n'), result)

    def test_what_is_lacking_sends_to_the_help_of_its_command(self):
        for arguments, command in ((['validate'], 'validate'), (['list'], 'list'), (['generate', 'dockerfile'], 'generate dockerfile'),
                                   (['version', 'more'], 'version'), (['validate', '-x', '.'], 'validate')):
            with self.subTest(arguments):
                self.assertTrue(self.opcat(*arguments).err.endswith(f'\n  help: see opcat {command} --help\n'))

    def test_help_is_made_of_words(self):
        for arguments in (['render'], ['validate'], ['explain']):
            self.assertRegex(self.opcat(*arguments, '--help').out, r'\A[\n -~]*\Z')

    def test_values_of_options_are_checked(self):
        for arguments in (['validate', '--format', 'xml', '.'], ['render', '-o', 'xml', '.'], ['--color', 'perhaps', 'version'],
                          ['-j', 'many', 'version'], ['-j', '0', 'version'], ['-j', '1000000', 'version'], ['render'], ['validate']):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, 2)
                self.assertEqual(result.out, '')
                self.assertTrue(result.err.startswith('error: '), result)

    def test_the_allowed_values_of_an_option_are_listed(self):
        for arguments, reported, help in (
                (['render', '-o', 'xml', '.'], '--output: xml is not one of json, yaml', 'see opcat render --help'),
                (['render', '-o', 'Json', '.'], '--output: Json is not one of json, yaml', 'did you mean json?'),
                (['migrate', '--migrate-level', 'all', '.', 'new'],
                 '--migrate-level: all is not one of none, bundle-object-to-csv-metadata', 'see opcat migrate --help'),
                (['graph', '--olm', 'v2', '.'], '--olm: v2 is not one of classic, v1', 'did you mean v1?'),
                (['diff', '.', '.', '--fail-on', 'any,strandd'], '--fail-on: strandd is not one of unservable, stranded, ambiguous, package-removed, removed, unmet, rewritten, '
                 'image-changed, api-removed, crd-narrowed, '
                 'default-channel, skipped-again, z-stream, deprecated, any', 'did you mean stranded?')):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, 2)
                self.assertEqual(result.err, f'error: {reported}\n  help: {help}\n')

    def test_an_option_takes_one_value_and_leaves_the_next_to_the_arguments(self):
        result = self.opcat('validate', '--report', 'json=report', CATALOGS / 'gizmo', CATALOGS / 'hello')
        self.assert_status(result, 0)
        self.assertIn('2 packages checked', result.err)
        result = self.opcat('filter', '--package', 'hello', CATALOGS / 'hello')
        self.assert_status(result, 0)

    def test_an_empty_argument_is_a_variable_that_is_not_set(self):
        for arguments, reported in ((['resolve', 'v1', 'p', '--catalog', '.', '--installed', ''], 'the argument after --installed is empty'),
                                (['list', 'packages', ''], 'argument 3 is empty'), (['render', '.', '--output-dir='], '--output-dir= has no value')):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, 2)
                self.assertTrue(result.err.startswith(f'error: {reported}\n'), result)

    def test_what_is_too_much_is_named(self):
        self.assertTrue(self.opcat('list', 'channels', '.', '-c', 'x').err.startswith('error: opcat list channels has no option -c\n'))
        self.assertIn('name a package with --package x\n', self.opcat('graph', '.', 'x').err)
        self.assertIn('help: name one with --in, or list them below', self.opcat('edit', 'remove', 'foo.v1.0.0').err)
        self.assertEqual(self.opcat('list', '--use-http', 'images', '.').err,
                         'error: --use-http is an option of opcat list images\n  help: write it after opcat list images\n')
        self.assertTrue(self.opcat('list', 'channels', '.', 'x').err.startswith('error: unexpected argument "x" of opcat list channels\n'))
        self.assertIn('name a catalog with --catalog .\n', self.opcat('resolve', 'v1', 'p', '.').err)
        self.assertIn('name a package with --subscribe shop\n', self.opcat('resolve', 'classic', 'shop').err)
        self.assertTrue(self.opcat('list').err.startswith('error: opcat list needs a command\n'))

    def test_help_for_an_unknown_command(self):
        self.assertEqual(self.opcat('help', 'list', 'pakages').err, 'error: list has no command "pakages"\n  help: did you mean packages?\n')
        self.assertEqual(self.opcat('help', 'chanels').err, 'error: there is no command and no topic "chanels"\n  help: did you mean channels?\n')
        self.assertEqual(self.opcat('help', 'xyzzy').err, 'error: there is no command and no topic "xyzzy"\n  help: `opcat help` lists both\n')
        self.assertEqual(self.opcat('help', 'list', 'xyzzy').err, 'error: list has no command "xyzzy"\n  help: `opcat help list` lists its commands\n')

    def test_tables_of_topics_are_columns_where_they_fit_and_paragraphs_where_not(self):
        wide, narrow = (self.opcat('help', 'exit-status', env={'COLUMNS': columns}).out for columns in ('100', '50'))
        self.assertIn('\n  status  meaning\n  0       success\n', wide)
        self.assertIn('\n  1\n      the catalog, the resolution or the cluster\n        has problems: they are reported\n  2\n', narrow)
        # With more than two columns, each cell has the title of its column; the marks of Markdown are not shown.
        self.assertIn('\n  downgrades\n      OLM classic: never\n      OLM v1: only with SelfCertified\n',
                      self.opcat('help', 'olm-classic-and-v1', env={'COLUMNS': '60'}).out)

    def test_options_before_a_command_that_does_not_have_them_are_refused(self):
        """The action that they are for does not run."""
        (self.dir / 'plan.json').write_text('{}')
        for words, named, hint in (
                (('semver', '--batch', '-', 'match', '>=1.0.0', '1.0.0'), '--batch is an option of opcat semver, not of opcat semver match',
                 'see opcat semver match --help'),
                (('mirror', '--dry-run', 'delete', '--plan', 'plan.json'), '--dry-run is an option of opcat mirror, not of opcat mirror delete',
                 'write it after delete'),
                (('mirror', 'delete', '--plan', 'plan.json', '--prune'), '--prune is an option of opcat mirror, not of opcat mirror delete',
                 'see opcat mirror delete --help'),
                (('mirror', '--require-signatures', 'check', 'registry.example/m'),
                 '--require-signatures is an option of opcat mirror, not of opcat mirror check', 'write it after check'),
                (('mirror', 'catalog', '--to', 'dir:x', 'delete', '--plan', 'plan.json'), '"catalog" is an argument of opcat mirror, not of opcat mirror delete',
                 'see opcat mirror delete --help'),
                (('build', '--label', 'a=b', 'bundle', 'x', '-t', 'oci:x:v1'), '--label is an option of opcat build, not of opcat build bundle',
                 'write it after bundle')):
            with self.subTest(words):
                result = self.opcat(*words)
                self.assert_status(result, 2)
                self.assertEqual((result.out, result.err), ('', f'error: {named}\n  help: {hint}\n'))
        self.assert_status(self.opcat('-q', 'semver', 'match', '>=1.0.0', '1.0.0'), 0)  # those of the root are for all

    def test_other_names_send_to_what_only_opcat_has(self):
        self.assertEqual(self.opm('graph', 'x').err, 'error: there is no command "graph"\n  help: use `opcat graph`\n')
        (self.dir / 'kubectl-opcat').symlink_to(BINARY)
        self.assertEqual(self.run_binary(str(self.dir / 'kubectl-opcat'), 'validate', 'x').err,
                         'error: there is no command "validate"\n  help: use `opcat validate`\n')

    def test_opm_knows_only_0_and_1(self):
        for arguments in (['no-such-command'], ['validate', 'absent'], ['render', '-o', 'xml', '.'], ['explain']):
            with self.subTest(arguments):
                result = self.opm(*arguments)
                self.assert_status(result, 1)
                self.assertEqual(result.out, '')
                self.assertNotEqual(result.err, '')
        for arguments in ([], ['validate', CATALOGS / 'hello']):
            result = self.opm(*arguments)
            self.assert_status(result, 0)
            self.assertEqual((result.out, result.err), ('', ''))

    def test_values_that_cannot_be_used_are_refused_in_words(self):
        hello = str(CATALOGS / 'hello')
        for arguments, status, words in (
                (['validate', hello, '-j'], 2, '--jobs needs a value'),
                (['validate', '-j', '4', '-j', '5', hello], 2, '--jobs is given more than once'),
                (['validate', '--max-unpacked-size', '-1', hello], 2, '--max-unpacked-size: -1 is not a size: write 500MiB or 4GiB'),
                (['validate', '--max-unpacked-size', '99999999999999999999', hello], 2, 'is not a size'),
                (['validate', '--baseline', 'a', '--write-baseline', 'b', hello], 2, '--baseline excludes --write-baseline'),
                (['generate', 'dockerfile', hello, '-o', '-'], 2, 'it must be a file, not -'),
                (['serve', hello, '-p', '99999'], 3, 'cannot listen on :99999: there is no such port'),
                (['build', 'bundl', hello, '-t', 'oci:x'], 2, f'unexpected argument "{hello}" of opcat build\n  help: did you mean bundle?'),
                (['build', hello, '-t', 'oci:x', '--base', 'scratcht'], 2, '"scratcht" is not an image'),
                (['copy', 'oci:absent', 'oci:x'], 3, 'cannot copy oci:absent to oci:x: there is no such directory'),
                (['copy', 'oci:x', 'oci:y', '--authfile', 'absent'], 3, 'cannot read absent: no such file or directory'),
                (['validate', '-', '-'], 2, 'standard input can be read only once'),
                (['validate', '--refs', '-'], 2, 'there is no reference in standard input'),
                (['validate', hello, '--shard-output', 'parts'], 2, '--shard-output needs --shard'),
                (['validate', hello, '--summary', '--format', 'sarif'], 2, '--summary does not go with --format sarif'),
                (['validate', hello, '--report', 'json=a', '--report', 'sarif=a'], 2, '--report a is what --report writes, too'),
                (['validate', hello, '--report', 'json=a', '--write-baseline', 'b'], 2, '--report'),
                (['validate', hello, '--fix', '--diff', '--format', 'json'], 2, '--diff prints changes, not findings'),
                (['bundle', 'validate', hello, '--batch', 'q'], 2, '--batch'),
                (['serve', hello, '--http', 'localhost:0', '--tls-cert', 'absent', '--tls-key', 'absent'], 3,
                 'cannot use the certificate in absent: no such file or directory'),
                (['serve', hello, '--http', 'localhost:htpt'], 3, 'cannot listen on localhost:htpt: there is no such port'),
                (['config', 'show', 'absent'], 3, 'cannot read absent: no such file or directory'),
                (['copy', 'absent', 'oci:layout'], 2, '"absent" is not an image: it has no registry'),
                (['build', hello, '--base', 'scratch', '-t', 'foo'], 2, '"foo" is not an image: it has no registry'),
                (['mirror', 'dir:disk', '-p', 'p', '--to', 'registry.example'], 2, 'all that is in dir:DIR or archive:PREFIX is copied, and nothing else')):
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, status)
                self.assertIn(words, result.err)

    def test_the_name_it_is_called_by_decides(self):
        (self.dir / 'opm').symlink_to(BINARY)
        (self.dir / 'something').symlink_to(BINARY)
        self.assert_status(self.run_binary(str(self.dir / 'opm'), 'nonsense'), 1)
        self.assert_status(self.run_binary(str(self.dir / 'something'), 'nonsense'), 2)

    def test_global_options_may_precede_or_follow_the_command(self):
        for arguments in (['-q', 'validate', CATALOGS / 'hello'], ['validate', '-q', CATALOGS / 'hello']):
            result = self.opcat(*arguments)
            self.assert_status(result, 0)
            self.assertEqual((result.out, result.err), ('', ''))


if __name__ == '__main__':
    unittest.main()
