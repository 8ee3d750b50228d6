"""A cluster with the small simulation of both OLMs, and a registry with the catalog that it serves."""
from __future__ import annotations

import re
from typing import Any

import bundles
from cluster_case import TESTDATA, ClusterCase, Result
from standin.registry import Registry
from standin.storage import Key, Object

OLM, V1 = 'operators.coreos.com', 'olm.operatorframework.io'
RBAC = 'rbac.authorization.k8s.io'
WRITES = re.compile(r'^(POST|PUT|PATCH|DELETE) (?!.*(subjectaccess|dryRun=All|/portforward$))')


class SimulatedCase(ClusterCase):
    """`people` is the catalog: greeter (1.0.0 to 3.0.0), lonely (requires an API that nobody provides), guest (requires greeter's),
    guard (has a webhook), unpullable, crasher, homebody."""
    speed = 1.0

    def setUp(self) -> None:
        super().setUp()
        self.started = self.session(crds=TESTDATA / 'crds', catalogs=TESTDATA / 'catalogs', speed=self.speed)
        self.store = self.started.stand_in.store
        assert self.started.simulation
        self.simulation = self.started.simulation
        self.simulation.missing.add('unpullable.v1.0.0')
        self.simulation.crashing.add('crasher.v1.0.0')
        self.addCleanup(lambda: self.assertIsNone(self.simulation.trouble))
        self.registry = Registry()
        self.registry.__enter__()
        self.addCleanup(self.registry.__exit__)
        for name, (package, version, manifests) in bundles.ALL.items():
            self.registry.push(f'{package}-bundle', f'v{version}', *bundles.image(package, manifests))
            self.simulation.manifests[name] = manifests
        self.image = f'{self.registry.address}/people:v1'
        self.registry.push_catalog('people', 'v1', (TESTDATA / 'catalogs/people.jsonl').read_text())

    def environment(self, **more: str) -> dict[str, str]:
        """Registries on loopback use plain HTTP, and ours has the bundles of registry.example."""
        configuration = self.dir / 'registries.conf'
        if hasattr(self, 'registry'):
            configuration.write_text(f'[[registry]]\nlocation = "{self.registry.address}"\ninsecure = true\n'
                                     f'[[registry]]\nlocation = "registry.example"\n[[registry.mirror]]\n'
                                     f'location = "{self.registry.address}"\ninsecure = true\n')
        return super().environment(**{'CONTAINERS_REGISTRIES_CONF': str(configuration), **more})

    def add_classic_catalog(self) -> None:
        self.apply({'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': 'people', 'namespace': 'olm'},
                    'spec': {'sourceType': 'grpc', 'image': self.image}})
        self.wait_for('the catalog', lambda: 'READY' in str(self.one((OLM, 'catalogsources'), 'olm', 'people')))

    def let_alice(self, *rules: Object) -> None:
        self.apply({'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRole', 'metadata': {'name': 'some'}, 'rules': rules},
                   {'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRoleBinding', 'metadata': {'name': 'some'},
                    'roleRef': {'apiGroup': RBAC, 'kind': 'ClusterRole', 'name': 'some'}, 'subjects': [{'kind': 'User', 'name': 'alice'}]})

    def one(self, key: Key, namespace: str, name: str) -> Object | None:
        return self.store.get(key, namespace, name)

    def names(self, key: Key, namespace: str = '') -> list[str]:
        return [thing['metadata']['name'] for thing in self.store.list(key, namespace)]

    def csvs(self, namespace: str = 'greet') -> list[str]:
        return self.names((OLM, 'clusterserviceversions'), namespace)

    def forget_requests(self) -> None:
        self.started.stand_in.requests.clear()

    def writes(self) -> list[str]:
        """The requests since `forget_requests` that change something."""
        return [request for request in self.started.stand_in.requests if WRITES.match(request)]

    def succeeds(self, *arguments: str, **options: Any) -> Result:
        return self.ends(0, *arguments, **options)

    def ends(self, status: int, *arguments: str, words: tuple[str, ...] = (), **options: Any) -> Result:
        result = self.opcat(*arguments, **options)
        self.assertEqual(result.status, status, result)
        for word in words:
            self.assertIn(word, ' '.join((result.out + result.err).split()))
        return result

    def changes_nothing(self, *arguments: str, status: int = 0, words: tuple[str, ...] = ()) -> Result:
        self.forget_requests()
        result = self.ends(status, *arguments, words=words)
        self.assertEqual(self.writes(), [], result)
        return result

    def begin_to_delete_namespace(self, name: str) -> None:
        """Its content prevents the end of the deletion."""
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}},
                   {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'stuck', 'namespace': name,
                                                                          'finalizers': ['example.com/wait']}})
        self.kubectl('delete', 'namespace', name, '--wait=false')
