"""Covers lib/workspace/open_revision.cpp, versions.cpp and history.cpp: what a commit has is read without a checkout."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from opcat_case import CATALOGS, TESTDATA, OpcatCase

PACKAGE = 'schema: olm.package\nname: {}\ndefaultChannel: stable\n'


@unittest.skipUnless(shutil.which('git'), 'git is not installed')
class RevisionCase(OpcatCase):
    def setUp(self):
        super().setUp()
        self.git('init', '-q', '-b', 'main')

    def git(self, *arguments, **options):
        identity = {f'GIT_{who}_{what}': 'a@example.com' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}
        return subprocess.run(['git', '-C', self.dir, *arguments], check=True, capture_output=True, text=True,
                              env={**os.environ, **identity, 'GIT_CONFIG_GLOBAL': '/dev/null'}, **options).stdout.strip()

    def commit(self):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'x')

    def test_a_commit_has_what_its_checkout_had(self):
        shutil.copytree(CATALOGS / 'hello', self.dir / 'c/hello')
        self.write('c/.indexignore', 'left-out.yaml\n')
        self.write('c/left-out.yaml', 'schema: [')
        (self.dir / 'c/link.yaml').symlink_to('../secret.yaml')
        self.commit()
        before = self.opcat('render', 'c/hello').out
        shutil.rmtree(self.dir / 'c')
        self.assertEqual(self.opcat('render', 'git:main:c/hello').out, before)
        self.assertEqual(self.opcat('diff', 'git:main:c/hello', 'git:HEAD:./c/hello').status, 0)
        # A link of the commit leads to nothing of this machine.
        self.write('secret.yaml', PACKAGE.format('secret'))
        result = self.opcat('render', 'git:main:c')
        self.assertEqual(result.status, 3, result)
        self.assertIn('git:main:c/link.yaml', result.err)
        self.assertNotIn('name: secret', result.out + result.err)

    def test_findings_name_the_commit(self):
        self.write('c/catalog.yaml', PACKAGE.format('foo'))
        self.commit()
        for reference, place in (('git:main:c', 'git:main:c/catalog.yaml:3:17'), ('git:main:c/catalog.yaml', 'git:main:c/catalog.yaml:3:17')):
            result = self.opcat('validate', reference)
            self.assertEqual(result.status, 1, result)
            self.assertIn(place, result.out + result.err)
        self.assertEqual(self.opcat('validate', '--fix', 'git:main:c').status, 2)

    def test_what_a_commit_does_not_have_is_an_error(self):
        self.write('c/catalog.yaml', PACKAGE.format('foo'))
        self.commit()
        for reference, words in (('git:main:absent', '"main" has nothing at absent'), ('git:absent:c', 'git does not have commit "absent"'),
                                 ('git:main', 'names no catalog of a commit'), ('git:--help:c', 'git does not have commit'),
                                 ('git:main:../..', 'not a git repository')):
            result = self.opcat('render', reference)
            self.assertNotEqual(result.status, 0, result)
            self.assertIn(words, result.err)
        shutil.rmtree(self.dir / '.git')
        self.assertIn('needs a working directory in a git repository', self.opcat('render', 'git:main:c').err)

    def test_a_tree_that_nobody_made_with_git_stays_in_its_place(self):
        self.write('outside', 'x')
        content = self.git('hash-object', '-w', '--stdin', input=PACKAGE.format('foo'))
        to = self.git('hash-object', '-w', '--stdin', input=str(self.dir / 'target'))
        (self.dir / 'target').mkdir()
        below = self.git('mktree', '--missing', input=f'100644 blob {content}\tcatalog.yaml\n')
        # A directory and a link of one name: what is written into the one must not go through the other.
        entries = b''.join(mode + b' c\0' + bytes.fromhex(name) for mode, name in ((b'120000', to), (b'40000', below)))
        tree = subprocess.run(['git', '-C', self.dir, 'hash-object', '-w', '-t', 'tree', '--stdin', '--literally'],
                              input=entries, check=True, capture_output=True).stdout.decode().strip()
        commit = self.git('commit-tree', tree, '-m', 'x')
        self.opcat('render', f'git:{commit}:c')
        self.assertEqual(list((self.dir / 'target').iterdir()), [])

    def releases(self, *versions, name='foo'):
        entries = ''.join(f'- name: {name}.v{v}\n' + (f'  replaces: {name}.v{versions[i - 1]}\n' if i else '') for i, v in enumerate(versions))
        return PACKAGE.format(name) + f'---\nschema: olm.channel\npackage: {name}\nname: stable\nentries:\n{entries}' + ''.join(
            f'---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{v}\nimage: i.example/{name}:{v}\n'
            f'properties: [{{type: olm.package, value: {{packageName: {name}, version: {v}}}}}]\n' for v in versions)

    def test_revisions_are_written_as_in_git(self):
        self.write('c/foo/catalog.yaml', self.releases('1.0.0'))
        self.write('c/bar.yaml', self.releases('1.0.0', name='bar'))
        self.commit()
        self.write('c/foo/catalog.yaml', self.releases('1.0.0', '1.1.0'))
        self.commit()
        for words in (['main~1:c', 'c'], ['HEAD~1:c', 'main:c'], ['HEAD~1', 'HEAD', '--', 'c'], ['git:HEAD~1:c', 'c/'], ['HEAD~1:', '.'],
                      ['HEAD~1:c/foo/catalog.yaml', 'c/foo/catalog.yaml']):
            result = self.opcat('diff', *words)
            self.assertEqual(result.status, 0, (words, result))
            self.assertIn('+ bundle foo.v1.1.0', result.out)
            self.assertNotIn('bar', result.out)
        self.assertEqual(self.opcat('diff', 'HEAD:c', 'c').out.splitlines()[0], 'no changes')
        # A path that exists wins; what may be an image, too, has to be spelled out.
        shutil.copytree(self.dir / 'c', self.dir / 'main:c')
        self.assertEqual(self.opcat('diff', 'main:c', 'git:main:c').out.splitlines()[0], 'no changes')
        self.git('branch', 'release-4.18')
        self.git('branch', 'rel.x/y')
        result = self.opcat('diff', 'rel.x/y:c', 'c')
        self.assertEqual(result.status, 2, result)
        self.assertIn('write git:rel.x/y:c or docker://rel.x/y:c', result.err)
        self.assertEqual(self.opcat('diff', 'release-4.18:c', 'c').status, 0)
        for words, why in ((['HEAD~1:c'], 'NEW is required'), (['HEAD~1', 'c'], 'write HEAD~1:PATH'), (['HEAD', 'absent', '--', 'c'], 'does not have commit "absent"'),
                           (['HEAD~1', 'HEAD', '--', 'absent'], 'has nothing at absent'), (['absent:c', 'c'], 'absent:c')):
            result = self.opcat('diff', *words)
            self.assertNotEqual(result.status, 0, result)
            self.assertIn(why, result.err)

    def test_a_package_in_several_files_is_compared_as_a_whole(self):
        package, channel, *bundles = self.releases('1.0.0', '1.1.0').split('---\n')
        self.write('c/foo/package.yaml', package)
        self.write('c/foo/channel.yaml', channel)
        for i, bundle in enumerate(bundles):
            self.write(f'c/foo/{i}.yaml', bundle)
        self.write('c/bar/catalog.yaml', self.releases('1.0.0', name='bar'))
        self.commit()
        self.write('c/foo/channel.yaml', channel.replace('  replaces: foo.v1.0.0\n', '  skips: [foo.v0.9.0]\n'))
        self.write('elsewhere.yaml', bundles[0])
        result = self.opcat('diff', 'main:c', 'c')
        self.assertIn('foo.v1.1.0: replaces was foo.v1.0.0 and is gone', result.out)
        self.assertNotIn('bundle', result.out.split('regressions')[0])
        # With a part elsewhere, too.
        self.git('mv', 'c/foo/0.yaml', 'c/bar/0.yaml')
        self.commit()
        self.write('c/foo/channel.yaml', channel)
        self.assertNotIn('bundle', self.opcat('diff', 'main:c', 'c').out.split('regressions')[0])
        # What a changed .indexignore leaves out is gone.
        self.commit()
        self.write('c/.indexignore', 'bar/catalog.yaml\n')
        self.assertIn('- bar (removed)', self.opcat('diff', 'main:c', 'c').out)

    def test_a_file_that_did_not_change_decides_what_a_change_means(self):
        chain = self.releases('1.0.0', '1.1.0', '1.2.0')
        old = chain.replace('replaces: foo.v1.1.0', 'replaces: foo.v1.1.0\n  skipRange: ">=1.0.0 <1.2.0"')
        self.assertNotEqual(old, chain)
        self.write('c/foo.yaml', old)
        self.write('c/deprecations.yaml', 'schema: olm.deprecations\npackage: foo\nentries:\n'
                   '- {reference: {schema: olm.bundle, name: foo.v1.1.0}, message: Bad.}\n')
        self.commit()
        self.write('c/foo.yaml', chain)
        for committed in False, True:
            if committed:
                self.commit()
            base = 'main~1' if committed else 'main'
            for arguments in ([f'{base}:c', 'c'], ['--changed-since', base], [base, 'main', '--', 'c'] if committed else [f'{base}:c', 'c']):
                with self.subTest(arguments):
                    result = self.opcat('diff', '--fail-on', 'stranded', *arguments)
                    self.assertEqual(result.status, 1, result)
                    self.assertIn('keeps it where it is now: foo.v1.1.0 is deprecated', result.out)

    def test_submodules_are_named_and_not_compared(self):
        inner = self.dir / 'inner'
        self.write('inner/c/foo.yaml', self.releases('1.0.0'))
        for command in ['init', '-q', '-b', 'main'], ['add', '-A'], ['-c', 'user.name=a', '-c', 'user.email=a@example', 'commit', '-qm', 'x']:
            subprocess.run(['git', '-C', inner, *command], check=True)
        self.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', './inner', 'sub')
        self.write('.gitignore', 'inner\n')
        self.write('d/foo.yaml', self.releases('1.0.0'))
        self.commit()
        self.write('sub/c/foo.yaml', self.releases('1.0.0', '1.1.0'))
        result = self.opcat('diff', '--changed-since', 'main')
        self.assertEqual((result.status, result.out), (0, 'no changes\n'))
        self.assertRegex(result.err, 'warning: repositories in this one are not compared: sub ')

    def test_a_commit_with_submodules_is_not_read_as_if_they_were_empty(self):
        other = pathlib.Path(tempfile.mkdtemp(dir=self.dir)) / 'other'
        subprocess.run(['git', 'init', '-q', other], check=True)
        (other / 'foo.yaml').write_text(PACKAGE.format('foo'))
        for words in (('add', '-A'), ('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'x')):
            subprocess.run(['git', '-C', other, *words], check=True)
        self.write('c/bar.yaml', PACKAGE.format('bar'))
        self.write('d/bar.yaml', PACKAGE.format('bar'))
        self.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other, 'c/foo')
        self.git('add', '.gitmodules', 'c', 'd')
        self.git('commit', '-q', '-m', 'x')
        for command in (('validate', 'git:HEAD:c'), ('list', 'packages', 'git:HEAD:c'), ('diff', 'HEAD:c', 'c')):
            result = self.opcat(*command)
            self.assert_status(result, 3)
            self.assertIn('c/foo is another repository (a submodule), whose files this one does not have', result.err)
        self.assert_status(self.opcat('list', 'packages', 'git:HEAD:d'), 0)

    def test_changed_catalogs_are_found(self):
        for name in 'same', 'changed', 'gone':
            self.write(f'catalogs/{name}/catalog.yaml', self.releases('1.0.0', name=name))
        self.write('README', 'x')
        self.commit()
        base = self.git('rev-parse', 'HEAD')
        self.write('catalogs/changed/catalog.yaml', self.releases('1.0.0', '1.1.0', name='changed'))
        self.write('catalogs/added/catalog.yaml', self.releases('1.0.0', name='added'))
        self.write('README', 'y')
        shutil.rmtree(self.dir / 'catalogs/gone')
        result = self.opcat('diff', '--changed-since', base)
        self.assertEqual(result.status, 0, result)
        for words in '+ bundle changed.v1.1.0', '+ added (added)', '- gone (removed)':
            self.assertIn(words, result.out)
        self.assertNotIn('same', result.out)
        self.assertEqual(self.opcat('diff', '--changed-since', base, 'catalogs').status, 2)

    def test_files_that_git_ignores_are_part_of_a_changed_catalog(self):
        self.write('catalogs/foo/catalog.yaml', self.releases('1.0.0'))
        self.write('.gitignore', '*.gen.yaml\nbuild/\n')
        self.write('build/x.yaml', 'no catalog')
        self.commit()
        self.assertEqual(self.opcat('diff', '--changed-since', 'HEAD').out, 'no changes\n')
        for name in 'x.gen.yaml', 'build/y.yaml':
            self.write('catalogs/foo/' + name, 'schema: olm.channel\npackage: foo\nname: stable\nentries: [{name: foo.v1.0.0}]\n')
            result = self.opcat('diff', '--changed-since', 'HEAD', '--fail-on', 'any')
            self.assertEqual(result.status, 1, result)
            self.assertIn('opm refuses the whole catalog', result.out)
            shutil.rmtree(self.dir / 'catalogs/foo/build', ignore_errors=True)
            (self.dir / 'catalogs/foo/x.gen.yaml').unlink(missing_ok=True)

    def history(self):
        """Commits of package foo, between others: their subjects, the newest first."""
        chain = self.releases('1.0.0', '1.1.0', '1.2.0')
        for subject, name, text in (('first', 'foo', self.releases('1.0.0')), ('other', 'bar', self.releases('1.0.0', name='bar')),
                                    ('second', 'foo', self.releases('1.0.0', '1.1.0')), ('third', 'foo', chain),
                                    ('stranding', 'foo', chain.replace('  replaces: foo.v1.0.0\n', '').replace('- name: foo.v1.0.0\n', '- name: foo.v1.0.0\n  skips: [foo.v1.0.0]\n')),
                                    ('other again', 'bar', self.releases('1.0.0', '1.1.0', name='bar'))):
            self.write(f'c/{name}/catalog.yaml', text)
            self.git('add', '-A')
            self.git('commit', '-q', '-m', subject)
        return ['stranding', 'third', 'second', 'first']

    def test_the_history_of_a_package(self):
        subjects = self.history()
        self.write('c/foo/catalog.yaml', 'not committed: [')
        for reference in 'c', 'main:c', 'git:HEAD:c':
            log = self.opcat('log', reference, '-p', 'foo', '-o', 'json').json()
            self.assertEqual([commit['subject'] for commit in log['commits']], subjects)
            self.assertTrue(log['complete'])
        self.assertEqual([[one['kind'] for one in commit['regressions']] for commit in log['commits']], [['stranded'], [], [], []])
        self.assertEqual(log['commits'][0]['regressions'][0]['installed'], ['foo.v1.0.0'])
        self.assertEqual(log['commits'][0]['commit'], self.git('rev-parse', 'HEAD~1'))
        text = self.opcat('log', 'c', '-p', 'foo').out
        self.assertRegex(text, r'(?m)^[0-9a-f]{12} \d{4}-\d\d-\d\d a@example.com: third\n  ~ foo\n')
        self.assertIn('+ bundle foo.v1.2.0', text)
        # Of the last three commits, the oldest cannot be compared.
        result = self.opcat('log', 'c', '-p', 'foo', '-n', '3')
        self.assertIn('stranding', result.out)
        self.assertIn('third', result.out)
        self.assertNotIn('second', result.out)
        self.assertIn('older commits are not shown: -n 3 is reached', result.out)
        for words, why in ((['c', '-p', 'foos'], 'no commit has package "foos"'), (['absent', '-p', 'foo'], 'has nothing at'), (['c'], '--package')):
            result = self.opcat('log', *words)
            self.assertNotEqual(result.status, 0, result)
            self.assertIn(why, result.err)

    def test_bundle_directories_of_commits_are_compared_as_bundles(self):
        shutil.copytree(TESTDATA / 'bundles/widgets', self.dir / 'b')
        csv = self.dir / 'b/manifests/widgets.clusterserviceversion.yaml'
        for version in '1.2.0', '1.2.1':
            csv.write_text(csv.read_text().replace('1.2.0', version))
            self.git('add', '-A')
            self.git('commit', '-q', '-m', version)
        out = self.opcat('diff', 'git:HEAD~1:b', 'git:HEAD:b').out
        self.assertIn('- bundle widgets.v1.2.0', out)
        self.assertIn('+ bundle widgets.v1.2.1', out)

    def test_the_history_knows_which_files_counted(self):
        for name, text in (('c/foo/catalog.yaml', self.releases('1.0.0')), ('c/foo/next/catalog.yaml', self.releases('1.0.0', name='foo-next')),
                           ('c/.indexignore', '*next*\n')):
            self.write(name, text)
            self.git('add', '-A')
            self.git('commit', '-q', '-m', name)
        log = self.opcat('log', 'c', '-p', 'foo-next', '-o', 'json').json()
        self.assertEqual([commit['subject'] for commit in log['commits']], ['c/.indexignore', 'c/foo/next/catalog.yaml'])
        (self.dir / 'c/foo/catalog.yaml').chmod(0o755)
        self.git('commit', '-q', '-a', '-m', 'mode')
        self.assertEqual([commit['subject'] for commit in self.opcat('log', 'c', '-p', 'foo', '-o', 'json').json()['commits']], ['c/foo/catalog.yaml'])

    def test_a_renamed_directory_is_not_where_a_bundle_comes_from(self):
        self.history()
        self.git('mv', 'c', 'd')
        self.commit()
        text = self.opcat('log', 'd', '-p', 'foo').out
        renamed = self.git('rev-parse', 'HEAD')[:12]
        self.assertIn(f'commit {renamed} renamed c/foo/catalog.yaml: opcat log {renamed}^:c/foo -p foo shows what was before', text)
        self.assertNotIn('foo (added)', text)
        self.assertIn('foo (added)', self.opcat('log', f'{renamed}^:c/foo', '-p', 'foo').out)
        self.assertIn('(or an earlier commit)', self.opcat('blame', 'd', 'foo.v1.1.0').out)

    def test_a_clone_that_was_cut_off_says_so(self):
        self.history()
        self.git('clone', '-q', '--depth', '3', f'file://{self.dir}', 'cut')
        log = self.opcat('log', 'cut/c', '-p', 'foo', '-o', 'json').json()
        self.assertEqual(([commit['subject'] for commit in log['commits']], log['complete']), (['stranding'], False))
        self.assertIn('older commits are not in this clone: git fetch --unshallow', self.opcat('log', 'cut/c', '-p', 'foo').out)
        self.assertIn('(or an earlier commit)', self.opcat('blame', 'cut/c', 'foo.v1.1.0').out)
        self.assertNotIn('(or an earlier commit)', self.opcat('blame', 'c', 'foo.v1.1.0').out)

    def test_a_path_of_another_repository_has_the_history_of_that(self):
        subjects = self.history()
        repository = self.dir
        (repository / 'link').symlink_to('c')
        with tempfile.TemporaryDirectory() as elsewhere:
            self.dir = pathlib.Path(elsewhere)
            for reference in repository / 'c', repository / 'c/foo/catalog.yaml', os.path.relpath(repository / 'c', elsewhere), repository / 'link':
                with self.subTest(reference):
                    log = self.opcat('log', reference, '-p', 'foo', '-o', 'json')
                    self.assertEqual(log.status, 0, log)
                    self.assertEqual([commit['subject'] for commit in log.json()['commits']], subjects)
                    self.assertEqual(self.opcat('blame', reference, 'foo.v1.2.0').status, 0)
            self.assertIn('+ bundle foo.v1.1.0', self.opcat('diff', f'git:HEAD~4:{repository}/c', f'git:HEAD:{repository}/c').out)
            result = self.opcat('log', '.', '-p', 'foo')
            self.assertEqual(result.status, 3, result)
            self.assertIn('name a path in a git repository', result.err)
        self.dir = repository

    def test_a_commit_whose_catalog_cannot_be_read_is_named(self):
        self.history()
        self.write('c/foo/catalog.yaml', self.releases('1.0.0') + '---\nschema: [')
        self.commit()
        self.assertIn('x\n  the catalog of this commit has errors', self.opcat('log', 'c', '-p', 'foo').out)

    def test_what_changed_across_a_commit_with_errors_is_shown(self):
        self.history()
        broken = self.releases('1.0.0') + '---\nschema: ['
        self.write('c/foo/catalog.yaml', broken)
        self.commit()
        self.write('c/foo/catalog.yaml', broken[:broken.index('---\nschema: [')])
        self.commit()
        commits = self.opcat('log', 'c', '-p', 'foo', '-o', 'json').json()['commits']
        self.assertEqual([one.get('unreadable', False) for one in commits[:3]], [False, True, False])
        self.assertEqual(commits[0]['comparedWith'], commits[2]['commit'])
        self.assertIn('foo.v1.2.0', self.opcat('log', 'c', '-p', 'foo').out.split('x\n')[1])

    def test_the_commit_that_brought_an_edge(self):
        self.history()
        blamed = self.opcat('blame', 'c', 'foo.v1.1.0', '-o', 'json').json()
        self.assertEqual({one['what']: one['subject'] for one in blamed['facts']},
                         {'bundle in package foo': 'second', 'foo/stable: entry': 'second', 'foo/stable: foo.v1.2.0 replaces it': 'third'})
        self.assertEqual({one['what']: one['subject'] for one in self.opcat('blame', 'main~2:c', 'foo.v1.1.0', '-o', 'json').json()['facts']},
                         {**{one['what']: one['subject'] for one in blamed['facts']}, 'foo/stable: replaces foo.v1.0.0': 'second'})
        self.assertIn('(or an earlier commit)', self.opcat('blame', 'c', 'foo.v1.1.0', '-n', '2').out)
        self.assertEqual(self.opcat('blame', 'c', 'foo.v9').status, 2)

    def test_a_subject_gives_no_orders_to_the_terminal(self):
        self.history()
        self.write('c/foo/catalog.yaml', self.releases('1.0.0', '1.1.0', '1.2.0', '1.3.0'))
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'a\u009b31m')
        for command in ('log', 'c', '-p', 'foo'), ('blame', 'c', 'foo.v1.3.0'):
            self.assertIn('\\u009b31m', self.opcat(*command, '-o', 'json').out)
            self.assertNotIn('\u009b', self.opcat(*command).out)

    def test_without_git_references_are_what_they_were(self):
        self.write('c/foo.yaml', self.releases('1.0.0'))
        (self.dir / 'bin').mkdir()
        result = self.opcat('diff', 'c', 'absent:c', env={'PATH': str(self.dir / 'bin')})
        self.assertEqual(result.status, 3, result)
        self.assertIn('cannot read absent:c: no such file', result.err)
        self.assertEqual(self.opcat('diff', 'c', 'c', env={'PATH': str(self.dir / 'bin')}).out, 'no changes\n')
