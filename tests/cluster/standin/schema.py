"""Structural validation of custom resources by their CRD's schema: unknown fields, defaults, types, required fields, rules."""
from __future__ import annotations

import re
from typing import Any

from .errors import bad_request, invalid
from .resources import Resource
from .storage import Object

Cause = tuple[str, str, str]  # reason, field, message


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    return schema.get('properties') or {}


def _free(schema: dict[str, Any]) -> bool:
    return bool(schema.get('x-kubernetes-preserve-unknown-fields'))


def unknown_fields(value: Any, schema: dict[str, Any], path: str = '') -> list[str]:
    """The paths, such as `spec.chanel`, of unknown fields."""
    found: list[str] = []
    if isinstance(value, dict):
        extra = schema.get('additionalProperties')
        for name, member in value.items():
            at = f'{path}.{name}' if path else name
            if not path and name in ('apiVersion', 'kind', 'metadata'):
                continue
            if schema.get('x-kubernetes-embedded-resource') and name in ('apiVersion', 'kind', 'metadata'):
                continue
            if name in _properties(schema):
                found += unknown_fields(member, _properties(schema)[name], at)
            elif isinstance(extra, dict):
                found += unknown_fields(member, extra, at)
            elif not extra and not _free(schema):
                found.append(at)
    elif isinstance(value, list) and isinstance(schema.get('items'), dict):
        for index, item in enumerate(value):
            found += unknown_fields(item, schema['items'], f'{path}[{index}]')
    return found


def prune(value: Any, schema: dict[str, Any], top: bool = True) -> None:
    """Removes unknown fields, as the API server does before storing."""
    if isinstance(value, dict):
        extra = schema.get('additionalProperties')
        for name in list(value):
            if name in ('apiVersion', 'kind', 'metadata') and (top or schema.get('x-kubernetes-embedded-resource')):
                continue
            if name in _properties(schema):
                prune(value[name], _properties(schema)[name], False)
            elif isinstance(extra, dict):
                prune(value[name], extra, False)
            elif not extra and not _free(schema):
                del value[name]
    elif isinstance(value, list) and isinstance(schema.get('items'), dict):
        for item in value:
            prune(item, schema['items'], False)


def add_defaults(value: Any, schema: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for name, below in _properties(schema).items():
            if name not in value and 'default' in below:
                value[name] = below['default']
            if name in value:
                add_defaults(value[name], below)
        if isinstance(schema.get('additionalProperties'), dict):
            for member in value.values():
                add_defaults(member, schema['additionalProperties'])
    elif isinstance(value, list) and isinstance(schema.get('items'), dict):
        for item in value:
            add_defaults(item, schema['items'])


_TYPES: dict[str, tuple[type, ...]] = {'object': (dict,), 'array': (list,), 'string': (str,), 'boolean': (bool,),
                                       'integer': (int,), 'number': (int, float)}


def _type_name(value: Any) -> str:
    names = ((bool, 'boolean'), (dict, 'object'), (list, 'array'), (str, 'string'), (int, 'integer'), (float, 'number'))
    return next((name for kind, name in names if isinstance(value, kind)), 'null')


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _of_type(value: Any, schema: dict[str, Any]) -> bool:
    if schema.get('x-kubernetes-int-or-string'):
        return isinstance(value, (int, str))
    kind = schema.get('type')
    return kind not in _TYPES or (isinstance(value, _TYPES[kind]) and (kind == 'boolean' or not isinstance(value, bool)))


def violations(value: Any, schema: dict[str, Any], before: Any = None, path: str = '') -> list[Cause]:
    if value is None:
        return []
    if not _of_type(value, schema):
        return [('FieldValueTypeInvalid', path, f'Invalid value: "{_type_name(value)}": {path} in body must be of type '
                 f'{schema["type"]}: "{_type_name(value)}"')]
    found = _scalar_violations(value, schema, path) + _rule_violations(value, before, schema, path)
    if isinstance(value, dict):
        for name in schema.get('required') or []:
            if name not in value:
                found.append(('FieldValueRequired', f'{path}.{name}' if path else name, 'Required value'))
        extra = schema.get('additionalProperties')
        for name, member in value.items():
            below = _properties(schema).get(name, extra)
            if isinstance(below, dict) and (path or name not in ('metadata', 'apiVersion', 'kind')):
                old = before.get(name) if isinstance(before, dict) else None
                found += violations(member, below, old, f'{path}.{name}' if path else name)
    elif isinstance(value, list) and isinstance(schema.get('items'), dict):
        for index, item in enumerate(value):
            found += violations(item, schema['items'], None, f'{path}[{index}]')
    return found


def _scalar_violations(value: Any, schema: dict[str, Any], path: str) -> list[Cause]:
    found: list[Cause] = []
    if 'enum' in schema and value not in schema['enum']:
        allowed = ', '.join(_shown(item) for item in schema['enum'])
        found.append(('FieldValueNotSupported', path, f'Unsupported value: {_shown(value)}: supported values: {allowed}'))
    if isinstance(value, str):
        if len(value) > schema.get('maxLength', len(value)):
            found.append(('FieldValueTooLong', path, f'Too long: may not be more than {schema["maxLength"]} bytes'))
        if len(value) < schema.get('minLength', 0):
            found.append(('FieldValueInvalid', path, f'Invalid value: "{value}": {path} in body should be at least '
                          f'{schema["minLength"]} chars long'))
        if 'pattern' in schema and not re.search(schema['pattern'], value):
            found.append(('FieldValueInvalid', path, f'Invalid value: "{value}": {path} in body should match '
                          f"'{schema['pattern']}'"))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        for limit, breaks, words in (('maximum', lambda a, b: a > b, 'less'), ('minimum', lambda a, b: a < b, 'greater')):
            if limit in schema and breaks(value, schema[limit]):
                found.append(('FieldValueInvalid', path, f'Invalid value: {value}: {path} in body should be {words} than or '
                              f'equal to {schema[limit]}'))
    return found


def _rule_violations(value: Any, before: Any, schema: dict[str, Any], path: str) -> list[Cause]:
    """Only the CEL rules that forbid changes of a field: the others would need an interpreter."""
    kind = 'object' if isinstance(value, dict) else value
    return [('FieldValueInvalid', path, f'Invalid value: {_shown(kind)}: {rule.get("message", "failed rule: self == oldSelf")}')
            for rule in schema.get('x-kubernetes-validations') or []
            if rule.get('rule') == 'self == oldSelf' and before is not None and before != value]


def check(thing: Object, before: Object | None, resource: Resource, strict: bool, while_doing: str) -> Object:
    """The stored form of the object. `while_doing`: how the refusal of an unknown field begins, `Subscription in version ...`."""
    if resource.schema is None:
        return thing
    unknown = unknown_fields(thing, resource.schema)
    if strict and unknown:
        listed = ', '.join(f'unknown field "{path}"' for path in sorted(unknown))
        raise bad_request(f'{while_doing}strict decoding error: {listed}')
    prune(thing, resource.schema)
    add_defaults(thing, resource.schema)
    found = violations(thing, resource.schema, before)
    if found:
        raise invalid(resource.kind, resource.group, thing['metadata'].get('name', ''), found)
    return thing
