"""What `install` and `upgrade` put into a ClusterExtension of OLM v1: configuration, deadlines, safety of definitions, selectors, labels.
Covers lib/cluster/served_release.cpp."""
from __future__ import annotations

import json

from cluster_case import main
from standin.storage import Object
from test_v1_commands import CATALOGS, EXTENSIONS, IN_GREET, RBAC, STABLE, V1, V1Case

CRDS = ('apiextensions.k8s.io', 'customresourcedefinitions')
NEW_FIELDS = {
    'progressDeadlineMinutes': {'type': 'integer', 'format': 'int32', 'minimum': 10, 'maximum': 720},
    'config': {'type': 'object', 'required': ['configType'], 'properties': {
        'configType': {'type': 'string', 'enum': ['Inline']},
        'inline': {'type': 'object', 'minProperties': 1, 'x-kubernetes-preserve-unknown-fields': True}}}}


class SettingsCase(V1Case):
    def be_experimental(self) -> None:
        """The API of the experimental feature set (../shared/conformance/cluster/_api/crds-experimental), which watches with rights of its own."""
        self.simulation.uses_accounts = False
        crd = self.one(CRDS, '', f'clusterextensions.{V1}') or {}
        for version in crd['spec']['versions']:
            version['schema']['openAPIV3Schema']['properties']['spec']['properties'].update(NEW_FIELDS)
        self.store.replace(CRDS, crd)
        self.apply({'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                    'metadata': {'name': f'clusterobjectsets.{V1}'},
                    'spec': {'group': V1, 'scope': 'Cluster', 'names': {'kind': 'ClusterObjectSet', 'plural': 'clusterobjectsets'},
                             'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': {
                                 'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}}}]}})

    def made(self, *flags: str) -> Object:
        printed = self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '-o', 'json', *flags)
        return json.loads(printed.out)['items'][-1]


class Fields(SettingsCase):
    def test_what_the_standard_feature_set_lacks_is_refused_before_anything_is_applied(self) -> None:
        for flags, field in ((('--config', 'watchNamespace=greet'), 'config'), (('--watch-namespace', 'greet'), 'config'),
                             (('--progress-deadline', '30m'), 'progressDeadlineMinutes')):
            for more in ((), ('--dry-run',), ('--force',)):
                with self.subTest((flags, more)):
                    self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, *flags, *more, status=2, words=(
                        f'strict decoding error: unknown field "spec.{field}"', 'the experimental feature set has it since'))
        self.install('--version', '1.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--progress-deadline', '30m', status=2,
                             words=('strict decoding error: unknown field "spec.progressDeadlineMinutes"',))

    def test_bounds_are_those_of_the_schema(self) -> None:
        self.be_experimental()
        for deadline, status, words in (
                ('9m', 2, 'spec.progressDeadlineMinutes: Invalid value: 9: spec.progressDeadlineMinutes in body should be greater than or equal to 10'),
                ('12h1m', 2, 'spec.progressDeadlineMinutes in body should be less than or equal to 720'),
                ('90s', 2, 'OLM v1 counts whole minutes'), ('12h', 0, 'progressDeadlineMinutes: 720'), ('10m', 0, 'progressDeadlineMinutes: 10')):
            with self.subTest(deadline):
                self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--dry-run', '--progress-deadline', deadline, status=status, words=(words,))

    def test_a_dry_run_shows_what_is_then_done(self) -> None:
        self.be_experimental()
        flags = ('--progress-deadline', '1h', '--crd-upgrade-safety', 'Strict', '--label', 'team=a', '--label', 'example.com/tier=b')
        extension = self.made(*flags)
        self.install(*flags)
        self.assertEqual({**extension['spec'], 'source': {}}, {**self.extension()['spec'], 'source': {}})
        self.assertEqual(extension['spec']['progressDeadlineMinutes'], 60)
        self.assertEqual(extension['spec']['install'], {'preflight': {'crdUpgradeSafety': {'enforcement': 'Strict'}}})
        self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, *flags, words=('nothing was changed',))
        self.succeeds('upgrade', 'greeter', *IN_GREET, *STABLE, '--progress-deadline', '2h', '--label', 'team=c')
        self.assertEqual(self.extension()['spec']['progressDeadlineMinutes'], 120)
        self.assertEqual(self.extension()['metadata']['labels'], {'team': 'c', 'example.com/tier': 'b'})


class Configuration(SettingsCase):
    def test_files_and_fields_become_one(self) -> None:
        self.be_experimental()
        (self.dir / 'a.yaml').write_text('deploymentConfig:\n  nodeSelector: {disk: ssd}\n  env:\n  - {name: A, value: "1"}\n')
        config = self.made('--config', 'a.yaml', '--config', r'deploymentConfig.nodeSelector.kubernetes\.io/os=linux')['spec']['config']
        self.assertEqual(config, {'configType': 'Inline', 'inline': {'deploymentConfig': {
            'nodeSelector': {'disk': 'ssd', 'kubernetes.io/os': 'linux'}, 'env': [{'name': 'A', 'value': '1'}]}}})
        self.install('--version', '1.0.0', '--config', 'a.yaml')
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--config', 'deploymentConfig.nodeSelector.disk=hdd')
        self.assertEqual(self.extension()['spec']['config']['inline'], {'deploymentConfig': {
            'nodeSelector': {'disk': 'hdd'}, 'env': [{'name': 'A', 'value': '1'}]}})

    def test_what_the_bundle_does_not_accept_is_refused_in_olms_words(self) -> None:
        self.be_experimental()
        (self.dir / 'list.yaml').write_text('deploymentConfig: {env: {}}\n')
        beginning = 'error for resolved bundle "greeter.v2.0.0" with version "2.0.0": invalid ClusterExtension configuration: invalid configuration: '
        for value, words in (('bogus=1', beginning + 'unknown field "bogus"'), ('deploymentConfig.selector=a', beginning + 'unknown field "selector"'),
                             ('watchNamespace=A_B', 'watchNamespace "A_B" is not the name of a namespace'),
                             ('list.yaml', beginning + 'deploymentConfig.env must be a list')):
            with self.subTest(value):
                self.changes_nothing('install', 'greeter', *IN_GREET, *STABLE, '--config', value, status=1, words=(words, 'nothing was changed'))
        self.install('--version', '1.0.0')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--config', 'bogus=1', status=1, words=('unknown field "bogus"',))

    def test_values_that_are_not_configuration(self) -> None:
        (self.dir / 'two.yaml').write_text('a: b\n---\nc: d\n')
        (self.dir / 'list.yaml').write_text('- a\n')
        for flags, status, words in (
                (('--config', 'two.yaml'), 2, 'this is not one object'), (('--config', 'list.yaml'), 2, 'this is not one object'),
                (('--config', 'missing.yaml'), 3, 'missing.yaml'), (('--config', '=x'), 2, 'the name of a field is empty'),
                (('--config', 'a..b=x'), 2, 'the name of a field is empty'),
                (('--config', 'watchNamespace=a', '--watch-namespace', 'b'), 2, 'exclude each other'),
                (('--watch-namespace', 'a', '--watch-namespace', 'b'), 2, 'lets an operator watch one namespace'),
                (('--label', 'a'), 2, 'this is not KEY=VALUE'), (('--label', 'a b=c'), 2, 'this is not a label'),
                (('--catalog', 'people', '--catalog-selector', 'a=b'), 2, 'exclude each other')):
            with self.subTest(flags):
                self.changes_nothing('install', 'greeter', *IN_GREET, *flags, status=status, words=(words,))
        for flag in (('--config', 'a=b'), ('--progress-deadline', '10m'), ('--crd-upgrade-safety', 'None'), ('--catalog-selector', 'a=b'), ('--label', 'a=b')):
            self.changes_nothing('install', 'greeter', '-n', 'greet', '--olm', 'none', *flag, status=2, words=(f'{flag[0]} is for OLM v1',))


class Safety(SettingsCase):
    def test_definitions_that_lose_a_field_are_compared_if_strict(self) -> None:
        self.succeeds('install', 'greeter', *IN_GREET, '--version', '2.0.0', '--crd-upgrade-safety', 'Strict')
        to = ('upgrade', 'greeter', *IN_GREET, '--to', '3.0.0')
        self.changes_nothing(*to, status=1, words=('existingFieldRemoval', '--crd-upgrade-safety None'))
        self.changes_nothing(*to, '--crd-upgrade-safety', 'None', '--dry-run', words=(
            'OLM does not check CRD "greetings.greeter.example.com" for this extension', '"enforcement":"None"'))
        self.succeeds(*to, '--crd-upgrade-safety', 'None')
        self.assertEqual(self.installed(), 'greeter.v3.0.0')
        self.assertEqual(self.extension()['spec']['install']['preflight']['crdUpgradeSafety']['enforcement'], 'None')


class Selectors(SettingsCase):
    def label(self, **labels: str) -> None:
        catalog = self.one(CATALOGS, '', 'people') or {}
        catalog['metadata'].setdefault('labels', {}).update(labels)
        self.store.replace(CATALOGS, catalog)

    def test_a_catalog_is_chosen_by_labels(self) -> None:
        self.label(tier='gold', team='a')
        self.changes_nothing('install', 'greeter', *IN_GREET, '--catalog-selector', 'tier=silver', status=2, words=('no ClusterCatalog has the labels tier=silver',))
        extension = self.made('--catalog-selector', 'tier=gold,team=a')
        self.assertEqual(extension['spec']['source']['catalog']['selector'], {'matchLabels': {'tier': 'gold', 'team': 'a'}})
        self.install('--version', '1.0.0', '--catalog-selector', 'tier=gold')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--catalog', 'people', status=2, words=('--catalog-selector replaces them',))
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', '--catalog-selector', 'team=a')
        self.assertEqual(self.extension()['spec']['source']['catalog']['selector'], {'matchLabels': {'team': 'a'}})


class LabelsOfObjects(SettingsCase):
    def test_all_that_opcat_makes_has_them_and_keeps_them(self) -> None:
        self.install('--version', '1.0.0', '--label', 'team=a')
        made = ((('', 'namespaces'), ''), (('', 'serviceaccounts'), 'greet'), ((RBAC, 'clusterroles'), ''), ((RBAC, 'clusterrolebindings'), ''),
                ((RBAC, 'roles'), 'greet'), ((RBAC, 'rolebindings'), 'greet'), (EXTENSIONS, ''))
        names = ('greet', 'greeter-installer', 'greeter')

        def labels() -> list[str | None]:
            return [next((thing['metadata'].get('labels') or {}).get('team') for name in names if (thing := self.one(key, namespace, name))
                         and (thing['metadata'].get('labels') or {}).get('opcat/installer', '') in ('', 'greeter')
                         and not (name == 'greeter' and key != EXTENSIONS)) for key, namespace in made]
        self.assertEqual(labels(), ['a'] * len(made))
        self.succeeds('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0')
        self.assertEqual(labels(), ['a'] * len(made))


class Revisions(SettingsCase):
    """ClusterObjectSets, as the experimental feature set has them (docs/spec/cluster.md, "Revisions")."""
    PROBE = 'Object Deployment.apps/v1 greet/greeter-controller: .status.condition["Available"] is False'

    def roll_out(self, reason: str, message: str) -> None:
        """1.0.0 is installed, and the rollout of 1.1.0 has begun."""
        self.be_experimental()
        self.install('--version', '1.0.0')
        self.simulation.stop()
        generation = self.extension()['metadata']['generation']
        conditions = [{'type': 'Progressing', 'status': 'False' if reason == 'ProgressDeadlineExceeded' else 'True', 'reason': reason, 'message': message,
                       'observedGeneration': generation, 'lastTransitionTime': '2020-01-01T00:00:00Z'},
                      {'type': 'Available', 'status': 'False', 'reason': 'ProbeFailure', 'message': self.PROBE, 'observedGeneration': generation,
                       'lastTransitionTime': '2020-01-01T00:00:00Z'}]
        done = [{'type': 'Succeeded', 'status': 'True', 'reason': 'Succeeded', 'message': 'Revision succeeded rolling out.'}]
        for number, version, of_set in ((1, '1.0.0', done), (2, '1.1.0', conditions)):
            self.store.create((V1, 'clusterobjectsets'), {
                'apiVersion': f'{V1}/v1', 'kind': 'ClusterObjectSet', 'metadata': {
                    'name': f'greeter-{number}', 'labels': {f'{V1}/owner-name': 'greeter'},
                    'annotations': {f'{V1}/bundle-name': f'greeter.v{version}', f'{V1}/bundle-version': version}},
                'spec': {'revision': number, 'lifecycleState': 'Active', 'phases': [{'name': 'crds', 'objects': [{}]}, {'name': 'deploy', 'objects': [{}, {}]}]},
                'status': {'conditions': of_set}})
        extension = self.extension()
        extension['status']['activeRevisions'] = [{'name': 'greeter-1'}, {'name': 'greeter-2', 'conditions': conditions}]
        extension['status']['conditions'] = [one for one in extension['status']['conditions'] if one['type'] != 'Progressing'] + conditions[:1]
        self.store.replace(EXTENSIONS, extension)

    def test_status_tells_phases_and_why_a_revision_does_not_roll_out(self) -> None:
        self.roll_out('ProgressDeadlineExceeded', 'Revision has not rolled out for 10 minute(s). Last status: Revision 1.1.0 is rolling out.')
        self.ends(1, 'status', 'greeter', '--olm', 'v1', words=(
            'progress-deadline-exceeded', 'revision greeter-1 (1.0.0) has rolled out',
            'revision greeter-2 (1.1.0) does not roll out, in phase deploy: ProgressDeadlineExceeded: Revision has not rolled out for 10 minute(s)', self.PROBE))
        [state] = self.ends(1, 'status', 'greeter', '-o', 'json').json()['operators']
        self.assertEqual((state['installed'], state['reason']), ('greeter.v1.0.0', 'progress-deadline-exceeded'))
        first, second = state['revisions']
        self.assertEqual((first['name'], first['number'], first['state'], first['bundle']), ('greeter-1', 1, 'rolled-out', 'greeter.v1.0.0'))
        self.assertEqual((second['state'], second['phase'], second['waitsFor']), ('failing', 'deploy', self.PROBE))
        self.assertEqual(second['phases'], [{'name': 'crds', 'objects': 1}, {'name': 'deploy', 'objects': 2}])

    def test_a_rollout_that_fails_is_in_the_way_of_other_versions(self) -> None:
        self.roll_out('Retrying', 'revision object collisions in phase 1 Object Service.v1 greet/metrics')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '2.0.0', status=1, words=(
            'revision greeter-2 (1.1.0) does not roll out, in phase deploy: Retrying: revision object collisions in phase 1',
            'until it has rolled out, OLM v1 resolves no other version', 'nothing was changed'))

    def test_a_prediction_starts_from_the_rollout_that_has_begun(self) -> None:
        self.roll_out('RollingOut', 'Revision 1.1.0 is rolling out.')
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, *STABLE, '--dry-run', words=(
            'upgrade from greeter.v1.1.0 to greeter.v2.0.0', 'revision greeter-2 (1.1.0) is rolling out, in phase deploy',
            'OLM v1 resolves again when it has rolled out'))
        # Nothing is asked about revisions where there are none.
        self.forget_requests()
        self.succeeds('status', '--olm', 'v1', words=('Revision 1.1.0 is rolling out. Object Deployment.apps/v1',))


if __name__ == '__main__':
    main()
