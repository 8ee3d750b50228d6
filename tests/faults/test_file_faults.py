"""Commands that read and write files: each call that can fail fails once. opcat either does its work nevertheless, or reports in a
sentence why it cannot, with exit status 3, and changes nothing. And at each call that changes a file opcat is killed once."""
import http.server
import pathlib
import re
import shutil
import signal
import sqlite3
import tarfile
import tempfile
import threading
import unittest

from fault_case import CHANGING_CALLS, assert_reported, faults_in, place_with, run_in, side_by_side
from oci_layout import Layout, files_below, make_layer
from opcat_case import CATALOGS, OpcatCase


def contents(directory):
    return {str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None for path in sorted(directory.rglob('*'))}


def add_packages(work):
    """Several files and packages, not in the form of fmt."""
    for name in 'abc':
        (work / f'catalog/{name}.yaml').write_text(f'# {name}\nname: "{name}"\nschema: olm.package\ndefaultChannel:\n'
                                                   f'---\nschema: olm.channel\npackage: {name}\nname: x\nentries: [{{name: {name}.v1}}]\n')


def reword(work, description):
    catalog = work / 'catalog/catalog.yaml'
    catalog.write_text(catalog.read_text().replace('description: Says hello.', description))


def write_layout(to):
    """An OCI layout with one catalog image."""
    layout = Layout(to)
    image = layout.image([make_layer(files_below(CATALOGS / 'hello', 'configs/hello/'))],
                         {'operators.operatorframework.io.index.configs.v1': '/configs'})
    layout.tag(image, 'v1')
    return image


class Registry(http.server.BaseHTTPRequestHandler):
    """A minimal registry: the content of an OCI layout."""
    protocol_version = 'HTTP/1.1'
    layout = pathlib.Path()
    manifest = {}

    def do_GET(self):
        name = self.path.rsplit('/', 1)[-1]
        if self.path == '/v2/':
            return self.answer(b'{}', 'application/json')
        digest = self.manifest['digest'] if '/manifests/' in self.path else name
        kind = self.manifest['mediaType'] if '/manifests/' in self.path else 'application/octet-stream'
        return self.answer((self.layout / 'blobs/sha256' / digest.removeprefix('sha256:')).read_bytes(), kind)

    do_HEAD = do_GET

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command == 'GET':
            self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Faults(OpcatCase):
    def check(self, arguments, prepare=None, directory='out', only_killed=False):
        """`arguments` run in a directory that holds `work`, a catalog and what `prepare` puts there. `directory` is the one
        that they write as a whole, if they do that. `only_killed`: calls do not fail, because the command records that."""
        self.directory, self.arguments = directory, arguments
        self.before = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        shutil.copytree(CATALOGS / 'hello', self.before / 'catalog')
        if prepare:
            prepare(self.before)
        self.old = contents(self.before)
        with place_with(self.before) as place:
            self.good, control = run_in(place, arguments)
            self.new = contents(place / 'work')
        self.assert_status(self.good, 0)
        counts = control.counts()
        self.assertIn('read', counts)
        if not only_killed:
            failed = side_by_side(self, faults_in(counts), self.check_failing)
            self.assertIn(True, failed)
        if self.new != self.old:
            side_by_side(self, faults_in(counts, CHANGING_CALLS), self.check_killed)

    def check_failing(self, call, at):
        """Whether the command has failed."""
        with place_with(self.before) as place:
            result, _ = run_in(place, self.arguments, call, at)
            now = contents(place / 'work')
            self.assertEqual(contents(place / 'tmp'), {}, 'temporary files are left')
        self.assertEqual(now.keys() - self.old.keys() - self.new.keys(), set())
        self.assert_old_or_new(now)
        if result.status != 0:
            assert_reported(self, result)
            return True
        self.assertEqual(result.out, self.good.out)
        self.assertEqual(now, self.new)
        return False

    def check_killed(self, call, at):
        with place_with(self.before) as place:
            result, _ = run_in(place, self.arguments, call, at, kills=True)
            # Threads that share the work may make slightly different numbers of calls in each run.
            self.assertIn(result.status, (-signal.SIGKILL,) if at == 1 else (-signal.SIGKILL, 0))
            now = contents(place / 'work')
            self.assert_old_or_new(now)
            self.take_leftover(place, now)
            if now.keys() >= self.new.keys() - self.old.keys() > set():
                return  # it had done all of its work
            # Leftovers do not disturb later runs.
            self.assert_status(run_in(place, self.arguments)[0], 0)
            self.assertEqual(contents(place / 'work'), self.new)

    def assert_old_or_new(self, now):
        """Each file has its old or its new content, or is missing if it was or will be; a directory that is written as a whole
        has all of its old or all of its new content."""
        def whole(names):
            return {name: content for name, content in names.items() if f'{name}/'.startswith(f'{self.directory}/')}
        self.assertIn(whole(now), (whole(self.old), whole(self.new)))
        for name in self.old.keys() | self.new.keys():
            self.assertIn(now.get(name), (self.old.get(name), self.new.get(name)), name)

    def take_leftover(self, place, now):
        """For a moment the complete new file is in a directory of its own next to the one that it replaces, where readers of
        catalogs do not look. The next writer removes it, as it does with a directory that is being filled, which is hidden."""
        beside = {name: now[name] for name in now.keys() - self.old.keys() - self.new.keys()
                  if not name.startswith(f'.{self.directory}.opcat-')}
        self.assertLessEqual({re.sub(r'\.opcat-[0-9a-f]{8}(\.gone)?', 'D', pathlib.PurePath(name).name) for name in beside}, {'D', '.indexignore', 'new'})
        self.assertLessEqual(len(beside), 3)
        for name, content in beside.items():
            if name.endswith('/new'):
                self.assertIn(content, self.new.values())
                self.assertEqual(beside[name.removesuffix('new') + '.indexignore'], b'*\n')

    def test_validate(self):
        self.check(['validate', 'work/catalog'])

    def test_render(self):
        self.check(['render', 'work/catalog', '-o', 'yaml'])

    def test_render_to_a_directory(self):
        self.check(['render', 'work/catalog', '--output-dir', 'work/out'], add_packages)

    def test_fmt(self):
        def prepare(work):
            add_packages(work)
            reword(work, 'description:   "Says hello."')
        self.check(['fmt', 'work/catalog'], prepare)

    def test_generate_dockerfile(self):
        self.check(['generate', 'dockerfile', 'work/catalog'])

    def test_generate_another_dockerfile(self):
        self.check(['generate', 'dockerfile', 'work/catalog', '--force'],
                   lambda work: (work / 'catalog.Dockerfile').write_text('FROM scratch\n'))

    def test_compose(self):
        def prepare(work):
            shutil.copytree(CATALOGS / 'gizmo', work / 'gizmo')
            config = work / 'compose.yaml'
            config.write_text('name: all\nreferences: [{name: hello, image: catalog}, {name: gizmo, image: gizmo}]\n')
            self.assert_status(self.opcat('compose', config), 0)
            reword(work, 'description: Says hello again.')
            config.write_text('name: all\nreferences: [{name: hello, image: catalog}, {name: gizmos, image: gizmo}]\n')
        self.check(['compose', 'work/compose.yaml', '--update'], prepare, 'all')

    def test_migrate(self):
        self.check(['migrate', 'work/catalog', 'work/out'], add_packages)

    def test_graph_as_a_page(self):
        self.check(['graph', 'work/catalog', '-o', 'html'])

    def test_render_an_oci_layout(self):
        self.check(['render', 'oci:work/layout'], lambda work: write_layout(work / 'layout'))

    def test_copy_to_a_layout(self):
        self.check(['copy', 'oci:work/layout', 'oci:work/out:v1'], lambda work: write_layout(work / 'layout'),
                   'no directory as a whole')

    def test_copy_to_an_archive(self):
        self.check(['copy', 'oci:work/layout', 'docker-archive:work/out.tar'],
                   lambda work: write_layout(work / 'layout'))

    def test_build_an_archive(self):
        def prepare(work):
            with tarfile.open(work / 'out.tar', 'w') as older:
                older.addfile(tarfile.TarInfo('oci-layout'))
        self.check(['build', 'work/catalog', '--base', 'scratch', '-t', 'oci-archive:work/out.tar'], prepare)

    def test_render_a_shard(self):
        self.check(['render', 'work/catalog', '--shard', '0/1', '--shard-output', 'work/parts'], directory='no directory as a whole',
                   only_killed=True)

    def test_merge_shards(self):
        def prepare(work):
            self.assert_status(self.opcat('render', work / 'catalog', '--shard', '0/1', '--shard-output', work / 'parts'), 0)
        self.check(['merge', 'work/parts'], prepare)

    def test_render_an_index_database(self):
        def prepare(work):
            database = sqlite3.connect(work / 'index.db')
            database.executescript(pathlib.Path(__file__).with_name('index.sql').read_text())
            database.close()
        self.check(['render', 'work/index.db'], prepare)

    def test_render_an_image(self):
        manifest = write_layout(self.dir / 'layout')
        handler = type('Handler', (Registry,), {'layout': self.dir / 'layout', 'manifest': manifest})
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.check(['render', '--use-http', f'127.0.0.1:{server.server_address[1]}/hello:v1'])


if __name__ == '__main__':
    unittest.main()
