"""A small OLM, both generations of it: enough to install, upgrade and fail, for tests without a recording.

It makes one step per turn, so that every intermediate state is visible. Its messages are those of the recordings at the same
point. The recordings test whether a tool understands OLM; the simulation only tests flows that were not recorded.
"""
from __future__ import annotations

import threading
from typing import Callable

from .simulated_classic import SOURCES, OlmClassic
from .simulated_olm import Blobs
from .simulated_v1 import EXTENSIONS, OlmV1
from .storage import Store


class Simulation(OlmClassic, OlmV1):
    """Both OLMs, if the cluster serves their resources; one turn every `pace` seconds."""

    def __init__(self, store: Store, content: Callable[[str], Blobs | None], pace: float = 0.05) -> None:
        super().__init__(store, content)
        self._pace = pace
        self._stop = threading.Event()
        self.trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(5)

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._pace):
                with self._store.lock:
                    self._turn()
        except BaseException as error:
            self.trouble = error
            raise

    def _turn(self) -> None:
        served = {resource.key for resource in self._store.resources()}
        if SOURCES in served:
            self.turn_classic()
        if EXTENSIONS in served:
            self.turn_v1()
