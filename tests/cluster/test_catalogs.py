"""The catalogs of a cluster with OLM v1: listed, read again, removed, and resolved from. Covers tools/opcat/commands/catalog.cpp and
catalog_availability.cpp, catalog_users.cpp."""
from __future__ import annotations

import json

from cluster_case import main
from simulated_case import V1
from standin.faults import Fault
from test_v1_commands import CATALOGS, STABLE, V1Case


class Catalogs(V1Case):
    def test_the_list_has_those_of_the_olm_that_is_asked_for(self) -> None:
        [row] = self.succeeds('catalog', 'list', '--olm', 'v1', '-o', 'json').json()['catalogs']
        self.assertEqual((row['name'], row['namespace'], row['olm'], row['health'], row['image']), ('people', '', 'v1', 'ready', self.image))
        self.assertRegex(self.succeeds('catalog', 'list').out, r'(?m)^people +- +v1 ')
        self.store.delete(CATALOGS, '', 'people')
        self.succeeds('catalog', 'list', words=('the cluster has no catalogs',))

    def test_a_catalog_in_use_is_removed_when_that_is_confirmed(self) -> None:
        self.install()
        self.changes_nothing('catalog', 'remove', 'people', '--dry-run', words=(
            'goes ClusterCatalog people', 'ClusterExtension greeter selects no other catalog: it runs on and gets no upgrades'))
        self.changes_nothing('catalog', 'remove', 'people', status=2, words=('must be confirmed',))
        status, shown = self.at_terminal('catalog', 'remove', 'people', question='Go on? [y/N] ', answer='no')
        self.assertEqual((status, shown.endswith('nothing was changed\n')), (1, True), shown)
        status, shown = self.at_terminal('catalog', 'remove', 'people', question='Go on? [y/N] ', answer='yes')
        self.assertEqual((status, self.names(CATALOGS)), (0, []), shown)
        self.changes_nothing('catalog', 'refresh', 'people', status=2, words=('catalog people does not exist', 'opcat catalog list'))

    def test_a_catalog_that_a_finalizer_keeps_is_not_said_to_be_gone(self) -> None:
        self.succeeds('catalog', 'add', 'kept', self.image, '--olm', 'v1', '--no-wait', '--no-check')
        kept = self.one(CATALOGS, '', 'kept') or {}
        kept['metadata']['finalizers'] = ['example.com/hold']
        self.store.replace(CATALOGS, kept)
        self.ends(0, 'catalog', 'remove', 'kept', '--no-wait', words=('the deletion of ClusterCatalog kept was requested',))
        self.ends(3, 'catalog', 'remove', 'kept', '--timeout', '20s', words=('ClusterCatalog kept is not gone within 20s', 'finalizers'))

    def test_a_digest_is_not_read_again(self) -> None:
        self.changes_nothing('catalog', 'refresh', 'people', '--dry-run', words=('polling interval would be changed',))
        self.succeeds('catalog', 'add', 'pinned', 'registry.example/people@sha256:' + 64 * 'a', '--olm', 'v1', '--no-wait', '--no-check')
        self.changes_nothing('catalog', 'refresh', 'pinned', words=('names a digest: there is nothing newer',))

    def test_a_catalog_of_another_image_replaces_it_when_that_is_confirmed(self) -> None:
        self.registry.push_catalog('people', 'v2', '{"schema": "olm.package", "name": "other", "defaultChannel": "a"}\n'
                                   '{"schema": "olm.channel", "package": "other", "name": "a", "entries": [{"name": "other.v1"}]}\n')
        other = self.image.replace(':v1', ':v2')
        add = ('catalog', 'add', 'people', other, '--olm', 'v1', '--no-wait', '--no-check')
        self.changes_nothing(*add, status=2)
        status, shown = self.at_terminal(*add, question='[y/N] ', answer='n')
        self.assertEqual((status, shown.endswith('nothing was changed\n')), (1, True), shown)
        status, shown = self.at_terminal(*add, '--poll', '90s', '--force-conflicts', question='[y/N] ', answer='y')
        self.assertEqual(status, 0, shown)
        image = (self.one(CATALOGS, '', 'people') or {})['spec']['source']['image']
        self.assertEqual(image, {'ref': other, 'pollIntervalMinutes': 1})

    def test_a_disabled_catalog_is_not_served_until_it_is_enabled(self) -> None:
        self.install('--version', '1.0.0')
        disable = ('catalog', 'disable', 'people')
        words = 'ClusterExtension greeter selects no other catalog: it runs on and gets no upgrades'
        self.changes_nothing(*disable, '--dry-run', words=('ClusterCatalog people will not be served', words))
        self.changes_nothing(*disable, status=2, words=(words, 'must be confirmed'))
        self.changes_nothing('catalog', 'enable', 'people', words=('ClusterCatalog people is Available already, nothing was changed',))
        status, shown = self.at_terminal(*disable, question='Go on? [y/N] ', answer='no')
        self.assertEqual((status, shown.endswith('nothing was changed\n')), (1, True), shown)
        self.succeeds(*disable, '--yes', words=('changed ClusterCatalog people: it is Unavailable', 'ClusterCatalog people is not served any more'))
        self.assertEqual((self.one(CATALOGS, '', 'people') or {})['spec']['availabilityMode'], 'Unavailable')
        self.succeeds('catalog', 'list', '--available', words=('the cluster serves no catalog',))
        # A catalog that is disabled stops nobody else.
        [outage] = [one for one in self.opcat('status', '-o', 'json').json()['catalogs'] if one['health'] == 'failing']
        self.assertEqual((outage['state'], outage['holdsUpEveryone'], outage['holdsUp']), ('UserSpecifiedUnavailable', False, ['greet/greeter']))
        self.changes_nothing(*disable, words=('is Unavailable already',))
        self.changes_nothing('catalog', 'enable', 'people', '--dry-run', words=(f'catalogd will read {self.image} again', 'ClusterExtension greeter can be upgraded from it'))
        self.succeeds('catalog', 'enable', 'people', words=('it is Available',))
        self.assertRegex(self.succeeds('catalog', 'list', '--available').out, r'(?m)^people +- +v1 ')

    def test_a_disabled_catalog_is_neither_added_again_nor_refreshed(self) -> None:
        self.succeeds('catalog', 'disable', 'people', '--yes')
        for command in (('add', 'people', self.image, '--olm', 'v1'), ('add', 'people', self.image.replace('v1', 'v2'), '--olm', 'v1', '--yes', '--no-check'),
                        ('refresh', 'people')):
            for more in ((), ('--dry-run',)):
                with self.subTest(command=command, more=more):
                    self.changes_nothing('catalog', *command, *more, status=1, words=(
                        'ClusterCatalog people is disabled', 'nothing was changed', 'opcat catalog enable people first'))

    def test_a_refresh_that_cannot_change_the_interval_back_says_so(self) -> None:
        for before, refused, status in ((None, 1, 0), (None, -1, 3), (30, -1, 3)):
            with self.subTest(before=before, refused=refused):
                catalog = self.one(CATALOGS, '', 'people') or {}
                catalog['spec']['source']['image'] = {'ref': self.image, **({'pollIntervalMinutes': before} if before else {})}
                self.store.replace(CATALOGS, catalog)
                self.started.stand_in.faults.add(Fault('PATCH .*/clustercatalogs/people', code=403, times=refused, after=1))
                result = self.ends(status, 'catalog', 'refresh', 'people', '--no-wait')
                self.started.stand_in.faults.clear()
                left = (self.one(CATALOGS, '', 'people') or {})['spec']['source']['image'].get('pollIntervalMinutes')
                self.assertEqual(left, before if status == 0 else (before or 0) + 1)
                if status:
                    text = ' '.join(result.err.split())
                    self.assertIn(f'pollIntervalMinutes of ClusterCatalog people is {(before or 0) + 1} now, and was {before or "not set"} before', text)
                    self.assertIn('kubectl patch clustercatalogs', text)

    def test_fields_that_another_manager_declares_are_not_taken_from_it(self) -> None:
        declared = {'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'people'}, 'spec': {
            'availabilityMode': 'Available', 'source': {'type': 'Image', 'image': {'ref': self.image, 'pollIntervalMinutes': 30}}}}
        self.kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=argocd-controller', '-f', '-', stdin=json.dumps(declared))
        for verb, field in (('disable', 'spec.availabilityMode'), ('refresh', 'spec.source.image.pollIntervalMinutes')):
            for more in ((), ('--dry-run',)):
                with self.subTest(verb=verb, more=more):
                    self.changes_nothing('catalog', verb, 'people', '--yes', *more, status=3, words=(
                        f'cannot change ClusterCatalog people: argocd-controller declares {field}, and would set it back', '--force-conflicts'))
        self.succeeds('catalog', 'refresh', 'people', '--force-conflicts', '--no-wait')
        self.succeeds('catalog', 'disable', 'people', '--force-conflicts', '--no-wait')
        self.assertEqual((self.one(CATALOGS, '', 'people') or {})['spec']['availabilityMode'], 'Unavailable')

    def test_a_dry_run_refuses_what_the_user_may_not_do(self) -> None:
        reading = {'apiGroups': ['*'], 'resources': ['*'], 'verbs': ['get', 'list', 'watch']}
        self.let_alice(reading)
        more = {'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'more'},
                'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}, 'availabilityMode': 'Unavailable'}}
        self.apply(more)
        for command, right in ((('disable', 'people'), 'patch'), (('enable', 'more'), 'patch'), (('refresh', 'people'), 'patch'), (('remove', 'people'), 'delete')):
            for flag in ('--dry-run', '--yes'):
                with self.subTest(command=command, flag=flag):
                    self.changes_nothing('catalog', *command, flag, '--context', 'alice', status=3, words=(f'cannot {right} ClusterCatalog {command[1]}', 'the user may not'))
        # A role may name the objects that it is about.
        self.let_alice(reading, {'apiGroups': [V1], 'resources': ['clustercatalogs'], 'resourceNames': ['people'], 'verbs': ['patch']})
        self.succeeds('catalog', 'disable', 'people', '--no-wait', '--context', 'alice')

    def test_another_catalog_of_the_name_is_not_the_one_that_was_shown(self) -> None:
        self.install('--version', '1.0.0')

        def replace() -> None:
            self.store.delete(CATALOGS, '', 'people')
            self.apply({'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'people'},
                        'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}, 'priority': 5}})
        for verb in ('remove', 'disable'):
            status, shown = self.at_terminal('catalog', verb, 'people', question='Go on? [y/N] ', answer='y', before=replace)
            self.assertEqual((status, (self.one(CATALOGS, '', 'people') or {})['spec'].get('availabilityMode', 'Available')), (3, 'Available'), shown)
            self.assertIn('ClusterCatalog people was deleted or replaced meanwhile: nothing was changed', shown)

    def test_others_that_have_the_package_are_named(self) -> None:
        self.install('--version', '1.0.0', '--catalog-selector', f'{V1}/metadata.name=people')
        extension = self.extension()
        del extension['spec']['source']['catalog']['selector']
        self.store.replace((V1, 'clusterextensions'), extension)
        self.apply({'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'more'},
                    'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}}})
        self.succeeds('catalog', 'disable', 'people', '--yes', '--no-wait', words=('ClusterExtension greeter is resolved from more alone',))
        self.changes_nothing('catalog', 'enable', 'people', '--dry-run', words=('it has the priority of more (0)',))

    def test_extensions_that_select_a_catalog_in_any_way_use_it(self) -> None:
        self.install('--version', '1.0.0')
        catalog = self.one(CATALOGS, '', 'people') or {}
        catalog['metadata'].setdefault('labels', {})['tier'] = 'gold'
        self.store.replace(CATALOGS, catalog)
        for selector, is_used in ((None, True), ({}, True), ({'matchLabels': {'tier': 'gold'}}, True), ({'matchLabels': {'tier': 'tin'}}, False),
                                  ({'matchExpressions': [{'key': f'{V1}/metadata.name', 'operator': 'In', 'values': ['people', 'more']}]}, True)):
            extension = self.extension()
            extension['spec']['source']['catalog']['selector'] = selector
            if selector is None:
                del extension['spec']['source']['catalog']['selector']
            self.store.replace((V1, 'clusterextensions'), extension)
            for verb in ('remove', 'disable'):
                with self.subTest(selector=selector, verb=verb):
                    result = self.changes_nothing('catalog', verb, 'people', '--dry-run')
                    self.assertEqual('ClusterExtension greeter' in result.err, is_used, result)
                    if is_used:
                        self.changes_nothing('catalog', verb, 'people', status=2, words=('a catalog that is in use must be confirmed',))

    def test_who_may_not_see_the_extensions_is_asked(self) -> None:
        self.let_alice({'apiGroups': [V1], 'resources': ['clustercatalogs'], 'verbs': ['*']})
        for verb in ('remove', 'disable'):
            self.changes_nothing('catalog', verb, 'people', '--olm', 'v1', '--context', 'alice', status=2, words=(
                'others may install from the catalog', 'a catalog that may be in use must be confirmed'))
        self.succeeds('catalog', 'disable', 'people', '--context', 'alice', '--yes', '--no-wait')
        # Nobody is harmed by a catalog with a priority of its own.
        self.succeeds('catalog', 'enable', 'people', '--context', 'alice', '--no-wait')

    def test_enabling_a_catalog_of_the_same_priority_is_confirmed(self) -> None:
        """OLM v1 then finds the bundles in two catalogs, and installs neither."""
        self.install('--version', '1.0.0')
        extension = self.extension()
        del extension['spec']['source']['catalog']['selector']
        self.store.replace((V1, 'clusterextensions'), extension)
        more = {'apiVersion': f'{V1}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'more'},
                'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}, 'availabilityMode': 'Unavailable', 'priority': 0}}
        self.apply(more)
        enable = ('catalog', 'enable', 'more')
        words = 'ClusterExtension greeter selects people, too, with the same priority (0): if both have package greeter, OLM v1 stops its upgrades'
        result = self.changes_nothing(*enable, '--dry-run', words=(words,))
        self.assertNotIn('can be upgraded', result.err)
        self.changes_nothing(*enable, status=2, words=(words, 'must be confirmed'))
        self.kubectl('patch', 'clustercatalogs.olm.operatorframework.io', 'more', '--type', 'merge', '-p', '{"spec": {"priority": 5}}')
        result = self.changes_nothing(*enable, '--dry-run', words=('ClusterExtension greeter can be upgraded from it',))
        self.assertNotIn('unless people', result.err)
        self.kubectl('patch', 'clustercatalogs.olm.operatorframework.io', 'more', '--type', 'merge', '-p', '{"spec": {"priority": -5}}')
        self.succeeds(*enable, '--no-wait', words=('can be upgraded from it unless people has package greeter',))

    def test_other_catalogs_that_may_not_be_listed_are_not_denied(self) -> None:
        self.install('--version', '1.0.0')
        self.let_alice({'apiGroups': [V1], 'resources': ['clustercatalogs'], 'verbs': ['get', 'patch', 'delete']},
                       {'apiGroups': [V1], 'resources': ['clusterextensions'], 'verbs': ['list']})
        for verb in ('remove', 'disable'):
            result = self.changes_nothing('catalog', verb, 'people', '--olm', 'v1', '--context', 'alice', status=2, words=(
                'ClusterExtension greeter selects it; whether it selects other catalogs is not known', 'must be confirmed'))
            self.assertNotIn('no other catalog', result.err)

    def test_only_cluster_catalogs_can_be_disabled(self) -> None:
        self.changes_nothing('catalog', 'disable', 'nobody', status=2, words=('catalog nobody does not exist',))
        self.store.delete(CATALOGS, '', 'people')
        self.add_classic_catalog()
        self.changes_nothing('catalog', 'disable', 'people', status=2, words=('cannot be disabled: only ClusterCatalogs of OLM v1 can',))

    def test_all_versions_are_listed_the_newest_first(self) -> None:
        self.add_classic_catalog()
        for olm in ('v1', 'classic'):
            with self.subTest(olm):
                search = ('search', 'greeter', '--olm', olm, '--list-versions')
                rows = [line.split() for line in self.succeeds(*search).out.splitlines()]
                self.assertEqual(rows[0], ['PACKAGE', 'CATALOG', 'OLM', 'VERSION', 'BUNDLE', 'CHANNELS', 'DEPRECATED'])
                self.assertEqual([row[3] for row in rows[1:]], ['3.0.0', '2.0.0', '1.1.0', '1.0.0'])
                [package] = self.succeeds(*search, '-o', 'json').json()['packages']
                self.assertEqual(package['versions'][0], {'version': '3.0.0', 'bundle': 'greeter.v3.0.0', 'channels': ['beta'], 'deprecated': False})
        self.assertNotIn('versions', self.succeeds('search', 'greeter', '--olm', 'v1', '-o', 'json').json()['packages'][0])

    def test_what_makes_no_sense_of_a_new_catalog(self) -> None:
        for more, words in (((f'{self.image}@sha256:1',), 'is not an image'), (('registry.example/a:v1', '--image-template', 'a:{kube_major_version}'), 'ClusterCatalogs have no templates'),
                            (('address:a:1', '--poll', '5m'), 'are for images, and this is an address')):
            self.changes_nothing('catalog', 'add', 'new', *more, '--olm', 'v1', status=2, words=(words,))

    def test_resolutions_use_the_catalogs_and_the_installed_bundle_of_the_cluster(self) -> None:
        resolve = ('resolve', 'v1', 'greeter', '--from-cluster')
        self.assertIn('greeter.v2.0.0', self.ends(0, *resolve, *STABLE).out)
        self.install('--version', '1.0.0', '--self-certified')
        # Channel and policy are those of the extension, unless flags say otherwise.
        for more, version in (((), '2.0.0'), (('--policy', 'CatalogProvided', '--version', '>=1.1.0'), '1.1.0')):
            [found] = self.ends(0, *resolve, *more, '-o', 'json').json()['resolutions']
            self.assertEqual(found['choice']['version'], version)
        self.ends(1, *resolve, *STABLE, '--version', '9.0.0')
        self.store.delete((V1, 'clustercatalogs'), '', 'people')
        self.ends(1, *resolve, *STABLE)


if __name__ == '__main__':
    main()
