"""opcat validate for other programs: SARIF, GitHub annotations, JUnit.

Covers lib/reports."""
import json
import pathlib
import shutil
import subprocess
import re
import unittest
import xml.etree.ElementTree as ElementTree

from opcat_case import BINARY, CATALOGS, OpcatCase
import npm
from plain_environment import THE_MACHINES

# Odd on purpose: characters of paths, messages and names that have a meaning in a report.
ODD = '''schema: olm.package
name: "a,b:c%d<&>\\"'\\n::error::x"
defaultChannel: none
'''


class Reports(OpcatCase):
    def setUp(self):
        super().setUp()
        shutil.copytree(CATALOGS / 'two-heads', self.dir / 'catalog')
        self.write('odd/wei,rd: näme%20.yaml', ODD)

    def validate(self, *arguments, **options):
        return self.opcat('validate', '--all', *arguments, **options)

    def test_sarif(self):
        result = self.validate('--format', 'sarif', 'catalog')
        self.assert_status(result, 1)
        report = result.json()
        self.assertEqual(report['version'], '2.1.0')
        run, = report['runs']
        first = run['results'][0]
        self.assertEqual((first['ruleId'], first['level']), ('channel-heads', 'error'))
        self.assertIn('Help: let greeter.v0.3.0 replace', first['message']['text'])
        where = first['locations'][0]['physicalLocation']
        self.assertEqual(where['artifactLocation'], {'uri': 'catalog/index.yaml'})
        self.assertEqual({k: where['region'][k] for k in ('startLine', 'startColumn', 'endLine', 'endColumn')},
                         {'startLine': 13, 'startColumn': 11, 'endLine': 13, 'endColumn': 25})
        self.assertEqual(first['relatedLocations'][0]['physicalLocation']['region']['startLine'], 11)
        for one in run['results']:
            self.assertEqual(run['tool']['driver']['rules'][one['ruleIndex']]['id'], one['ruleId'])
        for rule in run['tool']['driver']['rules']:
            self.assertTrue(rule['help']['text'] and rule['help']['markdown'] and rule['shortDescription']['text'])

    def test_a_run_that_fails_leaves_no_report_of_an_earlier_one(self):
        report = self.dir / 'r.xml'
        self.assert_status(self.opcat('validate', CATALOGS / 'hello', '--report', f'junit={report}'), 0)
        self.assertIn('failures="0"', report.read_text())
        self.assert_status(self.opcat('validate', 'nowhere', '--report', f'junit={report}'), 3)
        self.assertFalse(report.exists())

    def test_sarif_without_findings_is_a_report_too(self):
        result = self.validate('--format', 'sarif', CATALOGS / 'hello')
        self.assert_status(result, 0)
        self.assertEqual(result.json()['runs'][0]['results'], [])

    def test_paths_are_relative_to_the_top_of_the_repository(self):
        def uris(*arguments, **env):
            report = self.validate('--format', 'sarif', *arguments, env=env).json()
            return {l['physicalLocation']['artifactLocation']['uri'] for r in report['runs'][0]['results'] for l in r['locations']}
        self.assertEqual(uris('./catalog/../catalog'), {'catalog/index.yaml'})
        self.assertEqual(uris(self.dir / 'catalog'), {'catalog/index.yaml'})
        self.assertEqual(uris('odd'), {'odd/wei%2Crd%3A%20n%C3%A4me%2520.yaml'})
        self.assertEqual(uris(CATALOGS / 'two-heads'), {f'file://{CATALOGS}/two-heads/index.yaml'})
        for variable in ('GITHUB_WORKSPACE', 'CI_PROJECT_DIR'):
            self.assertEqual(uris('catalog', **{variable: str(self.dir.parent)}), {f'{self.dir.name}/catalog/index.yaml'})
            # Only relevant if the tests run below it.
            self.assertEqual(uris('catalog', **{variable: '/nowhere'}), {'catalog/index.yaml'})

    def test_github(self):
        result = self.validate('--format', 'github', 'catalog')
        self.assert_status(result, 1)
        lines = result.out.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[0], '::error file=catalog/index.yaml,line=13,endLine=13,col=11,endColumn=25,title=channel-heads::'
                         'channel "stable" has two heads: greeter.v0.2.0 and greeter.v0.3.0%0Anote: one head is greeter.v0.2.0 on line 11'
                         '%0Ahelp: let greeter.v0.3.0 replace or skip greeter.v0.2.0, or move one of them to another channel')
        self.assertTrue(lines[2].startswith('::warning '))  # errors come first

    def test_github_names_the_file_of_a_place_that_is_in_another(self):
        self.write('twice/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: c\n')
        self.write('twice/b.yaml', '# another file\nschema: olm.package\nname: p\ndefaultChannel: c\n')
        out = self.validate('--format', 'github', 'twice').out
        self.assertRegex(out, r'file=twice/b\.yaml,line=3,.*%0Anote: [^%]* at twice/a\.yaml:2%')

    def test_no_report_names_the_file_of_a_built_in_schema(self):
        self.write('c/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: c\nicon:\n')
        for form in ('text', 'json', 'sarif', 'github', 'junit'):
            out = self.validate('--format', form, 'c').out
            self.assertNotIn('blobs.cue', out)
        self.assertIn("required by #Package: `opcat schema show '#Package'` prints it", self.validate('c').out)

    def test_a_catalog_cannot_write_annotations_of_its_own(self):
        for line in self.validate('--format', 'github', 'odd').out.splitlines():
            self.assertTrue(line.startswith('::error file=odd/wei%2Crd%3A näme%2520.yaml,line='), line)

    def test_github_shows_as_many_annotations_as_there_is_room_for(self):
        for name in 'abcdefghijklmno':  # fifteen files with two errors of one rule each
            self.write(f'many/{name}.yaml', f'schema: olm.package\nname: x{name}\ndefaultChannel: none\n---\n'
                       f'schema: olm.channel\npackage: x{name}\nname: p\nentries: [{{name: x{name}.v1}}, {{name: x{name}.v2, replaces: x{name}.v1}}]\n')
        lines = self.validate('--format', 'github', 'many').out.splitlines()
        commands = [line for line in lines if line.startswith('::')]
        self.assertTrue(all(line.startswith('::error ') for line in commands[:10]))
        self.assertFalse(any(line.startswith('::error ') for line in commands[10:]))
        self.assertTrue(all(line.startswith('- many/') for line in lines[len(commands):]), lines)
        twice = next(line for line in commands if 'title=entry-without-bundle' in line)
        self.assertIn('%0Anote: the file has 1 more finding of this rule', twice)

    def test_github_gets_a_table_for_the_page_of_the_run(self):
        summary = self.write('summary.md', 'before\n')
        self.validate('--format', 'github', 'catalog', 'odd', env={'GITHUB_STEP_SUMMARY': str(summary)})
        text = summary.read_text()
        self.assertTrue(text.startswith('before\n### opcat validate\n\n| severity |'))
        self.assertIn('| error | channel-heads | `greeter` | `catalog/index.yaml:13` | `channel "stable" has two heads', text)
        self.assertTrue(all(line.count('|') - line.count('\\|') == 7 for line in text.splitlines() if line.startswith('|')), text)
        self.assertNotIn('<&', re.sub('`[^`]*`', '', text))
        result = self.validate('--format', 'github', 'catalog', env={'GITHUB_STEP_SUMMARY': 'absent/summary'})
        self.assert_status(result, 1)
        self.assertIn('warning: cannot write to absent/summary', result.err)

    def test_concise(self):
        result = self.validate('--format', 'concise', 'catalog')
        self.assertEqual(result.out, 'catalog/index.yaml:13:11: error: channel "stable" has two heads: greeter.v0.2.0 and greeter.v0.3.0 [channel-heads]\n'
                         'catalog/index.yaml:14:5: warning: a channel entry has no field "replces" [unknown-field]\n'
                         'catalog/index.yaml:38:44: error: olm.package.version must be a string, not a number [property-value]\n')
        self.assertIn('2 errors, 1 warning', result.err)

    def test_severity(self):
        self.write('notes/a.yaml', (CATALOGS / 'hello/catalog.yaml').read_text().replace('\n', '\r\n'))
        result = self.validate('notes')
        self.assertEqual(result.out, '')
        self.assertIn('; --severity note shows the notes\n', result.err)
        self.assertIn('[line-breaks]', self.validate('--severity', 'note', 'notes').out)
        self.assertEqual(self.validate('--format', 'json', 'notes').json()['findings'][0]['rule'], 'line-breaks')
        for level, count in ('note', 3), ('warning', 3), ('error', 2):
            result = self.validate('--format', 'concise', '--severity', level, 'catalog')
            self.assertEqual(len(result.out.splitlines()), count)
            self.assertIn('2 errors, 1 warning', result.err)
        self.assertEqual(len(self.validate('--format', 'json', '--severity', 'error', 'catalog').json()['findings']), 2)

    def test_summary(self):
        result = self.validate('--summary', 'catalog')
        self.assert_status(result, 1)
        self.assertEqual([line.split() for line in result.out.splitlines()],
                         [['FINDINGS', 'SEVERITY', 'RULE', 'PACKAGES'], ['1', 'error', 'channel-heads', 'greeter', '(1)'],
                          ['1', 'error', 'property-value', 'greeter', '(1)'], ['1', 'warning', 'unknown-field', 'greeter', '(1)']])
        report = self.validate('--summary', '--format', 'json', 'catalog').json()
        self.assertEqual(report['schema'], 'opcat.findings-summary.v1')
        self.assertEqual(report['rules'][0], {'rule': 'channel-heads', 'severity': 'error', 'findings': 1,
                                              'packages': [{'package': 'greeter', 'findings': 1}]})
        self.assertEqual(self.validate('--summary', CATALOGS / 'hello').out, '')

    def test_a_summary_has_the_package_with_the_most_findings_first(self):
        for name, more in (('few', 1), ('many', 2)):
            fields = ''.join(f'more{i}: 1\n' for i in range(more))
            self.write(f'c/{name}.yaml', f'schema: olm.package\nname: {name}\ndefaultChannel: a\n{fields}---\nschema: olm.channel\n'
                       f'package: {name}\nname: a\nentries: [{{name: {name}.v1}}]\n')
        rows = [line.split() for line in self.validate('--summary', 'c').out.splitlines()]
        self.assertIn(['3', 'warning', 'unknown-field', 'many', '(2),', 'few', '(1)'], rows)
        packages = {rule['rule']: rule['packages'] for rule in self.validate('--summary', '--format', 'json', 'c').json()['rules']}
        self.assertEqual(packages['unknown-field'], [{'package': 'many', 'findings': 2}, {'package': 'few', 'findings': 1}])

    def test_a_summary_names_few_packages_unless_all_are_wanted(self):
        for i in range(9):
            self.write(f'c/p{i}.yaml', f'schema: olm.package\nname: p{i}\ndefaultChannel: a\nmore: 1\n')
        row = next(line for line in self.opcat('validate', '--summary', 'c').out.splitlines() if 'unknown-field' in line)
        self.assertTrue(row.endswith('p0 (1), p1 (1), p2 (1), p3 (1) and 5 more (--all names them)'), row)
        row = next(line for line in self.validate('--summary', '--all', 'c').out.splitlines() if 'unknown-field' in line)
        self.assertTrue(row.endswith('p7 (1), p8 (1)'), row)

    def test_sarif_links_to_the_rules(self):
        driver = self.validate('--format', 'sarif', 'catalog').json()['runs'][0]['tool']['driver']
        for rule in driver['rules']:
            self.assertEqual(rule['helpUri'], f'{driver["informationUri"]}/blob/v{driver["version"]}/docs/rules.md#{rule["id"]}')

    def test_alike_findings_are_one_unless_each_is_wanted(self):
        text = (CATALOGS / 'hello/catalog.yaml').read_text().replace('image: ', 'more: 1\nimage: ')
        count = text.count('more: 1')
        self.assertGreater(count, 1)
        self.write('c/a.yaml', text)
        result = self.opcat('validate', 'c')
        self.assertEqual(result.out.count('[unknown-field]'), 1)
        self.assertIn(f'note: there are {count - 1} more like this in package "', result.out)
        self.assertIn(f'{count} warnings', result.err)
        self.assertEqual(self.opcat('validate', '--all', 'c').out.count('[unknown-field]'), count)
        finding, = self.opcat('validate', '--format', 'json', 'c').json()['findings']
        self.assertEqual(finding['count'], count)
        self.assertEqual(len(self.opcat('validate', '--format', 'sarif', 'c').json()['runs'][0]['results']), count)

    def test_junit(self):
        result = self.validate('--format', 'junit', 'catalog', 'odd')
        self.assert_status(result, 1)
        suites = ElementTree.fromstring(result.out)
        cases = suites.findall('testsuite/testcase')
        failed = {case.get('name'): case for case in cases if case.find('failure') is not None}
        self.assertEqual((int(suites.get('tests')), int(suites.get('failures'))), (len(cases), len(failed)))
        self.assertEqual(len({case.get('name') for case in cases}), len(cases))
        self.assertLessEqual({'channel-heads', 'property-value', 'package-name'}, set(failed))
        self.assertNotIn('unknown-field', failed)  # a warning
        others, *broken = cases
        self.assertEqual((others.get('name'), list(others)), ('all other rules', []))
        self.assertTrue(all(len(case) > 0 for case in broken))
        self.assertEqual(failed['channel-heads'].get('file'), 'catalog/index.yaml')
        self.assertIn('catalog/index.yaml:13:11', failed['channel-heads'].find('failure').text)

    def test_junit_is_xml_whatever_characters_a_catalog_has(self):
        self.write('c/a.yaml', 'schema: olm.package\nname: p\ndefaultChannel: "a\\uFFFE\\uFFFF<&\\"\\u0001"\n')
        failures = [failure.text for failure in ElementTree.fromstring(self.validate('--format', 'junit', 'c').out).iter('failure')]
        self.assertTrue(any('"a??<&' in text for text in failures), failures)

    def test_several_reports_at_once(self):
        result = self.validate('--report', 'sarif=out.sarif', '--report', 'junit=out.xml', '--report', 'json=out.json', 'catalog')
        self.assert_status(result, 1)
        self.assertIn('[channel-heads]', result.out)
        self.assertEqual(json.loads((self.dir / 'out.sarif').read_text()),
                         self.validate('--format', 'sarif', 'catalog').json())
        self.assertEqual(len(json.loads((self.dir / 'out.json').read_text())['findings']), 3)
        ElementTree.parse(self.dir / 'out.xml')

    def test_a_report_that_cannot_be_written_keeps_nobody_from_the_findings(self):
        result = self.opcat('validate', '--all', '--report', 'json=absent/report', CATALOGS / 'two-heads')
        self.assert_status(result, 3)
        self.assertIn('has two heads', result.out)
        self.assertIn('error: cannot write absent/report: ', result.err)

    def test_a_report_follows_a_symbolic_link(self):
        (self.dir / 'link').symlink_to('report')
        self.write('report', 'mine\n')
        self.assertIn('--report link is a file of another kind, and is not replaced', self.opcat('validate', '--report', 'json=link', CATALOGS / 'hello').err)
        self.write('report', '')
        self.opcat('validate', '--report', 'json=link', CATALOGS / 'hello')
        self.assertTrue((self.dir / 'link').is_symlink())
        self.assertIn('opcat.findings.v1', (self.dir / 'report').read_text())

    def test_reports_are_asked_for_rightly(self):
        for wrong in ('sarif', 'sarif=', 'xml=out', '=out', 'json=-'):
            result = self.validate('--report', wrong, 'catalog')
            self.assert_status(result, 2)
            self.assertIn('--report', result.err)
        self.assert_status(self.validate('--report', 'sarif=absent/out.sarif', 'catalog'), 3)

    def test_text_in_a_file_has_no_colours(self):
        self.validate('--color', 'always', '--report', 'text=out.txt', 'catalog')
        self.assertNotIn('\x1b', (self.dir / 'out.txt').read_text())


class OfficialSchema(OpcatCase):
    """The schema of OASIS, as packages on npm carry it; fetched once and kept."""
    PACKAGE = '@datadog/datadog-ci@2.48.0'
    SCHEMA = 'package/dist/commands/sarif/json-schema/sarif-schema-2.1.0.json'

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(BINARY).resolve().parents[2] / 'npm/sarif'
        npm.install(cls.home, 'ajv@8.20.0', 'ajv-formats@2.1.1', 'ajv-draft-04@1.0.0')
        if (cls.home / cls.SCHEMA).exists():
            return
        try:
            archive = subprocess.run(['npm', 'pack', '--silent', cls.PACKAGE], cwd=cls.home, check=True, capture_output=True, text=True,
                                     timeout=600, env=THE_MACHINES).stdout.split()[-1]
            subprocess.run(['tar', '-xzf', archive, cls.SCHEMA], cwd=cls.home, check=True)
        except (subprocess.SubprocessError, OSError, IndexError) as error:
            raise unittest.SkipTest(f'npm cannot fetch the schema: {error}')

    CHECK = '''
const fs = require('fs');
const schema = JSON.parse(fs.readFileSync(process.argv[2]));
const Ajv = /draft-04/.test(schema.$schema) ? require('ajv-draft-04') : require('ajv');
const ajv = new (Ajv.default || Ajv)({strict: false, allErrors: true});
require('ajv-formats')(ajv);
const validate = ajv.compile(schema);
for (const file of process.argv.slice(3))
    if (!validate(JSON.parse(fs.readFileSync(file)))) { console.error(file, JSON.stringify(validate.errors, null, 1)); process.exitCode = 1; }
'''

    def check(self, *files):
        (self.home / 'check.js').write_text(self.CHECK)
        return subprocess.run(['node', 'check.js', self.SCHEMA, *map(str, files)], cwd=self.home, capture_output=True, text=True)

    def test_reports_follow_it(self):
        self.write('odd/wei,rd: näme%20.yaml', ODD)
        self.write('broken/a.yaml', 'a: [')
        files = []
        for catalog in [*sorted(CATALOGS.iterdir()), 'odd', 'broken', 'absent-from-the-disk']:
            files.append(self.dir / f'{len(files)}.sarif')
            result = self.opcat('validate', '--format', 'sarif', catalog)
            files[-1].write_text(result.out) if result.out else files.pop()
        self.assertGreater(len(files), 4)
        done = self.check(*files)
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_the_check_sees_mistakes(self):
        wrong = self.write('wrong.sarif', '{"version": "2.1.0", "runs": [{"tool": {}}]}')
        self.assertNotEqual(self.check(wrong).returncode, 0)


if __name__ == '__main__':
    unittest.main()
