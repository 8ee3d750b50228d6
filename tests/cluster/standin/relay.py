"""Answers opcat's calls of kubectl in the process of the stand-in, because starting kubectl takes ten times as long as its request.

Answered here are calls that succeed, and reads that find nothing or are forbidden. The real kubectl (run by kubectl_relay.c) answers
everything else that fails or is unusual, every call that a fault meets, and everything while the server restarts. test_relay.py
compares both.
"""
from __future__ import annotations

import concurrent.futures
import functools
import io
import json
import pathlib
import socket
import struct
import threading
import urllib.parse
from typing import Any

from .discovery import rank
from .port_forward import Forward
from .resources import Resource
from .server import RequestHandler, StandIn
from .storage import Object

RUN_THE_REAL_ONE = 255
STAY = 254  # until somebody ends it
FLAGS = ('address', 'all-namespaces', 'as', 'chunk-size', 'context', 'dry-run', 'field-manager', 'field-selector', 'filename', 'force-conflicts',
         'ignore-not-found', 'kubeconfig', 'minify', 'namespace', 'output', 'patch', 'pod-running-timeout', 'raw', 'selector', 'server-side', 'type', 'validate',
         'wait')
WHETHER_ALLOWED = 'jsonpath={.status.allowed}{"\\n"}'


class NotHere(Exception):
    """The real kubectl must answer."""


class Failed(Exception):
    def __init__(self, code: int, document: Any) -> None:
        super().__init__(str(document))
        self.code, self.document = code, document

    def printed(self) -> str:
        """As kubectl prints it, if that is known here."""
        if self.code not in (403, 404) or not self.document.get('details'):
            raise NotHere()
        return f'Error from server ({self.document["reason"]}): {self.document["message"]}\n'


class Headers(dict[str, str]):
    """Those of one of our own requests: each once, with the usual capitals."""

    def get_all(self, name: str) -> list[str] | None:
        return [self[name]] if name in self else None


class Direct(RequestHandler):
    """A request without a connection: `document` is the answer."""

    def __init__(self, stand_in: StandIn, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        if stand_in.faults.meets(method, target):
            raise NotHere()
        self.stand_in, self.command, self.path = stand_in, method, target
        self.headers = Headers({**headers, 'Content-Length': str(len(body))})  # type: ignore[assignment]
        self.rfile = io.BytesIO(body)
        self.code, self.document = 0, None
        self._answer()

    def _send(self, document: Any, code: int = 200, headers: dict[str, str] | None = None,
              content_type: str = 'application/json') -> None:
        self.code, self.document = code, document


# Parses one of our own kubeconfigs, which are JSON, once.
kubeconfig_of = functools.cache(json.loads)


class Call:
    """One run of kubectl. `run` returns its exit status and its output."""

    def __init__(self, stand_in: StandIn, kubeconfig: str, arguments: list[str], stdin: bytes) -> None:
        self._stand_in, self._stdin = stand_in, stdin
        self._words: list[str] = []
        self._flags: dict[str, str] = {}
        for argument in arguments:
            name, _, value = argument.removeprefix('--').partition('=')
            if not argument.startswith('-'):
                self._words.append(argument)
            elif name in FLAGS:
                self._flags[name] = value or 'true'
            else:
                raise NotHere()
        self._config = self._read_config(self._flags.get('kubeconfig', kubeconfig))

    def run(self) -> tuple[int, str, str]:
        command = self._words[0]
        if command == 'config' and self._words[1:] == ['view']:
            return 0, json.dumps(self._config), ''
        if command == 'get' and 'raw' in self._flags:
            document = self._ask('GET', self._words.pop())
            return 0, document if isinstance(document, str) else json.dumps(document), ''
        if command == 'get' and 'filename' in self._flags:
            found = [thing for thing in map(self._read, self._objects()) if thing]
            return 0, self._list(found) if found else '', ''
        if command == 'get':
            return self._get()
        if command == 'apply' and 'server-side' in self._flags:
            applied = [self._apply(thing) for thing in self._objects()]
            if 'output' not in self._flags:
                return 0, '', ''
            return 0, self._list(applied) if len(applied) > 1 else json.dumps(self._object(applied[0])), ''
        if command == 'patch':
            resource, place = self._resource(self._words[1]), self._words[2]
            self._ask('PATCH', self._path(resource, self._namespace(), place) + self._query(fieldManager=self._flags['field-manager']),
                      self._flags['patch'].encode(), 'application/merge-patch+json')
            return 0, '', ''
        if command == 'delete':
            return self._delete()
        if command == 'create' and self._flags.get('output') == WHETHER_ALLOWED:
            return 0, ''.join('true\n' if self._is_allowed(review) else 'false\n' for review in self._objects()), ''
        if command == 'create' and self._flags.get('output') == 'json' and 'filename' in self._flags:
            return 0, self._list([self._reviewed(review) for review in self._objects()]), ''
        if command == 'auth' and self._words[1] == 'can-i':
            kind, _, name = self._words[3].partition('/')
            return self._can_i(self._words[2], self._resource(kind), name)
        if command == 'port-forward':
            return self._forward(self._words[1], self._words[2].removeprefix(':'))
        raise NotHere()

    # The server and the user

    def _read_config(self, path: str) -> Object:
        """The kubeconfig, with the context that is used as its only one."""
        try:
            with open(path, encoding='utf-8') as file:
                config: Object = kubeconfig_of(file.read())
        except (OSError, ValueError) as error:
            raise NotHere() from error
        wanted = self._flags.get('context', config.get('current-context'))
        context = next((each for each in config['contexts'] if each['name'] == wanted), None)
        trusted = [each['cluster'].get('server') for each in config['clusters'] if 'certificate-authority-data' in each['cluster']]
        if context is None or self._stand_in.address not in trusted:
            raise NotHere()
        self._token = next(each['user'].get('token', '') for each in config['users'] if each['name'] == context['context']['user'])
        self._default_namespace = context['context'].get('namespace', 'default')
        return {**config, 'contexts': [context]}

    def _ask(self, method: str, target: str, body: bytes = b'', content_type: str = 'application/json') -> Any:
        headers = {'Authorization': f'Bearer {self._token}', 'Content-Type': content_type}
        if 'as' in self._flags:
            headers['Impersonate-User'] = self._flags['as']
        answer = Direct(self._stand_in, method, target, headers, body)
        if answer.code >= 400 or answer.code == 0:
            raise Failed(answer.code, answer.document)
        return answer.document

    def _resource(self, name: str) -> Resource:
        plural, _, group = name.partition('.')
        version, _, its_group = group.partition('.')
        found = [resource for resource in self._stand_in.store.resources() if resource.plural == plural
                 and (resource.group == group or (resource.version, resource.group) == (version, its_group))]
        if not found:
            raise NotHere()
        return min(found, key=lambda resource: rank(resource.version))

    def _resource_of(self, thing: Object) -> Resource:
        found = self._stand_in.store.resource_of_kind(thing['apiVersion'], thing['kind'])
        if found is None:
            raise NotHere()
        return found

    def _namespace(self) -> str:
        return self._flags.get('namespace', self._default_namespace)

    def _path(self, resource: Resource, namespace: str, name: str = '') -> str:
        scope = f'/namespaces/{namespace}' if resource.namespaced and namespace else ''
        return f'{resource.prefix}{scope}/{resource.plural}' + (f'/{name}' if name else '')

    def _query(self, **more: str) -> str:
        if 'dry-run' in self._flags:
            more['dryRun'] = 'All'
        return '?' + urllib.parse.urlencode(more) if more else ''

    # Objects

    def _objects(self) -> list[Object]:
        if self._flags['filename'] != '-':
            raise NotHere()
        try:
            found = json.loads(self._stdin)
        except ValueError as error:
            raise NotHere() from error
        if found['kind'] != 'List' or not found['items']:
            raise NotHere()
        things: list[Object] = found['items']
        return things

    def _place(self, thing: Object) -> str:
        return self._path(self._resource_of(thing), thing['metadata'].get('namespace', self._namespace()), thing['metadata']['name'])

    @staticmethod
    def _object(thing: Object) -> Object:
        """As kubectl prints it."""
        metadata = {name: value for name, value in thing['metadata'].items() if name != 'managedFields'}
        return {**thing, 'metadata': metadata}

    def _list(self, things: list[Object]) -> str:
        return json.dumps({'apiVersion': 'v1', 'kind': 'List', 'metadata': {'resourceVersion': ''},
                           'items': [self._object(thing) for thing in things]})

    def _read(self, thing: Object) -> Object | None:
        return self._or_none('GET', self._place(thing))

    def _or_none(self, method: str, target: str, body: bytes = b'') -> Any:
        """None for a missing object, if that is allowed."""
        try:
            return self._ask(method, target, body)
        except Failed as failure:
            if failure.code == 404 and self._flags.get('ignore-not-found'):
                return None
            raise

    def _get(self) -> tuple[int, str, str]:
        namespace = '' if 'all-namespaces' in self._flags else self._namespace()
        if len(self._words) == 3:
            try:
                found_one = self._ask('GET', self._path(self._resource(self._words[1]), namespace, self._words[2]))
                return 0, json.dumps(self._object(found_one)), ''
            except Failed as failure:
                return 1, '', failure.printed()
        query = {key: self._flags[flag] for key, flag in (('labelSelector', 'selector'), ('fieldSelector', 'field-selector'))
                 if flag in self._flags}
        if self._flags.get('chunk-size') != '0':
            query['limit'] = '500'
        found: list[Object] = []
        failures = ''
        for resource in [self._resource(name) for name in self._words[1].split(',')]:
            try:
                found += self._ask('GET', self._path(resource, namespace) + self._query(**query))['items']
            except Failed as failure:
                failures += failure.printed()
        return 1 if failures else 0, self._list(found), failures

    def _apply(self, thing: Object) -> Any:
        query = self._query(fieldManager=self._flags['field-manager'], fieldValidation='Strict',
                            force=self._flags.get('force-conflicts', 'false'))
        return self._ask('PATCH', self._place(thing) + query, json.dumps(thing).encode(), 'application/apply-patch+yaml')

    def _delete(self) -> tuple[int, str, str]:
        if 'filename' in self._flags:
            places = [self._place(thing) for thing in self._objects()]
        else:
            places = [self._path(self._resource(self._words[1]), self._namespace(), self._words[2])]
        for place in places:
            self._or_none('DELETE', place, json.dumps({'propagationPolicy': 'Background'}).encode())
        return 0, '', ''

    def _can_i(self, verb: str, resource: Resource, name: str) -> tuple[int, str, str]:
        asked = {'verb': verb, 'group': resource.group, 'resource': resource.plural, 'namespace': self._namespace(), 'name': name}
        review = {'apiVersion': 'authorization.k8s.io/v1', 'kind': 'SelfSubjectAccessReview', 'spec': {'resourceAttributes': asked}}
        return (0, 'yes\n', '') if self._is_allowed(review) else (1, 'no\n', '')

    def _forward(self, resource: str, port: str) -> tuple[int, str, str]:
        """Leads to the test's server for the CatalogSource (StandIn.registries)."""
        kind, _, name = resource.partition('/')
        place = f'/api/v1/namespaces/{self._namespace()}'
        try:
            if kind == 'service':
                selector = self._ask('GET', f'{place}/services/{name}')['spec']['selector']
                query = urllib.parse.urlencode({'labelSelector': ','.join(f'{key}={value}' for key, value in selector.items())})
                pods = self._ask('GET', f'{place}/pods?{query}')['items']
                if not pods:
                    return 1, '', f'error: timed out waiting for the condition on pods of service/{name}\n'
                pod = pods[0]
            else:
                pod = self._ask('GET', f'{place}/pods/{name}')
            self._ask('POST', f'{place}/pods/{pod["metadata"]["name"]}/portforward', b'{}')
        except Failed as failure:
            return 1, '', failure.printed()
        catalog = pod['metadata']['labels']['olm.catalogSource']
        forward = Forward(self._stand_in.registries[self._namespace(), catalog], self._stand_in.round_trips)
        self._stand_in.forwards.append(forward)
        return STAY, f'Forwarding from 127.0.0.1:{forward.port} -> {port}\n', ''

    def _reviewed(self, review: Object) -> Object:
        answered: Object = self._ask('POST', self._path(self._resource_of(review), self._namespace()), json.dumps(review).encode())
        return answered

    def _is_allowed(self, review: Object) -> bool:
        return bool(self._reviewed(review)['status']['allowed'])


def answer(stand_in: StandIn, kubeconfig: str, stdin: bytes, arguments: list[str]) -> tuple[int, str, str]:
    """Exit status, standard output and error; the status RUN_THE_REAL_ONE for calls that are not answered here."""
    if stand_in.state != 'ready' or not stand_in.known.is_set():
        return RUN_THE_REAL_ONE, '', ''
    try:
        found = Call(stand_in, kubeconfig, arguments, stdin).run()
        # If it restarts at this request, nobody gets the answer.
        return found if stand_in.state == 'ready' else (RUN_THE_REAL_ONE, '', '')
    except (Failed, NotHere, IndexError, KeyError):
        return RUN_THE_REAL_ONE, '', ''


class Relay:
    """Listens for kubectl_relay.c at `path`. Use it in a `with`."""

    def __init__(self, stand_in: StandIn, path: pathlib.Path) -> None:
        self._stand_in, self.path = stand_in, path
        self.answered: list[str] = []  # the calls that were answered without kubectl
        self._socket = socket.socket(socket.AF_UNIX)
        path.unlink(missing_ok=True)  # of an earlier cluster of the test
        self._socket.bind(str(path))
        self._socket.listen(64)
        # A thread takes as long to start as a call to answer.
        self._threads = concurrent.futures.ThreadPoolExecutor(64)

    def __enter__(self) -> Relay:
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._threads.shutdown(wait=False)

    def apply(self, kubeconfig: pathlib.Path, objects: str) -> bool:
        """A test's own `kubectl apply`, of a List. Whether it could be done here."""
        arguments = ['apply', '--server-side', '--field-manager=kubectl', '--force-conflicts', '--filename=-']
        return answer(self._stand_in, str(kubeconfig), objects.encode(), arguments)[0] == 0

    def _run(self) -> None:
        while True:
            try:
                self._threads.submit(self._serve, self._socket.accept()[0])
            except (OSError, RuntimeError):
                return  # closed

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                message = b''.join(iter(lambda: connection.recv(65536), b''))
                kubeconfig, stdin, *arguments = self._parts(message)
                words = [argument.decode() for argument in arguments]
                status, out, err = answer(self._stand_in, kubeconfig.decode(), stdin, words)
                if status != RUN_THE_REAL_ONE:
                    self.answered.append(' '.join(words))
                texts = b''.join(struct.pack('=I', len(text)) + text for text in (out.encode(), err.encode()))
                connection.sendall(struct.pack('=I', status) + texts)
            except (BrokenPipeError, ConnectionResetError):
                pass  # its kubectl was ended

    @staticmethod
    def _parts(message: bytes) -> list[bytes]:
        parts, at = [], 0
        while at < len(message):
            size, = struct.unpack_from('=I', message, at)
            parts.append(message[at + 4:at + 4 + size])
            at += 4 + size
        return parts
