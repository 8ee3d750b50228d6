"""Objects of others stay, and nothing is half-done: accounts, shared definitions, clean-up, rights, outages. Covers lib/cluster/uninstall.cpp."""
from __future__ import annotations

import threading

from cluster_case import main
from simulated_case import OLM, RBAC, V1, SimulatedCase
from standin.clock import STEP, clock
from standin.faults import Fault
from standin.server import StandIn
from test_v1_commands import EXTENSIONS, V1Case

SUBSCRIPTIONS, CSVS, GROUPS = (OLM, 'subscriptions'), (OLM, 'clusterserviceversions'), (OLM, 'operatorgroups')
CRDS = ('apiextensions.k8s.io', 'customresourcedefinitions')
IN_V1 = ('-n', 'greet', '--olm', 'v1', '--channel', 'stable')
CLASSIC = ('--olm', 'classic', '--channel', 'stable')


PAUSE = 0.4  # seconds between two states


class Restarts:
    """Lets the API server restart after every so many requests: unavailable for a moment, then without its custom resources, then complete."""

    def __init__(self, stand_in: StandIn, every: int) -> None:
        self._stand_in, self._every = stand_in, every
        self.count = 0
        self._seen = 0
        self._lock = threading.Lock()
        self._states: list[str] = []  # that are still to come
        stand_in.on_request = self._count

    def begin(self) -> int:
        """A command starts with a server that answers, because one that never did is not waited for. Returns the number of restarts."""
        while self._states:
            clock.advance(STEP)
        self._seen = len(self._stand_in.requests)
        return self.count

    def _count(self) -> None:
        with self._lock:
            if self._states or len(self._stand_in.requests) - self._seen < self._every:
                return
            self._states = ['starting', 'known', 'ready']
        clock.add(self._go_on, after=PAUSE)
        self._stand_in.set_state('gone')

    def _go_on(self) -> float | None:
        self._stand_in.set_state(self._states[0])
        if len(self._states) == 1:
            self.count += 1
            self._seen = len(self._stand_in.requests)
        del self._states[0]
        return PAUSE if self._states else None

    def stop(self) -> None:
        self._stand_in.on_request = lambda: None
        self.begin()


class WithV1(V1Case):
    def test_an_account_that_existed_is_used_and_stays(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}},
                   {'apiVersion': 'v1', 'kind': 'ServiceAccount', 'metadata': {'name': 'mine', 'namespace': 'greet'}})
        self.succeeds('install', 'greeter', *IN_V1, '--service-account', 'mine', words=('ServiceAccount greet/mine exists',))
        account = self.one(('', 'serviceaccounts'), 'greet', 'mine') or {}
        self.assertNotIn('opcat/installer', str(account['metadata']))
        self.succeeds('uninstall', 'greeter', '-n', 'greet', '--olm', 'v1', '--yes', words=('stays ServiceAccount greet/mine',))
        self.assertIn('mine', self.names(('', 'serviceaccounts'), 'greet'))
        self.assertEqual(self.names((RBAC, 'clusterroles')), ['cluster-admin'])

    def test_roles_of_other_origin_are_not_taken_over(self) -> None:
        self.apply({'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRole', 'metadata': {'name': 'greeter-installer'}, 'rules': []})
        self.changes_nothing('install', 'greeter', *IN_V1, status=3, words=('was not created for ClusterExtension greeter',))

    def test_nothing_is_made_where_a_right_is_missing(self) -> None:
        kinds = ['namespaces', 'serviceaccounts', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings', 'clusterextensions',
                 'clustercatalogs']
        self.let_alice({'apiGroups': ['', RBAC, V1], 'verbs': ['get', 'list', 'create', 'patch', 'delete'], 'resources': kinds},
                       {'apiGroups': ['apiextensions.k8s.io'], 'resources': ['customresourcedefinitions'], 'verbs': ['get']})
        self.changes_nothing('install', 'greeter', *IN_V1, '--context', 'alice', status=3,
                             words=('attempting to grant RBAC permissions not currently held',))
        self.assertEqual(self.names(EXTENSIONS), [])
        self.assertNotIn('greet', self.names(('', 'namespaces')))


class WithClassic(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def test_definitions_that_another_namespace_uses_stay(self) -> None:
        for namespace in ('one', 'two'):
            self.succeeds('install', 'greeter', '-n', namespace, *CLASSIC, '--version', '1.0.0', '--approval', 'manual', '--yes')
        # One that owns nothing else, so that only the definition connects both namespaces.
        twin = self.one(CSVS, 'one', 'greeter.v1.0.0') or {}
        self.apply({'apiVersion': twin['apiVersion'], 'kind': twin['kind'], 'metadata': {'name': 'other.v1', 'namespace': 'two'},
                    'spec': twin['spec']})
        uninstall = ('uninstall', 'greeter', '-n', 'one', '--olm', 'classic', '--delete-crds', '--yes')
        self.changes_nothing(*uninstall, status=2, words=('ClusterServiceVersion two/other.v1', '--force'))
        self.succeeds(*uninstall, '--force')
        self.assertNotIn('greetings.greeter.example.com', self.names(CRDS))

    def test_cleaning_up_leaves_nothing_of_what_olm_made(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'greet'}})
        self.ends(1, 'install', 'crasher', '-n', 'greet', '--olm', 'classic', '--create-operator-group', '--timeout', '40s',
                  '--cleanup-on-failure', words=('deleted ClusterServiceVersion greet/crasher.v1.0.0',))
        self.assertEqual(self.names(SUBSCRIPTIONS, 'greet') + self.names(CSVS, 'greet') + self.names(GROUPS, 'greet'), [])
        self.assertIn('greet', self.names(('', 'namespaces')))

    def test_a_broken_catalog_that_the_namespace_sees_is_named_before_anything_is_made(self) -> None:
        resource = self.store.resource_of_kind(f'{OLM}/v1alpha1', 'CatalogSource')
        assert resource
        self.store.create(resource.key, {
            'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': 'broken', 'namespace': 'olm', 'creationTimestamp': '2026-01-01T00:00:00Z'},
            'spec': {'sourceType': 'grpc', 'image': 'registry.example/x:v1'},
            'status': {'connectionState': {'lastObservedState': 'TRANSIENT_FAILURE'}}})
        self.changes_nothing('install', 'greeter', '-n', 'greet', *CLASSIC, status=1,
                             words=('CatalogSource olm/broken is not ready', 'opcat catalog remove broken -n olm'))

    def test_a_plan_that_waits_has_an_exit_status_of_its_own(self) -> None:
        self.ends(4, 'install', 'greeter', '-n', 'greet', *CLASSIC, '--approval', 'manual', '--cleanup-on-failure',
                  words=('opcat approve greeter -n greet',))
        self.assertEqual(self.names(SUBSCRIPTIONS, 'greet'), ['greeter'])


class OutagesOfV1(V1Case):
    """With kubectl's own retries."""
    relayed = False

    def test_one_that_restarts_again_and_again_changes_nothing(self) -> None:
        restarts = Restarts(self.started.stand_in, every=5)
        self.addCleanup(restarts.stop)
        for command in (('install', 'greeter', *IN_V1, '--version', '1.0.0'),
                        ('upgrade', 'greeter', '-n', 'greet', '--olm', 'v1', '--to', '1.1.0'), ('status', '--olm', 'v1'),
                        ('uninstall', 'greeter', '-n', 'greet', '--olm', 'v1', '--yes')):
            with self.subTest(command[0]):
                before = restarts.begin()
                self.succeeds(*command)
                self.assertTrue(restarts.count > before or command[0] == 'status')
        self.assertEqual(self.names(EXTENSIONS), [])


class Outages(SimulatedCase):
    """The same with OLM classic; kubectl runs while the server is away."""

    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def test_one_that_restarts_again_and_again_changes_nothing(self) -> None:
        """At every few requests of every command, at different points of its work."""
        restarts = Restarts(self.started.stand_in, every=6)
        self.addCleanup(restarts.stop)
        catalog = ('-n', 'olm', '--olm', 'classic')
        for command in (('catalog', 'add', 'others', self.image, *catalog), ('catalog', 'refresh', 'others', *catalog),
                        ('catalog', 'remove', 'others', *catalog, '--yes'), ('search', 'greeter', '--olm', 'classic'),
                        ('install', 'greeter', '-n', 'greet', *CLASSIC, '--version', '1.0.0', '--approval', 'manual', '--yes'),
                        ('upgrade', 'greeter', '-n', 'greet', '--olm', 'classic', '--to', '1.1.0', '--yes'),
                        ('status', '--olm', 'classic'), ('catalog', 'list', '--olm', 'classic'),
                        ('approve', 'greeter', '-n', 'greet', '--yes'),
                        ('uninstall', 'greeter', '-n', 'greet', '--olm', 'classic', '--yes')):
            with self.subTest(command[0]):
                before = restarts.begin()
                self.succeeds(*command)
                # These only make a few requests.
                self.assertTrue(restarts.count > before or command[0] in ('status', 'catalog', 'search', 'approve'))
            if command[0] in ('install', 'upgrade'):
                self.assertEqual(self.csvs(), ['greeter.v1.0.0' if command[0] == 'install' else 'greeter.v1.1.0'])
        self.assertEqual(self.names(SUBSCRIPTIONS, 'greet') + self.csvs(), [])

    def test_one_that_is_being_deleted_is_waited_for(self) -> None:
        stand_in = self.started.stand_in

        def go_away() -> None:
            if self.names(SUBSCRIPTIONS, 'greet'):
                stand_in.on_request = lambda: None
                faults.append(stand_in.faults.add(Fault('.', drop=True, times=4)))
        faults: list[Fault] = []
        stand_in.on_request = go_away
        self.succeeds('install', 'greeter', '-n', 'greet', *CLASSIC)
        self.assertEqual([fault.times for fault in faults], [0])


if __name__ == '__main__':
    main()
