"""opcat validate --fix: corrections of the text of catalogs."""
import os
import unittest

from opcat_case import OpcatCase

WRONG = '''schema: olm.package   # the package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entires: []
entries:
- name: p.v0.3.0
---
schema: olm.bundle
package: p
name: p.v0.3.0
image: r.example/p
properties:
- type: olm.package
  value: {packageName: p, version: 0.3} # not a string
'''


class Fixes(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('c/a.yaml', WRONG)

    def text(self):
        return (self.dir / 'c/a.yaml').read_text()

    def test_files_are_corrected_and_the_rest_is_reported(self):
        self.write('c/a.yaml', WRONG.replace('entires: []\n', 'entires2: []\n'))
        self.assertIn('; 1 can be corrected by --fix', self.opcat('validate', 'c').err)
        result = self.opcat('validate', '--fix', 'c')
        self.assertEqual(self.text(), WRONG.replace('entires: []\n', 'entires2: []\n').replace('0.3}', '0.3.0}'))
        self.assertTrue(result.err.startswith('c/a.yaml:18: property-value: write 0.3.0\n1 fix applied\n'), result)
        self.assertIn('[unknown-field]', result.out)
        self.assertNotIn('[property-value]', result.out)

    GOOD = WRONG.replace('entires: []\n', '').replace('0.3}', '0.3.0}')

    def test_keys_in_another_letter_case_are_corrected(self):
        self.write('c/a.yaml', self.GOOD.replace('schema: olm.package', 'Schema: olm.package').replace('entries:', 'Entries:').replace('package: p', 'Package: p', 1))
        result = self.opcat('validate', 'c')
        self.assertEqual(result.out.count('[key-case]'), 3, result)
        self.assertIn('; 3 can be corrected by --fix', result.err)
        many = ''.join(f'---\nschema: olm.bundle\npackage: p\nname: p.v{i}\nimage: r.example/p:{i}\nproperties:\n- type: olm.package\n'
                       f'  value: {{packageName: p, version: 1.{i}}}\n' for i in range(9000))
        self.write('many/c.yaml', many)
        self.assertIn(' or more can be corrected by --fix', self.opcat('validate', 'many').err)
        self.assert_status(self.opcat('validate', '--fix', 'c'), 0)
        self.assertEqual(self.text(), self.GOOD)

    def test_an_item_whose_dash_is_missing_is_not_removed(self):
        text = self.GOOD.replace('- name: p.v0.3.0\n', '- name: p.v0.2.0\n  name: p.v0.3.0\n')
        self.write('c/a.yaml', text)
        result = self.opcat('validate', '--fix', 'c')
        self.assertIn('if another item of the list begins here, write "- " before it', result.out)
        self.assertEqual(self.text(), text)

    def test_each_place_of_a_fix_says_what_happens_there(self):
        self.write('c/a.yaml', self.GOOD.replace('olm.bundle', 'olm.bundel') + self.GOOD[self.GOOD.index('---\nschema: olm.bundle'):]
                   .replace('olm.bundle', 'olm.bundel').replace('0.3.0', '0.4.0'))
        result = self.opcat('validate', '--fix', 'c')
        self.assertEqual(result.err.count('unknown-schema: write olm.bundle instead of olm.bundel\n'), 2, result)

    def test_a_key_that_is_there_already_is_not_offered(self):
        self.write('c/a.yaml', WRONG.replace('entires: []', 'nam: x').replace('0.3}', '0.3.0}'))
        result = self.opcat('validate', 'c')
        self.assertIn('has no field "nam"', result.out)
        self.assertNotIn('--fix', result.err)
        self.assertNotIn('did you mean', result.out)

    def test_a_difference_changes_nothing(self):
        self.write('c/a.yaml', WRONG.replace('0.3}', '0.3.0}').replace('entires: []\n', '').replace('entries', 'elements'))
        before = self.text()
        result = self.opcat('validate', '--fix', '--diff', 'c')
        self.assert_status(result, 0)
        self.assertEqual((result.out, result.err), ('', '0 fixes to apply: nothing was written\n'))
        self.assertEqual(self.text(), before)
        self.write('c/a.yaml', WRONG)
        result = self.opcat('validate', '--fix', '--diff', 'c')
        self.assert_status(result, 1)
        self.assertEqual(result.err, '1 fix to apply: nothing was written\n')
        self.assertIn('--- c/a.yaml\n+++ c/a.yaml\n@@ -15,4 +15,4 @@\n', result.out)
        self.assertIn('\n-  value: {packageName: p, version: 0.3} # not a string\n'
                      '+  value: {packageName: p, version: 0.3.0} # not a string\n', result.out)
        self.assertEqual(self.text(), WRONG)
        self.opcat('validate', '--fix', 'c')
        result = self.opcat('validate', '--fix', '--diff', 'c')
        self.assert_status(result, 0)
        self.assertEqual(result.out, '')

    def test_what_may_be_meant_otherwise_has_to_be_asked_for(self):
        self.write('c/a.yaml', WRONG.replace('0.3}', '0.3.0}').replace('entires: []\n', '').replace('Channel: stable', 'Channel: stabl'))
        self.opcat('validate', '--fix', 'c')
        self.assertIn('Channel: stabl\n', self.text())
        result = self.opcat('validate', '--fix', '--unsafe-fixes', 'c')
        self.assert_status(result, 0)
        self.assertIn('Channel: stable\n', self.text())
        for flag in '--diff', '--unsafe-fixes':
            self.assert_status(self.opcat('validate', flag, 'c'), 2)

    def test_only_files_can_be_corrected(self):
        result = self.opcat('validate', '--fix', '-', stdin=WRONG)
        self.assert_status(result, 2)
        self.assertIn('--fix does not go with "-"', result.err)
        self.assert_status(self.opcat('validate', '--fix', '--baseline', 'c/a.yaml', 'c'), 2)

    def test_a_key_that_is_given_many_times_is_given_once_afterwards(self):
        for text in 'schema: note\n' + 'a: 1\n' * 2500, '{"schema": "note"' + ',"a": 1' * 2500 + '}\n':
            self.write('c/a.yaml', text)
            result = self.opcat('validate', '--fix', 'c')
            self.assertIn('2499 fixes applied\n', result.err)
            self.assertEqual(self.text().count('a'), 2, result)

    def test_a_catalog_that_a_link_gives_a_second_time_is_not_taken_for_a_copy(self):
        self.write('c/p/catalog.yaml', WRONG.replace('0.3}', '0.3.0}').replace('entires: []\n', ''))
        (self.dir / 'c/a.yaml').unlink()
        for link, target in ('c/a.yaml', 'p/catalog.yaml'), ('c/p/z.yaml', 'catalog.yaml'):
            (self.dir / link).symlink_to(target)
            before = (self.dir / 'c/p/catalog.yaml').read_text()
            for flags in [], ['--unsafe-fixes']:
                result = self.opcat('validate', '--fix', *flags, 'c')
                self.assertIn('[bundle-duplicate]', result.out)
                self.assertIn('0 fixes applied\n', result.err)
                self.assertEqual((self.dir / 'c/p/catalog.yaml').read_text(), before)
            (self.dir / link).unlink()

    def test_permissions_stay(self):
        os.chmod(self.dir / 'c/a.yaml', 0o640)
        self.opcat('validate', '--fix', 'c')
        self.assertEqual(os.stat(self.dir / 'c/a.yaml').st_mode & 0o777, 0o640)

    def test_sarif_carries_fixes(self):
        results = self.opcat('validate', '--format', 'sarif', 'c').json()['runs'][0]['results']
        fix, = next(r for r in results if r['ruleId'] == 'property-value')['fixes']
        self.assertEqual(fix['description'], {'text': 'write 0.3.0'})
        change, = fix['artifactChanges']
        self.assertEqual(change['artifactLocation'], {'uri': 'c/a.yaml'})
        replacement, = change['replacements']
        self.assertEqual(replacement['insertedContent'], {'text': '0.3.0'})
        self.assertEqual(replacement['deletedRegion']['byteOffset'], WRONG.index('0.3}'))
        self.assertEqual(replacement['deletedRegion']['byteLength'], 3)


if __name__ == '__main__':
    unittest.main()
