"""How OLM v1 installs a bundle of format registry+v1 for all namespaces, with the rights of an account."""
from __future__ import annotations

import hashlib
import json
import string
from typing import Any

from . import rbac
from .errors import ApiError
from .storage import Object, Store, namespace_of

RBAC = 'rbac.authorization.k8s.io'
DIGITS = string.digits + string.ascii_lowercase
CLUSTER_KINDS = ('CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'PriorityClass')
# The order in which its objects are read.
ORDER = ('ServiceAccount', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding')


def rbac_name(base: str, account: str, rules: list[Object]) -> str:
    fields = ('verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs')
    plain = [{name: rule[name] for name in fields if rule.get(name)} for rule in rules]
    text = json.dumps({'serviceAccountName': account, 'rules': plain}, separators=(',', ':'))
    for character in '<>&':
        text = text.replace(character, f'\\u{ord(character):04x}')
    number, digits = int.from_bytes(hashlib.sha224(text.encode() + b'\n').digest(), 'big'), ''
    while number:
        number, rest = divmod(number, 36)
        digits = DIGITS[rest] + digits
    return f'{base[:63 - len(digits) - 1]}-{digits}'


def _role(csv: Object, account: str, rules: list[Object], namespace: str) -> list[Object]:
    name = rbac_name(f'{csv["metadata"]["name"]}-{account}', account, rules)
    return [{'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRole', 'metadata': {'name': name}, 'rules': rules},
            {'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRoleBinding', 'metadata': {'name': name},
             'roleRef': {'apiGroup': RBAC, 'kind': 'ClusterRole', 'name': name},
             'subjects': [{'kind': 'ServiceAccount', 'name': account, 'namespace': namespace}]}]


def render(manifests: list[Object], namespace: str) -> list[Object]:
    csv = next(manifest for manifest in manifests if manifest['kind'] == 'ClusterServiceVersion')
    spec = csv['spec']['install']['spec']
    found: list[Object] = []
    accounts = {entry['serviceAccountName'] for entry in spec['permissions'] + spec['clusterPermissions']}
    found += [{'apiVersion': 'v1', 'kind': 'ServiceAccount', 'metadata': {'name': name}} for name in sorted(accounts)]
    seeing = {'verbs': ['get', 'list', 'watch'], 'apiGroups': [''], 'resources': ['namespaces']}
    for entry in spec['permissions']:
        found += _role(csv, entry['serviceAccountName'], entry['rules'] + [seeing], namespace)
    for entry in spec['clusterPermissions']:
        found += _role(csv, entry['serviceAccountName'], entry['rules'], namespace)
    found += [manifest for manifest in manifests if manifest is not csv]
    found += [{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': deployment['name']}, 'spec': deployment['spec']}
              for deployment in spec['deployments']]
    found.sort(key=lambda thing: ORDER.index(thing['kind']) if thing['kind'] in ORDER else len(ORDER))
    return [{**thing, 'metadata': {**thing['metadata'], **({} if thing['kind'] in CLUSTER_KINDS else {'namespace': namespace})}}
            for thing in found]


class Installer:
    """Creates objects with the rights of a user, and reports missing rights in the words of OLM v1."""

    def __init__(self, store: Store, user: rbac.User) -> None:
        self._store, self._user = store, user

    def _check(self, verb: str, thing: Object, everywhere: bool = False) -> ApiError | None:
        resource = self._store.resource_of_kind(thing['apiVersion'], thing['kind'])
        assert resource
        name = '' if verb in ('create', 'list', 'watch') else thing['metadata']['name']
        asked = rbac.Request(verb, resource.group, resource.plural, '' if everywhere else namespace_of(thing), name)
        return None if rbac.allowed(self._store, self._user, asked) else rbac.refusal(self._user, asked)

    def _there(self, thing: Object) -> Object | None:
        resource = self._store.resource_of_kind(thing['apiVersion'], thing['kind'])
        assert resource
        return self._store.get(resource.key, namespace_of(thing), thing['metadata']['name'])

    def install(self, wanted: list[Object], owner: Object) -> str:
        """The problem that prevents it; empty if it is done."""
        name = owner['metadata']['name']
        for thing in wanted:
            refused = self._check('get', thing)
            where = f'{thing["kind"]} "{thing["metadata"]["name"]}" in namespace "{namespace_of(thing)}"'
            if refused:
                return ('failed to get release state using server-side dry-run: Unable to continue with install: could not get '
                        f'information about the resource {where}: {refused.message}')
            there = self._there(thing)
            if there and _owner_of(there) != name:
                return (f'failed to get release state using server-side dry-run: {thing["kind"]} \'{thing["metadata"]["name"]}\' already '
                        f'exists in namespace \'{namespace_of(thing)}\' and cannot be managed by operator-controller')
        for thing in wanted:
            problem = self._make(thing, owner)
            if problem:
                return problem
        for thing in wanted:
            refused = self._check('watch', thing, True)
            if refused:
                return f'waiting for sync: {refused.message}'
        return self._drop_others(wanted, name)

    def _make(self, thing: Object, owner: Object) -> str:
        there = self._there(thing)
        changed = {**there, **{name: part for name, part in thing.items() if name != 'metadata'}} if there else thing
        if changed == there:
            return ''
        refused = self._check('patch' if there else 'create', thing)
        if refused:
            return f'cannot patch "{thing["metadata"]["name"]}" with kind {thing["kind"]}: {refused.message}' if there else \
                f'failed to create resource: {refused.message}'
        if thing['kind'].startswith('ClusterRole'):
            try:
                rbac.check_escalation(self._store, self._user, thing['kind'], thing)
            except ApiError as error:
                return f'failed to create resource: {error.message}'
        resource = self._store.resource_of_kind(thing['apiVersion'], thing['kind'])
        assert resource
        if there:
            self._store.replace(resource.key, changed)
        else:
            reference = {'apiVersion': owner['apiVersion'], 'kind': owner['kind'], 'name': owner['metadata']['name'],
                         'uid': owner['metadata']['uid'], 'controller': True, 'blockOwnerDeletion': True}
            labels = {'olm.operatorframework.io/owner-kind': 'ClusterExtension',
                      'olm.operatorframework.io/owner-name': owner['metadata']['name']}
            self._store.create(resource.key, {**thing, 'metadata': {**thing['metadata'], 'labels': labels,
                                                                    'ownerReferences': [reference]}})
        return ''

    def _drop_others(self, wanted: list[Object], owner: str) -> str:
        """Objects of the previous version that this one does not have."""
        names = {(thing['kind'], thing['metadata']['name']) for thing in wanted}
        for key, thing in list(self._store.everything()):
            if _owner_of(thing) == owner and (thing['kind'], thing['metadata']['name']) not in names:
                refused = self._check('delete', thing)
                if refused:
                    return refused.message
                self._store.delete(key, namespace_of(thing), thing['metadata']['name'])
        return ''


def _owner_of(thing: Object) -> Any:
    return (thing['metadata'].get('labels') or {}).get('olm.operatorframework.io/owner-name')
