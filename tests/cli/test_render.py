"""opcat render: catalogs as one normalised stream."""
import json
import unittest

from opcat_case import CATALOGS, OpcatCase


class Render(OpcatCase):
    def test_json_is_the_default(self):
        result = self.opcat('render', CATALOGS / 'hello')
        self.assert_status(result, 0)
        self.assertEqual(result.err, '')
        self.assertEqual(result.out, self.opcat('render', '-o', 'json', CATALOGS / 'hello').out)
        first, _ = json.JSONDecoder().raw_decode(result.out)
        self.assertEqual(first['schema'], 'olm.package')

    def test_rendering_what_was_rendered_changes_nothing(self):
        for form in ('json', 'yaml'):
            once = self.opcat('render', CATALOGS / 'hello', '-o', form).out
            self.write(f'again/catalog.{form}', once)
            for other in ('json', 'yaml'):
                again = self.opcat('render', 'again', '-o', other).out
                self.assertEqual(again, self.opcat('render', CATALOGS / 'hello', '-o', other).out)
            (self.dir / f'again/catalog.{form}').unlink()

    def test_several_references_make_one_stream(self):
        result = self.opcat('render', CATALOGS / 'two-heads', CATALOGS / 'hello')
        self.assert_status(result, 0)
        self.assertLess(result.out.index('"greeter"'), result.out.index('"hello"'))

    def test_opm_renders_the_same(self):
        for form in ('json', 'yaml'):
            self.assertEqual(self.opm('render', CATALOGS / 'hello', '-o', form).out,
                             self.opcat('render', CATALOGS / 'hello', '-o', form).out)

    def test_any_number_of_threads_writes_the_same(self):
        bundles = ''.join(f'---\nschema: olm.bundle\npackage: p{i % 9}\nname: b{i}\nimage: {"x" * (i % 500)}\n' for i in range(3000))
        self.write('c/a.yaml', bundles)
        expected = self.opcat('-j', 1, 'render', 'c', '-o', 'yaml')
        self.assert_status(expected, 0)
        for jobs in (2, 3, 8):
            self.assertEqual(self.opcat('-j', jobs, 'render', 'c', '-o', 'yaml').out, expected.out)

    def test_a_directory_that_holds_something_is_not_written_to(self):
        self.assert_status(self.opcat('render', CATALOGS / 'hello', '--output-dir', 'out'), 0)
        self.assertEqual([path.name for path in (self.dir / 'out').rglob('*')], ['hello', 'catalog.json'])
        result = self.opcat('render', CATALOGS / 'hello', '--output-dir', 'out', '-o', 'yaml')
        self.assert_status(result, 3)
        self.assertTrue(result.err.startswith('error: cannot write to out: it is not an empty directory\n'), result)
        self.assertEqual([path.name for path in (self.dir / 'out').rglob('*')], ['hello', 'catalog.json'])

    def test_nothing_is_not_a_catalog(self):
        (self.dir / 'empty').mkdir()
        self.write('ignored/catalog.yaml', 'schema: olm.package\nname: a\n')
        self.write('ignored/.indexignore', '*\n')
        for command in (('empty',), ('ignored',), ('empty', 'ignored'), ('-',), ('empty', '--output-dir', 'out')):
            with self.subTest(command):
                result = self.opcat('render', *command, stdin='')
                self.assert_status(result, 1)
                self.assertEqual(result.out, '')
                self.assertIn('error: the result is empty: it has neither a package nor a channel nor a bundle\n', result.err)
                self.assertIn('--allow-empty', result.err)
                self.assert_status(self.opcat('render', '--allow-empty', *command, stdin=''), 0)
        self.assert_status(self.opcat('render', 'empty', CATALOGS / 'hello'), 0)
        self.assert_status(self.opm('render', 'empty'), 0)

    def test_blobs_without_a_package_are_left_out_with_a_warning(self):
        bundle = 'schema: olm.bundle\nname: a\nimage: r.example/a:v1\n'
        self.write('c/a.yaml', bundle)
        result = self.opcat('render', 'c')
        self.assert_status(result, 1)
        self.assertIn('1 blob is left out of the result: it does not name a package', result.err)
        self.assertIn('the result is empty', result.err)
        self.write('c/a.yaml', bundle + '---\n' + bundle + '---\nschema: olm.package\nname: p\n')
        result = self.opcat('render', 'c')
        self.assert_status(result, 0)
        self.assertIn('2 blobs are left out of the result: they do not name a package', result.err)
        result = self.opm('render', 'c')
        self.assert_status(result, 0)
        self.assertEqual(result.err, '')

    def test_nothing_is_written_for_a_catalog_that_does_not_load(self):
        self.write('c/a.yaml', 'schema: x\n')
        self.write('c/b.yaml', 'a: b: c\n')
        self.write('c/d.json', '{"schema": 1}')
        result = self.opcat('render', 'c')
        self.assert_status(result, 1)
        self.assertEqual(result.out, '')
        self.assertIn('c/b.yaml:1:4: error: ', result.err)
        self.assertIn('c/d.json:1:12: error: ', result.err)

    def test_what_is_well_formed_and_wrong_is_rendered(self):
        self.assert_status(self.opcat('render', CATALOGS / 'two-heads'), 0)

    def test_an_absent_directory_is_a_failure_of_the_environment(self):
        result = self.opcat('render', 'absent')
        self.assert_status(result, 3)
        self.assertEqual(result.out, '')
        self.assertIn('absent', result.err)
        self.assertIn('no such file or directory', result.err)

    def test_text_that_yaml_cannot_hold(self):
        self.write('c/a.json', '{"schema": "x", "name": "odd", "text": "\x7f"}')
        self.assert_status(self.opcat('render', 'c'), 0)
        result = self.opcat('render', 'c', '-o', 'yaml')
        self.assert_status(result, 3)
        self.assertIn('odd', result.err)
        self.assertIn('help: write it as JSON', result.err)


if __name__ == '__main__':
    unittest.main()
