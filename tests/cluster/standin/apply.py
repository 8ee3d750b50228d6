"""Server-side apply: owners of fields, conflicts between them, and fields that an applier has dropped."""
from __future__ import annotations

import json
from typing import Any, Iterable

from .errors import ApiError
from .resources import Resource
from .storage import Object, now
from .values import copied

Path = tuple[str, ...]  # steps as managedFields writes them: f:NAME, k:{...}, v:VALUE

# How the lists of built-in kinds are merged: by these members of their items; `finalizers` is a set; others are one value.
LIST_KEYS: dict[str, tuple[str, ...]] = {
    'containers': ('name',), 'initContainers': ('name',), 'env': ('name',), 'volumes': ('name',), 'volumeMounts': ('mountPath',),
    'conditions': ('type',), 'ownerReferences': ('uid',), 'imagePullSecrets': ('name',), 'webhooks': ('name',),
    'ports': ('containerPort', 'protocol')}
SETS = {'finalizers'}
NOT_OWNED = {('f:apiVersion',), ('f:kind',), ('f:metadata', 'f:name'), ('f:metadata', 'f:namespace'), ('f:metadata', 'f:uid'),
             ('f:metadata', 'f:creationTimestamp'), ('f:metadata', 'f:resourceVersion'), ('f:metadata', 'f:generation'),
             ('f:metadata', 'f:managedFields'), ('f:metadata', 'f:selfLink')}


class Shape:
    """How lists are merged: as the CRD's schema says, or, for what is built in, as the table above says."""

    def __init__(self, schema: Any, built_in: bool) -> None:
        self.schema, self.built_in = schema or {}, built_in

    def member(self, name: str) -> Shape:
        if self.built_in or name == 'metadata':
            return Shape({'_name': name}, True)
        schema = (self.schema.get('properties') or {}).get(name) or self.schema.get('additionalProperties') or {}
        return Shape(schema if isinstance(schema, dict) else {}, False)

    def item(self) -> Shape:
        return Shape({}, True) if self.built_in else Shape(self.schema.get('items'), False)

    def keys(self, items: list[Any]) -> tuple[str, ...] | None:
        """The members by which items are reported apart; None when the list is one value, or a set."""
        if self.built_in:
            keys = LIST_KEYS.get(self.schema.get('_name', ''))
        else:
            listed = self.schema.get('x-kubernetes-list-type') == 'map'
            keys = tuple(self.schema.get('x-kubernetes-list-map-keys') or ()) if listed else None
        if keys and all(isinstance(item, dict) and keys[0] in item for item in items):
            return keys
        return None

    def is_set(self) -> bool:
        return self.schema.get('_name') in SETS if self.built_in else self.schema.get('x-kubernetes-list-type') == 'set'

    def atomic(self) -> bool:
        return not self.built_in and self.schema.get('x-kubernetes-map-type') == 'atomic'


def shape_of(resource: Resource) -> Shape:
    return Shape(resource.schema, not resource.custom)


def leaves(value: Any, shape: Shape, path: Path = ()) -> Iterable[tuple[Path, Any]]:
    """The fields of a value that have an owner: everything but maps and lists that are merged by keys; also empty maps."""
    if isinstance(value, dict) and value and not shape.atomic():
        for name, member in value.items():
            if path + (f'f:{name}',) not in NOT_OWNED:
                yield from leaves(member, shape.member(name), path + (f'f:{name}',))
    elif isinstance(value, list) and value and shape.is_set():
        for item in value:
            yield path + ('v:' + json.dumps(item),), item
    elif isinstance(value, list) and value and shape.keys(value):
        for item in value:
            step = _item_step(item, shape.keys(value) or ())
            yield path + (step, '.'), None
            yield from leaves(item, shape.item(), path + (step,))
    elif path:
        yield path, value


def _item_step(item: dict[str, Any], keys: tuple[str, ...]) -> str:
    return 'k:' + json.dumps({key: item[key] for key in keys if key in item}, separators=(',', ':'), sort_keys=True)


def to_fields(paths: Iterable[Path]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path in sorted(paths):
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    return tree


def from_fields(tree: dict[str, Any], path: Path = ()) -> Iterable[Path]:
    if not tree and path:
        yield path
    for step, below in tree.items():
        if step == '.' and not path[-1].startswith('k:'):
            continue
        yield from from_fields(below, path + (step,))


def lookup(value: Any, path: Path) -> tuple[bool, Any]:
    for step in path:
        kind, rest = step[:2], step[2:]
        if step == '.':
            continue
        if kind == 'f:' and isinstance(value, dict) and rest in value:
            value = value[rest]
        elif kind == 'k:' and isinstance(value, list) and (at := _index(value, json.loads(rest))) is not None:
            value = value[at]
        elif kind == 'v:' and isinstance(value, list) and json.loads(rest) in value:
            value = json.loads(rest)
        else:
            return False, None
    return True, value


def _index(items: list[Any], key: dict[str, Any]) -> int | None:
    return next((i for i, item in enumerate(items)
                 if isinstance(item, dict) and all(item.get(name) == value for name, value in key.items())), None)


def _remove(value: Any, path: Path) -> None:
    """Removes a field, and the maps and items that become empty."""
    *above, last = [step for step in path if step != '.']
    found, parent = lookup(value, tuple(above))
    if not found:
        return
    kind, rest = last[:2], last[2:]
    if kind == 'f:' and isinstance(parent, dict):
        parent.pop(rest, None)
    elif kind == 'v:' and isinstance(parent, list) and json.loads(rest) in parent:
        parent.remove(json.loads(rest))
    elif kind == 'k:' and isinstance(parent, list) and path[-1] == '.' and (at := _index(parent, json.loads(rest))) is not None:
        del parent[at]
    if above and not parent:
        _remove(value, tuple(above))


def _merge_in(live: Any, wanted: Any, shape: Shape) -> Any:
    if isinstance(wanted, dict) and isinstance(live, dict) and not shape.atomic():
        result = dict(live)
        for name, value in wanted.items():
            result[name] = _merge_in(live[name], value, shape.member(name)) if name in live else copied(value)
        return result
    if isinstance(wanted, list) and isinstance(live, list):
        if shape.is_set():
            return live + [item for item in wanted if item not in live]
        keys = shape.keys(wanted)
        if keys and shape.keys(live):
            result_list = list(live)
            for item in wanted:
                at = _index(live, {key: item[key] for key in keys if key in item})
                if at is None:
                    result_list.append(copied(item))
                else:
                    result_list[at] = _merge_in(live[at], item, shape.item())
            return result_list
    return copied(wanted)


def _shown(path: Path) -> str:
    """A path as conflicts name it: `.spec.containers[name="a"].image`."""
    text = ''
    for step in path:
        kind, rest = step[:2], step[2:]
        if kind == 'f:':
            text += '.' + rest
        elif kind == 'k:':
            text += '[' + ','.join(f'{name}={json.dumps(value)}' for name, value in json.loads(rest).items()) + ']'
        elif kind == 'v:':
            text += f'[={rest}]'
    return text


def owned(entry: dict[str, Any]) -> set[Path]:
    return set(from_fields(entry.get('fieldsV1') or {}))


def _entry(manager: str, operation: str, api_version: str, paths: Iterable[Path], subresource: str = '') -> dict[str, Any]:
    entry = {'manager': manager, 'operation': operation, 'apiVersion': api_version, 'time': now(), 'fieldsType': 'FieldsV1',
             'fieldsV1': to_fields(paths)}
    return {**entry, 'subresource': subresource} if subresource else entry


def _is(entry: dict[str, Any], manager: str, operation: str, subresource: str = '') -> bool:
    return (entry['manager'], entry['operation'], entry.get('subresource', '')) == (manager, operation, subresource)


def _set_entry(entries: list[dict[str, Any]], manager: str, operation: str, api_version: str, paths: set[Path],
               subresource: str = '') -> list[dict[str, Any]]:
    rest = [entry for entry in entries if not _is(entry, manager, operation, subresource)]
    return rest + ([_entry(manager, operation, api_version, paths, subresource)] if paths else [])


def record_update(before: Object | None, after: Object, manager: str, resource: Resource, subresource: str = '') -> Object:
    """Gives `manager` the fields that a create, update or patch has changed."""
    shape = shape_of(resource)
    old = dict(leaves(before, shape)) if before else {}
    new = dict(leaves(after, shape))
    changed = {path for path, value in new.items() if path not in old or old[path] != value}
    entries = [dict(entry) for entry in after['metadata'].get('managedFields') or []]
    mine: set[Path] = set()
    kept = []
    for entry in entries:
        paths = owned(entry) & set(new)
        if _is(entry, manager, 'Update', subresource):
            mine = paths
            continue
        paths -= changed
        if paths:
            kept.append({**entry, 'fieldsV1': to_fields(paths)})
    mine |= changed
    after['metadata']['managedFields'] = _set_entry(kept, manager, 'Update', resource.api_version, mine, subresource)
    return after


def _conflicts(live: Object, wanted: dict[Path, Any], manager: str) -> list[tuple[dict[str, Any], Path]]:
    found = []
    for entry in live['metadata'].get('managedFields') or []:
        if _is(entry, manager, 'Apply'):
            continue
        for path in sorted(owned(entry)):
            if path in wanted and path[-1] != '.':
                there, value = lookup(live, path)
                if there and value != wanted[path]:
                    found.append((entry, path))
    return found


def _holder(entry: dict[str, Any], resource: Resource) -> str:
    using = f' using {entry["apiVersion"]}' if entry['operation'] == 'Update' and resource.custom else ''
    return f'"{entry["manager"]}"{using}'


def _conflict_error(found: list[tuple[dict[str, Any], Path]], resource: Resource) -> ApiError:
    causes = [{'reason': 'FieldManagerConflict', 'message': f'conflict with {_holder(entry, resource)}', 'field': _shown(path)}
              for entry, path in found]
    holders: dict[str, list[str]] = {}
    for entry, path in found:
        holders.setdefault(_holder(entry, resource), []).append(_shown(path))
    if len(found) == 1:
        holder, paths = next(iter(holders.items()))
        text = f'Apply failed with 1 conflict: conflict with {holder}: {paths[0]}'
    else:
        text = f'Apply failed with {len(found)} conflicts:'
        for holder, paths in holders.items():
            text += f' conflicts with {holder}:' + ''.join(f'\n- {path}' for path in paths)
    return ApiError(409, 'Conflict', text, {'causes': causes})


def server_side(live: Object | None, wanted: Object, manager: str, force: bool, resource: Resource) -> Object:
    """The object after `manager` applied `wanted`. Conflicts with other managers end it, unless `force` takes their fields."""
    shape = shape_of(resource)
    wanted = copied(wanted)
    wanted['metadata'].pop('managedFields', None)
    asked = dict(leaves(wanted, shape))
    if live is None:
        result = wanted
        result['metadata']['managedFields'] = [_entry(manager, 'Apply', resource.api_version, asked)]
        return result
    found = _conflicts(live, asked, manager)
    if found and not force:
        raise _conflict_error(found, resource)
    entries = [dict(entry) for entry in live['metadata'].get('managedFields') or []]
    before = next((owned(entry) for entry in entries if _is(entry, manager, 'Apply')), set())
    taken = {path for _, path in found}
    others: set[Path] = set()
    kept = []
    for entry in entries:
        if _is(entry, manager, 'Apply'):
            kept.append(entry)
            continue
        paths = owned(entry) - taken
        others |= paths
        if paths:
            kept.append({**entry, 'fieldsV1': to_fields(paths)})
    result = _merge_in(live, wanted, shape)
    # Items before the members that identify them; deeper fields before those that contain them.
    for path in sorted(before - set(asked) - others, key=lambda path: (path[-1] != '.', -len(path), path)):
        _remove(result, path)
    result['metadata']['managedFields'] = _keep_time(entries, _set_entry(kept, manager, 'Apply', resource.api_version, set(asked)))
    return result


def _keep_time(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """An unchanged entry keeps its time, so that applying twice changes nothing."""
    def same(entry: dict[str, Any], other: dict[str, Any]) -> bool:
        return {**entry, 'time': ''} == {**other, 'time': ''}
    kept = [next((old for old in before if same(old, entry)), entry) for entry in after]
    return before if len(kept) == len(before) and all(entry in before for entry in kept) else kept
