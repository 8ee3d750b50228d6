"""A stand-in that plays a flow."""
from __future__ import annotations

import json
import pathlib
from typing import Any

from .faults import Fault
from .flow import Flow
from .packages import FlowCatalogs, Packages
from .recording import SYSTEM_NAMESPACES, Recording
from .replay import Replay
from .resources import NAMESPACES
from .server import StandIn
from .simulation import Simulation


def read_objects(directory: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(directory.glob('*.json'))]


class Session:
    """Use it in a `with`. Exactly one of these: `scenario`, the directory of a recording; `crds`, a directory with CRDs in JSON, for an
    empty cluster; `crds` and `catalogs`, a directory with catalogs in JSON, for the small simulation of OLM. `speed`: how many seconds of
    the cluster pass in one of the clock (clock.py), which the caller has started."""

    def __init__(self, opcat: str, scenario: pathlib.Path | None = None, crds: pathlib.Path | None = None,
                 speed: float = 1.0, catalogs: pathlib.Path | None = None) -> None:
        self.stand_in = StandIn(pace=0.5 / speed)
        self.flow = Recording(scenario).flow() if scenario else Flow('none', [], read_objects(crds) if crds else [], [])
        self.stand_in.load(self.flow.crds + self.flow.before)
        for user in self.flow.users:
            self.stand_in.add_user(user)
        self.replay = Replay(self.stand_in.store, self.flow, speed)
        self.replay.set_server = self.stand_in.set_state
        self.stand_in.controllers.leave_alone = self.replay.tells_of_deletion
        self.simulation: Simulation | None = None
        blobs = FlowCatalogs(self.flow.catalogs, opcat, lambda: self.replay.position).blobs
        if catalogs:
            contents = {path.stem: [json.loads(line) for line in path.read_text().splitlines()]
                        for path in sorted(catalogs.glob('*.jsonl'))}
            self.simulation = Simulation(self.stand_in.store, contents.get, pace=0.5 / speed)
            self.contents = contents
            blobs = self.simulation.blobs_of
            for name in SYSTEM_NAMESPACES:
                self.stand_in.store.create(NAMESPACES.key, {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': name}})
            self.stand_in.load([{'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'ClusterRole', 'metadata': {'name': 'cluster-admin'},
                                 'rules': [{'apiGroups': ['*'], 'resources': ['*'], 'verbs': ['*']}]}])
        packages = Packages(self.stand_in.store, blobs)
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
        if self.simulation:
            self.simulation.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.replay.stop()
        if self.simulation:
            self.simulation.stop()
        self.stand_in.stop()
