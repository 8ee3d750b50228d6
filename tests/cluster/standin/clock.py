"""The time of a simulated cluster and of its clients.

Simulated time passes only while somebody waits: a client that sleeps (simulated_clock.c sends its sleep here), a watch without
events, a test. Meanwhile the parts of the cluster have their turns, in the order of their times. So what happens does not depend on
the speed of the machine. Where programs wait by the real time, such as the pods of Jobs, the clock follows the real time.
"""
from __future__ import annotations

import contextlib
import datetime
import heapq
import itertools
import mmap
import pathlib
import socket
import struct
import threading
import time
from typing import Any, BinaryIO, Callable, Iterator

# What a part of the cluster does at its turn; it returns the seconds until its next one, or None after its last.
Turn = Callable[[], 'float | None']
STEP = 0.1  # seconds between two looks of who waits for a condition


class Clock:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.restart()

    def restart(self, follows_real_time: bool = False) -> None:
        """Forgets all parts of an earlier cluster."""
        with self._lock:
            self.follows_real_time = follows_real_time
            self._seconds = time.time()
            self._turns: list[tuple[float, int, Turn]] = []
            self._numbers = itertools.count()
            self._stops_when: Callable[[], bool] | None = None
            self._stopped, self._released = threading.Event(), threading.Event()
            self._shown: mmap.mmap | None = None

    def now(self) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(self._seconds, datetime.timezone.utc)

    def seconds(self) -> float:
        return self._seconds

    # The cluster's part

    def add(self, turn: Turn, after: float = 0.0) -> None:
        with self._lock:
            heapq.heappush(self._turns, (self._seconds + after, next(self._numbers), turn))

    def every(self, period: float, act: Callable[[], Any], until: Callable[[], bool] = lambda: False) -> None:
        def turn() -> float | None:
            if until():
                return None
            act()
            return period
        self.add(turn, period)

    def when(self, condition: Callable[[], Any], act: Callable[[], Any]) -> None:
        """Acts once, as soon as the condition holds."""
        def turn() -> float | None:
            if not condition():
                return STEP
            act()
            return None
        self.add(turn)

    # The part of those who wait

    def advance(self, seconds: float) -> None:
        """Time passes, and whoever has a turn takes it. Where time is real, waits for it."""
        if self.follows_real_time:
            time.sleep(seconds)
        else:
            self._pass(seconds)

    def _pass(self, seconds: float) -> None:
        with self._lock:
            end = self._seconds + seconds
            while self._turns and self._turns[0][0] <= end:
                at, _, turn = heapq.heappop(self._turns)
                self._show(max(at, self._seconds))
                pause = turn()
                if pause is not None:
                    heapq.heappush(self._turns, (self._seconds + pause, next(self._numbers), turn))
            self._show(end)

    def _show(self, seconds: float) -> None:
        self._seconds = seconds
        if self._shown is not None:
            struct.pack_into('=q', self._shown, 0, int(seconds * 1e9))

    def stop_when(self, condition: Callable[[], Any]) -> threading.Event:
        """The next client that sleeps while the condition holds does not wake up before `release`. The event is set when it sleeps."""
        self._stopped, self._released = threading.Event(), threading.Event()
        self._stops_when = condition
        return self._stopped

    def release(self) -> None:
        self._stops_when = None
        self._released.set()

    def sleep_of_client(self, seconds: float) -> None:
        while seconds > 0:
            self.advance(min(seconds, STEP))
            seconds -= STEP
            if self._stops_when is not None and self._stops_when():
                self._stopped.set()
                self._released.wait()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Follows the real time, if it is to."""
        ended = threading.Event()

        def follow() -> None:
            last = time.monotonic()
            while not ended.wait(0.01):
                current = time.monotonic()
                self._pass(current - last)
                last = current
        thread = threading.Thread(target=follow, daemon=True)
        if self.follows_real_time:
            thread.start()
        yield
        ended.set()

    def show_in(self, file: BinaryIO) -> None:
        """Keeps the time there, in nanoseconds since 1970, for programs that have the file in their memory."""
        file.write(bytes(8))
        file.flush()
        self._shown = mmap.mmap(file.fileno(), 8)
        self._show(self._seconds)


class ClockServer:
    """Shows the time in a directory to programs with simulated_clock.c, and lets it pass while they sleep. Use it in a `with`."""

    def __init__(self, clock: Clock, directory: pathlib.Path) -> None:
        self._clock = clock
        with open(directory / 'now', 'wb+') as file:
            clock.show_in(file)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(directory / 'socket'))

    def __enter__(self) -> ClockServer:
        self._socket.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._clock.release()
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            try:
                asked = client.recv(8, socket.MSG_WAITALL)
                if len(asked) == 8:
                    self._clock.sleep_of_client(struct.unpack('=q', asked)[0] / 1e9)
                    client.sendall(b'.')
            except OSError:  # the client has ended
                pass


clock = Clock()
