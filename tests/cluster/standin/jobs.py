"""Indexed Jobs: pods are processes of this machine. As the Job controller does it: completions by index, back-off for each index,
the pod failure policy (FailIndex by exit code, Ignore by condition)."""
from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import tempfile
import threading
from typing import Any, Callable

from .storage import Key, Object, Store, namespace_of, now

JOBS: Key = ('batch', 'jobs')
PODS: Key = ('', 'pods')
CONFIG_MAPS: Key = ('', 'configmaps')


class Pod:
    def __init__(self, index: int, name: str, process: subprocess.Popen[bytes], log: pathlib.Path) -> None:
        self.index, self.name, self.process, self.log = index, name, process, log
        self.evicted = False


class JobRunner:
    """`programs`: what runs for an image; images that are not there cannot be pulled. `paths`: directories of this machine for
    those of PersistentVolumeClaims. Use it in a `with`."""

    def __init__(self, store: Store, programs: dict[str, str], claims: dict[str, str] | None = None) -> None:
        self._store, self._programs, self._claims = store, programs, claims or {}
        self._pods: dict[str, list[Pod]] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._directory = tempfile.TemporaryDirectory(prefix='opcat-pods-')
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._lock = threading.Lock()
        self.trouble: BaseException | None = None
        self.started: list[int] = []  # indexes, in the order in which their pods were started

    def __enter__(self) -> JobRunner:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for pods in self._pods.values():
            for pod in pods:
                pod.process.kill()
                pod.process.wait()
        self._directory.cleanup()

    def kill(self, choose: Callable[[Pod], bool] = lambda pod: True, evict: bool = False) -> int:
        """Kills running pods, as a lost node does (`evict`), or one without memory; returns their number."""
        killed = 0
        with self._lock:
            for pods in self._pods.values():
                for pod in pods:
                    if pod.process.poll() is None and choose(pod):
                        pod.evicted = evict
                        pod.process.send_signal(signal.SIGKILL)
                        killed += 1
        return killed

    def _run(self) -> None:
        while not self._stop.wait(0.02):
            try:
                with self._lock:
                    jobs = self._store.list(JOBS)
                    for uid in set(self._pods) - {job['metadata']['uid'] for job in jobs}:
                        for pod in self._pods.pop(uid):
                            pod.process.kill()
                    for job in jobs:
                        self._work_on(job)
            except Exception as error:  # pylint: disable=broad-exception-caught
                self.trouble = error
                return

    def _work_on(self, job: Object) -> None:
        spec, status = job['spec'], job.get('status') or {}
        if any(condition['type'] in ('Complete', 'Failed') for condition in status.get('conditions') or []):
            return
        uid = job['metadata']['uid']
        pods = self._pods.setdefault(uid, [])
        done, failed = read_indexes(status.get('completedIndexes', '')), read_indexes(status.get('failedIndexes', ''))
        for pod in [pod for pod in pods if pod.process.poll() is not None]:
            pods.remove(pod)
            self._end(job, pod, done, failed)
        running = {pod.index for pod in pods}
        for index in range(spec['completions']):
            if len(pods) >= spec['parallelism']:
                break
            if index not in done | failed | running:
                self._start(job, index, pods)
        status = {'completedIndexes': write_indexes(done), 'failedIndexes': write_indexes(failed), 'active': len(pods),
                  'succeeded': len(done), 'failed': len(failed), 'startTime': status.get('startTime') or now(), 'conditions': []}
        if len(done | failed) == spec['completions']:
            kind = 'Failed' if failed else 'Complete'
            status['conditions'] = [{'type': kind, 'status': 'True', 'lastTransitionTime': now(),
                                     'reason': 'FailedIndexes' if failed else 'CompletionsReached',
                                     'message': 'Job has failed indexes' if failed else 'Reached expected number of succeeded pods'}]
        current = self._store.get(JOBS, namespace_of(job), job['metadata']['name'])
        if current:
            self._store.replace(JOBS, {**current, 'status': status})

    def _start(self, job: Object, index: int, pods: list[Pod]) -> None:
        container = job['spec']['template']['spec']['containers'][0]
        number = self._starts[job['metadata']['uid'], index] = self._starts.get((job['metadata']['uid'], index), -1) + 1
        name = f"{job['metadata']['name']}-{index}-{job['metadata']['uid'][:5]}{number}"
        program = self._programs.get(container['image'])
        if program is None:
            self._keep_pod(job, index, name, {'waiting': {'reason': 'ImagePullBackOff', 'message': f"Back-off pulling image {container['image']}"}})
            return
        directory = pathlib.Path(self._directory.name) / name
        directory.mkdir()
        mounts = self._mount(job, directory)
        environment = {'PATH': os.environ['PATH'], 'JOB_COMPLETION_INDEX': str(index), 'TMPDIR': str(directory / 'tmp'),
                       **{entry['name']: entry['value'] for entry in container.get('env') or []}}
        (directory / 'tmp').mkdir()
        environment['HOME'] = environment['TMPDIR']
        arguments = [self._expand(argument, environment) for argument in container['args']]
        for path, place in mounts.items():
            arguments = [place + argument[len(path):] if argument.startswith(path) else argument for argument in arguments]
        log = directory / 'log'
        with log.open('wb') as output:
            process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                                       cwd=directory / 'tmp')
        self.started.append(index)
        self._keep_pod(job, index, name, {'running': {'startedAt': now()}})
        pods.append(Pod(index, name, process, log))

    @staticmethod
    def _expand(argument: str, environment: dict[str, str]) -> str:
        """$(NAME) is the variable, $$(NAME) is not."""
        for name, value in environment.items():
            argument = argument.replace(f'$$({name})', f'\0{name})').replace(f'$({name})', value).replace(f'\0{name})', f'$({name})')
        return argument

    def _mount(self, job: Object, directory: pathlib.Path) -> dict[str, str]:
        pod = job['spec']['template']['spec']
        volumes = {volume['name']: volume for volume in pod.get('volumes') or []}
        mounts = {}
        for mount in pod['containers'][0].get('volumeMounts') or []:
            volume, place = volumes[mount['name']], directory / mount['name']
            if 'projected' in volume:
                place.mkdir()
                for source in volume['projected']['sources']:
                    data = self._store.get(CONFIG_MAPS, namespace_of(job), source['configMap']['name'])
                    assert data, source
                    for name, text in data['data'].items():
                        (place / name).write_text(text)
                mounts[mount['mountPath']] = str(place)
            elif 'persistentVolumeClaim' in volume:
                mounts[mount['mountPath']] = self._claims[volume['persistentVolumeClaim']['claimName']]
        return mounts

    def _keep_pod(self, job: Object, index: int, name: str, state: dict[str, Any]) -> None:
        ended = state.get('terminated')
        phase = 'Pending' if 'waiting' in state else 'Running' if not ended else 'Failed' if ended['exitCode'] else 'Succeeded'
        template = job['spec']['template']
        pod = {'apiVersion': 'v1', 'kind': 'Pod',
               'metadata': {'name': name, 'namespace': namespace_of(job), 'labels': {**template['metadata']['labels']},
                            'annotations': {'batch.kubernetes.io/job-completion-index': str(index)},
                            'ownerReferences': [{'apiVersion': 'batch/v1', 'kind': 'Job', 'name': job['metadata']['name'],
                                                 'uid': job['metadata']['uid'], 'controller': True}]},
               'spec': template['spec'],
               'status': {'phase': phase, 'containerStatuses': [{'name': 'opcat', 'state': state, 'restartCount': 0, 'ready': False}]}}
        there = self._store.get(PODS, namespace_of(job), name)
        if there:
            self._store.replace(PODS, {**there, 'status': pod['status']})
        else:
            self._store.create(PODS, pod)

    def _end(self, job: Object, pod: Pod, done: set[int], failed: set[int]) -> None:
        code = pod.process.returncode
        code = 128 - code if code < 0 else code
        lines = pod.log.read_text(errors='replace').splitlines()[-80:]
        self._keep_pod(job, pod.index, pod.name, {'terminated': {'exitCode': code, 'reason': 'Error' if code else 'Completed',
                                                                 'message': '\n'.join(lines)[-2048:] if code else ''}})
        if code == 0:
            done.add(pod.index)
            return
        key = (job['metadata']['uid'], pod.index)
        for rule in job['spec']['podFailurePolicy']['rules']:
            codes = rule.get('onExitCodes')
            if codes and codes['operator'] == 'In' and code in codes['values']:
                assert rule['action'] == 'FailIndex'
                failed.add(pod.index)
                return
            if pod.evicted and any(c['type'] == 'DisruptionTarget' for c in rule.get('onPodConditions') or []):
                assert rule['action'] == 'Ignore'
                self._starts[key] += 1000  # names must be different; the number has no meaning
                return
        if self._starts[key] % 1000 >= job['spec']['backoffLimitPerIndex']:
            failed.add(pod.index)


def read_indexes(text: str) -> set[int]:
    """"0-2,5" as Jobs have it."""
    found = set()
    for part in filter(None, text.split(',')):
        first, _, last = part.partition('-')
        found |= set(range(int(first), int(last or first) + 1))
    return found


def write_indexes(indexes: set[int]) -> str:
    parts: list[list[int]] = []
    for index in sorted(indexes):
        if parts and parts[-1][1] == index - 1:
            parts[-1][1] = index
        else:
            parts.append([index, index])
    return ','.join(str(a) if a == b else f'{a}-{b}' for a, b in parts)
