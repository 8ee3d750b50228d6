"""How kubectl finds out what is served: discovery documents, aggregated and legacy, and the OpenAPI documents that it requires."""
from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from .resources import Resource

AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
VERSION = {'major': '1', 'minor': '33', 'gitVersion': 'v1.33.0', 'gitCommit': 'stand-in', 'gitTreeState': 'clean',
           'buildDate': '2025-01-01T00:00:00Z', 'goVersion': 'none', 'compiler': 'none', 'platform': 'linux/amd64'}
# For a List kubectl wants OpenAPI v2, and accepts what it does not describe: the protobuf of {swagger: "2.0"} is enough.
OPENAPI_V2 = b'\x0a\x032.0'
OPENAPI_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'


def by_group(resources: list[Resource]) -> dict[str, dict[str, list[Resource]]]:
    groups: dict[str, dict[str, list[Resource]]] = {}
    for resource in sorted(resources, key=lambda resource: rank(resource.version)):
        groups.setdefault(resource.group, {}).setdefault(resource.version, []).append(resource)
    return groups


def rank(version: str) -> tuple[int, int, int]:
    """The preferred version first: v2, v1, v1beta1, v1alpha2, v1alpha1."""
    major, stage, minor = re.match(r'v(\d+)(alpha|beta)?(\d*)', version).groups()  # type: ignore[union-attr]
    return {None: 0, 'beta': 1, 'alpha': 2}[stage], -int(major), -int(minor or 0)


def _singular(resource: Resource) -> str:
    return resource.singular or resource.kind.lower()


def _aggregated_resource(resource: Resource) -> dict[str, Any]:
    kind = {'group': resource.group, 'version': resource.version, 'kind': resource.kind}
    found: dict[str, Any] = {'resource': resource.plural, 'responseKind': kind,
                             'scope': 'Namespaced' if resource.namespaced else 'Cluster',
                             'singularResource': _singular(resource), 'verbs': list(resource.verbs)}
    if resource.short:
        found['shortNames'] = list(resource.short)
    if resource.categories:
        found['categories'] = list(resource.categories)
    if resource.subresources:
        found['subresources'] = [{'subresource': name, 'responseKind': _subresource_kind(resource, name),
                                  'verbs': ['get', 'patch', 'update']} for name in resource.subresources]
    return found


def _subresource_kind(resource: Resource, name: str) -> dict[str, str]:
    if name == 'scale':
        return {'group': 'autoscaling', 'version': 'v1', 'kind': 'Scale'}
    return {'group': resource.group, 'version': resource.version, 'kind': resource.kind}


def aggregated(resources: list[Resource], core: bool) -> dict[str, Any]:
    items = []
    for group, versions in by_group(resources).items():
        if (group == '') == core:
            items.append({'metadata': {'name': group} if group else {},
                          'versions': [{'version': version, 'freshness': 'Current',
                                        'resources': [_aggregated_resource(resource) for resource in found]}
                                       for version, found in versions.items()]})
    return {'kind': 'APIGroupDiscoveryList', 'apiVersion': 'apidiscovery.k8s.io/v2', 'metadata': {}, 'items': items}


def group_document(group: str, versions: list[str]) -> dict[str, Any]:
    named = [{'groupVersion': f'{group}/{version}', 'version': version} for version in versions]
    return {'name': group, 'versions': named, 'preferredVersion': named[0]}


def group_list(resources: list[Resource]) -> dict[str, Any]:
    return {'kind': 'APIGroupList', 'apiVersion': 'v1',
            'groups': [group_document(group, list(versions)) for group, versions in by_group(resources).items() if group]}


def core_versions() -> dict[str, Any]:
    return {'kind': 'APIVersions', 'versions': ['v1'],
            'serverAddressByClientCIDRs': [{'clientCIDR': '0.0.0.0/0', 'serverAddress': '127.0.0.1'}]}


def resource_list(resources: list[Resource], group: str, version: str) -> dict[str, Any] | None:
    found = by_group(resources).get(group, {}).get(version)
    if found is None:
        return None
    listed: list[dict[str, Any]] = []
    for resource in found:
        entry: dict[str, Any] = {'name': resource.plural, 'singularName': _singular(resource), 'namespaced': resource.namespaced,
                                 'kind': resource.kind, 'verbs': list(resource.verbs)}
        if resource.short:
            entry['shortNames'] = list(resource.short)
        if resource.categories:
            entry['categories'] = list(resource.categories)
        listed.append(entry)
        listed += [{**_subresource_kind(resource, name), 'name': f'{resource.plural}/{name}', 'singularName': '',
                    'namespaced': resource.namespaced, 'verbs': ['get', 'patch', 'update']} for name in resource.subresources]
    return {'kind': 'APIResourceList', 'apiVersion': 'v1', 'groupVersion': found[0].api_version, 'resources': listed}


def _openapi_path(resource: Resource) -> str:
    scope = '/namespaces/{namespace}' if resource.namespaced else ''
    return f'{resource.prefix}{scope}/{resource.plural}/{{name}}'


def _schema_name(resource: Resource) -> str:
    return f'{".".join(reversed(resource.group.split(".")))}.{resource.version}.{resource.kind}'.strip('.')


def openapi_v3(resources: list[Resource], group: str, version: str) -> dict[str, Any] | None:
    """What kubectl checks: that `patch` knows fieldValidation, so that the server validates; and the schemas, to explain."""
    found = by_group(resources).get(group, {}).get(version)
    if found is None:
        return None
    paths, schemas = {}, {}
    for resource in found:
        kind = {'group': resource.group, 'version': resource.version, 'kind': resource.kind}
        paths[_openapi_path(resource)] = {'patch': {
            'parameters': [{'name': name, 'in': 'query', 'schema': {'type': 'string'}} for name in ('dryRun', 'fieldValidation')],
            'responses': {'200': {'description': 'OK'}}, 'x-kubernetes-action': 'patch',
            'x-kubernetes-group-version-kind': kind}}
        schemas[_schema_name(resource)] = {'type': 'object', **(resource.schema or {}),
                                           'x-kubernetes-group-version-kind': [kind]}
    return {'openapi': '3.0.0', 'info': {'title': 'stand-in', 'version': '1'}, 'paths': paths, 'components': {'schemas': schemas}}


def openapi_v3_index(resources: list[Resource]) -> dict[str, Any]:
    paths = {}
    for group, versions in by_group(resources).items():
        for version in versions:
            name = f'apis/{group}/{version}' if group else f'api/{version}'
            content = json.dumps(openapi_v3(resources, group, version), sort_keys=True)
            digest = hashlib.sha512(content.encode()).hexdigest().upper()
            paths[name] = {'serverRelativeURL': f'/openapi/v3/{name}?hash={digest}'}
    return {'paths': paths}
