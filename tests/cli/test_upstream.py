"""scripts/upstream: what has changed in the files that the specification cites."""
import importlib.machinery
import importlib.util
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import plain_environment  # noqa: E402, F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader('upstream', str(ROOT / 'scripts/upstream'))
SPEC = importlib.util.spec_from_loader('upstream', LOADER)
assert SPEC
upstream = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(upstream)


@unittest.skipUnless(shutil.which('git'), 'git is not installed')
class Upstream(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-upstream-'))
        self.addCleanup(shutil.rmtree, self.dir)
        self.addCleanup(setattr, upstream, 'PAGES', upstream.PAGES)
        self.git('init', '--quiet')
        self.write({'a.go': 'one\n' * 9, 'b.go': 'two\n' * 9, 'd/c.go': 'three\n' * 9, 'other.go': 'four\n'})
        self.first = self.commit('The first')

    def git(self, *arguments):
        return subprocess.run(['git', '-C', self.dir, '-c', 'user.name=a', '-c', 'user.email=a@b.example', *arguments],
                              capture_output=True, text=True, check=True).stdout.strip()

    def write(self, files):
        for name, text in files.items():
            (self.dir / name).parent.mkdir(exist_ok=True)
            (self.dir / name).write_text(text)

    def commit(self, words):
        self.git('add', '--all')
        self.git('commit', '--quiet', '-m', words)
        return self.git('rev-parse', 'HEAD')

    def cite(self, text):
        page = self.dir / 'page.md'
        page.write_text(text)
        upstream.PAGES = [page]

    def run_it(self, *arguments):
        out = io.StringIO()
        with redirect_stdout(out):
            status = upstream.main([str(self.dir), *arguments])
        return status, out.getvalue()

    def test_only_changes_of_cited_files_are_listed(self):
        self.cite(f'# Page\n\n- `owner/name` since `{self.first[:12]}` (1.0.0): `a.go`, `b.go`,\n  `d/`\n')
        self.write({'other.go': 'changed\n'})
        self.commit('Not cited')
        self.assertEqual(self.run_it(), (0, '0 of 3 cited paths have changed\n'))
        self.write({'a.go': 'changed\n', 'd/new.go': 'new\n'})
        self.commit('Change the first')
        self.git('mv', 'b.go', 'moved.go')
        self.commit('Move the second')
        status, out = self.run_it()
        self.assertEqual(status, 1)
        for words in ('owner/name a.go, which docs/spec/page.md cites', '  M a.go\n', 'Change the first', '  R100 b.go moved.go\n', 'Move the second',
                      '  A d/new.go\n', '3 of 3 cited paths have changed'):
            self.assertIn(words, out)
        self.assertNotIn('other.go', out)
        self.assertEqual(self.run_it(self.first)[0], 0)

    def test_what_is_wrong_is_an_error_and_not_silence(self):
        for text, words in ((f'- `owner/name` since `{"0" * 12}`: `a.go`\n', 'has none of the commits'),
                            (f'- `owner/name` since `{self.first}`: `gone.go`\n', 'gone.go does not exist at'),
                            (f'- `owner/name` since `{self.first}`: all of it\n', 'cites no file of owner/name')):
            self.cite(text)
            with self.subTest(words), self.assertRaisesRegex(upstream.Wrong, words):
                upstream.main([str(self.dir)])
        for arguments in ([], ['--help'], [str(self.dir), 'no-such-revision'], [str(self.dir / 'missing')]):
            with self.subTest(arguments), self.assertRaises(upstream.Wrong):
                upstream.main(arguments)

    def test_the_specification_cites_commits_that_can_be_read(self):
        cited = list(upstream.citations(sorted((ROOT / 'docs/spec').glob('*.md'))))
        self.assertIn(('cluster.md', 'operator-framework/operator-controller'), [one[:2] for one in cited])
        for page in (ROOT / 'docs/spec').glob('*.md'):
            sources = page.read_text().partition('\n## Sources\n')[2]
            self.assertEqual(sources.count('\n- '), len([one for one in cited if one[0] == page.name]), page.name)


if __name__ == '__main__':
    unittest.main()
