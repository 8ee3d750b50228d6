"""Reads a recorded scenario (shared/conformance/cluster*/README.md) as a flow.

A command that changed something is a wish, and what was recorded until the next such command is what followed from it.
Commands that only read, or were refused, are not wishes.
"""
from __future__ import annotations

import json
import pathlib
import re
import shlex
from typing import Any, Iterator

from . import outage, patches, roles
from .flow import CatalogContent, Effect, Flow, Segment, Wish
from .resources import BUILT_IN, Resource, of_crd
from .storage import Key, Object

# The object that a step is about. A tool may make its other objects (service accounts, roles, a namespace) differently.
PRIMARY = {'ClusterExtension', 'ClusterCatalog', 'Subscription', 'CatalogSource'}
SYSTEM_NAMESPACES = ('olm', 'olmv1-system')


def _crds(directory: pathlib.Path, experimental: bool) -> list[Object]:
    # The situations that were recorded later are on the same API.
    api = next(parent / '_api' for parent in (directory.parent, directory.parent.with_name('cluster')) if (parent / '_api').is_dir())
    found = {path.name: path for path in sorted((api / 'crds').glob('*.json'))}
    if experimental:
        found.update({path.name: path for path in sorted((api / 'crds-experimental').glob('*.json'))})
    return [json.loads(path.read_text()) for path in found.values()]


class Names:
    """How kinds are called on the command line, of all resources of a flow."""

    def __init__(self, resources: list[Resource]) -> None:
        self._by_name: dict[str, Resource] = {}
        for resource in resources:
            for name in (resource.plural, resource.kind.lower(), f'{resource.plural}.{resource.group}', *resource.short):
                self._by_name.setdefault(name, resource)
        self._by_kind = {(resource.api_version, resource.kind): resource for resource in resources}
        self._by_plural = {(resource.api_version, resource.plural): resource for resource in resources}

    def called(self, name: str) -> Resource | None:
        return self._by_name.get(name)

    def key_of(self, thing: Object) -> Key:
        known = self._by_kind.get((thing['apiVersion'], thing['kind']))
        if known:
            return known.key
        group = thing['apiVersion'].rpartition('/')[0]  # a custom resource of the operator that is installed
        return group, thing['kind'].lower() + 's'


class Recording:
    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        self._text = (directory / 'scenario.json').read_text()
        self.scenario: dict[str, Any] = json.loads(self._text)
        self.crds = _crds(directory, self.scenario['name'].startswith('v1x-'))
        operators = [event['object'] for event in self.events() if event['resource'] == 'customresourcedefinitions']
        resources = BUILT_IN + [resource for crd in self.crds + operators for resource in of_crd(crd)]
        self.names = Names(resources)

    def events(self) -> Iterator[dict[str, Any]]:
        with (self.directory / 'events.jsonl').open() as lines:
            for line in lines:
                yield json.loads(line)

    def event_key(self, event: dict[str, Any]) -> Key:
        # Custom resources are called PLURAL.GROUP.
        return event['object']['apiVersion'].rpartition('/')[0], event['resource'].partition('.')[0]

    # Wishes

    def _object_wishes(self, step: dict[str, Any], applied: dict[tuple[Key, str, str], Object]) -> list[Wish]:
        """The new parts of objects that were applied before."""
        objects = [thing for thing in step['objects'] if thing]
        primary = [thing for thing in objects if thing['kind'] in PRIMARY]
        wishes = []
        for thing in primary or objects:
            key = self.names.key_of(thing)
            place = (key, thing['metadata'].get('namespace', ''), thing['metadata']['name'])
            before = applied.get(place)
            if before is None:
                wishes.append(Wish('exists', *place, content=thing))
            elif before != thing:
                wishes.append(Wish('has', *place, content=patches.merge_diff(before, thing)))
        for thing in objects:
            applied[(self.names.key_of(thing), thing['metadata'].get('namespace', ''), thing['metadata']['name'])] = thing
        return wishes

    def _command_wishes(self, did: str, at: int, applied: dict[tuple[Key, str, str], Object]) -> list[Wish]:
        words = shlex.split(did.split('\n')[0]) if did.startswith('kubectl ') else []
        options, positional = _arguments(words[1:])
        if not positional:
            return []
        verb, rest = positional[0], positional[1:]
        if verb == 'create' and rest[:1] in (['namespace'], ['ns']):
            return [Wish('exists', ('', 'namespaces'), '', rest[1])]
        if verb == 'create' and rest[:1] in (['rolebinding'], ['clusterrolebinding']):
            return [Wish('exists', ('rbac.authorization.k8s.io', rest[0] + 's'), options.get('-n', ''), rest[1])]
        resource = self.names.called(rest[0]) if rest else None
        if resource is None:
            return []
        namespace = options.get('-n', '') if resource.namespaced else ''
        if verb == 'delete' and '-l' in options and len(rest) == 1:
            return [Wish('gone', resource.key, namespace, name) for name in self._labelled(resource.key, namespace, options['-l'], at)]
        if len(rest) < 2:
            return []
        place = (resource.key, namespace, rest[1])
        if verb == 'annotate':
            return [Wish('touched', *place)]
        if len(rest) != 2:
            return []
        if verb == 'delete':
            applied.pop(place, None)
            return [Wish('gone', *place)]
        if verb == 'scale':
            return [Wish('has', *place, content={'spec': {'replicas': int(options['--replicas'])}})]
        if verb == 'patch' and options.get('--type') in ('merge', 'json'):
            content = json.loads(options['-p'])
            if options['--type'] == 'json':
                content = _as_merge_patch(content)
            if place in applied:
                applied[place] = patches.merge(applied[place], content)
            return [Wish('has', *place, content=content)]
        return []

    def _labelled(self, key: Key, namespace: str, selector: str, at: int) -> list[str]:
        """The objects with a label at that time."""
        label, _, value = selector.partition('=')
        found: dict[str, bool] = {}
        for event in self.events():
            metadata = event['object']['metadata']
            if event['at_ms'] < at and self.event_key(event) == key and metadata.get('namespace', '') == namespace:
                found[metadata['name']] = event['type'] != 'DELETED' and (metadata.get('labels') or {}).get(label) == value
        return [name for name, there in found.items() if there]

    def flow(self) -> Flow:
        applied: dict[tuple[Key, str, str], Object] = {}
        segments = [Segment('the beginning', [])]
        starts = [0]
        for step in self.scenario['steps']:
            reported = 'rc' not in step and step['did'] == 'catalog changed'
            wishes = [] if reported or step.get('rc') else (self._object_wishes(step, applied)
                                                       or self._command_wishes(step['did'], step['at_ms'], applied))
            if reported or wishes:
                segments.append(Segment(step['did'], wishes, reported, step['at_ms'] / 1000))
                starts.append(step['at_ms'])
        self._add_effects(segments, starts)
        users = tuple(sorted({step['user'] for step in self.scenario['steps'] if step.get('user')}))
        before = self._before() + (roles.usual_roles() if users else [])
        return Flow(self.scenario['name'], segments, self.crds, before, users, self._catalogs(starts))

    # Effects

    def _users_objects(self) -> dict[tuple[Key, str, str], tuple[int, Object]]:
        """What the user created first, and when; earlier objects are the cluster's."""
        found: dict[tuple[Key, str, str], tuple[int, Object]] = {}
        for step in self.scenario['steps']:
            for thing in step.get('objects') or []:
                if not step.get('rc'):
                    found.setdefault((self.names.key_of(thing), thing['metadata'].get('namespace', ''),
                                      thing['metadata']['name']), (step['at_ms'], thing))
            created = re.match(r'kubectl create namespace (\S+)$', step['did'])
            if created and not step.get('rc'):
                found.setdefault((('', 'namespaces'), '', created.group(1)),
                                 (step['at_ms'], {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': created.group(1)}}))
        return found

    def _add_effects(self, segments: list[Segment], starts: list[int]) -> None:
        users = self._users_objects()
        last: dict[tuple[Key, str, str], Object] = {}
        at = 0
        for event in self.events():
            while at + 1 < len(starts) and event['at_ms'] >= starts[at + 1]:
                at += 1
            thing = event['object']
            place = (self.event_key(event), thing['metadata'].get('namespace', ''), thing['metadata']['name'])
            made_at, made = users.get(place, (0, None))
            change, content = _effect(event['type'], thing, last.get(place), made if event['at_ms'] >= made_at else None)
            segments[at].effects.append(Effect(max(0, event['at_ms'] - starts[at]) / 1000, change, *place, content=content,
                                               uid=thing['metadata'].get('uid', '')))
            if event['type'] == 'DELETED':
                last.pop(place, None)
            else:
                last[place] = thing
        for at_ms, state in outage.states_in(self.scenario['steps']):
            at = max(i for i, start in enumerate(starts) if start <= at_ms)
            segments[at].effects.append(Effect((at_ms - starts[at]) / 1000, 'server', ('', ''), '', state))
            segments[at].effects.sort(key=lambda effect: effect.at)

    def _before(self) -> list[Object]:
        """Namespaces that no command created."""
        made = {name for key, _, name in self._users_objects() if key == ('', 'namespaces')}
        found = set(SYSTEM_NAMESPACES)
        for event in self.events():
            if event['object']['metadata'].get('namespace'):
                found.add(event['object']['metadata']['namespace'])
            if event['resource'] == 'namespaces' and event['type'] == 'ADDED':
                made.add(event['object']['metadata']['name'])
        return [{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}}
                for name in sorted(found - made - {'default', 'kube-system'})]

    def _catalogs(self, starts: list[int]) -> list[CatalogContent]:
        found = []
        for path in sorted((self.directory / 'catalogs').glob('*.yaml')):
            name, changed = re.fullmatch(r'(.*?)(?:-at(\d+))?', path.stem).groups()  # type: ignore[union-attr]
            # The note about the content is written a moment after it was pushed.
            since = min((i for i, start in enumerate(starts) if changed and abs(start - int(changed)) < 500), default=0)
            if changed and not since:
                since = sum(1 for start in starts if start <= int(changed)) - 1
            found.append(CatalogContent(name, path.read_text(), since, self._tags(name, path.name)))
        return sorted(found, key=lambda content: content.since)

    def _tags(self, name: str, file: str) -> tuple[str, ...]:
        """Of the images that hold the content of a file: the tag that a note names, or else all existing images that the user
        names."""
        noted = re.search(rf'/{re.escape(name)}:([\w.-]+) now holds catalogs/{re.escape(file)}', self._text)
        if noted:
            return (noted.group(1),)
        named = set(re.findall(rf'/{re.escape(name)}:([\w.-]+)', self._text))
        return tuple(sorted(tag for tag in named if f'reading manifest {tag} in' not in self._text)) or ('latest',)


def _arguments(words: list[str]) -> tuple[dict[str, str], list[str]]:
    valued = {'-n', '--namespace', '--type', '-p', '--as', '-o', '-l', '--context'}
    options: dict[str, str] = {}
    positional: list[str] = []
    while words:
        word, words = words[0], words[1:]
        if word in valued and words:
            options[word], words = words[0], words[1:]
        elif word.startswith('--'):
            name, _, value = word.partition('=')
            options[name] = value
        elif not word.startswith('-'):
            positional.append(word)
    return options, positional


def _as_merge_patch(operations: list[dict[str, Any]]) -> Object:
    """The merge patch of a JSON patch that sets and removes members of objects."""
    found: Object = {}
    for operation in operations:
        *path, last = operation['path'].strip('/').split('/')
        inner = found
        for name in path:
            inner = inner.setdefault(name, {})
        inner[last] = operation.get('value')
    return found


CONTROLLERS_METADATA = ('labels', 'annotations', 'finalizers', 'ownerReferences')
LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'


def _plain(thing: Object) -> Object:
    """Without fields that the stand-in fills in itself, and without kubectl's annotation of applied objects."""
    metadata = {name: value for name, value in thing['metadata'].items() if name in CONTROLLERS_METADATA}
    if LAST_APPLIED in metadata.get('annotations', {}):
        metadata['annotations'] = {name: value for name, value in metadata['annotations'].items() if name != LAST_APPLIED}
    rest = {name: value for name, value in thing.items() if name not in ('apiVersion', 'kind', 'metadata')}
    return {'metadata': metadata, **rest}


def _effect(kind: str, thing: Object, before: Object | None, users: Object | None) -> tuple[str, Object]:
    """An event as a change. For an object of the user, only additions by others come from the cluster."""
    if kind == 'DELETED':
        return 'delete', {}
    generation = {'generation': thing['metadata'].get('generation', 1)}
    if before is not None:
        diff = patches.merge_diff(_plain(before), _plain(thing))
        diff.setdefault('metadata', {})['recordedGeneration'] = generation['generation']
        return 'merge', diff
    if users is None:
        return 'add', thing
    mine = _plain({**users, 'metadata': users['metadata']})
    added = patches.merge_diff({'metadata': mine['metadata']}, {'metadata': _plain(thing)['metadata']})
    added.setdefault('metadata', {})['recordedGeneration'] = generation['generation']
    for name in list(added['metadata']):
        if added['metadata'][name] is None:
            del added['metadata'][name]
    if 'status' in thing and 'status' not in users:
        added['status'] = thing['status']
    return 'merge', added
