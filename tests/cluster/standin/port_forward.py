"""What `kubectl port-forward` does: a port of this machine that leads to a server of the cluster."""
from __future__ import annotations

import socket
import threading

from .round_trips import RoundTrips


class Forward:
    """Forwards connections to `target`, on the loopback address, until `close`. What a client sends takes a round trip, together with all that
    it sends meanwhile."""

    def __init__(self, target: int, trips: RoundTrips) -> None:
        self._target, self._trips = target, trips
        self._socket = socket.create_server(('127.0.0.1', 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _run(self) -> None:
        while True:
            try:
                client = self._socket.accept()[0]
            except OSError:
                return  # closed
            try:
                server = socket.create_connection(('127.0.0.1', self._target))
            except OSError:
                client.close()  # as kubectl does, which says "lost connection to pod"
                continue
            for source, target, delayed in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._copy, args=(source, target, delayed), daemon=True).start()

    @staticmethod
    def _waiting(source: socket.socket) -> bytes:
        try:
            return source.recv(1 << 20, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b''

    def _copy(self, source: socket.socket, target: socket.socket, delayed: bool) -> None:
        try:
            while piece := source.recv(65536):
                if delayed:
                    with self._trips.of('what is sent through the forwarded port'):
                        piece += self._waiting(source)
                target.sendall(piece)
        except OSError:
            pass
        finally:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
