"""Answers to `kubectl auth can-i` and `kubectl auth whoami`."""
from __future__ import annotations

from typing import Any

from . import rbac
from .resources import Resource
from .storage import Object, Store


def answer(store: Store, user: rbac.User, resource: Resource, review: Object) -> Object:
    """All users may ask about their own rights."""
    if not resource.plural.startswith('self'):
        asked = rbac.Request('create', resource.group, resource.plural)
        if not rbac.allowed(store, user, asked):
            raise rbac.refusal(user, asked)
        user = rbac.User(review['spec'].get('user', ''), tuple(review['spec'].get('groups') or ()))
    kind, spec = review.get('kind'), review.get('spec') or {}
    status: dict[str, Any]
    if kind == 'SelfSubjectReview':
        status = {'userInfo': {'username': user.name, 'groups': list(user.groups)}}
    elif kind == 'SelfSubjectRulesReview':
        found = list(rbac.rules(store, user, spec.get('namespace', '')))
        status = {'resourceRules': [rule for rule in found if rule.get('resources')],
                  'nonResourceRules': [rule for rule in found if rule.get('nonResourceURLs')], 'incomplete': False}
    else:
        status = {'allowed': _allowed(store, user, spec)}
    return {**review, 'metadata': review.get('metadata') or {}, 'status': status}


def _allowed(store: Store, user: rbac.User, spec: dict[str, Any]) -> bool:
    asked = spec.get('resourceAttributes')
    if asked is None:
        return True
    return rbac.allowed(store, user, rbac.Request(asked.get('verb', ''), asked.get('group', ''), asked.get('resource', ''),
                                                  asked.get('namespace', ''), asked.get('name', ''),
                                                  asked.get('subresource', '')))
