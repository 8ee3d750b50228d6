"""The effect of a request on an object: create, read, update, patch, apply, delete, with the checks that the API server makes."""
from __future__ import annotations

import json
import random
import re
from typing import Any

from . import apply, defaults, patches, rbac, schema, selectors
from .errors import (ApiError, already_exists, bad_request, conflict, forbidden, invalid, not_found, unsupported_media_type)
from .resources import CRDS, NAMESPACES, Resource
from .storage import Object, Store, namespace_of, now
from .values import copied

JSON_PATCH, MERGE_PATCH, APPLY_PATCH = 'application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'
STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
_NAME = re.compile(r'^[a-z0-9]([-a-z0-9.:]*[a-z0-9])?$')
ROLE_KINDS = {'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'}


class Objects:
    """Requests on one kind of objects, of one user. `query`: that of the URL."""

    def __init__(self, store: Store, resource: Resource, user: rbac.User, query: dict[str, str]) -> None:
        self._store, self._resource, self._user, self._query = store, resource, user, query
        self._dry = query.get('dryRun') == 'All'
        self._manager = query.get('fieldManager') or 'unknown'

    # Reading

    def get(self, namespace: str, name: str) -> Object:
        """Only to be read, as what `list` returns."""
        found = self._store.view(self._resource.key, namespace, name)
        if found is None:
            raise not_found(self._resource.plural, self._resource.group, name)
        return self._served(found)

    def list(self, namespace: str) -> Object:
        with self._store.lock:
            things = self._store.views(self._resource.key, namespace, self.where())
            version = str(self._store.version)
        return {'apiVersion': self._resource.api_version, 'kind': self._resource.kind + 'List',
                'metadata': {'continue': '', 'resourceVersion': version}, 'items': [self._served(thing) for thing in things]}

    def where(self) -> selectors.Predicate:
        try:
            return selectors.both(self._query.get('labelSelector', ''), self._query.get('fieldSelector', ''))
        except ValueError as error:
            raise bad_request(str(error)) from error

    def _served(self, thing: Object) -> Object:
        return {'apiVersion': self._resource.api_version, 'kind': self._resource.kind,
                **{name: value for name, value in thing.items() if name not in ('apiVersion', 'kind')}}

    # Writing

    def create(self, namespace: str, body: Object) -> Object:
        with self._store.lock:
            thing = self._named(namespace, body)
            name = thing['metadata']['name']
            if self._store.view(self._resource.key, namespace, name):
                raise already_exists(self._resource.plural, self._resource.group, name)
            self._check_namespace(namespace, name)
            thing = self._checked(thing, None, 'decoding: ')
            thing.pop('status', None) if 'status' in self._resource.subresources else None
            thing = apply.record_update(None, thing, self._manager, self._resource)
            return self._keep_new(thing)

    def update(self, namespace: str, name: str, body: Object, subresource: str) -> Object:
        with self._store.lock:
            live = copied(self.get(namespace, name))
            self._check_version(live, body)
            return self._keep(live, self._parts(live, body, subresource), subresource)

    def patch(self, namespace: str, name: str, media_type: str, body: bytes, subresource: str) -> Object:
        with self._store.lock:
            if media_type == APPLY_PATCH:
                return self._apply(namespace, name, json.loads(body), subresource)
            live = copied(self.get(namespace, name))
            patched = self._patched(live, media_type, json.loads(body))
            self._check_version(live, patched)
            return self._keep(live, self._parts(live, patched, subresource), subresource)

    def delete(self, namespace: str, name: str, options: Object) -> Object:
        with self._store.lock:
            live = self.get(namespace, name)
            wanted_uid = (options.get('preconditions') or {}).get('uid')
            if wanted_uid and wanted_uid != live['metadata']['uid']:
                raise conflict(self._resource.plural, self._resource.group, name, 'the UID in the precondition does not match')
            if self._dry or 'All' in (options.get('dryRun') or []):
                return self._deleted(live)
            if options.get('propagationPolicy') == 'Orphan':
                self._orphan(live)
            left = self._store.delete(self._resource.key, namespace, name)
            if left and self._store.view(self._resource.key, namespace, name):
                return self._served(left)
            return self._deleted(live)

    def delete_all(self, namespace: str) -> Object:
        found = self.list(namespace)
        for thing in found['items']:
            self.delete(namespace_of(thing), thing['metadata']['name'], {})
        return found

    # Their parts

    def _deleted(self, thing: Object) -> Object:
        details = {'name': thing['metadata']['name'], 'group': self._resource.group, 'kind': self._resource.plural,
                   'uid': thing['metadata']['uid']}
        return {'kind': 'Status', 'apiVersion': 'v1', 'metadata': {}, 'status': 'Success',
                'details': {key: value for key, value in details.items() if value}}

    def _orphan(self, owner: Object) -> None:
        for key, thing in list(self._store.everything()):
            owners = thing['metadata'].get('ownerReferences') or []
            rest = [reference for reference in owners if reference.get('uid') != owner['metadata']['uid']]
            if rest != owners:
                self._store.replace(key, {**thing, 'metadata': {**thing['metadata'], 'ownerReferences': rest}})

    def _named(self, namespace: str, body: Object) -> Object:
        thing = copied(body)
        metadata = thing.setdefault('metadata', {})
        if metadata.get('namespace', namespace) != namespace:
            raise bad_request('the namespace of the provided object does not match the namespace sent on the request')
        if namespace:
            metadata['namespace'] = namespace
        if not metadata.get('name') and metadata.get('generateName'):
            metadata['name'] = metadata['generateName'] + ''.join(random.choices('bcdfghjklmnpqrstvwxz2456789', k=5))
        if not metadata.get('name'):
            raise invalid(self._resource.kind, self._resource.group, '',
                          [('FieldValueRequired', 'metadata.name', 'Required value: name or generateName is required')])
        return thing

    def _check_namespace(self, namespace: str, name: str) -> None:
        if not self._resource.namespaced:
            return
        found = self._store.view(NAMESPACES.key, '', namespace)
        if found is None:
            raise not_found('namespaces', '', namespace)
        if found['metadata'].get('deletionTimestamp'):
            raise forbidden(self._resource.plural, self._resource.group, name, f'unable to create new content in namespace '
                            f'{namespace} because it is being terminated')

    def _checked(self, thing: Object, before: Object | None, doing: str) -> Object:
        kind, version = self._resource.kind, self._resource.version
        name = thing['metadata']['name']
        if not _NAME.match(name) or len(name) > 253:
            raise invalid(kind, self._resource.group, name, [(
                'FieldValueInvalid', 'metadata.name', f'Invalid value: "{name}": a lowercase RFC 1123 subdomain must consist of '
                "lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character")])
        if kind in ROLE_KINDS and not self._resource.custom:
            rbac.check_escalation(self._store, self._user, kind, thing)
        strict = self._query.get('fieldValidation') == 'Strict'
        begins = f'{kind} in version "{version}" cannot be handled as a {kind}: ' if before is None or 'create' in doing else ''
        status = thing.pop('status', None) if before else None
        thing = schema.check(thing, before, self._resource, strict, begins)
        if not self._resource.custom:
            thing = defaults.fill({'kind': kind, **thing})
        return thing if status is None else {**thing, 'status': status}

    def _check_version(self, live: Object, wanted: Object) -> None:
        version = wanted.get('metadata', {}).get('resourceVersion')
        if version and version != live['metadata']['resourceVersion']:
            raise conflict(self._resource.plural, self._resource.group, live['metadata']['name'],
                           'the object has been modified; please apply your changes to the latest version and try again')

    def _patched(self, live: Object, media_type: str, body: Any) -> Object:
        if media_type == JSON_PATCH:
            return patches.json_patch(live, body)
        if media_type == MERGE_PATCH:
            return patches.merge(live, body)
        if media_type == STRATEGIC_PATCH and not self._resource.custom:
            return patches.strategic(live, body)
        accepted = [JSON_PATCH, MERGE_PATCH] + ([] if self._resource.custom else [STRATEGIC_PATCH]) + [APPLY_PATCH]
        raise unsupported_media_type(accepted)

    def _parts(self, live: Object, wanted: Object, subresource: str) -> Object:
        """Status is written through its subresource only, everything else never through it."""
        wanted = copied(wanted)
        if subresource == 'status':
            return {**live, 'status': wanted.get('status')}
        if 'status' in self._resource.subresources:
            wanted.pop('status', None)
            if 'status' in live:
                wanted['status'] = live['status']
        return wanted

    def _keep(self, live: Object, wanted: Object, subresource: str) -> Object:
        for field in ('uid', 'creationTimestamp', 'deletionTimestamp', 'generation'):
            if field in live['metadata']:
                wanted['metadata'][field] = live['metadata'][field]
        wanted = self._checked(wanted, live, '')
        if wanted['metadata'].get('managedFields') == live['metadata'].get('managedFields'):
            wanted = apply.record_update(live, wanted, self._manager, self._resource, subresource)
        return self._store_changed(live, wanted)

    def _store_changed(self, live: Object, wanted: Object) -> Object:
        if _same(live, wanted) or self._dry:
            return self._served(live if _same(live, wanted) else wanted)
        return self._served(self._store.replace(self._resource.key, wanted))

    def _keep_new(self, thing: Object) -> Object:
        if self._dry:
            thing['metadata'].setdefault('uid', '00000000-0000-0000-0000-000000000000')
            thing['metadata'].setdefault('creationTimestamp', now())
            return self._served(thing)
        if self._resource.key == CRDS.key:
            thing.pop('status', None)
            thing['spec'].setdefault('conversion', {'strategy': 'None'})
            names = thing['spec']['names']
            names.setdefault('singular', names['kind'].lower())
            names.setdefault('listKind', names['kind'] + 'List')
        return self._served(self._store.create(self._resource.key, self._served(thing)))

    def _apply(self, namespace: str, name: str, body: Object, subresource: str) -> Object:
        thing = self._named(namespace, body)
        if thing['metadata']['name'] != name:
            raise bad_request(f'name in body {thing["metadata"]["name"]} does not match the name of the request {name}')
        live = self._store.get(self._resource.key, namespace, name)
        if live is None:
            self._check_namespace(namespace, name)
        force = self._query.get('force') == 'true'
        self._check_typed(thing)
        result = apply.server_side(self._served(live) if live else None, thing, self._manager, force, self._resource)
        result = self._parts(live, result, subresource) if live else result
        result = self._checked(result, live, '')
        return self._store_changed(self._served(live), self._served(result)) if live else self._keep_new(result)

    def _check_typed(self, thing: Object) -> None:
        """A value that is not of the schema's type cannot be merged."""
        if self._resource.schema is None:
            return
        wrong = [cause for cause in schema.violations(thing, self._resource.schema) if cause[0] == 'FieldValueTypeInvalid']
        if wrong:
            where = f'{namespace_of(thing)}/{thing["metadata"]["name"]}; {self._resource.api_version}, Kind={self._resource.kind}'
            kind = re.search(r'must be of type (\w+)', wrong[0][2]).group(1)  # type: ignore[union-attr]
            raise ApiError(500, 'InternalError', f'failed to create typed patch object ({where}): .{wrong[0][1]}: expected {kind}, '
                           'got a value of another type')


def _same(live: Object, wanted: Object) -> bool:
    """Whether only the times in managed fields differ."""
    def plain(thing: Object) -> Object:
        metadata = {name: value for name, value in thing['metadata'].items() if name != 'managedFields'}
        entries = [{**entry, 'time': ''} for entry in thing['metadata'].get('managedFields') or []]
        return {**thing, 'metadata': metadata, 'managed': sorted(entries, key=lambda entry: json.dumps(entry, sort_keys=True))}
    return plain(live) == plain(wanted)
