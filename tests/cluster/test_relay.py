"""The replacement of kubectl in tests (standin/relay.py) answers as kubectl does."""
from __future__ import annotations

import json
import re
from typing import Any

from cluster_case import KUBECTL, RELAY, TESTDATA, ClusterCase, Result, main
from standin.faults import Fault

GROUP = 'operators.coreos.com'
BY_OPCAT = ('--server-side', '--field-manager=opcat', '--filename=-')
SUBSCRIPTION = {'apiVersion': f'{GROUP}/v1alpha1', 'kind': 'Subscription', 'metadata': {'name': 'greeter', 'namespace': 'default'},
                'spec': {'name': 'greeter', 'source': 'people', 'sourceNamespace': 'olm'}}
SETTINGS = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'settings', 'namespace': 'default', 'labels': {'a': 'b'}},
            'data': {'a': '1'}}
MISSING = {**SETTINGS, 'metadata': {'name': 'missing', 'namespace': 'default'}}
UNKNOWN = {'apiVersion': 'nobody.example.com/v1', 'kind': 'Nothing', 'metadata': {'name': 'x', 'namespace': 'default'}}
OUTPUT = '--output=json'


def listed(*things: dict[str, Any]) -> str:
    return json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': things})


def comparable(text: str) -> Any:
    """Values that differ with each request are left out."""
    def settled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: settled(member) for name, member in value.items() if name not in ('resourceVersion', 'creationTimestamp', 'continue')}
        return [settled(item) for item in value] if isinstance(value, list) else value
    try:
        return settled(json.loads(text))
    except ValueError:
        return re.sub(r'(?m)^E\d{4} .*\n', '', text)  # its log


class Relay(ClusterCase):
    def setUp(self) -> None:
        super().setUp()
        if not self.relayed:
            self.skipTest(f'{RELAY} is not built')
        self.started = self.session(crds=TESTDATA / 'crds')
        self.started.stand_in.add_user('alice')
        self.apply(SUBSCRIPTION, SETTINGS)

    def compare(self, *arguments: str, stdin: str = '', here: bool = True, output: bool = True) -> Result:
        """`here`: it is answered without kubectl; without `output`, the printed text is not compared."""
        self.relay.answered.clear()
        ours = self.run_command([str(self.dir / 'bin/kubectl'), *arguments], stdin)
        self.assertEqual(bool(self.relay.answered), here, (arguments, ours))
        theirs = self.run_command([KUBECTL, *arguments], stdin)
        self.assertEqual((ours.status, comparable(ours.err)), (theirs.status, comparable(theirs.err)), arguments)
        if output:
            self.assertEqual(comparable(ours.out), comparable(theirs.out), arguments)
        return theirs

    def test_reading(self) -> None:
        subscriptions, everywhere = f'subscriptions.{GROUP}', '--all-namespaces'
        for arguments in (('get', subscriptions, OUTPUT, everywhere), ('get', f'{subscriptions},configmaps', OUTPUT, '--namespace=default'),
                          ('get', 'configmaps', OUTPUT, everywhere, '--selector=a=b'), ('get', 'namespaces', OUTPUT),
                          ('get', 'configmaps', OUTPUT, everywhere, '--selector=a=c'), ('get', 'namespaces', 'default', OUTPUT),
                          ('get', subscriptions, 'greeter', OUTPUT), ('--context=admin', 'get', 'configmaps', 'settings', OUTPUT),
                          ('get', '--raw', '/version'), ('get', '--raw', '/apis'), ('get', '--raw', '/readyz')):
            with self.subTest(arguments):
                self.assertEqual(self.compare(*arguments).status, 0)

    def test_reading_what_a_file_names(self) -> None:
        for things in ((SETTINGS,), (SETTINGS, SUBSCRIPTION), (SETTINGS, MISSING), (MISSING,)):
            with self.subTest(len(things)):
                self.compare('get', '--filename=-', '--ignore-not-found', OUTPUT, stdin=listed(*things))

    def test_writing(self) -> None:
        changed = {**SETTINGS, 'data': {'a': '2', 'b': '3'}}
        for more in (('--dry-run=server', OUTPUT), ('--dry-run=server', '--force-conflicts', OUTPUT)):
            for things in ((MISSING,), (MISSING, {**MISSING, 'metadata': {'name': 'other', 'namespace': 'default'}})):
                self.compare('apply', *BY_OPCAT, *more, stdin=listed(*things))
        self.compare('apply', *BY_OPCAT, '--force-conflicts', stdin=listed(changed), output=False)
        self.assertEqual(self.get('configmap', 'settings')['data'], {'a': '2', 'b': '3'})
        self.compare('patch', 'configmaps', 'settings', '--type=merge', '--patch={"data":{"b":null}}', '--field-manager=opcat', output=False)
        self.assertEqual(self.get('configmap', 'settings')['data'], {'a': '2'})
        self.compare('delete', '--filename=-', '--ignore-not-found', '--wait=false', stdin=listed(SETTINGS, MISSING), output=False)
        self.assertEqual(self.get('configmaps')['items'], [])
        self.compare('delete', f'subscriptions.{GROUP}', 'greeter', '--wait=false', '--ignore-not-found', output=False)
        self.assertEqual(self.get('subscriptions')['items'], [])

    def test_whether_one_may(self) -> None:
        for user, status in (('admin', 0), ('alice', 1)):
            reported = self.compare(f'--context={user}', 'auth', 'can-i', 'create', f'subscriptions.{GROUP}', '--namespace=default')
            self.assertEqual(reported.status, status)
            review = {'apiVersion': 'authorization.k8s.io/v1', 'kind': 'SelfSubjectAccessReview',
                      'spec': {'resourceAttributes': {'verb': 'get', 'resource': 'pods', 'namespace': 'default'}}}
            self.compare(f'--context={user}', 'create', '--filename=-', '--validate=false', '--output=jsonpath={.status.allowed}{"\\n"}',
                         stdin=listed(review, {**review, 'spec': {'nonResourceAttributes': {'verb': 'get', 'path': '/version'}}}))

    def test_the_namespace_of_the_context(self) -> None:
        self.kubectl('config', 'set-context', 'admin', '--namespace=shop')
        self.started.stand_in.kubeconfig(self.kubeconfig)
        reported = self.compare('config', 'view', '--minify', OUTPUT, output=False)
        self.assertEqual([context['name'] for context in reported.json()['contexts']], ['admin'])

    def test_what_fails_is_kubectls(self) -> None:
        for here, arguments, things in (
                (True, ('get', 'configmaps', 'missing', OUTPUT), ()), (True, ('get', f'subscriptions.{GROUP}', 'missing', OUTPUT), ()),
                (True, ('--context=alice', 'get', 'configmaps', 'settings', OUTPUT), ()),
                (True, ('--context=alice', 'get', f'configmaps,subscriptions.{GROUP}', OUTPUT, '--all-namespaces'), ()),
                (False, ('get', 'nothings.nobody.example.com', OUTPUT), ()), (False, ('--context=alice', 'create', *BY_OPCAT[2:]), (MISSING,)),
                (False, ('--context=expired', 'get', 'configmaps', OUTPUT), ()), (False, ('--context=nobody', 'get', 'configmaps'), ()),
                (False, ('apply', *BY_OPCAT), (UNKNOWN,)), (False, ('apply', *BY_OPCAT), ({**SETTINGS, 'data': {'a': '9'}},)),
                (False, ('apply', *BY_OPCAT), ({**SUBSCRIPTION, 'metadata': {**MISSING['metadata']}, 'spec': {}},)), (False, ('get', '--raw', '/nowhere'), ()),
                (False, ('delete', 'configmaps', 'missing', '--wait=false'), ())):
            with self.subTest(arguments):
                self.assertEqual(self.compare(*arguments, stdin=listed(*things) if things else '', here=here).status, 1)

    def test_so_is_what_happens_while_the_server_is_in_trouble(self) -> None:
        self.started.stand_in.faults.add(Fault('configmaps', code=503))
        self.compare('get', 'configmaps', 'settings', OUTPUT, here=False)
        self.compare('get', f'subscriptions.{GROUP}', OUTPUT, here=True)
        self.started.stand_in.faults.clear()
        for state in ('gone', 'starting'):
            self.started.stand_in.set_state(state)
            self.compare('get', f'subscriptions.{GROUP}', OUTPUT, here=False)
        self.started.stand_in.set_state('ready')


if __name__ == '__main__':
    main()
