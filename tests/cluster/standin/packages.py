"""PackageManifests, and what catalogd serves: made from the contents of the existing catalogs."""
from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
from typing import Any, Callable

from .flow import CatalogContent
from .storage import Object, Store, now

CATALOG_SOURCES = ('operators.coreos.com', 'catalogsources')
GLOBAL_NAMESPACE = 'olm'
CLUSTER_CATALOGS = ('olm.operatorframework.io', 'clustercatalogs')


def render(opcat: str, text: str) -> list[Object]:
    """The blobs of a catalog in YAML, by `opcat render`: Python's standard library has no YAML."""
    with tempfile.TemporaryDirectory(prefix='opcat-catalog-') as directory:
        (pathlib.Path(directory) / 'catalog.yaml').write_text(text)
        done = subprocess.run([opcat, 'render', directory, '-o', 'json'], check=True, capture_output=True, text=True)
    blobs, decoder, at, end = [], json.JSONDecoder(), 0, len(done.stdout.rstrip())
    while at < end:
        blob, at = decoder.raw_decode(done.stdout, at)
        blobs.append(blob)
        at += len(done.stdout[at:]) - len(done.stdout[at:].lstrip())
    return blobs


def _property(bundle: Object, kind: str) -> Any:
    return next((item['value'] for item in bundle.get('properties') or [] if item['type'] == kind), {})


def _entry(name: str, bundles: dict[str, Object]) -> Object:
    return {'name': name, 'version': _property(bundles.get(name, {}), 'olm.package').get('version', '')}


def _csv_description(bundle: Object) -> Object:
    metadata = _property(bundle, 'olm.csv.metadata')
    same = {name: metadata[name] for name in ('annotations', 'description', 'displayName', 'installModes', 'keywords', 'links',
                                              'maintainers', 'maturity', 'minKubeVersion', 'provider') if name in metadata}
    images = [image['image'] for image in bundle.get('relatedImages') or []]
    return {**same, 'apiservicedefinitions': metadata.get('apiServiceDefinitions') or {},
            'customresourcedefinitions': metadata.get('crdDescriptions') or {}, 'relatedImages': images,
            'version': _property(bundle, 'olm.package').get('version', '')}


def _head(entries: list[Object]) -> str:
    replaced = {entry.get('replaces') for entry in entries} | {name for entry in entries for name in entry.get('skips') or []}
    return next((entry['name'] for entry in entries if entry['name'] not in replaced), entries[0]['name'])


def package_manifest(package: Object, blobs: list[Object], source: Object, namespace: str) -> Object:
    """As packageserver shows a package of a CatalogSource to `namespace`."""
    name, catalog = package['name'], source['metadata']
    bundles = {blob['name']: blob for blob in blobs if blob['schema'] == 'olm.bundle' and blob['package'] == name}
    channels = []
    for channel in sorted((b for b in blobs if b['schema'] == 'olm.channel' and b['package'] == name), key=lambda b: b['name']):
        head = _head(channel['entries'])
        newest_first = sorted((entry['name'] for entry in channel['entries']), reverse=True)
        channels.append({'name': channel['name'], 'currentCSV': head, 'currentCSVDesc': _csv_description(bundles.get(head, {})),
                         'entries': [_entry(entry, bundles) for entry in newest_first]})
    _add_deprecations(channels, blobs, name)
    spec = source.get('spec') or {}
    provider = (channels[0]['currentCSVDesc'] if channels else {}).get('provider', {})
    manifest = {
        'apiVersion': 'packages.operators.coreos.com/v1', 'kind': 'PackageManifest',
        'metadata': {'name': name, 'namespace': namespace, 'creationTimestamp': catalog.get('creationTimestamp', now()),
                     'labels': {'catalog': catalog['name'], 'catalog-namespace': catalog['namespace'],
                                'operatorframework.io/arch.amd64': 'supported', 'operatorframework.io/os.linux': 'supported',
                                'provider': provider.get('name', ''), 'provider-url': provider.get('url', '')}},
        'spec': {},
        'status': {'packageName': name, 'catalogSource': catalog['name'], 'catalogSourceNamespace': catalog['namespace'],
                   'catalogSourceDisplayName': spec.get('displayName', ''), 'catalogSourcePublisher': spec.get('publisher', ''),
                   'defaultChannel': package.get('defaultChannel', ''), 'channels': channels,
                   'provider': provider}}
    deprecated = _deprecation(blobs, name, 'olm.package', '')
    if deprecated:
        manifest['status']['deprecation'] = deprecated
    return manifest


def _deprecation(blobs: list[Object], package: str, schema: str, name: str) -> Object | None:
    for blob in blobs:
        if blob['schema'] == 'olm.deprecations' and blob['package'] == package:
            for entry in blob['entries']:
                if entry['reference']['schema'] == schema and entry['reference'].get('name', '') == name:
                    return {'message': entry['message']}
    return None


def _add_deprecations(channels: list[Object], blobs: list[Object], package: str) -> None:
    for channel in channels:
        for thing, schema in [(channel, 'olm.channel')] + [(entry, 'olm.bundle') for entry in channel['entries']]:
            found = _deprecation(blobs, package, schema, thing['name'])
            if found:
                thing['deprecation'] = found


class FlowCatalogs:
    """The contents of the catalogs of a flow, by name. `position`: which segment is played, that is, which content is present."""

    def __init__(self, contents: list[CatalogContent], opcat: str, position: Callable[[], int]) -> None:
        self._contents, self._opcat, self._position = contents, opcat, position
        self._rendered: dict[tuple[str, int], list[Object]] = {}

    def blobs(self, catalog: Object) -> list[Object] | None:
        name = catalog['metadata']['name']
        present = [content for content in self._contents if content.name == name and content.since <= self._position()]
        if not present:
            return None
        content = present[-1]
        place = (content.name, content.since)
        if place not in self._rendered:
            self._rendered[place] = render(self._opcat, content.text)
        return self._rendered[place]


class Packages:
    """`blobs`: the content of a CatalogSource or ClusterCatalog, None if unknown."""

    def __init__(self, store: Store, blobs: Callable[[Object], list[Object] | None]) -> None:
        self._store, self._blobs = store, blobs

    def manifests(self, namespace: str) -> list[Object]:
        """A namespace, existing or not, sees its own catalogs and the global ones; without a namespace each catalog is shown in its own."""
        found = []
        for source in self._store.list(CATALOG_SOURCES):
            state = ((source.get('status') or {}).get('connectionState') or {}).get('lastObservedState')
            own = source['metadata']['namespace']
            if state == 'READY' and (namespace in ('', own) or own == GLOBAL_NAMESPACE):
                blobs = self._blobs(source)
                found += [package_manifest(blob, blobs or [], source, namespace or own)
                          for blob in blobs or [] if blob['schema'] == 'olm.package']
        return found

    def served(self, catalog: str) -> str | None:
        """The JSON lines of a ClusterCatalog that is being served."""
        thing = self._store.get(CLUSTER_CATALOGS, '', catalog)
        conditions = ((thing or {}).get('status') or {}).get('conditions') or []
        serving = any(condition['type'] == 'Serving' and condition['status'] == 'True' for condition in conditions)
        blobs = self._blobs(thing) if thing and serving else None
        return None if blobs is None else ''.join(json.dumps(blob) + '\n' for blob in blobs)
