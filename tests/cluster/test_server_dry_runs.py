"""The API server's own dry run decides what becomes of a bundle's objects, before anything is created. Covers lib/cluster/dry_run.cpp."""
from __future__ import annotations

import copy
import json

import bundles
from cluster_case import TESTDATA, main
from simulated_case import SimulatedCase
from simulated_case import V1 as V1_GROUP
from standin.faults import Fault
from test_round_trips import FOR_DRY_RUN, RoundTripCase
from test_v1_commands import CATALOGS, IN_GREET, STABLE, V1Case

CLASSIC = ('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--channel', 'stable')
NAMESPACE = {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}}


class Classic(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()
        self.apply(NAMESPACE)

    def refuse(self, pattern: str, code: int = 422) -> None:
        self.started.stand_in.faults.add(Fault(pattern + '.*dryRun', code=code))

    def test_what_the_server_refuses_is_named(self) -> None:
        """Such as a policy for the namespace, which no rule without a cluster knows."""
        for pattern, words in (('PATCH .*configmaps/greeter-2-0-0', 'greeter.v2.0.0: InstallPlan Failed: '),
                               ('PATCH .*deployments/greeter-controller', 'greeter.v2.0.0: ClusterServiceVersion Failed: ')):
            with self.subTest(pattern):
                self.refuse(pattern)
                self.changes_nothing(*CLASSIC, '--create-operator-group', status=1, words=(
                    'OLM will not do it: ' + words, 'the stand-in was reported to fail', 'because the API server refuses'))
                self.started.stand_in.faults.clear()

    def test_what_may_not_be_asked_is_not_checked(self) -> None:
        self.refuse('PATCH .*deployments', 403)
        self.changes_nothing(*CLASSIC, '--create-operator-group', '--dry-run', words=(
            'install greeter.v2.0.0', 'not checked: whether the API server accepts Deployment greet/greeter-controller'))

    def test_a_namespace_that_is_new_has_no_policies_yet(self) -> None:
        self.changes_nothing('install', 'greeter', '-n', 'new', '--olm', 'classic', '--channel', 'stable', '--dry-run', words=(
            'not checked: policies for namespace new, which does not exist',))

    def test_objects_that_exist_are_changed_in_another_way_than_a_dry_run_would(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'greeter-2-0-0', 'namespace': 'greet'}})
        self.refuse('PATCH .*configmaps/greeter-2-0-0')
        self.changes_nothing(*CLASSIC, '--create-operator-group', '--dry-run', words=(
            'install greeter.v2.0.0', 'not checked: whether the API server accepts the changes of ConfigMap greet/greeter-2-0-0'))


class V1(V1Case):
    def test_objects_of_others_are_not_taken_over(self) -> None:
        """Recorded: "PriorityClass 'mine' already exists in namespace '' and cannot be managed by operator-controller"."""
        self.apply(NAMESPACE)
        for kind, api, name in (('ConfigMap', 'v1', 'greeter-2-0-0'), ('Deployment', 'apps/v1', 'greeter-controller'), ('ServiceAccount', 'v1', 'greeter')):
            with self.subTest(kind):
                thing = {'apiVersion': api, 'kind': kind, 'metadata': {'name': name, 'namespace': 'greet'}}
                self.apply({**thing, **({'spec': {'selector': {'matchLabels': {'a': 'b'}}, 'template': {'metadata': {'labels': {'a': 'b'}}}}}
                                        if kind == 'Deployment' else {})})
                self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, status=1, words=(
                    f"OLM will not do it: {kind} '{name}' already exists in namespace 'greet' and cannot be managed by operator-controller",))
                self.kubectl('delete', kind.lower(), name, '-n', 'greet')

    def test_its_own_objects_are(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, *STABLE, '--version', '1.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--dry-run', words=('upgrade from greeter.v1.0.0 to',))
        # Where it stays, nothing changes that could be refused.
        result = self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.0.0', '--dry-run')
        self.assertNotIn('not checked', result.err)

    def test_all_documents_of_a_file_and_the_items_of_lists_count(self) -> None:
        """Recorded: OLM v1 refuses the one, and needs rights for the other; OLM classic reads the first documents only."""
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        files, labels = bundles.image(package, [*manifests, {'apiVersion': 'v1', 'kind': 'List', 'items': [
            {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'in-a-list'}}]}])
        self.registry.push(f'{package}-bundle', f'v{version}', files, labels)
        result = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--dry-run')
        self.assertRegex(result.out, r'(?s)kind: Role\n.*resourceNames:(\n  - \S+)*\n  - in-a-list\n')
        files['manifests/0-clusterserviceversion.yaml'] += '\n---\n' + json.dumps({'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'second'}})
        self.registry.push(f'{package}-bundle', f'v{version}', files, labels)
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, status=1, words=('unsupported resource "second" with kind "Deployment"',))

    def test_what_the_server_refuses_is_named(self) -> None:
        self.apply(NAMESPACE)
        self.started.stand_in.faults.add(Fault('PATCH .*configmaps/greeter-2-0-0.*dryRun', code=422))
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, status=1, words=('the stand-in was reported to fail',))


class LargePackages(RoundTripCase):
    """A bundle with fifty objects in a package with two hundred versions."""

    def setUp(self) -> None:
        super().setUp()
        package, version, manifests = copy.deepcopy(bundles.ALL['greeter.v2.0.0'])
        manifests += [{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': f'more-{i}'}} for i in range(50)]
        self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
        lines = [json.loads(line) for line in (TESTDATA / 'catalogs/people.jsonl').read_text().splitlines()]
        stable = next(blob for blob in lines if blob['schema'] == 'olm.channel' and blob['package'] == 'greeter' and blob['name'] == 'stable')
        for i in range(200):
            name = f'greeter.v0.{i}.0'
            stable['entries'].append({'name': name, **({'replaces': f'greeter.v0.{i - 1}.0'} if i else {})})
            lines.append({'schema': 'olm.bundle', 'package': 'greeter', 'name': name, 'image': f'registry.example/greeter-bundle:v0.{i}.0',
                          'properties': [{'type': 'olm.package', 'value': {'packageName': 'greeter', 'version': f'0.{i}.0'}}]})
        stable['entries'][0]['replaces'] = 'greeter.v0.199.0'
        self.registry.push_catalog('people', 'v1', ''.join(json.dumps(blob) + '\n' for blob in lines))

    def test_cost_no_more_round_trips(self) -> None:
        self.add_classic_catalog()
        self.apply(NAMESPACE)
        self.late(FOR_DRY_RUN, *CLASSIC, '--create-operator-group', '--dry-run')
        self.apply({'apiVersion': f'{V1_GROUP}/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': 'people'},
                    'spec': {'source': {'type': 'Image', 'image': {'ref': self.image}}}})
        self.wait_for('the catalog', lambda: 'Serving' in str(self.one(CATALOGS, '', 'people')))
        self.late(FOR_DRY_RUN, 'install', 'greeter', *IN_GREET, *STABLE, '--dry-run')


if __name__ == '__main__':
    main()
