"""Programs whose clock runs faster, by libfaketime: for what mostly waits. Without the library, with REAL_TIME in the environment, and
under sanitizers, which exclude it, time is real, and LIBRARY is None."""
from __future__ import annotations

import os
import pathlib

REAL = os.environ.get('REAL_TIME') or os.environ.get('SANITIZED')
LIBRARY = None if REAL else next(iter(sorted(pathlib.Path('/usr/lib').glob('*/faketime/libfaketimeMT.so.1'))), None)


def faster(times: int, ahead: float = 0) -> dict[str, str]:
    """The environment of a program whose clock runs so many times faster, and so many seconds ahead."""
    return {'LD_PRELOAD': str(LIBRARY), 'FAKETIME': f'+{ahead:.3f} x{times}', 'FAKETIME_NO_CACHE': '1'} if LIBRARY else {}
