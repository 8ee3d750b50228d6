"""A distant cluster: each request takes a while, and how many of them a client has waited for one after the other is counted."""
from __future__ import annotations

import contextlib
import threading
import time
from typing import Iterator


class RoundTrips:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.delay = 0.0  # real seconds that each request takes
        self._spans: list[tuple[float, float, str]] = []  # begin, end, request

    @contextlib.contextmanager
    def of(self, request: str) -> Iterator[None]:
        begin = time.monotonic()
        time.sleep(self.delay)
        try:
            yield
        finally:
            with self._lock:
                self._spans.append((begin, time.monotonic(), request))

    def forget(self) -> None:
        with self._lock:
            self._spans.clear()

    def requests(self) -> int:
        with self._lock:
            return len(self._spans)

    def one_after_the_other(self) -> list[str]:
        """The longest series of requests of which each began after the one before it had ended."""
        with self._lock:
            spans = sorted(self._spans, key=lambda span: span[1])
        series: list[str] = []
        last_end = 0.0
        for begin, end, request in spans:
            if begin >= last_end:
                series.append(request)
                last_end = end
        return series
