"""`opcat resolve classic` as a user runs it, on the small cluster of testdata/classic."""
import json
import shutil
import unittest

from opcat_case import TESTDATA, OpcatCase

CLASSIC = TESTDATA / 'classic'


class ResolveClassic(OpcatCase):
    def setUp(self):
        super().setUp()
        for name in ('community', 'extra', 'cluster.yaml'):
            (shutil.copytree if (CLASSIC / name).is_dir() else shutil.copy)(CLASSIC / name, self.dir / name)

    def resolve(self, *arguments, catalogs=('olm/community=community',), cluster=('cluster.yaml',), ns='apps', stdin=''):
        options = [part for catalog in catalogs for part in ('--catalog', catalog)]
        options += [part for file in cluster for part in ('--cluster', file)]
        return self.opcat('resolve', 'classic', '-n', ns, *options, *arguments, stdin=stdin)

    def change(self, before, after):
        text = (self.dir / 'cluster.yaml').read_text()
        self.assertIn(before, text)
        self.write('cluster.yaml', text.replace(before, after))

    def test_what_moves_with_what_and_what_it_brings(self):
        run = self.resolve()
        self.assert_status(run, 0)
        self.assertEqual(run.out, '''\
OLM would install or upgrade 3 operators:
  upgrade  certs.v1.1.0     package certs, channel stable, catalog olm/community, replaces certs.v1.0.0
  install  database.v2.0.0  package database, channel stable, catalog olm/community
  upgrade  gateway.v1.1.0   package gateway, channel stable, catalog olm/community, replaces gateway.v1.0.0

InstallPlan, approval Automatic:
  1. unpack quay.io/example/certs:v1.1.0 and apply certs.v1.1.0
  2. unpack quay.io/example/database:v2.0.0 and apply database.v2.0.0
  3. unpack quay.io/example/gateway:v1.1.0 and apply gateway.v1.1.0
  4. create Subscription database-stable-community-olm (package database, channel stable, catalog olm/community)
  then Subscription certs is at certs.v1.1.0
  then Subscription gateway is at gateway.v1.1.0
''')
        self.assertEqual(run.err, '')

    def test_an_installed_version_that_gets_no_upgrades_is_reported(self):
        catalog = self.dir / 'community/catalog.yaml'
        together = '- name: certs.v1.1.0\n  replaces: certs.v1.0.0\n- name: certs.v1.0.0\n'
        apart = '- name: certs.v1.1.0\n---\nschema: olm.channel\npackage: certs\nname: old\nentries:\n- name: certs.v1.0.0\n'
        catalog.write_text(catalog.read_text().replace(together, apart))
        run = self.resolve()
        self.assert_status(run, 0)
        self.assertIn('warning: certs.v1.0.0 gets no upgrades: no entry of channel stable on the way to its head certs.v1.1.0 replaces, skips or '
                      'covers it [classic-stranded]', run.err)
        self.assert_status(self.resolve('--fail-on', 'stranded'), 1)

    def test_the_cluster_comes_in_any_form(self):
        expected = self.resolve().out
        whole = (self.dir / 'cluster.yaml').read_text()
        self.assertEqual(self.resolve(cluster=('-',), stdin=whole).out, expected)
        self.write('state/a.yaml', whole)
        self.write('state/sub/b.yml', '---\n')
        self.write('state/README.md', 'no manifest')
        self.assertEqual(self.resolve(cluster=('state',)).out, expected)

    def test_a_namespace_wants_one_operator_group(self):
        whole = (self.dir / 'cluster.yaml').read_text()
        group = '- apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n'
        begin = whole.index(group)
        group = whole[begin:whole.index('- apiVersion: operators.coreos.com/v1alpha1', begin)]
        for groups, found, word in (
                ('', 'error using catalogsource apps/@existing: found 0 operatorGroups, expected 1', 'NoOperatorGroup'),
                (group + group.replace('name: apps}', 'name: more}'),
                 'error using catalogsource apps/@existing: found 2 operatorGroups, expected 1', 'TooManyOperatorGroups')):
            with self.subTest(word):
                self.write('cluster.yaml', whole.replace(group, groups))
                run = self.resolve()
                self.assert_status(run, 1)
                self.assertTrue(run.out.endswith(f'OLM itself would say:\n  {found}\n'), run)
                self.assertIn(f'(reason {word})', run.err)
                self.write('s/scenario.yaml', 'globalCatalogNamespace: olm\n')
                self.write('s/cluster.yaml', (self.dir / 'cluster.yaml').read_text())
                self.write('s/catalogs.yaml', 'olm/community: ../community\n')
                answer = self.opcat('resolve', 'classic', '--batch', '-', stdin='{"scenario": "s", "namespace": "apps"}\n').json()
                self.assertEqual((answer['operators'], answer['error']), ([], found))
                self.assertIn(f'(reason {word})', answer['findings'][0]['message'])
                self.assertEqual(self.resolve('-o', 'json').json()['rounds'][0]['operators'], [])

    def test_priorities_choose_among_other_catalogs_only(self):
        both = ('olm/community=community', 'olm/extra=extra,priority=100')
        self.assertIn('install  database.v2.0.0', self.resolve(catalogs=both).out)
        # The catalog of the depending operator comes first; priorities do not matter for a Subscription's own package.
        shutil.rmtree(self.dir / 'community')
        shutil.copytree(CLASSIC / 'community', self.dir / 'community')
        text = (self.dir / 'community/catalog.yaml').read_text()
        self.write('community/catalog.yaml', text.replace('group: db.example.com, version: v1, kind: Database}\n---\nschema: olm.package\nname: gateway',
                                                          'group: db.example.com, version: v0, kind: Database}\n---\nschema: olm.package\nname: gateway'))
        self.assertIn('install  bigdata.v3.0.0  package bigdata, channel stable, catalog olm/extra', self.resolve(catalogs=both).out)

    def test_what_if_there_were_a_subscription(self):
        run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe', 'gateway')
        self.assert_status(run, 0)
        self.assertIn('install  gateway.v1.1.0', run.out)
        run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe',
                         'gateway/stable@gateway.v1.0.0')
        self.assertIn('install  gateway.v1.0.0', run.out)

    def test_a_subscription_with_another_separator_names_the_channels(self):
        run = self.resolve('--subscribe', 'gateway:stabel')
        self.assert_status(run, 2)
        self.assertIn('write gateway/CHANNEL: its channels are ', run.err)
        self.assertIn('stable', run.err)

    def test_a_subscription_that_is_assumed_replaces_the_one_of_the_package(self):
        self.change('{name: gateway, channel: stable,', '{name: gateway, channel: next,')
        self.assertIn('keep     gateway.v1.0.0  Subscription gateway', self.resolve().out)
        run = self.resolve('--subscribe', 'gateway/stable')
        self.assert_status(run, 0)
        self.assertIn('upgrade  gateway.v1.1.0', run.out)
        self.assertEqual(run.out.count('then Subscription gateway is at'), 1)
        run = self.resolve('--subscribe', 'gateway/stable', '--subscribe', 'gateway/next')
        self.assert_status(run, 2)
        self.assertIn('--subscribe names gateway twice', run.err)

    def test_a_subscription_that_is_assumed_takes_the_catalog_of_the_highest_priority(self):
        for more, source in (('', 'olm/community'), (',priority=1', 'olm/shop'), (',priority=-1', 'olm/community')):
            with self.subTest(more):
                run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', f'olm/shop=community{more}', '--catalog', 'olm/community=community',
                                 '--subscribe', 'certs')
                self.assertIn(f'install  certs.v1.1.0  package certs, channel stable, catalog {source}\n', run.out)

    def test_to_the_end(self):
        run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe',
                         'certs@certs.v1.0.0', '--to-end')
        self.assert_status(run, 0)
        rounds = run.out.split('Round ')[1:]
        self.assertEqual(len(rounds), 3, run)
        self.assertIn('install  certs.v1.0.0', rounds[0])
        self.assertIn('upgrade  certs.v1.1.0', rounds[1])
        self.assertIn('OLM would change nothing', rounds[2])

    def test_a_failure_is_explained_from_the_subscription_down_with_a_remedy(self):
        run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe', 'gateway/next')
        self.assert_status(run, 1)
        self.assertEqual(run.out, '''\
OLM would resolve nothing in this namespace.

These cannot hold together:
  - Subscription gateway asks for package gateway from channel next of catalog olm/community
  - Subscription gateway can be met by gateway.v2.0.0 (next)
  - gateway.v2.0.0 (package gateway, channel next, catalog olm/community) requires an operator with constraint: "properties.exists(p, p.type == \\"certified\\")" and message: "the gateway needs a certified database"; no catalog has one, and none is installed
      community/catalog.yaml:107:3

Any one of these would make it work:
  - switch Subscription gateway to channel stable
  - remove Subscription gateway

OLM itself would say:
  constraints not satisfiable: bundle gateway.v2.0.0 requires an operator with constraint: "properties.exists(p, p.type == \\"certified\\")" and message: "the gateway needs a certified database", subscription gateway exists, subscription gateway requires community/olm/next/gateway.v2.0.0
''')

    def test_a_failure_of_installed_operators_names_the_objects(self):
        self.change('{name: gateway, channel: stable,', '{name: gateway, channel: next,')
        run = self.resolve()
        # gateway.v2.0.0 does not replace what is installed: nothing excludes it, and certs has to wait for it.
        self.assert_status(run, 0)
        self.assertIn('keep     gateway.v1.0.0  Subscription gateway', run.out)
        self.change('status: {installedCSV: certs.v1.0.0, currentCSV: certs.v1.0.0}', 'status: {}')
        run = self.resolve()
        self.assert_status(run, 1)
        self.assertIn('certs.v1.0.0 is installed and no Subscription owns it: it stays as it is\n      cluster.yaml:', run.out)
        self.assertIn('remove the installed operator certs.v1.0.0 (ClusterServiceVersion apps/certs.v1.0.0)', run.out)

    def test_explain_names_what_came_earlier_and_what_ruled_it_out(self):
        text = (self.dir / 'community/catalog.yaml').read_text()
        self.write('community/catalog.yaml', text.replace('kind: Database}\n---\nschema: olm.package\nname: gateway',
                                                          'kind: Datenbank}\n---\nschema: olm.package\nname: gateway'))
        self.assertNotIn('in preference', self.resolve().out)
        run = self.resolve('--explain')
        self.assert_status(run, 0)
        self.assertIn('''
Subscription gateway
  got gateway.v1.0.0 (installed), because every more preferred candidate is impossible:
  - gateway.v1.1.0 (package gateway, channel stable, catalog olm/community)
      gateway.v1.1.0 (package gateway, channel stable, catalog olm/community) requires an operator providing an API with group: db.example.com, version: v1, kind: Database; no catalog has one, and none is installed
        community/catalog.yaml:''', run.out)
        (only,) = self.resolve('--explain', '-o', 'json').json()['rounds']
        ((wanted, chosen, rejected, more),) = [choice.values() for choice in only['choices'] if choice['wanted'] == 'Subscription gateway']
        self.assertEqual((chosen, more), ('gateway.v1.0.0 (installed)', 0))
        ((candidate, why),) = [rejection.values() for rejection in rejected]
        self.assertEqual(candidate, 'gateway.v1.1.0 (package gateway, channel stable, catalog olm/community)')
        self.assertIn('no catalog has one, and none is installed', why[0]['text'])
        self.assertEqual(why[0]['file'], 'community/catalog.yaml')

    def test_a_requirement_that_makes_no_sense_is_found(self):
        text = (self.dir / 'community/catalog.yaml').read_text()
        self.write('community/catalog.yaml', text.replace('    cel:\n      rule: properties.exists(p, p.type == "certified")',
                                                          '    package: {name: database, versionRange: ">=1"}'))
        run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe', 'gateway/next')
        self.assert_status(run, 1)
        self.assertIn('has a requirement (olm.constraint) that OLM cannot use: parse olm.constraint: json: unknown field "name"\n'
                      '      community/catalog.yaml:107:3\n', run.out)

    def test_2_4_4_3_dependencies_of_a_bundle_directory(self):
        """The example of OLM concepts: dependencies.yaml asks for prometheus above 0.27.0 and for the API EtcdCluster."""
        self.write('bundle/manifests/red.clusterserviceversion.yaml',
                   'apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: red.v1.0.0}\n'
                   'spec:\n  version: 1.0.0\n  install: {strategy: deployment}\n')
        self.write('bundle/metadata/annotations.yaml',
                   'annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n'
                   '  operators.operatorframework.io.bundle.manifests.v1: manifests/\n'
                   '  operators.operatorframework.io.bundle.metadata.v1: metadata/\n'
                   '  operators.operatorframework.io.bundle.package.v1: red\n'
                   '  operators.operatorframework.io.bundle.channels.v1: stable\n')
        self.write('bundle/metadata/dependencies.yaml',
                   'dependencies:\n  - type: olm.package\n    value:\n      packageName: prometheus\n      version: ">0.27.0"\n'
                   '  - type: olm.gvk\n    value:\n      group: etcd.database.coreos.com\n      kind: EtcdCluster\n      version: v1beta2\n')
        rendered = self.opcat('render', 'bundle', '-o', 'yaml', '--image-ref-template', 'quay.io/{{.Package}}:{{.Version}}')
        self.assert_status(rendered, 0)
        catalog = rendered.out

        def add(package, bundles, properties=''):
            nonlocal catalog
            catalog += f'---\nschema: olm.package\nname: {package}\ndefaultChannel: stable\n'
            entries = ', '.join(f'{{name: {package}.v{v}' + (f', replaces: {package}.v{bundles[i - 1]}' if i else '') + '}'
                                for i, v in enumerate(bundles))
            catalog += f'---\nschema: olm.channel\npackage: {package}\nname: stable\nentries: [{entries}]\n'
            for version in bundles if package != 'red' else ():
                catalog += (f'---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: quay.io/{package}\n'
                            f'properties: [{{type: olm.package, value: {{packageName: {package}, version: {version}}}}}{properties}]\n')

        add('red', ['1.0.0'])
        add('prometheus', ['0.27.0', '0.37.0'])
        add('etcd', ['0.9.4'], ', {type: olm.gvk, value: {group: etcd.database.coreos.com, kind: EtcdCluster, version: v1beta2}}')
        self.write('catalog/catalog.yaml', catalog)
        run = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/main=catalog', '--subscribe', 'red', '-o', 'json')
        self.assert_status(run, 0)
        self.assertEqual([o['name'] for o in run.json()['rounds'][0]['operators']], ['etcd.v0.9.4', 'prometheus.v0.37.0', 'red.v1.0.0'])

    def test_preflight_checks_are_findings_with_places(self):
        self.change('generation: 1}\n  spec: {}', 'generation: 1}\n  spec:\n    overrides:\n    - {type: Upgradeable, status: "False", message: migrating}')
        self.change('spec: {name: certs, channel: stable,', 'spec: {name: certs, installPlanApproval: Manual, channel: stable,')
        run = self.resolve()
        self.assert_status(run, 1)
        self.assertIn('InstallPlan, approval Manual:', run.out)
        self.assertRegex(run.err, r'cluster\.yaml:\d+:\d+: error: certs\.v1\.1\.0 would stay Pending \(reason OperatorConditionNotUpgradeable\)')
        self.assertIn('[classic-not-upgradeable]', run.err)
        self.assertIn('warning: one approval of the InstallPlan moves all of it: certs.v1.1.0, database.v2.0.0 and gateway.v1.1.0', run.err)

    def test_what_olm_does_not_go_on_with_is_an_error(self):
        before = (self.dir / 'cluster.yaml').read_text()
        installed = 'status: {installedCSV: gateway.v1.0.0, '
        plan = ('- {apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan, metadata: {name: i1, namespace: apps}, spec: {}, '
                'status: {phase: Failed, conditions: [{type: Installed, status: "False", message: no rights}]}}\n')
        for status, words in (('installPlanRef: {name: i1}, ', 'InstallPlan i1 has failed, and OLM makes no other as long as it is there: no rights'),
                              ('conditions: [{type: BundleUnpackFailed, status: "True", message: no image}], ',
                               'its Subscription reports BundleUnpackFailed: no image')):
            with self.subTest(words):
                self.assertIn(installed, before)
                self.write('cluster.yaml', before.replace(installed, installed + status).replace('items:\n', 'items:\n' + plan, 1))
                run = self.resolve()
                self.assert_status(run, 1)
                self.assertIn(f'error: Subscription gateway gets no further: {words} [classic-stopped]', run.err)

    def test_an_upgrade_that_cannot_be_chosen_is_said(self):
        for path in (self.dir / 'community').rglob('*.yaml'):
            path.write_text(path.read_text().replace('required\n  value: {group: db.example.com', 'required\n  value: {group: nobody.example.com'))
        for more, status in ((), 0), (('--fail-on', 'stranded'), 1):
            run = self.resolve(*more)
            self.assert_status(run, status)
            self.assertRegex(run.out + run.err, r'gateway.v1.0.0 gets no upgrades at the moment: OLM cannot choose gateway.v1.1.0.*\[classic-stranded\]')

    def test_an_operator_that_is_installed_must_fit_its_group_too(self):
        csv = '- apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  metadata: {namespace: apps, name: other.v1.0.0}\n'
        spec = '  spec: {version: 1.0.0, installModes: [{type: %s, supported: true}]}\n  status: {phase: Succeeded}\n'
        before = (self.dir / 'cluster.yaml').read_text()
        self.write('cluster.yaml', before + csv + spec % 'OwnNamespace')
        self.assertNotIn('UnsupportedOperatorGroup', self.resolve().err)
        self.write('cluster.yaml', before + csv + spec % 'AllNamespaces')
        run = self.resolve()
        self.assert_status(run, 1)
        self.assertIn('other.v1.0.0, which is installed, fails with reason UnsupportedOperatorGroup', run.out + run.err)

    def test_a_failed_operator_is_not_replaced(self):
        before = (self.dir / 'cluster.yaml').read_text()
        self.write('cluster.yaml', before.replace('phase: Succeeded', 'phase: Failed', 1))
        run = self.resolve()
        self.assert_status(run, 1)
        self.assertRegex(run.err, r'error: \S+ would stay Pending: \S+ has failed, and OLM does not replace a failed operator \[classic-failed\]')

    def test_what_an_operator_reports_counts_before_it_is_in_the_status(self):
        condition = ('---\napiVersion: operators.coreos.com/v2\nkind: OperatorCondition\nmetadata: {name: gateway.v1.0.0, namespace: apps}\n'
                     'spec: {conditions: [{type: Upgradeable, status: "False", reason: Busy, message: migrating}]}\n')
        self.write('cluster.yaml', (self.dir / 'cluster.yaml').read_text() + condition)
        run = self.resolve()
        self.assert_status(run, 1)
        self.assertIn('the operator is not upgradeable: migrating', run.err)

    def test_a_namespace_that_asks_for_nothing_is_said_to_be_one(self):
        run = self.resolve(ns='misspelt')
        self.assertIn('warning: namespace misspelt has no Subscription: OLM resolves nothing in it', run.err)

    def test_an_object_in_two_files_is_one(self):
        shutil.copy(self.dir / 'cluster.yaml', self.dir / 'again.yaml')
        self.assertEqual(self.resolve(cluster=('cluster.yaml', 'again.yaml')).out, self.resolve().out)

    def test_a_catalog_that_the_cluster_has_must_be_given(self):
        run = self.resolve(catalogs=('olm/extra=extra',))
        self.assert_status(run, 1)
        self.assertIn('the cluster has CatalogSource olm/community, and its catalog is not given', run.err)
        self.assertIn('--catalog olm/community=quay.io/example/community:latest', run.err)

    def test_objects_that_olm_makes_on_request(self):
        run = self.resolve('--objects')
        self.assert_status(run, 0)
        self.assertIn('Besides, OLM would make for OperatorGroup apps:\n', run.out)
        self.assertIn('  ClusterRole apps-admin: aggregates olm.opgroup.permissions/aggregate-to-admin: apps\n', run.out)
        self.assertIn('and for gateway.v1.1.0:\n  annotation olm.operatorGroup: apps\n', run.out)
        self.assertNotIn('OperatorGroup apps:', self.resolve().out)
        (only,) = self.resolve('--objects', '-o', 'json').json()['rounds']
        group = only['operatorGroup']
        self.assertEqual((group['name'], [role['name'] for role in group['clusterRoles']]), ('apps', ['apps-admin', 'apps-edit', 'apps-view']))
        self.assertEqual([member['name'] for member in group['members']], ['certs.v1.1.0', 'database.v2.0.0', 'gateway.v1.1.0'])
        self.assertEqual(group['members'][0]['annotations']['olm.targetNamespaces'], 'apps')

    def test_roles_of_new_apis_and_copies_in_other_namespaces(self):
        new = ('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe', 'certs', '--objects')
        out = self.opcat(*new).out
        for line in ('  ClusterRole Certificate.certs.example.com-v1-edit: create, update, patch, delete on Certificate.certs.example.com\n',
                     '  ClusterRole Certificate.certs.example.com-v1-view-crdview: get on its CustomResourceDefinition\n',
                     '  a copy in every other namespace\n'):
            self.assertIn(line, out)
        (only,) = self.opcat(*new, '-o', 'json').json()['rounds']
        (member,) = only['operatorGroup']['members']
        self.assertEqual(member['clusterRoles'][0], {
            'name': 'Certificate.certs.example.com-v1-admin', 'verbs': '*', 'resource': 'Certificate.certs.example.com',
            'labels': {'rbac.authorization.k8s.io/aggregate-to-admin': 'true', 'olm.opgroup.permissions/aggregate-to-admin': 'global'}})
        self.change('targetNamespaces: [apps]', 'targetNamespaces: [apps, shop]')
        run = self.resolve('--objects')
        self.assertIn('  a copy in namespace shop\n', run.out)
        self.assertNotIn('a copy in namespace apps', run.out)

    def test_json(self):
        report = self.resolve('-o', 'json').json()
        self.assertEqual(report['schema'], 'opcat.resolve-classic.v1')
        self.assertEqual(report['namespace'], 'apps')
        (only,) = report['rounds']
        self.assertEqual(only['installed'], ['certs.v1.0.0', 'gateway.v1.0.0'])
        self.assertEqual([(o['name'], o['replaces']) for o in only['operators']],
                         [('certs.v1.1.0', 'certs.v1.0.0'), ('database.v2.0.0', ''), ('gateway.v1.1.0', 'gateway.v1.0.0')])
        self.assertEqual(only['installPlan']['approval'], 'Automatic')
        self.assertEqual([s['kind'] for s in only['installPlan']['steps']],
                         ['ClusterServiceVersion'] * 3 + ['Subscription'])
        failed = self.opcat('resolve', 'classic', '-n', 'new', '--catalog', 'olm/community=community', '--subscribe',
                            'gateway/next', '-o', 'json')
        self.assert_status(failed, 1)
        (only,) = failed.json()['rounds']
        self.assertTrue(only['error'].startswith('constraints not satisfiable: '))
        self.assertEqual(len(only['conflicts']), 3)
        self.assertEqual(only['because'][2]['file'], 'community/catalog.yaml')
        self.assertEqual(only['wouldWork'][0], 'switch Subscription gateway to channel stable')

    def test_batch(self):
        self.write('s/scenario.yaml', 'globalCatalogNamespace: olm\n')
        shutil.copy(self.dir / 'cluster.yaml', self.dir / 's/cluster.yaml')
        self.write('s/catalogs.yaml', 'olm/community: ../community\n')
        run = self.opcat('resolve', 'classic', '--batch', '-', stdin='{"scenario": "s", "namespace": "apps"}\n\n{"scenario": 1, "namespace": ""}\n[]\n')
        self.assert_status(run, 1)
        first, second, third = map(json.loads, run.out.splitlines())
        self.assertEqual([o['name'] for o in first['operators']], ['certs.v1.1.0', 'database.v2.0.0', 'gateway.v1.1.0'])
        self.assertIsNone(first['error'])
        self.assertEqual(second['error'], 'line 3: the question needs "scenario", a string')
        self.assertEqual(third['error'], 'line 4: the line is not a JSON object')

    def test_a_batch_has_catalogs_that_do_not_answer_and_clusters_that_cannot_be_read(self):
        self.write('s/scenario.yaml', 'globalCatalogNamespace: olm\n')
        shutil.copy(self.dir / 'cluster.yaml', self.dir / 's/cluster.yaml')
        self.write('s/catalogs.yaml', 'olm/community: "unreachable:connection refused"\n')
        self.write('broken/scenario.yaml', 'globalCatalogNamespace: olm\n')
        self.write('broken/cluster.yaml', 'kind: [\n')
        lines = ''.join(json.dumps({'scenario': name, 'namespace': 'apps'}) + '\n' for name in ('s', 'broken'))
        run = self.opcat('resolve', 'classic', '--batch', '-', stdin=lines)
        self.assert_status(run, 1)
        first, second = map(json.loads, run.out.splitlines())
        self.assertEqual(first['operators'], [])
        self.assertIn('connection refused', first['error'])
        self.assertTrue(second['error'].startswith('line 2: cannot read broken/cluster.yaml: '), second)
        self.assert_status(self.opcat('resolve', 'classic', '--batch', '-', '--shard', '0/1', '--shard-output', 'parts', stdin=lines), 0)
        merged = self.opcat('merge', 'parts')
        self.assertEqual((merged.status, merged.out), (1, run.out))

    def test_a_batch_answers_no_other_question(self):
        shutil.copytree(self.dir / 'community', self.dir / 'c')
        good = {'scenario.yaml': 'name: s\nglobalCatalogNamespace: olm\n', 'catalogs.yaml': 'olm/community: ../c\n'}
        for file, text, why in (('scenario.yaml', 'globalCatalogNamespac: olm\n', 'it has no text "globalCatalogNamespace"'),
                                ('scenario.yaml', '', 'it is not one document'), ('scenario.yaml', '- olm\n', 'it is not a mapping'),
                                ('catalogs.yaml', '- olm/community: ../c\n', 'it is not a mapping'),
                                ('catalogs.yaml', 'olm/community: 5\n', 'it has no text "olm/community"'),
                                ('catalogs.yaml', 'community: ../c\n', 'names no catalog as NAMESPACE/NAME')):
            with self.subTest(file=file, text=text):
                shutil.rmtree(self.dir / 's', ignore_errors=True)
                for name, content in {**good, file: text}.items():
                    self.write(f's/{name}', content)
                shutil.copy(self.dir / 'cluster.yaml', self.dir / 's/cluster.yaml')
                run = self.opcat('resolve', 'classic', '--batch', '-', stdin='{"scenario": "s", "namespace": "apps"}\n')
                self.assert_status(run, 1)
                self.assertIn(why, run.json()['error'])
        run = self.opcat('resolve', 'classic', '--batch', '-', stdin='{"scenario": "s", "Namespace": "apps", "namespace": "x"}\n')
        self.assertIn('there is no member "Namespace"', run.json()['error'])

    def test_mistakes_of_usage(self):
        for arguments, message in ((['-n', 'apps', '--batch', '-'], '--batch reads its requests from the file'),
                                   (['-n', 'apps'], 'there is nothing to resolve'),
                                   (['--catalog', 'olm/community=community'], '--namespace is missing'),
                                   (['-n', 'apps', '--catalog', 'community'], 'NAMESPACE/NAME is missing'),
                                   (['-n', 'apps', '--catalog', 'olm/c=community,priority=high'], '"high" is not an integer'),
                                   (['-n', 'apps', '--catalog', 'olm/c=community,weight=1'], '"weight=1" is not a setting'),
                                   (['-n', 'apps', '--catalog', 'olm/c=community', '--catalog', 'olm/c=extra', '--subscribe', 'certs'],
                                    'two catalogs are called olm/c'),
                                   (['-n', 'apps', '--catalog', 'olm/c=community', '--subscribe', '/stable'], '--subscribe /stable: the package is missing'),
                                   (['-n', 'apps', '--catalog', 'olm/c=community', '--subscribe', 'gatway'], 'gateway')):
            run = self.opcat('resolve', 'classic', *arguments)
            self.assert_status(run, 2)
            self.assertIn(message, run.err)
        self.assertIn('Examples:', self.opcat('resolve', 'classic', '--help').out)

    def test_manifests_that_cannot_be_read(self):
        self.write('cluster.yaml', 'kind: [\n')
        self.assert_status(self.resolve(), 1)
        self.assert_status(self.resolve(cluster=('absent.yaml',)), 3)

    def test_every_recorded_scenario_is_reported_without_errors(self):
        """Each report agrees with the answer of the batch, and is never empty."""
        for scenario in sorted(self.unpack_recorded('classic').iterdir())[::8]:
            settings = dict(line.split(': ', 1) for line in (scenario / 'scenario.yaml').read_text().splitlines() if ': ' in line)
            catalogs = dict(line.split(': ', 1) for line in (scenario / 'catalogs.yaml').read_text().splitlines() if ': ' in line)
            given = [f'{name}={scenario / path}' for name, path in catalogs.items()
                     if not path.startswith('unreachable') and path.strip('"')]
            run = self.resolve('--explain', '--global-namespace', settings['globalCatalogNamespace'], catalogs=given,
                               cluster=(scenario / 'cluster.yaml',), ns=settings['namespace'])
            with self.subTest(scenario.name):
                self.assertIn(run.status, (0, 1), run)
                self.assertTrue(run.out.startswith('OLM would ') or run.err, run)


if __name__ == '__main__':
    unittest.main()
