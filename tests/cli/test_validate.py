"""opcat validate and explain: all mistakes at once, each with its place."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from opcat_case import BINARY, CATALOGS, ROOT, TESTDATA, OpcatCase


class Validate(OpcatCase):
    def test_a_good_catalog(self):
        result = self.opcat('validate', CATALOGS / 'hello')
        self.assert_status(result, 0)
        self.assertEqual(result.out, '')
        self.assertEqual(result.err, 'no findings (1 package checked)\n')

    def test_findings_go_to_stdout_by_line_and_the_summary_to_stderr(self):
        result = self.run_in_catalogs('validate', 'two-heads')
        self.assert_status(result, 1)
        self.assertEqual(result.out, '''\
two-heads/index.yaml:14:5: error: a channel entry has no field "replces" [unknown-field]
   14 |     replces: greeter.v0.2.0
      |     ^~~~~~~
  help: did you mean replaces?
two-heads/index.yaml:38:44: error: olm.package.version must be a string, not a number [property-value]
   38 |     value: {packageName: greeter, version: 0.3}
      |                                            ^~~
  help: write 0.3.0
''')
        self.assertEqual(result.err, '2 errors in 1 file (1 package checked), 1 consequence left out (--all shows it); 2 can be corrected by --fix\n')

    def test_what_offers_nothing_is_not_well(self):
        for schema, rule in ('olm.template.semver', 'empty-catalog'), ('olm.template.raw', 'empty-catalog'), ('olm.sember', 'unknown-schema'):
            result = self.opcat('validate', self.write('t.yaml', f'schema: {schema}\nstable: {{bundles: [{{image: r.example/x:v1}}]}}\n'))
            self.assert_status(result, 1)
            self.assertIn(f'[{rule}]', result.out)

    def test_bundles_that_were_not_read_are_said_in_every_form(self):
        template = self.write('t.yaml', 'schema: olm.semver\nstable:\n  bundles:\n  - image: r.example/x:v1\n')
        for form in 'text', 'json', 'sarif', 'gitlab', 'junit', 'tekton', 'github', 'concise':
            result = self.opcat('validate', template, '--format', form)
            self.assertIn('bundles of the template', result.err, form)
            self.assertEqual(result.err.count('bundles of the template'), 1, form)
        self.assertTrue(self.opcat('validate', template, '--format', 'json').json()['summary']['bundlesNotRead'])
        self.assertIn('not checked: rules about bundles', self.opcat('validate', template, '--format', 'tekton').json()['note'])
        self.assertIn('name="rules about bundles">\n      <skipped', self.opcat('validate', template, '--format', 'junit').out)
        self.assertIn('not checked here: rules about bundles', self.opcat('validate', template, '--format', 'sarif').out)

    def test_one_mistake_in_a_channel_is_one_finding(self):
        bundles = ''.join(f'---\nschema: olm.bundle\npackage: foo\nname: foo.v1.{i}.0\nimage: r.example/foo:v1.{i}.0\nproperties:\n'
                          f'- type: olm.package\n  value: {{packageName: foo, version: 1.{i}.0}}\n' for i in range(3))
        for entries, rule in (('[]', 'channel-empty'),
                              ('[{name: foo.v1.0.0}, {name: foo.v1.1.0, replaces: foo.v1.2.0}, {name: foo.v1.2.0, replaces: foo.v1.1.0}]', 'replaces-newer'),
                              ('[{name: foo.v1.0.0, replaces: foo.v1.2.0}, {name: foo.v1.1.0, replaces: foo.v1.0.0}, {name: foo.v1.2.0, replaces: foo.v1.1.0}]',
                               'channel-head')):
            self.write('c/c.yaml', 'schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\n'
                       f'entries: {entries}\n' + bundles)
            result = self.opcat('validate', '--format', 'json', 'c')
            self.assert_status(result, 1)
            self.assertEqual([(f['rule'], f['severity']) for f in result.json()['findings'] if f['severity'] != 'note'], [(rule, 'error')])

    def test_references_with_commas_between_them_get_a_hint(self):
        result = self.run_in_catalogs('render', 'hello,two-heads')
        self.assert_status(result, 3)
        self.assertIn('help: write blanks between several references: hello two-heads', result.err)

    def test_a_reference_that_is_not_available_hides_nothing(self):
        result = self.opcat('validate', 'absent', CATALOGS / 'two-heads', 'gone')
        self.assert_status(result, 3)
        for reported in ('cannot read absent: ', 'cannot read gone: ', 'replces'):
            self.assertIn(reported, result.out)

    def test_a_reference_that_cannot_be_one_is_wrong_use(self):
        for references in (('docker://NOT-AN-IMAGE',), ('docker://NOT-AN-IMAGE', CATALOGS / 'two-heads')):
            result = self.opcat('validate', *references)
            self.assert_status(result, 2)
            self.assertEqual(result.out, '')
            self.assertIn('"docker://NOT-AN-IMAGE" is not an image: ', result.err)

    def test_nothing_is_not_a_catalog(self):
        (self.dir / 'empty').mkdir()
        result = self.opcat('validate', 'empty')
        self.assert_status(result, 1)
        self.assertIn('error: empty is empty: it has neither a package nor a channel nor a bundle [empty-catalog]', result.out)
        self.assertEqual(result.err, '1 error (0 packages checked)\n')
        result = self.opcat('validate', '--allow-empty', 'empty')
        self.assert_status(result, 0)
        self.assertEqual(result.err, 'no findings (0 packages checked)\n')
        result = self.opm('validate', 'empty')
        self.assert_status(result, 0)
        self.assertEqual(result.out + result.err, '')

    def test_an_empty_value_is_one_finding(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        bundle = '---\nschema: olm.bundle\npackage: hello\nname: hello.v9.0.0\nimage: r.example/hello:v9\nproperties:\n'
        deprecation = '---\nschema: olm.deprecations\npackage: hello\nentries:\n- reference: {schema: olm.bundle, name: hello.v1.0.0}\n  message: ""\n'
        for blob, rule in (bundle, 'package-property'), (deprecation, 'deprecation-message'):
            self.write('c/a.yaml', text + blob)
            found = [f for f in self.opcat('validate', '--format', 'json', 'c').json()['findings'] if f['severity'] in ('error', 'warning')]
            self.assertEqual([f['rule'] for f in found if f['rule'] != 'bundle-without-channel'], [rule])
            self.assertNotIn('schema', [f['rule'] for f in found])

    def test_a_version_with_more_than_its_name_is_a_note(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        self.assertIn('version: 1.1.0', text)
        for version in '1.1.0-rc1', '1.1.0+1':
            self.write('c/a.yaml', text.replace('version: 1.1.0', f'version: {version}'))
            found = self.opcat('validate', '--format', 'json', 'c').json()['findings']
            self.assertIn(('note', 'version-unlike-name'), [(f['severity'], f['rule']) for f in found])

    def test_watch_checks_again_when_a_file_has_changed(self):
        shutil.copytree(CATALOGS / 'hello', self.dir / 'c')
        (self.dir / 'c/.git').mkdir()
        self.write('c/.indexignore', '.opcat.yaml\n')
        child = subprocess.Popen([BINARY, 'validate', '--watch', 'c'], cwd=self.dir, env=self.environment(), stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)

        def read_run():
            text = ''
            for line in child.stdout:
                text += line
                if 'waiting for changes' in line:
                    break
            return text
        self.assertIn('no findings (1 package checked)\nchecked at ', read_run())
        self.write('c/.git/index', 'not looked at')
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        self.write('c/catalog.yaml', text.replace('defaultChannel: ', 'defaultChannel: no'))
        self.assertIn('[default-channel]', read_run())
        self.write('c/.opcat.yaml', 'rules: {default-channel: nonsense}\n')
        self.assertIn('c/.opcat.yaml:1:26: error: ', read_run())
        self.write('c/.opcat.yaml', 'rules: {default-channel: off}\n')
        self.assertIn('no findings (1 package checked)\n', read_run())
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(30), -signal.SIGINT)
        for arguments in ['-'], ['docker://r.example/c:v1'], ['--fix', 'c'], ['--write-baseline', 'b', 'c']:
            self.assert_status(self.opcat('validate', '--watch', *arguments), 2)

    def test_a_separator_too_many_is_one_finding_at_its_line(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        for field, blob in ('description:', 'olm.package "hello"'), ('entries:', 'olm.channel "stable"'), ('properties:', 'olm.bundle "hello.v1.0.0"'):
            at = text.index('\n' + field) + 1
            self.write('c/a.yaml', text[:at] + '---\n' + text[at:])
            result = self.opcat('validate', 'c')
            line = text[:at].count('\n') + 1
            self.assertTrue(result.out.startswith(f'c/a.yaml:{line}:1: error: this line cuts the {blob} before it in two [schema-missing]\n'), result)
            self.assertEqual(result.out.count(': error: ') + result.out.count(': warning: '), 1, result)

    def test_a_directory_of_catalogs_gets_one_sentence(self):
        for version in 'v4.14', 'v4.16':
            shutil.copytree(CATALOGS / 'two-heads', self.dir / 'all' / version)
        result = self.opcat('validate', 'all')
        self.assert_status(result, 1)
        self.assertEqual(result.out, 'error: all is not one catalog but holds 2 catalogs: v4.14 and v4.16, which define the same '
                         'package [several-catalogs]\n  help: check each by itself: opcat validate all/v4.14 all/v4.16\n')
        self.assertEqual(result.err, '1 error (1 package checked)\n')
        self.assertIn('[package-duplicate]', self.opm('validate', 'all').err)

    def test_packages_are_counted_once_and_only_those_that_are_defined(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        name = re.search(r'schema: olm.package\nname: (\S+)', text)[1]
        self.write('c/a.yaml', text)
        self.write('c/b.yaml', f'schema: olm.package\nname: {name}\n')
        self.write('c/c.yaml', 'schema: olm.channel\npackage: other\nname: stable\n')
        self.assertIn('(1 package checked)', self.opcat('validate', 'c').err)
        self.assertIn('(1 bundle checked)', self.opcat('validate', TESTDATA / 'bundles/widgets').err)
        self.assertIn('(1 package and 1 bundle checked)',
                      self.opcat('validate', TESTDATA / 'bundles/widgets', CATALOGS / 'hello').err)

    def test_the_summary_says_when_not_all_rules_could_be_checked(self):
        hello = (CATALOGS / 'hello/catalog.yaml').read_text()
        self.write('c/a.yaml', hello)
        self.write('c/b.yaml', 'schema: olm.channel\nname: [stable]\n')
        result = self.opcat('validate', 'c')
        self.assert_status(result, 1)
        self.assertEqual(result.err, '1 error in 1 file (1 package checked, without the rules that need a complete catalog)\n')
        self.write('c/b.yaml', hello.replace('hello', 'other'))
        self.assertNotIn('without', self.opcat('validate', 'c').err)

    def test_a_key_that_is_given_twice_is_a_warning_also_where_a_blob_does_not_load(self):
        self.write('c/a.yaml', 'schema: olm.package\nname: p\nname: q\ndefaultChannel: [c]\n')
        result = self.opcat('validate', 'c')
        self.assertIn('c/a.yaml:3:1: warning: name is given twice [key-duplicate]', result.out)
        self.write('c/a.yaml', 'schema: example.com/note\na: {b: 1, b: 2}\n')
        self.assertIn('the one before it at c/a.yaml:2:5', self.opcat('validate', 'c').out)
        self.write('c/a.yaml', '{"schema": "example.com/note",\n"a": 1,\n"a": 2,}\n')
        result = self.opcat('validate', 'c')
        self.assert_status(result, 0)
        self.assertIn('[key-duplicate]', result.out)
        self.assertIn('[json-as-yaml]', result.out)
        for command in ('validate', 'c'), ('render', 'c'):
            result = self.opm(*command)
            self.assert_status(result, 0)
            self.assertEqual(result.err, '')

    def test_what_resolve_would_refuse_is_a_warning(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        self.write('c/a.yaml', text.replace('properties:\n', 'properties:\n  - type: olm.package.required\n'
                                            '    value: {packageName: other, versionRange: banana}\n', 1))
        result = self.opcat('validate', 'c')
        self.assert_status(result, 0)
        self.assertRegex(result.out, r'warning: OLM classic cannot use this olm.package.required .*banana.* \[dependency\]')
        self.assertEqual(self.opm('validate', 'c').err, '')

    def run_in_catalogs(self, *arguments):
        self.dir, before = CATALOGS, self.dir
        try:
            return self.opcat(*arguments)
        finally:
            self.dir = before

    def test_quiet_prints_nothing_but_errors(self):
        for form in ('text', 'github'):
            result = self.opcat('validate', '-q', '--format', form, CATALOGS / 'two-heads')
            self.assert_status(result, 1)
            self.assertIn('property-value', result.out)
            self.assertEqual(result.err, '')
        self.write('c/a.yaml', 'schema: x\n...\nunread\n')
        self.assertIn('warning:', self.opcat('render', 'c').err)
        self.assertEqual(self.opcat('render', '-q', 'c').err, '')
        complete = self.opcat('validate', '-q', '--format', 'json', CATALOGS / 'two-heads').json()
        self.assertEqual(complete['summary'], {'errors': 2, 'warnings': 0, 'notes': 0, 'consequences': 1, 'suppressed': 0, 'known': 0})

    def test_warnings_fail_only_with_strict(self):
        self.write('c/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: c\nextra: 1\n---\nschema: olm.channel\npackage: p\n'
                   'name: c\nentries:\n- name: b\n---\nschema: olm.bundle\npackage: p\nname: b\nimage: r.example/b\nproperties:\n'
                   '- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n')
        result = self.opcat('validate', 'c')
        self.assert_status(result, 0)
        self.assertIn('c/a.yaml:4:1: warning:', result.out)
        result = self.opcat('validate', '--strict', 'c')
        self.assert_status(result, 1)
        self.assertIn('c/a.yaml:4:1: error:', result.out)
        self.assert_status(self.opm('validate', 'c'), 0)

    def test_json(self):
        result = self.opcat('validate', '--format', 'json', CATALOGS / 'two-heads')
        self.assert_status(result, 1)
        self.assertEqual(result.err, '')
        report = result.json()
        self.assertEqual(report['schema'], 'opcat.findings.v1')
        self.assertEqual(report['summary'], {'errors': 2, 'warnings': 0, 'notes': 0, 'consequences': 1, 'suppressed': 0, 'known': 0})
        first = report['findings'][0]
        self.assertEqual((first['rule'], first['severity']), ('unknown-field', 'error'))
        self.assertTrue(first['file'].endswith('two-heads/index.yaml'))
        self.assertEqual(first['range']['start']['line'], 14)
        heads = self.opcat('validate', '--all', '--format', 'json', CATALOGS / 'two-heads').json()['findings'][0]
        self.assertEqual((heads['rule'], heads['severity']), ('channel-heads', 'error'))
        self.assertEqual(heads['range'], {'start': {'line': 13, 'column': 11, 'offset': 213},
                                          'end': {'line': 13, 'column': 25, 'offset': 227}})
        self.assertEqual(heads['notes'][0]['range']['start']['line'], 11)
        self.assertIn('help', first)

    def test_opm_json(self):
        result = self.opm('validate', '-o', 'json', CATALOGS / 'two-heads')
        self.assert_status(result, 1)
        self.assertFalse(result.json()['passed'])
        self.assertIn('two heads', result.json()['error']['message'])

    def test_opm_reports_only_errors_and_on_stderr(self):
        result = self.opm('validate', CATALOGS / 'two-heads')
        self.assert_status(result, 1)
        self.assertEqual(result.out, '')
        self.assertIn('[channel-heads]', result.err)
        self.assertNotIn('warning', result.err)

    def test_several_catalogs_are_checked_each_for_itself(self):
        result = self.opcat('validate', CATALOGS / 'hello', CATALOGS / 'hello')
        self.assert_status(result, 0)
        self.assertIn('2 packages checked', result.err)

    def test_missing_parts_of_an_unreadable_file_are_not_reported(self):
        self.write('c/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: c\n')
        self.write('c/b.yaml', 'schema: olm.channel: x\n')
        result = self.opcat('validate', 'c')
        self.assert_status(result, 1)
        self.assertIn('[syntax]', result.out)
        self.assertNotIn('[default-channel]', result.out)

    def test_a_bundle_by_itself_needs_no_package(self):
        result = self.opcat('validate', '--severity', 'note', TESTDATA / 'bundles/widgets')
        self.assert_status(result, 0)
        self.assertIn('[image-without-digest]', result.out)
        self.assertNotIn('warning', result.out)
        self.assert_status(self.opcat('validate', '--strict', TESTDATA / 'bundles/widgets'), 0)
        shutil.copytree(TESTDATA / 'bundles/widgets', self.dir / 'b')
        self.write('b/manifests/role.yaml', 'a: b\n')
        (self.dir / 'b/manifests/widgets.example.com.crd.yaml').unlink()
        result = self.opcat('validate', 'b')
        self.assert_status(result, 1)
        self.assertIn('b/manifests/role.yaml:1:1: warning: role.yaml is skipped: it has no kind [bundle-file]', result.out)
        self.assertIn('[bundle-crd]', result.out)
        self.assertEqual(result.out.count(': error: '), 1)

    def test_what_cannot_be_part_of_a_catalog_is_named_and_never_waited_for(self):
        self.write('c/a.yaml', 'schema: x\n')
        os.mkfifo(self.dir / 'c/fifo')
        os.symlink('/dev/zero', self.dir / 'c/zero')
        os.symlink('.', self.dir / 'c/loop')
        result = self.opcat('validate', 'c', timeout=600)
        self.assert_status(result, 3)
        for name in ('fifo', 'zero', 'loop'):
            self.assertIn(name, result.out)
        self.assertEqual(result.out.count('[file]'), 3)

    def test_names_and_texts_cannot_command_the_terminal(self):
        self.write('c/evil\x1b]0;x\x07.yaml', 'schema: olm.package\nname: "\\e[2Jx"\n')
        result = self.opcat('validate', 'c')
        self.assert_status(result, 1)
        self.assertNotIn('\x1b', result.out + result.err)

    def test_wrong_input_of_all_kinds_is_reported(self):
        cases = {
            'binary': bytes(range(256)) * 100,
            'laughs': 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n' + ''.join(
                f'a{i}: &a{i} [{",".join([f"*a{i-1}"] * 10)}]\n' for i in range(1, 12)),
            'deep.json': '{"a":' * 100_000,
            'deep.yaml': '[' * 100_000,
            'brackets': '{"schema":"x","a":' + '[' * 9_990 + ']' * 9_990 + '}',
            'one-line': '{"schema":"olm.channel","entries":[' + ','.join(['{"name":1}'] * 20_000) + ']}',
        }
        for name, text in cases.items():
            with self.subTest(name):
                self.write(f'{name}/file', text)
                result = self.opcat('validate', name)
                # What is left out because of a limit may have other mistakes.
                beyond_a_limit = name in ('laughs', 'deep.json', 'deep.yaml')
                self.assert_status(result, 0 if name == 'brackets' else 3 if beyond_a_limit else 1)

    def test_many_findings_of_a_rule_in_a_file_are_counted_everywhere(self):
        n = 1500
        self.write('c/a.yaml', 'schema: olm.package\nname: foo\ndefaultChannel: c\n' + 'description: x\n' * (n + 1))
        self.write('c/b.yaml', '---\nschema: olm.channel\npackage: foo\nname: c\nentries: [{name: foo.v1}]\n' + ''.join(
            f'---\nschema: olm.bundle\npackage: foo\nname: foo.w{i}\nimage: r.example/x:1\nproperties: [{{type: olm.package, '
            f'value: {{packageName: foo, version: 1.0.{i}}}}}]\n' for i in range(n)))
        result = self.opcat('validate', 'c', '--all')
        self.assert_status(result, 1)
        self.assertIn('and 500 more findings of this rule in this file [key-duplicate]', result.out)
        self.assertIn('and 500 more findings of this rule in this file [bundle-without-channel]', result.out)
        self.assertIn(f'{n + 1} errors, {n} warnings', result.err)
        report = json.loads(self.opcat('validate', 'c', '--all', '--format', 'json').out)
        self.assertEqual((report['summary']['errors'], report['summary']['warnings']), (n + 1, n))
        self.assertEqual(sum(f.get('count', 1) for f in report['findings'] if f['rule'] == 'key-duplicate'), n)
        sarif = json.loads(self.opcat('validate', 'c', '--format', 'sarif').out)['runs'][0]['results']
        self.assertEqual(sum(r.get('occurrenceCount', 1) for r in sarif if r['ruleId'] == 'bundle-without-channel'), n)
        self.assertIn('and 500 more', self.opcat('validate', 'c', '--format', 'junit').out)
        self.assertIn(f'{2 * n + 1} findings written', self.opcat('validate', 'c', '--write-baseline', 'known').err)
        again = self.opcat('validate', 'c', '--baseline', 'known')
        self.assert_status(again, 0)
        self.assertIn(f'{2 * n + 1} in the baseline', again.err)
        # One more is new, although it is among those that are only counted.
        self.write('c/a.yaml', 'schema: olm.package\nname: foo\ndefaultChannel: c\n' + 'description: x\n' * (n + 2))
        self.assertIn('and 501 more', self.opcat('validate', 'c', '--baseline', 'known').out)

    def test_what_is_left_out_because_of_its_size_is_an_error_that_nothing_hides(self):
        # 1,200 channels of a package that has 1,500 bundles.
        entries = ', '.join(f'{{name: foo.v{i}' + (f', replaces: foo.v{i - 1}}}' if i else '}') for i in range(1500))
        self.write('c/c.yaml', 'schema: olm.package\nname: foo\ndefaultChannel: c0\n# opcat: ignore[limit] x\n' + ''.join(
            f'---\nschema: olm.channel\npackage: foo\nname: c{i}\nentries: [{entries if i == 0 else "{name: foo.v0}"}]\n'
            for i in range(1200)) + ''.join(
            f'---\nschema: olm.bundle\npackage: foo\nname: foo.v{i}\nimage: r.example/x:1\nproperties: [{{type: olm.package, '
            f'value: {{packageName: foo, version: 1.0.{i}}}}}]\n' for i in range(1500)))
        for more in ([], ['--rule', 'limit=off']):
            result = self.opcat('validate', 'c', *more)
            self.assert_status(result, 3)
            self.assertIn('the upgrades of package "foo" are not checked: 1200 channels of 1500 bundles are too many [limit]',
                          result.out)
        self.assert_status(self.opcat('validate', 'c', '--write-baseline', 'known'), 3)
        self.assert_status(self.opcat('validate', 'c', '--baseline', 'known'), 3)

    def test_every_depth_that_is_read_can_be_written(self):
        self.write('c/a.json', '{"schema":"x","a":' + '[' * 9_998 + ']' * 9_998 + '}')
        for form in ('json', 'yaml'):
            self.assert_status(self.opcat('render', 'c', '-o', form), 0)


class Explain(OpcatCase):
    def test_a_rule(self):
        result = self.opcat('explain', 'channel-heads')
        self.assert_status(result, 0)
        self.assertTrue(result.out.startswith('channel-heads (error): '), result)

    def test_all_rules_are_listed(self):
        listed = self.opcat('explain')
        self.assert_status(listed, 0)
        for line in listed.out.splitlines():
            rule = line.split()[0]
            self.assertIn(line.split(maxsplit=2)[2], ' '.join(self.opcat('explain', rule).out.split()))

    def test_an_unknown_rule(self):
        result = self.opcat('explain', 'chanel-heads')
        self.assert_status(result, 2)
        self.assertEqual(result.err, 'error: there is no rule "chanel-heads"\n  help: did you mean channel-heads or channel-head?\n')
        self.assertIn('lists all rules', self.opcat('explain', 'nonsense').err)

    def test_the_page_of_documentation_is_up_to_date(self):
        page = (ROOT / 'docs/rules.md').read_text()
        self.assertEqual(self.opcat('explain', '--markdown').out, page, 'run: opcat explain --markdown > docs/rules.md')


if __name__ == '__main__':
    unittest.main()
