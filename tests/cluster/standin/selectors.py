"""Label and field selectors."""
from __future__ import annotations

import re
from typing import Any, Callable

Predicate = Callable[[dict[str, Any]], bool]
_REQUIREMENT = re.compile(r'\s*(!?)\s*([^\s!=,()]+)\s*(?:(==|=|!=)\s*([^,]*)|(in|notin)\s*\(([^)]*)\))?\s*(?:,|$)')


def labels(text: str) -> Predicate:
    """`a=b,c!=d,e,!f,g in (h,i),j notin (k)`"""
    tests: list[Callable[[dict[str, str]], bool]] = []
    position = 0
    while position < len(text):
        found = _REQUIREMENT.match(text, position)
        if not found:
            raise ValueError(f'unable to parse requirement: {text[position:]}')
        tests.append(_label_test(*found.groups()))
        position = found.end()
    return lambda thing: all(test(thing['metadata'].get('labels') or {}) for test in tests)


def _label_test(negated: str, key: str, operator: str | None, value: str | None, among: str | None,
                values: str | None) -> Callable[[dict[str, str]], bool]:
    if operator in ('=', '=='):
        return lambda have: have.get(key) == (value or '').strip()
    if operator == '!=':
        return lambda have: have.get(key) != (value or '').strip()
    if among:
        listed = [item.strip() for item in (values or '').split(',')]
        return (lambda have: have.get(key) in listed) if among == 'in' else (lambda have: have.get(key) not in listed)
    return (lambda have: key not in have) if negated else (lambda have: key in have)


def fields(text: str) -> Predicate:
    """`metadata.name=a,status.phase!=b`: any path is accepted; a real server only accepts some."""
    tests: list[Predicate] = []
    for part in filter(None, text.split(',')):
        path, negated, value = re.match(r'([^!=]+)(!?)==?(.*)', part).groups()  # type: ignore[union-attr]
        tests.append(lambda thing, path=path, negated=negated, value=value:  # type: ignore[misc]
                     (str(_at(thing, path)) == value) != bool(negated))
    return lambda thing: all(test(thing) for test in tests)


def _at(thing: Any, path: str) -> Any:
    for step in path.split('.'):
        thing = thing.get(step) if isinstance(thing, dict) else None
    return '' if thing is None else thing


def both(label_text: str, field_text: str) -> Predicate:
    by_label, by_field = labels(label_text), fields(field_text)
    return lambda thing: by_label(thing) and by_field(thing)
