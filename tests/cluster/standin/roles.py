"""The ClusterRoles that a user of a namespace has: those of Kubernetes, for what the stand-in serves, and what OLM adds to them."""
from __future__ import annotations

from typing import Any

Object = dict[str, Any]
RBAC, OLM = 'rbac.authorization.k8s.io', 'operators.coreos.com'
READ = ('get', 'list', 'watch')
WRITE = ('create', 'delete', 'deletecollection', 'patch', 'update')
CORE = ('configmaps', 'events', 'persistentvolumeclaims', 'pods', 'services')
APPS = ('daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'statefulsets')


def _rule(group: str, resources: tuple[str, ...], verbs: tuple[str, ...]) -> Object:
    return {'apiGroups': [group], 'resources': list(resources), 'verbs': list(verbs)}


def _role(name: str, rules: list[Object], *aggregated_to: str) -> Object:
    labels = {f'{RBAC}/aggregate-to-{to}': 'true' for to in aggregated_to}
    return {'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRole', 'metadata': {'name': name, 'labels': labels}, 'rules': rules}


def _aggregate(name: str) -> Object:
    selector = {'matchLabels': {f'{RBAC}/aggregate-to-{name}': 'true'}}
    return {**_role(name, []), 'aggregationRule': {'clusterRoleSelectors': [selector]}}


def usual_roles() -> list[Object]:
    view = [_rule('', CORE + ('endpoints', 'namespaces', 'serviceaccounts', 'pods/log'), READ), _rule('apps', APPS, READ),
            _rule('batch', ('jobs',), READ), _rule('networking.k8s.io', ('networkpolicies',), READ),
            _rule('policy', ('poddisruptionbudgets',), READ), _rule('events.k8s.io', ('events',), READ)]
    edit = [_rule('', CORE + ('secrets', 'serviceaccounts'), WRITE), _rule('', ('secrets',), READ), _rule('apps', APPS, WRITE),
            _rule('batch', ('jobs',), WRITE), _rule('networking.k8s.io', ('networkpolicies',), WRITE),
            _rule('policy', ('poddisruptionbudgets',), WRITE), _rule('events.k8s.io', ('events',), WRITE)]
    admin = [_rule(RBAC, ('roles', 'rolebindings'), READ + WRITE)]
    olm_edit = [_rule(OLM, ('subscriptions',), ('create', 'update', 'patch', 'delete')),
                _rule(OLM, ('clusterserviceversions', 'catalogsources', 'installplans', 'subscriptions'), ('delete',))]
    olm_view = [_rule(OLM, ('clusterserviceversions', 'catalogsources', 'installplans', 'subscriptions', 'operatorgroups'), READ),
                _rule('packages.operators.coreos.com', ('packagemanifests', 'packagemanifests/icon'), READ)]
    return [_aggregate('view'), _aggregate('edit'), _aggregate('admin'),
            _role('system:aggregate-to-view', view, 'view', 'edit', 'admin'), _role('system:aggregate-to-edit', edit, 'edit', 'admin'),
            _role('system:aggregate-to-admin', admin, 'admin'),
            _role('aggregate-olm-edit', olm_edit, 'edit', 'admin'), _role('aggregate-olm-view', olm_view, 'view', 'edit', 'admin')]
