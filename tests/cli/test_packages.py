"""The packages: what is in them, that they are in order, that a program can be built against them, and that two builds of
the same sources are the same bytes. They are made from the build that is tested."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

from opcat_case import BINARY, CATALOGS, ROOT

BUILD = pathlib.Path(BINARY).resolve().parents[2]


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=900, **options)
    if done.returncode != 0:
        raise AssertionError(f'{command}: exit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}')
    return done.stdout


FULL = 'FULL_TESTS' in os.environ


@unittest.skipUnless((BUILD / 'CPackConfig.cmake').exists() and shutil.which('dpkg-deb'), 'no build with packages, or no dpkg')
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-packages-'))
        cls.addClassCleanup(shutil.rmtree, cls.dir, ignore_errors=True)
        cls.pack('DEB;TGZ', cls.dir)
        cls.debs = {path.name.split('_')[0]: path for path in cls.dir.glob('*.deb')}

    @staticmethod
    def pack(formats, directory):
        # Packages of a release are compressed with xz, which takes long. lintian ignores that these are not compressed.
        run('cpack', '--config', BUILD / 'CPackConfig.cmake', '-D', 'CPACK_DEBIAN_COMPRESSION_TYPE=none', '-G', formats, '-B', directory,
            env={**os.environ, 'SOURCE_DATE_EPOCH': '1700000000'})

    def test_there_is_one_for_the_tool_and_one_for_programs(self):
        self.assertEqual(sorted(self.debs), ['libopcat-dev', 'opcat'])
        self.assertEqual(len(list(self.dir.glob('*.tar.gz'))), 2)

    def test_what_the_tool_has(self):
        files = re.findall(r' (\./\S+)(?: -> (\S+))?$', run('dpkg-deb', '-c', self.debs['opcat']), re.M)
        links = dict(files)
        self.assertIn('./usr/bin/opcat', links)
        for name in ('opm', 'kubectl-opcat', 'kubectl_complete-opcat'):
            self.assertEqual(links[f'./usr/bin/{name}'], 'opcat')
        for path in ('man/man1/opcat-validate.1.gz', 'man/man7/opcat-channels.7.gz', 'bash-completion/completions/opcat',
                     'zsh/vendor-completions/_opm', 'fish/vendor_completions.d/opcat.fish', 'doc/opcat/copyright'):
            self.assertIn(f'./usr/share/{path}', links)
        depends = run('dpkg-deb', '-f', self.debs['opcat'], 'Depends')
        for library in ('libarchive13', 'libcurl4', 'libevent', 'libnghttp2-14', 'libsqlite3', 'libssl3', 'libyaml', 'zlib1g'): # linked, or loaded when needed
            self.assertIn(library, depends)

    @unittest.skipUnless(shutil.which('lintian'), 'lintian is not installed')
    def test_lintian_finds_no_errors(self):
        # lintian reads every object of the static libraries, and starts four programs for each manual page (test_manual.py checks those,
        # too), which takes a minute: only in the full test.
        debs = [path for name, path in self.debs.items() if FULL or name == 'opcat']
        fewer = [] if FULL else ['--dont-check-part', 'documentation/manual']
        done = subprocess.run(['lintian', '--allow-root', '--fail-on', 'error', '--suppress-tags', 'uses-no-compression-for-data-tarball', *fewer,
                               *map(str, debs)], capture_output=True, text=True)
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith('E:')], [])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_program_can_be_built_against_it(self):
        root = self.dir / 'root'
        run('dpkg-deb', '-x', self.debs['libopcat-dev'], root)
        for path in (root / 'usr/lib/cmake').rglob('*.cmake'):
            self.assertNotRegex(path.read_text(), r'[";]/\w', path)  # what it needs is found where the program is built
        example = self.dir / 'example'
        # Without what only a debugger needs, which takes a fifth of the time.
        run('cmake', '-S', ROOT / 'tests/package', '-B', example, '-G', 'Ninja', f'-DCMAKE_PREFIX_PATH={root}/usr',
            '-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined', '-DCMAKE_EXE_LINKER_FLAGS=-Wl,--strip-debug',
            env={**os.environ, 'DESTDIR': ''})
        run('cmake', '--build', example)
        done = subprocess.run([example / 'heads', CATALOGS / 'gizmo'], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertIn('gizmo-operator stable: gizmo-operator.v1.2.1\n', done.stdout)
        self.assertEqual(subprocess.run([example / 'heads', CATALOGS / 'two-heads'], capture_output=True).returncode, 1)
        catalog = self.dir / 'catalog.yaml'
        catalog.write_text(''.join('---\n' + path.read_text().removeprefix('---\n') for path in sorted((CATALOGS / 'gizmo').rglob('*.yaml'))))
        promoted = [subprocess.run([example / 'promote', catalog, 'gizmo-operator.v1.2.1', 'new'], capture_output=True, text=True) for _ in range(2)]
        self.assertIn('channel new has the entry gizmo-operator.v1.2.1\n', promoted[0].stdout)
        self.assertEqual([done.returncode for done in promoted], [0, 0])  # it is there already
        self.assertIn('name: new\n', catalog.read_text())
        for installed, status, out in (([], 0, 'gizmo-operator.v2.0.0\n'), (['gizmo-operator.v2.0.0'], 0, ''),
                                       (['gizmo-operator.v1.0.0'], 0, 'gizmo-operator.v1.1.0: replaces gizmo-operator.v1.0.0 (channel stable)\n')):
            done = subprocess.run([example / 'upgrades', CATALOGS / 'gizmo', 'gizmo-operator', *installed], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (status, ''))
            self.assertTrue(done.stdout.startswith(out), done.stdout)
        done = subprocess.run([example / 'upgrades', CATALOGS / 'gizmo', 'gadget'], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, 'no bundles found for package "gadget"\n'))
        classic = CATALOGS.parent / 'classic'
        done = subprocess.run([example / 'classic', classic / 'cluster.yaml', 'apps', 'community', classic / 'community'], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(done.stdout, ''.join(f'{name} of channel stable\n' for name in ('certs.v1.1.0', 'database.v2.0.0', 'gateway.v1.1.0')))

        with subprocess.Popen([example / 'serve', CATALOGS / 'gizmo'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            with urllib.request.urlopen(server.stdout.readline().strip(), timeout=600) as answer:
                blobs = [json.loads(line) for line in answer]
            self.assertIn('gizmo-operator', [blob['name'] for blob in blobs if blob['schema'] == 'olm.package'])
            port = server.stdout.readline().split()[1]
            self.assertEqual(subprocess.run(['grpc_health_probe', f'-addr={port}'], executable=BINARY, capture_output=True).returncode, 0)
            server.stdin.close()
            self.assertEqual(server.wait(60), 0)

    def test_public_headers_include_public_headers_only(self):
        root = self.dir / 'headers'
        run('dpkg-deb', '-x', self.debs['libopcat-dev'], root)
        headers = sorted((root / 'usr/include/opcat').rglob('*.hpp'))
        self.assertTrue(headers)
        all_of_them = root / 'all.cpp'
        all_of_them.write_text(''.join(f'#include <{header.relative_to(root / "usr/include")}>\n' for header in headers))
        run('c++', '-std=c++20', '-fsyntax-only', '-I', root / 'usr/include', all_of_them)
        for header in headers:
            foreign = set(re.findall(r'#include <([^>]*[/.][^>]*)>', header.read_text()))
            self.assertEqual(foreign, set(), header)
            for named in re.findall(r'//.*?([\w/]+\.[ch]pp)', header.read_text()):  # what a comment refers users to
                self.assertTrue({header.parent / named, root / 'usr/include/opcat' / named} & set(headers), (header, named))

    def test_the_document_shows_that_program(self):
        document = (ROOT / 'docs/library.md').read_text()
        for name in 'heads', 'promote', 'upgrades', 'classic', 'serve':
            self.assertIn(f'```cpp\n{(ROOT / f"tests/package/{name}.cpp").read_text()}```\n', document)
        self.assertIn(f'```cmake\n{(ROOT / "tests/package/CMakeLists.txt").read_text().split(chr(10), 1)[1]}```\n', document)

    @unittest.skipUnless(FULL, 'FULL_TESTS is not set: each package once more')
    def test_the_same_build_makes_the_same_package(self):
        again = self.dir / 'again'
        self.pack('DEB', again)
        for path in self.debs.values():
            self.assertEqual(hashlib.sha256(path.read_bytes()).digest(), hashlib.sha256((again / path.name).read_bytes()).digest(), path.name)


@unittest.skipUnless(FULL, 'FULL_TESTS is not set: two builds')
class Reproducible(unittest.TestCase):
    # Whole builds take too long for a test: the code of one library, as releases are compiled.
    LIBRARY = 'lib/semver/CMakeFiles/opcat_semver.dir/Unity/unity_0_cxx.cxx.o'

    def test_two_builds_in_two_places_are_the_same_bytes(self):
        with tempfile.TemporaryDirectory(prefix='opcat-build-') as directory:
            digests = []
            for place in ('first', 'the-second/deeper'):
                source = pathlib.Path(directory) / place
                for name in ('CMakeLists.txt', 'cmake', 'lib', 'tools', 'docs', 'man', 'completions', 'debian', 'packaging', 'LICENSE', 'schemas', 'VERSION'):
                    if (ROOT / name).is_dir():
                        shutil.copytree(ROOT / name, source / name)
                    elif (ROOT / name).exists():
                        source.mkdir(parents=True, exist_ok=True)
                        shutil.copy(ROOT / name, source / name)
                env = {**os.environ, 'CCACHE_DISABLE': '1'}
                run('cmake', '-S', source, '-B', source / 'build', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_UNITY_BUILD=ON', '-DOPCAT_TESTS=OFF',
                    '-DOPCAT_BENCH=OFF', env=env)
                run('cmake', '--build', source / 'build', '-j', '2', '--target', self.LIBRARY, env=env)
                digests.append(hashlib.sha256((source / 'build' / self.LIBRARY).read_bytes()).hexdigest())
            self.assertEqual(digests[0], digests[1])


if __name__ == '__main__':
    unittest.main()
