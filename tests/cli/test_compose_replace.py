"""One package's fragment in place of the old one in an index. Covers lib/compose/replace.cpp."""
import shutil
import unittest

from opcat_case import CATALOGS, OpcatCase


def package(name, *versions):
    entries = ''.join(f'- name: {name}.v{v}\n' + (f'  replaces: {name}.v{versions[i - 1]}\n' if i else '') for i, v in enumerate(versions))
    bundles = ''.join(f'---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{v}\nimage: r.example/{name}:{v}\nproperties:\n'
                      f'- type: olm.package\n  value: {{packageName: {name}, version: {v}}}\n' for v in versions)
    return (f'---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\nname: stable\n'
            f'entries:\n{entries}{bundles}')


class ComposeReplace(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('index/catalog.yaml', package('a', '1.0.0') + package('b', '1.0.0') + '---\nschema: own\npackage: a\nnote: old\n---\nschema: global\n')
        self.write('a.yaml', package('a', '1.0.0', '2.0.0'))
        self.write('c.yaml', package('c', '1.0.0'))

    def test_the_fragments_packages_take_the_place_of_the_old_ones_and_all_else_stays(self):
        result = self.opcat('compose', 'index', '--replace', 'a.yaml', '--replace', 'c.yaml', '-o', 'yaml')
        self.assert_status(result, 0)
        self.assertIn('a: replaced, 2 bundles instead of 1\n', result.err)
        self.assertIn('c: new, 1 bundle\n', result.err)
        self.write('wanted/catalog.yaml', package('a', '1.0.0', '2.0.0') + package('b', '1.0.0') + package('c', '1.0.0') + '---\nschema: global\n')
        self.assertEqual(result.out, self.opcat('render', 'wanted', '-o', 'yaml').out)
        self.assert_status(self.opcat('compose', 'index', '--replace', 'a.yaml', '--replace', 'c.yaml', '-o', 'yaml', '--output-dir', 'new'), 0)
        self.assertEqual(self.opcat('render', 'new', '-o', 'yaml').out, result.out)
        again = self.opcat('compose', 'new', '--replace', 'a.yaml', '-o', 'yaml')
        self.assertEqual(again.out, result.out)

    def test_what_is_not_valid_is_refused_and_nothing_is_written(self):
        self.write('bad.yaml', package('a', '1.0.0').replace('defaultChannel: stable', 'defaultChannel: x'))
        self.write('none.yaml', '---\nschema: global\n')
        for arguments, status, words in ((['bad.yaml'], 1, 'x'), (['none.yaml'], 2, 'belongs to no package'), (['a.yaml', '--replace', 'a.yaml'], 2, 'several fragments'),
                                         (['absent.yaml'], 3, 'absent.yaml'), (['a.yaml', '--locked'], 2, '--locked'), (['a.yaml', '--update'], 2, '--update')):
            result = self.opcat('compose', 'index', '--replace', *arguments, '--output-dir', 'new')
            self.assert_status(result, status)
            self.assertIn(words, result.err)
            self.assertFalse((self.dir / 'new').exists())
        self.assertIn('--replace', self.opcat('compose', 'index', '-o', 'yaml').err)

    def test_an_index_does_not_become_a_part_of_itself(self):
        result = self.opcat('compose', 'index', '--replace', 'a.yaml', '--output-dir', 'index/new')
        self.assert_status(result, 2)
        self.assertIn('would become a part of index', result.err)
        self.assertFalse((self.dir / 'index/new').exists())


class Outputs(OpcatCase):
    def setUp(self):
        super().setUp()
        for name in ('hello', 'gizmo'):
            shutil.copytree(CATALOGS / name, self.dir / name)
        self.write('c.yaml', 'name: all\nreferences:\n- {name: hello, image: ./hello}\n- {name: gizmo, image: ./gizmo}\n')

    def test_a_reference_that_goes_is_named(self):
        self.assert_status(self.opcat('compose', 'c.yaml'), 0)
        self.write('c.yaml', 'name: all\nreferences:\n- {name: hello, image: ./hello}\n')
        self.assertEqual(self.opcat('compose', 'c.yaml').err, 'removed all/gizmo: it is no longer a reference\nall: 1 reference, all unchanged\n')
        self.assertFalse((self.dir / 'all/gizmo').exists())

    def test_what_cannot_be_written_is_found_before_anything_is(self):
        for path in 'c.lock', 'all.Dockerfile':
            place = self.dir / path
            for make, unmake, words in ((lambda: place.symlink_to('nowhere'), place.unlink, f'cannot write {path}: it is not a file'),
                                        (place.mkdir, place.rmdir, f' {path}: it is ')):
                with self.subTest(words):
                    make()
                    result = self.opcat('compose', 'c.yaml')
                    unmake()
                    self.assert_status(result, 3)
                    self.assertIn(words, result.err)
                    self.assertFalse((self.dir / 'all').exists())
        self.write('d.yaml', 'name: d.lock\nreferences:\n- {name: hello, image: ./hello}\n')
        self.assertIn('the catalog would have the name of its lock, d.lock', self.opcat('compose', 'd.yaml').err)
        self.assertFalse((self.dir / 'd.lock').exists())

    def test_a_lock_of_another_catalog_stays(self):
        self.assert_status(self.opcat('compose', 'c.yaml'), 0)
        lock = (self.dir / 'c.lock').read_text()
        self.write('c.yml', 'name: other\nreferences:\n- {name: hello, image: ./hello}\n')
        result = self.opcat('compose', 'c.yml')
        self.assert_status(result, 3)
        self.assertIn('c.lock is the lock of another catalog, all', result.err)
        self.assertEqual((self.dir / 'c.lock').read_text(), lock)


class Locked(OpcatCase):
    def test_what_was_edited_is_an_error_and_stays(self):
        shutil.copytree(CATALOGS / 'hello', self.dir / 'hello')
        self.write('c.yaml', 'name: all\nreferences:\n- name: hello\n  image: ./hello\n')
        self.assert_status(self.opcat('compose', 'c.yaml'), 0)
        self.assert_status(self.opcat('compose', '--locked', 'c.yaml'), 0)
        made = self.dir / 'all/hello/catalog.yaml'
        edited = made.read_text() + '# mine\n'
        made.write_text(edited)
        result = self.opcat('compose', '--locked', 'c.yaml')
        self.assert_status(result, 1)
        self.assertIn('all/hello/catalog.yaml is not what the lock says', result.err)
        self.assertEqual(made.read_text(), edited)
        made.unlink()
        self.assert_status(self.opcat('compose', '--locked', 'c.yaml'), 0)
        self.assertTrue(made.exists())
        self.write('c.yaml', (self.dir / 'c.yaml').read_text().replace('name: all', 'name: other'))
        self.assert_status(self.opcat('compose', '--locked', 'c.yaml'), 1)
        self.assertFalse((self.dir / 'other/hello/catalog.yaml').exists())



if __name__ == '__main__':
    unittest.main()
