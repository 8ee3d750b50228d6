"""Covers lib/graph/api_regressions.cpp: what `opcat diff` says about the users of a new catalog."""
import base64
import json
import shutil
import subprocess

from opcat_case import CATALOGS, OpcatCase

PACKAGE = 'schema: olm.package\nname: foo\ndefaultChannel: stable\n'


def crd(*versions, **field):
    schema = {'type': 'object', 'properties': {'size': {'type': 'integer', **field}}}
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition', 'metadata': {'name': 'foos.example.com'},
            'spec': {'group': 'example.com', 'scope': 'Namespaced', 'names': {'kind': 'Foo', 'plural': 'foos'},
                     'versions': [{'name': v, 'served': True, 'storage': v == 'v1', 'schema': {'openAPIV3Schema': schema}} for v in versions]}}


def bundle(version, definition=None, image=None, related=()):
    properties = [{'type': 'olm.package', 'value': {'packageName': 'foo', 'version': version}}]
    if definition:
        data = base64.b64encode(json.dumps(definition).encode()).decode()
        properties.append({'type': 'olm.bundle.object', 'value': {'data': data}})
    return '---\n' + json.dumps({'schema': 'olm.bundle', 'package': 'foo', 'name': f'foo.v{version}', 'image': image or f'i.example/foo:{version}',
                                 'properties': properties, 'relatedImages': [{'name': str(i), 'image': r} for i, r in enumerate(related)]}) + '\n'


def channel(name, *entries):
    return f'---\nschema: olm.channel\npackage: foo\nname: {name}\nentries:\n' + ''.join(f'- {json.dumps(entry)}\n' for entry in entries)


def entry(version, replaces=None, **more):
    return {'name': f'foo.v{version}', **({'replaces': f'foo.v{replaces}'} if replaces else {}), **more}


class Regressions(OpcatCase):
    def diff(self, old, new, *arguments):
        self.write('old.yaml', old)
        self.write('new.yaml', new)
        return self.opcat('diff', 'old.yaml', 'new.yaml', *arguments)

    def kinds(self, old, new, *arguments):
        return [(one['kind'], one['installed']) for one in self.diff(old, new, '-o', 'json', *arguments).json()['regressions']]

    def test_each_kind_is_found_and_fails_alone(self):
        one = PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0', crd('v1alpha1', 'v1'))
        two = channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0'))
        both = PACKAGE + two + bundle('1.0.0') + bundle('1.1.0')
        for kind, old, new in (
                ('api-removed', one, PACKAGE + two + bundle('1.0.0', crd('v1alpha1', 'v1')) + bundle('1.1.0', crd('v1'))),
                ('crd-narrowed', one, PACKAGE + two + bundle('1.0.0', crd('v1alpha1', 'v1')) + bundle('1.1.0', crd('v1alpha1', 'v1', minimum=3))),
                # The edge may be a range, and the old version gone from the catalog.
                ('crd-narrowed', one, PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', skipRange='<1.1.0')) +
                 bundle('1.0.0', crd('v1alpha1', 'v1')) + bundle('1.1.0', crd('v1alpha1', 'v1', minimum=3))),
                ('crd-narrowed', one, PACKAGE + channel('stable', entry('1.1.0', '1.0.0')) + bundle('1.1.0', crd('v1alpha1', 'v1', minimum=3))),
                ('stranded', both, PACKAGE + channel('stable', entry('1.1.0')) + bundle('1.1.0')),
                ('removed', both, PACKAGE + channel('stable', entry('1.1.0')) + bundle('1.1.0')),
                ('removed', both, PACKAGE + channel('stable', entry('1.1.0', '1.0.0')) + channel('old', entry('1.0.0')) + bundle('1.0.0') + bundle('1.1.0')),
                ('package-removed', both, both.replace('foo', 'bar')),
                ('rewritten', both, both.replace('i.example/foo:1.0.0', 'i.example/foo:other')),
                ('rewritten', both, both.replace('"version": "1.0.0"', '"version": "1.0.5"')),
                ('stranded', both + channel('fast', entry('2.0.0')) + bundle('2.0.0'), both),
                ('image-changed', both, PACKAGE + two + bundle('1.0.0', related=['i.example/x:1']) + bundle('1.1.0')),
                ('ambiguous', both, PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0')) + bundle('1.0.0') + bundle('1.1.0')),
                ('default-channel', both, both.replace('defaultChannel: stable', 'defaultChannel: x') + channel('x', entry('1.1.0', '1.0.0'))),
                ('skipped-again', both.replace('"replaces": "foo.v1.0.0"', '"replaces": "foo.v1.0.0", "skips": ["foo.v1.0.0"]'), both)):
            with self.subTest(kind, new=new):
                self.assertIn(kind, [found for found, _ in self.kinds(old, new)])
                self.assertEqual(self.diff(old, new, '--fail-on', kind).status, 1)
                self.assertEqual(self.diff(old, new, '--fail-on', 'any').status, 1)
                # OLM v1 leaves behind whom no edge leads on.
                other = 'stranded' if kind not in ('stranded', 'removed', 'ambiguous') else 'rewritten'
                self.assertEqual(self.diff(old, new, '--fail-on', other).status, 0)
        self.assertEqual(self.diff(both, both, '--fail-on', 'any').status, 0)

    def test_a_version_that_another_package_requires_and_that_goes_is_a_regression(self):
        def catalog(required, *versions):
            text = PACKAGE + channel('stable', *(entry(v, versions[i - 1] if i else None) for i, v in enumerate(versions)))
            other = json.loads(bundle('1.0.0')[4:].replace('foo', 'bar'))
            other['properties'].append({'type': 'olm.package.required', 'value': {'packageName': 'foo', 'versionRange': required}})
            return (text + ''.join(map(bundle, versions)) + '---\n' + (PACKAGE + channel('stable', entry('1.0.0'))).replace('foo', 'bar') +
                    '---\n' + json.dumps(other) + '\n')
        old = catalog('=1.0.0', '1.0.0', '1.1.0')
        for new, words in ((catalog('=1.0.0', '1.1.0'), 'bar.v1.0.0 requires foo =1.0.0, and the catalog has no such version'),
                           (catalog('=7.0.0', '1.0.0', '1.1.0'), 'bar.v1.0.0 requires foo =7.0.0'),
                           (catalog('=7.0.0', '1.0.0', '1.1.0').replace('versionRange', 'VersionRange'), 'bar.v1.0.0 requires foo =7.0.0'),
                           (old[old.index('---\n', old.rindex('"foo.v1.1.0"')) + 4:], 'bar.v1.0.0 requires foo, which is gone')):
            with self.subTest(words):
                result = self.diff(old, new, '--fail-on', 'unmet')
                self.assertEqual(result.status, 1, result)
                self.assertIn(f'[unmet] bar: {words}' if '[unmet] bar: ' in result.out else words, result.out)
                self.assertEqual(self.diff(new, new, '--fail-on', 'any').status, 0)
        self.assertEqual(self.diff(old, old.replace('=1.0.0', '>=1.0.0 <2.0.0'), '--fail-on', 'unmet').status, 0)

    def test_who_is_in_another_channel_or_led_on_from_there_is_not_stranded_by_a_channel_that_goes(self):
        stable = channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0'))
        both = PACKAGE + stable + bundle('1.0.0') + bundle('1.1.0')
        for gone, after in ((channel('fast', entry('1.1.0')), both), (channel('fast', entry('1.0.0')), both),
                            (channel('fast', entry('0.9.0')) + bundle('0.9.0'),
                             PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0', skipRange='<1.1.0')) + bundle('1.0.0') + bundle('1.1.0')),
                            (channel('fast', entry('0.9.0')) + bundle('0.9.0'),
                             PACKAGE + channel('stable', entry('1.0.0', '0.9.0'), entry('1.1.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0'))):
            self.assertNotIn('stranded', [kind for kind, _ in self.kinds(both + gone, after)])

    def test_a_list_without_installed_bundles_is_a_mistake(self):
        self.write('installed', '# none\n')
        self.assertIn('names no installed bundle', self.diff(PACKAGE, PACKAGE, '--installed', 'installed').err)

    def test_two_bundles_are_an_edge(self):
        self.assertEqual(self.kinds(bundle('1.0.0', crd('v1')), bundle('1.1.0', crd('v1', minimum=3))), [('crd-narrowed', ['foo.v1.0.0'])])

    def test_regressions_in_allowed_channels_do_not_fail(self):
        old = PACKAGE + channel('stable', entry('1.0.0')) + channel('candidate-1', entry('1.0.0'), entry('1.1.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0')
        new = PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0')
        result = self.diff(old, new, '--fail-on', 'any', '--allow', 'cand*')
        self.assertEqual(result.status, 0, result)
        self.assertIn('no regressions\n\nallowed regressions\n', result.out)
        self.assertIn('[removed] foo: channel candidate-1 is gone', result.out)
        self.assertEqual(self.diff(old, new, '--fail-on', 'any', '--allow', 'fast').status, 1)

    def test_only_what_is_installed_matters(self):
        old = PACKAGE + channel('stable', entry('1.1.0', skipRange='<1.1.0')) + bundle('1.1.0')
        new = PACKAGE + channel('stable', entry('1.1.0', skipRange='>=1.0.0 <1.1.0')) + bundle('1.1.0')
        self.assertEqual(self.kinds(old, new), [])
        # A version that the old catalog no longer has loses its upgrade.
        for line, lost in (('foo@0.9.0', ['foo@0.9.0']), ('foo@1.0.1', None), ('# foo@0.9.0\nfoo.v1.1.0', None)):
            self.write('installed', f'{line}\n')
            self.assertEqual(self.kinds(old, new, '--installed', 'installed'), [('stranded', lost)] if lost else [], line)
        self.write('installed', 'fooo.v1\n')
        self.assertEqual(self.diff(old, new, '--installed', 'installed').status, 2)
        self.write('installed', 'foo@1.0.1  # on all clusters\n#foo.v9\n')
        self.assertEqual(self.diff(old, new, '--installed', 'installed').status, 0)

    def test_generations_of_olm_differ(self):
        old = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0')
        new = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0'), entry('1.2.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0') + bundle('1.2.0')
        self.assertEqual([kind for kind, _ in self.kinds(old, new, '--olm', 'classic')], ['unservable', 'ambiguous'])
        self.assertEqual([kind for kind, _ in self.kinds(old, new, '--olm', 'v1')], ['stranded'])

    def test_a_head_that_olm_v1_no_longer_installs_strands_its_users(self):
        old = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0')
        needs = '{"type": "olm.package.required", "value": {"packageName": "zz", "versionRange": ">=1.0.0"}}'
        head, _, tail = old.rpartition('"properties": [')
        new = head + '"properties": [' + needs + ', ' + tail
        self.assertEqual(self.kinds(old, new), [('stranded', ['foo.v1.0.0'])])
        self.assertIn('it does not install foo.v1.1.0: it declares a dependency (olm.package.required)', self.diff(old, new).out)
        self.assertEqual(self.kinds(old, new, '--olm', 'classic'), [])

    def test_a_broken_channel_does_not_hide_whom_olm_v1_leaves_behind(self):
        old = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0')
        new = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0')) + bundle('1.0.0') + bundle('1.1.0')
        self.assertEqual([kind for kind, _ in self.kinds(old, new)], ['unservable', 'stranded', 'ambiguous'])
        self.assertEqual(self.diff(old, new, '--fail-on', 'stranded').status, 1)
        self.assertEqual([kind for kind, _ in self.kinds(old, new, '--olm', 'classic')], ['unservable', 'ambiguous'])

    def test_a_bundle_that_no_longer_provides_an_api_is_a_regression(self):
        without = PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0')
        with_api = without.replace('"properties": [', '"properties": [{"type": "olm.gvk", "value": {"group": "g.example", "version": "v1", "kind": "Thing"}}, ')
        self.assertIn('[api-removed] foo: foo.v1.0.0 no longer provides Thing g.example/v1', self.diff(with_api, without).out)
        self.assertEqual(self.kinds(without, with_api), [])

    def test_a_catalog_that_opm_refuses_is_a_regression(self):
        good = PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0')
        broken = good + channel('stable', entry('1.0.0'))
        self.assertIn('[unservable] foo: opm refuses the whole catalog: channel "stable" of package "foo" is defined again', self.diff(good, broken).out)
        self.assertEqual([kind for kind, _ in self.kinds(good, broken, '--olm', 'v1')], [])
        result = self.diff(broken, broken + '# again\n' + bundle('1.1.0'))
        self.assertIn('opm refuses the whole catalog: channel "stable" of package "foo" is defined again; it refused the old one, too', result.err)

    def test_an_empty_old_catalog_is_refused(self):
        (self.dir / 'empty').mkdir()
        self.write('new/a.yaml', PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0'))
        for words in (('empty', 'new'), ('-q', 'empty', 'new'), ('empty', 'empty'), ('--fragment', 'empty', 'new')):
            with self.subTest(words):
                run = self.opcat('diff', *words)
                self.assert_status(run, 1)
                self.assertEqual(run.out, '')
                self.assertIn('error: empty is empty', run.err)
        self.assertEqual(self.opcat('diff', 'empty', 'new', '--allow-empty').out, '+ foo (added)\n\nno regressions\n')
        self.assertIn('[package-removed]', self.opcat('diff', 'new', 'empty').out)

    def test_a_new_catalog_that_opm_refuses_is_a_regression(self):
        self.commit()
        self.write('d/a.yaml', (self.dir / 'c/a.yaml').read_text() + channel('stable', entry('1.0.0')))
        run = self.opcat('diff', '--changed-since', 'main', '--fail-on', 'any')
        self.assert_status(run, 1)
        self.assertIn('[unservable] foo: opm refuses the whole catalog: channel "stable" of package "foo" is defined again', run.out)

    def test_values_that_look_the_same_are_told_apart(self):
        def with_value(value):
            return PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0').replace('"properties": [', '"properties": [{"type": "x", "value": {"a": %s}}, ' % value)
        long = 'é' * 200
        for before, after, said in (('1', '"1"', 'a was 1 and is "1"'), ('1', '1.0', 'a is 1 in another spelling'), ('null', '"null"', 'a was null and is "null"'),
                                    (f'"{long}A{long}"', f'"{long}B{long}"', 'a was …' + 'é' * 15 + 'A')):
            self.assertIn(said, self.diff(with_value(before), with_value(after)).out)

    def commit(self):
        """The catalog c/a.yaml, on the branch main."""
        self.write('c/a.yaml', PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0'))
        for words in (('init', '-q', '-b', 'main'), ('add', '-A'), ('commit', '-qm', 'one')):
            subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@example', *words], cwd=self.dir, check=True, capture_output=True)
        return (self.dir / 'c/a.yaml').read_text()

    def test_the_catalog_of_a_commit_is_refused_for_what_equal_files_have(self):
        self.write('c/b.yaml', self.commit())
        for words in (('main:c', 'c'), ('--changed-since', 'main')):
            with self.subTest(words):
                run = self.opcat('diff', *words, '--fail-on', 'unservable')
                self.assert_status(run, 1)
                self.assertIn('[unservable] foo: opm refuses the whole catalog: package "foo" is defined again', run.out)
                self.assertNotIn('has no packages', run.err)

    def test_installed_versions_that_no_changed_catalog_has_are_named(self):
        self.write('c/a.yaml', self.commit() + '---\nschema: x\n')
        self.write('installed', 'fo.v1.0.0\n')
        run = self.opcat('diff', '--changed-since', 'main', '--installed', 'installed')
        self.assertIn('warning: no catalog that changed has fo.v1.0.0, of installed: it is unchanged, or misspelt', run.err)

    def test_packages_and_fragments(self):
        shutil.copytree(CATALOGS / 'streams', self.dir / 'index')
        packages = [row['name'] for row in self.opcat('list', 'packages', 'index', '-o', 'json').json()['packages']]
        self.write('fragment.yaml', PACKAGE + channel('stable', entry('1.0.0')) + bundle('1.0.0'))
        self.assertEqual(self.opcat('diff', '--fragment', 'index', 'fragment.yaml').out.splitlines()[0], '+ foo (added)')
        self.assertIn(f'- {packages[0]} (removed)', self.opcat('diff', 'index', 'fragment.yaml').out)
        only = self.opcat('diff', 'index', 'fragment.yaml', '-p', packages[0], '-o', 'json').json()
        self.assertEqual([one['name'] for one in only['packages']], [packages[0]])
        self.assertEqual(self.opcat('diff', 'index', 'fragment.yaml', '-p', 'fooo').status, 2)

    def test_what_happens_to_users_is_said(self):
        old = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0')) + bundle('1.0.0') + bundle('1.1.0')
        new = PACKAGE + channel('stable', entry('1.0.0'), entry('1.1.0', '1.0.0'), entry('1.2.0', '1.1.0')) + bundle('1.0.0') + bundle('1.1.0') + bundle('1.2.0')
        result = self.diff(old, new)
        self.assertIn('upgrades\n  foo: users of foo.v1.0.0 and foo.v1.1.0 on stable upgrade to foo.v1.2.0\n\nno regressions\n', result.out)

    def test_a_comment_fits_a_forge(self):
        versions = [f'1.{i}.0' for i in range(900)]
        chain = [entry(v, versions[i - 1] if i else None) for i, v in enumerate(versions)]
        old = PACKAGE + channel('stable', *chain) + ''.join(bundle(v) for v in versions)
        text = self.diff(old, PACKAGE + channel('stable', *chain) + ''.join(bundle(v, image='i.example/x:' + 'y' * 200) for v in versions), '-o', 'markdown').out
        self.assertLess(len(text), 60000)
        self.assertRegex(text, r'\n\d+ more lines and graphs are left out: `opcat diff` shows all.\n$')
        self.assertEqual(text.count('<details>'), text.count('</details>'))
