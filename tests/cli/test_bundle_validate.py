"""opcat bundle validate: the findings about a bundle with a single mistake, and the recorded verdicts of operator-sdk.
Covers lib/bundle_checks and lib/lint/bundle_rules.cpp."""
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import unittest

from opcat_case import BINARY, CATALOGS, SHARED, TESTDATA, OpcatCase

CSV = {
    'apiVersion': 'operators.coreos.com/v1alpha1',
    'kind': 'ClusterServiceVersion',
    'metadata': {'name': 'gizmo.v1.0.0', 'annotations': {
        'alm-examples': '[{"apiVersion": "example.com/v1", "kind": "Gizmo"}]', 'capabilities': 'Basic Install', 'categories': 'Database, Monitoring'}},
    'spec': {
        'displayName': 'Gizmo', 'version': '1.0.0', 'minKubeVersion': '1.25.0', 'provider': {'name': 'Example'},
        'maintainers': [{'name': 'Jane', 'email': 'jane@example.com'}], 'links': [{'name': 'Home', 'url': 'https://example.com'}],
        'icon': [{'base64data': 'aGVsbG8=', 'mediatype': 'image/png'}],
        'installModes': [{'type': 'OwnNamespace', 'supported': False}, {'type': 'AllNamespaces', 'supported': True}],
        'customresourcedefinitions': {'owned': [{'name': 'gizmos.example.com', 'version': 'v1', 'kind': 'Gizmo', 'description': 'A gizmo.'}]},
        'relatedImages': [{'name': 'gizmo', 'image': 'registry.example/gizmo:v1'}],
        'install': {'strategy': 'deployment', 'spec': {'deployments': [{'name': 'gizmo', 'spec': {
            'selector': {'matchLabels': {'app': 'gizmo'}}, 'template': {'metadata': {'labels': {'app': 'gizmo'}}, 'spec': {
            'serviceAccountName': 'gizmo',
            'containers': [{'name': 'manager', 'image': 'registry.example/gizmo:v1', 'resources': {'requests': {'cpu': '1m'}}}]}}}}],
            'permissions': [{'serviceAccountName': 'gizmo', 'rules': [{'apiGroups': [''], 'resources': ['pods'], 'verbs': ['get']}]}]}}}}
CRD = {
    'apiVersion': 'apiextensions.k8s.io/v1',
    'kind': 'CustomResourceDefinition',
    'metadata': {'name': 'gizmos.example.com'},
    'spec': {'group': 'example.com', 'scope': 'Namespaced', 'names': {'plural': 'gizmos', 'kind': 'Gizmo'},
             'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': {'type': 'object'}}}]}}
DOMAIN = 'operators.operatorframework.io.bundle'
ANNOTATIONS = {'annotations': {f'{DOMAIN}.mediatype.v1': 'registry+v1', f'{DOMAIN}.manifests.v1': 'manifests/', f'{DOMAIN}.metadata.v1': 'metadata/',
                               f'{DOMAIN}.package.v1': 'gizmo', f'{DOMAIN}.channels.v1': 'stable'}}

REMOVE = object()


def changed(value, path, new):
    value = copy.deepcopy(value)
    node = value
    for key in path[:-1]:
        node = node[key] if isinstance(node, list) else node.setdefault(key, {})
    if new is REMOVE:
        del node[path[-1]]
    else:
        node[path[-1]] = new
    return value


class BundleCase(OpcatCase):
    def bundle(self, csv=CSV, crd=CRD, annotations=ANNOTATIONS, **files):
        self.write('bundle/manifests/csv.json', json.dumps(csv, indent=1))
        self.write('bundle/manifests/crd.json', json.dumps(crd, indent=1))
        self.write('bundle/metadata/annotations.yaml', json.dumps(annotations))
        for name, text in files.items():
            self.write(f'bundle/manifests/{name}.yaml', text)

    def findings(self, *arguments):
        result = self.opcat('bundle', 'validate', '--format', 'json', '--all', '--suite', 'all', *arguments, 'bundle')
        self.assertIn(result.status, (0, 1), result)
        # What OLM makes of it has tests of its own.
        return [(f['severity'], f['rule']) for f in result.json()['findings'] if f['rule'] not in ('olm-classic', 'olm-v1')]


SPEC = ('spec',)
OWNED = ('spec', 'customresourcedefinitions', 'owned')
INSTALL = ('spec', 'install')
DEPLOYMENTS = ('spec', 'install', 'spec', 'deployments')
CONTAINER = (*DEPLOYMENTS, 0, 'spec', 'template', 'spec', 'containers', 0)
RULE = ('spec', 'install', 'spec', 'permissions', 0, 'rules', 0)
NOTE = ('metadata', 'annotations')

# A change of the ClusterServiceVersion, and its findings.
CSV_CASES = (
    (('apiVersion',), REMOVE, ['error csv-api-version']),
    (('apiVersion',), 'a/b/c', ['error csv-api-version']),
    (('metadata', 'name'), 'gizmo_1', ['error csv-name', 'warning csv-version-in-name', 'warning csv-version-in-name']),
    (('metadata', 'name'), 'gizmo.v1.02.3', ['warning csv-version-in-name']),
    (('metadata', 'name'), 'gizmo.v1.2.3-rc.1+5', ['error csv-name', 'warning version-unlike-name']),
    (('metadata', 'name'), 'a' * 64 + '.v1.0.0', ['error csv-name']),
    (('metadata',), {}, ['error csv-name', 'error csv-required-field', 'warning csv-example-missing', 'warning csv-version-in-name',
                         'warning csv-version-in-name']),
    ((*SPEC, 'replaces'), 'Gizmo', ['error csv-name']),
    ((*SPEC, 'displayName'), '', ['error csv-required-field']),
    (INSTALL, REMOVE, ['error csv-required-field', 'error csv-deployments']),
    ((*INSTALL, 'strategy'), REMOVE, ['error csv-required-field']),
    (DEPLOYMENTS, REMOVE, ['error csv-required-field', 'error csv-deployments']),
    (DEPLOYMENTS, [], []),
    ((*INSTALL, 'spec'), {}, ['error csv-deployments']),
    ((*SPEC, 'installModes'), [], ['error csv-install-modes']),
    ((*SPEC, 'installModes'), [{'type': 'OwnNamespace', 'supported': False}], ['error csv-install-modes']),
    ((*SPEC, 'installModes'), [{'type': 'Nope', 'supported': True}], ['warning csv-install-mode']),
    ((*SPEC, 'webhookdefinitions'), [{'type': 'ConversionWebhook', 'conversionCRDs': ['gizmos.example.com']}], []),
    ((*SPEC, 'minKubeVersion'), REMOVE, ['warning csv-min-kube-version-missing']),
    ((*SPEC, 'minKubeVersion'), 'v1.22.0', ['error csv-min-kube-version']),
    ((*SPEC, 'minKubeVersion'), 'new', ['error csv-min-kube-version']),
    ((*NOTE, 'olm.skiprange'), '<1.0.0', ['error csv-annotation-case']),
    ((*NOTE, 'olm.skipRange'), '<1.0.0', []),
    ((*NOTE, 'olm.properties'), '[]', ['warning csv-properties-annotation']),
    ((*NOTE, 'alm-examples'), REMOVE, ['warning csv-example-missing']),
    ((*NOTE, 'alm-examples'), '', ['warning csv-example-missing']),
    ((*NOTE, 'alm-examples'), 'null', ['warning csv-example-missing']),
    ((*NOTE, 'alm-examples'), '{', ['error csv-examples']),
    ((*NOTE, 'alm-examples'), '[] []', ['error csv-examples']),
    ((*NOTE, 'alm-examples'), '[{}]', ['error csv-examples']),
    ((*NOTE, 'alm-examples'), '[{"kind": "A", "apiVersion": "a/v1"}, {"kind": "A", "apiVersion": "a/v1"}]',
     ['error csv-examples', 'warning csv-example-missing']),
    ((*NOTE, 'olm.examples'), '[]', ['warning csv-example-missing']),
    ((*NOTE, 'capabilities'), '', ['error csv-capabilities']),
    ((*NOTE, 'capabilities'), 'Auto Pilot', []),
    ((*NOTE, 'categories'), 'Nope,,Database', ['error csv-categories', 'error csv-categories']),
    ((*OWNED, 0, 'name'), 'gizmos', ['error csv-crd-name', 'error csv-examples', 'error bundle-crd', 'error bundle-crd-unowned']),
    ((*OWNED, 0, 'name'), 'gizmo.example.com', ['error bundle-crd']),
    ((*OWNED, 0, 'version'), 'v2', ['error csv-examples', 'warning csv-example-missing', 'error bundle-crd', 'error bundle-crd-unowned']),
    ((*OWNED, 0, 'description'), '', ['warning crd-description']),
    ((*SPEC, 'provider'), {'name': ' '}, ['error csv-provider']),
    ((*SPEC, 'maintainers'), [{'name': 'Jane', 'email': 'jane'}], ['error csv-maintainers']),
    ((*SPEC, 'maintainers'), [{'email': 'jane'}], ['error csv-maintainers', 'error csv-maintainers']),
    ((*SPEC, 'links'), [{'url': 'example.com'}], ['error csv-links', 'error csv-links']),
    ((*SPEC, 'version'), '0.0.0+1', ['error csv-version', 'warning version-unlike-name']),
    ((*SPEC, 'version'), REMOVE, ['error csv-version']),
    ((*SPEC, 'version'), '1.2', ['warning version-unlike-name']),
    ((*SPEC, 'icon'), REMOVE, ['warning csv-icon-missing']),
    ((*SPEC, 'icon'), [{'base64data': ''}, {}], ['error csv-icon', 'error csv-icon']),
    ((*SPEC, 'icon', 0, 'mediatype'), 'image/bmp', ['error csv-icon']),
    ((*SPEC, 'relatedImages'), [{'name': 'a'}, {'image': 'oci://a/b'}], ['error image-reference', 'error image-reference']),
    ((*SPEC, 'release'), '1', ['error bundle-release']),
    ((*CONTAINER, 'resources'), {}, ['warning container-requests']),
    (RULE, {'apiGroups': ['apiextensions.k8s.io'], 'resources': ['*'], 'verbs': ['patch']}, ['warning crd-permission']),
    (RULE, {'apiGroups': ['policy'], 'resources': ['podsecuritypolicies'], 'verbs': ['use']}, ['warning removed-api-permission']),
    ((*SPEC, 'nope'), 1, ['warning manifest-field']),
    ((*CONTAINER, 'Image'), 'x', ['warning manifest-field']),
    ((*CONTAINER, 'imagePullPolcy'), 'Always', ['warning manifest-field']),
    ((*RULE, 'verb'), ['get'], ['warning manifest-field']),
    ((*DEPLOYMENTS, 0, 'spec', 'template', 'spec', 'serviceAccountName'), 'gizmoo', ['warning csv-service-account']),
    ((*DEPLOYMENTS, 0, 'spec', 'template', 'spec', 'serviceAccountName'), 'default', []),
    ((*SPEC, 'replaces'), 'gizmo.v2.0.0', ['warning csv-replaces']),
    ((*SPEC, 'replaces'), 'gizmo.v0.9.0', []),
)

ACCOUNT = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: gizmo}\n'
ROLE = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules: [%s]\n'
CRON = 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\n'
BUDGET = 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {%s}\n'

# An additional manifest.
FILE_CASES = (
    (ACCOUNT, ['error bundle-service-account']),
    (BUDGET % 'maxUnavailable: 0', ['error disruption-budget']),
    (BUDGET % 'maxUnavailable: 50%', ['error disruption-budget']),
    (BUDGET % 'minAvailable: 100%', ['error disruption-budget']),
    (BUDGET % 'minAvailable: 100', []),
    (BUDGET % 'minAvailable: []', ['error field-type']),
    ('apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\nglobalDefault: true\n', ['error priority-class-default']),
    (ROLE % '{apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create]}', ['warning disruption-budget-permission']),
    (ROLE % '{apiGroups: [security.openshift.io], resources: [securitycontextconstraints], verbs: [update], resourceNames: [restricted]}',
     ['error scc-permission']),
    (CRON, ['error bundle-kind', 'error removed-api']),  # minKubeVersion is 1.25.0
    (ACCOUNT.replace('gizmo', 'other') + '---\n' + CRON, ['warning bundle-file']),
    (json.dumps(CRD), ['error bundle-crd-duplicate']),
    ('apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\n', ['error bundle-kind', 'warning removed-api']),
    ('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n', []),
    ('apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {prots: [{port: 80}]}\n', ['error manifest-field']),
    ('apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\nstatus: {loadBalancer: {}}\n', []),
    # These keep the bundle from being loaded: nothing else is checked.
    ('a: [\n', ['error bundle-file']),
    ('a: 1\n', ['error bundle-file']),
    ('hello\n', ['error bundle-file']),
    ('', ['error bundle-file']),
    ('apiVersion: apiextensions.k8s.io/v2\nkind: CustomResourceDefinition\n', ['error bundle-crd']),
    (json.dumps(CSV), ['error bundle-csv']),
)

VERSION = ('spec', 'versions', 0)
# A change of the CustomResourceDefinition.
CRD_CASES = (
    (('apiVersion',), 'apiextensions.k8s.io/v1beta1', ['error crd-preserve-unknown-fields', 'error crd-shared-fields', 'error removed-api']),
    (('metadata', 'name'), '', ['error crd-metadata']),
    (('metadata', 'namespace'), 'default', ['error crd-metadata']),
    (('metadata', 'labels'), {'a b': 'c d'}, ['error crd-metadata', 'error crd-metadata']),
    (('metadata', 'finalizers'), ['a b'], ['error crd-metadata']),
    (('metadata', 'ownerReferences'), [{'apiVersion': 'v1', 'kind': 'A', 'name': 'a'}], ['error crd-metadata']),
    (('spec', 'scope'), 'Nope', ['error crd-scope']),
    (('spec', 'names', 'shortNames'), ['G'], ['error crd-names']),
    (('spec', 'names', 'listKind'), 'Gizmo', ['error crd-names']),
    ((*VERSION, 'storage'), False, ['error crd-versions']),
    ((*VERSION, 'storge'), True, ['warning manifest-field']),
    ((*VERSION, 'deprecationWarning'), 'old', ['error crd-versions']),
    ((*VERSION, 'additionalPrinterColumns'), [{'name': 'A', 'type': 'int', 'jsonPath': 'spec'}], ['error crd-columns', 'error crd-columns']),
    ((*VERSION, 'additionalPrinterColumns'), [{'name': 'A', 'type': 'integer', 'jsonPath': '.spec'}], []),
    ((*VERSION, 'subresources'), {'scale': {'specReplicasPath': '.spec'}}, ['error crd-scale']),
    ((*VERSION, 'subresources'), {'scale': {'specReplicasPath': '.spec.n', 'labelSelectorPath': '.metadata.x'}}, ['error crd-scale']),
    (('spec', 'preserveUnknownFields'), True, ['error crd-preserve-unknown-fields']),
    (('spec', 'conversion'), {'strategy': 'None'}, []),
    (('spec', 'conversion'), {'strategy': 'Nope'}, ['error crd-conversion']),
    (('spec', 'conversion'), {'strategy': 'Webhook'}, ['error crd-conversion', 'error crd-conversion']),
    (('spec', 'conversion'), {'strategy': 'Webhook', 'webhook': {'conversionReviewVersions': ['v1'],
                                                                 'clientConfig': {'service': {'name': 'a', 'namespace': 'b'}}}},
     ['error crd-conversion-webhook']),
    (('spec', 'conversion'), {'strategy': 'Webhook', 'webhook': {'conversionReviewVersions': ['v2'], 'clientConfig': {'url': 'http://a'}}},
     ['error crd-conversion', 'error crd-conversion']),
)

SERVICE = {'name': 'a', 'namespace': 'b'}
OWNER = {'apiVersion': 'v1', 'kind': 'A', 'name': 'a', 'uid': 'u'}
SUBDOMAIN = ("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
             "alphanumeric character (e.g. 'example.com', regex used for validation is "
             "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')")


def webhook(client, *versions):
    return {'strategy': 'Webhook', 'webhook': {'clientConfig': client, 'conversionReviewVersions': versions or ['v1']}}


# A change of the CustomResourceDefinition, and what is said about it.
CRD_MESSAGES = (
    (('spec', 'names', 'singular'), 'a gizmo', ['the singular "a gizmo" is not an RFC 1035 label']),
    (VERSION, {'name': 'v1', 'served': True, 'storage': True, 'deprecated': True, 'deprecationWarning': ''}, ['the deprecationWarning is empty']),
    (VERSION, {'name': 'v1', 'served': True, 'storage': True, 'deprecated': True, 'deprecationWarning': 'x' * 257},
     ['the deprecationWarning has more than 256 bytes']),
    (VERSION, {'name': 'v1', 'served': True, 'storage': True, 'deprecated': True, 'deprecationWarning': 'a\tb'},
     ['the deprecationWarning has characters that cannot be printed']),
    ((*VERSION, 'additionalPrinterColumns'), [{'name': '', 'type': '', 'format': 'x', 'jsonPath': '.a'}],
     ['a printer column has no name', 'a printer column has no type', 'a printer column has the format "x"']),
    (('spec', 'conversion'), {**webhook({}), 'strategy': 'None'},
     ['only the strategy Webhook has a client configuration', 'only the strategy Webhook has conversionReviewVersions']),
    (('spec', 'conversion'), webhook({'url': 'https://a', 'service': SERVICE}), ['the webhook needs either a url or a service']),
    (('spec', 'conversion'), webhook({}), ['the webhook needs either a url or a service']),
    (('spec', 'conversion'), webhook({'service': {'port': 70000}}),
     ['the service of the webhook has no name', 'the service of the webhook has no namespace', '70000 is not a port']),
    (('spec', 'conversion'), webhook({'service': {**SERVICE, 'path': '/a/b/'}}), []),
    (('spec', 'conversion'), webhook({'service': {**SERVICE, 'path': '//'}}), ["a part of the webhook's path is empty"]),
    (('spec', 'conversion'), webhook({'service': {**SERVICE, 'path': 'a//b'}}), ["the webhook's path does not begin with '/'", "a part of the webhook's path is empty"]),
    (('spec', 'conversion'), webhook({'service': SERVICE}, 'v1', 'v1', 'A'), ['v1 is listed twice', 'the version "A" is not an RFC 1035 label']),
    (('spec', 'conversion'), webhook({'service': {**SERVICE, 'path': '/a/B'}}), ['"B" in the webhook\'s path is not valid: ' + SUBDOMAIN]),
    (('spec', 'conversion'), {'strategy': 'Nope'}, ['there is no conversion strategy "Nope"']),
    (('metadata', 'generation'), -1, ['metadata.generation is less than 0']),
    (('metadata', 'generateName'), 'gizmos.example.com', []),
    (('metadata', 'generateName'), 'gizmos-', ['the CustomResourceDefinition is named gizmos-, not gizmos.example.com']),
    (('metadata', 'generateName'), '-', [f'"-" cannot be a name: {SUBDOMAIN}', 'the CustomResourceDefinition is named -, not gizmos.example.com']),
    (('metadata', 'ownerReferences'), [{**OWNER, 'controller': True}, OWNER, {**OWNER, 'controller': True}],
     ['only one owner reference may be the controller']),
    (('metadata', 'annotations'), {'a': 'x' * (256 * 1024)}, ['the annotations have 256.0 KiB, more than 256.0 KiB']),
    (('metadata', 'annotations'), {'a': 'x' * (256 * 1024 - 1)}, []),
    (('spec', 'group'), 'Example.com', ['the CustomResourceDefinition is named gizmos.example.com, not gizmos.Example.com',
                                        'the group "Example.com" is not a domain in lower case']),
    (('spec', 'group'), 'example', ['the CustomResourceDefinition is named gizmos.example.com, not gizmos.example', 'the group "example" has no dot']),
    ((*VERSION, 'name'), '1', ['the version "1" is not an RFC 1035 label']),
    (('spec', 'group'), 'batch.k8s.io', ['the group batch.k8s.io belongs to Kubernetes, and the annotation api-approved.kubernetes.io has no URL of an approval',
                                         'the CustomResourceDefinition is named gizmos.example.com, not gizmos.batch.k8s.io']),
)


class Rules(BundleCase):
    def check(self, expected, *arguments):
        self.assertEqual(sorted(f'{severity} {rule}' for severity, rule in self.findings(*arguments)), sorted(expected))

    def test_a_good_bundle_has_no_findings(self):
        self.bundle()
        self.check([])
        result = self.opcat('bundle', 'validate', 'bundle')
        self.assertEqual((result.status, result.out, result.err), (0, '', 'no findings (1 bundle checked)\n'))

    def test_the_cluster_service_version(self):
        for path, new, expected in CSV_CASES:
            with self.subTest(path=path, new=None if new is REMOVE else new):
                self.bundle(csv=changed(CSV, path, new))
                self.check(expected)

    def test_a_conversion_webhook_needs_all_namespaces(self):
        csv = changed(CSV, ('spec', 'installModes', 0, 'supported'), True)
        csv['spec']['webhookdefinitions'] = [{'conversionCRDs': ['a']}, {}, {'conversionCRDs': ['b']}]
        self.bundle(csv=csv)
        self.check(['error csv-conversion-webhook'] * 2)

    def test_other_manifests(self):
        for text, expected in FILE_CASES:
            with self.subTest(text):
                self.bundle(more=text)
                self.check(expected)

    def test_custom_resource_definitions(self):
        for path, new, expected in CRD_CASES:
            with self.subTest(path=path, new=new):
                self.bundle(crd=changed(CRD, path, new))
                self.check(expected)

    def test_mistakes_in_custom_resource_definitions_are_described(self):
        for path, new, expected in CRD_MESSAGES:
            with self.subTest(path=path, new=new):
                self.bundle(crd=changed(CRD, path, new))
                report = self.opcat('bundle', 'validate', 'bundle', '--format', 'json').json()
                self.assertEqual([finding['message'] for finding in report['findings'] if finding['rule'].startswith('crd-') and finding['rule'] != 'crd-conversion-webhook'], expected)

    def test_definitions_of_the_old_api(self):
        old = changed(CRD, ('apiVersion',), 'apiextensions.k8s.io/v1beta1')
        schema = {'openAPIV3Schema': {'type': 'object', 'properties': {'spec': {'type': 'object', 'default': {}}}}}
        both = changed(old, ('spec', 'validation'), schema)
        preserves = 'the CustomResourceDefinition preserves unknown fields'
        same = 'the schemas are the same in every version'
        cases = (
            (both, ['there are schemas for all versions, and of single versions', same, preserves,
                    'the schema has defaults, which need "preserveUnknownFields: false"']),
            (changed(old, ('spec', 'version'), 'v2'), ['spec.version is not the first of spec.versions', same, preserves]),
            (changed(old, ('spec', 'conversion'), {'strategy': 'Webhook', 'webhookClientConfig': {'service': SERVICE}}),
             ['objects that preserve unknown fields cannot be converted', same, preserves]))
        for crd, expected in cases:
            with self.subTest(expected):
                self.bundle(crd=crd)
                report = self.opcat('bundle', 'validate', 'bundle', '--format', 'json').json()
                self.assertEqual(sorted(f['message'] for f in report['findings'] if f['rule'].startswith('crd-') and f['rule'] != 'crd-conversion-webhook'), sorted(expected))

    def test_a_definition_that_is_there_twice_is_reported_with_the_first_one(self):
        self.bundle(more=json.dumps(CRD))
        found = self.opcat('bundle', 'validate', 'bundle')
        self.assertIn('bundle/manifests/more.yaml:1:249: error: example.com/v1 Gizmo is defined twice', found.out)
        line = json.dumps(CRD, indent=1).split('"versions"')[0].count('\n') + 3
        self.assertIn(f'note: the first one is here at bundle/manifests/crd.json:{line}:13', found.out)

    def test_metadata_of_default_values_is_missing(self):
        for metadata, expected in (({}, True), ({'generation': 0}, True), ({'generation': 1}, False)):
            with self.subTest(metadata):
                self.bundle(csv=changed(CSV, ('metadata',), metadata))
                self.assertEqual(('error', 'csv-required-field') in self.findings(), expected)

    def test_annotations_that_cannot_be_used_are_errors(self):
        for text, message in (('annotations: [', 'error syntax'), ('annotations: []', 'error field-type')):
            with self.subTest(text):
                self.bundle()
                self.write('bundle/metadata/annotations.yaml', text)
                self.check([message])

    def test_metadata_that_nobody_reads_is_found(self):
        for name, text, help in (('dependencies.yaml', 'dependancies:\n- {type: olm.package, value: {packageName: a, version: 1.0.0}}\n', 'did you mean dependencies?'),
                                 ('properties.yaml', 'propertis:\n- {type: olm.maxOpenShiftVersion, value: "4.18"}\n', 'did you mean properties?'),
                                 ('dependencies.yaml', 'dependencies: [\n', '')):
            with self.subTest(text):
                self.bundle()
                self.write(f'bundle/metadata/{name}', text)
                done = self.opcat('bundle', 'validate', 'bundle')
                self.assertRegex(done.out, r'warning: .*\[bundle-file\]')
                self.assertIn(help, done.out)
                (self.dir / 'bundle/metadata' / name).unlink()

    def test_an_empty_definition_lacks_eight_things(self):
        self.bundle(more='apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bad}\nspec: {}\n')
        found = self.findings()
        self.assertEqual(len([rule for _, rule in found if rule.startswith('crd-')]), 8)

    def test_channels_say_how_stable_they_are(self):
        for channels, expected in (('stable,fast-v1', []), ('alpha, beta', ['warning bundle-annotation', 'warning bundle-channels']), ('', ['error bundle-format'])):
            with self.subTest(channels):
                self.bundle(annotations=changed(ANNOTATIONS, ('annotations', 'operators.operatorframework.io.bundle.channels.v1'), channels))
                self.check(expected)

    def test_a_large_bundle(self):
        letters = random.Random(1).choices('abcdefghijklmnopqrstuvwxyz0123456789', k=1_400_000)
        for size, expected in ((700_000, []), (1_150_000, ['warning bundle-size']), (1_400_000, ['error bundle-size'])):
            with self.subTest(size):
                self.bundle(more='apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: %s}\n' % ''.join(letters[:size]))
                self.check(expected)


class Command(BundleCase):
    def test_a_finding_has_its_place(self):
        self.bundle(csv=changed(CSV, ('spec', 'minKubeVersion'), 'v1.22'))
        result = self.opcat('bundle', 'validate', 'bundle')
        self.assert_status(result, 1)
        self.assertIn('bundle/manifests/csv.json:15:21: error: spec.minKubeVersion "v1.22" is not a version [csv-min-kube-version]', result.out)
        self.assertEqual(result.err, '1 error in 1 file (1 bundle checked)\n')

    def test_findings_are_configured_as_for_catalogs(self):
        (self.dir / '.git').mkdir()
        csv = changed(CSV, (*NOTE, 'alm-examples'), REMOVE)
        self.bundle(csv=csv)
        before = self.findings()
        self.assertIn(('warning', 'csv-example-missing'), before)
        for settings, level in (('rules: {csv-example-missing: error}', 'error'), ('rules: {csv-example-missing: off}', None),
                                ('overrides: [{packages: [giz*], rules: {csv-example-missing: note}}]', 'note'),
                                ('overrides: [{packages: [other], rules: {csv-example-missing: note}}]', 'warning'),
                                ('overrides: [{paths: [bundle/manifests/], rules: {csv-example-missing: note}}]', 'note')):
            with self.subTest(settings):
                self.write('.opcat.yaml', settings)
                self.assertEqual([severity for severity, rule in self.findings() if rule == 'csv-example-missing'], [level] if level else [])
                self.assertEqual(self.findings('--no-config'), before)
                self.assertIn(('error', 'csv-example-missing'), self.findings('--rule', 'csv-example-missing=error'))
        self.write('.opcat.yaml', 'rules: {csv-example-mising: off}')
        result = self.opcat('bundle', 'validate', 'bundle')
        self.assert_status(result, 2)
        self.assertIn('did you mean csv-example-missing', result.err)

    def test_comments_suppress_findings(self):
        self.bundle(more='# opcat: ignore[disruption-budget] one replica is all there is\n' + BUDGET % 'maxUnavailable: 0')
        self.assertEqual(self.findings(), [])
        result = self.opcat('bundle', 'validate', '--suite', 'all', 'bundle')
        self.assertEqual(result.err, 'no findings (1 bundle checked), 1 suppressed by comments\n')
        self.bundle(more='# opcat: ignore[disruption-budget]\n' + BUDGET % 'maxUnavailable: 1')
        self.assertEqual(self.findings(), [('warning', 'suppression')])
        # Only the suite "all" has the rule.
        result = self.opcat('bundle', 'validate', '--format', 'json', 'bundle')
        self.assertEqual(result.json()['findings'], [])

    def test_a_baseline_keeps_known_findings_quiet(self):
        self.bundle(csv=changed(CSV, ('spec', 'icon'), []), more=BUDGET % 'maxUnavailable: 0')
        command = ('bundle', 'validate', '--suite', 'all')
        self.assert_status(self.opcat(*command, '--write-baseline', 'known.json', 'bundle'), 0)
        result = self.opcat(*command, '--strict', '--baseline', 'known.json', 'bundle')
        self.assertEqual((result.status, result.out, result.err), (0, '', 'no findings (1 bundle checked), 2 in the baseline\n'))
        # Lines move, and one finding is new.
        self.bundle(csv=changed(CSV, ('spec', 'icon'), []), more='\n\n' + BUDGET % 'maxUnavailable: 0', new=ACCOUNT)
        result = self.opcat(*command, '--format', 'json', '--baseline', 'known.json', 'bundle')
        self.assertEqual([f['rule'] for f in result.json()['findings']], ['bundle-service-account'])

    def test_suites(self):
        csv = changed(CSV, ('spec', 'provider'), {})
        csv['spec']['customresourcedefinitions']['owned'][0]['description'] = ''
        self.bundle(csv=csv)
        for suite, rules in (('default', []), ('operatorhub', ['csv-provider']), ('all', ['crd-description', 'csv-provider'])):
            found = self.opcat('bundle', 'validate', '--format', 'json', '--suite', suite, 'bundle').json()['findings']
            self.assertEqual(sorted(f['rule'] for f in found), rules)

    def test_the_version_of_kubernetes(self):
        self.bundle(csv=changed(CSV, ('spec', 'minKubeVersion'), '1.16.0'), more=CRON)
        for version, expected in (('1.24', 'warning'), ('1.25', 'error')):
            found = self.opcat('bundle', 'validate', '--format', 'json', '--kubernetes-version', version, 'bundle').json()['findings']
            self.assertEqual([(f['rule'], f['severity']) for f in found], [('removed-api', expected), ('bundle-kind', 'error')])
        result = self.opcat('bundle', 'validate', '--kubernetes-version', 'new', 'bundle')
        self.assert_status(result, 2)

    def test_strict(self):
        self.bundle(csv=changed(CSV, ('spec', 'minKubeVersion'), ''))
        self.assert_status(self.opcat('bundle', 'validate', 'bundle'), 0)
        self.assert_status(self.opcat('bundle', 'validate', '--strict', 'bundle'), 1)

    def test_categories_of_another_hub(self):
        self.bundle(csv=changed(CSV, ('metadata', 'annotations', 'categories'), 'Toys'))
        good = self.write('categories.json', '{"categories": ["Toys"]}')
        bad = self.write('bad.json', '[]')
        self.assertEqual(self.findings(), [('error', 'csv-categories')])
        self.assertEqual(self.findings('--categories', good), [])
        with_variable = self.opcat('bundle', 'validate', '--suite', 'all', 'bundle', env={'OPERATOR_BUNDLE_CATEGORIES': str(good)})
        self.assert_status(with_variable, 0)
        self.assert_status(self.opcat('bundle', 'validate', '--categories', bad, 'bundle'), 2)

    def test_what_does_not_load(self):
        self.bundle()
        (self.dir / 'bundle/manifests/csv.json').unlink()
        result = self.opcat('bundle', 'validate', 'bundle')
        self.assert_status(result, 1)
        self.assertIn('error: bundle has no ClusterServiceVersion [bundle-csv]', result.out)
        self.assert_status(self.opcat('bundle', 'validate', 'nowhere'), 3)
        self.assert_status(self.opcat('bundle', 'validate'), 2)

    def test_folders_and_hidden_files_are_not_manifests(self):
        for name in ('bundle/manifests/deep/a.yaml', 'bundle/manifests/.hidden'):
            with self.subTest(name):
                self.bundle()
                path = self.write(name, 'kind: A\n')
                self.assertEqual(self.findings(), [('error', 'bundle-file')])
                path.unlink()
                if path.parent.name == 'deep':
                    path.parent.rmdir()

    def test_bundles_of_more_folders_or_files_than_any_has_are_refused(self):
        self.bundle()
        deep = 'bundle/' + 'a/' * 101
        (self.dir / deep).mkdir(parents=True)
        result = self.opcat('bundle', 'validate', 'bundle')
        self.assert_status(result, 3)
        self.assertIn(f'cannot read {deep[:-1]}: it is more than 100 folders deep', result.err)
        self.dir.joinpath('bundle', *['a'] * 101).rmdir()
        self.assert_status(self.opcat('bundle', 'validate', 'bundle'), 0)
        for i in range(10_000):
            (self.dir / f'bundle/{i}').touch()
        result = self.opcat('bundle', 'validate', 'bundle')
        self.assert_status(result, 3)
        self.assertIn('cannot read bundle: it has more than 10000 files', result.err)

    def test_what_cannot_be_read(self):
        for target in ('nowhere', 'loop.yaml', '/dev/null'):
            with self.subTest(target):
                self.bundle()
                link = self.dir / 'bundle/manifests/loop.yaml'
                link.symlink_to(target)
                result = self.opcat('bundle', 'validate', 'bundle')
                self.assert_status(result, 3)
                self.assertIn('bundle/manifests/loop.yaml', result.out + result.err)
                link.unlink()

    def test_what_olm_would_not_install(self):
        """As `bundle predict` says, but nothing that another cluster may have, and nothing twice."""
        for name, manifest, expected in (
                ('namespace', {'apiVersion': 'v1', 'kind': 'Namespace'}, [('error', 'bundle-kind')]),
                ('config map', {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'Bad_CM'}}, [('error', 'olm-classic')]),
                ('another operator', {'apiVersion': 'monitoring.coreos.com/v1', 'kind': 'ServiceMonitor'}, []),
                ('removed', {'apiVersion': 'policy/v1beta1', 'kind': 'PodDisruptionBudget'}, [('error', 'removed-api')])):
            with self.subTest(name):
                self.bundle(extra=json.dumps({'metadata': {'name': 'extra'}, **manifest}))
                found = self.opcat('bundle', 'validate', 'bundle', '--kubernetes-version', '1.36', '--format', 'json').json()['findings']
                self.assertEqual([(one['severity'], one['rule']) for one in found], expected)

    def test_the_default_suite_reports_what_the_api_server_and_olm_refuse(self):
        pod = (*DEPLOYMENTS, 0, 'spec', 'template')
        schema = ('spec', 'versions', 0, 'schema')
        for where, path, value, words in (
                ('csv', (*pod, 'metadata', 'labels'), {'app': 'other'}, '`selector` does not match template `labels`'),
                ('csv', (*INSTALL, 'strategy'), 'deploymnt', 'OLM knows "deployment" only'),
                ('csv', (*RULE, 'verbs'), REMOVE, 'verbs in body must be of type array'),
                ('crd', (*schema, 'openAPIV3Schema', 'properties'), {'a': {'type': 'int'}}, 'Unsupported value: "int"'),
                ('crd', schema, REMOVE, 'schemas are required'),
                ('extra', (), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: 5}\n', 'data.a must be a string, not a number')):
            with self.subTest(path=path, words=words):
                files = {where: changed(CSV if where == 'csv' else CRD, path, value)} if where != 'extra' else {where: value}
                self.bundle(**files)
                result = self.opcat('bundle', 'validate', 'bundle')
                self.assert_status(result, 1)
                self.assertRegex(result.out, re.escape(words) + r'.* \[olm-classic\]')
                (self.dir / 'bundle/manifests/extra.yaml').unlink(missing_ok=True)

    def test_a_misspelt_field_that_is_required_is_one_error(self):
        def misspelt(path, name, wrong):
            return changed(changed(CSV, (*path, wrong), self.value_at(CSV, (*path, name))), (*path, name), REMOVE)
        deployment = (*DEPLOYMENTS, 0, 'spec')
        service = 'apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {prots: [{port: 80}]}\n'
        for files, wrong, meant, words in (
                ({'csv': misspelt(CONTAINER, 'image', 'imagee')}, 'imagee', 'image', 'containers[0].image: Required value'),
                ({'csv': misspelt(CONTAINER, 'name', 'nme')}, 'nme', 'name', 'containers[0].name: Required value'),
                ({'csv': misspelt(deployment, 'selector', 'selecter')}, 'selecter', 'selector', 'spec.selector: Required value'),
                ({'csv': misspelt(RULE, 'verbs', 'verb')}, 'verb', 'verbs', 'rules[0].verbs in body must be of type array'),
                ({'csv': misspelt(RULE, 'apiGroups', 'apiGroup')}, 'apiGroup', 'apiGroups', 'must supply at least one api group'),
                ({'extra': service}, 'prots', 'ports', 'spec.ports: Required value')):
            for flags in (), ('--policy', 'olm-v1'):
                with self.subTest(wrong, flags=flags):
                    self.bundle(**files)
                    found = self.opcat('bundle', 'validate', 'bundle', '--format', 'json', *flags).json()['findings']
                    self.assertEqual([(f['severity'], f['rule'], f['message'], f['help']) for f in found], [
                        ('error', 'manifest-field', f'the API server drops "{wrong}": there is no such field', f'did you mean {meant}?')])
                    self.assertIn(words, found[0]['notes'][0]['message'])
                    (self.dir / 'bundle/manifests/extra.yaml').unlink(missing_ok=True)

    def test_a_misspelt_field_that_nothing_requires_stays_a_warning_next_to_other_mistakes(self):
        csv = changed(changed(CSV, (*CONTAINER, 'imagePullPolcy'), 'Always'), (*CONTAINER, 'image'), REMOVE)
        self.bundle(csv)
        found = self.opcat('bundle', 'validate', 'bundle', '--format', 'json').json()['findings']
        self.assertEqual(sorted((f['severity'], f['rule']) for f in found), [('error', 'olm-classic'), ('warning', 'manifest-field')])

    @staticmethod
    def value_at(value, path):
        for key in path:
            value = value[key]
        return value

    def test_ranges_and_icons_are_checked_in_the_default_suite(self):
        annotation = ('metadata', 'annotations', 'olm.skipRange')
        for csv, expected in (
                (changed(CSV, annotation, '<1.0.0'), []),
                (changed(CSV, annotation, '1.x.x.x'), [('skip-range-syntax', 'skipRange "1.x.x.x" is not a range')]),
                (changed(CSV, annotation, '>=0.1.0, <1.0.0'), [('skip-range-syntax', 'it contains a comma')]),
                (changed(CSV, annotation, '>=1.0.0 <0.1.0'), [('skip-range-impossible', 'no version is in the skipRange')]),
                (changed(CSV, ('spec', 'icon', 0, 'mediatype'), 'image/pgn'), [('csv-icon', 'no console shows icons of type image/pgn')]),
                (changed(CSV, ('spec', 'icon', 0, 'mediatype'), 'svg+xml'), [('csv-icon', 'no console shows icons of type svg+xml')]),
                (changed(CSV, ('spec', 'icon', 0, 'mediatype'), 'image/webp'), []),
                (changed(CSV, ('spec', 'icon', 0, 'base64data'), 'data:image/png;base64,aGVsbG8='), [('csv-icon', 'is not base64')])):
            with self.subTest(expected):
                self.bundle(csv)
                found = self.opcat('bundle', 'validate', 'bundle', '--format', 'json').json()['findings']
                self.assertEqual([(f['severity'], f['rule']) for f in found], [('warning', rule) for rule, _ in expected])
                for finding, (_, words) in zip(found, expected):
                    self.assertIn(words, finding['message'])
        self.bundle(changed(CSV, ('spec', 'icon', 0, 'mediatype'), 'image/pgn'))
        found = self.opcat('bundle', 'validate', 'bundle', '--suite', 'operatorhub', '--format', 'json').json()['findings']
        self.assertEqual([(f['severity'], f['rule'], f['help']) for f in found], [('error', 'csv-icon', 'did you mean image/png?')])

    def test_requirements_in_properties_are_checked_as_in_a_catalog(self):
        for text, expected in (
                ('{type: olm.package.required, value: {packageName: bar, versionRange: ">=1.0.0 <2.0.0"}}', []),
                ('{type: olm.package.required, value: {packageName: bar, versionRange: ">=1.0.0, <2"}}', ['dependency']),
                ('{type: olm.constraint, value: {failureMessage: x, package: {packageName: bar, versionRange: "~1.2"}}}', ['dependency'])):
            with self.subTest(text):
                self.bundle()
                self.write('bundle/metadata/properties.yaml', f'properties:\n- {text}\n')
                found = self.opcat('bundle', 'validate', 'bundle', '--format', 'json').json()['findings']
                self.assertEqual([f['rule'] for f in found], expected)
                for finding in found:
                    self.assertEqual((finding['file'], finding['range']['start']['line']), ('bundle/metadata/properties.yaml', 2))

    def test_examples_beyond_the_limit_of_work_are_left_out_with_an_error(self):
        crd = copy.deepcopy(CRD)
        crd['spec']['versions'][0]['schema']['openAPIV3Schema']['oneOf'] = [{'required': [f'f{i}']} for i in range(20000)]
        example = {'apiVersion': 'example.com/v1', 'kind': 'Gizmo'}
        self.bundle(changed(CSV, (*NOTE, 'alm-examples'), json.dumps([example] * 1000)), crd)
        result = self.opcat('bundle', 'validate', 'bundle', timeout=600)
        self.assert_status(result, 3)
        self.assertIn('is not checked against its schema, and perhaps others: it would take too many steps [limit]', result.out)
        self.assertEqual(result.out.count('[limit]'), 1)

    def test_several_bundles(self):
        self.bundle()
        result = self.opcat('bundle', 'validate', 'bundle', 'bundle')
        self.assertEqual(result.err, 'no findings (2 bundles checked)\n')

    def test_batch(self):
        self.bundle(csv=changed(CSV, ('spec', 'minKubeVersion'), REMOVE), more=CRON)
        questions = self.write('questions', json.dumps({'dir': 'bundle', 'kubernetesVersion': '1.25'}) + '\n\nnope\n'
                               + json.dumps({'dir': 'bundle'}) + '\n' + json.dumps({'dir': 'nowhere'}) + '\n')
        result = self.opcat('bundle', 'validate', '--batch', questions)
        self.assert_status(result, 1)
        self.assertEqual(result.err, 'warning: 2 of 4 lines could not be answered\n')
        first, bad, second, missing = map(json.loads, result.out.splitlines())
        self.assertEqual(first, {'loads': True, 'found': {'csv': {'Warning': 1}, 'operatorhubv2': {'Warning': 2}, 'alpha-deprecated-apis': {'Error': 1}}})
        self.assertEqual(second['found']['alpha-deprecated-apis'], {'Warning': 1})
        self.assertIn('line 3', bad['error'])
        self.assertIn('nowhere', missing['error'])


class Images(BundleCase):
    def test_an_image_is_checked_like_a_directory(self):
        self.bundle(csv=changed(CSV, ('spec', 'minKubeVersion'), 'v1'))
        self.write_layout('layout', self.dir / 'bundle')
        result = self.opcat('bundle', 'validate', 'oci:layout')
        self.assert_status(result, 1)
        self.assertIn('oci:layout:/manifests/csv.json:15:21: error: ', result.out)
        under_opm = self.opm('alpha', 'bundle', 'validate', '--tag', 'oci:layout', '--image-builder', 'none')
        self.assert_status(under_opm, 1)
        self.assertIn('oci:layout:/manifests/csv.json:15:21: error: ', under_opm.err)

    def test_an_image_of_a_catalog_is_not_a_bundle(self):
        self.assert_status(self.opcat('build', CATALOGS / 'hello', '--base', 'scratch', '-t', 'oci:catalog:v1'), 0)
        result = self.opcat('bundle', 'validate', 'oci:catalog:v1')
        self.assert_status(result, 3)
        self.assertIn('error: image oci:catalog:v1 is not a bundle: it has no label operators.operatorframework.io.bundle.package.v1', result.err)

    def test_opm_needs_an_image(self):
        result = self.opm('alpha', 'bundle', 'validate', '--tag', 'oci:nowhere')
        self.assert_status(result, 1)
        self.assertIn('nowhere', result.err)
        self.assert_status(self.opm('alpha', 'bundle', 'validate'), 1)


class Manifests(OpcatCase):
    def test_the_objects_of_a_bundle_are_a_list_in_json_and_documents_in_yaml(self):
        widgets = TESTDATA / 'bundles/widgets'
        listed = self.opcat('bundle', 'manifests', widgets, '-o', 'json').json()
        self.assertEqual((listed['apiVersion'], listed['kind']), ('v1', 'List'))
        kinds = [thing['kind'] for thing in listed['items']]
        self.assertLess(kinds.index('CustomResourceDefinition'), kinds.index('Deployment'))
        printed = self.opcat('bundle', 'manifests', widgets).out
        self.assertEqual(re.findall(r'(?m)^kind: (\w+)$', printed), kinds)

    def test_a_catalog_is_not_one_bundle(self):
        result = self.opcat('bundle', 'manifests', CATALOGS / 'hello')
        self.assert_status(result, 2)
        self.assertEqual(result.err, f'error: {CATALOGS / "hello"} is not one bundle\n  help: name a bundle directory or the image of a bundle\n')


RUNNER = SHARED / 'conformance/run-bundle-checks'


@unittest.skipUnless(RUNNER.exists() and os.access(RUNNER, os.W_OK), 'needs ../shared/conformance, whose files it copies and overwrites')
class Recorded(unittest.TestCase):
    def test_operator_sdk_finds_the_same(self):
        done = subprocess.run([RUNNER, '--opcat', pathlib.Path(BINARY).resolve()], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == '__main__':
    unittest.main()
