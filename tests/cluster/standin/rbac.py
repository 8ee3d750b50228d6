"""Who may do what: the bindings and roles that are stored, as the RBAC authorizer reads them."""
from __future__ import annotations

import dataclasses
from typing import Any, Iterator

from .errors import ApiError, forbidden
from .storage import Object, Store

RBAC = 'rbac.authorization.k8s.io'
MASTERS = 'system:masters'
EVERYBODY = 'system:authenticated'


@dataclasses.dataclass(frozen=True)
class User:
    name: str
    groups: tuple[str, ...] = (EVERYBODY,)


@dataclasses.dataclass(frozen=True)
class Request:
    """One request for a right. `name` is empty for create, list and watch of all."""
    verb: str
    group: str
    resource: str
    namespace: str = ''
    name: str = ''
    subresource: str = ''


def service_account(namespace: str, name: str) -> User:
    return User(f'system:serviceaccount:{namespace}:{name}',
                ('system:serviceaccounts', f'system:serviceaccounts:{namespace}', EVERYBODY))


def _is_subject(subject: Object, user: User, namespace: str) -> bool:
    kind, name = subject.get('kind'), subject.get('name')
    if kind == 'ServiceAccount':
        return user.name == f'system:serviceaccount:{subject.get("namespace") or namespace}:{name}'
    return user.name == name if kind == 'User' else kind == 'Group' and name in user.groups


def _role_rules(store: Store, reference: Object, namespace: str) -> list[Object]:
    plural = 'clusterroles' if reference.get('kind') == 'ClusterRole' else 'roles'
    role = store.get((RBAC, plural), namespace if plural == 'roles' else '', reference.get('name', '')) or {}
    found = list(role.get('rules') or [])
    for selector in (role.get('aggregationRule') or {}).get('clusterRoleSelectors') or []:
        for part in store.list((RBAC, 'clusterroles'), where=lambda thing: (selector.get('matchLabels') or {}).items()
                               <= (thing['metadata'].get('labels') or {}).items()):
            found += part.get('rules') or []
    return found


def rules(store: Store, user: User, namespace: str) -> Iterator[Object]:
    """All rules of the user in a namespace; without a namespace, those of the whole cluster."""
    if MASTERS in user.groups:
        yield {'apiGroups': ['*'], 'resources': ['*'], 'verbs': ['*']}
    bindings = store.list((RBAC, 'clusterrolebindings'))
    if namespace:
        bindings += store.list((RBAC, 'rolebindings'), namespace)
    for binding in bindings:
        if any(_is_subject(subject, user, namespace) for subject in binding.get('subjects') or []):
            yield from _role_rules(store, binding.get('roleRef') or {}, namespace)


def _covers(rule: Object, asked: Request) -> bool:
    resource = f'{asked.resource}/{asked.subresource}' if asked.subresource else asked.resource
    names = rule.get('resourceNames') or []
    return (any(verb in ('*', asked.verb) for verb in rule.get('verbs') or [])
            and any(group in ('*', asked.group) for group in rule.get('apiGroups') or [])
            and any(item in ('*', resource, f'*/{asked.subresource}') for item in rule.get('resources') or [])
            and (not names or asked.name in names))


def allowed(store: Store, user: User, asked: Request) -> bool:
    return any(_covers(rule, asked) for rule in rules(store, user, asked.namespace))


def refusal(user: User, asked: Request) -> ApiError:
    resource = f'{asked.resource}/{asked.subresource}' if asked.subresource else asked.resource
    where = f'in the namespace "{asked.namespace}"' if asked.namespace else 'at the cluster scope'
    return forbidden(asked.resource, asked.group, asked.name or None,
                     f'User "{user.name}" cannot {asked.verb} resource "{resource}" in API group "{asked.group}" {where}')


def _held(store: Store, user: User, namespace: str, rule: Object) -> bool:
    for verb in rule.get('verbs') or []:
        for group in rule.get('apiGroups') or []:
            for resource in rule.get('resources') or []:
                plain, _, subresource = resource.partition('/')
                for name in rule.get('resourceNames') or ['']:
                    if not allowed(store, user, Request(verb, group, plain, namespace, name, subresource)):
                        return False
    return True


def check_escalation(store: Store, user: User, kind: str, thing: Object) -> None:
    """Nobody grants what they do not hold, unless they may `escalate` (roles) or `bind` (bindings)."""
    namespace = thing['metadata'].get('namespace', '')
    plural = {'Role': 'roles', 'ClusterRole': 'clusterroles', 'RoleBinding': 'rolebindings',
              'ClusterRoleBinding': 'clusterrolebindings'}[kind]
    if kind.endswith('Binding'):
        reference = thing.get('roleRef') or {}
        bound = 'clusterroles' if reference.get('kind') == 'ClusterRole' else 'roles'
        exempt = Request('bind', RBAC, bound, namespace, reference.get('name', ''))
        granted = _role_rules(store, reference, namespace)
    else:
        exempt = Request('escalate', RBAC, plural, namespace, thing['metadata'].get('name', ''))
        granted = thing.get('rules') or []
    if allowed(store, user, exempt):
        return
    missing = [rule for rule in granted if not _held(store, user, namespace, rule)]
    if missing:
        listed = ''.join('\n' + _rule_text(rule) for rule in missing)
        raise forbidden(plural, RBAC, thing['metadata'].get('name'),
                        f'user "{user.name}" (groups={_strings(list(user.groups))}) is attempting to grant RBAC permissions not '
                        f'currently held:{listed}')


def _strings(values: list[Any]) -> str:
    return '[' + ' '.join(f'"{value}"' for value in values) + ']'


def _rule_text(rule: Object) -> str:
    return ('{APIGroups:' + _strings(rule.get('apiGroups') or []) + ', Resources:' + _strings(rule.get('resources') or [])
            + ', Verbs:' + _strings(rule.get('verbs') or []) + '}')
