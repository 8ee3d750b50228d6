"""Situations of real clusters: clean-up, shared definitions, few rights, and broken, moved or remote catalogs."""
from __future__ import annotations

import copy
import json

import bundles
from cluster_case import TESTDATA, main
from simulated_case import OLM, SimulatedCase
from standin.faults import Fault
from standin.roles import usual_roles
from standin.storage import Object
from test_v1_commands import CATALOGS, IN_GREET, RBAC, STABLE, V1Case

CLASSIC = ('-n', 'greet', '--olm', 'classic')
GREETINGS = ('greeter.example.com', 'greetings')


def greeting(namespace: str, name: str) -> Object:
    return {'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': name, 'namespace': namespace}}


def namespace(name: str) -> Object:
    return {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}}


class Classic(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def test_custom_resources_of_others_are_counted_and_stay(self) -> None:
        """The operator watches its own namespace: custom resources of other namespaces must stay."""
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.apply(namespace('other'), {'apiVersion': f'{OLM}/v1', 'kind': 'Operator', 'metadata': {'name': 'greeter.greet'}},
                   *[greeting(place, name) for place in ('greet', 'other') for name in ('a', 'b')])
        uninstall = ('uninstall', 'greeter', *CLASSIC, '--delete-crds', '--delete-operands')
        self.changes_nothing(*uninstall, '--yes', status=2, words=(
            'custom resources in namespaces that greeter does not watch (2 in namespace other)', '2 in namespace greet, 2 in namespace other', '--force'))
        self.changes_nothing(*uninstall, '--force', status=2, words=('must be confirmed',))
        self.succeeds(*uninstall, '--yes', '--force', words=('deleted Operator greeter.greet',))
        self.assertEqual(self.names((OLM, 'operators')), [])

    def test_someone_at_a_terminal_is_asked(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.apply(namespace('other'), *[greeting(place, 'a') for place in ('greet', 'other')])
        uninstall = ('uninstall', 'greeter', *CLASSIC)
        shared = (*uninstall, '--delete-crds', '--delete-operands', '--force')
        number = 'Type the number of custom resources that exist: '
        for arguments, question, answer in ((uninstall, 'Go on? [y/N] ', ''), (uninstall, 'Go on? [y/N] ', 'n'), (shared, number, 'y'), (shared, number, '3')):
            with self.subTest(question, answer=answer):
                status, shown = self.at_terminal(*arguments, question=question, answer=answer)
                self.assertEqual(status, 1, shown)
                self.assertTrue(shown.endswith('nothing was changed\n'), shown)
                self.assertEqual(len(self.names((OLM, 'subscriptions'))), 1)
        status, shown = self.at_terminal(*shared, question=number, answer='2')
        self.assertEqual(status, 0, shown)
        self.assertIn('deleted Subscription greet/greeter', shown)
        self.assertEqual(self.names((OLM, 'subscriptions')), [])

    def test_cleaning_up_ends_a_namespace_that_was_made(self) -> None:
        self.ends(1, 'install', 'crasher', *CLASSIC, '--timeout', '40s', '--cleanup-on-failure', words=('deleted Namespace greet',))
        self.wait_for('its end', lambda: 'greet' not in self.names(('', 'namespaces')))

    def test_a_catalog_with_a_bad_image_is_said_to_hold_up_all(self) -> None:
        self.ends(1, 'catalog', 'add', 'bad', 'registry.example/nobody:v1', '-n', 'olm', '--olm', 'classic', '--no-check', '--timeout', '40s',
                  words=('while olm/bad is not ready, OLM classic resolves nothing in any namespace',))

    def test_all_steps_to_a_version_are_shown_and_compared(self) -> None:
        """Also the steps after an InstallPlan that waits."""
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--approval', 'manual', '--yes')
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '2.0.0', '--dry-run', words=(
            'upgrade to greeter.v1.1.0 from greeter.v1.0.0', 'upgrade to greeter.v2.0.0 from greeter.v1.1.0'))
        result = self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '1.1.0', '--dry-run')
        self.assertNotIn('greeter.v2.0.0', result.err)
        # The second step has a definition with a required field that the existing object does not have.
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        crd = next(thing for thing in manifests if thing['kind'] == 'CustomResourceDefinition')
        crd['spec']['versions'][0]['schema']['openAPIV3Schema']['required'] = ['spec']
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
        self.apply(greeting('greet', 'hello'))
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '2.0.0', '--dry-run', status=1,
                             words=('Greeting greet/hello is not valid',))
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '1.1.0', '--dry-run')

    def test_what_the_server_is_too_old_or_too_new_for(self) -> None:
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        manifests.append({'apiVersion': 'policy/v1beta1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'greeter'}, 'spec': {}})
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
        self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, status=1, words=('GroupVersionKind policy/v1beta1, Kind=PodDisruptionBudget not found on the cluster',))
        blobs = [json.loads(line) for line in (TESTDATA / 'catalogs/people.jsonl').read_text().splitlines()]
        for blob in blobs:
            for item in blob.get('properties') or []:
                if blob['name'] == 'greeter.v2.0.0' and item['type'] == 'olm.csv.metadata':
                    item['value']['minKubeVersion'] = '1.99.0'
        self.registry.push_catalog('people', 'v1', '\n'.join(map(json.dumps, blobs)))
        self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, status=1, words=('needs Kubernetes 1.99.0 (minKubeVersion)',))

    def push_with(self, *more: Object) -> None:
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, [*manifests, *more]))

    def test_contents_that_olm_refuses(self) -> None:
        for more, words in ((namespace('extra'), 'the InstallPlan contains invalid data'),
                            ({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'Bad_CM'}}, 'ConfigMap "Bad_CM" is invalid')):
            with self.subTest(words):
                self.push_with(more)
                self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, status=1, words=('InstallPlan Failed', words))

    def test_a_bundle_image_that_does_not_exist(self) -> None:
        catalog = (TESTDATA / 'catalogs/people.jsonl').read_text().replace(
            'registry.example/greeter-bundle:v2.0.0', self.image.partition('/')[0] + '/greeter-bundle:v9.9.9')
        self.registry.push_catalog('people', 'v1', catalog)
        self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, status=1, words=('greeter.v2.0.0 stays at BundleUnpacking', '404'))

    def test_a_catalog_of_another_namespace(self) -> None:
        self.apply(namespace('mine'), {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {
            'name': 'own', 'namespace': 'mine'}, 'spec': {'sourceType': 'grpc', 'image': self.image}})
        self.changes_nothing('install', 'greeter', *CLASSIC, '--catalog', 'mine/own', status=1, words=(
            'namespace greet does not see the catalog', 'install with -n mine'))

    def test_the_namespace_of_global_catalogs_is_found_out(self) -> None:
        """It is read from the flags of OLM's own Deployments if no catalog is in a usual namespace."""
        self.succeeds('catalog', 'remove', 'people', '-n', 'olm', '--olm', 'classic', '--yes')
        container = {'name': 'c', 'image': 'registry.example/olm', 'command': ['/bin/package-server', '--global-namespace', 'shelf']}
        self.apply(namespace('shelf'), {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {
                       'name': 'people', 'namespace': 'shelf'}, 'spec': {'sourceType': 'grpc', 'image': self.image}},
                   {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {
                       'name': 'packageserver', 'namespace': 'olm', 'labels': {'app': 'packageserver'}}, 'spec': {
                       'selector': {'matchLabels': {'app': 'packageserver'}},
                       'template': {'metadata': {'labels': {'app': 'packageserver'}}, 'spec': {'containers': [container]}}}})
        self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, '--catalog', 'shelf/people', '--dry-run',
                             words=('install greeter.v2.0.0 (channel stable, catalog shelf/people)',))

    def test_flags_are_given_once(self) -> None:
        for arguments in (('status', '-n', 'olm', '-n', 'greet'), ('install', 'greeter', *CLASSIC, '-n', 'other')):
            with self.subTest(arguments):
                self.changes_nothing(*arguments, status=2, words=('--namespace',))


class NamespaceAdministrator(V1Case):
    """Alice has the ClusterRole admin in one namespace, with what OLM adds to it, and both OLMs are there."""
    ALICE = ('-n', 'greet', '--context', 'alice')

    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()
        self.apply(namespace('greet'), *usual_roles(),
                   {'apiVersion': f'{OLM}/v1', 'kind': 'OperatorGroup', 'metadata': {'name': 'greet', 'namespace': 'greet'},
                    'spec': {'targetNamespaces': ['greet']}},
                   {'apiVersion': f'{RBAC}/v1', 'kind': 'RoleBinding', 'metadata': {'name': 'some', 'namespace': 'greet'},
                    'subjects': [{'kind': 'User', 'name': 'alice'}], 'roleRef': {'apiGroup': RBAC, 'kind': 'ClusterRole', 'name': 'admin'}})

    def test_works_in_the_namespace_and_reports_what_is_unknown(self) -> None:
        self.ends(0, 'status', *self.ALICE, words=('warning: cannot list clusterextensions',))
        # Without --olm: a user who may not read the objects of OLM v1 does not use it.
        self.ends(0, 'install', 'greeter', *self.ALICE, *STABLE, '--version', '1.0.0', words=(
            "predicted from the cluster's PackageManifests",))
        self.ends(0, 'status', *self.ALICE, words=('greeter', 'ready'))
        self.ends(0, 'upgrade', 'greeter', *self.ALICE, '--yes')
        # A catalog that may not be read is not reported as empty.
        result = self.ends(3, 'resolve', 'classic', '--from-cluster', *self.ALICE, words=(
            'you may not read CatalogSource olm/people', '--catalog olm/people=REF'))
        self.assertNotIn('no operators found', result.out + result.err)
        self.ends(0, 'resolve', 'classic', '--from-cluster', *self.ALICE, '--catalog', f'olm/people={self.image}')
        self.ends(0, 'uninstall', 'greeter', *self.ALICE, '--yes')
        self.assertEqual(self.csvs(), [])


    def test_removes_a_catalog_and_does_not_know_its_users_elsewhere(self) -> None:
        self.apply({'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': 'mine', 'namespace': 'greet'},
                    'spec': {'sourceType': 'grpc', 'image': self.image}})
        self.wait_for('the catalog', lambda: 'READY' in str(self.one((OLM, 'catalogsources'), 'greet', 'mine')))
        self.ends(2, 'catalog', 'remove', 'mine', *self.ALICE, '--olm', 'classic', words=('removing a catalog that may be in use must be confirmed',))
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--catalog', 'greet/mine')
        self.ends(0, 'catalog', 'remove', 'mine', *self.ALICE, '--olm', 'classic', '--yes', words=(
            'warning: cannot list subscriptions of all namespaces', 'Subscription greet/greeter installs from it', 'deleted CatalogSource greet/mine'))


class V1(V1Case):
    def test_an_extension_of_another_name_is_found_by_its_package(self) -> None:
        printed = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '-o', 'json')
        objects = json.loads(printed.out)['items']
        objects[-1]['metadata']['name'] = 'hello'
        self.apply(*objects)
        self.wait_for('it is ready', lambda: 'ready' in self.opcat('status').out)
        self.ends(0, 'status', words=('greeter', 'its ClusterExtension is called hello'))
        self.succeeds('uninstall', 'greeter', '--yes', words=('deleted ClusterExtension hello',))

    def test_contents_that_olm_refuses(self) -> None:
        for change, words in (
                (lambda csv, more: more.append(namespace('extra')), 'unsupported resource "extra" with kind "Namespace"'),
                (lambda csv, more: csv['spec'].update(apiservicedefinitions={'owned': [
                    {'name': 'v1.g.example.com', 'group': 'g.example.com', 'version': 'v1', 'kind': 'G', 'deploymentName': 'greeter'}]}),
                 'apiServiceDefintions are not supported'),
                (lambda csv, more: csv['spec'].update(webhookdefinitions=[
                    {'type': 'ValidatingAdmissionWebhook', 'generateName': 'a.b.example.com', 'deploymentName': 'nobody',
                     'sideEffects': 'None', 'admissionReviewVersions': ['v1']}]), "references non-existent deployment 'nobody'")):
            package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
            change(next(one for one in manifests if one['kind'] == 'ClusterServiceVersion'), manifests)
            self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
            with self.subTest(words):
                result = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, status=1, words=(words,))
                self.assertNotIn('gives all rights', result.err)

    def test_the_dry_run_of_a_cluster_decides(self) -> None:
        package, _, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        bundle = self.dir / 'predicted'
        for i, manifest in enumerate(manifests):
            path = bundle / 'manifests' / f'{i}.json'
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(manifest))
        (bundle / 'metadata').mkdir()
        (bundle / 'metadata/annotations.yaml').write_text(
            f'annotations: {{operators.operatorframework.io.bundle.package.v1: {package}}}\n')
        predict = ('bundle', 'predict', bundle, '--olm', 'v1', '--kubeconfig', self.kubeconfig)
        self.ends(0, *predict, '-n', 'new', words=('would install the bundle', 'not checked: policies for namespace new, which does not exist'))
        self.started.stand_in.faults.add(Fault('PATCH .*deployments', code=403))
        self.ends(0, *predict, words=('would install the bundle', 'not checked: whether the API server accepts Deployment default/greeter'))

    def test_names_in_a_catalog_cannot_control_the_terminal(self) -> None:
        self.add_classic_catalog()
        catalog = (TESTDATA / 'catalogs/people.jsonl').read_text()
        for version in ('2', '3'):
            catalog = catalog.replace(f'"greeter.v{version}.0.0"', f'"greeter.v{version}.0.0\\u001b[2J\\u001b]0;t\\u0007"')
        self.registry.push_catalog('people', 'v1', catalog)
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        manifests.append({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'a.0.0\x1b[2J\x1b]0;t\x07'}})
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
        for command in (('install', 'greeter', *CLASSIC, *STABLE, '--dry-run'), ('install', 'greeter', *IN_GREET, *STABLE, '--dry-run', '--rbac', 'none'),
                        ('install', 'registry.example/greeter-bundle:v2.0.0', '-n', 'greet', '--olm', 'none', '--dry-run'),
                        ('search', 'greeter', '--olm', 'v1')):
            with self.subTest(command):
                result = self.opcat(*command)
                self.assertNotIn('\x1b', result.out + result.err)
                self.assertIn(r'.0.0\x1b[2J\x1b]0;t\x07', result.out + result.err)

    def test_a_refresh_says_what_was_served_and_what_is_now(self) -> None:
        references = [self.registry.push_catalog('people', 'v1', (TESTDATA / 'catalogs/people.jsonl').read_text() + more)
                      for more in ('', '{"schema": "olm.package", "name": "late"}\n')]
        self.simulation.resolved[self.image] = references[0]
        self.wait_for('the first', lambda: references[0] in str(self.one(CATALOGS, '', 'people')))
        self.ends(0, 'catalog', 'refresh', 'people', '--olm', 'v1', words=('as before',))
        self.simulation.resolved[self.image] = references[1]
        self.ends(0, 'catalog', 'refresh', 'people', '--olm', 'v1', words=tuple(one.partition('@')[2] for one in references))
        self.assertNotIn('pollIntervalMinutes', str(self.one(CATALOGS, '', 'people')))


if __name__ == '__main__':
    main()
