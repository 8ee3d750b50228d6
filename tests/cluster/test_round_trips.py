"""How many requests a command waits for one after the other, on a cluster that answers late: the same for few objects and for many."""
from __future__ import annotations

from cluster_case import Result, main
from plain_environment import THE_MACHINES
from simulated_case import OLM, V1, SimulatedCase
from standin.clock import clock
from standin.storage import Object

DELAY = float(THE_MACHINES.get('ROUND_TRIP', '0.25'))  # seconds: longer than the calls of one moment need to start
FOR_STATUS, FOR_DRY_RUN = 8, 12
MANY = 12


def named(api: str, kind: str, name: str, namespace: str = '', **more: object) -> Object:
    return {'apiVersion': api, 'kind': kind, 'metadata': {'name': name, **({'namespace': namespace} if namespace else {})}, **more}


class RoundTripCase(SimulatedCase):
    def late(self, most: int, *arguments: str, status: int = 0) -> Result:
        """The same command at a distance from the cluster; the requests that it waited for are at most so many."""
        trips = self.started.stand_in.round_trips
        trips.forget()
        trips.delay = DELAY
        try:
            result = self.ends(status, *arguments)
        finally:
            trips.delay = 0.0
        series = trips.one_after_the_other()
        if 'ROUND_TRIPS' in THE_MACHINES:  # a file, for a look at the figures
            with open(THE_MACHINES['ROUND_TRIPS'], 'a', encoding='utf-8') as file:
                print(f'{len(series)} of {trips.requests()} requests one after the other: {" ".join(arguments)}', *series, sep='\n    ', file=file)
        self.assertLessEqual(len(series), most, '\n'.join(series))
        return result

    def fill(self, count: int) -> None:
        """Operators that make no progress, in as many namespaces, and as many catalogs that are not ready."""
        self.simulation.stop()
        for i in range(count):
            name = f'shop-{i}'
            labels = {f'{V1}/owner-name': name}
            self.apply(named('v1', 'Namespace', name))
            self.apply(named(f'{OLM}/v1', 'OperatorGroup', name, name, spec={'targetNamespaces': [name]}),
                       named(f'{OLM}/v1alpha1', 'Subscription', 'greeter', name,
                             spec={'name': 'greeter', 'channel': 'stable', 'source': 'people', 'sourceNamespace': 'olm'}),
                       named(f'{OLM}/v1alpha1', 'CatalogSource', name, name, spec={'sourceType': 'grpc', 'image': self.image}),
                       named(f'{V1}/v1', 'ClusterExtension', name, spec={
                           'namespace': name, 'serviceAccount': {'name': name},
                           'source': {'sourceType': 'Catalog', 'catalog': {'packageName': 'greeter'}}}),
                       {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': name, 'namespace': name, 'labels': labels},
                        'spec': {'replicas': 1, 'selector': {'matchLabels': labels}, 'template': {
                            'metadata': {'labels': labels}, 'spec': {'containers': [{'name': 'manager', 'image': 'registry.example/a'}]}}}})


class Status(RoundTripCase):
    def test_of_few_and_of_many_operators(self) -> None:
        self.add_classic_catalog()
        for count in (1, MANY):
            with self.subTest(count=count):
                self.fill(count)
                self.late(FOR_STATUS, 'status')
                self.late(FOR_STATUS, 'status', '-n', 'shop-0')


class DryRuns(RoundTripCase):
    def test_with_olm_classic(self) -> None:
        self.add_classic_catalog()
        install = ('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--channel', 'stable')
        self.late(FOR_DRY_RUN, *install, '--dry-run')
        self.succeeds(*install, '--version', '1.0.0', '--approval', 'manual', '--yes')
        self.late(FOR_DRY_RUN, 'upgrade', 'greeter', '-n', 'greet', '--dry-run')
        self.late(FOR_DRY_RUN, 'upgrade', 'greeter', '-n', 'greet', '--olm', 'classic', '--to', '2.0.0', '--dry-run')

    def test_of_many_packages_the_server_sends_one(self) -> None:
        self.add_classic_catalog()
        self.forget_requests()
        self.late(FOR_DRY_RUN, 'install', 'greeter', '-n', 'greet', '--olm', 'classic', '--dry-run')
        asked = [request for request in self.started.stand_in.requests if 'packagemanifests' in request]
        self.assertEqual([request.partition('?')[2] for request in asked], ['fieldSelector=metadata.name%3Dgreeter'])
        # What else there is matters to who has mistyped.
        self.ends(2, 'install', 'greter', '-n', 'greet', '--olm', 'classic', '--dry-run', words=('greeter',))

    def test_with_olm_v1(self) -> None:
        self.apply(named(f'{V1}/v1', 'ClusterCatalog', 'people', spec={'source': {'type': 'Image', 'image': {'ref': self.image}}}))
        clock.advance(10)
        install = ('install', 'greeter', '-n', 'greet', '--olm', 'v1', '--channel', 'stable')
        self.late(FOR_DRY_RUN, *install, '--dry-run')
        self.succeeds(*install, '--version', '1.0.0')
        self.late(FOR_DRY_RUN, 'upgrade', 'greeter', '-n', 'greet', '--dry-run')
        self.late(FOR_DRY_RUN, 'upgrade', 'greeter', '-n', 'greet', '--olm', 'v1', '--to', '1.1.0', '--dry-run')


if __name__ == '__main__':
    main()
