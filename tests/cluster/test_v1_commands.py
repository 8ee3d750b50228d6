"""The cluster commands with OLM v1, as a user runs them. The stand-in's OLM installs with the rights of the extension's account."""
from __future__ import annotations

import json

from cluster_case import TESTDATA, main
from simulated_case import RBAC, V1, SimulatedCase
from standin import rbac
from standin.faults import Fault
from standin.storage import Object

EXTENSIONS, CATALOGS = (V1, 'clusterextensions'), (V1, 'clustercatalogs')
IN_GREET = ('-n', 'greet', '--olm', 'v1')
STABLE = ('--channel', 'stable')


class V1Case(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.apply({'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'people'},
                    'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}}})
        self.wait_for('the catalog', lambda: 'Serving' in str(self.one(CATALOGS, '', 'people')))

    def extension(self) -> Object:
        return self.one(EXTENSIONS, '', 'greeter') or {}

    def installed(self) -> str:
        return ((self.extension().get('status') or {}).get('install') or {}).get('bundle', {}).get('name', '')

    def of_extension(self) -> set[str]:
        """The objects that OLM created from the bundle."""
        return {f'{thing["kind"]} {thing["metadata"]["name"]}' for _, thing in self.store.everything()
                if (thing['metadata'].get('labels') or {}).get(f'{V1}/owner-name') == 'greeter'}

    def may(self, verb: str, group: str, resource: str, namespace: str = '', name: str = '') -> bool:
        user = rbac.service_account('greet', 'greeter-installer')
        return rbac.allowed(self.store, user, rbac.Request(verb, group, resource, namespace, name))

    def install(self, *more: str) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, *more)


class Rights(V1Case):
    def test_derived_rights_suffice_and_are_minimal(self) -> None:
        self.install('--version', '1.0.0')
        self.assertEqual(self.installed(), 'greeter.v1.0.0')
        self.assertIn('ConfigMap greeter-1-0-0', self.of_extension())
        self.assertEqual(self.extension()['spec']['source']['catalog']['selector']['matchLabels'],
                         {f'{V1}/metadata.name': 'people'})
        for verb, group, resource, namespace, name in (
                ('escalate', RBAC, 'clusterroles', '', ''), ('bind', RBAC, 'clusterroles', '', ''), ('get', '', 'secrets', 'greet', ''),
                ('get', '', 'configmaps', 'greet', 'another'), ('delete', 'apps', 'deployments', 'greet', 'another'),
                ('create', 'apps', 'deployments', 'default', ''), ('get', '', 'secrets', 'kube-system', '')):
            # The operator itself may get configmaps in all namespaces, so its installer must have that right.
            expected = (verb, resource) == ('get', 'configmaps')
            self.assertEqual(self.may(verb, group, resource, namespace, name), expected, (verb, resource, namespace, name))
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', words=('nothing was changed',))
        # The next version needs another right, and has a ConfigMap of another name.
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0')
        self.assertEqual(self.installed(), 'greeter.v1.1.0')
        self.assertIn('ConfigMap greeter-1-1-0', self.of_extension())
        self.assertNotIn('ConfigMap greeter-1-0-0', self.of_extension())
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', words=('nothing was changed',))
        self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes')
        self.wait_for('the end of its objects', lambda: not self.of_extension())
        self.assertEqual([name for kind in ('clusterroles', 'clusterrolebindings', 'roles', 'rolebindings')
                          for name in self.names((RBAC, kind))], ['cluster-admin'])
        self.assertEqual(self.names(('', 'serviceaccounts'), 'greet'), ['default'])
        self.changes_nothing('uninstall', 'greeter', *IN_GREET, '--yes', words=('nothing was changed',))

    def test_all_rights(self) -> None:
        self.install('--rbac', 'cluster-admin')
        self.assertEqual(self.installed(), 'greeter.v2.0.0')
        binding = self.one((RBAC, 'clusterrolebindings'), '', 'greeter-installer') or {}
        self.assertEqual(binding['roleRef']['name'], 'cluster-admin')
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--rbac', 'cluster-admin')

    def test_no_rights_are_found_lacking_in_olms_words(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}},
                   {'apiVersion': 'v1', 'kind': 'ServiceAccount', 'metadata': {'name': 'mine', 'namespace': 'greet'}})
        self.ends(1, 'install', 'greeter', *IN_GREET, '--rbac', 'none', '--service-account', 'mine', '--timeout', '30s', '--force',
                  words=('serviceaccounts "greeter" is forbidden: User "system:serviceaccount:greet:mine" cannot get',))
        self.assertEqual(self.names((RBAC, 'clusterroles')), ['cluster-admin'])
        # Added rights are used at once, without OLM's growing pauses.
        self.forget_requests()
        self.succeeds('install', 'greeter', *IN_GREET, '--service-account', 'mine')
        self.assertTrue([write for write in self.writes() if 'clusterextensions/greeter' in write and 'opcat' in write])
        self.assertEqual(self.installed(), 'greeter.v3.0.0')

    def test_nobody_can_grant_a_right_that_they_lack(self) -> None:
        """The user's own rights: everything that opcat creates, but not the rights in the bundle's roles."""
        verbs = ['get', 'list', 'create', 'patch', 'delete']
        self.let_alice({'apiGroups': ['', RBAC, V1], 'verbs': verbs, 'resources': [
            'namespaces', 'serviceaccounts', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings', 'clusterextensions',
            'clustercatalogs']}, {'apiGroups': ['apiextensions.k8s.io'], 'resources': ['customresourcedefinitions'], 'verbs': ['get']})
        result = self.ends(3, 'install', 'greeter', *IN_GREET, '--context', 'alice', '--cleanup-on-failure',
                           words=('attempting to grant RBAC permissions not currently held',))
        self.assertTrue(result.err.count('\n') < 40, result)
        self.wait_for('the extension is gone, after its finalizers', lambda: not self.extension())

    def test_an_upgrade_that_finds_its_rights_elsewhere_leaves_them_alone(self) -> None:
        self.install('--rbac', 'cluster-admin', '--version', '1.0.0')
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', '--self-certified')
        self.assertEqual(self.installed(), 'greeter.v2.0.0')
        self.assertEqual(self.names((RBAC, 'roles'), 'greet'), [])


class RightsForReleases(V1Case):
    """The rights that OLM v1 needs depend on its release; since 1.11 it needs none."""

    def ignore_accounts(self) -> None:
        self.simulation.uses_accounts = False
        crd = self.one(('apiextensions.k8s.io', 'customresourcedefinitions'), '', f'clusterextensions.{V1}') or {}
        for version in crd['spec']['versions']:
            version['schema']['openAPIV3Schema']['properties']['spec']['required'].remove('serviceAccount')
        self.store.replace(('apiextensions.k8s.io', 'customresourcedefinitions'), crd)

    def rules(self) -> str:
        return json.dumps([self.one((RBAC, kind), namespace, 'greeter-installer')
                           for kind, namespace in (('clusterroles', ''), ('roles', 'greet'))])

    def test_older_releases_need_more_and_keep_it_in_upgrades(self) -> None:
        self.install('--version', '1.0.0')
        self.assertNotIn('update', self.rules())
        self.assertNotIn('finalizers', self.rules())
        self.install('--version', '1.0.0', '--rbac-for', 'v1.5')
        for words in ('"update"', 'clusterextensions/finalizers', '"opcat/rights-for": "1.5"'):
            self.assertIn(words, self.rules())
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0')
        self.assertIn('"update"', self.rules())
        self.assertEqual(self.installed(), 'greeter.v1.1.0')

    def test_releases_that_are_not_known_and_other_rights(self) -> None:
        for release in ('1.99', '2.0', 'latest'):
            self.changes_nothing('install', 'greeter', *IN_GREET, '--rbac-for', release, status=2,
                                 words=(f'OLM v1 has no release {release} that opcat knows', '1.0 to 1.11 are known'))
        self.changes_nothing('install', 'greeter', *IN_GREET, '--rbac', 'none', '--rbac-for', '1.5', status=2, words=('leave out --rbac',))

    def test_no_account_where_none_is_used(self) -> None:
        self.ignore_accounts()
        printed = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '-o', 'yaml')
        self.ends(0, 'resolve', 'v1', '-f', '-', '--from-cluster', stdin=printed.out, words=('greeter.v1.0.0',))
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', words=('installs with rights of its own',))
        self.changes_nothing('install', 'greeter', '--olm', 'v1', *STABLE, '-n', 'other', status=1,
                             words=('ClusterExtension greeter is in namespace greet, which cannot be changed',))
        self.assertEqual(self.installed(), 'greeter.v1.0.0')
        self.assertNotIn('serviceAccount', self.extension()['spec'])
        self.assertEqual(self.names((RBAC, 'clusterroles')), ['cluster-admin'] + [name for name in self.names((RBAC, 'clusterroles'))
                                                                                  if name.startswith('greeter.v1.0.0')])
        self.assertEqual(self.names(('', 'serviceaccounts'), 'greet'), ['default', 'greeter'])
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--rbac', 'cluster-admin',
                             words=('nothing was changed',))
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0')
        self.assertNotIn('ServiceAccount', self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes').err)

    def test_what_was_derived_before_olm_was_upgraded_does_no_harm(self) -> None:
        self.install('--version', '1.0.0')
        before = self.rules()
        self.ignore_accounts()
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', words=('it ignores ServiceAccount',))
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0')
        self.assertEqual(self.rules(), before)
        self.assertEqual(self.installed(), 'greeter.v1.1.0')
        self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes')
        self.assertEqual(self.names((RBAC, 'roles'), 'greet'), [])

    def test_rights_for_another_cluster_can_be_printed(self) -> None:
        self.ignore_accounts()
        printed = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--rbac-for', '1.8', '-o', 'json')
        self.assertIn('greeter-installer', [thing['metadata']['name'] for thing in json.loads(printed.out)['items']])


class Install(V1Case):
    def test_the_output_applied_is_the_same_as_installing(self) -> None:
        printed = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '-o', 'yaml')
        applied = self.kubectl('apply', '-f', '-', stdin=printed.out)
        self.assertEqual(applied.status, 0, applied)
        self.wait_for('the operator', lambda: self.installed() == 'greeter.v2.0.0')
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, words=('nothing was changed',))

    def test_dry_run_names_what_would_be_made(self) -> None:
        result = self.changes_nothing('install', 'greeter', *IN_GREET, '--dry-run')
        for words in ('ServiceAccount greet/greeter-installer would be created', 'ClusterExtension greeter would be created'):
            self.assertIn(words, result.out)

    def test_self_certified_stays_so_until_an_upgrade_takes_it_back(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--self-certified',
                      words=('ClusterExtension greeter stays SelfCertified: OLM goes to any version that it is asked for',))
        self.assertEqual(self.extension()['spec']['source']['catalog']['upgradeConstraintPolicy'], 'SelfCertified')

    def test_a_catalog_of_this_olm_has_no_namespace(self) -> None:
        self.changes_nothing('install', 'greeter', *IN_GREET, '--catalog', 'olm/people', status=2,
                             words=('a ClusterCatalog has no namespace', '--catalog takes only its name'))

    def test_an_upgrade_of_what_is_not_installed(self) -> None:
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, status=2,
                             words=('greeter is not installed with OLM v1', 'opcat status lists what is installed'))

    def test_a_catalog_that_can_be_read_neither_here_nor_in_the_cluster(self) -> None:
        """The bundle is then not known, and neither are the rights that it needs."""
        self.started.stand_in.faults.add(Fault('proxy/catalogs/people', code=503))
        empty = self.dir / 'empty.conf'
        empty.write_text('')
        unread = 'catalog people cannot be read from here: '
        for status, command, words in ((2, ('install', 'greeter', *IN_GREET), ('cannot predict what OLM will do', '--rbac cluster-admin gives all rights')),
                                       (1, ('search', '--olm', 'v1'), ("the cluster's catalogs have no packages",)),
                                       (1, ('resolve', 'v1', 'greeter', '--from-cluster'), ())):
            with self.subTest(command):
                self.ends(status, *command, words=(unread, 'nor from the cluster: ', *words), env={'CONTAINERS_REGISTRIES_CONF': str(empty)})
        self.assertEqual(self.names(EXTENSIONS), [])

    def test_an_account_that_is_not_there(self) -> None:
        self.changes_nothing('install', 'greeter', *IN_GREET, '--rbac', 'none', status=1,
                             words=('namespace greet has no ServiceAccount greeter-installer', '--service-account'))

    def test_neither_the_namespace_nor_the_account_can_change(self) -> None:
        self.install('--version', '1.0.0')
        for more in (('-n', 'other'), ('-n', 'greet', '--service-account', 'another')):
            with self.subTest(more):
                self.changes_nothing('install', 'greeter', '--olm', 'v1', *STABLE, '--version', '1.0.0', *more, status=1,
                                     words=('in namespace greet with ServiceAccount greeter-installer', 'opcat uninstall greeter'))

    def test_an_extension_of_another_name_is_not_doubled(self) -> None:
        printed = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '-o', 'json')
        objects = json.loads(printed.out)['items']
        objects[-1]['metadata']['name'] = 'hello'
        self.apply(*objects)
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--service-account', 'greeter-installer',
                             '--rbac', 'none', words=('nothing was changed',))

    def test_an_extension_of_this_name_for_another_package(self) -> None:
        self.apply({'apiVersion': f'{V1}/v1', 'kind': 'ClusterExtension', 'metadata': {'name': 'greeter'}, 'spec': {
            'namespace': 'other', 'serviceAccount': {'name': 'other'},
            'source': {'sourceType': 'Catalog', 'catalog': {'packageName': 'other'}}}})
        self.changes_nothing('install', 'greeter', *IN_GREET, status=3,
                             words=('the ClusterExtension of this name installs other', 'opcat uninstall greeter'))

    def test_a_namespace_that_is_being_deleted(self) -> None:
        self.begin_to_delete_namespace('greet')
        self.changes_nothing('install', 'greeter', *IN_GREET, status=3, words=('greet', 'being deleted'))

    def test_a_bundle_with_a_dependency(self) -> None:
        """OLM classic resolves it; OLM v1 always refuses it."""
        self.changes_nothing('install', 'guest', *IN_GREET, status=1, words=(
            'has a dependency declared via property "olm.gvk.required" which is currently not supported',))

    def test_a_definition_that_somebody_else_brought(self) -> None:
        for labels, words in (({'olm.managed': 'true'}, 'of an operator of OLM classic'), ({'opcat/set': 'greeter'}, 'without OLM'),
                              ({f'{V1}/owner-name': 'other'}, 'of ClusterExtension other'), ({}, 'of an owner that OLM v1 does not know')):
            with self.subTest(words):
                self.succeeds_to_put_definition(labels)
                self.changes_nothing('install', 'greeter', *IN_GREET, status=1,
                                     words=('already exists and cannot be managed by operator-controller', words))

    def succeeds_to_put_definition(self, labels: dict[str, str]) -> None:
        self.kubectl('delete', 'crd', 'greetings.greeter.example.com', '--ignore-not-found')
        self.apply({'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                    'metadata': {'name': 'greetings.greeter.example.com', 'labels': labels},
                    'spec': {'group': 'greeter.example.com', 'scope': 'Namespaced', 'names': {'kind': 'Greeting', 'plural': 'greetings'},
                             'versions': [{'name': 'v1', 'served': True, 'storage': True,
                                           'schema': {'openAPIV3Schema': {'type': 'object'}}}]}})

    def test_a_new_version_whose_definition_loses_a_field(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, '--version', '2.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '3.0.0', status=1,
                             words=('existingFieldRemoval', 'v1.^.spec.volume', 'crdUpgradeSafety.enforcement'))

    def test_a_version_that_is_not_there(self) -> None:
        self.changes_nothing('install', 'greeter', *IN_GREET, '--version', '9.0.0', status=1, words=('9.0.0', 'nothing was changed'))


class Crashing(V1Case):
    def test_what_crashes_stays_failing_although_olm_says_that_it_is_installed(self) -> None:
        self.ends(1, 'install', 'crasher', *IN_GREET, '--rbac', 'cluster-admin', '--timeout', '60s', words=('pod crasher-controller-x4z2c',))
        for _ in range(20):
            state = self.ends(1, 'status', 'crasher', '-o', 'json').json()['operators'][0]
            self.assertEqual((state['health'], state['reason']), ('failing', 'pods-failing'), state)


class SeveralSteps(V1Case):
    """Without a version OLM goes from each bundle to its best successor by itself."""

    def test_all_of_them_are_predicted_allowed_and_waited_for(self) -> None:
        self.install('--version', '1.0.0')
        result = self.succeeds('upgrade', 'greeter', *IN_GREET, *STABLE)
        for words in ('upgrade from greeter.v1.0.0 to greeter.v1.1.0', 'upgrade from greeter.v1.1.0 to greeter.v2.0.0'):
            self.assertIn(words, result.err)
        self.assertEqual(self.installed(), 'greeter.v2.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, *STABLE, words=('OLM will stay at greeter.v2.0.0',))

    def test_a_dry_run_shows_the_rights_that_the_new_version_needs(self) -> None:
        self.install('--version', '1.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--dry-run', words=(
            '# ClusterRole greeter-installer would be changed', 'ClusterExtension greeter would be changed by'))

    def test_a_newer_catalog_that_the_cluster_has_not_read(self) -> None:
        text = (TESTDATA / 'catalogs/people.jsonl').read_text()
        self.simulation.resolved[self.image] = self.registry.push_catalog('people', 'v1', text)
        self.wait_for('the digest', lambda: '@sha256:' in str((self.one(CATALOGS, '', 'people') or {}).get('status')))
        self.install()
        self.registry.push_catalog('people', 'v1', text + '{"schema": "olm.package", "name": "late"}\n')
        for more in ((), ('--dry-run',)):
            self.changes_nothing('upgrade', 'greeter', *IN_GREET, *STABLE, *more, status=1, words=(
                'greeter.v2.0.0 stays at its version: the image of catalog people is newer', 'opcat catalog refresh people makes the cluster read it'))

    def test_a_later_one_that_loses_data(self) -> None:
        self.install('--version', '1.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--channel', 'stable', '--channel', 'beta', status=1,
                             words=('at the step to greeter.v3.0.0: validating upgrade', 'existingFieldRemoval'))


class BothOlms(V1Case):
    """Without --olm, the installed package decides which OLM is used, or else the content of the catalogs."""

    def test_installing_is_open_until_it_is_installed(self) -> None:
        self.add_classic_catalog()
        self.changes_nothing('install', 'greeter', '-n', 'greet', status=2,
                             words=('both OLM classic and OLM v1', 'olm/people has greeter', 'opcat search greeter --olm v1'))
        self.changes_nothing('upgrade', 'greeter', '-n', 'greet', status=2, words=('neither', 'opcat status'))
        self.install('--version', '1.0.0')
        self.changes_nothing('install', 'greeter', '-n', 'greet', *STABLE, '--version', '1.0.0')
        self.succeeds('upgrade', 'greeter', '-n', 'greet', '--to', '1.1.0')
        self.assertEqual(self.installed(), 'greeter.v1.1.0')
        self.succeeds('uninstall', 'greeter', '-n', 'greet', '--yes')

    def test_one_that_classic_has_installed(self) -> None:
        self.add_classic_catalog()
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'classic', *STABLE)
        self.changes_nothing('install', 'greeter', '-n', 'greet', *STABLE)
        self.changes_nothing('upgrade', 'greeter', '-n', 'greet', '--to', '2.0.0')

    def test_one_that_both_have_installed(self) -> None:
        self.add_classic_catalog()
        self.install('--version', '1.0.0')
        self.simulation.stop()
        self.apply({'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': 'greeter', 'namespace': 'greet'},
                    'spec': {'name': 'greeter', 'source': 'people', 'sourceNamespace': 'olm'}})
        self.changes_nothing('upgrade', 'greeter', '-n', 'greet', status=2, words=(
            'greeter is installed by both OLM classic and OLM v1', '--olm classic or --olm v1'))
        self.changes_nothing('uninstall', 'greeter', '-n', 'greet', '--yes', status=2, words=(
            'greeter is installed more than once', 'say which one goes: --olm classic, v1 or none'))


class Uninstall(V1Case):
    def test_deleting_user_data_needs_a_confirmation(self) -> None:
        self.install()
        self.apply({'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': 'hello', 'namespace': 'greet'}})
        self.changes_nothing('uninstall', 'greeter', *IN_GREET, '--yes', status=2,
                             words=('Greeting greet/hello', '1 custom resource is lost', '--delete-operands'))
        self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes', '--delete-operands')
        self.wait_for('the end of its objects', lambda: not self.of_extension())
        self.assertIsNotNone(self.one(('', 'namespaces'), '', 'greet'))


if __name__ == '__main__':
    main()
