"""The fields of batch/v1 Jobs and what is in them, as the API reference of Kubernetes 1.29 lists them: a misspelt field would be dropped."""
from __future__ import annotations

from typing import Any

SECURITY = 'allowPrivilegeEscalation capabilities privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions ' \
           'seccompProfile windowsOptions'
FIELDS: dict[str, Any] = {
    'Job': {'apiVersion': str, 'kind': str, 'metadata': 'Metadata', 'spec': 'JobSpec', 'status': dict},
    'Metadata': {**dict.fromkeys('name namespace generateName uid'.split(), str), 'labels': dict, 'annotations': dict, 'ownerReferences': list},
    'JobSpec': {**dict.fromkeys('activeDeadlineSeconds backoffLimit backoffLimitPerIndex completions maxFailedIndexes parallelism '
                                'ttlSecondsAfterFinished'.split(), int), 'completionMode': {'Indexed', 'NonIndexed'}, 'manualSelector': bool,
                'suspend': bool, 'selector': dict, 'podReplacementPolicy': {'TerminatingOrFailed', 'Failed'}, 'podFailurePolicy': 'FailurePolicy',
                'template': 'Template'},
    'FailurePolicy': {'rules': ['Rule']},
    'Rule': {'action': {'FailJob', 'FailIndex', 'Ignore', 'Count'}, 'onExitCodes': 'ExitCodes', 'onPodConditions': ['PodCondition']},
    'ExitCodes': {'containerName': str, 'operator': {'In', 'NotIn'}, 'values': list},
    'PodCondition': {'type': str, 'status': str},
    'Template': {'metadata': 'Metadata', 'spec': 'PodSpec'},
    'PodSpec': {'containers': ['Container'], 'initContainers': ['Container'], 'volumes': ['Volume'], 'imagePullSecrets': ['Name'],
                'restartPolicy': {'Never', 'OnFailure'}, 'serviceAccountName': str, 'automountServiceAccountToken': bool,
                'securityContext': 'PodSecurity', 'nodeSelector': dict, 'tolerations': list, 'affinity': dict, 'priorityClassName': str},
    'PodSecurity': {'fsGroup': int, 'fsGroupChangePolicy': str, 'runAsGroup': int, 'runAsNonRoot': bool, 'runAsUser': int,
                    'seccompProfile': 'Seccomp', 'supplementalGroups': list, 'sysctls': list},
    'Seccomp': {'type': {'RuntimeDefault', 'Localhost', 'Unconfined'}, 'localhostProfile': str},
    'Name': {'name': str},
    'Container': {'name': str, 'image': str, 'args': list, 'command': list, 'env': ['Variable'], 'resources': 'Resources', 'workingDir': str,
                  'imagePullPolicy': {'Always', 'IfNotPresent', 'Never'}, 'terminationMessagePolicy': {'File', 'FallbackToLogsOnError'},
                  'terminationMessagePath': str, 'securityContext': dict.fromkeys(SECURITY.split(), object), 'volumeMounts': ['Mount']},
    'Variable': {'name': str, 'value': str, 'valueFrom': dict},
    'Resources': {'requests': dict, 'limits': dict, 'claims': list},
    'Mount': {'name': str, 'mountPath': str, 'readOnly': bool, 'subPath': str},
    'Volume': {'name': str, 'emptyDir': dict, 'projected': 'Projected', 'persistentVolumeClaim': {'claimName': str, 'readOnly': bool},
               'secret': {'secretName': str, 'items': list, 'defaultMode': int, 'optional': bool}, 'configMap': dict},
    'Projected': {'sources': ['Source'], 'defaultMode': int},
    'Source': {'configMap': {'name': str, 'items': list, 'optional': bool}, 'secret': dict, 'downwardAPI': dict, 'serviceAccountToken': dict},
}


def wrong_fields(value: Any, kind: Any, path: str = '') -> list[str]:
    """The parts of a value that do not fit its kind, as paths."""
    if isinstance(kind, str):
        kind = FIELDS[kind]
    if isinstance(kind, set):
        return [] if value in kind else [f'{path}: {value!r} is not one of {sorted(kind)}']
    if isinstance(kind, list):
        if not isinstance(value, list):
            return [f'{path}: not a list']
        return [problem for i, item in enumerate(value) for problem in wrong_fields(item, kind[0], f'{path}[{i}]')]
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            return [f'{path}: not an object']
        return [problem for name, item in value.items()
                for problem in (wrong_fields(item, kind[name], f'{path}.{name}') if name in kind else [f'{path}.{name}: no such field'])]
    return [] if isinstance(value, kind) else [f'{path}: {value!r} is not of type {kind.__name__}']
