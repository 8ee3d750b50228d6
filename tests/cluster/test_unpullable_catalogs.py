"""Catalogs of OLM classic whose images opcat cannot pull: it asks their registries on the cluster, through a forwarded port. The registries
are `opcat serve` and gRPC's own server. Covers lib/serve/registry_client.cpp and lib/serve/grpc_client.cpp."""
from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import threading
from typing import Any, Callable, Iterator

from cluster_case import OPCAT, TESTDATA, main
from simulated_case import OLM
from standin.storage import Object
from test_round_trips import FOR_DRY_RUN, RoundTripCase

try:
    import grpc
except ImportError:
    grpc = None

IN_GREET = ('-n', 'greet', '--olm', 'classic')
FROM_THE_CLUSTER = 'predicted from what catalog olm/people serves on the cluster'
Answers = dict[str, Callable[[bytes], Iterator[bytes]]]


def field(number: int, content: bytes) -> bytes:
    """A field of a message: text, or another message."""
    size, length = b'', len(content)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + content


def text(number: int, content: str) -> bytes:
    return field(number, content.encode())


BUNDLE = text(1, 'greeter.v1.0.0') + text(2, 'greeter') + text(3, 'stable') + text(6, 'registry.example/greeter-bundle:v1.0.0') + text(9, '1.0.0')
PACKAGE = text(1, 'greeter') + text(3, 'stable')


class Unpullable(RoundTripCase):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(lambda: [forward.close() for forward in self.started.stand_in.forwards])
        self.image = 'registry.nowhere.example/people:v1'

    def serve(self, blobs: str, name: str = 'people', namespace: str = 'olm') -> int:
        """A registry with this catalog, which the Service of this name leads to. Its port."""
        (self.dir / name).mkdir()
        (self.dir / name / 'catalog.jsonl').write_text(blobs)
        server = subprocess.Popen([OPCAT, 'serve', str(self.dir / name), '--port', '0', '--address', '127.0.0.1', '--no-metrics'],
                                  stderr=subprocess.PIPE, env={**os.environ, 'HOME': str(self.dir)})
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        assert server.stderr
        for line in server.stderr:
            if found := re.search(rb'protocol=grpc address=\S*:(\d+)', line):
                threading.Thread(target=server.stderr.read, daemon=True).start()
                self.lead(int(found.group(1)), name, namespace)
                return int(found.group(1))
        self.fail('no server')

    def serve_answers(self, answers: Answers) -> None:
        """gRPC's own server, which sends these messages."""
        if grpc is None:
            self.skipTest('needs python3-grpcio')

        class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
            def service(self, details: Any) -> Any:
                answer = answers.get(details.method.rpartition('/')[2])
                return answer and grpc.unary_stream_rpc_method_handler(lambda request, _: answer(request))

        server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
        server.add_generic_rpc_handlers((Handler(),))
        port = server.add_insecure_port('127.0.0.1:0')
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())
        self.lead(port, 'people', 'olm')

    def lead(self, port: int, name: str, namespace: str) -> None:
        self.started.stand_in.registries[namespace, name] = port
        selector = {'olm.catalogSource': name}
        self.apply({'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': name, 'namespace': namespace},
                    'spec': {'selector': selector, 'ports': [{'port': 50051}]}},
                   {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'{name}-abcde', 'namespace': namespace, 'labels': selector},
                    'spec': {'containers': [{'name': 'registry-server', 'image': self.image}]}, 'status': {'phase': 'Running'}})

    @staticmethod
    def people() -> str:
        return (TESTDATA / 'catalogs/people.jsonl').read_text()

    def install_first(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, '--channel', 'stable', '--version', '1.0.0', '--approval', 'manual', '--yes')


class AsAnAdministrator(Unpullable):
    def test_edges_and_dependencies_are_known(self) -> None:
        self.add_classic_catalog()
        self.serve(self.people())
        self.changes_nothing('install', 'greeter', *IN_GREET, '--dry-run', words=('install greeter.v2.0.0', FROM_THE_CLUSTER, 'could not resolve host'))
        self.changes_nothing('install', 'lonely', *IN_GREET, '--dry-run', status=1, words=('requires an operator providing an API with group: nobody.example.com',))
        self.install_first()
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', '--dry-run', words=(
            'upgrade to greeter.v1.1.0 from greeter.v1.0.0', 'upgrade to greeter.v2.0.0 from greeter.v1.1.0', FROM_THE_CLUSTER))
        self.changes_nothing('resolve', 'classic', '-n', 'greet', '--from-cluster', words=('greeter.v1.1.0',))

    def test_what_is_predicted_is_what_the_image_gives(self) -> None:
        self.add_classic_catalog()
        self.serve(self.people())
        self.install_first()
        commands = [('install', package, '-n', 'other', '--olm', 'classic', '--all-namespaces', '--dry-run')
                    for package in ('greeter', 'lonely', 'guest', 'guard')]
        commands.append(('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', '--dry-run'))
        said = []
        for from_image in (False, True):
            if from_image:
                source = self.one((OLM, 'catalogsources'), 'olm', 'people')
                assert source
                source['spec']['image'] = f'{self.registry.address}/people:v1'
                self.store.replace((OLM, 'catalogsources'), source)
            results = [self.opcat(*command) for command in commands]
            said.append([(result.status, [line for line in (result.out + result.err).splitlines()
                                          if not re.match(r'  note: predicted|(pulled|reused) |#', line)]) for result in results])
        self.assertEqual(said[0], said[1])

    def test_a_catalog_at_an_address_has_no_image(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'shop'}})
        self.serve(self.people(), 'local', 'shop')
        self.simulation.stop()
        self.apply({'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': 'own', 'namespace': 'shop'},
                    'spec': {'sourceType': 'grpc', 'address': 'local.shop.svc.cluster.local:50051'},
                    'status': {'connectionState': {'lastObservedState': 'READY', 'address': 'local.shop.svc.cluster.local:50051'}}},
                   {'apiVersion': f'{OLM}/v1', 'kind': 'OperatorGroup', 'metadata': {'name': 'shop', 'namespace': 'shop'}})
        self.changes_nothing('install', 'greeter', '-n', 'shop', '--olm', 'classic', '--catalog', 'own', '--dry-run', words=(
            'install greeter.v2.0.0 (channel stable, catalog shop/own)',
            'predicted from what catalog shop/own serves on the cluster, because catalog shop/own names no image'))

    def test_of_many_packages_in_many_catalogs_few_round_trips(self) -> None:
        """The image of another catalog cannot be pulled, either, and matters because no catalog has the dependency."""
        self.add_classic_catalog()
        self.serve(self.people() + many(400))
        for i in range(4):
            self.apply({'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': f'more-{i}', 'namespace': 'olm'},
                        'spec': {'sourceType': 'grpc', 'image': self.image}})
            self.serve(self.people(), f'more-{i}')
            self.wait_for('the catalog', lambda: 'READY' in str(self.one((OLM, 'catalogsources'), 'olm', f'more-{i}')))
        result = self.late(FOR_DRY_RUN, 'install', 'lonely', *IN_GREET, '--catalog', 'olm/people', '--dry-run', status=1)
        self.assertIn('no catalog has one', result.err)


class WhatCannotBeRead(Unpullable):
    PACKAGES_ONLY = "predicted from the cluster's PackageManifests"

    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()

    def falls_back(self, *words: str) -> None:
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'stable', '--dry-run', words=(
            self.PACKAGES_ONLY, 'it is not known what the upgrade edges and the dependencies of the catalog allow', *words))

    def test_without_the_right_to_forward_ports(self) -> None:
        self.serve(self.people())
        self.let_alice({'apiGroups': [OLM, 'packages.operators.coreos.com', 'apiextensions.k8s.io'], 'resources': ['*'], 'verbs': ['*']},
                       {'apiGroups': [''], 'resources': ['namespaces', 'pods', 'services'], 'verbs': ['get', 'list', 'create', 'patch']})
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'stable', '--dry-run', '--context', 'alice', words=(
            self.PACKAGES_ONLY, 'cannot forward a port to pod/people-abcde in namespace olm', 'pods/portforward'))

    def test_a_service_that_is_missing(self) -> None:
        self.falls_back('cannot forward a port to service/people in namespace olm')

    def test_a_server_that_is_gone(self) -> None:
        self.lead(1, 'people', 'olm')
        self.falls_back('cannot read what CatalogSource olm/people serves')

    def test_answers_that_are_not_of_a_registry(self) -> None:
        broken = {
            'a property or dependency that is not JSON': BUNDLE + field(12, text(1, 'olm.label') + text(2, '1},{"type":"olm.deprecated","value":{}')),
            'not one of an Operator Registry': b'\xff\xff',
            'without a name, a package or a channel': text(1, 'greeter.v1.0.0'),
            'a message of 16777217 bytes, and at most 16777216 are read [limit]': b'\0' * 16777217,
        }
        for words, message in broken.items():
            with self.subTest(words):
                self.serve_answers({'ListBundles': lambda _, message=message: iter([message]), 'GetPackage': lambda _: iter([PACKAGE])})
                self.falls_back(words)

    def test_a_registry_without_an_end(self) -> None:
        large = field(12, text(1, 'olm.text') + text(2, json.dumps('x' * (15 << 20))))
        self.serve_answers({'ListBundles': lambda _: (text(1, f'b.v{i}') + text(2, 'b') + text(3, 'stable') + large for i in itertools.count()),
                            'GetPackage': lambda _: iter([PACKAGE])})
        self.falls_back('the server sends more than 268435456 bytes, which is all that is read [limit]')

    def test_a_registry_without_bundles_is_read(self) -> None:
        self.serve_answers({'ListBundles': lambda _: iter([])})
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'stable', '--dry-run', status=1, words=(
            'no operators found from catalog people in namespace olm',))

    def test_calls_that_fail(self) -> None:
        self.serve_answers({'ListBundles': lambda _: iter([BUNDLE])})
        self.falls_back('/api.Registry/GetPackage ended with status 12')


class OtherServers(Unpullable):
    def test_what_grpc_itself_sends(self) -> None:
        """A registry of the SQLite format sends requirements as dependencies only, and may embed manifests."""
        self.add_classic_catalog()
        with_dependency = (text(1, 'greeter.v2.0.0') + text(2, 'greeter') + text(3, 'stable') + text(9, '2.0.0') + text(13, 'greeter.v1.0.0') +
                           field(11, text(1, 'olm.package') + text(2, '{"packageName": "nothing", "version": ">=1.0.0"}')) +
                           text(5, json.dumps({'kind': 'ClusterServiceVersion'})) + field(15, text(1, 'no longer')))
        self.serve_answers({'ListBundles': lambda _: iter([BUNDLE, with_dependency]), 'GetPackage': lambda _: iter([PACKAGE])})
        # Of two versions OLM takes the one whose requirements can be met.
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'stable', '--dry-run', words=('install greeter.v1.0.0', FROM_THE_CLUSTER))
        self.changes_nothing('install', 'greeter', *IN_GREET, '--version', 'greeter.v2.0.0', '--dry-run', status=1, words=(
            'requires an operator with package: nothing and with version in range: >=1.0.0',))

    def test_a_large_catalog(self) -> None:
        """Windows and frames are gRPC's own."""
        self.add_classic_catalog()
        large = [BUNDLE] + [text(1, f'b.v1.{i}.0') + text(2, f'b-{i % 50}') + text(3, 'stable') + text(9, f'1.{i}.0') +
                            field(12, text(1, 'olm.text') + text(2, json.dumps('x' * 20_000))) for i in range(1000)]
        self.serve_answers({'ListBundles': lambda _: iter(large),
                            'GetPackage': lambda request: iter([field(1, request[2:]) + text(3, 'stable')])})
        self.changes_nothing('install', 'greeter', *IN_GREET, '--channel', 'stable', '--dry-run', words=('install greeter.v1.0.0', FROM_THE_CLUSTER))


def many(count: int) -> str:
    blobs: list[Object] = []
    for i in range(count):
        name = f'extra-{i}'
        version = {'type': 'olm.package', 'value': {'packageName': name, 'version': '1.0.0'}}
        blobs += [{'schema': 'olm.package', 'name': name, 'defaultChannel': 'stable'},
                  {'schema': 'olm.channel', 'package': name, 'name': 'stable', 'entries': [{'name': f'{name}.v1.0.0'}]},
                  {'schema': 'olm.bundle', 'package': name, 'name': f'{name}.v1.0.0', 'image': f'registry.example/{name}:v1', 'properties': [version]}]
    return ''.join(json.dumps(blob) + '\n' for blob in blobs)


if __name__ == '__main__':
    main()
