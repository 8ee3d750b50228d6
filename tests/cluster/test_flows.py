"""The recorded flows with opcat as the user: each ends as recorded, and opcat names the recorded cause. Covers lib/cluster.

opcat does everything that it has a command for; the rest (service accounts, custom resources, other catalog content, partial
deletions) is done as the recorder did it.
"""
from __future__ import annotations

import json
import pathlib
import re
import shlex
import unittest
from typing import Any

import expected
from cluster_case import ClusterCase, Result, main, suite_of_recordings
from standin.registry import CATALOG_LABELS, Registry
from standin.session import Session
from standin.storage import Object

LOOKS = re.compile(r'kubectl (-n \S+ )?(--as \S+ )?(get|api-resources|auth|version|wait)\b')
APPLY = 'kubectl apply -f -'
RECORDERS_REGISTRIES = ('127.0.0.1:5000', '127.0.0.1:5001')
PATIENCE = ('--timeout', '1m')
OLM, V1 = 'operators.coreos.com', 'olm.operatorframework.io'
# The objects, and their groups, whose last state is compared.
ENDS = {'subscriptions': OLM, 'installplans': OLM, 'clusterserviceversions': OLM, 'catalogsources': OLM, 'clusterextensions': V1,
        'clustercatalogs': V1}


class Flow(ClusterCase):
    scenario: pathlib.Path

    def setUp(self) -> None:
        super().setUp()
        self.user = ''
        self.flow: Session = self.session(self.scenario)
        self.store = self.flow.stand_in.store
        self.registry = Registry()
        self.registry.__enter__()
        self.addCleanup(self.registry.__exit__)
        self.position = 0
        self.push_catalogs()

    def environment(self, **more: str) -> dict[str, str]:
        """The recorder's registry is ours."""
        configuration = self.dir / 'registries.conf'
        if hasattr(self, 'registry'):
            configuration.write_text(''.join(f'[[registry]]\nlocation = "{recorders}"\n[[registry.mirror]]\n'
                                             f'location = "{self.registry.address}"\ninsecure = true\n'
                                             for recorders in RECORDERS_REGISTRIES))
        return super().environment(**{'CONTAINERS_REGISTRIES_CONF': str(configuration), **more})

    def push_catalogs(self) -> None:
        for catalog in self.flow.flow.catalogs:
            if catalog.since <= self.position:
                for tag in catalog.tags:
                    self.registry.push(catalog.name, tag, {'configs/catalog.yaml': catalog.text}, CATALOG_LABELS)

    # The user's part

    def step(self, step: dict[str, Any], following: str) -> None:
        """`following`: the next action."""
        self.user = step.get('user', '')
        if step['did'] == 'catalog changed':
            self.settle()
            self.position = self.flow.replay.position
            self.push_catalogs()
            self.flow.replay.tell()
        elif step['did'].startswith('kubectl ') and not LOOKS.match(step['did']):
            self.settle()
            objects = [thing for thing in step['objects'] if thing]
            if step.get('rc') or not (self.by_opcat(step['did'], objects) or self.change_by_opcat(step['did'], following)):
                self.by_kubectl(step['did'], objects)

    def as_user(self) -> tuple[str, ...]:
        return ('--context', self.user) if self.user else ()

    def opcat(self, *arguments: str, **options: Any) -> Result:
        return super().opcat(*arguments, *self.as_user(), **options)

    def settle(self) -> None:
        """Waits until the cluster has done everything that it does by itself."""
        self.wait_for('the cluster to come to rest: ' + self.flow.replay.waits_for(), self.flow.replay.is_users_turn)

    def by_kubectl(self, did: str, objects: list[Object]) -> None:
        if namespace := re.fullmatch(r'kubectl create namespace (\S+)', did):
            did, objects = APPLY, [{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': namespace.group(1)}}]
        if did == APPLY and not self.user and self.apply_without_kubectl(*objects):
            return
        self.kubectl(*self.as_user(), *shlex.split(did)[1:], stdin=''.join(json.dumps(thing) + '\n' for thing in objects))

    def by_opcat(self, did: str, objects: list[Object]) -> bool:
        """Whether opcat has a command for it."""
        main_object = next((thing for thing in objects if thing['kind'] in self.MAKERS), None)
        if main_object is not None and self.can_make(main_object, objects):
            rest = [thing for thing in objects if thing is not main_object]
            if rest:
                self.apply(*rest)
            self.MAKERS[main_object['kind']](self, main_object)
            return True
        approved = re.match(r'kubectl -n (\S+) patch installplan \S+ .*"approved":true', did)
        switched = re.match(r'kubectl -n (\S+) patch sub\S* (\S+) .*"channel":"(\w+)"', did)
        deleted = re.match(r'kubectl delete clusterextension (\S+)', did)
        if approved:
            package = self.store.list((OLM, 'subscriptions'), approved.group(1))[0]['spec']['name']
            self.opcat('approve', package, '-n', approved.group(1), '--yes', *PATIENCE)
        elif switched and '"startingCSV"' not in did:
            self.opcat('upgrade', switched.group(2), '-n', switched.group(1), '--olm', 'classic', '--channel', switched.group(3), '--yes',
                       *PATIENCE)
            # opcat refuses to switch to a channel without an upgrade; the recorder did.
            self.by_kubectl(did, [])
        elif deleted:
            result = self.opcat('uninstall', deleted.group(1), '--olm', 'v1', '--yes', '--delete-operands', *PATIENCE)
            self.assertEqual(result.status, 0, result)
        else:
            return False
        return True

    def change_by_opcat(self, did: str, following: str) -> bool:
        """The same for what changes or deletes an object."""
        for pattern, change in self.CHANGES.items():
            if found := re.match(pattern, did):
                return bool(change(self, did, following, *found.groups()))
        return False

    def retry(self, did: str, _: str, namespace: str, name: str) -> bool:
        """Where the recorder nudged OLM, opcat does so when the same request is repeated, if it is necessary."""
        subscription = self.store.get((OLM, 'subscriptions'), namespace, name) or {}
        spec = subscription['spec']
        before = self.store.version
        result = self.opcat('install', spec['name'], '-n', namespace, '--olm', 'classic', '--catalog',
                            f'{spec["sourceNamespace"]}/{spec["source"]}', '--force', *PATIENCE)
        self.settle()
        self.check_words(result, namespace, spec['name'], before)
        return True

    def uninstall(self, did: str, following: str, namespace: str, name: str) -> bool:
        """The recorder deleted the Subscription, and then the ClusterServiceVersion."""
        subscription = self.store.get((OLM, 'subscriptions'), namespace, name)
        if subscription is None or not re.match(rf'kubectl -n {namespace} delete (csv|clusterserviceversion)', following):
            return False
        result = self.opcat('uninstall', subscription['spec']['name'], '-n', namespace, '--olm', 'classic', '--yes', *PATIENCE)
        self.assertEqual(result.status, 0, result)
        return True

    def remove_catalog(self, did: str, _: str, namespace: str, name: str) -> bool:
        result = self.opcat('catalog', 'remove', name, '-n', namespace, '--olm', 'classic', '--yes')
        self.assertEqual(result.status, 0, result)
        return True

    def refresh_catalog(self, did: str, _: str, namespace: str, name: str) -> bool:
        result = self.opcat('catalog', 'refresh', name, '-n', namespace, '--olm', 'classic', *PATIENCE)
        self.assertEqual(result.status, 0, result)
        return True

    def change_image(self, did: str, _: str, namespace: str | None, name: str, image: str) -> bool:
        place = ('-n', namespace, '--olm', 'classic') if namespace else ('--olm', 'v1')
        result = self.opcat('catalog', 'add', name, image, *place, '--yes', '--no-check', *PATIENCE)
        self.assertEqual(result.status, 0, result)
        return True

    def upgrade_extension(self, did: str, _: str, name: str) -> bool:
        catalog = json.loads(shlex.split(did)[-1])['spec']['source']['catalog']
        if catalog.get('upgradeConstraintPolicy') == 'CatalogProvided' or None in catalog.values():
            return False  # opcat does not withdraw requests
        more = [word for channel in catalog.get('channels') or [] for word in ('--channel', channel)]
        more += ['--self-certified'] if catalog.get('upgradeConstraintPolicy') else []
        more += ['--to', catalog['version']] if catalog.get('version') else []
        result = self.opcat('upgrade', name, '--olm', 'v1', '--force', '--yes', *more, *PATIENCE)
        self.by_kubectl(did, [])
        self.settle()
        want = expected.of_extension(self.store, self.store.get((V1, 'clusterextensions'), '', name) or {})
        for words in want.words:
            self.assertIn(expected.plain(words), expected.plain(result.err))
        return True

    CHANGES = {r'kubectl -n (\S+) annotate sub\S* (\S+) ': retry,
               r'kubectl -n (\S+) delete sub\S* (\S+)$': uninstall,
               r'kubectl -n (\S+) delete catalogsource\S* (\S+)$': remove_catalog,
               r'kubectl -n (\S+) delete pod -l olm.catalogSource=(\S+)$': refresh_catalog,
               r'kubectl (?:-n (\S+) )?patch (?:catalogsource|clustercatalog)\S* (\S+) .*"(?:image|ref)": "([^"]+)"': change_image,
               r'kubectl patch clusterextension\S* (\S+) --type merge .*"catalog"': upgrade_extension}

    def can_make(self, thing: Object, objects: list[Object]) -> bool:
        """opcat names an extension after its package, creates one at a time, and does not withdraw requests."""
        if thing['kind'] != 'ClusterExtension':
            return self.store.get(self.key_of(thing), thing['metadata'].get('namespace', ''), thing['metadata']['name']) is None
        catalog, name = thing['spec']['source']['catalog'], thing['metadata']['name']
        extension = self.store.get((V1, 'clusterextensions'), '', name) or thing
        if extension['spec'].get('config') != thing['spec'].get('config'):
            return False  # upgrade has no flag for it
        there = extension['spec']['source']['catalog']
        taken_back = there.get('upgradeConstraintPolicy') == 'SelfCertified' != catalog.get('upgradeConstraintPolicy')
        alone = len([other for other in objects if other['kind'] == 'ClusterExtension']) == 1
        return bool(name == catalog['packageName'] and alone and not taken_back)

    def key_of(self, thing: Object) -> tuple[str, str]:
        resource = self.store.resource_of_kind(thing['apiVersion'], thing['kind'])
        assert resource
        return resource.key

    def add_cluster_catalog(self, catalog: Object) -> None:
        name, spec = catalog['metadata']['name'], catalog['spec']
        more = ['--priority', str(spec['priority'])] if 'priority' in spec else []
        result = self.opcat('catalog', 'add', name, spec['source']['image']['ref'], '--olm', 'v1', '--no-check', *more, *PATIENCE)
        made = self.store.get((V1, 'clustercatalogs'), '', name) or {}
        serving = expected.conditions(made).get('Serving', {}).get('status') == 'True'
        self.assertEqual(result.status == 0, serving, result)

    def install_extension(self, extension: Object) -> None:
        name, spec = extension['metadata']['name'], extension['spec']
        catalog = spec['source']['catalog']
        more = [word for channel in catalog.get('channels') or [] for word in ('--channel', channel)]
        more += ['--self-certified'] if catalog.get('upgradeConstraintPolicy') == 'SelfCertified' else []
        if self.store.get((V1, 'clusterextensions'), '', name):
            more += ['--to', catalog['version']] if catalog.get('version') else []
            result = self.opcat('upgrade', name, '-n', spec['namespace'], '--olm', 'v1', '--force', '--yes', *more, *PATIENCE)
            # Changes without a flag of upgrade, such as withdrawing a request.
            self.by_kubectl('kubectl apply -f -', [extension])
        else:
            more += ['--version', catalog['version']] if catalog.get('version') else []
            watched = ((spec.get('config') or {}).get('inline') or {}).get('watchNamespace')
            more += ['--watch-namespace', watched] if watched else []
            result = self.opcat('install', name, '-n', spec['namespace'], '--olm', 'v1', '--force', '--rbac', 'none',
                                '--service-account', spec['serviceAccount']['name'], *more, *PATIENCE)
        self.settle()
        found = self.store.get((V1, 'clusterextensions'), '', name)
        self.assertIsNotNone(found, result)
        # If the recorder did not wait for the Deployments, they only become available after the next step.
        want = expected.of_extension(self.store, found or {})
        self.assertEqual(result.status, 0 if want.ready else 1, (result, want))
        for words in want.words:
            self.assertIn(expected.plain(words), expected.plain(result.err))

    def add_catalog(self, catalog: Object) -> None:
        name, namespace = catalog['metadata']['name'], catalog['metadata']['namespace']
        more = ['--priority', str(catalog['spec']['priority'])] if 'priority' in catalog['spec'] else []
        result = self.opcat('catalog', 'add', name, catalog['spec']['image'], '-n', namespace, '--olm', 'classic', '--no-check', *more, *PATIENCE)
        made = self.store.get((OLM, 'catalogsources'), namespace, name) or {}
        state = ((made.get('status') or {}).get('connectionState') or {}).get('lastObservedState')
        self.assertEqual(result.status == 0, state == 'READY', result)

    def install(self, subscription: Object) -> None:
        spec, namespace = subscription['spec'], subscription['metadata']['namespace']
        more = ['--channel', spec['channel']] if spec.get('channel') else []
        more += ['--version', spec['startingCSV']] if spec.get('startingCSV') else []
        more += ['--approval', spec.get('installPlanApproval', 'Automatic').lower()]
        before = self.store.version
        result = self.opcat('install', spec['name'], '-n', namespace, '--olm', 'classic', '--catalog',
                            f'{spec["sourceNamespace"]}/{spec["source"]}', '--force', *more, *PATIENCE)
        self.settle()
        self.check_words(result, namespace, spec['name'], before)

    def check_words(self, result: Result, namespace: str, package: str, before: int) -> None:
        """The exit status and the report are those of the final state of the cluster, or of one since `before`
        that lasted for a while."""
        found = next((thing for thing in self.store.list((OLM, 'subscriptions'), namespace)
                      if thing['spec']['name'] == package), None)
        self.assertIsNotNone(found, result)
        want = expected.of_subscription(self.store, found or {})
        waits = any(plan.get('status', {}).get('phase') == 'RequiresApproval' and not plan['spec']['approved']
                    for plan in self.store.list((OLM, 'installplans'), namespace))
        if want.ready and not waits:
            # The recorder sometimes stopped before OLM had finished.
            predicted = re.search(r'(\S+) was expected, and OLM stays at (\S+)', result.err)
            self.assertEqual(result.status, 1 if predicted else 0, result)
            self.assertIn(want.installed, predicted.group(2) if predicted else result.err)
        elif not waits:
            self.assertEqual(result.status, 1, result)
            reported = expected.plain(result.err)
            if not any(expected.plain(message) in reported for message in self.resolutions_that_failed(package, before)):
                for words in want.words:
                    self.assertIn(expected.plain(words), reported)
            if expected.operator_groups(self.store, namespace) != 1:
                self.assertIn('OperatorGroup', result.err)

    def resolutions_that_failed(self, package: str, since: int) -> set[str]:
        return {condition['message'] for change in self.store.changes_after(since)
                if change.key == (OLM, 'subscriptions') and change.thing['spec']['name'] == package
                for kind, condition in expected.conditions(change.thing).items() if kind == 'ResolutionFailed' and 'message' in condition}

    MAKERS = {'CatalogSource': add_catalog, 'Subscription': install, 'ClusterCatalog': add_cluster_catalog,
              'ClusterExtension': install_extension}

    # The flows

    def check(self) -> None:
        reported = json.loads((self.scenario / 'scenario.json').read_text())
        for step, following in zip(reported['steps'], [*reported['steps'][1:], {'did': ''}]):
            with self.subTest(step['did'], at=step['at_ms']):
                self.step(step, following['did'])
        self.wait_for(self.flow.replay.waits_for(), self.flow.replay.finished.is_set)
        self.assertIsNone(self.flow.replay.trouble)
        self.check_end()

    def check_end(self) -> None:
        """The operators end as recorded."""
        last: dict[tuple[str, str, str], Object | None] = {}
        for line in (self.scenario / 'events.jsonl').read_text().splitlines():
            event = json.loads(line)
            if event['resource'] in ENDS:
                thing = event['object']
                place = (event['resource'], thing['metadata'].get('namespace', ''), thing['metadata']['name'])
                last[place] = None if event['type'] == 'DELETED' else thing
        for (plural, namespace, name), thing in last.items():
            here = self.store.get((ENDS[plural], plural), namespace, name)
            with self.subTest('end', place=f'{plural} {namespace}/{name}'):
                self.assertEqual(here is None, thing is None)
                for field in ('phase', 'state', 'installedCSV', 'currentCSV', 'message', 'install'):
                    self.assertEqual(((here or {}).get('status') or {}).get(field), ((thing or {}).get('status') or {}).get(field))


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    # Recordings of kubectl alone are not flows of opcat.
    return suite_of_recordings(Flow, loader.testNamePatterns, lambda name: not name.startswith('plain-'))


if __name__ == '__main__':
    main()
