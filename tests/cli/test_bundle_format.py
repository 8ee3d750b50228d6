"""What opm and operator-sdk refuse of a bundle before they look at its content.
Covers lib/bundle_checks: format.cpp, check_annotations.cpp, check_conversion.cpp, check_dependencies.cpp, check_example_schemas.cpp,
check_manifests.cpp, check_max_openshift.cpp, check_names.cpp, opm_verdict.cpp."""
import json
import shutil
import unittest

from opcat_case import TESTDATA, OpcatCase, changed_widgets

WIDGETS = TESTDATA / 'bundles/widgets'
RECORDED = TESTDATA / 'recorded/opm-bundle-validate.jsonl'
ANNOTATIONS = 'metadata/annotations.yaml'
DOMAIN = 'operators.operatorframework.io.bundle.'


def same_in_any_order(shown, recorded):
    """Whether two lists of messages joined by commas, which messages may contain, are equal apart from the order."""
    pieces = shown.split(',')
    return len(shown) == len(recorded) and sorted(pieces) == sorted(recorded.split(','))


class Recorded(OpcatCase):
    def test_verdicts_and_words_of_opm_are_the_recorded_ones(self):
        cases = [json.loads(line) for line in RECORDED.read_text().splitlines()]
        self.assertGreater(len(cases), 100)
        for number, case in enumerate(cases):
            with self.subTest(case['name']):
                name = f'b{number}'
                changed_widgets(case, self.dir / name)
                optional = ['-o', case['optional']] if 'optional' in case else []
                result = self.opm('alpha', 'bundle', 'validate', '-t', name, *optional)
                self.assertEqual(result.status != 0, case['exit'] != 0, result)
                if 'errors' not in case:
                    continue
                shown = result.err.removeprefix('error: Bundle validation errors: ').rstrip('\n').replace(f'{name}/', 'DIR/')
                # The text of a syntax error in CEL is opcat's own.
                if 'Syntax error' in case['errors']:
                    shown, case['errors'] = shown.partition('Syntax error')[0], case['errors'].partition('Syntax error')[0]
                self.assertTrue(same_in_any_order(shown, case['errors']), f'{shown}\nrecorded: {case["errors"]}')

    def test_opcat_refuses_what_opm_refuses_before_the_content(self):
        for number, case in enumerate(map(json.loads, RECORDED.read_text().splitlines())):
            if 'errors' not in case:
                continue
            with self.subTest(case['name']):
                changed_widgets(case, self.dir / f'b{number}')
                result = self.opcat('bundle', 'validate', f'b{number}')
                self.assertEqual(result.status, 1, result)

    def test_an_image_of_such_a_bundle_is_not_made(self):
        for number, case in enumerate(map(json.loads, RECORDED.read_text().splitlines())):
            if 'errors' not in case or number % 6:
                continue
            with self.subTest(case['name']):
                changed_widgets(case, self.dir / f'b{number}')
                self.assertNotEqual(self.opcat('build', 'bundle', f'b{number}', '-t', f'oci:made{number}').status, 0)
                self.assertFalse((self.dir / f'made{number}').exists())


CSV = 'manifests/widgets.clusterserviceversion.yaml'
CRD = 'manifests/widgets.example.com.crd.yaml'
DEPENDENCIES = 'metadata/dependencies.yaml'
EXAMPLES = '    capabilities: Basic Install\n'
SCHEMA = '{type: object, x-kubernetes-preserve-unknown-fields: true}'
CONVERSION = ('  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: %s, namespace: a}}}}\n'
              '  versions:\n')


def example(text):
    return [[CSV, EXAMPLES, "    alm-examples: '[%s]'\n" % text]]


def example_of(schema, spec):
    return [[CRD, SCHEMA, '{type: object, properties: {spec: {type: object, properties: {%s}}}}' % schema],
            *example('{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {%s}}' % spec)]


# Changes of the widgets, and what is said about them: "FILE:LINE: SEVERITY RULE", part of the message, and of the help.
MISTAKES = (
    ([[ANNOTATIONS, 'registry+v1', 'registry+v2']], f'{ANNOTATIONS}:2: error bundle-format',
     'the media type is "registry+v2", but manifests/ has a bundle of type registry+v1', 'write registry+v1'),
    ([[ANNOTATIONS, 'bundle.channels.v1', 'bundle.channel.v1']], f'{ANNOTATIONS}:6: error bundle-format',
     f'the annotation {DOMAIN}channel.v1 has no meaning, and {DOMAIN}channels.v1 is missing', f'did you mean {DOMAIN}channels.v1?'),
    ([[ANNOTATIONS, f'  {DOMAIN}package.v1: widgets\n', '  package: widgets\n']], f'{ANNOTATIONS}:5: error bundle-format',
     'the annotation package has no meaning', f'did you mean {DOMAIN}package.v1?'),
    ([[ANNOTATIONS, 'package.v1: widgets', 'package.v1: ""']], f'{ANNOTATIONS}:5: error bundle-metadata', 'does not belong to a package', ''),
    ([[ANNOTATIONS, 'annotations:', 'annotation:']], f'{ANNOTATIONS}:1: error bundle-format', 'no file in b/metadata has', 'did you mean annotations?'),
    ([[ANNOTATIONS, 'manifests.v1: manifests/', 'manifests.v1: bundle/']], f'{ANNOTATIONS}:3: error bundle-annotation',
     'the annotation says bundle/, but opm and OLM read manifests/', 'write manifests/'),
    ([[ANNOTATIONS, 'registry+v1', '[registry+v1]']], f'{ANNOTATIONS}:2: error bundle-format', 'is a list, not a text', 'write a text'),
    ([[ANNOTATIONS, 'v1: stable', f'v1: stable\n  {DOMAIN}channels.default.v1: stable']], f'{ANNOTATIONS}:7: warning bundle-annotation',
     f'nothing reads the annotation {DOMAIN}channels.default.v1', f'did you mean {DOMAIN}channel.default.v1?'),
    ([[ANNOTATIONS, 'v1: stable', f'v1: stable\n  {DOMAIN}channel.default.v1: stabel']], f'{ANNOTATIONS}:7: warning bundle-annotation',
     'the default channel "stabel" is not a channel of the bundle (stable)', 'did you mean stable?'),
    ([[ANNOTATIONS, 'v1: stable', 'v1: "stable, fast"']], f'{ANNOTATIONS}:6: warning bundle-annotation', 'the channel " fast" has a blank', ''),
    ([[ANNOTATIONS, 'v1: stable', 'v1: stable\n  com.redhat.openshift.versions: v4.18-v4.14']], f'{ANNOTATIONS}:7: warning openshift-versions',
     'the first version is later than the last one', 'v4.14-v4.18'),
    ([[ANNOTATIONS, 'v1: stable', 'v1: stable\n  com.redhat.openshift.versions: ">=4.14"']], f'{ANNOTATIONS}:7: warning openshift-versions',
     '">=4.14" is not a minor version', ''),
    ([[ANNOTATIONS, 'v1: stable', 'v1: stable\n  com.redhat.openshift.versions: 4.20']], f'{ANNOTATIONS}:7: error openshift-versions',
     '4.20 without quotes is the number 4.2', 'write v4.20'),
    ([[ANNOTATIONS, 'v1: stable', 'v1: stable\n  com.redhat.openshift.version: v4.20']], f'{ANNOTATIONS}:7: warning bundle-annotation',
     'nothing reads the annotation com.redhat.openshift.version', 'did you mean com.redhat.openshift.versions?'),
    ([[DEPENDENCIES, 'olm.package', 'olm.packages']], f'{DEPENDENCIES}:2: error bundle-dependency',
     'there is no dependency of type "olm.packages"', 'did you mean olm.package?'),
    ([[DEPENDENCIES, '>=1.0.0 <2.0.0', '^1.0.0']], f'{DEPENDENCIES}:2: error bundle-dependency', 'version "^1.0.0" is not a range', ''),
    ([[CSV, '  version: 1.2.0', '  version: 1.3.0']], f'{CSV}:10: warning version-unlike-name',
     'the ClusterServiceVersion widgets.v1.2.0 has spec.version 1.3.0', ''),
    ([[CSV, 'spec:\n', 'spec:\n  replaces: widgets.v1.2.0\n']], f'{CSV}:9: error csv-replaces', 'widgets.v1.2.0 replaces itself', ''),
    ([[CSV, 'spec:\n', 'spec:\n  skips: [widgets.v1.2.0]\n']], f'{CSV}:9: error csv-replaces', 'widgets.v1.2.0 skips itself', ''),
    ([[CSV, 'spec:\n', 'spec:\n  replaces: v1.1.0\n']], f'{CSV}:9: warning csv-replaces', 'which is a version', 'write widgets.v1.1.0'),
    ([[CSV, 'spec:\n', 'spec:\n  replaces: 1.1.0\n']], f'{CSV}:9: warning csv-replaces', 'which is a version', 'write widgets.v1.1.0'),
    ([[CSV, 'AllNamespaces', 'AllNamespace']], f'{CSV}:17: warning csv-install-mode', 'there is no install mode "AllNamespace"', 'did you mean AllNamespaces'),
    ([[CSV, 'OwnNamespace', 'AllNamespaces']], f'{CSV}:17: warning csv-install-mode', 'AllNamespaces is listed twice', ''),
    ([[CSV, '"value": "4.20"', '"value": 4.20']], f'{CSV}:7: error max-openshift-version', '4.20 without quotes is the number 4.2', 'write "4.20"'),
    ([[CSV, '"value": "4.20"', '"value": "v4.20"']], f'{CSV}:7: warning max-openshift-version', 'invalid version format', ''),
    ([[CSV, '"value": "4.20"', '"value": "4.10"'], [CSV, '1.25.0', '1.26.0']], f'{CSV}:11: warning platform-range', 'OpenShift up to 4.10', ''),
    ([[CRD, '  versions:\n', CONVERSION % 'webhook-service']], f'{CRD}:9: error crd-conversion-webhook',
     'widgets.example.com is converted by the service webhook-service, which neither OLM nor the bundle makes', 'conversionCRDs: [widgets.example.com]'),
    ([[CRD, '  versions:\n', CONVERSION % 'widgets-service'], [CSV, '  install:\n', '  webhookdefinitions: [{type: ValidatingAdmissionWebhook, deploymentName: widgets}]\n  install:\n']],
     f'{CRD}:9: warning crd-conversion-webhook', 'a certificate', ''),
    ([[CSV, '  install:\n', '  webhookdefinitions: [{type: ConversionWebhook, deploymentName: widgets, conversionCRDs: [widget.example.com]}]\n  install:\n']],
     f'{CSV}:26: error crd-conversion-webhook', 'does not own widget.example.com', 'did you mean widgets.example.com?'),
    (example_of('size: {type: integer, minimum: 1}', '"size": "1"'), f'{CSV}:6: warning csv-example-schema', 'spec.size must be of type integer', ''),
    (example_of('size: {type: integer, minimum: 1}', '"size": 0'), f'{CSV}:6: warning csv-example-schema', 'spec.size must not be less than 1', ''),
    (example_of('size: {type: string, enum: [s, m]}', '"size": "l"'), f'{CSV}:6: warning csv-example-schema', 'spec.size must be one of ["s","m"]', ''),
    (example_of('size: {type: string, pattern: "^[a-z]+$"}', '"size": "L"'), f'{CSV}:6: warning csv-example-schema', 'spec.size must match', ''),
    (example_of('size: {type: integer}', '"sice": 1'), f'{CSV}:6: warning csv-example-schema', 'drops spec.sice', ''),
    (example_of('a: {type: object, required: [b], properties: {b: {type: string}}}', '"a": {}'), f'{CSV}:6: warning csv-example-schema', 'spec.a.b is required', ''),
    (example_of('a: {type: object, required: [b], properties: {b: {type: string}}}', '"a": {"b": null}'), f'{CSV}:6: warning csv-example-schema', 'spec.a.b is required', ''),
)

# Changes that nothing is said about.
HARMLESS = (
    example_of('a: {type: object, required: [b], properties: {b: {type: string, default: c}}}', '"a": {}'),
    example_of('a: {type: string}', '"a": null'),
    [[ANNOTATIONS, 'v1: stable', 'v1: stable\n  com.redhat.openshift.versions: =v4.14']],
    [[ANNOTATIONS, 'v1: stable', 'v1: stable\n  com.redhat.openshift.versions: "v4.5,v4.6"']],
    [[ANNOTATIONS, 'v1: stable', f'v1: stable,fast\n  {DOMAIN}channel.default.v1: fast']],
    [[ANNOTATIONS, 'manifests.v1: manifests/', 'manifests.v1: ./manifests']],
    [[CSV, 'spec:\n', 'spec:\n  replaces: widgets.v1.1.0\n']],
    [[CRD, '  versions:\n', CONVERSION % 'webhook-service'],
     [CSV, '  install:\n', '  webhookdefinitions: [{type: ConversionWebhook, deploymentName: widgets, conversionCRDs: [widgets.example.com], generateName: c.example.com, admissionReviewVersions: [v1], sideEffects: None}]\n  install:\n']],
)


class Mistakes(OpcatCase):
    def findings(self, number, changes, **case):
        changed_widgets({'replace': changes, **case}, self.dir / 'b')
        found = self.opcat('bundle', 'validate', '--format', 'json', 'b').json()['findings']
        shutil.rmtree(self.dir / 'b')
        return found

    def test_each_is_named_at_its_place_with_what_to_write(self):
        for number, (changes, where, message, help_text) in enumerate(MISTAKES):
            with self.subTest(where=where, message=message):
                found = self.findings(number, changes)
                file, _, rest = where.partition(':')
                line, _, kind = rest.partition(': ')
                matching = [f for f in found if f'{f["severity"]} {f["rule"]}' == kind and message in f['message']]
                self.assertEqual([(f['file'], f['range']['start']['line']) for f in matching], [(f'b/{file}', int(line))], found)
                self.assertIn(help_text, matching[0].get('help', ''))

    def test_what_is_right_has_no_finding(self):
        usual = {'csv-example-missing', 'csv-properties-annotation'}
        for number, changes in enumerate(HARMLESS):
            with self.subTest(changes=changes):
                self.assertEqual([f for f in self.findings(number, changes) if f['rule'] not in usual], [])

    def test_a_number_in_the_properties_is_put_in_quotes(self):
        properties = 'properties:\n- type: olm.maxOpenShiftVersion\n  value: 4.20\n'
        case = {'write': {'metadata/properties.yaml': properties}, 'replace': [[CSV, 'olm.properties', 'properties']]}
        changed_widgets(case, self.dir / 'b')
        for suite in ('default', 'all'):
            found = [f for f in self.opcat('bundle', 'validate', '--suite', suite, '--format', 'json', 'b').json()['findings']
                     if f['rule'] == 'max-openshift-version']
            self.assertEqual([(f['severity'], f['file'], f['range']['start']['line']) for f in found], [('error', 'b/metadata/properties.yaml', 3)])
            self.assertIn('4.20 without quotes is the number 4.2', found[0]['message'])

    def test_a_number_is_named_also_if_there_is_a_second_value(self):
        changed_widgets({'write': {'metadata/properties.yaml': 'properties:\n- type: olm.maxOpenShiftVersion\n  value: 4.20\n'}}, self.dir / 'b')
        found = [f for f in self.opcat('bundle', 'validate', '--format', 'json', 'b').json()['findings'] if f['rule'] == 'max-openshift-version']
        self.assertEqual([(f['severity'], f['file'], f['range']['start']['line']) for f in found], [('error', 'b/metadata/properties.yaml', 3)])

    def test_a_definition_that_etcd_refuses(self):
        for size, expected in ((900_000, []), (1_100_000, ['warning']), (1_500_000, ['warning']), (1_700_000, ['error'])):
            with self.subTest(size):
                text = SCHEMA.replace('{', '{description: %s, ' % ('word ' * (size // 5)), 1)
                found = self.findings(0, [[CRD, SCHEMA, text]])
                self.assertEqual([f['severity'] for f in found if f['rule'] == 'crd-size'], expected)

    def test_the_name_that_a_release_asks_for_is_one_that_can_be_given(self):
        for version, message, help_text in (
                ('1.2.0', 'named after it: widgets-v1.2.0-1', ''),
                ('1.2.0+5', 'widgets-v1.2.0+5-1 cannot be a name', 'remove "+5" from the version'),
                ('1.2.0-' + 'x' * 60, 'cannot be a name', 'shorten')):
            with self.subTest(version):
                found = self.findings(0, [[CSV, 'version: 1.2.0', f'version: {version}\n  release: "1"']])
                found = [f for f in found if f['rule'] == 'bundle-release']
                self.assertEqual(len(found), 1)
                self.assertIn(message, found[0]['message'])
                self.assertIn(help_text, found[0].get('help', ''))

    def test_a_directory_in_a_bundle_is_told_from_a_bundle(self):
        changed_widgets({}, self.dir / 'b')
        result = self.opcat('bundle', 'validate', 'b/manifests')
        self.assert_status(result, 1)
        self.assertIn('b/manifests is not the directory of a bundle: it has no folders manifests/ and metadata/', result.out)
        self.assertIn('name the directory above it', result.out)

    def test_a_finding_is_reported_once_for_a_directory_that_is_named_twice(self):
        changed_widgets({'replace': [[CSV, 'Widgets & Co', '""']]}, self.dir / 'b')
        once = self.opcat('bundle', 'validate', '--format', 'json', 'b').json()['findings']
        for more in (['b'], ['./b'], ['b/'], [self.dir / 'b']):
            self.assertEqual(len(self.opcat('bundle', 'validate', '--format', 'json', 'b', *more).json()['findings']), len(once), more)


if __name__ == '__main__':
    unittest.main()
