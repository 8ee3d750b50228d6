"""The objects, in memory: one history of changes for all of them, as etcd keeps it."""
from __future__ import annotations

import collections
import dataclasses
import threading
import uuid
from typing import Any, Callable, Iterator

from .clock import clock
from .resources import BUILT_IN, CRDS, NAMESPACES, PACKAGE_MANIFESTS, Resource, of_crd
from .values import copied

Object = dict[str, Any]
Key = tuple[str, str]  # group, plural
HISTORY = 20000


def now() -> str:
    return clock.now().strftime('%Y-%m-%dT%H:%M:%SZ')


def namespace_of(thing: Object) -> str:
    return thing['metadata'].get('namespace', '')


@dataclasses.dataclass(frozen=True)
class Change:
    version: int
    type: str  # ADDED, MODIFIED, DELETED
    key: Key
    thing: Object
    before: Object | None


class Store:
    """Every method takes the lock. A stored object never changes: another one takes its place. Objects handed in and out are copies,
    except those of `view`, `views`, `everything` and the history."""

    def __init__(self) -> None:
        self.hidden: set[str] = set()  # groups that discovery leaves out, as those of an aggregated API that is down
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self._objects: dict[Key, dict[tuple[str, str], Object]] = collections.defaultdict(dict)
        self.history: collections.deque[Change] = collections.deque(maxlen=HISTORY)
        self.version = 100
        self._resources: list[Resource] = list(BUILT_IN)

    # What is served

    def resources(self) -> list[Resource]:
        with self.lock:
            return [resource for resource in self._resources if resource.group not in self.hidden]

    def _find_resources(self) -> None:
        found = list(BUILT_IN)
        for crd in self._objects[CRDS.key].values():
            found += of_crd(crd)
        if any(resource.key == ('operators.coreos.com', 'catalogsources') for resource in found):
            found.append(PACKAGE_MANIFESTS)
        self._resources = found

    def resource(self, group: str, version: str, plural: str) -> Resource | None:
        with self.lock:
            return next((r for r in self._resources if (r.group, r.version, r.plural) == (group, version, plural)), None)

    def resource_of_kind(self, api_version: str, kind: str) -> Resource | None:
        with self.lock:
            return next((r for r in self._resources if r.api_version == api_version and r.kind == kind), None)

    # Reading

    def get(self, key: Key, namespace: str, name: str) -> Object | None:
        return copied(self.view(key, namespace, name))

    def list(self, key: Key, namespace: str = '', where: Callable[[Object], bool] = lambda thing: True) -> list[Object]:
        """All of a kind, in the order of their names; `namespace` empty: of all namespaces."""
        return [copied(thing) for thing in self.views(key, namespace, where)]

    def view(self, key: Key, namespace: str, name: str) -> Object | None:
        """The stored object, for callers that only read it."""
        with self.lock:
            return self._objects[key].get((namespace, name))

    def views(self, key: Key, namespace: str = '', where: Callable[[Object], bool] = lambda thing: True) -> list[Object]:
        """As `list`, but the stored objects, for callers that only read them."""
        with self.lock:
            return [thing for place, thing in sorted(self._objects[key].items())
                    if (not namespace or place[0] == namespace) and where(thing)]

    def keys(self) -> list[Key]:
        with self.lock:
            return [key for key, things in self._objects.items() if things]

    def everything(self) -> Iterator[tuple[Key, Object]]:
        """All stored objects, for callers that only read them."""
        for key in self.keys():
            for thing in self.views(key):
                yield key, thing

    # Writing

    def create(self, key: Key, thing: Object) -> Object:
        """Stores a new object, with a uid, times and a version. The caller has checked that it does not exist."""
        with self.lock:
            thing = copied(thing)
            metadata = thing['metadata']
            metadata.setdefault('uid', str(uuid.uuid4()))
            metadata.setdefault('creationTimestamp', now())
            metadata.setdefault('generation', 1)
            if key == NAMESPACES.key:
                thing.setdefault('spec', {'finalizers': ['kubernetes']})
                thing['spec'].setdefault('finalizers', ['kubernetes'])
                thing.setdefault('status', {'phase': 'Active'})
                metadata.setdefault('labels', {})['kubernetes.io/metadata.name'] = metadata['name']
            return self._keep('ADDED', key, thing, None)

    def replace(self, key: Key, thing: Object) -> Object:
        """Stores a changed object; an unchanged one is ignored. Increments the generation if the spec has changed."""
        with self.lock:
            place = (namespace_of(thing), thing['metadata']['name'])
            before = self._objects[key][place]
            thing = copied(thing)
            for field in ('uid', 'creationTimestamp', 'resourceVersion'):
                if field in before['metadata']:
                    thing['metadata'][field] = before['metadata'][field]
            thing['metadata'].setdefault('generation', before['metadata'].get('generation', 1))
            if thing == before:
                return copied(before)
            if thing.get('spec') != before.get('spec') and thing['metadata']['generation'] == before['metadata'].get('generation'):
                thing['metadata']['generation'] += 1
            if 'deletionTimestamp' in thing['metadata'] and not thing['metadata'].get('finalizers') and key != NAMESPACES.key:
                return self._drop(key, thing)
            return self._keep('MODIFIED', key, thing, before)

    def delete(self, key: Key, namespace: str, name: str) -> Object | None:
        """Requests the deletion: an object with finalizers is only marked. Returns the marked object, or None."""
        with self.lock:
            found = self.get(key, namespace, name)
            if found is None:
                return None
            metadata = found['metadata']
            if not metadata.get('finalizers') and key != NAMESPACES.key:
                return self._drop(key, found)
            if 'deletionTimestamp' not in metadata:
                metadata['deletionTimestamp'] = now()
                metadata['deletionGracePeriodSeconds'] = 0
                if key == NAMESPACES.key:
                    found['status'] = {'phase': 'Terminating'}
                return self._keep('MODIFIED', key, found, self._objects[key][(namespace, name)])
            return found

    def drop(self, key: Key, namespace: str, name: str) -> None:
        """Removes the object, ignoring finalizers."""
        with self.lock:
            found = self.get(key, namespace, name)
            if found is not None:
                self._drop(key, found)

    def _keep(self, event: str, key: Key, thing: Object, before: Object | None) -> Object:
        self.version += 1
        thing['metadata']['resourceVersion'] = str(self.version)
        self._objects[key][(namespace_of(thing), thing['metadata']['name'])] = thing
        if key == CRDS.key:
            self._find_resources()
        self._tell(event, key, thing, before)
        return copied(thing)

    def _drop(self, key: Key, thing: Object) -> Object:
        before = self._objects[key].pop((namespace_of(thing), thing['metadata']['name']))
        self.version += 1
        thing['metadata']['resourceVersion'] = str(self.version)
        if key == CRDS.key:
            # Its objects are deleted with it.
            defined = (thing['spec']['group'], thing['spec']['names']['plural'])
            for custom in list(self._objects[defined].values()):
                self._drop(defined, copied(custom))
            self._find_resources()
        self._tell('DELETED', key, thing, before)
        return copied(thing)

    def _tell(self, event: str, key: Key, thing: Object, before: Object | None) -> None:
        self.history.append(Change(self.version, event, key, thing, before))
        self.changed.notify_all()

    def changes_after(self, version: int) -> list[Change]:
        """Changes, oldest first. The history is limited: see `oldest`."""
        with self.lock:
            found = []
            for change in reversed(self.history):
                if change.version <= version:
                    break
                found.append(change)
            return found[::-1]

    def oldest(self) -> int:
        with self.lock:
            return self.history[0].version if self.history else self.version
