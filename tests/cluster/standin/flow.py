"""A flow: the reactions of a cluster to its users. Made from a recording (recording.py) or written by hand (script.py)."""
from __future__ import annotations

import dataclasses

from .storage import Key, Object


@dataclasses.dataclass(frozen=True)
class Wish:
    """Something a user does, as it shows in the objects.

    `kind`: `exists`; `gone` (or being deleted); `has`: it exists and contains everything of the merge patch `content`; `touched`: any of its
    annotations changed.
    """
    kind: str
    key: Key
    namespace: str
    name: str
    content: Object = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Effect:
    """What the cluster did `at` seconds after the wishes were fulfilled.

    `change`: `add` (an object as it is), `merge` (a merge patch on an object that is there), `delete`; `server`: the API server itself
    changes, to the state of outage.py that is called `name`.
    """
    at: float
    change: str
    key: Key
    namespace: str
    name: str
    content: Object = dataclasses.field(default_factory=dict)
    uid: str = ''  # the object's uid in the recording; empty in a script


@dataclasses.dataclass
class Segment:
    """What follows when all wishes are fulfilled; with `reported`, when the test reports it (`catalog changed`)."""
    title: str
    wishes: list[Wish]
    reported: bool = False
    start: float = 0.0  # seconds from the beginning of the recording
    effects: list[Effect] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Flow:
    name: str
    segments: list[Segment]
    crds: list[Object]
    before: list[Object]  # objects that are there at the beginning
    users: tuple[str, ...] = ()  # besides the administrator
    catalogs: list['CatalogContent'] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class CatalogContent:
    """File-based catalog (YAML or JSON text) of the catalog `name`, from the segment with this index on, in images with these
    `tags`."""
    name: str
    text: str
    since: int = 0
    tags: tuple[str, ...] = ('latest',)
