"""A small OLM v1: catalogs, and extensions that are installed with the rights of their accounts."""
from __future__ import annotations

from typing import Callable

from . import rbac, registry_v1
from .simulated_olm import (CRDS, DEPLOYMENTS, V1, Blobs, SimulatedOlm, deployment_status, owner_of, property_of, rank, selector,
                            set_condition, version_of)
from .storage import Key, Object, Store, now

EXTENSIONS: Key = (V1, 'clusterextensions')
CATALOGS: Key = (V1, 'clustercatalogs')


class OlmV1(SimulatedOlm):
    """The bundles in `manifests` are installed object by object, with the rights of the extension's account if it `uses_accounts`:
    since 1.11 it does not."""

    def __init__(self, store: Store, content: Callable[[str], Blobs | None]) -> None:
        super().__init__(store, content)
        self.manifests: dict[str, list[Object]] = {}
        self.uses_accounts = True
        self.resolved: dict[str, str] = {}  # the content of images; read when the spec of a catalog changes

    def turn_v1(self) -> None:
        for catalog in self._store.list(CATALOGS):
            self._catalog(catalog)
        for extension in self._store.list(EXTENSIONS):
            self._extension(extension)

    def _catalog(self, catalog: Object) -> None:
        status = dict(catalog.get('status') or {})
        labels = catalog['metadata'].setdefault('labels', {})
        if V1 + '/metadata.name' not in labels:
            labels[V1 + '/metadata.name'] = catalog['metadata']['name']
            catalog = self._store.replace(CATALOGS, catalog)
        generation = {'observedGeneration': catalog['metadata']['generation']}
        seen = max((condition.get('observedGeneration', 0) for condition in status.get('conditions') or []), default=0)
        image = catalog['spec']['source']['image']['ref']
        if catalog['spec'].get('availabilityMode') == 'Unavailable':
            words = ('UserSpecifiedUnavailable', 'Catalog availability mode is set to Unavailable')
            set_condition(status, 'Progressing', 'True', 'Succeeded', words[1], **generation)
            set_condition(status, 'Serving', 'False', *words, **generation)
        elif self._blobs(image) is None:
            set_condition(status, 'Progressing', 'True', 'Retrying', 'source catalog content: error creating image source: reading '
                          f'manifest in {image}: manifest unknown', **generation)
        else:
            set_condition(status, 'Progressing', 'True', 'Succeeded', 'Successfully unpacked and stored content from resolved source',
                          **generation)
            set_condition(status, 'Serving', 'True', 'Available', 'Serving desired content from resolved source', **generation)
            status.setdefault('lastUnpacked', now())
            status['urls'] = {'base': f'https://catalogd-service.olmv1-system.svc/catalogs/{catalog["metadata"]["name"]}'}
            if seen != generation['observedGeneration'] or image == _resolved_image(status):
                status['resolvedSource'] = {'type': 'Image', 'image': {'ref': self.resolved.get(image, image)}}
        self._save(CATALOGS, catalog, status)

    def _extension(self, extension: Object) -> None:
        if extension['metadata'].get('deletionTimestamp'):
            return
        if not extension['metadata'].get('finalizers'):
            extension['metadata']['finalizers'] = [V1 + '/cleanup-unpack-cache', V1 + '/cleanup-contentmanager-cache']
            self._store.replace(EXTENSIONS, extension)
            return
        status = dict(extension.get('status') or {})
        generation = {'observedGeneration': extension['metadata']['generation']}
        installed = ((status.get('install') or {}).get('bundle') or {}).get('name', '')
        bundle, problem = self._chosen(extension, installed)
        if problem or bundle is None:
            set_condition(status, 'Progressing', 'True', 'Retrying', problem, **generation)
            if not installed:
                unknown = 'validation error' in problem
                set_condition(status, 'Installed', 'Unknown' if unknown else 'False', 'Failed',
                              problem if unknown else 'No bundle installed', **generation)
        elif problem := self._make_v1_objects(extension, bundle):
            told = f'error for resolved bundle "{bundle["name"]}" with version "{version_of(bundle)}": {problem}'
            set_condition(status, 'Progressing', 'True', 'Retrying', told, **generation)
            if not installed:
                set_condition(status, 'Installed', 'False', 'Failed', 'No bundle installed', **generation)
        else:
            status['install'] = {'bundle': {'name': bundle['name'], 'version': version_of(bundle)}}
            set_condition(status, 'Installed', 'True', 'Succeeded', f'Installed bundle {bundle["image"]} successfully', **generation)
            set_condition(status, 'Progressing', 'True', 'Succeeded', 'Desired state reached', **generation)
        self._save(EXTENSIONS, extension, status)

    def _chosen(self, extension: Object, installed: str) -> tuple[Object | None, str]:
        spec = extension['spec']
        catalog = spec['source']['catalog']
        account, namespace = _account_of(extension), spec['namespace']
        if self.uses_accounts and not self._store.get(('', 'serviceaccounts'), namespace, account):
            return None, ('operation cannot proceed due to the following validation error(s): service account '
                          f'"{account}" not found in namespace "{namespace}"')
        selector = ((catalog.get('selector') or {}).get('matchLabels') or {}).get(V1 + '/metadata.name')
        blobs: Blobs = []
        for source in self._store.list(CATALOGS):
            if not selector or source['metadata']['name'] == selector:
                blobs += self._blobs(source['spec']['source']['image']['ref']) or []
        package = catalog['packageName']
        bundles = {b['name']: b for b in blobs if b['schema'] == 'olm.bundle' and b['package'] == package}
        entries = [entry for b in blobs if b['schema'] == 'olm.channel' and b['package'] == package
                   and (not catalog.get('channels') or b['name'] in catalog['channels']) for entry in b['entries']]
        allowed = [bundles[entry['name']] for entry in entries if not installed or catalog.get('upgradeConstraintPolicy') == 'SelfCertified'
                   or entry['name'] == installed or entry.get('replaces') == installed or installed in (entry.get('skips') or [])]
        wish = catalog.get('version', '')
        found = [bundle for bundle in allowed if not wish or version_of(bundle) == wish]
        if found:
            return max(found, key=rank), ''
        told = f'no bundles found for package "{package}"' + (f' matching version "{wish}"' if wish else '')
        if catalog.get('channels'):
            told += f' in channels [{" ".join(catalog["channels"])}]'
        current = f'error upgrading from currently installed version "{version_of(bundles[installed])}": ' if installed in bundles else ''
        return None, current + told

    def _make_v1_objects(self, extension: Object, bundle: Object) -> str:
        """The problem that prevents it; empty if it is done."""
        name, namespace = extension['metadata']['name'], extension['spec']['namespace']
        if bundle['name'] in self.manifests:
            wanted = registry_v1.render(self.manifests[bundle['name']], namespace)
            user = rbac.service_account(namespace, _account_of(extension)) if self.uses_accounts else rbac.User('olm', (rbac.MASTERS,))
            problem = registry_v1.Installer(self._store, user).install(wanted, extension)
            for thing in self._store.list(DEPLOYMENTS, namespace):
                ready = deployment_status(bundle['name'] not in self.crashing, thing['metadata'].get('generation', 1))
                if (thing['metadata'].get('labels') or {}).get(V1 + '/owner-name') == name and thing.get('status') != ready:
                    self._store.replace(DEPLOYMENTS, {**thing, 'status': ready})
            return problem
        labels = {V1 + '/owner-kind': 'ClusterExtension', V1 + '/owner-name': name}
        for crd in ((property_of(bundle, 'olm.csv.metadata') or {}).get('crdDescriptions') or {}).get('owned') or []:
            self._make_crd(crd, V1 + '/owner')
            made = self._store.get(CRDS, '', crd['name'])
            if made and not made['metadata'].get('ownerReferences'):
                made['metadata'].update({'labels': labels, 'ownerReferences': [owner_of(extension, True)]})
                self._store.replace(CRDS, made)
        if not self._store.get(DEPLOYMENTS, namespace, f'{name}-controller'):
            ready = bundle['name'] not in self.crashing
            self._store.create(DEPLOYMENTS, {
                'apiVersion': 'apps/v1', 'kind': 'Deployment', 'spec': {'replicas': 1, 'selector': selector(f'{name}-controller')},
                'metadata': {'name': f'{name}-controller', 'namespace': namespace, 'labels': labels,
                             'ownerReferences': [owner_of(extension, True)]},
                'status': deployment_status(ready)})
        elif bundle['name'] in self.crashing:
            self._crash(self._store.get(DEPLOYMENTS, namespace, f'{name}-controller') or {})
        return ''


def _resolved_image(status: Object) -> str:
    return ((status.get('resolvedSource') or {}).get('image') or {}).get('ref', '')


def _account_of(extension: Object) -> str:
    return (extension['spec'].get('serviceAccount') or {}).get('name', '')
