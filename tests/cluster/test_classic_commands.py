"""The cluster commands with OLM classic, as a user runs them."""
from __future__ import annotations

import json
import signal
import subprocess

from cluster_case import HANGS, OPCAT, ROOT, TESTDATA, Result, main
from simulated_case import OLM, SimulatedCase
from standin.clock import clock
from standin.faults import Fault

SUBSCRIPTIONS, CSVS = (OLM, 'subscriptions'), (OLM, 'clusterserviceversions')
IN_GREET = ('-n', 'greet', '--olm', 'classic')
STABLE = ('--channel', 'stable')


class Catalogs(SimulatedCase):
    def test_a_catalog_is_added_once_and_removed_once(self) -> None:
        add = ('catalog', 'add', 'people', self.image, '-n', 'olm', '--olm', 'classic', '--priority', '7')
        self.succeeds(*add)
        made = self.one((OLM, 'catalogsources'), 'olm', 'people') or {}
        self.assertEqual((made['spec']['image'], made['spec']['priority']), (self.image, 7))
        self.assertEqual(made['status']['connectionState']['lastObservedState'], 'READY')
        self.changes_nothing(*add, words=('nothing was changed',))
        self.assertIn('people', self.succeeds('catalog', 'list', '--olm', 'classic').out)
        listed = self.succeeds('catalog', 'list', '--olm', 'classic', '-o', 'json').json()
        self.assertEqual(listed['schema'], 'opcat.catalogs.v1')
        (people,) = [catalog for catalog in listed['catalogs'] if catalog['name'] == 'people']
        self.assertEqual((people['namespace'], people['olm'], people['image'], people['priority'], people['state']),
                         ('olm', 'classic', self.image, 7, 'READY'))
        self.succeeds('catalog', 'remove', 'people', '--olm', 'classic', '--yes')
        self.changes_nothing('catalog', 'remove', 'people', '--olm', 'classic', '--yes', words=('nothing was changed',))

    def test_a_catalog_whose_image_is_not_there(self) -> None:
        self.ends(1, 'catalog', 'add', 'nobody', 'registry.example/nobody:v1', '-n', 'olm', '--olm', 'classic', '--no-check', '--timeout', '40s',
                  words=('ImagePullBackOff', 'registry.example/nobody:v1'))

    def test_the_state_of_an_image_that_was_replaced_is_not_that_of_the_new_one(self) -> None:
        self.add_classic_catalog()
        result = self.ends(1, 'catalog', 'add', 'people', 'registry.example/nobody:v1', '--olm', 'classic', '--yes', '--no-check', '--force-conflicts',
                           '--timeout', '2m', words=('changed CatalogSource olm/people', 'waiting until OLM has made it again', 'ImagePullBackOff'))
        self.assertNotIn('is ready', result.err)

    def test_a_catalog_whose_pods_may_not_be_listed(self) -> None:
        self.let_alice({'apiGroups': [OLM, 'packages.operators.coreos.com', 'apiextensions.k8s.io'], 'resources': ['*'], 'verbs': ['*']},
                       {'apiGroups': [''], 'resources': ['namespaces'], 'verbs': ['get', 'list']})
        self.ends(1, 'catalog', 'add', 'nobody', 'registry.example/nobody:v1', '-n', 'olm', '--olm', 'classic', '--no-check', '--timeout', '40s',
                  '--context', 'alice', words=('catalog olm/nobody', 'its registry does not answer at'))

    def test_the_namespace_of_a_first_catalog(self) -> None:
        """Where OLM usually has its catalogs; else that of the kubeconfig's context."""
        add = ('catalog', 'add', 'people', self.image, '--olm', 'classic', '--dry-run')
        self.changes_nothing(*add, words=('# CatalogSource olm/people would be created',))
        self.store.delete(('', 'namespaces'), '', 'olm')
        self.wait_for('its end', lambda: 'olm' not in self.names(('', 'namespaces')))
        self.changes_nothing(*add, words=('# CatalogSource default/people would be created',))
        self.changes_nothing(*add, '-n', 'shop', status=3, words=('namespace shop does not exist', 'kubectl create namespace shop'))

    def test_an_image_is_looked_at_again_as_often_as_asked_for(self) -> None:
        add = ('catalog', 'add', 'people', '-n', 'olm', '--olm', 'classic', '--poll', '45m', '--no-wait', '--no-check')
        self.assertNotIn('digest', self.succeeds(*add, self.image).err)
        made = self.one((OLM, 'catalogsources'), 'olm', 'people') or {}
        self.assertEqual(made['spec']['updateStrategy'], {'registryPoll': {'interval': '45m'}})
        digest = 'registry.example/people@sha256:' + 64 * 'a'
        self.changes_nothing(*add[:2], 'pinned', *add[3:], digest, '--dry-run', words=('the image has a digest',))

    def test_a_name_that_several_catalogs_have(self) -> None:
        for namespace in ('olm', 'greet'):
            self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': namespace}},
                       {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': 'people', 'namespace': namespace},
                        'spec': {'sourceType': 'grpc', 'image': self.image}})
        for command in (('remove', 'people', '--yes'), ('refresh', 'people')):
            with self.subTest(command):
                self.changes_nothing('catalog', *command, status=2, words=('several catalogs are called people', '-n NAMESPACE'))
        self.succeeds('catalog', 'remove', 'people', '-n', 'greet', '--yes')
        self.assertEqual(self.names((OLM, 'catalogsources')), ['people'])

    def test_a_dry_run_of_a_refresh_names_the_pods(self) -> None:
        self.succeeds('catalog', 'add', 'people', self.image, '-n', 'olm', '--olm', 'classic')
        self.store.create(('', 'pods'), {'apiVersion': 'v1', 'kind': 'Pod', 'spec': {'containers': []}, 'metadata': {
            'name': 'people-x7k2p', 'namespace': 'olm', 'labels': {'olm.catalogSource': 'people'}}})
        self.changes_nothing('catalog', 'refresh', 'people', '--olm', 'classic', '--dry-run', words=('Pod olm/people-x7k2p would be deleted',))

    def test_a_template_for_the_image_is_filled_in_and_shown(self) -> None:
        result = self.succeeds('catalog', 'add', 'people', self.image, '--image-template',
                               self.registry.address + '/people:v{kube_major_version}.{kube_minor_version}', '-n', 'olm', '--olm',
                               'classic', '--no-wait', '--no-check')
        self.assertIn(f'{self.registry.address}/people:v1.33', result.err)
        made = self.one((OLM, 'catalogsources'), 'olm', 'people') or {}
        self.assertIn('{kube_minor_version}', made['metadata']['annotations']['olm.catalogImageTemplate'])


class Install(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def install(self, *more: str) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, *more)

    def test_install_makes_what_is_needed_and_waits_for_success(self) -> None:
        self.install()
        csv = self.one((OLM, 'clusterserviceversions'), 'greet', 'greeter.v2.0.0') or {}
        self.assertEqual(csv['status']['phase'], 'Succeeded')
        self.assertEqual(len(self.names((OLM, 'operatorgroups'), 'greet')), 1)
        self.assertEqual(len(self.names(SUBSCRIPTIONS, 'greet')), 1)

    def test_without_a_channel_the_operator_goes_through_all_of_them(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, '--any-channel')
        self.assertEqual(self.csvs(), ['greeter.v3.0.0'])

    def test_install_run_twice_does_nothing_the_second_time(self) -> None:
        self.install()
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, words=('nothing was changed',))

    def test_dry_run_and_output_change_nothing(self) -> None:
        for more in (['--dry-run'], ['-o', 'yaml'], ['-o', 'json']):
            with self.subTest(more):
                self.changes_nothing('install', 'greeter', *IN_GREET, *more)

    def test_applying_the_output_is_the_same_as_installing(self) -> None:
        self.install('--version', '1.0.0', '--no-wait')
        installed = self.specs()
        for form in ('yaml', 'json'):
            with self.subTest(form):
                self.kubectl('delete', 'namespace', 'greet')
                printed = self.succeeds('install', 'greeter', *IN_GREET, '--channel', 'stable', '--version', '1.0.0', '-o', form)
                applied = self.kubectl('apply', '-f', '-', stdin=printed.out)
                self.assertEqual(applied.status, 0, applied)
                self.assertEqual(self.specs(), installed)

    def specs(self) -> dict:
        things = self.store.list(SUBSCRIPTIONS, 'greet') + self.store.list((OLM, 'operatorgroups'), 'greet')
        return {f'{thing["kind"]}/{thing["metadata"]["name"]}': thing['spec'] for thing in things}

    def test_a_resolution_that_is_predicted_to_fail_changes_nothing(self) -> None:
        self.changes_nothing('install', 'lonely', *IN_GREET, status=1, words=('Friend', 'nothing was changed'))
        self.assertNotIn('greet', self.names(('', 'namespaces')))

    def test_a_failed_resolution_is_reported_in_the_clusters_words(self) -> None:
        self.ends(1, 'install', 'lonely', *IN_GREET, '--force', '--timeout', '40s',
                  words=('requires an operator providing an API with group: nobody.example.com, version: v1, kind: Friend',))

    def test_cleaning_up_undoes_what_this_command_made_and_nothing_else(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}},
                   {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'mine', 'namespace': 'greet'}})
        self.ends(1, 'install', 'lonely', *IN_GREET, '--force', '--timeout', '40s', '--create-operator-group', '--cleanup-on-failure')
        self.assertEqual(self.names(SUBSCRIPTIONS, 'greet') + self.names((OLM, 'operatorgroups'), 'greet'), [])
        self.assertIn('mine', self.names(('', 'configmaps'), 'greet'))

    def test_a_bundle_that_cannot_be_unpacked(self) -> None:
        self.ends(1, 'install', 'unpullable', *IN_GREET, '--timeout', '40s', words=('Bundle unpacking failed',))

    def test_a_deployment_that_does_not_become_ready(self) -> None:
        self.ends(1, 'install', 'crasher', *IN_GREET, '--timeout', '40s', words=('crasher-controller', 'minimum availability'))

    def test_a_first_install_that_crashes_stays_failing_until_it_is_ready(self) -> None:
        """Its container runs between two crashes, and OLM starts again after five minutes."""
        self.simulation.install_timeout = 120
        self.succeeds('install', 'crasher', *IN_GREET, '--no-wait')
        healths: list[str] = []
        reasons: set[str] = set()
        while reasons < {'pods-failing', 'install-timeout'} or healths.count('failing') < 30:
            self.assertLess(len(healths), 1000, reasons)
            clock.advance(1)
            result = self.opcat('status', 'crasher', '-n', 'greet', '-o', 'json')
            state = result.json()['operators'][0]
            healths.append(state['health'])
            reasons.add(state.get('reason', ''))
            self.assertEqual(result.status, int(state['health'] == 'failing'), result)
        self.assertEqual(healths, sorted(healths, key=lambda health: health == 'failing'), 'once it fails, it fails')
        # Between two crashes, only the timeout of the installation is reported.
        self.wait_for('that its Deployment is named', lambda: 'crasher-controller' in self.ends(1, 'status', 'crasher', '-n', 'greet').out)
        self.simulation.crashing.clear()
        # Before that, OLM may be carrying out the InstallPlan again, which is not a failure either.
        self.wait_for('that it gets ready', lambda: self.opcat('status', 'crasher', '-n', 'greet', '-o', 'json').json()['operators'][0]['health'] == 'ready')
        self.succeeds('status', 'crasher', '-n', 'greet', words=('ready',))

    def test_flags_that_exclude_each_other(self) -> None:
        pin = ('--version', '1.0.0', '--pin')
        for more, words in ((('--all-namespaces', '--watch-namespace', 'greet'), '--all-namespaces and --watch-namespace exclude each other'),
                            ((*pin, '--approval', 'automatic'), '--pin and --approval automatic exclude each other'),
                            (('--channel', 'stable', '--channel', 'beta'), 'OLM classic takes one channel')):
            with self.subTest(more):
                self.changes_nothing('install', 'greeter', *IN_GREET, *more, status=2, words=(words,))
        self.install('--version', '1.0.0', '--approval', 'manual', '--yes')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--channel', 'stable', '--channel', 'beta', status=2, words=('OLM classic takes one channel',))

    def test_a_search_without_a_result(self) -> None:
        self.changes_nothing('search', 'zzz', status=1, words=('no package matches "zzz"',))
        self.assertEqual(self.ends(1, 'search', 'zzz', '-o', 'json').json()['packages'], [])
        self.store.delete((OLM, 'catalogsources'), 'olm', 'people')
        self.changes_nothing('search', status=1, words=("the cluster's catalogs have no packages",))

    def test_a_search_lists_a_package_once_for_each_catalog(self) -> None:
        self.succeeds('catalog', 'add', 'folk', self.image, '-n', 'olm', '--olm', 'classic')
        rows = self.succeeds('search', 'greeter').out.splitlines()[1:]
        self.assertEqual([row.split()[:3] for row in rows], [['greeter', 'olm/folk', 'classic'], ['greeter', 'olm/people', 'classic']])

    def test_what_to_do_about_a_package_or_version_that_is_not_there(self) -> None:
        for arguments, words in (
                (('install', 'nobody', *IN_GREET, '--dry-run'), 'opcat search -n greet lists the packages'),
                (('install', 'greeter', *IN_GREET, '--channel', 'beta', '--version', '1.0.0'), 'it is in channel stable: choose with --channel'),
                (('upgrade', 'greeter', *IN_GREET), 'choose the namespace with -n; opcat status lists what is installed')):
            with self.subTest(arguments):
                self.assertIn(words, ' '.join(self.changes_nothing_and_fails(*arguments).err.split()))

    def changes_nothing_and_fails(self, *arguments: str) -> Result:
        self.forget_requests()
        result = self.opcat(*arguments)
        self.assertIn(result.status, (1, 2), result)
        self.assertEqual(self.writes(), [], result)
        return result

    def test_a_package_that_is_not_there(self) -> None:
        result = self.opcat('install', 'greter', *IN_GREET)
        self.assertIn(result.status, (1, 2))
        self.assertIn('greeter', result.err)
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'stabel', status=1, words=('did you mean stable',))

    def test_ctrl_c_reports_the_state_and_undoes_nothing(self) -> None:
        waits = clock.stop_when(self.csvs)
        child = subprocess.Popen([OPCAT, 'install', 'crasher', *IN_GREET], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=self.environment(), cwd=self.dir)
        self.assertTrue(waits.wait(HANGS))
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=HANGS)
        self.assertIn(child.returncode, (130, -signal.SIGINT), err)
        self.assertIn('opcat status crasher -n greet', err.splitlines()[-1])
        self.assertEqual(self.csvs(), ['crasher.v1.0.0'])

    def test_what_keeps_openshift_back_is_read_from_the_cluster(self) -> None:
        self.install('--version', '1.0.0', '--approval', 'manual', '--yes')
        ask = ('resolve', 'ocp-upgrade', '--from-cluster', '--cluster-version', '4.18.3')
        self.changes_nothing(*ask, words=('ok greeter.v1.0.0 (1.0.0): declares no limit', 'keeps OpenShift 4.18 from 4.19'))
        csv = self.one((OLM, 'clusterserviceversions'), 'greet', 'greeter.v1.0.0') or {}
        limit = {'properties': [{'type': 'olm.maxOpenShiftVersion', 'value': '4.18'}]}
        csv['metadata'].setdefault('annotations', {})['operatorframework.io/properties'] = json.dumps(limit)
        self.store.replace((OLM, 'clusterserviceversions'), csv)
        self.changes_nothing(*ask, status=1, words=('blocks greeter.v1.0.0 (1.0.0): olm.maxOpenShiftVersion is 4.18', 'OLM classic: upgrade it to '))
        self.changes_nothing(*ask[:-2], status=2, words=('the version of the cluster is not known',))

    def test_what_is_being_installed_keeps_openshift_back_too_and_what_may_not_be_read_is_not_known(self) -> None:
        self.install('--version', '1.0.0', '--approval', 'manual', '--yes')
        ask = ('resolve', 'ocp-upgrade', '--from-cluster', '--cluster-version', '4.18.3')
        self.changes_nothing(*ask, words=('no installed operator declares a limit',))
        csv = self.one((OLM, 'clusterserviceversions'), 'greet', 'greeter.v1.0.0') or {}
        csv['metadata'].setdefault('annotations', {})['operatorframework.io/properties'] = json.dumps(
            {'properties': [{'type': 'olm.maxOpenShiftVersion', 'value': '4.18'}]})
        csv['metadata'].update(name='greeter.v1.1.0', uid='none')
        csv['spec']['version'] = '1.1.0'
        self.store.create((OLM, 'clusterserviceversions'), {**csv, 'status': {'phase': 'Installing'}})
        self.changes_nothing(*ask, status=1, words=('blocks greeter.v1.1.0 (1.1.0): olm.maxOpenShiftVersion is 4.18',))
        self.started.stand_in.faults.add(Fault('GET .*/subscriptions', code=403))
        self.changes_nothing(*ask, '--catalog', f'c={TESTDATA / "catalogs/people.jsonl"}', status=1, words=('what could not be read', 'not known to be fit for OpenShift 4.19'))

    def test_an_upgrade_of_the_cluster_is_planned_from_what_is_installed(self) -> None:
        self.install('--version', '1.0.0', '--approval', 'manual', '--yes')
        people = TESTDATA / 'catalogs/people.jsonl'
        plan = ('plan', '--from-cluster', '--cluster-version', '4.18.3', '--to', '4.19')
        result = self.changes_nothing(*plan, '--catalog', f'4.18={people}', '--catalog', f'4.19={people}', '-o', 'json')
        operator, = json.loads(result.out)['operators']
        self.assertEqual((operator['package'], operator['namespace'], operator['verdict']), ('greeter', 'greet', 'ok'))
        # A catalog that is not given, and a version that nobody says, are not known.
        self.changes_nothing(*plan, '--catalog', f'4.18={people}', status=1, words=('0 of 1 operator can get there, 1 is not known',))
        self.changes_nothing('plan', '--from-cluster', '--to', '4.19', '--catalog', f'4.18={people}', status=2,
                             words=('the version of the cluster is not known',))

    def test_no_wait_ends_after_the_subscription_is_created(self) -> None:
        self.install('--no-wait')
        self.assertEqual(len(self.names(SUBSCRIPTIONS, 'greet')), 1)

    def test_an_operator_that_is_there_with_other_settings_is_left_alone(self) -> None:
        self.install('--version', '1.0.0', '--no-wait')
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'beta', status=1, words=('already', 'opcat upgrade'))

    def test_namespaces_in_which_olm_would_do_nothing(self) -> None:
        namespace = {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}}
        groups = [{'apiVersion': f'{OLM}/v1', 'kind': 'OperatorGroup', 'metadata': {'name': name, 'namespace': 'greet'}, 'spec': {}}
                  for name in ('one', 'two')]
        self.apply(namespace)
        self.changes_nothing('install', 'greeter', *IN_GREET, status=1, words=('no OperatorGroup', '--create-operator-group'))
        self.apply(*groups)
        self.changes_nothing('install', 'greeter', *IN_GREET, status=1, words=('2 OperatorGroups', 'one', 'two'))

    def test_an_install_mode_that_the_bundle_has_not(self) -> None:
        self.changes_nothing('install', 'homebody', *IN_GREET, '--all-namespaces', status=1, words=('AllNamespaces',))

    def test_a_namespace_that_is_being_deleted(self) -> None:
        self.begin_to_delete_namespace('greet')
        self.changes_nothing('install', 'greeter', *IN_GREET, status=3, words=('greet', 'being deleted'))

    def test_a_csv_that_was_left_behind(self) -> None:
        self.install()
        self.kubectl('-n', 'greet', 'delete', 'subscriptions.operators.coreos.com', 'greeter')
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, status=1, words=('greeter.v2.0.0',))

    def test_a_version_that_is_pinned_stays(self) -> None:
        self.ends(0, 'install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--dry-run', words=('OLM continues beyond 1.0.0', '--pin'))
        self.ends(2, 'install', 'greeter', *IN_GREET, '--pin', words=('--version',))
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--pin')
        self.assertEqual(self.csvs(), ['greeter.v1.0.0'])

    def test_dependencies_that_only_came_along_go_if_that_is_asked_for(self) -> None:
        """The simulation installs none, so the test creates the objects as OLM does."""
        self.install('--version', '1.0.0', '--approval', 'manual', '--yes')
        csv = self.one(CSVS, 'greet', 'greeter.v1.0.0') or {}
        required = {'type': 'olm.gvk.required', 'value': {'group': 'tone.example.com', 'version': 'v1', 'kind': 'Tone'}}
        csv['metadata'].setdefault('annotations', {})['operatorframework.io/properties'] = json.dumps({'properties': [required]})
        self.store.replace(CSVS, csv)
        made = {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'ClusterServiceVersion', 'metadata': {'name': 'tone.v1', 'namespace': 'greet'},
                'spec': {'displayName': 'x', 'install': {'strategy': 'deployment', 'spec': {'deployments': []}},
                         'customresourcedefinitions': {'owned': [{'name': 'tones.tone.example.com', 'version': 'v1', 'kind': 'Tone'}]}},
                'status': {'phase': 'Succeeded'}}
        self.store.create(CSVS, made)
        self.store.create(SUBSCRIPTIONS, {
            'apiVersion': f'{OLM}/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': 'tone-stable-people-olm', 'namespace': 'greet'},
            'spec': {'name': 'tone', 'source': 'people', 'sourceNamespace': 'olm', 'startingCSV': 'tone.v1'},
            'status': {'state': 'AtLatestKnown', 'currentCSV': 'tone.v1', 'installedCSV': 'tone.v1'}})
        self.changes_nothing('uninstall', 'greeter', *IN_GREET, '--dry-run', words=('stays Subscription greet/tone-stable-people-olm',))
        other = {**made, 'metadata': {'name': 'other.v1', 'namespace': 'greet', 'annotations': csv['metadata']['annotations']}}
        self.store.create(CSVS, {**other, 'spec': {**other['spec'], 'customresourcedefinitions': {}}})
        both = ('uninstall', 'greeter', *IN_GREET, '--with-dependencies')
        self.changes_nothing(*both, '--dry-run', words=('other.v1 needs it, too',))
        self.store.delete(CSVS, 'greet', 'other.v1')
        self.succeeds(*both, '--yes')
        self.assertEqual(self.names(SUBSCRIPTIONS, 'greet') + self.csvs(), [])

    def test_a_resolution_from_the_objects_and_catalogs_of_the_cluster(self) -> None:
        self.install('--version', '1.0.0', '--approval', 'manual', '--yes')
        resolve = ('resolve', 'classic', '--from-cluster', '-n', 'greet')
        self.changes_nothing(*resolve, words=('upgrade greeter.v1.1.0 package greeter, channel stable, catalog olm/people, replaces greeter.v1.0.0',))
        self.changes_nothing(*resolve, '--subscribe', 'homebody', words=('install homebody.v1.0.0',))
        self.apply(*[{'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': name, 'namespace': namespace},
                      'spec': {'sourceType': 'grpc', 'image': 'registry.example/nobody:v1'}} for name, namespace in (('nobody', 'olm'), ('far', 'default'))])
        result = self.changes_nothing(*resolve, status=1, words=(
            'warning: without catalog olm/nobody: ', '--catalog olm/nobody=REF gives its content',
            'the cluster has CatalogSource olm/nobody, and its catalog is not given'))
        self.assertNotIn('default/far', result.err)
        empty = self.dir / 'empty'
        empty.mkdir()
        self.assertNotIn('without catalog', self.changes_nothing(*resolve, '--catalog', f'olm/nobody={empty}').err)

    def test_a_dependency_comes_along(self) -> None:
        result = self.changes_nothing('install', 'guest', *IN_GREET, '--dry-run', words=('install guest.v1.0.0',))
        self.assertRegex(result.err, r'install greeter\.v\S+ \(.*\), which is required')

    def test_an_operator_that_another_way_of_installing_brought(self) -> None:
        """OLM classic would not notice it: both would own the definition."""
        for labels, words in (({'olm.operatorframework.io/owner-name': 'hello'}, 'belongs to ClusterExtension hello'),
                              ({'opcat/set': 'greeter'}, 'belongs to operator greeter without OLM')):
            with self.subTest(words):
                self.kubectl('delete', 'crd', 'greetings.greeter.example.com', '--ignore-not-found')
                self.apply({'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                            'metadata': {'name': 'greetings.greeter.example.com', 'labels': labels},
                            'spec': {'group': 'greeter.example.com', 'scope': 'Namespaced',
                                     'names': {'kind': 'Greeting', 'plural': 'greetings'},
                                     'versions': [{'name': 'v1', 'served': True, 'storage': True,
                                                   'schema': {'openAPIV3Schema': {'type': 'object'}}}]}})
                self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, status=1, words=(words, 'opcat uninstall'))

    def test_the_rights_that_the_document_lists_are_enough(self) -> None:
        """docs/cluster.md, \"Rights that you need\"."""
        document = (ROOT / 'docs/cluster.md').read_text()
        roles = document.partition('```yaml\n')[2].partition('```')[0]
        self.assertEqual(self.kubectl('apply', '-f', '-', stdin=roles).status, 0)
        alice = {'subjects': [{'kind': 'User', 'name': 'alice'}]}
        rbac = 'rbac.authorization.k8s.io'
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}})
        self.apply({'apiVersion': f'{rbac}/v1', 'kind': 'RoleBinding', 'metadata': {'name': 'some', 'namespace': 'greet'}, **alice,
                    'roleRef': {'apiGroup': rbac, 'kind': 'ClusterRole', 'name': 'opcat-classic-in-namespace'}},
                   {'apiVersion': f'{rbac}/v1', 'kind': 'ClusterRoleBinding', 'metadata': {'name': 'some'}, **alice,
                    'roleRef': {'apiGroup': rbac, 'kind': 'ClusterRole', 'name': 'opcat-classic-in-cluster'}})
        # kubectl applies a missing Namespace by patching it.
        as_alice = ('--context', 'alice', '--yes')
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--approval', 'manual',
                      '--create-operator-group', *as_alice)
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', *as_alice)
        self.assertEqual(self.opcat('status', '-n', 'greet', '--olm', 'classic', '--context', 'alice').status, 0)
        self.succeeds('uninstall', 'greeter', '-n', 'greet', *as_alice)
        self.wait_for('its end', lambda: not self.csvs())

    def test_the_package_server_is_down(self) -> None:
        self.started.stand_in.faults.add(Fault('packagemanifests', code=503))
        result = self.opcat('install', 'greeter', *IN_GREET, *STABLE, '--dry-run')
        self.assertIn('unable to handle the request', result.err)
        self.assertEqual(result.status, 0, result)  # the catalogs themselves have the answer


class Approval(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def install_by_hand(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--approval', 'manual', '--yes')
        self.assertEqual(self.csvs(), ['greeter.v1.0.0'])

    def test_without_yes_and_a_terminal_the_plan_is_shown_and_waits(self) -> None:
        result = self.opcat('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--approval', 'manual')
        self.assertIn('greeter.v1.0.0', result.err)
        self.assertEqual(self.csvs(), [])
        self.succeeds('approve', 'greeter', '-n', 'greet', '--yes')
        self.wait_for('the operator', lambda: self.csvs() == ['greeter.v1.0.0'])

    def test_upgrade_approves_step_by_step_to_the_target(self) -> None:
        self.install_by_hand()
        result = self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', '--yes')
        self.assertEqual(self.csvs(), ['greeter.v2.0.0'])
        self.assertIn('greeter.v1.1.0', result.err)

    def test_a_dry_run_refuses_what_the_user_may_not_do(self) -> None:
        self.install_by_hand()
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)
        reading = {'apiGroups': ['*'], 'resources': ['*'], 'verbs': ['get', 'list', 'watch']}
        pod = {'apiVersion': 'v1', 'kind': 'Pod', 'spec': {'containers': []}, 'metadata': {
            'name': 'people-b1c2d', 'namespace': 'olm', 'labels': {'olm.catalogSource': 'people'}}}
        self.store.create(('', 'pods'), pod)
        self.let_alice(reading)
        for command, what in ((('upgrade', 'greeter', *IN_GREET), 'patch InstallPlan greet/install-'), (('approve', 'greeter', '-n', 'greet'), 'patch InstallPlan greet/install-'),
                              (('upgrade', 'greeter', *IN_GREET, '--channel', 'beta'), 'patch Subscription greet/greeter'),
                              (('catalog', 'remove', 'people'), 'delete CatalogSource olm/people'), (('catalog', 'refresh', 'people'), 'delete Pod olm/people-b1c2d')):
            for more in ('--dry-run', '--yes'):
                with self.subTest(command=command, more=more):
                    self.changes_nothing(*command, more, '--context', 'alice', status=3, words=(f'cannot {what}', 'the user may not'))
        # A pipeline that only looks whether an approval is due.
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--context', 'alice', status=4, words=('waits for approval of greeter.v1.1.0',))
        # A role may name the objects that it is about.
        [plan] = [one['metadata']['name'] for one in self.store.list((OLM, 'installplans'), 'greet') if not one['spec']['approved']]
        self.let_alice(reading, {'apiGroups': [OLM], 'resources': ['installplans'], 'resourceNames': [plan], 'verbs': ['patch']})
        self.succeeds('approve', 'greeter', '-n', 'greet', '--yes', '--context', 'alice')

    def test_a_plan_that_has_changed_since_it_was_shown_is_not_approved(self) -> None:
        self.install_by_hand()
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)

        def change() -> None:
            for plan in self.store.list((OLM, 'installplans'), 'greet'):
                if not plan['spec']['approved']:
                    plan['spec']['clusterServiceVersionNames'] = ['greeter.v1.1.0', 'other.v1']
                    self.store.replace((OLM, 'installplans'), plan)
        self.forget_requests()
        status, shown = self.at_terminal('approve', 'greeter', '-n', 'greet', question='Approve all of it? [y/N] ', answer='y', before=change)
        self.assertEqual((status, self.writes()), (3, []), shown)
        self.assertIn('is not approved: it has been changed since it was shown', shown)

    def test_upgrade_stops_at_the_target(self) -> None:
        self.install_by_hand()
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--yes')
        self.assertEqual(self.csvs(), ['greeter.v1.1.0'])
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--yes')

    def test_upgrade_without_a_version_approves_one_step_and_names_the_next(self) -> None:
        self.install_by_hand()
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--yes', words=('greeter 1.1.0 is installed and ready in namespace greet', 'greeter.v2.0.0'))
        self.assertEqual(self.csvs(), ['greeter.v1.1.0'])

    def test_upgrade_without_waiting_approves_the_plan_that_waits(self) -> None:
        self.install_by_hand()
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)
        upgrade = ('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', '--no-wait')
        self.changes_nothing(*upgrade, status=4, words=('install greeter.v1.1.0',))
        self.succeeds(*upgrade, '--yes', words=('approved InstallPlan greet/',))
        self.wait_for('the operator', lambda: self.csvs() == ['greeter.v1.1.0'])

    def test_a_step_beyond_the_version_is_not_approved(self) -> None:
        """The InstallPlan is from a time when the channel had no 1.1.0."""
        self.lead_to('greeter.v2.0.0')
        self.install_by_hand()
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)
        self.simulation.stop()
        self.lead_to('greeter.v1.1.0', 'greeter.v2.0.0')
        for target in (('1.1.0',), ('greeter.v1.1.0',), ('1.1.0', '--no-wait')):
            with self.subTest(target):
                self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', *target, '--yes', status=1, words=(
                    'the step that waits leads to greeter.v2.0.0, beyond 1.1.0: nothing was approved',
                    "no upgrade path of the catalog's channel ends there"))
                self.assertEqual(self.csvs(), ['greeter.v1.0.0'])
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--dry-run', status=1, words=('beyond 1.1.0: nothing was approved',))

    def test_automatic_upgrades_do_not_stop_at_a_version(self) -> None:
        self.lead_to()
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--no-wait')
        self.wait_for('the operator', lambda: 'installedCSV' in str(self.one(SUBSCRIPTIONS, 'greet', 'greeter')))
        self.simulation.stop()
        self.lead_to('greeter.v1.1.0', 'greeter.v2.0.0')
        self.ends(0, 'upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--dry-run',
                  words=('upgrades of greeter are approved automatically: OLM may go on beyond greeter.v1.1.0',))

    def lead_to(self, *names: str) -> None:
        """The channel stable leads from 1.0.0 to these."""
        for blob in self.started.contents['people']:
            if blob['schema'] == 'olm.channel' and (blob['package'], blob['name']) == ('greeter', 'stable'):
                chain = ('greeter.v1.0.0', *names)
                blob['entries'] = [{'name': name, **({'replaces': chain[i - 1]} if i else {})} for i, name in enumerate(chain)]

    def test_approval_needs_a_confirmation(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--approval', 'manual', '--no-wait')
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 1)
        self.changes_nothing('approve', 'greeter', '-n', 'greet', status=2, words=('approval must be confirmed', 'add --yes'))
        status, shown = self.at_terminal('approve', 'greeter', '-n', 'greet', question='Approve all of it? [y/N] ', answer='n')
        self.assertEqual((status, shown.endswith('nothing was approved\n')), (4, True), shown)

    def test_status_reports_which_upgrade_waits(self) -> None:
        self.install_by_hand()
        self.wait_for('the plan', lambda: len(self.names((OLM, 'installplans'), 'greet')) == 2)
        result = self.opcat('status', 'greeter', '-n', 'greet')
        self.assertIn('waits for approval of greeter.v1.1.0', result.out)

    def test_approving_nothing(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE)
        self.changes_nothing('approve', 'greeter', '-n', 'greet', '--yes', words=('nothing of greeter waits for approval: greeter.v2.0.0 is installed and ready',))
        csv = self.one(CSVS, 'greet', 'greeter.v2.0.0') or {}
        self.simulation.stop()
        self.store.replace(CSVS, {**csv, 'status': {'phase': 'Failed', 'reason': 'InstallComponentFailed', 'message': 'no Service may be made'}})
        self.changes_nothing('approve', 'greeter', '-n', 'greet', '--yes', status=1,
                             words=('nothing of greeter waits for approval: ', 'no Service may be made'))

    def test_no_way_down(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE)
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.0.0', '--yes', status=1,
                             words=('cannot return to the lower version 1.0.0', 'opcat install greeter -n greet --version 1.0.0'))
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '9.0.0', '--yes', status=1,
                             words=('no version 9.0.0', 'channel stable has 2.0.0, 1.1.0, 1.0.0'))


class Uninstall(SimulatedCase):
    CRD = (('apiextensions.k8s.io', 'customresourcedefinitions'), '', 'greetings.greeter.example.com')

    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE)
        self.apply({'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': 'hello', 'namespace': 'greet'}})

    def left(self) -> list[str]:
        return self.csvs() + self.names(SUBSCRIPTIONS, 'greet')

    def test_what_is_deleted_and_what_stays_is_printed_first(self) -> None:
        result = self.changes_nothing('uninstall', 'greeter', *IN_GREET, '--dry-run')
        reported = result.out + result.err
        for words in ('greeter.v2.0.0', 'greetings.greeter.example.com', 'hello'):
            self.assertIn(words, reported)

    def test_the_subscription_and_the_csv_go_and_user_data_stays(self) -> None:
        self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes', '--no-wait', words=('the deletion of greeter from namespace greet was requested',))
        self.wait_for('the end of both', lambda: not self.left())
        self.assertIsNotNone(self.one(*self.CRD))
        self.assertEqual(self.names(('greeter.example.com', 'greetings'), 'greet'), ['hello'])
        self.changes_nothing('uninstall', 'greeter', *IN_GREET, '--yes')

    def test_it_can_be_installed_again(self) -> None:
        self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes')
        self.wait_for('the end of both', lambda: not self.left())
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE)

    def test_user_data_is_deleted_only_on_request(self) -> None:
        uninstall = ('uninstall', 'greeter', *IN_GREET, '--yes', '--delete-crds', '--delete-operands')
        self.changes_nothing(*uninstall, '--no-wait', status=2, words=('custom resources are deleted before their operator', 'leave out --no-wait'))
        self.succeeds(*uninstall)
        self.wait_for('the end of the CRD', lambda: self.one(*self.CRD) is None)

    def test_an_operator_group_that_others_need_stays(self) -> None:
        self.succeeds('install', 'crasher', *IN_GREET, '--no-wait')
        self.changes_nothing('uninstall', 'greeter', *IN_GREET, '--yes', '--delete-operator-groups', status=2, words=(
            'namespace greet has other operators that need its OperatorGroup', 'leave out --delete-operator-groups'))

    def test_what_does_not_go_is_named_when_the_time_is_over(self) -> None:
        csv = self.one(CSVS, 'greet', 'greeter.v2.0.0') or {}
        csv['metadata']['finalizers'] = ['example.com/wait']
        self.store.replace(CSVS, csv)
        self.ends(3, 'uninstall', 'greeter', *IN_GREET, '--yes', '--timeout', '5s',
                  words=('uninstalling greeter was not done within 5s: ', 'greeter.v2.0.0'))

    def test_operator_groups_go_only_when_asked(self) -> None:
        self.succeeds('uninstall', 'greeter', *IN_GREET, '--yes', '--delete-operator-groups')
        self.wait_for('its end', lambda: not self.names((OLM, 'operatorgroups'), 'greet'))

    def test_without_yes_and_a_terminal_nothing_goes(self) -> None:
        self.forget_requests()
        self.opcat('uninstall', 'greeter', *IN_GREET)
        self.assertEqual(self.writes(), [])
        self.assertEqual(len(self.left()), 2)


if __name__ == '__main__':
    main()
