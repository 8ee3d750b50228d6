"""The patches that clients send: merge (RFC 7386), JSON (RFC 6902), strategic merge (built-in kinds only)."""
from __future__ import annotations

from typing import Any

from .errors import ApiError, bad_request
from .values import copied

# The merge keys of lists of built-in kinds in a strategic merge; other lists are replaced.
MERGE_KEYS = {'containers': 'name', 'initContainers': 'name', 'env': 'name', 'volumes': 'name', 'volumeMounts': 'mountPath',
              'ports': 'containerPort', 'imagePullSecrets': 'name', 'secrets': 'name', 'conditions': 'type',
              'ownerReferences': 'uid', 'webhooks': 'name', 'hostAliases': 'ip', 'topologySpreadConstraints': 'topologyKey'}


def merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copied(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge(result.get(name), value)
    return result


def merge_diff(before: Any, after: Any) -> Any:
    """The merge patch that turns `before` into `after`."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return copied(after)
    patch: dict[str, Any] = {name: None for name in before if name not in after}
    for name, value in after.items():
        if name not in before:
            patch[name] = copied(value)
        elif before[name] != value:
            patch[name] = merge_diff(before[name], value)
    return patch


def strategic(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copied(patch)
    if patch.get('$patch') == 'replace':
        return {name: value for name, value in patch.items() if name != '$patch'}
    result = dict(target) if isinstance(target, dict) else {}
    for name in patch.get('$retainKeys') and [n for n in result if n not in patch['$retainKeys']] or []:
        del result[name]
    for name, value in patch.items():
        if name.startswith('$deleteFromPrimitiveList/'):
            field = name.split('/', 1)[1]
            result[field] = [item for item in result.get(field, []) if item not in value]
        elif name.startswith('$'):
            continue
        elif value is None:
            result.pop(name, None)
        elif isinstance(value, list):
            result[name] = _strategic_list(name, result.get(name) or [], value)
        else:
            result[name] = strategic(result.get(name), value)
    return result


def _strategic_list(name: str, target: list[Any], patch: list[Any]) -> list[Any]:
    key = MERGE_KEYS.get(name)
    if key is None or not all(isinstance(item, dict) for item in patch):
        return copied(patch)
    result = list(target)
    for item in patch:
        at = next((i for i, have in enumerate(result) if have.get(key) == item.get(key)), None)
        if item.get('$patch') == 'delete':
            if at is not None:
                del result[at]
        elif at is None:
            result.append(strategic({}, item))
        else:
            result[at] = strategic(result[at], item)
    return result


def _steps(pointer: str) -> list[str]:
    return [step.replace('~1', '/').replace('~0', '~') for step in pointer.split('/')[1:]]


def _walk(document: Any, steps: list[str]) -> Any:
    for step in steps:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def json_patch(document: Any, operations: Any) -> Any:
    """A failing `test` and a missing path are both 422 with the same words."""
    if not isinstance(operations, list):
        raise bad_request('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch')
    document = copied(document)
    try:
        for operation in operations:
            _operate(document, operation)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {}) from error
    return document


def _operate(document: Any, operation: dict[str, Any]) -> None:
    action = operation['op']
    if action in ('move', 'copy'):
        value = copied(_walk(document, _steps(operation['from'])))
        if action == 'move':
            _operate(document, {'op': 'remove', 'path': operation['from']})
        _operate(document, {'op': 'add', 'path': operation['path'], 'value': value})
        return
    *steps, last = _steps(operation['path'])
    parent = _walk(document, steps)
    place: Any = last
    if isinstance(parent, list):
        place = len(parent) if last == '-' else int(last)
    if action == 'test':
        if parent[place] != operation['value']:
            raise ValueError('test failed')
    elif action == 'remove':
        del parent[place]
    elif action == 'replace':
        parent[place]  # pylint: disable=pointless-statement
        parent[place] = operation['value']
    elif action == 'add' and isinstance(parent, list):
        parent.insert(place, operation['value'])
    elif action == 'add':
        parent[place] = operation['value']
    else:
        raise ValueError(action)
