"""opcat job: runs in shards as Indexed Jobs, with killed pods, unavailable registries, and an interrupted driver. Covers lib/cluster/shard_job.cpp."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from typing import Any

from cluster_case import OPCAT, ROOT, TESTDATA, ClusterCase, main
from job_fields import wrong_fields
from standin.jobs import JobRunner

sys.path.insert(0, str(ROOT / 'tests/registry'))
import registries  # noqa: E402

IMAGE = 'registry.example/opcat:test'
CATALOGS = sorted((ROOT / 'testdata/catalogs').iterdir())
JOBS, PODS = ('batch', 'jobs'), ('', 'pods')


@unittest.skipUnless(shutil.which('docker-registry'), 'docker-registry is not installed')
class Jobs(ClusterCase):
    real_time = True  # pods are processes of this machine

    def setUp(self) -> None:
        super().setUp()
        self.started = self.session(crds=TESTDATA / 'crds')
        self.store = self.started.stand_in.store
        self.work = registries.Workplace()
        self.addCleanup(self.work.close)
        self.registry = self.work.registry()
        self.claim = self.dir / 'claim'
        self.claim.mkdir()
        self.runner = JobRunner(self.store, {IMAGE: OPCAT}, {'results': str(self.claim)})
        self.runner.__enter__()
        self.addCleanup(lambda: self.assertIsNone(self.runner.trouble))
        self.addCleanup(self.runner.__exit__)
        self.result = f'{self.registry.address}/team/run:one'
        self.refs = self.write_refs(CATALOGS)

    def write_refs(self, names: Any) -> pathlib.Path:
        refs = self.dir / 'refs'
        refs.write_text('# all\n' + ''.join(f'{name}\n' for name in names))
        return refs

    def job(self, *arguments: str, shards: int = 4, result: str | None = None, more: tuple[str, ...] = ()) -> Any:
        return self.opcat('job', '--image', IMAGE, '--shards', str(shards), '--result', result or self.result, '--use-http', *more, '--',
                          *arguments)

    def render(self, *more: str, **options: Any) -> Any:
        return self.job('render', '--use-http', '--refs', str(self.refs), *more, **options)

    def whole(self, *arguments: str) -> str:
        return subprocess.run([OPCAT, *arguments], capture_output=True, text=True, check=False).stdout

    def name(self) -> str:
        return str(self.store.list(JOBS)[0]['metadata']['name'])

    def test_output_is_that_of_one_machine(self) -> None:
        for number, arguments in enumerate((('render', '-o', 'yaml'), ('validate', '--format', 'json'))):
            with self.subTest(arguments[0]):
                result = self.job(*arguments, '--use-http', '--refs', str(self.refs), result=f'{self.result}{number}')
                self.assertEqual(result.out, self.whole(*arguments, '--refs', str(self.refs)), result)
                self.assertIn('4 of 4 shards done', result.err)

    def test_items_that_no_config_map_can_hold_alone(self) -> None:
        questions = self.dir / 'questions'
        line = '{"catalogs": [{"name": "c", "ref": "%s"}], "package": "p%%06d-%s"}\n' % (CATALOGS[0], 'x' * 1000)
        questions.write_text(''.join(line % number for number in range(1500)))
        result = self.job('resolve', 'v1', '--use-http', '--batch', str(questions))
        self.assertEqual(result.status, 0, result)
        self.assertEqual(result.out, self.whole('resolve', 'v1', '--batch', str(questions)))
        maps = [thing for thing in self.store.list(('', 'configmaps')) if 'items' in thing['metadata']['name']]
        self.assertGreater(len(maps), 2)
        self.assertLess(max(len(text) for thing in maps for text in thing['data'].values()), 1 << 20)

    def test_pods_get_the_memory_and_processors_that_were_asked_for(self) -> None:
        result = self.job('render', '--use-http', '--refs', str(self.refs), more=('--memory', '128Mi', '--cpu', '250m'))
        self.assertEqual(result.status, 0, result)
        pod = self.store.list(JOBS)[0]['spec']['template']['spec']
        self.assertEqual(pod['containers'][0]['resources'], {'requests': {'cpu': '250m', 'memory': '128Mi'}, 'limits': {'memory': '128Mi'}})

    def test_created_objects_are_deleted_with_the_job(self) -> None:
        self.assertEqual(self.render().status, 0)
        job = self.store.list(JOBS)[0]
        self.assertEqual(job['spec']['ttlSecondsAfterFinished'], 24 * 3600)
        name, namespace = job['metadata']['name'], job['metadata']['namespace']
        self.store.delete(JOBS, namespace, name)
        for key in (('', 'configmaps'), ('', 'serviceaccounts')):
            self.wait_for(f'{key} to go', lambda key=key: not [t for t in self.store.list(key, namespace) if t['metadata']['name'].startswith(name)])

    def test_pods_that_are_killed_and_evicted_are_replaced(self) -> None:
        front = self.work.front(self.registry, lambda request: time.sleep(0.2))
        driver = self.start_driver(f'{front.address}/team/run:one')
        for evict in (False, True, True, False):
            self.wait_for('a pod', lambda: self.runner.kill(evict=evict) > 0)
        out, err = driver.communicate(timeout=600)
        self.assertEqual((driver.returncode, out), (0, self.whole('render', '--refs', str(self.refs))), err)
        self.assertGreater(len(self.runner.started), 4)

    def start_driver(self, result: str) -> Any:
        return subprocess.Popen([OPCAT, 'job', '--image', IMAGE, '--shards', '4', '--result', result, '--use-http', '--', 'render', '--use-http', '--refs', str(self.refs)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())

    def test_a_driver_that_is_killed_goes_on(self) -> None:
        front = self.work.front(self.registry, lambda request: time.sleep(0.3))
        driver = self.start_driver(f'{front.address}/team/run:one')
        self.wait_for('pods', lambda: len(self.runner.started) >= 2)
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        result = self.render(result=f'{front.address}/team/run:one')
        self.assertEqual((result.status, result.out), (0, self.whole('render', '--refs', str(self.refs))), result)
        self.assertIn('already exists: continuing it', result.err)
        self.assertEqual(len(self.store.list(JOBS)), 1)
        self.assertEqual(sorted(self.runner.started), [0, 1, 2, 3])

    def test_a_registry_that_is_away_for_a_while(self) -> None:
        answers = iter(range(25))

        def busy(request: Any) -> bool:
            # Only pods send something. Four of them, which try each request six times, cannot share 25 refusals without one that fails.
            if request.command == 'GET' or next(answers, None) is None:
                return False
            request.answer(503, b'busy', {'Retry-After': '0'})
            return True
        front = self.work.front(self.registry, busy)
        result = self.render(result=f'{front.address}/team/run:one')
        self.assertEqual((result.status, result.out), (0, self.whole('render', '--refs', str(self.refs))), result)
        self.assertGreater(len(self.runner.started), 4)

    def test_one_poisoned_reference(self) -> None:
        self.write_refs([*CATALOGS, '/nowhere/at-all'])
        result = self.render()
        self.assertEqual((result.status, result.out), (3, ''), result)
        for words in ('/nowhere/at-all: cannot read', '3 of 4 shards done, 1 failed', f'1 of {len(CATALOGS) + 1} items failed'):
            self.assertIn(words, result.err)
        self.assertEqual(len(self.runner.started), 4)  # it was not tried again
        before = len(self.runner.started)
        again = self.render(more=('--keep-going',))
        self.assertEqual((again.status, again.out), (1, self.whole('render', *map(str, CATALOGS))), again)
        # The Job is recreated; its finished shards end at once.
        self.assertEqual(len(self.runner.started), before + 4)

    def test_a_job_of_another_command_is_left_alone(self) -> None:
        self.assertEqual(self.render(more=('--name', 'one')).status, 0)
        self.write_refs(CATALOGS[:1])
        result = self.render(more=('--name', 'one'))
        self.assertEqual((result.status, result.out), (2, ''), result)
        self.assertIn('Job default/one belongs to another command', result.err)

    def test_an_image_that_cannot_be_pulled_is_named(self) -> None:
        result = self.opcat('job', '--image', 'registry.example/none:1', '--shards', '1', '--result', self.result, '--timeout', '4s', '--',
                            'render', '--refs', str(self.refs))
        self.assertEqual(result.status, 3, result)
        self.assertIn('shard 0: pod', result.err)
        self.assertIn('ImagePullBackOff', result.err)
        self.assertIn('has not ended after 4s', result.err)

    def test_results_in_a_volume(self) -> None:
        result = self.opcat('job', '--image', IMAGE, '--shards', '3', '--result-claim', 'results', '--', 'render', '--refs', str(self.refs))
        self.assertEqual((result.status, result.out), (0, ''), result)
        self.assertIn('PersistentVolumeClaim results', result.err)
        self.assertEqual(self.whole('merge', str(self.claim)), self.whole('render', '--refs', str(self.refs)))

    def test_the_objects_alone(self) -> None:
        printed = self.opcat('job', '--image', IMAGE, '--shards', '3', '--result', self.result, '-n', 'default', '-o', 'yaml', '--', 'render',
                             '--use-http', '--refs', str(self.refs))
        self.assertEqual(self.store.list(JOBS), [])
        self.kubectl('apply', '--validate=strict', '-f', '-', stdin=printed.out)
        self.wait_for('the end', lambda: 'Complete' in str(self.store.list(JOBS)[0].get('status')))
        merged = self.opcat('merge', '--use-http', self.result)
        self.assertEqual(merged.out, self.whole('render', '--refs', str(self.refs)))

    def test_the_limit_of_requests_is_for_all_pods_together(self) -> None:
        printed = self.opcat('job', '--image', IMAGE, '--shards', '8', '--parallelism', '4', '--registry-rps', '10', '--result', self.result, '-n',
                             'default', '-o', 'json', '--', 'render', '--refs', str(self.refs)).json()
        job = next(thing for thing in printed['items'] if thing['kind'] == 'Job')
        arguments = job['spec']['template']['spec']['containers'][0]['args']
        self.assertEqual(arguments[arguments.index('--registry-rps') + 1], '2')

    def test_a_namespace_that_is_being_deleted(self) -> None:
        self.apply({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'gone'}},
                   {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'stuck', 'namespace': 'gone', 'finalizers': ['example.com/wait']}})
        self.kubectl('delete', 'namespace', 'gone', '--wait=false')
        result = self.render(more=('-n', 'gone'))
        self.assertEqual(result.status, 3, result)
        self.assertIn('help: wait until it is gone (kubectl get namespaces), then try again', result.err)

    def test_mirrored_images_are_published_by_a_command_that_is_named(self) -> None:
        bundle = f'{self.registry.address}/org/bundle:v1'
        built = self.opcat('build', 'bundle', '--use-http', '--no-validate', str(TESTDATA.parent / 'bundles/widgets'), '-t', bundle)
        self.assertEqual(built.status, 0, built)
        catalog = self.dir / 'catalog'
        catalog.mkdir()
        (catalog / 'catalog.yaml').write_text(
            'schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries: [{name: p.v1}]\n---\n'
            f'schema: olm.bundle\npackage: p\nname: p.v1\nimage: {bundle}\nproperties: [{{type: olm.package, value: {{packageName: p, version: 1.0.0}}}}]\n')
        mirror = ('mirror', '--use-http', str(catalog), '--to', f'{self.registry.address}/mirror')
        result = self.opcat('job', '--image', IMAGE, '--shards', '2', '--', *mirror)
        self.assertEqual(result.status, 0, result)
        finish = next(line for line in result.err.splitlines() if line.startswith('all images are copied; '))
        self.assertEqual(finish, f'all images are copied; to publish the catalogs: opcat {" ".join(mirror)} --finish-shards 2')
        finished = self.opcat(*finish.partition(': opcat ')[2].split())
        self.assertEqual(finished.status, 0, finished)

    def test_a_job_has_only_fields_that_kubernetes_knows(self) -> None:
        printed = self.opcat('job', '--image', IMAGE, '--result-claim', 'results', '--pull-secret', 'login', '-n', 'default', '-o', 'json', '--',
                             'render', '--refs', str(self.refs)).json()
        job = next(thing for thing in printed['items'] if thing['kind'] == 'Job')
        self.assertEqual(wrong_fields(job, 'Job'), [])
        job['spec']['template']['spec']['containers'][0]['argz'] = []
        self.assertEqual(wrong_fields(job, 'Job'), ['.spec.template.spec.containers[0].argz: no such field'])

    def test_what_makes_no_sense(self) -> None:
        cases = ((('--image', IMAGE), 'COMMAND is required'), (('--', 'render', 'x'), '--image is required'),
                 (('--image', IMAGE, '--', 'render', 'x'), 'one place for its results'),
                 (('--image', IMAGE, '--result', 'a.example/b', '--', 'list', 'x'), 'opcat list has no shards'),
                 (('--image', IMAGE, '--result', 'a.example/b', '--', 'validate', '--refs', 'x'), 'add --format json'),
                 (('--image', IMAGE, '--result', 'a.example/b@sha256:' + 'a' * 64, '--', 'render', 'x'), 'cannot hold the outputs of shards'),
                 (('--image', IMAGE, '--result', 'a.example/b', '--', 'render', '--shard', '1/2'), '--shard is not for the command of a Job'))
        for arguments, words in cases:
            with self.subTest(words):
                result = self.opcat('job', *arguments)
                self.assertEqual(result.status, 2, result)
                self.assertIn(words, re.sub(r'\s+', ' ', result.err))


if __name__ == '__main__':
    os.environ.setdefault('LC_ALL', 'C.UTF-8')
    main()
