"""Certificates of the stand-in: an authority of its own, and a server certificate for the loopback address."""
from __future__ import annotations

import functools
import pathlib
import ssl
import subprocess
import tempfile

SERVER_EXTENSIONS = 'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n'


def openssl(*arguments: str) -> None:
    subprocess.run(['openssl', *arguments], check=True, capture_output=True)


class Certificates:
    """ca.crt (for kubeconfigs), server.crt and server.key, in a directory that lives as long as this does."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix='standin-tls-')
        directory = pathlib.Path(self._directory.name)
        self.authority = directory / 'ca.crt'
        self.certificate = directory / 'server.crt'
        self.key = directory / 'server.key'
        authority_key, request, extensions = (directory / name for name in ('ca.key', 'server.csr', 'server.ext'))
        extensions.write_text(SERVER_EXTENSIONS)
        curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
        openssl('req', '-x509', *curve, '-days', '2', '-subj', '/CN=stand-in authority', '-keyout', str(authority_key),
                '-out', str(self.authority))
        openssl('req', '-new', *curve, '-subj', '/CN=stand-in', '-keyout', str(self.key), '-out', str(request))
        openssl('x509', '-req', '-in', str(request), '-CA', str(self.authority), '-CAkey', str(authority_key), '-CAcreateserial',
                '-days', '2', '-extfile', str(extensions), '-out', str(self.certificate))

    def server_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


@functools.cache
def shared_certificates() -> Certificates:
    """All servers of a test run have the same ones: making them takes longer than most flows."""
    return Certificates()
