"""opcat schema, and validate --schema: definitions in CUE."""
import json
import unittest

from opcat_case import ROOT, CATALOGS, OpcatCase

NOTES = '''package notes

import "strings"

// A note for maintainers
#Note: {
\tschema: "example.note"
\ttext:   #Text
}
#Text: strings.MinRunes(5)
// How large an operator is
#Size: {type: "example.size", value: int & >0}
'''

CATALOG = '''schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries:
- name: b
---
schema: olm.bundle
package: p
name: b
image: r.example/b
relatedImages:
- name: b
  image: ""
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
'''


class Schema(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('notes.cue', NOTES)
        self.write('c/catalog.yaml', CATALOG)

    def test_list(self):
        result = self.opcat('schema', 'list', '--schema', 'notes.cue')
        self.assert_status(result, 0)
        lines = result.out.splitlines()
        self.assertEqual(lines[0].split(), ['DEFINITION', 'FOR', 'DESCRIPTION'])
        self.assertRegex(result.out, r'\n_Meta +every blob +What every blob has')
        self.assertRegex(result.out, r'\n#Bundle +blobs of schema olm.bundle ')
        self.assertRegex(result.out, r'\n#Note +blobs of schema example.note +A note for maintainers\n')
        self.assertRegex(result.out, r'\n#Size +properties of type example.size +How large an operator is\n')

    def test_show(self):
        for name in ('olm.channel', 'Channel', '#Channel'):
            self.assertIn('#Channel: {\n\t_Meta\n', self.opcat('schema', 'show', name).out)
        self.assertTrue(self.opcat('schema', 'show', 'olm.package').out.startswith('// A package:'))
        self.assertEqual(self.opcat('schema', 'show', '--schema', 'notes.cue', 'Text').out, '#Text: strings.MinRunes(5)\n')
        result = self.opcat('schema', 'show', 'olm.bundel')
        self.assert_status(result, 2)
        self.assertEqual(result.err, 'error: there is no schema "olm.bundel"\n  help: did you mean olm.bundle?\n')

    def test_what_an_added_file_says_of_a_blob_is_shown_and_exported_with_it(self):
        (self.dir / 'own.cue').write_text('package own\n#Mine: {\n\tschema: "olm.bundle"\n\towner!: string\n\t...\n}\n')
        for command in (('show',), ('export',), ('export', '--format', 'cue')):
            for name in ('olm.bundle', '#Bundle'):
                with self.subTest(command=command, name=name):
                    self.assertIn('owner', self.opcat('schema', *command, '--schema', 'own.cue', name).out)
        (self.dir / 'exported.cue').write_text(self.opcat('schema', 'export', '--schema', 'own.cue', '--format', 'cue', 'olm.bundle').out)
        self.assertIn('#Mine', self.opcat('schema', 'list', '--schema', 'exported.cue').out)

    def test_what_is_exported_as_cue_can_be_used_by_itself(self):
        result = self.opcat('schema', 'export', '--format', 'cue', '--schema', 'notes.cue', 'example.note')
        self.assertEqual(result.out, 'package notes\n\nimport "strings"\n\n// A note for maintainers\n#Note: {\n'
                         '\tschema: "example.note"\n\ttext:   #Text\n}\n\n#Text: strings.MinRunes(5)\n')
        self.write('all.cue', self.opcat('schema', 'export', '--format', 'cue', '--schema', 'notes.cue').out)
        result = self.opcat('validate', '--schema', 'all.cue', 'c')
        self.assert_status(result, 1)  # the warning becomes an error of a schema that the user added
        self.assertIn('all.cue', result.out)

    def test_json_schema(self):
        one = self.opcat('schema', 'export', 'olm.bundle').json()
        self.assertEqual(one['$schema'], 'https://json-schema.org/draft/2020-12/schema')
        self.assertEqual(one['$ref'], '#/$defs/Bundle')
        self.assertIn('image', one['$defs']['Bundle']['required'])
        everything = json.dumps(self.opcat('schema', 'export', '--schema', 'notes.cue').json())
        for name in ('olm.deprecations', 'olm.gvk.required', 'example.note', 'example.size'):
            self.assertIn(f'{{"const": "{name}"}}', everything)

    def test_what_opm_lets_pass_is_a_warning(self):
        result = self.opcat('validate', 'c')
        self.assert_status(result, 0)
        self.assertEqual(result.out, '''\
c/catalog.yaml:17:10: warning: olm.bundle b: relatedImages[0].image must not be empty [schema]
   17 |   image: ""
      |          ^
  note: required by #Bundle: `opcat schema show '#Bundle'` prints it
''')
        self.assert_status(self.opcat('validate', '--strict', 'c'), 1)
        self.assert_status(self.opm('validate', 'c'), 0)

    def test_what_opm_refuses_is_reported_once(self):
        self.write('c/catalog.yaml', CATALOG.replace('image: r.example/b\nrelated', 'related'))
        result = self.opcat('validate', 'c')
        self.assert_status(result, 1)
        self.assertIn('[bundle-image]', result.out)
        self.assertNotIn('image is missing', result.out)

    def test_schemas_of_users(self):
        self.write('c/note.yaml', 'schema: example.note\ntext: abc\n')
        self.write('strict.cue', '#Bundle: {schema: "olm.bundle", image: =~"@sha256:", ...}\n')
        result = self.opcat('validate', '--schema', 'notes.cue', '--schema', 'strict.cue', 'c')
        self.assert_status(result, 1)
        self.assertIn('c/note.yaml:2:7: error: example.note: text must have at least 5 characters [schema]', result.out)
        self.assertIn('note: required by #Note at notes.cue:10:8', result.out)
        self.assertIn('c/catalog.yaml:14:8: error: olm.bundle b: image must match the regular expression "@sha256:"', result.out)

    def test_a_file_that_checks_nothing_is_an_error(self):
        for text in ('', '// a note\n', 'package p\n#Part: {name: string}\n'):
            with self.subTest(text):
                self.write('nothing.cue', text)
                result = self.opcat('validate', '--schema', 'nothing.cue', 'c')
                self.assert_status(result, 2)
                self.assertIn('the file checks nothing', result.err)

    def test_a_definition_that_checks_nothing_is_an_error_beside_one_that_does(self):
        for text, words in (('#B: {shcema: "olm.bundle", ...}', "#B checks nothing: it is neither for blobs nor for properties"),
                            ('#B: {schema: =~"^olm", ...}', '#B checks nothing'),
                            ('schema: "olm.bundle"', 'schema checks nothing'),
                            ('#B: {schema: "olm.bundle", name: #Name, ...}\n#Name: =~"^b"\n#Other: string', '#Other checks nothing')):
            with self.subTest(text):
                self.write('part.cue', '#Note: {schema: "example.note", ...}\n' + text + '\n')
                result = self.opcat('validate', '--schema', 'part.cue', 'c')
                self.assert_status(result, 2)
                self.assertIn(words, result.err)
                self.assertEqual(result.err.count('error: '), 1, result.err)

    def test_what_is_not_a_schema(self):
        self.write('bad.cue', '#A: {\n\tb: strin\n\tc: #D\n}\n')
        result = self.opcat('validate', '--schema', 'bad.cue', 'c')
        self.assert_status(result, 2)
        self.assertEqual(result.out, '')
        self.assertTrue(result.err.startswith('bad.cue:2:5: error: there is no strin [schema-file]'), result)
        self.assertIn('bad.cue:3:5: error: there is no #D', result.err)
        self.assert_status(self.opcat('validate', '--schema', 'none.cue', 'c'), 3)

    def test_the_catalogs_of_the_documentation_fit(self):
        for name in ('hello', 'streams'):
            self.assertNotIn('[schema]', self.opcat('validate', CATALOGS / name).out)

    def test_the_schemas_of_files_of_a_repository_of_operators_are_the_official_ones(self):
        for name, file in (('ci.yaml', 'ci.json'), ('release-config.yaml', 'release-config.json')):
            self.assertEqual(self.opcat('schema', 'export', name).out, (ROOT / 'schemas/policy' / file).read_text())
            self.assert_status(self.opcat('schema', 'export', name, '--format', 'cue'), 2)

    def test_each_command_has_an_example(self):
        for command in ([], ['list'], ['show'], ['export']):
            self.assertIn('Example', self.opcat('schema', *command, '--help').out)


if __name__ == '__main__':
    unittest.main()
