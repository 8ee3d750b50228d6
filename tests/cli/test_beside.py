"""What lies beside a catalog, and what is in it, does nothing to the machine and does not look like something else on a screen."""
import json
import os
import re
import shutil
import subprocess
import unittest

from opcat_case import TESTDATA, OpcatCase

PACKAGE = '''schema: olm.package
name: NAME
defaultChannel: stable
---
schema: olm.channel
package: NAME
name: stable
entries: [{name: NAME.v1.0.0}]
---
schema: olm.bundle
package: NAME
name: NAME.v1.0.0
image: r.example/NAME:1
more: 1
properties:
- type: olm.package
  value: {packageName: NAME, version: 1.0.0}
'''.replace('NAME', 'p')


@unittest.skipUnless(shutil.which('git'), 'git is not installed')
class HostileRepositories(OpcatCase):
    """--changed-since runs no program that a repository names."""

    def setUp(self):
        super().setUp()
        (self.dir / 'ran').mkdir()
        self.write('r/c/a.yaml', PACKAGE)
        self.write('r/c/b.yaml', PACKAGE.replace(' p', ' q').replace('{name: p', '{name: q'))
        self.write('r/c/.gitattributes', '*.yaml filter=evil diff=evil merge=evil\n')
        self.write('r/c/.indexignore', '.gitattributes\n')
        self.git('init', '-q', '-b', 'main')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'one')

    def git(self, *arguments, where='r', **options):
        identity = {'GIT_AUTHOR_NAME': 'a', 'GIT_AUTHOR_EMAIL': 'a@b', 'GIT_COMMITTER_NAME': 'a', 'GIT_COMMITTER_EMAIL': 'a@b'}
        return subprocess.run(['git', '-C', self.dir / where, *arguments], check=True, capture_output=True, text=True,
                              env={**os.environ, **identity, 'GIT_CONFIG_GLOBAL': '/dev/null', 'GIT_CONFIG_NOSYSTEM': '1'}, **options).stdout

    def trap(self, name):
        path = self.write(f'traps/{name}', f'#!/bin/sh\ntouch {self.dir}/ran/{name}\ncat\nexit 0\n')
        path.chmod(0o755)
        return path

    def arm(self, where='r', git='r/.git'):
        settings = {'filter.evil.clean': 'clean', 'filter.evil.smudge': 'smudge', 'filter.evil.process': 'process', 'diff.evil.command': 'command',
                    'diff.evil.textconv': 'textconv', 'diff.external': 'external', 'core.fsmonitor': 'fsmonitor', 'core.sshCommand': 'ssh',
                    'core.pager': 'pager', 'pager.ls-tree': 'pager2', 'pager.cat-file': 'pager3', 'core.editor': 'editor', 'gpg.program': 'gpg',
                    'credential.helper': 'helper', 'core.askPass': 'askpass', 'core.alternateRefsCommand': 'alternates', 'merge.evil.driver': 'driver',
                    'core.gitProxy': 'proxy', 'uploadpack.packObjectsHook': 'packobjects', 'remote.origin.uploadpack': 'uploadpack'}
        for key, name in settings.items():
            self.git('config', key, str(self.trap(name)), where=where)
        for name in 'ls-tree', 'cat-file', 'rev-parse', 'merge-base', 'diff':
            self.git('config', f'alias.{name}', f'!{self.trap("alias-" + name)}', where=where)
        self.git('config', 'core.hooksPath', str(self.dir / 'hooks'), where=where)
        for hook in 'post-index-change', 'post-checkout', 'reference-transaction', 'fsmonitor-watchman', 'pre-commit':
            for place in self.dir / 'hooks', self.dir / git / 'hooks':
                place.mkdir(exist_ok=True, parents=True)
                shutil.copy(self.trap(f'hook-{hook}'), place / hook)
        self.write('included', f'[filter "more"]\n\tclean = {self.trap("included")}\n\trequired = true\n')
        self.git('config', 'include.path', str(self.dir / 'included'), where=where)
        info = self.dir / git / 'info'
        info.mkdir(exist_ok=True)
        (info / 'attributes').write_text('* filter=evil diff=evil\nb.yaml filter=more\n')

    def ran(self):
        return sorted(os.listdir(self.dir / 'ran'))

    def changed(self, catalog='r/c', revision='HEAD', status=0):
        result = self.opcat('validate', '--format', 'concise', '--changed-since', revision, catalog)
        self.assert_status(result, status)
        self.assertEqual(self.ran(), [])
        return sorted({line.split(':')[0] for line in result.out.splitlines()})

    def touch_all(self):
        """As after a check-out: git must look into the files, whose times are not those of its index."""
        for path in (self.dir / 'r/c').glob('*.yaml'):
            path.write_bytes(path.read_bytes())
            os.utime(path, (1, 1))

    def test_no_setting_of_the_repository_runs_a_program(self):
        self.arm()
        self.touch_all()
        self.assertEqual(self.changed(), [])
        self.write('r/c/a.yaml', PACKAGE + '# changed\n')
        self.assertEqual(self.changed(), ['r/c/a.yaml'])
        self.write('r/c/a.yaml', PACKAGE.replace('\n', '\r\n'))
        self.assertEqual(self.changed(), [])
        (self.dir / 'r/c/a.yaml').unlink()
        self.write('r/c/new.yaml', PACKAGE)
        self.assertEqual(self.changed(), ['r/c/new.yaml'])
        # The trap works: git itself falls into it.
        subprocess.run(['git', '-C', self.dir / 'r', 'diff', '--name-only', 'HEAD'], capture_output=True)
        self.assertNotEqual(self.ran(), [])

    def test_an_object_that_is_absent_is_not_asked_for(self):
        old = self.git('rev-parse', 'HEAD:c/a.yaml').strip()
        self.write('r/c/a.yaml', PACKAGE + '# changed\n')
        self.arm()
        (self.dir / f'r/.git/objects/{old[:2]}/{old[2:]}').unlink()
        for key, value in (('extensions.partialClone', 'origin'), ('remote.origin.promisor', 'true'), ('core.repositoryFormatVersion', '1')):
            self.git('config', key, value)
        for url in f'ext::{self.trap("ext")} %S', f'{self.dir}/r', 'ssh://x.invalid/y', f'file://{self.dir}/r':
            with self.subTest(url):
                self.git('config', 'remote.origin.url', url)
                result = self.opcat('validate', '--changed-since', 'HEAD', 'r/c')
                self.assert_status(result, 3)
                self.assertIn('the repository lacks a.yaml of the commit', result.err)
                self.assertEqual(self.ran(), [])

    def test_a_catalog_that_is_a_repository_itself_is_not_one(self):
        """A bare repository whose files look like those of a catalog."""
        self.write('plain/c/a.yaml', PACKAGE)
        self.git('clone', '-q', '--bare', str(self.dir / 'r'), str(self.dir / 'plain/c/bare'), where='.')
        self.arm('plain/c/bare', 'plain/c/bare')
        self.write('plain/c/bare/a.yaml', PACKAGE)
        for catalog in 'plain/c/bare', 'plain/c/bare/a.yaml':
            result = self.opcat('validate', '--changed-since', 'HEAD', catalog)
            self.assertNotEqual(result.status, 0)
            self.assertEqual(self.ran(), [])

    def test_a_file_that_leads_to_a_repository_and_a_repository_in_it(self):
        self.arm()
        shutil.move(self.dir / 'r/.git', self.dir / 'elsewhere')
        self.write('r/.git', 'gitdir: ../elsewhere\n')
        self.touch_all()
        self.assertEqual(self.changed(), [])
        self.git('config', 'core.worktree', '/')
        self.opcat('validate', '--changed-since', 'HEAD', 'r/c')
        self.assertEqual(self.ran(), [])
        self.git('config', '--unset', 'core.worktree')
        inner = self.dir / 'r/c/sub'
        inner.mkdir()
        self.git('init', '-q', where='r/c/sub')
        self.write('r/c/sub/x.yaml', 'schema: x\nmore: 1\n')
        self.git('add', '-A', where='r/c/sub')
        self.git('commit', '-q', '-m', 'sub', where='r/c/sub')
        self.arm('r/c/sub', 'r/c/sub/.git')
        self.opcat('validate', '--changed-since', 'HEAD', 'r/c')
        self.assertEqual(self.ran(), [])


HIDDEN = {
    'right-to-left override': '\u202e', 'isolate': '\u2066', 'end of isolate': '\u2069', 'right-to-left mark': '\u200f', 'Arabic letter mark': '\u061c',
    'zero-width space': '\u200b', 'zero-width joiner': '\u200d', 'word joiner': '\u2060', 'byte order mark': '\ufeff', 'soft hyphen': '\u00ad',
    'Hangul filler': '\u3164', 'tag': '\U000e0041', 'end of tags': '\U000e007f', 'variation selector': '\U000e0100', 'line separator': '\u2028',
    'paragraph separator': '\u2029', 'CSI in eight bits': '\u009b', 'next line': '\u0085', 'DEL': '\u007f', 'escape': '\u001b',
}
SEEN = {c: f'\\x{ord(c):02x}' if ord(c) < 0x80 else ''.join(f'\\x{b:02x}' for b in c.encode()) if ord(c) < 0xa0 else
        f'\\u{ord(c):04x}' if ord(c) < 0x10000 else f'\\U{ord(c):08x}' for c in HIDDEN.values()}


class Screens(OpcatCase):
    def text(self, c):
        """A catalog with the character in each kind of name, written as JSON, which takes all of them."""
        name = json.dumps(f'x{c}y')[1:-1]
        blobs = [{'schema': 'olm.package', 'name': 'p', 'defaultChannel': 'N', 'N': 1},
                 {'schema': 'olm.channel', 'package': 'p', 'name': 'N', 'entries': [{'name': 'p.v1', 'replaces': 'N', 'skipRange': 'N'}, {'name': 'N'}]},
                 {'schema': 'olm.bundle', 'package': 'p', 'name': 'p.v1', 'image': 'N',
                  'properties': [{'type': 'N', 'value': 1}, {'type': 'olm.package', 'value': {'packageName': 'N', 'version': 'N'}}]},
                 {'schema': 'olm.deprecations', 'package': 'p', 'entries': [{'reference': {'schema': 'olm.bundle', 'name': 'N'}, 'message': 'N'}]},
                 {'schema': 'N', 'package': 'N', 'name': 'N'}]
        return '\n'.join(json.dumps(blob) for blob in blobs).replace('N', name) + '\n'

    def raw(self, text, c):
        """Whether the character is there as it is, apart from what opcat draws with."""
        return c in text if c != '\x1b' else re.search('\x1b[^\\[\\]]', text) is not None

    def test_links_of_a_bundle_directory_do_not_lead_out_of_it(self):
        shutil.copytree(TESTDATA / 'bundles/widgets', self.dir / 'c/bundle')
        self.write('secret.yaml', 'kind: Config\ntoken: s3cret\n')
        self.write('c/t.yaml', 'schema: olm.template.basic\nentries:\n- {schema: olm.package, name: widgets, defaultChannel: stable}\n'
                   '- {schema: olm.channel, package: widgets, name: stable, entries: [{name: widgets.v1.0.0}]}\n- {schema: olm.bundle, image: c/bundle}\n')
        for place in 'manifests/config.yaml', 'metadata/more.yaml':
            (self.dir / 'c/bundle' / place).symlink_to(self.dir / 'secret.yaml')
            for command in (['render', 'c/bundle'], ['template', 'render', 'c/t.yaml', '--bundle-dir', 'c'], ['bundle', 'manifests', 'c/bundle', '-n', 'x'],
                            ['bundle', 'validate', 'c/bundle'], ['build', 'bundle', 'c/bundle', '-t', 'oci:layout:v1']):
                with self.subTest((place, command)):
                    result = self.opcat(*command)
                    self.assertNotEqual(result.status, 0, result)
                    self.assertIn('leads out of the bundle', result.err)
                    self.assertNotIn('s3cret', result.out + result.err)
            (self.dir / 'c/bundle' / place).unlink()
        (self.dir / 'c/bundle/manifests/again.yaml').symlink_to('../metadata/annotations.yaml')
        self.assertEqual(self.opcat('render', 'c/bundle').status, 0)

    def test_no_report_for_people_has_hidden_characters(self):
        for what, c in HIDDEN.items():
            self.write('c/a.json', self.text(c))
            self.write(f'd/b{c}.json', self.text(c))
            summary = self.dir / 'summary.md'
            summary.unlink(missing_ok=True)
            for form in 'text', 'concise', 'github', 'gitlab', 'junit', 'sarif', 'json':
                for catalog in 'c', 'd':
                    with self.subTest(what, form=form, catalog=catalog):
                        result = self.opcat('validate', '--all', '--format', form, '--severity', 'note', catalog,
                                            env={'GITHUB_STEP_SUMMARY': str(summary)})
                        self.assertEqual(result.status, 1)
                        if form != 'json' or ord(c) < 0xa0:
                            self.assertFalse(self.raw(result.out + result.err, c), result)
                        if form in ('gitlab', 'sarif', 'json'):
                            json.loads(result.out)
                        if form in ('text', 'concise', 'junit'):
                            self.assertIn(SEEN[c], result.out)
            self.assertFalse(self.raw(summary.read_text(), c))
            self.assertIn(SEEN[c], summary.read_text())
            for command in (('list', 'packages', 'd'), ('list', 'channels', 'd'), ('list', 'bundles', 'd'), ('search', 'x', 'd'), ('graph', '-o', 'text', 'd'), ('graph', '-o', 'mermaid', 'd'),
                            ('graph', '-o', 'dot', 'd'), ('graph', '-o', 'svg', 'd'), ('graph', '-o', 'html', 'd'), ('diff', 'c', 'd'),
                            ('diff', 'd', 'absent'), ('diff', '-o', 'markdown', 'c', 'd'), ('validate', '--summary', 'd'), ('fmt', '--check', 'd'),
                            ('fmt', '--diff', f'd/b{c}.json'), ('validate', f'absent{c}'), ('render', f'absent{c}'), ('graph', '--from', f'x{c}', 'c')):
                with self.subTest(what, command=command):
                    result = self.opcat(*command)
                    shown = result.err if command[:2] == ('fmt', '--diff') else result.out + result.err
                    self.assertFalse(self.raw(shown, c), result)
            with self.subTest(what, command='fmt --diff on a terminal'):
                self.assertFalse(self.raw(self.on_terminal('fmt', '--diff', 'd')[1], c))
            shutil.rmtree(self.dir / 'd')

    def test_letters_and_pictures_of_all_languages_stay(self):
        name = 'grün-операtor-操作-⚙️é'
        self.write('c/a.json', self.text('Z').replace('xZy', name))
        self.assertIn(name, self.opcat('validate', 'c').out)

    def test_markdown_of_a_catalog_is_not_live(self):
        live = ['@octocat', '#1', 'https://evil.example/x', 'www.evil.example', 'org/repo#12', 'GH-12', 'a@b.example', '[x](https://evil.example)',
                '![x](https://evil.example/i.png)', '<img src=x>', '`', '``x`', '|a|b', '\\', '*x*', '<!-- x', '&lt;', '$x$', ' x ', 'ab`@octocat`c']
        summary = self.dir / 'summary.md'
        for text in live:
            with self.subTest(text):
                summary.unlink(missing_ok=True)
                self.write('old/a.json', self.text('Z'))
                self.write('c/a.json', self.text('Z').replace('xZy', json.dumps(f'{text} y')[1:-1]))
                self.opcat('validate', '--format', 'github', 'c', env={'GITHUB_STEP_SUMMARY': str(summary)})
                for table in summary.read_text(), self.opcat('diff', '-o', 'markdown', 'old', 'c').out:
                    self.assertIn(text.strip().split('|')[0], table.replace('\\|', '|'))
                    drawings = ''.join(re.findall(r'(?ms)^```mermaid$.*?^```$', table))
                    self.assertEqual(re.sub(r'[\w\s"#;:,.=>|()\[\]+-]', '', re.sub(r'\["[^"]*"\]', '', drawings).replace('```', '')), '', drawings)
                    self.assertTrue(all(re.fullmatch(r'[\w.+-]*…?[\w.+-]*', name) for name in re.findall(r'\["([^"]*)"\]', drawings)), drawings)
                    plain = re.sub(r'(?ms)^```mermaid$.*?^```$', '', table)
                    plain = re.sub(r'(?m)^<details>.*$', lambda line: re.sub(r'<code>[^<]*</code>', '', line[0]), self.without_code(plain))
                    self.assertEqual(plain.count(text), 0, table)
                    rows = [line for line in table.splitlines() if line.startswith('|')]
                    columns = {len(re.findall(r'(?<!\\)\|', row)) for row in rows}
                    self.assertLessEqual(len(columns), 1, rows)

    def without_code(self, markdown):
        """What is left of each line when its code spans are removed, as CommonMark finds them."""
        lines = []
        for line in markdown.splitlines():
            rest, kept = line, ''
            while opening := re.search(r'`+', rest):
                kept += rest[:opening.start()]
                closing = re.compile(rf'(?<!`){opening[0]}(?!`)').search(rest, opening.end())
                self.assertIsNotNone(closing, line)
                rest = rest[closing.end():]
            lines.append(kept + rest)
        return '\n'.join(lines)


class OwnSchemas(OpcatCase):
    def test_a_schema_that_cannot_be_checked_to_its_end_is_an_error(self):
        self.write('c/a.json', '{"schema": "x", "a": ' + '{"a": ' * 1500 + '1' + '}' * 1500 + '}\n')
        self.write('x.cue', 'package x\n#X: {\n\tschema: "x"\n\ta?: #T\n\t...\n}\n#T: int | {\n\ta?: #T\n\t...\n}\n')
        self.assert_status(self.opcat('validate', 'c'), 0)
        result = self.opcat('validate', '--schema', 'x.cue', 'c')
        self.assert_status(result, 1)
        self.assertIn('error: x is too deep or too large to check by #X [schema]', result.out)


if __name__ == '__main__':
    unittest.main()
