"""Plays a flow: waits for actions of users, and then repeats the reactions of the cluster, in their order and at their times."""
from __future__ import annotations

import json
import re
import threading
import time
from typing import Any, Callable

from . import patches
from .clock import STEP, clock
from .flow import Effect, Flow, Segment, Wish
from .storage import Key, Object, Store, namespace_of
from .values import copied

SUBSCRIPTIONS: Key = ('operators.coreos.com', 'subscriptions')
EXTENSIONS: Key = ('olm.operatorframework.io', 'clusterextensions')


class Replay:
    """`speed`: how many recorded seconds pass in a second of the clock."""

    def __init__(self, store: Store, flow: Flow, speed: float = 1.0) -> None:
        self._store, self._flow, self._speed = store, flow, speed
        self.set_server: Callable[[str], None] = lambda state: None  # to a state of outage.py
        self._annotations: dict[tuple[Key, str, str], Any] = {}  # of what is to be touched, before it is
        self._uids: dict[str, str] = {}  # recorded -> here
        self._names: dict[tuple[Key, str, str], tuple[str, str]] = {}  # recorded place -> here: namespace, name
        self._deleted: set[str] = set()
        self._reports = 0  # that no segment has used yet
        self._stopped = False
        self._prepared = False  # to wait for the users of the segment
        self._waiting = False
        self._playing = False
        self._begun = 0.0  # the time on the clock at which the segment's effects began
        self._next = 0  # effect
        self.position = 0  # the segment that is played, or waited for
        self.clock = 0.0  # recorded seconds: everything before this has happened
        self._limit = float('inf')  # and nothing after this happens
        self.finished = threading.Event()
        self.trouble: BaseException | None = None

    def start(self) -> None:
        clock.add(self._turn)

    def stop(self) -> None:
        self._stopped = True

    def tell(self) -> None:
        """Reports an event that no object shows: the content of a catalog has changed."""
        self._waiting = False
        self._reports += 1

    def tells_of_deletion(self, key: Key, thing: Object) -> bool:
        """Whether the flow itself contains the consequences of the deletion of this object."""
        place = (namespace_of(thing), thing['metadata']['name'])
        return thing['metadata'].get('uid') in self._deleted or any(
            wish.kind == 'gone' and wish.key == key and self._place(key, wish.namespace, wish.name) == place
            for segment in self._flow.segments for wish in segment.wishes)

    def hold_at(self, at: float, timeout: float = 300.0) -> bool:
        """Plays what was recorded up to this time, and no more. Returns whether that was completed in time, as far as the users allow."""
        self._limit = at
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            if self.finished.is_set() or self.clock > at or self.is_users_turn():
                return True
            clock.advance(STEP)
        return False

    def go_on(self, until: float = float('inf')) -> None:
        self._limit = until

    def is_users_turn(self) -> bool:
        """Whether nothing more happens without users."""
        if self.finished.is_set():
            return True
        if not self._waiting:
            return False
        segment = self._flow.segments[self.position]
        return segment.reported or not all(self._came_true(wish) for wish in segment.wishes)

    def waits_for(self) -> str:
        """For people: the next event."""
        if self.finished.is_set():
            return 'nothing more: the flow is at its end'
        segment = self._flow.segments[self.position]
        wishes = [f'{wish.kind} {wish.key[1]} {wish.namespace + "/" if wish.namespace else ""}{wish.name}'
                  for wish in segment.wishes if not self._came_true(wish)]
        return f'step {self.position}, {segment.title!r}: ' + (', '.join(wishes) or ('to be reported' if segment.reported else 'its end'))

    def _turn(self) -> float | None:
        try:
            return self._go_on()
        except BaseException as error:  # reported by the test that waits for the end
            self.trouble = error
            self.finished.set()
            return None

    def _go_on(self) -> float | None:
        """The seconds until there is something to do, or to look for; None at the end."""
        while not self._stopped:
            if self.position == len(self._flow.segments):
                self.finished.set()
                return None
            segment = self._flow.segments[self.position]
            if not self._playing and not self._begins(segment):
                return STEP
            pause = self._play(segment)
            if pause:
                return pause
            self.position, self._playing = self.position + 1, False
        return None

    def _begins(self, segment: Segment) -> bool:
        """Whether the users have done what the segment follows."""
        if not self._prepared:
            self.clock = segment.start
            for wish in segment.wishes:
                if wish.kind == 'touched':
                    self._annotations[(wish.key, wish.namespace, wish.name)] = self._annotations_of(wish)
            self._prepared = self._waiting = True
        if segment.reported and not self._reports or not all(self._came_true(wish) for wish in segment.wishes):
            return False
        self._reports -= 1 if segment.reported else 0
        self._prepared, self._waiting, self._playing, self._begun, self._next = False, False, True, clock.seconds(), 0
        return True

    def _play(self, segment: Segment) -> float:
        """Until the next effect is due, whose distance it returns, or to the end of the segment: 0."""
        for effect in segment.effects[self._next:]:
            self.clock = segment.start + effect.at
            if self.clock > self._limit:
                self._begun = clock.seconds() - effect.at / self._speed
                return STEP
            pause = self._begun + effect.at / self._speed - clock.seconds()
            if pause > 1e-6:
                return pause
            self._next += 1
            if effect.change == 'server':
                self.set_server(effect.name)
                continue
            with self._store.lock:
                self._do(effect)
        return 0.0

    # Which object is meant

    def _place(self, key: Key, namespace: str, name: str) -> tuple[str, str]:
        return self._names.get((key, namespace, name), (namespace, name))

    def _came_true(self, wish: Wish) -> bool:
        namespace, name = self._place(wish.key, wish.namespace, wish.name)
        found = self._store.get(wish.key, namespace, name)
        if found is None and wish.kind == 'exists':
            found = self._in_the_role_of(wish)
        elif found is not None:
            self._names[(wish.key, wish.namespace, wish.name)] = (namespace, name)
        if wish.kind == 'gone':
            return found is None or bool(found['metadata'].get('deletionTimestamp'))
        if found is None or found['metadata'].get('deletionTimestamp'):
            return False
        if wish.kind == 'touched':
            return self._annotations_of(wish) != self._annotations.get((wish.key, wish.namespace, wish.name))
        return wish.kind == 'exists' or _contains(found, wish.content)

    def _annotations_of(self, wish: Wish) -> Any:
        found = self._store.get(wish.key, *self._place(wish.key, wish.namespace, wish.name))
        return (found or {}).get('metadata', {}).get('annotations')

    def _in_the_role_of(self, wish: Wish) -> Object | None:
        """The object of the same package that a tool created under another name than in the recording."""
        taken = set(self._names.values())
        for thing in self._store.list(wish.key):
            place = (namespace_of(thing), thing['metadata']['name'])
            if place not in taken and _role(wish.key, thing) and _role(wish.key, thing) == _role(wish.key, wish.content):
                self._names[(wish.key, wish.namespace, wish.name)] = place
                return thing
        return None

    # What the cluster does

    def _do(self, effect: Effect) -> None:
        namespace, name = self._place(effect.key, effect.namespace, effect.name)
        live = self._store.get(effect.key, namespace, name)
        if live is not None and effect.uid and not self._is_same(effect, live):
            return
        if effect.change == 'delete':
            self._deleted.add(live['metadata']['uid'] if live else '')
            self._store.drop(effect.key, namespace, name)
        elif effect.change == 'add' and live is None:
            self._store.create(effect.key, self._here(effect.content))
        elif effect.change == 'add':
            self._merge(effect, live, patches.merge_diff({}, {field: value for field, value in effect.content.items()
                                                              if field not in ('apiVersion', 'kind', 'metadata')}))
        elif live is not None:
            self._merge(effect, live, effect.content)

    def _is_same(self, effect: Effect, live: Object | None) -> bool:
        """Whether this is the object of the event, and not a later one of the same name."""
        uid = live['metadata']['uid'] if live else ''
        if effect.uid not in self._uids and uid not in self._uids.values():
            self._uids[effect.uid] = uid
        return self._uids.get(effect.uid) == uid

    def _merge(self, effect: Effect, live: Object | None, patch: Object) -> None:
        if live is None:
            return
        patch = self._here(patch)
        recorded = patch.get('metadata', {}).pop('recordedGeneration', None)
        changed = patches.merge(live, patch)
        if patch.get('spec') is not None and changed.get('spec') != live.get('spec'):
            changed['metadata']['generation'] = live['metadata'].get('generation', 1) + 1
        if recorded is not None and isinstance(patch.get('status'), dict):
            _shift_generations(patch['status'], changed['metadata'].get('generation', 1) - recorded)
            changed = {**changed, 'status': patches.merge(live.get('status'), patch['status'])}
        self._store.replace(effect.key, changed)

    def _here(self, content: Object) -> Object:
        """Recorded content with the uids and names of the objects that replace the recorded ones."""
        text = json.dumps(content)
        for recorded, uid in self._uids.items():
            if recorded != uid:
                text = text.replace(recorded, uid)
        found = json.loads(text)
        for (key, namespace, name), (namespace_here, name_here) in self._names.items():
            if (namespace, name) != (namespace_here, name_here):
                found = _renamed(found, key, name, name_here)
        return copied(found)


def _role(key: Key, thing: Object) -> str:
    spec = thing.get('spec') or {}
    if key == SUBSCRIPTIONS:
        return f'{namespace_of(thing)}/{spec.get("name", "")}'
    if key == EXTENSIONS:
        return ((spec.get('source') or {}).get('catalog') or {}).get('packageName', '')
    return ''


def _contains(thing: Any, patch: Any) -> bool:
    """Whether the merge patch changes nothing; members that it removes may be present as empty values."""
    if not isinstance(patch, dict):
        return bool(thing == patch)
    if not isinstance(thing, dict):
        return all(value is None for value in patch.values())
    return all(not thing.get(name) if value is None else _contains(thing.get(name), value) for name, value in patch.items()
               if name not in ('annotations',))


def _shift_generations(status: Any, by: int) -> None:
    """Statuses name a generation; objects here may have had more or fewer generations."""
    if isinstance(status, dict):
        if isinstance(status.get('observedGeneration'), int):
            status['observedGeneration'] = max(1, status['observedGeneration'] + by)
        for value in status.values():
            _shift_generations(value, by)
    elif isinstance(status, list):
        for item in status:
            _shift_generations(item, by)


_KIND_NAMES = {'subscriptions': ('Subscription', 'subscription'), 'clusterextensions': ('ClusterExtension', 'extension')}


def _renamed(value: Any, key: Key, name: str, here: str) -> Any:
    """References to an object of this kind by its name: as owner, as `kind` and `name`, in sentences. The same word may name
    a package or a namespace elsewhere, and stays there."""
    kind, word = _KIND_NAMES.get(key[1], ('', ''))
    if isinstance(value, dict):
        renamed = {field: _renamed(member, key, name, here) for field, member in value.items()}
        if value.get('kind') == kind and value.get('name') == name:
            renamed['name'] = here
        return renamed
    if isinstance(value, list):
        return [_renamed(item, key, name, here) for item in value]
    if isinstance(value, str) and word:
        return re.sub(rf'\b{word} {re.escape(name)}(?![\w.-])', f'{word} {here}', value)
    return value
