"""The stand-in against the real control plane: the recorded commands, run again by kubectl, get the recorded answers, and the
flow ends with the recorded objects. And opcat against both: whenever the recorder read the state, `status` names the recorded cause."""
from __future__ import annotations

import json
import pathlib
import re
import shlex
import unittest
from typing import Any

import expected
from cluster_case import ClusterCase, Result, kubectl_version, main, suite_of_recordings
from standin import outage
from standin.session import Session

LOOKS = re.compile(r'kubectl (-n \S+ )?(get|api-resources|auth|version|create --dry-run)\b')
LOOKING = re.compile(r'kubectl (-n \S+ )?get (sub|clusterext)')
TIME = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z')
# Where the stand-in uses its own words, as another version of the API server would.
NOT_COMPARED = ('kubectl --as alice version', 'kubectl --as alice get --raw /version', 'auth can-i --list', 'api-resources',
                # shows one of two catalogs by chance; shows what other recordings made at the same time
                'get packagemanifest packagemanifests', 'get packagemanifests -A')
CUT = '…'  # the recorder cut long answers
# They differ with every run, or are private to the stand-in and the recorder.
BOOKKEEPING = ('uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation', 'observedGeneration', 'selfLink',
               'deletionTimestamp', 'deletionGracePeriodSeconds', 'lastTransitionTime', 'lastUpdated', 'lastUpdateTime',
               'lastHeartbeatTime', 'kubectl.kubernetes.io/last-applied-configuration', 'lastConnect', 'acceptedNames')


def settled(value: Any) -> Any:
    """Without values that differ with every run; lists of conditions sorted by type, as their order has no meaning."""
    if isinstance(value, dict):
        return {name: settled(member) for name, member in sorted(value.items()) if name not in BOOKKEEPING
                and not (name in ('annotations', 'labels') and not settled(member))}
    if isinstance(value, list):
        items = [settled(item) for item in value]
        return sorted(items, key=lambda item: item['type']) if all(isinstance(i, dict) and 'type' in i for i in items) else items
    if isinstance(value, str):
        return TIME.sub('TIME', re.sub(r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}', 'UID', value))
    return value


def shown(text: str) -> Any:
    """What kubectl printed: JSON in a normal form, lines without ages, widths and order."""
    if text.startswith('{'):
        try:
            found = settled(json.loads(text))
            # Objects of several kinds and catalogs have no defined order.
            return {**found, 'items': sorted(found['items'], key=json.dumps)} if 'items' in found else found
        except ValueError:
            pass
    text = re.sub(r'127\.0\.0\.1:\d+', 'SERVER', TIME.sub('TIME', text))
    text = re.sub(r'(?<= )(\d+[smhd])+(?=\s|$)', 'AGE', text)
    return sorted(re.sub(r' +', ' ', line).strip() for line in text.splitlines() if line.strip())


def told_text(state: dict[str, Any]) -> str:
    """All sentences of a state."""
    return ' '.join(expected.plain(' '.join(filter(lambda one: isinstance(one, str), value)) if isinstance(value, list) else value) for value in state.values())


def user_of(step: dict[str, Any]) -> list[str]:
    return ['--context', step['user']] if step.get('user') else []


def stdin_of(step: dict[str, Any]) -> str:
    return ''.join(json.dumps(thing) + '\n' for thing in step.get('objects') or [] if thing)


class RecordedCommands(ClusterCase):
    scenario: pathlib.Path
    looked_at = -1  # the version of the objects

    def run_step(self, session: Session, step: dict[str, Any]) -> Result | None:
        """None for other lines."""
        session.replay.hold_at(step['at_ms'] / 1000)
        if not step['did'].startswith('kubectl '):
            if step['did'] == 'catalog changed':
                session.replay.tell()
            return None
        if ' delete ' in step['did']:  # waits for the end
            session.replay.go_on((step['at_ms'] + step['took_ms']) / 1000)
        return self.kubectl(*user_of(step), *shlex.split(step['did'])[1:], stdin=stdin_of(step))

    def check(self) -> None:
        reported = json.loads((self.scenario / 'scenario.json').read_text())
        session = self.session(self.scenario)
        exact = kubectl_version() >= (1, 32)
        outages = outage.states_in(reported['steps'])
        for step in reported['steps']:
            compared = not any(words in step['did'] for words in NOT_COMPARED)
            if LOOKS.match(step['did']) and (
                    not compared or outage.is_disturbed(outages, step['at_ms'], step['at_ms'] + step['took_ms'])):
                continue
            result = self.run_step(session, step)
            if result is None or not compared:
                continue
            if LOOKING.match(step['did']):
                with self.subTest('status', at=step['at_ms']):
                    self.check_status(session)
            with self.subTest(step['did'], at=step['at_ms']):
                self.assertEqual(result.status, step['rc'], result)
                if exact and not step.get('stdout', '').rstrip().endswith(CUT):
                    self.assertEqual(shown(result.out), shown(step.get('stdout', '')))
                    # kubectl's log also reports that the API server is unavailable.
                    if not outages:
                        self.assertEqual(shown(result.err), shown(step.get('stderr', '')))
        session.replay.go_on()
        self.wait_for(session.replay.waits_for(), session.replay.finished.is_set)
        self.assertIsNone(session.replay.trouble)
        self.check_end(session)
        with self.subTest('status at the end'):
            self.check_status(session)

    def check_status(self, session: Session) -> None:
        """`opcat status` reports the state of the current objects."""
        wanted = expected.of_cluster(session.stand_in.store)
        # `status` reports the same for the same objects.
        version = session.stand_in.store.version
        if not wanted or session.stand_in.state != 'ready' or version == self.looked_at:
            return
        self.looked_at = version if not session.replay.finished.is_set() else -1
        result = self.opcat('status', '-o', 'json')
        self.assertIn(result.status, (0, 1), result)
        reported = {(state['name'], state['namespace'] if state['olm'] == 'classic' else ''): state
                for state in result.json()['operators']}
        shown_text = expected.plain(self.opcat('status').out) if session.replay.finished.is_set() else result.out
        for want in wanted:
            state = reported.get((want.name, want.namespace))
            self.assertIsNotNone(state, (want, reported))
            self.assertEqual(state['health'] == 'ready', want.ready, (want, state))
            for words in want.words:
                self.assertIn(expected.plain(words), told_text(state))
                if session.replay.finished.is_set():
                    self.assertIn(expected.plain(words), shown_text)
            if want.ready:
                self.assertEqual(state['installed'], want.installed)
            if want.namespace and expected.operator_groups(session.stand_in.store, want.namespace) != 1:
                self.assertIn('OperatorGroup', shown_text)

    def check_end(self, session: Session) -> None:
        """The last state of every recorded object is the stand-in's."""
        last: dict[tuple[str, str, str, str], Any] = {}
        for line in (self.scenario / 'events.jsonl').read_text().splitlines():
            event = json.loads(line)
            thing = event['object']
            metadata = thing['metadata']
            place = (thing['apiVersion'].rpartition('/')[0], event['resource'], metadata.get('namespace', ''), metadata['name'])
            last[place] = None if event['type'] == 'DELETED' else thing
        for (group, plural, namespace, name), thing in last.items():
            with self.subTest('end', place=f'{plural} {namespace}/{name}'):
                here = session.stand_in.store.get((group, plural), namespace, name)
                if thing is None:
                    self.assertIsNone(here)
                else:
                    self.assertEqual(settled(here or {}).get('status'), settled(thing).get('status'))
                    self.assertEqual(settled(here or {}).get('spec'), settled(thing).get('spec'))


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    kubectl_version()  # once, before the processes of the tests are forked
    # The later situations show more of a cluster than the stand-in has; test_flows runs opcat through them.
    return suite_of_recordings(RecordedCommands, loader.testNamePatterns, folder='cluster')


if __name__ == '__main__':
    main()
