"""graph, list and diff as a user runs them; docs/reading-an-upgrade-graph.md shows what they report about catalogs."""
import json
import shutil
import re
import unittest
import xml.etree.ElementTree

from opcat_case import CATALOGS, OpcatCase


class GraphCase(OpcatCase):
    def setUp(self):
        super().setUp()
        shutil.copytree(CATALOGS, self.dir / 'catalogs')
        self.dir = self.dir / 'catalogs'


class Drawings(GraphCase):
    def test_every_form_of_drawing(self):
        text = {form: self.opcat('graph', 'streams', '-o', form).out for form in ('text', 'mermaid', 'dot', 'svg', 'html', 'json')}
        for form, out in text.items():
            self.assertIn('harbour.v2.0.0', out, form)
        self.assertEqual(self.opcat('graph', 'streams').out, text['text'])
        self.assertTrue(text['mermaid'].startswith('graph LR\n'))
        self.assertTrue(text['html'].startswith('<!doctype html>'))
        self.assertEqual(xml.etree.ElementTree.fromstring(text['svg'].encode()).tag, '{http://www.w3.org/2000/svg}svg')
        graph = json.loads(text['json'])
        stable = next(c for c in graph['packages'][0]['channels'] if c['default'])
        self.assertEqual(stable['heads'], ['harbour.v2.0.0'])
        self.assertEqual([f['rule'] for f in graph['findings']], ['graph-no-way'])

    def test_the_end_of_support_is_shown(self):
        self.assertIn('depot.v1.1.0     head, supported until 2026-12-31', self.opcat('graph', 'stores-v4.17', '-p', 'depot').out)
        depot, = self.opcat('graph', 'stores-v4.17', '-p', 'depot', '-o', 'json').json()['packages']
        self.assertEqual([node.get('supportEnds') for node in depot['nodes']], ['2026-12-31', '2028-06-30'])
        self.assertIn('"ends":"2028-06-30"', self.opcat('graph', 'stores-v4.17', '-p', 'depot', '-o', 'html').out)
        self.assertNotIn('supportEnds', self.opcat('graph', 'streams', '-o', 'json').out)

    def test_mermaid_is_that_of_opm(self):
        self.assertEqual(self.opcat('graph', 'streams', '-o', 'mermaid').out, self.opm('alpha', 'render-graph', 'streams').out)
        self.assertEqual(self.opcat('graph', 'streams', '-o', 'mermaid', '--olm', 'classic').out,
                         self.opm('alpha', 'render-graph', 'streams', '--draw-v0-semantics').out)

    def test_findings_about_the_graph_are_for_people(self):
        result = self.opcat('graph', 'streams')
        self.assert_status(result, 0)
        self.assertIn('[graph-no-way]', result.err)
        self.assertNotIn('[graph-no-way]', result.out)
        self.assertEqual(self.opcat('graph', 'streams', '-q').err, '')

    def test_too_much_for_graphviz_is_refused_at_once(self):
        entries = ''.join(f'- name: p.v{i}\n  skips: [{", ".join(f"p.v{j}" for j in range(i))}]\n' for i in range(120))
        self.write('many/c.yaml', f'schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\n'
                   f'entries:\n{entries}')
        result = self.opcat('graph', 'many', '-o', 'svg', timeout=600)
        self.assert_status(result, 2)
        self.assertEqual(result.err, 'error: 7140 edges are too many to draw as svg (at most 5000)\n'
                         '  help: choose a package with -p or a channel with -c, or use -o html or -o text\n')


class StandardInput(GraphCase):
    def test_a_catalog_may_come_from_standard_input(self):
        catalog = self.opcat('render', 'streams', '-o', 'yaml').out
        for arguments in (['render', '-o', 'yaml', '{}'], ['list', 'bundles', '{}'], ['graph', '{}'], ['diff', 'gizmo', '{}'],
                          ['diff', '{}', 'gizmo'], ['filter', '{}', '-p', 'harbour']):
            with self.subTest(arguments):
                result = self.opcat(*(word.format('-') for word in arguments), stdin=catalog)
                there = self.opcat(*(word.format('streams') for word in arguments)).out
                self.assertEqual(result.out, there.replace('streams/catalog.yaml:', 'stdin:'))
        result = self.opcat('validate', '-', stdin='schema: olm.package\nname: Foo\ndefaultChannel: a\n')
        self.assert_status(result, 1)
        self.assertIn('stdin:2:7: error: ', result.out)

    def test_standard_input_is_read_once_and_a_file_of_that_name_has_a_path(self):
        result = self.opcat('diff', '-', '-')
        self.assert_status(result, 2)
        self.assertTrue(result.err.startswith('error: standard input can be read only once\n'), result)
        self.write('-', self.opcat('render', 'streams', '-o', 'yaml').out)
        self.assertIn('harbour', self.opcat('list', 'packages', './-').out)

    def test_to_opm_a_dash_is_a_name_like_others(self):
        result = self.opm('render', '-', stdin=self.opcat('render', 'streams').out)
        self.assert_status(result, 1)
        self.assertEqual(result.out, '')

    def test_what_is_not_there_is_taken_for_an_image_only_if_it_looks_like_one(self):
        for name in ('bar', './bar', '../b/0.0.1', 'catalogs/foo', 'a.yaml'):
            with self.subTest(name):
                self.assertEqual(self.opcat('list', 'packages', name).err, f'error: cannot read {name}: no such file or directory\n')
        for name in ('org/catalog:v1', 'catalog:latest', 'org/catalog@sha256:' + '0' * 64):
            with self.subTest(name):
                self.assertIn('  help: if it is an image, write its registry', self.opcat('list', 'packages', name).err)


class Paths(GraphCase):
    def test_the_exit_status_says_whether_there_is_a_way(self):
        cases = (
            (0, 'streams', '--from', '1.0.1'), (0, 'streams', '--from', 'harbour.v2.0.0'), (0, 'streams', '--from', 'v1.0'),
            (0, 'streams', '--from', '1.0.1', '--to', '1.0.2'), (1, 'streams', '--from', '2.0.0', '--to', '1.0.2'),
            (1, 'streams', '--from', '9.9.9'), (1, 'streams', '--from', '0.1.0', '--olm', 'v1'),
            (0, 'skipped-on-the-way', '--from', '1.0.0'), (1, 'skipped-on-the-way', '--from', '1.0.0', '--olm', 'classic'),
            (1, 'channel-left-behind', '-c', 'stable', '--from', '1.5.0'), (0, 'two-heads', '--from', 'greeter.v0.1.0'),
        )
        for status, *arguments in cases:
            with self.subTest(arguments):
                result = self.opcat('graph', *arguments)
                self.assert_status(result, status)
                refused = 'warning: OLM classic gets nothing of the catalog two-heads, which opm refuses: '
                self.assertEqual(result.err[:len(refused)], refused if arguments[0] == 'two-heads' else '')
                self.assertEqual(self.opcat('graph', *arguments, '-o', 'json').json()['arrives'], status == 0)

    def test_a_way_in_a_catalog_that_opm_refuses_is_none_for_olm_classic(self):
        shutil.copytree(self.dir / 'streams', self.dir / 'broken')
        path = next((self.dir / 'broken').glob('*.yaml'))
        path.write_text(path.read_text() + '---\nschema: olm.channel\npackage: nobody\nname: stable\nentries:\n- name: nobody.v1.0.0\n')
        for olm, status in ((), 0), (('--olm', 'v1'), 0), (('--olm', 'classic'), 1):
            with self.subTest(olm):
                result = self.opcat('graph', 'broken', '-p', 'harbour', '--from', '1.0.1', *olm)
                self.assert_status(result, status)
                self.assertEqual('OLM classic gets nothing of the catalog broken' in result.err, olm != ('--olm', 'v1'))
                path = self.opcat('graph', 'broken', '-p', 'harbour', '--from', '1.0.1', *olm, '-o', 'json').json()
                self.assertEqual((path['arrives'], 'refused' in path), (status == 0, olm != ('--olm', 'v1')))
                self.assertFalse(any(channel['arrives'] for channel in path.get('classic', [])))

    def test_olm_v1_goes_through_no_bundle_with_dependencies(self):
        blob = '---\nschema: olm.bundle\npackage: p\nname: p.v{0}\nimage: r.example/p:{0}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {0}}}\n'
        (self.dir / 'needs').mkdir()
        (self.dir / 'needs/c.yaml').write_text(
            'schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1.0.0\n'
            '- name: p.v1.1.0\n  replaces: p.v1.0.0\n' + blob.format('1.0.0') + blob.format('1.1.0') +
            '- type: olm.package.required\n  value: {packageName: q, versionRange: ">=1.0.0"}\n')
        result = self.opcat('graph', 'needs', '--from', '1.0.0', '--to', '1.1.0', '--olm', 'v1')
        self.assert_status(result, 1)
        self.assertNotIn('OLM v1 goes there if', result.out)

    def test_a_package_is_needed_where_it_is_not_clear(self):
        shutil.copytree(self.dir / 'streams', self.dir / 'two/streams')
        shutil.copytree(self.dir / 'hello', self.dir / 'two/hello')
        self.assert_status(self.opcat('graph', 'two', '--from', 'harbour.v1.0.0'), 0)
        self.assertEqual(self.opcat('graph', 'two', '--from', '1.0.0').err,
                         'error: several bundles have version 1.0.0, such as harbour.v1.0.0 and hello.v1.0.0\n'
                         '  help: name the bundle, or the package: harbour@1.0.0\n')
        self.assertEqual(self.opcat('graph', 'two', '--from', '9.0.0').err,
                         'error: --from needs to know the package\n  help: name it with -p PACKAGE\n')
        for installed in ('harbour@1.0.0', 'harbour.v1.0.0@1.0.0'):
            self.assertIn('harbour: from harbour.v1.0.0', self.opcat('graph', 'two', '--from', installed).out)
        self.assert_status(self.opcat('graph', 'two', '-p', 'hello', '--from', '1.0.0'), 0)


class Lists(GraphCase):
    def test_every_form_of_list(self):
        for what, member, count in (('packages', 'packages', 1), ('channels', 'channels', 2), ('bundles', 'bundles', 8)):
            table = self.opcat('list', what, 'streams').out.splitlines()
            self.assertEqual(len(table), count + 1)
            rows = self.opcat('list', what, 'streams', '-o', 'json').json()
            self.assertEqual((rows['schema'], len(rows[member])), ('opcat.list.v1', count))
            names = self.opcat('list', what, 'streams', '-o', 'name').out.split()
            self.assertEqual(sorted(names), sorted({row['name'] for row in rows[member]}))
            as_yaml = self.opcat('list', what, 'streams', '-o', 'yaml').out
            self.assertEqual(as_yaml.count('name: '), count)
        self.assertEqual(self.opcat('list', 'bundles', 'streams', '-c', 'maintenance', '-o', 'name').out,
                         'harbour.v1.0.0\nharbour.v1.0.1\nharbour.v1.0.2\n')

    def test_heads_that_are_not_one(self):
        self.assertIn('stable (default)  several  3', self.opcat('list', 'channels', 'two-heads').out)


class Diffs(GraphCase):
    def test_only_what_is_asked_for_fails(self):
        cases = (('gizmo-last-week', 'gizmo', 'stranded,removed', 0), ('gizmo-last-week', 'gizmo', 'skipped-again', 1),
                 ('gizmo', 'gizmo-last-week', 'stranded', 1), ('gizmo', 'gizmo-last-week', 'default-channel,z-stream', 0),
                 ('gizmo', 'gizmo-last-week', 'any', 1), ('gizmo', 'gizmo', 'any', 0))
        for before, after, kinds, status in cases:
            with self.subTest((before, after, kinds)):
                for form in ('text', 'markdown', 'json'):
                    self.assert_status(self.opcat('diff', before, after, '-o', form, '--fail-on', kinds), status)
        self.assert_status(self.opcat('diff', 'gizmo', 'gizmo-last-week'), 0)

    def test_names_cannot_break_the_comment_on_a_pull_request(self):
        text = (self.dir / 'hello/catalog.yaml').read_text()
        self.write('evil/c.yaml', text.replace('hello.v1.2.0-rc.1', '"x|</details><script>\\e[2J`y"'))
        result = self.opcat('diff', 'hello', 'evil', '-o', 'markdown')
        self.assert_status(result, 0)
        self.assertIn('``bundle x|</details><script>\\x1b[2J`y``', result.out)
        self.assertNotIn('<script>', re.sub(r'(`+)(?!`).*?(?<!`)\1(?!`)', '', result.out))
        self.assertNotIn('\x1b', result.out)
        for line in result.out.splitlines():
            if line.startswith('|'):
                self.assertEqual(line.replace('\\|', '').count('|'), 5, line)


class WrongInput(GraphCase):
    def test_mistakes_are_reported_with_advice(self):
        cases = (
            (('graph', 'nowhere'), 3, 'cannot read nowhere: no such file or directory', ''),
            (('graph', 'streams', '-p', 'harbor'), 2, 'there is no package "harbor"', 'did you mean harbour?'),
            (('graph', 'streams', '-c', 'stabel'), 2, 'no package has a channel "stabel"', 'did you mean stable?'),
            (('graph', 'streams', '--to', '1.0.0'), 2, '--to needs --from', '--from 1.2.3'),
            (('graph', 'gizmo', '--from', 'foo'), 2, 'has no bundle foo', 'give its version, too'),
            (('graph', 'gizmo', '--from', 'gizmo-operator.v1.0'), 2, 'has no bundle', 'did you mean gizmo-operator.v1.0.0'),
            (('graph', 'gizmo', '--from', '1.0.0', '--to', '7.0.0'), 2, 'has no bundle of version 7.0.0', ''),
            (('graph', 'gizmo', '--from', '1.0.0', '-o', 'svg'), 2, '--from answers with -o text or -o json', ''),
            (('diff', 'hello', 'hello', '--fail-on', 'strandd'), 2, '--fail-on: strandd is not one of unservable, stranded, ', 'did you mean stranded?'),
            (('diff', 'hello', 'nowhere'), 3, 'cannot read nowhere', ''),
            (('list', 'bundles', 'hello', '-p', 'helo'), 2, 'there is no package "helo"', 'did you mean hello?'),
            (('list', 'lifecycles', 'stores-v4.17', '-p', 'dpot'), 2, 'there is no package "dpot"', 'did you mean depot?'),
            (('list', 'package', 'hello'), 2, 'no command "package"', 'did you mean packages?'),
        )
        for arguments, status, message, hint in cases:
            with self.subTest(arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, status)
                self.assertEqual(result.out, '')
                self.assertIn(message, result.err)
                self.assertIn(hint, result.err)


if __name__ == '__main__':
    unittest.main()
