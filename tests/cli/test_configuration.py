"""How a project configures opcat validate: .opcat.yaml, comments in catalogs, baselines, changes since a commit.
Covers lib/lint/baseline.cpp, lib/lint/changes.cpp, lib/lint/selection.cpp and lib/lint/suppressions.cpp."""
import json
import os
import re
import shutil
import subprocess
import unittest

from opcat_case import TESTDATA, OpcatCase


def package(name, extra='', versions=('1.0.0',)):
    """A valid package, with the same unknown fields in the olm.package blob and in each bundle."""
    blobs = [f'schema: olm.package\nname: {name}\ndefaultChannel: stable\n{extra}',
             f'schema: olm.channel\npackage: {name}\nname: stable\nentries:\n' + ''.join(
                 f'- name: {name}.v{v}\n' + (f'  replaces: {name}.v{versions[i - 1]}\n' if i else '') for i, v in enumerate(versions))]
    blobs += [f'schema: olm.bundle\npackage: {name}\nname: {name}.v{v}\nimage: r.example/{name}:{v}\n{extra}properties:\n'
              f'- type: olm.package\n  value: {{packageName: {name}, version: {v}}}\n' for v in versions]
    return '---\n'.join(blobs)


class Case(OpcatCase):
    def lines(self, *arguments, status=0):
        """The findings, without the messages."""
        result = self.opcat('validate', '--format', 'concise', '--severity', 'note', *arguments)
        self.assert_status(result, status)
        return [re.sub(r'^(\S+ \S+) .*(\[[a-z-]+\].*)$', r'\1 \2', line) for line in result.out.splitlines()]


class Configuration(Case):
    def setUp(self):
        super().setUp()
        (self.dir / '.git').mkdir()
        self.write('c/a/catalog.yaml', package('a', 'more: 1\n'))
        self.write('c/b/catalog.yaml', package('b', 'more: 1\n'))

    def levels(self, *arguments, status=0):
        return [(line.split(':')[0][2:3], line.split(' ')[1]) for line in self.lines('--all', *arguments, status=status)]

    def test_rules_of_the_file_above_the_catalog(self):
        self.write('.opcat.yaml', 'rules:\n  unknown-field: error\n')
        self.assertEqual(self.levels('c', status=1), [('a', 'error:')] * 2 + [('b', 'error:')] * 2)
        self.write('.opcat.yaml', 'rules: {unknown-field: off}\n')
        self.assertEqual(self.levels('c'), [])
        self.write('.opcat.yaml', 'rules: {unknown-field: "off"}\n')
        self.assertEqual(self.levels('c'), [])
        self.write('c/.indexignore', '.opcat.yaml\n')
        self.write('c/.opcat.yaml', 'rules: {unknown-field: note}\n')
        self.assertEqual(self.levels('c'), [('a', 'note:')] * 2 + [('b', 'note:')] * 2)

    def test_overrides_by_package_and_path(self):
        self.write('.opcat.yaml', '''rules: {unknown-field: error}
overrides:
- packages: [a*, x]
  rules: {unknown-field: off}
- paths: [c/b/]
  rules: {unknown-field: note}
''')
        self.assertEqual(self.levels('c'), [('b', 'note:')] * 2)
        self.assertEqual(self.levels('--rule', 'unknown-field=warning', 'c'), [('a', 'warning:')] * 2 + [('b', 'warning:')] * 2)

    def test_flags_choose_the_file(self):
        self.write('.opcat.yaml', 'rules: {unknown-field: off}\n')
        self.write('other.yaml', 'rules: {unknown-field: error}\n')
        self.assertEqual(len(self.levels('--config', 'other.yaml', 'c', status=1)), 4)
        self.assertEqual(self.levels('--no-config', 'c')[0], ('a', 'warning:'))
        self.assert_status(self.opcat('validate', '--config', 'other.yaml', '--no-config', 'c'), 2)
        self.assert_status(self.opcat('validate', '--config', 'absent.yaml', 'c'), 3)

    def test_mistakes_are_reported_with_their_places(self):
        for text, reported in (
                ('rules:\n  unknown-feild: off\n', '.opcat.yaml:2:3: error: there is no rule "unknown-feild" [configuration]'),
                ('rules:\n  unknown-field: on\n', '.opcat.yaml:2:18: error: a level must be off, note, warning, error, not a boolean'),
                ('rules:\n  unknown-field: bad\n', '.opcat.yaml:2:18: error: "bad" is not a level: write off, note, warning, error'),
                ('rules:\n  file: off\n', '.opcat.yaml:2:3: error: the level of the rule "file" cannot be changed'),
                ('rulse: {}\n', '.opcat.yaml:1:1: error: the configuration has no field "rulse"'),
                ('rules: [a]\n', '.opcat.yaml:1:9: error: a rule must be an object, not a string'),
                ('rules: {schema: off, schema: note}\n', '.opcat.yaml:1:22: error: schema is given twice'),
                ('overrides: [{rules: {}}]\n', '.opcat.yaml:1:13: error: an override names neither packages nor paths'),
                ('overrides: [{packages: [a]}]\n', '.opcat.yaml:1:13: error: an override needs "rules"'),
                ('overrides: [{packages: ["[a"], rules: {}}]\n', '.opcat.yaml:1:25: error: "[a" is not a pattern of names'),
                ('overrides: [off]\n', '.opcat.yaml:1:13: error: an override must be an object, not a boolean'),
                ('limits: {iconSize: 0}\n', '.opcat.yaml:1:20: error: iconSize must be a number of bytes'),
                ('limits: {iconSize: -1}\n', '.opcat.yaml:1:20: error: iconSize must be a number of bytes'),
                ('limits: {iconSize: 1 MB}\n', '.opcat.yaml:1:20: error: iconSize must be a number of bytes'),
                ('a: [\n', '.opcat.yaml:'), ('- a\n', '.opcat.yaml:1:1: error: a configuration must be an object, not a list')):
            self.write('.opcat.yaml', text)
            result = self.opcat('validate', 'c')
            self.assert_status(result, 2)
            self.assertIn(reported, result.err)
            self.assertEqual(result.out, '')
        self.write('.opcat.yaml', 'rules:\n  unknown-feild: off\n')
        self.assertIn('help: did you mean unknown-field', self.opcat('validate', 'c').err)
        self.write('.opcat.yaml', '# nothing yet\n')
        self.assert_status(self.opcat('validate', 'c'), 0)
        for wrong in 'unknown-field', 'unknown-field=bad', 'unknown-feild=off', 'file=off':
            result = self.opcat('validate', '--no-config', '--rule', wrong, 'c')
            self.assert_status(result, 2)
            self.assertIn(f'invalid --rule "{wrong}": ', result.err)

    def test_schemas_and_limits(self):
        self.write('conf/more.cue', 'package more\n#P: {\n\tschema: "olm.package"\n\tmore: >1\n\t...\n}\n')
        self.write('conf/x.yaml', 'schemas: [more.cue]\nlimits: {fileSize: 100MiB, iconSize: 1KiB}\n')
        self.assertIn('must be', self.opcat('validate', '--config', 'conf/x.yaml', 'c').out)
        self.write('conf/x.yaml', 'limits: {fileSize: 10B}\n')
        result = self.opcat('validate', '--config', 'conf/x.yaml', 'c')
        self.assert_status(result, 3)
        self.write('conf/x.yaml', 'schemas: [absent.cue]\n')
        self.assert_status(self.opcat('validate', '--config', 'conf/x.yaml', 'c'), 3)

    def test_only_the_repository_is_searched(self):
        (self.dir / '.git').rmdir()
        self.write('.opcat.yaml', 'rules: {unknown-field: off}\n')
        self.assertEqual(len(self.levels('c')), 4)
        self.assertEqual(len(self.levels('c/a/catalog.yaml')), 2)
        self.assertRegex(self.opcat('config', 'show', 'c').out, r'(?m)^file +none$')
        self.assertRegex(self.opcat('config', 'show').out, r'(?m)^file +\.opcat\.yaml$')
        self.write('c/a/.git', 'gitdir: ../../elsewhere\n')
        self.write('c/a/.opcat.yaml', 'rules: {unknown-field: error}\n')
        self.write('c/.opcat.yaml', 'rules: {unknown-field: note}\n')
        for catalog, found in (('c/a/catalog.yaml', 'c/a/.opcat.yaml'), ('c/b/catalog.yaml', 'none'), ('c', 'c/.opcat.yaml')):
            self.assertEqual(self.opcat('config', 'show', '-o', 'json', catalog).json()['file'] or 'none', found)

    def test_what_is_not_a_file_is_named_and_the_one_above_read(self):
        self.write('.opcat.yaml', 'rules: {unknown-field: off}\n')
        place = self.dir / 'c/.opcat.yaml'
        for make, reason in ((place.mkdir, 'it is not a file'), (lambda: place.symlink_to('nowhere'), 'it cannot be read: no such file'), (lambda: os.mkfifo(place), 'it is not a file')):
            make()
            result = self.opcat('validate', 'c')
            self.assertIn(f'warning: c/.opcat.yaml is not read: {reason}', result.err)
            place.rmdir() if place.is_dir() else place.unlink()

    def test_a_second_document_is_a_mistake(self):
        for rest, words in (('---\nrules: {unknown-field: off}\n', 'a configuration is one document, and this is a second one'),
                            ('...\nrules: {bogus: off}\n', 'this text is ignored')):
            self.write('.opcat.yaml', 'rules: {icon: off}\n' + rest)
            result = self.opcat('validate', 'c')
            self.assert_status(result, 2)
            self.assertIn(f'.opcat.yaml:{3 if rest[0] == "-" else 3}:', result.err)
            self.assertIn(words, result.err)
        self.write('.opcat.yaml', '---\nrules: {unknown-field: off}\n---\n')
        self.assertEqual(self.levels('c'), [])

    @unittest.skipUnless(os.getuid() == 0, 'only root can give files away')
    def test_files_of_other_users_are_not_read(self):
        self.write('.opcat.yaml', 'rules: {unknown-field: off}\n')
        os.chown(self.dir / '.opcat.yaml', 4242, 4242)
        self.assertEqual(len(self.levels('c')), 4)
        for command in (('validate',), ('config', 'show')):
            self.assertIn('warning: .opcat.yaml is not read: it belongs to another user (uid 4242) (--config reads it)',
                          self.opcat(*command, 'c').err)
        shown = self.opcat('config', 'show', '-o', 'json', 'c').json()
        self.assertEqual((shown['file'], shown['notRead']), (None, [{'file': '.opcat.yaml', 'reason': 'it belongs to another user (uid 4242)'}]))
        self.assertEqual(self.levels('--config', '.opcat.yaml', 'c'), [])
        self.write('c/own/.opcat.yaml', 'rules: {}\n')
        (self.dir / 'c/.opcat.yaml').symlink_to('own/.opcat.yaml')
        self.assertEqual(self.opcat('config', 'show', '-o', 'json', 'c').json()['file'], 'c/.opcat.yaml')
        os.lchown(self.dir / 'c/.opcat.yaml', 4242, 4242)
        self.assertIsNone(self.opcat('config', 'show', '-o', 'json', 'c').json()['file'])

    def test_a_link_shows_no_other_file(self):
        self.write('.git/config', 'token: [secret\n')
        self.write('secret.yaml', 'secret: [\n')
        outside = self.write('../' + self.dir.name + '-outside/.opcat.yaml', 'secret: [\n')
        self.addCleanup(shutil.rmtree, outside.parent)
        for target in '.git/config', 'secret.yaml', '/etc/passwd', outside, 'absent':
            with self.subTest(target):
                (self.dir / '.opcat.yaml').unlink(missing_ok=True)
                (self.dir / '.opcat.yaml').symlink_to(target)
                result = self.opcat('validate', 'c')
                self.assert_status(result, 0)
                self.assertNotIn('secret:', result.out + result.err)
                self.assertNotIn('root:', result.out + result.err)
                self.assertEqual('is not read: it is a link' in result.err, target != 'absent')

    def test_schemas_of_a_configuration_are_cue_files_next_to_it(self):
        secret = self.write('s/secret', 'password hunter2\n')
        self.write('r/.git/config', 'token = hunter2\n')
        self.write('r/c/a.yaml', package('a'))
        self.write('r/notes.txt', 'hunter2\n')
        self.write('r/good.cue', 'package x\n#P: {schema: "example.p", ...}\n')
        self.write('s/other.cue', 'package hunter2 hunter2\n')
        for name, target in (('out.cue', secret), ('other.cue', '../s/other.cue'), ('config.cue', '.git/config'), ('in.cue', 'good.cue')):
            (self.dir / 'r' / name).symlink_to(target)
        (self.dir / 'r/up').symlink_to('../s')
        for schema, reason in ((secret, 'it is not below'), ('../s/secret', 'it is not below'), ('../s/other.cue', 'it is not below'), ('/etc/shadow', 'it is not below'),
                               ('out.cue', 'it is not below'), ('other.cue', 'it is not below'), ('up/other.cue', 'it is not below'),
                               ('.git/config', 'its name does not end in .cue'), ('config.cue', 'its name does not end in .cue'),
                               ('notes.txt', 'its name does not end in .cue'), ('good.cue', None), ('in.cue', None)):
            with self.subTest(schema=schema):
                self.write('r/.opcat.yaml', f'schemas: ["{schema}"]\n')
                result = self.opcat('validate', 'r/c')
                self.assert_status(result, 2 if reason else 0)
                self.assertNotIn('hunter2', result.out + result.err)
                if reason:
                    self.assertIn(f'cannot be a schema: {reason}', result.err)
        result = self.opcat('validate', '--schema', 's/secret', 'r/c', '--no-config')
        self.assert_status(result, 2)
        self.assertIn('s/secret is not a schema: it is not CUE', result.err)
        self.assertNotIn('hunter2', result.err)
        self.assertIn('hunter2', self.opcat('validate', '--schema', 's/other.cue', 'r/c', '--no-config').err)

    def test_config_show_says_where_settings_come_from(self):
        self.write('.opcat.yaml', 'rules:\n  schema: off\n  icon: note\noverrides:\n- packages: [a]\n  rules: {icon: error}\n'
                   'limits:\n  iconSize: 64KiB\n')
        out = self.opcat('config', 'show', '--rule', 'channel-heads=note', 'c').out
        for row in (r'rules.schema +off +\.opcat\.yaml:2:3', r'rules.icon +error +packages a +\.opcat\.yaml:6:11',
                    r'rules.icon +note +\.opcat\.yaml:3:3', r'rules.channel-heads +note +--rule', r'rules.syntax +error +default',
                    r'limits.iconSize +64.0 KiB +\.opcat\.yaml:8:13', r'limits.fileSize +4 GiB +default'):
            self.assertRegex(out, row)
        report = self.opcat('config', 'show', '-o', 'json', 'c').json()
        self.assertEqual(report['schema'], 'opcat.config.v1')
        self.assertIn({'rule': 'schema', 'level': 'off', 'origin': '.opcat.yaml:2:3'}, report['rules'])
        self.assertEqual(report['limits'], {'iconSize': {'bytes': 65536, 'origin': '.opcat.yaml:8:13'}})
        self.write('.opcat.yaml', 'limits: {iconSize: 2000, fileSize: 3000B}\n')
        limits = self.opcat('config', 'show', '-o', 'json', 'c').json()['limits']
        self.assertEqual({name: limit['bytes'] for name, limit in limits.items()}, {'iconSize': 2000, 'fileSize': 3000})

    def test_config_show_has_paths_and_schemas(self):
        self.write('.opcat.yaml', 'schemas: [more.cue]\noverrides:\n- packages: [a, b*]\n  paths: [c/a/, c/b/]\n  rules: {icon: error}\n'
                   '- paths: [c/]\n  rules: {schema: off}\n')
        self.write('more.cue', 'package more\n#P: {...}\n')
        out = self.opcat('config', 'show', 'c').out
        for row in (r'rules.icon +error +packages a, b\*; paths c/a/, c/b/ +\.opcat\.yaml:5:11', r'rules.schema +off +paths c/ +\.opcat\.yaml:7:11',
                    r'schemas +\S*more\.cue +\.opcat\.yaml:1:11'):
            self.assertRegex(out, row)
        report = self.opcat('config', 'show', '-o', 'json', 'c').json()
        self.assertIn({'rule': 'icon', 'level': 'error', 'for': 'packages a, b*; paths c/a/, c/b/', 'origin': '.opcat.yaml:5:11'}, report['rules'])
        [schema] = report['schemas']
        self.assertTrue(schema['file'].endswith('more.cue') and schema['origin'] == '.opcat.yaml:1:11', schema)

    def test_the_configuration_limits_images(self):
        self.write_layout('image', TESTDATA / 'bundles/widgets')
        for text, arguments, status in (('limits: {unpackedSize: 1KiB}\n', (), 3), ('limits: {unpackedSize: 1KiB}\n', ('--max-unpacked-size', '1MiB'), 0),
                                        ('limits: {unpackedSize: 1MiB}\n', (), 0)):
            with self.subTest(text, arguments=arguments):
                self.write('.opcat.yaml', text)
                result = self.opcat('validate', *arguments, '--config', '.opcat.yaml', '--severity', 'error', 'oci:image')
                self.assert_status(result, status)
                self.assertEqual(status == 3, 'more than the limit of 1024 bytes' in result.err, result)

    def test_config_schema_knows_all_rules(self):
        schema = self.opcat('config', 'schema').json()
        self.assertEqual(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema')
        self.assertIn('channel-heads', schema['$defs']['rules']['properties'])
        self.assertEqual(schema['$defs']['level']['enum'], ['off', 'note', 'warning', 'error', False])
        self.assertEqual(schema['properties']['overrides']['items']['required'], ['rules'])

    def test_opm_knows_no_configuration(self):
        self.write('.opcat.yaml', 'rules: {entry-without-bundle: off}\n')
        self.write('c/a/catalog.yaml', package('a') + '---\nschema: olm.channel\npackage: a\nname: x\nentries: [{name: z}]\n')
        self.assert_status(self.opcat('validate', 'c'), 0)
        self.assert_status(self.opm('validate', 'c'), 1)


class Suppressions(Case):
    def check(self, text, expected):
        self.write('c/a.yaml', text)
        self.assertEqual(self.lines('--all', 'c'), expected)

    def test_on_the_line_above_the_field_and_above_the_blob(self):
        text = package('a', 'more: 1\n')
        both = ['c/a.yaml:4:1: warning: [unknown-field]', 'c/a.yaml:16:1: warning: [unknown-field]']
        self.check(text, both)
        self.check(text.replace('more: 1', 'more: 1 # opcat: ignore[unknown-field] why', 1), both[1:])
        self.check(text.replace('more: 1', '# opcat: ignore[unknown-field] why\nmore: 1', 1), ['c/a.yaml:17:1: warning: [unknown-field]'])
        self.check('# opcat: ignore[unknown-field]\n' + text, ['c/a.yaml:17:1: warning: [unknown-field]'])
        self.check(text.replace('schema: olm.bundle', '# a note\n\n# opcat: ignore[unknown-field]\nschema: olm.bundle'), both[:1])
        self.check(text.replace('---\nschema: olm.bundle', '# opcat: ignore[unknown-field]\n---\nschema: olm.bundle'), both[:1])
        self.check(text.replace('---\nschema: olm.bundle', '--- # opcat: ignore[unknown-field] why\nschema: olm.bundle'), both[:1])
        self.assertIn('1 suppressed by comments', self.opcat('validate', 'c').err)

    def test_several_in_a_row_are_each_for_what_follows(self):
        text = package('a', 'more: 1\n')
        both = '# opcat: ignore[icon]\n\n# opcat: ignore[unknown-field]\n---\nschema: olm.bundle'
        self.check(text.replace('---\nschema: olm.bundle', both), ['c/a.yaml:4:1: warning: [unknown-field]', 'c/a.yaml:11:17: warning: [suppression]'])

    def test_above_an_item_it_is_for_all_of_the_item(self):
        text = package('a', versions=('1.0.0', '1.1.0')).replace('  replaces:', '  more: 1\n  replaces:')
        self.check(text, ['c/a.yaml:11:3: warning: [unknown-field]'])
        self.check(text.replace('- name: a.v1.1.0', '# opcat: ignore[unknown-field]\n- name: a.v1.1.0'), [])
        self.check(text.replace('entries:', '# opcat: ignore[unknown-field]\nentries:'), [])
        self.check(text.replace('- name: a.v1.0.0', '# opcat: ignore[unknown-field]\n- name: a.v1.0.0', 1),
                   ['c/a.yaml:9:17: warning: [suppression]', 'c/a.yaml:12:3: warning: [unknown-field]'])

    def test_what_suppresses_nothing_is_a_finding(self):
        text = package('a', 'more: 1\n')
        self.check(text.replace('more: 1', 'more: 1 # opcat: ignore[unknown-field, icon]'), ['c/a.yaml:4:40: warning: [suppression]',
                                                                                           'c/a.yaml:16:40: warning: [suppression]'])
        self.check(package('a') + '# opcat: ignore[unknown-feild]\n', ['c/a.yaml:18:17: warning: [suppression]'])
        self.check(package('a') + '# opcat: please\n', ['c/a.yaml:18:1: warning: [suppression]'])
        self.check(package('a').replace('---\nschema: olm.bundle', '--- # opcat: ignore[icon]\r\nschema: olm.bundle'),
                   ['c/a.yaml:10:21: warning: [suppression]'])
        self.check(package('a').replace('---\nschema: olm.bundle', '--- # not # opcat: ignore[icon]\nschema: olm.bundle'), [])
        self.assertEqual(self.lines('--rule', 'suppression=off', 'c'), [])
        self.write('c/a.yaml', package('a') + '# opcat: ignore[icon]\n')
        self.assertEqual(self.lines('--rule', 'icon=off', 'c'), [])

    def test_after_ten_thousand_comments_the_rest_has_no_effect(self):
        comment = '# opcat: ignore[unknown-field]\n'
        text = package('a', 'more: 1\n').replace('---\nschema: olm.bundle', '---\n' + comment + 'schema: olm.bundle')
        self.write('c/a.yaml', comment * 9_998 + text)
        self.assertEqual(self.lines('--all', '--rule', 'suppression=off', 'c'), [])
        self.write('c/a.yaml', comment * 10_000 + text)
        found = self.lines('--all', 'c')
        self.assertEqual(found[-2:], ['c/a.yaml:10012:1: warning: [suppression]', 'c/a.yaml:10017:1: warning: [unknown-field]'])
        self.assertEqual(self.opcat('validate', '--all', '--format', 'json', 'c').json()['findings'][-2]['message'],
                         'opcat reads 10000 comments of this kind: the rest, from here on, has no effect')

    def test_only_comments_count(self):
        self.check(package('a').replace('defaultChannel: stable\n', 'defaultChannel: stable\ndescription: |\n  # opcat: ignore[icon]\n'), [])
        self.check(package('a').replace('defaultChannel: stable\n', 'defaultChannel: stable\ndescription: "# opcat: ignore[icon]"\n'), [])


class WhatDoesNotLoad(Case):
    def test_nothing_hides_an_error_because_of_which_rules_are_not_checked(self):
        self.write('c/a.yaml', package('a', versions=('1.0.0', '1.1.0')).replace('  replaces: a.v1.0.0\n', ''))
        self.assertIn('error: [channel-heads]', ' '.join(self.lines('c', status=1)))
        for text, rule, *hiding in (('# opcat: ignore[schema-missing]\na: 1\n', 'schema-missing'), ('a: [\n', 'syntax', '--rule', 'syntax=off'),
                                    ('a: [\n', 'syntax', '--rule', 'syntax=note'),
                                    ('schema: olm.channel\nname: [1]\n', 'field-type', '--rule', 'field-type=off'),
                                    ('a: 1\n', 'schema-missing', '--config', 'off.yaml')):
            self.write('off.yaml', 'overrides: [{paths: [c/z.yaml], rules: {schema-missing: off}}]\n')
            self.write('c/z.yaml', text)
            with self.subTest(text, hiding=hiding):
                found = self.lines(*hiding, 'c', status=1)
                self.assertIn(f'error: [{rule}]', ' '.join(found))

    def test_every_report_says_that_rules_were_not_checked(self):
        self.write('c/a.yaml', package('a').replace('name: stable', 'name: [1]'))
        self.opcat('validate', '--write-baseline', 'base.json', 'c')
        for form, words in (('json', '"check": "rules that need a complete catalog"'), ('junit', 'skipped="1"'), ('tekton', 'not checked: rules that need'),
                            ('sarif', 'not checked here: rules that need a complete catalog')):
            result = self.opcat('validate', '--baseline', 'base.json', '--format', form, 'c')
            self.assertIn(words, result.out, form)


class Baseline(Case):
    def setUp(self):
        super().setUp()
        self.write('c/a.yaml', package('a', 'more: 1\n', ('1.0.0', '1.1.0')))
        result = self.opcat('validate', '--write-baseline', 'base.json', 'c')
        self.assert_status(result, 0)
        self.assertEqual(result.err, '3 findings written to base.json\n')
        self.assertEqual(result.out, '')

    def test_what_it_has_is_not_reported(self):
        result = self.opcat('validate', '--strict', '--baseline', 'base.json', 'c')
        self.assert_status(result, 0)
        self.assertEqual(result.err, 'no findings (1 package checked), 3 in the baseline\n')

    def test_it_survives_moves(self):
        blobs = (self.dir / 'c/a.yaml').read_text().split('---\n')
        (self.dir / 'c/a.yaml').unlink()
        self.write('c/other.yaml', '# moved\n\n' + '---\n'.join(reversed(blobs)))
        self.assertEqual(self.lines('--baseline', 'base.json', 'c'), [])

    def test_what_is_new_is_reported(self):
        self.write('c/a.yaml', package('a', 'more: 1\nnew: 2\n', ('1.0.0', '1.1.0', '1.2.0')))
        self.assertEqual(len(self.lines('--all', '--baseline', 'base.json', 'c')), 5)

    def test_what_is_not_found_any_more_is_said_and_removed_on_request(self):
        before = json.loads((self.dir / 'base.json').read_text())
        self.write('c/a.yaml', package('a', 'more: 1\n', ('1.0.0', '1.1.0')).replace('more: 1\n', '', 1))
        result = self.opcat('validate', '--baseline', 'base.json', 'c')
        self.assertIn(', 2 in the baseline; 1 finding of the baseline not found: --prune-baseline removes it\n', result.err)
        self.assertEqual(json.loads((self.dir / 'base.json').read_text()), before)
        result = self.opcat('validate', '--baseline', 'base.json', '--prune-baseline', 'c')
        self.assert_status(result, 0)
        self.assertIn('1 finding removed from base.json\n', result.err)
        after = json.loads((self.dir / 'base.json').read_text())
        self.assertEqual(len(after['findings']), 2)
        self.assertEqual(after, {**before, 'findings': [finding for finding in before['findings'] if finding in after['findings']]})
        result = self.opcat('validate', '--baseline', 'base.json', '--prune-baseline', 'c')
        self.assertTrue(result.err.endswith(', 2 in the baseline\n0 findings removed from base.json\n'), result)

    def test_what_is_about_packages_that_were_not_checked_stays(self):
        self.write('c/b/b.yaml', package('b', 'more: 1\n'))
        self.opcat('validate', '--write-baseline', 'base.json', 'c')
        before = json.loads((self.dir / 'base.json').read_text())
        self.assertEqual(len(before['findings']), 5)
        self.write('c/b/b.yaml', package('b'))
        self.write('empty/.keep', '')
        for catalog, removed in (('empty', '0 findings'), ('c/a.yaml', '0 findings'), ('c/b', '2 findings'), ('c', '0 findings')):
            result = self.opcat('validate', '--allow-empty', '--baseline', 'base.json', '--prune-baseline', catalog)
            self.assertIn(f'{removed} removed from base.json', result.err, catalog)
        self.assertEqual([one['package'] for one in json.loads((self.dir / 'base.json').read_text())['findings']], ['a'] * 3)

    def test_a_baseline_is_not_pruned_where_findings_may_be_hidden(self):
        before = (self.dir / 'base.json').read_text()
        self.write('c/a.yaml', package('a').replace('name: stable', 'name: [1]'))
        result = self.opcat('validate', '--baseline', 'base.json', '--prune-baseline', 'c')
        self.assertIn('base.json was not pruned: not all findings could be looked for', result.err)
        self.assertNotIn('not found', result.err)
        self.assertNotEqual(result.status, 0)
        self.assertEqual((self.dir / 'base.json').read_text(), before)
        for arguments in ['--prune-baseline'], ['--prune-baseline', '--baseline', '-'], ['--prune-baseline', '--write-baseline', 'b']:
            self.assert_status(self.opcat('validate', *arguments, 'c'), 2)

    def test_it_loses_nothing_that_was_not_looked_for(self):
        self.write('own.cue', 'package own\n#Bundle: {\n\tschema: "olm.bundle"\n\towner!: string\n\t...\n}\n')
        self.write('own.yaml', 'rules:\n- {id: an-image, severity: warning, message: an image, sql: SELECT pull_spec FROM images}\n')
        self.write('c/a.yaml', package('a', 'more: 1\n'))
        for options, without in ((('--schema', 'own.cue'), ()), (('--config', 'own.yaml'), ()),
                                 ((), ('--rule', 'unknown-field=off'))):
            with self.subTest(options=options, without=without):
                self.opcat('validate', *options, '--write-baseline', 'base.json', 'c')
                before = (self.dir / 'base.json').read_text()
                result = self.opcat('validate', *without, '--baseline', 'base.json', '--prune-baseline', 'c')
                self.assertEqual((self.dir / 'base.json').read_text(), before)
                self.assertNotIn('not found', result.err)
                again = self.opcat('validate', *options, '--baseline', 'base.json', '--prune-baseline', 'c')
                self.assert_status(again, 0)
                self.assertIn('0 findings removed', again.err)

    def test_an_empty_one_is_pruned_of_nothing(self):
        self.write('base.json', '{"schema": "opcat.baseline.v1", "findings": []}')
        result = self.opcat('validate', '--baseline', 'base.json', '--prune-baseline', 'c')
        self.assert_status(result, 0)
        self.assertIn('0 findings removed', result.err)

    def test_another_mistake_at_the_place_of_a_known_one_is_reported(self):
        self.write('own.cue', 'package own\n#Bundle: {\n\tschema: "olm.bundle"\n\towner!: string\n\tteam!: string\n\t...\n}\n')
        self.write('own.yaml', 'rules:\n- {id: an-image, severity: error, message: an image, sql: "SELECT pull_spec FROM images"}\n')
        bundle = package('a').replace('schema: olm.bundle\n', 'schema: olm.bundle\nteam: x\n')
        for options, before, after in ((('--schema', 'own.cue'), bundle, bundle.replace('team: x', 'owner: x')),
                                       (('--config', 'own.yaml'), package('a'), package('a').replace('image: ', 'image: other.'))):
            with self.subTest(options):
                self.assertNotEqual(before, after)
                self.write('c/a.yaml', before)
                self.opcat('validate', *options, '--write-baseline', 'base.json', 'c')
                self.assert_status(self.opcat('validate', *options, '--baseline', 'base.json', 'c'), 0)
                self.write('c/a.yaml', after)
                self.assert_status(self.opcat('validate', *options, '--baseline', 'base.json', 'c'), 1)

    def test_a_file_that_is_no_catalog_is_reported_all_the_same(self):
        for text in ('schema: olm.channel\nname: [\n', '- schema: olm.package\n'):
            with self.subTest(text):
                self.write('c/x.yaml', text)
                self.opcat('validate', '--write-baseline', 'all.json', 'c')
                (self.dir / 'c/x.yaml').rename(self.dir / 'c/y.yaml')
                result = self.opcat('validate', '--baseline', 'all.json', 'c')
                self.assert_status(result, 1)
                self.assertIn('c/y.yaml:', result.out)
                (self.dir / 'c/y.yaml').unlink()

    def test_a_known_cause_does_not_hide_what_is_new(self):
        typo = package('a', '', ('1.0.0', '1.1.0')).replace('- name: a.v1.0.0\n', '- name: a.v1.0.0\n  replces: a.v0.9.0\n')
        self.write('c/a.yaml', typo)
        self.opcat('validate', '--write-baseline', 'typo.json', 'c')
        self.assert_status(self.opcat('validate', '--baseline', 'typo.json', 'c'), 0)
        self.write('c/a.yaml', typo.replace('  replaces: a.v1.0.0\n', ''))
        for more in (), ('--all',), ('--format', 'json'):
            result = self.opcat('validate', '--baseline', 'typo.json', *more, 'c')
            self.assertIn('channel-heads', result.out, more)
            self.assert_status(result, 1)
        self.opcat('validate', '--write-baseline', 'typo.json', 'c')
        self.assert_status(self.opcat('validate', '--baseline', 'typo.json', 'c'), 0)

    def test_it_is_in_an_order_of_its_own(self):
        first = (self.dir / 'base.json').read_text()
        self.write('d/x.yaml', '---\n'.join(reversed((self.dir / 'c/a.yaml').read_text().split('---\n'))))
        self.opcat('validate', '--write-baseline', 'base.json', 'd')
        self.assertEqual((self.dir / 'base.json').read_text(), first)
        self.assertEqual(json.loads(first)['findings'][0]['rule'], 'unknown-field')

    def test_sarif_and_gitlab_have_the_same_fingerprints(self):
        known = {f['fingerprint'] for f in json.loads((self.dir / 'base.json').read_text())['findings']}
        results = self.opcat('validate', '--format', 'sarif', 'c').json()['runs'][0]['results']
        self.assertEqual({r['partialFingerprints']['opcat/v1'] for r in results}, known)
        gitlab = self.opcat('validate', '--format', 'gitlab', 'c').json()
        self.assertEqual({r['fingerprint'] for r in gitlab}, known)
        self.assertEqual(gitlab[0]['location'], {'path': 'c/a.yaml', 'lines': {'begin': 4}})
        self.assertEqual((gitlab[0]['check_name'], gitlab[0]['severity']), ('unknown-field', 'minor'))

    def test_another_file_is_refused(self):
        for text, reported in (('{"schema": "opcat.baseline.v9", "findings": []}', 'base.json:1:12: error: the schema of this baseline is '
                            '"opcat.baseline.v9", and this version of opcat reads opcat.baseline.v1 [baseline]'),
                           ('{"findings": []}', 'base.json:1:1: error: this is not a baseline'),
                           ('{"schema": "opcat.baseline.v1", "findings": [{"fingerprint": "x"}]}', 'base.json:1:62: error: a finding'),
                           ('{"schema": "opcat.baseline.v1"}', 'base.json:1:1: error: the baseline has no findings'),
                           ('{', 'base.json:1:1: error: ')):
            self.write('base.json', text)
            result = self.opcat('validate', '--baseline', 'base.json', 'c')
            self.assert_status(result, 2)
            self.assertIn(reported, result.err)


@unittest.skipUnless(shutil.which('git'), 'git is not installed')
class ChangedSince(Case):
    def setUp(self):
        super().setUp()
        for name in 'ab':
            self.write(f'r/c/{name}.yaml', package(name, 'more: 1\n'))
        self.git('init', '-q', '-b', 'main')
        self.commit('one')

    def git(self, *arguments):
        identity = {'GIT_AUTHOR_NAME': 'a', 'GIT_AUTHOR_EMAIL': 'a@b', 'GIT_COMMITTER_NAME': 'a', 'GIT_COMMITTER_EMAIL': 'a@b'}
        not_the_users = {'GIT_CONFIG_GLOBAL': '/dev/null', 'GIT_CONFIG_NOSYSTEM': '1'}
        subprocess.run(['git', '-C', self.dir / 'r', *arguments], check=True, capture_output=True, env={**os.environ, **identity, **not_the_users})

    def commit(self, message):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', message)

    def files(self, *arguments):
        return sorted({line.split(':')[0] for line in self.lines('--changed-since', *arguments)})

    def test_only_packages_whose_files_changed(self):
        self.assertEqual(self.files('HEAD', 'r/c'), [])
        self.write('r/c/b.yaml', package('b', 'more: 1\n') + '# changed\n')
        self.assertEqual(self.files('HEAD', 'r/c'), ['r/c/b.yaml'])
        self.assertEqual(self.files('HEAD', 'r/c/b.yaml'), ['r/c/b.yaml'])
        self.commit('two')
        self.assertEqual(self.files('HEAD', 'r/c'), [])
        self.assertEqual(self.files('HEAD~1', 'r/c'), ['r/c/b.yaml'])
        self.write('r/c/new.yaml', package('nn', 'more: 1\n'))
        self.assertEqual(self.files('main', 'r/c'), ['r/c/new.yaml'])

    def test_what_is_left_out_is_counted(self):
        self.write('r/c/a.yaml', package('a', 'more: 1\n').replace('defaultChannel: ', 'defaultChannel: not-'))
        self.commit('two')
        self.write('r/c/b.yaml', package('b', 'more: 1\n') + '# changed\n')
        self.assertRegex(self.opcat('validate', '--changed-since', 'HEAD', 'r/c').err, r', \d+ about what has not changed \(1 error\)')
        summary = self.opcat('validate', '--changed-since', 'HEAD', '--format', 'json', 'r/c').json()['summary']
        self.assertEqual(summary['unchangedErrors'], 1)
        self.assertGreater(summary['unchanged'], 1)

    def test_a_package_that_lost_a_file_has_changed(self):
        blobs = package('b', 'more: 1\n').split('---\n')
        self.write('r/c/b.yaml', '---\n'.join(blobs[:2]))
        self.write('r/c/b-bundles.yaml', blobs[2])
        self.commit('two')
        (self.dir / 'r/c/b-bundles.yaml').unlink()
        result = self.opcat('validate', '--changed-since', 'HEAD', '--format', 'concise', 'r/c')
        self.assert_status(result, 1)
        self.assertIn('[entry-without-bundle]', result.out)
        self.assertNotIn('a.yaml', result.out)

    def test_what_a_changed_indexignore_no_longer_leaves_out_has_changed(self):
        self.write('r/.indexignore', 'c/b.yaml\n')
        self.commit('two')
        self.assertEqual(self.files('HEAD', 'r'), [])
        self.write('r/.indexignore', '# nothing\n')
        self.assertEqual(self.files('HEAD', 'r'), ['r/c/a.yaml', 'r/c/b.yaml'])

    def test_an_error_elsewhere_that_hides_others_is_reported(self):
        self.write('r/c/broken.yaml', 'schema: [\n')
        self.commit('two')
        self.write('r/c/b.yaml', package('b', 'more: 1\n').replace('defaultChannel: ', 'defaultChannel: not-'))
        result = self.opcat('validate', '--changed-since', 'HEAD', 'r/c')
        self.assert_status(result, 1)
        self.assertIn('r/c/broken.yaml:2:1: error', result.out)

    def test_deprecations_and_blobs_without_a_package(self):
        self.write('r/c/deprecations.yaml', 'schema: olm.deprecations\npackage: b\nentries: []\n')
        self.write('r/c/notes.yaml', 'schema: example.note\npackage: ""\n')
        self.commit('two')
        self.assertEqual(self.files('HEAD', 'r/c'), [])
        self.write('r/c/deprecations.yaml', 'schema: olm.deprecations\npackage: b\nentries: [] # changed\n')
        self.assertEqual(self.files('HEAD', 'r/c'), ['r/c/b.yaml'])
        self.commit('three')
        self.write('r/c/notes.yaml', 'schema: example.note\npackage: "" # changed\n')
        self.assertEqual(self.files('HEAD', 'r/c'), ['r/c/notes.yaml'])

    def test_histories_that_have_nothing_in_common(self):
        self.git('checkout', '-q', '--orphan', 'other')
        self.commit('another beginning')
        result = self.opcat('validate', '--changed-since', 'main', 'r/c')
        self.assert_status(result, 2)
        self.assertIn('error: the history of HEAD and of "main" has no commit in common\n', result.err)

    def test_another_branch_may_have_gone_on(self):
        self.git('checkout', '-q', '-b', 'work')
        self.write('r/c/b.yaml', package('b', 'more: 2\n'))
        self.commit('work')
        self.git('checkout', '-q', 'main')
        self.write('r/c/a.yaml', package('a', 'more: 2\n'))
        self.commit('main')
        self.git('checkout', '-q', 'work')
        self.assertEqual(self.files('main', 'r/c'), ['r/c/b.yaml'])

    def test_what_git_cannot_tell(self):
        for revision, reported in (('absent', 'git does not have commit "absent"'), ('--all', 'git does not have commit "--all"')):
            result = self.opcat('validate', f'--changed-since={revision}', 'r/c')
            self.assert_status(result, 2)
            self.assertIn(reported, result.err)
        self.write('plain/a.yaml', package('a'))
        result = self.opcat('validate', '--changed-since', 'HEAD', 'plain', env={'GIT_CEILING_DIRECTORIES': str(self.dir)})
        self.assert_status(result, 3)
        self.assertIn('cannot find out what changed in plain: git fails in plain: ', result.err)
        self.assert_status(self.opcat('validate', '--changed-since', 'HEAD', '-'), 2)
        result = self.opcat('validate', '--changed-since', 'HEAD', 'r/c', env={'PATH': '/nowhere'})
        self.assert_status(result, 3)
        self.assertIn('cannot run git', result.err)


if __name__ == '__main__':
    unittest.main()
