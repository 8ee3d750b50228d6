"""What a cluster does by itself: garbage collection, deletion of namespaces, CRDs that become established, Deployments that
become available, and the finalizers of both OLMs. It neither resolves nor installs: flows do."""
from __future__ import annotations

from typing import Any, Callable

from .clock import clock
from .resources import CRDS, NAMESPACES
from .storage import Change, Key, Object, Store, namespace_of, now

DEPLOYMENTS: Key = ('apps', 'deployments')
SERVICE_ACCOUNTS: Key = ('', 'serviceaccounts')
CSVS: Key = ('operators.coreos.com', 'clusterserviceversions')
OLM_FINALIZERS = ('operators.coreos.com/', 'olm.operatorframework.io/')


class Controllers:
    """`pace`: seconds that each of these steps takes."""

    def __init__(self, store: Store, pace: float = 0.5) -> None:
        self._store, self._pace = store, pace
        # Deletions whose consequences are played by a flow.
        self.leave_alone: Callable[[Key, Object], bool] = lambda key, thing: False
        self._stopped = False
        self._seen = store.version

    def start(self) -> None:
        clock.every(self._pace, self._turn, until=lambda: self._stopped)

    def stop(self) -> None:
        self._stopped = True

    def _turn(self) -> None:
        changes = self._store.changes_after(self._seen)
        for change in changes:
            self._seen = change.version
            self._react(change)

    def _react(self, change: Change) -> None:
        if change.type == 'DELETED':
            if not self.leave_alone(change.key, change.thing):
                self._collect(change.thing)
            self._finish_namespace(namespace_of(change.thing))
            return
        thing = self._store.get(change.key, namespace_of(change.thing), change.thing['metadata']['name'])
        if thing is None:
            return
        if thing['metadata'].get('deletionTimestamp'):
            if not self.leave_alone(change.key, thing):
                self._go_on_deleting(change.key, thing)
        elif change.key == NAMESPACES.key and change.type == 'ADDED':
            self._furnish(thing['metadata']['name'])
        elif change.key == CRDS.key:
            self._establish(thing)
        elif change.key == DEPLOYMENTS:
            self._roll_out(thing)

    # Deletion

    def _collect(self, owner: Object) -> None:
        """Deletes objects whose last owner was deleted."""
        uid = owner['metadata'].get('uid')
        for key, thing in list(self._store.everything()):
            owners = thing['metadata'].get('ownerReferences') or []
            if any(reference.get('uid') == uid for reference in owners):
                rest = [reference for reference in owners if reference.get('uid') != uid]
                if rest:
                    self._store.replace(key, {**thing, 'metadata': {**thing['metadata'], 'ownerReferences': rest}})
                else:
                    self._store.delete(key, namespace_of(thing), thing['metadata']['name'])

    def _go_on_deleting(self, key: Key, thing: Object) -> None:
        if key == NAMESPACES.key:
            for other_key, other in list(self._store.everything()):
                if namespace_of(other) == thing['metadata']['name']:
                    self._store.delete(other_key, namespace_of(other), other['metadata']['name'])
            self._finish_namespace(thing['metadata']['name'])
            return
        if key == CSVS:
            self._delete_owned_by_csv(thing)
        finalizers = thing['metadata'].get('finalizers') or []
        stays = [name for name in finalizers if not name.startswith(OLM_FINALIZERS)]
        if stays != finalizers:
            thing['metadata']['finalizers'] = stays
            self._store.replace(key, thing)

    def _delete_owned_by_csv(self, csv: Object) -> None:
        """Cluster-scoped objects have no owner reference to a CSV, only labels."""
        wanted = {'olm.owner': csv['metadata']['name'], 'olm.owner.namespace': namespace_of(csv)}
        for key, thing in list(self._store.everything()):
            labels = thing['metadata'].get('labels') or {}
            if wanted.items() <= labels.items():
                self._store.delete(key, namespace_of(thing), thing['metadata']['name'])

    def _finish_namespace(self, name: str) -> None:
        namespace = self._store.get(NAMESPACES.key, '', name) if name else None
        if namespace and namespace['metadata'].get('deletionTimestamp'):
            if not any(namespace_of(thing) == name for _, thing in self._store.everything()):
                self._store.drop(NAMESPACES.key, '', name)

    # Objects that become ready. Objects of a flow have their own status: only those that came over the API are handled.

    def _furnish(self, namespace: str) -> None:
        if not self._store.get(SERVICE_ACCOUNTS, namespace, 'default'):
            self._store.create(SERVICE_ACCOUNTS, {'apiVersion': 'v1', 'kind': 'ServiceAccount',
                                                  'metadata': {'name': 'default', 'namespace': namespace}})

    def _establish(self, crd: Object) -> None:
        status = crd.setdefault('status', {})
        if any(condition.get('type') == 'Established' for condition in status.get('conditions') or []):
            return
        stored = next(version['name'] for version in crd['spec']['versions'] if version.get('storage'))
        status.update({'acceptedNames': crd['spec']['names'], 'storedVersions': status.get('storedVersions') or [stored],
                       'conditions': [_condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
                                      _condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted')]})
        self._store.replace(CRDS.key, crd)

    def _roll_out(self, deployment: Object) -> None:
        if not deployment['metadata'].get('managedFields'):
            return
        wanted = deployment['spec'].get('replicas', 1)
        generation = deployment['metadata'].get('generation', 1)
        if (deployment.get('status') or {}).get('observedGeneration') == generation:
            return
        deployment['status'] = {
            'observedGeneration': generation, 'replicas': wanted, 'updatedReplicas': wanted, 'readyReplicas': wanted,
            'availableReplicas': wanted,
            'conditions': [_condition('Available', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'),
                           _condition('Progressing', 'NewReplicaSetAvailable', 'ReplicaSet has successfully progressed.')]}
        self._store.replace(DEPLOYMENTS, deployment)


def _condition(kind: str, reason: str, message: str) -> dict[str, Any]:
    return {'type': kind, 'status': 'True', 'reason': reason, 'message': message, 'lastTransitionTime': now()}
