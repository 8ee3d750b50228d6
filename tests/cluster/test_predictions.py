"""Predictions before any change: from the content that the cluster serves, not from tags that have moved; and predicted losses.
Covers lib/cluster/classic_prediction.cpp and lib/cluster/v1_prediction.cpp."""
from __future__ import annotations

import copy
import json
from typing import Any

import bundles
from cluster_case import TESTDATA, main
from simulated_case import OLM, SimulatedCase
from simulated_case import V1 as V1_GROUP
from standin.storage import Object
from test_v1_commands import CATALOGS, EXTENSIONS, IN_GREET, STABLE, V1Case

DEPRECATIONS = {'schema': 'olm.deprecations', 'package': 'greeter', 'entries': [
    {'reference': {'schema': 'olm.package'}, 'message': 'it has no future'},
    {'reference': {'schema': 'olm.channel', 'name': 'beta'}, 'message': 'use stable'},
    {'reference': {'schema': 'olm.bundle', 'name': 'greeter.v1.0.0'}, 'message': 'it is old'},
    {'reference': {'schema': 'olm.bundle', 'name': 'greeter.v2.0.0'}, 'message': 'it forgets names'}]}
SAID_OF_GREETER = tuple(f'greeter in catalog olm/people: deprecated: {words}' for words in (
    'package greeter: it has no future', 'channel beta: use stable', 'bundle greeter.v2.0.0: it forgets names'))
CLASSIC = ('-n', 'greet', '--olm', 'classic')
GREETINGS = ('greeter.example.com', 'greetings')


class Classic(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.text = (TESTDATA / 'catalogs/people.jsonl').read_text()
        self.digest = self.registry.push_catalog('people', 'v1', self.text).partition('@')[2]
        self.add_classic_catalog()

    def put(self, api_version: str, kind: str, namespace: str, name: str, **parts: Any) -> Object:
        """An object with its status, as a controller of the cluster would write it."""
        resource = self.store.resource_of_kind(api_version, kind)
        assert resource
        metadata = {'name': name, 'namespace': namespace, **parts.pop('metadata', {})}
        return self.store.create(resource.key, {'apiVersion': api_version, 'kind': kind, 'metadata': metadata, **parts})

    def serve_by_a_pod(self) -> None:
        self.put('v1', 'Pod', 'olm', 'people-b1c2d', metadata={'labels': {'olm.catalogSource': 'people'}},
                 spec={'containers': [{'name': 'registry-server', 'image': self.image}]},
                 status={'phase': 'Running', 'containerStatuses': [
                     {'name': 'registry-server', 'ready': True, 'restartCount': 0, 'image': self.image,
                      'imageID': f'{self.image.rpartition(":")[0]}@{self.digest}', 'state': {'running': {}}}]})

    def move_the_tag(self) -> None:
        """The catalog in the registry now has another package, and greeter's stable channel has 3.0.0."""
        entry = '{"name": "greeter.v2.0.0", "replaces": "greeter.v1.1.0"}'
        blobs = [json.loads(line) for line in self.text.splitlines()]
        for blob in blobs:
            if blob['schema'] == 'olm.channel' and (blob['package'], blob['name']) == ('greeter', 'stable'):
                self.assertIn(json.loads(entry), blob['entries'])
                blob['entries'].append({'name': 'greeter.v3.0.0', 'replaces': 'greeter.v2.0.0'})
        self.registry.push_catalog('people', 'v1', '\n'.join(json.dumps(blob) for blob in blobs))

    def test_a_tag_that_moved_is_not_what_the_cluster_serves(self) -> None:
        self.serve_by_a_pod()
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.ends(0, 'upgrade', 'greeter', *CLASSIC, words=('at the latest version that OLM knows',))
        self.move_the_tag()
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, status=1,
                             words=('newer than what the cluster serves', 'opcat catalog refresh people -n olm'))
        result = self.changes_nothing('install', 'crasher', '-n', 'other', '--olm', 'classic', '--dry-run')
        self.assertIn(self.digest, result.err)

    def test_an_index_still_names_the_image_that_the_cluster_serves(self) -> None:
        self.serve_by_a_pod()
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.registry.index('people', 'v1', self.digest)
        self.ends(0, 'upgrade', 'greeter', *CLASSIC, words=('at the latest version that OLM knows',))
        other = self.registry.push_catalog('others', 'v1', self.text + '{"schema": "olm.package", "name": "late"}\n').partition('@')[2]
        self.registry.index('people', 'v1', other)
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, status=1, words=('newer than what the cluster serves',))

    def test_catalogs_that_are_not_needed_are_not_read(self) -> None:
        self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'olm', 'large', spec={'sourceType': 'grpc', 'image': 'registry.example/people:v9'},
                 status={'connectionState': {'lastObservedState': 'READY'}})
        result = self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, '--catalog', 'olm/people', '--dry-run')
        self.assertNotIn('large', result.err)
        self.assertNotIn('not given', result.err)

    def test_what_an_upgrade_does_to_custom_resources_is_said_before(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, '--channel', 'stable')
        before = self.one(('apiextensions.k8s.io', 'customresourcedefinitions'), '', 'greetings.greeter.example.com')
        assert before
        self.apply({'apiVersion': 'greeter.example.com/v1', 'kind': 'Greeting', 'metadata': {'name': 'hello', 'namespace': 'greet'},
                    'spec': {'text': 'hello', 'volume': 'loud'}})
        # greeter 3.0.0 drops the field `volume`.
        self.ends(0, 'upgrade', 'greeter', *CLASSIC, '--channel', 'beta', '--dry-run',
                  words=('spec.volume of Greeting greet/hello', '1 custom resource'))
        wrong = self.one(GREETINGS, 'greet', 'hello')
        assert wrong
        wrong['spec']['text'] = 5
        self.store.replace(GREETINGS, wrong)
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--channel', 'beta', status=1,
                             words=('Greeting greet/hello is not valid', 'spec.text must be of type string'))

    def test_catalogs_that_there_are_are_named(self) -> None:
        for name, words in (('olm/poeple', 'did you mean olm/people'), ('olm/x', 'namespace greet sees olm/people')):
            with self.subTest(name):
                self.changes_nothing('install', 'nobody', *CLASSIC, '--catalog', name, status=1, words=(words,))

    def test_the_content_of_a_catalog_is_not_replaced_without_a_question(self) -> None:
        self.changes_nothing('catalog', 'add', 'people', 'registry.example/other:v1', '-n', 'olm', '--olm', 'classic', status=2,
                             words=(self.image, '--yes'))
        self.succeeds('catalog', 'add', 'people', 'registry.example/other:v1', '-n', 'olm', '--olm', 'classic', '--yes', '--no-wait', '--no-check',
                      '--force-conflicts')

    def test_a_catalog_at_an_address(self) -> None:
        self.changes_nothing('catalog', 'add', 'local', 'address:nowhere', '-n', 'olm', '--olm', 'classic', status=2, words=('HOST:PORT',))
        self.succeeds('catalog', 'add', 'local', 'address:registry.shop.svc:50051', '-n', 'olm', '--olm', 'classic', '--no-wait')
        spec = (self.one((OLM, 'catalogsources'), 'olm', 'local') or {})['spec']
        self.assertEqual((spec['address'], spec.get('image')), ('registry.shop.svc:50051', None))

    def test_a_catalog_that_is_gone_is_said_to_be(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.succeeds('catalog', 'remove', 'people', '-n', 'olm', '--olm', 'classic', '--yes')
        self.wait_for('its word about it', lambda: 'ResolutionFailed' in str(self.store.list((OLM, 'subscriptions'))))
        self.ends(1, 'status', ahead=60, words=('greeter.v2.0.0 runs on', 'catalog olm/people does not exist: there are no upgrades',))

    def test_of_two_catalogs_the_reason_for_one_is_said(self) -> None:
        other = self.put(f'{OLM}/v1alpha1', 'CatalogSource', 'olm', 'others', spec={'sourceType': 'grpc', 'image': self.image, 'priority': 5},
                         status={'connectionState': {'lastObservedState': 'READY'}})
        self.changes_nothing('install', 'greeter', *CLASSIC, '--dry-run', words=(
            'catalog olm/others has the highest priority (5) of those with package greeter: olm/others and olm/people',))
        other['spec']['priority'] = 0
        self.store.replace((OLM, 'catalogsources'), other)
        self.changes_nothing('install', 'greeter', *CLASSIC, '--dry-run', status=2, words=(
            'package greeter is in several catalogs of priority 0: olm/', '--catalog'))

    def test_search_says_what_is_deprecated(self) -> None:
        self.started.contents['people'].append(DEPRECATIONS)
        self.ends(0, 'search', 'greeter', '--olm', 'classic', words=SAID_OF_GREETER)
        self.assertEqual(self.succeeds('search', 'greeter', '--olm', 'classic', '-o', 'json').json()['packages'][0]['deprecations'],
                         ['package greeter: it has no future', 'channel beta: use stable', 'bundle greeter.v2.0.0: it forgets names'])

    def test_conditions_about_others_are_not_causes(self) -> None:
        """Neither their events nor their Deployments and pods."""
        for name, about in (('e1', 'crasher-controller-7d9f'), ('e2', 'unrelated-6b5c')):
            self.put('v1', 'Event', 'greet', name, type='Warning', reason='BackOff', message=f'back-off of {about}',
                     involvedObject={'kind': 'Pod', 'name': about}, lastTimestamp='2026-01-01T00:00:00Z')
        self.put('apps/v1', 'Deployment', 'greet', 'unrelated', spec={'replicas': 1}, status={'replicas': 1})
        result = self.ends(1, 'install', 'crasher', *CLASSIC, '--create-operator-group', '--timeout', '60s',
                           words=('back-off of crasher-controller-7d9f',))
        self.assertNotIn('unrelated', result.err)


class V1OfSeveralCatalogs(V1Case):
    """Those of a lower priority are read only if they can matter: images of catalogs are large."""
    dry_run = ('install', 'greeter', *IN_GREET, *STABLE, '--dry-run')

    def add_catalog(self, name: str, priority: int, text: str) -> None:
        self.registry.push_catalog(name, 'v1', text)
        self.started.contents[name] = [json.loads(line) for line in text.splitlines()]
        self.apply({'apiVersion': f'{V1_GROUP}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': name}, 'spec': {
            'priority': priority, 'source': {'type': 'Image', 'image': {'ref': f'{self.registry.address}/{name}:v1'}}}})
        self.wait_for('the catalog', lambda: 'Serving' in str(self.one(CATALOGS, '', name)))

    def people(self) -> str:
        return (TESTDATA / 'catalogs/people.jsonl').read_text()

    def test_the_one_of_the_highest_priority_that_has_the_package_is_enough(self) -> None:
        self.add_catalog('others', 5, self.people())
        result = self.changes_nothing(*self.dry_run, words=('catalog others)', 'not read: people (priority 0)'))
        self.assertNotIn('cannot be read', result.err)
        self.assertEqual(self.registry.asked & {'people', 'others'}, {'others'})
        # Installed operators stay with their catalog.
        self.install('--version', '1.0.0', '--catalog', 'people')
        self.registry.asked.clear()
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0')
        self.assertEqual(self.registry.asked & {'people', 'others'}, {'people'})

    def test_those_without_the_package_or_the_version_are_passed_over(self) -> None:
        self.add_catalog('empty', 9, '{"schema": "olm.package", "name": "other"}\n')
        self.add_catalog('former', 5, self.people().replace('2.0.0', '0.2.0'))
        self.add_catalog('last', -5, self.people())
        self.changes_nothing(*self.dry_run, '--version', '2.0.0', words=(
            'install greeter.v2.0.0 (version 2.0.0, catalog people)', 'not read: last (priority -5)'))
        self.assertEqual(self.registry.asked & {'empty', 'former', 'people', 'last'}, {'empty', 'former', 'people'})

    def test_what_is_deprecated_gives_way_to_a_lower_one(self) -> None:
        self.add_catalog('others', 5, self.people() + json.dumps(DEPRECATIONS) + '\n')
        self.changes_nothing(*self.dry_run, '--version', '2.0.0', words=('catalog people)', 'what catalog others offers is deprecated'))
        self.assertEqual(self.registry.asked & {'people', 'others'}, {'people', 'others'})

    def test_of_the_same_priority_none_is_chosen(self) -> None:
        self.add_catalog('others', 0, self.people())
        self.changes_nothing(*self.dry_run, status=1, words=('in multiple catalogs with the same priority [others people]',))
        self.changes_nothing(*self.dry_run, '--catalog', 'others')
        self.add_catalog('lower', -1, self.people())
        self.changes_nothing(*self.dry_run, status=1, words=('in multiple catalogs with the same priority [lower others people]',))


class V1(V1Case):

    def test_what_the_cluster_does_not_serve_is_said_before(self) -> None:
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v1.0.0'])
        dry_run = ('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0', '--dry-run')
        next(thing for thing in manifests if thing['kind'] == 'ClusterServiceVersion')['spec']['minKubeVersion'] = '1.99.0'
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
        self.changes_nothing(*dry_run, words=('greeter.v1.0.0 needs Kubernetes 1.99.0 (minKubeVersion), and the cluster has v1.33.0: '
                                              'OLM v1 installs it nevertheless',))
        manifests.append({'apiVersion': 'policy/v1beta1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'greeter'}, 'spec': {}})
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
        self.changes_nothing(*dry_run, status=1, words=('policy/v1beta1',))

    def test_search_says_what_is_deprecated(self) -> None:
        text = (TESTDATA / 'catalogs/people.jsonl').read_text()
        self.registry.push_catalog('people', 'v1', text + json.dumps(DEPRECATIONS) + '\n')
        # Without a channel it would be the newest version.
        self.ends(0, 'search', 'greeter', '--olm', 'v1', words=tuple(words.replace('olm/', '') for words in SAID_OF_GREETER[:2]))

    def test_a_downgrade_is_called_so_and_asked_about_and_the_policy_is_taken_back(self) -> None:
        self.install('--version', '2.0.0')
        down = ('upgrade', 'greeter', *IN_GREET, '--to', '1.0.0', '--self-certified')
        self.changes_nothing(*down, status=2, words=('downgrade from greeter.v2.0.0 to greeter.v1.0.0', '--yes'))
        status, shown = self.at_terminal(*down, question='Go on? [y/N] ', answer='n')
        self.assertEqual((status, shown.endswith('nothing was changed\n')), (1, True), shown)
        self.assertEqual(self.installed(), 'greeter.v2.0.0')
        self.succeeds(*down, '--yes')
        self.assertEqual(self.installed(), 'greeter.v1.0.0')
        self.assertEqual(self.extension()['spec']['source']['catalog']['upgradeConstraintPolicy'], 'CatalogProvided')
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', '--self-certified', '--keep-self-certified',
                      words=('stays SelfCertified',))
        self.assertEqual(self.extension()['spec']['source']['catalog']['upgradeConstraintPolicy'], 'SelfCertified')

    def test_names_that_there_are_are_named(self) -> None:
        for arguments, words in ((('greeter', '--catalog', 'poeple'), 'did you mean people'),
                                 (('greeter', '--catalog', 'x'), 'the cluster has people'),
                                 (('greter', '--catalog', 'people'), 'did you mean greeter')):
            with self.subTest(arguments):
                self.assertIn(words, self.opcat('install', *arguments, *IN_GREET).err)
        self.assertEqual(self.names(EXTENSIONS), [])

    def test_a_dry_run_of_what_is_so_already(self) -> None:
        self.install('--version', '1.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.0.0', '--dry-run', words=('asks for this already',))

    def test_a_catalog_image_that_is_not_there_ends_the_wait(self) -> None:
        self.ends(1, 'catalog', 'add', 'missing', f'{self.registry.address}/missing:v9', '--olm', 'v1', '--no-check', words=('manifest unknown',))


if __name__ == '__main__':
    main()
