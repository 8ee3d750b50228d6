"""Covers lib/readiness, lib/graph/definition_changes.cpp and lib/bundle_checks/v1_reliance.cpp. Whether OLM v1 installs what catalogs and bundles offer, and what operators miss there."""
import base64
import json
import unittest

from test_bundle_validate import CRD, CSV, BundleCase, changed

MODES = ('spec', 'installModes')
PERMISSION = ('spec', 'install', 'spec', 'permissions', 0, 'rules', 0)
CONTAINER = ('spec', 'install', 'spec', 'deployments', 0, 'spec', 'template', 'spec', 'containers', 0)
OWN = [{'type': 'OwnNamespace', 'supported': True}]
CONVERSION = [{'type': 'ConversionWebhook', 'generateName': 'convert.example.com', 'deploymentName': 'gizmo',
               'conversionCRDs': ['gizmos.example.com'], 'admissionReviewVersions': ['v1'], 'sideEffects': 'None', 'targetPort': 443, 'webhookPath': '/convert',
               'containerPort': 443}]

# A change of the ClusterServiceVersion, the flags, and the findings of the rules v1-*.
CASES = (
    ((), None, (), []),
    (MODES, OWN, (), ['error v1-install-modes']),
    (MODES, OWN, ('--olm-release', '1.5'), ['error v1-install-modes']),
    (('spec', 'customresourcedefinitions', 'required'), [{'name': 'gears.example.org', 'version': 'v1', 'kind': 'Gear'}], (), ['error v1-dependencies']),
    (('spec', 'apiservicedefinitions'), {'owned': [{'name': 'gear', 'group': 'example.org', 'version': 'v1', 'kind': 'Gear', 'deploymentName': 'gizmo'}]}, (),
     ['error v1-api-services']),
    ((*PERMISSION, 'apiGroups'), ['operators.coreos.com'], (), ['warning v1-classic-api']),
    (PERMISSION, {'apiGroups': ['operators.coreos.com'], 'resources': ['operatorconditions'], 'verbs': ['get']}, (), ['warning v1-operator-conditions']),
    (PERMISSION, {'apiGroups': ['operators.coreos.com'], 'resources': ['clusterserviceversions/finalizers', 'subscriptions'], 'verbs': ['get']}, (),
     ['warning v1-classic-api']),
    (PERMISSION, {'apiGroups': ['*'], 'resources': ['*'], 'verbs': ['*']}, (), []),
    ((*CONTAINER, 'env'), [{'name': 'OPERATOR_CONDITION_NAME', 'value': 'x'}], (), ['warning v1-operator-conditions']),
    (('metadata', 'annotations', 'features.operators.openshift.io/token-auth-aws'), 'true', (), ['warning v1-subscription-config']),
    (('metadata', 'annotations', 'features.operators.openshift.io/token-auth-aws'), 'false', (), []),
)


def v1_rules(findings):
    return sorted(f'{f["severity"]} {f["rule"]}' for f in findings if f['rule'].startswith('v1-'))


class Readiness(BundleCase):
    def of_bundle(self, *flags):
        return self.opcat('bundle', 'validate', '--policy', 'olm-v1', '--format', 'json', '--all', *flags, 'bundle').json()['findings']

    def of_catalog(self, *flags):
        return self.opcat('validate', '--policy', 'olm-v1', '--format', 'json', '--all', *flags, 'bundle').json()['findings']

    def test_a_bundle_and_the_catalog_of_it_have_the_same_findings(self):
        for path, value, flags, expected in CASES:
            with self.subTest(path=path, flags=flags):
                self.bundle(changed(CSV, path, value) if path else CSV)
                self.assertEqual(v1_rules(self.of_bundle(*flags)), sorted(expected))
                self.assertEqual(v1_rules(self.of_catalog(*flags)), sorted(expected))

    def test_findings_of_a_bundle_are_at_their_places(self):
        self.bundle(changed(CSV, MODES, OWN))
        [found] = [f for f in self.of_bundle() if f['rule'] == 'v1-install-modes']
        self.assertTrue(found['file'].endswith('csv.json'), found)

    def test_without_the_policy_olm_v1_is_a_note(self):
        self.bundle(changed(CSV, MODES, OWN))
        findings = self.opcat('bundle', 'validate', '--format', 'json', '--all', 'bundle').json()['findings']
        self.assertIn(('note', 'olm-v1'), [(f['severity'], f['rule']) for f in findings])
        self.assertEqual(v1_rules(findings), [])

    def test_a_note_says_which_releases_install_it(self):
        self.bundle(changed(CSV, MODES, OWN))
        done = self.opcat('validate', '--policy', 'olm-v1', 'bundle')
        self.assert_status(done, 1)
        self.assertIn('installed by 1.8, and by 1.4 to 1.11 with the experimental feature set', done.out)
        for flags, words in ((('--feature-set', 'experimental'), 'only if spec.config.inline.watchNamespace names its own namespace'),
                             (('--olm-release', '1.8'), 'only if spec.config.inline.watchNamespace names its own namespace'),
                             (('--olm-release', '1.4', '--feature-set', 'experimental'), 'annotation olm.operatorframework.io/watch-namespace')):
            done = self.opcat('validate', '--policy', 'olm-v1', *flags, 'bundle')
            self.assert_status(done, 0)
            self.assertIn(words, done.out)

    def test_multi_namespace_alone_is_installed_by_no_release(self):
        self.bundle(changed(CSV, MODES, [{'type': 'MultiNamespace', 'supported': True}]))
        self.assertIn('no release from 1.0 to 1.11 installs it', self.opcat('validate', '--policy', 'olm-v1', 'bundle').out)

    def test_webhooks_depend_on_the_release_and_the_install_modes(self):
        self.bundle(changed(CSV, ('spec', 'webhookdefinitions'), CONVERSION))
        self.assertEqual(v1_rules(self.of_catalog()), ['note v1-webhooks'])
        self.assertEqual(v1_rules(self.of_catalog('--olm-release', '1.5')), ['error v1-webhooks'])
        self.bundle(changed(changed(CSV, ('spec', 'webhookdefinitions'), CONVERSION), MODES, [*OWN, {'type': 'AllNamespaces', 'supported': True}]))
        self.assertEqual(v1_rules(self.of_catalog()), ['error v1-webhooks'])

    def test_objects_that_olm_v1_refuses(self):
        deployment = json.dumps({'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'more'}})
        self.bundle(more=deployment)
        for findings in (self.of_bundle(), self.of_catalog()):
            self.assertIn('error v1-objects', v1_rules(findings))
        self.assertIn('unsupported resource "more" with kind "Deployment"', self.opcat('validate', '--policy', 'olm-v1', 'bundle').out)

    def test_flags_of_the_release_need_the_policy(self):
        self.bundle()
        for arguments in (('validate', 'bundle', '--olm-release', '1.5'), ('bundle', 'validate', 'bundle', '--feature-set', 'experimental'),
                          ('list', 'packages', 'bundle', '--olm-release', '1.5')):
            self.assert_status(self.opcat(*arguments), 2)


def package(name, *bundles, kind=None, channel='stable', metadata='installModes: [{type: AllNamespaces, supported: true}]'):
    text = f'schema: olm.package\nname: {name}\ndefaultChannel: {channel}\n---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n'
    text += ''.join(f'- name: {name}.v{one}\n' for one in bundles)
    for one in bundles:
        text += f'---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{one}\nimage: x/{name}:{one}\nproperties:\n'
        text += f'- {{type: olm.package, value: {{packageName: {name}, version: {one}}}}}\n'
        if kind:
            text += f'- {{type: olm.gvk, value: {{group: example.org, kind: {kind}, version: v1}}}}\n'
        if metadata:
            text += f'- type: olm.csv.metadata\n  value:\n    {metadata}\n'
    return text


def definition(*fields, required=()):
    """A CustomResourceDefinition whose objects have these fields, all of them texts."""
    schema = {'type': 'object', 'properties': {'spec': {'type': 'object', 'properties': {field: {'type': 'string'} for field in fields},
                                                        **({'required': list(required)} if required else {})}}}
    return changed(CRD, ('spec', 'versions', 0, 'schema', 'openAPIV3Schema'), schema)


class DefinitionUpgrades(BundleCase):
    def catalog(self, entries, definitions):
        text = f'schema: olm.package\nname: gizmo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: gizmo\nname: stable\nentries: {json.dumps(entries)}\n'
        for version, crd in definitions.items():
            data = base64.b64encode(json.dumps(crd).encode()).decode()
            text += (f'---\nschema: olm.bundle\npackage: gizmo\nname: gizmo.v{version}\nimage: x/gizmo:{version}\nproperties:\n'
                     f'- {{type: olm.package, value: {{packageName: gizmo, version: {version}}}}}\n- {{type: olm.bundle.object, value: {{data: {data}}}}}\n')
        self.write('catalog/a.yaml', text)

    def upgrades(self):
        done = self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1', '-o', 'json').json()
        return [(one['from'], one['to'], one['changes']) for one in done['packages'][0].get('unsafeUpgrades', [])]

    def test_each_version_is_compared_with_the_one_before(self):
        loses = (['existingFieldRemoval: removed field : v1.^.spec.b'],)
        entry = {'name': 'gizmo.v1.0.0'}
        definitions = {'1.0.0': definition('a', 'b'), '1.1.0': definition('a', 'b', 'c'), '2.0.0': definition('a', 'c')}
        for what, entries, expected in (
                ('replaces', [entry, {'name': 'gizmo.v1.1.0', 'replaces': 'gizmo.v1.0.0'}, {'name': 'gizmo.v2.0.0', 'replaces': 'gizmo.v1.1.0'}], '1.1.0'),
                ('the newest that is covered', [entry, {'name': 'gizmo.v1.1.0'}, {'name': 'gizmo.v2.0.0', 'skipRange': '<2.0.0'}], '1.1.0'),
                ('the newest that is skipped', [entry, {'name': 'gizmo.v1.1.0'}, {'name': 'gizmo.v2.0.0', 'skips': ['gizmo.v1.0.0']}], '1.0.0'),
                ('no predecessor', [entry, {'name': 'gizmo.v1.1.0'}, {'name': 'gizmo.v2.0.0'}], None)):
            with self.subTest(what):
                self.catalog(entries, definitions)
                self.assertEqual(self.upgrades(), [(f'gizmo.v{expected}', 'gizmo.v2.0.0', *loses)] if expected else [])

    def test_it_is_an_error_of_the_policy_and_nothing_against_a_new_installation(self):
        entries = [{'name': 'gizmo.v1.0.0'}, {'name': 'gizmo.v2.0.0', 'replaces': 'gizmo.v1.0.0'}]
        self.catalog(entries, {'1.0.0': definition('a'), '2.0.0': definition('a', 'b', required=['b'])})
        done = self.opcat('validate', '--policy', 'olm-v1', 'catalog')
        self.assert_status(done, 1)
        self.assertIn('error: OLM v1 1.11 (standard feature set) does not upgrade gizmo.v1.0.0 to gizmo.v2.0.0: definition gizmos.example.com: ', done.out)
        self.assertIn('unless spec.install.preflight.crdUpgradeSafety.enforcement of the ClusterExtension is None', done.out)
        self.assertIn('[v1-crd-upgrade]', done.out)
        self.assertNotIn('not ready', self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1').out)
        self.catalog(entries, {'1.0.0': definition('a'), '2.0.0': definition('a', 'b')})
        self.assertNotIn('v1-crd-upgrade', self.opcat('validate', '--policy', 'olm-v1', 'catalog').out)

    def test_a_large_definition_that_many_versions_replace_is_not_compared_with_all_of_them(self):
        large = definition(*(f'field{i}' for i in range(40_000)))
        many = {'1.0.0': large, **{f'2.0.{i}': definition('a') for i in range(400)}}
        self.catalog([{'name': 'gizmo.v1.0.0'}, *({'name': f'gizmo.v{one}', 'replaces': 'gizmo.v1.0.0'} for one in many if one != '1.0.0')], many)
        [row] = self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1', '-o', 'json').json()['packages']
        self.assertEqual((row['upgradesCompared'], 'unsafeUpgrades' in row), (False, False))
        self.assertIn('warning: the definitions of gizmo are not compared: that would take more than 100000000 steps [limit]',
                      self.opcat('validate', '--policy', 'olm-v1', 'catalog').out)
        self.catalog([{'name': 'gizmo.v1.0.0'}, {'name': 'gizmo.v2.0.0', 'replaces': 'gizmo.v1.0.0'}], {'1.0.0': large, '2.0.0': definition('a')})
        [row] = self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1', '-o', 'json').json()['packages']
        self.assertEqual([(len(one['changes']), one['moreChanges']) for one in row['unsafeUpgrades']], [(100, 39_900)])

    def test_versions_without_manifests_are_not_compared(self):
        self.write('catalog/a.yaml', package('shop', '1.0.0', '2.0.0'))
        self.assertEqual(self.upgrades(), [])


class ReadyPackages(BundleCase):
    def rows(self, *flags):
        done = self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1', '-o', 'json', *flags)
        self.assert_status(done, 0)
        return {one['name']: one for one in done.json()['packages']}

    def verdict(self, row):
        return row['bundles'][0]['verdict']

    def test_what_is_not_known_is_not_ready(self):
        self.write('catalog/a.yaml', package('silent', '1.0.0', metadata=None))
        self.write('catalog/b.yaml', package('known', '1.0.0'))
        rows = self.rows()
        self.assertEqual(self.verdict(rows['silent']), 'unknown')
        self.assertEqual(self.verdict(rows['known']), 'no obstacle known')
        self.assertEqual(rows['known']['bundles'][0]['notChecked'], ['API services', 'webhooks', 'manifests'])
        self.assertIn('warning: silent.v1.0.0: its catalog does not say which install modes it supports',
                      self.opcat('validate', '--policy', 'olm-v1', 'catalog').out)

    def test_the_bundle_is_the_one_that_olm_v1_chooses(self):
        self.write('catalog/a.yaml', package('shop', '1.0.0', '2.0.0', '1.5.0'))
        self.write('catalog/b.yaml', '---\nschema: olm.channel\npackage: shop\nname: old\nentries: [{name: shop.v1.0.0}]\n')
        row = self.rows()['shop']
        self.assertEqual([one['name'] for one in row['bundles']], ['shop.v2.0.0', 'shop.v1.0.0'])
        self.assertEqual(row['channels'], [{'name': 'old', 'bundle': 'shop.v1.0.0'}, {'name': 'stable', 'bundle': 'shop.v2.0.0'}])
        chosen = self.opcat('resolve', 'v1', 'shop', '--catalog', 'catalog').out
        self.assertIn('shop.v2.0.0', chosen)

    def test_two_packages_with_one_kind(self):
        self.write('catalog/a.yaml', package('shop', '1.0.0', kind='Shop'))
        self.write('catalog/b.yaml', package('store', '1.0.0', kind='Shop'))
        self.write('catalog/c.yaml', package('other', '1.0.0', kind='Other'))
        rows = self.rows()
        self.assertEqual([one['rule'] for one in rows['shop']['bundles'][0]['reasons']], ['v1-shared-kind'])
        self.assertIn('Shop.example.org, as store does', rows['shop']['bundles'][0]['reasons'][0]['message'])
        self.assertEqual(rows['other']['bundles'][0]['reasons'], [])

    def test_names_are_those_without_an_obstacle(self):
        self.write('catalog/a.yaml', package('shop', '1.0.0'))
        self.write('catalog/b.yaml', package('store', '1.0.0', metadata='installModes: [{type: OwnNamespace, supported: true}]'))
        self.assertEqual(self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1', '-o', 'name').out, 'shop\n')
        table = self.opcat('list', 'packages', 'catalog', '--ready-for', 'v1').out
        self.assertIn('1 no obstacle known, 1 not ready', table)
        self.assertEqual(self.verdict(self.rows('--feature-set', 'experimental')['store']), 'with configuration')

    def test_the_policy_of_a_configuration_adds_to_the_rules(self):
        self.write('catalog/a.yaml', package('store', '1.0.0', metadata='installModes: [{type: OwnNamespace, supported: true}]'))
        self.write('.opcat.yaml', 'policies: [olm-v1]\n')
        self.write('.git/HEAD', '')
        done = self.opcat('validate', 'catalog')
        self.assert_status(done, 1)
        self.assertIn('[v1-install-modes]', done.out)

    def test_a_catalog_that_cannot_be_read_is_an_error(self):
        self.write('catalog/a.yaml', package('shop', '1.0.0') + '---\nname: {\n')
        self.assert_status(self.opcat('validate', '--policy', 'olm-v1', 'catalog'), 1)

    def test_the_report_has_the_verdicts(self):
        self.write('catalog/a.yaml', package('shop', '1.0.0'))
        report = self.opcat('validate', '--policy', 'olm-v1', 'catalog', '--policy-report', '-').json()
        self.assertEqual(report['tasks']['olm-v1']['packages'][0]['bundles'][0]['verdict'], 'no obstacle known')
        self.assertIn('olm-v1 webhooks', [one['check'] for one in report['not_checked']])


if __name__ == '__main__':
    unittest.main()
