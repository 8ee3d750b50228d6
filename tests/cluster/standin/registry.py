"""A registry of images for pulling only: catalogs and bundles, over plain HTTP on the loopback address."""
from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import json
import re
import tarfile
import threading
from typing import Any

MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
CATALOG_LABELS = {'operators.operatorframework.io.index.configs.v1': '/configs'}


def digest_of(content: bytes) -> str:
    return 'sha256:' + hashlib.sha256(content).hexdigest()


def _layer(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        for name, text in files.items():
            content = text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


class Registry:
    """Use it in a `with`; `address` is where images are: `ADDRESS/NAME:TAG`."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}
        self._tags: dict[tuple[str, str], str] = {}
        self.asked: set[str] = set()  # the images that were requested
        self._server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), self._handler())
        self.address = f'127.0.0.1:{self._server.server_address[1]}'

    def push(self, name: str, tag: str, files: dict[str, str], labels: dict[str, str]) -> str:
        """Makes an image of one layer; returns its reference by digest."""
        layer = _layer(files)
        packed = gzip.compress(layer, mtime=0)
        config = json.dumps({'architecture': 'amd64', 'os': 'linux', 'config': {'Labels': labels},
                             'rootfs': {'type': 'layers', 'diff_ids': [digest_of(layer)]}}).encode()
        manifest = json.dumps({
            'schemaVersion': 2, 'mediaType': MANIFEST,
            'config': self._described(config, 'application/vnd.oci.image.config.v1+json'),
            'layers': [self._described(packed, 'application/vnd.oci.image.layer.v1.tar+gzip')]}).encode()
        self._blobs[digest_of(manifest)] = manifest
        self._tags[(name, tag)] = digest_of(manifest)
        return f'{self.address}/{name}@{digest_of(manifest)}'

    def index(self, name: str, tag: str, digest: str) -> None:
        """Makes the tag name an index of this one image."""
        image = {'mediaType': MANIFEST, 'digest': digest, 'size': len(self._blobs[digest]), 'platform': {'os': 'linux', 'architecture': 'amd64'}}
        index = json.dumps({'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.index.v1+json', 'manifests': [image]}).encode()
        self._blobs[digest_of(index)] = index
        self._tags[(name, tag)] = digest_of(index)

    def remove(self, name: str, tag: str) -> None:
        del self._tags[(name, tag)]

    def push_catalog(self, name: str, tag: str, text: str) -> str:
        return self.push(name, tag, {'configs/catalog.json': text}, CATALOG_LABELS)

    def _described(self, content: bytes, media_type: str) -> dict[str, Any]:
        self._blobs[digest_of(content)] = content
        return {'mediaType': media_type, 'digest': digest_of(content), 'size': len(content)}

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_GET(self) -> None:
                found = re.fullmatch(r'/v2/(.+)/(manifests|blobs)/([^/]+)', self.path)
                content, kind = b'', 'application/octet-stream'
                if found:
                    name, what, reference = found.groups()
                    registry.asked.add(name)
                    content = registry._blobs.get(registry._tags.get((name, reference), reference), b'')
                    kind = MANIFEST if what == 'manifests' else kind
                known = bool(content) or self.path == '/v2/'
                self.send_response(200 if known else 404)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(content)))
                if content:
                    self.send_header('Docker-Content-Digest', digest_of(content))
                self.end_headers()
                if self.command != 'HEAD':
                    self.wfile.write(content)

            do_HEAD = do_GET

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler

    def __enter__(self) -> Registry:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
