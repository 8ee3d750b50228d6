"""The pages of serve, as sent to a browser and as files."""
import html.parser
import subprocess
import unittest

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
        self.assertIn('not from opcat', self.export(CATALOGS / 'hello', '--export', foreign, status=3))
        self.assertIn('not a directory', self.export(CATALOGS / 'hello', '--export', foreign / 'file', status=3))
        self.assertEqual([(path.name, path.read_text()) for path in foreign.iterdir()], [('file', 'mine')])

    def test_a_catalog_that_cannot_be_read_leaves_nothing(self):
        out = self.dir / 'out'
        self.export(self.dir / 'missing', '--export', out, status=3)
        self.assertEqual(list(self.dir.iterdir()), [])


if __name__ == '__main__':
    unittest.main()
