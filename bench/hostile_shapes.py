"""Hostile inputs by size: each shape writes an input of about `n` pieces below a directory, and names the commands that read it.

bench/growth.py measures how the cost of these commands grows with n."""
import base64
import hashlib
import json
import pathlib
import sqlite3

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The commands that read a catalog, by a short name. {c} is the catalog, {out} a path for what they write.
READERS = {
    'validate': 'validate --no-pager --no-config {c}',
    'json': 'validate --no-pager --no-config --format json {c}',
    'sarif': 'validate --no-pager --no-config --format sarif {c}',
    'junit': 'validate --no-pager --no-config --format junit {c}',
    'baseline': 'validate --no-pager --no-config --write-baseline {out} {c}',
    'fix': 'validate --no-pager --no-config --fix --diff {c}',
    'render': 'render {c} -o yaml',
    'fmt': 'fmt --diff {c}',
    'list': 'list bundles {c} -o json',
    'channels': 'list channels {c}',
    'images': 'list images {c} -o name',
    'diff': 'diff {c} {c}',
    'diff-none': 'diff {empty} {c}',
    'filter': 'filter {c} --version foo>=0.0.1',
    'graph': 'graph {c}',
    'html': 'graph {c} -o html',
    'mermaid': 'graph {c} -o mermaid',
    'dot': 'graph {c} -o dot',
    'path': 'graph {c} -p foo --from foo.v0',
    'v1': 'resolve v1 foo --catalog c={c} --installed foo.v0@1.0.0',
    'v1-explain': 'resolve v1 foo --catalog c={c} --explain',
    'v1-all': 'resolve v1 foo --catalog c={c} --all-installed',
    'classic': 'resolve classic -n shop --catalog olm/c={c} --subscribe foo',
    'pages': 'serve c={c} --export {out}',
    'template': 'template render {c}',
    'promote': 'edit promote foo.v0 --package foo --to new --in {c} --dry-run',
    'planned': 'plan --cluster {c} --cluster-version 4.15 --to 4.16 --catalog 4.16={empty}',
    'configured': 'validate --no-pager --config {c}/.opcat.yaml {c}',
    'bundle': 'bundle validate --no-pager --no-config --suite all {c}',
}
FINDINGS = ['validate', 'json', 'sarif', 'junit', 'baseline', 'pages']
GRAPHS = ['validate', 'graph', 'html', 'mermaid', 'dot', 'path', 'list', 'diff', 'diff-none', 'v1', 'v1-explain', 'v1-all']
# These two refuse a catalog with errors before they do anything.
VALID_GRAPHS = [*GRAPHS, 'filter', 'classic']

# name: (function, size for a thorough run, commands)
SHAPES = {}


def shape(n, *readers):
    def add(function):
        SHAPES[function.__name__.replace('_', '-')] = (function, n, list(dict.fromkeys(readers)))
        return function
    return add


def package(**more):
    return {'schema': 'olm.package', 'name': 'foo', 'defaultChannel': 'c0', **more}


def channel(entries, name='c0', **more):
    return {'schema': 'olm.channel', 'package': 'foo', 'name': name, 'entries': entries, **more}


def entry(i, **more):
    return {'name': f'foo.v{i}', **more}


def bundle(i, version=None, properties=(), **more):
    return {'schema': 'olm.bundle', 'package': 'foo', 'name': f'foo.v{i}', 'image': f'registry.example/foo:{i}', 'properties': [
        {'type': 'olm.package', 'value': {'packageName': 'foo', 'version': version or f'1.0.{i}'}}, *properties], **more}


def write(root, blobs, name='c.json'):
    (root / name).write_text(''.join(json.dumps(blob) + '\n' for blob in blobs))
    return root


def chain(n):
    return [entry(i, **({'replaces': f'foo.v{i - 1}'} if i else {})) for i in range(n)]


def one_bundle(root, properties=(), **more):
    return write(root, [package(), channel([entry(0)]), bundle(0, properties=properties, **more)])


# Text

# Fixes are tried a thousand at a time.
@shape(240, *FINDINGS, 'fix', 'fmt', 'render')
def repeated_keys(root, n):
    text = json.dumps(bundle(0))[:-1] + ',"a":1' * n + '}'
    (root / 'c.json').write_text('\n'.join([json.dumps(package()), json.dumps(channel([entry(0)])), text]))
    return root


@shape(2000, 'validate', 'fix', 'fmt', 'pages')
def repeated_keys_in_yaml(root, n):
    (root / 'c.yaml').write_text('schema: olm.package\nname: foo\ndefaultChannel: c0\n' + 'description: x\n' * n)
    return root


@shape(1000, 'validate', 'render', 'fmt')
def missing_separators(root, n):
    (root / 'c.yaml').write_text(''.join(f'schema: olm.bundle\nname: foo.v{i}\npackage: foo{i}\n' for i in range(n)))
    return root


@shape(500, *FINDINGS, 'fix')
def mistakes(root, n):
    (root / 'c.yaml').write_text('---\nschema: olm.package\nname: [1]\n' * n)
    return root


@shape(500, 'validate', 'json', 'pages')
def mistakes_on_one_line(root, n):
    (root / 'c.json').write_text('{"schema":"olm.package","name":[1]}' * n)
    return root


@shape(4000, 'validate', 'fmt', 'render')
def deep_lists(root, n):
    (root / 'c.json').write_text('{"schema":"x","value":' + '[' * min(n, 9000) + ']' * min(n, 9000) + '}')
    return root


@shape(4000, 'validate', 'fmt', 'render')
def anchors(root, n):
    (root / 'c.yaml').write_text('schema: x\n' + ''.join(f'a{i}: &a{i} v\nb{i}: *a{i}\n' for i in range(n)))
    return root


@shape(2000, 'validate', 'fmt', 'fix')
def comments(root, n):
    (root / 'c.yaml').write_text('schema: olm.package # x\nname: foo\n' + '# opcat: ignore[no-such-rule]\n' * n)
    return root


@shape(1000, 'validate', 'fmt', 'pages')
def suppressions(root, n):
    (root / 'c.yaml').write_text(''.join(f'---\n# opcat: ignore[field-type]\nschema: olm.package\nname: [{i}]\n' for i in range(n)))
    return root


@shape(20000, 'validate', 'fmt', 'render', 'pages')
def long_text(root, n):
    return write(root, [package(description='<a>&\n' * n)])


@shape(1000, 'validate', 'json', 'graph', 'pages', 'sarif')
def long_names(root, n):
    """A long name that each of many findings would repeat."""
    return write(root, [package(), channel([{'name': 'foo.v1'}] * n + [{'name': 'bar' + str(i)} for i in range(n)], name='c' * n)])


CUT_TEXTS = (('{"a":"', '\\\\', '"}'), ('', '{', ''), ('{}', '""', ''), ('a: 1\n', '----', ''), ('{"a": \'', '{{{{', ''))


@shape(50000, 'validate', 'fmt')
def cut_texts(root, n):
    """Texts in which the end of a document is hard to find."""
    for i, (before, repeated, after) in enumerate(CUT_TEXTS):
        (root / f'{i}.yaml').write_text(before + repeated * n + after)
    return root


@shape(20000, 'validate', 'baseline', 'fmt', 'render')
def strings(root, n):
    (root / 'c.yaml').write_text('{}' + '"x"\n' * n)
    return root


# Enough for the limit of checks: a count below it is a square.
@shape(110, 'validate')
def refused_fixes(root, n):
    """Documents of which each could be read after a fix, and would not be a blob."""
    (root / 'c.yaml').write_text('---\nschema:\u00a0x\n' * n)
    return root


@shape(1000, 'validate', 'render')
def unknown_fields(root, n):
    return write(root, [package(**{f'defaultChanel{i}': 1 for i in range(n)})])


@shape(1000, 'validate', 'pages')
def unknown_schemas(root, n):
    return write(root, [{'schema': f'olm.bundel{i}', 'package': 'foo', 'name': f'x{i}'} for i in range(n)])


@shape(1000, 'validate', 'list')
def files(root, n):
    for i in range(n):
        (root / f'{i}.json').write_text(json.dumps(package()))
    return root


@shape(300, 'validate')
def ignored_files(root, n):
    (root / '.indexignore').write_text(''.join(f'x{i}*y\n' for i in range(100)))
    for i in range(n):
        (root / f'{i}.json').write_text('{}')
    return root


# Packages and channels

@shape(1000, *FINDINGS)
def same_package(root, n):
    return write(root, [package()] * n)


@shape(300, *VALID_GRAPHS)
def packages(root, n):
    blobs = []
    for i in range(n):
        for blob in (package(), channel([entry(0)]), bundle(0)):
            text = json.dumps(blob).replace('foo', 'foo' if i == 0 else f'foo{i}')
            blobs.append(json.loads(text))
    return write(root, blobs)


@shape(1000, *FINDINGS, 'graph', 'list', 'channels')
def empty_channels(root, n):
    return write(root, [package()] + [channel([], f'c{i}') for i in range(n)])


@shape(400, *VALID_GRAPHS)
def channels(root, n):
    return write(root, [package()] + [channel([entry(0)], f'c{i}') for i in range(n)] + [bundle(0)])


@shape(600, 'validate', 'graph', 'html', 'list', 'diff')
def channels_that_cover_others(root, n):
    return write(root, [package()] + [channel([entry(i, skipRange=f'<1.0.{i}') for i in range(first, min(n, first + 10))], f'c{first}')
                                      for first in range(0, n, 10)] + [bundle(i) for i in range(n)])


@shape(1000, *FINDINGS)
def same_channel(root, n):
    return write(root, [package()] + [channel([entry(0)])] * n + [bundle(0)])


@shape(1000, 'validate', 'pages')
def unknown_default_channel(root, n):
    return write(root, [package(defaultChannel='stabel')] + [channel([entry(0)], f'stable{i}') for i in range(n)] + [bundle(0)])


@shape(1000, 'validate', 'pages', 'list')
def deprecations(root, n):
    return write(root, [package(), channel(chain(n)), *map(bundle, range(n)), {'schema': 'olm.deprecations', 'package': 'foo', 'entries': [
        {'reference': {'schema': 'olm.bundle', 'name': f'foo.v{i % (n // 2)}'}, 'message': 'x'} for i in range(n)]}])


@shape(1000, 'validate', 'pages')
def deprecations_of_nothing(root, n):
    return write(root, [package(), channel([entry(0)]), bundle(0)] + [{'schema': 'olm.deprecations', 'package': 'foo', 'entries': [
        {'reference': {'schema': 'olm.bundle', 'name': f'foo.w{i}'}, 'message': 'x'}]} for i in range(n)])


@shape(1000, 'validate', 'pages')
def misspelled_deprecations(root, n):
    return write(root, [package(), channel([entry(i) for i in range(n)])] + [bundle(i) for i in range(n)] + [
        {'schema': 'olm.deprecations', 'package': 'foo', 'entries': [
            {'reference': {'schema': 'olm.bundle', 'name': f'foo.w{i}'}, 'message': 'x'} for i in range(n)]}])


@shape(1000, 'validate', 'pages')
def lifecycles(root, n):
    return write(root, [package(), channel([entry(0)]), bundle(0)] + [{'schema': 'io.openshift.operators.lifecycles.v1alpha1', 'package': 'foo'}] * n)


@shape(40000, 'validate', 'render', 'pages')
def icon(root, n):
    data = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg">' + b'<g/>' * n + b'</svg>').decode()
    return write(root, [package(icon={'base64data': data, 'mediatype': 'image/svg+xml'})])


# Entries and edges

@shape(400, *VALID_GRAPHS)
def replaces(root, n):
    return write(root, [package(), channel(chain(n)), *map(bundle, range(n))])


@shape(400, *GRAPHS)
def wide_skip_ranges(root, n):
    return write(root, [package(), channel([entry(i, skipRange='>=0.0.0 <9.0.0') for i in range(n)]), *map(bundle, range(n))])


@shape(400, *VALID_GRAPHS)
def chain_with_skip_ranges(root, n):
    return write(root, [package(), channel([{**e, 'skipRange': f'<1.0.{i}'} for i, e in enumerate(chain(n))]), *map(bundle, range(n))])


@shape(200, *GRAPHS)
def distinct_ranges(root, n):
    entries = [entry(i, skipRange=' || '.join(f'>=1.{j}.0 <1.{j}.{i}' for j in range(8)) + ' || <1.0.0') for i in range(n)]
    return write(root, [package(), channel(entries), *(bundle(i, f'0.{i % 7}.{i}' if i else '1.0.0') for i in range(n))])


@shape(4000, 'validate', 'graph')
def long_skip_range(root, n):
    return write(root, [package(), channel([entry(0, skipRange='>=0.0.1 <1.0.0 || ' * n + '<0.0.1')]), bundle(0)])


@shape(400, *VALID_GRAPHS)
def many_skips(root, n):
    return write(root, [package(), channel([entry(n, skips=[f'foo.v{i}' for i in range(n)]), *map(entry, range(n))]), *map(bundle, range(n + 1))])


@shape(200, *GRAPHS)
def cross_skips(root, n):
    return write(root, [package(), channel([entry(i, skips=[f'foo.v{(i + j + 1) % n}' for j in range(12)]) for i in range(n)]), *map(bundle, range(n))])


@shape(400, *GRAPHS)
def cycle(root, n):
    return write(root, [package(), channel([entry(i, replaces=f'foo.v{(i - 1) % n}') for i in range(n)]), *map(bundle, range(n))])


@shape(400, *GRAPHS)
def small_cycles(root, n):
    return write(root, [package(), channel([entry(i, replaces=f'foo.v{i ^ 1}') for i in range(2 * n)]), *map(bundle, range(2 * n))])


@shape(400, *GRAPHS)
def heads(root, n):
    return write(root, [package(), channel([entry(i) for i in range(n)]), *map(bundle, range(n))])


@shape(400, *GRAPHS)
def same_predecessor(root, n):
    return write(root, [package(), channel([entry(0)] + [entry(i, replaces='foo.v0') for i in range(1, n)]), *map(bundle, range(n))])


@shape(400, *VALID_GRAPHS)
def skipped_chain(root, n):
    """Each entry skips the one before and replaces the one before that."""
    entries = [entry(i, **({'replaces': f'foo.v{i - 2}'} if i > 1 else {}), **({'skips': [f'foo.v{i - 1}']} if i else {})) for i in range(n)]
    return write(root, [package(), channel(entries), *map(bundle, range(n))])


@shape(600, *FINDINGS, 'graph')
def same_entry(root, n):
    return write(root, [package(), channel([entry(0)] * n), bundle(0)])


@shape(600, *FINDINGS, 'graph', 'fix')
def misspelled_replaces(root, n):
    return write(root, [package(), channel([entry(i, replaces=f'fooo.v{i}') for i in range(n)]), *map(bundle, range(n))])


@shape(600, *FINDINGS, 'fix')
def entries_without_bundles(root, n):
    return write(root, [package(), channel([{'name': f'foo.w{i}', **({'replaces': f'foo.w{i - 1}'} if i else {})} for i in range(n)]), *map(bundle, range(n))])


@shape(600, *FINDINGS, 'fix')
def bundles_without_entries(root, n):
    return write(root, [package(), channel([entry(0)]), *map(bundle, range(n))])


@shape(300, *VALID_GRAPHS)
def shared_chain(root, n):
    """Channels with parts of the same chain."""
    return write(root, [package()] + [channel(chain(8), f'c{i}') for i in range(n)] + [*map(bundle, range(8))])


# Bundles and properties

@shape(400, *GRAPHS, *FINDINGS)
def same_version(root, n):
    return write(root, [package(), channel(chain(n)), *(bundle(i, '1.0.0') for i in range(n))])


@shape(400, *FINDINGS, 'graph', 'images')
def same_bundle(root, n):
    return write(root, [package(), channel([entry(0)])] + [bundle(0)] * n)


@shape(400, 'validate', 'images', 'pages', 'classic', 'diff')
def same_image(root, n):
    return write(root, [package(), channel(chain(n)), *({**bundle(i), 'image': 'registry.example/foo@sha256:' + '0' * 64} for i in range(n))])


@shape(2000, 'validate', 'images', 'pages', 'diff')
def related_images(root, n):
    return one_bundle(root, relatedImages=[{'name': 'x', 'image': f'registry.example/x:{i % (n // 2)}'} for i in range(n)])


@shape(1000, *FINDINGS, 'classic')
def gvks(root, n):
    return one_bundle(root, [{'type': 'olm.gvk', 'value': {'group': 'g', 'kind': 'K', 'version': f'v{i % (n // 2)}'}} for i in range(n)])


@shape(1000, 'validate', 'classic', 'pages')
def required_packages(root, n):
    return one_bundle(root, [{'type': 'olm.package.required', 'value': {'packageName': f'p{i}', 'versionRange': '>=1.0.0'}} for i in range(n)])


@shape(1000, *FINDINGS)
def broken_properties(root, n):
    return one_bundle(root, [{'type': 'olm.gvk', 'value': [i]} for i in range(n)])


@shape(400, *FINDINGS)
def many_packages_of_a_bundle(root, n):
    return one_bundle(root, [{'type': 'olm.package', 'value': {'packageName': 'foo', 'version': f'1.0.{i}'}} for i in range(n)])


@shape(400, 'validate', 'classic', 'pages')
def wide_constraint(root, n):
    return one_bundle(root, [{'type': 'olm.constraint', 'value': {'failureMessage': 'x', 'any': {'constraints': [
        {'failureMessage': 'x', 'all': {'constraints': [{'package': {'packageName': f'p{i}', 'versionRange': '>=1.0.0'}}]}} for i in range(n)]}}}])


@shape(300, 'validate', 'classic', 'pages')
def deep_constraint(root, n):
    # As text: Python's own writer does not nest so deep.
    value = '{"all":{"constraints":[' * n + '{"package":{"packageName":"p","versionRange":">=1.0.0"}}' + ']}}' * n
    one_bundle(root, [{'type': 'olm.constraint', 'value': 'HERE'}])
    (root / 'c.json').write_text((root / 'c.json').read_text().replace('"HERE"', '{"failureMessage":"x",' + value[1:]))
    return root


@shape(300, 'classic')
def requirements_of_all(root, n):
    """Each bundle requires the package itself, so that each may satisfy each."""
    return write(root, [package(), channel(chain(n)), *(bundle(i, properties=[
        {'type': 'olm.package.required', 'value': {'packageName': 'foo', 'versionRange': '>=1.0.0'}},
        {'type': 'olm.gvk', 'value': {'group': 'g', 'kind': 'K', 'version': 'v1'}},
        {'type': 'olm.gvk.required', 'value': {'group': 'g', 'kind': 'K', 'version': 'v1'}}]) for i in range(n))])


@shape(1000, 'validate', 'render', 'pages')
def objects_of_a_bundle(root, n):
    data = base64.b64encode(json.dumps({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'x'}}).encode()).decode()
    return one_bundle(root, [{'type': 'olm.bundle.object', 'value': {'data': data}}] * n)


@shape(1000, 'validate', 'pages')
def crds_of_metadata(root, n):
    return one_bundle(root, [{'type': 'olm.csv.metadata', 'value': {'displayName': 'x', 'keywords': ['x'] * n, 'crdDescriptions': {'owned': [
        {'name': f'x{i % (n // 2)}.g', 'kind': 'K', 'version': 'v1'} for i in range(n)]}}}])


# Edited catalogs: sizes at which memory does not come in a few large steps

@shape(800, 'promote')
def edited_chain(root, n):
    return replaces(root, n)


@shape(600, 'promote')
def edited_channels(root, n):
    return shared_chain(root, n)


@shape(600, 'promote')
def edited_packages(root, n):
    return packages(root, n)


# Configurations and clusters

@shape(1000, 'configured')
def allowed_registries(root, n):
    (root / '.indexignore').write_text('.opcat.yaml\n')
    (root / '.opcat.yaml').write_text('allowedRegistries:\n' + ''.join(f'- other{i}.example\n' for i in range(n)))
    return write(root, [package(), channel(chain(n)), *map(bundle, range(n))])


@shape(2000, 'planned')
def subscriptions(root, n):
    group, here = 'operators.coreos.com/v1alpha1', {'namespace': 'shop'}
    return write(root, [thing for i in range(n) for thing in (
        {'apiVersion': group, 'kind': 'Subscription', 'metadata': {'name': f'foo{i}', **here},
         'spec': {'name': 'foo', 'channel': 'c0', 'source': 'c', 'sourceNamespace': 'olm'}, 'status': {'installedCSV': f'foo.v{i}'}},
        {'apiVersion': group, 'kind': 'ClusterServiceVersion', 'metadata': {'name': f'foo.v{i}', **here}, 'spec': {'version': f'1.0.{i}'}},
        {'apiVersion': group, 'kind': 'ClusterServiceVersion', 'metadata': {'name': f'bar.v{i}', **here}, 'spec': {'version': f'1.0.{i}'}},
        {'apiVersion': 'operators.coreos.com/v2', 'kind': 'OperatorCondition', 'metadata': {'name': f'foo.v{i}', **here}})])


# Indexes, templates, bundles and images

def database(root, script, *parameters):
    path = root.parent / 'index.db'
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript((ROOT / 'tests/faults/index.sql').read_text())
    connection.execute('create table x(x)')
    connection.execute('insert into x with recursive r(x) as (select 0 union all select x+1 from r where x<?-1) select x from r', parameters)
    connection.executescript(script + '; drop table x;')
    connection.commit()
    connection.close()
    return path


@shape(1000, 'validate')
def index_channels(root, n):
    return database(root, "insert into channel select 'c'||x, 'hello', 'hello.v1.0.0' from x", n)


@shape(1000, 'render', 'list')
def index_channels_with_entries(root, n):
    return database(root, "insert into channel select 'c'||x, 'hello', 'hello.v1.0.0' from x; "
                          "insert into channel_entry(channel_name,package_name,operatorbundle_name,depth) "
                          "select 'c'||x,'hello','hello.v1.0.0',0 from x", n)


@shape(1000, 'validate')
def index_packages(root, n):
    return database(root, "insert into package select 'p'||x, 'stable', 0 from x", n)


@shape(1000, 'validate')
def index_entries(root, n):
    return database(root, "insert into channel_entry(channel_name,package_name,operatorbundle_name,replaces,depth) "
                          "select 'stable','hello','hello.v1.0.0',1,x from x", n)


@shape(1000, 'validate', 'render')
def index_bundles(root, n):
    return database(root, "insert into operatorbundle(name,bundle,bundlepath,version) select 'hello.w'||x, "
                          """'{"kind":"ClusterServiceVersion","metadata":{"name":"hello.w'||x||'"}}','registry.example/x','1.1.'||x from x; """
                          "insert into channel_entry(channel_name,package_name,operatorbundle_name,replaces,depth) "
                          "select 'stable','hello','hello.w'||x,x+1,-1-x from x; "
                          "update channel set head_operatorbundle_name=(select 'hello.w'||max(x) from x)", n)


@shape(1000, 'validate', 'render')
def index_properties(root, n):
    return database(root, """insert into properties(type,value,operatorbundle_name) select 'olm.gvk','{"group":"g","kind":"K","version":"v'||x||'"}',"""
                          "'hello.v1.0.0' from x; insert into dependencies(type,value,operatorbundle_name) select 'olm.package', "
                          """'{"packageName":"p'||x||'","version":"1"}','hello.v1.0.0' from x""", n)


@shape(1000, 'validate', 'render')
def index_images(root, n):
    return database(root, "insert into related_image select 'registry.example/x:'||x, 'hello.v1.0.0' from x", n)


def template(root, blob):
    path = root / 't.json'
    path.write_text(json.dumps(blob))
    return path


def bundle_directory(root, name, version):
    (root / 'manifests').mkdir(parents=True)
    (root / 'metadata').mkdir()
    (root / 'metadata/annotations.yaml').write_text(json.dumps({'annotations': {
        'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
        'operators.operatorframework.io.bundle.manifests.v1': 'manifests/', 'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
        'operators.operatorframework.io.bundle.package.v1': 'foo', 'operators.operatorframework.io.bundle.channels.v1': 'c0'}}))
    csv = {'apiVersion': 'operators.coreos.com/v1alpha1', 'kind': 'ClusterServiceVersion', 'metadata': {'name': name},
           'spec': {'version': version, 'displayName': 'Foo', 'installModes': [{'type': 'AllNamespaces', 'supported': True}],
                    'customresourcedefinitions': {}, 'install': {'strategy': 'deployment', 'spec': {'deployments': []}}}}
    (root / 'manifests/csv.yaml').write_text(json.dumps(csv))
    return csv


@shape(50, 'template')
def semver_template(root, n):
    for i in range(n):
        bundle_directory(root / f'b{i}', f'foo.v1.{i % 8}.{i}', f'1.{i % 8}.{i}')
    # Of one major version, each minor version skips all lower ones: as many as the square of these.
    return template(root, {'schema': 'olm.semver', 'generateMajorChannels': True, 'generateMinorChannels': True,
                           'stable': {'bundles': [{'image': str(root / f'b{i}')} for i in range(n)]},
                           'fast': {'bundles': [{'image': str(root / f'b{i}')} for i in range(n)]}})


@shape(50, 'template')
def basic_template(root, n):
    for i in range(n):
        bundle_directory(root / f'b{i}', f'foo.v{i}', f'1.0.{i}')
    return template(root, {'schema': 'olm.template.basic', 'entries': [package(), channel(chain(n)), *(
        {'schema': 'olm.bundle', 'image': str(root / f'b{i}')} for i in range(n))]})


@shape(50, 'template')
def substitutes_template(root, n):
    for i in range(n):
        bundle_directory(root / f'b{i}', f'foo.w{i}', f'1.0.{i}+1')
    return template(root, {'schema': 'olm.template.substitutes', 'entries': [package(), channel(chain(n)), *map(bundle, range(n))],
                           'substitutions': [{'name': str(root / f'b{i}'), 'base': f'foo.v{i}'} for i in range(n)]})


def crd(i):
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition', 'metadata': {'name': f'xs{i}.g.example'}, 'spec': {
        'group': 'g.example', 'scope': 'Namespaced', 'names': {'plural': f'xs{i}', 'singular': f'x{i}', 'kind': f'X{i}', 'listKind': f'X{i}List'},
        'versions': [{'name': 'v1', 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': {'type': 'object'}}}]}}


@shape(150, 'bundle', 'render')
def bundle_crds(root, n):
    csv = bundle_directory(root, 'foo.v1.0.0', '1.0.0')
    csv['spec']['customresourcedefinitions']['owned'] = [{'name': f'xs{i}.g.example', 'kind': f'X{i}', 'version': 'v1'} for i in range(n)]
    (root / 'manifests/csv.yaml').write_text(json.dumps(csv))
    for i in range(n):
        (root / f'manifests/crd{i}.yaml').write_text(json.dumps(crd(i)))
    return root


@shape(1000, 'bundle')
def bundle_descriptions(root, n):
    csv = bundle_directory(root, 'foo.v1.0.0', '1.0.0')
    csv['spec']['customresourcedefinitions'] = {'owned': [{'name': f'xs{i % (n // 2)}.g.example', 'kind': 'X', 'version': 'v1'} for i in range(n)],
                                                'required': [{'name': f'ys{i}.g.example', 'kind': 'Y', 'version': 'v1'} for i in range(n)]}
    csv['metadata']['annotations'] = {'alm-examples': json.dumps([{'apiVersion': 'g.example/v1', 'kind': 'X', 'metadata': {'name': 'x'}}] * n)}
    (root / 'manifests/csv.yaml').write_text(json.dumps(csv))
    return root


@shape(1000, 'bundle')
def bundle_example_schemas(root, n):
    """Every example is compared with every alternative of its schema."""
    csv = bundle_directory(root, 'foo.v1.0.0', '1.0.0')
    csv['spec']['customresourcedefinitions']['owned'] = [{'name': 'xs0.g.example', 'kind': 'X0', 'version': 'v1'}]
    csv['metadata']['annotations'] = {'alm-examples': json.dumps([{'apiVersion': 'g.example/v1', 'kind': 'X0', 'metadata': {'name': 'x'}}] * n)}
    definition = crd(0)
    definition['spec']['versions'][0]['schema']['openAPIV3Schema']['oneOf'] = [{'required': [f'f{i}']} for i in range(10 * n)]
    (root / 'manifests/csv.yaml').write_text(json.dumps(csv))
    (root / 'manifests/crd0.yaml').write_text(json.dumps(definition))
    return root


@shape(1000, 'bundle', 'render')
def bundle_deployments(root, n):
    csv = bundle_directory(root, 'foo.v1.0.0', '1.0.0')
    csv['spec']['relatedImages'] = [{'name': f'x{i}', 'image': f'registry.example/x:{i}'} for i in range(n)]
    csv['spec']['install']['spec'] = {'deployments': [{'name': f'd{i}', 'spec': {'template': {'spec': {'containers': [
        {'name': 'c', 'image': f'registry.example/x:{i}'}]}}}} for i in range(n)],
        'permissions': [{'serviceAccountName': f's{i}', 'rules': [{'apiGroups': [''], 'resources': ['x'], 'verbs': ['*']}]} for i in range(n)]}
    (root / 'manifests/csv.yaml').write_text(json.dumps(csv))
    return root


def put(root, data, media_type):
    blobs = root / 'blobs/sha256'
    blobs.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(data).hexdigest()
    (blobs / digest).write_bytes(data)
    return {'mediaType': media_type, 'digest': 'sha256:' + digest, 'size': len(data)}


def tar(names):
    import io
    import tarfile
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    return out.getvalue()


def image(root, layers):
    described = [put(root, layer, 'application/vnd.oci.image.layer.v1.tar') for layer in layers]
    config = put(root, json.dumps({'architecture': 'amd64', 'os': 'linux', 'rootfs': {'type': 'layers', 'diff_ids': [x['digest'] for x in described]},
                                   'config': {'Labels': {'operators.operatorframework.io.index.configs.v1': '/configs'}}}).encode(),
                 'application/vnd.oci.image.config.v1+json')
    return put(root, json.dumps({'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json', 'config': config,
                                 'layers': described}).encode(), 'application/vnd.oci.image.manifest.v1+json')


def layout(root, manifests):
    (root / 'index.json').write_text(json.dumps({'schemaVersion': 2, 'manifests': manifests}))
    (root / 'oci-layout').write_text('{"imageLayoutVersion": "1.0.0"}')
    return f'oci:{root}'


@shape(2000, 'render')
def image_index(root, n):
    """An index of many images of the same platform in a layout."""
    manifest = image(root, [tar(['configs/'])])
    index = put(root, json.dumps({'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.index.v1+json', 'manifests': [
        {**manifest, 'platform': {'architecture': f'a{i}', 'os': 'linux'}} for i in range(n)] + [
        {**manifest, 'platform': {'architecture': 'amd64', 'os': 'linux'}}]}).encode(), 'application/vnd.oci.image.index.v1+json')
    return layout(root, [index])


@shape(100, 'render')
def image_layers(root, n):
    return layout(root, [image(root, [tar([f'configs/{i}/']) for i in range(n)])])


@shape(1500, 'render')
def layer_entries(root, n):
    return layout(root, [image(root, [tar([f'configs/foo/{i}' for i in range(n)])])])


@shape(600, 'render')
def layer_whiteouts(root, n):
    return layout(root, [image(root, [tar([f'configs/foo/{i}' for i in range(n)]), tar([f'configs/foo/.wh.{i}' for i in range(n)])])])


# Answers as large as the square of their input, up to a limit beyond which the command ends with 3: measured beyond it.
BEYOND_LIMIT = {('wide-skip-ranges', 'mermaid'): 800, ('wide-skip-ranges', 'dot'): 800, ('chain-with-skip-ranges', 'mermaid'): 1100,
                ('chain-with-skip-ranges', 'dot'): 1100, ('distinct-ranges', 'mermaid'): 1100, ('distinct-ranges', 'dot'): 1100,
                ('same-version', 'v1-all'): 5200, ('same-version', 'diff'): 3300, ('small-cycles', 'v1-all'): 2600,
                ('wide-skip-ranges', 'v1-all'): 5200, ('channels-that-cover-others', 'diff'): 7200, ('requirements-of-all', 'classic'): 2300,
                ('bundle-example-schemas', 'bundle'): 1000}

# What costs a command next to nothing if it is small; replaces for commands that are not named.
HARMLESS = {'bundle': 'bundle-crds', 'template': 'basic-template'}

# What the tests measure, with n: small where a finding costs much, because valgrind takes a second for each 100 million instructions.
QUICK = {'repeated-keys:validate': 60, 'suppressions:validate': 100, 'empty-channels:validate': 60, 'channels:graph': 100, 'replaces:path': 60,
         'wide-skip-ranges:v1': 100, 'chain-with-skip-ranges:validate': 100, 'distinct-ranges:validate': 50, 'many-skips:html': 60,
         'skipped-chain:filter': 100, 'shared-chain:classic': 40, 'same-version:validate': 70, 'index-channels:validate': 250,
         'index-bundles:render': 100, 'bundle-crds:bundle': 40, 'image-index:render': 150, 'layer-whiteouts:render': 150,
         'comments:validate': 20, 'anchors:render': 300, 'long-text:render': 4000, 'unknown-fields:validate': 60, 'cut-texts:validate': 50000,
         'strings:baseline': 1500, 'deprecations:validate': 60,
         'lifecycles:validate': 800, 'small-cycles:graph': 100, 'misspelled-replaces:validate': 60, 'same-image:validate': 100,
         'required-packages:classic': 200, 'wide-constraint:classic': 100, 'basic-template:template': 8}
