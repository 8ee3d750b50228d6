"""kubectl reacts to the stand-in's answers as to those of a real API server."""
from __future__ import annotations

import json
import re
import subprocess
import threading

from cluster_case import HANGS, KUBECTL, TESTDATA, ClusterCase, Result, kubectl_version, main
from standin.faults import Fault

SUBSCRIPTIONS = 'subscriptions.operators.coreos.com'


def subscription(name: str = 'greeter', **spec: str) -> dict:
    return {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': name, 'namespace': 'default'},
            'spec': {'name': 'greeter', 'source': 'people', 'sourceNamespace': 'olm', **spec}}


def config_map(name: str, finalizers: tuple[str, ...] = (), **data: str) -> dict:
    return {'apiVersion': 'v1', 'kind': 'ConfigMap', 'data': data,
            'metadata': {'name': name, 'namespace': 'default', **({'finalizers': list(finalizers)} if finalizers else {})}}


class Kubectl(ClusterCase):
    relayed = False

    def setUp(self) -> None:
        super().setUp()
        self.started = self.session(crds=TESTDATA / 'crds')

    def server_side(self, thing: dict, manager: str, *more: str) -> Result:
        return self.kubectl('apply', '--server-side', f'--field-manager={manager}', *more, '-f', '-', stdin=json.dumps(thing))

    def assert_refused(self, result: Result, *words: str) -> None:
        """Several texts: those of different versions of kubectl."""
        self.assertEqual(result.status, 1, result)
        self.assertTrue(any(word in result.err for word in words), result)

    # Writing

    def test_applying_twice_changes_nothing(self) -> None:
        for word in ('created', 'unchanged'):
            applied = self.kubectl('apply', '-f', '-', stdin=json.dumps(subscription()))
            self.assertEqual(applied.out, f'subscription.operators.coreos.com/greeter {word}\n')

    def test_patches(self) -> None:
        self.apply(subscription(channel='stable'))
        patch = ('-n', 'default', 'patch', SUBSCRIPTIONS, 'greeter', '-p')
        self.assertEqual(self.kubectl(*patch, '{"spec":{"channel":"beta"}}', '--type', 'merge').status, 0)
        self.assert_refused(self.kubectl(*patch, '{"spec":{"channel":"beta"}}'),
                            'application/strategic-merge-patch+json is not supported by', '(UnsupportedMediaType)')
        self.assert_refused(self.kubectl(*patch, '[{"op":"test","path":"/spec/channel","value":"x"}]', '--type', 'json'),
                            'the server rejected our request due to an error in our request')
        self.assertEqual(self.get(SUBSCRIPTIONS, 'greeter')['spec']['channel'], 'beta')

    def test_what_the_schema_refuses(self) -> None:
        nothing = {**subscription(), 'spec': {}}
        result = self.kubectl('create', '-f', '-', stdin=json.dumps(nothing))
        self.assert_refused(result, 'The Subscription "greeter" is invalid: ')
        for field in ('name', 'source', 'sourceNamespace'):
            self.assertIn(f'* spec.{field}: Required value', result.err)
        if kubectl_version() >= (1, 27):  # older ones do not ask for strict validation
            self.assert_refused(self.kubectl('create', '-f', '-', stdin=json.dumps(subscription(chanel='x'))),
                                'Error from server (BadRequest): error when creating "STDIN": Subscription in version "v1alpha1" '
                                'cannot be handled as a Subscription: strict decoding error: unknown field "spec.chanel"')

    def test_values_of_another_type_cannot_be_applied(self) -> None:
        wrong = subscription()
        wrong['spec']['source'] = True
        self.assert_refused(self.server_side(wrong, 'opcat'), '.spec.source: expected string')

    def test_a_value_that_never_changes(self) -> None:
        extension = {'apiVersion': 'olm.operatorframework.io/v1', 'kind': 'ClusterExtension', 'metadata': {'name': 'greeter'},
                     'spec': {'namespace': 'one', 'serviceAccount': {'name': 'installer'},
                              'source': {'sourceType': 'Catalog', 'catalog': {'packageName': 'greeter'}}}}
        self.apply(extension)
        self.assertEqual(self.get('clusterextension', 'greeter')['spec']['source']['catalog']['upgradeConstraintPolicy'],
                         'CatalogProvided')
        result = self.kubectl('patch', 'clusterextension', 'greeter', '--type', 'merge', '-p', '{"spec":{"namespace":"two"}}')
        self.assert_refused(result, 'spec.namespace: Invalid value: "two": namespace is immutable')

    # Server-side apply

    def test_managers_conflict_until_one_forces(self) -> None:
        self.server_side(config_map('settings', a='1', b='1'), 'alpha')
        self.assert_refused(self.server_side(config_map('settings', a='2'), 'beta'),
                            'error: Apply failed with 1 conflict: conflict with "alpha": .data.a')
        result = self.server_side(config_map('settings', a='2', b='2'), 'beta')
        self.assert_refused(result, 'error: Apply failed with 2 conflicts: conflicts with "alpha":\n- .data.a\n- .data.b')
        self.assertEqual(self.server_side(config_map('settings', a='2'), 'beta', '--force-conflicts').status, 0)
        self.assertEqual(self.get('configmap', 'settings')['data'], {'a': '2', 'b': '1'})

    def test_what_an_applier_drops_is_removed_unless_another_owns_it(self) -> None:
        self.server_side(config_map('settings', a='1', b='1'), 'alpha')
        self.server_side(config_map('settings', b='1'), 'beta')
        self.server_side(config_map('settings'), 'alpha')
        self.assertEqual(self.get('configmap', 'settings')['data'], {'b': '1'})

    def test_a_patched_field_conflicts_with_its_version(self) -> None:
        self.server_side(subscription(channel='stable'), 'opcat')
        self.kubectl('-n', 'default', 'patch', SUBSCRIPTIONS, 'greeter', '--type', 'merge', '-p', '{"spec":{"channel":"beta"}}')
        self.assert_refused(self.server_side(subscription(channel='stable'), 'opcat'),
                            'conflict with "kubectl-patch" using operators.coreos.com/v1alpha1: .spec.channel')

    def test_applying_the_same_again_keeps_the_version(self) -> None:
        versions = set()
        for _ in range(2):
            self.assertEqual(self.server_side(subscription(), 'opcat').status, 0)
            versions.add(self.get(SUBSCRIPTIONS, 'greeter')['metadata']['resourceVersion'])
        self.assertEqual(len(versions), 1)

    def test_items_of_a_list_have_owners(self) -> None:
        def deployment(*names: str) -> dict:
            containers = [{'name': name, 'image': 'registry.example/' + name} for name in names]
            return {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'd', 'namespace': 'default'},
                    'spec': {'selector': {'matchLabels': {'a': 'b'}},
                             'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'containers': containers}}}}
        self.server_side(deployment('one', 'two'), 'alpha')
        self.server_side(deployment('three'), 'beta')
        self.server_side(deployment('one'), 'alpha')
        containers = self.get('deployment', 'd')['spec']['template']['spec']['containers']
        self.assertEqual([container['name'] for container in containers], ['one', 'three'])

    # Reading

    def test_selectors(self) -> None:
        for name, labels in (('one', {'a': 'x'}), ('two', {'a': 'y', 'b': ''}), ('three', {})):
            thing = config_map(name)
            thing['metadata']['labels'] = labels
            self.apply(thing)
        for selector, names in (('a=x', 'one'), ('a!=x', 'three two'), ('b', 'two'), ('!a', 'three'), ('a in (x,y)', 'one two'),
                                ('a notin (x)', 'three two'), ('a=y,b', 'two')):
            with self.subTest(selector):
                found = self.get('configmaps', '-l', selector)['items']
                self.assertEqual(' '.join(thing['metadata']['name'] for thing in found), names)
        self.assertEqual(len(self.get('configmaps', '--field-selector', 'metadata.name=two')['items']), 1)

    def test_not_found_unknown_kind_and_forbidden(self) -> None:
        for arguments, words in (
                (('get', SUBSCRIPTIONS, 'nope'), f'Error from server (NotFound): {SUBSCRIPTIONS} "nope" not found'),
                (('get', 'foos'), 'error: the server doesn\'t have a resource type "foos"'),
                (('get', SUBSCRIPTIONS, '--as', 'alice'),
                 f'Error from server (Forbidden): {SUBSCRIPTIONS} is forbidden: User "alice" cannot list resource "subscriptions" in '
                 'API group "operators.coreos.com" in the namespace "default"'),
                (('get', 'pods', '--context', 'expired'), 'error: You must be logged in to the server (Unauthorized)')):
            with self.subTest(arguments):
                self.assert_refused(self.kubectl(*arguments), words)

    def test_can_i(self) -> None:
        asked = ('auth', 'can-i', 'create', SUBSCRIPTIONS, '-n', 'default')
        self.assertEqual((self.kubectl(*asked).status, self.kubectl(*asked).out), (0, 'yes\n'))
        refused = self.kubectl(*asked, '--context', 'alice')
        self.assertEqual((refused.status, refused.out, refused.err), (1, 'no\n', ''))

    def test_a_role_and_its_binding_allow(self) -> None:
        self.apply({'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'Role', 'metadata': {'name': 'look', 'namespace': 'default'},
                    'rules': [{'apiGroups': [''], 'resources': ['configmaps'], 'verbs': ['get'], 'resourceNames': ['settings']}]},
                   {'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'RoleBinding',
                    'metadata': {'name': 'look', 'namespace': 'default'}, 'subjects': [{'kind': 'User', 'name': 'alice'}],
                    'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'Role', 'name': 'look'}},
                   config_map('settings'), config_map('other'))
        self.assertEqual(self.kubectl('get', 'configmap', 'settings', '--context', 'alice').status, 0)
        self.assertEqual(self.kubectl('get', 'configmap', 'other', '--context', 'alice').status, 1)
        self.assertEqual(self.kubectl('get', 'configmaps', '--context', 'alice').status, 1)

    def test_nobody_can_grant_a_right_that_they_lack(self) -> None:
        rights = {'apiGroups': ['rbac.authorization.k8s.io'], 'resources': ['roles'],
                  'verbs': ['get', 'create']}
        self.apply({'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'ClusterRole', 'metadata': {'name': 'roles'}, 'rules': [rights]},
                   {'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'ClusterRoleBinding', 'metadata': {'name': 'roles'},
                    'subjects': [{'kind': 'User', 'name': 'alice'}],
                    'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole', 'name': 'roles'}})
        wanted = {'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'Role', 'metadata': {'name': 'more', 'namespace': 'default'},
                  'rules': [{'apiGroups': ['apps'], 'resources': ['deployments'], 'verbs': ['get', 'list']}]}
        result = self.kubectl('create', '--context', 'alice', '-f', '-', stdin=json.dumps(wanted))
        self.assert_refused(result, 'is attempting to grant RBAC permissions not currently held:\n'
                            '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}')

    # Waiting

    def test_a_watch_shows_changes_and_ends_well_when_its_time_is_up(self) -> None:
        command = [KUBECTL, '-n', 'default', 'get', 'configmaps', '--watch', '--output-watch-events', '-o', 'json',
                   '--request-timeout=4s']
        watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment())
        self.wait_for('the watch', lambda: any('watch=true' in request for request in self.started.stand_in.requests))
        store, key = self.started.stand_in.store, ('', 'configmaps')
        store.create(key, config_map('settings', a='1'))
        store.replace(key, config_map('settings', a='2'))
        store.delete(key, 'default', 'settings')
        out, _ = watch.communicate(timeout=HANGS)
        self.assertEqual(re.findall(r'"type":\s*"([A-Z]+)"', out), ['ADDED', 'MODIFIED', 'DELETED'])

    def test_waiting_for_a_condition(self) -> None:
        self.apply(subscription())
        def set_condition() -> None:
            thing = self.started.stand_in.store.get(('operators.coreos.com', 'subscriptions'), 'default', 'greeter')
            thing['status'] = {'conditions': [{'type': 'Ready', 'status': 'True'}]}
            self.started.stand_in.store.replace(('operators.coreos.com', 'subscriptions'), thing)
        threading.Timer(0.5, set_condition).start()
        wait = ('-n', 'default', 'wait', f'{SUBSCRIPTIONS}/greeter', '--timeout=8s')
        self.assertEqual(self.kubectl(*wait, '--for=condition=Ready').status, 0)
        self.assert_refused(self.kubectl(*wait[:-1], '--timeout=1s', '--for=condition=Nope'), 'timed out waiting for the condition')

    def test_finalizers_hold_up_a_deletion(self) -> None:
        self.apply(config_map('stuck', finalizers=('example.com/wait',)))
        result = self.kubectl('-n', 'default', 'delete', 'configmap', 'stuck', '--timeout=1s')
        self.assertEqual((result.status, result.out), (1, 'configmap "stuck" deleted\n'))
        self.assertIn('timed out waiting for the condition', result.err)
        self.kubectl('-n', 'default', 'patch', 'configmap', 'stuck', '--type', 'merge', '-p', '{"metadata":{"finalizers":null}}')
        self.assertEqual(self.kubectl('-n', 'default', 'get', 'configmap', 'stuck').status, 1)

    def test_a_namespace_that_goes(self) -> None:
        self.kubectl('create', 'namespace', 'greetings')
        self.apply({**config_map('stuck', finalizers=('example.com/wait',)), 'metadata': {
            'name': 'stuck', 'namespace': 'greetings', 'finalizers': ['example.com/wait']}})
        self.kubectl('delete', 'namespace', 'greetings', '--wait=false')
        self.assertEqual(self.get('namespace', 'greetings')['status']['phase'], 'Terminating')
        self.assert_refused(self.kubectl('-n', 'greetings', 'create', 'configmap', 'late'),
                            'unable to create new content in namespace greetings because it is being terminated')
        self.kubectl('-n', 'greetings', 'patch', 'configmap', 'stuck', '--type', 'merge', '-p', '{"metadata":{"finalizers":null}}')
        self.wait_for('the end of the namespace', lambda: self.kubectl('get', 'namespace', 'greetings').status == 1)

    def test_owned_objects_are_deleted_with_their_owner(self) -> None:
        self.apply(config_map('owner'))
        owned = config_map('owned')
        uid = self.get('configmap', 'owner')['metadata']['uid']
        owned['metadata']['ownerReferences'] = [{'apiVersion': 'v1', 'kind': 'ConfigMap', 'name': 'owner', 'uid': uid}]
        self.apply(owned)
        self.kubectl('delete', 'configmap', 'owner')
        self.wait_for('garbage collection', lambda: self.kubectl('get', 'configmap', 'owned').status == 1)

    # Faults

    def test_faults_that_kubectl_shows(self) -> None:
        for fault, words in ((Fault('configmaps', code=500), ['Error from server (InternalError)']),
                             (Fault('configmaps', code=503), ['the server is currently unable to handle the request']),
                             (Fault('DELETE .*configmaps', drop=True), ['EOF', 'an error on the server ("")'])):
            with self.subTest(words[0]):
                self.started.stand_in.faults.clear()
                self.started.stand_in.faults.add(fault)
                # kubectl itself tries to read again, ten times, where the connection breaks.
                self.assert_refused(self.kubectl(*(('delete', 'configmap', 'a') if fault.drop else ('get', 'configmaps'))), *words)

    def test_too_many_requests_are_tried_again(self) -> None:
        self.started.stand_in.faults.add(Fault('configmaps', code=429, times=1, retry_after=1))
        self.assertEqual(self.kubectl('get', 'configmaps').status, 0)

    def test_a_slow_answer_meets_the_timeout(self) -> None:
        self.started.stand_in.faults.add(Fault('/configmaps', delay=5))
        self.assertEqual(self.kubectl('get', 'configmaps', '--request-timeout=1s').status, 1)

    def test_a_dropped_watch_ends_without_a_failure_of_the_server(self) -> None:
        self.apply(config_map('settings'))
        self.started.stand_in.faults.add(Fault('watch=', drop=True))
        watch = subprocess.Popen([KUBECTL, '-n', 'default', 'get', 'configmaps', '--watch-only', '-o', 'name'],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())
        self.wait_for('the watch', lambda: any('watch=true' in request for request in self.started.stand_in.requests))
        self.apply(config_map('settings', a='2'))
        out, _ = watch.communicate(timeout=HANGS)
        self.assertEqual(out, 'configmap/settings\n')


if __name__ == '__main__':
    main()
