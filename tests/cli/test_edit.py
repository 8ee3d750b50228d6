"""Covers tools/opcat/commands/edit*.cpp: files, refusals, reports; and lib/edit/release_config.cpp."""
import json
import os
import unittest

from opcat_case import TESTDATA, OpcatCase

CATALOG = '''---
# ours
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
  - name: foo.v1.0.0
  - name: foo.v1.1.0   # good
    replaces: foo.v1.0.0
'''
BUNDLE = '''---
schema: olm.bundle
package: foo
name: foo.v{0}
image: registry.example/foo:v{0}
properties:
- type: olm.package
  value: {{packageName: foo, version: "{0}"}}
'''
NEW = ['registry.example/foo:v1.2.0', '--name', 'foo.v1.2.0', '--version', '1.2.0', '-p', 'foo', '-c', 'stable']


CHANNEL = '''---
schema: olm.channel
package: foo
name: {}
entries:
{}
'''


def template(*versions):
    entries = ''.join(f'  - name: foo.v{v}\n' + (f'    replaces: foo.v{versions[i - 1]}\n' if i else '') for i, v in enumerate(versions))
    images = ''.join(f'- schema: olm.bundle\n  image: registry.example/foo:v{v}\n' for v in versions)
    return ('schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: foo\n  defaultChannel: stable\n'
            '- schema: olm.channel\n  package: foo\n  name: stable\n  entries:\n' + entries + images)


class EditCase(OpcatCase):
    def catalog(self, name='c.yaml'):
        return self.write(name, CATALOG + BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0'))

    def test_a_catalog_gets_the_whole_bundle_that_render_writes(self):
        self.write('w.yaml', self.opcat('init', 'widgets', '-c', 'fast', '-o', 'yaml').out)
        add = ('edit', 'add', TESTDATA / 'bundles/widgets', '-c', 'fast', '--in', 'w.yaml')
        self.assert_status(self.opcat(*add), 2)
        image = 'registry.example/widgets:v1'
        self.assert_status(self.opcat(*add, '--image', image), 0)
        rendered = self.opcat('render', TESTDATA / 'bundles/widgets', '--image-ref-template', image).blobs()
        self.assertEqual([b for b in self.opcat('render', 'w.yaml').blobs() if b['schema'] == 'olm.bundle'], rendered)
        self.assert_status(self.opcat('validate', 'w.yaml'), 0)

    def test_only_lines_that_the_edit_means_change(self):
        for text in template('1.0.0', '1.1.0'), template('1.0.0', '1.1.0').replace('\n', '\r\n'):
            path = self.dir / 't.yaml'
            path.write_bytes(text.encode())
            self.assert_status(self.opcat('edit', 'add', *NEW, '--in', 't.yaml'), 0)
            now = path.read_bytes().decode()
            added = [line for line in now.splitlines() if line not in text.splitlines()]
            self.assertEqual(added, ['  - name: foo.v1.2.0', '    replaces: foo.v1.1.0', '  image: registry.example/foo:v1.2.0'])
            self.assertEqual('\r\n' in text, '\r\n' in now)

    def test_what_leaves_users_behind_is_refused_and_nothing_is_written(self):
        path = self.catalog()
        before = path.read_text()
        result = self.opcat('edit', 'remove', '1.1.0', '--in', 'c.yaml')
        self.assertEqual(result.status, 1, result)
        self.assertIn('no upgrade path from foo.v1.1.0', result.err)
        self.assertIn('--force', result.err)
        self.assertEqual(path.read_text(), before)
        self.assert_status(self.opcat('edit', 'remove', '1.1.0', '--in', 'c.yaml', '--force'), 0)
        self.assertNotIn('foo.v1.1.0', path.read_text())

    def test_who_comes_by_a_range_to_what_is_removed_still_has_a_way(self):
        first = '  - name: foo.v1.0.0\n'
        for more, own, ranges in (('    skipRange: <1.0.0\n', '', '<1.0.0'), ('    skipRange: <1.0.0\n    replaces: foo.v0.9.0\n', '', '<1.0.0'),
                                  ('    skipRange: <1.0.0\n', '    skipRange: <1.1.0\n', '<1.1.0'),
                                  ('    skipRange: <0.5.0\n', '    skipRange: ">=0.7.0 <1.1.0"\n', '>=0.7.0 <1.1.0 || <0.5.0')):
            with self.subTest(more + own):
                text = CATALOG.replace(first, first + more).replace('replaces: foo.v1.0.0\n', 'replaces: foo.v1.0.0\n' + own)
                self.write('c.yaml', text + BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0'))
                self.assert_status(self.opcat('edit', 'remove', '1.0.0', '--in', 'c.yaml'), 0)
                entry, = [e for blob in self.opcat('render', 'c.yaml').blobs() if blob['schema'] == 'olm.channel' for e in blob['entries']]
                self.assertEqual(entry['skipRange'], ranges)
                self.assert_status(self.opcat('graph', 'c.yaml', '--from', '0.4.0'), 0)

    def test_bundles_are_chosen_by_their_versions_and_not_by_their_names(self):
        bundles = (('foo.v0.8.2', '0.8.2'), ('foo.v0.8.3-0.16.p', '0.8.3+0.16.p'), ('foo-c', '0.9.0'))
        entries = ''.join(f'- name: {name}\n' + (f'  replaces: {bundles[i - 1][0]}\n' if i else '') for i, (name, _) in enumerate(bundles))
        text = ('schema: olm.package\nname: foo\ndefaultChannel: stable\n' + CHANNEL.format('stable', entries) +
                ''.join(BUNDLE.format(version).replace(f'name: foo.v{version}', f'name: {name}').replace(f'foo:v{version}', f'foo:{name}') for name, version in bundles))
        for what, removed in (('<0.8.3', ['foo.v0.8.2']), ('<0.9.0', ['foo.v0.8.2', 'foo.v0.8.3-0.16.p']), ('0.8.3+0.16.p', ['foo.v0.8.3-0.16.p']),
                              ('0.8.2', ['foo.v0.8.2'])):
            path = self.write('n.yaml', text)
            self.assert_status(self.opcat('edit', 'remove', what, '--in', 'n.yaml'), 0)
            self.assertEqual([name for name, _ in bundles if f'name: {name}\nimage' not in path.read_text()], removed)
        path = self.write('n.yaml', text + CHANNEL.format('fast', '- name: foo.v0.8.2\n- name: foo-c\n  replaces: foo.v0.8.2'))
        self.assert_status(self.opcat('edit', 'deprecate', 'bundle', '0.8.3+0.16.p', '--message', 'No.', '--in', 'n.yaml', '-p', 'foo', '--force'), 0)
        self.assert_status(self.opcat('edit', 'promote', '0.8.3+0.16.p', '--to', 'fast', '--in', 'n.yaml', '--force'), 0)
        self.assertIn('- name: foo-c\n  replaces: foo.v0.8.3-0.16.p\n- name: foo.v0.8.3-0.16.p\n  replaces: foo.v0.8.2\n', path.read_text().split('name: fast')[1])
        twice = text.replace('version: "0.9.0"', 'version: "0.8.2"')
        self.write('n.yaml', twice)
        self.assertIn('several bundles of version 0.8.2', self.opcat('edit', 'remove', '0.8.2', '--in', 'n.yaml').err)

    def test_comments_go_with_what_they_are_about(self):
        entries = ('# the first\n- name: foo.v1.0.0\n# opcat: ignore[skip-range-impossible] about 1.1.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n'
                   "- name: foo.v1.2.0\n  replaces: foo.v1.1.0\n  skipRange: '>=1.3.0 <1.2.0'")
        path = self.write('c.yaml', 'schema: olm.package\nname: foo\ndefaultChannel: stable\n' + CHANNEL.format('stable', entries) +
                          BUNDLE.format('1.0.0') + '\n# about 1.1.0\n' + BUNDLE.format('1.1.0') + '# the end of 1.1.0\n' + BUNDLE.format('1.2.0') + '\n# END\n')
        self.assert_status(self.opcat('edit', 'remove', '1.1.0', '--in', 'c.yaml'), 0)
        text = path.read_text()
        self.assertNotIn('ignore[', text)
        self.assertIn('skip-range-impossible', self.opcat('validate', 'c.yaml').out + self.opcat('validate', 'c.yaml').err)
        self.assertIn('# the first\n', text)
        self.assertIn('\n# about 1.1.0\n---\n', text)
        self.assertNotIn('the end of 1.1.0', text)
        self.assertTrue(text.endswith('\n# END\n'), text)
        self.assert_status(self.opcat('edit', 'remove', '1.0.0', '--in', 'c.yaml', '--force'), 0)
        text = path.read_text()
        self.assertNotIn('# the first', text)
        self.assertIn('\n# about 1.1.0\n---\n', text)
        path = self.write('c.yaml', (BUNDLE.format('1.1.0') + '\n# 1.1.0\n\n# about all\n')[4:] + CATALOG + BUNDLE.format('1.0.0') + '\n# END\n')
        self.assert_status(self.opcat('edit', 'remove', '1.1.0', '--in', 'c.yaml', '--force'), 0)
        self.assertTrue(path.read_text().startswith('# 1.1.0\n\n# about all\n'), path.read_text())

    def test_a_dry_run_and_a_diff_say_what_the_run_does_and_write_nothing(self):
        path = self.catalog()
        before = path.read_text()
        for flag in '--dry-run', '--diff':
            result = self.opcat('edit', 'deprecate', 'package', '--message', 'Over.', '--in', 'c.yaml', flag)
            self.assert_status(result, 0)
            self.assertIn('package foo is deprecated: Over.', result.err)
            self.assertIn('nothing was written', result.err)
            self.assertEqual(path.read_text(), before)
        self.write('patch', self.opcat('edit', 'deprecate', 'package', '--message', 'Over.', '--in', 'c.yaml', '--diff').out)
        self.opcat('edit', 'deprecate', 'package', '--message', 'Over.', '--in', 'c.yaml')
        after = path.read_text()
        path.write_text(before)
        os.system(f'cd {self.dir} && patch -s -p0 < patch')
        self.assertEqual(path.read_text(), after)

    def test_a_message_for_a_commit_says_who_is_affected(self):
        fast = CHANNEL.format('fast', '- name: foo.v1.1.0')
        for edit, words in ((('remove', '1.1.0', '--force'), ('- stable: no upgrade path from foo.v1.1.0 to the head of channel stable (--force)\n', '- 1 bundle is gone')),
                            (('remove', 'channel', 'fast', '--force'), ('- fast: channel fast is gone: subscriptions to it get no further upgrades (--force)\n',)),
                            (('deprecate', 'channel', 'fast', '--message', 'Over.'), ('- fast: channel fast is deprecated: Over.\n',))):
            with self.subTest(edit):
                path = self.catalog()
                if 'fast' in edit:
                    path.write_text(path.read_text() + fast)
                self.assert_status(self.opcat('edit', *edit, '--in', 'c.yaml', '-m', 'message'), 0)
                for word in words:
                    self.assertIn(word, (self.dir / 'message').read_text())

    def test_names_of_a_catalog_begin_no_line(self):
        """A line break in a name would forge a line of opcat."""
        name = '"s\\nnobody is stranded"'
        forged = CHANNEL.format(name, '- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0')
        for edit, status in ((('remove', '1.1.0'), 1), (('remove', '1.1.0', '--force', '--dry-run'), 0), (('default-channel', 's'), 2),
                             (('image', 'registry.example/foo:v1.0.0', 's/foo:v1\nx', '--dry-run'), None)):
            with self.subTest(edit):
                path = self.catalog()
                path.write_text(path.read_text() + forged)
                done = self.opcat('edit', *edit, '--in', 'c.yaml', '-m', 'message')
                if status is not None:
                    self.assert_status(done, status)
                self.assertNotIn('\nnobody is stranded', done.err)
                self.assertNotIn('\nx', done.err)

    def test_a_prefix_of_images_ends_where_a_name_ends(self):
        images = ('registry.example/foo:v1.0.0', 'registry.example/foo@sha256:' + '1' * 64, 'registry.example/foo-utils:v1', 'registry.example/foo/more:v1',
                  'registry.example.org/foo:v1', 'registry.example:5000/foo:v1', 'registry.example/foo.bar:v1', 'foo:v1')
        for old, changed in (('registry.example', (0, 1, 2, 3, 6)), ('registry.example/foo', (0, 1, 3)), ('registry.example/', (0, 1, 2, 3, 6)), ('registry.example/foo:', (0,)),
                             ('registry.example/foo:v1', ()), ('registry.example:5000', (5,)), ('registry.example/foo-', (2,)), ('foo', (7,)),
                             ('registry.exampl', ()), ('registry.example/foo:v1.0', ()), ('registry.example/foo:v1.0.0', (0,))):
            with self.subTest(old):
                bundle = BUNDLE.format('1.0.0') + 'relatedImages:\n' + ''.join(f'- name: n{i}\n  image: {image}\n' for i, image in enumerate(images))
                path = self.write('c.yaml', CATALOG + bundle + BUNDLE.format('1.1.0').replace('image: registry.example/foo', 'image: other.example/foo'))
                new = 'new.example/x' + (old[-1] if old[-1] in '/:' else '')
                self.opcat('edit', 'image', '--from', old, '--to', new, '--in', 'c.yaml', '--force')
                found = [line.split(': ', 1)[1] for line in path.read_text().splitlines() if line.startswith('  image: ')]
                self.assertEqual(found, [new + image[len(old):] if i in changed else image for i, image in enumerate(images)])

    def test_a_report_for_programs_and_a_message_for_a_commit(self):
        self.catalog()
        report = self.opcat('edit', 'retract', '1.0.0', '--in', 'c.yaml', '-o', 'json', '-m', 'message').json()
        self.assertEqual((report['schema'], report['written'], report['objections']), ('opcat.edit.v1', True, []))
        self.assertEqual([f['path'] for f in report['files']], ['c.yaml'])
        self.assertIn('users of foo.v1.0.0 get foo.v1.1.0', (self.dir / 'message').read_text())

    def test_files_are_written_all_or_none(self):
        first, second = self.catalog('a.yaml'), self.write('b.yaml', template('1.0.0'))
        before = first.read_text(), second.read_text()
        # The second has no entry 1.1.0.
        result = self.opcat('edit', 'deprecate', 'bundle', '1.1.0', '--message', 'x', '--in', 'a.yaml', '--in', 'b.yaml')
        self.assertEqual(result.status, 2, result)
        self.assertEqual((first.read_text(), second.read_text()), before)
        rename = ('edit', 'channel', 'rename', 'stable', 's', '--in', 'a.yaml', '--in', 'b.yaml')
        result = self.opcat(*rename)
        self.assert_status(result, 1)
        self.assertIn('channel stable is gone: subscriptions to it get no further upgrades', result.err)
        self.assertEqual((first.read_text(), second.read_text()), before)
        self.assert_status(self.opcat(*rename, '--force'), 0)
        self.assertIn('defaultChannel: s\n', second.read_text())

    def test_a_directory_is_one_catalog_and_only_files_of_the_package_change(self):
        self.write('d/foo.yaml', CATALOG)
        self.write('d/bundles.yaml', BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0'))
        self.write('d/bar.yaml', 'schema: olm.package\nname: bar\ndefaultChannel: x\n')
        result = self.opcat('edit', 'image', 'registry.example/foo:v1.0.0', 'r.example/foo:1', '--in', 'd', '-p', 'foo')
        self.assert_status(result, 0)
        self.assertIn('image: r.example/foo:1\n', (self.dir / 'd/bundles.yaml').read_text())

    def test_a_catalog_over_several_files_is_edited_as_one(self):
        self.write('d/foo.yaml', CATALOG + '  - name: foo.v1.2.0\n    replaces: foo.v1.1.0\n')
        self.write('d/bundles.yaml', ''.join(map(BUNDLE.format, ('1.0.0', '1.1.0', '1.2.0'))))
        self.write('d/t.yaml', template('1.0.0'))
        before = (self.dir / 'd/foo.yaml').read_text()
        # A part of a catalog gives no all-clear, unless the other parts are next to it.
        self.write('alone/foo.yaml', before)
        create = ('edit', 'channel', 'create', 'x', '--from', 'stable', '--dry-run', '--in')
        alone = self.opcat(*create, 'alone/foo.yaml')
        self.assertIn('whether users are left behind is not known', alone.err)
        self.assertNotIn('nobody is stranded', alone.err)
        self.assertIn('nobody is stranded\n', self.opcat(*create, 'd/foo.yaml').err)
        (self.dir / 'd/t.yaml').unlink()
        whole = self.opcat('edit', 'remove', '1.1.0', '--in', 'd', '-p', 'foo')
        self.assert_status(whole, 0)
        self.assertIn('nobody is stranded\n', whole.err)
        self.assertNotIn('foo.v1.1.0', (self.dir / 'd/bundles.yaml').read_text())
        self.assertIn('    replaces: foo.v1.0.0\n    skips:\n', (self.dir / 'd/foo.yaml').read_text())
        self.assertIn('# ours', before)
        self.assert_status(self.opcat('validate', 'd'), 0)

    def parts(self):
        """A catalog in which a.yaml alone has no errors."""
        self.write('cat/foo/a.yaml', CATALOG + BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0'))
        return self.write('cat/foo/fast.yaml', CHANNEL.format('fast', '- name: foo.v1.0.0') +
                          '---\nschema: olm.deprecations\npackage: foo\nentries:\n- reference: {schema: olm.channel, name: fast}\n  message: Over.\n')

    def test_a_file_is_judged_with_those_next_to_it_that_have_its_package(self):
        """Each with what a.yaml alone does not show."""
        bundle = ('deprecate', 'bundle', '1.0.0', '--message', 'x')
        for other, edit, words in ((None, ('remove', '1.0.0'), '[entry-without-bundle]'), (None, bundle, '[deprecation-duplicate]'),
                                   ('sub/fast.yaml', ('remove', '1.0.0'), '[entry-without-bundle]'), ('broken.yaml', ('remove', '1.0.0'), 'is not known: '),
                                   ('.hidden', ('remove', '1.0.0'), '[entry-without-bundle]')):
            with self.subTest((other, edit)):
                fast = self.parts()
                if other == 'sub/fast.yaml':
                    self.write('cat/foo/' + other, fast.read_text())
                    fast.unlink()
                elif other:
                    self.write('cat/foo/' + other, 'schema: olm.channel\na: [')
                before = (self.dir / 'cat/foo/a.yaml').read_text()
                done = self.opcat('edit', *edit, '--in', 'cat/foo/a.yaml')
                self.assert_status(done, 1)
                self.assertIn(words, done.err)
                self.assertNotIn('nobody is stranded', done.err)
                self.assertEqual((self.dir / 'cat/foo/a.yaml').read_text(), before)
                if other:
                    (self.dir / 'cat/foo' / other).unlink()

    def test_files_of_one_directory_that_share_a_package_are_one_catalog(self):
        fast = self.parts()
        done = self.opcat('edit', 'deprecate', 'bundle', '1.0.0', '--message', 'x', '--in', 'cat/foo/a.yaml', '--in', 'cat/foo/fast.yaml')
        self.assert_status(done, 0)
        self.assertIn('cat/foo/a.yaml and cat/foo/fast.yaml: bundle foo.v1.0.0 is deprecated', done.err)
        self.assertIn('nobody is stranded\n', done.err)
        self.assertIn('name: foo.v1.0.0\n  message: x\n', fast.read_text())
        self.assertNotIn('olm.deprecations', (self.dir / 'cat/foo/a.yaml').read_text())
        self.assert_status(self.opcat('validate', 'cat'), 0)
        # Other packages are edited by themselves.
        self.write('cat/foo/bar.yaml', (CATALOG + BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0')).replace('foo', 'bar'))
        done = self.opcat('edit', 'deprecate', 'package', '--message', 'x', *(word for name in ('a', 'bar', 'fast') for word in ('--in', f'cat/foo/{name}.yaml')))
        self.assert_status(done, 0)
        self.assertIn('cat/foo/bar.yaml: package bar is deprecated', done.err)
        self.assert_status(self.opcat('validate', 'cat'), 0)

    def test_catalogs_next_to_each_other_are_judged_by_themselves(self):
        for name in 'v4.16', 'v4.17', 'more/v4.18':
            self.catalog(f'cat/{name}.yaml')
        for more in (), ('--in', 'cat/v4.17.yaml'):
            done = self.opcat('edit', 'promote', '1.1.0', '--to', f'fast{len(more)}', '--in', 'cat/v4.16.yaml', *more)
            self.assert_status(done, 0)
            self.assertIn('nobody is stranded\n', done.err)
        self.assertIn('name: fast2', (self.dir / 'cat/v4.17.yaml').read_text())
        # Whose part this is, nobody knows.
        self.write('cat/part.yaml', CHANNEL.format('new', '- name: foo.v1.0.0'))
        done = self.opcat('edit', 'promote', '1.0.0', '--to', 'other', '--in', 'cat/part.yaml')
        self.assert_status(done, 1)
        self.assertIn('is not known', done.err)

    def test_what_is_not_of_a_catalog_gets_no_blobs(self):
        add = ('edit', 'add', TESTDATA / 'bundles/widgets', '--image', 'r.example/w:1', '-c', 'stable', '--in')
        for text in 'replicaCount: 1\nimage: x\n', '{"image": "x"}\n', 'apiVersion: v1\n---\nkind: List\n', '- schema: olm.package\n':
            with self.subTest(text):
                path = self.write('values.yaml', text)
                for more in (), ('--create', 'catalog'):
                    done = self.opcat(*add, 'values.yaml', *more)
                    self.assert_status(done, 2)
                    self.assertIn('values.yaml is neither of a catalog nor a template', done.err)
                self.assertEqual(path.read_text(), text)

    def test_templates_in_a_directory_are_edited_by_themselves(self):
        for name in 'a', 'b':
            self.write(f'd/{name}.yaml', template('1.0.0'))
        result = self.opcat('edit', 'add', *NEW, '--in', 'd')
        self.assert_status(result, 0)
        self.assertIn('nobody is stranded, if the versions of bundles are those in their names', result.err)
        for name in 'a', 'b':
            self.assertIn('foo.v1.2.0', (self.dir / f'd/{name}.yaml').read_text())

    def test_a_semver_template_keeps_its_manner(self):
        for text, added in (('schema: olm.semver\nstable: {}\n', 'image: registry.example/foo:v1.2.0\n'),
                            ('schema: olm.semver\nstable:\n', 'stable:\n  bundles:\n  - image: registry.example/foo:v1.2.0\n'),
                            ('schema: olm.semver\nCandidate:\n  Bundles:\n  - Image: a:1\n', 'Stable:\n  Bundles:\n  - Image: registry.example/foo:v1.2.0\n')):
            with self.subTest(text):
                path = self.write('s.yaml', text)
                self.assert_status(self.opcat('edit', 'add', *NEW, '--in', 's.yaml'), 0)
                self.assertIn(added, path.read_text())

    def test_only_what_a_semver_template_has_is_promoted(self):
        self.write('a.yaml', 'schema: olm.semver\ncandidate:\n  bundles:\n  - image: r.example/foo:v1\n')
        result = self.opcat('edit', 'promote', 'r.example/fo:v1', '--to', 'stable', '--in', 'a.yaml')
        self.assert_status(result, 2)
        self.assertIn('a.yaml has no bundle r.example/fo:v1', result.err)

    def test_a_dry_run_says_that_a_file_is_read_only(self):
        self.catalog('a.yaml').chmod(0o444)
        for more in ((), ('--dry-run',)):
            result = self.opcat('edit', 'promote', '1.0.0', '--to', 'new', '--in', 'a.yaml', *more)
            self.assert_status(result, 3)
            self.assertIn('a.yaml: it is read-only', result.err)
        self.assert_status(self.opcat('edit', 'promote', '1.0.0', '--to', 'new', '--in', 'a.yaml', '--diff'), 0)

    def test_a_release_is_promoted_in_every_semver_template(self):
        paths = [self.write(name, 'schema: olm.semver\ncandidate:\n  bundles:\n  - image: r.example/foo:v1\n') for name in ('a.yaml', 'b.yaml')]
        self.assert_status(self.opcat('edit', 'promote', 'r.example/foo:v1', '--to', 'stable', '--in', 'a.yaml', '--in', 'b.yaml'), 0)
        for path in paths:
            self.assertIn('stable:\n  bundles:\n  - image: r.example/foo:v1\n', path.read_text())

    def test_a_default_channel_is_changed_only_if_another_one_is_named(self):
        for channel, said in (('stable', False), ('fast', True)):
            with self.subTest(channel):
                self.write('t.yaml', template('1.0.0', '1.1.0'))
                done = self.opcat('edit', 'add', *NEW, '-c', 'fast', '--default-channel', channel, '--in', 't.yaml')
                self.assert_status(done, 1 if said else 0)
                self.assertEqual('the default channel of foo is fast' in done.err, said, done)
                self.assertNotIn('the default channel of foo is stable', done.err)

    def test_each_deprecation_keeps_its_message(self):
        path = self.catalog()
        for version in '1.0.0', '1.1.0':
            self.assert_status(self.opcat('edit', 'deprecate', 'bundle', version, '--message', f'Not {version}.', '--in', 'c.yaml'), 0)
        text = path.read_text()
        self.assertIn('message: Not 1.0.0.', text)
        self.assertIn('message: Not 1.1.0.', text)

    def test_new_lists_are_indented_as_those_of_other_entries(self):
        for indent in '', '  ':
            with self.subTest(indent):
                skips = f'    skips:\n    {indent}- foo.v1.0.0\n'
                path = self.write('t.yaml', template('1.0.0', '1.1.0').replace('    replaces: foo.v1.0.0\n', '    replaces: foo.v0.9.0\n' + skips))
                self.assert_status(self.opcat('edit', 'add', 'r.example/foo:v1.1.1', '--name', 'foo.v1.1.1', '--version', '1.1.1', '-p', 'foo', '-c', 'stable',
                                              '--take-along', 'foo.v1.0.0', '--in', 't.yaml'), 0)
                self.assertIn('replaces: foo.v1.1.0\n' + skips, path.read_text())

    def test_a_bundle_of_a_directory_has_the_image_that_is_given(self):
        for kind in 'basic', 'catalog':
            self.assert_status(self.opcat('edit', 'add', TESTDATA / 'bundles/widgets', '--image', 'r.example/w:1', '-c', 'stable', '--create', kind,
                                          '--in', f'{kind}.yaml'), 0)
            self.assertIn('image: r.example/w:1\n', (self.dir / f'{kind}.yaml').read_text())

    def test_what_cannot_be_edited_is_refused(self):
        self.catalog()
        for where, words in ((['-'], 'cannot be edited'), (['quay.io/a/b:1'], 'cannot be edited'), (['git:main:c'], 'cannot be edited'),
                             (['c.yaml', '--in', './c.yaml'], 'named twice')):
            result = self.opcat('edit', 'default-channel', 'stable', '--in', *where)
            self.assertEqual(result.status, 2, result)
            self.assertIn(words, result.err)
        result = self.opcat('edit', 'add', 'r.example/a:1', '--name', 'foo.v2', '--version', 'banana', '-p', 'foo', '-c', 'stable', '--in', 'c.yaml')
        self.assertEqual(result.status, 2, result)
        self.assertIn('banana is not a version', result.err)

    def test_a_link_stays_a_link(self):
        self.catalog('real.yaml')
        (self.dir / 'link.yaml').symlink_to('real.yaml')
        self.assert_status(self.opcat('edit', 'deprecate', 'package', '--message', 'Over.', '--in', 'link.yaml'), 0)
        self.assertTrue((self.dir / 'link.yaml').is_symlink())
        self.assertIn('message: Over.', (self.dir / 'real.yaml').read_text())

    def test_a_range_without_a_version_is_refused(self):
        for flag in '--take-along', '--skip-range':
            self.write('t.yaml', template('1.0.0', '1.1.0'))
            result = self.opcat('edit', 'add', *NEW, '--in', 't.yaml', flag, '>=1.0.0 <1.0.0')
            self.assertEqual(result.status, 2, result)
            self.assertIn('no version is in >=1.0.0 <1.0.0', result.err)
        result = self.opcat('edit', 'add', 'registry.example/foo:v1.1.0', *NEW[1:], '--in', 't.yaml')
        self.assertIn('t.yaml has the image registry.example/foo:v1.1.0 already', result.err)

    def test_wrong_names_get_the_nearest_ones(self):
        self.catalog()
        for words, help in ((['promote', 'foo.v1.1.1', '--to', 'x'], 'foo.v1.1.0'), (['channel', 'rename', 'stabel', 'x'], 'stable'),
                            (['default-channel', 'stabl'], 'stable'), (['deprecate', 'chanel', 'stable', '--message', 'x'], 'channel NAME'),
                            (['deprecate', 'package'], '--message'), (['retract', '1.1.0'], 'edit add'), (['image', 'a'], 'OLD NEW')):
            with self.subTest(words):
                result = self.opcat('edit', *words, '--in', 'c.yaml')
                self.assertEqual(result.status, 2, result)
                self.assertIn(help, result.err)
        self.assertIn('--create', self.opcat('edit', 'add', *NEW, '--in', 'absent.yaml').err)
        self.assertEqual(self.opcat('edit', 'add', *NEW, '--in', 'absent.yaml').status, 2)
        self.write('broken.yaml', 'a: [')
        self.assertEqual(self.opcat('edit', 'add', *NEW, '--in', 'broken.yaml').status, 3)

    def test_tags_are_pinned_to_the_digests_of_a_lock(self):
        path = self.write('t.yaml', template('1.0.0'))
        digest = 'sha256:' + 'a' * 64
        self.write('lock', f'registry.example/foo:v1.0.0 {digest}\n')
        one = '1' * 64
        for text, words in (('a/b:v1 sha256:abc\n', 'lock:1 is not the lock of an image'), (f'a/b:v1 sha256:{one} more\n', 'is not the lock'),
                            (f'a/b:v1 a/other@sha256:{one}\n', 'is not the lock'),
                            (f'a/b:v1 sha256:{one}\na/b:v1 sha256:{"2" * 64}\n', 'lock:2 gives a/b:v1 another digest than a line before')):
            self.write('wrong', text)
            done = self.opcat('edit', 'image', '--digest', '--lock', 'wrong', '--in', 't.yaml')
            self.assert_status(done, 2)
            self.assertIn(words.replace('lock:', 'wrong:'), done.err)
        self.assert_status(self.opcat('edit', 'image', '--digest', '--lock', 'lock', '--in', 't.yaml'), 0)
        self.assertIn(f'image: registry.example/foo@{digest}\n', path.read_text())
        self.write('t.yaml', template('1.1.0'))
        self.assertEqual(self.opcat('edit', 'image', '--digest', '--lock', 'lock', '--in', 't.yaml').status, 2)

    def test_errors_of_the_catalogs_other_files_leave_the_proof_unknown(self):
        whole = '\n'.join(['schema: olm.package', 'name: shop', 'defaultChannel: stable', '---', 'schema: olm.channel', 'package: shop', 'name: stable',
                           'entries: [{name: shop.v1.0.0}]', '---', 'schema: olm.bundle', 'package: shop', 'name: shop.v1.0.0', 'image: registry.example/shop:v1',
                           'properties:', '- {type: olm.package, value: {packageName: shop, version: 1.0.0}}', ''])
        for other, unknown in (('', False), (whole.replace('shop', 'store'), False), ('x: [', True), ('schema: olm.package\nname: store\n', True),
                               ('schema: olm.channel\npackage: "s\\u0068op"\nname: stable\nentries: []\n', True)):
            with self.subTest(other):
                self.write('cat/shop/catalog.yaml', whole)
                self.write('cat/store/catalog.yaml', other or '# nothing\n')
                done = self.opcat('edit', 'deprecate', 'bundle', 'shop.v1.0.0', '--message', 'old', '--package', 'shop', '--in', 'cat', '--dry-run')
                said = done.out + done.err
                self.assertEqual('has errors already' in said, unknown, done)
                self.assertEqual('nobody is stranded' in said, not unknown, done)

    def test_comments_of_other_entries_stay_in_a_list_in_brackets(self):
        text = CATALOG.split('entries:')[0] + 'entries: [\n  # one\n  {name: foo.v1.0.0},\n  # two\n  {name: foo.v1.1.0, replaces: foo.v1.0.0}, # behind\n  # three\n  {name: foo.v1.2.0, replaces: foo.v1.1.0}\n  # end\n]\n'
        for gone, left in (('1.0.0', ('one', 'two', 'behind', 'three', 'end')), ('1.1.0', ('one', 'two', 'three', 'end')), ('1.2.0', ('one', 'two', 'behind', 'three', 'end'))):
            with self.subTest(gone):
                path = self.write('f.yaml', text + ''.join(map(BUNDLE.format, ('1.0.0', '1.1.0', '1.2.0'))))
                self.assert_status(self.opcat('edit', 'remove', gone, '--force', '--in', 'f.yaml'), 0)
                now = path.read_text()
                self.assertEqual([word for word in ('one', 'two', 'behind', 'three', 'end') if f'# {word}\n' in now], list(left))
                self.assertNotIn(f'{{name: foo.v{gone}', now)

    def test_an_edit_loses_no_comment_of_what_stays(self):
        """Each with its comments, and what becomes of them."""
        bundles = BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0')
        related = 'relatedImages: [\n { name: x,\n image: registry.example/x:v1 # see ticket 12\n }\n]\n'
        header = '# Copyright\n# SPDX-License-Identifier: Apache-2.0\n\n# about 1.0.0\n' + BUNDLE.format('1.0.0')[4:] + BUNDLE.format('1.1.0') + CATALOG
        replaces = '  - replaces: foo.v1.0.0\n    # fixed by marketing\n    name: foo.v1.1.0\n'
        message = '---\nschema: olm.deprecations\npackage: foo\nentries:\n- message: |- # by legal\n    Over.\n  reference: {schema: olm.package}\n'
        for text, edit, wanted in ((CATALOG + bundles + related, ('image', 'registry.example/x:v1', 'registry.example/x:v2'), ' image: registry.example/x:v2 # see ticket 12\n'),
                                   (header, ('remove', '1.0.0'), '# Copyright\n# SPDX-License-Identifier: Apache-2.0\n\nschema'),
                                   (CATALOG.replace('  - name: foo.v1.1.0   # good\n    replaces: foo.v1.0.0\n', replaces) + bundles, ('retract', '1.0.0', '--to', '1.1.0'),
                                    '  - # fixed by marketing\n    name: foo.v1.1.0\n'),
                                   (CATALOG + bundles + message, ('deprecate', 'package', '--message', 'Gone.'), '- message: Gone. # by legal\n')):
            with self.subTest(edit):
                path = self.write('c.yaml', text)
                self.assert_status(self.opcat('edit', *edit, '--in', 'c.yaml', '--force'), 0)
                self.assertIn(wanted, path.read_text())

    def test_several_bundles_are_removed_from_any_layout(self):
        versions = [f'1.{minor}.0' for minor in range(5)]
        self.write('d/c.yaml', 'schema: olm.package\nname: foo\ndefaultChannel: stable\n' + CHANNEL.format('stable', '\n'.join(
            f'- name: foo.v{v}' + (f'\n  replaces: foo.v{versions[i - 1]}' if i else '') for i, v in enumerate(versions))) + ''.join(map(BUNDLE.format, versions)))
        lines = [json.dumps(blob) for blob in self.opcat('render', 'd').blobs()]
        documents = ''.join(f'---\n{json.dumps(json.loads(line), indent=1)}\n' for line in reversed(lines))[4:]
        flow = CATALOG.split('entries:')[0] + 'entries: [' + ', '.join(f'{{name: foo.v{v}, skips: [a, b, c]}}' for v in versions) + ']\n'
        for text in '\n'.join(lines), '\n'.join(json.dumps(json.loads(line), indent=2) for line in lines), documents, (flow + ''.join(map(BUNDLE.format, versions))):
            for what in '<1.2.0', '>=1.1.0', '>1.0.0 <1.4.0', '1.3.0':
                with self.subTest((text[:20], what)):
                    path = self.write('d/c.yaml', text)
                    self.assert_status(self.opcat('edit', 'remove', what, '--in', 'd/c.yaml', '--force'), 0)
                    left = [blob['name'] for blob in self.opcat('render', 'd').blobs() if blob['schema'] == 'olm.bundle']
                    entries, = [[e['name'] for e in blob['entries']] for blob in self.opcat('render', 'd').blobs() if blob['schema'] == 'olm.channel']
                    self.assertEqual(sorted(left), sorted(entries), path.read_text())
                    self.assertLess(len(left), 5)

    def test_a_key_that_is_given_twice_is_not_edited(self):
        for key, wrong, edit in (('defaultChannel: stable', 'defaultChannel: fast\ndefaultChannel: stable', ('default-channel', 'fast')),
                                 ('image: registry.example/foo:v1.0.0', 'image: x/y:z\nimage: registry.example/foo:v1.0.0', ('image', 'x/y:z', 'a/b:c'))):
            with self.subTest(key):
                path = self.catalog()
                path.write_text(path.read_text().replace(key, wrong) + CHANNEL.format('fast', '- name: foo.v1.1.0'))
                before = path.read_bytes()
                done = self.opcat('edit', *edit, '--in', 'c.yaml')
                self.assert_status(done, 3)
                self.assertIn(f'the key "{key.split(":")[0]}" is given twice', done.err)
                self.assertEqual(path.read_bytes(), before)

    def test_what_would_harm_is_refused_and_written_nowhere(self):
        """Each with the words that say why."""
        stuck = CHANNEL.format('fast', '- name: foo.v1.1.0\n- {name: foo.v2.0.0, replaces: foo.v1.1.0}') + BUNDLE.format('2.0.0')
        for more, edit, status, words in (
                ('', ('image', '--from', 'registry.example/'), 2, 'which images?'),
                ('', ('image', '--from', 'registry.example/', '--to', 'r.example'), 2, 'do not end alike'),
                ('', ('image', '--from', 'registry.ex', '--to', 'r'), 2, 'no image of a bundle has that pull spec'),
                ('', ('promote', '1.0.0', '--to', 'new', '-m', 'c.yaml'), 2, 'c.yaml would be written over what is read'),
                ('', ('promote', '1.0.0', '--to', 'new', '-m', 'nowhere/x'), 2, '--commit-message nowhere/x: there is no directory'),
                ('', ('promote', '1.0.0', '--to', 'new', '--in', '.'), 2, 'c.yaml is named twice'),
                ('', ('retract', '1.0.0', '--to', '1.0.0'), 2, 'foo.v1.0.0 cannot take its own place'),
                ('', ('image', '--from', 'registry.example/fo', '--to', 'r.example/fo'), 2, 'no image of a bundle has that pull spec'),
                ('', ('add', 'r.example/foo:v3', '--name', 'foo.v3.0.0', '--version', '3.0.0', '-c', 'fast', '--edges', 'none', '--skips', 'foo.v1.0.0'), 2,
                 '--edges none is for an entry without edges'),
                ('', ('add', 'r.example/foo:v3', '--name', 'foo.v3.0.0', '--version', '3.0.0', '-c', 'fast', '--edges', 'head', '--replaces', 'foo.v1.0.0'), 2,
                 'both say what the entry replaces'),
                ('', ('add', 'r.example/foo:v3', '--name', 'foo.v3.0.0', '--version', '3.0.0', '-c', 'fast', '--take-along', '<2.0.0', '--skip-range', '<1.0.0'), 2,
                 'both say what the skipRange is'),
                (stuck, ('remove', 'channel', 'fast', '--default-channel', 'stable'), 2, 'fast is not the default channel'),
                (stuck, ('remove', 'channel', 'fast'), 1, 'users of foo.v2.0.0 get no upgrade in the channels that are left'),
                ('---\nfoo: bar\n', ('remove', '1.1.0', '-q'), 1, 'whether users are left behind is not known')):
            with self.subTest(edit):
                path = self.catalog()
                path.write_text(path.read_text() + more)
                before = path.read_bytes()
                done = self.opcat('edit', *edit, '--in', 'c.yaml')
                self.assert_status(done, status)
                self.assertIn(words, done.err)
                self.assertEqual(path.read_bytes(), before)

    def test_a_template_gets_no_second_image_of_a_release_and_no_edges_that_it_cannot_have(self):
        for text, more, words in ((template('1.0.0'), ('--name', 'foo.v1.0.0', '--version', '1.0.0'), 'has an entry foo.v1.0.0 already'),
                                  ('schema: olm.semver\nstable: {}\n', ('--name', 'foo.v1.0.0', '--version', '1.0.0', '--skips', 'foo.v0.9.0'), 'follow from the versions'),
                                  ('schema: olm.semver\nstable: {}\n', ('--name', 'foo.v1.0.0', '--version', '1.0.0', '--default-channel', 'x'), 'follow from the versions')):
            with self.subTest(more):
                path = self.write('t.yaml', text)
                done = self.opcat('edit', 'add', 'registry.example/foo:fixed', '-p', 'foo', '-c', 'stable', '--in', 't.yaml', *more)
                self.assert_status(done, 2)
                self.assertIn(words, done.err)
                self.assertEqual(path.read_text(), text)

    def test_catalogs_of_the_configuration_that_do_not_exist_are_named(self):
        self.catalog('v4.16.yaml')
        self.write('.opcat.yaml', 'catalogs: [{catalog: "v{version}.yaml", openshift: ["4.16", "4.18"]}]\n')
        done = self.opcat('edit', 'promote', '1.0.0', '--to', 'new', '-p', 'foo')
        self.assert_status(done, 0)
        self.assertIn('v4.18.yaml is left out: it does not exist', done.err)

    def operator(self, release, *flags, catalogs=(('basic.yaml', 'v4.16'),)):
        mapping = ''.join(f'  - template_name: {name}\n    type: olm.template.basic\n    catalog_names: [{", ".join(names)}]\n' for name, *names in catalogs)
        self.write('operators/foo/ci.yaml', f'fbc:\n  enabled: true\n  catalog_mapping:\n{mapping}')
        self.write('operators/foo/0.0.1/release-config.yaml', release)
        for name in 'manifests', 'metadata':
            source = TESTDATA / 'bundles/widgets' / name
            for path in source.iterdir():
                self.write(f'operators/foo/0.0.1/{name}/{path.name}', path.read_text())
        return self.opcat('edit', 'apply', 'operators/foo/0.0.1', '--image', 'r.example/w:1', *flags)

    def test_a_release_config_is_done_in_the_templates_that_are_mapped(self):
        done = self.operator('catalog_templates:\n- template_name: basic.yaml\n  channels: [fast, stable]\n')
        self.assert_status(done, 0)
        made = self.dir / 'operators/foo/catalog-templates/basic.yaml'
        self.assertIn('image: r.example/w:1\n', made.read_text())
        self.assertIn('defaultChannel: fast\n', made.read_text())
        again = self.operator('catalog_templates:\n- template_name: basic.yaml\n  channels: [fast]\n')
        self.assertEqual(again.status, 2, again)
        for release, words in (('catalog_templates:\n- template_name: ../x.yaml\n  channels: [a]\n', 'not in fbc.catalog_mapping'),
                               ('catalog_templates:\n- template_name: basic.yaml\n  channels: a\n', 'release-config.yaml:3:'), ('{}', 'names no template'), ('catalog_template: []', 'there is no field "catalog_template"'),
                               ('catalog_templates:\n- template_name: basic.yaml\n  channels: [a]\n  skip_range: <1.0.0\n', 'release-config.yaml:4:3: there is no field "skip_range"'), ('', 'is not an object of YAML'), ('- a\n', 'is not an object of YAML')):
            result = self.operator(release)
            self.assertEqual(result.status, 2, result)
            self.assertIn(words, result.err)

    def test_a_release_config_changes_only_templates_of_the_kind_that_is_mapped(self):
        semver = 'schema: olm.semver\nstable:\n  bundles:\n  - image: r.example/w:0\n'
        for name, text, words in (('../ci.yaml', None, '"../ci.yaml" is not a path below catalog-templates/'),
                                  ('../0.0.1/metadata/annotations.yaml', None, 'is not a path below catalog-templates/'),
                                  ('link.yaml', None, '"link.yaml" is not a path below catalog-templates/'),
                                  ('basic.yaml', 'replicaCount: 1\n', 'is neither of a catalog nor a template'),
                                  ('basic.yaml', CATALOG, 'basic.yaml does not have the schema olm.template.basic'),
                                  ('basic.yaml', semver, 'basic.yaml does not have the schema olm.template.basic')):
            with self.subTest((name, text)):
                path = self.dir / 'operators/foo/catalog-templates' / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if text:
                    path.write_text(text)
                elif name == 'link.yaml' and not path.is_symlink():
                    path.symlink_to('../ci.yaml')
                refused = self.operator(f'catalog_templates:\n- template_name: {name.split("/")[-1]}\n  channels: [fast]\n', catalogs=((name, 'v4.16'),))
                self.assert_status(refused, 2)
                self.assertIn(words, refused.err + refused.out)
                if text:
                    self.assertEqual(path.read_text(), text)

    def test_a_release_config_is_done_in_a_semver_template(self):
        self.write('operators/foo/catalog-templates/semver.yaml', 'schema: olm.semver\nstable:\n  bundles:\n  - image: r.example/w:0\n')
        catalogs = ('semver.yaml', 'v4.16'),
        release = 'catalog_templates:\n- template_name: semver.yaml\n  channels: [Fast]\n'
        mapped = self.operator(release, catalogs=catalogs)  # of the kind basic
        self.assertEqual(mapped.status, 2, mapped)
        self.write('operators/foo/ci.yaml', (self.dir / 'operators/foo/ci.yaml').read_text().replace('olm.template.basic', 'olm.semver'))
        self.assert_status(self.opcat('edit', 'apply', 'operators/foo/0.0.1', '--image', 'r.example/w:1', '--force'), 0)
        self.assertIn('fast:\n  bundles:\n  - image: r.example/w:1\n', (self.dir / 'operators/foo/catalog-templates/semver.yaml').read_text())

    def test_a_release_config_is_done_for_some_versions_of_openshift(self):
        release = ''.join(f'- template_name: {name}.yaml\n  channels: [fast]\n' for name in ('old', 'new', 'newest'))
        catalogs = ('old.yaml', 'v4.15'), ('new.yaml', 'v4.16', 'v4.17'), ('newest.yaml', 'v4.18'), ('other.yaml', 'v4.19', 'latest')
        for openshift, made in (('>=4.16', ['new.yaml', 'newest.yaml']), ('4.15', ['old.yaml']), ('>4.17', ['newest.yaml'])):
            with self.subTest(openshift):
                done = self.operator('catalog_templates:\n' + release, '--openshift', openshift, '-o', 'json', '--dry-run', catalogs=catalogs)
                self.assert_status(done, 0)
                self.assertEqual([f['path'] for f in done.json()['files']], [f'operators/foo/catalog-templates/{name}' for name in made])
        for openshift, words in (('4.16', 'new.yaml is also for OpenShift 4.17'), ('4.19', 'no catalog is for OpenShift 4.19'), ('new', 'invalid --openshift')):
            with self.subTest(openshift):
                refused = self.operator('catalog_templates:\n' + release, '--openshift', openshift, catalogs=catalogs)
                self.assertEqual(refused.status, 2, refused)
                self.assertIn(words, refused.err)

    def project(self):
        (self.dir / '.git').mkdir(exist_ok=True)
        self.write('.opcat.yaml', 'catalogs:\n- {template: "t/{version}.yaml", catalog: "v{version}.yaml", openshift: ["4.15", "4.16"]}\n'
                                  '- {template: other.yaml, catalog: other/o.yaml}\n- {catalog: hand/}\n- {catalog: later/}\n')
        for version in '4.15', '4.16':
            self.write(f't/{version}.yaml', template('1.0.0', '1.1.0'))
        self.write('other.yaml', template('1.0.0').replace('foo', 'bar'))
        self.write('hand/c.yaml', CATALOG + BUNDLE.format('1.0.0') + BUNDLE.format('1.1.0'))

    def edited(self, *words, status=0):
        """The files that an edit of the project would change."""
        result = self.opcat('edit', *words, '--dry-run', '-o', 'json')
        self.assert_status(result, status)
        return sorted(f['path'] for f in result.json()['files']) if status == 0 else result.err

    def test_without_names_of_files_those_of_the_configuration_that_have_the_package_are_edited(self):
        self.project()
        deprecate = ['deprecate', 'channel', 'stable', '--message', 'Over.']
        self.assertEqual(self.edited(*deprecate, '-p', 'foo'), ['hand/c.yaml', 't/4.15.yaml', 't/4.16.yaml'])
        self.assertEqual(self.edited(*deprecate, '-p', 'bar'), ['other.yaml'])
        self.assertEqual(self.edited(*deprecate), ['hand/c.yaml', 'other.yaml', 't/4.15.yaml', 't/4.16.yaml'])
        self.assertIn('has the package baz', self.edited(*deprecate, '-p', 'baz', status=2))
        for openshift, files in (('>=4.16', ['t/4.16.yaml']), ('4.15', ['t/4.15.yaml']), ('>=4.15 <5', ['t/4.15.yaml', 't/4.16.yaml'])):
            self.assertEqual(self.edited(*deprecate, '-p', 'foo', '--openshift', openshift), files)
        self.assertIn('no catalog is for', self.edited(*deprecate, '--openshift', '>=4.17', status=2))
        self.assertIn('invalid --openshift', self.edited(*deprecate, '--openshift', 'new', status=2))
        self.assertEqual(self.opcat('edit', *deprecate, '--openshift', '4.15', '--in', 'other.yaml').status, 2)
        self.assertEqual(self.opcat('edit', 'add', *NEW, '--create', 'basic').status, 2)
        (self.dir / '.opcat.yaml').unlink()
        self.assertIn('no catalogs are configured', self.edited(*deprecate, status=2))

    def test_a_template_for_other_versions_as_well_is_not_edited_for_some(self):
        self.project()
        self.write('.opcat.yaml', 'catalogs: [{template: other.yaml, catalog: "v{version}", openshift: ["4.15", "4.16"]}]\n')
        deprecate = ['deprecate', 'package', '--message', 'Over.']
        self.assertIn('other.yaml is also for OpenShift 4.15', self.edited(*deprecate, '--openshift', '>=4.16', status=2))
        self.assertEqual(self.edited(*deprecate, '--openshift', '>=4.15'), ['other.yaml'])

    def test_a_semver_template_belongs_to_the_package_that_its_catalog_has(self):
        self.project()
        self.write('.opcat.yaml', 'catalogs: [{template: s.yaml, catalog: c.yaml}, {template: other.yaml, catalog: o.yaml}]\n')
        self.write('s.yaml', 'schema: olm.semver\nstable:\n  bundles:\n  - image: r.example/foo:v1.0.0\n')
        new = [w.replace('foo', 'bar') for w in NEW]
        self.assertIn('s.yaml is left out', self.opcat('edit', 'add', *new, '--dry-run').err)
        self.write('c.yaml', CATALOG)
        self.assertEqual(self.edited('add', *new), ['other.yaml'])
        self.assertEqual(self.edited('add', *NEW), ['s.yaml'])


if __name__ == '__main__':
    unittest.main()
