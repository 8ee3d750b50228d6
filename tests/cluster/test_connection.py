"""When kubectl or the cluster is not available: one clear sentence, exit status 3, in time; whatever the command.
Covers lib/cluster/kubectl_failure.cpp."""
from __future__ import annotations

import json
import os
import stat
import sys
from typing import Iterable

from cluster_case import TESTDATA, ClusterCase, Result, main
from standin.faults import Fault

# Every command that talks to a cluster, each as it would be called.
COMMANDS = {
    'status': ['status'],
    'catalog list': ['catalog', 'list'],
    'catalog add': ['catalog', 'add', 'people', 'registry.example/people:v1', '--no-check', '-n', 'olm', '--olm', 'classic'],
    'install': ['install', 'greeter', '-n', 'greet', '--olm', 'classic'],
    'install with OLM v1': ['install', 'greeter', '-n', 'greet', '--olm', 'v1', '--rbac', 'none'],
    'upgrade': ['upgrade', 'greeter', '-n', 'greet', '--olm', 'classic', '--yes'],
    'approve': ['approve', 'greeter', '-n', 'greet', '--yes'],
    'uninstall': ['uninstall', 'greeter', '-n', 'greet', '--yes'],
    'search': ['search', 'greet'],
}
# How kubectl fails is the same to all of them: each meets some failures, and before a release all.
SOME = COMMANDS if 'FULL_TESTS' in os.environ else ('status', 'install')


class Connection(ClusterCase):
    def assert_cannot(self, result: Result, *words: str) -> None:
        """One error, in one line, perhaps with one line of help; nothing on stdout."""
        self.assertEqual(result.status, 3, result)
        self.assertEqual(result.out, '', result)
        lines = result.err.strip().splitlines()
        self.assertTrue(lines[0].startswith('error: '), result)
        self.assertTrue(all(line.startswith('  help: ') for line in lines[1:]) and len(lines) <= 2, result)
        for word in words:
            self.assertIn(word, lines[0])

    def each_of(self, commands: Iterable[str], *words: str, more: tuple[str, ...] = (), env: dict[str, str] | None = None) -> None:
        for name in commands:
            with self.subTest(name):
                self.assert_cannot(self.opcat(*COMMANDS[name], *more, env=env), *words)

    def start_simulation(self) -> None:
        self.started = self.session(crds=TESTDATA / 'crds', catalogs=TESTDATA / 'catalogs')

    def test_no_kubectl(self) -> None:
        self.start_simulation()
        self.each_of(COMMANDS, 'kubectl', 'no such program', env={'PATH': str(self.dir)})
        self.each_of(COMMANDS, '/nowhere/kubectl', more=('--kubectl', '/nowhere/kubectl'))

    def test_a_cluster_that_is_down(self) -> None:
        self.start_simulation()
        self.started.stand_in.stop()
        self.each_of(COMMANDS, 'cannot be reached', f'127.0.0.1:{self.started.stand_in.port}')

    def test_a_cluster_that_says_nothing(self) -> None:
        self.start_simulation()
        self.started.stand_in.faults.add(Fault('', delay=60))
        self.each_of(SOME, '', more=('--request-timeout', '2s'))

    def test_the_olm_that_is_asked_for_must_be_there(self) -> None:
        add = ('catalog', 'add', 'people', 'registry.example/people:v1', '--no-check', '-n', 'olm')
        self.start_simulation()
        result = self.opcat(*add)
        self.assertEqual((result.status, result.out), (2, ''), result)
        self.assertIn('error: the cluster has both OLM classic and OLM v1\n', result.err)
        self.started = self.session()
        self.assert_cannot(self.opcat(*add), 'the cluster has no OLM: ')
        self.assert_cannot(self.opcat(*add, '--olm', 'classic'), 'the cluster has no OLM classic: ')
        self.assert_cannot(self.opcat('catalog', 'list', '--olm', 'v1'), 'the cluster has no OLM v1: ')
        result = self.opcat('status', '-o', 'prometheus')
        self.assertEqual((result.status, result.err), (2, 'error: -o prometheus prints the metrics of OLM classic, which the cluster does not have\n'))

    def test_an_expired_token(self) -> None:
        self.start_simulation()
        self.each_of(SOME, 'expired', more=('--context', 'expired'))

    def test_a_user_without_rights(self) -> None:
        self.start_simulation()
        self.each_of(COMMANDS, 'alice may not', more=('--context', 'alice'))
        self.each_of(SOME, 'alice may not', more=('--as', 'alice'))

    def test_the_verb_and_the_resource_that_are_lacking(self) -> None:
        self.start_simulation()
        self.assert_cannot(self.opcat('status', '--context', 'alice'), 'list subscriptions.operators.coreos.com')

    def test_kubeconfigs_that_cannot_be_used(self) -> None:
        self.start_simulation()
        empty = self.dir / 'empty'
        empty.write_text('')
        for more, words in ((('--context', 'nope'), 'nope'), (('--kubeconfig', '/nowhere'), '/nowhere')):
            self.each_of(SOME, words, more=more)
        for path in ('/nowhere', str(empty)):
            self.each_of(SOME, path, env={'KUBECONFIG': path})

    def test_a_kubeconfig_without_a_current_context(self) -> None:
        self.start_simulation()
        config = json.loads(self.kubeconfig.read_text())
        del config['current-context']
        self.kubeconfig.write_text(json.dumps(config))
        result = self.opcat('status')
        self.assert_cannot(result)
        self.assertIn('current context', result.err)
        self.assertEqual(self.opcat('status', '--context', 'admin').status, 0)

    def test_several_kubeconfigs(self) -> None:
        self.start_simulation()
        paths = f'/nowhere:{self.kubeconfig}'
        self.assertEqual(self.opcat('status', env={'KUBECONFIG': paths}).status, 0)

    def test_an_authority_that_nobody_knows(self) -> None:
        self.start_simulation()
        config = json.loads(self.kubeconfig.read_text())
        del config['clusters'][0]['cluster']['certificate-authority-data']
        self.kubeconfig.write_text(json.dumps(config))
        self.each_of(SOME, 'certificate')

    def test_a_host_that_does_not_exist(self) -> None:
        self.start_simulation()
        config = json.loads(self.kubeconfig.read_text())
        config['clusters'][0]['cluster']['server'] = 'https://nowhere.invalid'
        self.kubeconfig.write_text(json.dumps(config))
        self.each_of(SOME, 'nowhere.invalid')

    def test_a_server_that_fails_or_hangs_up(self) -> None:
        self.start_simulation()
        for fault in (Fault('subscriptions|clustercatalogs|catalogsources', code=500), Fault('.', drop=True)):
            self.started.stand_in.faults.clear()
            self.started.stand_in.faults.add(fault)
            with self.subTest(fault):
                self.assert_cannot(self.opcat('status'))

    def test_too_many_requests_pass(self) -> None:
        self.start_simulation()
        self.started.stand_in.faults.add(Fault('subscriptions', code=429, times=2, retry_after=1))
        self.assertEqual(self.opcat('status').status, 0)

    def test_nothing_is_read_from_the_user(self) -> None:
        """kubectl asks for a missing name and password: it must not read our standard input."""
        self.start_simulation()
        config = json.loads(self.kubeconfig.read_text())
        for user in config['users']:
            user['user'] = {}
        self.kubeconfig.write_text(json.dumps(config))
        result = self.opcat('status', stdin='admin\nsecret\n')
        self.assertEqual(result.status, 3, result)

    def test_names_are_never_flags(self) -> None:
        self.start_simulation()
        for arguments in (['status', '-n', '--token=x'], ['status', '-n', 'Not_A_Name'], ['status', '-n', 'a;b']):
            with self.subTest(arguments):
                self.assertIn(self.opcat(*arguments).status, (2, 3))
        asked = len(self.started.stand_in.requests)
        self.assertEqual(self.opcat('status', '-n', 'a/b').status, 2)
        self.assertEqual(len(self.started.stand_in.requests), asked)

    def test_a_kubectl_that_writes_without_end(self) -> None:
        endless = self.dir / 'endless'
        endless.write_text(f'#!{sys.executable}\nimport sys\nwhile True: sys.stdout.write("x" * 65536)\n')
        endless.chmod(endless.stat().st_mode | stat.S_IXUSR)
        self.start_simulation()
        self.assertEqual(self.opcat('status', '--kubectl', str(endless), '--request-timeout', '5s').status, 3)


if __name__ == '__main__':
    main()
