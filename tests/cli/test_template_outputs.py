"""Templates rendered to files. Covers lib/authoring/blob_differences.cpp and lib/authoring/output.cpp and lib/catalog/layout.cpp and
lib/lint/catalog_settings.cpp; also tools/opcat/commands/template_outputs.cpp."""
import shutil
import unittest

from opcat_case import TESTDATA, OpcatCase

TEMPLATE = '''schema: olm.template.basic
entries:
- schema: olm.package
  name: widgets
  defaultChannel: stable
- schema: olm.channel
  package: widgets
  name: stable
  entries:
  - name: widgets.v1.2.0
- schema: olm.bundle
  image: t/widgets
'''
CATALOGS = '''catalogs:
- template: t/{version}.yaml
  catalog: v{version}/catalog.yaml
  openshift: ["4.15", "4.17"]
- template: t/4.17.yaml
  catalog: all
  layout: channel
- catalog: hand.yaml
'''


class Case(OpcatCase):
    def setUp(self):
        super().setUp()
        (self.dir / '.git').mkdir()
        shutil.copytree(TESTDATA / 'bundles/widgets', self.dir / 't/widgets')
        self.write('t/4.15.yaml', TEMPLATE)
        self.write('t/4.17.yaml', TEMPLATE)

    def render(self, *arguments, status=0):
        result = self.opcat('template', 'render', *arguments)
        self.assert_status(result, status)
        return result

    def files(self, below='.'):
        return {str(p.relative_to(self.dir)): p.read_text() for p in (self.dir / below).rglob('*') if p.is_file() and '.git' not in p.parts}


class All(Case):
    def setUp(self):
        super().setUp()
        self.write('.opcat.yaml', CATALOGS)

    def test_every_catalog_of_the_configuration_is_rendered_and_then_up_to_date(self):
        self.render('--all')
        made = self.files()
        for path in ('v4.15/catalog.yaml', 'v4.17/catalog.yaml', 'all/widgets/catalog.yaml', 'all/widgets/channels/stable.yaml',
                     'all/widgets/bundles/widgets.v1.2.0.yaml'):
            self.assertIn(path, made)
        self.assertNotIn('hand.yaml', made)
        self.assertEqual(made['v4.15/catalog.yaml'], self.opcat('template', 'render', 't/4.15.yaml', '-o', 'yaml').out)
        self.assertIn('3 catalogs: up to date', self.render('--all').err)
        self.assertEqual(self.render('--all', '--check').out, '')
        self.assertEqual(self.files(), made)

    def test_what_a_file_that_does_not_read_has_lost_is_not_known(self):
        self.render('--all')
        self.write('v4.17/catalog.yaml', (self.dir / 'v4.17/catalog.yaml').read_text() + '<<<<<<< HEAD\n')
        err = self.render('--all').err
        self.assertIn('warning: v4.17/catalog.yaml did not read as a catalog: what it had besides, and has lost, is not known\n', err)
        self.assertIn('v4.17/catalog.yaml: written\n', err)

    def test_bundles_are_migrated_from_openshift_4_17_on(self):
        shown = {c['catalog']: c for c in self.opcat('config', 'show', '-o', 'json').json()['catalogs']}
        self.assertEqual({path: c['csvMetadata'] for path, c in shown.items()},
                         {'v4.15/catalog.yaml': False, 'v4.17/catalog.yaml': True, 'all': False, 'hand.yaml': False})
        self.assertEqual(shown['all']['layout'], 'channel')

    def test_what_is_no_catalog_is_not_replaced(self):
        for path, text in (('.opcat.yaml', None), ('package.json', '{"name": "my-app"}\n'), ('w.yaml', 'on: push\n'), ('x.yaml', '#!/bin/sh\nexit\n'),
                           ('chart.yaml', '{{- if .Values.x }}\nmy: data\n{{- end }}\n')):
            with self.subTest(path):
                if text:
                    self.write(path, text)
                self.write('.opcat.yaml', f'catalogs:\n- template: t/4.17.yaml\n  catalog: {path}\n')
                before = self.files()
                why = f'{path} is not a file of a catalog, and is not replaced'
                self.assertIn(why, self.render('--all', status=2).err)
                checked = self.render('--all', '--check', status=1).err
                self.assertIn(why, checked)
                self.assertIn('1 catalog: 1 out of date\n', checked)
                self.assertEqual(self.files(), before)

    def test_read_only_catalogs_stay_and_links_are_followed(self):
        self.write('real.yaml', '# mine\n')
        (self.dir / 'v4.15').mkdir()
        (self.dir / 'v4.15/catalog.yaml').symlink_to('../real.yaml')
        self.write('v4.17/catalog.yaml', '# mine, too\n').chmod(0o444)
        before = self.files()
        self.assertIn('v4.17/catalog.yaml: it is read-only', self.render('--all', status=3).err)
        self.assertEqual(self.files(), before)
        (self.dir / 'v4.17/catalog.yaml').unlink()
        self.render('--all')
        self.assertTrue((self.dir / 'v4.15/catalog.yaml').is_symlink())
        self.assertIn('schema: olm.package', (self.dir / 'real.yaml').read_text())

    def test_a_check_writes_nothing_and_names_the_entry_that_differs(self):
        self.render('--all')
        path = self.dir / 'v4.15/catalog.yaml'
        for old, new, said in (('defaultChannel: stable', 'defaultChannel: x', 'package widgets: defaultChannel is "x", rendered "stable"'),
                               ('- name: widgets.v1.2.0', '- name: widgets.v1.2.0\n  replaces: a', 'channel stable: entry widgets.v1.2.0: replaces is "a", rendered not there'),
                               ('- name: widgets.v1.2.0', '- name: w', 'channel stable: entry widgets.v1.2.0 is missing'),
                               ('---\n', '---\n\n', 'the blobs are the same, but their texts differ'),
                               ('schema:', '{', 'the file cannot be read as a catalog')):
            text = path.read_text()
            path.write_text(text.replace(old, new, 1))
            before = self.files()
            result = self.render('--all', '--check', status=1)
            self.assertIn(f'v4.15/catalog.yaml: {said}\n', result.out)
            self.assertNotIn('v4.17', result.out)
            self.assertEqual(self.files(), before)
            self.render('--all')
            self.assertEqual(path.read_text(), text)
        (self.dir / 'all/widgets/channels/stable.yaml').unlink()
        self.assertEqual(self.render('--all', '--check', status=1).out, 'all/widgets/channels/stable.yaml: the file is missing\n')

    def test_what_an_indexignore_hides_is_not_up_to_date(self):
        self.write('all/.indexignore', 'channels/\n')
        for flags in (), (), ('--check',):
            result = self.render('--all', *flags, status=1)
            self.assertIn('error: all/widgets/channels/stable.yaml is not part of the catalog: an .indexignore leaves it out', result.err)
            self.assertNotIn('up to date', result.err)
        (self.dir / 'all/.indexignore').unlink()
        self.assertIn('up to date', self.render('--all', '--check').err)

    def test_what_only_the_catalog_had_is_named_when_it_goes(self):
        self.assertNotIn('lost', self.render('--all').err)
        with open(self.dir / 'v4.15/catalog.yaml', 'a') as catalog:
            catalog.write('---\nschema: olm.deprecations\npackage: widgets\nentries:\n'
                          '- {reference: {schema: olm.channel, name: stable}, message: x}\n')
        self.assertIn('warning: v4.15/catalog.yaml has lost what was not rendered: deprecations of widgets', self.render('--all').err)
        self.assertNotIn('lost', self.render('--all').err)

    def test_nothing_is_written_if_one_template_has_an_error(self):
        self.write('t/4.17.yaml', TEMPLATE.replace('t/widgets', 't/absent'))
        self.assertNotEqual(self.opcat('template', 'render', '--all').status, 0)
        self.write('t/4.17.yaml', TEMPLATE.replace('olm.template.basic', 'olm.template.basik'))
        self.assertIn('nothing was written', self.render('--all', status=1).err)
        self.assertFalse((self.dir / 'v4.15').exists())

    def test_names_of_a_configuration_do_not_write_lines_of_their_own(self):
        self.write('.opcat.yaml', 'catalogs: [{template: t/4.15.yaml, catalog: "h\\ni.yaml"}]\n')
        for flags in ('--check',), ():
            result = self.opcat('template', 'render', '--all', *flags)
            self.assertIn('h\\x0ai.yaml', result.out + result.err)
            self.assertNotIn('\ni.yaml', result.out + result.err)

    def test_a_link_to_nothing_is_not_replaced(self):
        (self.dir / 'gone.yaml').symlink_to('../elsewhere.yaml')
        self.write('.opcat.yaml', 'catalogs: [{template: t/4.15.yaml, catalog: gone.yaml}]\n')
        self.assertIn('gone.yaml: it is a link to a file that does not exist', self.render('--all', status=3).err)
        self.assertTrue((self.dir / 'gone.yaml').is_symlink())

    def test_flags_that_do_not_go_together_are_refused(self):
        for flags in (['--all', 't/4.15.yaml'], ['--all', '-o', 'yaml'], ['--all', '--output-dir', 'x'], ['--check', 't/4.15.yaml'],
                      ['--output-dir', 'x', '-o', 'mermaid', 't/4.15.yaml'], ['--all', '--layout', 'bundle']):
            self.render(*flags, status=2)
        (self.dir / '.opcat.yaml').unlink()
        self.assertIn('no catalogs are configured', self.render('--all', status=2).err)

    def test_mistakes_in_the_configuration_are_reported_with_their_places(self):
        self.write('.git/config', 'token: [secret\n')
        self.write('README', 'secret: [\n')
        for item, said in (('{template: a.yaml}', 'a catalog needs "catalog"'), ('off', 'a catalog must be an object'),
                           ('{catalog: ../x.yaml}', 'is not a path below'), ('{catalog: /x.yaml}', 'is not a path below'),
                           ('{catalog: .}', 'is not a path below'), ('{catalog: link/x.yaml}', 'is not a path below'),
                           ('{catalog: x, template: ../y}', 'is not a path below'), ('{catalog: .git/x.yaml}', 'is not a path below'), ('{catalog: .GIT/x.yaml}', 'is not a path below'),
                           ('{catalog: x, template: .git/config.yaml}', 'is not a path below'), ('{catalog: x, template: git.yaml}', 'is not a path below'),
                           ('{catalog: x, template: README}', 'is not a template'), ('{catalog: x, template: readme.yaml}', 'is not a template'),
                           ('{catalog: "v{version}"}', 'there is none'), ('{catalog: "v{versoin}", openshift: ["4.1"]}', 'has a brace'),
                           ('{catalog: x, openshift: [4.20]}', 'must be a string, not a number'), ('{catalog: x, openshift: ["4.20.1"]}', 'is not a minor version'),
                           ('{catalog: x, openshift: ["v4.20"]}', 'is not a minor version'), ('{catalog: x, openshift: []}', 'is empty'),
                           ('{catalog: x, openshift: ["4.1", "4.2"]}', 'is one catalog for 2 versions'),
                           ('{catalog: "x{version}", openshift: ["4.1", "4.1"]}', 'is named twice'),
                           ('{catalog: x.yaml, template: x.yaml}', 'x.yaml is a template, too'),
                           ('{catalog: "{version}.yaml", template: "4.2.yaml", openshift: ["4.1", "4.2"]}', '4.2.yaml is a template, too'),
                           ('{catalog: x, layout: blob}', 'is not a layout'), ('{catalog: x.yaml, layout: bundle}', 'is a file'),
                           ('{catalog: x, version: "4.1"}', 'has no field "version"')):
            (self.dir / 'link').unlink(missing_ok=True)
            (self.dir / 'link').symlink_to('/tmp')
            for link, target in (('git.yaml', '.git/config'), ('readme.yaml', 'README')):
                (self.dir / link).unlink(missing_ok=True)
                (self.dir / link).symlink_to(target)
            self.write('.opcat.yaml', f'catalogs:\n- {item}\n')
            result = self.opcat('config', 'show')
            self.assert_status(result, 2)
            self.assertNotIn('secret', result.out + result.err)
            self.assertRegex(result.err, r'\.opcat\.yaml:2:\d+: error: .*' + said)

    def test_a_policy_checks_for_the_version_of_the_catalog(self):
        self.write('.opcat.yaml', 'catalogs: [{template: t/4.17.yaml, catalog: made/catalog.yaml, openshift: ["4.17"]}]\n')
        self.render('--all')
        for reference in 'made', 'made/catalog.yaml':
            self.assertNotIn('which version of OpenShift', self.opcat('validate', '--policy', 'konflux', reference).err)
            self.assertIn('which version of OpenShift', self.opcat('validate', '--policy', 'konflux', '--no-config', reference).err)

    def test_the_mapping_of_an_operator_repository_is_read(self):
        self.write('operators/widgets/ci.yaml', 'fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: t.yaml\n    type: olm.template.basic\n'
                                                '    catalog_names: [v4.16, v4.17]\n')
        shutil.copytree(TESTDATA / 'bundles/widgets', self.dir / 'operators/widgets/catalog-templates/widgets')
        self.write('operators/widgets/catalog-templates/t.yaml', TEMPLATE.replace('t/widgets', 'catalog-templates/widgets'))
        (self.dir / '.opcat.yaml').unlink()
        top, self.dir = self.dir, self.dir / 'operators/widgets'
        try:
            self.assertIn('OpenShift 4.16', self.opcat('config', 'show').out)
            self.render('--all')
        finally:
            self.dir = top
        self.assertEqual(sorted(self.files('catalogs')), ['catalogs/v4.16/widgets/catalog.yaml', 'catalogs/v4.17/widgets/catalog.yaml'])


class Directory(Case):
    def test_every_layout_reads_as_the_same_catalog(self):
        self.write('whole/c.yaml', self.opcat('template', 'render', 't/4.15.yaml', '-o', 'yaml').out)
        whole = self.opcat('render', 'whole').out
        for layout, files in (('package', 1), ('bundle', 2), ('channel', 3)):
            for output in 'json', 'yaml':
                self.render('t/4.15.yaml', '--output-dir', f'{layout}-{output}/', '--layout', layout, '-o', output)
                self.assertEqual(len(self.files(f'{layout}-{output}')), files)
                self.assertEqual(self.opcat('render', f'{layout}-{output}').out, whole)

    def test_files_that_were_not_rendered_stay_and_those_of_the_package_are_listed(self):
        self.render('t/4.15.yaml', '--output-dir', 'd', '--layout', 'channel', '-o', 'yaml')
        self.write('d/README.md', 'widgets')
        (self.dir / 'd/.indexignore').write_text('*.md\n')
        self.write('d/widgets/notes.txt', 'mine')
        (self.dir / 'd/widgets/.indexignore').write_text('*.txt\n')
        before = self.files('d')
        result = self.render('t/4.15.yaml', '--output-dir', 'd', '-o', 'yaml', status=1)
        self.assertIn('d/widgets/bundles/widgets.v1.2.0.yaml has blobs', result.err)
        self.assertIn('d/widgets/channels/stable.yaml has blobs', result.err)
        self.assertEqual(self.files('d'), before)
        for folder in 'bundles', 'channels':
            shutil.rmtree(self.dir / 'd/widgets' / folder)
        (self.dir / 'd/widgets').chmod(0o775)
        self.render('t/4.15.yaml', '--output-dir', 'd', '--layout', 'channel', '-o', 'yaml')
        self.assertEqual(self.files('d'), before)
        self.assertEqual((self.dir / 'd/widgets').stat().st_mode & 0o777, 0o775)

    def test_a_link_does_not_lead_the_files_elsewhere(self):
        (self.dir / 'd').mkdir()
        (self.dir / 'elsewhere').mkdir()
        (self.dir / 'd/widgets').symlink_to('../elsewhere')
        self.assertIn('a link leads out of', self.render('t/4.15.yaml', '--output-dir', 'd', status=3).err)
        self.assertEqual(list((self.dir / 'elsewhere').iterdir()), [])


if __name__ == '__main__':
    unittest.main()
