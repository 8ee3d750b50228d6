"""Covers lib/lint/own_rules.cpp and lib/query/sql_rules.cpp and lib/lint/image_hosts.cpp and lib/lint/openshift_metadata.cpp and lib/lint/openshift_version.cpp and lib/lint/csv_metadata.cpp. What a project asks of its catalogs: a version of OpenShift, registries, conditions of its own."""
import base64
import json
import unittest

from opcat_case import OpcatCase

PACKAGE = '''schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
package: shop
name: stable
entries: [{name: shop.v1.0.0}]
'''
BUNDLE = '''---
schema: olm.bundle
name: shop.v1.0.0
package: shop
image: IMAGE
properties:
- {type: olm.package, value: {packageName: shop, version: 1.0.0}}
'''
DIGEST = '@sha256:' + '1' * 64
OTHER = '@sha256:' + '2' * 64
OBJECT = '- {type: olm.bundle.object, value: {data: eyJraW5kIjoiU2VydmljZSJ9}}\n'
METADATA = '- {type: olm.csv.metadata, value: {displayName: Shop}}\n'


class ProjectCase(OpcatCase):
    def catalog(self, image='quay.io/shop/bundle' + DIGEST, more=''):
        self.write('catalog/catalog.yaml', PACKAGE + BUNDLE.replace('IMAGE', image) + more)

    def findings(self, *arguments, rules, status=0):
        done = self.opcat('validate', 'catalog', '--format', 'json', '--all', *arguments)
        self.assert_status(done, status)
        return [(one['rule'], one['range']['start']['line'] if 'range' in one else None, one['message']) for one in done.json()['findings'] if one['rule'] in rules]


class OpenShift(ProjectCase):
    def test_metadata_of_bundles_are_those_of_the_version(self):
        for properties, version, words in (
                (METADATA, '4.17', None), (OBJECT, '4.16', None), (OBJECT * 2, 'v4.16', None), (METADATA, '5.0', None),
                (OBJECT, '4.17', 'has olm.bundle.object, and OpenShift 4.17 takes olm.csv.metadata'),
                (METADATA, '4.9', 'has olm.csv.metadata, and OpenShift 4.9 takes olm.bundle.object'),
                (METADATA * 2, '4.18', 'has olm.csv.metadata 2 times, and OpenShift 4.18 takes one'),
                (METADATA + OBJECT, '4.18', 'has both olm.csv.metadata and olm.bundle.object, and OpenShift 4.18 takes olm.csv.metadata only'),
                (METADATA + OBJECT, '4.12', 'has both olm.csv.metadata and olm.bundle.object, and OpenShift 4.12 takes olm.bundle.object only'),
                ('', '4.18', 'has neither olm.csv.metadata nor olm.bundle.object, of which OpenShift 4.18 takes olm.csv.metadata')):
            with self.subTest(properties + version):
                self.catalog(more=properties)
                found = self.findings('--openshift', version, rules=['openshift-metadata'])
                self.assertEqual([message for _, _, message in found], [f'bundle "shop.v1.0.0" {words}'] if words else [])
                self.assertEqual(self.findings(rules=['openshift-metadata']), [])

    def test_fix_makes_metadata_of_manifests(self):
        csv = {'kind': 'ClusterServiceVersion', 'apiVersion': 'operators.coreos.com/v1alpha1', 'metadata': {'name': 'shop.v1.0.0', 'annotations': {'a': 'yes'}},
               'spec': {'displayName': 'Shop', 'description': 'One\n\n  two: 3\n', 'version': '1.0.0'}}
        item = lambda value: '- type: olm.bundle.object # kept by nobody\n  value:\n    data: ' + base64.b64encode(json.dumps(value).encode()).decode() + '\n'
        before = item({'kind': 'Service'}) + '# about the service\n' + item(csv)
        self.catalog(more=before + 'relatedImages: []\n')
        self.assert_status(self.opcat('validate', 'catalog', '--fix', '--no-config'), 0)
        self.assertIn('olm.bundle.object', (self.dir / 'catalog/catalog.yaml').read_text())
        done = self.opcat('validate', 'catalog', '--fix', '--openshift', '4.18')
        self.assert_status(done, 0)
        self.assertIn('openshift-metadata: make olm.csv.metadata of olm.bundle.object', done.err)
        text = (self.dir / 'catalog/catalog.yaml').read_text()
        self.assertNotIn('olm.bundle.object', text)
        self.assertTrue(text.endswith('relatedImages: []\n') and text.startswith(PACKAGE))
        made = [one for one in self.opcat('render', 'catalog').blobs()[2]['properties'] if one['type'] == 'olm.csv.metadata']
        self.assertEqual(made, [{'type': 'olm.csv.metadata', 'value': {
            'annotations': {'a': 'yes'}, 'apiServiceDefinitions': {}, 'crdDescriptions': {}, 'description': 'One\n\n  two: 3\n', 'displayName': 'Shop', 'provider': {}}}])
        self.assertEqual(self.findings('--openshift', '4.18', rules=['openshift-metadata']), [])
        self.catalog(more=before + METADATA)
        self.assert_status(self.opcat('validate', 'catalog', '--fix', '--openshift', '4.18'), 0)
        self.assertEqual(self.findings('--openshift', '4.18', rules=['openshift-metadata']), [])
        for more in (item({'kind': 'Service'}), '- {type: olm.bundle.object, value: {data: eyJraW5kIjoiU2VydmljZSJ9}}\n', item({**csv, 'spec': {'displayName': 3}})):
            with self.subTest(more):
                self.catalog(more=more)
                self.opcat('validate', 'catalog', '--fix', '--openshift', '4.18')
                self.assertTrue((self.dir / 'catalog/catalog.yaml').read_text().endswith(more))

    def test_what_is_not_a_version_is_refused(self):
        self.catalog()
        for version in '4', '4.18.1', 'latest', '':
            if version:
                self.assert_status(self.opcat('validate', 'catalog', '--openshift', version), 2)


class Images(ProjectCase):
    def test_registries_end_where_a_part_of_a_name_ends(self):
        related = 'relatedImages: [{name: a, image: quay.io/shopping/a' + DIGEST + '}, {name: b, image: nginx' + DIGEST + '}]\n'
        self.catalog(more=related)
        for registries, lines in (([], []), (['quay.io'], [16]), (['quay.io', 'docker.io'], []), (['quay.io/shop', 'docker.io/library/nginx'], [16]),
                                  (['quay.io/shop/', 'docker.io'], [16]), (['localhost:5000'], [13, 16, 16])):
            with self.subTest(registries):
                flags = [flag for one in registries for flag in ('--allowed-registry', one)]
                self.assertEqual([line for _, line, _ in self.findings(*flags, rules=['image-registry'])], lines)
        self.write('.opcat.yaml', 'allowedRegistries: [quay.io/shop]\n')
        found = self.findings('--config', '.opcat.yaml', '--allowed-registry', 'docker.io', rules=['image-registry'])
        self.assertEqual([message for _, _, message in found], [f'the related image quay.io/shopping/a{DIGEST} of bundle "shop.v1.0.0" is not in an allowed registry'])
        for wrong, words in (('quay', 'it does not begin with the name of a host'), ('quay.io/A', 'is not a registry'), ('quay.io/a:v1', 'it has a tag or a digest')):
            done = self.opcat('validate', 'catalog', '--allowed-registry', wrong)
            self.assert_status(done, 2)
            self.assertIn(words, done.err)
            self.write('wrong.yaml', f'allowedRegistries: ["{wrong}"]\n')
            done = self.opcat('validate', 'catalog', '--config', 'wrong.yaml')
            self.assert_status(done, 2)
            self.assertIn(words, done.err)

    def test_hosts_for_builds_are_not_for_users(self):
        for image, found in (('registry.stage.redhat.io/a/b', True), ('brew.registry.redhat.io/rh-osbs/a', True), ('quay.io/redhat-user-workloads/a-tenant/b', True),
                             ('quay.io/redhat-user-workloads-not/b', False), ('localhost:5000/a', True), ('image-registry.openshift-image-registry.svc:5000/a/b', True),
                             ('127.0.0.1:5000/a', True), ('registry.redhat.io/a/b', False), ('registry.stage.redhat.io.example.com/a/b', False),
                             ('svc.example.com/a', False)):
            with self.subTest(image):
                self.catalog(image + DIGEST)
                self.assertEqual([line for _, line, _ in self.findings(rules=['image-staging'])], [13] if found else [])

    def test_one_digest_in_two_registries_is_a_note_for_the_package(self):
        self.catalog(more=f'relatedImages: [{{name: a, image: docker.io/shop/a{OTHER}}}, {{name: b, image: quay.io/shop/a{OTHER}}}, {{name: c, image: quay.io/c/a{OTHER}}}]\n')
        self.assertEqual(self.findings(rules=['image-two-registries']),
                         [('image-two-registries', 16, 'an image of package "shop" is named in two registries: docker.io and quay.io')])
        self.catalog(more=f'relatedImages: [{{name: a, image: quay.io/shop/a{OTHER}}}, {{name: b, image: quay.io/shop/b{OTHER}}}]\n')
        self.assertEqual(self.findings(rules=['image-two-registries']), [])


class OwnRules(ProjectCase):
    RULES = '''rules:
- {id: image-two-registries, severity: off}
- id: no-quay
  severity: error
  cel: blob.schema == "olm.bundle" && blob.image.startsWith("quay.io/")
  message: images are mirrored
- {id: named, cel: 'blob.image != "x"', message: never}
'''

    def test_a_condition_that_is_true_is_a_finding_and_one_without_a_value_a_warning(self):
        self.catalog()
        self.write('.opcat.yaml', self.RULES)
        flags = ('--config', '.opcat.yaml')
        found = self.findings(*flags, rules=['no-quay', 'named'], status=1)
        self.assertEqual(found, [('named', 2, 'the condition of the rule has no value for this blob: no such key'),
                                 ('named', 7, 'the condition of the rule has no value for this blob: no such key'),
                                 ('no-quay', 11, 'images are mirrored'), ('named', 11, 'never')])
        self.assertEqual(self.findings(*flags, '--rule', 'no-quay=note', rules=['no-quay']), found[2:3])
        self.write('text.yaml', 'rules: [{id: text, cel: blob.schema, message: never}]\n')
        self.assertEqual(self.findings('--config', 'text.yaml', rules=['text'])[0][2], 'the condition of the rule is neither true nor false for this blob')
        self.assertEqual(self.findings(*flags, '--rule', 'no-quay=off', rules=['no-quay']), [])
        self.write('.opcat.yaml', self.RULES + '- {id: no-quay, severity: note}\n')
        self.assertEqual(self.findings(*flags, rules=['no-quay']), found[2:3])
        self.write('.opcat.yaml', self.RULES + 'overrides: [{packages: [shop], rules: {no-quay: off, named: off}}]\n')
        self.assertEqual(self.findings(*flags, rules=['no-quay', 'named']), [])
        self.write('.opcat.yaml', self.RULES)
        text = (self.dir / 'catalog/catalog.yaml').read_text().replace('name: shop.v1.0.0\npackage', 'name: shop.v1.0.0 # opcat: ignore[no-quay] for now\npackage')
        self.write('catalog/catalog.yaml', text)
        self.assertEqual(self.findings(*flags, rules=['no-quay', 'suppression']), [])
        shown = self.opcat('config', 'show', 'catalog', *flags, '-o', 'json').json()['ownRules']
        self.assertEqual([(one['rule'], one['level'], one['origin']) for one in shown], [('no-quay', 'error', '.opcat.yaml:3:7'), ('named', 'warning', '.opcat.yaml:7:8')])
        sarif = self.opcat('validate', 'catalog', *flags, '--format', 'sarif').json()
        self.assertIn('named', [one['ruleId'] for one in sarif['runs'][0]['results']])

    def test_mistakes_are_reported_with_their_places(self):
        self.catalog()
        own = lambda more: f'rules: [{{id: a, {more}}}]\n'
        for text, words in (
                (own('cel: "blob.x +", message: m'), '1:22: error: the condition of the rule a is not valid CEL'),
                (own('cel: "1", message: m'), 'a condition must have the type bool, not int'),
                (own('cel: "true"'), 'a rule of your own needs "message", a text of at most 8192 bytes'),
                (own('message: m'), 'a rule of your own needs "cel"'), (own('cel: true, message: m'), 'a rule of your own needs "cel"'),
                (own(f'cel: "true", message: {"m" * 8193}'), 'a text of at most 8192 bytes'),
                (own('severity: error'), 'there is no rule "a"'), (own('sql: x, cel: "true", message: m'), 'the rule a has both cel and sql'),
                (own('sql: SELECT 1'), 'a rule of your own needs "message"'), (own('sql: x, message: m'), '.opcat.yaml:1:14: the rule a: the statement is not valid'),
                (own('sql: SELECT nam FROM packages, message: m'), 'name'), (own('sql: DELETE FROM packages, message: m'), 'does not only read'),
                (own('sql: SELECT 1; SELECT 2, message: m'), 'several statements'), (own('sqll: x'), 'a rule has no field "sqll"'),
                (own('severity: bad, cel: "true", message: m'), '"bad" is not a level'),
                ('rules: [{id: channel-heads}]\n', 'a rule of opcat needs a level'), ('rules: [{severity: off}]\n', 'a rule needs a name'),
                ('rules: [{id: Channel, cel: "true", message: m}]\n', 'a rule is named with lower-case letters'),
                ('rules: [{id: channel-heads, cel: "true", message: m}]\n', 'opcat has a rule of this name'),
                ('rules: [{id: a, cel: "true", message: m}, {id: a, cel: "true", message: m}]\n', 'the rule a is defined twice'),
                ('rules:\n' + ''.join(f'- {{id: a{i}, cel: "true", message: m}}\n' for i in range(101)), 'at most 100 rules of its own'),
                ('rules: [off]\n', 'a rule must be an object, not a boolean')):
            with self.subTest(text[:80]):
                self.write('.opcat.yaml', text)
                done = self.opcat('validate', 'catalog', '--config', '.opcat.yaml')
                self.assert_status(done, 2)
                self.assertIn(words, done.err)

    def test_each_row_of_a_statement_is_a_finding_at_what_it_names(self):
        self.catalog()
        for columns, line in (('package', 2), ('package, name AS channel', 7), ('file, line', 5), ('file, line, package', 5), ('1 AS package', None),
                              ("'absent' AS package", None), ("package, 'absent' AS channel", 2)):
            with self.subTest(columns):
                self.write('.opcat.yaml', f'rules: [{{id: few, sql: "SELECT {columns} FROM channels WHERE entries < 9", message: there are few entries}}]\n')
                self.assertEqual(self.findings('--config', '.opcat.yaml', rules=['few']), [('few', line, 'there are few entries')])
        self.write('.opcat.yaml', 'rules:\n- id: twins\n  severity: error\n  message: two bundles have one image\n  sql: >\n    SELECT package, max(name) AS bundle, count(*) AS bundles\n'
                                  '    FROM bundles GROUP BY package, image HAVING count(*) > 0\n')
        flags = ('--config', '.opcat.yaml')
        self.assertEqual(self.findings(*flags, rules=['twins'], status=1), [('twins', 11, 'two bundles have one image')])
        self.assertIn('package: shop, bundle: shop.v1.0.0, bundles: 1', self.opcat('validate', 'catalog', *flags).out)
        self.assertEqual(self.findings(*flags, '--rule', 'twins=off', rules=['twins']), [])
        shown = self.opcat('config', 'show', 'catalog', *flags, '-o', 'json').json()['ownRules'][0]
        self.assertTrue(shown['sql'].startswith('SELECT package'))
        # With a catalog that did not load, rows would be missing.
        self.write('catalog/broken.yaml', 'schema: [')
        self.assertEqual(self.findings(*flags, rules=['twins'], status=1), [])

    def test_a_statement_with_too_many_rows_is_said(self):
        self.catalog()
        self.write('.opcat.yaml', 'rules: [{id: many, message: m, sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"}]\n')
        done = self.opcat('validate', 'catalog', '--config', '.opcat.yaml')
        self.assert_status(done, 3)
        self.assertIn('the rule many is not checked to its end: the result has more than 10000 rows', done.out)

    def test_what_takes_too_many_steps_is_said_and_not_passed(self):
        entries = ''.join(f'- {{name: shop.v0.{i}.0}}\n' for i in range(3000))
        self.write('catalog/catalog.yaml', f'schema: x\nname: large\nentries:\n{entries}')
        self.write('.opcat.yaml', 'rules: [{id: square, cel: "blob.entries.all(a, blob.entries.all(b, blob.entries.exists(c, c.name == b.name)))", message: m}]\n')
        done = self.opcat('validate', 'catalog', '--config', '.opcat.yaml', '--format', 'json')
        self.assert_status(done, 3)
        self.assertIn('rules are not checked from this blob on', json.dumps(done.json()))


if __name__ == '__main__':
    unittest.main()
