"""Covers lib/query. `opcat query`: catalogs as tables of SQL, which only reads, and the questions that have names."""
import csv
import io
import json
import sqlite3
import unittest

from opcat_case import CATALOGS, OpcatCase

CATALOG = '''schema: olm.package
name: shop
defaultChannel: stable
description: Sells, and "quotes"
---
schema: olm.channel
package: shop
name: stable
entries:
- name: shop.v1.0.0
- {name: shop.v1.1.0, replaces: shop.v1.0.0, skips: [shop.v1.0.5]}
- {name: shop.v2.0.0-rc.1, replaces: shop.v1.1.0, skipRange: '>=1.0.0 <2.0.0-rc.1'}
- {name: shop.v3.0.0, replaces: shop.v2.0.0-rc.1}
---
schema: olm.deprecations
package: shop
entries:
- {reference: {schema: olm.bundle, name: shop.v1.0.0}, message: too old}
- {reference: {schema: olm.package}, message: '| `x` @all'}
---
schema: com.example.lifecycle
package: shop
phases: [{name: full, months: 6}]
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: shop
versions:
- name: "1.0"
  phases: [{name: Full, startDate: "2025-01-01", endDate: "2025-12-31"}, {name: Late, startDate: "2026-01-01", endDate: soon}]
  platformCompatibility: [{name: openshift, versions: ["4.16", "4.17"]}]
- name: "1.1"
'''


def bundle(version, *properties, image=None, related=()):
    text = f'---\nschema: olm.bundle\npackage: shop\nname: shop.v{version}\nimage: {image or f"registry.example.org/shop:{version}"}\nproperties:\n'
    text += f'- {{type: olm.package, value: {{packageName: shop, version: {version}}}}}\n' + ''.join(f'- {one}\n' for one in properties)
    if related:
        text += 'relatedImages:\n' + ''.join(f'- {{name: {name}, image: "{image}"}}\n' for name, image in related)
    return text


METADATA = '{type: olm.csv.metadata, value: {displayName: Shop, provider: {name: Jane}, minKubeVersion: 1.28.0, annotations: {capabilities: Deep Insights, ' \
    'categories: "Database, Storage"}, keywords: [sell], installModes: [{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: false}]}}'


class Query(OpcatCase):
    def setUp(self):
        super().setUp()
        self.write('catalog/a.yaml', CATALOG + bundle('1.0.0') + bundle('1.1.0') + bundle('2.0.0-rc.1') + bundle(
            '3.0.0', METADATA, '{type: olm.gvk, value: {group: example.org, kind: Shop, version: v1}}',
            '{type: olm.gvk.required, value: {group: example.org, kind: Gear, version: v1}}',
            '{type: olm.package.required, value: {packageName: gear, versionRange: ">=1"}}', '{type: olm.maxOpenShiftVersion, value: "4.20"}',
            image='registry.example.org/shop@sha256:' + '1' * 64, related=[('db', 'localhost:5000/db:1'), ('bad', 'not valid')]))

    def rows(self, sql, *catalogs):
        done = self.opcat('query', *(catalogs or ('catalog',)), sql, '-o', 'json')
        self.assert_status(done, 0)
        return [tuple(one.values()) for one in done.json()['rows']]

    def test_texts_are_compared_as_sqlite_does_and_within_a_limit(self):
        self.write('catalog/a.yaml', CATALOG)
        expressions = ["'Änderung' LIKE '_nDER%'", "instr('Äbc', 'c')", "replace('aXbX', 'X', '--')", "'a%c' LIKE 'a!%c' ESCAPE '!'",
                       "'abc' LIKE 'a!%c' ESCAPE '!'", "NULL LIKE 'a'", "'' LIKE '_'", "'' LIKE '%'", "'aab' LIKE '%ab'", "'abcab' LIKE '%ab%ab'",
                       "'abab' LIKE '%aba'", "replace('abc', '', 'x')", "instr('abc', '')", "instr('abc', 'd')", "'x' LIKE 'X'", "'é' LIKE 'É'",
                       "'ab' NOT LIKE 'b%'", "12 LIKE '1_'", "trim('  a ')"]
        for expression in expressions:
            with self.subTest(expression):
                done = self.opcat('query', 'catalog', f'SELECT {expression} AS a', '-o', 'json')
                wanted, = sqlite3.connect(':memory:').execute(f'SELECT {expression}').fetchone()
                self.assertEqual(done.json()['rows'], [{'a': wanted}], done)
        # Each would take minutes in one instruction of SQLite, which no limit on instructions ends. (Of what LIKE may do, instr takes most
        # before: it counts the same and is much faster.)
        most = "instr(zeroblob(60000000), x'01') + " * 15
        for expression, words in ((most + "(hex(zeroblob(30000000)) LIKE '%' || hex(zeroblob(20000)) || '1%')", 'compare too much text [limit]'),
                                  ("instr(zeroblob(60000000), zeroblob(20000000) || '1')", ''),
                                  ("length(replace(hex(zeroblob(30000000)), hex(zeroblob(10000000)) || '1', ''))", ''),
                                  ("length(replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000000))))", 'too big'),
                                  ("trim('a', 'b')", 'trim takes one text here'), ("'a' GLOB 'a'", 'not authorized'),
                                  ("json_patch('{}', '{}')", 'not authorized')):
            with self.subTest(expression):
                done = self.opcat('query', 'catalog', f'SELECT {expression} AS a', timeout=600)
                self.assertEqual(done.status != 0, words != '', done)
                self.assertIn(words, done.err)

    def test_tables_have_what_the_catalog_says(self):
        digest = 'sha256:' + '1' * 64
        for sql, expected in (
                ('SELECT catalog, name, default_channel, display_name, provider, description, channels, bundles, deprecated, line FROM packages',
                 [('catalog', 'shop', 'stable', 'Shop', 'Jane', 'Sells, and "quotes"', 1, 4, '| `x` @all', 1)]),
                ('SELECT name, is_default, head, head_version, entries FROM channels', [('stable', 1, 'shop.v3.0.0', '3.0.0', 4)]),
                ("SELECT name, version, replaces, skips, skip_range, is_head, in_chain, is_skipped, line FROM entries WHERE name LIKE '%1.1.0'",
                 [('shop.v1.1.0', '1.1.0', 'shop.v1.0.0', '["shop.v1.0.5"]', None, 0, 1, 0, 11)]),
                ('SELECT kind, from_name, to_name, olm_v1 FROM edges ORDER BY to_name, kind, from_name',
                 [('replaces', 'shop.v1.0.0', 'shop.v1.1.0', 1), ('skips', 'shop.v1.0.5', 'shop.v1.1.0', 1),
                  ('replaces', 'shop.v1.1.0', 'shop.v2.0.0-rc.1', 1), ('skipRange', 'shop.v1.0.0', 'shop.v2.0.0-rc.1', 1), ('skipRange', 'shop.v1.0.5', 'shop.v2.0.0-rc.1', 1),
                  ('skipRange', 'shop.v1.1.0', 'shop.v2.0.0-rc.1', 1), ('replaces', 'shop.v2.0.0-rc.1', 'shop.v3.0.0', 0)]),
                ('SELECT version, major, minor, patch, prerelease FROM bundles ORDER BY version_rank',
                 [('1.0.0', 1, 0, 0, None), ('1.1.0', 1, 1, 0, None), ('2.0.0-rc.1', 2, 0, 0, 'rc.1'), ('3.0.0', 3, 0, 0, None)]),
                ("SELECT digest, display_name, provider, capabilities, categories, keywords, min_kube_version, max_openshift FROM bundles WHERE major = 3",
                 [(digest, 'Shop', 'Jane', 'Deep Insights', 'Database, Storage', 'sell', '1.28.0', '4.20')]),
                ("SELECT json_extract(value, '$.provider.name') FROM properties WHERE type = 'olm.csv.metadata'", [('Jane',)]),
                ('SELECT role, kind, api_group, version FROM apis ORDER BY 1', [('provided', 'Shop', 'example.org', 'v1'), ('required', 'Gear', 'example.org', 'v1')]),
                ('SELECT type, requires, range FROM dependencies ORDER BY 1',
                 [('olm.gvk.required', 'Gear.example.org', None), ('olm.package.required', 'gear', '>=1')]),
                ("SELECT role, name, registry, repository, tag, digest FROM images WHERE bundle = 'shop.v3.0.0' ORDER BY role, name",
                 [('bundle', None, 'registry.example.org', 'shop', None, digest), ('related', 'bad', None, None, None, None),
                  ('related', 'db', 'localhost:5000', 'db', '1', None)]),
                ('SELECT bundle, mode FROM install_modes', [('shop.v3.0.0', 'AllNamespaces')]),
                ('SELECT schema, name, message FROM deprecations ORDER BY 1', [('olm.bundle', 'shop.v1.0.0', 'too old'), ('olm.package', None, '| `x` @all')]),
                ("SELECT schema, json_extract(value, '$.phases[0].months') FROM blobs ORDER BY 1",
                 [('com.example.lifecycle', 6), ('io.openshift.operators.lifecycles.v1alpha1', None)]),
                ('SELECT package, version, phase, begins, ends, openshift FROM lifecycles',
                 [('shop', '1.0', 'Full', '2025-01-01', '2025-12-31', '["4.16","4.17"]'), ('shop', '1.0', 'Late', '2026-01-01', None, '["4.16","4.17"]'),
                  ('shop', '1.1', None, None, None, None)]),
                ("SELECT DISTINCT package, rule, level FROM findings WHERE rule = 'image-reference'", [('shop', 'image-reference', 'error')]),
                ('SELECT count(*) FROM bundles', [(4,)])):
            with self.subTest(sql):
                self.assertEqual(self.rows(sql), expected)

    def test_several_catalogs_have_names(self):
        self.write('new/a.yaml', CATALOG.replace('name: shop\n', 'name: store\n', 1))
        self.assertEqual(self.rows('SELECT catalog, name FROM packages ORDER BY 1', 'v1=catalog', 'v2=new'), [('v1', 'shop'), ('v2', 'store')])
        self.assert_status(self.opcat('query', 'a=catalog', 'a=new', 'SELECT 1'), 2)

    def test_statements_only_read_and_write_no_file(self):
        for sql in ('DELETE FROM packages', 'CREATE TABLE x (y)', "ATTACH 'x.db' AS x", 'PRAGMA user_version = 3', 'PRAGMA table_list', "VACUUM INTO 'x.db'",
                    "SELECT load_extension('x')", 'BEGIN', 'SELECT 1; SELECT 2', '', '-- nothing', 'SELECT writefile(1, 2)', "SELECT readfile('/etc/passwd')",
                    'UPDATE packages SET name = 1 RETURNING name', 'REPLACE INTO packages (name) VALUES (1)', 'DROP TABLE packages'):
            with self.subTest(sql):
                done = self.opcat('query', 'catalog', sql)
                self.assert_status(done, 2)
                self.assertEqual(done.out, '')
        self.assertFalse((self.dir / 'x.db').exists())
        self.assertEqual(self.rows('SELECT 1 AS one; -- and a comment'), [(1,)])

    def test_a_wrong_name_gets_the_nearest(self):
        for sql, words in (('SELECT pakage FROM bundles', 'did you mean package?'), ('SELECT b.nme FROM bundles b', 'did you mean name?'),
                           ('SELECT 1 FROM bundle', 'did you mean bundles?'), ('SELECT 1 FROM quarks', '`opcat query --tables` lists'),
                           ('SELECT name FROM packages WHERE name = "shop"', 'no such column')):
            with self.subTest(sql):
                done = self.opcat('query', 'catalog', sql)
                self.assert_status(done, 2)
                self.assertIn(words, done.err)

    def test_work_and_results_are_limited(self):
        endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n'
        for sql, words in ((f'SELECT count(*) FROM {", ".join(f"entries AS e{i}" for i in range(20))}', 'takes too much work [limit]'),
                           (endless.format('i'), 'the result has more than'), (endless.format('zeroblob(1000000)'), 'the result has more than')):
            with self.subTest(sql):
                done = self.opcat('query', 'catalog', sql, '-o', 'csv')
                self.assert_status(done, 3)
                self.assertIn(words, done.err)

    def test_forms(self):
        sql = "SELECT name, message, 1.5 AS f, NULL AS n FROM deprecations WHERE name IS NULL"
        run = lambda form: self.opcat('query', 'catalog', sql, '-o', form).out
        self.assertEqual(json.loads(run('jsonl')), {'name': None, 'message': '| `x` @all', 'f': 1.5, 'n': None})
        self.assertEqual(list(csv.reader(io.StringIO(run('csv'), newline=''))), [['name', 'message', 'f', 'n'], ['', '| `x` @all', '1.5', '']])
        self.assertEqual(run('markdown').splitlines()[2], "|  | `\\| 'x' @all` | `1.5` |  |")
        quotes = self.opcat('query', 'catalog', "SELECT description, 'a' || char(10) || 'b' AS two FROM packages", '-o', 'csv').out
        self.assertEqual(list(csv.reader(io.StringIO(quotes, newline='')))[1], ['Sells, and "quotes"', 'a\nb'])
        self.assertNotIn('\x1b', self.opcat('query', 'catalog', "SELECT char(27) || '[2J' AS x").out)
        twice = self.opcat('query', 'catalog', 'SELECT name, name FROM packages', '-o', 'json')
        self.assertIn('two columns of the result are called name', twice.err)

    def test_every_named_query_answers(self):
        names = [line.split()[0] for line in self.opcat('query', '--list').out.splitlines()[1:]]
        self.assertGreaterEqual(len(names), 20)
        self.assertEqual(names, sorted(names))
        answers = {}
        for name in names:
            with self.subTest(name):
                done = self.opcat('query', 'here=catalog', f'gizmo={CATALOGS / "gizmo"}', '--named', name, '-o', 'json')
                self.assert_status(done, 0)
                answers[name] = done.json()['rows']
        self.assertEqual(answers['missing-packages'], [{'package': 'gizmo-operator', 'is_in': 'gizmo', 'is_not_in': 'here'},
                                                       {'package': 'shop', 'is_in': 'here', 'is_not_in': 'gizmo'}])
        self.assertIn({'catalog': 'here', 'package': 'shop', 'bundle': 'shop.v1.0.0', 'role': 'bundle', 'pull_spec': 'registry.example.org/shop:1.0.0'},
                      answers['images-without-digest'])
        self.assertEqual([one['package'] for one in answers['largest-packages']][0], 'gizmo-operator')
        self.assertIn('did you mean apis?', self.opcat('query', 'catalog', '--named', 'apes').err)

    def test_a_project_has_queries_of_its_own(self):
        self.write('.opcat.yaml', "queries:\n- {name: heads, question: 'which heads?', sql: SELECT head FROM channels}\n"
                   "- {name: providers, sql: SELECT 'ours' AS who}\n")
        listed = self.opcat('query', '--list').out.splitlines()
        self.assertEqual([line.split()[0] for line in listed[-2:]], ['heads', 'providers'])
        self.assertEqual(sum(line.startswith('providers') for line in listed), 1)
        self.assertEqual(self.opcat('query', 'catalog', '--named', 'heads').out, 'head\nshop.v3.0.0\n')
        self.assertEqual(self.opcat('query', 'catalog', '--named', 'providers').out, 'who\nours\n', 'it takes the place of ours')
        self.assertIn('did you mean heads', self.opcat('query', 'catalog', '--named', 'haeds').err)
        shown = self.opcat('config', 'show', '-o', 'json').json()['queries']
        self.assertEqual(shown[0], {'name': 'heads', 'question': 'which heads?', 'sql': 'SELECT head FROM channels', 'origin': '.opcat.yaml:2:10'})
        self.assertIn('queries.providers', self.opcat('config', 'show').out)
        self.assertEqual(self.opcat('config', 'schema').json()['properties']['queries']['items']['required'], ['name', 'sql'])

    def test_mistakes_in_queries_of_a_project_are_errors(self):
        for text, words in (('5', 'queries'), ('[1]', 'a query must be an object'), ('[{name: a}]', 'a query needs "sql"'),
                            ('[{name: A b, sql: x}]', 'cannot name a query'), ('[{name: a, sql: x}, {name: a, sql: z}]', 'defined twice'),
                            ('[{name: a, sql: x, more: y}]', 'more'), ('[{name: a, sql: x, question: 1}]', 'a query needs "question"'),
                            ('[' + ', '.join(f'{{name: a{i}, sql: x}}' for i in range(101)) + ']', 'at most 100 queries')):
            with self.subTest(text[:60]):
                self.write('.opcat.yaml', f'queries: {text}\n')
                done = self.opcat('query', '--list')
                self.assert_status(done, 2)
                self.assertIn(words, done.err)
                self.assertEqual(done.out, '')

    def test_a_statement_of_a_configuration_that_is_wrong_is_said_before_it_is_asked(self):
        for sql, words in (('DROP TABLE packages', 'does not only read'), ('SELECT nme FROM packages', 'did you mean name?'), ('SELEC 1', 'is not valid'), ('SELECT name FROM packages WHERE name = :x', 'has a parameter')):
            self.write('.opcat.yaml', f'queries:\n- {{name: fine, sql: SELECT name FROM packages}}\n- {{name: a, sql: {sql}}}\n')
            for command in (['query', '--list'], ['query', 'catalog', '--named', 'fine'], ['config', 'show'], ['validate', '--config', '.opcat.yaml', 'catalog']):
                with self.subTest(sql=sql, command=command):
                    done = self.opcat(*command)
                    self.assert_status(done, 2)
                    self.assertIn('.opcat.yaml:3:10: the query a: ', done.err)
                    self.assertIn(words, done.err)

    def test_lists_take_a_condition(self):
        run = lambda *arguments: self.opcat('list', *arguments, '-o', 'name')
        self.assertEqual(run('bundles', 'catalog', '--where', "major = 1 AND deprecated IS NULL").out, 'shop.v1.1.0\n')
        self.assertEqual(run('channels', 'catalog', '--where', 'NOT is_default').out, '')
        self.assertEqual(run('packages', 'catalog', '--where', "provider = 'Jane'").out, 'shop\n')
        for where, words in (('nme = 1', 'did you mean name?'), ('1) OR (1', 'is not valid'), ('1; DELETE FROM bundles', 'several statements')):
            done = run('bundles', 'catalog', '--where', where)
            self.assert_status(done, 2)
            self.assertIn(words, done.err)

    def test_search_finds_words_and_slips_the_best_first(self):
        other = CATALOG.replace('name: shop\n', 'name: market\n', 1).replace('package: shop', 'package: market').replace('Sells, and "quotes"', 'Storage for a shop')
        self.write('catalog/b.yaml', '---\n' + other)
        found = lambda *arguments: [one['package'] for one in self.opcat('search', *arguments, 'catalog', '-o', 'json').json()['packages']]
        for words, expected in (('shop', ['shop', 'market']), ('SHOP', ['shop', 'market']), ('storage', ['shop', 'market']), ('storge', ['shop', 'market']),
                                ('sell', ['shop']), ('shop storage', ['shop', 'market']), ('market storage', ['market']), ('jane', ['shop']),
                                ('mark', ['market']), ('database', ['shop']), ('shp', []), ('nothing', [])):
            with self.subTest(words):
                self.assertEqual(found(words), expected)
        table = self.opcat('search', 'sell', 'v1=catalog')
        self.assertEqual(table.out.split('\n')[1].split(), ['shop', 'v1', 'Shop', 'shop.v3.0.0', 'keyword', 'sell'])
        none = self.opcat('search', 'nothing', 'catalog')
        self.assert_status(none, 1)
        self.assertIn('no package matches "nothing"', none.err)
        self.assert_status(self.opcat('search', 'x', 'catalog', '--list-versions'), 2)

    def test_missing_packages_are_those_of_two_catalogs_of_which_one_may_be_empty(self):
        (self.dir / 'none').mkdir()
        done = self.opcat('query', 'catalog', 'none', '--named', 'missing-packages', '-o', 'csv')
        self.assertEqual(done.out.splitlines(), ['package,is_in,is_not_in', 'shop,catalog,none'])
        done = self.opcat('query', 'catalog', '--named', 'missing-packages')
        self.assert_status(done, 2)
        self.assertIn('missing-packages compares catalogs, and one is named', done.err)

    def test_packages_of_several_catalogs(self):
        self.write('new/a.yaml', CATALOG.replace('shop', 'store'))
        done = self.opcat('list', 'packages', 'v1=catalog', 'v2=new')
        self.assertEqual([line.split() for line in done.out.splitlines()], [['PACKAGE', 'v1', 'v2'], ['shop', '3.0.0', '-'], ['store', '-', '3.0.0']])
        json_form = self.opcat('list', 'packages', 'v1=catalog', 'v2=new', '-o', 'json').json()
        self.assertEqual(json_form['packages'][1], {'name': 'store', 'in': {'v2': {'defaultChannel': 'stable', 'head': 'store.v3.0.0', 'version': '3.0.0'}}})
        self.assert_status(self.opcat('list', 'packages', 'a', 'b', '--where', '1'), 2)

    def test_the_saved_file_is_a_database(self):
        self.assert_status(self.opcat('query', 'catalog', '--save', 'x.db'), 0)
        with sqlite3.connect(self.dir / 'x.db') as database:
            self.assertEqual(database.execute('SELECT count(*) FROM bundles').fetchall(), [(4,)])
            self.assertEqual(database.execute('PRAGMA integrity_check').fetchall(), [('ok',)])

    def test_only_what_it_has_saved_and_nobody_has_changed_is_replaced(self):
        save = lambda: self.opcat('query', 'catalog', '--save', 'x.db')
        self.assert_status(save(), 0)
        self.assert_status(save(), 0)
        with sqlite3.connect(self.dir / 'x.db') as database:
            database.execute('CREATE TABLE mine (x)')
        changed = (self.dir / 'x.db').read_bytes()
        result = save()
        self.assert_status(result, 2)
        self.assertIn('x.db is not what opcat query saved', result.err)
        self.assertEqual((self.dir / 'x.db').read_bytes(), changed)
        with sqlite3.connect(self.dir / 'index.db') as database:
            database.execute('CREATE TABLE operatorbundle (name TEXT)')
        self.assert_status(self.opcat('query', 'catalog', '--save', 'index.db'), 2)
        for end in '-wal', '-journal':
            self.write(f'new.db{end}', 'x')
            result = self.opcat('query', 'catalog', '--save', 'new.db')
            self.assert_status(result, 2)
            self.assertIn(f'new.db{end} is there', result.err)
            (self.dir / f'new.db{end}').unlink()

    def test_the_tables_that_are_shown_are_those_that_are_made(self):
        shown = self.opcat('query', '--tables').out
        database = sqlite3.connect(':memory:')
        database.executescript(shown)
        self.opcat('query', 'catalog', '--save', 'x.db')
        made = sqlite3.connect(self.dir / 'x.db')
        columns = lambda one: {(table, row[1], row[2]) for (table,) in one.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                               for row in one.execute(f'PRAGMA table_info({table})')}
        self.assertEqual(columns(database), columns(made))

    def test_wrong_requests(self):
        for arguments, words in ((('query',), 'neither a catalog nor a statement'), (('query', 'catalog'), 'a catalog and a statement are needed'),
                                 (('query', '--named', 'apis'), 'no catalog is named'), (('query', 'none', 'SELECT 1'), 'cannot read none')):
            with self.subTest(arguments):
                done = self.opcat(*arguments)
                self.assertNotEqual(done.status, 0)
                self.assertIn(words, done.err)

    def test_a_catalog_without_packages_is_named(self):
        (self.dir / 'empty').mkdir()
        for command in (['query', 'empty', 'SELECT name FROM packages'], ['list', 'packages', 'empty'], ['list', 'bundles', 'empty'],
                        ['list', 'images', 'empty'], ['graph', 'empty'], ['list', 'packages', 'empty', 'other=empty']):
            with self.subTest(command):
                result = self.opcat(*command)
                self.assert_status(result, 0)
                self.assertIn('warning: empty has no packages\n', result.err)


if __name__ == '__main__':
    unittest.main()
