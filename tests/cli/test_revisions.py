"""Covers lib/workspace/open_revision.cpp: what a commit has is read without a checkout."""
import os
import shutil
import subprocess
import unittest

from opcat_case import CATALOGS, OpcatCase

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
                                 ('git:main:../..', 'outside')):
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
