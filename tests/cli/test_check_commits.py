"""scripts/check-commits: which commits must say more."""
import os
import pathlib
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / 'scripts/check-commits'


class CheckCommits(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix='opcat-commits-')
        self.addCleanup(scratch.cleanup)
        self.dir = pathlib.Path(scratch.name)
        self.git('init', '-q')
        self.commit('Begin', 1)

    def git(self, *arguments):
        env = {**os.environ, **{f'GIT_{who}_{what}': 'x@example.com' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}}
        subprocess.run(['git', *arguments], cwd=self.dir, check=True, env=env)

    def commit(self, message, lines):
        (self.dir / 'file').write_text(''.join(f'{message} {number}\n' for number in range(lines)))
        self.git('add', '.')
        self.git('commit', '-q', '-m', message)

    def check(self, base='HEAD~1'):
        return subprocess.run([CHECK, base], cwd=self.dir, capture_output=True, text=True)

    def test_the_size_decides_what_a_message_needs(self):
        for message, lines, words in (
                ('Small', 20, None),
                ('No reason', 40, 'and the message does not say why'),
                ('Only a sign\n\nSigned-off-by: A <a@example.com>', 40, 'and the message does not say why'),
                ('A reason\n\nBecause it was slow.', 40, None),
                ('Too large\n\nBecause it was slow.', 900, 'split it, or add a line "Large: REASON"'),
                ('A large one\n\nBecause it was slow.\n\nLarge:', 900, 'split it'),
                ('Large\n\nBecause it was slow.\n\nLarge: one table', 900, None)):
            with self.subTest(message):
                self.git('reset', '-q', '--hard', self.first())
                self.commit(message, lines)
                done = self.check()
                self.assertEqual((done.returncode, done.stdout), (1 if words else 0, ''), done.stderr)
                self.assertIn(words or '', done.stderr)

    def first(self):
        return subprocess.run(['git', 'rev-list', '--max-parents=0', 'HEAD'], cwd=self.dir, capture_output=True, text=True).stdout.strip()

    def test_each_commit_after_the_base_is_looked_at(self):
        self.commit('One', 50)
        self.commit('Two', 60)
        self.assertEqual(self.check('HEAD~2').stderr.count('check-commits: '), 2)
        self.assertEqual(self.check('HEAD').returncode, 0)
        for wrong in '--help', 'nope', 'HEAD~9', 'HEAD~1..HEAD':
            self.assertEqual(self.check(wrong).returncode, 2)


if __name__ == '__main__':
    unittest.main()
