"""opcat job while a call of the system fails, or opcat is killed at it: all of the output is printed, or none of it and why. The same
command continues the run, after which the Job owns all of its objects."""
import itertools
import os
import shutil
import sys
import unittest

from fault_case import CHANGING_CALLS, FULL, MOST_FAULTS_OF_A_CALL, assert_reported, faults_in, place_with, run_in, side_by_side
from opcat_case import BINARY, CATALOGS, ROOT

sys.path[:0] = [str(ROOT / 'tests/cluster'), str(ROOT / 'tests/registry')]
import registries  # noqa: E402
from cluster_case import TESTDATA, ClusterCase  # noqa: E402
from standin.jobs import JobRunner  # noqa: E402

IMAGE = 'registry.example/opcat:test'
# Killed before each kubectl, between any two changes of the cluster.
KILLING_CALLS = (*CHANGING_CALLS, 'posix_spawn', 'poll', 'read', 'connect', 'send', 'recv') if FULL else ('posix_spawn',)
# Each fault takes two runs, with two pods each.
MOST = MOST_FAULTS_OF_A_CALL if FULL else 1
OWNED = (('', 'configmaps'), ('', 'serviceaccounts'))


@unittest.skipUnless(shutil.which('docker-registry') and shutil.which('kubectl'), 'docker-registry and kubectl are not installed')
class Jobs(ClusterCase):
    def setUp(self):
        super().setUp()
        self.store = self.session(crds=TESTDATA / 'crds').stand_in.store
        workplace = registries.Workplace()
        self.addCleanup(workplace.close)
        self.registry = workplace.registry()
        runner = JobRunner(self.store, {IMAGE: BINARY})
        runner.__enter__()
        self.addCleanup(lambda: self.assertIsNone(runner.trouble))
        self.addCleanup(runner.__exit__)
        self.before = self.dir / 'before'
        self.before.mkdir()
        (self.before / 'refs').write_text(''.join(f'{CATALOGS / name}\n' for name in sorted(os.listdir(CATALOGS))[:2]))
        self.runs = itertools.count()

    def run_job(self, place, name, *fault):
        arguments = ['job', '--image', IMAGE, '--shards', 2, '--name', name, '--result', f'{self.registry.address}/team/{name}:results',
                     '--use-http', '--', 'render', '--use-http', '--refs', 'work/refs']
        changed = {name: value for name, value in self.environment().items() if os.environ.get(name) != value and name != 'HOME'}
        return run_in(place, arguments, *fault, env=changed)

    def test_a_run_in_two_shards(self):
        with place_with(self.before) as place:
            self.good, control = self.run_job(place, 'good')
        self.assertEqual(self.good.status, 0, self.good)
        self.assertNotEqual(self.good.out, '')
        counts = control.counts()
        self.assertLess({'read', 'write', 'send', 'recv'}, counts.keys())
        failed = side_by_side(self, faults_in(counts, most=MOST), lambda call, at: self.check_fault(call, at, False), 8)
        self.assertIn(True, failed)
        killed = side_by_side(self, faults_in(counts, KILLING_CALLS, max(MOST, 10)), lambda call, at: self.check_fault(call, at, True), 8)
        self.assertIn(True, killed)

    def check_fault(self, call, at, kills):
        """Whether the command has failed."""
        name = f'run{next(self.runs)}'
        with place_with(self.before) as place:
            result, _ = self.run_job(place, name, call, at, kills)
            if result.status == 0:
                self.assertEqual(result.out, self.good.out)
            else:
                self.assertTrue(self.good.out.startswith(result.out), result)
                if not kills:
                    assert_reported(self, result)
            if not kills:
                self.assertEqual(list((place / 'tmp').iterdir()), [], 'temporary files are left')
            again, _ = self.run_job(place, name)
            self.assertEqual((again.status, again.out), (0, self.good.out), again)
        self.check_owners(name)
        return result.status != 0

    def check_owners(self, name):
        job = self.store.get(('batch', 'jobs'), 'default', name)
        things = [thing for kind in OWNED for thing in self.store.list(kind, 'default') if thing['metadata'].get('labels', {}).get('opcat/job') == name]
        self.assertEqual(len(things), len(OWNED))
        for thing in things:
            self.assertEqual([owner['uid'] for owner in thing['metadata'].get('ownerReferences', [])], [job['metadata']['uid']], thing)


if __name__ == '__main__':
    unittest.main()
