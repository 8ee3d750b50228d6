"""opcat plan where one operator decides what becomes of another, or its Subscription and its neighbours say more than its channel.
Covers lib/planning/neighbours.cpp and lib/planning/manifests.cpp."""
import unittest

from opcat_case import OpcatCase

V1ALPHA1 = 'apiVersion: operators.coreos.com/v1alpha1'
GROUP = 'apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: g, namespace: a}\nspec: {targetNamespaces: [a]}\n'


def bundle(name, version, *properties):
    more = ''.join(f'- {one}\n' for one in properties)
    return (f'---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: r.example/{name}:{version}\nproperties:\n'
            f'- {{type: olm.package, value: {{packageName: {name}, version: {version}}}}}\n{more}')


def channel(package, name, *entries):
    return f'---\nschema: olm.channel\npackage: {package}\nname: {name}\nentries: [{", ".join(entries)}]\n'


MOST_4_16 = '{type: olm.maxOpenShiftVersion, value: "4.16"}'
TWO = '{{name: {0}.v1.0.0}}, {{name: {0}.v1.1.0, replaces: {0}.v1.0.0}}'


def package(name, *more, stable=TWO, old=(MOST_4_16,), new=()):
    """Version 1.0.0 blocks OpenShift 4.17, and 1.1.0 does not."""
    return (f'---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n' + channel(name, 'stable', stable.format(name)) +
            bundle(name, '1.0.0', *old) + bundle(name, '1.1.0', *new) + ''.join(more))


def subscription(name, more='channel: stable', version='1.0.0'):
    return (f'{V1ALPHA1}\nkind: Subscription\nmetadata: {{name: {name}, namespace: a}}\nspec: {{name: {name}, source: s, sourceNamespace: m, {more}}}\n'
            f'status: {{installedCSV: {name}.v{version}, currentCSV: {name}.v{version}}}\n---\n' + csv(f'{name}.v{version}', version))


def csv(name, version='1.0.0', spec='', status='phase: Succeeded'):
    return f'{V1ALPHA1}\nkind: ClusterServiceVersion\nmetadata: {{name: {name}, namespace: a}}\nspec: {{version: {version}, {spec}}}\nstatus: {{{status}}}\n'


def installed(*names):
    return [word for name in names for word in ('--installed', name)]


class Neighbours(OpcatCase):
    def plan(self, *arguments, catalogs, to='4.17', form='json', status=None):
        named = [word for version, text in catalogs.items()
                 for word in ('--catalog', f'{version}={self.write("v" + version + "/c.yaml", text).parent}')]
        done = self.opcat('plan', '--cluster-version', '4.16.3', '--to', to, *named, *arguments, '-o', form)
        if status is not None:
            self.assert_status(done, status)
        return done

    def verdicts(self, *objects, catalogs, **how):
        manifests = self.write('cluster.yaml', '---\n'.join(objects))
        done = self.plan('--cluster', manifests, catalogs=catalogs, **how)
        self.assertNotEqual(done.out, '', done.err)
        return [(one['verdict'], one.get('error') or '') for one in done.json()['operators']]

    def test_a_manual_subscription_makes_all_upgrades_of_its_namespace_wait_and_one_approval_makes_them(self):
        both = package('foo') + package('bar')
        for names, by_itself in ((('foo.v1.0.0,channel=stable,namespace=a', 'bar.v1.0.0,channel=stable,namespace=a,manual'), False),
                                 (('foo.v1.0.0,channel=stable,namespace=b', 'bar.v1.0.0,channel=stable,namespace=a,manual'), True)):
            done = self.plan(*installed(*names), catalogs={'4.16': both, '4.17': both}, status=0).json()
            groups = done['stops'][0]['before']
            self.assertEqual([[step['package'] for step in group] for group in groups], [['foo'], ['bar']] if by_itself else [['foo', 'bar']])
            self.assertEqual(groups[0][0]['byItself'], by_itself)

    def test_an_approval_that_would_make_an_upgrade_that_is_not_wanted_is_not_planned(self):
        # The upgrade of bar has an upper limit that keeps OpenShift back.
        catalog = package('foo') + package('bar', old=(), new=(MOST_4_16,))
        done = self.plan(*installed('foo.v1.0.0,channel=stable,namespace=a', 'bar.v1.0.0,channel=stable,namespace=a,manual'),
                         catalogs={'4.16': catalog, '4.17': catalog}, form='text', status=1)
        self.assertIn('an approval makes all upgrades of namespace a: on OpenShift 4.16 also to bar.v1.1.0', done.out)

    def test_a_subscription_without_a_channel_takes_upgrades_from_each(self):
        fast = channel('foo', 'fast', '{name: foo.v2.0.0, replaces: foo.v1.1.0}') + bundle('foo', '2.0.0', MOST_4_16)
        for catalog, verdict in ((package('foo'), 'ok'), (package('foo', fast), 'unknown')):
            (found, why), = self.verdicts(subscription('foo', more=''), catalogs={'4.16': catalog, '4.17': catalog})
            self.assertEqual(found, verdict)
            self.assertIn('names no channel, so OLM takes upgrades from each of' if verdict == 'unknown' else '', why)

    def test_a_channel_that_is_gone_is_left_before_anything_of_its_namespace_is_upgraded(self):
        catalog = package('foo') + package('bar')
        names = installed('foo.v1.0.0,channel=stable,namespace=a', 'bar.v1.0.0,channel=old,namespace=a')
        stop = self.plan(*names, catalogs={'4.16': catalog, '4.17': catalog}, status=0).json()['stops'][0]
        self.assertEqual([(step['kind'], step['package']) for group in stop['before'] for step in group],
                         [('switch-channel', 'bar'), ('upgrade', 'foo'), ('upgrade', 'bar')])
        # Nobody leaves a channel that is missing on the way only: what becomes of the neighbours there is not known.
        old = channel('bar', 'old', TWO.format('bar'))
        most = '{type: olm.maxOpenShiftVersion, value: "4.17"}'
        first = '---\nschema: olm.package\nname: foo\ndefaultChannel: stable\n' + channel('foo', 'stable', '{name: foo.v1.0.0}') + bundle('foo', '1.0.0', most)
        three = {'4.16': first + package('bar', old, old=()), '4.17': package('foo', old=(most,)) + package('bar', old=()),
                 '4.18': package('foo') + package('bar', old, old=())}
        names = installed('foo.v1.0.0,channel=stable,namespace=a,manual', 'bar.v1.1.0,channel=old,namespace=a')
        self.assertIn('OLM classic resolves nothing in namespace a on OpenShift 4.17: the channel of bar.v1.1.0',
                      self.plan(*names, catalogs=three, to='4.18', form='text', status=1).out)

    def test_what_olm_v1_upgrades_without_edges_is_not_planned(self):
        extension = ('apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {name: foo}\nspec: {namespace: x, source: {sourceType: Catalog, '
                     'catalog: {packageName: foo, upgradeConstraintPolicy: %s}}}\nstatus: {install: {bundle: {name: foo.v1.0.0, version: 1.0.0}}}\n')
        for policy, verdict in (('SelfCertified', 'unknown'), ('CatalogProvided', 'ok')):
            (found, _), = self.verdicts(extension % policy, catalogs={'4.16': package('foo'), '4.17': package('foo')})
            self.assertEqual(found, verdict, policy)

    def test_what_olm_classic_installs_and_does_not_run_is_not_ok(self):
        modes = '{type: olm.csv.metadata, value: {installModes: [{type: AllNamespaces, supported: true}]}}'
        kube = '{type: olm.csv.metadata, value: {minKubeVersion: "%s"}}'
        for more, objects, words in ((modes, GROUP, 'fails with reason UnsupportedOperatorGroup: OwnNamespace'), (modes, GROUP.replace('targetNamespaces: [a]', ''), ''),
                                     (kube % 'foo', GROUP, 'has minKubeVersion foo, which is not a version'), (kube % '1', GROUP, 'which is not a version'),
                                     (kube % '1.20.0', GROUP, '')):
            catalog = package('foo', new=(more,))
            (found, why), = self.verdicts(subscription('foo'), objects, catalogs={'4.16': catalog, '4.17': catalog})
            self.assertEqual(found, 'unknown' if words else 'ok', why)
            self.assertIn(words, why)

    def test_two_operators_with_one_api_are_not_resolved_in_one_namespace(self):
        api = '{type: olm.gvk, value: {group: ex.example, version: v1, kind: Foo}}'
        catalog = package('foo', new=(api,)) + package('bar', old=(api,))
        same, other = (self.plan(*installed('foo.v1.0.0,channel=stable,namespace=a', f'bar.v1.0.0,channel=stable,namespace={ns}'),
                                 catalogs={'4.16': catalog, '4.17': catalog}, form='text').out for ns in 'ab')
        self.assertIn('also provides Foo of ex.example in namespace a', same)
        self.assertNotIn('also provides', other)

    def test_a_package_of_both_generations_is_not_known_however_it_is_named(self):
        catalogs = {'4.16': package('foo'), '4.17': package('foo')}
        both = ('foo.v1.1.0,channel=stable,namespace=a', 'foo.v1.1.0,olm=v1')
        self.assertIn('is installed 2 times, also by OLM v1', self.plan(*installed(*both), catalogs=catalogs, form='text', status=1).out)
        fleet = self.write('fleet.jsonl', '{"cluster": "c", "operators": ["%s", "%s"]}\n' % both)
        self.assertIn('is installed 2 times, also by OLM v1', self.plan('--fleet', fleet, catalogs=catalogs, form='json').out)

    def test_a_copy_and_versions_that_replace_themselves_hide_no_operator(self):
        catalogs = {'4.16': package('foo'), '4.17': package('foo')}
        alone = csv('bar.v1.0.0')
        copy = csv('bar.v2.0.0', '2.0.0', 'replaces: bar.v1.0.0', 'reason: Copied')
        for objects in ((alone,), (alone, copy), (csv('bar.v1.0.0', spec='replaces: bar.v1.0.0'),),
                        (csv('bar.v1.0.0', spec='replaces: bar.v2.0.0'), csv('bar.v2.0.0', '2.0.0', 'replaces: bar.v1.0.0'))):
            self.assertIn(('unknown', 'no Subscription upgrades it'), self.verdicts(subscription('foo', version='1.1.0'), *objects, catalogs=catalogs))

    def test_an_original_of_which_only_a_copy_is_given_is_not_known(self):
        catalogs = {'4.16': package('foo'), '4.17': package('foo')}
        copied = csv('bar.v1.0.0', status='reason: Copied').replace('namespace: a}', 'namespace: a, labels: {olm.copiedFrom: b}}')
        original = csv('bar.v1.0.0').replace('namespace: a}', 'namespace: b}')
        said = ('unknown', 'only a copy of it, in namespace a, is among the manifests')
        self.assertIn(said, self.verdicts(subscription('foo', version='1.1.0'), copied, catalogs=catalogs))
        self.assertNotIn(said, self.verdicts(subscription('foo', version='1.1.0'), copied, original, catalogs=catalogs))

    def test_a_package_that_moves_to_another_catalog_is_not_known(self):
        foo, bar = package('foo'), package('bar')
        self.write('bar18.yaml', bar)
        self.write('foo18.yaml', foo)
        manifest = self.write('m.yaml', subscription('foo', version='1.1.0'))
        for second, said in ((('bar18.yaml', 'foo18.yaml'), 'OpenShift 4.16 has it in '), (('foo18.yaml', 'bar18.yaml'), None)):
            done = self.opcat('plan', '--cluster-version', '4.16.3', '--to', '4.17', '--catalog', f'4.16={self.write("foo17.yaml", foo)}',
                              *(word for one in second for word in ('--catalog', f'4.17={one}')), '--cluster', manifest)
            self.assert_status(done, 1 if said else 0)
            self.assertEqual('and OpenShift 4.17 in foo18.yaml: with OLM classic the CatalogSource of its Subscription must have both' in done.out, bool(said))

    def test_objects_that_are_only_a_part_are_refused(self):
        catalogs = {'4.16': package('foo'), '4.17': package('foo')}
        foo = subscription('foo', version='1.1.0')
        items = 'apiVersion: v1\nitems: []\nkind: List\n'
        for more, words in ((items + items, 'key apiVersion is given twice in one object'),
                            ('apiVersion: v1\nkind: SubscriptionList\nmetadata: {continue: abc}\nitems: []\n', 'SubscriptionList is only a part of the list'),
                            ('apiVersion: v1\nkind: Status\nstatus: Failure\nmessage: no rights\n', 'this is a failure of the API server, not an object: no rights'),
                            ('apiVersion: v1\nkind: List\nitems: {x: {}}\n', 'the items of List are no list'),
                            ('kind: Subscription\nmetadata: {name: x, namespace: y}\n', 'Subscription x has no apiVersion of OLM'),
                            ('apiVersion: meta.k8s.io/v1\nkind: PartialObjectMetadata\nmetadata: {name: x}\n', 'a PartialObjectMetadata has not all of an object')):
            with self.subTest(words):
                manifests = self.write('cluster.yaml', foo + '---\n' + more)
                self.assertIn(words, self.plan('--cluster', manifests, catalogs=catalogs, status=1).err)

    def test_a_link_that_is_not_followed_is_said(self):
        catalogs = {'4.16': package('foo'), '4.17': package('foo')}
        self.write('cluster/a/foo.yaml', subscription('foo', version='1.1.0'))
        (self.dir / 'cluster/again').symlink_to('a')
        self.plan('--cluster', 'cluster', catalogs=catalogs, status=0)
        self.write('elsewhere/bar.yaml', subscription('bar'))
        for link, words in (('../elsewhere', 'is a link to a directory elsewhere'), ('nowhere.yaml', 'the link leads nowhere')):
            (self.dir / 'cluster/link.yaml').unlink(missing_ok=True)
            (self.dir / 'cluster/link.yaml').symlink_to(link)
            self.assertIn(words, self.plan('--cluster', 'cluster', catalogs=catalogs, status=3).err)


if __name__ == '__main__':
    unittest.main()
