"""The name opm: every command and flag of opm works, or is answered with its replacement."""
import base64
import json
import re
import unittest

from opcat_case import BINARY, CATALOGS, ROOT, TESTDATA, OpcatCase
from opm_commands import ANSWERED, GLOBAL, SERVED

# The other arguments that each command needs.
ARGUMENTS = {
    'serve': [CATALOGS / 'hello', '--cache-only'],
    'render': [CATALOGS / 'hello'],
    'validate': [CATALOGS / 'hello'],
    'init': ['p'],
    'migrate': [CATALOGS / 'hello', 'out'],
    'generate dockerfile': ['catalog'],
    'alpha list packages': [CATALOGS / 'hello'],
    'alpha list channels': [CATALOGS / 'hello'],
    'alpha list bundles': [CATALOGS / 'hello'],
    'alpha render-graph': [CATALOGS / 'hello'],
    'alpha render-template': ['basic', 'template.yaml'],
    'alpha convert-template basic': ['catalog/catalog.yaml'],
    'alpha convert-template substitutes': ['catalog/catalog.yaml'],
    'alpha bundle validate': ['--tag', 'oci:layout'],
    'version': [],
}


class OpmTree(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('FILE', '<svg xmlns="http://www.w3.org/2000/svg"/>')
        self.write('catalog/catalog.yaml', (CATALOGS / 'hello/catalog.yaml').read_text())
        self.write('template.yaml', 'schema: olm.template.basic\nentries: []\n')
        self.write_layout('layout', TESTDATA / 'bundles/widgets')

    def test_what_opm_does_not_take_is_refused_under_its_name_only(self):
        bundle = TESTDATA / 'bundles/widgets'
        self.write('bundle.yaml', f'schema: olm.template.basic\nentries: [{{schema: olm.bundle, image: {bundle}}}]\n')
        for opm, opcat, reported in ((('validate', bundle), ('validate', bundle), 'a blob needs a schema'),
                                 (('validate', 'FILE'), None, 'FILE is not a directory'),
                                 (('validate', 'absent'), None, 'cannot read absent: no such file'),
                                 (('alpha', 'list', 'packages', bundle), ('list', 'packages', bundle), 'the bundle directory'),
                                 (('alpha', 'list', 'channels', 'FILE'), None, 'cannot render file: a file must be an index database'),
                                 (('alpha', 'list', 'channels', CATALOGS / 'hello', 'helo'), None, 'package "helo" not found\n  help: did you mean hello?'),
                                 (('serve', 'FILE'), None, 'cannot serve file: it is not a directory'),
                                 (('serve', 'absent'), None, 'cannot serve absent: no such file or directory'),
                                 (('alpha', 'render-graph', bundle), ('graph', bundle), 'the bundle directory'),
                                 (('alpha', 'render-template', 'basic', 'bundle.yaml'), ('template', 'render', '--bundle-dir', bundle, 'bundle.yaml'),
                                  'the bundle directory')):
            with self.subTest(opm):
                refused = self.opm(*opm)
                self.assert_status(refused, 1)
                self.assertIn(reported, refused.err.lower() if reported[0].islower() else refused.err)
                if opcat:
                    self.assert_status(self.opcat(*opcat), 0)

    def test_a_name_is_listed_only_if_go_decodes_the_whole_csv(self):
        for version, shown in (('1.0.0', True), ('no version', False)):
            csv = {'kind': 'ClusterServiceVersion', 'spec': {'displayName': 'Greeter', 'version': version}}
            data = base64.b64encode(json.dumps(csv).encode()).decode()
            self.write('named/catalog.yaml', f"""schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries: [{{name: p.v1}}]
---
schema: olm.bundle
package: p
name: p.v1
properties:
- {{type: olm.package, value: {{packageName: p, version: 1.0.0}}}}
- {{type: olm.bundle.object, value: {{data: {data}}}}}
""")
            with self.subTest(version):
                result = self.opm('alpha', 'list', 'packages', 'named')
                self.assert_status(result, 0)
                self.assertEqual('Greeter' in result.out, shown, result)

    def test_every_served_command_takes_every_flag(self):
        for command, flags in SERVED.items():
            for flag, value in [*flags, *GLOBAL]:
                with self.subTest(command=command, flag=flag):
                    for file in self.dir.glob('catalog.Dockerfile'):
                        file.unlink()
                    arguments = [a if a != 'out' else f'out{flag}' for a in ARGUMENTS[command]]
                    if value in arguments:
                        arguments = []  # the flag is the argument
                    if flag == '--cache-only':
                        arguments = arguments[:1]
                    if flag == '--cache-enforce-integrity':
                        arguments += ['--cache-dir', 'DIR']
                    result = self.opm(*command.split(), *arguments, flag, *([] if value is None else [value]))
                    # It does not matter here whether p and b exist in the catalog.
                    if result.status != 0:
                        self.assertIn(value, ('p', 'b'), result)
                        self.assertNotIn('has no option', result.err)

    def test_global_flags_may_precede_the_command(self):
        for flag, _ in GLOBAL:
            self.assert_status(self.opm(flag, 'validate', CATALOGS / 'hello'), 0)
        self.assert_status(self.opm('--use-http', '--skip-tls-verify', 'validate', CATALOGS / 'hello'), 1)

    def test_flags_of_a_command_may_precede_it(self):
        """Cobra takes the first word that is neither a flag nor the value of one for the command."""
        hello = ROOT / 'testdata/catalogs/hello'
        for first, usual in (((('-o', 'yaml', 'render', hello)), ('render', hello, '-o', 'yaml')),
                             (('--output=yaml', 'render', hello), ('render', hello, '-o', 'yaml')),
                             (('-c', 'stable', 'init', 'foo'), ('init', 'foo', '-c', 'stable')),
                             (('alpha', '-p', 'hello', 'render-graph', hello), ('alpha', 'render-graph', hello, '-p', 'hello')),
                             (('-p', 'hello', 'alpha', 'render-graph', hello), ('alpha', 'render-graph', hello, '-p', 'hello')),
                             (('--use-http', 'render', hello), ('render', hello))):
            with self.subTest(first):
                self.assertEqual(vars(self.opm(*first)), vars(self.opm(*usual)))
                self.assert_status(self.opm(*first), 0)

    def test_every_other_command_is_answered_in_one_line_whatever_its_flags(self):
        for command, flags in ANSWERED.items():
            everywhere = [name for name, _ in GLOBAL]
            for flag, value in [*flags, (None, None)]:
                with self.subTest(command=command, flag=flag):
                    words = [word for word in (flag, value) if word is not None] or everywhere
                    result = self.opm(*command.split(), *words)
                    self.assert_status(result, 1)
                    self.assertEqual(result.out, '')
                    self.assertRegex(result.err, r'\Aerror: opcat has no opm [a-z -]+: .+\n\Z')

    def test_an_answer_names_commands_that_exist(self):
        for command in ANSWERED:
            for named, name in re.findall(r'`((opcat|opm) [^`]*)`', self.opm(*command.split()).err):
                with self.subTest(command=command, named=named):
                    words = [word for word in named.split()[1:] if re.fullmatch('[a-z][a-z-]*', word)]
                    run = self.opm if name == 'opm' else self.opcat
                    self.assertIn(' '.join(['Usage:', name, *words]), run(*words, '--help').out)

    def test_version_has_the_form_that_scripts_read(self):
        self.assertRegex(self.opm('version').out, r'\AVersion: version.Version\{OpmVersion:"opcat-\d+\.\d+\.\d+", .*\}\n\Z')

    def test_validate_prints_results_as_opm_does(self):
        self.assertEqual(self.opm('validate', '-o', 'json', CATALOGS / 'hello').out, '{\n  "passed": true\n}\n')
        self.assertEqual(self.opm('validate', '-o', 'yaml', CATALOGS / 'hello').out, 'passed: true\n\n')


    def test_the_document_has_every_command_and_flag(self):
        rows = {}
        for line in (ROOT / 'docs/coming-from-opm.md').read_text().splitlines():
            for words in re.findall(r'^\| `opm ([a-z -]+?)(?: (?:\[|[A-Z])[^`]*)?`', line):
                rows[words] = line
        for command, flags in {**SERVED, **ANSWERED}.items():
            for flag, _ in flags:
                with self.subTest(command=command, flag=flag):
                    self.assertRegex(rows[command], rf'`[^`]*{flag}\b')
            self.assertIn(command, rows)


class Names(OpcatCase):
    def test_link_makes_the_other_names(self):
        result = self.opcat('link', '.')
        self.assert_status(result, 0)
        for name in ('opm', 'kubectl-opcat', 'kubectl_complete-opcat'):
            self.assertEqual((self.dir / name).resolve(), type(self.dir)(BINARY).resolve())
            self.assertIn(f'./{name} -> ', result.out)
        self.assertIn('OpmVersion', self.run_binary(str(self.dir / 'opm'), 'version').out)
        self.assert_status(self.opcat('link', '.'), 0)  # again, with the same result

    def test_link_replaces_nothing_unasked(self):
        self.write('kubectl-opcat', 'something else')
        result = self.opcat('link', '.')
        self.assert_status(result, 3)
        self.assertIn('--force', result.err)
        self.assertFalse((self.dir / 'opm').exists())
        self.assert_status(self.opcat('link', '--force', '.'), 0)
        self.assertTrue((self.dir / 'kubectl-opcat').is_symlink())

    def test_a_directory_is_not_replaced_by_a_link(self):
        self.write('opm/content', '')
        result = self.opcat('link', '--force', '.')
        self.assert_status(result, 3)
        self.assertEqual(result.err, 'error: cannot make the link ./opm: is a directory\n')
        self.assertEqual([path.name for path in self.dir.iterdir()], ['opm'])

    def test_a_broken_link_of_that_name_is_not_ours(self):
        (self.dir / 'opm').symlink_to('/nowhere')
        self.assert_status(self.opcat('link', '.'), 3)

    def test_version_names_the_libraries(self):
        report = json.loads(self.opcat('version', '-o', 'json').out)
        self.assertEqual(report['schema'], 'opcat.version.v1')
        self.assertEqual('opcat ' + report['version'] + '\n', self.opcat('version').out)
        for name in ('curl', 'OpenSSL', 'libarchive', 'libyaml', 'sqlite'):
            self.assertRegex(report['libraries'][name], r'^\d+\.\d+')

    def test_the_build_can_be_identified(self):
        info = dict(line.split(None, 1) for line in self.opcat('version', '--build-info').out.replace('C library', 'C-library').splitlines())
        report = json.loads(self.opcat('version', '-o', 'json').out)
        for name in ('version', 'compiler', 'system'):
            self.assertEqual(info[name], report[name])
        self.assertEqual(info['commit'], report.get('commit', 'unknown'))
        self.assertEqual({name: info[name] for name in report['libraries']}, report['libraries'])


if __name__ == '__main__':
    unittest.main()
