"""Tables, which kubectl requests for output to people."""
from __future__ import annotations

import datetime
import re
from typing import Any

from .resources import Resource
from .clock import clock
from .storage import Object

NAME = {'name': 'Name', 'type': 'string', 'format': 'name', 'description': '', 'priority': 0}
AGE = {'name': 'Age', 'type': 'string', 'format': '', 'description': '', 'priority': 0}


def _column(name: str, kind: str = 'string') -> dict[str, Any]:
    return {'name': name, 'type': kind, 'format': '', 'description': '', 'priority': 0}


def _replicas(thing: Object) -> list[Any]:
    status, wanted = thing.get('status') or {}, (thing.get('spec') or {}).get('replicas', 1)
    return [f'{status.get("readyReplicas", 0)}/{wanted}', status.get('updatedReplicas', 0), status.get('availableReplicas', 0)]


# Columns of built-in kinds between the name and the age.
BUILT_IN: dict[str, tuple[list[dict[str, Any]], Any]] = {
    'namespaces': ([_column('Status')], lambda thing: [(thing.get('status') or {}).get('phase', 'Active')]),
    'deployments': ([_column('Ready'), _column('Up-to-date', 'integer'), _column('Available', 'integer')], _replicas),
    'configmaps': ([_column('Data', 'integer')], lambda thing: [len(thing.get('data') or {})]),
    'secrets': ([_column('Type'), _column('Data', 'integer')],
                lambda thing: [thing.get('type', 'Opaque'), len(thing.get('data') or {})]),
    'packagemanifests': ([_column('Catalog')], lambda thing: [(thing.get('status') or {}).get('catalogSourceDisplayName', '')]),
}
_CREATED_AT = {'customresourcedefinitions', 'clusterroles', 'roles'}


def age(thing: Object) -> str:
    created = datetime.datetime.fromisoformat(thing['metadata'].get('creationTimestamp', '2020-01-01T00:00:00Z').rstrip('Z'))
    seconds = int((clock.now().replace(tzinfo=None) - created).total_seconds())
    for unit, length in (('d', 86400), ('h', 3600), ('m', 60)):
        if seconds >= 2 * length:
            return f'{seconds // length}{unit}'
    return f'{max(seconds, 0)}s'


def at_json_path(thing: Any, path: str) -> Any:
    """The first value at a path as printer columns have: `.status.conditions[?(@.type=="Installed")].status`."""
    for name, condition_key, condition_value, index in re.findall(
            r'\.([\w-]+)|\[\?\(@\.(\w+)\s*==\s*[\'"]([^\'"]*)[\'"]\)\]|\[(\d+|\*)\]', path):
        if name:
            thing = thing.get(name) if isinstance(thing, dict) else None
        elif condition_key:
            items = thing if isinstance(thing, list) else []
            thing = next((item for item in items if item.get(condition_key) == condition_value), None)
        else:
            at = 0 if index == '*' else int(index)
            thing = thing[at] if isinstance(thing, list) and len(thing) > at else None
    return thing


def _cells(thing: Object, resource: Resource) -> list[Any]:
    name = thing['metadata']['name']
    if resource.columns is not None:
        values = [at_json_path(thing, column['jsonPath']) for column in resource.columns]
        return [name] + [age(thing) if column['type'] == 'date' else value for column, value in zip(resource.columns, values)]
    if resource.custom:
        return [name, age(thing)]
    if resource.plural in _CREATED_AT:
        return [name, thing['metadata'].get('creationTimestamp')]
    extra = BUILT_IN.get(resource.plural)
    return [name] + (extra[1](thing) if extra else []) + [age(thing)]


def columns(resource: Resource) -> list[dict[str, Any]]:
    if resource.columns is not None:
        return [NAME] + [{'name': column['name'], 'type': 'string' if column['type'] == 'date' else column['type'],
                          'format': column.get('format', ''), 'description': column.get('description', ''),
                          'priority': column.get('priority', 0)} for column in resource.columns]
    if resource.plural in _CREATED_AT:
        return [NAME, _column('Created At', 'date')]
    extra = BUILT_IN.get(resource.plural)
    return [NAME] + (extra[0] if extra else []) + [AGE]


def table(things: list[Object], resource: Resource, version: str) -> Object:
    rows = []
    for thing in things:
        metadata = {name: value for name, value in thing['metadata'].items() if name != 'managedFields'}
        partial = {'kind': 'PartialObjectMetadata', 'apiVersion': 'meta.k8s.io/v1', 'metadata': metadata}
        rows.append({'cells': _cells(thing, resource), 'object': partial})
    return {'kind': 'Table', 'apiVersion': 'meta.k8s.io/v1', 'metadata': {'resourceVersion': version},
            'columnDefinitions': columns(resource), 'rows': rows}
