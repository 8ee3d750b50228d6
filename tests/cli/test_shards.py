"""Runs that are shared by several machines: --shard, --shard-output and opcat merge."""
import json
import pathlib
import unittest

from opcat_case import CATALOGS, OpcatCase

NAMES = sorted(str(path) for path in CATALOGS.iterdir())


class Shards(OpcatCase):
    def run_shards(self, count, *arguments, status=0, into='parts', **options):
        for index in range(count):
            result = self.opcat(*arguments, '--shard', f'{index}/{count}', '--shard-output', into, **options)
            self.assert_status(result, status)
        return result

    def test_shards_give_what_one_machine_gives(self):
        questions = '\n'.join(json.dumps({'catalogs': [{'name': 'c', 'ref': name}], 'package': package})
                              for name in NAMES for package in ('gizmo', 'hello', 'none')) + '\n\nnot json\n'
        self.write('questions', questions)
        self.write('refs', '# all of them\n\n' + '\n  '.join(NAMES[2:]) + '\n')
        cases = (('render', *NAMES), ('render', '-o', 'yaml', *NAMES), ('render', '--refs', 'refs', *NAMES[:2]),
                 ('validate', '--format', 'json', *NAMES), ('validate', '--format', 'json', '--all', '--strict', *NAMES, 'missing'),
                 ('resolve', 'v1', '--batch', 'questions'))
        for number, arguments in enumerate(cases):
            for count in (1, 3, 20):
                with self.subTest(arguments=arguments[:3], count=count):
                    into = f'parts-{number}-{count}'
                    self.run_shards(count, *arguments, into=into)
                    merged, whole = self.opcat('merge', into), self.opcat(*arguments)
                    self.assertEqual((merged.status, merged.out), (whole.status, whole.out))
                    self.assertIn(merged.err, ('', 'warning: 1 of 37 lines could not be answered\n'))

    def test_a_complete_shard_is_not_done_again(self):
        self.run_shards(2, 'render', *NAMES)
        before = (self.dir / 'parts/shard-1-of-2.json').stat().st_ino
        result = self.run_shards(2, 'render', *NAMES)
        self.assertIn('shard 1/2 is complete in parts already', result.err)
        self.assertEqual((self.dir / 'parts/shard-1-of-2.json').stat().st_ino, before)
        self.run_shards(2, 'render', '-o', 'yaml', *NAMES)
        self.assertNotEqual((self.dir / 'parts/shard-1-of-2.json').stat().st_ino, before)

    def test_a_shard_under_another_signature_policy_is_done_again(self):
        policy = self.write('policy.json', '{"default": [{"type": "insecureAcceptAnything"}]}')
        for flags in (), ('--signature-policy', policy), ('--signature-policy', policy, '--require-signatures'):
            self.assertNotIn('already', self.run_shards(1, 'render', *NAMES, *flags).err, flags)
            self.assertIn('already', self.run_shards(1, 'render', *NAMES, *flags).err, flags)
        policy.write_text('{"default": [{"type": "reject"}]}')
        self.assertNotIn('already', self.run_shards(1, 'render', *NAMES, '--signature-policy', policy).err)

    def test_a_shard_whose_files_have_changed_is_done_again(self):
        self.write('a/c.yaml', 'schema: olm.package\nname: a\n')
        self.write('s.cue', '#P: {schema: "olm.package", ...}\n')
        (self.dir / '.git').mkdir()
        validate = ('validate', '--format', 'json', '--schema', 's.cue', 'a')
        for change in (None, ('a/c.yaml', 'schema: olm.package\nname: a\nmore: 1\n'),
                       ('s.cue', '#P: {schema: "olm.package", name: "b", ...}\n'), ('.opcat.yaml', 'rules: {unknown-field: off}\n')):
            if change:
                self.write(*change)
            self.assertNotIn('already', self.run_shards(1, *validate).err, change)
            self.assertEqual(self.opcat('merge', 'parts').out, self.opcat(*validate).out, change)
            self.assertIn('is complete in parts already\n', self.run_shards(1, *validate).err)

    def test_one_that_fails_does_not_stop_the_others(self):
        self.write('bad/catalog.yaml', 'schema: olm.bundle\nname: [\n')
        names = [*NAMES, 'missing', 'bad', 'Not A Reference:']
        for index in range(2):
            self.opcat('render', *names, '--shard', f'{index}/2', '--shard-output', 'parts')
        merged = self.opcat('merge', 'parts')
        self.assertEqual((merged.status, merged.out), (3, ''))
        for expected in ('missing: cannot read missing', 'bad: bad/catalog.yaml', f'3 of {len(names)} items failed: nothing is printed'):
            self.assertIn(expected, merged.err)
        merged = self.opcat('merge', '--keep-going', 'parts')
        self.assertEqual((merged.status, merged.out), (1, self.opcat('render', *NAMES).out))
        self.assertIn('the output lacks them', merged.err)

    def test_a_catalog_that_yaml_cannot_hold_fails_alone(self):
        self.write('odd/a.json', '{"schema": "x", "name": "odd", "text": "\x7f"}')
        result = self.opcat('render', '-o', 'yaml', NAMES[0], 'odd', '--shard', '0/1', '--shard-output', 'parts')
        self.assert_status(result, 1)
        self.assertIn('error: odd: cannot write odd as YAML: ', result.err)
        merged = self.opcat('merge', '--keep-going', 'parts')
        self.assertEqual(merged.out, self.opcat('render', '-o', 'yaml', NAMES[0]).out)
        self.assertIn('help: write it as JSON', merged.err)

    def test_validate_reports_what_can_never_be_read_and_leaves_to_the_next_run_what_a_registry_does_not_give(self):
        names = ['absent', 'localhost:1/no/registry:v1', 'docker://NOT-AN-IMAGE']
        result = self.opcat('validate', '--format', 'json', *names, '--shard', '0/1', '--shard-output', 'parts')
        self.assert_status(result, 3)
        self.assertNotIn('absent', result.err)
        self.assertIn('error: localhost:1/no/registry:v1: cannot pull', result.err)
        self.assertIn('error: docker://NOT-AN-IMAGE: "docker://NOT-AN-IMAGE" is not an image', result.err)
        self.assertIn('3 items, 2 failed', result.err)

    def test_what_does_not_fit_is_refused(self):
        self.run_shards(2, 'render', *NAMES)
        (self.dir / 'parts/shard-0-of-2.json').unlink()
        self.write('empty/x', '')
        cases = ((('merge', 'parts'), 2, 'shard 0/2 is missing'), (('merge', 'empty'), 3, 'empty has no complete shard'),
                 (('merge', 'nowhere'), 3, 'cannot read nowhere'), (('merge',), 2, 'PLACE'),
                 (('render', NAMES[0], '--shard', '0/2'), 2, '--shard needs --shard-output'),
                 (('render', NAMES[0], '--shard', '2/2', '--shard-output', 'x'), 2, 'there is no shard 2 of 2'),
                 (('validate', NAMES[0], '--shard', '0/2', '--shard-output', 'x'), 2, 'add --format json'),
                 (('validate', '--fix', NAMES[0], '--shard', '0/2', '--shard-output', 'x'), 2, 'excludes'),
                 (('render',), 2, 'REF is required'), (('render', '--refs', 'empty/x'), 2, 'there is no reference in empty/x'))
        for arguments, status, expected in cases:
            with self.subTest(arguments=arguments):
                result = self.opcat(*arguments)
                self.assert_status(result, status)
                self.assertIn(expected, result.err)
        self.assertFalse(pathlib.Path(self.dir / 'x').exists())


if __name__ == '__main__':
    unittest.main()
