"""What both generations of the simulated OLM have in common, and the kubelet under them."""
from __future__ import annotations

import re
from typing import Any, Callable

from .storage import Key, Object, Store, namespace_of, now

OLM, V1 = 'operators.coreos.com', 'olm.operatorframework.io'
CRDS: Key = ('apiextensions.k8s.io', 'customresourcedefinitions')
DEPLOYMENTS: Key = ('apps', 'deployments')

Blobs = list[Object]


def property_of(bundle: Object, kind: str) -> Any:
    return next((item['value'] for item in bundle.get('properties') or [] if item['type'] == kind), None)


def version_of(bundle: Object) -> str:
    return (property_of(bundle, 'olm.package') or {}).get('version', '')


def rank(bundle: Object) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r'\d+', version_of(bundle).partition('-')[0]))


def set_condition(status: Object, kind: str, value: str, reason: str = '', message: str = '', **more: Any) -> None:
    rest = [condition for condition in status.get('conditions') or [] if condition['type'] != kind]
    told = {key: text for key, text in (('reason', reason), ('message', message)) if text}
    status['conditions'] = rest + [{'type': kind, 'status': value, **told, 'lastTransitionTime': now(), **more}]


def drop_condition(status: Object, kind: str) -> None:
    status['conditions'] = [condition for condition in status.get('conditions') or [] if condition['type'] != kind]


class SimulatedOlm:
    """`content`: the blobs of the catalog in an image (by the last part of its name), None for a missing image.
    Of bundles, those whose image is in `missing` cannot be pulled, and those in `crashing` never become ready: their pods crash."""

    def __init__(self, store: Store, content: Callable[[str], Blobs | None]) -> None:
        self._store, self._content = store, content
        self.missing: set[str] = set()
        self.crashing: set[str] = set()
        self._crashes: dict[str, int] = {}  # since when pods crash, by Deployment

    def blobs_of(self, catalog: Object) -> Blobs | None:
        """Of a CatalogSource or a ClusterCatalog."""
        spec = catalog['spec']
        return self._blobs(spec['image'] if 'image' in spec else ((spec.get('source') or {}).get('image') or {}).get('ref', ''))

    def _blobs(self, image: str) -> Blobs | None:
        return self._content(re.sub(r'[:@].*', '', image.rpartition('/')[2]))

    def _save(self, key: Key, thing: Object, status: Object) -> None:
        """Ignores times: a status that is otherwise unchanged is not written."""
        def plain(value: Any) -> Any:
            conditions = [{**condition, 'lastTransitionTime': ''} for condition in value.get('conditions') or []]
            return {**value, 'conditions': sorted(conditions, key=lambda condition: str(condition.get('type') or condition))}
        if plain(status) != plain(thing.get('status') or {}):
            self._store.replace(key, {**thing, 'status': status})

    def _make_crd(self, owned: Object, label: str) -> None:
        plural, _, group = owned['name'].partition('.')
        if not self._store.get(CRDS, '', owned['name']):
            schema = {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}
            self._store.create(CRDS, {
                'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                'metadata': {'name': owned['name'], 'labels': {label: '', 'olm.managed': 'true'}},
                'spec': {'group': group, 'scope': 'Namespaced', 'names': {
                    'plural': plural, 'singular': owned['kind'].lower(), 'kind': owned['kind'], 'listKind': owned['kind'] + 'List'},
                    'versions': [{'name': owned['version'], 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': schema}}]}})

    def _crash(self, deployment: Object) -> None:
        """How the kubelet restarts a container that ends soon: at once, and then after growing pauses."""
        uid, name, namespace = deployment['metadata']['uid'], deployment['metadata']['name'], namespace_of(deployment)
        turn = self._crashes[uid] = self._crashes.get(uid, -1) + 1
        restarts, runs, ended = 0, 12, 2
        while turn >= runs + ended + (pause := min(20 * 2 ** (restarts - 1), 80) if restarts else 0):
            turn -= runs + ended + pause
            restarts += 1
        end = {'terminated': {'exitCode': 1, 'reason': 'Error'}}
        waiting = {'waiting': {'reason': 'CrashLoopBackOff', 'message': f'back-off restarting failed container=manager pod={name}-x4z2c'}}
        state = {'running': {}} if turn < runs else end if turn < runs + ended else waiting
        status = {'phase': 'Running', 'containerStatuses': [{'name': 'manager', 'image': 'registry.example/manager', 'ready': False, 'state': state,
                                                             'restartCount': restarts, 'lastState': end if restarts else {}}]}
        pods: Key = ('', 'pods')
        pod = self._store.get(pods, namespace, name + '-x4z2c')
        if pod is None:
            self._store.create(pods, {
                'apiVersion': 'v1', 'kind': 'Pod', 'spec': {'containers': [{'name': 'manager', 'image': 'registry.example/manager'}]},
                'metadata': {'name': name + '-x4z2c', 'namespace': namespace, 'ownerReferences': [owner_of(deployment)],
                             'labels': deployment['spec']['selector']['matchLabels']}, 'status': status})
        elif pod.get('status') != status:
            self._store.replace(pods, {**pod, 'status': status})


def deployment_status(ready: bool, generation: int = 1) -> Object:
    have = 'has' if ready else 'does not have'
    return {'observedGeneration': generation, 'replicas': 1, 'updatedReplicas': 1, 'readyReplicas': int(ready), 'availableReplicas': int(ready),
            'conditions': [{'type': 'Available', 'status': str(ready), 'message': f'Deployment {have} minimum availability.',
                            'reason': 'MinimumReplicasAvailable' if ready else 'MinimumReplicasUnavailable'}]}


def selector(name: str) -> Object:
    return {'matchLabels': {'app': name}}


def owner_of(thing: Object, controller: bool = False) -> Object:
    return {'apiVersion': thing['apiVersion'], 'kind': thing['kind'], 'name': thing['metadata']['name'],
            'uid': thing['metadata']['uid'], 'controller': controller, 'blockOwnerDeletion': controller}
