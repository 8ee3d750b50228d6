"""Missing rights of the account of an installation are found before anything is created."""
from __future__ import annotations

from cluster_case import main
from simulated_case import OLM, SimulatedCase
from standin.storage import Object
from test_v1_commands import IN_GREET, RBAC, STABLE, V1Case

NONE = ('--rbac', 'none', '--service-account', 'mine')


def account(namespace: str, name: str) -> list[Object]:
    return [{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': namespace}},
            {'apiVersion': 'v1', 'kind': 'ServiceAccount', 'metadata': {'name': name, 'namespace': namespace}}]


def granted(subject: Object, name: str, rules: list[Object], namespace: str = '') -> list[Object]:
    kind, where = ('Role', {'namespace': namespace}) if namespace else ('ClusterRole', {})
    return [{'apiVersion': f'{RBAC}/v1', 'kind': kind, 'metadata': {'name': name, **where}, 'rules': rules},
            {'apiVersion': f'{RBAC}/v1', 'kind': f'{kind}Binding', 'metadata': {'name': name, **where}, 'subjects': [subject],
             'roleRef': {'apiGroup': RBAC, 'kind': kind, 'name': name}}]


def rule(groups: list[str], resources: list[str], *verbs: str) -> Object:
    return {'apiGroups': groups, 'resources': resources, 'verbs': list(verbs)}


MINE = {'kind': 'ServiceAccount', 'namespace': 'greet', 'name': 'mine'}
KINDS = rule(['', 'apps', RBAC, 'apiextensions.k8s.io'], ['serviceaccounts', 'services', 'configmaps', 'deployments', 'clusterroles',
                                                          'clusterrolebindings', 'customresourcedefinitions'], 'get', 'create', 'watch')
# The rights of greeter 1.0.0 itself.
OPERATOR = [rule([''], ['configmaps'], 'get', 'list', 'create'), rule([''], ['namespaces'], 'get', 'list', 'watch'),
            rule(['greeter.example.com'], ['*'], '*'), rule([''], ['nodes'], 'get')]


class WithV1(V1Case):
    def setUp(self) -> None:
        super().setUp()
        self.apply(*account('greet', 'mine'))

    def test_the_first_missing_ones_are_named_and_the_others_counted(self) -> None:
        result = self.changes_nothing('install', 'greeter', *IN_GREET, *NONE, status=1, words=(
            'ServiceAccount greet/mine lacks rights: watch, get, list, create configmaps in the whole cluster',
            ' more', '--force'))
        self.assertLess(len(result.err), 3000, result)

    def test_what_suffices_to_install_is_enough(self) -> None:
        """Neither patch nor delete, nor a right that only OpenShift needs."""
        self.apply(*granted(MINE, 'installs', [KINDS, *OPERATOR]))
        self.install(*NONE, '--version', '1.0.0')
        self.assertEqual(self.installed(), 'greeter.v1.0.0')
        # The next version allows its operator more.
        self.changes_nothing('upgrade', 'greeter', *IN_GREET, '--to', '1.1.0', status=1,
                             words=('ServiceAccount greet/mine lacks rights: get, list, create secrets in the whole cluster',
                                    'grant them to the account'))

    def test_what_the_bundle_grants_counts_unless_the_account_may_escalate_and_bind(self) -> None:
        self.apply(*granted(MINE, 'installs', [KINDS]))
        install = ('install', 'greeter', *IN_GREET, *STABLE, *NONE, '--version', '1.0.0', '--dry-run')
        self.changes_nothing(*install, status=1, words=('* *.greeter.example.com in the whole cluster',
                                                        'get nodes in the whole cluster'))
        self.apply(*granted(MINE, 'escalates', [rule([RBAC], ['clusterroles'], 'escalate', 'bind')]))
        self.changes_nothing(*install)

    def test_all_rights_are_enough(self) -> None:
        self.apply({'apiVersion': f'{RBAC}/v1', 'kind': 'ClusterRoleBinding', 'metadata': {'name': 'all'}, 'subjects': [MINE],
                    'roleRef': {'apiGroup': RBAC, 'kind': 'ClusterRole', 'name': 'cluster-admin'}})
        self.changes_nothing('install', 'greeter', *IN_GREET, *NONE, '--dry-run')

    def test_who_may_not_ask_acts_as_the_account_or_learns_that_it_is_unknown(self) -> None:
        alice = {'kind': 'User', 'name': 'alice'}
        self.apply(*granted(alice, 'alice', [
            rule(['', 'olm.operatorframework.io', 'apiextensions.k8s.io'],
                 ['namespaces', 'serviceaccounts', 'clusterextensions', 'clustercatalogs', 'customresourcedefinitions'],
                 'get', 'list', 'create', 'patch')]))
        install = ('install', 'greeter', *IN_GREET, *STABLE, *NONE, '--context', 'alice', '--dry-run')
        self.changes_nothing(*install, words=('whether ServiceAccount greet/mine has all rights to install is not known',
                                              'user alice may not impersonate serviceaccounts'))
        self.apply(*granted(alice, 'acts', [rule([''], ['serviceaccounts'], 'impersonate')]))
        self.changes_nothing(*install, status=1, words=('ServiceAccount greet/mine lacks rights',))


class WithClassic(SimulatedCase):
    def setUp(self) -> None:
        super().setUp()
        self.add_classic_catalog()
        group = {'apiVersion': f'{OLM}/v1', 'kind': 'OperatorGroup', 'metadata': {'name': 'greet', 'namespace': 'greet'},
                 'spec': {'targetNamespaces': ['greet'], 'serviceAccountName': 'mine'}}
        self.apply(*account('greet', 'mine'), group)

    def test_an_operator_group_with_an_account_that_lacks_rights(self) -> None:
        install = ('install', 'greeter', '-n', 'greet', '--olm', 'classic', *STABLE)
        self.changes_nothing(*install, status=1, words=(
            'ServiceAccount greet/mine lacks rights: create clusterroles.rbac.authorization.k8s.io in the whole cluster',
            'the OperatorGroup of the namespace lets OLM install with this account'))
        # All that the operator wants in its own namespace is not enough: it also wants something in the cluster.
        self.apply(*granted(MINE, 'here', [rule(['*'], ['*'], '*')], 'greet'))
        self.changes_nothing(*install, status=1, words=('get nodes in the whole cluster',))
        self.apply(*granted(MINE, 'everywhere', [rule([RBAC], ['clusterroles', 'clusterrolebindings'], 'create'), *OPERATOR]))
        self.succeeds(*install)
        self.assertEqual(self.csvs(), ['greeter.v2.0.0'])

    def test_an_operator_group_with_an_account_that_is_not_there(self) -> None:
        self.kubectl('delete', 'serviceaccount', 'mine', '-n', 'greet')
        install = ('install', 'greeter', '-n', 'greet', '--olm', 'classic', *STABLE)
        words = ('namespace greet has no ServiceAccount mine', 'OperatorGroup greet lets OLM install with this account',
                 'create ServiceAccount greet/mine')
        self.changes_nothing(*install, status=1, words=words)
        self.changes_nothing(*install, '--dry-run', status=1, words=words)
        # Also if the catalog's image is not available.
        self.registry.remove('people', 'v1')
        self.changes_nothing(*install, status=1, words=words)

    def test_it_continues_where_requested(self) -> None:
        self.succeeds('install', 'greeter', '-n', 'greet', '--olm', 'classic', *STABLE, '--force',
                      words=('ServiceAccount greet/mine lacks rights',))


if __name__ == '__main__':
    main()
