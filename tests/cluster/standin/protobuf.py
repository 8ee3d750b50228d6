"""The few messages that kubectl sends in protobuf only: read by field number, as k8s.io/api/**/generated.proto numbers them."""
from __future__ import annotations

from typing import Any, Iterator

MAGIC = b'k8s\x00'
# message: field number -> (name, type); a type is a message, 'string', 'map', or a message in a list
_META = {1: ('name', 'string'), 2: ('generateName', 'string'), 3: ('namespace', 'string'), 11: ('labels', 'map'),
         12: ('annotations', 'map')}
_SUBJECT = {1: ('kind', 'string'), 2: ('apiGroup', 'string'), 3: ('name', 'string'), 4: ('namespace', 'string')}
_BINDING = {1: ('metadata', _META), 2: ('subjects', [_SUBJECT]),
            3: ('roleRef', {1: ('apiGroup', 'string'), 2: ('kind', 'string'), 3: ('name', 'string')})}
_MESSAGES: dict[str, dict[int, tuple[str, Any]]] = {
    'Namespace': {1: ('metadata', _META)},
    'RoleBinding': _BINDING,
    'ClusterRoleBinding': _BINDING,
    'ServiceAccount': {1: ('metadata', _META)},
    'ConfigMap': {1: ('metadata', _META), 2: ('data', 'map')},
    'SelfSubjectReview': {1: ('metadata', _META)},
    'SelfSubjectRulesReview': {1: ('metadata', _META), 2: ('spec', {1: ('namespace', 'string')})},
    'SelfSubjectAccessReview': {1: ('metadata', _META), 2: ('spec', {
        1: ('resourceAttributes', {1: ('namespace', 'string'), 2: ('verb', 'string'), 3: ('group', 'string'),
                                   4: ('version', 'string'), 5: ('resource', 'string'), 6: ('subresource', 'string'),
                                   7: ('name', 'string')}),
        2: ('nonResourceAttributes', {1: ('path', 'string'), 2: ('verb', 'string')})})},
    'DeleteOptions': {},
}


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields; numbers are ignored."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 2:
            length, at = _varint(data, at)
            yield tag >> 3, data[at:at + length]
            at += length
        elif tag & 7 == 0:
            _, at = _varint(data, at)
        else:
            at += {1: 8, 5: 4}[tag & 7]


def _message(data: bytes, shape: dict[int, tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, content in _fields(data):
        name, kind = shape.get(number, (None, None))
        if kind == 'string':
            if content:
                found[name] = content.decode()
        elif kind == 'map':
            pair = dict(_fields(content))
            found.setdefault(name, {})[pair.get(1, b'').decode()] = pair.get(2, b'').decode()
        elif isinstance(kind, list):
            found.setdefault(name, []).append(_message(content, kind[0]))
        elif kind is not None:
            found[name] = _message(content, kind)
    return found


def decode(body: bytes) -> dict[str, Any] | None:
    """The object in a protobuf body; None if its kind is not supported here."""
    if not body.startswith(MAGIC):
        return None
    envelope = dict(_fields(body[len(MAGIC):]))
    type_meta = dict(_fields(envelope.get(1, b'')))
    kind = type_meta.get(2, b'').decode()
    if kind not in _MESSAGES:
        return None
    return {'apiVersion': type_meta.get(1, b'').decode(), 'kind': kind, **_message(envelope.get(2, b''), _MESSAGES[kind])}
