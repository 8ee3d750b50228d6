"""Installing without OLM: the bundle's own manifests, as one set. Covers lib/cluster/plain_set.cpp."""
from __future__ import annotations

import json

from cluster_case import kubectl_version, main
from simulated_case import SimulatedCase
from standin.faults import Fault

NONE = ('-n', 'greet', '--olm', 'none')
CRDS = ('apiextensions.k8s.io', 'customresourcedefinitions')
RBAC = 'rbac.authorization.k8s.io'


class WithoutOlm(SimulatedCase):
    def bundle(self, name: str) -> str:
        return f'registry.example/{name.replace(".v", "-bundle:v", 1)}'

    def of_set(self, name: str = 'greeter') -> set[str]:
        return {f'{thing["kind"]} {thing["metadata"]["name"]}' for _, thing in self.store.everything()
                if (thing['metadata'].get('labels') or {}).get('opcat/set') == name}

    def need_dry_run(self) -> None:
        """Old versions of kubectl first read in the OpenAPI description whether the server supports dry runs, which the stand-in's does not say."""
        if kubectl_version() < (1, 25):
            self.skipTest('this kubectl does not try an apply on the stand-in')

    def everything(self) -> set[str]:
        """Without the objects that every namespace has."""
        return {f'{thing["kind"]} {thing["metadata"].get("namespace", "")}/{thing["metadata"]["name"]}'
                for key, thing in self.store.everything() if (key[1], thing['metadata']['name']) != ('serviceaccounts', 'default')}

    def test_install_is_one_set_of_which_uninstall_leaves_nothing_but_the_namespace(self) -> None:
        before = self.everything()
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        made = self.of_set()
        for thing in ('Deployment greeter-controller', 'ServiceAccount greeter', 'Service greeter-metrics', 'ConfigMap greeter-1-0-0',
                      'CustomResourceDefinition greetings.greeter.example.com'):
            self.assertIn(thing, made)
        self.assertEqual(len([thing for thing in made if thing.startswith('ClusterRole ')]), 2)
        self.assertEqual(json.loads(self.opcat('status', '-o', 'json').out)['operators'][0]['health'], 'ready')
        self.succeeds('uninstall', 'greeter', *NONE, '--yes')
        self.assertEqual(self.of_set(), set())
        self.assertEqual(self.everything() - before, {'Namespace /greet'})
        self.changes_nothing('uninstall', 'greeter', *NONE, '--yes', words=('nothing was changed',))

    def test_custom_resources_that_were_not_announced_keep_the_set(self) -> None:
        """Somebody makes one while the question is open."""
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        made = self.of_set()
        self.forget_requests()
        status, shown = self.at_terminal('uninstall', 'greeter', *NONE, question='Go on? [y/N] ', answer='y', before=lambda: self.store.create(
            ('greeter.example.com', 'greetings'), {'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': 'mine', 'namespace': 'greet'}}))
        self.assertEqual((status, self.writes(), self.of_set()), (3, [], made), shown)
        self.assertIn('it has custom resources that were made meanwhile: Greeting greet/mine', shown)

    def test_a_second_run_changes_nothing_although_the_server_filled_in_defaults(self) -> None:
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        deployment = self.one(('apps', 'deployments'), 'greet', 'greeter-controller') or {}
        limits = deployment['spec']['template']['spec']['containers'][0]['resources']['limits']
        self.assertEqual(limits, {'cpu': '1', 'memory': '1Gi'})  # the bundle says 1000m and 1024Mi
        self.need_dry_run()
        self.changes_nothing('install', self.bundle('greeter.v1.0.0'), *NONE, words=('nothing was changed',))

    def test_a_new_bundle_takes_the_place_of_the_old_one(self) -> None:
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        self.succeeds('install', self.bundle('greeter.v2.0.0'), *NONE)
        made = self.of_set()
        self.assertIn('ConfigMap greeter-2-0-0', made)
        self.assertNotIn('ConfigMap greeter-1-0-0', made)
        self.assertEqual(len([thing for thing in made if thing.startswith('ClusterRole ')]), 2)
        state = json.loads(self.opcat('status', '-o', 'json').out)['operators'][0]
        self.assertEqual((state['version'], state['health']), ('2.0.0', 'ready'))

    def test_a_package_of_a_catalog(self) -> None:
        self.succeeds('install', 'greeter', *NONE, '--catalog', self.image, '--channel', 'stable')
        self.assertIn('ConfigMap greeter-2-0-0', self.of_set())

    def test_dry_run_and_output_change_nothing(self) -> None:
        for more in (('--dry-run',), ('-o', 'yaml'), ('-o', 'json')):
            with self.subTest(more):
                self.changes_nothing('install', self.bundle('greeter.v1.0.0'), *NONE, *more)

    def test_a_dry_run_names_what_would_be_made_of_each_object(self) -> None:
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        self.kubectl('-n', 'greet', 'delete', 'service', 'greeter-metrics')
        for bundle, lines in (
                ('greeter.v1.0.0', ('# ServiceAccount greet/greeter is there already', '# Service greet/greeter-metrics would be created')),
                ('greeter.v2.0.0', ('# Deployment greet/greeter-controller would be changed', '# ConfigMap greet/greeter-2-0-0 would be created',
                                    '# ConfigMap greet/greeter-1-0-0 would be deleted'))):
            with self.subTest(bundle):
                printed = self.changes_nothing('install', self.bundle(bundle), *NONE, '--dry-run').out.splitlines()
                for line in lines:
                    self.assertIn(line, printed)

    def test_what_was_made_before_a_failure_is_named_or_cleaned_up(self) -> None:
        self.started.stand_in.faults.add(Fault(r'PATCH [^ ]*deployments/greeter-controller\?(?!.*dryRun)', code=422))
        install = ('install', self.bundle('greeter.v1.0.0'), *NONE)
        result = self.ends(3, *install, words=('created ConfigMap greet/greeter-1-0-0, before the failure; it stays',))
        self.assertNotIn('Deployment greet/greeter-controller, before', result.err)
        self.assertIn('ConfigMap greeter-1-0-0', self.of_set())
        self.succeeds('uninstall', 'greeter', *NONE, '--yes')
        self.kubectl('delete', 'namespace', 'greet')
        before = self.everything()
        self.ends(3, *install, '--cleanup-on-failure', words=('deleted ConfigMap greet/greeter-1-0-0',))
        self.wait_for('the end of its objects', lambda: self.everything() <= before)

    def test_what_is_not_one_bundle_and_what_is_not_upgraded(self) -> None:
        self.changes_nothing('install', self.image, *NONE, status=2, words=('is not one bundle', 'or a package and --catalog REF'))
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        self.changes_nothing('upgrade', 'greeter', *NONE, status=2, words=('without OLM there are no upgrades', 'install the new bundle: opcat install BUNDLE --olm none'))

    def test_the_output_is_what_bundle_manifests_prints_with_labels(self) -> None:
        printed = self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE, '-o', 'json').json()
        for thing in printed['items']:
            self.assertEqual(thing['metadata'].get('labels', {}).get('opcat/set'), None if thing['kind'] == 'Namespace' else 'greeter', thing)
        kinds = [thing['kind'] for thing in printed['items']]
        self.assertLess(kinds.index('CustomResourceDefinition'), kinds.index('Deployment'))
        plain = self.succeeds('bundle', 'manifests', self.bundle('greeter.v1.0.0'), '-n', 'greet')
        for name in ('greeter-controller', 'greetings.greeter.example.com', 'greeter-metrics'):
            self.assertIn(f'name: {name}', plain.out)

    def test_a_webhook_needs_cert_manager(self) -> None:
        self.changes_nothing('install', self.bundle('guard.v1.0.0'), *NONE, status=3, words=('webhooks', 'install cert-manager first'))
        self.assertNotIn('greet', self.names(('', 'namespaces')))

    def test_with_cert_manager_a_webhook_gets_its_certificate_and_goes_with_the_set(self) -> None:
        self.install_cert_manager()
        before = self.everything()
        self.succeeds('install', self.bundle('guard.v1.0.0'), *NONE)
        webhook = self.one(('admissionregistration.k8s.io', 'validatingwebhookconfigurations'), '', 'vgate.guard.example.com') or {}
        self.assertEqual(webhook['metadata']['annotations']['cert-manager.io/inject-ca-from'], 'greet/guard-controller-service-cert')
        self.assertEqual(len(self.names(('cert-manager.io', 'certificates'), 'greet')), 1)
        self.assertIn('vgate.guard.example.com', self.opcat('status').out)
        self.succeeds('uninstall', 'guard', *NONE, '--yes')
        self.assertEqual(self.everything() - before, {'Namespace /greet'})

    def test_a_webhook_is_found_as_it_was_left(self) -> None:
        self.need_dry_run()
        self.install_cert_manager()
        self.succeeds('install', self.bundle('guard.v1.0.0'), *NONE)
        self.changes_nothing('install', self.bundle('guard.v1.0.0'), *NONE, words=('nothing was changed',))

    def install_cert_manager(self) -> None:
        for kind, plural in (('Issuer', 'issuers'), ('Certificate', 'certificates')):
            schema = {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}
            self.apply({'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                        'metadata': {'name': f'{plural}.cert-manager.io'},
                        'spec': {'group': 'cert-manager.io', 'scope': 'Namespaced', 'names': {'kind': kind, 'plural': plural},
                                 'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': schema}}]}})

    def test_user_data_keeps_its_definition(self) -> None:
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        self.apply({'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': 'hello', 'namespace': 'greet'}})
        self.succeeds('uninstall', 'greeter', *NONE, '--yes')
        self.assertEqual(self.names(('greeter.example.com', 'greetings'), 'greet'), ['hello'])
        self.assertEqual(self.of_set(), {'CustomResourceDefinition greetings.greeter.example.com'})
        self.succeeds('uninstall', 'greeter', *NONE, '--yes', '--delete-operands')
        self.assertEqual(self.of_set(), set())

    def test_what_belongs_to_somebody_else_is_not_taken_over(self) -> None:
        self.add_classic_catalog()
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--channel', 'stable')
        self.changes_nothing('install', self.bundle('greeter.v1.0.0'), *NONE, status=3,
                             words=('greetings.greeter.example.com is there already', '--force'))

    def test_fields_of_somebody_else_are_taken_over_only_when_asked(self) -> None:
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        self.kubectl('-n', 'greet', 'patch', 'configmaps', 'greeter-1-0-0', '--type', 'merge', '-p', '{"data":{"a":"2"}}',
                     '--field-manager', 'somebody')
        self.ends(3, 'install', self.bundle('greeter.v1.0.0'), *NONE, words=('somebody', '--force-conflicts'))
        self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE, '--force-conflicts')
        self.assertEqual((self.one(('', 'configmaps'), 'greet', 'greeter-1-0-0') or {})['data'], {'a': '1'})

    def test_warnings_of_the_server_are_shown(self) -> None:
        self.started.stand_in.faults.add(Fault('PATCH .*deployments', warning='would violate PodSecurity restricted'))
        result = self.succeeds('install', self.bundle('greeter.v1.0.0'), *NONE)
        self.assertIn('warning: the cluster says: would violate PodSecurity restricted', result.err)

    def test_what_a_failed_install_made_is_cleaned_up(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}})
        before = self.everything()
        # The controllers are paused: no Deployment becomes available.
        self.started.stand_in.controllers.stop()
        self.ends(1, 'install', self.bundle('greeter.v1.0.0'), *NONE, '--timeout', '40s', '--cleanup-on-failure',
                  words=('was not done within 40s', 'greeter-controller'))
        self.wait_for('the end of its objects', lambda: self.everything() <= before)


if __name__ == '__main__':
    main()
