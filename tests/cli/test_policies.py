"""Covers lib/policy/base_revision.cpp and lib/policy/fragment_image.cpp and lib/policy/related_images.cpp and lib/policy/run_fragment.cpp and lib/policy/run_repository.cpp and lib/policy/selection.cpp and lib/policy/test_output.cpp and lib/policy/upgrade_graph.cpp. `opcat validate --policy`: the verdicts of the official pipelines, for people and as their own words in JSON."""
import json
import subprocess
import unittest

from opcat_case import Layout, OpcatCase, make_layer

DIGEST = '@sha256:' + '0' * 64
CONFIGS = 'operators.operatorframework.io.index.configs.v1'
VERSIONS = 'com.redhat.fbc.openshift.version'
BASE = 'org.opencontainers.image.base.name'
PACKAGE = '''schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
package: shop
name: stable
entries: [{name: shop.v1.0.0}]
'''
BUNDLE = f'''---
schema: olm.bundle
name: shop.v1.0.0
package: shop
image: registry.redhat.io/shop/bundle{DIGEST}
properties:
- type: olm.package
  value: {{packageName: shop, version: 1.0.0}}
- type: olm.csv.metadata
  value: {{displayName: Shop}}
'''
CSV = '''metadata: {name: shop.vVERSION}
spec: {version: VERSION, displayName: Shop}
'''
ANNOTATIONS = '''annotations:
  operators.operatorframework.io.bundle.package.v1: shop
  operators.operatorframework.io.bundle.channels.v1: stable
'''


class Policies(OpcatCase):
    def write(self, path, text):
        file = self.dir / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def make_fragment(self, name='configs', text=PACKAGE + BUNDLE):
        self.write(f'{name}/shop/catalog.yaml', text)

    def make_repository(self, name='repo', versions=('1.0.0',)):
        self.write(f'{name}/operators/shop/ci.yaml', 'updateGraph: replaces-mode\n')
        for version in versions:
            self.write(f'{name}/operators/shop/{version}/manifests/shop.clusterserviceversion.yaml', CSV.replace('VERSION', version))
            self.write(f'{name}/operators/shop/{version}/metadata/annotations.yaml', ANNOTATIONS)

    def tasks(self, *arguments, status=0):
        done = self.opcat('validate', *arguments, '--policy-report', '-')
        self.assert_status(done, status)
        return done.json()['tasks']

    def test_a_good_fragment_passes_and_what_is_not_checked_is_said(self):
        self.make_fragment()
        done = self.opcat('validate', 'configs', '--policy', 'konflux', '--openshift', '4.18')
        self.assert_status(done, 0)
        for check in ('validate-fbc grpc_health_probe', 'validate-fbc related-images', 'fbc-target-index-pruning-check', 'deprecated-image-check'):
            self.assertIn(f'not checked here: {check}: ', done.err)
        files = [word for form in ('json', 'junit', 'sarif') for word in ('--report', f'{form}={form}')]
        self.assert_status(self.opcat('validate', 'configs', '--policy', 'konflux', '--openshift', '4.18', '-q', *files), 0)
        for form, words in (('json', '"check": "validate-fbc related-images"'), ('junit', '<testcase classname="opcat" name="validate-fbc related-images">\n      <skipped message='),
                            ('sarif', '"text": "not checked here: validate-fbc related-images: ')):
            self.assertIn(words, (self.dir / form).read_text())
        report = self.opcat('validate', 'configs', '--policy', 'konflux', '--openshift', '4.18', '--policy-report', '-').json()
        self.assertEqual(report['tasks'], {'validate-fbc': {'result': 'SUCCESS', 'messages': []}})
        self.assertIn('validate-fbc related-images', [one['check'] for one in report['not_checked']])

    def test_a_bad_fragment_fails_in_the_official_words_and_at_its_place(self):
        self.make_fragment(text=(PACKAGE + BUNDLE).replace(DIGEST, ':1'))
        self.assertEqual(self.tasks('configs', '--policy', 'konflux', '--openshift', '4.18', status=1)['validate-fbc'],
                         {'result': 'FAILURE', 'messages': ['!FAILURE! - The following olm.bundle image references are not digest-pinned:\n'
                                                            '  registry.redhat.io/shop/bundle:1']})
        done = self.opcat('validate', 'configs', '--policy', 'konflux', '--openshift', '4.18')
        self.assert_status(done, 1)
        self.assertIn('configs/shop/catalog.yaml:13:8: error: validate-fbc: The following olm.bundle image references are not digest-pinned: '
                      'registry.redhat.io/shop/bundle:1 [policy]', done.out)
        self.assertIn('help: name the image by its digest', done.out)

    def test_a_baseline_decides_on_the_exit_status_of_every_form(self):
        self.make_fragment(text=(PACKAGE + BUNDLE).replace(DIGEST, ':1'))
        ask = ('validate', 'configs', '--policy', 'konflux', '--openshift', '4.18')
        self.assert_status(self.opcat(*ask, '--write-baseline', 'known.json'), 0)
        for more in (), ('--policy-report', 'r.json'), ('--policy-report', '-'):
            self.assert_status(self.opcat(*ask, '--baseline', 'known.json', *more), 0)
            self.assert_status(self.opcat(*ask, *more), 1)

    def test_the_version_is_that_of_the_nearest_folder(self):
        self.make_fragment('v4.16/configs')
        messages = self.tasks('v4.16/configs', '--policy', 'konflux', status=1)['validate-fbc']['messages']
        self.assertIn('for OCP version 4.16.', messages[0])
        self.make_fragment()
        done = self.opcat('validate', 'configs', '--policy', 'konflux')
        self.assert_status(done, 2)
        self.assertIn('add --openshift', done.err)

    def test_pruning_is_compared_with_the_target_index(self):
        self.make_fragment()
        self.make_fragment('index', PACKAGE.replace('[{name', '[{name: shop.v0.9.0}, {name') + BUNDLE)
        tasks = self.tasks('configs', '--policy', 'konflux', '--openshift', '4.18', '--target-index', 'index', status=1)
        self.assertEqual(tasks['fbc-target-index-pruning-check'],
                         {'result': 'FAILURE', 'messages': ['!FAILURE! - FBC fragment prunes shop.v0.9.0 from shop.stable channel.']})

    def test_folders_are_those_of_the_packages(self):
        self.make_fragment()
        (self.dir / 'configs/empty').mkdir()
        self.assertEqual(self.tasks('configs', '--policy', 'konflux', '--openshift', '4.18', status=1)['validate-fbc']['messages'],
                         ["!FAILURE! - Package directory './configs/empty' is empty."])
        self.write('flat/catalog.yaml', PACKAGE + BUNDLE)
        self.assertIn('No package subdirectories found', self.tasks('flat', '--policy', 'konflux', '--openshift', '4.18', status=1)['validate-fbc']['messages'][0])

    def test_a_repository_is_checked_as_its_pipeline_does(self):
        self.make_repository()
        tasks = self.tasks('repo', '--policy', 'community', '--operator', 'shop', '--bundle', '1.0.0', status=1)
        outputs = tasks['static-tests']['outputs']
        self.assertFalse(tasks['static-tests']['passed'])
        self.assertIn({'check': 'check_required_fields', 'type': 'error', 'message': 'CSV does not define spec.icon'}, outputs)
        self.assertEqual(self.tasks('repo', '--policy', 'certified', '--operator', 'shop', '--bundle', '1.0.0')['static-tests'],
                         {'passed': True, 'outputs': []})
        waived = self.tasks('repo', '--policy', 'community', '--operator', 'shop', '--bundle', '1.0.0', '--waive', 'check_required_fields')
        self.assertEqual([one['check'] for one in waived['static-tests']['outputs']], ['check_using_fbc'])
        done = self.opcat('validate', 'repo', '--policy', 'community', '--operator', 'shop', '--bundle', '1.0.0')
        self.assert_status(done, 1)
        self.assertIn('repo/operators/shop/1.0.0/manifests/shop.clusterserviceversion.yaml:2:7: error: check_required_fields: CSV does not define '
                      'spec.icon [policy]', done.out)
        self.assertIn('not checked here: check_osdk_bundle_validate_operatorhub: ', done.err)

    def test_a_repository_without_operators_is_no_all_clear(self):
        (self.dir / 'empty/operators').mkdir(parents=True)
        result = self.opcat('validate', 'empty', '--policy', 'community')
        self.assert_status(result, 2)
        self.assertIn('empty has no operator: there is nothing to check', result.err)
        result = self.opcat('validate', 'empty', '--policy', 'community', '--policy', 'community')
        self.assertIn('--policy community is given twice', result.err)

    def test_everything_is_checked_without_a_selection(self):
        self.make_repository(versions=('1.0.0', '2.0.0'))
        self.write('repo/catalogs/v4.18/shop/catalog.yaml', PACKAGE)
        tasks = self.tasks('repo', '--policy', 'certified', status=1)
        self.assertEqual(tasks['static-tests'], {'passed': True, 'outputs': []})
        self.assertEqual(tasks['validate-catalog-format'], {'v4.18': False})

    def test_only_a_directory_with_manifests_and_metadata_is_a_bundle(self):
        self.make_repository()
        self.write('repo/operators/README.md', '')
        self.write('repo/catalogs/README.md', '')
        self.write('repo/operators/shop/Makefile', '')
        self.write('repo/operators/shop/docs/index.md', '')
        self.write('repo/operators/notes/a.md', '')
        done = self.opcat('validate', 'repo', '--policy', 'certified')
        self.assert_status(done, 0)
        self.assertNotIn('by mistake', done.out)
        self.write('repo/operators/shop/1.1.0/manifests/shop.clusterserviceversion.yaml', CSV.replace('VERSION', '1.1.0'))
        done = self.opcat('validate', 'repo', '--policy', 'certified')
        self.assert_status(done, 0)
        self.assertIn('static-tests: the pipeline passes this by mistake: operators/shop/1.1.0 is not tested, because a bundle has both manifests/ '
                      'and metadata/', done.out)

    def test_a_bundle_has_the_name_of_the_directory_that_a_link_leads_to(self):
        self.make_repository()
        (self.dir / 'repo/operators/shop/latest').symlink_to('1.0.0')
        outputs = self.tasks('repo', '--policy', 'certified', '--operator', 'shop', '--bundle', 'latest')['static-tests']['outputs']
        self.assertNotIn('check_operator_version_directory_name', [one['check'] for one in outputs])

    def test_the_format_of_a_catalog_that_only_loses_an_operator_is_not_validated(self):
        self.make_repository()
        self.write('repo/catalogs/v4.18/other/catalog.yaml', 'schema: olm.package\nname: other\n')
        self.write('base/catalogs/v4.18/other/catalog.yaml', 'schema: olm.package\nname: other\n')
        self.write('base/catalogs/v4.18/shop/catalog.yaml', PACKAGE + BUNDLE)
        tasks = self.tasks('repo', '--policy', 'certified', '--base', 'base', '--changed-file', 'catalogs/v4.18/shop/catalog.yaml')
        self.assertEqual(tasks['validate-catalog-format'], {})

    def test_the_rules_of_a_pull_request(self):
        self.make_repository('base')
        self.make_repository('repo', versions=('1.0.0', '1.1.0', '1.2.0'))
        tasks = self.tasks('repo', '--policy', 'certified', '--base', 'base', '--changed-file', 'operators/shop/1.1.0/x', '--changed-file',
                           'operators/shop/1.2.0/x', '--changed-file', 'README.md', status=1)
        self.assertEqual(tasks['detect-changes']['errors'],
                         ["The PR affects more than one bundle: [('shop', '1.1.0'), ('shop', '1.2.0')]", "The PR affects non-operator files: ['README.md']"])

    def git(self, *arguments):
        subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', *arguments], cwd=self.dir / 'repo', check=True, capture_output=True)

    def test_a_pull_request_is_read_from_git_without_a_checkout(self):
        self.make_repository(versions=('1.0.0', '1.1.0'))
        self.git('init', '-q', '-b', 'main')
        self.git('add', '.')
        self.git('commit', '-qm', 'one')
        self.git('switch', '-qc', 'change')
        self.assertEqual(self.tasks('repo', '--policy', 'certified', '--changed-since', 'main')['detect-changes'], {'errors': []})
        self.make_repository(versions=('1.2.0',))
        tasks = self.tasks('repo', '--policy', 'certified', '--changed-since', 'main')
        self.assertEqual(tasks, {'detect-changes': {'errors': []}, 'static-tests': {'passed': True, 'outputs': []}, 'validate-catalog-format': {}})
        self.assertFalse(self.tasks('repo', '--policy', 'community', '--changed-since', 'main', status=1)['static-tests']['passed'])
        self.write('repo/operators/shop/1.0.0/manifests/more.yaml', 'kind: ConfigMap\n')
        self.write('repo/untracked', '')
        self.write('repo/README.md', '')
        self.git('add', 'README.md', 'operators')
        self.git('commit', '-qm', 'two')
        self.assertEqual(self.tasks('repo', '--policy', 'certified', '--changed-since', 'main', status=1)['detect-changes']['errors'],
                         ["The PR affects non-operator files: ['README.md']", "The PR modifies existing bundles: [('shop', '1.0.0')]"])
        self.git('rm', '-qr', 'README.md', 'operators/shop/1.0.0')
        self.git('commit', '-qm', 'three')
        self.assertEqual(self.tasks('repo', '--policy', 'certified', '--changed-since', 'main', status=1)['detect-changes']['errors'],
                         ['The PR adds and deletes bundles at the same time. This is not allowed. Please split the changes into 2 separate pull requests.',
                          'The PR deletes an existing operator: Operator(shop). This feature is only allowed for bundles with FBC enabled.'])

    def commit_all(self):
        if not (self.dir / 'repo/.git').exists():
            self.git('init', '-q', '-b', 'main')
        self.git('add', '.')
        self.git('commit', '-qm', 'one')

    def changed(self, status=0):
        return self.tasks('repo', '--policy', 'certified', '--changed-since', 'main', status=status)['detect-changes']['errors']

    def test_files_that_git_ignores_are_not_part_of_a_change(self):
        self.make_repository()
        self.write('repo/.gitignore', '*.swp\n.DS_Store\n')
        self.commit_all()
        self.write('repo/operators/.DS_Store', '')
        self.write('repo/operators/shop/1.0.0/.csv.swp', '')
        self.assertEqual(self.changed(), [])
        self.write('repo/operators/shop/1.0.0/new', '')
        self.write('repo/operators/README', '')
        self.git('add', 'operators/README')
        expected = ["The PR affects non-operator files: ['operators/README']", "The PR modifies existing bundles: [('shop', '1.0.0')]"]
        self.assertEqual(self.changed(1), expected)
        self.git('add', '.')
        self.assertEqual(self.changed(1), expected)
        (self.dir / 'repo/operators/README').unlink()
        self.git('rm', '-q', '--cached', 'operators/README')
        subprocess.run(['git', 'init', '-q', self.dir / 'repo/operators/inner'], check=True)
        self.write('repo/operators/inner/x', '')
        self.assertEqual(self.changed(1)[0], "The PR affects non-operator files: ['operators/inner/']")

    def test_a_bundle_of_links_is_an_existing_one(self):
        for manifests, common in (('../../common/manifests', 'operators/common/manifests'), ('../../../latest/manifests', 'v1/manifests')):
            with self.subTest(manifests):
                subprocess.run(['rm', '-rf', self.dir / 'repo'], check=True)
                self.make_repository()
                bundle = self.dir / 'repo/operators/shop/1.0.0'
                (self.dir / f'repo/{common}').parent.mkdir(parents=True)
                (bundle / 'manifests').rename(self.dir / f'repo/{common}')
                (bundle / 'manifests').symlink_to(manifests)
                (self.dir / 'repo/latest').symlink_to('v1')
                (bundle / 'metadata').rename(self.dir / 'repo/operators/shop/metadata-of-all')
                (bundle / 'metadata').symlink_to('../metadata-of-all')
                self.commit_all()
                self.assertEqual(self.changed(), [])
                self.write('repo/operators/shop/1.0.0/tests/x', '')
                self.assertEqual(self.changed(1), ["The PR modifies existing bundles: [('shop', '1.0.0')]"])

    def test_a_link_that_turns_in_a_circle_ends(self):
        self.make_repository()
        bundle = self.dir / 'repo/operators/shop/1.0.0'
        (bundle / 'a').symlink_to('b/x')
        (bundle / 'b').symlink_to('a/x')
        (bundle / 'self').symlink_to('.')
        (bundle / 'out').symlink_to('../../../../..')
        self.commit_all()
        self.write('repo/operators/shop/1.0.0/x', '')
        self.assertEqual(self.changed(1), ["The PR modifies existing bundles: [('shop', '1.0.0')]"])

    def test_a_report_goes_to_a_file_besides_the_findings(self):
        self.make_repository()
        done = self.opcat('validate', 'repo', '--policy', 'community', '--policy', 'certified', '--policy-report', 'report.json')
        self.assert_status(done, 1)
        self.assertIn('[policy]', done.out)
        decoder, text, policies = json.JSONDecoder(), (self.dir / 'report.json').read_text(), []
        while text:
            value, end = decoder.raw_decode(text)
            policies.append(value['policy'])
            text = text[end:].lstrip()
        self.assertEqual(policies, ['community', 'certified'])

    def make_image(self, name, files=None, labels=None, base='registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.18', text=PACKAGE + BUNDLE, more=()):
        """A fragment's image as a layout, on a base image with opm and grpc_health_probe."""
        layout = Layout(self.dir / name)
        below = {'bin/opm': b'x', 'bin/grpc_health_probe': b'x'} if files is None else files
        layers = [make_layer(below), make_layer({'configs/shop/catalog.yaml': text.encode()}), *more]
        labels = {CONFIGS: '/configs'} if labels is None else labels
        layout.tag(layout.image(layers, labels, annotations={BASE: base} if base else None), 'v1')
        return f'oci:{name}'

    def test_the_image_of_a_fragment_is_checked(self):
        failed = 'FAILURE'
        for number, (given, result, words) in enumerate((
                ({}, 'SUCCESS', ''),
                ({'base': None}, 'ERROR', 'Script errored at command: exit 1.'),
                ({'base': 'quay.io/operator-framework/opm:v4.18'}, failed, 'Base image quay.io/operator-framework/opm is not allowed'),
                ({'base': 'registry.redhat.io/openshift4/ose-operator-registry'}, failed, 'Could not get OCP version'),
                ({'labels': {CONFIGS: '/configs', VERSIONS: '[]'}}, failed, 'Could not get OCP version'),
                ({'labels': {CONFIGS: '/configs', VERSIONS: '["v4.18"]'}}, 'SUCCESS', 'unable to assess bundle metadata'),
                ({'labels': {}}, 'ERROR', 'For details, check Tekton task log.'),
                ({'labels': {CONFIGS: '/none'}}, 'ERROR', 'For details, check Tekton task log.'),
                ({'files': {'bin/grpc_health_probe': b''}}, 'ERROR', 'chmod 775'),
                ({'files': {'bin/opm': b'', 'usr/opm': b'', 'bin/grpc_health_probe': b''}}, 'ERROR', 'Expected exactly one opm binary'),
                ({'files': {'bin/opm': b''}}, failed, 'grpc_health_probe binary presence check failed.'),
                ({'more': [make_layer({'bin/.wh.grpc_health_probe': b''})]}, failed, 'grpc_health_probe binary presence check failed.'),
                ({'more': [make_layer({'.wh.bin': b''}), make_layer({'opt/opm': b'', 'grpc_health_probe': b''})]}, 'SUCCESS', ''),
                ({'base': 'registry.redhat.io/openshift4/ose-operator-registry:v4.16'}, failed, 'for OCP version 4.16'))):
            with self.subTest(given):
                image = self.make_image(f'layout{number}', **given)
                done = self.opcat('validate', image, '--policy', 'konflux', '--policy-report', '-')
                self.assert_status(done, 0 if result == 'SUCCESS' else 1)
                verdict = done.json()['tasks']['validate-fbc']
                self.assertEqual(verdict['result'], result)
                self.assertIn(words, '\n'.join([*verdict['messages'], verdict.get('ended_by', '')]))
                checks = [one['check'] for one in done.json()['not_checked']]
                self.assertIn('validate-fbc opm', checks)
                self.assertNotIn('validate-fbc grpc_health_probe', checks)

    def test_a_dockerfile_says_what_the_image_is_made_of(self):
        self.make_fragment()
        label = f'LABEL {CONFIGS}=/configs\n'
        good = 'FROM registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.18\n'
        for text, result, words in (
                (good + label, 'SUCCESS', ''),
                (f'# escape=`\nFROM golang AS build\nRUN x\n{good}# FROM x\nLABEL a="b c" `\n  "{CONFIGS}"="/configs"\n', 'SUCCESS', ''),
                (f'ARG VERSION=4.18\nFROM --platform=linux/amd64 registry.redhat.io/openshift4/ose-operator-registry-rhel9:v${{VERSION}} as a\n{label}FROM a\n', 'SUCCESS', ''),
                (f'{good}RUN <<EOF\nFROM x\nEOF\nENV PATH=$PATH:/x\nLABEL version=$VERSION\nLABEL {CONFIGS} /configs\n', 'SUCCESS', ''),
                (good, 'ERROR', 'For details'),
                ('FROM quay.io/x:v4.18\n' + label, 'FAILURE', 'Base image quay.io/x is not allowed'),
                (good.replace('v4.18', 'v4.12') + label, 'FAILURE', 'for OCP version 4.12')):
            with self.subTest(text):
                self.write('Dockerfile', text)
                verdict = self.tasks('configs', '--policy', 'konflux', '--dockerfile', 'Dockerfile', status=0 if result == 'SUCCESS' else 1)['validate-fbc']
                self.assertEqual(verdict['result'], result)
                self.assertIn(words, '\n'.join([*verdict['messages'], verdict.get('ended_by', '')]))
        for text, words in (('RUN x\n', 'it has no FROM'), ('FROM\n', 'FROM names no image'), ('ARG A\nFROM x:$A\n', 'only the build knows the value of A'),
                            (good + f'LABEL {CONFIGS}=$A\n', 'only the build knows the value of A'), ('FROM ${A\n', 'a variable is not complete'),
                            ('ARG A0=xxxxxxxx\n' + ''.join(f'ARG A{i + 1}=$A{i}$A{i}$A{i}$A{i}\n' for i in range(40)) + good, 'its variables stand for more than'),
                            (good * 102, 'it has more than 100 stages')):
            with self.subTest(text):
                self.write('Dockerfile', text)
                done = self.opcat('validate', 'configs', '--policy', 'konflux', '--dockerfile', 'Dockerfile')
                self.assert_status(done, 3)
                self.assertIn(words, done.err)
        self.write('Dockerfile', good + label)
        done = self.opcat('validate', 'configs', '--policy', 'konflux', '--dockerfile', 'Dockerfile', '--openshift', '4.17')
        self.assertIn('the image is for OpenShift v4.18, and --openshift 4.17 is checked', done.err)
        self.assertIn('validate-fbc grpc_health_probe: it is about the files of the image', done.err)
        self.assertNotIn('configs-label', done.err)

    def test_related_images_that_the_target_index_lacks_are_listed(self):
        images = [f'quay.io/shop/a{DIGEST}', 'registry.redhat.io/shop/b:v1', f'registry.redhat.io/shop/c{DIGEST}']
        related = lambda names: PACKAGE + BUNDLE + 'relatedImages:\n' + ''.join(f'- {{name: x, image: "{name}"}}\n' for name in names)
        self.make_fragment('configs', related(images))
        self.make_fragment('index', related(images[2:]))
        arguments = ('configs', '--policy', 'konflux', '--openshift', '4.18', '--target-index', 'index')
        done = self.opcat('validate', *arguments, '--policy-report', 'report.json', '--allowed-registry', 'registry.redhat.io')
        self.assert_status(done, 0)
        tasks = json.loads((self.dir / 'report.json').read_text())['tasks']
        self.assertEqual(tasks['validate-fbc']['unreleased_related_images'], images[:2])
        self.assertEqual(tasks['conforma']['messages'], [f'The "{images[0]}" related image reference is not from an allowed registry.',
                                                        f'1 related images are not pinned with a digest: {images[1]}.'])
        self.assertIn('configs/shop/catalog.yaml:21:21: warning: conforma: 1 related images are not pinned', done.out)
        self.assertNotIn('related-images', done.err)
        self.assertNotIn('conforma', json.dumps(self.tasks(*arguments[:5])))

    def test_tekton_gets_the_result_of_the_task(self):
        self.make_fragment()
        self.make_fragment('index', PACKAGE.replace('}]', '}, {name: shop.v0.9.0}]') + BUNDLE)
        run = ('validate', 'configs', '--policy', 'konflux', '--format', 'tekton', '--openshift')
        for arguments, status, expected in ((('4.18',), 0, ('SUCCESS', 12, 0, 'Task validate-fbc completed: Check result for task result.')),
                                            (('4.16',), 1, ('FAILURE', 10, 2, 'Step extract-and-validate failed: Validation checks failed. For '
                                                                              'details, check Tekton task log.')),
                                            (('4.18', '--target-index', 'index'), 1, ('FAILURE', 12, 1, 'Task fbc-target-index-pruning-check '
                                                                                      'completed: Check result for task result.'))):
            with self.subTest(arguments):
                done = self.opcat(*run, *arguments)
                self.assert_status(done, status)
                output = done.json()
                self.assertEqual((output['result'], output['successes'], output['failures'], output['note']), expected)
                self.assertRegex(output['timestamp'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$')
        done = self.opcat('validate', 'configs', '--format', 'tekton', '--report', 'tekton=result')
        self.assertEqual(done.json()['result'], 'SUCCESS')
        self.assertEqual(json.loads((self.dir / 'result').read_text())['note'], done.json()['note'])
        self.make_repository()
        done = self.opcat('validate', 'repo', '--policy', 'community', '--format', 'tekton')
        self.assertEqual((done.json()['result'], done.json()['successes']), ('FAILURE', 0))

    def test_policies_of_the_configuration_need_no_flag(self):
        self.make_fragment('v4.18/configs', (PACKAGE + BUNDLE).replace(DIGEST, ':1'))
        self.write('v4.18/configs/.opcat.yaml', 'policies: [konflux]\n')
        self.write('v4.18/configs/.indexignore', '.opcat.yaml\n')
        done = self.opcat('validate', 'v4.18/configs')
        self.assert_status(done, 1)
        self.assertIn('validate-fbc: The following olm.bundle image references are not digest-pinned', done.out)
        self.assertIn('not checked here: validate-fbc related-images', done.err)
        self.assertIn('1 package checked', done.err)
        self.make_repository()
        self.write('repo/.opcat.yaml', 'policies: [community, konflux]\n')
        done = self.opcat('validate', 'repo')
        self.assert_status(done, 1)
        self.assertIn('check_required_fields: CSV does not define spec.icon [policy]', done.out)
        self.assertIn('policies', self.opcat('config', 'show', 'repo').out)
        self.write('repo/.opcat.yaml', 'policies: [fedora]\n')
        done = self.opcat('validate', 'repo')
        self.assert_status(done, 2)
        self.assertIn('there is no policy "fedora"', done.err)

    def test_whatever_is_asked_the_policies_of_the_configuration_are(self):
        for version in ('v4.18', 'v4.19'):
            self.make_fragment(f'{version}/configs', (PACKAGE + BUNDLE).replace(DIGEST, ':1'))
        self.write('.opcat.yaml', 'policies: [konflux]\n')
        (self.dir / '.git').mkdir()
        places = ['v4.18/configs', 'v4.19/configs']
        for arguments in (places[:1], places, places + ['--fix'], [*places, '-q']):
            with self.subTest(arguments):
                done = self.opcat('validate', *arguments)
                self.assert_status(done, 1)
                self.assertEqual(done.out.count('not digest-pinned'), len([one for one in arguments if one in places]))
                self.assertEqual(done.err.count('not checked here: validate-fbc related-images'), 0 if '-q' in arguments else 1)
        self.assert_status(self.opcat('validate', *places, '--shard', '0/1', '--shard-output', 'shard', '--format', 'json'), 0)
        self.assertIn('not digest-pinned', self.opcat('merge', 'shard').out)
        self.make_repository()
        self.write('repo/.opcat.yaml', 'policies: [community]\n')
        for arguments in (['repo', places[0]], ['repo', places[0], '--shard', '0/1', '--shard-output', 'none', '--format', 'json']):
            self.assert_status(self.opcat('validate', *arguments), 2)

    def test_levels_comments_and_baselines_are_for_policies_too(self):
        tagged = (PACKAGE + BUNDLE).replace(DIGEST, ':1')
        self.make_fragment('v4.18/configs', tagged)
        (self.dir / '.git').mkdir()
        for configured in (False, True):
            self.write('.opcat.yaml', 'policies: [konflux]\n' if configured else '')
            ask = ['v4.18/configs'] if configured else ['v4.18/configs', '--policy', 'konflux']
            with self.subTest(ask):
                self.make_fragment('v4.18/configs', tagged)
                self.assert_status(self.opcat('validate', *ask), 1)
                self.opcat('validate', *ask, '--write-baseline', 'base.json')
                done = self.opcat('validate', *ask, '--baseline', 'base.json', '--prune-baseline')
                self.assert_status(done, 0)
                self.assertIn('0 findings removed', done.err)
                self.make_fragment('v4.18/configs', tagged.replace('bundle:1', 'bundle:1 # opcat: ignore[policy] known'))
                self.assert_status(self.opcat('validate', *ask), 0)
        self.make_fragment('v4.18/configs', tagged)
        self.write('.opcat.yaml', 'policies: [konflux]\noverrides:\n- {packages: [shop], rules: {policy: note}}\n')
        self.assert_status(self.opcat('validate', 'v4.18/configs'), 0)

    def test_a_known_verdict_hides_no_other(self):
        self.make_repository()
        ask = 'repo', '--policy', 'community', '--operator', 'shop'
        csv = 'repo/operators/shop/1.0.0/manifests/shop.clusterserviceversion.yaml'
        self.write(csv, CSV.replace('VERSION', '1.0.0').replace('displayName: Shop', 'displayName: Shop, links: [x]'))
        self.opcat('validate', *ask, '--write-baseline', 'base.json')
        self.assert_status(self.opcat('validate', *ask, '--baseline', 'base.json'), 0)
        self.write(csv, CSV.replace('VERSION', '1.0.0').replace('displayName: Shop', 'displayName: Shop, icon: [x]'))
        done = self.opcat('validate', *ask, '--baseline', 'base.json')
        self.assert_status(done, 1)
        self.assertIn('does not define spec.links', done.out)

    def test_an_operator_is_checked_with_all_its_bundles(self):
        self.make_repository(versions=('1.0.0', '1.1.0'))
        ask = 'validate', 'repo', '--policy', 'community'
        everything = self.opcat(*ask, '--format', 'concise').out
        self.assertEqual(self.opcat(*ask, '--operator', 'shop', '--format', 'concise').out, everything)
        one = self.opcat(*ask, '--operator', 'shop', '--bundle', '1.1.0', '--format', 'concise').out
        self.assertNotIn('/1.0.0/manifests/shop.clusterserviceversion.yaml:2:7: error: check_required_fields', one)
        self.assertIn('/1.0.0/manifests/shop.clusterserviceversion.yaml:2:7: error: check_required_fields', everything)
        (self.dir / 'hollow/operators/shop').mkdir(parents=True)
        self.assertIn('has no operator', self.opcat('validate', 'hollow', '--policy', 'community').err)

    def test_tags_that_a_policy_finds_are_pinned_to_the_digests_of_a_lock(self):
        tagged = (PACKAGE + BUNDLE).replace(DIGEST, ':1') + "relatedImages:\n- {name: a, image: 'registry.redhat.io/shop/a:1'} # ours\n- {name: b, image: registry.redhat.io/shop/b:1}\n"
        self.make_fragment('v4.18/configs', tagged)
        self.make_fragment('index', PACKAGE)
        self.write('lock', f'registry.redhat.io/shop/bundle:1 {DIGEST[1:]}\nregistry.redhat.io/shop/a:1 {DIGEST[1:]}\n')
        policy = '--policy', 'konflux', '--target-index', 'index'
        file = self.dir / 'v4.18/configs/shop/catalog.yaml'
        shown = self.opcat('validate', 'v4.18/configs', *policy, '--fix', '--diff', '--lock', 'lock')
        self.assert_status(shown, 1)
        self.assertIn(f'+image: registry.redhat.io/shop/bundle{DIGEST}\n', shown.out)
        self.assertEqual(file.read_text(), tagged)
        done = self.opcat('validate', 'v4.18/configs', *policy, '--fix', '--lock', 'lock')
        self.assert_status(done, 0)
        pinned = tagged.replace('shop/bundle:1', f'shop/bundle{DIGEST}').replace('shop/a:1', f'shop/a{DIGEST}')
        self.assertEqual(file.read_text(), pinned)
        self.assertIn('2 fixes applied', done.err)
        self.assertIn('1 related images are not pinned with a digest: registry.redhat.io/shop/b:1.', done.out)
        self.assertNotIn('digest-pinned', done.out)
        # Policies of the configuration, together with the fixes of rules; without an index, nothing is known of related images.
        self.write('v4.18/configs/shop/catalog.yaml', tagged)
        self.write('v4.18/configs/.opcat.yaml', 'policies: [konflux]\n')
        self.write('v4.18/configs/.indexignore', '.opcat.yaml\n')
        done = self.opcat('validate', 'v4.18/configs', '--fix', '--lock', 'lock')
        self.assert_status(done, 0)
        self.assertEqual(file.read_text(), tagged.replace('shop/bundle:1', f'shop/bundle{DIGEST}'))
        self.assertIn('not checked here: validate-fbc related-images', done.err)
        for arguments, words in ((('--fix', '--lock', 'lock'), 'there is no policy'), ((*policy, '--lock', 'lock'), '--lock needs --fix'),
                                 ((*policy, '--fix'), '--lock FILE'), ((*policy, '--fix', '--lock', 'index/shop/catalog.yaml'), 'is not the lock of an image')):
            with self.subTest(arguments):
                refused = self.opcat('validate', 'index', *arguments, '--openshift', '4.18')
                self.assert_status(refused, 2)
                self.assertIn(words, refused.err)

    def test_the_checks_of_a_policy_are_listed(self):
        done = self.opcat('config', 'show', '--policy', 'konflux')
        self.assert_status(done, 0)
        self.assertRegex(done.out, r'validate-fbc +pinned +yes ')
        self.assertRegex(done.out, r'validate-fbc +grpc_health_probe +no ')
        self.assertIn('konflux-operator-tasks dee7049a', done.out)
        checks = self.opcat('config', 'show', '--policy', 'certified', '-o', 'json').json()['checks']
        self.assertIn('check_pruned_graph', [one['check'] for one in checks])
        self.assertNotIn('check_required_fields', [one['check'] for one in checks])

    def test_a_name_that_is_not_there_is_refused(self):
        self.make_repository()
        self.make_repository('base', versions=('1.0.0', '0.9.0'))
        self.write('repo/catalogs/v4.18/shop/catalog.yaml', PACKAGE)
        self.write('base/operators/old/ci.yaml', '{}\n')
        for arguments, words in ((('--operator', 'shopp'), ('the repository has no operator "shopp"', 'did you mean shop?')),
                                 (('--operator', '../operators/shop'), ('the repository has no operator',)),
                                 (('--operator', 'shop', '--bundle', '1.0.1'), ('the operator shop has no bundle "1.0.1"', 'did you mean 1.0.0?')),
                                 (('--operator', 'shop', '--bundle', '0.9.0'), ('the operator shop has no bundle "0.9.0"',)),
                                 (('--affected-catalog', 'v4.18'), ('"v4.18" is not a catalog and an operator in it', '--affected-catalog v4.18/gizmo')),
                                 (('--affected-catalog', 'v4.1/shop'), ('the repository has no "shop" in a catalog "v4.1"', 'did you mean v4.18/shop?')),
                                 (('--affected-catalog', 'v4.18/'), ('the repository has no "" in a catalog "v4.18"',)),
                                 (('--waive', 'check_required_field'), ('no static test of the policy has the name "check_required_field"',
                                                                        'did you mean check_required_fields')),
                                 (('--waive', 'check_pruned_graph'), ('no static test of the policy has the name',)),
                                 (('--waive', 'check_added_bundles'), ('`opcat config show --policy POLICY` lists them',))):
            with self.subTest(arguments):
                done = self.opcat('validate', 'repo', '--policy', 'community', *arguments)
                self.assert_status(done, 2)
                self.assertEqual(done.out, '')
                for one in words:
                    self.assertIn(one, done.err)
        done = self.opcat('validate', 'repo', '--policy', 'community', '--operator', 'shopp', '--policy-report', '-')
        self.assert_status(done, 2)
        self.assertEqual(done.json()['tasks']['static-tests'], {'passed': True, 'outputs': []})
        self.assertIn({'check': 'static-tests', 'why': 'the repository has no operator "shopp"'}, done.json()['not_checked'])
        removed = ('--base', 'base', '--changed-file', 'operators/old/ci.yaml', '--changed-file', 'operators/shop/0.9.0/x')
        self.assert_status(self.opcat('validate', 'repo', '--policy', 'certified', '--operator', 'shop', '--bundle', '0.9.0', *removed), 1)
        done = self.opcat('validate', 'repo', '--policy', 'certified', '--operator', 'old', *removed)
        self.assertIn('The PR deletes an existing operator', done.out)
        waived = self.opcat('validate', 'repo', '--policy', 'community', '--policy', 'certified', '--waive', 'check_pruned_graph')
        self.assert_status(waived, 1)

    def test_a_verdict_cannot_be_switched_off(self):
        self.make_fragment()
        for level in ('off', 'note', 'warning'):
            done = self.opcat('validate', 'configs', '--policy', 'konflux', '--rule', f'policy={level}')
            self.assert_status(done, 2)
            self.assertIn(f'the level of rule policy is {level}', done.err)
        self.write('empty/a.yaml', '')
        self.assertIn('empty has no bundles: there is nothing to check', self.opcat('validate', 'empty', '--policy', 'olm-v1').err)

    def test_wrong_requests_are_refused(self):
        self.make_repository()
        for arguments, words in ((('repo', '--operator', 'shop'), '--operator needs --policy'),
                                 (('repo', '--policy', 'community', '--openshift', '4.18'), '--openshift needs --policy konflux'),
                                 (('repo', '--policy', 'konflux', '--openshift', 'foo'), '"foo" is not a version of OpenShift'),
                                 (('repo', '--policy', 'konflux', '--openshift', '4,18'), 'write it as --openshift 4.18'),
                                 (('repo', '--policy', 'konflux', '--openshift', '4'), 'is not a version of OpenShift'),
                                 (('repo', '--policy', 'konflux', '--openshift', '4.18.x'), 'is not a version of OpenShift'),
                                 (('repo', '--policy', 'konflux', '--waive', 'x'), '--waive needs --policy community or certified'),
                                 (('repo', '--policy', 'community', '--fix'), 'add --policy konflux and --lock FILE'), (('repo', '--policy', 'konflux', '--watch'), 'do not go with --policy'),
                                 (('repo', '--policy', 'community', '--bundle', '1.0.0'), '--bundle needs --operator'),
                                 (('repo', '--policy', 'olm-v2'), 'is not one of konflux, community, certified, olm-v1'),
                                 (('repo/operators', '--policy', 'community'), 'is not a repository of operators'),
                                 (('repo', '--policy', 'community', '--changed-file', 'x'), '--base and --changed-file need each other'),
                                 (('repo', 'repo', '--policy', 'community'), 'one catalog or one repository at a time')):
            with self.subTest(arguments):
                done = self.opcat('validate', *arguments)
                self.assert_status(done, 2)
                self.assertIn(words, done.err)


if __name__ == '__main__':
    unittest.main()
