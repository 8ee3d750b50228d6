"""What is predicted of several operators, other namespaces and versions that nothing leads to is what happens."""
from __future__ import annotations

import copy
import json

from cluster_case import TESTDATA, main
from simulated_case import OLM, SimulatedCase
from standin.storage import Object

SUBSCRIPTIONS, CSVS, PLANS = (OLM, 'subscriptions'), (OLM, 'clusterserviceversions'), (OLM, 'installplans')
CLASSIC = ('-n', 'greet', '--olm', 'classic')
STABLE = ('--channel', 'stable')


class Simulated(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def blobs(self) -> list[Object]:
        return [json.loads(line) for line in (TESTDATA / 'catalogs/people.jsonl').read_text().splitlines()]

    def change_catalog(self, blobs: list[Object]) -> None:
        """What the cluster serves, and what the image holds."""
        self.started.contents['people'][:] = blobs
        self.registry.push_catalog('people', 'v1', '\n'.join(map(json.dumps, blobs)))

    def with_chain(self, *entries: Object) -> list[Object]:
        """The channel stable of greeter has these entries."""
        blobs = self.blobs()
        for blob in blobs:
            if blob['schema'] == 'olm.channel' and (blob['package'], blob['name']) == ('greeter', 'stable'):
                blob['entries'] = list(entries)
        return blobs

    def test_an_upgrade_to_a_version_next_to_another_operator(self) -> None:
        """A waiting InstallPlan is for both: a Subscription has the next CSV as its current one before that exists."""
        blobs = self.blobs()
        for blob in copy.deepcopy(blobs):
            if blob.get('package', blob['name']) == 'greeter':
                text = json.dumps(blob).replace('greeter', 'waver').replace('Greeting', 'Wave').replace('greetings', 'waves')
                blobs.append(json.loads(text))
        self.change_catalog(blobs)
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}},
                   {'apiVersion': f'{OLM}/v1', 'kind': 'OperatorGroup', 'metadata': {'name': 'greet', 'namespace': 'greet'},
                    'spec': {'targetNamespaces': ['greet']}},
                   *[{'apiVersion': f'{OLM}/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': f'my-{package}', 'namespace': 'greet'},
                      'spec': {'name': package, 'source': 'people', 'sourceNamespace': 'olm', 'channel': 'stable',
                               'installPlanApproval': 'Manual', 'startingCSV': f'{package}.v1.0.0'}} for package in ('greeter', 'waver')])

        def waits(*csvs: str) -> bool:
            return any(plan['spec']['clusterServiceVersionNames'] == list(csvs) and not plan['spec']['approved']
                       for plan in self.store.list(PLANS, 'greet'))
        self.wait_for('a plan for both', lambda: waits('greeter.v1.0.0', 'waver.v1.0.0'))
        self.succeeds('approve', 'greeter', '-n', 'greet', '--yes')
        self.wait_for('the next plan for both', lambda: waits('greeter.v1.1.0', 'waver.v1.1.0'))
        upgrade = ('upgrade', 'greeter', *CLASSIC, '--to', '2.0.0')
        result = self.changes_nothing(*upgrade, '--dry-run', words=(
            'upgrade to greeter.v1.1.0 from greeter.v1.0.0', 'upgrade to greeter.v2.0.0 from greeter.v1.1.0'))
        self.assertNotIn('remove Subscription', result.err)
        self.succeeds(*upgrade, '--yes')
        self.assertIn('greeter.v2.0.0', self.csvs())

    def test_an_api_that_a_group_of_another_namespace_provides(self) -> None:
        """OLM would let the ClusterServiceVersion fail."""
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'other'}},
                   {'apiVersion': f'{OLM}/v1', 'kind': 'OperatorGroup', 'metadata': {
                       'name': 'all', 'namespace': 'other', 'annotations': {'olm.providedAPIs': 'Greeting.v1.greeter.example.com'}}, 'spec': {}})
        self.changes_nothing('install', 'greeter', *CLASSIC, *STABLE, status=1, words=(
            'greeter.v2.0.0 would fail with reason InterOperatorGroupOwnerConflict: OperatorGroup other/all provides '
            'Greeting.v1.greeter.example.com in namespaces that it watches, too',))

    def test_a_version_that_is_jumped_over_is_refused_dry_or_not(self) -> None:
        self.change_catalog(self.with_chain({'name': 'greeter.v1.0.0'}, {'name': 'greeter.v1.1.0', 'replaces': 'greeter.v1.0.0'},
                                            {'name': 'greeter.v2.0.0', 'replaces': 'greeter.v1.1.0', 'skips': ['greeter.v1.0.0']}))
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')
        for more in (['--dry-run'], ['--yes'], ['--yes', '--no-wait']):
            with self.subTest(more):
                self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '1.1.0', *more, status=1, words=(
                    'the upgrade path from greeter.v1.0.0 jumps over greeter.v1.1.0: it is greeter.v2.0.0', 'nothing was changed'))

    def test_a_version_to_which_nothing_leads_is_refused_at_once(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        # Only channel beta has 3.0.0.
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '3.0.0', '--yes', status=1, words=(
            'no upgrade leads from greeter.v2.0.0 to greeter.v3.0.0',))
        # The version has left the catalog.
        blobs = [blob for blob in self.with_chain({'name': 'greeter.v2.0.0'}) if blob['name'] not in ('greeter.v3.0.0', 'beta')]
        self.change_catalog(blobs)
        self.changes_nothing('upgrade', 'greeter', *CLASSIC, '--to', '3.0.0', '--yes', status=1, words=(
            'catalog olm/people has no version 3.0.0 of greeter',))

    def test_an_installed_version_that_left_the_catalog_is_not_the_latest(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')
        self.change_catalog([blob for blob in self.with_chain({'name': 'greeter.v2.0.0'}) if blob['name'] not in (
            'greeter.v1.0.0', 'greeter.v1.1.0')])
        self.simulation.stop()
        subscription = self.one(SUBSCRIPTIONS, 'greet', 'greeter') or {}
        subscription['status'] = {'state': 'AtLatestKnown', 'currentCSV': 'greeter.v1.0.0', 'installedCSV': 'greeter.v1.0.0'}
        self.store.replace(SUBSCRIPTIONS, subscription)
        for plan in self.store.list(PLANS, 'greet'):
            if plan['status']['phase'] == 'RequiresApproval':
                self.store.drop(PLANS, 'greet', plan['metadata']['name'])
        for more in ((), ('--dry-run',)):
            result = self.changes_nothing('upgrade', 'greeter', *CLASSIC, *more, status=1, words=(
                'error: greeter.v1.0.0 is not in catalog olm/people, and nothing there replaces or skips it: it has no upgrade',))
            self.assertNotIn('latest', result.err)
        for place in ((), ('-n', 'greet')):
            self.ends(0, 'status', *place, words=('greeter.v1.0.0 is not in catalog olm/people and has no upgrade there', '--catalog'))


if __name__ == '__main__':
    main()
