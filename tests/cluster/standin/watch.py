"""Watches: the changes since a version, and then all further ones, until the time limit or the end of the client."""
from __future__ import annotations

import time
from typing import Any, Iterator

from .clock import STEP, clock
from .errors import expired
from .resources import Resource
from .selectors import Predicate
from .storage import Change, Object, Store

BOOKMARK_EVERY = 5.0
PAUSE = 0.005  # in which nothing has happened: then simulated time passes
INITIAL_EVENTS_END = 'k8s.io/initial-events-end'


def as_served(thing: Object, resource: Resource) -> Object:
    return {**thing, 'apiVersion': resource.api_version, 'kind': resource.kind}


def _seen(change: Change, namespace: str, where: Predicate) -> str | None:
    """A change as seen through a selector: an object may appear and disappear."""
    if namespace and change.thing['metadata'].get('namespace') != namespace:
        return None
    matches = where(change.thing)
    matched = change.before is not None and where(change.before)
    if change.type == 'DELETED':
        return 'DELETED' if matched or matches else None
    if matches:
        return 'MODIFIED' if matched else 'ADDED'
    return 'DELETED' if matched else None


def _bookmark(resource: Resource, version: int, initial_end: bool = False) -> dict[str, Any]:
    metadata: dict[str, Any] = {'resourceVersion': str(version)}
    if initial_end:
        metadata['annotations'] = {INITIAL_EVENTS_END: 'true'}
    return {'type': 'BOOKMARK', 'object': {'apiVersion': resource.api_version, 'kind': resource.kind, 'metadata': metadata}}


def events(store: Store, resource: Resource, namespace: str, where: Predicate, query: dict[str, str]) -> Iterator[dict[str, Any] | None]:
    """The events to send, and None each time before simulated time passes: for a client that has ended it must not."""
    wanted = query.get('resourceVersion', '')
    until = time.monotonic() + float(query.get('timeoutSeconds') or 3600)
    initial = query.get('sendInitialEvents') == 'true'
    with store.lock:
        version = store.version
        present = store.list(resource.key, namespace, where) if wanted in ('', '0') or initial else []
        if wanted not in ('', '0') and not initial:
            version = int(wanted)
            if version + 1 < store.oldest() and len(store.history) == store.history.maxlen:
                raise expired(version, store.oldest())
    for thing in present:
        yield {'type': 'ADDED', 'object': as_served(thing, resource)}
    if initial:
        yield _bookmark(resource, version, initial_end=True)
    yield from _changes(store, resource, namespace, where, version, until, query.get('allowWatchBookmarks') == 'true')


def _changes(store: Store, resource: Resource, namespace: str, where: Predicate, version: int, until: float,
             bookmarks: bool) -> Iterator[dict[str, Any] | None]:
    next_bookmark = time.monotonic() + BOOKMARK_EVERY
    while time.monotonic() < until:
        found = store.changes_after(version)
        if not found:
            with store.changed:
                store.changed.wait(PAUSE)
            yield None
            clock.advance(STEP)
        for change in found:
            version = change.version
            seen = _seen(change, namespace, where) if change.key == resource.key else None
            if seen:
                yield {'type': seen, 'object': as_served(change.thing, resource)}
        if bookmarks and time.monotonic() > next_bookmark:
            next_bookmark = time.monotonic() + BOOKMARK_EVERY
            yield _bookmark(resource, version)
