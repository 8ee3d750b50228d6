"""`opcat mcp`: the Model Context Protocol, message by message. tests/editors/mcp_test.py asks with a client of others."""
import json
import subprocess
import unittest

from opcat_case import BINARY, CATALOGS, OpcatCase

GIZMO = str(CATALOGS / 'gizmo')
STORES = str(CATALOGS / 'stores-v{version}')


class Mcp(OpcatCase):
    def talk(self, *lines):
        """The answers to some lines: texts, or messages."""
        sent = ''.join((line if isinstance(line, str) else json.dumps({'jsonrpc': '2.0', **line})) + '\n' for line in lines)
        done = subprocess.run([BINARY, 'mcp'], input=sent, capture_output=True, text=True, cwd=self.dir, timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, tool, **arguments):
        [answer] = self.talk({'id': 1, 'method': 'tools/call', 'params': {'name': tool, 'arguments': arguments}})
        return answer

    def text(self, tool, **arguments):
        result = self.call(tool, **arguments)['result']
        return result['isError'], result['content'][0]['text']

    def test_initialize_agrees_on_a_version(self):
        for wanted, expected in (('2024-11-05', '2024-11-05'), ('2025-06-18', '2025-06-18'), ('1999-01-01', '2025-06-18'), (3, '2025-06-18')):
            [answer] = self.talk({'id': 'a', 'method': 'initialize', 'params': {'protocolVersion': wanted, 'capabilities': {}}})
            self.assertEqual((answer['id'], answer['result']['protocolVersion'], answer['result']['serverInfo']['name']), ('a', expected, 'opcat'))

    def test_every_tool_answers_as_its_command(self):
        [listed] = self.talk({'id': 1, 'method': 'tools/list'})
        names = [tool['name'] for tool in listed['result']['tools']]
        asked = {
            'list_packages': ({'catalog': GIZMO}, ('list', 'packages', GIZMO, '-o', 'json')),
            'show_package': ({'catalog': GIZMO, 'package': 'gizmo-operator'}, ('list', 'bundles', GIZMO, '-p', 'gizmo-operator', '-o', 'json')),
            'validate': ({'catalogs': [GIZMO]}, ('validate', GIZMO, '--format', 'json')),
            'diff': ({'old': str(CATALOGS / 'gizmo-last-week'), 'new': GIZMO}, ('diff', CATALOGS / 'gizmo-last-week', GIZMO, '-o', 'json')),
            'upgrade_path': ({'catalog': GIZMO, 'package': 'gizmo-operator', 'from': '1.0.0'},
                             ('graph', GIZMO, '-p', 'gizmo-operator', '--from', '1.0.0', '-o', 'json')),
            'resolve': ({'package': 'gizmo-operator', 'catalogs': [GIZMO], 'installed': '1.0.0'},
                        ('resolve', 'v1', 'gizmo-operator', '--catalog', GIZMO, '--installed', '1.0.0', '-o', 'json')),
            'plan': ({'cluster_version': '4.16.3', 'to': '4.18', 'catalogs': [STORES], 'installed': ['depot.v1.1.0'], 'at': '2026-06-01'},
                     ('plan', '--cluster-version', '4.16.3', '--to', '4.18', '--catalog', STORES, '--installed', 'depot.v1.1.0', '--at', '2026-06-01', '-o', 'json')),
            'query': ({'catalogs': [GIZMO], 'sql': 'SELECT name FROM bundles'}, ('query', GIZMO, 'SELECT name FROM bundles', '-o', 'json')),
            'query_tables': ({}, ('query', '--tables')),
            'explain_rule': ({'rule': 'channel-heads'}, ('explain', 'channel-heads'))}
        self.assertEqual(sorted(names), sorted(asked))
        for tool, (arguments, command) in asked.items():
            with self.subTest(tool):
                self.assertEqual(self.text(tool, **arguments), (False, self.opcat(*command).out))

    def test_the_last_message_may_end_with_the_input(self):
        for sent, expected in (('{"jsonrpc":"2.0","id":1,"method":"ping"}', {'id': 1, 'result': {}}), ('{"jsonrpc":', {'id': None})):
            done = subprocess.run([BINARY, 'mcp'], input=sent, capture_output=True, text=True, timeout=600)
            answer = json.loads(done.stdout)
            self.assertEqual({**answer, **expected}, answer)

    def test_a_value_is_never_a_flag(self):
        self.write('x.yaml', '')
        for tool, arguments in (('query', {'catalogs': [GIZMO], 'sql': '--save=stolen.db'}), ('list_packages', {'catalog': '--output=yaml'}),
                                ('explain_rule', {'rule': '--help'}), ('validate', {'catalogs': ['--fix', 'x.yaml']}),
                                ('show_package', {'catalog': GIZMO, 'package': '--output'})):
            with self.subTest(tool):
                self.assertTrue(self.text(tool, **arguments)[0])
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ['x.yaml'])

    def test_wrong_calls_are_refused(self):
        for arguments, words in (({'name': 'lst'}, 'there is no tool "lst"'), ({'name': 'list_packages'}, '"catalog" is missing'),
                                 ({'name': 'list_packages', 'arguments': {'catalog': 3}}, 'is not a text'),
                                 ({'name': 'list_packages', 'arguments': {'catalog': '-'}}, 'may not be standard input'),
                                 ({'name': 'query', 'arguments': {'catalogs': ['a', 'c=-'], 'sql': 'SELECT 1'}}, 'may not be standard input'),
                                 ({'name': 'list_packages', 'arguments': {'catalog': 'a', 'fix': 'b'}}, 'does not have an argument "fix"'),
                                 ({'name': 'validate', 'arguments': {'catalogs': []}}, 'is not a list of texts'),
                                 ({'name': 'validate', 'arguments': []}, 'are not an object')):
            with self.subTest(words):
                [answer] = self.talk({'id': 1, 'method': 'tools/call', 'params': arguments})
                self.assertEqual(answer['error']['code'], -32602)
                self.assertIn(words, answer['error']['message'])

    def test_what_a_command_cannot_do_is_an_error_of_the_tool(self):
        failed, text = self.text('list_packages', catalog='none')
        self.assertTrue(failed)
        self.assertIn('cannot read none', text)
        self.assertIn('did you mean name?', self.text('query', catalogs=[GIZMO], sql='SELECT nam FROM bundles')[1])

    def test_messages_that_are_none(self):
        answers = self.talk('{', '[]', '3', '{"id": 1}', '', {'id': 2, 'method': 'no/such'}, {'method': 'notifications/initialized'},
                            {'id': 7, 'result': {}}, '{"id": 3, "method": "ping", "params": "' + 'x' * (1 << 20) + '"}', {'id': 4, 'method': 'ping'})
        self.assertEqual([(one.get('id'), one['error']['code'] if 'error' in one else 'fine') for one in answers],
                         [(None, -32700), (None, -32600), (None, -32600), (None, -32600), (2, -32601), (None, -32600), (4, 'fine')])
        self.assertTrue(all(one['jsonrpc'] == '2.0' for one in answers))

    def test_a_message_that_is_nested_deeply_does_not_end_the_server(self):
        deep = [level * '[' + level * ']' for level in (100_000, 300)]
        answers = self.talk(*deep, *(f'{{"id": 1, "method": "ping", "params": {one}}}' for one in deep), {'id': 4, 'method': 'ping'})
        self.assertEqual([one.get('error', {}).get('code') for one in answers], [-32700] * 4 + [None])
        self.assertIn('nested deeper than 256 levels', answers[0]['error']['message'])


if __name__ == '__main__':
    unittest.main()
