"""Defaults and normal forms of the API server for built-in kinds: omitted fields, and one spelling of quantities."""
from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from .storage import Object
from .values import copied

_QUANTITY = re.compile(r'^(\d+(?:\.\d+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$')
_UNITS = {'m': Fraction(1, 1000), None: Fraction(1), 'k': Fraction(10**3), 'M': Fraction(10**6), 'G': Fraction(10**9),
          'T': Fraction(10**12), 'Ki': Fraction(2**10), 'Mi': Fraction(2**20), 'Gi': Fraction(2**30), 'Ti': Fraction(2**40)}


def quantity(text: Any) -> Any:
    """In the largest unit of its system in which it is a whole number."""
    found = _QUANTITY.match(str(text))
    if not found:
        return text
    value = Fraction(found.group(1)) * _UNITS[found.group(2)]
    binary = (found.group(2) or '').endswith('i')
    units = [unit for unit in _UNITS if (unit or 'i').endswith('i') == binary or unit is None] if binary else ['m', None, 'k', 'M', 'G', 'T']
    for unit in reversed(sorted(units, key=lambda unit: _UNITS[unit])):
        if value and (value / _UNITS[unit]).denominator == 1:
            return f'{value / _UNITS[unit]}{unit or ""}'
    return '0' if not value else str(text)


def _container(container: Object) -> None:
    container.setdefault('imagePullPolicy', 'IfNotPresent')
    container.setdefault('terminationMessagePath', '/dev/termination-log')
    container.setdefault('terminationMessagePolicy', 'File')
    container.setdefault('resources', {})
    for amounts in container['resources'].values():
        for name in amounts:
            amounts[name] = quantity(amounts[name])
    for variable in container.get('env') or []:
        if variable.get('value') == '':
            del variable['value']
    for port in container.get('ports') or []:
        port.setdefault('protocol', 'TCP')


def _deployment(spec: Object) -> None:
    for name, value in (('replicas', 1), ('progressDeadlineSeconds', 600), ('revisionHistoryLimit', 10),
                        ('strategy', {'type': 'RollingUpdate', 'rollingUpdate': {'maxSurge': '25%', 'maxUnavailable': '25%'}})):
        spec.setdefault(name, copied(value))
    pod = spec.setdefault('template', {}).setdefault('spec', {})
    for name, value in (('dnsPolicy', 'ClusterFirst'), ('restartPolicy', 'Always'), ('schedulerName', 'default-scheduler'),
                        ('securityContext', {}), ('terminationGracePeriodSeconds', 30)):
        pod.setdefault(name, copied(value))
    if pod.get('serviceAccountName'):
        pod['serviceAccount'] = pod['serviceAccountName']
    for container in pod.get('containers') or []:
        _container(container)


def _service(spec: Object) -> None:
    for name, value in (('clusterIP', '10.0.0.10'), ('clusterIPs', ['10.0.0.10']), ('type', 'ClusterIP'), ('sessionAffinity', 'None'),
                        ('internalTrafficPolicy', 'Cluster'), ('ipFamilies', ['IPv4']), ('ipFamilyPolicy', 'SingleStack')):
        spec.setdefault(name, copied(value))
    for port in spec.get('ports') or []:
        port.setdefault('protocol', 'TCP')
        port.setdefault('targetPort', port['port'])


def _webhook(webhook: Object) -> None:
    for name, value in (('failurePolicy', 'Fail'), ('matchPolicy', 'Equivalent'), ('timeoutSeconds', 10), ('namespaceSelector', {}),
                        ('objectSelector', {})):
        webhook.setdefault(name, copied(value))
    for rule in webhook.get('rules') or []:
        rule.setdefault('scope', '*')


def fill(thing: Object) -> Object:
    """The object with its defaults; objects of other kinds are returned unchanged."""
    kind = thing['kind']
    if kind == 'Deployment':
        _deployment(thing.setdefault('spec', {}))
    elif kind == 'Service':
        _service(thing.setdefault('spec', {}))
    elif kind in ('ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'):
        for webhook in thing.get('webhooks') or []:
            _webhook(webhook)
    elif kind in ('ClusterRoleBinding', 'RoleBinding'):
        for subject in thing.get('subjects') or []:
            if subject['kind'] != 'ServiceAccount':
                subject.setdefault('apiGroup', 'rbac.authorization.k8s.io')
    elif kind == 'Namespace':
        thing['metadata'].setdefault('labels', {}).setdefault('kubernetes.io/metadata.name', thing['metadata']['name'])
    return thing
