#!/usr/bin/env python3
"""Serves the stand-in API server until interrupted: see README.md next to this file."""
from __future__ import annotations

import argparse
import os
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from standin.clock import clock  # noqa: E402
from standin.session import Session  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument('--scenario', type=pathlib.Path, help='directory of a recorded scenario')
    what.add_argument('--simulate', type=pathlib.Path, metavar='CATALOGS',
                      help='no flow: the small simulation of both OLMs, with the catalogs (*.jsonl) of this directory')
    what.add_argument('--empty', action='store_true', help='no flow, no CRDs: a cluster without OLM')
    parser.add_argument('--kubeconfig', type=pathlib.Path, required=True, help='where to write the kubeconfig')
    parser.add_argument('--speed', type=float, default=10.0, help='how many recorded seconds pass in one (10)')
    parser.add_argument('--crds', type=pathlib.Path, default=ROOT / 'testdata/cluster/crds', help='directory of the simulation\'s CRDs')
    parser.add_argument('--opcat', default=os.environ.get('OPCAT', str(ROOT / 'build/dev/tools/opcat/opcat')),
                        help='the binary that reads the catalogs, for PackageManifests')
    options = parser.parse_args()
    clock.restart(follows_real_time=True)
    session = Session(options.opcat, options.scenario, None if options.empty else options.crds, options.speed, options.simulate)
    with session, clock.running():
        session.stand_in.kubeconfig(options.kubeconfig)
        print(session.stand_in.port, flush=True)
        stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopped.set())
        stopped.wait()
    return 0


if __name__ == '__main__':
    sys.exit(main())
