"""Bundles of the packages in testdata/cluster/catalogs, as in their images."""
from __future__ import annotations

import json
from typing import Any

Object = dict[str, Any]

LABELS = {'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
          'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
          'operators.operatorframework.io.bundle.metadata.v1': 'metadata/'}
MODES = ('OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces')


def rule(group: str, resources: list[str], *verbs: str) -> Object:
    return {'apiGroups': [group], 'resources': resources, 'verbs': list(verbs)}


def csv(package: str, version: str, kind: str, plural: str, rules: list[Object], cluster_rules: list[Object],
        webhooks: list[Object]) -> Object:
    controller, labels = f'{package}-controller', {'app': package}
    container = {'name': 'manager', 'image': f'registry.example/{package}:{version}', 'env': [{'name': 'EMPTY', 'value': ''}],
                 'resources': {'limits': {'cpu': '1000m', 'memory': '1024Mi'}}}
    pod = {'metadata': {'labels': labels}, 'spec': {'serviceAccountName': package, 'containers': [container]}}
    return {
        'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'ClusterServiceVersion', 'metadata': {'name': f'{package}.v{version}'},
        'spec': {
            'displayName': package.capitalize(), 'version': version,
            'installModes': [{'type': mode, 'supported': True} for mode in MODES],
            'customresourcedefinitions': {'owned': [
                {'name': f'{plural}.{package}.example.com', 'kind': kind, 'version': 'v1', 'displayName': kind}]},
            'webhookdefinitions': webhooks,
            'install': {'strategy': 'deployment', 'spec': {
                'permissions': [{'serviceAccountName': package, 'rules': rules}],
                'clusterPermissions': [{'serviceAccountName': package, 'rules': cluster_rules}],
                'deployments': [{'name': controller, 'spec': {'replicas': 1, 'selector': {'matchLabels': labels},
                                                              'template': pod}}]}}}}


def crd(package: str, kind: str, plural: str, fields: tuple[str, ...]) -> Object:
    properties = {'type': 'object', 'properties': {name: {'type': 'string'} for name in fields}}
    return {
        'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
        'metadata': {'name': f'{plural}.{package}.example.com'},
        'spec': {'group': f'{package}.example.com', 'scope': 'Namespaced',
                 'names': {'kind': kind, 'plural': plural, 'singular': kind.lower(), 'listKind': kind + 'List'},
                 'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': {
                     'type': 'object', 'properties': {'spec': properties}}}}]}}


def greeter(version: str) -> list[Object]:
    """Each version needs more rights, and names its ConfigMap differently; 3.0.0 drops a field of its definition."""
    names = {'1.0.0': 1, '1.1.0': 2, '2.0.0': 3, '3.0.0': 4}
    rules = [rule('', ['configmaps', 'secrets', 'events', 'pods'][:names[version]], 'get', 'list', 'create')]
    everywhere = [rule('greeter.example.com', ['*'], '*'), rule('', ['nodes'], 'get')]
    fields = ('text',) if version == '3.0.0' else ('text', 'volume')
    return [csv('greeter', version, 'Greeting', 'greetings', rules, everywhere, []), crd('greeter', 'Greeting', 'greetings', fields),
            {'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': 'greeter-metrics'},
             'spec': {'ports': [{'port': 8443, 'name': 'https'}], 'selector': {'app': 'greeter'}}},
            {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': f'greeter-{version.replace(".", "-")}'}, 'data': {'a': '1'}}]


def guard(version: str) -> list[Object]:
    """It has a webhook."""
    webhook = {'type': 'ValidatingAdmissionWebhook', 'generateName': 'vgate.guard.example.com', 'deploymentName': 'guard-controller',
               'containerPort': 443, 'targetPort': 9443, 'webhookPath': '/validate', 'sideEffects': 'None', 'failurePolicy': 'Fail',
               'admissionReviewVersions': ['v1'],
               'rules': [{'apiGroups': ['guard.example.com'], 'apiVersions': ['v1'], 'operations': ['CREATE'], 'resources': ['gates']}]}
    rules = [rule('guard.example.com', ['gates'], 'get', 'list', 'watch')]
    return [csv('guard', version, 'Gate', 'gates', [], rules, [webhook]), crd('guard', 'Gate', 'gates', ('text',))]


def image(package: str, manifests: list[Object]) -> tuple[dict[str, str], dict[str, str]]:
    """Files and labels."""
    labels = {**LABELS, 'operators.operatorframework.io.bundle.package.v1': package,
              'operators.operatorframework.io.bundle.channels.v1': 'stable'}
    files = {f'manifests/{i}-{manifest["kind"].lower()}.yaml': json.dumps(manifest) for i, manifest in enumerate(manifests)}
    return {**files, 'metadata/annotations.yaml': json.dumps({'annotations': labels})}, labels


ALL = {**{f'greeter.v{version}': ('greeter', version, greeter(version)) for version in ('1.0.0', '1.1.0', '2.0.0', '3.0.0')},
       'guard.v1.0.0': ('guard', '1.0.0', guard('1.0.0'))}
