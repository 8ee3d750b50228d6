"""ajv (from npm) as the judge of `opcat schema export`: over blobs of real and of broken catalogs the exported JSON Schema
gives the verdict of the definitions themselves.

Usage: PYTHONPATH=tests json_schema_test.py OPCAT CUE_VERDICTS DIRECTORY_FOR_NPM
"""
import copy
import json
import pathlib
import random
import subprocess
import sys

import npm

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REAL = ROOT.parent / 'shared/conformance/catalogs/community/v4.20'
DEFINITIONS = {'olm.package': '#Package', 'olm.channel': '#Channel', 'olm.bundle': '#Bundle', 'olm.deprecations': '#Deprecations'}
PROPERTIES = {'olm.package': '#PropertyPackage', 'olm.gvk': '#PropertyGVK', 'olm.package.required': '#PropertyPackageRequired',
              'olm.gvk.required': '#PropertyGVKRequired', 'olm.csv.metadata': '#PropertyCSVMetadata',
              'olm.bundle.object': '#PropertyBundleObject', 'olm.channel': '#PropertyChannel'}
DEPRECATIONS = {'schema': 'olm.deprecations', 'package': 'p', 'entries': [
    {'reference': {'schema': 'olm.package'}, 'message': 'm'},
    {'reference': {'schema': 'olm.channel', 'name': 'c'}, 'message': 'm'},
    {'reference': {'schema': 'olm.bundle', 'name': 'b'}, 'message': 'm'}]}
OTHER = {'schema': 'example.note', 'package': 'p', 'properties': [
    {'type': 'olm.package.required', 'value': {'packageName': 'a', 'versionRange': '1'}},
    {'type': 'olm.gvk.required', 'value': {'group': 'g', 'version': 'v', 'kind': 'k'}}, {'type': 'x', 'value': [1]}]}


def run(*command, text=''):
    return subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, check=True).stdout


def blobs_of(opcat, directory):
    decoder, text, at, found = json.JSONDecoder(), run(opcat, 'render', directory), 0, []
    while at < len(text):
        blob, at = decoder.raw_decode(text, at)
        at += 1  # the line break after it
        found.append(blob)
    return found


def places(value, path=()):
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = list(enumerate(value))[:3]
    else:
        return
    for key, one in inner:
        yield path + (key,)
        yield from places(one, path + (key,))


def broken(blob, numbers):
    """The blob with one place after the other replaced by a wrong value, or by another valid one."""
    for path in places(blob):
        for change in ('remove', '', None, 1, 1.5, True, 'x', 'olm.channel', [], {}, ['x'], {'schema': 'olm.package'}):
            if numbers.random() < 0.7:
                continue
            copied = copy.deepcopy(blob)
            holder = copied
            for key in path[:-1]:
                holder = holder[key]
            if change == 'remove':
                del holder[path[-1]]
            else:
                holder[path[-1]] = change
            yield copied


def parts(blob):
    """The parts of a blob, with the definition that checks each."""
    schema = blob.get('schema') if isinstance(blob.get('schema'), str) else None
    yield DEFINITIONS.get(schema, '_Meta'), blob
    properties = blob.get('properties')
    for item in properties if isinstance(properties, list) else []:
        kind = item.get('type') if isinstance(item, dict) else None
        if isinstance(kind, str) and kind in PROPERTIES:
            yield PROPERTIES[kind], item


def main():
    opcat, vet, directory = sys.argv[1:4]
    packages = npm.install_or_exit(directory, 'ajv@8.17.1')
    numbers = random.Random(7)
    blobs = [DEPRECATIONS, OTHER]
    for catalog in sorted((ROOT / 'testdata/catalogs').iterdir()):
        if subprocess.run([opcat, 'render', catalog], capture_output=True).returncode == 0:
            blobs += blobs_of(opcat, catalog)
    if REAL.exists():
        for package in sorted(REAL.iterdir())[:6]:
            blobs += numbers.sample(some := blobs_of(opcat, package), min(12, len(some)))
    # Large blobs have the same places as small ones, with longer texts.
    small = [blob for blob in blobs if len(json.dumps(blob)) < 20_000]
    cases = blobs + [other for blob in small[:2] + numbers.sample(small, 24) for other in broken(blob, numbers)]

    text = run(opcat, 'schema', 'export', '--format', 'cue')
    wanted = []  # verdicts that make up that about a case: its number, and definition and value
    for number, blob in enumerate(cases):
        wanted += [(number, definition, value) for definition, value in parts(blob)]
    lines = ''.join(json.dumps({'schema': f'{text}\n#X: {definition}\n', 'data': value}) + '\n' for _, definition, value in wanted)
    ours = [True] * len(cases)
    of_parts = run(vet, text=lines).splitlines()
    assert len(of_parts) == len(wanted)
    for (number, _, _), verdict in zip(wanted, of_parts):
        assert verdict in ('ok', 'bad'), verdict
        ours[number] &= verdict == 'ok'

    schema = json.loads(run(opcat, 'schema', 'export'))
    lines = json.dumps({'schema': schema}) + '\n' + ''.join(json.dumps({'data': blob}) + '\n' for blob in cases)
    theirs = run('node', HERE / 'json_schema_verdicts.js', packages, text=lines).splitlines()
    different = sum(our != (their == 'ok') for our, their in zip(ours, theirs))
    for blob, our, their in zip(cases, ours, theirs):
        if our != (their == 'ok'):
            print(f'ajv says {their}, we say {"ok" if our else "bad"}: {json.dumps(blob)[:1000]}\n')

    # Each definition alone: it is usable at its own place, and agrees as well.
    lines, expected = '', []
    for definition in [*DEFINITIONS.values(), *PROPERTIES.values()]:
        lines += json.dumps({'schema': json.loads(run(opcat, 'schema', 'export', definition))}) + '\n'
        for (_, of, value), verdict in zip(wanted, of_parts):
            if of == definition:
                lines += json.dumps({'data': value}) + '\n'
                expected.append(verdict)
    alone = run('node', HERE / 'json_schema_verdicts.js', packages, text=lines).splitlines()
    different += sum(one != other for one, other in zip(alone, expected))
    good = sum(ours)
    print(f'{len(blobs)} blobs as they are, {len(cases) - len(blobs)} broken: {good} ok, {len(cases) - good} bad, '
          f'{len(alone)} parts by themselves; {different} different')
    if different or len(theirs) != len(cases) or len(alone) != len(expected) or good < 20 or good > len(cases) * 0.9:
        sys.exit(1)


if __name__ == '__main__':
    main()
