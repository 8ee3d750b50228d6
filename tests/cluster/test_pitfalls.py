"""The pitfalls of reading a cluster: each test is one that hasty tools make. Objects are stored unchanged."""
from __future__ import annotations

import json
from typing import Any

from cluster_case import main
from simulated_case import OLM, V1, SimulatedCase
from standin.clock import clock
from standin.faults import Fault
from standin.storage import Object

CSVS, PLANS, SUBSCRIPTIONS = (OLM, 'clusterserviceversions'), (OLM, 'installplans'), (OLM, 'subscriptions')


def condition(kind: str, status: str = 'True', reason: str = '', message: str = '', **more: Any) -> Object:
    return {'type': kind, 'status': status, 'reason': reason, 'message': message, **more}


class Pitfalls(SimulatedCase):
    """The simulation is paused here: only the test changes objects."""

    def setUp(self) -> None:
        super().setUp()
        self.simulation.stop()
        self.put('v1', 'Namespace', 'greet', cluster=True)
        self.put('v1', 'Namespace', 'other', cluster=True)
        self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'people', 'olm', spec={'sourceType': 'grpc', 'image': self.image},
                 status={'connectionState': {'lastObservedState': 'READY'}})
        self.group('og')

    def put(self, api_version: str, kind: str, name: str, namespace: str = 'greet', cluster: bool = False, **rest: Any) -> Object:
        metadata = {'name': name, **({} if cluster else {'namespace': namespace}), **rest.pop('metadata', {})}
        resource = self.store.resource_of_kind(api_version, kind)
        assert resource
        return self.store.create(resource.key, {'apiVersion': api_version, 'kind': kind, 'metadata': metadata, **rest})

    def group(self, name: str, **spec: Any) -> Object:
        return self.put(f'{OLM}/v1', 'OperatorGroup', name, spec=spec or {'targetNamespaces': ['greet']}, status={})

    def subscription(self, name: str = 'hello', package: str = 'greeter', **status: Any) -> Object:
        return self.put(f'{OLM}/v1alpha1', 'Subscription', name, spec={
            'name': package, 'source': 'people', 'sourceNamespace': 'olm', 'channel': 'stable'}, status=status)

    def csv(self, name: str = 'greeter.v1.0.0', phase: str = 'Succeeded', reason: str = 'InstallSucceeded', message: str = '',
            namespace: str = 'greet', **metadata: Any) -> Object:
        return self.put(f'{OLM}/v1alpha1', 'ClusterServiceVersion', name, namespace, metadata=metadata, spec={
            'displayName': 'x', 'version': name.partition('.v')[2], 'install': {'strategy': 'deployment', 'spec': {'deployments': []}}},
            status={'phase': phase, 'reason': reason, 'message': message})

    def plan(self, name: str, generation: int, phase: str, csvs: list[str], approved: bool = True, **status: Any) -> Object:
        return self.put(f'{OLM}/v1alpha1', 'InstallPlan', name, spec={
            'approval': 'Manual', 'approved': approved, 'generation': generation, 'clusterServiceVersionNames': csvs},
            status={'phase': phase, **status})

    def extension(self, name: str = 'greeter', bundle: str = '', *conditions: Object) -> Object:
        status: Object = {'conditions': list(conditions)}
        if bundle:
            status['install'] = {'bundle': {'name': bundle, 'version': bundle.partition('.v')[2]}}
        return self.put(f'{V1}/v1', 'ClusterExtension', name, cluster=True, status=status, spec={
            'namespace': 'greet', 'serviceAccount': {'name': 'installer'},
            'source': {'sourceType': 'Catalog', 'catalog': {'packageName': 'greeter'}}})

    def installed(self, csv: str = 'greeter.v1.0.0') -> dict[str, Any]:
        return {'state': 'AtLatestKnown', 'currentCSV': csv, 'installedCSV': csv}

    def state(self, *arguments: str) -> Object:
        found = self.opcat('status', '-o', 'json', *arguments).json()['operators']
        self.assertEqual(len(found), 1, found)
        return found[0]

    def assert_told(self, health: str, *words: str) -> None:
        state = self.state()
        self.assertEqual(state['health'], health, state)
        for word in words:
            self.assertIn(word, json.dumps(state, ensure_ascii=False).replace('\\"', '"'))

    # Three objects together decide; conditions are late and become stale

    def test_a_subscription_at_its_latest_whose_csv_is_not(self) -> None:
        self.subscription(**self.installed())
        self.csv(phase='Failed', reason='UnsupportedOperatorGroup', message='AllNamespaces InstallModeType not supported')
        self.assert_told('failing', 'AllNamespaces InstallModeType not supported')

    def test_names_cannot_control_the_terminal(self) -> None:
        """The API server checks the names of objects, but not of packages and CSVs in their fields."""
        evil = '\x1b[2J\x1b]0;t\x07'
        self.subscription(package='x' + evil, state='UpgradePending', currentCSV='x.v2', installedCSV='x.v1' + evil,
                          conditions=[condition('ResolutionFailed', reason='ConstraintsNotSatisfiable', message='m' + evil)])
        result = self.opcat('status')
        self.assertNotIn('\x1b', result.out + result.err)
        self.assertIn('greet/x\\x1b[2J\\x1b]0;t\\x07 (Subscription hello):', result.out)

    def test_a_stale_condition_is_ignored(self) -> None:
        lingering = [condition('BundleUnpacking', reason='UnpackingInProgress'), condition('InstallPlanPending', reason='Installing')]
        self.subscription(**self.installed(), conditions=lingering)
        self.csv()
        self.assert_told('ready')

    def test_fresh_objects_without_a_status_are_on_their_way(self) -> None:
        subscription = self.subscription()
        self.store.replace(SUBSCRIPTIONS, {name: part for name, part in subscription.items() if name != 'status'})
        self.assert_told('working')
        self.store.replace(SUBSCRIPTIONS, {**subscription, 'status': {'state': 'UpgradePending', 'currentCSV': 'greeter.v1.0.0'}})
        self.store.replace(CSVS, {name: part for name, part in self.csv().items() if name != 'status'})
        self.assert_told('working')

    def test_requirements_that_are_not_met_yet_are_normal(self) -> None:
        self.subscription(state='UpgradePending', currentCSV='greeter.v1.0.0')
        self.csv(phase='Pending', reason='RequirementsNotMet', message="one or more requirements couldn't be found")
        self.assert_told('working')

    def test_a_csv_that_falls_back_once_is_waited_for(self) -> None:
        self.simulation.start()

        def has_succeeded() -> bool:
            return ((self.store.get(CSVS, 'greet', 'greeter.v2.0.0') or {}).get('status') or {}).get('phase') == 'Succeeded'
        falls = []

        def fall_back() -> None:
            csv = self.store.get(CSVS, 'greet', 'greeter.v2.0.0') or {}
            csv['status'] = {'phase': 'Pending', 'reason': 'RequirementsNotMet', 'message': 'requirements no longer met'}
            falls.append(self.store.replace(CSVS, csv))
        clock.when(has_succeeded, fall_back)
        result = self.opcat('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--channel', 'stable', '--timeout', '60s')
        self.assertEqual(len(falls), 1)
        self.assertEqual(result.status, 0, result)
        csv = self.store.get(CSVS, 'greet', 'greeter.v2.0.0') or {}
        self.assertEqual(csv['status']['phase'], 'Succeeded')

    # OperatorGroups, plans, other catalogs

    def test_no_operator_group_and_several_are_reported_although_the_cluster_is_silent(self) -> None:
        self.subscription(conditions=[condition('CatalogSourcesUnhealthy', 'False', 'AllCatalogSourcesHealthy')])
        self.store.delete((OLM, 'operatorgroups'), 'greet', 'og')
        self.assert_told('failing', 'OperatorGroup')
        self.group('one')
        self.group('two')
        self.assert_told('failing', 'OperatorGroup', 'one', 'two')

    def test_a_reference_to_a_plan_may_be_stale(self) -> None:
        self.subscription(**{**self.installed(), 'state': 'UpgradePending', 'currentCSV': 'greeter.v1.1.0'},
                          installPlanRef={'name': 'install-old', 'namespace': 'greet'})
        self.csv()
        self.plan('install-old', 1, 'Complete', ['greeter.v1.0.0'])
        self.plan('install-new', 2, 'RequiresApproval', ['greeter.v1.1.0', 'other.v2.0.0'], approved=False)
        self.assert_told('waits', 'install-new', 'greeter.v1.1.0')

    def test_approving_a_plan_names_all_that_it_moves(self) -> None:
        self.subscription(**{**self.installed(), 'state': 'UpgradePending', 'currentCSV': 'greeter.v1.1.0'},
                          installPlanRef={'name': 'install-new', 'namespace': 'greet'})
        self.csv()
        self.plan('install-new', 2, 'RequiresApproval', ['greeter.v1.1.0', 'other.v2.0.0'], approved=False)
        result = self.opcat('approve', 'greeter', '-n', 'greet', '--dry-run')
        self.assertIn('greeter.v1.1.0', result.out + result.err)
        self.assertIn('other.v2.0.0', result.out + result.err)
        self.assertFalse((self.store.get(PLANS, 'greet', 'install-new') or {})['spec']['approved'])

    def test_another_catalog_that_is_broken_holds_up_all(self) -> None:
        self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'broken', 'olm', spec={'sourceType': 'grpc', 'image': 'registry.example/x:v1'},
                 status={'connectionState': {'lastObservedState': 'TRANSIENT_FAILURE'}})
        message = 'error using catalogsource olm/broken: failed to list bundles: rpc error: code = Unavailable'
        self.subscription(conditions=[condition('ResolutionFailed', 'True', 'ErrorPreventedResolution', message)])
        self.assert_told('failing', message)
        self.assertIn('olm/broken is not ready', self.opcat('status').out)

    # Names, copies

    def test_names_of_subscription_package_and_csv_differ(self) -> None:
        self.subscription('some-name', 'greeter', **self.installed('hello-operator.v0.1.0'))
        self.csv('hello-operator.v0.1.0')
        state = self.state('greeter')
        self.assertEqual((state['package'], state['name'], state['installed']), ('greeter', 'some-name', 'hello-operator.v0.1.0'))

    def test_copies_of_csvs_are_not_operators(self) -> None:
        self.subscription(**self.installed())
        self.csv()
        self.csv(namespace='other', labels={'olm.copiedFrom': 'greet'})
        self.put(f'{OLM}/v1alpha1', 'ClusterServiceVersion', 'greeter.v1.0.0', 'default', spec={
            'displayName': 'x', 'install': {}}, status={'phase': 'Succeeded', 'reason': 'Copied'})
        self.assert_told('ready')

    def test_two_catalogs_with_the_package(self) -> None:
        self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'more-people', 'olm', spec={'sourceType': 'grpc', 'image': self.image},
                 status={'connectionState': {'lastObservedState': 'READY'}})
        self.changes_nothing('install', 'greeter', '-n', 'greet', '--olm', 'classic', status=2,
                             words=('olm/more-people', 'olm/people', '--catalog'))

    # OLM v1

    def test_retrying_is_a_failure_although_the_status_is_true(self) -> None:
        self.extension('greeter', '', condition('Installed', 'False', 'Failed', 'No bundle installed'),
                       condition('Progressing', 'True', 'Retrying', 'no bundles found for package "greeter"', observedGeneration=1))
        self.assert_told('failing', 'no bundles found for package "greeter"')

    def test_installed_and_retrying_is_the_old_version_running(self) -> None:
        self.extension('greeter', 'greeter.v1.0.0', condition('Installed', 'True', 'Succeeded', 'Installed bundle x successfully'),
                       condition('Progressing', 'True', 'Retrying', 'no bundles found matching version "9"', observedGeneration=1))
        self.assert_told('failing', 'greeter.v1.0.0', 'no bundles found matching version "9"')

    def test_installed_does_not_mean_that_the_pods_run(self) -> None:
        self.extension('greeter', 'greeter.v1.0.0', condition('Installed', 'True', 'Succeeded', 'Installed', observedGeneration=1),
                       condition('Progressing', 'True', 'Succeeded', 'Desired state reached', observedGeneration=1))
        self.put('apps/v1', 'Deployment', 'greeter-controller', spec={'replicas': 1}, metadata={'labels': {
            f'{V1}/owner-name': 'greeter', f'{V1}/owner-kind': 'ClusterExtension'}}, status={'replicas': 1, 'conditions': [
                condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.')]})
        state = self.state()
        self.assertNotEqual(state['health'], 'ready', state)
        self.assertIn('greeter-controller', json.dumps(state))

    def test_an_old_success_does_not_count_for_the_new_request(self) -> None:
        extension = self.extension('greeter', 'greeter.v1.0.0', condition('Installed', 'True', 'Succeeded', 'x', observedGeneration=1),
                                   condition('Progressing', 'True', 'Succeeded', 'Desired state reached', observedGeneration=1))
        extension['spec']['source']['catalog']['version'] = '1.1.0'
        self.store.replace((V1, 'clusterextensions'), extension)
        self.assert_told('working')

    def test_deprecation_unknown_is_not_deprecated(self) -> None:
        unknown = condition('Deprecated', 'Unknown', 'DeprecationStatusUnknown', 'deprecation status unknown: catalog data unavailable')
        self.extension('greeter', 'greeter.v1.0.0', unknown, {**unknown, 'type': 'PackageDeprecated'},
                       condition('Installed', 'True', 'Succeeded', 'x', observedGeneration=1),
                       condition('Progressing', 'True', 'Succeeded', 'x', observedGeneration=1))
        self.assertEqual(self.state()['deprecations'], [])

    # What status shows

    def test_status_of_one_package(self) -> None:
        self.subscription(**self.installed())
        self.csv()
        for name in ('greeter', 'hello'):
            self.assertRegex(self.ends(0, 'status', name).out, r'(?m)^greeter +greet +classic +1\.0\.0 +stable +olm/people +ready$')
        result = self.ends(1, 'status', 'greter')
        self.assertEqual((result.out, result.err), ('', 'error: greter is not installed\n  help: did you mean greeter?\n'))
        self.assertEqual(self.ends(1, 'status', 'nobody', '-n', 'greet').err, 'error: nobody is not installed in namespace greet\n')
        self.assertEqual(self.ends(1, 'status', 'nobody', '-o', 'json').json()['operators'], [])

    def test_status_as_yaml(self) -> None:
        self.subscription(**self.installed())
        self.csv()
        printed = self.ends(0, 'status', '-o', 'yaml').out
        for line in ('schema: opcat.status.v1', '  health: ready', '  installed: greeter.v1.0.0'):
            self.assertIn(line, printed.splitlines())

    def test_status_as_metrics(self) -> None:
        self.subscription(**self.installed())
        self.csv()
        lines = self.ends(0, 'status', '-o', 'prometheus').out.splitlines()
        for name, value in (('catalog_source_count', 1), ('csv_count', 1), ('subscription_count', 1), ('install_plan_count', 0)):
            self.assertIn(f'{name} {value}', lines)
        [succeeded] = [line for line in lines if line.startswith('csv_succeeded{')]
        self.assertIn('name="greeter.v1.0.0"', succeeded)
        self.assertTrue(succeeded.endswith('} 1'), succeeded)
        for arguments, words in ((('greeter',), 'the metrics of all operators, not of one package'), (('--olm', 'v1'), 'not those of --olm v1')):
            self.ends(2, 'status', '-o', 'prometheus', *arguments, words=(words,))

    def test_status_says_what_may_not_be_read(self) -> None:
        """Missing figures and operators are not zero."""
        self.subscription(**self.installed())
        self.csv()
        all_kinds = ('subscriptions', 'installplans', 'clusterserviceversions', 'operatorgroups', 'catalogsources', 'operatorconditions', 'packagemanifests',
                     'clusterextensions', 'clustercatalogs', 'deployments', 'pods', 'validatingwebhookconfigurations', 'mutatingwebhookconfigurations')

        def forbid(kind: str) -> None:
            self.let_alice({'apiGroups': ['*'], 'verbs': ['get', 'list'], 'resources': [one for one in all_kinds if one != kind]})

        metrics = ('status', '-o', 'prometheus', '--context', 'alice')
        show = ('status', '--context', 'alice')
        forbid('')
        self.assertEqual(self.ends(0, *metrics).err, '')
        forbid('subscriptions')
        result = self.ends(3, *metrics, words=('warning: ', 'subscriptions'))
        self.assertNotIn('count', result.out)
        self.ends(0, *show, words=('warning: ', 'subscriptions', 'no operators are among those that could be read'))
        self.ends(3, *show, 'greeter', words=('whether greeter is installed is not known', 'warning: ', 'subscriptions'))
        forbid('catalogsources')
        result = self.ends(3, *metrics, words=('warning: ', 'catalogsources'))
        self.assertIn('\ncsv_count 1\n', result.out)
        self.assertNotIn('catalog_source_count', result.out)
        forbid('clusterextensions')
        self.assertIn('\ncatalog_source_count 1\n', self.ends(0, *metrics).out)
        self.ends(0, *show, 'greeter', words=('warning: ', 'clusterextensions'))
        self.ends(3, *show, 'bar', '-n', 'greet', words=('whether bar is installed in namespace greet is not known', 'warning: ', 'clusterextensions'))
        self.ends(3, *show, 'bar', '-o', 'json', words=('whether bar is installed is not known',))

    def test_status_of_what_is_on_its_way_shows_the_stage(self) -> None:
        self.subscription(state='UpgradePending', currentCSV='greeter.v1.0.0')
        self.csv(phase='Installing', reason='InstallWaiting', message='waiting for deployment greeter-controller')
        stage = self.state()['stage']
        self.assertIn('Installing', stage)
        self.assertTrue(self.ends(0, 'status').out.splitlines()[1].endswith('  ' + stage))

    def test_status_names_the_operators_that_an_unavailable_catalog_blocks(self) -> None:
        self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'own', spec={'sourceType': 'grpc', 'image': 'registry.example/x:v1'},
                 status={'connectionState': {'lastObservedState': 'TRANSIENT_FAILURE', 'address': 'own.greet.svc:50051'}})
        for package in ('greeter', 'guest'):
            self.subscription(package, package, **self.installed(f'{package}.v1.0.0'))
            self.csv(f'{package}.v1.0.0')
        printed = self.ends(1, 'status').out
        self.assertIn('\ncatalog greet/own is not ready (TRANSIENT_FAILURE): its registry does not answer at own.greet.svc:50051\n'
                      '  holds up greet/greeter, greet/guest\n', printed)
        self.assertNotIn('in any namespace', printed)
        self.ends(0, 'catalog', 'list', words=('greet/own: its registry does not answer at own.greet.svc:50051',))

    # The API

    def test_a_missing_right_for_one_kind_of_many(self) -> None:
        """kubectl then prints the objects of the other kinds, and fails: its output is incomplete."""
        self.put('rbac.authorization.k8s.io/v1', 'ClusterRole', 'some', cluster=True, rules=[
            {'apiGroups': [OLM], 'resources': ['subscriptions', 'catalogsources'], 'verbs': ['get', 'list']}])
        self.put('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'some', cluster=True, subjects=[{'kind': 'User', 'name': 'alice'}],
                 roleRef={'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole', 'name': 'some'})
        self.subscription(**self.installed())
        result = self.opcat('status', '--context', 'alice')
        self.assertEqual(result.status, 3, result)
        self.assertIn('alice may not list', result.err)

    def test_the_package_server_comes_and_goes(self) -> None:
        self.started.stand_in.faults.add(Fault('packagemanifests', code=503, times=1))
        self.ends(0, 'install', 'greeter', '-n', 'greet', '--olm', 'classic', '--dry-run')

    def test_a_warning_of_the_server_is_not_a_failure(self) -> None:
        self.subscription(**self.installed())
        self.csv()
        self.started.stand_in.faults.add(Fault('subscriptions', warning='operators.coreos.com/v1alpha1 Subscription is deprecated'))
        self.assert_told('ready')

    def test_subscription_and_csv_go_whatever_they_are_called(self) -> None:
        self.subscription('some-name', 'greeter', **self.installed('hello-operator.v0.1.0'))
        self.csv('hello-operator.v0.1.0')
        result = self.opcat('uninstall', 'greeter', '-n', 'greet', '--olm', 'classic', '--yes')
        self.assertEqual(result.status, 0, result)
        self.assertEqual(self.store.list(CSVS, 'greet') + self.store.list(SUBSCRIPTIONS, 'greet'), [])

    def test_copies_are_not_even_asked_for(self) -> None:
        """An operator for all namespaces has a copy in each: a thousand namespaces have a thousand CSVs of some hundred KiB."""
        self.forget_requests()
        self.opcat('status')
        asked = [request for request in self.started.stand_in.requests if '/clusterserviceversions' in request]
        self.assertTrue(asked)
        for request in asked:
            self.assertIn('labelSelector=%21olm.copiedFrom', request)

    def test_a_package_server_of_which_kubectl_knows_nothing(self) -> None:
        """While it does not answer, the API server does not list its resources."""
        stand_in = self.started.stand_in
        stand_in.store.hidden.add('packages.operators.coreos.com')
        stand_in.faults.add(Fault(r'/apis/packages\.operators\.coreos\.com', code=503))
        for command in (('search', 'greet', '--olm', 'classic'), ('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--dry-run')):
            with self.subTest(command):
                self.assertIn('unable to handle the request', self.opcat(*command).err)

    def test_quoted_words_that_yaml_would_take_for_booleans(self) -> None:
        self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'yes', 'olm', spec={'sourceType': 'grpc', 'image': self.image},
                 status={'connectionState': {'lastObservedState': 'READY'}})
        printed = self.opcat('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--catalog', 'olm/yes', '--channel', 'stable',
                             '-o', 'yaml')
        self.assertEqual(printed.status, 0, printed)
        applied = self.kubectl('apply', '-f', '-', stdin=printed.out)
        self.assertEqual(applied.status, 0, applied)
        self.assertEqual(self.store.list(SUBSCRIPTIONS, 'greet')[0]['spec']['source'], 'yes')


if __name__ == '__main__':
    main()
