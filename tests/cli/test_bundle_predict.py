"""opcat bundle predict: bundles with a single mistake, each with what OLM says about it, and the recorded outcomes.
Covers lib/bundle_checks/classic_outcome.cpp, lib/bundle_checks/outcome_parts.cpp,
lib/bundle_checks/unjudged.cpp and lib/bundle_checks/v1_outcome.cpp."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from opcat_case import BINARY, SHARED, OpcatCase

POD = {'metadata': {'labels': {'app': 'gizmo'}}, 'spec': {'containers': [{'name': 'manager', 'image': 'registry.example/gizmo:v1'}]}}
DEPLOYMENT = {'name': 'gizmo', 'spec': {'selector': {'matchLabels': {'app': 'gizmo'}}, 'template': POD}}
RULE = {'apiGroups': [''], 'resources': ['pods'], 'verbs': ['get']}
MODES = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces']
OWNED = {'name': 'gizmos.example.com', 'version': 'v1', 'kind': 'Gizmo'}
CSV = {
    'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'ClusterServiceVersion', 'metadata': {'name': 'gizmo.v1.0.0'},
    'spec': {
        'displayName': 'Gizmo', 'version': '1.0.0', 'installModes': [{'type': mode, 'supported': True} for mode in MODES],
        'customresourcedefinitions': {'owned': [OWNED]},
        'install': {'strategy': 'deployment', 'spec': {
            'deployments': [DEPLOYMENT], 'permissions': [{'serviceAccountName': 'gizmo', 'rules': [RULE]}]}}}}
CRD = {
    'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition', 'metadata': {'name': 'gizmos.example.com'},
    'spec': {'group': 'example.com', 'scope': 'Namespaced', 'names': {'plural': 'gizmos', 'kind': 'Gizmo'},
             'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': {'type': 'object'}}}]}}
ANNOTATIONS = {'annotations': {'operators.operatorframework.io.bundle.package.v1': 'gizmo', 'operators.operatorframework.io.bundle.channels.v1': 'stable'}}
WEBHOOK = {
    'type': 'ValidatingAdmissionWebhook', 'generateName': 'check.gizmos.example.com', 'deploymentName': 'gizmo', 'containerPort': 443,
    'admissionReviewVersions': ['v1'], 'sideEffects': 'None',
    'rules': [{'apiGroups': ['example.com'], 'apiVersions': ['v1'], 'operations': ['CREATE'], 'resources': ['gizmos']}]}
CONVERSION = {**{key: value for key, value in WEBHOOK.items() if key != 'rules'}, 'type': 'ConversionWebhook', 'conversionCRDs': ['gizmos.example.com']}
ONLY_ALL = [{'type': mode, 'supported': mode == 'AllNamespaces'} for mode in MODES]


def named(kind, name='extra', version='v1', **fields):
    return {'apiVersion': version, 'kind': kind, 'metadata': {'name': name}, **fields}


def changed(value, path, new):
    """A copy of a value with another part; None removes it."""
    value = copy.deepcopy(value)
    part = value
    for key in path[:-1]:
        part = part[key]
    if new is None:
        del part[path[-1]]
    else:
        part[path[-1]] = new
    return value


def csv(*path, to):
    return {'csv': changed(CSV, ('spec', *path), to)}


def crd(*path, to):
    return {'crd': changed(CRD, path, to)}


DEPLOYMENTS = ('install', 'spec', 'deployments')
SCHEMA = ('spec', 'versions', 0, 'schema', 'openAPIV3Schema')
ANY = ''  # success
# Parts of the bundle, the words of OLM classic and those of OLM v1.
CASES = {
    'nothing': ({}, ANY, ANY),
    # kinds
    'ResourceQuota': ({'extra': [named('ResourceQuota', spec={})]}, 'the InstallPlan contains invalid data',
                      'unsupported resource "extra" with kind "ResourceQuota"'),
    'CronJob': ({'extra': [named('CronJob', version='batch/v1')]}, 'the InstallPlan contains invalid data', 'unsupported resource "extra" with kind "CronJob"'),
    'own kind': ({'extra': [named('Gizmo', version='example.com/v1')]}, 'the InstallPlan contains invalid data',
                 'unsupported resource "extra" with kind "Gizmo"'),
    'Secret': ({'extra': [named('Secret', stringData={'a': 'b'})]}, ANY, ANY),
    'Service': ({'extra': [named('Service', spec={'ports': [{'port': 80}]})]}, ANY, ANY),
    'PriorityClass': ({'extra': [named('PriorityClass', version='scheduling.k8s.io/v1', value=5)]}, ANY, ANY),
    'PodMonitor': ({'extra': [named('PodMonitor', version='monitoring.coreos.com/v1')]}, 'the InstallPlan contains invalid data',
                   'no matches for kind "PodMonitor" in version "monitoring.coreos.com/v1"'),
    'ServiceMonitor': ({'extra': [named('ServiceMonitor', version='monitoring.coreos.com/v1')]},
                       'GroupVersionKind monitoring.coreos.com/v1, Kind=ServiceMonitor not found on the cluster.',
                       'no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"'),
    # OLM classic reads what it has a client for as the version of that.
    'old Role': ({'extra': [named('Role', version='rbac.authorization.k8s.io/v1beta1', rules=[RULE])]}, ANY,
                 'no matches for kind "Role" in version "rbac.authorization.k8s.io/v1beta1"'),
    'old PriorityClass': ({'extra': [named('PriorityClass', version='scheduling.k8s.io/v1beta1', value=5)]},
                          'GroupVersionKind scheduling.k8s.io/v1beta1, Kind=PriorityClass not found', 'no matches for kind "PriorityClass"'),
    'old CustomResourceDefinition': (crd('apiVersion', to='apiextensions.k8s.io/v1beta1'),
                                     'GroupVersionKind apiextensions.k8s.io/v1beta1, Kind=CustomResourceDefinition not found',
                                     'no matches for kind "CustomResourceDefinition"'),
    # objects that the API server refuses
    'Bad_CM': ({'extra': [named('ConfigMap', 'Bad_CM')]},
               'error updating configmap: Bad_CM: ConfigMap "Bad_CM" is invalid: metadata.name: Invalid value: "Bad_CM": a lowercase RFC 1123 subdomain',
               '1 error occurred:\n\t* ConfigMap "Bad_CM" is invalid: metadata.name'),
    'rule without resources': ({'extra': [named('ClusterRole', version='rbac.authorization.k8s.io/v1', rules=[{'apiGroups': [''], 'verbs': ['get']}])]},
                               'error creating clusterrole extra: ClusterRole.rbac.authorization.k8s.io "extra" is invalid: rules[0].resources: Required value',
                               'rules[0].resources: Required value: resource rules must supply at least one resource'),
    'permission without resources': (csv('install', 'spec', 'permissions', 0, 'rules', 0, 'resources', to=None),
                                     'rules[0].resources: Required value', 'rules[0].resources: Required value'),
    'permission for URLs': (csv('install', 'spec', 'permissions', 0, 'rules', 0, to={'nonResourceURLs': ['/metrics'], 'verbs': ['get']}),
                            'namespaced rules cannot apply to non-resource URLs', ANY),
    'uniqueItems': (crd(*SCHEMA, 'properties', to={'spec': {'type': 'array', 'items': {'type': 'string'}, 'uniqueItems': True}}),
                    'CustomResourceDefinition.apiextensions.k8s.io "gizmos.example.com" is invalid: '
                    'spec.validation.openAPIV3Schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true',
                    'uniqueItems: Forbidden'),
    'wrong name of a CustomResourceDefinition': (crd('spec', 'names', 'plural', to='gadgets'), 'is named gizmos.example.com, not gadgets.example.com',
                                                 'is named gizmos.example.com'),
    # requirements
    'native API that is missing': (csv('nativeAPIs', to=[{'group': 'no.example.com', 'version': 'v1', 'kind': 'No'}]),
                                   "one or more requirements couldn't be found", ANY),
    'native API': (csv('nativeAPIs', to=[{'group': '', 'version': 'v1', 'kind': 'Pod'}]), ANY, ANY),
    'required definition': (csv('customresourcedefinitions', 'required', to=[{'name': 'ghosts.example.com', 'version': 'v1', 'kind': 'Ghost'}]),
                            "one or more requirements couldn't be found", ANY),
    'owned definition': (csv('customresourcedefinitions', 'owned', to=[OWNED, {'name': 'ghosts.example.com', 'version': 'v1', 'kind': 'Ghost'}]),
                         "one or more requirements couldn't be found",
                         "references owned custom resource definition 'ghosts.example.com' not found in bundle"),
    'version that is not served': (csv('customresourcedefinitions', 'owned', 0, 'version', to='v2'), "one or more requirements couldn't be found", ANY),
    'minKubeVersion': (csv('minKubeVersion', to='1.99.0'), "one or more requirements couldn't be found", ANY),
    # deployments
    'Bad_Name': (csv(*DEPLOYMENTS, 0, 'name', to='Bad_Name'), 'install strategy failed: Deployment.apps "Bad_Name" is invalid: metadata.name',
                 "invalid cluster service version strategy deployment name 'Bad_Name'"),
    'selector': (csv(*DEPLOYMENTS, 0, 'spec', 'selector', 'matchLabels', to={'app': 'other'}), '`selector` does not match template `labels`',
                 '`selector` does not match template `labels`'),
    'no deployments': (csv(*DEPLOYMENTS, to=None), 'spec.install.spec.deployments in body must be of type array: "null"', ANY),
    'a deployment twice': (csv(*DEPLOYMENTS, to=[DEPLOYMENT, DEPLOYMENT]), ANY, "contains duplicate strategy deployment spec 'gizmo'"),
    'a deployment in two forms': (csv(*DEPLOYMENTS, to=[DEPLOYMENT, changed(DEPLOYMENT, ('spec', 'replicas'), 2)]), 'deployment changed',
                                  "contains duplicate strategy deployment spec 'gizmo'"),
    'environment': (csv(*DEPLOYMENTS, 0, 'spec', 'template', 'spec', 'containers', 0, 'env', to=[{'name': 'A=B'}]), 'env[0].name: Invalid value: "A=B"',
                    'env[0].name: Invalid value: "A=B"'),
    # duplicates
    'a definition twice': ({'extra': [CRD]}, ANY, "bundle contains duplicate custom resource definition 'gizmos.example.com'"),
    'the same ConfigMap twice': ({'extra': [named('ConfigMap'), named('ConfigMap')]}, ANY, ANY),
    'ConfigMaps of one name': ({'extra': [named('ConfigMap'), named('ConfigMap', data={'a': 'b'})]}, ANY, 'configmaps "extra" already exists'),
    'service account': ({'extra': [named('ServiceAccount', 'gizmo')]}, ANY, 'serviceaccounts "gizmo" already exists'),
    'PriorityClass of Kubernetes': ({'extra': [named('PriorityClass', 'system-node-critical', 'scheduling.k8s.io/v1', value=2000001000)]}, ANY,
                                    "PriorityClass 'system-node-critical' already exists in namespace '' and cannot be managed"),
    # install modes
    'no mode': (csv('installModes', to=[]), 'InstallModeType not supported', 'bundle does not support AllNamespaces install mode'),
    'own namespace': (csv('installModes', to=[{'type': 'OwnNamespace', 'supported': True}]), ANY, 'bundle does not support AllNamespaces install mode'),
    'a mode twice': (csv('installModes', to=[*CSV['spec']['installModes'], CSV['spec']['installModes'][0]]), 'InstallMode list contains duplicates', ANY),
    # webhooks
    'webhook': (csv('webhookdefinitions', to=[WEBHOOK]), ANY, 'no matches for kind "Certificate" in version "cert-manager.io/v1"'),
    'webhook for all groups': (csv('webhookdefinitions', to=[changed(WEBHOOK, ('rules', 0, 'apiGroups'), ['*'])]),
                               'webhook rules cannot include all groups', 'admission webhook rules cannot reference API group "*"'),
    'webhook of another deployment': (csv('webhookdefinitions', to=[{**WEBHOOK, 'deploymentName': 'nobody'}]), 'calculated deployment install is bad',
                                      "references non-existent deployment 'nobody'"),
    'webhook with a short name': (csv('webhookdefinitions', to=[{**WEBHOOK, 'generateName': 'check'}]),
                                  'should be a domain with at least three segments', 'no matches for kind "Certificate"'),
    'webhook of an unknown type': (csv('webhookdefinitions', to=[{**WEBHOOK, 'type': 'Other'}]), 'type: Unsupported value: "Other"',
                                   'no matches for kind "Certificate"'),
    'two webhooks of one name': (csv('webhookdefinitions', to=[WEBHOOK, WEBHOOK]), 'CSV contains repeated WebhookDescription name',
                                 "duplicate webhook 'check.gizmos.example.com' of type 'ValidatingAdmissionWebhook'"),
    'conversion': (csv('webhookdefinitions', to=[CONVERSION]), 'CSVs with conversion webhooks must support only AllNamespaces',
                   'conversion webhooks are only supported for bundles that only support AllNamespaces install mode'),
    'conversion in all namespaces': ({'csv': changed(changed(CSV, ('spec', 'webhookdefinitions'), [CONVERSION]), ('spec', 'installModes'), ONLY_ALL)}, ANY,
                                     'no matches for kind "Certificate"'),
    'API service': (csv('apiservicedefinitions', to={'owned': [
        {'name': 'v1.gizmo.example.com', 'group': 'gizmo.example.com', 'version': 'v1', 'kind': 'Gadget', 'deploymentName': 'gizmo'}]}), ANY,
        'unsupported bundle: apiServiceDefintions are not supported'),
    # names
    'name of the ClusterServiceVersion': ({'csv': changed(CSV, ('metadata', 'name'), 'Gizmo_1')}, 'error creating csv Gizmo_1', ANY),
    'strategy': (csv('install', 'strategy', to='other'), 'unrecognized install strategy', ANY),
    'package': ({'annotations': {'annotations': {}}}, ANY, 'package name is empty'),
}


class PredictTest(OpcatCase):
    def bundle(self, parts):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        objects = [parts.get('csv', CSV), parts.get('crd', CRD), *parts.get('extra', [])]
        for i, manifest in enumerate(objects):
            path = root / 'manifests' / f'{i}.json'
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(manifest))
        (root / 'metadata').mkdir()
        (root / 'metadata/annotations.yaml').write_text(json.dumps(parts.get('annotations', ANNOTATIONS)))
        return root

    def predict(self, root, olm, *more):
        result = subprocess.run([BINARY, 'bundle', 'predict', root, '--olm', olm, '-o', 'json', *more], capture_output=True, text=True)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer['succeeds'], result.returncode == 0)
        return answer

    def test_each_mistake_is_met_in_olms_words(self):
        for name, (parts, classic, v1) in CASES.items():
            root = self.bundle(parts)
            for olm, words in (('classic', classic), ('v1', v1)):
                with self.subTest(name, olm=olm):
                    answer = self.predict(root, olm)
                    self.assertEqual(answer['succeeds'], words == ANY, answer)
                    self.assertIn(words, answer['message'])

    def test_olm_v1_reads_all_documents_of_a_file_and_the_items_of_lists(self):
        deployment = named('Deployment', 'other', 'apps/v1')
        refused = 'unsupported resource "other" with kind "Deployment"'
        root = self.bundle({})
        with open(root / 'manifests/1.json', 'a') as file:
            file.write('\n---\n' + json.dumps(deployment))
        self.assertIn(refused, self.predict(root, 'v1')['message'])
        self.assertTrue(self.predict(root, 'classic')['succeeds'])
        root = self.bundle({'extra': [{'apiVersion': 'v1', 'kind': 'List', 'items': [named('ConfigMap', 'fine'), deployment]}]})
        self.assertIn(refused, self.predict(root, 'v1')['message'])
        self.assertIn('the InstallPlan contains invalid data', self.predict(root, 'classic')['message'])
        root = self.bundle({'extra': [{'apiVersion': 'v1', 'kind': 'List', 'items': [named('ConfigMap', 'fine')]}]})
        self.assertTrue(self.predict(root, 'v1')['succeeds'])

    def test_a_version_that_opm_refuses_is_said(self):
        for version in 'v1.0.0', '1.0', '01.0.0':
            root = self.bundle({'csv': {**CSV, 'spec': {**CSV['spec'], 'version': version}}})
            for olm in 'v1', 'classic':
                self.assertIn('whose version opm refuses', ' '.join(self.predict(root, olm)['notChecked']), version)

    def test_olm_v1_chooses_no_bundle_with_dependencies(self):
        root = self.bundle({})
        (root / 'metadata/dependencies.yaml').write_text('dependencies:\n- {type: olm.package, value: {packageName: a, version: 1.0.0}}\n')
        refused = 'validating bundle "gizmo.v1.0.0": bundle "gizmo.v1.0.0" has a dependency declared via property "olm.package.required"'
        self.assertIn(refused, self.predict(root, 'v1')['message'])
        classic = self.predict(root, 'classic')
        self.assertTrue(classic['succeeds'])
        self.assertEqual(classic['notChecked'], ["whether the cluster's catalogs have what the bundle requires: package a 1.0.0"])

    def test_olm_classic_chooses_no_bundle_whose_requirements_no_catalog_can_meet(self):
        cases = (({'type': 'olm.package.required', 'value': {'packageName': 'a', 'versionRange': '>2.0.0 <1.0.0'}}, 'bundle gizmo.v1.0.0 requires an operator with package: a'),
                 ({'type': 'olm.constraint', 'value': {'package': {'packageName': 'a', 'versionRange': 'newest'}}}, 'convert olm.constraint to resolver predicate: '),
                 ({'type': 'olm.constraint', 'value': {'cel': {'rule': 'properties.exists(p'}}}, 'convert olm.constraint to resolver predicate: '))
        for requirement, words in cases:
            with self.subTest(requirement):
                root = self.bundle({})
                (root / 'metadata/properties.yaml').write_text(json.dumps({'properties': [requirement]}))
                answer = self.predict(root, 'classic')
                self.assertFalse(answer['succeeds'])
                self.assertEqual(answer['stage'], 'Subscription ResolutionFailed')
                self.assertIn(words, answer['message'])
                self.assertEqual(answer['notChecked'], [])
        requirements = [cases[1][0], {'type': 'olm.package.required', 'value': {'packageName': 'b', 'versionRange': '1.0.0'}}, cases[0][0]]
        (root / 'metadata/properties.yaml').write_text(json.dumps({'properties': requirements}))
        answer = self.predict(root, 'classic')
        self.assertEqual([words in problem['message'] for problem, words in zip(answer['problems'], (cases[1][1], cases[0][1]))], [True, True])
        self.assertEqual(answer['notChecked'], ["whether the cluster's catalogs have what the bundle requires: package b 1.0.0"])

    def test_what_only_an_api_server_judges_is_not_passed_silently(self):
        ruled = {'type': 'object', 'properties': {'spec': {'type': 'object', 'x-kubernetes-validations': [{'rule': 'self.nothing > 1'}]}}}
        pod = changed(changed(POD, ('spec', 'hostAliases'), [{'ip': 'x'}]), ('spec', 'volumes'), [{'name': 'v', 'csi': {'driver': '_'}}])
        root = self.bundle({'csv': changed(CSV, ('spec', 'install', 'spec', 'deployments'), [changed(DEPLOYMENT, ('spec', 'template'), pod)]),
                            'crd': changed(CRD, ('spec', 'versions'), [{**CRD['spec']['versions'][0], 'schema': {'openAPIV3Schema': ruled}}]),
                            'extra': [named('VerticalPodAutoscaler', version='autoscaling.k8s.io/v1', spec={'a': 1})]})
        for olm in ('classic', 'v1'):
            self.assertIn('what only an API server knows (--context asks one): the CEL rules of CustomResourceDefinition gizmos.example.com; '
                          'the fields of VerticalPodAutoscaler extra; hostAliases and volumes.csi of Deployment gizmo', self.predict(root, olm)['notChecked'])
        self.assertEqual(self.predict(self.bundle({}), 'v1')['notChecked'], [])

    def test_the_release_of_kubernetes_decides(self):
        root = self.bundle({'extra': [named('PodDisruptionBudget', version='policy/v1beta1', spec={'minAvailable': 1})]})
        for olm in ('classic', 'v1'):
            self.assertTrue(self.predict(root, olm, '--kubernetes', '1.24')['succeeds'])
            self.assertFalse(self.predict(root, olm, '--kubernetes', '1.25')['succeeds'])

    def test_no_olm_reads_folders_in_manifests(self):
        root = self.bundle({**csv('customresourcedefinitions', to=None), 'crd': named('ConfigMap')})
        (root / 'manifests/sub').mkdir()
        (root / 'manifests/0.json').rename(root / 'manifests/sub/csv.json')
        for olm, words in (('classic', 'BackoffLimitExceeded'), ('v1', 'found "manifests/sub"')):
            answer = self.predict(root, olm)
            self.assertFalse(answer['succeeds'], olm)
            self.assertIn(words, answer['message'])

    def test_a_bundle_without_a_cluster_service_version_in_manifests_is_in_no_catalog(self):
        root = self.bundle({**csv('customresourcedefinitions', to=None), 'crd': named('ConfigMap')})
        (root / 'deploy').mkdir()
        (root / 'manifests/0.json').rename(root / 'deploy/csv.json')
        for olm in 'classic', 'v1':
            answer = self.predict(root, olm)
            self.assertFalse(answer['succeeds'], olm)
            self.assertIn('has no ClusterServiceVersion', answer['problems'][-1]['message'])

    def test_a_release_of_kubernetes_has_a_major_and_a_minor_version(self):
        root = self.bundle({})
        for version in '1', '25', '99', '2.0', 'new':
            for command in (['predict', root, '--olm', 'v1', '--kubernetes'], ['validate', root, '--kubernetes-version']):
                result = self.opcat('bundle', *command, version)
                self.assert_status(result, 2)
                self.assertIn(f'"{version}" is not a version of Kubernetes', result.err)

    def test_text_names_the_fault_and_its_place(self):
        root = self.bundle({'extra': [named('Namespace')]})
        result = subprocess.run([BINARY, 'bundle', 'predict', root, '--olm', 'classic'], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, f'''OLM classic would not install the bundle: InstallPlan Failed
  the InstallPlan contains invalid data
    OLM classic does not install Namespace extra: it does not handle the kind Namespace
    at {root}/manifests/2.json:1
''')

    def test_the_recorded_outcomes(self):
        runner = SHARED / 'conformance/run-bundle-contents'
        if not runner.exists():
            self.skipTest('../shared is missing')
        result = subprocess.run([sys.executable, runner, '--opcat', BINARY], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == '__main__':
    unittest.main()
