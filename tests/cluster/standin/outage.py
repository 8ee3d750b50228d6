"""An API server that restarts, as recorded: its answers in between are misleading.

The states, in their order: `closing` (no new connections, open watches stay and are silent), `gone` (connections are cut), `starting`
(it answers, but does not have its custom resources yet), `known` (all resources, but it is not ready), `ready`.
"""
from __future__ import annotations

from typing import Any

# Of the API server's custom resources after a start, and of its readiness: ms.
UNKNOWN_FOR, UNREADY_FOR = 1500, 3000

_WORDS = (('ready', 'ready'), ('started', 'starting'), ('sigterm', 'closing'), ('stop', 'closing'), ('gone', 'gone'), ('kill', 'gone'))


def states_in(steps: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """The times, in ms, at which the API server of a recording changed its state; default times of `known` and `ready` if not recorded."""
    found: list[tuple[int, str]] = []
    for step in steps:
        what = step['did'].lower().removeprefix('api server: ')
        state = next((state for word, state in _WORDS if word in what), '') if 'api server: ' in step['did'].lower() else ''
        if state:
            found.append((step['at_ms'], state))
    for at, _ in [each for each in found if each[1] == 'starting']:
        found.append((at + UNKNOWN_FOR, 'known'))
        if not any(state == 'ready' and other > at for other, state in found):
            found.append((at + UNREADY_FOR, 'ready'))
    return sorted(found)


def is_disturbed(states: list[tuple[int, str]], begun: int, ended: int) -> bool:
    """Whether the API server changed its state during a request, or just before or after."""
    return any(begun - 600 < at < ended + 600 for at, _ in states)
