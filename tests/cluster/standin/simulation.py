"""A small OLM, both generations of it: enough to install, upgrade and fail, for tests without a recording.

It makes one step per turn, so that every intermediate state is visible. Its messages are those of the recordings at the same
point. The recordings test whether a tool understands OLM; the simulation only tests flows that were not recorded.
"""
from __future__ import annotations

from typing import Callable

from .clock import clock
from .simulated_classic import SOURCES, OlmClassic
from .simulated_olm import Blobs
from .simulated_v1 import EXTENSIONS, OlmV1
from .storage import Store


class Simulation(OlmClassic, OlmV1):
    """Both OLMs, if the cluster serves their resources; one turn every `pace` seconds."""

    def __init__(self, store: Store, content: Callable[[str], Blobs | None], pace: float = 0.5) -> None:
        super().__init__(store, content)
        self._pace = pace
        self._stopped = False
        self.trouble: BaseException | None = None

    def start(self) -> None:
        self._stopped = False
        clock.every(self._pace, self._try_turn, until=lambda: self._stopped)

    def stop(self) -> None:
        self._stopped = True

    def _try_turn(self) -> None:
        try:
            with self._store.lock:
                self._turn()
        except BaseException as error:  # reported at the end of the test
            self.trouble = error
            self.stop()

    def _turn(self) -> None:
        served = {resource.key for resource in self._store.resources()}
        if SOURCES in served:
            self.turn_classic()
        if EXTENSIONS in served:
            self.turn_v1()
