"""A client of the language server, as an editor is one."""
import json
import os
import pathlib
import queue
import subprocess
import threading
import urllib.parse

from opcat_case import BINARY

PACKAGE = '''schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
package: shop
name: stable
entries:
  - name: shop.v1.0.0
'''


def uri_of(path):
    return 'file://' + urllib.parse.quote(str(path))


class Ended(AssertionError):
    """The server has ended, and the client expected a message."""


class LanguageClient:
    """Runs `opcat lsp` until `stop`. What the server reports is in `diagnostics` (by path) and `log`. `env`: variables in addition to
    ours; the first message is then that of the test, which calls `initialize`."""

    def __init__(self, folder, capabilities=None, options=None, binary=BINARY, env=None):
        self.child = subprocess.Popen([binary, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                      env={**os.environ, **(env or {})})
        self.incoming = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.diagnostics, self.versions, self.log, self.requests = {}, {}, [], []
        self.last_id = 0
        self.texts = {}
        if env is None:
            self.initialize(folder, capabilities, options)

    def initialize(self, folder, capabilities=None, options=None):
        self.answer = self.request('initialize', {
            'processId': os.getpid(), 'rootUri': uri_of(folder), 'workspaceFolders': [{'uri': uri_of(folder), 'name': 'it'}],
            'capabilities': capabilities or {}, 'initializationOptions': options or {}})
        self.notify('initialized', {})

    def _read(self):
        try:
            self._read_messages(self.child.stdout)
        finally:
            self.incoming.put(None)

    def _read_messages(self, out):
        while True:
            length = None
            while line := out.readline().strip():
                name, _, value = line.partition(b':')
                if name.lower() == b'content-length':
                    length = int(value)
            if length is None:
                return
            self.incoming.put(json.loads(out.read(length)))

    def send(self, message):
        self.send_bytes(json.dumps({'jsonrpc': '2.0', **message}).encode())

    def send_bytes(self, body):
        self.child.stdin.write(b'Content-Length: %d\r\n\r\n%s' % (len(body), body))
        self.child.stdin.flush()

    def notify(self, method, params):
        self.send({'method': method, 'params': params})

    def start_request(self, method, params):
        self.last_id += 1
        self.send({'id': self.last_id, 'method': method, 'params': params})
        return self.last_id

    def receive(self, timeout=600):
        """The next message of the server; None: it has ended."""
        message = self.incoming.get(timeout=timeout)
        if message is None:
            return None
        method, params = message.get('method'), message.get('params')
        if method == 'textDocument/publishDiagnostics':
            path = urllib.parse.unquote(params['uri'].removeprefix('file://'))
            self.diagnostics[path] = params['diagnostics']
            self.versions[path] = params.get('version')
        elif method == 'window/logMessage':
            self.log.append(params['message'])
        elif method and 'id' in message:
            self.requests.append(message)
            self.send({'id': message['id'], 'result': None})
        return message

    def response(self, number):
        while (message := self.receive()) is not None:
            if message.get('id') == number and 'method' not in message:
                return message
        raise Ended('the server has ended')

    def request(self, method, params):
        message = self.response(self.start_request(method, params))
        if 'error' in message:
            raise RuntimeError(message['error']['message'])
        return message['result']

    def open(self, path, text=None):
        path = pathlib.Path(path)
        self.texts[str(path)] = [1, path.read_text() if text is None else text]
        self.notify('textDocument/didOpen', {'textDocument': {'uri': uri_of(path), 'languageId': 'yaml', 'version': 1, 'text': self.texts[str(path)][1]}})
        return self.wait_for(path, 1)

    def change(self, path, begin, end, text):
        """Replaces what is between two places (line, character) and waits for the findings."""
        document = self.texts[str(path)]
        document[0] += 1
        self.notify('textDocument/didChange', {'textDocument': {'uri': uri_of(path), 'version': document[0]}, 'contentChanges': [
            {'range': {'start': dict(zip(('line', 'character'), begin)), 'end': dict(zip(('line', 'character'), end))}, 'text': text}]})
        return self.wait_for(path, document[0])

    def wait_for(self, path, version):
        while self.versions.get(str(path)) != version:
            if self.receive() is None:
                raise Ended('the server has ended: ' + self.child.stderr.read().decode())
        return self.diagnostics[str(path)]

    def wait_until(self, condition):
        while not condition():
            if self.receive() is None:
                raise Ended('the server has ended: ' + self.child.stderr.read().decode())

    def stop(self):
        """Ends the server, if it has not ended; its exit status."""
        if self.child.stdin.closed:
            return self.child.returncode
        if self.child.poll() is None:
            self.request('shutdown', None)
            self.notify('exit', None)
        self.child.stdin.close()
        status = self.child.wait(60)
        self.reader.join()
        self.child.stdout.close()
        self.child.stderr.close()
        return status
