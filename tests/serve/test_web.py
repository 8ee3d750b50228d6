"""The pages of serve, as sent to a browser and as files."""
import concurrent.futures
import html.parser
import re
import shutil
import subprocess
import time
import unittest
import urllib.parse

from server_case import BINARY, CATALOGS, ServerCase

VOID = {'meta', 'link', 'input', 'img', 'br', 'option', 'hr'}


class Balanced(html.parser.HTMLParser):
    """Fails on mismatched tags, and on content that a strict policy blocks."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.text = [], [], ''
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            assert not name.startswith('on') and name != 'style', (tag, name)
            if name in ('href', 'src'):
                self.links.append(value)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text += data


class Web(ServerCase):
    def page(self, port, path):
        status, headers, body = self.get(port, path)
        self.assertEqual(status, 200, path)
        self.assertEqual(headers['Content-Type'], 'text/html; charset=utf-8')
        return Balanced(body.decode())

    def test_pages_are_html_that_a_strict_policy_allows(self):
        _, port = self.start_http(f'c={CATALOGS / "streams"}')
        for path in ('/', '/index.html', '/catalogs/c/', '/catalogs/c/findings.html', '/catalogs/c/packages/harbour/',
                     '/catalogs/c/packages/harbour/bundles/harbour.v2.0.0.html', '/catalogs/c/packages/harbour/graph.html',
                     '/catalogs/c/packages/harbour/path.html?from=1.0.1&to=2.0.0'):
            with self.subTest(path):
                self.assertIn('harbour', self.page(port, path).text)
                policy = self.get(port, path)[1]['Content-Security-Policy']
                self.assertIn("default-src 'none'", policy)
                self.assertNotIn('unsafe', policy)
                self.assertEqual(self.get(port, path)[1]['X-Content-Type-Options'], 'nosniff')

    def test_browsers_ask_again_only_for_what_has_changed(self):
        _, port = self.start_http(f'c={CATALOGS / "streams"}')
        for path in ('/', '/pages.css', '/pages.js', '/graph.css', '/graph.js', '/catalogs/c/packages/harbour/graph.html'):
            with self.subTest(path):
                status, headers, body = self.get(port, path)
                self.assertEqual((status, len(body) > 0), (200, True))
                status, _, again = self.get(port, path, {'If-None-Match': headers['ETag']})
                self.assertEqual((status, again), (304, b''))
                status, of_head, nothing = self.get(port, path, method='HEAD')
                self.assertEqual((status, of_head['Content-Length'], nothing), (200, str(len(body)), b''))

    def test_a_file_that_is_not_a_page_is_refused(self):
        _, port = self.start_http(f'c={CATALOGS / "streams"}')
        for method, path, status in (('POST', '/', 405), ('GET', '/catalogs/c', 307), ('GET', '/catalogs/x/', 404),
                                     ('GET', '/catalogs/c/packages/../', 307), ('GET', '/catalogs/c/packages/x/', 404),
                                     ('GET', '/catalogs/c//', 307), ('GET', '/catalogs/c/%2e%2e/', 404), ('GET', '/nothing', 404)):
            with self.subTest(path):
                self.assertEqual(self.get(port, path, method=method)[0], status)

    def test_all_catalogs_are_on_the_first_page(self):
        server = self.serve(CATALOGS / 'hello', f'other={CATALOGS / "streams"}', '--no-grpc', '--http', '127.0.0.1:0').ready(2)
        first = self.page(server.port('http'), '/')
        for link in ('catalogs/hello/packages/hello/index.html', 'catalogs/other/packages/harbour/index.html'):
            self.assertIn(link, first.links)

    def test_pages_follow_a_reload_and_show_what_is_wrong(self):
        catalog = self.copy('streams')
        server, port = self.start_http(f'c={catalog}', '--watch')
        self.assertNotIn('anchor', self.page(port, '/').text)
        (catalog / 'more.yaml').write_text('schema: olm.package\nname: anchor\ndefaultChannel: none\n')
        server.ready(2)
        self.assertIn('anchor', self.page(port, '/').text)
        self.assertIn('anchor', self.page(port, '/catalogs/c/findings.html').text)

    def test_a_catalog_that_is_gone_is_served_on(self):
        """A volume that is not there yet is an empty directory."""
        catalog = self.copy('streams')
        server, port = self.start_http(f'c={catalog}', '--watch')
        catalog.rename(self.dir / 'gone')
        catalog.mkdir()
        server.wait_for('could not be reloaded')
        self.assertIn('harbour', self.page(port, '/').text)
        (self.dir / 'gone/catalog.yaml').rename(catalog / 'catalog.yaml')
        server.ready(2)
        self.assertIn('harbour', self.page(port, '/').text)

    def test_findings_are_those_of_the_exported_pages(self):
        """A server looks for them in some files at a time, --export in all at once."""
        parts = self.copy('streams', 'parts')
        text = (CATALOGS / 'hello/catalog.yaml').read_text()
        blobs = text.replace('image: ', 'imagee: x\nimage: ').split('---\n')
        for number, blob in enumerate(blobs):
            (parts / f'{"zab"[number % 3]}{number}.yaml').write_text(blob)
        (parts / 'empty.yaml').write_text('')
        unknown = self.copy('streams', 'unknown')
        (unknown / 'more.yaml').write_text('schema: olm.chanel\npackage: harbor\nname: x\n')
        for catalog in (CATALOGS / 'hello', CATALOGS / 'streams', CATALOGS / 'gizmo', parts, unknown):
            with self.subTest(catalog.name):
                _, port = self.start_http(f'c={catalog}')
                served = self.get(port, '/catalogs/c/findings.html')[2].decode()
                exported = self.dir / f'exported-{catalog.name}'
                subprocess.run([BINARY, 'serve', '-q', f'c={catalog}', '--export', exported], check=True, stdin=subprocess.DEVNULL)
                self.assertEqual(served, (exported / 'catalogs/c/findings.html').read_text())
                self.assertEqual(catalog in (parts, unknown), 'unknown-' in served)

    def test_no_web_turns_them_off(self):
        _, port = self.start_http(f'c={CATALOGS / "streams"}', '--no-web')
        for path in ('/', '/pages.css', '/catalogs/c/'):
            self.assertEqual(self.get(port, path)[0], 404)
        self.assertEqual(self.get(port, '/catalogs/c/api/v1/all')[0], 200)


class Query(ServerCase):
    """Covers lib/serve/query_page.cpp and lib/serve/slow_answers.cpp."""

    def start(self):
        server, port = self.start_http(f'c={CATALOGS / "streams"}', '--allow-query')
        return server, port

    def ask(self, port, sql):
        status, headers, body = self.get(port, '/catalogs/c/query.html?sql=' + urllib.parse.quote(sql))
        return status, headers, Balanced(body.decode()).text if status == 200 else body.decode()

    def test_statements_are_answered_and_only_read(self):
        _, port = self.start()
        for sql, words in (('SELECT name, head FROM channels', 'harbour.v2.0.0'), ('SELECT count(*) AS n FROM findings', '1 row'), ('', 'One SELECT of SQLite'),
                           ('SELECT nme FROM packages', 'did you mean name?'), ('DROP TABLE packages', 'does not only read'), ("SELECT readfile('/etc/passwd')", 'no such function'),
                           ("SELECT '<script>' AS \"<img src=x>\"", '<script>'), ('SELECT NULL', 'NULL'), ('SELECT 1; SELECT 2', 'several statements'),
                           ('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n', 'more than 1000 rows'),
                           ('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n', 'too much work'),
                           ('WITH RECURSIVE n(i, t) AS (SELECT 1, randomblob(30000000) UNION ALL SELECT i + 1, randomblob(30000000) FROM n LIMIT 40) '
                            'SELECT count(DISTINCT t) FROM n', 'there is not enough memory for it')):
            with self.subTest(sql):
                status, headers, text = self.ask(port, sql)
                self.assertEqual(status, 200)
                self.assertIn(words, text)
                self.assertIn("default-src 'none'", headers['Content-Security-Policy'])

    def test_a_slow_statement_keeps_nobody_waiting_and_too_many_are_refused(self):
        server, port = self.start()
        endless = f'SELECT count(*) + {{}} FROM {", ".join(f"entries AS e{i}" for i in range(20))}'
        with concurrent.futures.ThreadPoolExecutor(12) as threads:
            asked = [threads.submit(self.ask, port, endless.format(i)) for i in range(12)]
            while not any(one.done() for one in asked):
                time.sleep(0.01)
            self.assertEqual(self.get(port, '/healthz')[0], 200)
            self.assertEqual(self.get(port, '/catalogs/c/')[0], 200)
            self.assertFalse(all(one.done() for one in asked), 'others are answered meanwhile')
            answers = [one.result() for one in asked]
        refused = [headers for status, headers, _ in answers if status == 503]
        self.assertGreaterEqual(len(refused), 1)
        self.assertEqual(refused[0]['Retry-After'], '1')
        self.assertTrue(all('too much work' in text for status, _, text in answers if status == 200))

    def test_without_the_flag_there_is_no_such_page(self):
        _, port = self.start_http(f'c={CATALOGS / "streams"}')
        self.assertEqual(self.get(port, '/catalogs/c/query.html?sql=SELECT%201')[0], 404)
        self.assertNotIn('Ask in SQL', self.get(port, '/catalogs/c/')[2].decode())
        _, port = self.start()
        self.assertIn('Ask in SQL', self.get(port, '/catalogs/c/')[2].decode())


class Comparison(ServerCase):
    """Covers lib/serve/compare_page.cpp."""

    def test_two_catalogs_are_compared_as_diff_does(self):
        server = self.serve(f'old={CATALOGS / "gizmo-last-week"}', f'new={CATALOGS / "gizmo"}', '--no-grpc', '--http', '127.0.0.1:0').ready(2)
        port = server.port('http')
        self.assertIn('Compare two catalogs', self.get(port, '/')[2].decode())
        for question, words in (('from=old&to=new', 'old → new'), ('from=new&to=old', 'new → old'), ('from=new&to=new', 'No changes.'),
                                ('from=old&to=new&package=gizmo-operator', 'gizmo-operator'), ('from=old&to=new&package=%3Cb%3E', 'neither catalog has the package <b>')):
            with self.subTest(question):
                status, headers, body = self.get(port, '/compare.html?' + question)
                self.assertEqual(status, 200)
                self.assertIn(words, Balanced(body.decode()).text)
                self.assertNotIn('unsafe', headers['Content-Security-Policy'])
        ours = self.get(port, '/compare.html?from=old&to=new')[2].decode()
        of_diff = subprocess.run([BINARY, 'diff', CATALOGS / 'gizmo-last-week', CATALOGS / 'gizmo', '-o', 'html'], capture_output=True, text=True).stdout
        graphs = lambda page: re.findall('<svg.*?</svg>', page, re.DOTALL)
        self.assertTrue(graphs(ours))
        self.assertEqual(graphs(ours), graphs(of_diff))
        self.assertIn('.graphs', self.get(port, '/diff.css')[2].decode())
        self.assertEqual(self.get(port, '/compare.html?from=x&to=new')[0], 404)
        self.assertEqual(self.get(port, '/compare.html')[0], 404)

    def test_one_catalog_has_nothing_to_be_compared_with(self):
        _, port = self.start_http(f'c={CATALOGS / "streams"}')
        self.assertEqual(self.get(port, '/compare.html?from=c&to=c')[0], 404)
        self.assertNotIn('Compare', self.get(port, '/')[2].decode())


class Export(ServerCase):
    def export(self, *arguments, status=0):
        run = subprocess.run([BINARY, 'serve', *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stderr

    def test_all_links_of_all_files_lead_to_files(self):
        out = self.dir / 'out'
        self.export(f'c={CATALOGS / "streams"}', CATALOGS / 'hello', '--export', out)
        files = [path for path in out.rglob('*.html')]
        self.assertGreater(len(files), 10)
        for file in files:
            for link in Balanced(file.read_text()).links:
                target = link.split('#')[0]
                if target and not target.startswith(('http', 'data:')):
                    self.assertTrue((file.parent / target).resolve().is_file(), f'{file}: {link}')

    def test_what_does_not_read_is_said_to_who_publishes_the_pages(self):
        parts = self.copy('hello', 'parts')
        (parts / 'broken.yaml').write_text('{ b')
        self.assertIn('broken.yaml:1:', self.export(f'c={parts}', '--export', self.dir / 'out', status=1))
        self.assertTrue((self.dir / 'out/catalogs/c/findings.html').exists())

    def test_a_second_export_replaces_the_first(self):
        out = self.dir / 'out'
        self.export(f'c={CATALOGS / "streams"}', '--export', out)
        self.export(CATALOGS / 'hello', '--export', out)
        self.assertEqual(sorted(path.name for path in (out / 'catalogs').iterdir()), ['hello'])
        self.assertEqual(list(self.dir.glob('.out*')), [], 'nothing is left next to it')

    def test_what_is_not_ours_stays(self):
        foreign = self.dir / 'foreign'
        foreign.mkdir()
        (foreign / 'file').write_text('mine')
        self.assertIn('file is not what opcat wrote', self.export(CATALOGS / 'hello', '--export', foreign, status=3))
        self.assertIn('not a directory', self.export(CATALOGS / 'hello', '--export', foreign / 'file', status=3))
        self.assertEqual([(path.name, path.read_text()) for path in foreign.iterdir()], [('file', 'mine')])

    def test_what_somebody_puts_between_the_pages_or_changes_stays(self):
        out = self.dir / 'out'
        for name, text in (('.git/HEAD', 'ref: refs/heads/main\n'), ('CNAME', 'site.example\n'), ('catalogs/hello/mine.txt', 'x'),
                           ('packages', None), ('index.html', 'my own')):
            with self.subTest(name):
                shutil.rmtree(out, ignore_errors=True)
                self.export(CATALOGS / 'hello', '--export', out)
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                (out / name).mkdir() if text is None else (out / name).write_text(text)
                before = {path: path.read_bytes() for path in out.rglob('*') if path.is_file()}
                self.assertRegex(self.export(CATALOGS / 'hello', '--export', out, status=3), f'{name.split("/")[0]}.* is not what opcat wrote')
                self.assertEqual({path: path.read_bytes() for path in out.rglob('*') if path.is_file()}, before)

    def test_a_catalog_that_cannot_be_read_leaves_nothing(self):
        out = self.dir / 'out'
        self.export(self.dir / 'missing', '--export', out, status=3)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_a_catalog_without_packages_is_an_error_and_leaves_nothing(self):
        empty = self.dir / 'empty'
        empty.mkdir()
        self.assertIn('has no packages', self.export(empty, '--export', self.dir / 'out', status=3))
        self.assertEqual(list(self.dir.iterdir()), [empty])


if __name__ == '__main__':
    unittest.main()
