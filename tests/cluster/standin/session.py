"""A stand-in with a flow that is played on it."""
from __future__ import annotations

import json
import pathlib
from typing import Any

from .faults import Fault
from .flow import Flow
from .packages import Packages
from .recording import Recording
from .replay import Replay
from .server import StandIn


def read_objects(directory: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(directory.glob('*.json'))]


class Session:
    """Use it in a `with`. `scenario`: directory of a recording; `crds`: directory with CRDs in JSON, for no flow at all."""

    def __init__(self, opcat: str, scenario: pathlib.Path | None = None, crds: pathlib.Path | None = None,
                 speed: float = 10.0) -> None:
        self.stand_in = StandIn(pace=1.0 / speed)
        if scenario:
            flow = Recording(scenario).flow()
        else:
            flow = Flow('none', [], read_objects(crds) if crds else [], [])
        self.flow = flow
        self.stand_in.load(flow.crds + flow.before)
        self.replay = Replay(self.stand_in.store, flow, speed)
        self.stand_in.controllers.leave_alone = self.replay.tells_of_deletion
        packages = Packages(self.stand_in.store, flow.catalogs, opcat, lambda: self.replay.position)
        self.stand_in.packages, self.stand_in.content = packages.manifests, packages.served
        self.stand_in.control = self._control

    def _control(self, action: str, query: dict[str, str]) -> Any:
        """`kubectl get --raw /standin/ACTION`: for use by hand."""
        if action == 'tell':
            self.replay.tell()
        elif action == 'fault':
            self.stand_in.faults.add(Fault(query.get('pattern', ''), int(query.get('code', 0)), float(query.get('delay', 0)),
                                           'drop' in query, int(query.get('times', -1))))
        elif action == 'mend':
            self.stand_in.faults.clear()
        return {'waits for': self.replay.waits_for(), 'requests': len(self.stand_in.requests)}

    def __enter__(self) -> Session:
        self.stand_in.start()
        self.replay.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.replay.stop()
        self.stand_in.stop()
