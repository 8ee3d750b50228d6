"""Covers lib/migration. `opcat migrate-olm plan`: one case for each published requirement of a migration, and the objects that replace those of OLM classic."""
import copy
import json
import unittest

from opcat_case import OpcatCase
from test_readiness import package

CATALOG = 'olm/operators'


def csv(name, version, modes=('AllNamespaces',), owned=(), required=(), phase='Succeeded', ns='shop', **spec):
    apis = {'owned': [{'name': f'{one.lower()}s.example.org', 'kind': one, 'version': 'v1'} for one in owned],
            'required': [{'name': f'{one.lower()}s.example.org', 'kind': one, 'version': 'v1'} for one in required]}
    return {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'ClusterServiceVersion', 'metadata': {'name': f'{name}.v{version}', 'namespace': ns},
            'spec': {'version': version, 'installModes': [{'type': one, 'supported': True} for one in modes], 'customresourcedefinitions': apis, **spec},
            'status': {'phase': phase}}


def subscription(name, version, ns='shop', state='AtLatestKnown', annotations=None, **spec):
    return {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'Subscription',
            'metadata': {'name': name, 'namespace': ns, 'annotations': annotations or {}},
            'spec': {'name': name, 'channel': 'stable', 'source': 'operators', 'sourceNamespace': 'olm', **spec},
            'status': {'state': state, 'installedCSV': f'{name}.v{version}', 'currentCSV': f'{name}.v{version}'}}


def condition(name, version, ns='shop', conditions=(), overrides=()):
    return {'apiVersion': 'operators.coreos.com/v2', 'kind': 'OperatorCondition', 'metadata': {'name': f'{name}.v{version}', 'namespace': ns},
            'spec': {'conditions': list(conditions), 'overrides': list(overrides)}}


def group(ns='shop', targets=()):
    return {'apiVersion': 'operators.coreos.com/v1', 'kind': 'OperatorGroup', 'metadata': {'name': 'group', 'namespace': ns},
            'spec': {'targetNamespaces': list(targets)} if targets else {}, 'status': {'namespaces': list(targets) or ['']}}


def source(name='operators', ns='olm', image='registry.example.org/index:v1', **spec):
    return {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'CatalogSource', 'metadata': {'name': name, 'namespace': ns},
            'spec': {'sourceType': 'grpc', **({'image': image} if image else {}), **spec}}


def extension(package_name, name=None):
    return {'apiVersion': 'olm.operatorframework.io/v1', 'kind': 'ClusterExtension', 'metadata': {'name': name or package_name},
            'spec': {'namespace': 'shop', 'source': {'sourceType': 'Catalog', 'catalog': {'packageName': package_name}}},
            'status': {'install': {'bundle': {'name': f'{package_name}.v1.0.0', 'version': '1.0.0'}}}}


def cluster_catalog(name, image):
    return {'apiVersion': 'olm.operatorframework.io/v1', 'kind': 'ClusterCatalog', 'metadata': {'name': name},
            'spec': {'source': {'type': 'Image', 'image': {'ref': image}}}}


WORLD = [source(), group(), subscription('shop', '1.0.0'), csv('shop', '1.0.0', owned=['Shop']), condition('shop', '1.0.0')]


def with_object(new):
    """The world with an object in place of the one of its kind and name."""
    key = lambda one: (one['kind'], one['metadata']['name'])
    return [one for one in WORLD if key(one) != key(new)] + [new]


def without(kind):
    return [one for one in WORLD if one['kind'] != kind]


def plan(name, phase='Complete'):
    return {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'InstallPlan', 'metadata': {'name': name, 'namespace': 'shop'}, 'status': {'phase': phase}}


NAMES_A_PLAN = with_object({**subscription('shop', '1.0.0'), 'status': {**subscription('shop', '1.0.0')['status'], 'installPlanRef': {'name': 'p'}}})
OWN = csv('shop', '1.0.0', modes=['OwnNamespace'])
# The requirement, the objects, the standing, and the check that is not met.
CASES = (
    ('all is well', WORLD, 'Eligible', None),
    ('an upgrade waits', with_object(subscription('shop', '1.0.0', state='UpgradePending')), 'Ineligible', 'subscription-state'),
    ('the state is not known', with_object(subscription('shop', '1.0.0', state='')), 'Ineligible', 'subscription-state'),
    ('the operator failed', with_object(csv('shop', '1.0.0', phase='Failed')), 'Ineligible', 'csv-phase'),
    ('the operator is gone', without('ClusterServiceVersion'), 'Ineligible', 'csv-phase'),
    ('OLM classic made it', with_object(subscription('shop', '1.0.0', annotations={'olm.generated-by': 'install-x'})), 'Ineligible', 'generated-dependency'),
    ('one namespace', [*with_object(OWN)[:1], *[one for one in with_object(OWN)[1:] if one['kind'] != 'OperatorGroup'], group(targets=['shop'])], 'Ineligible',
     'install-modes'),
    ('an upgrade has begun', with_object({**subscription('shop', '1.0.0'), 'status': {
        'state': 'AtLatestKnown', 'installedCSV': 'shop.v1.0.0', 'currentCSV': 'shop.v1.1.0'}}), 'Ineligible', 'subscription-state'),
    ('a plan waits for approval', [*WORLD, {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'InstallPlan', 'metadata': {
        'name': 'p', 'namespace': 'shop'}, 'status': {'phase': 'RequiresApproval'}}], 'Ineligible', 'subscription-state'),
    ('nothing can be resolved', with_object({**subscription('shop', '1.0.0'), 'status': {
        **subscription('shop', '1.0.0')['status'], 'conditions': [{'type': 'ResolutionFailed', 'status': 'True', 'message': 'no'}]}}), 'Ineligible',
     'subscription-state'),
    ('the operator is being deleted', with_object({**csv('shop', '1.0.0'), 'metadata': {
        'name': 'shop.v1.0.0', 'namespace': 'shop', 'deletionTimestamp': '2026-11-28T10:00:00Z'}}), 'Ineligible', 'csv-phase'),
    ('a group that OLM has not looked at', with_object({**group(), 'spec': {'targetNamespaces': ['other']}}), 'Unknown', 'operator-group'),
    ('another version than in the catalog', with_object({**csv('shop', '1.0.0'), 'spec': {**csv('shop', '1.0.0')['spec'], 'version': '0.9.0'}}), 'Ineligible',
     'catalog'),
    ('a channel that the catalog lacks', with_object(subscription('shop', '1.0.0', channel='stabel')), 'Ineligible', 'catalog'),
    ('two namespaces', with_object(group(targets=['a', 'b'])), 'Ineligible', 'install-modes'),
    ('no group', without('OperatorGroup'), 'Ineligible', 'operator-group'),
    ('a group with a selector that nobody has resolved', with_object({**group(), 'spec': {'selector': {'matchLabels': {'a': 'b'}}}, 'status': {}}), 'Unknown',
     'operator-group'),
    ('a required API', with_object(csv('shop', '1.0.0', required=['Gear'])), 'Ineligible', 'dependencies'),
    ('a required package', with_object({**csv('shop', '1.0.0'), 'metadata': {'name': 'shop.v1.0.0', 'namespace': 'shop', 'annotations': {
        'operatorframework.io/properties': '{"properties":[{"type":"olm.package.required","value":{"packageName":"gear"}}]}'}}}), 'Ineligible', 'dependencies'),
    ('API services', with_object(csv('shop', '1.0.0', apiservicedefinitions={'owned': [{'group': 'a', 'kind': 'B'}]})), 'Ineligible', 'api-services'),
    ('a conversion', with_object(csv('shop', '1.0.0', modes=['AllNamespaces', 'OwnNamespace'], webhookdefinitions=[
        {'type': 'ConversionWebhook', 'generateName': 'c.example.org'}])), 'Ineligible', 'webhooks'),
    ('reported conditions', with_object(condition('shop', '1.0.0', conditions=[{'type': 'Upgradeable', 'status': 'False'}])), 'Ineligible',
     'operator-conditions'),
    ('conditions were not read', without('OperatorCondition'), 'Unknown', 'operator-conditions'),
    ('the catalog was not read', without('CatalogSource'), 'Unknown', 'catalog'),
    ('the catalog lacks the version', [source(), group(), subscription('shop', '0.9.0'), csv('shop', '0.9.0'), condition('shop', '0.9.0')], 'Ineligible',
     'catalog'),
    ('a catalog at an address', with_object(source(image='', address='a:50051')), 'Ineligible', 'catalog'),
    ('a ConfigMap', with_object(source(image='', sourceType='configmap')), 'Ineligible', 'catalog'),
    ('a plan is carried out', [*WORLD, {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'InstallPlan', 'metadata': {
        'name': 'p', 'namespace': 'shop'}, 'status': {'phase': 'Installing'}}], 'Ineligible', 'subscription-state'),
    ('a plan is complete', [*WORLD, {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'InstallPlan', 'metadata': {
        'name': 'p', 'namespace': 'shop'}, 'status': {'phase': 'Complete'}}], 'Eligible', None),
    ('the plan that the Subscription names was not read', NAMES_A_PLAN, 'Unknown', 'subscription-state'),
    ('another plan was read', [*NAMES_A_PLAN, plan('q')], 'Unknown', 'subscription-state'),
    ('the plan that the Subscription names was read', [*NAMES_A_PLAN, plan('p')], 'Eligible', None),
    ('OLM classic has deleted the plan, and kept five', [*NAMES_A_PLAN, *map(plan, 'abcde')], 'Eligible', None),
    ('an operator without a Subscription requires it', [*WORLD, csv('alone', '1.0.0', required=['Shop'])], 'Ineligible', 'required-by'),
    ('the Subscription is being deleted', with_object({**subscription('shop', '1.0.0'), 'metadata': {
        'name': 'shop', 'namespace': 'shop', 'deletionTimestamp': '2026-11-28T10:00:00Z'}}), 'Ineligible', 'subscription-state'),
    ('a catalog does not answer', with_object({**source(), 'status': {'connectionState': {'lastObservedState': 'TRANSIENT_FAILURE'}}}), 'Ineligible',
     'subscription-state'),
    ('its ClusterCatalog is disabled', [*WORLD, {**cluster_catalog('c', 'registry.example.org/index:v1'), 'spec': {
        **cluster_catalog('c', 'registry.example.org/index:v1')['spec'], 'availabilityMode': 'Unavailable'}}], 'Ineligible', 'catalog'),
    ('its ClusterCatalog does not serve', [*WORLD, {**cluster_catalog('c', 'registry.example.org/index:v1'), 'status': {
        'conditions': [{'type': 'Serving', 'status': 'False', 'reason': 'X'}]}}], 'Ineligible', 'catalog'),
    ('another package has its name', [*WORLD, extension('other', 'shop')], 'Conflict', 'existing-extension'),
    ('both OLMs', [*WORLD, extension('shop')], 'Conflict', 'existing-extension'),
    ('twice', [*WORLD, group('other'), subscription('shop', '1.0.0', ns='other'), csv('shop', '1.0.0', ns='other'), condition('shop', '1.0.0', ns='other')],
     'Conflict', 'several-subscriptions'),
)


class Plan(OpcatCase):
    def write_json(self, path, objects):
        self.write(path, json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': objects}))

    def setUp(self):
        super().setUp()
        self.write('catalog/a.yaml', package('shop', '1.0.0'))

    def plan(self, objects, *flags, catalog='catalog', status=None):
        self.write_json('cluster.json', objects)
        catalogs = ('--catalog', f'{CATALOG}={catalog}') if catalog else ()
        done = self.opcat('migrate-olm', 'plan', '--cluster', 'cluster.json', *catalogs, '-o', 'json', *flags)
        self.assertIn(done.status, (0, 1), done)
        if status is not None:
            self.assert_status(done, status)
        return done.json()

    def test_each_requirement(self):
        for name, objects, standing, check in CASES:
            with self.subTest(name):
                plan = self.plan(objects, status=0 if standing == 'Eligible' else 1)
                [one] = [o for o in plan['operators'] if o['namespace'] == 'shop' and o['package'] == 'shop']
                self.assertEqual(one['standing'], standing, one)
                self.assertEqual([o['check'] for o in one['obstacles']][:1], [check] if check else [])
                self.assertEqual(bool(one['objects']), standing == 'Eligible')

    def test_an_extension_that_has_installed_nothing_has_not_migrated(self):
        installed = extension('other')
        for name, one, standing in (('installed', installed, 'AlreadyMigrated'), ('nothing', {**installed, 'status': {}}, 'Unknown'),
                                    ('not installed', {**installed, 'status': {**installed['status'], 'conditions': [{'type': 'Installed', 'status': 'False'}]}},
                                     'Unknown'),
                                    ('going', {**installed, 'metadata': {'name': 'other', 'deletionTimestamp': '2026-11-28T10:00:00Z'}}, 'Unknown'),
                                    ('no package', {**installed, 'spec': {'namespace': 'shop'}}, 'Unknown')):
            with self.subTest(name):
                plan = self.plan([*WORLD, one], status=0 if standing == 'AlreadyMigrated' else 1)
                self.assertEqual([o['standing'] for o in plan['operators']], ['Eligible', standing])

    def test_an_operator_without_a_subscription_cannot_move(self):
        alone = csv('alone', '2.0.0')
        result = self.plan([*WORLD, alone, csv('packageserver', '1.0.0') | {'metadata': {'name': 'packageserver', 'namespace': 'olm'}}], status=1)
        found = {one['installed']: one for one in result['operators']}
        self.assertEqual(sorted(found), ['alone.v2.0.0', 'shop.v1.0.0'])
        self.assertEqual((found['alone.v2.0.0']['standing'], found['alone.v2.0.0']['obstacles'][0]['message']),
                         ('Ineligible', 'no Subscription is about it: its package and catalog are not known'))

    def test_only_a_successor_makes_an_operator_without_a_subscription_one_of_an_upgrade(self):
        old = csv('bar', '1.0.0')
        copied = {**csv('bar', '1.1.0', replaces='bar.v1.0.0'), 'status': {'phase': 'Succeeded', 'reason': 'Copied'}}
        for name, objects, expected in (
                ('a successor', [old, csv('bar', '1.1.0', replaces='bar.v1.0.0')], ['bar.v1.1.0']),
                ('two', [csv('bar', '1.2.0', replaces='bar.v1.1.0'), old, csv('bar', '1.1.0', replaces='bar.v1.0.0')], ['bar.v1.2.0']),
                ('a copy', [old, copied], ['bar.v1.0.0']),
                ('itself', [csv('bar', '1.0.0', replaces='bar.v1.0.0')], ['bar.v1.0.0']),
                ('each other', [csv('bar', '1.0.0', replaces='bar.v1.1.0'), csv('bar', '1.1.0', replaces='bar.v1.0.0')], ['bar.v1.0.0', 'bar.v1.1.0'])):
            with self.subTest(name):
                found = [one['installed'] for one in self.plan([*WORLD, *objects], status=1)['operators']]
                self.assertEqual(sorted(found), sorted([*expected, 'shop.v1.0.0']))

    def test_nothing_to_judge_is_no_answer(self):
        self.write_json('map.json', [{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'm'}}])
        self.assert_status(self.opcat('migrate-olm', 'plan', '--cluster', 'map.json'), 2)
        self.write('fleet.jsonl', '{"cluster": "c", "manifests": ["map.json"]}\n')
        done = self.opcat('migrate-olm', 'plan', '--fleet', 'fleet.jsonl')
        self.assert_status(done, 1)
        self.assertIn('there is no Subscription and no ClusterExtension in the manifests', done.out)
        self.write('fleet.jsonl', '')
        self.assert_status(self.opcat('migrate-olm', 'plan', '--fleet', 'fleet.jsonl'), 2)

    def test_a_catalog_whose_content_is_not_known_is_unknown(self):
        one = self.plan(WORLD, catalog=None, status=1)['operators'][0]
        self.assertEqual((one['standing'], one['obstacles'][0]['check']), ('Unknown', 'catalog'))

    def test_the_extension_is_pinned_and_names_catalog_and_channel(self):
        plan = self.plan(WORLD)
        [installed] = plan['operators'][0]['objects']
        self.assertEqual(installed['spec'], {'namespace': 'shop', 'source': {'sourceType': 'Catalog', 'catalog': {
            'packageName': 'shop', 'version': '1.0.0', 'channels': ['stable'],
            'selector': {'matchLabels': {'olm.operatorframework.io/metadata.name': 'operators'}}, 'upgradeConstraintPolicy': 'CatalogProvided'}}})
        self.assertEqual(plan['catalogs'][0]['object']['spec'], {'source': {'type': 'Image', 'image': {'ref': 'registry.example.org/index:v1'}}})

    def test_older_releases_need_an_account(self):
        objects = self.plan(WORLD, '--olm-release', '1.10')['operators'][0]['objects']
        self.assertEqual([one['kind'] for one in objects], ['ServiceAccount', 'ClusterRoleBinding', 'ClusterExtension'])
        self.assertEqual(objects[2]['spec']['serviceAccount'], {'name': objects[0]['metadata']['name']})

    def test_the_experimental_set_watches_one_namespace_and_takes_the_configuration(self):
        world = [source(), group(targets=['shop']), subscription('shop', '1.0.0', config={'env': [{'name': 'A', 'value': 'b'}], 'selector': {}}), OWN, condition('shop', '1.0.0')]
        one = self.plan(world, '--feature-set', 'experimental', status=0)['operators'][0]
        self.assertEqual(one['objects'][0]['spec']['config'], {'configType': 'Inline', 'inline': {
            'watchNamespace': 'shop', 'deploymentConfig': {'env': [{'name': 'A', 'value': 'b'}]}}})
        self.assertEqual(one['lost'], [])

    def test_what_is_lost(self):
        both = csv('shop', '1.0.0', modes=['AllNamespaces', 'OwnNamespace'])
        world = [source(), group(targets=['shop']), subscription('shop', '1.0.0', installPlanApproval='Manual', config={'env': []}), both,
                 condition('shop', '1.0.0', overrides=[{'type': 'Upgradeable', 'status': 'True'}])]
        lost = '\n'.join(self.plan(world, status=0)['operators'][0]['lost'])
        for words in ('waited for approval', 'spec.config', 'it watched shop only', 'overrides'):
            self.assertIn(words, lost)
        self.assertIn('copies of the ClusterServiceVersion', '\n'.join(self.plan(WORLD)['operators'][0]['lost']))

    def test_what_others_require_stays_and_comes_after_them(self):
        self.write('catalog/b.yaml', package('app', '1.0.0'))
        world = [*WORLD, subscription('app', '1.0.0'), csv('app', '1.0.0', required=['Shop']), condition('app', '1.0.0')]
        operators = self.plan(world)['operators']
        self.assertEqual([one['package'] for one in operators], ['app', 'shop'])
        self.assertEqual([[o['check'] for o in one['obstacles']] for one in operators], [['dependencies'], ['required-by']])
        self.assertIn('app requires it', operators[1]['obstacles'][0]['message'])

    def test_what_a_constraint_of_another_operator_names_stays_and_what_it_may_name_is_not_known(self):
        self.write('catalog/b.yaml', package('app', '1.0.0'))
        gvk = {'gvk': {'group': 'example.org', 'version': 'v1', 'kind': 'Shop'}}
        for constraint, standing in (({'failureMessage': 'x', **gvk}, 'Ineligible'), ({'any': {'constraints': [{'all': {'constraints': [gvk]}}]}}, 'Ineligible'),
                                     ({'all': {'constraints': [{'package': {'packageName': 'shop', 'versionRange': '>=1.0.0'}}]}}, 'Ineligible'),
                                     ({'cel': {'rule': 'properties.exists(p, true)'}}, 'Unknown'),
                                     ({'package': {'packageName': 'other', 'versionRange': '>=1.0.0'}}, 'Eligible')):
            with self.subTest(constraint):
                app = csv('app', '1.0.0')
                app['metadata']['annotations'] = {'operatorframework.io/properties': json.dumps({'properties': [{'type': 'olm.constraint', 'value': constraint}]})}
                shop = next(one for one in self.plan([*WORLD, subscription('app', '1.0.0'), app, condition('app', '1.0.0')], status=None)['operators'] if one['package'] == 'shop')
                self.assertEqual(shop['standing'], standing)
                self.assertEqual([one['check'] for one in shop['obstacles']], [] if standing == 'Eligible' else ['required-by'])

    def test_operators_that_require_each_other_end(self):
        world = [source(), group()]
        for name, needs in (('a', 'C'), ('b', 'A'), ('c', 'B')):
            world += [subscription(name, '1.0.0'), csv(name, '1.0.0', owned=[name.upper()], required=[needs]), condition(name, '1.0.0')]
        self.assertEqual(len(self.plan(world)['operators']), 3)

    def test_the_version_that_would_unblock_and_its_path(self):
        own = 'installModes: [{type: OwnNamespace, supported: true}]'
        text = package('shop', '1.0.0', metadata=own) + '---\n' + package('shop', '1.1.0', metadata=own).split('---\n', 2)[2] + '---\n' + \
            package('shop', '1.2.0').split('---\n', 2)[2]
        text = text.replace('entries:\n- name: shop.v1.0.0\n',
                            'entries: [{name: shop.v1.0.0}, {name: shop.v1.1.0, replaces: shop.v1.0.0}, {name: shop.v1.2.0, replaces: shop.v1.1.0}]\n')
        self.write('catalog/a.yaml', text)
        world = [source(), group(targets=['shop']), subscription('shop', '1.0.0'), OWN, condition('shop', '1.0.0')]
        self.assertEqual(self.plan(world, status=1)['operators'][0]['detour'], {'bundle': 'shop.v1.2.0', 'steps': ['shop.v1.1.0', 'shop.v1.2.0']})
        self.write('catalog/a.yaml', text.replace(', {name: shop.v1.2.0, replaces: shop.v1.1.0}]', ']') +
                   '---\nschema: olm.channel\npackage: shop\nname: fast\nentries: [{name: shop.v1.2.0, skips: [shop.v1.0.0]}]\n')
        self.assertEqual(self.plan(world, status=1)['operators'][0]['detour'], {'bundle': 'shop.v1.2.0', 'steps': ['shop.v1.2.0'], 'channel': 'fast'})

    def test_a_package_of_olm_v1_has_moved(self):
        [one] = self.plan([extension('shop')], status=0)['operators']
        self.assertEqual((one['standing'], one['installed']), ('AlreadyMigrated', 'shop.v1.0.0'))

    def test_catalogs(self):
        world = [*WORLD, source('operators', 'team', image='registry.example.org/other:v1'), source('copy', 'a', image='registry.example.org/index:v1'),
                 source('digest', image='x@sha256:' + '0' * 64, updateStrategy={'registryPoll': {'interval': '10m'}}),
                 source('polled', image='x:1', updateStrategy={'registryPoll': {'interval': '1h30m'}}, priority=-99999999999),
                 source('known', image='registry.example.org/known:v1'), cluster_catalog('there', 'registry.example.org/known:v1'),
                 source('taken', image='registry.example.org/mine:v1'), cluster_catalog('taken', 'registry.example.org/theirs:v1')]
        plans = {(one['namespace'], one['name']): one for one in self.plan(world)['catalogs']}
        self.assertEqual(plans['a', 'copy']['clusterCatalog'], 'copy')
        self.assertEqual((plans['olm', 'operators']['clusterCatalog'], plans['olm', 'operators'].get('exists')), ('copy', True))
        self.assertEqual(plans['team', 'operators']['clusterCatalog'], 'operators-team')
        self.assertNotIn('pollIntervalMinutes', json.dumps(plans['olm', 'digest']))
        self.assertEqual(plans['olm', 'polled']['object']['spec']['source']['image']['pollIntervalMinutes'], 90)
        self.assertEqual(plans['olm', 'polled']['object']['spec']['priority'], -2147483648)
        self.assertEqual((plans['olm', 'known']['clusterCatalog'], plans['olm', 'known']['exists']), ('there', True))
        self.assertEqual(plans['olm', 'taken']['clusterCatalog'], 'taken-olm')

    def test_yaml_has_the_objects_and_a_runbook_nothing_live(self):
        evil = copy.deepcopy(WORLD)
        evil[0]['spec']['image'] = '``` @all #1 <script>'
        self.write_json('cluster.json', evil)
        run = lambda form: self.opcat('migrate-olm', 'plan', '--cluster', 'cluster.json', '--catalog', f'{CATALOG}=catalog', '-o', form)
        self.assertEqual(run('yaml').out.count('\nkind: ') , 2)
        book = run('markdown').out
        self.assertIn('````yaml\n', book)
        self.assertIn('kubectl get subscription,csv,installplan,operatorgroup -n shop', book)
        self.assertIn('Eligible', run('text').out)

    def test_what_olm_v1_does_not_do_is_said_where_the_objects_are(self):
        manual = with_object(subscription('shop', '1.0.0', installPlanApproval='Manual'))
        lost = 'upgrades waited for approval (installPlanApproval: Manual)'
        self.write_json('cluster.json', manual)
        for form, said in (('text', f'shop (namespace shop): OLM v1 does not do\n  - {lost}'), ('yaml', f'---\n# OLM v1 does not do: {lost}')):
            self.assertIn(said, self.opcat('migrate-olm', 'plan', '--cluster', 'cluster.json', '--catalog', f'{CATALOG}=catalog', '-o', form).out)

    def test_manifests_without_objects_of_olm_v1_do_not_say_that_there_are_none(self):
        for objects, warns in ((WORLD, True), ([*WORLD, cluster_catalog('a', 'b:1')], False)):
            self.write_json('cluster.json', objects)
            done = self.opcat('migrate-olm', 'plan', '--cluster', 'cluster.json', '--catalog', f'{CATALOG}=catalog')
            self.assertEqual('no object of OLM v1' in done.err, warns)

    def test_a_fleet_has_a_line_for_each_cluster(self):
        self.write_json('a.json', WORLD)
        self.write('b.json', '{')
        self.write('fleet.jsonl', '\n'.join(json.dumps(one) for one in (
            {'cluster': 'a', 'manifests': ['a.json']}, {'cluster': 'b', 'manifests': ['b.json']}, {'cluster': 'c'}, {'cluster': 'd', 'manifests': ['none.json']})))
        done = self.opcat('migrate-olm', 'plan', '--fleet', 'fleet.jsonl', '--catalog', f'{CATALOG}=catalog')
        self.assert_status(done, 1)
        answers = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([one['cluster'] for one in answers], ['a', 'b', 'c', 'd'])
        self.assertEqual(answers[0]['summary']['Eligible'], 1)
        self.assertEqual(['error' in one for one in answers], [False, True, True, True])

    def test_wrong_requests(self):
        self.write('empty.json', '{"kind": "List", "items": []}')
        for arguments, words in (((), 'no cluster is named'), (('--cluster', 'empty.json'), 'there is no Subscription'),
                                 (('--cluster', 'empty.json', '--fleet', 'x'), '--cluster cannot be combined with'),
                                 (('--fleet', 'x', '-o', 'yaml'), '--fleet prints JSON Lines'),
                                 (('--cluster', 'empty.json', '--catalog', 'a=b'), 'NAMESPACE/NAME is missing'),
                                 (('--cluster', 'empty.json', '--catalog', 'a/b=catalog,priority=1'), 'a priority has no meaning here')):
            with self.subTest(arguments):
                done = self.opcat('migrate-olm', 'plan', *arguments)
                self.assert_status(done, 2)
                self.assertIn(words, done.err)


if __name__ == '__main__':
    unittest.main()
