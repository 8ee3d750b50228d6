"""The HTTP side: user, request, authorization and answer."""
from __future__ import annotations

import http.server
import json
import pathlib
import random
import re
import select
import socket
import tempfile
import threading
import time
import urllib.parse
from typing import Any, Callable

from . import clock, discovery, protobuf, rbac, reviews, table, watch
from .controllers import Controllers
from .errors import ApiError, bad_request, no_such_path, unauthorized
from .faults import Dropped, Faults
from .kubeconfig import write_kubeconfig
from .objects import Objects
from .port_forward import Forward
from .resources import NAMESPACES, PACKAGE_MANIFESTS, Resource
from .round_trips import RoundTrips
from .storage import Store
from .tls import shared_certificates

ADMIN = rbac.User('admin', (rbac.MASTERS, rbac.EVERYBODY))
VERBS = {'GET': 'get', 'POST': 'create', 'PUT': 'update', 'PATCH': 'patch', 'DELETE': 'delete'}
_RESOURCE_PATH = re.compile(r'^/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))'
                            r'(?:/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>.+))?$')


class StandIn:
    """A server on a free port of the loopback address, with its objects. Use it in a `with`."""

    def __init__(self, pace: float = 0.5) -> None:
        self.store = Store()
        self.tokens = {'expired': 'token-that-has-expired'}  # by user
        self.users: dict[str, rbac.User] = {}  # by token
        self.add_user('admin', ADMIN)
        self.add_user('alice')
        self.state = 'ready'  # of outage.py
        self.known = threading.Event()  # all resources
        self.known.set()
        self.faults = Faults()
        self.controllers = Controllers(self.store, pace)
        self.packages: Callable[[str], list[dict[str, Any]]] = lambda namespace: []
        self.content: Callable[[str], str | None] = lambda catalog: None
        self.control: Callable[[str, dict[str, str]], Any] = lambda action, query: None
        self.requests: list[str] = []  # `METHOD path?query` of each, in order
        self.on_request: Callable[[], None] = lambda: None  # called before each is answered
        self.round_trips = RoundTrips()
        self.registries: dict[tuple[str, str], int] = {}  # where the gRPC server of a CatalogSource listens, by namespace and name
        self.forwards: list[Forward] = []  # of port-forward
        self._directory = tempfile.TemporaryDirectory(prefix='opcat-standin-')
        self.directory = pathlib.Path(self._directory.name)
        self.certificates = shared_certificates()
        self._server = _Server(('127.0.0.1', 0), _handler(self))
        self._server.tls = self.certificates.server_context()
        self.port: int = self._server.server_address[1]
        for namespace in ('default', 'kube-system'):
            self.store.create(NAMESPACES.key, {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': namespace}})

    @property
    def address(self) -> str:
        return f'https://127.0.0.1:{self.port}'

    def add_user(self, name: str, user: rbac.User | None = None) -> None:
        """Adds a user whose rights are those of roles and bindings."""
        self.tokens[name] = f'token-of-{name}'
        self.users[self.tokens[name]] = user or rbac.User(name)

    def kubeconfig(self, path: pathlib.Path | None = None, current: str = 'admin') -> pathlib.Path:
        return write_kubeconfig(path or self.directory / f'kubeconfig-{current}', self.address, self.certificates.authority,
                                self.tokens, current)

    def load(self, things: list[dict[str, Any]]) -> None:
        """Stores objects unchanged, including their status."""
        for thing in things:
            resource = self.store.resource_of_kind(thing['apiVersion'], thing['kind'])
            if resource is None:
                raise ValueError(f'nothing serves {thing["apiVersion"]} {thing["kind"]}')
            self.store.create(resource.key, thing)

    def start(self) -> None:
        self.controllers.start()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def set_state(self, state: str) -> None:
        """Restarts the API server: see outage.py."""
        listened = self.state not in ('closing', 'gone')
        self.state = state
        if state in ('closing', 'gone') and listened:
            self._stop_listening()
        elif state not in ('closing', 'gone') and not listened:
            self._listen()
        if state == 'gone':
            _Server.cut_all(self._server.connections)
        if state == 'starting':
            self.known.clear()
        elif state in ('known', 'ready'):
            self.known.set()

    def _stop_listening(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        # The port stays ours: bound, and refusing connections.
        before, self._server = self._server, _Server(self._server.server_address, _handler(self), bind_and_activate=False)
        self._server.tls, self._server.connections = before.tls, before.connections
        for attempt in range(1200):  # a client's connection may have taken the port between
            try:
                return self._server.server_bind()
            except OSError:
                if attempt == 1199:
                    raise
                time.sleep(0.05)

    def _listen(self) -> None:
        self._server.server_activate()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self.controllers.stop()
        self.known.set()
        if self.state not in ('closing', 'gone'):
            self._server.shutdown()
        self.state = 'gone'
        self._server.server_close()
        self._directory.cleanup()

    def __enter__(self) -> StandIn:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    tls: Any = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.connections: set[Any] = set()
        super().__init__(*arguments, **options)

    @staticmethod
    def cut_all(connections: set[Any]) -> None:
        for connection in list(connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended meanwhile

    def finish_request(self, request: Any, client_address: Any) -> None:
        # The handshake belongs to the connection's own thread: a slow client does not block others.
        request.settimeout(60)
        with self.tls.wrap_socket(request, server_side=True) as wrapped:
            self.connections.add(wrapped)
            try:
                self.RequestHandlerClass(wrapped, client_address, self)
            finally:
                self.connections.discard(wrapped)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients go away in the middle of a watch


class _Request:
    """The parts of a request."""

    def __init__(self, method: str, target: str) -> None:
        split = urllib.parse.urlsplit(target)
        self.method, self.path = method, split.path
        self.query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))

    def resource_parts(self) -> tuple[str, str, str, str, str, str] | None:
        """group, version, plural, namespace, name, subresource; of `namespaces/a` the namespace is `a`, too."""
        found = _RESOURCE_PATH.match(self.path)
        if not found:
            return None
        parts = found.groupdict()
        group, version = parts['group'] or '', parts['core'] or parts['version']
        return group, version, parts['plural'], parts['namespace'] or '', parts['name'] or '', parts['sub'] or ''


def _handler(stand_in: StandIn) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(RequestHandler):
        pass
    Handler.stand_in = stand_in
    return Handler


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    stand_in: StandIn
    _warning = ''
    # One packet each for headers and body would wait for the other's acknowledgement.
    wbufsize = 65536

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        request = f'{self.command} {self.path}'
        self.stand_in.requests.append(request)
        with self.stand_in.round_trips.of(request):
            self._answer_request(body)

    def _answer_request(self, body: bytes) -> None:
        try:
            self.stand_in.on_request()
            fault = self.stand_in.faults.strike(self.command, self.path)
            self._warning = fault.warning if fault else ''
            self._route(_Request(self.command, self.path), body, fault is not None and fault.drop)
        except Dropped:
            self.close_connection = True
        except ApiError as error:
            retry = (error.details or {}).get('retryAfterSeconds')
            self._send(error.status(), error.code, {} if retry is None else {'Retry-After': str(retry)})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send(self, document: Any, code: int = 200, headers: dict[str, str] | None = None,
              content_type: str = 'application/json') -> None:
        content = document if isinstance(document, bytes) else (document if isinstance(document, str) else json.dumps(document)).encode()
        self.send_response(code)
        self.send_header('Content-Type', content_type)
        self.send_header('Content-Length', str(len(content)))
        if self._warning:
            self.send_header('Warning', f'299 - "{self._warning}"')
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    # The user

    def _user(self) -> rbac.User:
        scheme, _, token = (self.headers.get('Authorization') or '').partition(' ')
        user = self.stand_in.users.get(token) if scheme == 'Bearer' else None
        if user is None:
            raise unauthorized()
        as_user = self.headers.get('Impersonate-User')
        if not as_user:
            return user
        asked, its_groups = rbac.Request('impersonate', '', 'users', '', as_user), (rbac.EVERYBODY,)
        if as_user.startswith('system:serviceaccount:'):
            namespace, name = as_user.split(':')[2:]
            asked, its_groups = (rbac.Request('impersonate', '', 'serviceaccounts', namespace, name),
                                 rbac.service_account(namespace, name).groups)
        if not rbac.allowed(self.stand_in.store, user, asked):
            raise rbac.refusal(user, asked)
        groups = tuple(self.headers.get_all('Impersonate-Group') or ())
        return rbac.User(as_user, groups + its_groups)

    # The resource

    def _route(self, request: _Request, body: bytes, cut: bool) -> None:
        user = self._user()
        if request.path.startswith('/standin/'):
            self._send(self.stand_in.control(request.path.removeprefix('/standin/'), request.query))
            return
        if self._plain(request):
            return
        parts = request.resource_parts()
        resource = self.stand_in.store.resource(*parts[:3]) if parts else None
        if parts and (resource is None or (parts[3] and not resource.namespaced)) and parts[3]:
            # /api/v1/namespaces/NAME/status is about the namespace itself
            inner = self.stand_in.store.resource(parts[0], parts[1], 'namespaces')
            if inner and parts[2] in inner.subresources:
                parts, resource = (parts[0], parts[1], 'namespaces', '', parts[3], parts[2]), inner
        if parts is None or resource is None:
            raise no_such_path()
        self._on_resource(request, body, cut, user, resource, *parts[3:])

    def _plain(self, request: _Request) -> bool:
        """Paths that are not about objects: all known users may read them."""
        path, resources = request.path.rstrip('/'), self.stand_in.store.resources()
        as_aggregate = 'apidiscovery.k8s.io;v=v2' in (self.headers.get('Accept') or '')
        if not self.stand_in.known.is_set():
            if re.fullmatch(r'/apis/[^/]+', path):
                for _ in range(int(30 / clock.STEP)):
                    if not self.stand_in.known.wait(0.005):
                        clock.clock.advance(clock.STEP)
            elif path == '/apis' and not as_aggregate:
                resources = [resource for resource in resources if resource.group == 'apiregistration.k8s.io']
            else:
                resources = [resource for resource in resources if not resource.custom]
        if path in ('/healthz', '/readyz', '/livez') and self.stand_in.state not in ('ready', 'closing'):
            self._send('[+]ping ok\n[-]informer-sync failed: reason withheld\n', 500, content_type='text/plain')
        elif path in ('/healthz', '/readyz', '/livez'):
            self._send('ok', content_type='text/plain')
        elif path == '/version':
            self._send(discovery.VERSION)
        elif path in ('/api', '/apis') and as_aggregate:
            self._send(discovery.aggregated(resources, path == '/api'), content_type=discovery.AGGREGATED)
        elif path == '/api':
            self._send(discovery.core_versions())
        elif path == '/apis':
            self._send(discovery.group_list(resources))
        elif path == '/openapi/v2':
            self._send(discovery.OPENAPI_V2, content_type=discovery.OPENAPI_V2_TYPE)
        elif path == '/openapi/v3':
            self._send(discovery.openapi_v3_index(resources))
        elif path.startswith('/openapi/v3/') or path == '/api/v1' or re.fullmatch(r'/apis/[^/]+(/[^/]+)?', path):
            self._send(self._described(path, resources))
        else:
            return False
        return True

    def _described(self, path: str, resources: list[Resource]) -> Any:
        steps = path.removeprefix('/openapi/v3').strip('/').split('/')
        group, version = ('', steps[1]) if steps[0] == 'api' else (steps[1], steps[2] if len(steps) > 2 else '')
        if not version:
            versions = discovery.by_group(resources).get(group)
            found = {'kind': 'APIGroup', 'apiVersion': 'v1', **discovery.group_document(group, list(versions))} if versions else None
        elif path.startswith('/openapi'):
            found = discovery.openapi_v3(resources, group, version)
        else:
            found = discovery.resource_list(resources, group, version)
        if found is None:
            raise no_such_path()
        return found

    # Objects

    def _on_resource(self, request: _Request, body: bytes, cut: bool, user: rbac.User, resource: Resource, namespace: str,
                     name: str, subresource: str) -> None:
        if resource.verbs == ('create',):
            self._send({**reviews.answer(self.stand_in.store, user, resource, self._decoded(body))}, 201)
            return
        verb = VERBS[request.method]
        if verb == 'get' and not name:
            verb = 'watch' if request.query.get('watch') in ('true', '1') else 'list'
        elif verb == 'delete' and not name:
            verb = 'deletecollection'
        scope = name if resource.key == NAMESPACES.key and name else namespace
        asked = rbac.Request(verb, resource.group, resource.plural, scope, name, subresource.split('/')[0])
        if not rbac.allowed(self.stand_in.store, user, asked):
            raise rbac.refusal(user, asked)
        objects = Objects(self.stand_in.store, resource, user, request.query)
        if verb == 'watch':
            self._watch(objects, resource, namespace, request.query, cut)
        elif resource is PACKAGE_MANIFESTS:
            self._package_manifests(objects, resource, namespace, name)
        elif subresource == 'portforward':
            self._send({})  # the relay of kubectl does the rest
        elif subresource.startswith('proxy'):
            self._proxy(name, subresource)
        elif subresource == 'scale':
            self._scale(objects, request, body, namespace, name)
        else:
            self._on_object(objects, verb, resource, namespace, name, subresource, body)

    def _on_object(self, objects: Objects, verb: str, resource: Resource, namespace: str, name: str, subresource: str,
                   body: bytes) -> None:
        media_type = (self.headers.get('Content-Type') or '').split(';')[0]
        if verb == 'get':
            self._send_things(objects.get(namespace, name), resource)
        elif verb == 'list':
            self._send_things(objects.list(namespace), resource)
        elif verb == 'create':
            self._send(objects.create(namespace, self._decoded(body)), 201)
        elif verb == 'update':
            self._send(objects.update(namespace, name, self._decoded(body), subresource))
        elif verb == 'patch':
            existed = self.stand_in.store.view(resource.key, namespace, name) is not None
            self._send(objects.patch(namespace, name, media_type, body, subresource), 200 if existed else 201)
        elif verb == 'delete':
            self._send(objects.delete(namespace, name, self._decoded(body) if body else {}))
        else:
            self._send(objects.delete_all(namespace))

    def _decoded(self, body: bytes) -> dict[str, Any]:
        if body.startswith(protobuf.MAGIC):
            found = protobuf.decode(body)
            if found is None:
                raise bad_request('the stand-in does not read this kind in protobuf')
            return found
        try:
            found = json.loads(body)
        except ValueError as error:
            raise bad_request(f'couldn\'t read the body: {error}') from error
        if not isinstance(found, dict):
            raise bad_request('the body is not an object')
        return found

    def _send_things(self, found: dict[str, Any], resource: Resource) -> None:
        if 'as=Table' in (self.headers.get('Accept') or ''):
            things = found['items'] if 'items' in found and found['kind'].endswith('List') else [found]
            found = table.table(things, resource, found['metadata'].get('resourceVersion', ''))
        self._send(found)

    def _package_manifests(self, objects: Objects, resource: Resource, namespace: str, name: str) -> None:
        found = self.stand_in.packages(namespace)
        if name:
            found = [thing for thing in found if thing['metadata']['name'] == name]
            if not found:
                objects.get(namespace, name)
            self._send_things(random.choice(found), resource)  # as packageserver, if several catalogs have the package
            return
        where = objects.where()
        self._send_things({'apiVersion': resource.api_version, 'kind': 'PackageManifestList', 'metadata': {},
                           'items': [thing for thing in found if where(thing)]}, resource)

    def _proxy(self, service: str, subresource: str) -> None:
        """What catalogd serves, through the API server's proxy: proxy/catalogs/NAME/api/v1/all."""
        found = re.fullmatch(r'proxy/catalogs/([^/]+)/api/v1/all', subresource)
        content = self.stand_in.content(found.group(1)) if found and 'catalogd-service' in service else None
        if content is None:
            raise no_such_path()
        self._send(content, content_type='application/jsonl')

    def _scale(self, objects: Objects, request: _Request, body: bytes, namespace: str, name: str) -> None:
        thing = objects.get(namespace, name)
        if request.method in ('PUT', 'PATCH'):
            replicas = json.dumps({'spec': {'replicas': self._decoded(body)['spec']['replicas']}}).encode()
            thing = objects.patch(namespace, name, 'application/merge-patch+json', replicas, '')
        metadata = {key: thing['metadata'][key] for key in ('name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp')}
        self._send({'kind': 'Scale', 'apiVersion': 'autoscaling/v1', 'metadata': metadata,
                    'spec': {'replicas': thing['spec'].get('replicas', 1)},
                    'status': {'replicas': (thing.get('status') or {}).get('replicas', 0)}})

    def _watch(self, objects: Objects, resource: Resource, namespace: str, query: dict[str, str], cut: bool) -> None:
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True
        for event in watch.events(self.stand_in.store, resource, namespace, objects.where(), query):
            if event is None:
                # Who watches sends nothing more: what can be read is the end, as of a kubectl that has what it waited for.
                if select.select([self.connection], [], [], 0)[0]:
                    return
                continue
            self._chunk(self._as_asked(event, resource))
            if cut:
                return  # without the closing chunk
        self.wfile.write(b'0\r\n\r\n')
        self.wfile.flush()

    def _as_asked(self, event: dict[str, Any], resource: Resource) -> dict[str, Any]:
        if 'as=Table' not in (self.headers.get('Accept') or '') or event['type'] == 'BOOKMARK':
            return event
        version = event['object']['metadata']['resourceVersion']
        return {'type': event['type'], 'object': table.table([event['object']], resource, version)}

    def _chunk(self, event: dict[str, Any]) -> None:
        line = json.dumps(event).encode() + b'\n'
        self.wfile.write(f'{len(line):x}\r\n'.encode() + line + b'\r\n')
        self.wfile.flush()
