"""opcat copy and opcat mirror to a registry while a call of the system fails, or opcat is killed at it. A tag in the registry names a
complete image, the right one, or does not exist; what the record of a mirror claims is there. Running the command again completes it."""
import gzip
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest

from fault_case import CHANGING_CALLS, FULL, MOST_FAULTS_OF_A_CALL, assert_reported, faults_in, place_with, run_in, side_by_side
from opcat_case import BINARY, ROOT

sys.path.insert(0, str(ROOT / 'tests/registry'))
from registries import Registry  # noqa: E402
from oci_layout import Layout, make_layer, sha256  # noqa: E402

KILLING_CALLS = (*CHANGING_CALLS, 'connect', 'send', 'recv') if FULL else ('write', 'linkat', 'send')
# Each fault takes two runs and many questions to the registry.
MOST = MOST_FAULTS_OF_A_CALL if FULL else 2
RECORD = 'opcat-mirror'
LAYOUT = 'work/disk/index.json'  # of a mirror in a directory
UNFINISHED = 'work/disk/opcat-unfinished'  # the mark of a run that has not ended


class Contents:
    """What a registry has. Read from its directory: most of the requests would be the test's own."""

    def __init__(self, registry):
        self.root = pathlib.Path(registry.dir, 'data/docker/registry/v2')

    def repositories(self, prefix):
        root = self.root / 'repositories' / prefix
        return sorted(str(path.parent.relative_to(root)) for path in root.rglob('_manifests'))

    def copy(self, prefix, to):
        """All repositories below a prefix, if there are any: a copy refers to the same blobs."""
        if (self.root / 'repositories' / prefix).exists():
            shutil.copytree(self.root / 'repositories' / prefix, self.root / 'repositories' / to)

    def images(self, prefix, repositories):
        """The digests of all tags of these repositories below a prefix. AssertionError for an image that is not complete."""
        return {f'{repository}:{tag.name}': self.digest(f'{prefix}/{repository}', (tag / 'current/link').read_text())
                for repository in repositories for tag in self.manifests(f'{prefix}/{repository}').glob('tags/*')}

    def digest(self, repository, digest):
        """The digest of a manifest or index, all of which is there; None for one that does not exist."""
        if not (self.manifests(repository) / 'revisions' / digest.replace(':', '/') / 'link').exists():
            return None
        body = self.blob(digest).read_bytes()
        document = json.loads(body)
        for manifest in document.get('manifests', []):
            assert self.digest(repository, manifest['digest']), manifest
        for blob in [document['config'], *document['layers']] if 'config' in document else []:
            assert (self.root / 'repositories' / repository / '_layers' / blob['digest'].replace(':', '/') / 'link').exists(), (repository, blob)
            assert self.blob(blob['digest']).stat().st_size == blob['size'], (repository, blob)
        return sha256(body)

    def record(self, prefix):
        """What the mirror below a prefix records as there: repositories with digests."""
        tag = self.manifests(f'{prefix}/{RECORD}') / 'tags/latest/current/link'
        if not tag.exists():
            return []
        manifest = json.loads(self.blob(tag.read_text()).read_bytes())
        with tarfile.open(self.blob(manifest['layers'][-1]['digest'])) as tar:
            record = json.load(tar.extractfile(f'{RECORD}.json'))
        return [(name.partition(':')[0], digest) for images in record['catalogs'].values() for name, digest in images.items()]

    def manifests(self, repository):
        return self.root / 'repositories' / repository / '_manifests'

    def blob(self, digest):
        algorithm, _, digits = digest.partition(':')
        return self.root / 'blobs' / algorithm / digits[:2] / digits / 'data'


@unittest.skipUnless(shutil.which('docker-registry'), 'docker-registry is not installed')
class Publishing(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix='opcat-publishing-'))
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.layout = Layout(f'{cls.dir}/layout')
        shared = make_layer({'shared': os.urandom(100_000)})
        one = cls.layout.image([shared, make_layer({'one': b'1'})], {'is': 'one'})
        both = [cls.layout.image([shared, make_layer({name: name.encode()})], {'is': name}, name, platform={'os': 'linux', 'architecture': name})
                for name in ('amd64', 'arm64')]
        cls.images = {'one': one, 'both': cls.layout.index(both),
                      'large': cls.layout.image([make_layer({'large': os.urandom(9_000_000)})], {'is': 'large'})}  # two pieces of an upload
        for name, image in cls.images.items():
            cls.layout.tag(image, name)
        cls.registries = {}
        for name in ('origin', 'target'):
            cls.registries[name] = Registry(types.SimpleNamespace(dir=str(cls.dir)))
            cls.addClassCleanup(cls.registries[name].close)
        cls.origin, cls.target = (cls.registries[name].address for name in ('origin', 'target'))
        for name in cls.images:
            cls.run_opcat('copy', '--use-http', f'oci:{cls.layout.directory}:{name}', f'{cls.origin}/org/{name}:v1')

    @staticmethod
    def run_opcat(*arguments):
        subprocess.run([BINARY, *map(str, arguments)], check=True, capture_output=True)

    def write_catalog(self, *bundles):
        """A catalog in `work` with bundles of these images; returns `work`."""
        work = pathlib.Path(tempfile.mkdtemp(dir=self.dir))
        blobs = [{'schema': 'olm.package', 'name': 'shop', 'defaultChannel': 'stable'},
                 {'schema': 'olm.channel', 'package': 'shop', 'name': 'stable', 'entries': [
                     {'name': f'shop.v1.{number}.0', **({'replaces': f'shop.v1.{number - 1}.0'} if number else {})} for number in range(len(bundles))]}]
        for number, name in enumerate(bundles):
            blobs.append({'schema': 'olm.bundle', 'package': 'shop', 'name': f'shop.v1.{number}.0',
                          'image': f'{self.origin}/org/{name}@{self.images[name]["digest"]}',
                          'properties': [{'type': 'olm.package', 'value': {'packageName': 'shop', 'version': f'1.{number}.0'}}]})
        (work / 'catalog').mkdir()
        (work / 'catalog/catalog.json').write_text('\n'.join(map(json.dumps, blobs)))
        return work

    def check(self, work, arguments, prepare=lambda prefix: None, only=None):
        """`arguments(prefix)` in a directory with `work`: a command that publishes below a prefix of the target. `prepare(prefix)`: what
        was published there before. `only`: the calls that fail, all if there is time."""
        self.work, self.arguments, self.runs = work, arguments, itertools.count()
        self.contents = Contents(self.registries['target'])
        self.prepared = f'{re.sub("[^a-z]+", "-", self._testMethodName)}-before'
        prepare(self.prepared)
        self.repositories = self.contents.repositories(self.prepared)
        prefix = self.new_prefix()
        with place_with(work) as place:
            self.before = self.state(place, prefix)
            self.good, control = run_in(place, arguments(prefix))
            self.assertEqual(self.good.status, 0, self.good)
            self.repositories = self.contents.repositories(prefix)
            self.after = self.state(place, prefix)
        counts = control.counts()
        self.assertLess({'connect', 'send', 'recv'}, counts.keys())
        # Most of the time is the pause before a request is repeated.
        threads = 16
        failed = side_by_side(self, faults_in(counts, None if FULL else only, MOST), lambda call, at: self.check_fault(call, at, kills=False), threads)
        self.assertIn(True, failed)
        side_by_side(self, faults_in(counts, KILLING_CALLS, MOST), lambda call, at: self.check_fault(call, at, kills=True), threads)

    def new_prefix(self):
        prefix = f'{self.prepared}-{next(self.runs)}'
        self.contents.copy(self.prepared, prefix)
        return prefix

    def state(self, place, prefix):
        """Of the registry and of the directory `work`, the same for every prefix. What the record claims is there."""
        for repository, digest in self.contents.record(prefix):
            self.assertEqual(self.contents.digest(f'{prefix}/{repository}', digest), digest, repository)
        files = {str(path.relative_to(place)): path.read_bytes().replace(prefix.encode(), b'PREFIX')
                 for path in sorted((place / 'work').rglob('*')) if path.is_file()}
        layout = self.images_in_layout(files)
        files.pop(LAYOUT, None)  # its images have no particular order
        return {**files, **layout, **self.contents.images(prefix, self.repositories)}

    def images_in_layout(self, files):
        """The images of a mirror in a directory, all of which are there."""
        def require(blob):
            content = files[f'work/disk/blobs/sha256/{blob["digest"][7:]}']
            self.assertEqual(sha256(content), blob['digest'])
            if blob.get('mediaType', '').endswith(('.manifest.v1+json', '.index.v1+json')):
                document = json.loads(content)
                for part in document.get('manifests') or [document['config'], *document['layers']]:
                    require(part)
        images = json.loads(files.get(LAYOUT, '{}')).get('manifests', [])
        for image in images:
            require(image)
        return {f'disk {image["annotations"]["org.opencontainers.image.ref.name"]}': image for image in images}

    def is_settled(self, name):
        """Not a new file next to the one that it replaces, nor a blob that nothing refers to yet, nor what says so."""
        return name in self.after or not re.search(rf'\.[0-9a-f]{{8}}$|/blobs/|^{UNFINISHED}$', name)

    def images_on_disk(self, state):
        return {name: image for name, image in state.items() if name.startswith('disk ')}

    def check_fault(self, call, at, kills):
        """Whether the command has failed."""
        prefix = self.new_prefix()
        with place_with(self.work) as place:
            result, _ = run_in(place, self.arguments(prefix), call, at, kills)
            now = self.state(place, prefix)
            if not kills:
                self.assertEqual(list((place / 'tmp').iterdir()), [], 'temporary files are left')
            for name, value in now.items():
                if not name.startswith(RECORD) and self.is_settled(name):
                    self.assertIn(value, (self.before.get(name), self.after.get(name)), name)
            if UNFINISHED not in now:
                self.assertIn(self.images_on_disk(now), (self.images_on_disk(self.before), self.images_on_disk(self.after)))
            if kills:
                # Threads that share the work may make slightly different numbers of calls in each run.
                self.assertIn(result.status, (-signal.SIGKILL, 0))
            elif result.status == 0:
                self.assertEqual(result.out, self.good.out)
                self.assertEqual(now, self.after)
            else:
                assert_reported(self, result)
            again, _ = run_in(place, self.arguments(prefix))
            self.assertEqual(again.status, 0, again)
            state = self.state(place, prefix)
            self.assertNotIn(UNFINISHED, state)
            self.assertEqual({name: value for name, value in state.items() if self.is_settled(name)}, self.after)
        return result.status != 0

    def test_copy_an_image_from_a_layout(self):
        self.check(self.empty(), lambda prefix: ['copy', '--use-http', f'oci:{self.layout.directory}:one', f'{self.target}/{prefix}/app:v1'])

    def test_push_an_index(self):
        self.check(self.empty(), lambda prefix: ['push', '--use-http', f'oci:{self.layout.directory}:both', f'{self.target}/{prefix}/app:v1'])

    def test_copy_a_large_image_in_the_place_of_another(self):
        def put_one(prefix):
            self.run_opcat('copy', '--use-http', f'oci:{self.layout.directory}:one', f'{self.target}/{prefix}/app:v1')
        self.check(self.empty(), lambda prefix: ['copy', '--use-http', f'oci:{self.layout.directory}:large', f'{self.target}/{prefix}/app:v1'],
                   put_one)

    def test_copy_an_index_between_registries(self):
        self.check(self.empty(), lambda prefix: ['copy', '--use-http', f'{self.origin}/org/both:v1', f'{self.target}/{prefix}/app:v1'])

    def test_copy_an_image_from_an_archive_with_a_compressed_layer(self):
        work = self.empty()
        layer = make_layer({'one': b'1'})
        config = json.dumps({'os': 'linux', 'architecture': 'amd64', 'rootfs': {'type': 'layers', 'diff_ids': [sha256(gzip.decompress(layer))]}})
        with tarfile.open(work / 'image.tar', 'w') as tar:
            for name, content in (('layer.tar', layer), ('config.json', config.encode()),
                                  ('manifest.json', b'[{"Config": "config.json", "RepoTags": null, "Layers": ["layer.tar"]}]')):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        self.check(work, lambda prefix: ['copy', '--use-http', 'docker-archive:work/image.tar', f'{self.target}/{prefix}/app:v1'])

    def test_mirror_a_catalog(self):
        self.check(self.write_catalog('one', 'both'), lambda prefix: self.mirror('work/catalog', prefix))

    @unittest.skipUnless(FULL, 'nearly the same as the mirror of a catalog')
    def test_mirror_a_directory_that_a_mirror_has_filled(self):
        work = self.write_catalog('one', 'both')
        self.run_opcat('mirror', '--use-http', work / 'catalog', '--to', f'dir:{work}/disk')
        self.check(work, lambda prefix: self.mirror('dir:work/disk', prefix))

    def test_mirror_a_catalog_to_a_directory(self):
        self.check(self.write_catalog('one', 'both'), lambda prefix: ['mirror', '--use-http', 'work/catalog', '--to', 'dir:work/disk'])

    def test_remove_what_a_mirror_no_longer_needs(self):
        whole, part = self.write_catalog('one', 'both'), self.write_catalog('one')

        def mirror_whole(prefix):
            self.run_opcat('mirror', '--use-http', whole / 'catalog', '--to', f'{self.target}/{prefix}', '--resources', whole / 'resources')
        self.check(part, lambda prefix: [*self.mirror('work/catalog', prefix), '--prune'], mirror_whole, ('send', 'recv', 'write', 'malloc'))

    def mirror(self, source, prefix):
        return ['mirror', '--use-http', source, '--to', f'{self.target}/{prefix}', '--resources', 'work/resources']

    def empty(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.dir))


if __name__ == '__main__':
    unittest.main()
