"""opcat plan, as users call it: what is installed in every form, all outputs, wrong input, and fleets. Covers lib/resolve/v1/obstacles.cpp and
lib/mirror/beyond_plan.cpp."""
import json
import shutil
import subprocess
import unittest

from opcat_case import ROOT, OpcatCase

CATALOGS = ROOT / 'testdata/catalogs'
PATTERN = f'{CATALOGS}/stores-v{{version}}'
DEPOT = 'depot.v1.0.0,channel=stable-1,namespace=stores'
MANIFESTS = '''
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: depot-sub, namespace: stores}
spec: {name: depot, channel: stable-1, source: c, sourceNamespace: m, installPlanApproval: Automatic}
status: {installedCSV: depot.v1.0.0, currentCSV: depot.v1.0.0}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: depot.v1.0.0
  namespace: stores
  annotations:
    operatorframework.io/properties: '{"properties": [{"type": "olm.maxOpenShiftVersion", "value": "4.16"}]}'
spec: {version: 1.0.0}
status: {phase: Succeeded}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: till-extension}
spec: {namespace: tills, source: {sourceType: Catalog, catalog: {packageName: till, version: 3.15.1}}}
status: {install: {bundle: {name: till.v3.15.1, version: 3.15.1}}}
'''


class Plan(OpcatCase):
    def ask(self, *arguments, status=0, **how):
        """Checks the exit status, unless it is None."""
        done = self.opcat(*arguments, **how)
        if status is not None:
            self.assert_status(done, status)
        return done

    def plan(self, *more, start='4.16.32', to='4.18', catalogs=('--catalog', PATTERN), **how):
        return self.ask('plan', '--cluster-version', start, '--to', to, *catalogs, '--at', '2026-11-28', *more, **how)

    def verdicts(self, *more, **how):
        done = self.plan(*more, '-o', 'json', **how)
        return [one['verdict'] for one in json.loads(done.out)['operators']]

    def test_what_olm_v1_leaves_where_it_is_is_not_held_there_first(self):
        bundle = 'schema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: r.example/foo:v{0}\nproperties:\n' \
                 '- {{type: olm.package, value: {{packageName: foo, version: {0}}}}}\n- {{type: olm.maxOpenShiftVersion, value: "{1}"}}\n---\n'
        channel = 'schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\nentries:\n' \
                  '- name: foo.v{0}\n- {{name: foo.v{1}, replaces: foo.v{0}}}\n---\n'
        old = channel.format('1.1.0', '1.2.0') + bundle.format('1.1.0', '4.17') + bundle.format('1.2.0', '4.18')
        deprecated = 'schema: olm.deprecations\npackage: foo\nentries:\n- {reference: {schema: olm.bundle, name: foo.v1.2.0}, message: x}\n'
        self.write('v4.18/c.yaml', channel.format('1.2.0', '1.3.0') + bundle.format('1.2.0', '4.18') + bundle.format('1.3.0', '4.19'))
        for text in old, old + deprecated:
            self.write('v4.17/c.yaml', text)
            done = self.plan('--installed', 'foo.v1.1.0,olm=v1', start='4.17.5', catalogs=('--catalog', f'{self.dir}/v{{version}}'), status=None)
            self.assertNotIn('ask for version 1.1.0 only', done.out)
            self.assertEqual('ask for this version' in done.out, text.endswith(deprecated), done.out)

    def test_an_edge_that_the_operators_olm_does_not_take_is_no_upgrade(self):
        head = 'schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\nentries:\n'
        bundle = '---\nschema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: r.example/foo:v{0}\nproperties:\n' \
                 '- {{type: olm.package, value: {{packageName: foo, version: {0}}}}}\n'
        required = "- {type: olm.package.required, value: {packageName: d, versionRange: '>=1.0.0'}}\n"
        self.write('v4.16/c.yaml', head + '- name: foo.v1.0.0\n' + bundle.format('1.0.0'))
        for olm, entries, bundles, known in (
                ('classic', "- {name: foo.v1.1.0, skipRange: '<1.1.0'}\n- {name: foo.v1.2.0, skips: [foo.v1.1.0]}\n", bundle.format('1.1.0') + bundle.format('1.2.0'), False),
                ('v1', "- {name: foo.v1.1.0, skipRange: '<1.1.0'}\n- {name: foo.v1.2.0, skips: [foo.v1.1.0]}\n", bundle.format('1.1.0') + bundle.format('1.2.0'), True),
                ('v1', "- {name: foo.v1.1.0, skipRange: '<1.1.0'}\n", bundle.format('1.1.0') + required, False)):
            with self.subTest((olm, entries, known)):
                self.write('v4.17/c.yaml', head + entries + bundles)
                channel = '' if olm == 'v1' else ',channel=stable'
                done = self.plan('--installed', f'foo.v1.0.0,olm={olm}{channel}', start='4.16.1', to='4.17', catalogs=('--catalog', f'{self.dir}/v{{version}}'),
                                 status=0 if known else 1)
                self.assertEqual('has neither foo.v1.0.0 nor an upgrade from it' in done.out, not known, done.out)
                done = self.ask('resolve', 'ocp-upgrade', '--cluster-version', '4.16.1', '--catalog', 'v4.16', '--next-catalog', 'v4.17',
                                '--installed', 'foo.v1.0.0', '--olm', olm, status=0 if known else 1)

    def test_every_form_of_what_is_installed_is_the_same_plan(self):
        listed = self.write('installed.txt', f'# the stores\n{DEPOT}\n')
        manifests = self.write('cluster/a.yaml', MANIFESTS).parent
        self.assertEqual(self.verdicts('--installed', DEPOT), ['ok'])
        self.assertEqual(self.verdicts('--installed', 'depot@1.0.0,channel=stable-1'), ['ok'])
        self.assertEqual(self.verdicts('--installed', listed), ['ok'])
        self.assertEqual(self.verdicts('--cluster', manifests), ['ok', 'ok'])
        commands = self.plan('--cluster', manifests, '-o', 'commands').out
        self.assertIn("oc patch subscriptions.operators.coreos.com depot-sub -n stores --type merge -p '{\"spec\":{\"channel\":\"stable-2\"}}'", commands)
        self.assertIn('oc patch clusterextensions.olm.operatorframework.io till-extension --type merge -p \'{"spec":{"source":{"catalog":{"version":"3.15.2"}}}}\'', commands)

    def test_an_operator_that_must_not_be_upgraded_now_is_not_ok(self):
        condition = """---
apiVersion: operators.coreos.com/v2
kind: OperatorCondition
metadata: {name: depot.v1.0.0, namespace: stores, generation: 1}
status: {conditions: [{type: Upgradeable, status: "False", reason: Busy, message: it is counting, observedGeneration: 1}]}
"""
        manifests = self.write('held.yaml', MANIFESTS + condition)
        self.assertEqual(self.verdicts('--cluster', manifests, status=1), ['unknown', 'ok'])
        self.assertIn('it is counting', self.plan('--cluster', manifests, status=1).out)

    def test_a_failed_operator_is_not_upgraded_by_itself(self):
        failed = MANIFESTS.replace('phase: Succeeded', 'phase: Failed, reason: ComponentUnhealthy')
        group = '---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: g, namespace: stores}\nspec: {upgradeStrategy: %s}\n'
        for text, verdicts in ((failed, ['unknown', 'ok']), (failed + group % 'Default', ['unknown', 'ok']),
                               (failed + group % 'TechPreviewUnsafeFailForward', ['ok', 'ok'])):
            manifests = self.write('failed.yaml', text)
            self.assertEqual(self.verdicts('--cluster', manifests, status=None), verdicts)
        self.assertIn('depot.v1.0.0 has failed (ComponentUnhealthy), and OLM does not replace a failed operator',
                      self.plan('--cluster', self.write('failed.yaml', failed), status=1).out)

    def test_what_the_manifests_say_against_an_upgrade_is_not_ok(self):
        group = '---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: %s, namespace: %s}\n'
        source = ('---\napiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: %s, namespace: openshift-marketplace}\nspec: {}\n'
                  'status: {connectionState: {lastObservedState: %s}}\n')
        condition = 'status: {conditions: [{type: %s, status: "True", message: so}], '
        good = MANIFESTS + group % ('a', 'stores')
        self.assertEqual(self.verdicts('--cluster', self.write('good.yaml', good)), ['ok', 'ok'])
        for text, words in ((good + group % ('b', 'stores'), 'namespace stores has 2 OperatorGroups'),
                            (MANIFESTS + group % ('a', 'other'), 'namespace stores has no OperatorGroup'),
                            (good + source % ('elsewhere', 'READY'), 'its CatalogSource '),
                            (good.replace('status: {', condition % 'ResolutionFailed', 1), 'its Subscription reports ResolutionFailed: so'),
                            (good.replace('status: {', condition % 'BundleUnpackFailed', 1), 'its Subscription reports BundleUnpackFailed: so'),
                            (good.replace('phase: Succeeded', 'phase: Installing'), 'depot.v1.0.0 is in phase Installing'),
                            (good.replace('  name: depot.v1.0.0\n', '  name: depot.v1.0.0\n  deletionTimestamp: "2026-01-01T00:00:00Z"\n', 1), 'is being deleted')):
            with self.subTest(words):
                manifests = self.write('against.yaml', text)
                self.assertIn('unknown', self.verdicts('--cluster', manifests, status=None))
                self.assertIn(words, self.plan('--cluster', manifests, status=1).out)

    def test_what_the_cluster_says_besides_is_not_ok(self):
        version = ('---\napiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {desired: {version: 4.16.32}, '
                   'conditions: [{type: %s, status: "%s", reason: %s, message: so}]}\n')
        csv = '---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: other.v1, namespace: stores}\nspec: {version: 1.0.0}\n'
        extension = MANIFESTS[MANIFESTS.rindex('---'):]
        for text, words in ((MANIFESTS + version % ('Upgradeable', 'False', 'AdminAckRequired'), 'ClusterVersion says Upgradeable=False, AdminAckRequired: so'),
                            (MANIFESTS + version % ('Progressing', 'True', 'X'), 'ClusterVersion says Progressing=True, X: so'),
                            (MANIFESTS.replace('kind: ClusterServiceVersion\nmetadata:\n  name: depot.v1.0.0', 'kind: ClusterServiceVersion\nmetadata:\n  name: depot.v0.9.0'),
                             'depot.v1.0.0, which its Subscription says is installed, is not there'),
                            (MANIFESTS.replace('currentCSV: depot.v1.0.0', 'currentCSV: depot.v1.0.9'), 'an upgrade to depot.v1.0.9 has begun or waits for approval'),
                            (MANIFESTS + extension.replace('till-extension', 'again'), 'package till is installed 2 times, also by OLM v1'),
                            (MANIFESTS + extension.replace('till-extension', 'depot').replace('packageName: till', 'packageName: depot'),
                             'package depot is installed 2 times, also by OLM v1'),
                            (MANIFESTS.replace('status: {', 'status: {state: UpgradeFailed, ', 1), 'its Subscription is in state UpgradeFailed'),
                            (MANIFESTS.replace('status: {', 'status: {conditions: [{type: CatalogSourcesUnhealthy, status: "True", message: so}], ', 1),
                             'its Subscription reports CatalogSourcesUnhealthy: so')):
            with self.subTest(words):
                manifests = self.write('besides.yaml', text)
                self.assertIn('unknown', self.verdicts('--cluster', manifests, status=None))
                self.assertIn(words, self.plan('--cluster', manifests, status=1).out)
        self.assertEqual(self.verdicts('--cluster', self.write('besides.yaml', MANIFESTS + version % ('Upgradeable', 'True', 'X'))), ['ok', 'ok'])
        self.assertIn('depot', self.plan('--cluster', self.write('besides.yaml', MANIFESTS + csv), status=1).out)
        (self.dir / 'wide.yaml').write_bytes(MANIFESTS.encode('utf-16'))
        self.assertIn('UTF-16', self.plan('--cluster', 'wide.yaml', status=1).err)

    def test_an_upgrade_that_waits_for_approval_may_go_on_waiting_where_none_is_needed(self):
        people = ROOT / 'testdata/cluster/catalogs/people.jsonl'
        where = {'start': '4.18.3', 'to': '4.19', 'catalogs': ('--catalog', f'4.18={people}', '--catalog', f'4.19={people}')}
        stays = MANIFESTS[:MANIFESTS.rindex('---')].replace('depot', 'greeter').replace('stable-1', 'stable').replace('"4.16"', '"4.19"')
        begun = stays.replace('currentCSV: greeter.v1.0.0', 'currentCSV: greeter.v1.1.0, installPlanRef: {name: next}')
        by_hand = begun.replace('Automatic', 'Manual')
        plan = '---\napiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\nmetadata: {name: next, namespace: stores}\nspec: {approval: Manual, approved: %s}\n'
        for text, verdict in ((by_hand + plan % 'false', 'ok'), (by_hand + plan % 'true', 'unknown'), (by_hand, 'unknown'), (begun, 'ok')):
            with self.subTest(text=text):
                self.assertEqual(self.verdicts('--cluster', self.write('pending.yaml', text), status=None, **where), [verdict])

    def test_what_keeps_olm_v1_from_an_upgrade_is_not_ok(self):
        catalog = '---\napiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {name: %s, labels: {a: "%s"}}\nspec: {%s}\nstatus: {%s}\n'
        serves, fails = ('conditions: [{type: Serving, status: "%s", reason: %s}]' % pair for pair in (('True', 'Available'), ('False', 'Unavailable')))
        good, disabled = catalog % ('one', '1', '', serves), catalog % ('dark', '2', 'availabilityMode: Unavailable', fails)
        status, source = 'status: {install: {bundle: {name: till', 'source: {sourceType: Catalog, catalog: {packageName: till'
        condition = status.replace('{', '{conditions: [{type: Progressing, status: "%s", reason: %s, message: so}], ', 1)
        other = source + ', selector: {matchLabels: {olm.operatorframework.io/metadata.name: dark}}'
        one = source + ', selector: {matchExpressions: [{key: a, operator: In, values: ["1"]}]}'
        for text, words in ((good + disabled, ''), (good.replace(serves, fails), 'ClusterCatalog one does not serve its content (Unavailable)'),
                            (disabled, 'it selects no ClusterCatalog that is there and available'), (MANIFESTS.replace(source, other) + good, 'it selects no ClusterCatalog'),
                            (MANIFESTS.replace(source, one) + good + catalog % ('two', '2', '', fails), ''), (good + catalog % ('two', '2', '', fails), 'ClusterCatalog two'),
                            (MANIFESTS.replace(status, condition % ('True', 'Retrying')), 'its ClusterExtension does not go on (Retrying): so'),
                            (MANIFESTS.replace(status, condition % ('True', 'Succeeded')), ''), (MANIFESTS.replace(status, condition % ('False', 'Blocked')), '(Blocked): so')):
            with self.subTest(words):
                manifests = self.write('v1.yaml', text if 'till' in text else MANIFESTS + text)
                self.assertEqual(self.verdicts('--cluster', manifests, status=None)[1], 'unknown' if words else 'ok')
                self.assertIn(words, self.plan('--cluster', manifests, status=1 if words else 0).out)

    def test_values_of_another_type_are_refused(self):
        for before, after, words in (('channel: stable-1', 'channel: 1.0', 'Subscription stores/depot-sub: spec.channel is not a string'),
                                     ('version: 3.15.1}}}', 'version: 3.15}}}', 'ClusterExtension till-extension: spec.source.catalog.version is not a string'),
                                     ('packageName: till', 'packageName: till, channels: [4.8]', 'spec.source.catalog.channels is not a list of strings'),
                                     ('packageName: till', 'packageName: till, channels: stable', 'spec.source.catalog.channels is not a list of strings')):
            with self.subTest(words):
                self.assertIn(words, self.plan('--cluster', self.write('types.yaml', MANIFESTS.replace(before, after)), status=1).err)

    def test_olm_classic_never_chooses_what_is_prohibited(self):
        blob = '---\nschema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: r.example/foo:{0}\nproperties:\n- {{type: olm.package, value: {{packageName: foo, version: {0}}}}}\n'
        catalog = ('schema: olm.package\nname: foo\ndefaultChannel: a\n---\nschema: olm.channel\npackage: foo\nname: a\n'
                   'entries: [{name: foo.v1.0.0}, {name: foo.v1.1.0, replaces: foo.v1.0.0}]\n' + blob.format('1.0.0') +
                   '- {type: olm.maxOpenShiftVersion, value: "4.16"}\n' + blob.format('1.1.0'))
        for more, verdict in ('', 'ok'), ('- {type: olm.deprecated, value: {}}\n', 'blocked'):
            file = self.write('c.yaml', catalog + more)
            named = ('--catalog', f'4.16={file}', '--catalog', f'4.17={file}')
            self.assertEqual(self.verdicts('--installed', 'foo.v1.0.0,channel=a', to='4.17', catalogs=named, status=None), [verdict])
            path = self.opcat('graph', file, '--from', '1.0.0', '--olm', 'classic', '-o', 'json').json()
            self.assertEqual(path['arrives'], verdict == 'ok')
            edge, = self.opcat('query', file, 'select olm_classic, olm_v1 from edges', '-o', 'json').json()['rows']
            self.assertEqual(edge, {'olm_classic': int(verdict == 'ok'), 'olm_v1': 1})
        self.assertIn('has the property olm.deprecated, so OLM classic never chooses it', self.opcat('graph', file, '--from', '1.0.0', '--olm', 'classic').out)

    def test_what_contradicts_itself_is_not_ok(self):
        self.assertIn('depot.v1.1.0 is version 1.1.0 in ', self.plan('--cluster', self.write('c.yaml', MANIFESTS.replace('depot.v1.0.0', 'depot.v1.1.0')),
                                                                    to='4.17', status=1).out)
        for installed in ((DEPOT, DEPOT), (DEPOT, 'depot@1.1.0,channel=stable-1,namespace=stores')):
            wrong = self.plan(*(part for one in installed for part in ('--installed', one)), status=2)
            self.assertIn('depot is named twice in namespace stores', wrong.err)
        manifests = self.write('a.yaml', MANIFESTS)
        self.assertIn('depot is named twice', self.plan('--cluster', manifests, '--installed', DEPOT, status=2).err)
        # Of a must-gather the same object may be in several files.
        self.assertEqual(self.verdicts('--cluster', manifests, '--cluster', self.write('b.yaml', MANIFESTS)), ['ok', 'ok'])
        lease = '---\napiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: l, namespace: stores}\nspec: {renewTime: %s}\n'
        self.assertEqual(self.verdicts('--cluster', self.write('a.yaml', MANIFESTS + lease % 1), '--cluster', self.write('b.yaml', MANIFESTS + lease % 2)),
                         ['ok', 'ok'])
        other = self.write('b.yaml', MANIFESTS.replace('stable-1', 'stable-2'))
        self.assertIn('Subscription stores/depot-sub is given twice, with different content', self.plan('--cluster', manifests, '--cluster', other, status=1).err)

    def test_olm_classic_gets_nothing_of_a_catalog_that_opm_refuses(self):
        shutil.copytree(CATALOGS / 'stores-v4.17', self.dir / 'broken')
        self.write('broken/z.yaml', 'schema: olm.channel\npackage: nobody\nname: stable\nentries:\n- name: nobody.v1.0.0\n')
        catalogs = ('--catalog', f'4.16={CATALOGS}/stores-v4.16', '--catalog', '4.17=broken')
        self.assertIn('OLM classic gets nothing of the catalog broken, which opm refuses: channel "stable" belongs to package "nobody"',
                      self.plan('--installed', DEPOT, to='4.17', catalogs=catalogs, status=1).out)

    def test_sources_that_no_catalog_stands_for_are_named(self):
        other = '---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: x, namespace: x}\n' \
            'spec: {name: clock, channel: stable, source: own, sourceNamespace: x}\nstatus: {installedCSV: clock.v1.0.0, currentCSV: clock.v1.0.0}\n'
        manifests = self.write('two.yaml', MANIFESTS + other)
        each = [part for version in ('4.16', '4.17') for part in ('--catalog', f'{version}={CATALOGS}/stores-v{version}')]
        for catalogs in (each, ('--catalog', PATTERN)):
            self.assertIn('warning: the cluster\'s operators come from m/c and x/own', self.plan('--cluster', manifests, to='4.17', catalogs=catalogs, status=None).err)

    def test_a_kubernetes_that_is_too_old_is_not_ok(self):
        shutil.copytree(CATALOGS / 'stores-v4.16', self.dir / 'new')
        path = self.dir / 'new/depot.yaml'
        metadata = '- type: olm.csv.metadata\n  value: {minKubeVersion: 1.99.0}\n'
        start, rest = path.read_text().split('name: depot.v1.1.0\npackage', 1)
        path.write_text(start + 'name: depot.v1.1.0\npackage' + rest.replace('properties:\n', 'properties:\n' + metadata, 1))
        catalogs = ('--catalog', '4.16=new', '--catalog', f'4.17={CATALOGS}/stores-v4.17')
        self.assertIn('depot.v1.1.0 needs Kubernetes 1.99.0, and OpenShift 4.16 has 1.29: OLM classic leaves it Pending',
                      self.plan('--installed', DEPOT, to='4.17', catalogs=catalogs, status=1).out)

    def test_the_version_of_the_cluster_is_in_its_manifests(self):
        version = '---\napiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus: {desired: {version: 4.16.32}}\n'
        manifests = self.write('a.yaml', MANIFESTS + version)
        catalogs = ('--catalog', PATTERN, '--at', '2026-11-28')
        self.assertIn('OpenShift 4.16.32 to 4.17', self.ask('plan', '--to', '4.17', *catalogs, '--cluster', manifests).out)
        other = self.write('b.yaml', version.replace('4.16.32', '4.16.33'))
        self.assertIn('ClusterVersion version is given twice', self.ask('plan', '--to', '4.17', *catalogs, '--cluster', manifests, '--cluster', other, status=1).err)
        self.assertEqual(self.plan('--cluster', manifests, to='4.17', start='4.16').err, '')  # the same
        self.assertIn('warning: the cluster runs OpenShift 4.16.32: this is the plan of one that runs 4.16.1',
                      self.plan('--cluster', manifests, to='4.17', start='4.16.1').err)

    def test_missing_information_is_unknown_and_exits_1(self):
        one = ('--catalog', f'4.16={CATALOGS}/stores-v4.16', '--catalog', f'4.18={CATALOGS}/stores-v4.18')
        for more, catalogs in (((DEPOT,), one), (('nothing.v1.0.0',), None), (('depot@7.7.7',), None),
                               (('ledger.v1.0.0,channel=stable',), None)):
            with self.subTest(more):
                how = {'catalogs': catalogs} if catalogs else {}
                done = self.plan('--installed', *more, **how, status=1)
                self.assertIn('1 is not known', done.out)
                self.assertEqual(self.verdicts('--installed', *more, **how, status=1), ['unknown'])

    def test_what_has_no_way_is_at_the_top_and_a_script_of_its_commands_does_nothing(self):
        done = self.plan('--installed', DEPOT, '--installed', 'clock.v1.0.0,channel=stable', status=1)
        self.assertLess(done.out.index('No way'), done.out.index('OpenShift 4.16 to 4.17'))
        commands = self.plan('--installed', 'clock.v1.0.0,channel=stable', '-o', 'commands', status=1).out
        lines = [line for line in commands.splitlines() if line and not line.startswith('#')]
        self.assertEqual(lines[:3], ['set -e', "echo 'this plan does not reach its target' >&2", 'exit 1'])

    def test_the_commands_of_a_plan_wait_for_each_upgrade_of_the_cluster_and_stop_where_one_fails(self):
        commands = self.plan('--installed', DEPOT, '-o', 'commands', to='4.17').out
        self.write('bin/oc', '#!/bin/sh\necho "oc $*"\ncase $* in *"--to 4.17.PATCH"*) exit 1;; esac\n')
        (self.dir / 'bin/oc').chmod(0o755)
        (self.dir / 'bin/opcat').symlink_to('oc')
        done = subprocess.run(['sh'], input=commands, capture_output=True, text=True, env={'PATH': f'{self.dir}/bin:/usr/bin:/bin'})
        self.assertEqual(done.stdout.splitlines()[-2:], ['oc adm upgrade channel CHANNEL-4.17', 'oc adm upgrade --to 4.17.PATCH'])
        self.assertEqual(done.returncode, 1)
        self.assertIn("--for=jsonpath='{.status.history[0].state}'=Completed", commands)

    def test_an_image_set_mirrors_the_way_and_its_catalogs_still_have_it(self):
        here = self.dir / 'mirror'
        here.mkdir()
        for version in '4.16', '4.17', '4.18':
            shutil.copytree(CATALOGS / f'stores-v{version}', here / f'v{version}')
        done = self.plan('--installed', DEPOT, '--installed', 'till.v3.15.1,channel=stable-3.15', '-o', 'imageset',
                         catalogs=('--catalog', f'{here}/v{{version}}'))
        self.assertNotIn('#', done.out)
        image_set = self.write('isc.yaml', done.out)
        selection = self.ask('mirror', '--config', image_set, '--selection', '-o', 'json')
        for name in ('till.v3.15.2', 'till.v3.16.0', 'depot.v1.1.0', 'depot.v2.0.0'):
            self.assertIn(name, selection.out)
        self.assertNotIn('till.v3.15.3', selection.out)

    def test_wrong_input_is_a_message_with_a_hint(self):
        for more, how, words in (
                (('--installed', DEPOT + ',colour=red'), {}, 'is not a setting'),
                (('--installed', 'depot.v1.0.0,channel=a,channel=b'), {}, 'has one channel'),
                (('--installed', DEPOT), {'to': '4.16'}, 'is not later than'),
                (('--installed', DEPOT), {'to': '4.99'}, 'does not come after'),
                (('--installed', DEPOT), {'to': 'four'}, 'is not a version'),
                (('--installed', DEPOT), {'start': 'x'}, 'is not a version'),
                (('--installed', DEPOT), {'catalogs': ('--catalog', 'nowhere')}, 'its version of OpenShift is missing'),
                ((), {}, 'there is no operator'),
                (('--fleet', '-', '--installed', DEPOT), {}, 'from the file')):
            with self.subTest(words):
                self.assertIn(words, self.plan(*more, **how, status=2).err)
        self.assertIn('is not a day', self.ask('plan', '--to', '4.18', '--cluster-version', '4.16', '--at', 'soon',
                                                 '--installed', DEPOT, status=2).err)

    def test_why_clusters_of_a_fleet_are_not_known_is_in_the_table(self):
        file = self.write('fleet.jsonl', '{"cluster": "a", "version": "4.16", "operators": ["depot.v1.0.0"], "operators": []}\n'
                          '{"cluster": "b", "version": "4.16", "operators": [{"package": "depot", "bundle": "depot.v1.1.0", "version": "1.0.0"}]}\n'
                          '{"cluster": "c", "version": "4.16", "operators": ["depot.v1.0.0", "depot.v1.0.0"]}\n')
        table = self.ask('plan', '--fleet', file, '--to', '4.17', '--catalog', PATTERN, '-o', 'text', status=1).out
        for why in (r'1 +- +- +"operators" is given twice in one object +line 1\n', r'1 +depot +4\.16 +unknown +depot\.v1\.1\.0 is version 1\.1\.0 in ',
                    r'1 +- +- +depot is named twice +line 3\n'):
            self.assertRegex(table, why)
        [first, *_] = self.ask('plan', '--fleet', file, '--to', '4.17', '--catalog', PATTERN, status=1).out.splitlines()
        self.assertEqual(json.loads(first)['verdict'], 'unknown')

    def test_a_fleet_is_answered_in_lines_and_shards_merge_to_the_same(self):
        fleet = (ROOT / 'testdata/plan/clusters.jsonl').read_text() + '{"cluster": "x"}\n{"version": "4.16", "operators": 7}\nno json\n' + (
            '{"version": "4.16", "too": "4.20", "operators": []}\n{"version": "4.16", "operators": [{"name": "depot.v1.0.0", "chanel": "x"}]}\n')
        file = self.write('fleet.jsonl', fleet)
        how = ('--to', '4.18', '--catalog', PATTERN, '--at', '2026-11-28')
        whole = self.ask('plan', '--fleet', file, *how, status=1)
        answers = [json.loads(line) for line in whole.out.splitlines()]
        self.assertEqual([answer['verdict'] for answer in answers], ['blocked', 'blocked', 'ok', *5 * ['unknown']])
        self.assertIn('8 clusters: 1 ok, 2 blocked, 5 not known', whole.err)
        for answer, member in zip(answers[6:], ('too', 'chanel')):
            self.assertIn(f'there is no member "{member}"', answer['error'])
        self.assertEqual(self.ask('plan', '--fleet', '-', *how, stdin=fleet, status=1).out, whole.out)
        for shard in '0/2', '1/2':
            self.ask('plan', '--fleet', file, *how, '--shard', shard, '--shard-output', self.dir / 'shards', status=None)
        self.assertEqual(self.ask('merge', self.dir / 'shards', status=None).out, whole.out)


if __name__ == '__main__':
    unittest.main()
