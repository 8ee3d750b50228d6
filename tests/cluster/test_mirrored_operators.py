"""`mirror check --from-cluster`: whether what a cluster has installed, and will upgrade to, starts from a mirror. Covers lib/mirror/cluster_needs.cpp."""
from __future__ import annotations

from typing import Any

from cluster_case import Result, main
from simulated_case import OLM, SimulatedCase
from standin.faults import Fault
from test_account_rights import granted, rule

CONFIG = 'config.openshift.io'


def definition(kind: str) -> dict[str, Any]:
    """The CRD of a mirror set, as far as it matters."""
    plural = kind.lower() + 's'
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition', 'metadata': {'name': f'{plural}.{CONFIG}'},
            'spec': {'group': CONFIG, 'scope': 'Cluster', 'names': {'kind': kind, 'plural': plural, 'singular': kind.lower(), 'listKind': kind + 'List'},
                     'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': {
                         'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}}}]}}


class MirroredOperators(SimulatedCase):
    """The registry of the simulation is the mirror of registry.example."""

    def setUp(self) -> None:
        super().setUp()
        for version in ('1.0.0', '1.1.0', '2.0.0'):  # the images of the installed operator's pods
            self.registry.push('greeter', version, {'manager': version}, {})
        self.add_classic_catalog()
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'classic', '--channel', 'stable', '--version', '1.0.0', '--pin')

    def mirror_sets(self, mirror: str) -> None:
        for kind, field in (('ImageDigestMirrorSet', 'imageDigestMirrors'), ('ImageTagMirrorSet', 'imageTagMirrors')):
            self.apply(definition(kind))
            self.wait_for('the kind', lambda kind=kind: self.one(('apiextensions.k8s.io', 'customresourcedefinitions'), '', f'{kind.lower()}s.{CONFIG}'))
            self.apply({'apiVersion': f'{CONFIG}/v1', 'kind': kind, 'metadata': {'name': 'mirror'},
                        'spec': {field: [{'source': 'registry.example', 'mirrors': [mirror]}]}})

    def check(self, status: int, *words: str, flags: tuple[str, ...] = ()) -> Result:
        self.forget_requests()
        result = self.ends(status, 'mirror', 'check', self.registry.address, '--from-cluster', *flags, words=words)
        self.assertEqual(self.writes(), [], result)
        return result

    def test_an_installed_operator_and_all_versions_on_its_way(self) -> None:
        self.mirror_sets(self.registry.address)
        found = self.ends(0, 'mirror', 'check', self.registry.address, '--from-cluster', '-o', 'json').json()
        self.assertEqual([(one['operator'], one['installed'], one['next'], one['starts']) for one in found['operators']],
                         [('greet/greeter', 'greeter.v1.0.0', ['greeter.v1.1.0', 'greeter.v2.0.0'], 'yes')])
        self.registry.remove('greeter-bundle', 'v1.1.0')
        self.check(1, 'no greet/greeter', 'greeter-bundle:v1.1.0', 'wanted by greeter.v1.1.0')

    def test_a_cluster_whose_mirror_sets_lead_elsewhere(self) -> None:
        self.mirror_sets('elsewhere.example')
        self.check(1, 'no greet/greeter', 'the mirror sets lead to elsewhere.example')

    def test_what_a_cluster_does_not_tell_is_not_known(self) -> None:
        # One without OpenShift's kinds: its nodes may have a registries.conf.
        self.check(3, 'unknown greet/greeter', 'no mirror sets are among the objects')
        self.mirror_sets(self.registry.address)
        self.apply(*granted({'kind': 'User', 'name': 'alice'}, 'alice', [rule([OLM], ['*'], 'get', 'list')]))
        self.check(3, 'unknown greet/greeter', 'user alice may not list imagedigestmirrorsets.config.openshift.io', flags=('--context', 'alice'))

    def test_a_cluster_that_does_not_answer(self) -> None:
        self.started.stand_in.faults.add(Fault(f'GET .*/apis/{OLM}/.*', code=503))
        self.check(3, 'error:')


if __name__ == '__main__':
    main()
