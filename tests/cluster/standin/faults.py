"""Misbehaviour on demand."""
from __future__ import annotations

import dataclasses
import re
import threading
import time

from .errors import ApiError

REASONS = {401: ('Unauthorized', 'Unauthorized'),
           403: ('Forbidden', 'the stand-in was told to forbid it'),
           422: ('Invalid', 'the stand-in was reported to fail'),
           429: ('TooManyRequests', 'the server has received too many requests and has asked us to try again later'),
           500: ('InternalError', 'Internal error occurred: the stand-in was reported to fail'),
           503: ('ServiceUnavailable', 'the server is currently unable to handle the request'),
           504: ('Timeout', 'Timeout: request did not complete within the allotted timeout')}


class Dropped(Exception):
    """The connection must be closed without an answer."""


@dataclasses.dataclass
class Fault:
    """A fault of requests whose `METHOD path?query` matches the pattern; of the first `times`, or of all with -1."""
    pattern: str
    code: int = 0  # answer with this failure
    delay: float = 0.0  # seconds to wait before answering
    drop: bool = False  # close the connection instead of answering; a watch: after its first event
    times: int = -1
    after: int = 0  # so many matching requests are served before
    retry_after: int | None = None  # seconds, for 429
    warning: str = ''  # answer normally, with this warning


class Faults:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._faults.append(fault)
        return fault

    def meets(self, method: str, path: str) -> bool:
        """Whether a fault waits for this request."""
        with self._lock:
            return any(fault.times and re.search(fault.pattern, f'{method} {path}') for fault in self._faults)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def _due(self, request: str) -> Fault | None:
        with self._lock:
            for fault in self._faults:
                if fault.times and re.search(fault.pattern, request):
                    if fault.after:
                        fault.after -= 1
                        continue
                    fault.times -= 1 if fault.times > 0 else 0
                    return fault
        return None

    def strike(self, method: str, path: str) -> Fault | None:
        """Waits or raises as the first matching fault requires; returns one that cuts a watch or warns."""
        fault = self._due(f'{method} {path}')
        if fault is None:
            return None
        time.sleep(fault.delay)
        if fault.warning or (fault.drop and 'watch=' in path):
            return fault
        if fault.drop:
            raise Dropped()
        if fault.code:
            reason, message = REASONS.get(fault.code, ('Unknown', 'the stand-in was reported to fail'))
            details = {'retryAfterSeconds': fault.retry_after} if fault.retry_after is not None else None
            raise ApiError(fault.code, reason, message, details)
        return None
