"""Conditions that are stale, and states that alternate: what opcat makes of them, and that it goes on."""
from __future__ import annotations

from cluster_case import main
from simulated_case import OLM, SimulatedCase
from standin.clock import clock
from standin.simulated_olm import set_condition
from standin.storage import Object

SUBSCRIPTIONS, CSVS, PLANS = (OLM, 'subscriptions'), (OLM, 'clusterserviceversions'), (OLM, 'installplans')
CLASSIC = ('-n', 'greet', '--olm', 'classic')
STABLE = ('--channel', 'stable')
# As it was recorded after an upgrade.
GONE = ('constraints not satisfiable: @existing/greet//greeter.v1.0.0 and @existing/greet//greeter.v1.1.0 originate from package greeter, '
        'clusterserviceversion greeter.v1.0.0 exists and is not referenced by a subscription, subscription greeter exists')


def catalog_source(name: str, namespace: str, image: str) -> Object:
    return {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': name, 'namespace': namespace},
            'spec': {'sourceType': 'grpc', 'image': image}}


class Stale(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()
        self.simulation.sticky = True

    def fail_resolution(self, message: str, reason: str = 'ConstraintsNotSatisfiable', name: str = 'greeter') -> None:
        subscription = self.one(SUBSCRIPTIONS, 'greet', name) or {}
        status = dict(subscription.get('status') or {})
        set_condition(status, 'ResolutionFailed', 'True', reason, message)
        self.store.replace(SUBSCRIPTIONS, {**subscription, 'status': status})
        self.simulation.is_stuck('greet')

    def failed(self, name: str = 'greeter') -> bool:
        return 'ResolutionFailed' in str(self.one(SUBSCRIPTIONS, 'greet', name))

    def test_an_upgrade_goes_on_after_a_failure_that_names_what_is_gone(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--version', '1.0.0', '--pin')

        def is_upgraded() -> bool:
            return self.csvs() == ['greeter.v1.1.0'] and 'Succeeded' in str(self.one(CSVS, 'greet', 'greeter.v1.1.0'))
        clock.when(is_upgraded, lambda: self.fail_resolution(GONE))
        self.succeeds('upgrade', 'greeter', *CLASSIC, '--to', '1.1.0', '--yes', words=(
            'OLM was asked to resolve again: its last attempt failed, and ClusterServiceVersion greeter.v1.0.0 is gone',
            'greeter 1.1.0 is installed and ready'))
        self.wait_for('OLM resolves', lambda: not self.failed())

    def test_a_stale_failure_is_no_failure_of_what_runs(self) -> None:
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.fail_resolution(GONE.replace('1.1.0', '2.0.0'))
        self.ends(0, 'status', '-n', 'greet', ahead=30, words=(
            f'OLM still reports "ConstraintsNotSatisfiable: {GONE.replace("1.1.0", "2.0.0")}", although ClusterServiceVersion greeter.v1.0.0 is gone',
            'opcat upgrade greeter -n greet makes OLM resolve again'))
        self.succeeds('upgrade', 'greeter', *CLASSIC, words=('OLM was asked to resolve again',))
        self.wait_for('OLM resolves', lambda: not self.failed())

    def test_a_failure_that_opcat_cannot_find_is_tried_again(self) -> None:
        """It names nothing that is gone."""
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE)
        self.fail_resolution('constraints not satisfiable: bundle x requires an operator with package: y')
        self.succeeds('upgrade', 'greeter', *CLASSIC, words=('opcat resolves the same objects without a failure',))
        self.assertFalse(self.failed())

    def test_a_failure_that_holds_stays_one(self) -> None:
        self.simulation.sticky = False
        self.ends(1, 'install', 'lonely', *CLASSIC, '--force', words=('lonely fails (resolution-failed)',))

    def test_the_neighbours_of_what_is_uninstalled_are_resolved_again(self) -> None:
        for package in ('greeter', 'homebody'):
            self.succeeds('install', package, *CLASSIC)
        self.fail_resolution('constraints not satisfiable: @existing/greet//greeter.v2.0.0 and others', name='homebody')
        self.succeeds('uninstall', 'greeter', *CLASSIC, '--yes', words=(
            'OLM was asked to resolve again: its last attempt failed, and Subscription greet/homebody may be resolved',))
        self.wait_for('OLM resolves', lambda: not self.failed('homebody'))

    def test_a_catalog_that_is_starting_is_waited_for(self) -> None:
        """OLM does not resolve again when it is ready."""
        for state, words in (('CONNECTING', ('waiting for catalog olm/late, which is starting',)), ('TRANSIENT_FAILURE', ())):
            with self.subTest(state):
                self.simulation.slow_state, self.simulation.slow['late'] = state, 70
                self.apply(catalog_source('late', 'olm', self.image))
                self.wait_for('a state', lambda: state in str(self.one((OLM, 'catalogsources'), 'olm', 'late')))
                self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--catalog', 'olm/people', words=(
                    *words, f'CatalogSource olm/late is starting ({state}), and until it is ready OLM resolves nothing',
                    'OLM was asked to resolve again: its last attempt failed, and catalog olm/late is ready now',
                    'greeter 2.0.0 is installed and ready'))
                self.succeeds('uninstall', 'greeter', *CLASSIC, '--yes')
                self.store.drop((OLM, 'catalogsources'), 'olm', 'late')

    def test_status_says_for_which_catalog_olm_waits(self) -> None:
        self.simulation.slow['late'] = 40
        self.apply(catalog_source('late', 'olm', self.image))
        self.wait_for('a state', lambda: 'CONNECTING' in str(self.one((OLM, 'catalogsources'), 'olm', 'late')))
        self.succeeds('install', 'greeter', *CLASSIC, *STABLE, '--catalog', 'olm/people', '--no-wait')
        self.wait_for('the failure', self.failed)
        for place in ((), ('-n', 'greet')):
            self.ends(0, 'status', *place, words=('waiting for catalog olm/late, which is starting',))
        self.wait_for('the catalog', lambda: 'READY' in str(self.one((OLM, 'catalogsources'), 'olm', 'late')))
        for place in ((), ('-n', 'greet')):
            self.ends(1, 'status', *place, ahead=30, words=(
                'although catalog olm/late is ready now; it does not resolve again by itself', 'opcat upgrade greeter -n greet makes OLM resolve again'))

    def test_a_csv_that_fails_again_and_again_is_a_failure(self) -> None:
        """It alternates between Failed, Pending and InstallReady within seconds."""
        for reason, message in (('InstallComponentFailed', 'install strategy failed: Deployment.apps "x" is invalid: metadata.name: Invalid value'),
                                ('InvalidWebhookDescription', 'webhookDescription contains unsupported rules')):
            with self.subTest(reason):
                self.simulation.flapping['greeter.v2.0.0'] = (reason, message)
                before = clock.seconds()
                self.ends(1, 'install', 'greeter', *CLASSIC, *STABLE, words=(
                    f'greeter.v2.0.0 fails again and again: {reason}: {message}',))
                self.assertLess(clock.seconds() - before, 60)
                self.ends(1, 'status', '-n', 'greet', words=('csv-failed', 'fails again and again'))
                self.succeeds('uninstall', 'greeter', *CLASSIC, '--yes')


if __name__ == '__main__':
    main()
