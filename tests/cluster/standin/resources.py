"""What kinds of objects the stand-in serves: those built into Kubernetes that operators need, and those that CRDs add."""
from __future__ import annotations

import dataclasses
from typing import Any, Iterable

VERBS = ('create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch')


@dataclasses.dataclass(frozen=True)
class Resource:
    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = VERBS
    schema: Any = dataclasses.field(default=None, compare=False)  # the CRD's openAPIV3Schema, None for what is built in
    columns: Any = dataclasses.field(default=None, compare=False)  # the CRD's additionalPrinterColumns
    custom: bool = False
    singular: str = ''

    @property
    def api_version(self) -> str:
        return f'{self.group}/{self.version}' if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """Where the objects are stored: the same for all versions."""
        return (self.group, self.plural)

    @property
    def prefix(self) -> str:
        return f'/apis/{self.group}/{self.version}' if self.group else f'/api/{self.version}'


def _built_in() -> list[Resource]:
    rows = '''
        ""  v1 configmaps ConfigMap n cm -
        ""  v1 endpoints Endpoints n ep -
        ""  v1 events Event n ev -
        ""  v1 namespaces Namespace c ns status
        ""  v1 nodes Node c no status
        ""  v1 persistentvolumeclaims PersistentVolumeClaim n pvc status
        ""  v1 pods Pod n po status
        ""  v1 secrets Secret n - -
        ""  v1 serviceaccounts ServiceAccount n sa -
        ""  v1 services Service n svc status
        admissionregistration.k8s.io v1 mutatingwebhookconfigurations MutatingWebhookConfiguration c - -
        admissionregistration.k8s.io v1 validatingwebhookconfigurations ValidatingWebhookConfiguration c - -
        apiextensions.k8s.io v1 customresourcedefinitions CustomResourceDefinition c crd,crds status
        apiregistration.k8s.io v1 apiservices APIService c - status
        apps v1 daemonsets DaemonSet n ds status
        apps v1 deployments Deployment n deploy status,scale
        apps v1 replicasets ReplicaSet n rs status
        apps v1 statefulsets StatefulSet n sts status
        batch v1 jobs Job n - status
        events.k8s.io v1 events Event n ev -
        networking.k8s.io v1 networkpolicies NetworkPolicy n netpol -
        policy v1 poddisruptionbudgets PodDisruptionBudget n pdb status
        rbac.authorization.k8s.io v1 clusterrolebindings ClusterRoleBinding c - -
        rbac.authorization.k8s.io v1 clusterroles ClusterRole c - -
        rbac.authorization.k8s.io v1 rolebindings RoleBinding n - -
        rbac.authorization.k8s.io v1 roles Role n - -
        scheduling.k8s.io v1 priorityclasses PriorityClass c pc -'''
    found = []
    for row in rows.strip().splitlines():
        group, version, plural, kind, scope, short, subresources = row.split()
        found.append(Resource(group.strip('"'), version, plural, kind, scope == 'n', _words(short), (), _words(subresources)))
    for group, plural, kind, namespaced in (('authorization.k8s.io', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', False),
                                            ('authorization.k8s.io', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', False),
                                            ('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview', False),
                                            ('authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview', False)):
        found.append(Resource(group, 'v1', plural, kind, namespaced, verbs=('create',)))
    return found


def _words(text: str) -> tuple[str, ...]:
    return () if text == '-' else tuple(text.split(','))


BUILT_IN = _built_in()
PACKAGE_MANIFESTS = Resource('packages.operators.coreos.com', 'v1', 'packagemanifests', 'PackageManifest', True,
                             categories=('all',), subresources=('icon',), verbs=('get', 'list'))
CRDS = next(resource for resource in BUILT_IN if resource.plural == 'customresourcedefinitions')
NAMESPACES = next(resource for resource in BUILT_IN if resource.plural == 'namespaces')


def of_crd(crd: dict[str, Any]) -> Iterable[Resource]:
    """A Resource per served version of a CRD."""
    spec = crd['spec']
    names = spec['names']
    for version in spec['versions']:
        if version.get('served'):
            yield Resource(spec['group'], version['name'], names['plural'], names['kind'], spec['scope'] == 'Namespaced',
                           tuple(names.get('shortNames') or ()), tuple(names.get('categories') or ()),
                           tuple(version.get('subresources') or ()), VERBS,
                           (version.get('schema') or {}).get('openAPIV3Schema'), version.get('additionalPrinterColumns'), True,
                           names.get('singular') or names['kind'].lower())
