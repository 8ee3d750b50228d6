"""Commands that could do harm: what they refuse, what they name, and what they leave."""
from __future__ import annotations

import json
import signal
import subprocess
from typing import Any, Callable

from cluster_case import HANGS, OPCAT, TESTDATA, main
from simulated_case import OLM, V1, SimulatedCase
from standin.clock import clock
from standin.faults import Fault
from standin.storage import Object
from test_v1_commands import V1Case

SUBSCRIPTIONS, CSVS = (OLM, 'subscriptions'), (OLM, 'clusterserviceversions')
EXTENSIONS = (V1, 'clusterextensions')
CLASSIC = ('-n', 'greet', '--olm', 'classic')
STABLE = ('--channel', 'stable')


GREETINGS = 'greetings.greeter.example.com'


def greeting(name: str) -> Object:
    return {'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': name, 'namespace': 'greet'}}


def catalog_source(name: str, namespace: str, image: str) -> Object:
    return {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': name, 'namespace': namespace},
            'spec': {'sourceType': 'grpc', 'image': image}}


class Classic(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def subscription(self, name: str = 'greeter') -> Object:
        return self.one(SUBSCRIPTIONS, 'greet', name) or {}

    def test_an_install_names_the_default_channel(self) -> None:
        """Without a channel OLM takes upgrades from all of them: 1.0.0 of stable became 5.0.0 of fast."""
        self.succeeds('install', 'greeter', *CLASSIC, '--version', '1.0.0', '--pin', words=('channel stable',))
        self.assertEqual(self.subscription()['spec']['channel'], 'stable')

    def test_a_pinned_version_stays_when_it_is_installed_again(self) -> None:
        """InstallPlans that wait then are upgrades."""
        install = ('install', 'greeter', *CLASSIC, '--version', '1.0.0', '--pin')
        self.succeeds(*install)
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)
        self.changes_nothing(*install, words=('an upgrade to greeter.v1.1.0 waits for approval',))
        self.succeeds('upgrade', 'greeter', *CLASSIC, '--yes')
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 3)
        self.changes_nothing(*install, status=4, words=('waits for approval of greeter.v2.0.0',))

    def test_any_channel_is_said_explicitly(self) -> None:
        self.changes_nothing('install', 'greeter', *CLASSIC, '--any-channel', '--channel', 'stable', status=2, words=('exclude each other',))
        self.succeeds('install', 'greeter', *CLASSIC, '--any-channel', '--no-wait')
        self.assertNotIn('channel', self.subscription()['spec'])
        self.changes_nothing('install', 'greeter', *CLASSIC, '--no-wait')

    def test_the_default_channel_is_read_from_the_image_or_must_be_named(self) -> None:
        """The package server is behind: it has no package yet."""
        self.started.stand_in.faults.add(Fault('packagemanifests', code=503))
        printed = self.changes_nothing('install', 'greeter', *CLASSIC, '-o', 'json')
        subscription = json.loads(printed.out)['items'][-1]
        self.assertEqual(subscription['spec']['channel'], 'stable')
        self.registry.remove('people', 'v1')
        self.changes_nothing('install', 'greeter', *CLASSIC, '--dry-run', '--no-cache', status=1, words=(
            'the default channel of package greeter is not known', '--channel names one, --any-channel takes all'))

    def test_all_subscriptions_of_a_package_are_named_and_go(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')
        second = {**self.subscription(), 'metadata': {'name': 'greeter-again', 'namespace': 'greet'}}
        second.pop('status')
        self.store.create(SUBSCRIPTIONS, second)
        self.succeeds('uninstall', 'greeter', *CLASSIC, '--yes', words=(
            'goes Subscription greet/greeter and', 'goes Subscription greet/greeter-again and', 'is uninstalled'))
        self.assertEqual(self.names(SUBSCRIPTIONS, 'greet') + self.csvs(), [])

    def test_upgrade_names_the_other_subscriptions_of_the_package(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')
        second = {**self.subscription(), 'metadata': {'name': 'greeter-again', 'namespace': 'greet'}}
        second.pop('status')
        self.store.create(SUBSCRIPTIONS, second)
        self.ends(1, 'upgrade', 'greeter', *CLASSIC, '--to', '1.1.0', '--dry-run', words=('warning: Subscription greet/greeter-again is for the same package',))

    def test_a_subscription_of_this_name_for_another_package_stays(self) -> None:
        self.succeeds('install', 'homebody', *CLASSIC)
        other = {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': 'greeter', 'namespace': 'greet'},
                 'spec': {'name': 'homebody', 'source': 'people', 'sourceNamespace': 'olm'}}
        self.store.create(SUBSCRIPTIONS, other)
        for more in ((), ('--dry-run',)):
            self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, *more, status=1, words=(
                'Subscription greet/greeter is there already, for package homebody', 'install it in another namespace'))

    def test_a_channel_that_another_manager_declares_is_not_taken_from_it(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')
        wanted = {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': 'greeter', 'namespace': 'greet'},
                  'spec': {'name': 'greeter', 'source': 'people', 'sourceNamespace': 'olm', 'channel': 'stable'}}
        self.kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=kustomize-controller', '-f', '-', stdin=json.dumps(wanted))
        upgrade = ('upgrade', 'greeter', *CLASSIC, '--channel', 'beta', '--no-wait', '--yes')
        for more in ((), ('--dry-run',)):
            self.changes_nothing(*upgrade, *more, status=3, words=(
                'cannot change Subscription greet/greeter: kustomize-controller declares spec.channel, and would set it back', '--force-conflicts'))
        self.opcat(*upgrade, '--force-conflicts')
        self.assertEqual(self.subscription()['spec']['channel'], 'beta')

    def test_a_namespace_with_objects_of_others_outlives_a_cleanup(self) -> None:
        install = ('install', 'crasher', '-n', 'new', '--olm', 'classic', '--cleanup-on-failure', '--timeout', '2m')
        self.ends(1, *install, words=('deleted Namespace new',))
        self.wait_for('the end of the namespace', lambda: 'new' not in self.names(('', 'namespaces')))
        clock.when(lambda: self.names(SUBSCRIPTIONS, 'new'), lambda: self.store.create(('', 'configmaps'), {
            'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'mydata', 'namespace': 'new'}}))
        self.ends(1, *install, words=('warning: Namespace new stays: others have put something into it: ConfigMap new/mydata',))
        self.assertIn('mydata', self.names(('', 'configmaps'), 'new'))
        self.assertEqual(self.names(SUBSCRIPTIONS, 'new') + self.names((OLM, 'operatorgroups'), 'new'), [])

    def test_what_may_not_be_deleted_is_said_before_anything_is(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.let_alice({'apiGroups': [OLM, ''], 'resources': ['*'], 'verbs': ['*']}, {'apiGroups': ['greeter.example.com'], 'resources': ['*'], 'verbs': ['list']})
        for more in ((), ('--dry-run',)):
            self.changes_nothing('uninstall', 'greeter', *CLASSIC, '--yes', '--context', 'alice', '--delete-crds', '--delete-operands', '--force', *more, status=3,
                                 words=('may not delete customresourcedefinitions',))

    def test_what_was_left_is_not_passed_over_in_silence(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.succeeds('uninstall', 'greeter', *CLASSIC, '--yes')
        self.changes_nothing('uninstall', 'greeter', *CLASSIC, '--yes')
        self.changes_nothing('uninstall', 'greeter', *CLASSIC, '--yes', '--delete-crds', status=1, words=(
            'what it has left is not known without it', '-l operators.coreos.com/greeter.greet'))

    def test_options_of_the_other_olm_are_refused(self) -> None:
        for option in ('--service-account', 'a'), ('--rbac', 'none'), ('--self-certified',), ('--rbac-for', '1.5'):
            self.changes_nothing('install', 'greeter', *CLASSIC, *option, status=2, words=(f'{option[0]} is for OLM v1, and this is OLM classic',))

    def need_greetings(self) -> None:
        """An operator that requires the definition of greeter."""
        self.store.create(CSVS, {
            'apiVersion': f'{OLM}/v1alpha1', 'kind': 'ClusterServiceVersion', 'metadata': {'name': 'guest.v1.0.0', 'namespace': 'greet'},
            'spec': {'displayName': 'x', 'install': {'strategy': 'deployment', 'spec': {'deployments': []}},
                     'customresourcedefinitions': {'required': [{'name': 'greetings.greeter.example.com', 'version': 'v1', 'kind': 'Greeting'}]}},
            'status': {'phase': 'Succeeded'}})

    def test_what_an_operator_requires_stays_unless_it_is_forced(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.need_greetings()
        uninstall = ('uninstall', 'greeter', *CLASSIC, '--yes')
        self.changes_nothing(*uninstall, status=2, words=(
            'others need what this would delete: ClusterServiceVersion greet/guest.v1.0.0 requires greeter', '--force'))
        self.changes_nothing(*uninstall, '--dry-run', status=2, words=('guest.v1.0.0 requires greeter',))
        self.succeeds(*uninstall, '--force', words=('guest.v1.0.0 requires greeter', 'is uninstalled'))
        self.assertEqual(self.csvs(), ['guest.v1.0.0'])

    def test_what_waits_for_finalizers_is_named_with_them(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        csv = self.one(CSVS, 'greet', 'greeter.v2.0.0') or {}
        csv['metadata']['finalizers'] = ['example.com/wait']
        self.store.replace(CSVS, csv)
        remains = 'ClusterServiceVersion greet/greeter.v2.0.0 (finalizers: example.com/wait)'
        self.ends(3, 'uninstall', 'greeter', *CLASSIC, '--yes', '--timeout', '5s', words=('what remains is ' + remains,))
        self.ends(1, 'status', '-n', 'greet', ahead=70, words=(
            'deletion-stuck', 'greeter.v2.0.0 is being deleted and waits for its finalizers: example.com/wait'))

    def test_custom_resources_that_wait_for_finalizers_are_named_with_them(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.apply({'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting',
                    'metadata': {'name': 'hello', 'namespace': 'greet', 'finalizers': ['example.com/wait']}})
        self.ends(3, 'uninstall', 'greeter', *CLASSIC, '--yes', '--delete-crds', '--delete-operands', '--timeout', '5s', words=(
            'what remains is Greeting greet/hello (finalizers: example.com/wait)', 'their operator must remove its finalizers'))
        self.assertEqual(self.csvs(), ['greeter.v2.0.0'])

    def test_custom_resources_that_were_not_announced_keep_their_definition(self) -> None:
        """Somebody makes one while the question is open, or while opcat waits for OLM."""
        uninstall = ('uninstall', 'greeter', *CLASSIC, '--delete-crds')
        kept = f'CustomResourceDefinition {GREETINGS} is not deleted: it has custom resources that were made meanwhile: Greeting greet/'
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.forget_requests()
        status, shown = self.at_terminal(*uninstall, question='Go on? [y/N] ', answer='y', before=lambda: self.store.create(
            ('greeter.example.com', 'greetings'), greeting('early')))
        self.assertEqual((status, self.writes()), (3, []), shown)
        self.assertIn(kept + 'early', shown)
        self.store.delete(('greeter.example.com', 'greetings'), 'greet', 'early')
        self.while_it_is_deleted('greeter.v2.0.0', lambda: self.store.create(('greeter.example.com', 'greetings'), greeting('late')))
        self.ends(3, *uninstall, '--delete-operator-groups', '--yes', words=(
            'deleted ClusterServiceVersion greet/greeter.v2.0.0', kept + 'late; this is not deleted, either: OperatorGroup greet/greet', f'kubectl delete customresourcedefinition {GREETINGS} deletes both'))
        self.assertEqual(self.names(('greeter.example.com', 'greetings'), 'greet'), ['late'])

    def test_an_upgrade_that_was_on_its_way_is_not_called_uninstalled(self) -> None:
        uninstall = ('uninstall', 'greeter', *CLASSIC, '--delete-crds')
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)

        def upgrade() -> None:
            self.store.replace(SUBSCRIPTIONS, {**self.subscription(), 'spec': {**self.subscription()['spec'], 'channel': 'beta'}})
            self.wait_for('the upgrade', lambda: self.csvs() == ['greeter.v3.0.0'])
        status, shown = self.at_terminal(*uninstall, question='Go on? [y/N] ', answer='y', before=upgrade)
        self.assertEqual((status, self.csvs()), (1, ['greeter.v3.0.0']), shown)
        self.assertIn('greeter is not uninstalled: OLM has upgraded it meanwhile, and ClusterServiceVersion greet/greeter.v3.0.0 stays', shown)
        self.assertNotIn('greeter is uninstalled', shown)
        self.assertIsNotNone(self.one(('apiextensions.k8s.io', 'customresourcedefinitions'), '', GREETINGS))
        self.succeeds(*uninstall, '--yes', words=('goes ClusterServiceVersion greet/greeter.v3.0.0', 'greeter is uninstalled'))
        self.assertEqual(self.csvs(), [])

    def while_it_is_deleted(self, csv: str, act: Callable[[], Any]) -> None:
        """A finalizer keeps it until then."""
        thing = self.one(CSVS, 'greet', csv) or {}
        thing['metadata']['finalizers'] = ['example.com/wait']
        self.store.replace(CSVS, thing)

        def end() -> None:
            act()
            going = self.one(CSVS, 'greet', csv) or {}
            going['metadata']['finalizers'] = []
            self.store.replace(CSVS, going)
        clock.when(lambda: 'deletionTimestamp' in str(self.one(CSVS, 'greet', csv)), end)

    def test_a_definition_that_does_not_end_is_not_uninstalled(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        key, name = ('apiextensions.k8s.io', 'customresourcedefinitions'), 'greetings.greeter.example.com'
        definition = self.one(key, '', name) or {}
        definition['metadata']['finalizers'] = ['example.com/wait']
        self.store.replace(key, definition)
        result = self.ends(3, 'uninstall', 'greeter', *CLASSIC, '--yes', '--delete-crds', '--timeout', '5s', words=(
            f'what remains is CustomResourceDefinition {name} (finalizers: example.com/wait)',))
        self.assertNotIn('is uninstalled', result.err)

    def test_an_interruption_prints_what_is_left(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        csv = self.one(CSVS, 'greet', 'greeter.v2.0.0') or {}
        csv['metadata']['finalizers'] = ['example.com/wait']
        self.store.replace(CSVS, csv)
        waits = clock.stop_when(lambda: 'deletionTimestamp' in str(self.one(CSVS, 'greet', 'greeter.v2.0.0')))
        child = subprocess.Popen([OPCAT, 'uninstall', 'greeter', *CLASSIC, '--yes'], cwd=self.dir, env=self.environment(),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(waits.wait(HANGS))
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=HANGS)
        self.assertIn(child.returncode, (130, -signal.SIGINT), err)
        self.assertIn('ClusterServiceVersion greet/greeter.v2.0.0 (finalizers: example.com/wait) left; the cluster continues', ' '.join(err.split()))

    def test_the_namespace_that_was_made_is_named_as_staying(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, words=('created Namespace greet',))
        self.succeeds('uninstall', 'greeter', *CLASSIC, '--yes', words=('stays Namespace greet',))

    def test_an_operator_moves_to_a_catalog_of_another_name(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.apply(catalog_source('folks', 'olm', self.image))
        self.wait_for('the catalog', lambda: 'READY' in str(self.one((OLM, 'catalogsources'), 'olm', 'folks')))
        self.kubectl('delete', '-n', 'olm', 'catalogsources.operators.coreos.com', 'people')
        self.ends(0, 'status', '-n', 'greet', words=('catalog olm/people does not exist: there are no upgrades', 'opcat upgrade greeter -n greet --catalog'))
        move = ('upgrade', 'greeter', *CLASSIC, '--catalog', 'olm/folks')
        self.changes_nothing(*move, '--dry-run', words=('would get catalog olm/folks', 'catalog olm/folks'))
        self.succeeds(*move, '--channel', 'beta', words=('changed Subscription greet/greeter: channel beta and catalog olm/folks',))
        self.assertEqual(self.subscription()['spec']['source'], 'folks')
        self.assertEqual(self.csvs(), ['greeter.v3.0.0'])
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--catalog', 'olm/nobody', status=1, words=('CatalogSource olm/nobody does not exist',))

    def test_a_channel_without_the_installed_version(self) -> None:
        """OLM finds no upgrade there, and says nothing."""
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--channel', 'beta', '--dry-run', words=(
            'channel beta of catalog olm/people does not have greeter.v1.0.0, and nothing in it replaces or skips that: '
            'it stays until the channel has an upgrade from it',))

    def test_a_bundle_for_several_namespaces_only(self) -> None:
        blobs = [json.loads(line) for line in (TESTDATA / 'catalogs/people.jsonl').read_text().splitlines()]
        for blob in blobs:
            for item in blob.get('properties') or []:
                if blob['name'] == 'homebody.v1.0.0' and item['type'] == 'olm.csv.metadata':
                    item['value']['installModes'] = [{'type': mode, 'supported': mode == 'MultiNamespace'} for mode in (
                        'OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces')]
        self.started.contents['people'][:] = blobs
        self.registry.push_catalog('people', 'v1', '\n'.join(map(json.dumps, blobs)))
        result = self.changes_nothing('install', 'homebody', *CLASSIC, status=1, words=(
            'does not support install mode AllNamespaces; it supports MultiNamespace', '--watch-namespace A --watch-namespace B'))
        self.assertNotIn('--all-namespaces', result.err)


class Catalogs(SimulatedCase):
    def test_a_broken_catalog_is_not_added(self) -> None:
        """It would stop the resolution in all namespaces that see it."""
        self.registry.push_catalog('broken', 'v1', '{"schema": "olm.package", "name": "x", "defaultChannel": "none"}\n')
        image = f'{self.registry.address}/broken:v1'
        for olm in ('classic', 'v1'):
            with self.subTest(olm):
                add = ('catalog', 'add', 'broken', image, '--olm', olm)
                self.changes_nothing(*add, status=1, words=('is not a valid catalog', f'opcat validate {image}', 'nothing was changed'))
                self.changes_nothing(*add, '--dry-run', status=1, words=('is not a valid catalog',))
                self.changes_nothing(*add, '--dry-run', '--force', words=('would be created',))
        self.changes_nothing('catalog', 'add', 'broken', image, '--olm', 'classic', '--no-check', '--dry-run', words=('would be created',))

    def test_a_path_of_this_machine_is_not_the_image(self) -> None:
        (self.dir / 'people').mkdir()
        (self.dir / 'people/catalog.json').write_text((TESTDATA / 'catalogs/people.jsonl').read_text())
        for image in ('people', 'nothing:v1'):
            self.changes_nothing('catalog', 'add', 'people', image, '--olm', 'classic', status=1, words=('the catalog could not be checked',))

    def test_an_image_that_cannot_be_pulled_or_is_no_catalog_is_not_added(self) -> None:
        self.changes_nothing('catalog', 'add', 'nobody', 'registry.example/nobody:v1', '--olm', 'classic', status=1, words=(
            'the catalog could not be checked', '--no-check adds it unchecked'))
        self.changes_nothing('catalog', 'add', 'bundle', 'registry.example/greeter-bundle:v1.0.0', '--olm', 'classic', status=1)


class V1Extensions(V1Case):
    def test_an_extension_of_another_namespace_stays(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'v1', *STABLE, '--version', '1.0.0')
        self.changes_nothing('uninstall', 'greeter', '-n', 'default', '--yes', status=2, words=(
            'greeter is not installed in namespace default: ClusterExtension greeter installs into namespace greet',))
        self.changes_nothing('upgrade', 'greeter', '-n', 'default', '--to', '1.1.0', status=2, words=('installs into namespace greet, not into default',))
        self.succeeds('uninstall', 'greeter', '-n', 'greet', '--yes')

    def test_options_of_olm_classic_are_refused(self) -> None:
        for option in ('--approval', 'manual'), ('--pin', '--version', '1.0.0'), ('--any-channel',), ('--create-operator-group',):
            self.changes_nothing('install', 'greeter', '-n', 'greet', '--olm', 'v1', *option, status=2,
                                 words=(f'{option[0]} is for OLM classic, and this is OLM v1',))

    def test_what_the_server_would_refuse_is_known_before_anything_is_made(self) -> None:
        self.changes_nothing('install', 'greeter', '-n', 'none', '--olm', 'v1', *STABLE, '--service-account', 'Bad_Name', status=2, words=('--service-account Bad_Name: a lowercase RFC 1123 subdomain',))
        for more in ((), ('--dry-run',)):
            self.changes_nothing('catalog', 'add', 'People_X', self.image, '--olm', 'v1', *more, status=3, words=('The ClusterCatalog "People_X" is invalid',))
        self.started.stand_in.faults.add(Fault(r'PATCH [^ ]*/default/serviceaccounts/', code=422))
        for more in ((), ('--dry-run',)):
            self.changes_nothing('install', 'greeter', '-n', 'none', '--olm', 'v1', *STABLE, *more, status=3, words=('cannot apply ServiceAccount none/greeter-installer',))

    def test_a_version_that_another_manager_declares_is_not_taken_from_it(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'v1', *STABLE, '--version', '1.0.0')
        declared = {'apiVersion': f'{V1}/v1', 'kind': 'ClusterExtension', 'metadata': {'name': 'greeter'}, 'spec': {
            'namespace': 'greet', 'serviceAccount': {'name': 'greeter-installer'},
            'source': {'sourceType': 'Catalog', 'catalog': {'packageName': 'greeter', 'version': '1.0.0'}}}}
        self.kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=kustomize-controller', '-f', '-', stdin=json.dumps(declared))
        self.changes_nothing('upgrade', 'greeter', '--to', '1.1.0', status=3, words=(
            'cannot change ClusterExtension greeter: kustomize-controller declares spec.source.catalog.version',))
        self.succeeds('upgrade', 'greeter', '--to', '1.1.0', '--force-conflicts')

    def test_an_account_that_another_extension_uses_stays(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'v1', *STABLE)
        other = {'apiVersion': f'{V1}/v1', 'kind': 'ClusterExtension', 'metadata': {'name': 'other'}, 'spec': {
            'namespace': 'greet', 'serviceAccount': {'name': 'greeter-installer'},
            'source': {'sourceType': 'Catalog', 'catalog': {'packageName': 'guard'}}}}
        self.apply(other)
        uninstall = ('uninstall', 'greeter', '--olm', 'v1', '--yes')
        self.changes_nothing(*uninstall, status=2, words=(
            'ClusterExtension other uses ServiceAccount greet/greeter-installer', '--force'))
        self.succeeds(*uninstall, '--force', words=('ClusterExtension other uses ServiceAccount greet/greeter-installer',))
        self.assertIsNone(self.one(EXTENSIONS, '', 'greeter'))

    def test_custom_resources_that_were_not_announced_keep_the_extension(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'v1', *STABLE)
        self.forget_requests()
        status, shown = self.at_terminal('uninstall', 'greeter', '--olm', 'v1', question='Go on? [y/N] ', answer='y', before=lambda: self.store.create(
            ('greeter.example.com', 'greetings'), greeting('mine')))
        self.assertEqual((status, self.writes()), (3, []), shown)
        self.assertIn(f'CustomResourceDefinition {GREETINGS} is not deleted', shown)
        self.changes_nothing('uninstall', 'greeter', '--olm', 'v1', '--yes', status=2, words=('goes Greeting greet/mine', '--delete-operands'))

    def test_an_extension_that_waits_for_finalizers(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'v1', *STABLE)
        extension = self.extension()
        extension['metadata']['finalizers'] = ['example.com/wait']
        self.store.replace(EXTENSIONS, extension)
        self.ends(3, 'uninstall', 'greeter', '--olm', 'v1', '--yes', '--timeout', '5s', words=(
            'what remains is ClusterExtension greeter (finalizers: example.com/wait)',))
        self.ends(1, 'status', ahead=70, words=('deletion-stuck', 'waits for its finalizers: example.com/wait'))

    def test_a_catalog_that_is_unavailable_is_given_as_the_reason(self) -> None:
        self.kubectl('patch', 'clustercatalogs.olm.operatorframework.io', 'people', '--type', 'merge', '-p',
                     '{"spec": {"availabilityMode": "Unavailable"}}')
        self.changes_nothing('install', 'greeter', '-n', 'greet', '--olm', 'v1', status=1, words=(
            'because catalog people is not asked: its spec.availabilityMode is Unavailable',))

    def test_an_extension_moves_to_a_catalog_of_another_name(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'v1', *STABLE, '--version', '1.0.0')
        self.apply({'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'folks'},
                    'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}}})
        self.wait_for('the catalog', lambda: 'Serving' in str(self.one((V1, 'clustercatalogs'), '', 'folks')))
        self.succeeds('upgrade', 'greeter', '--olm', 'v1', '--catalog', 'folks', '--to', '1.1.0')
        self.assertEqual(self.extension()['spec']['source']['catalog']['selector']['matchLabels'], {f'{V1}/metadata.name': 'folks'})
        self.assertEqual(self.installed(), 'greeter.v1.1.0')


if __name__ == '__main__':
    main()
